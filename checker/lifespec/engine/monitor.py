"""The monitor: what a log means, by tables, as fast as we can judge it (DESIGN section 5).

Follows spec/semantics.md over the numbers and masks of `tables`; what a specification does not use costs nothing. Fed
with records, asked for findings; it opens nothing and prints nothing. Shares nothing with the reference engine but
its input and its answer, and must give the same answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.diagnostics.nearest import find_nearest
from lifespec.engine.monitor_archive import Archive
from lifespec.engine.monitor_book import Book
from lifespec.engine.monitor_clock import Clock, Due
from lifespec.engine.monitor_moves import Mover, Plan
from lifespec.engine.monitor_rules import Rules
from lifespec.engine.monitor_state import (
    AT_ONCE,
    BY_CLOCK,
    NEVER,
    UNBOUNDED,
    Clocks,
    Happening,
    Instance,
    Position,
    Session,
    Step,
    new_instance,
    new_session,
)
from lifespec.engine.monitor_tombstone import pack, unpack
from lifespec.engine.monitor_witness import Witnesses
from lifespec.engine.table_machine import MachineTable
from lifespec.engine.table_value import NOT_KNOWN, Key
from lifespec.engine.tables import Dispatch, Tables
from lifespec.model.forbidden import find_forbidden
from lifespec.model.model import Model, On
from lifespec.model.value import LogValue
from lifespec.trace.event import Client, Event, Record
from lifespec.verdict import Verdict, Violation, Witness

_MOST_CLOCK_STEPS = 1000  # S35


class Monitor:
    """Judges the records of one log, in the order in which they come.

    With `keeps_violations` the verdict has all violations; without it they are only handed out as they are found, by
    `feed` and `drain`, and take no memory.
    """

    def __init__(
        self,
        model: Model,
        client: Client | None = None,
        tables: Tables | None = None,
        *,
        keeps_violations: bool = True,
    ) -> None:
        self.tables = tables if tables is not None else Tables(model, client if client is not None else Client())
        self.client = self.tables.client
        self.book = Book(self.tables, keeps_violations=keeps_violations)
        witnesses = Witnesses(self.tables, self.book)
        self.mover = Mover(self.tables, self.book, witnesses)
        self.rules = Rules(self.tables, self.book, witnesses)
        self.clock = Clock(self.tables)
        self.sessions: dict[str, Session] = {}
        self.finished = Archive()  # sessions that are over, packed
        self._begun = 0  # sessions
        self.end: int | None = None  # the latest time of any record
        self.ends: dict[str, int] = {}  # the same of each clock with a name
        self.last: Position | None = None
        self._lines = 0  # of the logs before this one

    def feed(self, record: Record) -> tuple[Violation, ...]:
        """Judge one record and return what is found, in order."""
        self.judge(record, record.place)
        return self.book.take_new()

    def judge(self, record: Record, place: Position) -> None:
        """Judge one record that stands at `place`."""
        self.book.records += 1
        self.last = place
        session = None if record.session is None else self.session(record.session, place, record.time_ns)
        time_ns = record.time_ns
        if self.tables.forbids:
            self._search(session, record, place)
        if session is None:
            return
        if record.ends_session:
            session.ended = True
        if record.clock or session.clocks is not None:
            time_ns = self._turn_to_clock(session, record, place)
        if self.tables.is_restless or session.is_doubtful:
            self.mover.unseen(session)
        if time_ns is not None:
            self.advance(session, time_ns, place, "after the deadline", at_end=False)
        session.last = place
        step = Step(place)
        for event in record.events:
            self._event(session, step, happening_of(event))
        self.rules.judge(session, step)
        if record.time_taken:
            self._doubt_time(session, place)

    @staticmethod
    def _turn_to_clock(session: Session, record: Record, place: Position) -> int | None:
        """S59: the clock of a record speaks; return the time that it then has, None where the record moves none."""
        if session.clocks is None and session.first == session.last == place:  # its first record
            session.clocks = Clocks(record.clock)
        name = "" if session.clocks is None else session.clocks.name
        if record.time_ns is None or (record.time_taken and record.clock != name):
            return None
        session.turn_to(record.clock, record.time_ns)
        return record.time_ns

    @staticmethod
    def _doubt_time(session: Session, place: Position) -> None:
        """S56: nothing is measured from events of which it is not known when they were."""
        session.is_time_doubtful = True
        keyed = (instance for instances in session.keyed if instances for instance in instances.values())
        for instance in (*session.plain, *keyed):
            if instance.stays is None:
                if instance.place == place:
                    instance.flags |= UNBOUNDED
                continue
            for stay in instance.stays.values():
                if stay.place == place:
                    stay.flags |= UNBOUNDED
        for owed in session.obligations or ():
            owed.unsure = owed.unsure or owed.place == place

    def judge_event(self, session: Session, event: Happening, time_ns: int, place: Position) -> None:
        """Judge a record that is one event, and in which nothing is forbidden."""
        self.book.records += 1
        self.last = place
        for _, prop in self.tables.forbids:
            self.book.armed[prop] += 1
        if session.is_doubtful:
            self.mover.unseen(session)
        self.advance(session, time_ns, place, "after the deadline", at_end=False)
        session.last = place
        step = Step(place)
        self._event(session, step, event)
        self.rules.judge(session, step)

    def finish(self, *, complete: bool = False) -> Verdict:
        """Say that the log is over: all clocks move to their latest time in it (S54). `complete` says that every
        session of it is complete (S55)."""
        for _ in self.finishing(complete=complete):
            pass
        return self.verdict()

    def finishing(self, *, complete: bool = False) -> Iterator[Position]:
        """The same session by session, by where each begins, so that what is found can be taken by `drain` in between;
        the `verdict` is for afterwards."""
        self.end = self.latest()
        for session in sorted(self.sessions.values(), key=lambda each: each.number):
            assert self.last is not None
            clocks = session.clocks
            for name in ("",) if clocks is None else (clocks.name, *clocks.others):
                end = self.end if clocks is None or name == "" else self.ends.get(name)
                if end is None or session.clock is None:
                    continue
                if clocks is not None:
                    session.turn_to(name, end)
                if self.tables.is_restless or session.is_doubtful:
                    self.mover.unseen(session)
                self.advance(session, end, self.last, "end of the log", at_end=True)
            self.book.close(session, complete=self._is_complete(session, complete), last=self.last)
            yield session.first
        self.book.count_finished(self.finished)

    def verdict(self) -> Verdict:
        """The answer about the log, once it is finished."""
        return self.book.verdict(self.session_count)

    @property
    def session_count(self) -> int:
        """How many sessions there were so far."""
        return len(self.sessions) + len(self.finished)

    def latest(self) -> int | None:
        """The latest time of any session, and not before `end`; clocks with a name are not asked."""
        latest = self.end
        for session in self.sessions.values():
            if session.clocks is not None:
                continue
            if session.clock is not None and (latest is None or session.clock > latest):
                latest = session.clock
        return latest

    def begin_log(self, name: str) -> int:
        """Positions from now on are lines of this log, plus the number that is returned."""
        self.book.logs.append((self._lines, name))
        return self._lines

    def end_log(self, lines: int) -> None:
        """The log had so many lines."""
        self._lines += lines

    def drain(self) -> tuple[Violation, ...]:
        """What was found since the last call, by `finish` for instance."""
        return self.book.take_new()

    # --- sessions and instances ----------------------------------------------------------------------

    def session(self, name: str, place: Position, time_ns: int | None) -> Session:
        """The session of this name, from its first record on."""
        session = self.find_session(name)
        if session is None:
            tables = self.tables
            session = self.sessions[name] = new_session(tables, name, place, time_ns)
            if tables.begins_simply:
                since = None if time_ns is None else 0
                session.plain = [new_instance(t, None, order, since, place) for order, t in enumerate(tables.plain)]
                session.order = len(session.plain)
                self.book.begun += 1
            else:
                session.plain = [self._create(session, table, None, place) for table in tables.plain]
            session.due = NEVER if tables.begins_simply else AT_ONCE
            session.number = self._begun
            self._begun += 1
            self.rules.begin(session, place)
        return session

    def put_away(self, session: Session) -> None:
        """Pack a session if it is finished; its next record, if there is one, unpacks it."""
        packed = pack(session, self.tables)
        if packed is not None:
            result = self.book.result_number(session)
            if result is None:
                return
            if session.clock is not None and (self.end is None or session.clock > self.end):
                self.end = session.clock
            del self.sessions[session.id]
            self.finished.put(session.id, result.to_bytes(2, "big") + packed)

    def find_session(self, name: str) -> Session | None:
        """The session of this name, None before its first record."""
        found = self.sessions.get(name)
        if found is not None or not self.finished:
            return found
        packed = self.finished.take(name)
        if packed is None:
            return None
        session = self.sessions[name] = unpack(packed[2:], name, self.tables)
        return session

    def _create(self, session: Session, table: MachineTable, key: Key | None, place: Position) -> Instance:
        existed = table.may_exist_unseen
        instance = new_instance(table, key, session.order, None if existed else session.active, place)
        session.order += 1
        if key is not None:
            if type(session.keyed) is tuple:
                session.keyed = list(session.keyed)
            instances = session.keyed[table.slot]
            if instances is None:
                instances = session.keyed[table.slot] = {}  # type: ignore[index]  # a list by now
            instances[key] = instance
        if existed:
            table.hide(instance, place)
            instance.passed = table.caused_sources & table.hidden
            for number in table.hidden_memories:
                instance.write(number, NOT_KNOWN, place)
        self.mover.moved(session, instance, 0)
        if not existed:
            self.book.visit(table, table.initial)
            self.book.arm_bound(session, instance)
        return instance

    def find_or_create(self, session: Session, table: MachineTable, key: Key | None, place: Position) -> Instance:
        """The instance with this key, from the first record on that is for it."""
        if key is None:
            return session.plain[table.plain_number]
        instances = session.keyed[table.slot]
        found = None if instances is None else instances.get(key)
        return self._create(session, table, key, place) if found is None else found

    def _is_complete(self, session: Session, complete: bool) -> bool:
        """S55: every plain machine that has final states is in one, or somebody says so."""
        if complete or session.ended or self.client.whole:
            return True
        ending = self.tables.ending
        return bool(ending) and all(not session.plain[t.plain_number].mask & ~t.finals for t in ending)

    # --- the clock -----------------------------------------------------------------------------------

    def advance(self, session: Session, time_ns: int, place: Position, role: str, *, at_end: bool) -> None:
        """S2, S35: what is due happens in order, each at its own instant and as a step of its own."""
        clock = session.clock
        if clock is None:
            clock = session.clock = session.stood = time_ns
        target = clock if time_ns < clock else time_ns
        if session.clocks is not None and session.clocks.name:
            self.ends[session.clocks.name] = max(target, self.ends.get(session.clocks.name, target))
        elif self.end is None or target > self.end:
            self.end = target
        if target >= session.due:
            self._let_happen(session, target, Witness(self.book.place(place), role), at_end=at_end)
        self._move_clock(session, target)

    def _let_happen(self, session: Session, target: int, shown: Witness, *, at_end: bool) -> None:
        steps = 0
        while (due := self.clock.next_due(session, target)) is not None:
            if due.way is not None:
                steps += 1
                if steps > _MOST_CLOCK_STEPS:
                    self.mover.lose_clocked(session)
                    continue
            self._move_clock(session, due.instant)
            self._happen(session, due, shown, at_end=at_end)

    @staticmethod
    def _move_clock(session: Session, instant: int) -> None:
        assert session.clock is not None
        if instant > session.clock:
            if session.paused:
                session.stood += instant - session.clock
            session.clock = instant

    def _happen(self, session: Session, due: Due, shown: Witness, *, at_end: bool) -> None:
        if due.watch is not None:
            self.rules.fall_silent(session, due.watch, shown, at_end=at_end)
        elif due.obligation is not None:
            self.rules.fail(session, due.obligation, shown)
        elif due.instance is not None and due.way is None:
            self.book.overdue(session, due.instance, shown)
        elif due.instance is not None and due.way is not None:
            instance = due.instance
            place = instance.place if instance.stays is None else instance.stays[due.state].place
            step = Step(place, shown)
            self.mover.move_by_clock(session, step, instance, due.state, due.way)
            if step.entries and step.entries[-1].certain:
                instance.flags |= BY_CLOCK
            self.mover.react(session, step)
            self.rules.judge(session, step)

    # --- a record ------------------------------------------------------------------------------------

    def _event(self, session: Session, step: Step, event: Happening) -> None:
        if event.name in self.tables.pause_names:
            self._pause(session, event.name)
        dispatch = self.tables.dispatch(event.name, event.machine, event.target)
        takers, lost, passed_over = self._takers(dispatch, event)
        if takers:
            self._take(session, step, event, takers)
        known = dispatch.known or passed_over
        if not takers:
            if lost is not None and (dispatch.named or not passed_over):
                self.book.missing_key(session, step, event, lost)
            elif not known and (event.name is not None or event.target is not None):
                self._unknown(session, step, event)
        step.happenings.append(event)
        if takers or known:
            self._fields(session, step, event)

    def _pause(self, session: Session, name: str | None) -> None:
        for begins, ends in self.tables.pauses:
            if name in begins:
                session.paused = True
            elif name in ends:
                session.paused = False
        if session.clocks is not None:
            session.clocks.others.clear()  # S59: how long it stood still by the other clocks is not known
        session.due = AT_ONCE
        session.look_at_itself()

    def _takers(
        self, dispatch: Dispatch, event: Happening
    ) -> tuple[list[tuple[MachineTable, Key | None, frozenset[str | None]]], MachineTable | None, bool]:
        """Who takes the event, with their keys; the first whose key is missing; whether one passes it over."""
        tables = self.tables
        own: list[tuple[MachineTable, Key | None]] = []
        lost: MachineTable | None = None
        passed_over = False
        others = 0
        for table, by_of in zip(dispatch.own, dispatch.by_of, strict=True):
            if table.slot < 0:
                own.append((table, None))
                others |= by_of
                continue
            key = tables.key_of(table, event.value)
            if key is not None:
                own.append((table, key))
                others |= by_of
            elif event.name is not None and event.name in table.ignored:
                passed_over = True
            elif lost is None:
                lost = table
        if not others:
            of = tables.of_set(is_own=True, mask=0)
            return [(table, key, of) for table, key in own], lost, passed_over
        return self._with_others(event, own), lost, passed_over

    def _with_others(
        self, event: Happening, own: list[tuple[MachineTable, Key | None]]
    ) -> list[tuple[MachineTable, Key | None, frozenset[str | None]]]:
        """S5: with those that have the event by `of` from the ones that take it."""
        tables = self.tables
        keys = {table.number: key for table, key in own}
        found: list[tuple[MachineTable, Key | None, frozenset[str | None]]] = []
        for table in tables.all:
            mask = 0
            for other, _ in own:
                if other is not table and any(event.name in way.names for way in table.ways if way.of == other.name):
                    mask |= other.member
            is_own = table.number in keys
            if not is_own and not mask:
                continue
            key = keys.get(table.number)
            if not is_own and table.slot >= 0:
                key = tables.key_of(table, event.value)
                if key is None:
                    continue
            found.append((table, key, tables.of_set(is_own=is_own, mask=mask)))
        return found

    def _take(
        self,
        session: Session,
        step: Step,
        event: Happening,
        takers: list[tuple[MachineTable, Key | None, frozenset[str | None]]],
    ) -> None:
        """S12: every machine that the event is for picks and judges in the state before; then all move."""
        target_of = source_of = takers[0][0]
        if len(takers) > 1:
            target_of, source_of = _spoken_of(takers, event.target), _spoken_of(takers, event.source)
        plans: list[Plan] = []
        for table, key, of in takers:
            event.machines |= table.member
            plans.append(
                self.mover.plan(
                    session,
                    step,
                    self.find_or_create(session, table, key, step.place),
                    event,
                    of,
                    event.target if target_of is table else None,
                    event.source if source_of is table else None,
                )
            )
        for plan in plans:
            self.mover.carry_out(session, step, plan)
        if step.entries:
            self.mover.react(session, step, event)
        if event.name is None:
            event.may_be = frozenset(
                name
                for plan in plans
                for move in plan.moves or ()
                if move[2] is not None and isinstance(move[2].transition.trigger, On)
                for name in move[2].names
            )

    def _unknown(self, session: Session, step: Step, event: Happening) -> None:
        """S7: a name that nobody knows; a state it claims for a declared machine is believed (S21)."""
        table = self.tables.machines.get(event.machine) if event.machine is not None else None
        if table is None and event.machine is not None:
            if event.machine not in self.client.ignored_machines:
                near = find_nearest(event.machine, self.tables.machines)
                self.book.unknown_machine(session, step, event, is_near=near is not None)
            return
        self.book.unknown_event(session, step, event)
        target = None if table is None or event.target is None else table.numbers.get(event.target)
        if table is None or target is None:
            return
        key = None
        if table.slot >= 0:
            key = self.tables.key_of(table, event.value)
            if key is None:
                return
        instance = self.find_or_create(session, table, key, step.place)
        self.mover.believe(session, step, instance, event, target)
        self.mover.react(session, step, event)

    def _fields(self, session: Session, step: Step, event: Happening) -> None:
        """S22, S23: what an `event` declaration requires, and the declared types."""
        book = self.book
        spec = self.tables.event_specs.get(event.name) if event.name is not None else None
        if spec is not None and spec[0].requires:
            declared, prop = spec
            book.arm(session, prop)
            for name in declared.requires:
                if self.mover.is_missing(event, name):
                    book.missing_of_event(session, step, event, name, prop, declared.span)
        for field in self.tables.fields:
            raw = event.fields.get(field.name)
            if raw is not None:
                book.armed[field.prop] += 1
                if not field.is_valid(raw):
                    book.field_value(session, step, event, field.spec, field.prop)
        reason = event.fields.get("reason")
        if type(reason) is str:
            book.reasons[reason] = book.reasons.get(reason, 0) + 1
        book.events += 1
        if event.name is not None:
            book.names[event.name] = book.names.get(event.name, 0) + 1

    def _search(self, session: Session | None, record: Record, place: Position) -> None:
        """S31: forbidden values, in the whole record."""
        for path, text in texts_of(record.body):
            for forbid, prop in self.tables.forbids:
                if find_forbidden(forbid, path, text):
                    self.book.forbidden(session, record.session or "", place, forbid, prop, path)
        if session is not None:
            for _, prop in self.tables.forbids:
                self.book.armed[prop] += 1


def happening_of(event: Event) -> Happening:
    """An event, to be judged."""
    return Happening(event.name, event.machine, event.source, event.target, event.status, event.owner, event.fields)


def _spoken_of(takers: list[tuple[MachineTable, Key | None, frozenset[str | None]]], state: str | None) -> MachineTable:
    """S4: of which machine a record speaks that claims a state: of the first that has it, of those by `of` last."""
    first: MachineTable | None = None
    having: MachineTable | None = None
    for wanted in (True, False):
        for table, _, of in takers:
            if (None in of) is wanted:
                first = first or table
                if having is None and state in table.numbers:
                    having = table
    found = having or first
    assert found is not None
    return found


def texts_of(body: LogValue) -> list[tuple[str, str]]:
    """Every text in a record with its path, in order; a log may nest deeply."""
    found: list[tuple[str, str]] = []
    waiting: list[tuple[str, LogValue]] = [("", body)]
    while waiting:
        path, value = waiting.pop()
        if type(value) is str:
            found.append((path, value))
        elif isinstance(value, dict):
            waiting += [(f"{path}.{name}" if path else name, inner) for name, inner in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(f"{path}[{place}]", value[place]) for place in range(len(value) - 1, -1, -1)]
    return found
