"""One record of a log -> the events that the binding makes of it. Owns the order of work; reads no bytes.

The order is: event name and its `rename`; session; time; `ignore` with names or a condition; the `on`
clauses; the record's own name; `ignore any`. A record passed over moves no clock and has no findings, but
the one that a time `since previous` cannot be counted on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lifespec.model.value import Instant, LogValue
from lifespec.trace.compiled import PARTS, Clause, CompiledBinding, Emission, Ignoring, Part
from lifespec.trace.count import Allowed, Counts
from lifespec.trace.event import Event, Place, Record
from lifespec.trace.lookup import as_name, as_object
from lifespec.trace.near import find_near
from lifespec.trace.rename import NO_RENAMES
from lifespec.trace.scope import Getter, Read, Scope, Unreadable
from lifespec.trace.template import Template
from lifespec.verdict import Violation

_MOST_SLIPS = 100


@dataclass(slots=True)
class _Record:
    """What is known of a record while it is worked on. `problems` are what was unreadable, by part."""

    scope: Scope
    place: Place
    name: str | None = None
    session: str | None = None
    machine: str | None = None
    time_ns: int | None = None
    fields: dict[str, LogValue] | None = None
    problems: dict[str, Unreadable] | None = None


class Translator:
    """Translates the records of one log in their order, counting into `counts`."""

    def __init__(self, compiled: CompiledBinding, file_name: str, file_path: str, counts: Counts) -> None:
        self._compiled = compiled
        self._file_name = file_name
        self._file_path = file_path
        self._counts = counts
        self._previous_ns: int | None = None
        self._previous: dict[str, Read] = {}
        self._slips: list[Violation] = []
        self._latest_ns: dict[str, int | None] = {}  # by session
        self._last_ns: int | None = None  # of the last record not passed over
        parts = (compiled.source, compiled.target, compiled.owner, *compiled.fields)
        self._repeating = tuple(part for part in parts if part is not None and part.repeats)
        for name, why in compiled.allowed.items():
            counts.allowed[name] = Allowed(why)

    # --- findings --------------------------------------------------------------------------------

    def finding(self, violation: Violation) -> Iterator[Violation]:
        """The finding, counted; nothing when the binding allows it."""
        allowed = self._counts.allowed.get(violation.name)
        if allowed is not None:
            allowed.count += 1
            return
        self._counts.findings[violation.name] = self._counts.findings.get(violation.name, 0) + 1
        yield violation

    # --- one record ------------------------------------------------------------------------------

    def translate(self, value: LogValue, header: LogValue, place: Place) -> Iterator[Record | Violation]:
        """The findings of one record and then the Record, if it is not passed over."""
        compiled, counts = self._compiled, self._counts
        record = _Record(Scope(value, header, self._file_name, self._file_path, self._previous_ns), place)
        record.name = self._name(compiled.event, record)
        record.session = self._name(compiled.session, record)
        unreadable_time = self._time(record)
        record.machine = self._name(compiled.machine, record)
        counts.occurred.add(record.name or "")
        if any(self._is_ignored(each, record) for each in compiled.ignoring):
            yield from self._pass_over(record, unreadable_time)
            return
        decided = self._decide(record)
        if decided is None:
            self._look_for_slip(record)
            yield from self._pass_over(record, unreadable_time)
            return
        events, ends = decided
        for part, unreadable in (record.problems or {}).items():
            yield from self._unreadable("unreadable-value", part, unreadable, record)
        if record.session is None and events:
            yield from self.finding(self._violation("missing-session", record, events))
        if compiled.time is not None:
            if unreadable_time is not None:
                yield from self._unreadable("unreadable-time", "time", unreadable_time, record)
            elif record.time_ns is None and events:
                yield from self.finding(self._violation("missing-time", record, events))
            yield from self._clock(record, events)
        for event in events:
            if event.name is not None and event.name in compiled.client.lacking_events:
                yield from self.finding(self._violation("lacking-event-seen", record, (event,)))
        counts.events += len(events)
        body = {"record": value} if type(value) is not dict and type(value) is not list else value
        yield Record(place, record.session, record.time_ns, events, body, ends)

    def _pass_over(self, record: _Record, unreadable_time: Unreadable | None) -> Iterator[Violation]:
        self._counts.passed_over.add(record.name or "")
        for part in self._repeating:
            self._read(part, record)
        if unreadable_time is not None and self._compiled.counts_from_previous:
            yield from self._unreadable("unreadable-time", "time", unreadable_time, record)

    def _violation(self, name: str, record: _Record, events: tuple[Event, ...]) -> Violation:
        event = next((each.name for each in events if each.name is not None), record.name)
        return Violation(name, None, record.session or "", record.place, event=event, machine=record.machine)

    def _unreadable(self, name: str, part: str, what: Unreadable, record: _Record) -> Iterator[Violation]:
        yield from self.finding(
            Violation(
                name,
                None,
                record.session or "",
                record.place,
                event=record.name,
                field=part,
                found=what.found,
                expected=(what.expected,),
            )
        )

    # --- parts -----------------------------------------------------------------------------------

    def _read(self, part: Part, record: _Record) -> Read:
        value = part.get(record.scope)
        if not part.repeats:
            return value
        if value is None or value == "" or isinstance(value, Unreadable):
            value = self._previous.get(part.name, value)
        if value is not None and not isinstance(value, Unreadable):
            self._previous[part.name] = value
        return value

    def _name(self, part: Part | None, record: _Record) -> str | None:
        """A part that is a name, renamed."""
        if part is None:
            return None
        name = as_name(self._read(part, record))
        return self._renamed(part.name, name, record)

    def _renamed(self, part: str, name: str | Unreadable | None, record: _Record) -> str | None:
        if isinstance(name, Unreadable):
            self._problem(part, name, record)
            return None
        if name is None:
            return None
        renames = self._compiled.renames.get(part)
        return name if renames is None else renames.of_name(name)

    def _state(self, name: str | Unreadable | None, part: str, machine: str | None, record: _Record) -> str | None:
        """The name of a state, renamed for its machine or for all."""
        if isinstance(name, Unreadable):
            self._problem(part, name, record)
            return None
        if name is None:
            return None
        own = self._compiled.state_renames.get(machine or "", NO_RENAMES)
        if name in own.texts:
            return own.texts[name]
        renamed = own.of_name(name)
        if renamed != name:
            return renamed
        renames = self._compiled.renames.get("state")
        return name if renames is None else renames.of_name(name)

    def _problem(self, part: str, what: Unreadable, record: _Record) -> None:
        if record.problems is None:
            record.problems = {}
        record.problems.setdefault(part, what)

    def _time(self, record: _Record) -> Unreadable | None:
        """Reads the time; returns what could not be read."""
        part = self._compiled.time
        if part is None:
            return None
        value = part.get(record.scope)
        if type(value) is Instant:
            record.time_ns = value.ns
        elif part.repeats:
            record.time_ns = self._previous_ns
        if record.time_ns is not None:
            self._previous_ns = record.time_ns
        return value if isinstance(value, Unreadable) and not part.repeats else None

    def _fields(self, record: _Record) -> dict[str, LogValue]:
        if record.fields is None:
            fields: dict[str, LogValue] = {}
            record.fields = fields
            for get in self._compiled.fields_from:
                for name, value in as_object(get(record.scope)).items():
                    if value is not None and name not in PARTS and name not in fields:
                        self._set(fields, name, value)
            for part in self._compiled.fields:
                read = self._read(part, record)
                if isinstance(read, Unreadable):
                    self._problem(part.name, read, record)
                    fields.pop(part.name, None)
                elif read is None:
                    fields.pop(part.name, None)
                else:
                    self._set(fields, part.name, read)
        return record.fields

    def _set(self, fields: dict[str, LogValue], name: str, value: LogValue) -> None:
        renames = self._compiled.field_renames.get(name)
        renamed = value if renames is None else renames.of_value(value)
        if renamed is None:
            fields.pop(name, None)
        else:
            fields[name] = renamed

    # --- time ------------------------------------------------------------------------------------

    def _clock(self, record: _Record, events: tuple[Event, ...]) -> Iterator[Violation]:
        """Gives a record without a time the one before; finds time that goes back."""
        session = record.session
        before = None if session is None else self._latest_ns.get(session)
        if record.time_ns is None:
            record.time_ns = before if before is not None else self._last_ns
        elif before is not None and record.time_ns < before:
            jump = before - record.time_ns
            self._counts.greatest_reversal_ns = max(self._counts.greatest_reversal_ns, jump)
            yield from self.finding(
                Violation("time-reversed", None, session or "", record.place, event=record.name, elapsed_ns=jump)
            )
        self._last_ns = record.time_ns
        if session is not None:
            latest = [each for each in (before, record.time_ns) if each is not None]
            if session not in self._latest_ns:
                self._counts.sessions += 1
            self._latest_ns[session] = max(latest) if latest else None

    # --- deciding --------------------------------------------------------------------------------

    def _is_ignored(self, ignoring: Ignoring, record: _Record) -> bool:
        if ignoring.exact is not None:
            name = record.name
            if name is None or not (name in ignoring.exact or _fits(name, ignoring.patterns)):
                return False
        elif ignoring.machines and record.machine not in ignoring.machines:
            return False
        return ignoring.where is None or ignoring.where(record.scope)

    def _decide(self, record: _Record) -> tuple[tuple[Event, ...], bool] | None:
        """The events of a record and whether it ends its session; None when it is passed over."""
        made: list[Event] = []
        ends = is_translated = False
        clauses, is_named = self._clauses(record)
        for clause, holes in clauses:
            record.scope.holes = holes
            if clause.where is not None and not clause.where(record.scope):
                continue
            ends = ends or clause.ends_session
            for emission in clause.emissions:
                is_translated = True
                event = self._emit(emission, record)
                if event is not None:
                    made.append(event)
        record.scope.holes = {}
        if is_translated:
            kept = tuple(event for event in made if self._is_kept(event, record))
            return None if made and not kept and not ends else (kept, ends)
        own = self._own(record)
        if own.name is None and own.target is None:
            return None if self._is_rest(None, record) and not ends else ((), ends)
        if own.name in self._compiled.known_events or own.target is not None:
            return (own,), ends
        if is_named or self._is_rest(own.name, record):
            return ((), True) if ends else None
        return (own,), ends

    def _is_kept(self, event: Event, record: _Record) -> bool:
        """Whether an emitted event is the lifecycle's: an unknown one goes where `ignore any` sends it."""
        is_known = event.name is None or event.target is not None or event.name in self._compiled.known_events
        return is_known or not self._is_rest(event.name, record)

    def _clauses(self, record: _Record) -> tuple[list[tuple[Clause, dict[str, str]]], bool]:
        """The clauses that look at this name, each with what its pattern took out of it.

        An exact name shuts out patterns, the first fitting pattern shuts out others.
        """
        name = record.name
        is_exact = name is not None and any(name in clause.exact for clause in self._compiled.clauses)
        chosen: str | None = None
        found: list[tuple[Clause, dict[str, str]]] = []
        for clause in self._compiled.clauses:
            if clause.every:
                found.append((clause, {}))
            elif name is None:
                continue
            elif is_exact:
                if name in clause.exact:
                    found.append((clause, {}))
            else:
                for pattern in clause.patterns:
                    if chosen is not None and pattern.text != chosen:
                        continue
                    taken = pattern.take(name)
                    if taken is not None:
                        chosen = pattern.text
                        found.append((clause, taken))
                        break
        return found, is_exact or chosen is not None

    def _is_rest(self, name: str | None, record: _Record) -> bool:
        """Whether an `ignore any` passes over what is called `name`."""
        return any(
            not (name is not None and (name in rest.excepted or _fits(name, rest.excepted_patterns)))
            and (rest.where is None or rest.where(record.scope))
            for rest in self._compiled.ignoring_rest
        )

    def _look_for_slip(self, record: _Record) -> None:
        """Keeps the first record of each name that `ignore any` passes over and that is nearly a known one."""
        name = record.name
        if name is None or name in self._compiled.near_to or name in self._counts.passed_over.names:
            return
        near = find_near(name, self._compiled.near_to)
        if near is not None and len(self._slips) < _MOST_SLIPS:
            self._slips.append(
                Violation(
                    "near-name", None, record.session or "", record.place, event=name, found=name, expected=(near,)
                )
            )

    def finish(self) -> Iterator[Violation]:
        """Findings that only the end of the log allows: a name is a slip if the one it is near never came."""
        for slip in self._slips:
            if slip.expected[0] not in self._counts.occurred.names:
                yield from self.finding(slip)

    # --- events ----------------------------------------------------------------------------------

    def _own(self, record: _Record) -> Event:
        """The record as an event under its own name."""
        source, target = self._record_states(record)
        name = record.name
        if name is None and target is None:
            return Event()
        return Event(
            name, record.machine, source, target, False, self._name(self._compiled.owner, record), self._fields(record)
        )

    def _record_states(self, record: _Record) -> tuple[str | None, str | None]:
        compiled = self._compiled
        source = None if compiled.source is None else as_name(self._read(compiled.source, record))
        target = None if compiled.target is None else as_name(self._read(compiled.target, record))
        return (
            self._state(source, "from", record.machine, record),
            self._state(target, "to", record.machine, record),
        )

    def _emit(self, emission: Emission, record: _Record) -> Event | None:
        """One event; None when what it should be called, or the state it should enter, is not there."""
        scope = record.scope
        if emission.own_name:
            name = record.name
        elif emission.event is None:
            name = None
        else:
            name = self._emitted(emission.event, "event", record)
            if name is None:
                return None
        machine = record.machine if emission.machine is None else emission.machine
        source, target = None, None
        if machine == record.machine or record.machine is None:
            source, target = self._record_states(record)
        if emission.source is not None:
            source = self._emitted_state(emission.source, "from", machine, emission.renames_source, record)
        if emission.target is not None:
            target = self._emitted_state(emission.target, "to", machine, emission.renames_target, record)
            if target is None and name is None:
                return None
        owner = self._owner(emission, record)
        fields = self._fields(record)
        if emission.fields:
            fields = dict(fields)
            for field, get, renames in emission.fields:
                value = get(scope)
                if isinstance(value, Unreadable):
                    self._problem(field, value, record)
                    fields.pop(field, None)
                elif value is None:
                    fields.pop(field, None)
                elif renames:
                    self._set(fields, field, value)
                else:
                    fields[field] = value
        return Event(name, machine, source, target, emission.status, owner, fields)

    def _emitted(self, get: Getter, part: str, record: _Record) -> str | None:
        name = as_name(get(record.scope))
        if isinstance(name, Unreadable) or name is None:
            self._problem(part, name or Unreadable(None, "a name"), record)
            return None
        return name

    def _emitted_state(self, get: Getter, part: str, machine: str | None, renames: bool, record: _Record) -> str | None:
        name = as_name(get(record.scope))
        if name is None and part == "to":
            name = Unreadable(None, "the name of a state")
        if renames or isinstance(name, Unreadable):
            return self._state(name, part, machine, record)
        return None if name is None else name

    def _owner(self, emission: Emission, record: _Record) -> str | None:
        if emission.owner is None:
            return self._name(self._compiled.owner, record)
        name = as_name(emission.owner(record.scope))
        if emission.renames_owner or isinstance(name, Unreadable):
            return self._renamed("owner", name, record)
        return None if name is None else name


def _fits(name: str, patterns: tuple[Template, ...]) -> bool:
    return any(pattern.take(name) is not None for pattern in patterns)
