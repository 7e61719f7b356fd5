"""The pages of the findings, as they ship with the package. Owns where they are."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
# Installed from a wheel the pages lie beside this file; in a checkout they are where they are written.
_FOLDERS = (_HERE / "pages", _HERE.parent.parent / "docs" / "reference" / "findings")


@cache
def pages_folder() -> Path | None:
    """The folder with one page for each finding, or None when this installation has none."""
    return next((folder for folder in _FOLDERS if folder.is_dir()), None)


def find_page(name: str) -> str | None:
    """The page of the finding called `name` (one of the table of names), or None when there is none."""
    folder = pages_folder()
    page = folder / f"{name}.md" if folder else None
    return page.read_text(encoding="utf-8") if page is not None and page.is_file() else None
