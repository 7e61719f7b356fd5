"""The parts of rules, compiled, and what their conditions look at. Owns the shapes; judges nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lifespec.engine.table_expression import Compiled, parts_in
from lifespec.engine.table_machine import MachineTable
from lifespec.engine.table_value import Reader
from lifespec.model.model import (
    Aggregate,
    AlwaysPart,
    And,
    AtMostPer,
    AtMostWhile,
    EventAnswer,
    Every,
    Expect,
    Expr,
    KeyRef,
    Membership,
    MemoryRef,
    OnPart,
    Requirement,
    Rule,
    WhenPart,
    WhilePart,
    Whose,
)
from lifespec.verdict import Property

if TYPE_CHECKING:
    from lifespec.engine.tables import Tables

TIME = 1  # in the mask of what a condition looks at: the clock


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
