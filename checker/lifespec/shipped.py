"""The lifecycles that ship with the package, `lib:NAME`. Owns where they are and how they are called; reads no text.

`lib:webrtc` is the text `webrtc.lifespec` in the folder `webrtc`, `lib:webrtc/rtcstats.lifespec` another text there.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from msgspec import Struct

PREFIX = "lib:"
_SUFFIX = ".lifespec"
_PAGE = "README.md"
_HERE = Path(__file__).parent
# Installed from a wheel they lie beside this file; in a checkout they are where they are written.
_FOLDERS = (_HERE / "lifecycles", _HERE.parent.parent / "spec" / "lifecycles")


class ShippedText(Struct, frozen=True):
    """A text in the folder of a shipped lifecycle. `name` is what people are shown: `lib:webrtc/webrtc.lifespec`."""

    name: str
    path: Path


def is_shipped_name(name: str) -> bool:
    """Whether `name` asks for a shipped text, rather than for a file."""
    return name.startswith(PREFIX)


@cache
def shipped_lifecycles() -> tuple[str, ...]:
    """The names of all lifecycles that ship, as `webrtc`, in the order of the alphabet."""
    root = _root()
    if root is None:
        return ()
    return tuple(sorted(each.name for each in root.iterdir() if (each / f"{each.name}{_SUFFIX}").is_file()))


def find_shipped(name: str) -> ShippedText | None:
    """The text that `lib:NAME` or `lib:NAME/FILE.lifespec` stands for; None when no such text ships."""
    lifecycle, _, file = name.removeprefix(PREFIX).partition("/")
    file = file or f"{lifecycle}{_SUFFIX}"
    folder = _folder_of(lifecycle)
    if not is_shipped_name(name) or folder is None or file not in _texts_in(folder):
        return None
    return ShippedText(f"{PREFIX}{lifecycle}/{file}", folder / file)


def shipped_title(lifecycle: str) -> str:
    """What the page of a shipped lifecycle is headed, in one line."""
    page = find_shipped_page(lifecycle)
    return page.partition("\n")[0].removeprefix("# ") if page is not None else ""


def find_shipped_page(lifecycle: str) -> str | None:
    """The page of a shipped lifecycle, or None when there is no such lifecycle or no page."""
    folder = _folder_of(lifecycle)
    page = folder / _PAGE if folder is not None else None
    return page.read_text(encoding="utf-8") if page is not None and page.is_file() else None


def _root() -> Path | None:
    return next((folder for folder in _FOLDERS if folder.is_dir()), None)


def _folder_of(lifecycle: str) -> Path | None:
    root = _root()
    return root / lifecycle if root is not None and lifecycle in shipped_lifecycles() else None


def _texts_in(folder: Path) -> frozenset[str]:
    return frozenset(each.name for each in folder.iterdir() if each.name.endswith(_SUFFIX))
