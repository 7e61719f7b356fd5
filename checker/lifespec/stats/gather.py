"""From what a monitor sees to one record for each session. Owns when a measure begins and ends, and what a segment is.

Follows docs/explanation/statistics.md. Memory grows with the open sessions and the segments, never with the events;
of a session that is over a name and what it was counted for are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct, field

from lifespec.engine.monitor_state import Fields, length_between
from lifespec.engine.observed import Entered, ObservedMonitor, Part
from lifespec.model.model import Machine, Model, State, StateKind
from lifespec.stats.measure import Measure, Measures
from lifespec.stats.record import OTHER, Group, SessionRecord, Summary
from lifespec.stats.segment import NOT_SET, Dimension, Unknown, value_text
from lifespec.trace.event import Record
from lifespec.verdict import Verdict, Violation

MOST_SEGMENTS = 200
NO_REASON = "(none)"

Segment = tuple[str, ...]


class Tally(Struct):
    """The sums: over all sessions, by segment, and the findings that no session is said of. At most `most` segments
    are told apart, the first ones; further sessions are summed in one, all of whose values are OTHER."""

    most: int = MOST_SEGMENTS
    overall: Summary = field(default_factory=Summary)
    segments: dict[Segment, Summary] = field(default_factory=dict)
    strays: dict[Group, int] = field(default_factory=dict)
    crowded_out: int = 0  # sessions, or parts of them, in the segment of the others

    def segment(self, name: Segment) -> Summary:
        """The sum of a segment."""
        found = self.segments.get(name)
        if found is None:
            if len(self.segments) >= self.most:
                self.crowded_out += 1
                name = (OTHER,) * len(name)
            found = self.segments.setdefault(name, Summary())
        return found


class _Span(Struct):
    """What runs for one instance: since it left its initial state, and since it failed."""

    begin_ns: int | None = None
    reached: set[str] = field(default_factory=set)
    failed: tuple[str, int] | None = None


class _Open(Struct):
    """A session that is not over. `first` are the values of its segment that were set first, `now` those in force,
    `ahead` those from the next record on. `cells` has a record for each value of `now`."""

    first: list[str | None]
    now: list[str]
    ahead: list[str]
    whole: SessionRecord = field(default_factory=SessionRecord)
    cells: dict[Segment, SessionRecord] = field(default_factory=dict)
    spans: dict[int, _Span] = field(default_factory=dict)
    finals: set[str] = field(default_factory=set)
    first_final_ns: int | None = None
    is_clean: bool = False
    begin_ns: int | None = None
    end_ns: int | None = None


class _Counted(Struct, frozen=True):
    """What a session that is over was counted for: in which segment, with which findings, and with which of them under
    which values; `now` are those last in force."""

    first: Segment
    now: Segment
    known: frozenset[Group]
    cells: tuple[tuple[Segment, frozenset[Group]], ...]


class Gatherer:
    """The observer of one monitor. `by` sorts sessions by the first value, `current` their parts by the last one;
    `mask` hides what no report may show; `unknown` sees the fields of events."""

    def __init__(
        self,
        model: Model,
        measures: Measures,
        by: Sequence[Dimension],
        current: Sequence[Dimension],
        tally: Tally,
        mask: Callable[[str], str],
        events: frozenset[str],
        unknown: Unknown | None = None,
    ) -> None:
        self._machines = model.machines
        self._reason = model.fields.get("reason")
        self._measures = measures
        self._by = by
        self._current = current
        self._tally = tally
        self._mask = mask
        self._events = events
        self._unknown = unknown or Unknown(())
        self._ending = frozenset(m.name for m in model.machines.values() if not m.keys and m.finals)
        self._owing = {(m.name, s.name) for m in model.machines.values() for s in m.states.values() if _owes_reason(s)}
        self._open: dict[str, _Open] = {}
        self._over: dict[str, _Counted] = {}
        self._kinds: dict[_Counted, _Counted] = {}  # the same ones are kept once

    # --- the order of a log ----------------------------------------------------------------------------

    def take(self, record: Record, monitor: ObservedMonitor, position: int) -> None:
        """Judge one record, and gather what it shows."""
        name = record.session
        if name is None:
            self.find(monitor.feed_at(record, position))
            return
        session = self._session(name)
        session.now = list(session.ahead)
        self._read(session, record)
        self.find(monitor.feed_at(record, position))

    def see(self, session: str, event: str, time_ns: int, fields: Fields) -> None:
        """The lane judges a record; it does so only where nothing is sorted by values in force."""
        found = self._open.get(session) or self._session(session)
        self._read_time(found, time_ns)
        for place, dimension in enumerate(self._by):
            if found.first[place] is None:
                found.first[place] = value_text(fields.get(dimension.name), dimension.spec, self._mask)
        if event in self._events:
            found.whole.events.add(event)

    def over(self, session: str, stays: Sequence[tuple[str, str]], found: Sequence[Violation]) -> None:
        """A session was put away."""
        self.find(found)
        if session in self._open:
            self._close(session, stays)

    def find(self, violations: Iterable[Violation]) -> None:
        """Count findings."""
        for violation in violations:
            group = (violation.name, "" if violation.property is None else str(violation.property))
            if not violation.session:
                self._tally.strays[group] = self._tally.strays.get(group, 0) + 1
                continue
            for record in self._records(self._session(violation.session)):
                record.find(group)

    def finish(self, monitor: ObservedMonitor, *, complete: bool) -> Verdict:
        """The log is over: so are all its sessions. `complete` as for a check."""
        verdict = monitor.finish(complete=complete)
        found = monitor.drain()
        for session in {violation.session for violation in found if violation.session}:
            self._session(session).now = list(self._session(session).ahead)
        self.find(found)
        for name in list(self._open):
            self._close(name, list(monitor.open_stays(name)))
        return verdict

    # --- sessions --------------------------------------------------------------------------------------

    def _session(self, name: str) -> _Open:
        session = self._open.get(name)
        if session is None:
            counted = self._over.pop(name, None)
            if counted is None:
                now = [dimension.initial for dimension in self._current]
                session = _Open([None] * len(self._by), now, list(now))
            else:
                session = _Open(list(counted.first), list(counted.now), list(counted.now))
                session.whole = SessionRecord(is_again=True, known=counted.known)
                session.cells = {cell: SessionRecord(is_again=True, known=known) for cell, known in counted.cells}
            self._open[name] = session
        return session

    def _records(self, session: _Open) -> tuple[SessionRecord, ...]:
        """What the session says as a whole, and under the values in force."""
        if not self._current:
            return (session.whole,)
        now = tuple(session.now)
        if now not in session.cells and len(session.cells) >= self._tally.most:
            now = (OTHER,) * len(now)
        return session.whole, session.cells.setdefault(now, SessionRecord())

    def _read(self, session: _Open, record: Record) -> None:
        """The time, the events and the values of segments that a record says."""
        if record.time_ns is not None:
            self._read_time(session, record.time_ns)
        for event in record.events:
            self._unknown.look(event.fields)
            for place, dimension in enumerate(self._by):
                if session.first[place] is None:
                    session.first[place] = value_text(event.fields.get(dimension.name), dimension.spec, self._mask)
            for place, dimension in enumerate(self._current):
                value = None
                if dimension.machine is None:
                    value = value_text(event.fields.get(dimension.name), dimension.spec, self._mask)
                if value is not None:
                    session.ahead[place] = value
                    if session.now[place] == NOT_SET:
                        session.now[place] = value
        for each in self._records(session):
            each.events.update(event.name for event in record.events if event.name in self._events)

    @staticmethod
    def _read_time(session: _Open, time_ns: int) -> None:
        if session.begin_ns is None:
            session.begin_ns = time_ns
        if session.end_ns is None or time_ns > session.end_ns:
            session.end_ns = time_ns

    def _close(self, name: str, stays: Iterable[tuple[str, str]]) -> None:
        session = self._open.pop(name)
        whole = session.whole
        for at in stays:
            measure = self._measures.in_state.get(at)
            if measure is not None:
                for record in self._records(session):
                    record.open[measure.id] = record.open.get(measure.id, 0) + 1
        if session.begin_ns is not None and session.end_ns is not None:
            whole.duration_ns = session.end_ns - session.begin_ns
        self._tally.overall.add(whole)
        first = tuple(NOT_SET if value is None else value for value in session.first)
        if self._current:
            for now, record in session.cells.items():
                self._tally.segment((*first, *now)).add(record)
        elif self._by:
            self._tally.segment(first).add(whole)
        counted = _Counted(
            first,
            tuple(session.ahead),
            frozenset(whole.findings) | whole.known,
            tuple((now, frozenset(cell.findings) | cell.known) for now, cell in session.cells.items()),
        )
        self._over[name] = self._kinds.setdefault(counted, counted)

    # --- what the monitor sees ---------------------------------------------------------------------------

    def enter(self, session: str, entered: Entered) -> None:
        """An instance entered a state for certain."""
        found = self._session(session)
        machine = self._machines[entered.machine]
        measures = self._measures
        at = (entered.machine, entered.state)
        if entered.left is not None and entered.length_ns is not None:
            measure = measures.in_state.get((entered.machine, entered.left))
            self._measure(found, measure, entered.length_ns)
        span = found.spans.get(entered.order)
        if span is None:
            span = found.spans[entered.order] = _Span()
        if entered.at_ns is not None:
            self._reach(found, span, machine, entered, entered.at_ns)
            self._recover(found, span, machine, entered, entered.at_ns)
        if at in self._owing and entered.event is not None:
            reason = value_text(entered.reason, self._reason, self._mask) or NO_REASON
            for record in self._records(found):
                record.give((*at, reason))
        if machine.states[entered.state].kind is StateKind.FINAL:
            self._end(found, machine, entered)
        for place, dimension in enumerate(self._current):
            if dimension.machine == entered.machine:
                found.ahead[place] = dimension.of_state(entered.state)

    def _reach(self, session: _Open, span: _Span, machine: Machine, entered: Entered, at_ns: int) -> None:
        if span.begin_ns is None:
            if entered.left == machine.initial:
                span.begin_ns = at_ns
                span.reached.add(entered.state)
        elif entered.state not in span.reached:
            span.reached.add(entered.state)
            measure = self._measures.to_reach.get((machine.name, entered.state))
            self._measure(session, measure, length_between(span.begin_ns, at_ns))

    def _recover(self, session: _Open, span: _Span, machine: Machine, entered: Entered, at_ns: int) -> None:
        kind = machine.states[entered.state].kind
        if kind is StateKind.FAILURE:
            if span.failed is None:
                span.failed = (entered.state, at_ns)
            return
        if span.failed is not None and kind is not StateKind.FINAL:
            state, since_ns = span.failed
            self._measure(
                session, self._measures.to_recover.get((machine.name, state)), length_between(since_ns, at_ns)
            )
        span.failed = None

    def _end(self, session: _Open, machine: Machine, entered: Entered) -> None:
        """An instance is over; when it was the last that a session owes, the session is clean."""
        session.spans.pop(entered.order, None)
        if machine.name not in self._ending:
            return
        session.finals.add(machine.name)
        if entered.at_ns is None or session.is_clean:
            return
        if session.first_final_ns is None:
            session.first_final_ns = entered.at_ns
        if session.finals == self._ending:
            session.is_clean = True
            self._measure(session, self._measures.cleanup, length_between(session.first_final_ns, entered.at_ns))

    def doubt(self, session: str, order: int) -> None:
        """It is no longer certain where the instance is: what runs for it is not measured."""
        self._session(session).spans.pop(order, None)

    def sign(self, session: str, action: Part, gap_ns: int) -> None:
        """A sign of life came."""
        self._measure(self._session(session), self._measures.gaps.get(action), gap_ns)

    def count(self, session: str, action: Part, number: int) -> None:
        """A condition under which events are counted holds no longer."""
        self._measure(self._session(session), self._measures.attempts.get(action), number)

    def use(self, session: str, machine: str, left_ns: int) -> None:
        """An instance with an end was used."""
        self._measure(self._session(session), self._measures.life.get(machine), left_ns)

    def _measure(self, session: _Open, measure: Measure | None, value: int | None) -> None:
        if measure is not None and value is not None:
            for record in self._records(session):
                record.measure(measure.id, value)


def _owes_reason(state: State) -> bool:
    return state.kind is StateKind.FAILURE or "reason" in state.requires
