"""One record as the draft's binding will read it. Owns the shape, and the reading of sessions and times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lifespec.infer.flat import Record, Seen
from lifespec.infer.name import is_writable
from lifespec.infer.role import MOST_EVENTS, Roles


@dataclass(slots=True)
class Step:
    """`session` is a number; `machine` is the one that the record names. `event` None: without a name, or with one that
    cannot be written."""

    record: Record
    session: int
    time: int | None
    event: str | None
    machine: str | None
    source: str | None
    to: str | None
    owner: str | None
    is_status: bool = False  # it says where its machine is, which may be where it was


@dataclass(slots=True)
class Read:
    """All steps, and what reading them met with."""

    steps: list[Step]
    sessions: int = 0
    without_session: int = 0
    without_time: int = 0
    untimed: int = 0  # those of them that have no time before them either
    reversed: int = 0
    passed_over: int = 0  # records whose event has a name that is not taken up
    last: dict[int, int] = field(default_factory=dict)  # the last time of each session


def read_steps(seen: Seen, roles: Roles) -> Read:
    """The records as steps of their sessions, in the order of the logs."""
    read = Read([])
    read.steps = list(_steps(seen, roles, read))
    return read


def _steps(seen: Seen, roles: Roles, read: Read) -> Iterator[Step]:
    known = _known_events(roles)
    sessions: dict[tuple[int, str], int] = {}
    before: dict[int, int] = {}
    clocks: dict[int, int] = {}
    for record in roles.records:
        session = roles.name(roles.session, record)
        if session is None:
            read.without_session += roles.session is not None
            session = seen.file_names[record.log]
        number = sessions.setdefault((record.log, session), len(sessions))
        time = None
        if roles.time is not None:
            time = roles.time.ns(record)
            if time is None:
                read.without_time += 1
                time = before.get(record.log)
                read.untimed += time is None
            if time is not None:
                before[record.log] = time
        event = roles.name(roles.event, record)
        to = roles.name(roles.to, record)
        if event is not None and event not in known:
            event = None
            if to is None:
                read.passed_over += 1
                continue
        if time is not None:
            read.reversed += time < clocks.get(number, time)
            clocks[number] = max(time, clocks.get(number, time))
        yield Step(
            record,
            number,
            clocks.get(number),
            event,
            roles.name(roles.machine, record),
            roles.name(roles.source, record),
            to,
            roles.name(roles.owner, record),
            is_status=roles.status in record.values,
        )
    read.sessions = len(sessions)
    read.last = clocks


def _known_events(roles: Roles) -> set[str]:
    """The names of events that are taken up: those that can be written, the most frequent ones if there are many."""
    if roles.event is None:
        return set()
    counted = roles.columns[roles.event.path].values
    able = sorted((name for name in counted if is_writable(name)), key=lambda name: (-counted[name], name))
    return set(able[:MOST_EVENTS])
