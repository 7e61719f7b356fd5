"""Numbers for people: shares with their limits, lengths, quantiles. Owns rounding and what is left unsaid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from lifespec.explain_words import duration
from lifespec.stats.interval import smallest_sample, wilson
from lifespec.stats.measure import LONGER, SHORTER
from lifespec.stats.record import DURATIONS_NS
from lifespec.stats.sketch import ACCURACY, Sketch

# Of a measure, by what of it is worse: the middle, and the end that matters.
QUANTILES = {LONGER: (0.5, 0.9, 0.99), SHORTER: (0.5, 0.1, 0.01), None: (0.5, 0.9, 0.99)}
NOT_TOLD = "-"
_FIGURES = 3  # that are shown of a value


def quantile_name(share: float) -> str:
    """`p50`, `p99`."""
    return f"p{share * 100:.0f}"


def told(sketch: Sketch, share: float) -> float | None:
    """A quantile, None where the values are too few to bound it on both sides."""
    return sketch.quantile(share) if sketch.count >= _needed(share) else None


@cache
def _needed(share: float) -> int:
    return smallest_sample(share)


def percent(share: float) -> str:
    """A share, with as many figures as it needs to be told from nothing and from all."""
    value = share * 100
    if value in (0, 100) or 10 <= value <= 90:
        return f"{value:.0f} %" if value in (0, 100) else f"{value:.1f} %"
    return f"{value:.1f} %" if value >= 0.1 and value <= 99.9 else f"{value:.2g} %" if value < 1 else f"{value:.3f} %"


def share_words(found: int, of: int) -> str:
    """The share itself, where it is neither nothing nor all: these are never certain."""
    return percent(found / of) if 0 < found < of else NOT_TOLD


def limits_words(found: int, of: int) -> str:
    """The limits of a share."""
    if not of:
        return NOT_TOLD
    low, high = wilson(found, of)
    if not found:
        return f"below {percent(high)}"
    return f"above {percent(low)}" if found == of else f"{percent(low)[:-2]} to {percent(high)}"


def value_words(value: float | None, unit: str, *, sign: bool = False) -> str:
    """A value of a measure, to three figures."""
    if value is None:
        return NOT_TOLD
    lead = "+" if sign and value > 0 else ""
    if unit == "share":
        return lead + percent(value) if value >= 0 else f"-{percent(-value)}"
    if unit == "count":
        whole = round(value)
        is_whole = abs(value - whole) <= ACCURACY * max(1, abs(whole))
        return f"{lead}{whole:,}" if is_whole else f"{lead}{value:.3g}"
    return lead + duration(_rounded(value))


def _rounded(value: float) -> int:
    if not value or abs(value) >= 100e9:  # whole seconds from 100 s on
        return round(value / 1e9) * 1_000_000_000
    size = 10.0 ** (math.floor(math.log10(abs(value))) - _FIGURES + 1)
    return round(round(value / size) * size)


def duration_buckets() -> tuple[str, ...]:
    """The names of the buckets of the lengths of sessions."""
    names = [f"below {duration(DURATIONS_NS[0])}"]
    names += [f"{duration(low)} to {duration(high)}" for low, high in pairwise(DURATIONS_NS)]
    return (*names, f"{duration(DURATIONS_NS[-1])} and more")


def histogram(sketch: Sketch, most: int = 24) -> list[tuple[float, float, int]]:
    """From, to and count of at most so many bins: of equal ratio where the values span much, else of equal width. None
    is narrower than the sketch can tell values apart."""
    low, high = sketch.minimum, sketch.maximum
    if low is None or high is None:
        return []
    if low == high:
        return [(low, high, sketch.count)]
    if low > 0:
        most = max(1, min(most, int(math.log(high / low) / (3 * ACCURACY))))
    is_wide = low > 0 and high / low > 8
    edges = [
        low * (high / low) ** (place / most) if is_wide else low + (high - low) * place / most
        for place in range(most + 1)
    ]
    counts = [0] * most
    for value, number in sketch.buckets():
        counts[_place(edges, value)] += number
    return [(edges[place], edges[place + 1], counts[place]) for place in range(most)]


def _place(edges: Sequence[float], value: float) -> int:
    for place in range(len(edges) - 2):
        if value < edges[place + 1]:
            return place
    return len(edges) - 2
