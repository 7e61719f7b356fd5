"""What every engine answers: outcomes, violations, counts. Owns the shape only; carries no words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from lifespec.source import Span

_K = TypeVar("_K", bound=Hashable)


class Outcome(StrEnum):
    """Of one property: over one session, or over all."""

    SATISFIED = "satisfied"
    VIOLATED = "violated"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True, order=True)
class Property:
    """One checkable statement of a spec.

    `kind` is "transitions" (of machine `name`), "bound" (of state `state` of machine `name`), "rule",
    "field" (a declared field), "event" (what an `event` declaration requires) or "forbid".
    """

    kind: str
    name: str
    state: str = ""

    def __str__(self) -> str:
        if self.kind == "bound":
            return f"bound {self.name}.{self.state}"
        return f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a record stands: the log as people know it, its line from 1, the byte where the line
    begins (-1 when it cannot be read again), and which item of a document or a batch it is, from 1 (0: it is all of
    what stands there)."""

    log: str
    line: int
    offset: int = -1
    item: int = 0


@dataclass(frozen=True, slots=True)
class Witness:
    """A record that shows the violation, and its part in it.

    `role` is "began" (an instance, in `state`), "entered" (`state`, on `event`), "entered by the clock" (`state`, some
    time behind the record, which was the last to move the instance), "counted" (the same, of an
    instance that a count counted or of the first event that a limit did), "remembered" (`state` holds the dotted name,
    `value` what was read, ns for times), "last sign of life", "after the deadline" or "end of the log". `machine` is
    whose `state` it is, where it is a state.
    """

    place: Place
    role: str
    event: str | None = None
    state: str | None = None
    value: int | float | str | bool | None = None
    machine: str | None = None


@dataclass(frozen=True, slots=True)
class Violation:
    """A finding in a log: mostly a property broken at a record. The words are made by `explain`.

    `property` is None for what belongs to no property: findings of the reader and of the vocabulary
    (`unknown-event`, `malformed-record`, ...). `session` is "" where there is none.

    `states` are the states the instance may have been in before the step (one nearly always), `target`
    the state that the record claims or would have entered. `expected` and `found` are the two sides of
    whatever was compared (allowed owners and the one found, allowed values, ...); `found` is never set
    for a forbidden value. `wrote` are values that a condition read and that the record itself had just remembered,
    in the form of witnesses; it is no witness of its own finding (S57). `span` is the place in the spec of what was
    broken. `deadline_ns` and `elapsed_ns` are lengths of time.
    """

    name: str  # the finding's name
    property: Property | None
    session: str
    place: Place
    span: Span | None = None
    machine: str | None = None
    key: tuple[str, ...] = ()
    event: str | None = None
    states: tuple[str, ...] = ()
    source: str | None = None  # `from` of the record
    target: str | None = None
    owner: str | None = None
    field: str | None = None  # field name, or the path of a forbidden value
    expected: tuple[str, ...] = ()
    found: str | None = None
    text: str | None = None  # the requirement, rule part or bound as written
    doc: str | None = None
    deadline_ns: int | None = None
    elapsed_ns: int | None = None
    count: int | None = None
    witnesses: tuple[Witness, ...] = ()
    wrote: tuple[Witness, ...] = ()
    severity: str | None = None  # where it is another than the table of names gives


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a property came out how, in sessions; `armed` and `not_judged` count single judgements."""

    satisfied: int = 0
    violated: int = 0
    inconclusive: int = 0
    not_applicable: int = 0
    armed: int = 0
    not_judged: int = 0

    @property
    def outcome(self) -> Outcome:
        """Over all sessions: the worst that came out. Nothing at all is inconclusive."""
        if self.violated:
            return Outcome.VIOLATED
        if self.inconclusive:
            return Outcome.INCONCLUSIVE
        if self.satisfied:
            return Outcome.SATISFIED
        return Outcome.NOT_APPLICABLE if self.not_applicable else Outcome.INCONCLUSIVE

    def plus(self, other: Tally, times: int = 1) -> Tally:
        """The sum with another one, or (`times` is -1) the difference."""
        return Tally(
            self.satisfied + times * other.satisfied,
            self.violated + times * other.violated,
            self.inconclusive + times * other.inconclusive,
            self.not_applicable + times * other.not_applicable,
            self.armed + times * other.armed,
            self.not_judged + times * other.not_judged,
        )


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often each part of the model was exercised. Keys: states (machine, state); transitions
    (machine, index, source, target); owners by name; reasons by value; events by name. `perhaps` are transitions that
    were not certainly taken, of several states or moves that were possible (S49, S50)."""

    states: Mapping[tuple[str, str], int] = field(default_factory=dict)
    transitions: Mapping[tuple[str, int, str, str], int] = field(default_factory=dict)
    owners: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)
    events: Mapping[str, int] = field(default_factory=dict)
    perhaps: Mapping[tuple[str, int, str, str], int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer about one or more logs. `violations` are in the order of place, name, property, key; none where
    the engine was told to keep none. `strays` are broken by records without a session, and so are violated once more
    than there are sessions in which they are."""

    tallies: Mapping[Property, Tally]
    violations: tuple[Violation, ...]
    coverage: Coverage
    records: int  # that reached the engine
    events: int  # that at least one machine or rule took
    sessions: int
    complete_sessions: int
    sessions_by_outcome: Mapping[str, Mapping[Property, Outcome]] = field(default_factory=dict)
    strays: frozenset[Property] = frozenset()


def combined(parts: Sequence[Verdict], less: Sequence[Verdict] = ()) -> Verdict:
    """The verdict on one log out of those on parts of it, each with sessions of its own, but without the sessions that
    `less` are about.

    What is counted by session or by judgement is added up, for no session knows of another. A record without a session
    is held against its property once for the log, however many parts have one.
    """
    signed = [(each, 1) for each in parts] + [(each, -1) for each in less]
    tallies: dict[Property, Tally] = {}
    strays: Counter[Property] = Counter()
    for each, times in signed:
        for prop, tally in each.tallies.items():
            tallies[prop] = tallies.get(prop, Tally()).plus(tally, times)
        strays.update(each.strays)
    for prop, times in strays.items():
        tallies[prop] = tallies[prop].plus(Tally(violated=times - 1), -1)
    coverages = [(each.coverage, times) for each, times in signed]
    outcomes = {name: each for part in parts for name, each in part.sessions_by_outcome.items()}
    for part in less:
        for name in part.sessions_by_outcome:
            outcomes.pop(name, None)
    return Verdict(
        tallies,
        sort_violations(v for each in parts for v in each.violations),
        Coverage(
            _total((each.states, times) for each, times in coverages),
            _total((each.transitions, times) for each, times in coverages),
            _total((each.owners, times) for each, times in coverages),
            _total((each.reasons, times) for each, times in coverages),
            _total((each.events, times) for each, times in coverages),
            _total((each.perhaps, times) for each, times in coverages),
        ),
        sum(times * each.records for each, times in signed),
        sum(times * each.events for each, times in signed),
        sum(times * each.sessions for each, times in signed),
        sum(times * each.complete_sessions for each, times in signed),
        outcomes,
        frozenset(strays),
    )


def _total(counts: Iterable[tuple[Mapping[_K, int], int]]) -> dict[_K, int]:
    total: dict[_K, int] = {}
    for each, times in counts:
        for key, number in each.items():
            total[key] = total.get(key, 0) + times * number
    return {key: number for key, number in total.items() if number}


def sort_violations(violations: Iterable[Violation]) -> tuple[Violation, ...]:
    """In the order of reports: by place, name, property and key; equal ones as they were found (S58)."""

    def order(v: Violation) -> tuple[object, ...]:
        prop = (v.property.kind, v.property.name, v.property.state) if v.property is not None else ("", "", "")
        return (v.place.log, v.place.line, v.place.offset, v.place.item, v.name, *prop, v.session, v.key, v.field or "")

    return tuple(sorted(violations, key=order))
