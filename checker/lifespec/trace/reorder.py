"""Records out of order -> by time, within a stated lateness (spec/bindings.md B37). Owns what is held back.

The records of one clock change places among themselves only: where a record of another clock stood, one of that clock
stands afterwards. What is held is bounded, whatever the times say.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

MOST_HELD = 100_000

T = TypeVar("T")


class _Clock(Generic[T]):
    def __init__(self) -> None:
        self.held: list[tuple[int, int, T]] = []
        self.latest: int | None = None
        self.released: int | None = None  # the time of the last record that was given on


class Reorder(Generic[T]):
    """Holds records until none with an earlier time can be in time any more."""

    def __init__(self, lateness_ns: int) -> None:
        self._lateness_ns = lateness_ns
        self._clocks: dict[str, _Clock[T]] = {}
        self._places: deque[_Clock[T]] = deque()  # whose record stands next
        self._number = 0
        self._last_ns = 0

    def push(self, record: T, clock: str, time_ns: int | None) -> int | None:
        """Takes a record; one without a time keeps its place as well as it can. Returns how late it comes, None
        when it is in time."""
        of = self._clocks.setdefault(clock, _Clock())
        now = time_ns if time_ns is not None else of.latest if of.latest is not None else self._last_ns
        self._last_ns = now
        self._number += 1
        heapq.heappush(of.held, (now, self._number, record))
        self._places.append(of)
        of.latest = now if of.latest is None else max(of.latest, now)
        return of.released - now if of.released is not None and now < of.released else None

    def ready(self, *, all_of_them: bool = False) -> Iterator[T]:
        """The records that need not be held any longer, in their order."""
        while self._places:
            of = self._places[0]
            now, _, record = of.held[0]
            assert of.latest is not None
            if not all_of_them and now > of.latest - self._lateness_ns and len(self._places) <= MOST_HELD:
                return
            heapq.heappop(of.held)
            self._places.popleft()
            of.released = now if of.released is None else max(of.released, now)
            yield record
