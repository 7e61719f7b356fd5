"""The book of the reference interpreter: what was found, how often each property was judged, what was exercised.

Owns the making of violations and the outcomes (spec/semantics.md S20 to S25, S55 to S58).
"""

from __future__ import annotations

from collections import Counter as Tallied
from collections.abc import Iterable
from dataclasses import replace

from lifespec.engine.reference_state import Instance, Obligation, Session, Stay, Step
from lifespec.engine.reference_values import field_value, key_part
from lifespec.model.convert import NotConverted
from lifespec.model.model import (
    AlwaysPart,
    AtMostPer,
    Every,
    Expect,
    FieldSpec,
    Forbid,
    Model,
    Requirement,
    Transition,
)
from lifespec.model.value import Unread
from lifespec.source import Span
from lifespec.trace.applicability import NotApplicable
from lifespec.trace.event import Client, Event, Record
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


class Book:
    """Everything that is counted and found while a log is judged."""

    def __init__(self, model: Model, not_applicable: NotApplicable, *, keeps_violations: bool = True) -> None:
        self.model = model
        self._keeps_violations = keeps_violations
        self.not_applicable = not_applicable
        self.records = 0
        self.events = 0
        self.complete = 0
        self.found: list[Violation] = []
        self._new: list[Violation] = []
        self._stray: set[Property] = set()  # broken by records without a session
        self._properties = model.properties()
        self._tallies = {p: Tally() for p in self._properties}
        self._outcomes: dict[str, dict[Property, Outcome]] = {}
        self._states: Tallied[tuple[str, str]] = Tallied()
        self._transitions: Tallied[tuple[str, int, str, str]] = Tallied()
        self._perhaps: Tallied[tuple[str, int, str, str]] = Tallied()
        self._owners: Tallied[str] = Tallied()
        self._reasons: Tallied[str] = Tallied()
        self._events: Tallied[str] = Tallied()

    # --- counting ------------------------------------------------------------------------------------

    def arm(self, session: Session, prop: Property) -> None:
        """The property is judged once more."""
        session.armed[prop] = session.armed.get(prop, 0) + 1

    def skip(self, session: Session, prop: Property) -> None:
        """What must hold came out unknown: not judged (S28)."""
        session.not_judged[prop] = session.not_judged.get(prop, 0) + 1

    def visit(self, machine: str, state: str) -> None:
        self._states[machine, state] += 1

    def used(self, machine: str, index: int, source: str, target: str) -> None:
        self._transitions[machine, index, source, target] += 1

    def may_have_used(self, machine: str, index: int, source: str, target: str) -> None:
        self._perhaps[machine, index, source, target] += 1

    def used_owner(self, owner: str | None) -> None:
        if owner:
            self._owners[owner] += 1

    def saw_reason(self, reason: str) -> None:
        self._reasons[reason] += 1

    def saw(self, event: Event) -> None:
        self.events += 1
        if event.name is not None:
            self._events[event.name] += 1

    def searched(self, session: Session) -> None:
        for forbid in self.model.forbids:
            self.arm(session, Property("forbid", forbid.name))

    def arm_bound(self, session: Session, instance: Instance) -> None:
        """S32: a bound runs only for a state that was entered for certain."""
        state = instance.state
        if state is not None and instance.machine.states[state].within_ns is not None:
            self.arm(session, Property("bound", instance.machine.name, state))

    def bound_not_judged(self, session: Session, instance: Instance, before: dict[str, Stay]) -> None:
        """S50: an exit may have happened unseen."""
        if len(before) != 1:
            return
        (state, stay), *_ = before.items()
        runs = stay.is_bounded and stay.active_ns is not None and not stay.broken
        if instance.machine.states[state].within_ns is not None and runs:
            self.skip(session, Property("bound", instance.machine.name, state))

    # --- fields and owners ---------------------------------------------------------------------------

    @staticmethod
    def is_missing(event: Event, name: str, client: Client) -> bool:
        """S22: absent, null or blank; what the client lacks is not missing."""
        if name in client.lacking_fields:
            return False
        value = event.fields.get(name)
        return value is None or (isinstance(value, str) and not value.strip())

    @staticmethod
    def owner_fits(transition: Transition, event: Event, client: Client) -> bool:
        """S24: anyone, if nobody is named; a client that never says the owner is not asked, nor is an owner that could
        not be read."""
        if not transition.owners or not client.has_owner or isinstance(event.fields.get("owner"), Unread):
            return True
        return event.owner in transition.owners

    # --- findings ------------------------------------------------------------------------------------

    def _find(self, session: Session | None, violation: Violation) -> None:
        own = violation.place
        each_once = tuple(dict.fromkeys(violation.witnesses))
        witnesses = tuple(w for w in each_once if w.place != own)
        wrote = tuple(w for w in each_once if w.place == own and w.role == "remembered")
        violation = replace(violation, witnesses=witnesses[:_MOST_WITNESSES], wrote=wrote[:_MOST_WITNESSES])
        if self._keeps_violations:
            self.found.append(violation)
        self._new.append(violation)
        if violation.property is not None:
            (self._stray if session is None else session.violated).add(violation.property)

    def take_new(self) -> tuple[Violation, ...]:
        new, self._new = tuple(self._new), []
        return new

    def _of(
        self, name: str, session: Session, step: Step, instance: Instance, event: Event, prop: Property | None = None
    ) -> Violation:
        """A violation of a machine's table by an event."""
        prop = prop if prop is not None else Property("transitions", instance.machine.name)
        return Violation(
            name,
            prop,
            session.id,
            step.place,
            instance.machine.span,
            machine=instance.machine.name,
            key=instance.key_text,
            event=event.name,
            states=instance.in_order(),
            source=event.source,
            owner=event.owner,
            witnesses=(_entered(instance),),
        )

    def missing_key(self, session: Session, step: Step, event: Event, machine: str) -> None:
        """S6."""
        keys = self.model.machines[machine].keys
        missing = [name for name in keys if key_part(field_value(self.model, event, name)) is None]
        self._find(
            session,
            Violation(
                "missing-key",
                Property("transitions", machine),
                session.id,
                step.place,
                self.model.machines[machine].span,
                machine=machine,
                event=event.name,
                field=missing[0],
                expected=keys,
            ),
        )

    def unknown_event(self, session: Session, step: Step, event: Event) -> None:
        """S7."""
        self._find(
            session,
            Violation(
                "unknown-event",
                None,
                session.id,
                step.place,
                machine=event.machine if event.machine in self.model.machines else None,
                event=event.name,
                target=event.target,
                found=event.name if event.name is not None else event.target,
            ),
        )

    def unknown_machine(self, session: Session, step: Step, event: Event, *, is_near: bool) -> None:
        """S7: an error when the name is near a declared one, else a warning."""
        self._find(
            session,
            Violation(
                "unknown-machine",
                None,
                session.id,
                step.place,
                event=event.name,
                found=event.machine,
                severity="error" if is_near else "warning",
            ),
        )

    def unknown_state(self, session: Session, step: Step, instance: Instance, event: Event, state: str) -> None:
        """S7."""
        self._find(
            session,
            replace(
                self._of("unknown-state", session, step, instance, event),
                found=state,
                field="to" if state == event.target else "from",
            ),
        )

    def invalid_transition(
        self, session: Session, step: Step, instance: Instance, event: Event, target: str | None, source: str | None
    ) -> None:
        """S20: in final states only it is after-final."""
        final = instance.states <= instance.machine.finals
        name = "after-final" if final else "invalid-transition"
        self._find(session, replace(self._of(name, session, step, instance, event), target=target, source=source))

    def lost_record(self, session: Session, step: Step, instance: Instance, event: Event, source: str) -> None:
        """S18."""
        self._find(
            session,
            replace(
                self._of("lost-record", session, step, instance, event),
                found=source,
                target=event.target,
                expected=instance.in_order(),
            ),
        )

    def missing_field(
        self,
        session: Session,
        step: Step,
        instance: Instance,
        event: Event,
        field: str,
        prop: Property,
        span: Span,
        target: str,
    ) -> None:
        """S22: `missing-reason` whenever the field is `reason`."""
        step.faulty.add(field)
        name = "missing-reason" if field == "reason" else "missing-field"
        violation = self._of(name, session, step, instance, event, prop)
        self._find(session, replace(violation, field=field, span=span, target=target))

    def require_field(
        self, session: Session, step: Step, event: Event, field: str, prop: Property, span: Span, client: Client
    ) -> None:
        """S22: what an `event` declaration requires, whatever the state."""
        if field not in step.faulty and self.is_missing(event, field, client):
            step.faulty.add(field)
            name = "missing-reason" if field == "reason" else "missing-field"
            self._find(
                session,
                Violation(name, prop, session.id, step.place, span, event=event.name, owner=event.owner, field=field),
            )

    def wrong_owner(
        self, session: Session, step: Step, instance: Instance, event: Event, transition: Transition
    ) -> None:
        """S24: an owner that is missing is a missing field."""
        name = "wrong-owner" if event.owner else "missing-field"
        violation = self._of(name, session, step, instance, event)
        target = transition.targets[0] if transition.targets else None
        self._find(
            session,
            replace(
                violation,
                span=transition.span,
                field="owner",
                target=target,
                expected=transition.owners,
                found=event.owner or None,
            ),
        )

    def invalid_field(
        self, session: Session, step: Step, event: Event, field: FieldSpec, problem: NotConverted
    ) -> None:
        """S23: once a record, and not when it is missing already."""
        if field.name in step.faulty:
            return
        step.faulty.add(field.name)
        self._find(
            session,
            Violation(
                "invalid-field",
                Property("field", field.name),
                session.id,
                step.place,
                field.span,
                machine=event.machine if event.machine in self.model.machines else None,
                event=event.name,
                field=field.name,
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
        event: Event,
        requirement: Requirement,
        reads: Iterable[Witness],
    ) -> None:
        """S25."""
        violation = self._of("requirement-failed", session, step, instance, event)
        self._find(
            session,
            replace(
                violation,
                span=requirement.span,
                text=requirement.text,
                doc=requirement.doc,
                witnesses=tuple(reads) or violation.witnesses,
            ),
        )

    def forbidden(self, session: Session | None, record: Record, forbid: Forbid, path: str) -> None:
        """S31: the value is never repeated."""
        self._find(
            session,
            Violation(
                "forbidden-value",
                Property("forbid", forbid.name),
                record.session or "",
                record.place,
                forbid.span,
                field=path,
                doc=forbid.doc,
                text=forbid.name,
            ),
        )

    def overdue(self, session: Session, instance: Instance, state: str, shown: Witness) -> None:
        """S32: stands on the record that entered the state; once per stay."""
        stay = instance.stays[state]
        stay.broken = True
        if Property("bound", instance.machine.name, state) in self.not_applicable.properties:
            return
        spec = instance.machine.states[state]
        self._find(
            session,
            Violation(
                "overdue",
                Property("bound", instance.machine.name, state),
                session.id,
                stay.place,
                spec.within_span or spec.span,
                machine=instance.machine.name,
                key=instance.key_text,
                event=stay.event,
                states=(state,),
                text=spec.within_written,
                deadline_ns=spec.within_ns,
                witnesses=(shown,),
            ),
        )

    def rule_finding(
        self,
        session: Session,
        name: str,
        rule: str,
        place: Place,
        span: Span,
        *,
        concerned: Instance | None = None,
        event: Event | None = None,
        text: str | None = None,
        doc: str | None = None,
        deadline_ns: int | None = None,
        count: int | None = None,
        witnesses: Iterable[Witness] = (),
    ) -> None:
        """A finding of a rule (S39 to S47)."""
        self._find(
            session,
            Violation(
                name,
                Property("rule", rule),
                session.id,
                place,
                span,
                machine=concerned.machine.name if concerned is not None else None,
                key=concerned.key_text if concerned is not None else (),
                event=event.name if event is not None else None,
                states=concerned.in_order() if concerned is not None else (),
                owner=event.owner if event is not None else None,
                text=text,
                doc=doc,
                deadline_ns=deadline_ns,
                count=count,
                witnesses=tuple(witnesses),
            ),
        )

    # --- the end -------------------------------------------------------------------------------------

    def close(self, session: Session, *, complete: bool, last: Place) -> None:
        """S55, S56: what a complete session owes, and how each property came out in it."""
        if complete:
            self.complete += 1
            for instance in session.instances.values():
                if instance.is_at_an_end() is False:
                    self._unfinished(session, instance, last)
            for owed in session.obligations:
                self.unanswered(session, owed, Witness(last, "end of the log"))
        outcomes = {p: self._outcome(session, p, complete=complete) for p in self._properties}
        self._outcomes[session.id] = outcomes
        for prop, outcome in outcomes.items():
            tally = self._tallies[prop]
            name = outcome.name.lower()
            self._tallies[prop] = replace(
                tally,
                **{name: getattr(tally, name) + 1},
                armed=tally.armed + session.armed.get(prop, 0),
                not_judged=tally.not_judged + session.not_judged.get(prop, 0),
            )

    def _unfinished(self, session: Session, instance: Instance, last: Place) -> None:
        stay, state = instance.since(), instance.in_order()[0]
        self._find(
            session,
            Violation(
                "unfinished",
                Property("transitions", instance.machine.name),
                session.id,
                stay.place,
                instance.machine.states[state].span,
                machine=instance.machine.name,
                key=instance.key_text,
                event=stay.event,
                states=(state,),
                witnesses=(Witness(last, "end of the log"),),
            ),
        )

    def unanswered(self, session: Session, owed: Obligation, shown: Witness) -> None:
        """S43, S55: an answer is owed that did not come; not judged when it may have (S50, S51)."""
        if owed.unsure:
            self.skip(session, owed.property)
            return
        self.rule_finding(
            session,
            "unanswered",
            owed.property.name,
            owed.place,
            owed.expect.span,
            concerned=owed.concerned,
            event=owed.asked,
            text=owed.expect.text,
            doc=owed.expect.doc,
            deadline_ns=owed.expect.ns,
            witnesses=(shown,),
        )

    def _outcome(self, session: Session, prop: Property, *, complete: bool) -> Outcome:
        if prop in session.violated:
            return Outcome.VIOLATED
        if prop in self.not_applicable.properties:
            return Outcome.NOT_APPLICABLE
        has_no_clock = session.clock is None or session.is_time_doubtful
        is_not_measured = prop in session.unmeasured or (has_no_clock and self._is_timed(prop))
        if self._is_open(session, prop, complete=complete) or is_not_measured:
            return Outcome.INCONCLUSIVE
        armed, skipped = session.armed.get(prop, 0), session.not_judged.get(prop, 0)
        return Outcome.INCONCLUSIVE if skipped and skipped >= armed else Outcome.SATISFIED

    def _is_timed(self, prop: Property) -> bool:
        """S56: it needs a clock, and so is open in a session of which some time could not be read."""
        if prop.kind != "rule":
            return prop.kind == "bound"
        parts = next(rule.parts for rule in self.model.rules if rule.name == prop.name)
        actions = [action for part in parts if not isinstance(part, AlwaysPart) for action in part.actions]
        return any(isinstance(action, Expect | Every | AtMostPer) for action in actions)

    def _is_open(self, session: Session, prop: Property, *, complete: bool) -> bool:
        """Something is not decided yet; in a complete session only whether an instance is at an end (S48)."""
        if prop.kind == "transitions":
            ends = [i.is_at_an_end() for i in session.of_machine(prop.name)]
            return None in ends or (not complete and False in ends)
        if complete:
            return False
        match prop.kind:
            case "bound":
                return any(
                    i.state == prop.state and not i.stays[prop.state].broken for i in session.of_machine(prop.name)
                )
            case "rule":
                waits = any(o.property == prop for o in session.obligations)
                return waits or any(w.property == prop and not w.silent for w in session.watches.values())
        return False

    def verdict(self, sessions: int) -> Verdict:
        stray = {p: replace(self._tallies[p], violated=self._tallies[p].violated + 1) for p in self._stray}  # S56
        return Verdict(
            tallies=self._tallies | stray,
            violations=sort_violations(self.found),
            coverage=Coverage(
                dict(self._states),
                dict(self._transitions),
                dict(self._owners),
                dict(self._reasons),
                dict(self._events),
                dict(self._perhaps),
            ),
            records=self.records,
            events=self.events,
            sessions=sessions,
            complete_sessions=self.complete,
            sessions_by_outcome=self._outcomes,
            strays=frozenset(self._stray),
        )


def _entered(instance: Instance) -> Witness:
    stay = instance.since()
    role = "began" if stay.began else "entered by the clock" if stay.by_clock else "entered"
    return Witness(stay.place, role, stay.event, instance.in_order()[0], machine=instance.machine.name)
