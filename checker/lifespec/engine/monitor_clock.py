"""What is due in a session, and when (semantics S32 to S36). Owns the order of what is due; makes nothing happen."""

from __future__ import annotations

from lifespec.engine.monitor_state import (
    AT_ONCE,
    BROKEN,
    NEVER,
    UNBOUNDED,
    Instance,
    Obligation,
    Session,
    Watch,
)
from lifespec.engine.table_machine import Way
from lifespec.engine.table_value import NOT_KNOWN
from lifespec.engine.tables import Tables

_AT, _AFTER, _BOUND, _EVERY, _EXPECT = range(5)


class Due:
    """Something due at `instant`; what it is by what is set. `order` settles equal instants."""

    __slots__ = ("instance", "instant", "obligation", "order", "state", "watch", "way")

    def __init__(
        self,
        instant: int,
        order: tuple[int, tuple[int, ...], int],
        instance: Instance | None = None,
        state: int = -1,
        way: Way | None = None,
        watch: Watch | None = None,
        obligation: Obligation | None = None,
    ) -> None:
        self.instant = instant
        self.order = order
        self.instance = instance
        self.state = state
        self.way = way
        self.watch = watch
        self.obligation = obligation


class Clock:
    """Finds what is due next."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def next_due(self, session: Session, until: int) -> Due | None:
        """The first thing due: `at` at or before `until`, everything else before it.

        When there is none, `session.due` becomes the instant before which there will be none.
        """
        first: Due | None = None
        earliest = NEVER
        for due in self._all(session):
            if due.instant < earliest:
                earliest = due.instant
            is_due = due.instant < until or (due.order[0] == _AT and due.instant == until)
            if is_due and (first is None or (due.instant, due.order) < (first.instant, first.order)):
                first = due
        session.due = AT_ONCE if first is not None or self._is_unsteady(session) else earliest
        return first

    def _is_unsteady(self, session: Session) -> bool:
        """Something may become due without the clock: it waits for a condition."""
        if session.paused:
            return True
        for table in self.tables.timed:
            for instance in session.of_interest(table):
                if instance.state < 0 or (table.is_conditional and table.timed >> instance.state & 1):
                    return True
        return False

    def _all(self, session: Session) -> list[Due]:
        found: list[Due] = []
        for table in self.tables.timed:
            for instance in session.of_interest(table):
                for state in instance.states() if instance.mask & table.timed else ():
                    if table.timed >> state & 1:
                        self._of_state(session, instance, state, found)
        for watch in session.watches or ():
            if not watch.silent:
                instant = _real(session, watch.since + watch.every.ns)
                if instant is not None:
                    age = -1 if watch.concerned is None else watch.concerned.order
                    found.append(Due(instant, (_EVERY, watch.every.position, age), watch=watch))
        for owed in session.obligations or ():
            instant = _real(session, owed.since + owed.expect.ns)
            if instant is not None:
                found.append(Due(instant, (_EXPECT, owed.expect.position, owed.order), obligation=owed))
        return found

    def _of_state(self, session: Session, instance: Instance, state: int, found: list[Due]) -> None:
        table = instance.table
        certain = instance.state >= 0
        if certain:
            since, flags = instance.since, instance.flags
        else:
            assert instance.stays is not None
            since, flags = instance.stays[state].since, instance.stays[state].flags
        for way in table.clocked:
            if not way.source_mask >> state & 1 or way.stays:
                continue
            if not certain and instance.passed >> state & 1 and instance.mask >> way.goes & 1:
                continue  # it may have happened already, and so adds nothing
            instant: int | None
            if way.at is not None:
                if session.has_several_clocks:
                    continue
                value = way.at(session, None, instance, None, None, None)
                if type(value) is not int:
                    continue
                assert session.clock is not None
                instant, rank = max(value, session.clock), _AT
            else:
                assert way.clock_ns is not None
                instant, rank = (None if since is None else _real(session, since + way.clock_ns)), _AFTER
                if instant is None:
                    continue
            if way.where is not None:
                holds = way.where(session, None, instance, None, None, instant)
                if holds is not True and holds is not NOT_KNOWN:
                    continue
            found.append(Due(instant, (rank, (table.number, way.index), instance.order), instance, state, way))
        within = table.within[state]
        if within is not None and certain and since is not None and not flags & (UNBOUNDED | BROKEN):
            instant = _real(session, since + within)
            if instant is not None:
                found.append(Due(instant, (_BOUND, (table.number, state), instance.order), instance, state))


def _real(session: Session, active: int) -> int | None:
    """The instant at which the running time will be `active`; None while it stands still."""
    if session.clocks is not None and not session.is_measured(active):
        return None
    if session.paused and active >= session.active:
        return None
    assert session.clock is not None
    return session.clock + max(0, active - session.active)
