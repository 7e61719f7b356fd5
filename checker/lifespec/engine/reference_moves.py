"""How an instance moves: spec/semantics.md S12 to S26, S37, S38 and S48 to S53."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from lifespec.engine.reference_log import Book
from lifespec.engine.reference_state import (
    NOT_KNOWN,
    NOT_SET,
    Entry,
    Instance,
    Memory,
    Session,
    Stay,
    Step,
    Unknown,
    Value,
)
from lifespec.engine.reference_unseen import may_be_unseen
from lifespec.engine.reference_values import Context, evaluate, holds, key_part
from lifespec.model.model import After, Assignment, At, Model, On, Transition, When
from lifespec.trace.event import Client, Event
from lifespec.verdict import Place, Property, Witness


@dataclass(frozen=True, slots=True)
class Move:
    """One way a member of the known states goes: `transition` is None when only the state moves (S21).

    `enters` is false for a transition that stays: then nothing is left and nothing entered (S14).
    """

    left: str
    target: str
    transition: Transition | None
    enters: bool


@dataclass(slots=True)
class Plan:
    """What an event will do to an instance, decided in the state before (S12)."""

    instance: Instance
    event: Event
    moves: list[Move] = field(default_factory=list)
    keeps: list[str] = field(default_factory=list)  # states it may stay in besides (S21)
    remembers: dict[str, Value | None] = field(default_factory=dict)
    passes: bool = False  # nothing happens


class Mover:
    """Picks, judges and makes the moves of instances."""

    def __init__(self, model: Model, client: Client, book: Book) -> None:
        self.model = model
        self.client = client
        self.book = book
        machines = model.machines.values()
        self._reacting = [m for m in machines if any(isinstance(t.trigger, When) for t in m.transitions)]
        self.restless = {m.name for m in machines if any(self._is_restless(t) for t in m.transitions)}

    def _is_restless(self, transition: Transition) -> bool:
        """Only such transitions may be taken unseen (S51, S53)."""
        return may_be_unseen(transition, self.client) or isinstance(transition.trigger, After | At)

    # --- picking (S12 to S19) ------------------------------------------------------------------------

    def plan(
        self,
        session: Session,
        step: Step,
        instance: Instance,
        event: Event,
        *,
        of: frozenset[str | None],
        target: str | None,
        source: str | None,
    ) -> Plan:
        """Pick the transition of an instance on an event and judge it. `target` and `source` are what the
        record claims of this machine."""
        machine = instance.machine
        self.book.arm(session, Property("transitions", machine.name))
        plan = Plan(instance, event)
        strange = [state for state in (source, target) if state is not None and state not in machine.states]
        if source in strange:
            source = None
        picks = {
            state: self._picks(session, instance, state, event, of, target)
            for state in instance.in_order()
            if target not in strange
        }
        is_ignored = event.name is not None and event.name in machine.ignored
        is_decided = source not in instance.passed or any(picks.get(source, ())[:1])
        if source in instance.stays and is_decided and not is_ignored:
            # S48: `from` decides between possible states, also the first one of a log that begins midway (S52); but
            # it may be one that the instance has passed (S18), and what is ignored may claim anything (S8)
            instance.stays = {source: instance.stays[source]}
            picks = {state: found for state, found in picks.items() if state == source}
        picked = {state: found for state, (found, _) in picks.items() if found}
        if not picked and is_ignored:  # S8
            plan.passes = True
            return plan
        may_pass = is_ignored and not all(is_certain for _, is_certain in picks.values())
        if strange and not may_pass:  # S7
            self.book.unknown_state(session, step, instance, event, strange[0])
        if target in strange:
            self._lose(session, step, instance)  # S48: an unknown state leaves all possible
            instance.passed.clear()
            plan.passes = True
            return plan
        fault_said = bool(strange)
        if event.status and target in instance.stays:  # S17
            plan.moves = [Move(target, target, None, enters=False)]
            return plan
        if picked:
            if may_pass:  # S8, S49: what may pass it over stays as it is
                passing = [state for state, (_, is_certain) in picks.items() if not is_certain]
            else:  # S19, S49: and so does what it may only confirm
                confirms = target not in picked and self._confirms(instance, target, source)
                passing = [target] if target is not None and confirms else []
            return self._legal(session, step, plan, picked, passing, of, target, source, fault_said=fault_said)
        if self._confirms(instance, target, source):  # S19
            assert target is not None
            plan.moves = [Move(target, target, None, enters=False)]
            return plan
        if not fault_said:
            self.book.invalid_transition(session, step, instance, event, target, source)
        return self._believed(session, step, plan, of, target, source)

    def _candidates(
        self, instance: Instance, state: str | None, event: Event, of: frozenset[str | None], target: str | None
    ) -> list[Transition]:
        """The transitions that the record fits, out of `state` (None: out of any), whatever their `where`.

        What `any` means has been settled in the model (S15).
        """
        found = []
        for transition in instance.machine.transitions:
            if state is not None and state not in transition.sources:
                continue
            match transition.trigger:
                case On(events=events, of=other):
                    if event.name is None:  # S16: a state alone may be any of them, but never one that stays
                        fits = target in transition.targets and other is None
                    else:
                        goes = state if transition.stays else transition.targets[0]
                        fits = event.name in events and other in of and (target is None or target == goes)
                case None:
                    fits = target is not None and target in transition.targets
                case _:
                    fits = False
            if fits:
                found.append(transition)
        return found

    def _picks(
        self,
        session: Session,
        instance: Instance,
        state: str,
        event: Event,
        of: frozenset[str | None],
        target: str | None,
    ) -> tuple[list[Transition], bool]:
        """S12, S13: the first declared whose `where` holds, and before it those whose `where` is not known (S48);
        and whether one of them is certainly taken. S16: for a state without an event name the first of those that
        hold whose owner and fields fit."""
        sure: list[Transition] = []
        perhaps: list[Transition] = []
        for transition in self._candidates(instance, state, event, of, target):
            context = Context(self.model, session, event, own=instance)
            result = True if transition.where is None else holds(transition.where, context)
            if result is True:
                sure.append(transition)
                if event.name is not None:
                    break
            elif result is NOT_KNOWN:
                perhaps.append(transition)
        goes = target if target is not None else state
        fitting = [t for t in sure if event.name is None and self._fits(instance, t, event, goes)]
        return [*perhaps, *(fitting or sure)[:1]], bool(sure)

    def _fits(self, instance: Instance, transition: Transition, event: Event, goes: str) -> bool:
        if not self.book.owner_fits(transition, event, self.client):
            return False
        owed = self._owed(instance, transition, goes, enters=not transition.stays)
        return not any(self.book.is_missing(event, name, self.client) for name in owed)

    @staticmethod
    def _owed(instance: Instance, transition: Transition | None, goes: str, *, enters: bool) -> list[str]:
        """S22: the fields a transition and the state it enters require, each once."""
        owed = list(transition.requires) if transition is not None else []
        if enters:
            owed += instance.machine.states[goes].requires
        return list(dict.fromkeys(owed))

    @staticmethod
    def _confirms(instance: Instance, target: str | None, source: str | None) -> bool:
        """S19: the record only says what clock and reactions have already done."""
        if not instance.passed or target is None or target not in instance.stays:
            return False
        return source is None or source in instance.passed or source in instance.stays

    # --- a legal step --------------------------------------------------------------------------------

    def _legal(
        self,
        session: Session,
        step: Step,
        plan: Plan,
        picked: dict[str, list[Transition]],
        passing: list[str],
        of: frozenset[str | None],
        target: str | None,
        source: str | None,
        *,
        fault_said: bool,
    ) -> Plan:
        instance, event = plan.instance, plan.event
        lost = source is not None and source not in instance.stays and source not in instance.passed
        if source is not None and lost and not passing:  # S18
            if not fault_said:
                self.book.lost_record(session, step, instance, event, source)
            believed, _ = self._picks(session, instance, source, event, of, target)
            if believed:
                picked = {source: believed}
        for state, transitions in picked.items():
            for transition in transitions:
                goes = state if transition.stays else (target if transition.trigger is None else transition.targets[0])
                assert goes is not None
                plan.moves.append(Move(state, goes, transition, enters=not transition.stays))
        plan.moves += [Move(state, state, None, enters=False) for state in passing]
        self._judge_fields(session, step, plan)
        self._judge_owner(session, step, plan)
        self._judge_requirements(session, step, plan)
        plan.remembers = self._to_remember(session, plan)
        return plan

    def _judge_fields(self, session: Session, step: Step, plan: Plan) -> None:
        """S22, S49: a field is missing only when all members need it."""
        instance, event = plan.instance, plan.event
        owed = [self._owed(instance, m.transition, m.target, enters=m.enters) for m in plan.moves]
        for name in owed[0]:
            if all(name in names for names in owed):
                first = plan.moves[0]
                state = instance.machine.states[first.target]
                own = first.transition is not None and name in first.transition.requires
                span = first.transition.span if own and first.transition is not None else state.span
                prop = Property("transitions", instance.machine.name)
                if not self.book.is_missing(event, name, self.client):
                    continue
                self.book.missing_field(session, step, instance, event, name, prop, span, first.target)

    def _judge_owner(self, session: Session, step: Step, plan: Plan) -> None:
        """S24, S49."""
        transitions = [m.transition for m in plan.moves if m.transition is not None]
        if len(transitions) == len(plan.moves) and not any(
            self.book.owner_fits(t, plan.event, self.client) for t in transitions
        ):
            self.book.wrong_owner(session, step, plan.instance, plan.event, transitions[0])

    def _judge_requirements(self, session: Session, step: Step, plan: Plan) -> None:
        """S25, S49: what must hold and is unknown is not judged. Each requirement is one judgement, however many
        members it is looked at for."""
        judged: dict[tuple[int, int], bool] = {}
        failed: list[list[tuple[Transition, int, Iterable[Witness]]]] = []
        prop = Property("transitions", plan.instance.machine.name)
        for move in plan.moves:
            mine: list[tuple[Transition, int, Iterable[Witness]]] = []
            if move.transition is not None:
                for number, requirement in enumerate(move.transition.require):
                    context = Context(self.model, session, plan.event, own=plan.instance)
                    result = holds(requirement.condition, context)
                    judged[move.transition.index, number] = isinstance(result, bool)
                    if result is False:
                        mine.append((move.transition, number, context.reads))
            failed.append(mine)
        for was_known in judged.values():
            self.book.arm(session, prop)
            if not was_known:
                self.book.skip(session, prop)
        if all(failed):
            for transition, number, reads in failed[0]:
                requirement = transition.require[number]
                self.book.requirement_failed(session, step, plan.instance, plan.event, requirement, reads)

    def _to_remember(self, session: Session, plan: Plan) -> dict[str, Value | None]:
        """S26: computed in the state before; unknown forgets (None); S48: what members disagree about, or what is
        computed from something not known, is not known."""
        written: list[dict[str, Value | None]] = []
        for move in plan.moves:
            values: dict[str, Value | None] = {}
            if move.transition is not None:
                for assignment in move.transition.remember:
                    values[assignment.name] = self._value(session, plan.instance, plan.event, assignment)
            written.append(values)
        names = dict.fromkeys(name for values in written for name in values)
        merged: dict[str, Value | None] = {}
        for name in names:
            first = written[0].get(name, NOT_KNOWN)
            same = all(name in values and values[name] == first for values in written)
            merged[name] = first if same else NOT_KNOWN
        return merged

    def _value(self, session: Session, instance: Instance, event: Event | None, assignment: Assignment) -> Value | None:
        context = Context(self.model, session, event, own=instance)
        value = evaluate(assignment.value, context)
        return None if value is NOT_SET else value

    # --- a believed step (S20, S21) ------------------------------------------------------------------

    def _believed(
        self,
        session: Session,
        step: Step,
        plan: Plan,
        of: frozenset[str | None],
        target: str | None,
        source: str | None,
    ) -> Plan:
        instance, event = plan.instance, plan.event
        picks = self._picks(session, instance, source, event, of, target)[0] if source is not None else []
        if picks and source is not None:
            transition = picks[0]
            goes = target if target is not None else (source if transition.stays else transition.targets[0])
            plan.moves = [Move(source, goes, transition, enters=not transition.stays)]
        elif target is not None:
            into = [t for t in self._candidates(instance, None, event, of, target) if not t.stays]
            plan.moves = self._moves_to(instance, target, into[0] if into else None)
        else:
            return self._may_have_moved(plan, step, of, source)
        if plan.moves[0].enters:
            self._owe_to_state(session, step, plan)
        plan.remembers = self._to_remember(session, plan)
        return plan

    @staticmethod
    def _moves_to(instance: Instance, target: str, transition: Transition | None) -> list[Move]:
        """From wherever it may be into the state that a record claims; without a transition nothing moves if it is
        there already."""
        if transition is None and target in instance.stays:
            return [Move(target, target, None, enters=False)]
        return [Move(left, target, transition, enters=True) for left in instance.in_order()]

    def _owe_to_state(self, session: Session, step: Step, plan: Plan) -> None:
        """S21, S22: a step that is not legal owes nothing of a transition, but what the state owes that it enters."""
        goes = plan.moves[0].target
        prop = Property("transitions", plan.instance.machine.name)
        state = plan.instance.machine.states[goes]
        for name in state.requires:
            if self.book.is_missing(plan.event, name, self.client):
                self.book.missing_field(session, step, plan.instance, plan.event, name, prop, state.span, goes)

    def _may_have_moved(self, plan: Plan, step: Step, of: frozenset[str | None], source: str | None) -> Plan:
        """S21: without `to` it may have gone where this event leads anywhere, or stayed; never out of a final state."""
        instance, event = plan.instance, plan.event
        plan.keeps = list(instance.in_order())
        finals = instance.machine.finals
        if instance.states <= finals:
            return plan
        if source is not None:
            plan.keeps = [source]
        left = [s for s in instance.in_order() if s not in finals]
        for transition in instance.machine.transitions:
            trigger = transition.trigger
            if isinstance(trigger, On) and event.name in trigger.events and trigger.of in of:
                self.forget(instance, step.place, [a.name for a in transition.remember])
                for goes in transition.targets:
                    if goes not in plan.keeps and goes not in [m.target for m in plan.moves]:
                        plan.moves += [Move(state, goes, None, enters=True) for state in left]
        return plan

    def believe(self, session: Session, step: Step, instance: Instance, event: Event, target: str) -> None:
        """S7, S21: an event that nobody knows claims a state: only the state moves."""
        plan = Plan(instance, event, self._moves_to(instance, target, None))
        if plan.moves[0].enters:
            self._owe_to_state(session, step, plan)
        self.carry_out(session, step, plan)

    # --- making the move -----------------------------------------------------------------------------

    def carry_out(self, session: Session, step: Step, plan: Plan) -> None:
        """The states move and what is to be remembered is written (S26)."""
        instance = plan.instance
        if plan.passes:
            return
        instance.passed.clear()
        self._count(plan)
        self._move(session, step, instance, plan.moves, plan.keeps, plan.event)
        for name, value in plan.remembers.items():
            self._write(instance, name, value, step.place)

    def _count(self, plan: Plan) -> None:
        if len(plan.moves) == 1 and not plan.keeps and plan.moves[0].transition is not None:
            move = plan.moves[0]
            transition = plan.moves[0].transition
            assert transition is not None
            self.book.used(plan.instance.machine.name, transition.index, move.left, move.target)
            self.book.used_owner(plan.event.owner)
        else:
            self._count_perhaps(plan.instance, plan.moves)

    def _count_perhaps(self, instance: Instance, moves: list[Move]) -> None:
        """S49, S50: of several moves none was certainly made."""
        for move in moves:
            if move.transition is not None:
                self.book.may_have_used(instance.machine.name, move.transition.index, move.left, move.target)

    def _move(
        self,
        session: Session,
        step: Step,
        instance: Instance,
        moves: list[Move],
        keeps: list[str],
        event: Event | None,
    ) -> None:
        before = instance.stays
        stays: dict[str, Stay] = {s: instance.stays.get(s) or Stay(None, step.place) for s in keeps}
        name = event.name if event is not None else None
        for target in dict.fromkeys(m.target for m in moves):
            ways = [m for m in moves if m.target == target]
            if target not in keeps and all(m.enters for m in ways):
                stays[target] = Stay(session.active, step.place, name, hand=session.hand)
            elif target in keeps or any(m.enters for m in ways):  # S50: nobody knows since when
                stays[target] = Stay(None, step.place, name)
            else:
                stays[target] = instance.stays.get(ways[0].left) or Stay(None, step.place, name)
        for state, stay in before.items():  # S59: no single clock tells whether it was left in time
            runs = stay.is_bounded and stay.active_ns is not None and not stay.broken and stay.hand != session.hand
            if instance.machine.states[state].within_ns is not None and runs and stays.get(state) is not stay:
                session.unmeasured.add(Property("bound", instance.machine.name, state))
        entered = list(dict.fromkeys(m.target for m in moves if m.enters))
        certain = len(stays) == 1 and not keeps and all(m.enters for m in moves)
        instance.stays = stays
        for state in entered:
            left = frozenset(m.left for m in moves if m.enters and m.target == state)
            step.entries.append(Entry(instance, state, left, certain))
        if certain and entered:
            self.book.visit(instance.machine.name, entered[0])
            self.book.arm_bound(session, instance)
        if len(stays) > 1 or keeps:
            self._leave_bounds(session, instance, before)

    def _leave_bounds(self, session: Session, instance: Instance, before: dict[str, Stay]) -> None:
        """S50: it may have left unseen, or is not there for certain: the bounds of these stays are not judged."""
        self.book.bound_not_judged(session, instance, before)
        for stay in instance.stays.values():
            stay.is_bounded = False

    @staticmethod
    def _write(instance: Instance, name: str, value: Value | None, place: Place) -> None:
        if value is None:
            instance.memory.pop(name, None)
        else:
            instance.memory[name] = Memory(value, place)

    def forget(self, instance: Instance, place: Place, names: list[str]) -> None:
        """S48: what may have been written unseen is unknown."""
        for name in names:
            instance.memory[name] = Memory(NOT_KNOWN, place)

    def _lose(self, session: Session, step: Step, instance: Instance) -> None:
        """All states are possible; those that were not may have been entered (S50)."""
        before = instance.stays
        instance.stays = {state: Stay(None, step.place) for state in instance.machine.states}
        left = frozenset(before)
        step.entries += [Entry(instance, s, left, certain=False) for s in instance.machine.states if s not in before]
        self._leave_bounds(session, instance, before)
        self.forget(instance, step.place, list(instance.machine.memories))

    # --- reactions (S37, S38) ------------------------------------------------------------------------

    def react(self, session: Session, step: Step, event: Event | None = None) -> None:
        """Moves cause reactions: the first entry first, then machines and transitions as declared, older first."""
        while step.answered < len(step.entries):
            entry = step.entries[step.answered]
            step.answered += 1
            for machine in self._reacting:
                for instance in session.of_machine(machine.name):
                    if instance.order not in step.reacted:
                        self._react_to(session, step, entry, instance, event)

    def _react_to(self, session: Session, step: Step, entry: Entry, instance: Instance, event: Event | None) -> None:
        options = [
            option for state in instance.in_order() for option in self._options(session, entry, instance, state, event)
        ]
        if not options:
            return
        state, transition, chosen = options[0]
        if entry.certain and chosen and instance.state is not None:
            step.reacted.add(instance.order)
            self._follow(session, step, instance, state, transition, event)
        else:
            self._follow_perhaps(session, step, instance, [(s, t) for s, t, _ in options], event)

    def _options(
        self, session: Session, entry: Entry, instance: Instance, state: str, event: Event | None
    ) -> list[tuple[str, Transition, bool]]:
        """The first declared reaction out of `state`, and before it those that may be (S50); True: certainly it."""
        found = []
        for transition in instance.machine.transitions:
            if not isinstance(transition.trigger, When) or state not in transition.sources:
                continue
            about = self._is_about(session, transition.trigger, entry, instance)
            context = Context(self.model, session, event, own=instance)
            where = True if transition.where is None else holds(transition.where, context)
            if about is False or where is False or where is NOT_SET:
                continue
            certain = about is True and where is True
            found.append((state, transition, certain))
            if certain:
                break
        return found

    def _is_about(self, session: Session, trigger: When, entry: Entry, instance: Instance) -> bool | None:
        """Whether the entry is the one that is waited for; None when it may be (S50)."""
        moved = entry.instance
        if moved.machine.name != trigger.machine or (trigger.another and moved is instance):
            return False
        entered = entry.is_into(trigger.enters)
        if entered is False or not trigger.index:
            return entered
        context = Context(self.model, session, None, own=instance)
        values = [evaluate(part, context) for part in trigger.index]
        if NOT_KNOWN in values:
            return None
        return entered if tuple(key_part(value) for value in values) == moved.key else False

    def _follow(
        self, session: Session, step: Step, instance: Instance, state: str, transition: Transition, event: Event | None
    ) -> None:
        """A certain move without a record of its own."""
        goes = state if transition.stays else transition.targets[0]
        remembers = {a.name: self._value(session, instance, event, a) for a in transition.remember}
        self.book.used(instance.machine.name, transition.index, state, goes)
        if not transition.stays:
            instance.passed.add(state)
            self._move(session, step, instance, [Move(state, goes, transition, enters=True)], [], event)
        for name, value in remembers.items():
            self._write(instance, name, value, step.place)

    def _follow_perhaps(
        self,
        session: Session,
        step: Step,
        instance: Instance,
        options: list[tuple[str, Transition]],
        event: Event | None,
    ) -> None:
        """S50: moves that may be made add their targets and keep the sources."""
        moves = []
        for state, transition in options:
            self.forget(instance, step.place, [a.name for a in transition.remember])
            for goes in transition.targets:
                instance.passed.add(state)
                if not any(e.instance is instance and e.state == goes and not e.certain for e in step.entries):
                    moves.append(Move(state, goes, transition, enters=True))
        if moves:
            self._count_perhaps(instance, moves)
            self._move(session, step, instance, moves, list(instance.in_order()), event)

    def move_by_clock(
        self, session: Session, step: Step, instance: Instance, state: str, transition: Transition
    ) -> None:
        """S33, S34: an `after` or `at` that is due."""
        context = Context(self.model, session, own=instance)
        chosen = transition.where is None or holds(transition.where, context) is True
        if chosen and instance.state is not None:
            self._follow(session, step, instance, state, transition, None)
        else:
            self._follow_perhaps(session, step, instance, [(state, transition)], None)

    # --- what may have happened unseen (S51, S53) ----------------------------------------------------

    def expand(self, session: Session, instance: Instance) -> list[Entry]:
        """Add the states that may have been entered unseen since the last record; they may cause reactions."""
        before = instance.stays
        instance.stays = dict(before)
        sources: dict[str, set[str]] = {}
        todo = list(instance.in_order())
        for state in todo:
            for transition in instance.machine.transitions:
                if state in transition.sources and self._may_be_unseen(session, instance, state, transition):
                    self.forget(instance, session.last, [a.name for a in transition.remember])
                    if not isinstance(transition.trigger, On):
                        instance.passed.add(state)
                    for goes in transition.targets:
                        sources.setdefault(goes, set()).add(state)
                        if goes not in todo:
                            todo.append(goes)
        for goes in sources:  # nobody knows since when it is there
            there = before.get(goes)
            instance.stays[goes] = Stay(None, session.last) if there is None else replace(there, active_ns=None)
        if sources:
            self._leave_bounds(session, instance, before)
        return [Entry(instance, goes, frozenset(left), certain=False) for goes, left in sources.items()]

    def _may_be_unseen(self, session: Session, instance: Instance, state: str, transition: Transition) -> bool:
        if isinstance(transition.trigger, At) and not self.client.sampled:
            context = Context(self.model, session, own=instance)
            found = evaluate(transition.trigger.value, context)
            if isinstance(found, Unknown):  # S34: what is not set never comes
                return found is NOT_KNOWN
            if session.has_several_clocks:  # S59
                return True
        if may_be_unseen(transition, self.client):
            return True
        if isinstance(transition.trigger, After):  # the moment of entry is not known
            stay = instance.stays.get(state)
            return stay is None or stay.active_ns is None or stay.hand != session.hand  # S59
        return False

    def lose_clocked(self, session: Session) -> None:
        """S35: too much was due; an instance that the clock moves may be anywhere."""
        step = Step(session.last)
        for instance in session.instances.values():
            if any(isinstance(t.trigger, After | At) for t in instance.machine.transitions):
                self._lose(session, step, instance)
        self.react(session, step)
