"""A monitor that tells an observer what it sees: stays, signs of life, counts, what is left of a life at its use.

It judges exactly as the monitor does, and decides nothing. What is not known for certain is told as not known, so
that nothing is measured that may not have happened. Lengths are of running time: what `pause` stops, stops here too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from msgspec import Struct

from lifespec.engine.lane_kind import ASKS, Kind, LaneRow
from lifespec.engine.monitor import Monitor, texts_of
from lifespec.engine.monitor_book import Book
from lifespec.engine.monitor_lane import Lane, RowFields
from lifespec.engine.monitor_moves import Move, Mover, Plan
from lifespec.engine.monitor_rules import Rules
from lifespec.engine.monitor_state import (
    UNBOUNDED,
    Fields,
    Happening,
    Instance,
    Position,
    Session,
    Step,
    Watch,
    length_between,
)
from lifespec.engine.monitor_witness import Witnesses
from lifespec.engine.table_machine import MachineTable, Way
from lifespec.engine.tables import Tables
from lifespec.model.forbidden import find_suspects
from lifespec.model.model import Model
from lifespec.model.value import LogValue
from lifespec.trace.event import Client, Record
from lifespec.verdict import Violation

# An action of a rule: the number of the rule, of its part, and of the action in it.
Part = tuple[int, int, int]


class Entered(Struct, frozen=True, gc=False):
    """An instance entered `state` of `machine` for certain. `order` tells the instances of a session apart.

    `at_ns` is the running time of the session then, `left` the state before and `length_ns` how long it was in that;
    each is None when it is not known. How long it is between two of them tells `length_between`. `event` and `reason`
    are what the event says that moved it; None when the clock or another machine did.
    """

    machine: str
    order: int
    state: str
    at_ns: int | None
    left: str | None
    length_ns: int | None
    event: str | None
    reason: str | None


class Observer(Protocol):
    """What is told of each session by name, in the order in which it happens."""

    def enter(self, session: str, entered: Entered) -> None:
        """An instance entered a state for certain."""

    def doubt(self, session: str, order: int) -> None:
        """It is no longer certain where the instance is, or since when."""

    def sign(self, session: str, action: Part, gap_ns: int) -> None:
        """A sign of life came, so long after the one before it, or after the begin of the watch."""

    def count(self, session: str, action: Part, number: int) -> None:
        """The condition of an `at most n while` holds no longer; there were so many events while it did."""

    def use(self, session: str, machine: str, left_ns: int) -> None:
        """An instance with an end by `at` was used, so long before its end (below 0: after it)."""

    def see(self, session: str, event: str, time_ns: int, fields: Fields) -> None:
        """The lane judges a record that is this one event. What is judged otherwise was seen before it came here."""

    def over(self, session: str, stays: Sequence[tuple[str, str]], found: Sequence[Violation]) -> None:
        """The session was put away, for it is finished; `stays` are the `open_stays` that it had then, and `found` is
        what was found, in any session, since it was last asked for."""


class Use(Struct, frozen=True):
    """An event that uses the instance of `machine` whose key its own fields give."""

    event: str
    machine: str


class ObservedMonitor(Monitor):
    """A monitor with an observer. `uses` are the events that are told as uses. Findings are handed on, not kept."""

    def __init__(
        self, model: Model, client: Client | None, observer: Observer, uses: Sequence[Use], tables: Tables | None = None
    ) -> None:
        super().__init__(model, client, tables)
        witnesses = Witnesses(self.tables, self.book)
        self.told = _Mover(self.tables, self.book, witnesses, observer)
        self.mover = self.told
        self.rules = _Rules(self.tables, self.book, witnesses, observer)
        self.observer = observer
        self._is_suspect = find_suspects(model.forbids)
        self._uses: dict[str, list[tuple[MachineTable, Way]]] = {}
        for use in uses:
            table = self.tables.machines[use.machine]
            ways = [way for way in table.clocked if way.at is not None]
            self._uses.setdefault(use.event, []).extend((table, way) for way in ways[:1])

    def feed_at(self, record: Record, position: Position) -> tuple[Violation, ...]:
        """Judge one record that stands at `position` and return what is found, in order."""
        if self._uses and record.session is not None and record.time_ns is not None:
            for event in record.events:
                self.look_for_use(record.session, event.name, event.fields, record.time_ns)
        self.told.has_ended = False
        self.judge(record, position)
        if record.session is not None:
            self.end_if_over(record.session)
        return self.drain()

    def drain(self) -> tuple[Violation, ...]:
        """What was found since the last call; the monitor forgets it."""
        self.book.found.clear()
        return super().drain()

    def open_stays(self, session: str) -> Iterator[tuple[str, str]]:
        """Machine and state of each instance that is for certain in a state that is not final."""
        found = self.sessions.get(session)
        if found is None:
            return
        for table in self.tables.all:
            for instance in found.of(table):
                if instance.state >= 0 and not instance.mask & table.finals:
                    yield table.name, table.names[instance.state]

    def end_if_over(self, session: str) -> None:
        """Put a session away that is finished."""
        found = self.sessions.get(session)
        if found is not None:
            self.put_away(found)

    def put_away(self, session: Session) -> None:
        """The same, if a machine has ended just now: whatever else moves a session does not end it anew."""
        if not self.told.has_ended:
            return
        self.told.has_ended = False
        stays = list(self.open_stays(session.id))
        super().put_away(session)
        if session.id not in self.sessions:
            self.observer.over(session.id, stays, self.drain())

    def _search(self, session: Session | None, record: Record, place: Position) -> None:
        """Look for all that is forbidden at once; only where something may be, for each of it in each text."""
        texts = [text for _, text in texts_of(record.body)]
        if self._is_suspect is None or self._is_suspect('"{}"'.format('"\n"'.join(texts)).encode("utf-8", "replace")):
            super()._search(session, record, place)
        elif session is not None:
            for _, prop in self.tables.forbids:
                self.book.armed[prop] += 1

    def is_use(self, event: str) -> bool:
        """Whether events of this name are told as uses."""
        return event in self._uses

    def look_for_use(self, name: str, event: str | None, fields: Fields, time_ns: int) -> None:
        """Tell of what an event uses in the session of this name."""
        uses = self._uses.get(event or "")
        session = self.find_session(name) if uses else None
        if session is None or session.has_several_clocks:
            return
        for table, way in uses or ():
            instance = self._find_used(session, table, Happening(event, None, None, None, False, None, fields))
            ends = None if instance is None or way.at is None else way.at(session, None, instance, None, None, None)
            if type(ends) is int:
                self.observer.use(name, table.name, ends - time_ns)

    def _find_used(self, session: Session, table: MachineTable, happening: Happening) -> Instance | None:
        if table.slot < 0:
            return session.plain[table.plain_number]
        key = self.tables.key_of(table, happening.value)
        instances = session.keyed[table.slot]
        return None if instances is None or key is None else instances.get(key)


class _Mover(Mover):
    """Tells of the moves that it makes."""

    def __init__(self, tables: Tables, book: Book, witnesses: Witnesses, observer: Observer) -> None:
        super().__init__(tables, book, witnesses)
        self._observer = observer
        self._event: Happening | None = None  # that moves an instance just now
        self.has_ended = False  # a machine that sessions end with has entered a final state
        self.taker: Instance | None = None  # that the lane moves next, on the event of the step

    def carry_out(self, session: Session, step: Step, plan: Plan) -> None:
        self._event = plan.event
        super().carry_out(session, step, plan)
        self._event = None

    def step_into(self, session: Session, step: Step, instance: Instance, target: int, name: str | None) -> None:
        before = _stay(session, instance)
        super().step_into(session, step, instance, target, name)
        if self.taker is instance:
            self.taker, self._event = None, step.happenings[-1]
            self._tell(session, instance, *before)
            self._event = None
        else:
            self._tell(session, instance, *before)

    def _move(
        self, session: Session, step: Step, instance: Instance, moves: list[Move], keeps: list[int], name: str | None
    ) -> None:
        state, length_ns = _stay(session, instance)
        super()._move(session, step, instance, moves, keeps, name)
        if instance.state >= 0 and step.entries and step.entries[-1].instance is instance and step.entries[-1].certain:
            was_there = state is not None and all(instance.table.names[move[0]] == state for move in moves)
            self._tell(session, instance, state if was_there else None, length_ns if was_there else None)

    def moved(self, session: Session, instance: Instance, before: int) -> None:
        super().moved(session, instance, before)
        if before and (instance.state < 0 or instance.since is None):
            self._observer.doubt(session.id, instance.order)

    def _tell(self, session: Session, instance: Instance, left: str | None, length_ns: int | None) -> None:
        event = self._event
        if instance.table in self.tables.ending and instance.mask & instance.table.finals:
            self.has_ended = True
        reason = None if event is None else event.fields.get("reason")
        self._observer.enter(
            session.id,
            Entered(
                instance.table.name,
                instance.order,
                instance.table.names[instance.state],
                None if session.clock is None else session.active,
                left,
                length_ns,
                None if event is None else event.name,
                reason if isinstance(reason, str) and reason else None,
            ),
        )


def _stay(session: Session, instance: Instance) -> tuple[str | None, int | None]:
    """The state an instance is in, and for how long; each None when it is not known."""
    if instance.state < 0:
        return None, None
    is_certain = instance.since is not None and session.clock is not None and not instance.flags & UNBOUNDED
    length_ns = length_between(instance.since, session.active) if is_certain and instance.since is not None else None
    return instance.table.names[instance.state], length_ns


class _Rules(Rules):
    """Tells of signs of life and of counts."""

    def __init__(self, tables: Tables, book: Book, witnesses: Witnesses, observer: Observer) -> None:
        super().__init__(tables, book, witnesses)
        self._observer = observer

    def sign(self, session: Session, step: Step, watch: Watch) -> None:
        since, sign = watch.since, watch.sign
        watch.sign = None
        super().sign(session, step, watch)
        if watch.sign is None:
            watch.sign = sign
        elif session.clock is not None:
            length_ns = length_between(since, session.active)
            if length_ns is not None:
                self._observer.sign(session.id, watch.every.position, length_ns)

    def _count_anew(self, session: Session, dirty: int) -> None:
        before = [(number, each.count) for number, each in (session.counters or {}).items() if each.holds]
        super()._count_anew(session, dirty)
        for number, count in before:
            if session.counters is not None and not session.counters[number].holds:
                self._observer.count(session.id, self.tables.at_most_whiles[number].position, count)


class ObservedLane(Lane):
    """The lane of an observed monitor: no move, no sign and no use is kept from the observer."""

    def __init__(
        self,
        monitor: Monitor,
        time_of: Callable[[LogValue], int | None],
        unit_ns: int | None,
        is_known: Callable[[str], bool],
        passed: frozenset[str],
        kept: frozenset[str] | None,
    ) -> None:
        super().__init__(monitor, time_of, unit_ns, is_known, passed, kept)
        assert isinstance(monitor, ObservedMonitor)
        self._observed: ObservedMonitor = monitor
        self.sees = self._see

    def find_kind(self, machine: str | None, name: str) -> Kind:
        """The same, with each move by the mover; uses are for the monitor."""
        kind = super().find_kind(machine, name)
        if self._observed.is_use(name):
            kind.is_bare, kind.rows = False, None
        for row in kind.rows or ():
            if row is not None and row.enters:
                row.work = max(row.work, ASKS)
                row.ends = row.ends or row.reacts  # it may; the monitor knows
        return kind

    def busy(
        self,
        session: Session,
        instance: Instance,
        kind: Kind,
        row: LaneRow,
        r: Any,
        ns: int,
        n: int,
        *,
        is_judged: bool,
    ) -> bool:
        """The same; the mover is told which instance the event itself moves."""
        self._observed.told.taker = instance
        is_taken = super().busy(session, instance, kind, row, r, ns, n, is_judged=is_judged)
        self._observed.told.taker = None
        return is_taken

    def judge_event(self, session: Session, event: Happening, r: Any, ns: int, n: int) -> None:
        """The same, with what the observer wants to know before and afterwards."""
        self._see(session, event.name or "", r, ns)
        self._observed.look_for_use(session.id, event.name, event.fields, ns)
        self._observed.told.has_ended = False
        super().judge_event(session, event, r, ns, n)
        self._observed.end_if_over(session.id)

    def _see(self, session: Session, name: str, r: Any, ns: int) -> None:
        self._observed.observer.see(session.id, name, ns, RowFields(r, self.attributes))
