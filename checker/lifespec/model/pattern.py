"""Patterns are RE2: linear time, nothing looks back. Owns how they are compiled."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re2

_LONGEST = 10_000


# A text of single letters and classes of them, each perhaps repeated: what it means is the same everywhere.
_LETTER = r"[A-Za-z0-9_ :/@%=,;#-]"
_CLASS = r"\[[A-Za-z0-9_:/@%=,;#]+(?:-[A-Za-z0-9_:/@%=,;#]+)*\]"
_TIMES = r"(?:\{[0-9]{1,2}(?:,[0-9]{1,2})?\}|\?)"
_PLAIN = re.compile(rf"(?:(?:{_LETTER}|{_CLASS}){_TIMES}?)+")
_MOST_REPEATED = 3
_SHORT = 200


def compile_whole(pattern: str) -> Callable[[str], bool]:
    """What tells whether a whole text fits a pattern. Raises ValueError with the reason when it is none.

    Calling RE2 costs more than the match of a short text. A pattern that is plain, with few repetitions and all of them
    bounded, is looked for in short texts by the regular expressions of Python, in bounded time.
    """
    compiled = compile_pattern(pattern)

    def fits(text: str) -> bool:
        try:
            return compiled.fullmatch(text) is not None
        except UnicodeEncodeError:  # half a character fits no pattern
            return False

    if not _PLAIN.fullmatch(pattern) or pattern.count("{") + pattern.count("?") > _MOST_REPEATED:
        return fits
    quickly = re.compile(pattern).fullmatch
    return lambda text: quickly(text) is not None if len(text) <= _SHORT else fits(text)


def compile_pattern(pattern: str) -> re2._Regexp[str]:
    """The compiled pattern. Raises ValueError with the reason when it is none."""
    import re2  # many lifecycles have no pattern

    if len(pattern) > _LONGEST:
        raise ValueError(f"longer than {_LONGEST} characters")
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        raise ValueError(reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)) from None
    except UnicodeEncodeError:
        raise ValueError("holds half a character") from None


def pattern_fault(pattern: str) -> str | None:
    """What is wrong with a pattern; None when nothing is."""
    try:
        compile_pattern(pattern)
    except ValueError as error:
        return str(error)
    return None
