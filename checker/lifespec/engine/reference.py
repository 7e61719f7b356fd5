"""The reference interpreter: what a log means, as plainly as we can say it.

Follows spec/semantics.md rule by rule, straight from the Model. Plain comes before fast. Shares nothing
with the other engine but its input and its answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.diagnostics.nearest import find_nearest
from lifespec.engine.reference_clock import Due, next_due
from lifespec.engine.reference_log import Book
from lifespec.engine.reference_moves import Move, Mover
from lifespec.engine.reference_rules import Rules
from lifespec.engine.reference_state import Hand, Instance, Key, Session, Stay, Step, Taken
from lifespec.engine.reference_takers import Taker, find_takers, is_known
from lifespec.engine.reference_unseen import hidden_memories, hidden_states, may_exist_unseen
from lifespec.engine.reference_values import key_of
from lifespec.model.convert import NotConverted, convert
from lifespec.model.forbidden import find_forbidden
from lifespec.model.model import After, At, Model, On, When
from lifespec.model.value import LogValue
from lifespec.trace.applicability import find_not_applicable
from lifespec.trace.event import Client, Event, Record
from lifespec.verdict import Place, Property, Verdict, Violation, Witness

_MOST_CLOCK_STEPS = 1000  # S35


class Monitor:
    """Judges the records of one log, in the order in which they come.

    With `keeps_violations` the verdict has all violations; without it they are only handed out as they are found.
    """

    def __init__(self, model: Model, client: Client | None = None, *, keeps_violations: bool = True) -> None:
        self.model = model
        self.client = client if client is not None else Client()
        self.book = Book(model, find_not_applicable(model, self.client), keeps_violations=keeps_violations)
        self.mover = Mover(model, self.client, self.book)
        self.rules = Rules(model, self.book)
        self.sessions: dict[str, Session] = {}
        self._ends: dict[str, int] = {}  # the latest time of each clock
        self._last: Place | None = None

    def feed(self, record: Record) -> tuple[Violation, ...]:
        """Judge one record and return what is found, in order."""
        self.book.records += 1
        self._last = record.place
        session = self._session(record) if record.session is not None else None
        self._search(session, record)
        if session is not None:
            session.ended = session.ended or record.ends_session
            is_foreign = record.time_taken and record.clock != session.clock_name  # then it moves no clock
            if record.time_ns is not None and not is_foreign:
                self._turn_to(session, record.clock, record.time_ns)
            self._unseen(session)
            shown = Witness(record.place, "after the deadline")
            if record.time_ns is not None and not is_foreign:
                self._advance(session, record.time_ns, shown, at_end=False)
            session.last = record.place
            self._step(session, record)
            if record.time_taken:
                self._doubt_time(session, record.place)
        return self.book.take_new()

    def finish(self, *, complete: bool = False) -> Verdict:
        """Say that the log is over: all clocks move to their latest time in it (S54). `complete` says that every
        session of it is complete (S55)."""
        for _ in self.finishing(complete=complete):
            pass
        return self.verdict()

    def finishing(self, *, complete: bool = False) -> Iterator[None]:
        """The same session by session, so that what is found can be taken by `drain` in between; the `verdict` is for
        afterwards."""
        for session in self.sessions.values():
            assert self._last is not None
            shown = Witness(self._last, "end of the log")
            for name in (session.clock_name, *session.others):
                if session.clock is not None and name in self._ends:
                    self._turn_to(session, name, self._ends[name])
                    self._unseen(session)
                    self._advance(session, self._ends[name], shown, at_end=True)
            self.book.close(session, complete=self._is_complete(session, complete), last=self._last)
            yield

    def verdict(self) -> Verdict:
        """The answer about the log, once it is finished."""
        return self.book.verdict(len(self.sessions))

    @property
    def session_count(self) -> int:
        """How many sessions there were so far."""
        return len(self.sessions)

    def drain(self) -> tuple[Violation, ...]:
        """What was found since the last call, by `finish` for instance."""
        return self.book.take_new()

    # --- sessions and instances ----------------------------------------------------------------------

    @staticmethod
    def _doubt_time(session: Session, place: Place) -> None:
        """S56: when the events of this record were is not known: nothing is measured from them."""
        session.is_time_doubtful = True
        for instance in session.instances.values():
            for stay in instance.stays.values():
                stay.is_bounded = stay.is_bounded and stay.place != place
        for owed in session.obligations:
            owed.unsure = owed.unsure or owed.place == place

    def _session(self, record: Record) -> Session:
        assert record.session is not None
        session = self.sessions.get(record.session)
        if session is not None:
            return session
        session = Session(record.session, self.client, first=record.place, last=record.place, clock=record.time_ns)
        session.clock_name = record.clock
        self.sessions[record.session] = session
        for machine in self.model.machines.values():  # S10: a plain machine has its instance from the first record
            if not machine.keys:
                self._create(session, machine.name, (), record.place)
        self.rules.begin(session, record.place)
        return session

    def _create(self, session: Session, name: str, key: Key, place: Place) -> Instance:
        machine = self.model.machines[name]
        states = hidden_states(machine, self.client)
        existed = may_exist_unseen(machine, self.client)
        began = None if existed else session.active
        of = {state: Stay(began, place, began=True, hand=session.hand) for state in states}
        stays = {state: of[state] for state in machine.states if state in states}
        instance = Instance(machine, key, len(session.instances), stays)
        session.instances[name, key] = instance
        if existed:  # S19: clock and reactions may have moved it since its last own record
            caused = [t for t in machine.transitions if isinstance(t.trigger, When | After | At)]
            instance.passed.update(state for t in caused for state in t.sources if state in states)
        self.mover.forget(instance, place, hidden_memories(machine, self.client))
        if not existed:
            self.book.visit(name, machine.initial)
            self.book.arm_bound(session, instance)
        return instance

    def _is_complete(self, session: Session, complete: bool) -> bool:
        """S55: every plain machine that has final states is in one, or somebody says so."""
        if complete or session.ended or self.client.whole:
            return True
        ending = [m for m in self.model.machines.values() if not m.keys and m.finals]
        return bool(ending) and all(session.instances[m.name, ()].states <= m.finals for m in ending)

    # --- the clock -----------------------------------------------------------------------------------

    def _advance(self, session: Session, time_ns: int, shown: Witness, *, at_end: bool) -> None:
        """S2, S35: what is due happens in order, each at its own instant and as a step of its own."""
        if session.clock is None:
            session.clock = time_ns
        target = max(session.clock, time_ns)
        self._ends[session.clock_name] = max(target, self._ends.get(session.clock_name, target))
        steps = 0
        while (due := next_due(session, self.model, target)) is not None:
            if due.transition is not None:
                steps += 1
                if steps > _MOST_CLOCK_STEPS:  # S35: too many; what the clock moves is not known any more
                    self.mover.lose_clocked(session)
                    continue
            self._move_clock(session, due.instant)
            self._happen(session, due, shown, at_end=at_end)
        self._move_clock(session, target)

    @staticmethod
    def _turn_to(session: Session, name: str, time_ns: int) -> None:
        """S59: from now on the clock of this name speaks."""
        if name == session.clock_name or session.clock is None:
            session.clock_name = name
            return
        session.others[session.clock_name] = Hand(session.hand, session.clock, session.active)
        hand = session.others.pop(name, None)
        if hand is None:
            hand = Hand(session.hands, time_ns, 0)
            session.hands += 1
        session.clock_name, session.hand, session.clock, session.active = name, hand.number, hand.clock, hand.active

    @staticmethod
    def _move_clock(session: Session, instant: int) -> None:
        assert session.clock is not None
        if instant > session.clock:
            if not session.paused:
                session.active += instant - session.clock
            session.clock = instant

    def _happen(self, session: Session, due: Due, shown: Witness, *, at_end: bool) -> None:
        if due.transition is not None and due.instance is not None:
            place = due.instance.stays[
                due.state
            ].place  # S57: what the clock did stands on the last record that moved it
            step = Step(place, shown)
            self.mover.move_by_clock(session, step, due.instance, due.state, due.transition)
            for entry in step.entries:
                if entry.certain:
                    entry.instance.since().by_clock = True
            self.mover.react(session, step)
            self.rules.judge(session, step)
        elif due.instance is not None:
            self.book.overdue(session, due.instance, due.state, shown)
        elif due.watch is not None:
            self.rules.fall_silent(session, due.watch, shown, at_end=at_end)
        elif due.obligation is not None:
            self.rules.fail(session, due.obligation, shown)

    def _unseen(self, session: Session) -> None:
        """S51, S53: what may have happened unseen since the last record of the session."""
        step = Step(session.last)
        for instance in session.instances.values():
            if instance.machine.name in self.mover.restless:
                step.entries.extend(self.mover.expand(session, instance))
        self.mover.react(session, step)

    # --- a record ------------------------------------------------------------------------------------

    def _step(self, session: Session, record: Record) -> None:
        """S1: the events of a record are one step, taken in order."""
        step = Step(record.place)
        for event in record.events:
            for pause in self.model.pauses:  # S36
                if event.name in (*pause.begins, *pause.ends):
                    session.paused = event.name in pause.begins
                    session.others.clear()  # S59: how long it stood still by the other clocks is not known
            self._event(session, step, event)
        self.rules.judge(session, step)

    def _event(self, session: Session, step: Step, event: Event) -> None:
        whom = find_takers(self.model, event)
        moves = self._take(session, step, event, whom.takers)
        known = is_known(self.model, event) or whom.passed_over
        if not whom.takers and whom.lost is not None and (whom.lost.named or not whom.passed_over):  # S6
            self.book.missing_key(session, step, event, whom.lost.machine)
        elif not whom.takers and not known and (event.name is not None or event.target is not None):
            self._unknown(session, step, event)
        may_be = frozenset(_names_of(moves)) if event.name is None else frozenset[str]()
        step.taken.append(Taken(event, frozenset(taker.machine for taker in whom.takers), may_be))
        if whom.takers or known:
            self._event_fields(session, step, event)

    def _take(self, session: Session, step: Step, event: Event, takers: tuple[Taker, ...]) -> list[Move]:
        """Every machine that the event is for picks and judges in the state before; then all move (S12)."""
        target_of, source_of = self._spoken_of(takers, event.target), self._spoken_of(takers, event.source)
        plans = []
        for taker in takers:
            machine = self.model.machines[taker.machine]
            key = key_of(machine, event, self.model)
            assert key is not None
            instance = session.instances.get((machine.name, key))
            if instance is None:
                instance = self._create(session, machine.name, key, step.place)
            plans.append(
                self.mover.plan(
                    session,
                    step,
                    instance,
                    event,
                    of=taker.of,
                    target=event.target if target_of == machine.name else None,
                    source=event.source if source_of == machine.name else None,
                )
            )
        for plan in plans:
            self.mover.carry_out(session, step, plan)
        self.mover.react(session, step, event)
        return [move for plan in plans for move in plan.moves]

    def _spoken_of(self, takers: tuple[Taker, ...], state: str | None) -> str | None:
        """S4: `from` and `to` speak of the first of the takers that has the state, those whose own event it is
        before those that have it by `of`; a state that nobody has is the first one's."""
        ordered = sorted(takers, key=lambda taker: None not in taker.of)
        having = [taker for taker in ordered if state in self.model.machines[taker.machine].states]
        return next((taker.machine for taker in [*having, *ordered]), None)

    def _unknown(self, session: Session, step: Step, event: Event) -> None:
        """S7: a name that nobody knows; a state it claims for a declared machine is believed (S21)."""
        machine = self.model.machines.get(event.machine) if event.machine is not None else None
        if machine is None and event.machine is not None:
            if event.machine not in self.client.ignored_machines:
                near = find_nearest(event.machine, self.model.machines)
                self.book.unknown_machine(session, step, event, is_near=near is not None)
            return
        self.book.unknown_event(session, step, event)
        if machine is None or event.target is None or event.target not in machine.states:
            return
        key = key_of(machine, event, self.model)
        if key is None:
            return
        instance = session.instances.get((machine.name, key)) or self._create(session, machine.name, key, step.place)
        self.mover.believe(session, step, instance, event, event.target)
        self.mover.react(session, step, event)

    def _event_fields(self, session: Session, step: Step, event: Event) -> None:
        """S22, S23: what an `event` declaration requires, and the declared types."""
        spec = self.model.events.get(event.name) if event.name is not None else None
        if spec is not None:
            prop = Property("event", spec.name)
            if spec.requires:
                self.book.arm(session, prop)
            for name in spec.requires:
                self.book.require_field(session, step, event, name, prop, spec.span, self.client)
        for name, field in self.model.fields.items():
            raw = event.fields.get(name)
            if raw is not None:
                prop = Property("field", name)
                self.book.arm(session, prop)
                problem = convert(raw, field)
                if isinstance(problem, NotConverted):
                    self.book.invalid_field(session, step, event, field, problem)
        reason = event.fields.get("reason")
        if isinstance(reason, str):
            self.book.saw_reason(reason)
        self.book.saw(event)

    def _search(self, session: Session | None, record: Record) -> None:
        """S31: forbidden values, in the whole record."""
        if not self.model.forbids:
            return
        for path, text in _texts(record.body, ""):
            for forbid in self.model.forbids:
                if find_forbidden(forbid, path, text):
                    self.book.forbidden(session, record, forbid, path)
        if session is not None:
            self.book.searched(session)


def _names_of(moves: list[Move]) -> Iterator[str]:
    """The events of the transitions that were taken."""
    for move in moves:
        if move.transition is not None and isinstance(move.transition.trigger, On):
            yield from move.transition.trigger.events


def _texts(value: LogValue, path: str) -> Iterator[tuple[str, str]]:
    """Every text in a value with its path, in order; without recursion, since a log may nest deeply."""
    todo: list[tuple[str, LogValue]] = [(path, value)]
    while todo:
        at, found = todo.pop()
        if isinstance(found, str):
            yield at, found
        elif isinstance(found, dict):
            todo.extend((f"{at}.{k}" if at else k, v) for k, v in reversed(found.items()))
        elif isinstance(found, list):
            todo.extend((f"{at}[{n}]", found[n]) for n in reversed(range(len(found))))
