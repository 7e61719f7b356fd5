"""One record of a log -> the events that the binding makes of it. Owns the order of work; reads no bytes.

The order is (spec/bindings.md B15): event name and its `rename`; session; time; `ignore` with names or a
condition; the `on` clauses; the record's own name; `ignore any`. A record passed over moves no clock and has
no findings, but the one that a time `since previous` cannot be counted on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from lifespec.model.value import LogValue
from lifespec.trace.compiled import Clause, CompiledBinding, Emission, Ignoring
from lifespec.trace.count import Allowed, Counts
from lifespec.trace.event import Event, Place, Record
from lifespec.trace.near import find_near
from lifespec.trace.parts import Parts, Work
from lifespec.trace.scope import Scope, Unreadable
from lifespec.trace.template import Template
from lifespec.verdict import Violation

_MOST_SLIPS = 100
_MOST_CHOSEN = 1000

# The clauses that look at a name, with what a pattern took out of it; and whether one names it.
_Chosen = tuple[tuple[tuple[Clause, Mapping[str, str]], ...], bool]


class Clocks(Protocol):
    """The latest time of each session that had a record; None when it had no time yet."""

    def __contains__(self, session: str, /) -> bool: ...
    def __getitem__(self, session: str, /) -> int | None: ...
    def __setitem__(self, session: str, ns: int | None, /) -> None: ...


class Translator:
    """Translates the records of one log in their order. Findings and records gather in `out`."""

    def __init__(self, compiled: CompiledBinding, file_name: str, file_path: str, counts: Counts) -> None:
        self.out: list[Record | Violation] = []
        self._compiled = compiled
        self._file_name = file_name
        self._file_path = file_path
        self._counts = counts
        self._parts = Parts(compiled)
        self._slips: list[Violation] = []
        self._chosen: dict[str | None, _Chosen] = {}
        self.clocks: Clocks = {}  # the latest time of each session
        self._passed_ns: dict[str, int] = {}  # the latest that later differences of time count on, passed over
        self.last_ns: int | None = None  # of the last record not passed over
        for name, why in compiled.allowed.items():
            counts.allowed[name] = Allowed(why)

    def add(self, violation: Violation) -> None:
        """A finding, counted; it stays a count when the binding allows it."""
        allowed = self._counts.allowed.get(violation.name)
        if allowed is not None:
            allowed.count += 1
            return
        self._counts.findings[violation.name] = self._counts.findings.get(violation.name, 0) + 1
        self.out.append(violation)

    def finish(self) -> None:
        """B19: findings that only the end of the log allows: a name is a slip if the one it is near never came."""
        renames = self._compiled.renames.get("event")
        for slip in self._slips:
            near = slip.expected[0]
            came = near if renames is None else renames.of_name(near)
            if near not in self._counts.occurred.names and came not in self._counts.occurred.names:
                self.add(slip)
        self._slips.clear()

    # --- one record ------------------------------------------------------------------------------

    def translate(self, value: LogValue, header: LogValue, place: Place) -> None:
        """Adds the findings of one record and then the Record, if it is not passed over."""
        compiled, counts, parts = self._compiled, self._counts, self._parts
        work = Work(Scope(value, header, self._file_name, self._file_path, parts.previous_ns), place)
        work.name = parts.name(compiled.event, work)
        work.session = parts.name(compiled.session, work)
        unreadable_time = parts.time(work)
        work.machine = parts.name(compiled.machine, work)
        counts.occurred.add(work.name or "")
        decided = None if self._is_ignored(work) else self._decide(work)
        if decided is None:
            counts.passed_over.add(work.name or "")
            parts.skip(work)
            if compiled.counts_from_previous:
                if unreadable_time is not None:
                    self._unreadable("unreadable-time", "time", unreadable_time, work)
                elif work.session is not None and work.time_ns is not None:
                    passed = self._passed_ns.get(work.session, work.time_ns)
                    self._passed_ns[work.session] = max(passed, work.time_ns)
            return
        events, ends = decided
        for part, unreadable in work.problems.items():
            self._unreadable("unreadable-value", part, unreadable, work)
        if work.session is None and events and "session" not in work.problems:
            self._add("missing-session", work, events)
        if compiled.time is not None:
            if unreadable_time is not None:
                self._unreadable("unreadable-time", "time", unreadable_time, work)
            elif work.time_ns is None and events:
                self._add("missing-time", work, events)
        self._move_clock(work)
        for event in events:
            if event.name is not None and event.name in compiled.client.lacking_events:
                self._add("lacking-event-seen", work, (event,))
        counts.events += len(events)
        body: LogValue = value if isinstance(value, dict | list) else {"record": value}
        self.out.append(Record(place, work.session, work.time_ns, events, body, ends))

    def _add(self, name: str, work: Work, events: tuple[Event, ...]) -> None:
        event = next((each.name for each in events if each.name is not None), work.name)
        self.add(Violation(name, None, work.session or "", work.place, event=event, machine=work.machine))

    def _unreadable(self, name: str, part: str, what: Unreadable, work: Work) -> None:
        self.add(
            Violation(
                name,
                None,
                work.session or "",
                work.place,
                event=work.name,
                field=part,
                found=what.found,
                expected=what.expected,
            )
        )

    def _move_clock(self, work: Work) -> None:
        """B22, B23: counts the session, gives a record without a time the one before, finds time that goes back."""
        session, now = work.session, work.time_ns
        before = None
        if session is not None:
            if session in self.clocks:
                before = self.clocks[session]
            else:
                self._counts.sessions += 1
                self.clocks[session] = before = now
        if now is None:
            work.time_ns = before if before is not None else self.last_ns
            self.last_ns = work.time_ns
            return
        passed = None if session is None else self._passed_ns.pop(session, None)
        latest = before if passed is None or before is None else max(passed, before)
        if before is not None and latest is not None and now < latest:
            jump = latest - now
            self._counts.greatest_reversal_ns = max(self._counts.greatest_reversal_ns, jump)
            self.add(Violation("time-reversed", None, session or "", work.place, event=work.name, elapsed_ns=jump))
        if session is not None and (before is None or now >= before):
            self.clocks[session] = now
        self.last_ns = now

    # --- deciding --------------------------------------------------------------------------------

    def _is_ignored(self, work: Work) -> bool:
        """B15, B20: whether an `ignore` with names, machines or a condition alone passes over the record."""
        return any(
            _looks_at(ignoring, work) and (ignoring.where is None or ignoring.where(work.scope))
            for ignoring in self._compiled.ignoring
        )

    def _decide(self, work: Work) -> tuple[tuple[Event, ...], bool] | None:
        """B16 to B19: the events of a record and whether it ends its session; None when it is passed over."""
        clauses, is_named = self._choose(work.name)
        made: list[Event] = []
        ends = is_translated = False
        for clause, holes in clauses:
            work.scope.holes = holes
            if clause.where is not None and not clause.where(work.scope):
                continue
            ends = ends or clause.ends_session
            for emission in clause.emissions:
                is_translated = True
                event = self._emit(emission, work)
                if event is not None:
                    made.append(event)
        work.scope.holes = {}
        if is_translated:
            kept = tuple(event for event in made if self._is_known(event) or not self._is_rest(event.name, work))
            if made and not kept and not ends:
                return None
            if made and not kept:  # it ends the session, and says nothing else that is known
                self._counts.passed_over.add(work.name or "")
            elif len(kept) < len(made):
                self._count_dropped(made, kept)
            return kept, ends
        own = self._own(work)
        if own is None:
            return None if self._is_rest(None, work) and not ends else ((), ends)
        if self._is_known(own):
            return (own,), ends
        is_rest = not is_named and self._is_rest(own.name, work)
        if is_rest and ends:
            self._counts.passed_over.add(work.name or "")
        if is_named or is_rest:
            return ((), True) if ends else None
        return (own,), ends

    def _count_dropped(self, made: list[Event], kept: tuple[Event, ...]) -> None:
        """Of a record that is not passed over, the events that `ignore any` takes: counted by their own names."""
        kept_ids = {id(event) for event in kept}
        for event in made:
            if id(event) not in kept_ids:
                self._counts.passed_over.add(event.name or "")

    def _is_known(self, event: Event) -> bool:
        """Whether the event says something that the lifecycle can judge: its name, or a state."""
        return event.name in self._compiled.known_events or event.target is not None

    def _choose(self, name: str | None) -> _Chosen:
        chosen = self._chosen.get(name)
        if chosen is None:
            chosen = _clauses_for(name, self._compiled.clauses)
            if len(self._chosen) < _MOST_CHOSEN:
                self._chosen[name] = chosen
        return chosen

    def _is_rest(self, name: str | None, work: Work) -> bool:
        """B19: whether an `ignore any` passes over what is called `name`."""
        for rest in self._compiled.ignoring_rest:
            is_excepted = name is not None and (name in rest.excepted or _fits(name, rest.excepted_patterns))
            if not is_excepted and (rest.where is None or rest.where(work.scope)):
                self._look_for_slip(name, work)
                return True
        return False

    def _look_for_slip(self, name: str | None, work: Work) -> None:
        """Keeps the first record of each name that `ignore any` passes over and that is nearly a known one."""
        passed_over = self._counts.passed_over
        if name is None or name in self._compiled.near_to or name in passed_over.names or passed_over.is_full:
            return
        near = find_near(name, self._compiled.near_to)
        if near is not None and len(self._slips) < _MOST_SLIPS:
            self._slips.append(
                Violation("near-name", None, work.session or "", work.place, event=name, found=name, expected=(near,))
            )

    # --- events ----------------------------------------------------------------------------------

    def _own(self, work: Work) -> Event | None:
        """B18: the record as an event under its own name; None when it has neither a name nor a state to enter."""
        source, target = self._parts.states(work)
        if work.name is None and target is None:
            return None
        owner = self._parts.name(self._compiled.owner, work)
        return Event(work.name, work.machine, source, target, False, owner, self._parts.fields(work))

    def _emit(self, emission: Emission, work: Work) -> Event | None:
        """B17: one event; None when what it should be called, or the state it should enter, is not there.

        What the clause does not say is the record's; but its states are those of its own machine.
        """
        parts = self._parts
        name = work.name if emission.own_name else None
        if emission.event is not None:
            name = parts.event(emission.event, work)
            if name is None:
                return None
        machine = work.machine if emission.machine is None else emission.machine
        source, target = parts.states(work) if work.machine in (None, machine) else (None, None)
        if emission.source is not None:
            renames = emission.renames_source
            source = parts.state("from", emission.source, machine, work, renames=renames, owed=False)
        if emission.target is not None:
            renames = emission.renames_target
            target = parts.state("to", emission.target, machine, work, renames=renames, owed=name is None)
        if name is None and target is None:
            return None
        if emission.owner is None:
            owner = parts.name(self._compiled.owner, work)
        else:
            owner = parts.owner(emission.owner, emission.renames_owner, work)
        fields = parts.fields(work)
        if emission.fields:
            fields = dict(fields)
            for field, get, renames in emission.fields:
                parts.set_field(fields, field, get(work.scope), work, renames=renames)
        return Event(name, machine, source, target, emission.status, owner, fields)


def _looks_at(ignoring: Ignoring, work: Work) -> bool:
    if ignoring.exact is not None:
        return work.name is not None and (work.name in ignoring.exact or _fits(work.name, ignoring.patterns))
    return not ignoring.machines or work.machine in ignoring.machines


def _clauses_for(name: str | None, clauses: tuple[Clause, ...]) -> _Chosen:
    """B16: the clauses that look at a name: an exact name shuts out patterns, the first fitting pattern others."""
    is_exact = name is not None and any(name in clause.exact for clause in clauses)
    chosen: str | None = None
    found: list[tuple[Clause, Mapping[str, str]]] = []
    for clause in clauses:
        if clause.every or (is_exact and name in clause.exact):
            found.append((clause, {}))
        elif name is not None and not is_exact:
            for pattern in clause.patterns:
                taken = pattern.take(name) if chosen in (None, pattern.text) else None
                if taken is not None:
                    chosen = pattern.text
                    found.append((clause, taken))
                    break
    return tuple(found), is_exact or chosen is not None


def _fits(name: str, patterns: tuple[Template, ...]) -> bool:
    return any(pattern.take(name) is not None for pattern in patterns)
