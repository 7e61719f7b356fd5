"""Violations as they are found -> groups of findings. Owns what is kept of how many; makes no words itself.

All are counted, few are kept, so that memory does not grow with them: of each group the first by place, and of each
kind (a fingerprint) the first one. Where a group has too many kinds, those with the least fingerprints are kept: of
these no one is ever missed, whatever comes in which order, and the same ones are kept of another log.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from lifespec.diagnostics import Severity
from lifespec.distinct_count import NONE, Distinct, DistinctCount
from lifespec.explain import Explained, Explainer, violation_severity
from lifespec.reports.fingerprint import fingerprint_of
from lifespec.reports.report import Group, Kind
from lifespec.trace.count import NameCounts
from lifespec.verdict import Place, Property, Violation

MOST_KINDS = 100  # kept of a group
_LINES = 5  # of a group that are given their line where all are kept: a line takes long to find
_MOST_SESSIONS = 4096  # of a group that are counted exactly, and twice that
_MOST_SESSIONS_IN_ALL = 65_536
_MOST_IN_LOGS = 1000  # findings that are kept for being the first of their group in a log

_Rank = tuple[int, int, int, int, int]  # log, line, byte, item, number


@dataclass(order=True, slots=True)
class _Kept:
    rank: _Rank
    violation: Violation = field(compare=False)


@dataclass(slots=True)
class _Kind:
    first: _Kept
    count: int = 0
    severities: set[Severity] = field(default_factory=set)


class _Group:
    """The findings of one name and property."""

    def __init__(self, name: str, prop: Property | None, most: int | None) -> None:
        self.name = name
        self.property = prop
        self.severities: dict[Severity, int] = {}
        self.first: list[_Kept] = []  # by place; one at least
        self._most = most if most is None else max(most, 1)

    def add(self, kept: _Kept, severity: Severity) -> None:
        self.severities[severity] = self.severities.get(severity, 0) + 1
        if self._most is None or len(self.first) < self._most:
            insort(self.first, kept)
        elif kept < self.first[-1]:
            self.first.pop()
            insort(self.first, kept)


class _WholeGroup(_Group):
    """The same in all logs, with what only the whole report says."""

    def __init__(self, name: str, prop: Property | None, most: int | None) -> None:
        super().__init__(name, prop, most)
        self.kinds: dict[str, _Kind] = {}
        self.kinds_found = DistinctCount(_MOST_SESSIONS)
        self.sessions = DistinctCount(_MOST_SESSIONS)
        self._greatest = ""  # of the fingerprints that are kept, when there are as many as may be

    def add_kind(self, kept: _Kept, severity: Severity) -> None:
        fingerprint = fingerprint_of(kept.violation)
        kind = self.kinds.get(fingerprint)
        if kind is None:
            self.kinds_found.add(fingerprint)
            if self._greatest and fingerprint > self._greatest:
                return
            kind = self.kinds[fingerprint] = _Kind(kept)
            if len(self.kinds) > MOST_KINDS:
                del self.kinds[max(self.kinds)]
            if len(self.kinds) == MOST_KINDS:
                self._greatest = max(self.kinds)
        kind.count += 1
        kind.severities.add(severity)
        kind.first = min(kind.first, kept)


class Findings:
    """Gathers what is found in the logs of one check, in the order of detection.

    `most` examples are kept of each group (None: all). `each` is told every finding as it is found, in words without
    its line; `gather` is told the places of which lines will be wanted.
    """

    def __init__(
        self,
        explainer: Explainer,
        log_names: Sequence[str],
        most: int | None,
        each: Callable[[Explained], None] | None = None,
        gather: Callable[[Iterable[Place]], None] | None = None,
    ) -> None:
        self.count = 0
        self.unknown = NameCounts()  # names of events that nobody knows
        self._explainer = explainer
        self._ranks = {name: rank for rank, name in enumerate(log_names)}
        self._is_joined = False
        self._most = most
        self._each = each
        self._gather = gather
        self._groups: dict[tuple[str, Property | None], _WholeGroup] = {}
        self._in_logs: dict[tuple[str, Property | None], _Group] = {}  # in the logs that are read now
        self._room = _MOST_IN_LOGS
        self._sessions = DistinctCount(_MOST_SESSIONS_IN_ALL)

    def begin(self, *, is_joined: bool) -> None:
        """What comes now is of another log, or of several that are joined: a session is one in all of them."""
        self._in_logs = {}
        self._is_joined = is_joined

    def take(self, violations: Iterable[Violation]) -> None:
        """Count them, and keep those that are to be kept."""
        for violation in violations:
            self._take(self._explainer.shown(violation))

    def _take(self, violation: Violation) -> None:
        self.count += 1
        place, key, severity = violation.place, (violation.name, violation.property), violation_severity(violation)
        rank = self._ranks.get(place.log, len(self._ranks))
        kept = _Kept((rank, place.line, place.offset, place.item, self.count), violation)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = _WholeGroup(*key, self._most)
        group.add(kept, severity)
        group.add_kind(kept, severity)
        here = self._in_logs.get(key)
        if here is None:
            here = self._in_logs[key] = _Group(*key, 1)
        here.add(kept, severity)
        if violation.session:
            session = f"{'' if self._is_joined else rank}\n{violation.session}"
            group.sessions.add(session)
            self._sessions.add(session)
        if violation.name == "unknown-event":
            self.unknown.add(violation.found or "")
        if self._each is not None:
            self._each(self._explainer.explain(violation, with_line=False, number=self.count))

    def was_found(self, name: str) -> bool:
        """Whether there is such a finding in the logs that are read now."""
        return any(each == name for each, _ in self._in_logs)

    @property
    def names(self) -> Counter[str]:
        """How many findings there are of each name."""
        names: Counter[str] = Counter()
        for (name, _), group in self._groups.items():
            names[name] += sum(group.severities.values())
        return names

    def in_logs(self) -> tuple[Group, ...]:
        """The groups of what was found since `begin`, with one example at most."""
        groups = []
        for group in sorted(self._in_logs.values(), key=lambda group: group.first[0]):
            self._room -= 1
            groups.append(self._group(group, 1 if self._room >= 0 else 0, with_line=False))
        return tuple(groups)

    def groups(self) -> tuple[Group, ...]:
        """The groups of all that was found."""
        if self._gather is not None:
            self._gather(
                kept.violation.place for group in self._groups.values() for kept in group.first[: self._most or _LINES]
            )
        return tuple(
            self._group(group, self._most, with_line=True)
            for group in sorted(self._groups.values(), key=lambda group: group.first[0])
        )

    @property
    def sessions(self) -> Distinct:
        """In how many sessions something was found."""
        return self._sessions.distinct

    def _group(self, group: _Group, most: int | None, *, with_line: bool) -> Group:
        whole = group if isinstance(group, _WholeGroup) else None
        return Group(
            name=group.name,
            property=group.property,
            count=sum(group.severities.values()),
            severity=next(each for each in Severity if each in group.severities),
            severities={each: group.severities[each] for each in Severity if each in group.severities},
            sessions=whole.sessions.distinct if whole else NONE,
            examples=tuple(
                self._explained(kept, with_line=with_line and (most is not None or index < _LINES))
                for index, kept in enumerate(group.first[:most])
            ),
            kinds=self._kinds(whole.kinds) if whole else (),
            kinds_found=whole.kinds_found.distinct if whole else NONE,
        )

    def _kinds(self, kinds: dict[str, _Kind]) -> tuple[Kind, ...]:
        return tuple(
            Kind(
                fingerprint,
                next(each for each in Severity if each in kind.severities),
                kind.count,
                self._explained(kind.first, with_line=False),
            )
            for fingerprint, kind in sorted(kinds.items(), key=lambda pair: pair[1].first)
        )

    def _explained(self, kept: _Kept, *, with_line: bool) -> Explained:
        return self._explainer.explain(kept.violation, with_line=with_line, number=kept.rank[-1])
