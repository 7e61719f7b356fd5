"""Many values in little memory: a DDSketch, which answers quantiles within 1 % and can be merged without loss.

The sketch is that of the library `ddsketch`; what is added here are the questions that it does not answer: how many
values lie above another, what a histogram looks like, and when a quantile can be told at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ddsketch.ddsketch import BaseDDSketch
from ddsketch.mapping import LogarithmicMapping
from ddsketch.store import DenseStore

ACCURACY = 0.01  # relative: a quantile is off by at most this part of itself
_MOST = float(1 << 90)  # values beyond are kept as this one: no log is so long


class Sketch:
    """The distribution of some values. Memory grows with the orders of magnitude that they span, not with them."""

    __slots__ = ("_below", "_sketch", "_store", "maximum", "minimum")

    def __init__(self) -> None:
        self._store: Any = DenseStore()
        self._below: Any = DenseStore()  # values below 0, by their size
        self._sketch: Any = BaseDDSketch(LogarithmicMapping(ACCURACY), self._store, self._below, 0.0)
        self.minimum: float | None = None  # exact
        self.maximum: float | None = None

    @property
    def count(self) -> int:
        """How many values were added."""
        return int(self._sketch.count)

    @property
    def mean(self) -> float | None:
        """The mean of all values, exact; None when there are none."""
        return self._sketch.avg if self.count else None

    def add(self, value: int | float) -> None:
        """Add a value."""
        value = float(max(-_MOST, min(value, _MOST)))
        self._sketch.add(value)
        self.minimum = value if self.minimum is None else min(value, self.minimum)
        self.maximum = value if self.maximum is None else max(value, self.maximum)

    def merge(self, other: Sketch) -> None:
        """Add all values of another sketch."""
        if other.minimum is None or other.maximum is None:
            return
        self._sketch.merge(other._sketch)
        self.minimum = other.minimum if self.minimum is None else min(other.minimum, self.minimum)
        self.maximum = other.maximum if self.maximum is None else max(other.maximum, self.maximum)

    def quantile(self, share: float) -> float | None:
        """The value below which this share (0 to 1) of the values lies; None when there are none."""
        if self.minimum is None or self.maximum is None:
            return None
        found = float(self._sketch.get_quantile_value(share))
        return max(self.minimum, min(found, self.maximum))

    def at_rank(self, rank: int) -> float | None:
        """The value of this rank, from 1; None where there is none."""
        if not 1 <= rank <= self.count:
            return None
        return self.quantile((rank - 1) / (self.count - 1) if self.count > 1 else 0.0)

    def buckets(self) -> Iterator[tuple[float, int]]:
        """Value and count of each bucket that holds something, from the lowest value."""
        value = LogarithmicMapping(ACCURACY).value
        for place in range(len(self._below.bins) - 1, -1, -1):
            if self._below.bins[place]:
                yield -value(place + self._below.offset), int(self._below.bins[place])
        zeros = self.count - int(self._store.count) - int(self._below.count)
        if zeros:
            yield 0.0, zeros
        for place, number in enumerate(self._store.bins):
            if number:
                yield value(place + self._store.offset), int(number)

    def above(self, limit: float) -> int:
        """How many values lie in buckets above the one that `limit` lies in."""
        edge = limit + abs(limit) * 1.5 * ACCURACY  # values of neighbouring buckets differ by 2 %
        return sum(number for value, number in self.buckets() if value > edge)

    def below(self, limit: float) -> int:
        """How many values lie in buckets below the one that `limit` lies in."""
        edge = limit - abs(limit) * 1.5 * ACCURACY
        return sum(number for value, number in self.buckets() if value < edge)
