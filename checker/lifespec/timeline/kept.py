"""What is kept of a session while its log is read. Owns what is left out: of a long session the records farthest from
what was found, and the stays between them. Memory is bounded by the limits, however long a session is."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lifespec.engine.monitor_follow import Cause, Change, InstanceName, Taken
from lifespec.explain import Explained
from lifespec.verdict import Place


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a session is shown at most."""

    records: int = 200
    lanes: int = 40
    flags: int = 100


@dataclass(slots=True)
class Stay:
    """Where an instance was from the change `began` on, known at the record `first` on the line `line`; until `end`
    (ns) at the record `last`, None while it lasts."""

    began: Change
    first: int
    line: int
    end: int | None = None
    last: int | None = None

    def is_near(self, numbers: Sequence[int]) -> bool:
        """Whether it lasts, or one of the records (in order) is in it."""
        at = bisect_left(numbers, self.first)
        return self.last is None or (at < len(numbers) and numbers[at] <= self.last)


@dataclass(slots=True)
class KeptRecord:
    """A record and what took its events. `text` is itself where it cannot be read again by its place."""

    number: int
    place: Place
    time_ns: int | None
    events: tuple[Taken, ...]
    text: str | None


@dataclass(slots=True)
class Found:
    """A finding, at the instant when it became one (None: not known), while the record `number` was read."""

    number: int
    time_ns: int | None
    finding: Explained


@dataclass(slots=True)
class KeptSession:
    """One session. `interest` has the lines that matter, in order, by log."""

    log: str
    interest: Mapping[str, Sequence[int]]
    limits: Limits
    records: int = 0
    clock: str | None = None  # of the first record
    has_several_clocks: bool = False
    begin: int | None = None  # ns
    end: int | None = None
    stays: dict[InstanceName, list[Stay]] = field(default_factory=dict)
    found: list[Found] = field(default_factory=list)
    _heap: list[tuple[int, int, KeptRecord]] = field(default_factory=list)  # the least interesting first
    _stay_count: int = 0

    def kept(self) -> list[KeptRecord]:
        """The records that are shown, in order."""
        return sorted((each for _, _, each in self._heap), key=lambda each: each.number)

    def keep(self, record: KeptRecord, clock: str = "") -> None:
        """The next record, by this clock; the one that is farthest from what matters goes when there are too many."""
        self.clock = clock if self.clock is None else self.clock
        self.has_several_clocks = self.has_several_clocks or clock != self.clock
        self.records += 1
        if record.time_ns is not None:
            self.begin = record.time_ns if self.begin is None else self.begin
            self.end = record.time_ns
        put = heapq.heappush if len(self._heap) < self.limits.records else heapq.heappushpop
        put(self._heap, (-self._distance(record.place), -record.number, record))

    def change(self, change: Change, line: int) -> None:
        """An instance has moved while the record on `line` was read."""
        stays = self.stays.setdefault(change.instance, [])
        if stays:
            if change.cause in (Cause.UNSEEN, Cause.BEGAN) and change.states == stays[-1].began.states:
                return
            stays[-1].end, stays[-1].last = change.time_ns, self.records
        stays.append(Stay(change, self.records, line))
        self._stay_count += 1
        if self._stay_count > 8 * self.limits.records + 2 * len(self.stays):
            self._forget_stays()

    def _forget_stays(self) -> None:
        """A stay that is over and holds no kept record never will, for no record comes back."""
        numbers = [each.number for each in self.kept()]
        for name, stays in self.stays.items():
            self.stays[name] = [stay for stay in stays if stay.is_near(numbers)]
        self._stay_count = sum(map(len, self.stays.values()))

    def _distance(self, place: Place) -> int:
        """How many lines a record is from the nearest one that matters; where none does, the first ones matter."""
        lines = self.interest.get(place.log, ())
        at = bisect_left(lines, place.line)
        return min((abs(line - place.line) for line in lines[max(0, at - 1) : at + 1]), default=place.line)
