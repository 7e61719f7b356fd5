"""What the monitor keeps of a session: its instances, its clock, what it waits for. Owns the shapes; decides nothing.

Everything is as small as it can be, since there is one of it for each open session or each key. A *position* is
where a record stands: the number of its line where the monitor reads blocks of rows, else its Place.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from lifespec.engine.table_value import NOT_SET, Key, Unknown, Value
from lifespec.model.value import LogValue
from lifespec.verdict import Place, Witness

if TYPE_CHECKING:
    from lifespec.engine.tables import EveryTable, ExpectTable, MachineTable, Reader, Tables

Position = int | Place

BEGAN = 1  # a stay that was not entered: the instance began in it
BROKEN = 2  # its bound has been reported
UNBOUNDED = 4  # it is not there for certain, or was not all the time: its bound is not judged

NEVER = 1 << 200  # an instant behind all others
AT_ONCE = -NEVER


class Stay:
    """One stay in one of several possible states. `since` is the running time of its begin, None: not known."""

    __slots__ = ("event", "flags", "place", "since")

    def __init__(self, since: int | None, place: Position, event: str | None = None, flags: int = 0) -> None:
        self.since = since
        self.place = place
        self.event = event
        self.flags = flags


class Instance:
    """One run of a machine. `state` is the number of its state, -1 if it may be in several; `mask` has a bit for each.

    With one state the stay is in `since`, `place`, `event` and `flags`; with more `stays` has one for each.
    `memory` holds a value and a position for each thing it may remember. `passed` are the states left by clock or
    reaction since its last own record. `order` is -1 for one that nobody has seen (S11).
    """

    __slots__ = (
        "event", "flags", "key", "mask", "memory", "order", "passed", "place", "since", "state", "stays", "table",
    )  # fmt: skip

    def __init__(self, table: MachineTable, key: Key | None, order: int, since: int | None, place: Position) -> None:
        self.table = table
        self.key = key
        self.order = order
        self.state = table.initial
        self.mask = 1 << table.initial
        self.since = since
        self.place = place
        self.event: str | None = None
        self.flags = BEGAN
        self.stays: dict[int, Stay] | None = None
        self.memory: list[object] | None = None
        self.passed = 0

    def stays_now(self) -> dict[int, Stay]:
        """A stay for each possible state, in no order."""
        if self.stays is not None:
            return dict(self.stays)
        return {self.state: Stay(self.since, self.place, self.event, self.flags)}

    def put(self, stays: dict[int, Stay]) -> None:
        """From now on it may be in these states."""
        if len(stays) == 1:
            ((self.state, stay),) = stays.items()
            self.mask = 1 << self.state
            self.since, self.place, self.event, self.flags = stay.since, stay.place, stay.event, stay.flags
            self.stays = None
            return
        self.state = -1
        self.mask = 0
        for state in stays:
            self.mask |= 1 << state
        self.stays = stays

    def first_state(self) -> int:
        """Its state; of several the first declared."""
        return self.state if self.state >= 0 else (self.mask & -self.mask).bit_length() - 1

    def states(self) -> list[int]:
        """The states it may be in, as declared."""
        return [self.state] if self.state >= 0 else bits(self.mask)

    def first_stay(self) -> tuple[Position, str | None, int]:
        """Place, event and flags of the stay in `first_state`."""
        if self.stays is None:
            return self.place, self.event, self.flags
        stay = self.stays[self.first_state()]
        return stay.place, stay.event, stay.flags

    def recall(self, number: int) -> Value:
        """What it remembers as its `number`th memory."""
        return NOT_SET if self.memory is None else self.memory[2 * number]  # type: ignore[return-value]  # a Value there

    def write(self, number: int, value: Value, place: Position) -> None:
        """Remember, or with NOT_SET forget."""
        memory = self.memory
        if memory is None:
            if value is NOT_SET:
                return
            memory = self.memory = [NOT_SET, None] * self.table.memory_count
        memory[2 * number] = value
        memory[2 * number + 1] = place


def bits(mask: int) -> list[int]:
    """The numbers of the bits that are set, from the lowest."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


class Fields(Protocol):
    """The fields of an event, as the log has them."""

    def get(self, name: str, /) -> LogValue:
        """The value under a name, None when there is none."""


class Happening:
    """An event while it is judged: the parts of an Event, and what its fields are worth.

    `machines` has a bit for each machine that took it; `may_be` are the events that a step without a name may be.
    """

    __slots__ = (
        "fields",
        "machine",
        "machines",
        "may_be",
        "name",
        "owner",
        "source",
        "status",
        "target",
        "values",
    )

    def __init__(
        self,
        name: str | None,
        machine: str | None,
        source: str | None,
        target: str | None,
        status: bool,
        owner: str | None,
        fields: Fields,
    ) -> None:
        self.name = name
        self.machine = machine
        self.source = source
        self.target = target
        self.status = status
        self.owner = owner
        self.fields = fields
        self.values: dict[str, Value] | None = None
        self.machines = 0
        self.may_be: frozenset[str] = frozenset()

    def value(self, name: str, read: Reader) -> Value:
        """What a bare name is worth; worked out once."""
        values = self.values
        if values is None:
            values = self.values = {}
        found = values.get(name)
        if found is None:
            raw = self.fields.get(name)
            found = values[name] = NOT_SET if raw is None else read(raw)
        return found


class Entry:
    """An instance entered `state` in this step, out of one of the states of the mask `left`."""

    __slots__ = ("certain", "instance", "left", "state")

    def __init__(self, instance: Instance, state: int, left: int, certain: bool) -> None:
        self.instance = instance
        self.state = state
        self.left = left
        self.certain = certain


class Step:
    """A record, or what the clock did, while it is worked on. `shown` is the record that moved the clock."""

    __slots__ = ("answered", "entries", "faulty", "happenings", "place", "reacted", "shown")

    def __init__(self, place: Position, shown: Witness | None = None) -> None:
        self.place = place
        self.shown = shown
        self.happenings: list[Happening] = []
        self.faulty: set[str] | None = None
        self.entries: list[Entry] = []
        self.answered = 0
        self.reacted: set[int] | None = None


class Obligation:
    """An answer that is owed."""

    __slots__ = ("asked", "concerned", "expect", "order", "place", "since", "unsure")

    def __init__(
        self,
        expect: ExpectTable,
        asked: Happening | None,
        concerned: Instance | None,
        place: Position,
        since: int,
        order: int,
        unsure: bool,
    ) -> None:
        self.expect = expect
        self.asked = asked
        self.concerned = concerned
        self.place = place
        self.since = since
        self.order = order
        self.unsure = unsure


class Watch:
    """A `while` part that holds now, for one instance or for none."""

    __slots__ = ("concerned", "entered", "every", "sign", "silent", "since")

    def __init__(self, every: EveryTable, concerned: Instance | None, entered: Position, since: int) -> None:
        self.every = every
        self.concerned = concerned
        self.entered = entered
        self.since = since
        self.sign: Position | None = None
        self.silent = False


class Counter:
    """Of `at most n while`."""

    __slots__ = ("count", "first", "holds")

    def __init__(self) -> None:
        self.holds = False
        self.count = 0
        self.first: Position | None = None


class Session:
    """Everything known of one session.

    `due` is an instant before which nothing is due. `dirty` has a bit for each machine of which an instance has
    changed since the rules were judged. `violated` has a bit for each property.
    """

    __slots__ = (
        "always", "armed", "clock", "counters", "dirty", "due", "ended", "first", "id", "keyed", "last",
        "live", "obligation_count", "obligations", "order", "paused", "plain", "skipped", "steps", "stood", "stretches",
        "timed", "unsteady", "violated", "watches", "windows",
    )  # fmt: skip

    def __init__(self, tables: Tables, name: str, place: Position, clock: int | None) -> None:
        self.id = name
        self.first = place
        self.last = place
        self.clock = clock
        self.stood = clock or 0  # the instant at which the running time would have begun without pauses
        self.paused = False
        self.ended = False
        self.order = 0
        self.plain: list[Instance] = []
        self.keyed: list[dict[Key, Instance] | None] = [None] * tables.keyed_count
        self.live: list[dict[int, Instance] | None] = [None] * tables.keyed_count
        self.timed: dict[int, Instance] | None = None
        self.due = AT_ONCE
        self.dirty = 0
        self.steps = 0
        self.violated = 0
        self.armed: list[int] = [0] * tables.counted
        self.skipped: dict[int, int] | None = None
        self.always: list[bool | Unknown | None] | None = None
        self.stretches = 0
        self.unsteady = False  # some `always` is unknown
        self.obligations: list[Obligation] | None = None
        self.obligation_count = 0
        self.watches: dict[tuple[int, int], Watch] | None = None
        self.windows: dict[int, deque[tuple[int, Position]]] | None = None
        self.counters: list[Counter] | None = None

    @property
    def active(self) -> int:
        """The running time: the clock less what was paused."""
        return 0 if self.clock is None else self.clock - self.stood

    @property
    def is_special(self) -> bool:
        """It does not run on simply: its clock stands still, or some `always` is unknown."""
        return self.paused or self.unsteady

    def expect_due(self, wait: int | None) -> None:
        """Something is due in `wait` of running time from now, and nothing of it before; None: perhaps at once."""
        if wait is None or self.paused or self.clock is None:
            self.due = AT_ONCE
        elif self.clock + wait < self.due:
            self.due = self.clock + wait

    def of(self, table: MachineTable) -> Iterator[Instance]:
        """The existing instances of a machine, oldest first."""
        if table.slot < 0:
            return iter((self.plain[table.plain_number],))
        found = self.keyed[table.slot]
        return iter(()) if found is None else iter(found.values())

    def of_interest(self, table: MachineTable) -> list[Instance]:
        """Those that are in a state that something looks at, oldest first."""
        if table.slot < 0:
            return [self.plain[table.plain_number]]
        found = self.live[table.slot]
        return [] if not found else [found[order] for order in sorted(found)]
