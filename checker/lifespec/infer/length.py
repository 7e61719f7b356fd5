"""Numbers and lengths of time for people and for the language: rounded, in the unit that fits. Owns the rounding."""

from __future__ import annotations

from collections.abc import Sequence

_UNITS = (
    (86_400 * 10**9, "d"),
    (3600 * 10**9, "h"),
    (60 * 10**9, "m"),
    (10**9, "s"),
    (10**6, "ms"),
    (10**3, "us"),
    (1, "ns"),
)


def times(count: int) -> str:
    return "once" if count == 1 else "twice" if count == 2 else f"{count} times"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def shown(ns: int) -> str:
    """Three digits are enough to look at: `1.23s`."""
    for unit_ns, unit in _UNITS:
        if ns >= unit_ns * (2 if unit in ("d", "h", "m") else 1):
            hundredths = ns * 100 // unit_ns
            whole, rest = divmod(hundredths, 100)
            return f"{whole}{unit}" if whole >= 100 or not rest else f"{whole}.{rest:02d}".rstrip("0") + unit
    return "0s"


def rounded_up(ns: int) -> str:
    """A literal of the language that is no shorter, with two digits."""
    for unit_ns, unit in _UNITS:
        if ns >= unit_ns * (2 if unit in ("d", "h", "m") else 1):
            number = -(-ns // unit_ns)
            step = 10 ** max(0, len(str(number)) - 2)
            return f"{-(-number // step) * step}{unit}"
    return "1ms"


def percentile(lengths: Sequence[int], percent: int) -> int:
    """The nearest rank."""
    ordered = sorted(lengths)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
