"""One value of a log as its declared type, or why it is not one. Owns the units of bare numbers; knows no events.

A number in a `duration` field is seconds, in an `instant` field seconds since the epoch; a text is a literal
of the language (`500ms`) or ISO 8601. Text and number never stand for each other, and a truth value is no
number. `5.0` is a whole number, as in JSON. Nothing goes through a float but what is declared `number`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache

from lifespec.model.model import FieldSpec
from lifespec.model.pattern import compile_whole
from lifespec.model.time_text import duration_ns, instant_ns
from lifespec.model.value import Duration, Instant, LogValue, Type, Unread

_INT_MIN, _INT_MAX = -(2**63), 2**63 - 1
_NS_PER_SECOND = 1_000_000_000
_BITS = (_INT_MIN, _INT_MAX)
# The years 1 to 9999; `9999-12-31T23:59:59Z` often stands for "never".
_INSTANTS = (-62_135_596_800 * _NS_PER_SECOND, 253_402_300_800 * _NS_PER_SECOND - 1)
_MOST_MAGNITUDE = 40  # decimal places of an exponent that are still worked out
_MOST_DIGITS = 400
_MOST_SHOWN = 60

_COMPARE: Mapping[str, Callable[[int | float, int | float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Reason(StrEnum):
    """Why a value is not one of its field."""

    WRONG_TYPE = "wrong type"
    OUT_OF_RANGE = "out of range"  # of 64 bits, or of the calendar
    OUT_OF_BOUNDS = "out of bounds"  # of the declaration
    NOT_ONE_OF = "not one of its values"
    NO_MATCH = "does not match its pattern"


@dataclass(frozen=True, slots=True)
class Converted:
    """The value as the language knows it: int of nanoseconds for times."""

    value: int | float | str | bool


@dataclass(frozen=True, slots=True)
class NotConverted:
    """Why not. `expected` is what would do, in words of the language; `found` is the value when it is short
    enough to show."""

    reason: Reason
    expected: tuple[str, ...]
    found: str | None


def convert(value: LogValue, spec: FieldSpec) -> Converted | NotConverted | None:
    """`value` (never None: what is null is absent) as the type that `spec` declares; None for what was found
    unreadable already, which is no second finding."""
    if isinstance(value, Unread):
        return None
    match spec.type:
        case Type.TEXT:
            return _text(value, spec)
        case Type.ONE_OF:
            return _one_of(value, spec)
        case Type.BOOL:
            return Converted(value) if isinstance(value, bool) else _no(Reason.WRONG_TYPE, value, "true", "false")
        case Type.INT:
            return _bounded(_whole(value), value, spec, "a whole number")
        case Type.NUMBER:
            return _bounded(_number(value), value, spec, "a number")
        case Type.DURATION:
            found = value.ns if isinstance(value, Duration) else _time(value, duration_ns)
            return _bounded(found, value, spec, "a duration: seconds, or a text like `500ms` or `PT5S`")
        case Type.INSTANT:
            found = value.ns if isinstance(value, Instant) else _time(value, instant_ns)
            expected = "an instant: seconds since the epoch, or ISO 8601 with an offset"
            return _bounded(found, value, spec, expected, _INSTANTS)
        case Type.ANY:
            return _any(value)


def _no(reason: Reason, value: LogValue, *expected: str) -> NotConverted:
    return NotConverted(reason, expected, _shown(value))


def _shown(value: LogValue) -> str | None:
    """A value for people, as JSON has it; None when it is long or has parts."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value) if value.bit_length() <= 200 else None
        case Decimal():
            shown = str(value)
        case str():
            shown = f'"{value}"'
        case Duration(ns=ns) | Instant(ns=ns):
            shown = f"{ns}ns"
        case _:
            return None
    return shown if len(shown) <= _MOST_SHOWN else None


def _text(value: LogValue, spec: FieldSpec) -> Converted | NotConverted:
    if not isinstance(value, str):
        return _no(Reason.WRONG_TYPE, value, "a text")
    if spec.like is not None and not matches(spec.like, value):
        return _no(Reason.NO_MATCH, value, f'like "{spec.like}"')
    return Converted(value)


def matches(pattern: str, text: str) -> bool:
    """Whether the whole text fits the pattern. Raises ValueError when it is no pattern."""
    return _compiled(pattern)(text)


_compiled = lru_cache(maxsize=512)(compile_whole)


def _one_of(value: LogValue, spec: FieldSpec) -> Converted | NotConverted:
    """A number is one of the values when it is declared as it is written: `one of 1006, 4010`."""
    word = value
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= 64:
        word = str(value)
    if isinstance(word, str):
        return Converted(word) if word in spec.values else _no(Reason.NOT_ONE_OF, value, *spec.values)
    return _no(Reason.WRONG_TYPE, value, *spec.values)


def _decimal(value: LogValue) -> int | Decimal | Reason:
    """A number that may be worked with: of a size and a length that cost nothing."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return Reason.WRONG_TYPE
    if isinstance(value, int):
        return value if value.bit_length() <= 1024 else Reason.OUT_OF_RANGE
    if not value.is_finite():
        return Reason.WRONG_TYPE
    if not value:
        return 0
    if value.adjusted() > _MOST_MAGNITUDE or len(value.as_tuple().digits) > _MOST_DIGITS:
        return Reason.OUT_OF_RANGE
    return value


def _whole(value: LogValue) -> int | Reason:
    number = _decimal(value)
    if not isinstance(number, Decimal):
        return number
    if number.adjusted() < 0 or number != number.to_integral_value():
        return Reason.WRONG_TYPE
    return int(number)


def _number(value: LogValue) -> int | float | Reason:
    if isinstance(value, int) and not isinstance(value, bool) and _INT_MIN <= value <= _INT_MAX:
        return value
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return Reason.WRONG_TYPE
    try:
        number = float(value)
    except (OverflowError, ValueError):  # a whole number beyond doubles; a signalling NaN
        return Reason.OUT_OF_RANGE
    return number if math.isfinite(number) else Reason.OUT_OF_RANGE


def _time(value: LogValue, read: Callable[[str], int | None]) -> int | Reason:
    """Seconds, or a text that `read` understands, in nanoseconds."""
    if isinstance(value, str):
        ns = read(value)
        return Reason.WRONG_TYPE if ns is None else ns
    number = _decimal(value)
    if isinstance(number, int):
        return number * _NS_PER_SECOND
    if isinstance(number, Reason):
        return number
    if number.adjusted() < -_MOST_MAGNITUDE:
        return 0
    numerator, denominator = number.as_integer_ratio()
    return _half_even(numerator * _NS_PER_SECOND, denominator)


def _half_even(numerator: int, denominator: int) -> int:
    quotient, rest = divmod(numerator, denominator)
    return quotient + (2 * rest > denominator or (2 * rest == denominator and quotient & 1))


def _bounded(
    found: int | float | Reason,
    value: LogValue,
    spec: FieldSpec,
    expected: str,
    limits: tuple[int, int] = _BITS,
) -> Converted | NotConverted:
    if isinstance(found, int) and not limits[0] <= found <= limits[1]:
        found = Reason.OUT_OF_RANGE
    if found is Reason.OUT_OF_RANGE:
        fits = "that fits 64 bits" if limits is _BITS else "in the years 1 to 9999"
        return _no(found, value, f"{expected.partition(':')[0]} {fits}")
    if isinstance(found, Reason):
        return _no(found, value, expected)
    for op, bound in spec.bounds:
        if not _COMPARE[op](found, bound):
            return _no(Reason.OUT_OF_BOUNDS, value, *(f"{op} {_bound_text(each, spec)}" for op, each in spec.bounds))
    return Converted(found)


def _bound_text(bound: int | float, spec: FieldSpec) -> str:
    return f"{Decimal(bound) / _NS_PER_SECOND:f}s" if spec.type is Type.DURATION else str(bound)


def _any(value: LogValue) -> Converted | NotConverted:
    """An undeclared field: any single value."""
    match value:
        case bool() | str():
            return Converted(value)
        case int() | Decimal():
            number = _number(value)
            if isinstance(number, Reason):
                return _no(number, value, "a number that fits a double")
            return Converted(number)
        case Duration(ns=ns) if _INT_MIN <= ns <= _INT_MAX:
            return Converted(ns)
        case Instant(ns=ns) if _INSTANTS[0] <= ns <= _INSTANTS[1]:
            return Converted(ns)
        case _:
            return _no(Reason.WRONG_TYPE, value, "a single value")
