"""What `forbid` finds in a text of a log: the built-in kinds, as printed in `spec/language.md`, and an
author's own patterns.

Owns the patterns and the meaning of a redaction mark. Knows nothing of records or findings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import re2

from lifespec.model.model import Forbid
from lifespec.model.pattern import compile_pattern

_BYTE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_DOTTED = rf"(?:{_BYTE}\.){{3}}{_BYTE}"
_ROUTED = r"(?:[23][\da-f]{3}|f[c-f][\da-f]{2})"

BUILTIN: dict[str, str] = {
    "email": r"[\pL\pN._%+-]+(?:@|%40)(?:[\pL\pN-]+\.)+\pL{2,}",
    "token": (
        r"eyJ[A-Za-z0-9_-]{7,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{6,}"
        r"|Bearer [A-Za-z0-9._-]{16,}"
        r"|[?&#;](?i:token|access_token|key|api_key)=[^&#\s\"'<>]+"
    ),
    "ip": (
        rf"(?:\[|://(?:[^/@\s]*@)?){_DOTTED}(?:$|[^\w.])"
        rf"|(?:^|[^\w.]){_DOTTED}:\d{{1,5}}(?:$|[^\w.:])"
        rf"|(?i)(?:^|[^\w.:]){_ROUTED}(?::[\da-f]{{1,4}}){{7}}(?:$|[^\w:])"
        rf"|(?:^|[^\w.:]){_ROUTED}(?::[\da-f]{{1,4}}){{0,5}}::(?:[\da-f]{{1,4}}(?::[\da-f]{{1,4}}){{0,5}})?(?:$|[^\w:])"
    ),
}
"""The built-in kinds, RE2, found anywhere in a text."""

BARE_ADDRESS = rf"(?:^|[^\w./]|(?:^|\W)/){_DOTTED}(?:$|[^\w.]|\.(?:$|\W))"
"""Four dotted numbers on their own: an `ip` too, unless the field is named version or release."""

VERSION_FIELD = r"(?i)(?:version|release)"
"""Found in the last name of a path: four dotted numbers in this field are no address."""

REDACTION_MARK = (
    r"(?i)[\[<({](?:redacted|removed|masked|hidden|filtered)(?:[:_ -][a-z_ -]{0,30})?[\])>}]"
    r"|%5bredacted%5d|\bredacted\b|\*{3,}|•{3,}|█{3,}"
)
"""What stands in place of a value that was taken out. A text is cut at its marks, and what is left is
searched piece by piece: a mark is never a part of what is forbidden."""

_ASKS_FOR_ENDS = re.compile(r"(?<!\[)\^|\$|\\[AzZbBQ]|\(\?[a-zA-Z]*[ms]")
_MARK = re.compile(REDACTION_MARK)
_LAST_NAME = re.compile(r"([^.\[\]]*)(?:\[[^\]]*\])*$")


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re2._Regexp[str]:
    return compile_pattern(pattern)


def find_forbidden(forbid: Forbid, path: str, text: str) -> bool:
    """Whether `text`, the value at `path` of a record, holds what `forbid` rules out.

    `path` is as findings show it (`meta.headers.authorization`, `labels[1]`). Time is linear in the
    length of the text. Raises ValueError for a pattern of an author that is none; a Model has no such.
    """
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    for pattern in _patterns(forbid, path):
        found = _compiled(pattern)
        if found.search(text) and any(found.search(piece) for piece in _MARK.split(text)):
            return True
    return False


def find_suspects(forbids: Sequence[Forbid]) -> Callable[[bytes], bool] | None:
    """What tells of bytes of JSON whether something forbidden may stand in them: never false when `find_forbidden`
    is true of a text in them, whatever its path. None when nothing is forbidden.

    A text stands in JSON as it is, between quotes, unless there is a backslash. Quotes are no part of a word, so that
    what may stand at the end of a text may stand beside a quote; a pattern of an author that asks for the end of a
    text itself is not looked for, and all bytes are suspect.
    """
    if not forbids:
        return None
    patterns: list[str] = []
    for forbid in forbids:
        if forbid.builtin is not None:
            patterns += _patterns(forbid, "")
        elif forbid.pattern is not None:
            if _ASKS_FOR_ENDS.search(forbid.pattern):
                return lambda data: True
            patterns.append(forbid.pattern)
    search = compile_pattern("|".join(f"(?:{pattern})" for pattern in dict.fromkeys(patterns))).search

    def is_suspect(data: bytes) -> bool:
        return b"\\" in data or search(data.decode("utf-8", "replace")) is not None

    return is_suspect


def _patterns(forbid: Forbid, path: str) -> tuple[str, ...]:
    if forbid.builtin is None:
        return (forbid.pattern,) if forbid.pattern is not None else ()
    if forbid.builtin == "ip" and not _compiled(VERSION_FIELD).search(_last_name(path)):
        return (BUILTIN["ip"], BARE_ADDRESS)
    return (BUILTIN[forbid.builtin],)


def _last_name(path: str) -> str:
    """`b` of `a.b`, `a.b[1]`."""
    found = _LAST_NAME.search(path)
    return found.group(1) if found else ""
