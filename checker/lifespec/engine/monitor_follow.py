"""A monitor that can be followed: beside what is found it tells each change of each instance, when and why.

Owns what is told; judges as the monitor does, for it is one. Slower than it, and meant for a few sessions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from lifespec.engine.monitor import Monitor, texts_of
from lifespec.engine.monitor_clock import Due
from lifespec.engine.monitor_moves import Mover
from lifespec.engine.monitor_state import Happening, Instance, Position, Session, Step
from lifespec.engine.monitor_witness import Witnesses
from lifespec.engine.table_machine import MachineTable, Way
from lifespec.engine.table_value import Key, key_text
from lifespec.model.forbidden import find_forbidden
from lifespec.model.model import Model
from lifespec.trace.event import Client, Record
from lifespec.verdict import Verdict, Violation, Witness

InstanceName = tuple[str, tuple[str, ...]]  # machine and key

_MOST_CLEAN = 50_000  # texts that are known to hold nothing forbidden
_LONGEST_CLEAN = 200  # characters of one


class Cause(StrEnum):
    """Why an instance is where it is."""

    BEGAN = "began"  # it is new
    EVENT = "event"  # of a record
    CLOCK = "clock"
    REACTION = "reaction"  # another instance has moved
    UNSEEN = "unseen"  # the recording need not show what happened


@dataclass(frozen=True, slots=True)
class Change:
    """From `time_ns` on (None: the session has no time) the instance is in one of `states`, mostly one."""

    session: str
    instance: InstanceName
    states: tuple[str, ...]
    time_ns: int | None
    cause: Cause
    event: str | None


@dataclass(frozen=True, slots=True)
class Taken:
    """An event of a record, and the instances that took it."""

    name: str | None
    machine: str | None
    source: str | None
    target: str | None
    owner: str | None
    instances: tuple[InstanceName, ...]


@dataclass(frozen=True, slots=True)
class Followed:
    """What one record did. `time_ns` is the clock of the session after it, which never goes back where it has one
    clock; each finding has the instant at which it became one."""

    time_ns: int | None
    changes: tuple[Change, ...]
    events: tuple[Taken, ...]
    found: tuple[tuple[int | None, Violation], ...]


class Follower(Monitor):
    """Judges the records of one log, in the order in which they come, and tells what each of them did."""

    def __init__(self, model: Model, client: Client | None = None) -> None:
        super().__init__(model, client)
        self.mover = _Told(self, self._note)
        self._changes: list[Change] = []
        self._events: list[Taken] = []
        self._found: list[tuple[int | None, Violation]] = []
        self._taken_by: tuple[InstanceName, ...] = ()
        self._clean: set[tuple[str, str]] = set()  # path and text

    def follow(self, record: Record) -> Followed:
        """Judge one record and tell what it did."""
        self.judge(record, record.place)
        session = None if record.session is None else self.find_session(record.session)
        return self._told(None if session is None else session.clock)

    def pass_over(self, record: Record) -> None:
        """A record of a session that nobody follows: only the end of the log may be later for it (S54)."""
        self.last = record.place
        time_ns = record.time_ns
        if record.clock and time_ns is not None and not record.time_taken:
            self.ends[record.clock] = max(time_ns, self.ends.get(record.clock, time_ns))
        elif time_ns is not None and (self.end is None or time_ns > self.end):
            self.end = time_ns

    def conclude(self, *, complete: bool = False) -> tuple[Verdict, Followed]:
        """Say that the log is over, as `finish` does, and tell what its end did: to all sessions."""
        verdict = self.finish(complete=complete)
        return verdict, self._told(self.end)

    def _told(self, now: int | None) -> Followed:
        found = [*self._found, *((now, violation) for violation in self.book.take_new())]
        told = Followed(now, tuple(self._changes), tuple(self._events), tuple(found))
        self._changes, self._events, self._found = [], [], []
        return told

    def _note(self, session: Session, instance: Instance, cause: Cause) -> None:
        names = instance.table.names
        event = instance.first_stay()[1] if cause is not Cause.CLOCK else None
        states = tuple(names[each] for each in instance.states())
        self._changes.append(Change(session.id, _name_of(instance), states, session.clock, cause, event))

    # --- where the monitor is listened to ------------------------------------------------------------

    def session(self, name: str, place: Position, time_ns: int | None) -> Session:
        is_new = self.find_session(name) is None
        session = super().session(name, place, time_ns)
        if is_new and self.tables.begins_simply:  # else each instance was told when it was created
            for instance in session.plain:
                self._note(session, instance, Cause.BEGAN)
        return session

    def _happen(self, session: Session, due: Due, shown: Witness, *, at_end: bool) -> None:
        self._found += ((session.clock, violation) for violation in self.book.take_new())
        super()._happen(session, due, shown, at_end=at_end)
        self._found += ((session.clock, violation) for violation in self.book.take_new())

    def _search(self, session: Session | None, record: Record, place: Position) -> None:
        """Most texts of a record stood at the same path of an earlier one: those are not searched again."""
        if all(self._is_clean(path, text) for path, text in texts_of(record.body)):
            if session is not None:
                for _, prop in self.tables.forbids:
                    self.book.armed[prop] += 1
        else:
            super()._search(session, record, place)

    def _is_clean(self, path: str, text: str) -> bool:
        if (path, text) in self._clean:
            return True
        if any(find_forbidden(forbid, path, text) for forbid, _ in self.tables.forbids):
            return False
        if len(text) <= _LONGEST_CLEAN:
            if len(self._clean) >= _MOST_CLEAN:
                self._clean.clear()
            self._clean.add((path, text))
        return True

    def _event(self, session: Session, step: Step, event: Happening) -> None:
        self._taken_by = ()
        super()._event(session, step, event)
        self._events.append(Taken(event.name, event.machine, event.source, event.target, event.owner, self._taken_by))

    def _take(
        self,
        session: Session,
        step: Step,
        event: Happening,
        takers: list[tuple[MachineTable, Key | None, frozenset[str | None]]],
    ) -> None:
        self._taken_by = tuple((table.name, key_text(key, len(table.keys))) for table, key, _ in takers)
        super()._take(session, step, event, takers)


class _Told(Mover):
    """A mover that tells of each move, and what made it."""

    def __init__(self, monitor: Monitor, note: Callable[[Session, Instance, Cause], None]) -> None:
        super().__init__(monitor.tables, monitor.book, Witnesses(monitor.tables, monitor.book))
        self._note = note
        self._cause = Cause.EVENT

    def moved(self, session: Session, instance: Instance, before: int) -> None:
        super().moved(session, instance, before)
        self._note(session, instance, self._cause if before else Cause.BEGAN)

    def move_by_clock(self, session: Session, step: Step, instance: Instance, state: int, way: Way) -> None:
        before, self._cause = self._cause, Cause.CLOCK
        super().move_by_clock(session, step, instance, state, way)
        self._cause = before

    def react(self, session: Session, step: Step, event: Happening | None = None) -> None:
        before, self._cause = self._cause, Cause.REACTION
        super().react(session, step, event)
        self._cause = before

    def unseen(self, session: Session) -> None:
        before, self._cause = self._cause, Cause.UNSEEN
        super().unseen(session)
        self._cause = before

    def lose_clocked(self, session: Session) -> None:
        before, self._cause = self._cause, Cause.UNSEEN
        super().lose_clocked(session)
        self._cause = before


def _name_of(instance: Instance) -> InstanceName:
    return instance.table.name, key_text(instance.key, len(instance.table.keys))
