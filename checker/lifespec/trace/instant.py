"""Times and numbers as a log writes them -> integer nanoseconds. Owns exactness; knows no records.

Nothing goes through a float: `0.1` seconds are 100 ms. What lies below a nanosecond is rounded half to
even. What is out of any sensible range (300 digits, 30 million years) cannot be read rather than being
expanded.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from functools import lru_cache

from lifespec.model.value import Duration, Instant

UNITS_NS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
    "d": 86_400_000_000_000,
}

_MOST_DIGITS = 300
_GREATEST_NS = 10**24
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")
_NUMBER = re.compile(r"[ \t]*([+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?)[ \t]*")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_ISO = re.compile(
    r"[ \t]*([0-9]{4})-?([0-9]{2})-?([0-9]{2})(?:[Tt]|[ ]+)"  # the day
    r"([0-9]{2}):?([0-9]{2})(?::?([0-9]{2})(?:[.,]([0-9]{1,30}))?)?"  # the time of day
    r"[ ]*([Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?[ \t]*"  # the offset
)
_OFFSET = re.compile(r"([+-])([0-9]{2}):?([0-9]{2})?")
_EPOCH_DAY = date(1970, 1, 1).toordinal()


def number_of(value: object) -> int | Decimal | None:
    """The number that `value` is, or that its text is; None when it is neither."""
    if type(value) is int or type(value) is Decimal:
        return value
    if type(value) is str and len(value) <= _MOST_DIGITS:
        found = _NUMBER.fullmatch(value)
        if found is not None:
            text = found[1]
            return int(text) if _WHOLE.fullmatch(text) else Decimal(text)
    return None


def has_decimal_comma(text: str) -> bool:
    """Whether a text is a number but for its comma, which stands where a dot is due."""
    return _DECIMAL_COMMA.fullmatch(text) is not None


def scaled_ns(number: int | Decimal, unit_ns: int) -> int | None:
    """`number` units in nanoseconds, exactly; None when that is out of range or no number."""
    if isinstance(number, int):
        whole = number * unit_ns
        return whole if -_GREATEST_NS <= whole <= _GREATEST_NS else None
    if not number.is_finite() or number.adjusted() > 30:
        return None
    sign, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int) or len(digits) > _MOST_DIGITS:
        return None
    if number.adjusted() < -30:
        return 0
    whole = int("".join(map(str, digits))) * unit_ns
    if exponent >= 0:
        whole *= _power_of_ten(exponent)
    else:
        divisor = _power_of_ten(-exponent)
        whole, rest = divmod(whole, divisor)
        if rest * 2 > divisor or (rest * 2 == divisor and whole & 1):
            whole += 1
    if whole > _GREATEST_NS:
        return None
    return -whole if sign else whole


def _power_of_ten(exponent: int) -> int:
    return int(10**exponent)


@lru_cache(maxsize=64)
def _day(year: int, month: int, day: int) -> int | None:
    try:
        return date(year, month, day).toordinal() - _EPOCH_DAY
    except ValueError:
        return None


def iso8601_ns(text: str, zone: tzinfo | None = None) -> int | None:
    """A date and time in ISO 8601 as nanoseconds since the epoch; None when it is not one.

    `T` or blanks between, comma or dot before the fraction, `Z` or an offset behind; without an offset
    only with a `zone` (a time that occurs twice there is the first one). The 60th second of a leap
    second is the first of the next minute; `24:00` is the end of the day.
    """
    if len(text) > 100:
        return None
    found = _ISO.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, offset = found.groups()
    days = _day(int(year), int(month), int(day))
    if days is None:
        return None
    hours, minutes, seconds = int(hour), int(minute), int(second or 0)
    if minutes > 59 or seconds > 60 or hours > 24 or (hours == 24 and (minutes or seconds or int(fraction or 0))):
        return None
    whole = days * 86_400 + hours * 3_600 + minutes * 60 + seconds
    if offset is not None:
        whole_offset = _offset_seconds(offset)
        if whole_offset is None:
            return None
        whole -= whole_offset
    elif zone is not None:
        away = _zone_seconds(zone, int(year), int(month), int(day), min(hours, 23), minutes)
        if away is None:
            return None
        whole -= away
    else:
        return None
    return whole * 1_000_000_000 + _fraction_ns(fraction)


def _fraction_ns(fraction: str | None) -> int:
    if not fraction:
        return 0
    if len(fraction) <= 9:
        return int(fraction.ljust(9, "0"))
    return scaled_ns(Decimal("0." + fraction), 1_000_000_000) or 0


def _offset_seconds(offset: str) -> int | None:
    if offset in ("Z", "z"):
        return 0
    found = _OFFSET.fullmatch(offset)
    if found is None:
        return None
    hours, minutes = int(found[2]), int(found[3] or 0)
    if hours > 23 or minutes > 59:
        return None
    seconds = hours * 3_600 + minutes * 60
    return -seconds if found[1] == "-" else seconds


def _zone_seconds(zone: tzinfo, year: int, month: int, day: int, hour: int, minute: int) -> int | None:
    try:
        away = zone.utcoffset(datetime(year, month, day, hour, minute, tzinfo=zone))
    except OverflowError:  # at the very first and last day of the calendar
        return None
    return None if away is None else round(away.total_seconds())


def find_zone(name: str) -> tzinfo | None:
    """The time zone called `name` (`UTC`, `+02:00`, `Europe/Berlin`), or None when there is none."""
    if name in ("UTC", "Z"):
        return UTC
    if _OFFSET.fullmatch(name):
        seconds = _offset_seconds(name)
        return None if seconds is None else timezone(timedelta(seconds=seconds))
    from zoneinfo import ZoneInfo  # few bindings name a zone

    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        return None


def instant_of(value: object) -> Instant | None:
    """A value as an instant when the binding says no unit: seconds since the epoch, or ISO 8601."""
    if type(value) is Instant:
        return value
    ns: int | None = None
    if type(value) is str:
        ns = iso8601_ns(value)
    elif type(value) is int or type(value) is Decimal:
        ns = scaled_ns(value, UNITS_NS["s"])
    return None if ns is None else Instant(ns)


def duration_of(value: object, unit_ns: int) -> Duration | None:
    """A number, or a text that is one, of the given unit as a length of time."""
    number = number_of(value)
    ns = None if number is None else scaled_ns(number, unit_ns)
    return None if ns is None else Duration(ns)
