"""Model and client -> tables (DESIGN section 5). Owns the compiling; judges nothing and keeps nothing of a log.

Names have become numbers: of machines, of states (a set of states is a mask of bits), of memories, of properties.
What can be decided before any event is decided here, or once when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lifespec.engine.monitor_state import BEGAN, Instance, Position, Session, Stay, bits, new_instance
from lifespec.engine.table_expression import Compiled, Compiler, parts_in
from lifespec.engine.table_field import FieldTable
from lifespec.engine.table_value import NOT_KNOWN, Key, KeyPart, Value, key_part, reader_of
from lifespec.model.model import (
    After,
    Aggregate,
    AlwaysPart,
    And,
    At,
    AtMostPer,
    AtMostWhile,
    EnterSet,
    EventAnswer,
    EventAttribute,
    Every,
    Expect,
    Expr,
    KeyRef,
    Machine,
    Membership,
    MemoryRef,
    Model,
    On,
    OnPart,
    Requirement,
    Rule,
    RulePart,
    StateKind,
    Transition,
    When,
    WhenPart,
    WhilePart,
    Whose,
)
from lifespec.model.value import LogValue
from lifespec.trace.applicability import WHOLE, find_not_applicable
from lifespec.trace.event import Client
from lifespec.verdict import Property

Reader = Callable[[LogValue], Value]
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


# --- rules -----------------------------------------------------------------------------------------------------


class AnswerTable:
    """One alternative of an `expect` or `every`: events (with `same` and `where`), or a membership."""

    __slots__ = ("condition", "names", "same", "where")

    def __init__(self, answer: object, tables: Tables) -> None:
        self.names: frozenset[str] = frozenset()
        self.same: tuple[tuple[str, Reader], ...] = ()
        self.where: Compiled | None = None
        self.condition: Compiled | None = None
        if isinstance(answer, EventAnswer):
            self.names = frozenset(answer.events)
            self.same = tuple((name, tables.readers[name]) for name in answer.same)
            self.where = None if answer.where is None else tables.compiler.value(answer.where)
        else:
            self.condition = tables.compiler.value(answer.condition)  # type: ignore[attr-defined]  # a StateAnswer


class Looks:
    """What a condition looks at, so that it is known which moves cannot change it."""

    __slots__ = ("always", "memories", "states")

    def __init__(self, expr: Expr, tables: Tables) -> None:
        self.states: dict[int, list[tuple[int, bool]]] = {}  # by machine: states, and whether one inside matters too
        self.memories = 0  # members of machines of which something remembered is looked at
        self.always = tables.looks_at(expr) & TIME != 0
        for part in parts_in(expr):
            match part:
                case Membership():
                    table = tables.machines[part.instance.machine]
                    self.states.setdefault(table.number, []).append((table.mask_of(part.states), False))
                case Aggregate():
                    table = tables.machines[part.machine]
                    inside = part.where is not None or part.value is not None
                    self.states.setdefault(table.number, []).append((table.mask_of(part.states), inside))
                case MemoryRef() | KeyRef():
                    self.memories |= tables.machines[part.instance.machine].member
                case _:
                    pass

    def is_moved_by(self, table: MachineTable, before: int, after: int) -> bool:
        """Whether it may come out otherwise when an instance goes from one state to the other."""
        if self.always:
            return True
        for mask, inside in self.states.get(table.number, ()):
            left, entered = mask >> before & 1, mask >> after & 1
            if left != entered or (inside and left):
                return True
        return False

    def is_written_by(self, table: MachineTable) -> bool:
        """Whether it may come out otherwise when an instance remembers something."""
        if self.always or self.memories & table.member:
            return True
        return any(inside for _, inside in self.states.get(table.number, ()))

    def is_changed_by_new(self, table: MachineTable) -> bool:
        """Whether it may come out otherwise when there is a new instance, in its initial state."""
        return self.always or any(mask >> table.initial & 1 for mask, _ in self.states.get(table.number, ()))


class ActionTable:
    """What a part of a rule asks for. `position` is (rule, part, action)."""

    def __init__(self, position: tuple[int, int, int], rule: RuleTable) -> None:
        self.position = position
        self.rule = rule


class RequirementTable(ActionTable):
    def __init__(self, action: Requirement, position: tuple[int, int, int], rule: RuleTable, tables: Tables) -> None:
        super().__init__(position, rule)
        self.action = action
        self.condition = tables.compiler.value(action.condition)


class ExpectTable(ActionTable):
    def __init__(self, action: Expect, position: tuple[int, int, int], rule: RuleTable, tables: Tables) -> None:
        super().__init__(position, rule)
        self.action = action
        self.ns = action.ns
        self.answers = tuple(AnswerTable(each, tables) for each in action.answers)
        self.names = frozenset[str]().union(*(each.names for each in self.answers))
        self.looks = [Looks(each.condition, tables) for each in action.answers if not isinstance(each, EventAnswer)]
        self.conditions = tuple(each.condition for each in self.answers if each.condition is not None)
        self.may_come_unseen = not self.names.isdisjoint(tables.client.lacking_events)


class EveryTable(ActionTable):
    def __init__(self, action: Every, position: tuple[int, int, int], rule: RuleTable, tables: Tables) -> None:
        super().__init__(position, rule)
        self.action = action
        self.ns = action.ns
        self.answers = tuple(AnswerTable(each, tables) for each in action.answers)
        self.names = frozenset[str]().union(*(each.names for each in self.answers))
        self.may_come_unseen = not self.names.isdisjoint(tables.client.lacking_events)
        self.number = -1
        self.part: WhileTable


class AtMostPerTable(ActionTable):
    def __init__(self, action: AtMostPer, position: tuple[int, int, int], rule: RuleTable, number: int) -> None:
        super().__init__(position, rule)
        self.action = action
        self.ns = action.ns
        self.count = action.count
        self.number = number


class AtMostWhileTable(ActionTable):
    def __init__(
        self, action: AtMostWhile, position: tuple[int, int, int], rule: RuleTable, tables: Tables, number: int
    ) -> None:
        super().__init__(position, rule)
        self.action = action
        self.count = action.count
        self.during = tables.compiler.value(action.during)
        self.looks_at = tables.looks_at(action.during)
        self.looks = Looks(action.during, tables)
        self.number = number


Action = RequirementTable | ExpectTable | AtMostPerTable | AtMostWhileTable


class RuleTable:
    """A rule by its property."""

    def __init__(self, rule: Rule, prop: Property, prop_number: int) -> None:
        self.rule = rule
        self.name = rule.name
        self.prop = prop
        self.prop_number = prop_number


class AlwaysTable:
    def __init__(self, part: AlwaysPart, rule: RuleTable, number: int, tables: Tables) -> None:
        self.part = part
        self.rule = rule
        self.number = number
        self.condition = tables.compiler.value(part.condition)
        self.looks_at = tables.looks_at(part.condition)
        self.looks = Looks(part.condition, tables)


class OnTable:
    def __init__(self, part: OnPart, rule: RuleTable, actions: tuple[Action, ...], tables: Tables) -> None:
        self.part = part
        self.rule = rule
        self.names = frozenset(part.events)
        self.of = 0 if part.of is None else tables.machines[part.of].member
        self.where = None if part.where is None else tables.compiler.value(part.where)
        self.actions = actions


class WhenTable:
    def __init__(
        self, part: WhenPart, rule: RuleTable, actions: tuple[RequirementTable | ExpectTable, ...], tables: Tables
    ) -> None:
        self.part = part
        self.rule = rule
        self.machine = tables.machines[part.machine]
        self.enters = self.machine.enter_masks(part.enters)
        self.key = tables.compiler.key(part.index) if part.index else None
        self.where = None if part.where is None else tables.compiler.value(part.where)
        self.actions = actions


class WhileTable:
    """A `while`: `needs` are the states outside of which its condition cannot be true of an instance."""

    def __init__(self, part: WhilePart, rule: RuleTable, every: tuple[EveryTable, ...], tables: Tables) -> None:
        self.part = part
        self.rule = rule
        self.machine = None if part.concerned is None else tables.machines[part.concerned]
        self.condition = tables.compiler.value(part.condition)
        self.looks_at = tables.looks_at(part.condition)
        self.looks = Looks(part.condition, tables)
        self.every = every
        self.names = frozenset[str]().union(*(each.names for each in every))
        self.needs = 0 if self.machine is None else _needed(part.condition, self.machine)
        for each in every:
            each.part = self


def _needed(condition: Expr, machine: MachineTable) -> int:
    """The states in which `condition` may be true of the instance concerned."""
    match condition:
        case Membership(instance=ref, negated=False) if ref.whose is Whose.CONCERNED:
            return machine.mask_of(condition.states)
        case And(operands=operands):
            mask = machine.every
            for each in operands:
                mask &= _needed(each, machine)
            return mask
        case _:
            return machine.every


Judged = AlwaysTable | OnTable | WhenTable


# --- whom an event is for --------------------------------------------------------------------------------------


class Dispatch:
    """S4 to S8: for whom events of one kind are, as far as that can be said before the keys are seen.

    `own` has each machine that would take it, in order of declaration, and the machines that would have it from that
    one by `of`. `named` says that the record names the machine.
    """

    __slots__ = ("by_of", "known", "named", "own", "single")

    def __init__(self, own: tuple[MachineTable, ...], by_of: tuple[int, ...], *, named: bool, known: bool) -> None:
        self.own = own
        self.by_of = by_of  # for each of `own`, a bit for each machine that has it by `of`
        self.named = named
        self.known = known
        self.single = own[0] if len(own) == 1 and not by_of[0] else None


OTHER = "\0"  # a name that is none of the lifecycle's

_MOST_KEPT = 4096  # combinations of which the answer is kept

TIME = 1  # in the mask of what a condition looks at: the clock


class Tables:
    """A model, compiled for one client."""

    def __init__(self, model: Model, client: Client) -> None:
        self.model = model
        self.client = client
        self.not_applicable = find_not_applicable(model, client)
        self.properties = model.properties()
        self.property_numbers = {prop: number for number, prop in enumerate(self.properties)}
        self.readers: dict[str, Reader] = _Readers(model)
        self.machines: dict[str, MachineTable] = {}
        self.keyed_count = 0
        plain = 0
        for number, machine in enumerate(model.machines.values()):
            slot = self.keyed_count if machine.keys else -1
            self.machines[machine.name] = MachineTable(machine, number, slot, -1 if machine.keys else plain)
            self.keyed_count += bool(machine.keys)
            plain += not machine.keys
        self.all = tuple(self.machines.values())
        self.plain = tuple(table for table in self.all if table.slot < 0)
        self.keyed = tuple(table for table in self.all if table.slot >= 0)
        self.finite = tuple(table for table in self.all if table.finals)
        self.no_keys = (None,) * self.keyed_count
        self.ending = tuple(table for table in self.plain if table.finals)
        for table in self.all:
            self._hide(table)
        self.compiler = Compiler(self)
        for table in self.all:
            self._fill(table)
        self.restless = tuple(table for table in self.all if table.is_restless)
        self.is_restless = any(way.may_be_unseen for table in self.all for way in table.ways)
        self.reacting = tuple(table for table in self.all if table.reactions)
        self._rules()
        self._counted()
        self._interest()
        self.begins_simply = all(
            not table.may_exist_unseen and not table.timed >> table.initial & 1 for table in self.plain
        )
        self.holds_at_begin: bool | None = None  # nothing has to be asked at the begin of a session; None: not known
        self.timed = tuple(table for table in self.all if table.timed)
        self.pauses = [(frozenset(each.begins), frozenset(each.ends)) for each in model.pauses]
        self.pause_names = frozenset[str]().union(*(begins | ends for begins, ends in self.pauses))
        self.forbids = tuple((each, self.property_numbers[Property("forbid", each.name)]) for each in model.forbids)
        self.event_specs = {
            name: (spec, self.property_numbers.get(Property("event", name), -1)) for name, spec in model.events.items()
        }
        self.fields = tuple(
            FieldTable(name, spec, self.property_numbers[Property("field", name)])
            for name, spec in model.fields.items()
        )
        self.needing_clock = self._needing_clock()
        self._known = self._names_known()
        self.vocabulary = self._known.union(*(table.event_names | table.ignored for table in self.all))
        self._state_names = frozenset(name for table in self.all for name in table.names)
        self._dispatches: dict[tuple[str | None, str | None, str | None], Dispatch] = {}
        self._of_sets: dict[tuple[bool, int], frozenset[str | None]] = {}

    # --- machines ------------------------------------------------------------------------------------

    def _fill(self, table: MachineTable) -> None:
        machine = table.machine
        table.key_readers = tuple((name, self.readers[name]) for name in machine.keys)
        table.ways = tuple(Way(transition, table, self) for transition in machine.transitions)
        table.reactions = tuple(way for way in table.ways if way.cause is not None)
        table.clocked = tuple(way for way in table.ways if way.at is not None or way.clock_ns is not None)
        table.is_restless = any(way.may_be_unseen or way in table.clocked for way in table.ways)
        table.event_names = frozenset[str]().union(*(way.names for way in table.ways))
        table.own_events = frozenset[str]().union(*(way.names for way in table.ways if way.of is None))
        table.event_list = tuple(sorted(table.event_names | table.ignored))
        table.event_numbers = {name: number for number, name in enumerate(table.event_list)}
        table.has_triggerless = any(way.transition.trigger is None for way in table.ways)
        for way in (*table.reactions, *table.clocked):
            table.caused_sources |= way.source_mask

    def is_unseen(self, transition: Transition) -> bool:
        """S3, S51, S53: the client may take it without a record of it, whenever it is in one of its sources."""
        client = self.client
        if client.sampled or transition.machine in client.lacking_machines:
            return True
        trigger = transition.trigger
        if isinstance(trigger, On):
            return client.lacking_events.issuperset(trigger.events)
        return isinstance(trigger, After | At) and not client.has_time

    def _hide(self, table: MachineTable) -> None:
        """S51, S52: where an instance may be, and what it may remember, before its first record."""
        machine, client = table.machine, self.client
        lost = client.cut_start or machine.name in client.lacking_machines
        named = {e for t in machine.transitions if isinstance(t.trigger, On) for e in t.trigger.events}
        hides = bool(machine.keys) and (client.sampled or not client.lacking_events.isdisjoint(named | machine.ignored))
        table.may_exist_unseen = lost or hides
        if lost:
            table.hidden = table.every
            table.hidden_memories = tuple(range(table.memory_count))
            return
        if not hides:
            return
        moving = [t for t in machine.transitions if self.is_unseen(t) or isinstance(t.trigger, When | After | At)]
        reached = {machine.initial}
        grown = True
        while grown:
            before = len(reached)
            for transition in moving:
                if not reached.isdisjoint(transition.sources):
                    reached.update(transition.targets)
            grown = len(reached) > before
        table.hidden = table.mask_of(reached)
        written = {a.name for t in moving if not reached.isdisjoint(t.sources) for a in t.remember}
        table.hidden_memories = tuple(number for name, number in table.memories.items() if name in written)

    def _interest(self) -> None:
        """Which states something looks at, so that instances in all others need not be gone through."""
        for table in self.all:
            for way in table.reactions:
                table.interesting |= way.source_mask
            for way in table.clocked:
                table.timed |= way.source_mask
            for state, within in enumerate(table.within):
                if within is not None:
                    table.timed |= 1 << state
            table.is_conditional = any(way.where is not None for way in table.clocked)
            table.waits = tuple(_wait_in(table, state) for state in range(len(table.names)))
            table.interesting |= table.timed
        for expr in self._expressions():
            for part in parts_in(expr):
                if isinstance(part, Aggregate):
                    table = self.machines[part.machine]
                    table.interesting |= table.mask_of(part.states)
        for watched in self.whiles:
            if watched.machine is not None:
                watched.machine.interesting |= watched.needs
        for table in self.all:
            for way in table.reactions:
                assert way.cause is not None
                for mask, _ in way.cause.enters:
                    way.cause.machine.causes |= mask
        for when in self.judged:
            if isinstance(when, WhenTable):
                for mask, _ in when.enters:
                    when.machine.causes |= mask

    def _expressions(self) -> Iterable[Expr]:
        for machine in self.model.machines.values():
            for transition in machine.transitions:
                if transition.where is not None:
                    yield transition.where
                yield from (each.condition for each in transition.require)
                yield from (each.value for each in transition.remember)
                if isinstance(transition.trigger, At):
                    yield transition.trigger.value
                if isinstance(transition.trigger, When):
                    yield from transition.trigger.index
        for rule in self.model.rules:
            for part in rule.parts:
                yield from _expressions_of(part)

    # --- rules ---------------------------------------------------------------------------------------

    def _rules(self) -> None:
        self.judged: list[Judged] = []
        self.always: list[AlwaysTable] = []
        self.whiles: list[WhileTable] = []
        self.at_most_whiles: list[AtMostWhileTable] = []
        self.everies: list[EveryTable] = []
        self.expects: list[ExpectTable] = []
        self.windows = 0
        skipped = self.not_applicable.actions
        for number, rule in enumerate(self.model.rules):
            prop = Property("rule", rule.name)
            table = RuleTable(rule, prop, self.property_numbers[prop])
            for place, part in enumerate(rule.parts):
                at = (number, place)
                actions = [
                    self._action(action, (number, place, count), table) for count, action in enumerate(_actions(part))
                ]
                applicable = tuple(each for each in actions if each.position not in skipped)
                whole = (*at, WHOLE) not in skipped
                match part:
                    case AlwaysPart():
                        if whole:
                            always = AlwaysTable(part, table, len(self.always), self)
                            self.always.append(always)
                            self.judged.append(always)
                    case OnPart():
                        if whole:
                            self.judged.append(OnTable(part, table, applicable, self))  # type: ignore[arg-type]  # no `every` in an `on`
                    case WhenPart():
                        if whole:
                            self.judged.append(WhenTable(part, table, applicable, self))  # type: ignore[arg-type]  # as the model has them
                    case WhilePart():
                        every = tuple(each for each in applicable if isinstance(each, EveryTable))
                        for each in every:
                            each.number = len(self.everies)
                            self.everies.append(each)
                        self.whiles.append(WhileTable(part, table, every, self))
        self.always_mask = 0
        self.always_of: dict[int, int] = {}  # by number of a rule's property, how many `always` parts it has
        for always in self.always:
            self.always_mask |= always.looks_at
            prop_number = always.rule.prop_number
            self.always_of[prop_number] = self.always_of.get(prop_number, 0) + 1
        self._concerned: dict[tuple[str | None, int, int], tuple[Judged, ...]] = {}
        looks = [each.looks for each in self.always] + [each.looks for each in self.whiles]
        looks += [each.looks for each in self.at_most_whiles]
        looks += [each for expect in self.expects for each in expect.looks]
        self.looks_at_clock = any(each.always for each in looks)  # some condition may change with every record
        self.on_names = frozenset[str]().union(*(p.names for p in self.judged if isinstance(p, OnTable)))
        self.expect_names = frozenset[str]().union(*(each.names for each in self.expects))
        self.watch_names = frozenset[str]().union(*(p.names for p in self.whiles))

    def _action(self, action: object, position: tuple[int, int, int], rule: RuleTable) -> Action | EveryTable:
        match action:
            case Requirement():
                return RequirementTable(action, position, rule, self)
            case Expect():
                self.expects.append(ExpectTable(action, position, rule, self))
                return self.expects[-1]
            case Every():
                return EveryTable(action, position, rule, self)
            case AtMostPer():
                self.windows += 1
                return AtMostPerTable(action, position, rule, self.windows - 1)
            case AtMostWhile():
                made = AtMostWhileTable(action, position, rule, self, len(self.at_most_whiles))
                self.at_most_whiles.append(made)
                return made
            case _:
                raise AssertionError(action)

    def _counted(self) -> None:
        """Properties of which some judgement may come out unknown: sessions keep how often they were judged."""
        self.counted_slot: list[int] = [-1] * len(self.properties)
        self.counted = 0
        for number, prop in enumerate(self.properties):
            # Of transitions there is always more judged than the requirements that may be unknown: the event itself.
            if prop.kind in ("bound", "rule"):
                self.counted_slot[number] = self.counted
                self.counted += 1
        for table in self.all:
            table.transitions_prop = self.property_numbers[Property("transitions", table.name)]
            table.bound_props = tuple(
                self.property_numbers.get(Property("bound", table.name, state), -1) for state in table.names
            )

    def concerned(self, name: str | None, dirty: int, entered: int) -> tuple[Judged, ...]:
        """The parts of rules that a step concerns, as declared: an event `name`, changes of the machines in `dirty` and
        entries of those in `entered` (-1: whatever it is)."""
        asked = (name, dirty & self.always_mask, entered)
        found = self._concerned.get(asked)
        if found is None:
            if len(self._concerned) > _MOST_KEPT:
                self._concerned.clear()
            found = self._concerned[asked] = tuple(
                part
                for part in self.judged
                if entered == -1
                or (isinstance(part, AlwaysTable) and part.looks_at & dirty)
                or (isinstance(part, OnTable) and name in part.names)
                or (isinstance(part, WhenTable) and part.machine.bit & entered)
            )
        return found

    def looks_at(self, expr: Expr) -> int:
        """A bit for each machine that an expression looks at; TIME if it looks at the clock, or at nothing."""
        mask = 0
        for part in parts_in(expr):
            match part:
                case Membership() | MemoryRef() | KeyRef():
                    mask |= self.machines[part.instance.machine].bit
                case Aggregate():
                    mask |= self.machines[part.machine].bit
                case EventAttribute(name="time"):
                    mask |= TIME
                case _:
                    pass
        return mask or TIME

    # --- whom an event is for ------------------------------------------------------------------------

    def _needing_clock(self) -> int:
        """A bit for each property that says nothing of a session without a time: bounds, and rules that measure one."""
        mask = 0
        for number, prop in enumerate(self.properties):
            if prop.kind == "bound":
                mask |= 1 << number
        for rule in self.model.rules:
            if any(isinstance(action, Expect | Every | AtMostPer) for part in rule.parts for action in _actions(part)):
                mask |= 1 << self.property_numbers[Property("rule", rule.name)]
        return mask

    def _names_known(self) -> frozenset[str]:
        """S9: names that rules, pauses and `event` declarations name."""
        names = set(self.model.events) | self.pause_names | self.on_names | self.watch_names
        for part in (part for rule in self.model.rules for part in rule.parts):
            if isinstance(part, OnPart):
                names.update(part.events)
            for action in _actions(part):
                if isinstance(action, Expect | Every):
                    for answer in action.answers:
                        if isinstance(answer, EventAnswer):
                            names.update(answer.events)
        return frozenset(names)

    def fields_looked_at(self) -> tuple[str, ...]:
        """Every field that some part of the model names, besides those that are declared."""
        names = dict.fromkeys(self.readers)
        for table in self.all:
            names |= dict.fromkeys(name for way in table.ways for name in way.requires)
            names |= dict.fromkeys(name for required in table.required for name in required)
        for spec, _ in self.event_specs.values():
            names |= dict.fromkeys(spec.requires)
        return tuple(names)

    def is_in_vocabulary(self, name: str) -> bool:
        """Whether the lifecycle has an event of this name."""
        return name in self.vocabulary

    def dispatch(self, name: str | None, machine: str | None, target: str | None) -> Dispatch:
        """For whom an event with this name is, on a record that names `machine` and claims the state `target`."""
        asked = (
            name if name is None or name in self.vocabulary else OTHER,
            machine if machine is None or machine in self.machines else OTHER,
            target if target is None or target in self._state_names else OTHER,
        )
        found = self._dispatches.get(asked)
        if found is None:
            found = self._dispatches[asked] = self._dispatch(*asked)
        return found

    def _dispatch(self, name: str | None, machine: str | None, target: str | None) -> Dispatch:
        own, named = self._own(name, None if machine is None else self.machines.get(machine), machine, target)
        by_of = []
        for table in own:
            mask = 0
            for other in self.all:
                if other is not table and any(name in way.names for way in other.ways if way.of == table.name):
                    mask |= other.member
            by_of.append(mask)
        return Dispatch(tuple(own), tuple(by_of), named=named, known=name in self._known)

    def _own(
        self, name: str | None, named: MachineTable | None, machine: str | None, target: str | None
    ) -> tuple[list[MachineTable], bool]:
        having = [table for table in self.all if target in table.numbers] if target is not None else []
        if name is None:
            if target is None or (machine is not None and named is None):
                return [], False
            return ([named], True) if named is not None else (having[:1], False)
        if named is not None and (named.knows(name) or (target is not None and named.has_triggerless)):
            return [named], True
        knowing = [table for table in self.all if table.knows(name)]
        if target is not None and machine is None and not any(table in having for table in knowing):
            besides = [table for table in having if table.has_triggerless][:1]
            knowing = [table for table in self.all if table in knowing or table in besides]
        return knowing, False

    def of_set(self, *, is_own: bool, mask: int) -> frozenset[str | None]:
        """Whose event it is to a taker: its own (None), and of the machines in the mask."""
        found = self._of_sets.get((is_own, mask))
        if found is None:
            names: set[str | None] = {self.all[number].name for number in bits(mask)}
            if is_own:
                names.add(None)
            found = self._of_sets[is_own, mask] = frozenset(names)
        return found

    def key_of(self, table: MachineTable, value: Callable[[str, Reader], Value]) -> Key | None:
        """The whole key of an event for a machine, None when a part is missing."""
        parts: list[KeyPart] = []
        for name, read in table.key_readers:
            part = key_part(value(name, read))
            if part is None:
                return None
            parts.append(part)
        return parts[0] if len(parts) == 1 else tuple(parts)


def _wait_in(table: MachineTable, state: int) -> int | None:
    lengths = [] if table.within[state] is None else [table.within[state]]
    for way in table.clocked:
        if way.source_mask >> state & 1:
            if way.at is not None or way.where is not None:
                return None
            lengths.append(way.clock_ns)
    return min((length for length in lengths if length is not None), default=None)


class _Readers(dict[str, Reader]):
    """By name of a field, what reads its values; made when first asked for."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self._fields = model.fields

    def __missing__(self, name: str) -> Reader:
        made = self[name] = reader_of(self._fields.get(name))
        return made


def _actions(part: RulePart) -> tuple[object, ...]:
    return () if isinstance(part, AlwaysPart) else tuple(part.actions)


def _expressions_of(part: RulePart) -> Iterable[Expr]:
    match part:
        case AlwaysPart() | WhilePart():
            yield part.condition
        case WhenPart():
            yield from part.index
            if part.where is not None:
                yield part.where
        case OnPart():
            if part.where is not None:
                yield part.where
    for action in _actions(part):
        match action:
            case Requirement():
                yield action.condition
            case AtMostWhile():
                yield action.during
            case Expect() | Every():
                for answer in action.answers:
                    if isinstance(answer, EventAnswer):
                        if answer.where is not None:
                            yield answer.where
                    else:
                        yield answer.condition
            case _:
                pass
