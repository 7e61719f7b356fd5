"""A monitor that tells an observer what it sees: stays, signs of life, counts, what is left of a life at its use.

It judges exactly as the monitor does, and decides nothing. What is not known for certain is told as not known, so
that nothing is measured that may not have happened. Lengths are of running time: what `pause` stops, stops here too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from lifespec.engine.monitor import Monitor, texts_of
from lifespec.engine.monitor_book import Book
from lifespec.engine.monitor_moves import Move, Mover, Plan
from lifespec.engine.monitor_rules import Rules
from lifespec.engine.monitor_state import UNBOUNDED, Happening, Instance, Position, Session, Step, Watch
from lifespec.engine.monitor_witness import Witnesses
from lifespec.engine.table_machine import MachineTable, Way
from lifespec.engine.tables import Tables
from lifespec.model.forbidden import find_suspects
from lifespec.model.model import Model
from lifespec.trace.event import Client, Event, Record
from lifespec.verdict import Violation

# An action of a rule: the number of the rule, of its part, and of the action in it.
Part = tuple[int, int, int]


class Entered(Struct, frozen=True, gc=False):
    """An instance entered `state` of `machine` for certain. `order` tells the instances of a session apart.

    `at_ns` is the running time of the session then, `left` the state before and `length_ns` how long it was in that;
    each is None when it is not known. `event` and `reason` are what the event says that moved it; None when the
    clock or another machine did.
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
        self.mover = _Mover(self.tables, self.book, witnesses, observer)
        self.rules = _Rules(self.tables, self.book, witnesses, observer)
        self._observer = observer
        self._is_suspect = find_suspects(model.forbids)
        self._uses: dict[str, list[tuple[MachineTable, Way]]] = {}
        for use in uses:
            table = self.tables.machines[use.machine]
            ways = [way for way in table.clocked if way.at is not None]
            self._uses.setdefault(use.event, []).extend((table, way) for way in ways[:1])

    def feed_at(self, record: Record, position: Position) -> tuple[Violation, ...]:
        """Judge one record that stands at `position` and return what is found, in order."""
        if self._uses and record.session is not None:
            self._look_for_uses(record.session, record.events, record.time_ns)
        self.judge(record, position)
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

    def is_over(self, session: str) -> bool:
        """Whether the session was put away, for it is finished."""
        found = self.sessions.get(session)
        if found is not None and self.tables.ending:
            self.put_away(found)
        return session in self.finished

    def _search(self, session: Session | None, record: Record, place: Position) -> None:
        """Look for all that is forbidden at once; only where something may be, for each of it in each text."""
        texts = [text for _, text in texts_of(record.body)]
        if self._is_suspect is None or self._is_suspect('"{}"'.format('"\n"'.join(texts)).encode("utf-8", "replace")):
            super()._search(session, record, place)
        elif session is not None:
            for _, prop in self.tables.forbids:
                self.book.armed[prop] += 1

    def _look_for_uses(self, name: str, events: Sequence[Event], time_ns: int | None) -> None:
        session = self.find_session(name)
        if session is None or time_ns is None:
            return
        for event in events:
            for table, way in self._uses.get(event.name or "", ()):
                happening = Happening(event.name, None, None, None, False, None, event.fields)
                instance = self._find_used(session, table, happening)
                ends = None if instance is None or way.at is None else way.at(session, None, instance, None, None, None)
                if type(ends) is int:
                    self._observer.use(name, table.name, ends - time_ns)

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

    def carry_out(self, session: Session, step: Step, plan: Plan) -> None:
        self._event = plan.event
        super().carry_out(session, step, plan)
        self._event = None

    def step_into(self, session: Session, step: Step, instance: Instance, target: int, name: str | None) -> None:
        before = _stay(session, instance)
        super().step_into(session, step, instance, target, name)
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
    length_ns = session.active - instance.since if is_certain and instance.since is not None else None
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
            self._observer.sign(session.id, watch.every.position, session.active - since)

    def _count_anew(self, session: Session, dirty: int) -> None:
        before = [(number, each.count) for number, each in (session.counters or {}).items() if each.holds]
        super()._count_anew(session, dirty)
        for number, count in before:
            if session.counters is not None and not session.counters[number].holds:
                self._observer.count(session.id, self.tables.at_most_whiles[number].position, count)
