"""`python -m lifespec`: the command where no script is on the path."""

from lifespec.cli import main

main()
