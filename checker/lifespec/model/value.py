"""Values of the language at run time: their types, and how a value of a log becomes one.

Owns the reading of one value as a declared type. Knows neither events nor engines.
Durations and instants are integer nanoseconds; see `spec/semantics.md`, "Values".
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class Type(StrEnum):
    """The type of a field, a parameter or an expression. ANY is an undeclared field."""

    TEXT = "text"
    INT = "int"
    NUMBER = "number"
    BOOL = "bool"
    INSTANT = "instant"
    DURATION = "duration"
    ONE_OF = "one of"
    ANY = "any"


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A length of time in nanoseconds, read from a log by a binding that said its unit."""

    ns: int


@dataclass(frozen=True, slots=True, order=True)
class Instant:
    """A point in time in nanoseconds since the epoch, read by a binding that said its unit."""

    ns: int


# What a field of a log may hold. Numbers with a fraction or an exponent are Decimal, never float,
# so that `0.1` seconds are exactly 100 ms.
LogValue = None | bool | int | Decimal | str | Duration | Instant | list["LogValue"] | dict[str, "LogValue"]


class Unread(dict[str, LogValue]):
    """What stands in a field whose value a binding could not read, which is a finding already: there, so not
    missing, and worth nothing. An empty object for all that do not ask."""
