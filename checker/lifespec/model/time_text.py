"""Times as text -> integer nanoseconds: `500ms`, `PT5S`, `2026-07-01T10:00:00.5Z`. Owns exactness, reads no clock.

A text without an offset is no instant: it would depend on where it was written.
"""

from __future__ import annotations

import re
from datetime import date

_UNITS = {
    "ns": 1,
    "us": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
    "d": 86_400_000_000_000,
}
_LONGEST = 64
_EPOCH_DAY = date(1970, 1, 1).toordinal()

_LITERAL = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(ns|us|ms|s|m|h|d)")
_ISO_DURATION = re.compile(
    r"([+-]?)P(?:([0-9]+)W)?(?:([0-9]+)D)?(?:T(?=[0-9])(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+)(?:[.,]([0-9]+))?S)?)?"
)
_ISO_INSTANT = re.compile(
    r"([0-9]{4})-?([0-9]{2})-?([0-9]{2})[Tt ]([0-9]{2}):?([0-9]{2})(?::?([0-9]{2})(?:[.,]([0-9]+))?)?"
    r"(?:[Zz]|([+-])([0-9]{2})(?::?([0-9]{2}))?)"
)


def duration_ns(text: str) -> int | None:
    """The nanoseconds of a literal of the language or of an ISO 8601 duration without years and months; None
    when it is neither. What lies below a nanosecond is rounded half to even."""
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    ns = literal_ns(text)
    if ns is not None:
        return ns
    iso = _ISO_DURATION.fullmatch(text)
    if iso is None or not any(iso.groups()[1:]):
        return None
    sign, weeks, days, hours, minutes, seconds, part = iso.groups()
    whole_seconds = ((int(weeks or 0) * 7 + int(days or 0)) * 24 + int(hours or 0)) * 3600 + int(minutes or 0) * 60
    ns = whole_seconds * _UNITS["s"] + _scaled(seconds or "0", part, _UNITS["s"])
    return -ns if sign == "-" else ns


def literal_ns(text: str) -> int | None:
    """The nanoseconds of a literal of the language: `500ms`, `1.5s`, half to even; None when it is none."""
    literal = _LITERAL.fullmatch(text) if len(text) <= _LONGEST else None
    if literal is None:
        return None
    sign, whole, part, unit = literal.groups()
    ns = _scaled(whole, part, _UNITS[unit])
    return -ns if sign else ns


def instant_ns(text: str) -> int | None:
    """The nanoseconds since the epoch of an ISO 8601 date and time with an offset; None when it is none.

    `24:00` is the end of the day, the 60th second of a leap second the first of the next minute.
    """
    text = text.strip()
    found = _ISO_INSTANT.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return None
    year, month, day, hour, minute, second, part, sign, away_hours, away_minutes = found.groups()
    try:
        days = date(int(year), int(month), int(day)).toordinal() - _EPOCH_DAY
    except ValueError:
        return None
    hours, minutes, seconds = int(hour), int(minute), int(second or 0)
    away = int(away_hours or 0) * 3600 + int(away_minutes or 0) * 60
    if minutes > 59 or seconds > 60 or hours > 24 or int(away_hours or 0) > 23 or int(away_minutes or 0) > 59:
        return None
    if hours == 24 and (minutes or seconds or int(part or 0)):
        return None
    whole = days * 86_400 + hours * 3600 + minutes * 60 + seconds - (-away if sign == "-" else away)
    return whole * _UNITS["s"] + _scaled("0", part, _UNITS["s"])


def _scaled(whole: str, part: str | None, unit: int) -> int:
    """`whole.part` units in nanoseconds, half to even."""
    digits = part or ""
    divisor = int("1" + "0" * len(digits))
    quotient, rest = divmod(int(whole + digits) * unit, divisor)
    return quotient + (2 * rest > divisor or (2 * rest == divisor and quotient & 1))
