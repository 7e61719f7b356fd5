"""Model and client -> tables (DESIGN section 5). Owns the compiling; judges nothing and keeps nothing of a log.

Names have become numbers: of machines, of states (a set of states is a mask of bits), of memories, of properties.
What can be decided before any event is decided here, or once when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lifespec.engine.monitor_state import bits
from lifespec.engine.table_expression import Compiler, parts_in
from lifespec.engine.table_field import FieldTable
from lifespec.engine.table_machine import MachineTable, Way, wait_in
from lifespec.engine.table_rule import (
    TIME,
    Action,
    AlwaysTable,
    AtMostPerTable,
    AtMostWhileTable,
    EveryTable,
    ExpectTable,
    Judged,
    OnTable,
    RequirementTable,
    RuleTable,
    WhenTable,
    WhileTable,
)
from lifespec.engine.table_value import Key, KeyPart, Reader, Value, key_part, reader_of
from lifespec.model.model import (
    After,
    Aggregate,
    AlwaysPart,
    At,
    AtMostPer,
    AtMostWhile,
    EventAnswer,
    EventAttribute,
    Every,
    Expect,
    Expr,
    KeyRef,
    Membership,
    MemoryRef,
    Model,
    On,
    OnPart,
    Requirement,
    RulePart,
    Transition,
    When,
    WhenPart,
    WhilePart,
)
from lifespec.trace.applicability import WHOLE, find_not_applicable
from lifespec.trace.event import Client
from lifespec.verdict import Property


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
            table.waits = tuple(wait_in(table, state) for state in range(len(table.names)))
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
