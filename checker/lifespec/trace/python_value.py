"""Values that a program has in hand -> values of a log. Owns what of Python a log could hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal

from lifespec.model.value import Duration, Instant, LogValue
from lifespec.trace.decode import DEEPEST


def log_value(value: object, depth: int = 1) -> LogValue:
    """A Python value as a value of a log; floats become exact decimals as they are printed.

    Raises ValueError for what no log could hold: NaN, keys that are no text, anything too deep.
    """
    if value is None or isinstance(value, bool | Duration | Instant):
        return value
    if isinstance(value, str):
        return _whole_text(value)
    if isinstance(value, int):
        if value.bit_length() > 1300:
            raise ValueError("a number is longer than 400 digits")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("a number is not finite")
        return Decimal(repr(value))
    if isinstance(value, Decimal):
        if not value.is_finite() or abs(value.adjusted()) > 400:
            raise ValueError("a number is not finite, or longer than 400 digits")
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if depth > DEEPEST:
        raise ValueError(f"lists and objects stand more than {DEEPEST} deep in each other")
    if isinstance(value, Mapping):
        made: dict[str, LogValue] = {}
        for key, inner in value.items():
            if not isinstance(key, str):
                raise ValueError("a key is no text")
            made[_whole_text(key)] = log_value(inner, depth + 1)
        return made
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [log_value(inner, depth + 1) for inner in value]
    raise ValueError(f"a {type(value).__name__} is no value of a log")


def _whole_text(text: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError("a text holds half a character (a lone surrogate)") from None
    return text
