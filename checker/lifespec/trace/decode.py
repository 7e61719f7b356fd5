"""One line of JSON -> one value, or why not (spec/bindings.md B2). Owns strictness and exactness; knows no bindings.

The fast path is msgspec. What it refuses is explained; a line that may have a key twice is decoded
again by a slower reader that sees every pair.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

import msgspec

from lifespec.model.value import LogValue

DEEPEST = 128  # levels of lists and objects
_MOST_DIGITS = 400  # of one number
_GREATEST_EXPONENT = 400
_GREATEST_INTEGER = 10**_MOST_DIGITS

_COLON = re.compile(rb'"[ \t\r\n]*:')
_BYTE = re.compile(r"\(byte ([0-9]+)\)")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class _TooDeep(Exception):
    """Lists and objects stand deeper in each other than DEEPEST."""


class _NumberTooLong(Exception):
    """A number has more digits, or a greater exponent, than anything measured."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """Why a line is no record. `name` is the finding; `column` (in bytes, from 1) may be unknown. `form` is what the
    log looks like instead."""

    why: str
    column: int | None = None
    name: str = "malformed-record"
    form: str | None = None


@dataclass(frozen=True, slots=True)
class Decoded:
    """A value; `repeated` are the keys that an object of it has twice, as far as they were looked for."""

    value: LogValue
    repeated: tuple[str, ...] = ()


def _exact(text: str) -> Decimal:
    if len(text) > _MOST_DIGITS:
        raise _NumberTooLong
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise _NumberTooLong from None
    if number and not -_GREATEST_EXPONENT <= number.adjusted() <= _GREATEST_EXPONENT:
        raise _NumberTooLong
    return number


_decode = msgspec.json.Decoder(type=Any, float_hook=_exact).decode


def decode_json(line: bytes) -> Decoded | Malformed:
    """The JSON value of `line`. Never raises; time and memory are linear in its length."""
    try:
        value: Any = _decode(line)
        keys = _measure([value], 0)
    except msgspec.DecodeError as error:
        return _explain(line, str(error))
    except (_TooDeep, RecursionError):
        return Malformed(f"lists and objects stand more than {DEEPEST} deep in each other")
    except _NumberTooLong:
        return Malformed(f"a number is longer than {_MOST_DIGITS} digits")
    # Every key is followed by a colon, and a text may look as if it were: so equal counts prove that no
    # key stands twice.
    if keys == sum(1 for _ in _COLON.finditer(line)):
        return Decoded(value)
    return Decoded(value, _repeated_keys(line))


def decode_text(text: str) -> Decoded | Malformed:
    """The JSON value of a text inside of a record."""
    try:
        return decode_json(text.encode())
    except UnicodeEncodeError:
        return Malformed("the text holds half a character (a lone surrogate)")


def _measure(value: dict[str, Any] | list[Any], depth: int) -> int:
    """How many keys the objects in `value` have. Raises _TooDeep and _NumberTooLong."""
    if depth > DEEPEST:
        raise _TooDeep
    keys = len(value) if isinstance(value, dict) else 0
    inner: Iterable[Any] = value.values() if isinstance(value, dict) else value
    for each in inner:
        kind = type(each)
        if kind is dict or kind is list:
            keys += _measure(each, depth + 1)
        elif kind is int and not -_GREATEST_INTEGER < each < _GREATEST_INTEGER:
            raise _NumberTooLong
    return keys


def _repeated_keys(line: bytes) -> tuple[str, ...]:
    repeated: dict[str, None] = {}

    def look(pairs: list[tuple[str, object]]) -> None:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                repeated[key] = None
            seen.add(key)

    try:
        json.loads(line, object_pairs_hook=look, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):  # what msgspec reads and this reader does not has no second look
        return ()
    return tuple(repeated)


def _explain(line: bytes, message: str) -> Malformed:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        return Malformed("the line is not UTF-8", error.start + 1, "not-utf-8")
    if "out of range" in message:
        return Malformed(f"a number is longer than {_MOST_DIGITS} digits")
    found = _BYTE.search(message)
    column = int(found[1]) + 1 if found else None
    if column is not None and "trailing characters" in message:
        column -= 1  # msgspec has read one byte further here
    why = message.removeprefix("JSON is malformed: ")
    why = _BYTE.sub("", why).strip()
    try:
        json.loads(text, parse_constant=_refuse_constant, parse_float=str, parse_int=str)
    except _Constant as constant:
        name = constant.args[0]
        return Malformed(f"`{name}` is not JSON: numbers are finite", text.find(name) + 1)
    except json.JSONDecodeError as error:
        if "truncated" in why:
            why = "it ends in the middle of a value"
            column = column or len(text[: error.pos].encode()) + 1
        return Malformed(f"it is not JSON: {why}", column)
    except (ValueError, RecursionError):
        return Malformed(f"it is not JSON: {why}", column)
    if _SURROGATE.search(text) is not None:  # the only thing that this reader takes and the strict one does not
        return Malformed("a text holds half a character (a lone surrogate)")
    return Malformed(f"it is not JSON: {why}", column)


class _Constant(Exception):
    """NaN, Infinity or -Infinity stands in the text."""


def _refuse_constant(name: str) -> NoReturn:
    raise _Constant(name)
