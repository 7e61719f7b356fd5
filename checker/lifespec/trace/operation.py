"""Operations on values of a log, with Kleene's unknown (None). Owns what compares with what.

Total: nothing here raises, and no number grows beyond 400 digits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from typing import Any

from lifespec.model.value import Duration, Instant
from lifespec.trace.scope import Getter, Read, Scope, Unreadable

ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MOST_BITS = 1300  # 400 digits, as of the numbers of a log
_GREATEST_EXPONENT = 400
_ARITHMETIC = Context(prec=60, traps=[])


def is_absent(value: Read) -> bool:
    """What `has` denies: nothing is there, no element of a list, or nothing that can be read."""
    return value is None or value == [] or isinstance(value, Unreadable)


def truth(value: Read) -> bool | None:
    """A truth value as it is; anything else is unknown."""
    return value if type(value) is bool else None


def negated(value: Read) -> bool | None:
    known = truth(value)
    return None if known is None else not known


def both(left: Read, right: Getter, scope: Scope) -> bool | None:
    """`and`: what is on the right is looked at only when it matters."""
    first = truth(left)
    if first is False:
        return False
    second = truth(right(scope))
    return False if second is False else (True if first and second else None)


def either(left: Read, right: Getter, scope: Scope) -> bool | None:
    """`or`: what is on the right is looked at only when it matters."""
    first = truth(left)
    if first is True:
        return True
    second = truth(right(scope))
    return True if second is True else (False if first is False and second is False else None)


def _kind(value: Read) -> str:
    if type(value) is int or type(value) is Decimal:
        return "number"
    return type(value).__name__


def equal(left: Read, right: Read) -> bool | None:
    """Text and number never compare equal; with what is not set nothing is known."""
    if left is None or right is None or isinstance(left, Unreadable) or isinstance(right, Unreadable):
        return None
    return _kind(left) == _kind(right) and left == right


def compare(op: str, left: Read, right: Read) -> bool | None:
    """`<` and its like: numbers with numbers, texts with texts, times with times; else unknown."""
    if _kind(left) != _kind(right) or _kind(left) not in ("number", "str", "Duration", "Instant"):
        return None
    return ORDER[op](left, right)


def contains(whole: Read, part: Read) -> bool | None:
    """An element of a list, or a part of a text; of anything else it is unknown."""
    if whole is None or part is None or isinstance(part, Unreadable):
        return None
    if type(whole) is list:
        return any(equal(each, part) is True for each in whole)
    if type(whole) is str and type(part) is str:
        return part in whole
    return None


def arithmetic(op: str, left: Read, right: Read) -> Read:
    """Numbers with numbers; durations and instants with `+` and `-`. Anything else is unknown."""
    if (type(left) is int or type(left) is Decimal) and (type(right) is int or type(right) is Decimal):
        return _numbers(op, left, right)
    if op in ("+", "-") and isinstance(left, Duration | Instant) and isinstance(right, Duration | Instant):
        sign = 1 if op == "+" else -1
        if type(right) is Duration:
            return type(left)(left.ns + sign * right.ns)
        if type(left) is Instant and op == "-":
            return Duration(left.ns - right.ns)
    return None


def _numbers(op: str, left: int | Decimal, right: int | Decimal) -> Read:
    if op != "/" and type(left) is int and type(right) is int:
        if left.bit_length() + right.bit_length() > _MOST_BITS:
            return None
        return left + right if op == "+" else left - right if op == "-" else left * right
    first, second = Decimal(left), Decimal(right)
    match op:
        case "+":
            result = _ARITHMETIC.add(first, second)
        case "-":
            result = _ARITHMETIC.subtract(first, second)
        case "*":
            result = _ARITHMETIC.multiply(first, second)
        case _:
            result = _ARITHMETIC.divide(first, second)
    return result if result.is_finite() and abs(result.adjusted()) <= _GREATEST_EXPONENT else None
