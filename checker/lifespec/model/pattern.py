"""Patterns are RE2: linear time, nothing looks back. Owns how they are compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re2

_LONGEST = 10_000


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
