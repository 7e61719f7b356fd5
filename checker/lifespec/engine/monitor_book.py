"""The book of the monitor: findings, how often each property was judged, what was exercised, how sessions came out.

Owns the making of violations out of numbers and positions (semantics S20 to S25, S55 to S58); decides no step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lifespec.engine.monitor_archive import Archive
from lifespec.engine.monitor_state import (
    BEGAN,
    BROKEN,
    BY_CLOCK,
    Happening,
    Instance,
    Obligation,
    Position,
    Session,
    Step,
)
from lifespec.engine.table_machine import MachineTable, Way
from lifespec.engine.table_rule import ActionTable, RuleTable
from lifespec.engine.table_value import key_part, key_text
from lifespec.engine.tables import Tables
from lifespec.model.convert import NotConverted, convert
from lifespec.model.model import FieldSpec, Forbid, Requirement
from lifespec.source import Span
from lifespec.verdict import (
    Coverage,
    Outcome,
    Place,
    Property,
    Tally,
    Verdict,
    Violation,
    Witness,
    sort_violations,
)

_MOST_WITNESSES = 8
_MOST_RESULTS = 65_000  # of finished sessions
_OUTCOMES = (Outcome.SATISFIED, Outcome.VIOLATED, Outcome.INCONCLUSIVE, Outcome.NOT_APPLICABLE)

# What tells how all properties of a session came out: bits of those violated and of those that are open.
Result = tuple[int, int]


class Book:
    """Everything that is counted and found while a log is judged."""

    def __init__(self, tables: Tables, *, keeps_violations: bool = True) -> None:
        self.tables = tables
        self._keeps_violations = keeps_violations
        self.records = 0
        self.events = 0
        self.complete = 0
        self.found: list[Violation] = []
        self._new: list[Violation] = []
        self._stray = 0
        count = len(tables.properties)
        self.armed = [0] * count
        self.skipped = [0] * count
        self._slots = tables.counted_slot
        self.not_applicable = 0
        for prop in tables.not_applicable.properties:
            if prop in tables.property_numbers:
                self.not_applicable |= 1 << tables.property_numbers[prop]
        self.results: dict[Result, int] = {}
        self.by_session: dict[str, Result] = {}
        self._result_numbers: dict[Result, int] = {}
        self._finished_results: list[Result] = []
        self._finished: Mapping[str, bytes] = {}
        self.states: dict[tuple[int, int], int] = {}
        self.transitions: dict[tuple[Way, int, int], int] = {}
        self.perhaps: dict[tuple[Way, int, int], int] = {}
        self.owners: dict[str, int] = {}
        self.reasons: dict[str, int] = {}
        self.names: dict[str, int] = {}
        self.begun = 0  # sessions of which every plain machine began simply in its initial state
        self.steps = 0  # in which `always` was judged
        # Positions that are numbers: the first of each log, and its name.
        self.logs: list[tuple[int, str]] = []

    # --- places --------------------------------------------------------------------------------------

    def place(self, position: Position) -> Place:
        """Where a record stands."""
        if type(position) is not int:
            return position  # type: ignore[return-value]  # a Place, if it is no number
        for first, log in reversed(self.logs):
            if position > first:
                return Place(log, position - first)
        raise AssertionError(position)

    # --- counting ------------------------------------------------------------------------------------

    def arm(self, session: Session, prop: int, times: int = 1) -> None:
        """The property is judged once more."""
        self.armed[prop] += times
        slot = self._slots[prop]
        if slot >= 0:
            armed = session.armed
            if armed is None:
                armed = session.armed = {}
            armed[slot] = armed.get(slot, 0) + times

    def skip(self, session: Session, prop: int) -> None:
        """What must hold came out unknown: not judged."""
        self.skipped[prop] += 1
        if session.skipped is None:
            session.skipped = {}
        session.skipped[prop] = session.skipped.get(prop, 0) + 1

    def visit(self, table: MachineTable, state: int) -> None:
        """A state was entered for certain."""
        at = (table.number, state)
        self.states[at] = self.states.get(at, 0) + 1

    def used(self, way: Way, left: int, target: int) -> None:
        """A transition was taken for certain."""
        at = (way, left, target)
        self.transitions[at] = self.transitions.get(at, 0) + 1

    def may_have_used(self, moves: Iterable[tuple[int, int, Way | None, bool]]) -> None:
        """Of several moves none was certainly made."""
        for left, target, way, _ in moves:
            if way is not None:
                at = (way, left, target)
                self.perhaps[at] = self.perhaps.get(at, 0) + 1

    def arm_bound(self, session: Session, instance: Instance) -> None:
        """S32: a bound runs only for a state that was entered for certain."""
        state = instance.state
        if state >= 0 and instance.table.within[state] is not None:
            self.arm(session, instance.table.bound_props[state])

    # --- findings ------------------------------------------------------------------------------------

    def find(self, session: Session | None, prop: int, violation: Violation) -> None:
        """Keep a finding. `prop` is the number of its property, -1 for none."""
        own = violation.place
        each_once = dict.fromkeys(violation.witnesses)
        witnesses = tuple(w for w in each_once if w.place != own)[:_MOST_WITNESSES]
        if witnesses != violation.witnesses:
            wrote = tuple(w for w in each_once if w.place == own and w.role == "remembered")[:_MOST_WITNESSES]
            violation = replace(violation, witnesses=witnesses, wrote=wrote)
        if self._keeps_violations:
            self.found.append(violation)
        self._new.append(violation)
        if prop >= 0:
            if session is None:
                self._stray |= 1 << prop
            else:
                session.violated |= 1 << prop

    def take_new(self) -> tuple[Violation, ...]:
        """What was found since it was last asked for."""
        if not self._new:
            return ()
        new, self._new = tuple(self._new), []
        return new

    def entered(self, instance: Instance) -> Witness:
        """The record that brought an instance where it is."""
        place, event, flags = instance.first_stay()
        role = "began" if flags & BEGAN else "entered by the clock" if flags & BY_CLOCK else "entered"
        state = instance.table.names[instance.first_state()]
        return Witness(self.place(place), role, event, state, machine=instance.table.name)

    def _key(self, instance: Instance) -> tuple[str, ...]:
        return key_text(instance.key, len(instance.table.keys))

    def _names(self, instance: Instance) -> tuple[str, ...]:
        return tuple(instance.table.names[state] for state in instance.states())

    def table_finding(
        self, name: str, session: Session, step: Step, instance: Instance, event: Happening, **more: Any
    ) -> None:
        """A violation of a machine's table by an event."""
        table = instance.table
        given: dict[str, Any] = {
            "span": table.machine.span,
            "source": event.source,
            "witnesses": (self.entered(instance),),
        } | more
        self.find(
            session,
            table.transitions_prop,
            Violation(
                name,
                self.tables.properties[table.transitions_prop],
                session.id,
                self.place(step.place),
                machine=table.name,
                key=self._key(instance),
                event=event.name,
                states=self._names(instance),
                owner=event.owner,
                **given,
            ),
        )

    def missing_key(self, session: Session, step: Step, event: Happening, table: MachineTable) -> None:
        """S6."""
        readers = self.tables.readers
        missing = next(name for name in table.keys if key_part(event.value(name, readers[name])) is None)
        self.find(
            session,
            table.transitions_prop,
            Violation(
                "missing-key",
                self.tables.properties[table.transitions_prop],
                session.id,
                self.place(step.place),
                table.machine.span,
                machine=table.name,
                event=event.name,
                field=missing,
                expected=table.keys,
            ),
        )

    def _declared(self, event: Happening) -> str | None:
        return event.machine if event.machine in self.tables.machines else None

    def unknown_event(self, session: Session, step: Step, event: Happening) -> None:
        """S7."""
        self.find(
            session,
            -1,
            Violation(
                "unknown-event",
                None,
                session.id,
                self.place(step.place),
                machine=self._declared(event),
                event=event.name,
                target=event.target,
                found=event.name if event.name is not None else event.target,
            ),
        )

    def unknown_machine(self, session: Session, step: Step, event: Happening, *, is_near: bool) -> None:
        """S7: an error when the name is near a declared one, else a warning."""
        self.find(
            session,
            -1,
            Violation(
                "unknown-machine",
                None,
                session.id,
                self.place(step.place),
                event=event.name,
                found=event.machine,
                severity="error" if is_near else "warning",
            ),
        )

    def missing_field(
        self, session: Session, step: Step, instance: Instance, event: Happening, field: str, span: Span, goes: int
    ) -> None:
        """S22: `missing-reason` whenever the field is `reason`."""
        _mark(step, field)
        name = "missing-reason" if field == "reason" else "missing-field"
        target = instance.table.names[goes]
        self.table_finding(name, session, step, instance, event, field=field, span=span, target=target)

    def missing_of_event(
        self, session: Session, step: Step, event: Happening, field: str, prop: int, span: Span
    ) -> None:
        """S22: what an `event` declaration requires, whatever the state."""
        if step.faulty is not None and field in step.faulty:
            return
        _mark(step, field)
        self.find(
            session,
            prop,
            Violation(
                "missing-reason" if field == "reason" else "missing-field",
                self.tables.properties[prop],
                session.id,
                self.place(step.place),
                span,
                event=event.name,
                owner=event.owner,
                field=field,
            ),
        )

    def wrong_owner(self, session: Session, step: Step, instance: Instance, event: Happening, way: Way) -> None:
        """S24: an owner that is not said is a missing field."""
        self.table_finding(
            "wrong-owner" if event.owner else "missing-field",
            session,
            step,
            instance,
            event,
            span=way.transition.span,
            field="owner",
            target=way.transition.targets[0] if way.transition.targets else None,
            expected=way.transition.owners,
            found=event.owner or None,
        )

    def field_value(self, session: Session, step: Step, event: Happening, spec: FieldSpec, prop: int) -> None:
        """S23: once a record, and not when it is missing already."""
        raw = event.fields.get(spec.name)
        assert raw is not None
        problem = convert(raw, spec)
        if not isinstance(problem, NotConverted) or (step.faulty is not None and spec.name in step.faulty):
            return
        _mark(step, spec.name)
        self.find(
            session,
            prop,
            Violation(
                "invalid-field",
                self.tables.properties[prop],
                session.id,
                self.place(step.place),
                spec.span,
                machine=self._declared(event),
                event=event.name,
                field=spec.name,
                expected=problem.expected,
                found=problem.found,
                text=problem.reason,
            ),
        )

    def requirement_failed(
        self,
        session: Session,
        step: Step,
        instance: Instance,
        event: Happening,
        requirement: Requirement,
        reads: Iterable[Witness],
    ) -> None:
        """S25."""
        witnesses = tuple(reads) or (self.entered(instance),)
        self.table_finding(
            "requirement-failed",
            session,
            step,
            instance,
            event,
            span=requirement.span,
            text=requirement.text,
            doc=requirement.doc,
            witnesses=witnesses,
        )

    def forbidden(
        self, session: Session | None, name: str, place: Position, forbid: Forbid, prop: int, path: str
    ) -> None:
        """S31: the value is never repeated."""
        self.find(
            session,
            prop,
            Violation(
                "forbidden-value",
                self.tables.properties[prop],
                name,
                self.place(place),
                forbid.span,
                field=path,
                doc=forbid.doc,
                text=forbid.name,
            ),
        )

    def overdue(self, session: Session, instance: Instance, shown: Witness) -> None:
        """S32: stands on the record that entered the state; once a stay."""
        instance.flags |= BROKEN
        table, state = instance.table, instance.state
        prop = table.bound_props[state]
        if self.not_applicable >> prop & 1:
            return
        spec = table.machine.states[table.names[state]]
        self.find(
            session,
            prop,
            Violation(
                "overdue",
                self.tables.properties[prop],
                session.id,
                self.place(instance.place),
                spec.within_span or spec.span,
                machine=table.name,
                key=self._key(instance),
                event=instance.event,
                states=(table.names[state],),
                text=spec.within_written,
                deadline_ns=spec.within_ns,
                witnesses=(shown,),
            ),
        )

    def rule_finding(
        self,
        name: str,
        session: Session,
        rule: RuleTable,
        place: Position,
        action: Any,
        *,
        concerned: Instance | None = None,
        event: Happening | None = None,
        **more: Any,
    ) -> None:
        """A finding of a rule. `action` is the part of the model that was broken: it has a span and a text."""
        self.find(
            session,
            rule.prop_number,
            Violation(
                name,
                rule.prop,
                session.id,
                self.place(place),
                action.span,
                machine=None if concerned is None else concerned.table.name,
                key=() if concerned is None else self._key(concerned),
                event=None if event is None else event.name,
                states=() if concerned is None else self._names(concerned),
                owner=None if event is None else event.owner,
                text=action.text,
                doc=getattr(action, "doc", None),
                **more,
            ),
        )

    def unanswered(self, session: Session, owed: Obligation, shown: Witness) -> None:
        """S43: not judged when the answer may have come."""
        table: ActionTable = owed.expect
        if owed.unsure:
            self.skip(session, table.rule.prop_number)
            return
        self.rule_finding(
            "unanswered",
            session,
            table.rule,
            owed.place,
            owed.expect.action,
            concerned=owed.concerned,
            event=owed.asked,
            deadline_ns=owed.expect.ns,
            witnesses=(shown,),
        )

    # --- the end -------------------------------------------------------------------------------------

    def close(self, session: Session, *, complete: bool, last: Position) -> None:
        """S55, S56: what a complete session owes, and how each property came out in it."""
        found = 0  # the properties that are not decided yet
        unfinished: list[Instance] | None = None
        for table in self.tables.finite:
            for instance in (session.plain[table.plain_number],) if table.slot < 0 else session.of(table):
                at_end = instance.mask & table.ends
                if at_end != instance.mask:
                    if at_end or not complete:
                        found |= 1 << table.transitions_prop
                    else:
                        unfinished = [*unfinished, instance] if unfinished else [instance]
        if complete:
            self.complete += 1
            for instance in sorted(unfinished or (), key=lambda each: each.order):
                self._say_unfinished(session, instance, last)
            for owed in session.obligations or ():
                self.unanswered(session, owed, Witness(self.place(last), "end of the log"))
        else:
            found |= self._waiting(session)
        if session.clock is None or session.is_time_doubtful:
            found |= self.tables.needing_clock
        if session.clocks is not None:
            found |= session.clocks.unmeasured
        if session.skipped:
            found |= self._not_judged(session, session.skipped)
        self.record_result(session.id, (session.violated, found))

    def result_number(self, session: Session) -> int | None:
        """The number of how a finished session comes out: it is complete, and nothing of it is open. None when there
        are more ways than are told apart."""
        result = (session.violated, 0)
        number = self._result_numbers.get(result)
        if number is None and len(self._finished_results) < _MOST_RESULTS:
            number = self._result_numbers[result] = len(self._finished_results)
            self._finished_results.append(result)
        return number

    def count_finished(self, finished: Archive) -> None:
        """Count how finished sessions came out; the first two bytes of each are the number of its result."""
        self.complete += len(finished)
        self._finished = finished
        for packed in finished.all_kept():
            result = self._finished_results[int.from_bytes(packed[:2])]
            self.results[result] = self.results.get(result, 0) + 1

    def record_result(self, name: str, result: Result) -> None:
        """Count how a session came out."""
        self.results[result] = self.results.get(result, 0) + 1
        self.by_session[name] = result

    def _say_unfinished(self, session: Session, instance: Instance, last: Position) -> None:
        place, event, _ = instance.first_stay()
        table = instance.table
        state = table.names[instance.first_state()]
        self.find(
            session,
            table.transitions_prop,
            Violation(
                "unfinished",
                self.tables.properties[table.transitions_prop],
                session.id,
                self.place(place),
                table.machine.states[state].span,
                machine=table.name,
                key=self._key(instance),
                event=event,
                states=(state,),
                witnesses=(Witness(self.place(last), "end of the log"),),
            ),
        )

    def _not_judged(self, session: Session, skipped: dict[int, int]) -> int:
        """The properties of which nothing could be judged."""
        found = 0
        for prop, times in skipped.items():
            if self._slots[prop] < 0:
                continue
            armed = (session.armed or {}).get(self._slots[prop], 0)
            armed += session.steps * self.tables.always_of.get(prop, 0)
            if times >= armed:
                found |= 1 << prop
        return found

    def _waiting(self, session: Session) -> int:
        found = 0
        for table in self.tables.timed:
            for instance in session.of_interest(table):
                if instance.state >= 0 and not instance.flags & BROKEN:
                    prop = table.bound_props[instance.state]
                    if prop >= 0:
                        found |= 1 << prop
        for owed in session.obligations or ():
            found |= 1 << owed.expect.rule.prop_number
        for watch in session.watches or ():
            if not watch.silent:
                found |= 1 << watch.every.rule.prop_number
        return found

    def _outcomes(self, result: Result) -> dict[Property, Outcome]:
        violated, open_ones = result
        found = {}
        for number, prop in enumerate(self.tables.properties):
            bit = 1 << number
            if violated & bit:
                found[prop] = Outcome.VIOLATED
            elif self.not_applicable & bit:
                found[prop] = Outcome.NOT_APPLICABLE
            else:
                found[prop] = Outcome.INCONCLUSIVE if open_ones & bit else Outcome.SATISFIED
        return found

    def verdict(self, sessions: int) -> Verdict:
        """The answer about the log."""
        for table in self.tables.plain:
            if self.begun:
                at = (table.number, table.initial)
                self.states[at] = self.states.get(at, 0) + self.begun
        self.begun = 0
        by_result = {result: self._outcomes(result) for result in self.results}
        tallies = {}
        for number, prop in enumerate(self.tables.properties):
            counts = dict.fromkeys(_OUTCOMES, 0)
            for result, times in self.results.items():
                counts[by_result[result][prop]] += times
            tallies[prop] = Tally(
                counts[Outcome.SATISFIED],
                counts[Outcome.VIOLATED] + (self._stray >> number & 1),
                counts[Outcome.INCONCLUSIVE],
                counts[Outcome.NOT_APPLICABLE],
                self.armed[number] + self.steps * self.tables.always_of.get(number, 0),
                self.skipped[number],
            )
        return Verdict(
            tallies=tallies,
            violations=sort_violations(self.found),
            coverage=Coverage(
                {(self.tables.all[m].name, self.tables.all[m].names[s]): n for (m, s), n in self.states.items()},
                {
                    (way.table.name, way.index, way.table.names[left], way.table.names[target]): n
                    for (way, left, target), n in self.transitions.items()
                },
                dict(self.owners),
                dict(self.reasons),
                dict(self.names),
                {
                    (way.table.name, way.index, way.table.names[left], way.table.names[target]): n
                    for (way, left, target), n in self.perhaps.items()
                },
            ),
            records=self.records,
            events=self.events,
            sessions=sessions,
            complete_sessions=self.complete,
            sessions_by_outcome=SessionOutcomes(self.by_session, by_result, self._finished, self._finished_results),
            strays=frozenset(p for number, p in enumerate(self.tables.properties) if self._stray >> number & 1),
        )


class SessionOutcomes(Mapping[str, Mapping[Property, Outcome]]):
    """How each property came out of each session; most sessions share one answer."""

    def __init__(
        self,
        by_session: Mapping[str, Result],
        by_result: Mapping[Result, Mapping[Property, Outcome]],
        finished: Mapping[str, bytes],
        finished_results: Sequence[Result],
    ) -> None:
        self._by_session = by_session
        self._by_result = by_result
        self._finished = finished
        self._finished_results = finished_results

    def __getitem__(self, session: str) -> Mapping[Property, Outcome]:
        result = self._by_session.get(session)
        if result is None:
            result = self._finished_results[int.from_bytes(self._finished[session][:2])]
        return self._by_result[result]

    def __iter__(self) -> Iterator[str]:
        yield from self._by_session
        yield from self._finished

    def __len__(self) -> int:
        return len(self._by_session) + len(self._finished)


def _mark(step: Step, field: str) -> None:
    """One cause, one finding: the field has its finding in this step."""
    if step.faulty is None:
        step.faulty = set()
    step.faulty.add(field)
