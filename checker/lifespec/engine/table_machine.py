"""A machine and its transitions, their names become numbers. Owns the shapes and what is asked of one machine alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lifespec.engine.monitor_state import BEGAN, Instance, Position, Session, Stay, bits, new_instance
from lifespec.engine.table_expression import Compiled
from lifespec.engine.table_value import NOT_KNOWN, Key, Reader
from lifespec.model.model import After, At, EnterSet, Machine, On, StateKind, Transition, When

if TYPE_CHECKING:
    from lifespec.engine.tables import Tables

EnterMask = tuple[int, bool]  # the states, and whether they are a group


class Way:
    """A transition. `targets` and `sources` are numbers of states; `remembers` pairs a memory with its value."""

    __slots__ = (
        "at",
        "cause",
        "clock_ns",
        "goes",
        "index",
        "may_be_unseen",
        "names",
        "of",
        "owners",
        "remembers",
        "require",
        "requires",
        "source_mask",
        "stays",
        "table",
        "targets",
        "transition",
        "where",
    )  # fmt: skip

    def __init__(self, transition: Transition, table: MachineTable, tables: Tables) -> None:
        compiler = tables.compiler
        self.transition = transition
        self.table = table
        self.index = transition.index
        self.source_mask = table.mask_of(transition.sources)
        self.targets = tuple(table.numbers[state] for state in transition.targets)
        self.stays = not self.targets
        self.goes = self.targets[0] if self.targets else -1
        trigger = transition.trigger
        self.names = frozenset(trigger.events) if isinstance(trigger, On) else frozenset[str]()
        self.of = trigger.of if isinstance(trigger, On) else None
        self.cause = CauseTable(trigger, tables) if isinstance(trigger, When) else None
        self.at: Compiled | None = compiler.value(trigger.value) if isinstance(trigger, At) else None
        self.clock_ns = trigger.ns if isinstance(trigger, After) else None
        self.where: Compiled | None = None if transition.where is None else compiler.value(transition.where)
        self.owners: frozenset[str] | None = None
        if transition.owners and tables.client.has_owner:
            self.owners = frozenset(transition.owners)
        self.requires = tuple(dict.fromkeys(transition.requires))
        self.require = tuple((compiler.value(each.condition), each) for each in transition.require)
        self.remembers = tuple((table.memories[a.name], compiler.value(a.value)) for a in transition.remember)
        self.may_be_unseen = tables.is_unseen(transition)

    def owed(self, goes: int, *, enters: bool) -> tuple[str, ...]:
        """The fields owed by a record that takes it into `goes`."""
        if not enters:
            return self.requires
        return tuple(dict.fromkeys((*self.requires, *self.table.required[goes])))


class CauseTable:
    """The trigger of a reaction."""

    __slots__ = ("another", "enters", "key", "machine")

    def __init__(self, trigger: When, tables: Tables) -> None:
        self.machine = tables.machines[trigger.machine]
        self.another = trigger.another
        self.key = tables.compiler.key(trigger.index) if trigger.index else None
        self.enters = self.machine.enter_masks(trigger.enters)


class MachineTable:
    """A machine. `slot` is its number among those with a key (-1 without), `plain_number` among the others."""

    def __init__(self, machine: Machine, number: int, slot: int, plain_number: int) -> None:
        self.machine = machine
        self.name = machine.name
        self.number = number
        self.bit = 2 << number  # in a mask of what has changed; 1 is the clock
        self.member = 1 << number  # in a mask of machines
        self.slot = slot
        self.plain_number = plain_number
        self.keys = machine.keys
        self.names = tuple(machine.states)
        self.numbers = {name: place for place, name in enumerate(self.names)}
        self.every = (1 << len(self.names)) - 1
        self.initial = self.numbers[machine.initial]
        self.finals = self.mask_of(machine.finals)
        ends = (StateKind.INITIAL, StateKind.FAILURE, StateKind.FINAL)
        self.ends = self.mask_of(s.name for s in machine.states.values() if s.kind in ends)
        self.required = tuple(state.requires for state in machine.states.values())
        self.within = tuple(state.within_ns for state in machine.states.values())
        self.ignored = machine.ignored
        self.memories = {name: place for place, name in enumerate(machine.memories)}
        self.memory_count = len(self.memories)
        self.key_readers: tuple[tuple[str, Reader], ...] = ()
        self.ways: tuple[Way, ...] = ()
        self.reactions: tuple[Way, ...] = ()
        self.clocked: tuple[Way, ...] = ()
        self.is_restless = False
        self.may_exist_unseen = False
        self.waits: tuple[int | None, ...] = ()  # by state: how long after its entry nothing is due; None: not known
        self.transitions_prop = -1
        self.bound_props: tuple[int, ...] = ()
        self.hidden = 1 << self.initial
        self.hidden_memories: tuple[int, ...] = ()
        self.caused_sources = 0  # left by clock or reaction
        self.interesting = 0  # states that reactions, the clock or a condition look at
        self.timed = 0  # states with a bound, or left by the clock
        self.causes = 0  # states whose entry some reaction or rule waits for
        self.event_list: tuple[str, ...] = ()
        self.event_numbers: dict[str, int] = {}
        self.has_triggerless = False
        self.is_conditional = False  # some `after` or `at` has a `where`
        self.own_events: frozenset[str] = frozenset()
        self._candidates: dict[tuple[int, str | None, int | None, frozenset[str | None]], tuple[Way, ...]] = {}

    def mask_of(self, states: Iterable[str]) -> int:
        """A bit for each of the states."""
        mask = 0
        for state in states:
            mask |= 1 << self.numbers[state]
        return mask

    def enter_masks(self, enters: Iterable[EnterSet]) -> tuple[EnterMask, ...]:
        """What `enters` looks for."""
        return tuple((self.mask_of(each.states), each.is_group) for each in enters)

    def knows(self, event: str) -> bool:
        """S4: it takes the event without `of`, or ignores it."""
        return event in self.own_events or event in self.ignored

    def unseen(self, session: Session, key: Key | None) -> Instance:
        """S11: an instance for which no record has been."""
        instance = new_instance(self, key, -1, None, session.first)
        if self.hidden != 1 << self.initial:
            self.hide(instance, session.first)
        for number in self.hidden_memories:
            instance.write(number, NOT_KNOWN, session.first)
        return instance

    def hide(self, instance: Instance, place: Position) -> None:
        """It may be in any state that it may have reached unseen, nobody knows since when."""
        instance.put({state: Stay(None, place, None, BEGAN) for state in bits(self.hidden)})

    def candidates(
        self, state: int, name: str | None, target: int | None, of: frozenset[str | None]
    ) -> tuple[Way, ...]:
        """S12, S16: the transitions out of `state` (-1: out of any) that a record fits, whatever their `where`."""
        asked = (state, name if name is None or name in self.event_names else "", target, of)
        found = self._candidates.get(asked)
        if found is None:
            found = self._candidates[asked] = tuple(
                way
                for way in self.ways
                if (state < 0 or way.source_mask >> state & 1) and self._fits(way, state, name, target, of)
            )
        return found

    @staticmethod
    def _fits(way: Way, state: int, name: str | None, target: int | None, of: frozenset[str | None]) -> bool:
        trigger = way.transition.trigger
        if trigger is None:
            return target is not None and target in way.targets
        if not isinstance(trigger, On):
            return False
        if name is None:
            return way.of is None and target in way.targets
        if name not in way.names or way.of not in of:
            return False
        return target is None or target == (state if way.stays else way.goes)

    event_names: frozenset[str] = frozenset()  # of any `on`, with or without `of`


def wait_in(table: MachineTable, state: int) -> int | None:
    """How long after a state is entered nothing of it is due; None when that depends on more."""
    lengths = [] if table.within[state] is None else [table.within[state]]
    for way in table.clocked:
        if way.source_mask >> state & 1:
            if way.at is not None or way.where is not None:
                return None
            lengths.append(way.clock_ns)
    return min((length for length in lengths if length is not None), default=None)
