"""What the reference interpreter keeps of a session: its instances, its clock, its open obligations.

Owns state, decides nothing. Shares nothing with the other engine.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from lifespec.model.model import EnterSet, Every, Expect, Machine, StateKind, WhilePart
from lifespec.model.value import Duration, Instant
from lifespec.trace.event import Client, Event
from lifespec.verdict import Place, Property, Witness


class Unknown(Enum):
    """What is unknown: not set (S28), or set perhaps, but not known (S48)."""

    NOT_SET = "not set"
    NOT_KNOWN = "not known"


NOT_SET, NOT_KNOWN = Unknown.NOT_SET, Unknown.NOT_KNOWN

# A value at run time. Durations and instants of a declared type are int (ns); Duration and Instant occur
# only in undeclared fields that a binding converted.
Value = int | float | str | bool | Duration | Instant | Unknown
Key = tuple[tuple[str, int | float | str | bool], ...]


@dataclass(slots=True)
class Memory:
    """A remembered value and the record that wrote it. NOT_KNOWN: it is not known what was written, if anything
    was (S48); what is not remembered at all is simply not there."""

    value: Value
    place: Place


@dataclass(slots=True)
class Stay:
    """One stay in one possible state. `active_ns` is the session's running time when it began, None when that is not
    known, by the clock of the number `hand` (S59); `broken` says that its bound has been reported, `is_bounded` that it
    is there for certain and has been since it entered, so that its bound is judged (S50)."""

    active_ns: int | None
    place: Place
    event: str | None = None
    began: bool = False  # not entered: the instance began in it
    broken: bool = False
    is_bounded: bool = True
    hand: int = 0
    by_clock: bool = False  # the clock entered it, behind the record at `place`


@dataclass(slots=True)
class Instance:
    """One run of a machine. `stays` has an entry for each state it may be in (S48): nearly always one."""

    machine: Machine
    key: Key
    order: int  # among the instances of its session; smaller is older
    stays: dict[str, Stay]
    memory: dict[str, Memory] = field(default_factory=dict)
    passed: set[str] = field(default_factory=set)  # states left by clock or reaction since its last own record

    @property
    def states(self) -> frozenset[str]:
        return frozenset(self.stays)

    @property
    def state(self) -> str | None:
        """The state it is in, None when that is not certain."""
        return next(iter(self.stays)) if len(self.stays) == 1 else None

    def in_order(self) -> tuple[str, ...]:
        """The possible states in the order of declaration."""
        return tuple(s for s in self.machine.states if s in self.stays)

    @property
    def key_text(self) -> tuple[str, ...]:
        return tuple(str(part).lower() if isinstance(part, bool) else str(part) for _, part in self.key)

    def is_at_an_end(self) -> bool | None:
        """S55: in its initial, a failure or a final state; None when that is not known (S48). Without final states
        it owes nothing."""
        if not self.machine.finals:
            return True
        ends = (StateKind.INITIAL, StateKind.FAILURE, StateKind.FINAL)
        found = {self.machine.states[s].kind in ends for s in self.stays}
        return found.pop() if len(found) == 1 else None

    def since(self) -> Stay:
        """The stay that began last; of several possible ones the one of the first declared state."""
        return self.stays[self.in_order()[0]]


@dataclass(frozen=True, slots=True)
class Entry:
    """An instance entered `state` in this step, out of one of `left`."""

    instance: Instance
    state: str
    left: frozenset[str]
    certain: bool

    def is_into(self, sets: Iterable[EnterSet]) -> bool | None:
        """Whether it entered one of `sets`; a group is entered from outside of it (S42). None: it may have (S50)."""
        found: set[bool | None] = set()
        for each in sets:
            if self.state not in each.states or (each.is_group and self.left <= each.states):
                found.add(False)
            else:
                found.add(None if each.is_group and self.left & each.states else True)
        return True if True in found else None if None in found else False


@dataclass(frozen=True, slots=True)
class Taken:
    """An event of this step and the machines that took it."""

    event: Event
    machines: frozenset[str]
    may_be: frozenset[str] = frozenset()  # of a step without a name: the events it may have been (S16)


@dataclass(slots=True)
class Step:
    """A record or what the clock did, while it is worked on. `shown_by` is the record that moved the clock."""

    place: Place
    shown_by: Witness | None = None
    taken: list[Taken] = field(default_factory=list)
    faulty: set[str] = field(default_factory=set)  # fields with a finding already: one cause, one finding (S23)
    entries: list[Entry] = field(default_factory=list)
    answered: int = 0  # how many of the entries have caused their reactions (S37)
    reacted: set[int] = field(default_factory=set)  # orders of the instances that have reacted (S38)


@dataclass(slots=True)
class Obligation:
    """An answer that is owed (S43)."""

    expect: Expect
    property: Property
    position: tuple[int, int, int]  # rule, part, action: the order of declaration
    asked: Event | None
    concerned: Instance | None
    place: Place
    since_ns: int  # running time
    order: int
    unsure: bool = False  # it may have been answered without our knowing (S50, S51)
    hand: int = 0  # the number of the clock that measures it (S59)


@dataclass(slots=True)
class Watch:
    """A `while` part that holds now, for one concerned instance or for none (S44)."""

    part: WhilePart
    every: Every
    property: Property
    position: tuple[int, int, int]
    concerned: Instance | None
    entered: Place
    since_ns: int  # running time of the entry or of the last sign
    sign: Place | None = None
    silent: bool = False
    hand: int = 0  # the number of the clock that measures it (S59)


@dataclass(slots=True)
class Counter:
    """Of `at most n while` (S46)."""

    holds: bool = False
    count: int = 0
    first: Place | None = None


@dataclass(frozen=True, slots=True)
class Hand:
    """A clock of a session while another one speaks (S59): its number, its time, its running time."""

    number: int
    clock: int
    active: int


@dataclass(slots=True)
class Session:
    """Everything known of one session. `clock`, `active` and `hand` are of the clock of the last record."""

    id: str
    client: Client
    first: Place
    last: Place
    clock: int | None = None  # ns; None: the log has no clock
    active: int = 0  # running time: the clock less what was paused
    paused: bool = False
    ended: bool = False
    instances: dict[tuple[str, Key], Instance] = field(default_factory=dict)
    obligations: list[Obligation] = field(default_factory=list)
    watches: dict[tuple[tuple[int, int, int], int], Watch] = field(default_factory=dict)
    windows: dict[tuple[int, int, int], dict[int, deque[tuple[int, Place]]]] = field(default_factory=dict)  # by hand
    counters: dict[tuple[int, int, int], Counter] = field(default_factory=dict)
    stretches: set[tuple[int, int]] = field(default_factory=set)  # `always` parts that do not hold now
    armed: dict[Property, int] = field(default_factory=dict)
    not_judged: dict[Property, int] = field(default_factory=dict)
    violated: set[Property] = field(default_factory=set)
    obligation_count: int = 0
    is_time_doubtful: bool = False  # an event of it has no time of its own (S56)
    clock_name: str = ""
    hand: int = 0
    hands: int = 1  # numbers given so far
    others: dict[str, Hand] = field(default_factory=dict)  # the clocks that do not speak now, by name
    unmeasured: set[Property] = field(default_factory=set)  # began by one clock and ended by another

    @property
    def has_several_clocks(self) -> bool:
        return self.hands > 1

    def of_machine(self, name: str) -> list[Instance]:
        """The existing instances of a machine, oldest first."""
        return [i for (machine, _), i in self.instances.items() if machine == name]
