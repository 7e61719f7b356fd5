"""One line of JSON -> one value, or why not. Owns strictness and exactness; knows no bindings.

The fast path is msgspec. What it refuses is explained; a line that may have a key twice is decoded
again by a slower reader that sees every pair.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

import msgspec

from lifespec.model.value import LogValue

DEEPEST = 128  # levels of lists and objects
_MOST_DIGITS = 400  # of one number
_GREATEST_EXPONENT = 400

_COLON = re.compile(rb'"[ \t\r\n]*:')
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % _MOST_DIGITS)
_BYTE = re.compile(r"\(byte ([0-9]+)\)")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


class _TooDeep(Exception):
    """Lists and objects stand deeper in each other than DEEPEST."""


class _NumberTooLong(Exception):
    """A number has more digits, or a greater exponent, than anything measured."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """Why a line is no record. `name` is the finding; `column` (in bytes, from 1) may be unknown."""

    why: str
    column: int | None = None
    name: str = "malformed-record"


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
        value = _decode(line)
        keys = _measure(value, 1)
    except msgspec.DecodeError as error:
        return _explain(line, str(error))
    except (_TooDeep, RecursionError):
        return Malformed(f"lists and objects stand more than {DEEPEST} deep in each other")
    except _NumberTooLong:
        return Malformed(f"a number is longer than {_MOST_DIGITS} digits")
    if _LONG_NUMBER.search(line) is not None and _has_long_number(value):
        return Malformed(f"a number is longer than {_MOST_DIGITS} digits")
    # Every key is followed by a colon, and a text may look as if it were: so equal counts prove that no
    # key stands twice.
    if keys == len(_COLON.findall(line)):
        return Decoded(value)
    return Decoded(value, _repeated_keys(line))


def decode_text(text: str) -> Decoded | Malformed:
    """The JSON value of a text inside of a record."""
    try:
        return decode_json(text.encode())
    except UnicodeEncodeError:
        return Malformed("the text holds half a character (a lone surrogate)")


def _measure(value: object, depth: int) -> int:
    """How many keys the objects in `value` have; raises _TooDeep."""
    if type(value) is dict:
        keys = len(value)
        inner = value.values()
    elif type(value) is list:
        keys = 0
        inner = value  # type: ignore[assignment]
    else:
        return 0
    if depth > DEEPEST:
        raise _TooDeep
    for each in inner:
        if type(each) is dict or type(each) is list:
            keys += _measure(each, depth + 1)
    return keys


def _has_long_number(value: object) -> bool:
    if type(value) is int:
        return value.bit_length() > _MOST_DIGITS * 10 // 3
    if type(value) is dict:
        return any(map(_has_long_number, value.values()))
    if type(value) is list:
        return any(map(_has_long_number, value))
    return False


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
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=str, parse_int=str)
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
    if _has_lone_surrogate(value):
        return Malformed("a text holds half a character (a lone surrogate)", column)
    return Malformed(f"it is not JSON: {why}", column)


class _Constant(Exception):
    """NaN, Infinity or -Infinity stands in the text."""


def _refuse_constant(name: str) -> NoReturn:
    raise _Constant(name)


def _has_lone_surrogate(value: object) -> bool:
    if type(value) is str:
        return _LONE_SURROGATE.search(value) is not None
    if type(value) is dict:
        return any(_has_lone_surrogate(key) or _has_lone_surrogate(inner) for key, inner in value.items())
    if type(value) is list:
        return any(map(_has_lone_surrogate, value))
    return False
