"""Small pictures, as numbers: an interval on a scale, a histogram. Owns what stands where; `page/plot.html` draws."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

WIDTH, ROW, HEIGHT = 220, 16, 64

Bin = tuple[float, float, int]


class Interval(Struct, frozen=True):
    """A line from `left` to `right`, with a dot at `value` where there is one."""

    left: float
    right: float
    value: float | None
    title: str


class Bar(Struct, frozen=True):
    """One bin of a histogram: its corner, its size, and what it holds."""

    x: float
    y: float
    width: float
    height: float
    title: str


class Histogram(Struct, frozen=True):
    """Bars of equal width, with a line at the bound; `labels` stand at both ends of the axis."""

    bars: tuple[Bar, ...]
    bound: float | None
    title: str
    labels: tuple[str, str]


def interval(low: float, high: float, value: float | None, scale: float, title: str) -> Interval:
    """An interval on a line from 0 to `scale`."""
    left, right = (_on_line(each / scale) for each in (low, high))
    return Interval(left, right, None if value is None else _on_line(value / scale), title)


def _on_line(share: float) -> float:
    return round(share * (WIDTH - 8) + 4, 1)


def histogram(
    bins: Sequence[Bin], bound: float | None, title: str, labels: tuple[str, str], words: Sequence[str]
) -> Histogram:
    """A bar for each bin that holds something; `words` say what each holds."""
    most = max((count for _, _, count in bins), default=0) or 1
    step = WIDTH / max(len(bins), 1)
    bars = []
    for place, (_, _, count) in enumerate(bins):
        height = max(1.5, count / most * HEIGHT)
        if count:
            x, y = round(place * step + 0.5, 1), round(HEIGHT - height, 1)
            bars.append(Bar(x, y, round(max(step - 1, 1), 1), round(height, 1), words[place]))
    at = None if bound is None else _position(bins, bound)
    return Histogram(tuple(bars), None if at is None else round(at * WIDTH, 1), title, labels)


def _position(bins: Sequence[Bin], value: float) -> float | None:
    """Where on the axis, from 0 to 1, a value lies; None beyond it."""
    for place, (low, high, _) in enumerate(bins):
        if low <= value <= high:
            if low == high:
                return None
            is_wide = low > 0 and len(bins) > 1 and not math.isclose(bins[1][1] - bins[1][0], bins[0][1] - bins[0][0])
            inside = math.log(value / low) / math.log(high / low) if is_wide else (value - low) / (high - low)
            return (place + inside) / len(bins)
    return None
