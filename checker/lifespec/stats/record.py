"""What one session says, and the sum of many: plain values only. Owns the adding up; reads no log.

The unit is the session: whatever happens in one is not independent of what else happens in it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from msgspec import Struct, field

from lifespec.stats.sketch import Sketch

# What findings are counted by: the name and the property, as text ("" for none).
Group = tuple[str, str]
# Machine and state that was entered, and the reason that the record gave.
Reason = tuple[str, str, str]

OTHER = "(other)"
MOST_REASONS = 200  # told apart in a segment
_LISTED = 64  # values of a session that are kept as they are

_SECOND = 1_000_000_000
DURATIONS_NS = tuple(each * _SECOND for each in (1, 10, 60, 600, 3600, 6 * 3600))  # where a new bucket begins


class Values:
    """The values of one measure in one session: a list while they are few, a sketch from then on."""

    __slots__ = ("_few", "_many", "count", "total")

    def __init__(self, values: Sequence[int] = ()) -> None:
        self.count = 0
        self.total = 0
        self._few: list[int] = []
        self._many: Sketch | None = None
        for value in values:
            self.add(value)

    @property
    def mean(self) -> float:
        """What the session counts as, when sessions are compared."""
        return self.total / self.count

    def add(self, value: int) -> None:
        """One more value."""
        self.count += 1
        self.total += value
        if self._many is not None:
            self._many.add(value)
            return
        self._few.append(value)
        if len(self._few) > _LISTED:
            self._many = Sketch()
            self.pour(self._many)
            self._few = []

    def pour(self, sketch: Sketch) -> None:
        """Add all values to a sketch."""
        for value in self._few:
            sketch.add(value)
        if self._many is not None and self._many is not sketch:
            sketch.merge(self._many)


class SessionRecord(Struct):
    """What one session says. `values` is by the id of a measure. `open` counts stays that had not ended, by measure;
    `events` are the names that occurred. `is_again`: the session has been counted, and this came after its end."""

    findings: dict[Group, int] = field(default_factory=dict)
    values: dict[str, Values] = field(default_factory=dict)
    open: dict[str, int] = field(default_factory=dict)
    reasons: dict[Reason, int] = field(default_factory=dict)
    events: set[str] = field(default_factory=set)
    duration_ns: int | None = None
    is_again: bool = False
    known: frozenset[Group] = frozenset()  # findings that the session has been counted for

    def find(self, group: Group) -> None:
        """One more finding."""
        self.findings[group] = self.findings.get(group, 0) + 1

    def give(self, reason: Reason) -> None:
        """A state was entered, with this reason."""
        add_reason(self.reasons, reason, 1)

    def measure(self, measure: str, value: int) -> None:
        """One more value of a measure."""
        values = self.values.get(measure)
        if values is None:
            values = self.values[measure] = Values()
        values.add(value)


def add_reason(reasons: dict[Reason, int], reason: Reason, number: int) -> None:
    """Count a reason; when too many are told apart already a new one is OTHER."""
    if reason not in reasons and len(reasons) >= MOST_REASONS:
        reason = (reason[0], reason[1], OTHER)
    reasons[reason] = reasons.get(reason, 0) + number


class Found(Struct):
    """Of a group of findings: how many there are, and in how many sessions."""

    count: int = 0
    sessions: int = 0


class Distribution(Struct):
    """Of a measure: all its values, the mean of each session, and how many stays had not ended."""

    values: Sketch = field(default_factory=Sketch)
    means: Sketch = field(default_factory=Sketch)
    open: int = 0


class Summary(Struct):
    """The sum of sessions. `events` counts the sessions in which a name occurred; `durations` are those of
    sessions, by bucket of DURATIONS_NS: the number of sessions and of those with findings."""

    sessions: int = 0
    affected: int = 0  # sessions with a finding
    findings: dict[Group, Found] = field(default_factory=dict)
    measures: dict[str, Distribution] = field(default_factory=dict)
    reasons: dict[Reason, int] = field(default_factory=dict)
    events: dict[str, int] = field(default_factory=dict)
    durations: list[Found] = field(default_factory=lambda: [Found() for _ in range(len(DURATIONS_NS) + 1)])
    duration: Sketch = field(default_factory=Sketch)

    def add(self, record: SessionRecord) -> None:
        """Add one session."""
        if not record.is_again:
            self.sessions += 1
            self._add_duration(record)
        self.affected += bool(record.findings) and not record.known
        for group, count in record.findings.items():
            found = self.findings.get(group)
            if found is None:
                found = self.findings[group] = Found()
            found.count += count
            found.sessions += group not in record.known
        for measure, values in record.values.items():
            distribution = self._distribution(measure)
            values.pour(distribution.values)
            if not record.is_again:
                distribution.means.add(values.mean)
        for measure, number in record.open.items():
            self._distribution(measure).open += number
        for reason, number in record.reasons.items():
            add_reason(self.reasons, reason, number)
        if not record.is_again:
            for name in record.events:
                self.events[name] = self.events.get(name, 0) + 1

    def _add_duration(self, record: SessionRecord) -> None:
        if record.duration_ns is None:
            return
        bucket = self.durations[bisect_right(DURATIONS_NS, record.duration_ns)]
        bucket.count += 1
        bucket.sessions += bool(record.findings)
        self.duration.add(record.duration_ns)

    def _distribution(self, measure: str) -> Distribution:
        found = self.measures.get(measure)
        if found is None:
            found = self.measures[measure] = Distribution()
        return found
