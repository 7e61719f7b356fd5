"""The version of the package: the one in pyproject.toml, kept equal by a test."""

__version__ = "0.1.0"
