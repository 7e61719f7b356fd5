"""Values at run time, for the tables: the two unknowns, comparison, arithmetic, parts of keys.

Owns what a value is worth to the monitor (semantics S6, S28, S30, S48). Shares nothing with the reference engine.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from decimal import Decimal
from math import isfinite
from typing import Any

from lifespec.model.convert import Converted, convert
from lifespec.model.model import FieldSpec
from lifespec.model.value import Duration, Instant, LogValue


class Unknown:
    """One of the two unknowns; there are no others."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


NOT_SET = Unknown("not set")
NOT_KNOWN = Unknown("not known")

Value = int | float | str | bool | Duration | Instant | Unknown
Reader = Callable[[LogValue], Value]
# Text and numbers stand for themselves, truth values as a pair: so text never equals a number, nor a number true.
KeyPart = int | float | str | tuple[bool]
Key = KeyPart | tuple[KeyPart, ...]

_LOWEST, _HIGHEST = -(2**63), 2**63 - 1
_FIRST_INSTANT, _LAST_INSTANT = -62_135_596_800_000_000_000, 253_402_300_799_999_999_999
_NUMBERS = (int, float)
_MOST_TEXTS = 4096  # of a field, of which the value is remembered

_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def either_unknown(left: Value, right: Value) -> Unknown:
    """The unknown that comes of two values one of which is unknown, or of no use."""
    return NOT_KNOWN if left is NOT_KNOWN or right is NOT_KNOWN else NOT_SET


def reader_of(spec: FieldSpec | None) -> Reader:
    """What makes the value of a field of what the log has under its name (never None)."""
    if spec is None:
        return _undeclared

    texts: dict[str, Value] = {}

    def declared(raw: LogValue) -> Value:
        if type(raw) is str:
            known = texts.get(raw)
            if known is not None:
                return known
        found = convert(raw, spec)
        value = found.value if type(found) is Converted else NOT_SET
        if type(raw) is str:
            if len(texts) >= _MOST_TEXTS:
                texts.clear()
            texts[raw] = value
        return value

    return declared


def _undeclared(raw: LogValue) -> Value:
    kind = type(raw)
    if kind is str or kind is int or kind is bool or kind is Duration or kind is Instant:
        return raw  # type: ignore[return-value]  # the kinds of Value among those of LogValue
    if isinstance(raw, Decimal):
        number = float(raw)
        return number if isfinite(number) else NOT_SET
    return NOT_SET


def key_part(value: Value) -> KeyPart | None:
    """A part of a key; None when the value cannot be one."""
    kind = type(value)
    if kind is str:
        return value if value and not value.isspace() else None  # type: ignore[union-attr, return-value]  # a str
    if kind is int or kind is float:
        return value  # type: ignore[return-value]  # a number
    if kind is bool:
        return (value,)  # type: ignore[return-value]  # a bool
    if kind is Duration or kind is Instant:
        return value.ns  # type: ignore[union-attr]  # has a length
    return None


def part_value(part: KeyPart) -> int | float | str | bool:
    """The value that a part of a key stands for."""
    return part[0] if type(part) is tuple else part  # type: ignore[return-value]  # a pair is the only tuple


def parts_of(key: Key | None, count: int) -> tuple[KeyPart, ...]:
    """The parts of a key that has `count` of them."""
    if count == 0:
        return ()
    return (key,) if count == 1 else key  # type: ignore[return-value]  # by its count


def key_text(key: Key | None, count: int) -> tuple[str, ...]:
    """A key for people."""
    values = [part_value(part) for part in parts_of(key, count)]
    return tuple(str(value).lower() if value is True or value is False else str(value) for value in values)


# --- comparison --------------------------------------------------------------------------------------------


def _kind(value: Value) -> object:
    kind = type(value)
    return float if kind is int else kind


def equals(left: Value, right: Value) -> bool | Unknown:
    """Values of different kinds are not equal."""
    if type(left) is Unknown or type(right) is Unknown:
        return either_unknown(left, right)
    return left == right and _kind(left) is _kind(right)


def differs(left: Value, right: Value) -> bool | Unknown:
    """Not `equals`."""
    same = equals(left, right)
    return same if type(same) is Unknown else not same


def comparer(op: str) -> Callable[[Value, Value], bool | Unknown]:
    """The comparison that an operator means."""
    if op == "==":
        return equals
    if op == "!=":
        return differs
    order = _ORDER[op]

    def ordered(left: Value, right: Value) -> bool | Unknown:
        if type(left) is Unknown or type(right) is Unknown:
            return either_unknown(left, right)
        kind = _kind(left)
        return NOT_SET if kind is bool or kind is not _kind(right) else order(left, right)

    return ordered


# --- arithmetic --------------------------------------------------------------------------------------------


def limited(value: int | float) -> Value:
    """Whole numbers have 64 bits, others are finite doubles."""
    if type(value) is int:
        return value if _LOWEST <= value <= _HIGHEST else NOT_SET
    return value if isfinite(value) else NOT_SET


def negative(value: Value) -> Value:
    """The number with the other sign."""
    if type(value) in _NUMBERS:
        return limited(-value)  # type: ignore[operator]  # a number
    return value if type(value) is Unknown else NOT_SET


def calculator(op: str, *, is_instant: bool, is_duration: bool) -> Callable[[Value, Value], Value]:
    """The operation that an operator means; of what type its result is decides on rounding and range."""
    is_time = is_instant or is_duration

    def calculate(left: Value, right: Value) -> Value:
        if type(left) not in _NUMBERS or type(right) not in _NUMBERS:
            return either_unknown(left, right)
        try:
            return _calculated(op, left, right, is_time)  # type: ignore[arg-type]  # both are numbers
        except OverflowError:
            return NOT_SET

    def within_years(left: Value, right: Value) -> Value:
        found = calculate_unlimited(left, right)
        if type(found) is Unknown:
            return found
        return found if _FIRST_INSTANT <= found <= _LAST_INSTANT else NOT_SET  # type: ignore[operator]  # a number

    def calculate_unlimited(left: Value, right: Value) -> Value:
        if type(left) not in _NUMBERS or type(right) not in _NUMBERS:
            return either_unknown(left, right)
        return left + right if op == "+" else left - right  # type: ignore[operator]  # both are numbers

    return within_years if is_instant and op in "+-" else calculate


def _calculated(op: str, left: int | float, right: int | float, is_time: bool) -> Value:
    if op == "+":
        return limited(left + right)
    if op == "-":
        return limited(left - right)
    if op == "/" and right == 0:
        return NOT_SET
    if not is_time:
        return limited(left * right if op == "*" else left / right)
    upper, lower = left.as_integer_ratio()
    second_upper, second_lower = right.as_integer_ratio()
    if op == "/":
        second_upper, second_lower = second_lower, second_upper
        if second_lower < 0:
            second_upper, second_lower = -second_upper, -second_lower
    return limited(_to_nearest(upper * second_upper, lower * second_lower))


def _to_nearest(upper: int, lower: int) -> int:
    """The whole number nearest to `upper / lower`, of two equally near ones the even one."""
    whole, rest = divmod(upper, lower)
    twice = 2 * rest
    return whole + 1 if twice > lower or (twice == lower and whole % 2) else whole
