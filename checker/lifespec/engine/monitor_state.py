"""What the monitor keeps of a session: its instances, its clock, what it waits for. Owns the shapes; decides nothing.

Everything is as small as it can be, since there is one of it for each open session or each key. A *position* is
where a record stands: the number of its line where the monitor reads blocks of rows, else its Place.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from lifespec.engine.table_value import NOT_SET, Key, Value
from lifespec.model.value import LogValue
from lifespec.verdict import Place, Witness

if TYPE_CHECKING:
    from lifespec.engine.table_machine import MachineTable
    from lifespec.engine.table_rule import EveryTable, ExpectTable
    from lifespec.engine.table_value import Reader
    from lifespec.engine.tables import Tables

Position = int | Place

BEGAN = 1  # a stay that was not entered: the instance began in it
BROKEN = 2  # its bound has been reported
UNBOUNDED = 4  # it is not there for certain, or was not all the time: its bound is not judged
BY_CLOCK = 8  # the clock entered it, behind the record that has its place

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
        "event",
        "flags",
        "key",
        "mask",
        "memory",
        "order",
        "passed",
        "place",
        "since",
        "state",
        "stays",
        "table",
    )

    def __init__(
        self,
        table: MachineTable,
        key: Key | None,
        order: int,
        state: int,
        mask: int,
        since: int | None,
        place: Position,
        event: str | None = None,
        flags: int = BEGAN,
        stays: dict[int, Stay] | None = None,
        memory: list[object] | None = None,
        passed: int = 0,
    ) -> None:
        self.table = table
        self.key = key
        self.order = order
        self.state = state
        self.mask = mask
        self.since = since
        self.place = place
        self.event = event
        self.flags = flags
        self.stays = stays
        self.memory = memory
        self.passed = passed

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

    __slots__ = ("fields", "machine", "machines", "may_be", "name", "owner", "source", "status", "target", "values")

    def __init__(
        self,
        name: str | None,
        machine: str | None,
        source: str | None,
        target: str | None,
        status: bool,
        owner: str | None,
        fields: Fields,
        values: dict[str, Value] | None = None,
        machines: int = 0,
        may_be: frozenset[str] = frozenset(),
    ) -> None:
        self.name = name
        self.machine = machine
        self.source = source
        self.target = target
        self.status = status
        self.owner = owner
        self.fields = fields
        self.values = values
        self.machines = machines
        self.may_be = may_be

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

    def __init__(
        self,
        place: Position,
        shown: Witness | None = None,
        happenings: list[Happening] | None = None,
        faulty: set[str] | None = None,
        entries: list[Entry] | None = None,
        answered: int = 0,
        reacted: set[int] | None = None,
    ) -> None:
        self.place = place
        self.shown = shown
        self.happenings: list[Happening] = [] if happenings is None else happenings
        self.faulty = faulty
        self.entries: list[Entry] = [] if entries is None else entries
        self.answered = answered
        self.reacted = reacted


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

    def __init__(
        self,
        every: EveryTable,
        concerned: Instance | None,
        entered: Position,
        since: int,
        sign: Position | None = None,
        silent: bool = False,
    ) -> None:
        self.every = every
        self.concerned = concerned
        self.entered = entered
        self.since = since
        self.sign = sign
        self.silent = silent


class Counter:
    """Of `at most n while`."""

    __slots__ = ("count", "first", "holds")

    def __init__(self, holds: bool = False, count: int = 0, first: Position | None = None) -> None:
        self.holds = holds
        self.count = count
        self.first = first


_CLOCK_BITS = 80  # the running times of two clocks are further apart than any two of one


class Clocks:
    """The clocks of a session that tells several apart (S59): the name of the one that speaks, the others with their
    time and where they stood, how many numbers were given, a bit for each property that no single clock measures.

    The running time of the n-th clock counts from n times 2**_CLOCK_BITS, so that each running time tells of which
    clock it is.
    """

    __slots__ = ("count", "name", "others", "unmeasured")

    def __init__(self, name: str) -> None:
        self.name = name
        self.others: dict[str, tuple[int, int]] = {}
        self.count = 1
        self.unmeasured = 0


def length_between(begin: int, end: int) -> int | None:
    """How long it is between two running times of a session, ns; None if they are of different clocks."""
    return end - begin if begin >> _CLOCK_BITS == end >> _CLOCK_BITS else None


Crowd = list[Instance] | dict[int, Instance]  # few instances, or many by their order


class Session:
    """Everything known of one session.

    `due` is an instant before which nothing is due. `stood` is the instant at which the running time would have begun
    without pauses. `dirty` has a bit for each machine of which an instance has changed since the rules were judged.
    `violated` has a bit for each property, `armed` counts each of which the number matters. Of `always`
    parts `asked` has a bit for each that has been looked at, `holding` and `unknown` say how they came out, `stretches`
    which are found broken already. `live` are the instances in a state that something looks at. `clocks` are there
    where a binding tells several apart; `clock` and `stood` are of the one that speaks.
    """

    __slots__ = (
        "armed",
        "asked",
        "clock",
        "clocks",
        "counters",
        "dirty",
        "due",
        "ended",
        "first",
        "holding",
        "id",
        "is_doubtful",
        "is_special",
        "is_time_doubtful",
        "keyed",
        "last",
        "live",
        "number",
        "obligation_count",
        "obligations",
        "order",
        "paused",
        "plain",
        "skipped",
        "steps",
        "stood",
        "stretches",
        "unknown",
        "violated",
        "watches",
        "windows",
    )

    def __init__(
        self,
        id: str,
        first: Position,
        last: Position,
        clock: int | None,
        stood: int,
        keyed: Sequence[dict[Key, Instance] | None],
        live: Sequence[Crowd | None],
        plain: Sequence[Instance] = (),
        due: int = AT_ONCE,
        order: int = 0,
        dirty: int = 0,
        steps: int = 0,
        violated: int = 0,
        armed: dict[int, int] | None = None,
        asked: int = 0,
        holding: int = 0,
        unknown: int = 0,
        stretches: int = 0,
        obligation_count: int = 0,
        number: int = 0,
        paused: bool = False,
        ended: bool = False,
        is_time_doubtful: bool = False,
        is_doubtful: bool = False,
        is_special: bool = False,
        skipped: dict[int, int] | None = None,
        obligations: list[Obligation] | None = None,
        watches: list[Watch] | None = None,
        windows: dict[int, deque[tuple[int, Position]]] | None = None,
        counters: dict[int, Counter] | None = None,
        clocks: Clocks | None = None,
    ) -> None:
        self.id = id
        self.first = first
        self.last = last
        self.clock = clock
        self.stood = stood
        self.keyed = keyed
        self.live = live
        self.plain = plain
        self.due = due
        self.order = order
        self.dirty = dirty
        self.steps = steps
        self.violated = violated
        self.armed = armed
        self.asked = asked
        self.holding = holding
        self.unknown = unknown
        self.stretches = stretches
        self.obligation_count = obligation_count
        self.number = number
        self.paused = paused
        self.ended = ended
        self.is_time_doubtful = is_time_doubtful
        self.is_doubtful = is_doubtful
        self.is_special = is_special
        self.skipped = skipped
        self.obligations = obligations
        self.watches = watches
        self.windows = windows
        self.counters = counters
        self.clocks = clocks

    @property
    def has_several_clocks(self) -> bool:
        """More than one clock has spoken."""
        return self.clocks is not None and self.clocks.count > 1

    def turn_to(self, name: str, time_ns: int) -> None:
        """S59: from now on the clock of this name speaks."""
        if self.clocks is None:
            self.clocks = Clocks("")
        clocks = self.clocks
        if name == clocks.name or self.clock is None:
            clocks.name = name
            return
        clocks.others[clocks.name] = (self.clock, self.stood)
        found = clocks.others.pop(name, None)
        if found is None:
            found = (time_ns, time_ns - (clocks.count << _CLOCK_BITS))
            clocks.count += 1
        clocks.name = name
        self.clock, self.stood = found
        self.due = AT_ONCE
        self.is_doubtful = self.is_special = True

    @property
    def clock_number(self) -> int:
        """The number of the clock that speaks."""
        return self.active >> _CLOCK_BITS

    def is_measured(self, since: int) -> bool:
        """Whether the clock that speaks measures what has begun at this running time."""
        return self.clocks is None or since >> _CLOCK_BITS == self.active >> _CLOCK_BITS

    def leave_unmeasured(self, prop: int, since: int) -> None:
        """S59: what is over now and began at `since` was not measured by a single clock, if it is so."""
        if self.clocks is not None and not self.is_measured(since):
            self.clocks.unmeasured |= 1 << prop

    @property
    def active(self) -> int:
        """The running time: the clock less what was paused."""
        return 0 if self.clock is None else self.clock - self.stood

    def look_at_itself(self) -> None:
        """Find out again whether it is special."""
        self.is_special = self.paused or self.unknown != 0 or self.is_doubtful or self.dirty < 0

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
        if not found:
            return []
        if type(found) is dict:
            return [found[order] for order in sorted(found)]
        assert type(found) is list
        return sorted(found, key=_by_order) if len(found) > 1 else found[:]

    def enter_crowd(self, instance: Instance) -> None:
        """The instance is now in a state that something looks at."""
        slot = instance.table.slot
        if type(self.live) is tuple:
            self.live = list(self.live)
        found = self.live[slot]
        if found is None:
            found = self.live[slot] = []  # type: ignore[index]  # a list by now
        if type(found) is list:
            found.append(instance)
            if len(found) > _CROWD:
                self.live[slot] = {each.order: each for each in found}  # type: ignore[index]  # as above
        else:
            found[instance.order] = instance

    def leave_crowd(self, instance: Instance) -> None:
        """It no longer is."""
        found = self.live[instance.table.slot]
        if type(found) is list:
            found.remove(instance)
        else:
            del found[instance.order]  # type: ignore[union-attr]  # a dictionary


def _by_order(instance: Instance) -> int:
    return instance.order


_CROWD = 16  # beyond so many a list would be slow


def new_instance(table: MachineTable, key: Key | None, order: int, since: int | None, place: Position) -> Instance:
    """An instance in its initial state."""
    return Instance(table, key, order, table.initial, 1 << table.initial, since, place)


def new_session(tables: Tables, name: str, place: Position, clock: int | None) -> Session:
    """A session that has no instances yet."""
    return Session(name, place, place, clock, clock or 0, tables.no_keys, tables.no_keys)
