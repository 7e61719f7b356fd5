"""`lifespec` and `python -m lifespec`: the way in. Ends quietly when Ctrl-C comes before the command is there."""

from __future__ import annotations

import sys


def main() -> None:
    try:
        from lifespec.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
