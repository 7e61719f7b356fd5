"""Expressions -> functions of the state of a session (semantics S27 to S30, S48).

Owns the compiling of expressions; judges nothing. A compiled expression takes, in this order: the session, the event
of the step (or None), the instance itself, the one concerned, the one looked at in an aggregate, and the instant if it
is another than the session's clock. Every name has become a number or a cell by then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import re2

from lifespec.engine.monitor_state import Happening, Instance, Session
from lifespec.engine.table_value import (
    NOT_KNOWN,
    NOT_SET,
    Unknown,
    Value,
    calculator,
    comparer,
    equals,
    key_part,
    limited,
    negative,
    part_value,
    parts_of,
)
from lifespec.model.model import (
    Aggregate,
    And,
    Arithmetic,
    Choice,
    Comparison,
    EventAttribute,
    Expr,
    FieldRef,
    Has,
    InstanceRef,
    KeyRef,
    Like,
    Literal,
    Membership,
    MemoryRef,
    Negative,
    Not,
    Or,
    Whose,
)
from lifespec.model.value import Type

if TYPE_CHECKING:
    from lifespec.engine.tables import Tables

Compiled = Callable[
    [Session, Happening | None, Instance | None, Instance | None, Instance | None, int | None],
    Any,  # a Value: bool, number, text, time or Unknown
]
Finder = Callable[
    [Session, Happening | None, Instance | None, Instance | None, Instance | None, int | None],
    Any,  # an Instance or Unknown
]


class Compiler:
    """Compiles the expressions of one model for one client."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def value(self, expr: Expr) -> Compiled:
        """What computes the value of an expression."""
        match expr:
            case Literal(value=constant):
                return lambda s, e, o, c, i, n: constant
            case FieldRef():
                return self._field(expr)
            case EventAttribute():
                return self._attribute(expr)
            case MemoryRef():
                return self._memory(expr)
            case KeyRef():
                return self._key(expr)
            case Membership():
                return self._membership(expr)
            case Choice():
                return self._choice(expr)
            case Like():
                return self._like(expr)
            case Has():
                return self._has(expr)
            case Aggregate():
                return self._aggregate(expr)
            case Comparison():
                return _two(comparer(expr.op), self.value(expr.left), self.value(expr.right))
            case Arithmetic():
                kind = expr.type
                calculate = calculator(expr.op, is_instant=kind is Type.INSTANT, is_duration=kind is Type.DURATION)
                return _two(calculate, self.value(expr.left), self.value(expr.right))
            case Negative():
                of = self.value(expr.operand)
                return lambda s, e, o, c, i, n: negative(of(s, e, o, c, i, n))
            case Not():
                return _not(self.value(expr.operand))
            case And():
                return _all([self.value(part) for part in expr.operands], decisive=False)
            case Or():
                return _all([self.value(part) for part in expr.operands], decisive=True)

    # --- names ---------------------------------------------------------------------------------------

    def _field(self, expr: FieldRef) -> Compiled:
        name = expr.name
        read = self._tables.readers[name]
        absent = NOT_KNOWN if name in self._tables.client.lacking_fields else NOT_SET

        def field(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
            if e is None:
                return absent
            found = e.value(name, read)
            return absent if found is NOT_SET else found

        return field

    def _attribute(self, expr: EventAttribute) -> Compiled:
        if expr.name == "time":

            def time(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
                clock = s.clock if n is None else n
                return NOT_KNOWN if clock is None or s.has_several_clocks else clock

            return time
        if expr.name == "owner":
            unsaid = NOT_SET if self._tables.client.has_owner else NOT_KNOWN
            return lambda s, e, o, c, i, n: NOT_SET if e is None else e.owner or unsaid
        return lambda s, e, o, c, i, n: NOT_SET if e is None else e.name or NOT_SET

    def instance(self, ref: InstanceRef) -> Finder:
        """What finds the instance that a machine's name means."""
        match ref.whose:
            case Whose.SELF:
                return lambda s, e, o, c, i, n: NOT_SET if o is None else o
            case Whose.ITEM:
                return lambda s, e, o, c, i, n: NOT_SET if i is None else i
            case Whose.CONCERNED:
                return lambda s, e, o, c, i, n: NOT_SET if c is None else c
            case Whose.PLAIN:
                number = self._tables.machines[ref.machine].plain_number
                return lambda s, e, o, c, i, n: s.plain[number]
            case Whose.INDEXED:
                return self._indexed(ref)

    def _indexed(self, ref: InstanceRef) -> Finder:
        table = self._tables.machines[ref.machine]
        slot, unseen = table.slot, table.unseen
        key_of = self.key(ref.index)

        def indexed(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
            key = key_of(s, e, o, c, i, n)
            if type(key) is Unknown:
                return key
            instances = s.keyed[slot]
            found = None if instances is None else instances.get(key)
            return unseen(s, key) if found is None else found

        return indexed

    def key(self, index: tuple[Expr, ...]) -> Callable[..., Any]:
        """What computes a key of its parts; unknown when one of them is, or cannot be a part of a key."""
        parts = [self.value(each) for each in index]
        if len(parts) == 1:
            only = parts[0]

            def single(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
                value = only(s, e, o, c, i, n)
                if type(value) is Unknown:
                    return value
                part = key_part(value)
                return NOT_SET if part is None else part

            return single

        def several(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
            values = [part(s, e, o, c, i, n) for part in parts]
            key = tuple(None if type(value) is Unknown else key_part(value) for value in values)
            if None in key:
                return NOT_KNOWN if NOT_KNOWN in values else NOT_SET
            return key

        return several

    def _memory(self, expr: MemoryRef) -> Compiled:
        find = self.instance(expr.instance)
        at = 2 * self._tables.machines[expr.instance.machine].memories[expr.name]

        def memory(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
            found = find(s, e, o, c, i, n)
            if type(found) is Unknown:
                return found
            return NOT_SET if found.memory is None else found.memory[at]

        return memory

    def _key(self, expr: KeyRef) -> Compiled:
        find = self.instance(expr.instance)
        count = len(self._tables.machines[expr.instance.machine].keys)
        position = expr.position

        def key(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
            found = find(s, e, o, c, i, n)
            return found if type(found) is Unknown else part_value(parts_of(found.key, count)[position])

        return key

    # --- conditions ----------------------------------------------------------------------------------

    def _membership(self, expr: Membership) -> Compiled:
        find = self.instance(expr.instance)
        states = self._tables.machines[expr.instance.machine].mask_of(expr.states)
        inside = not expr.negated

        def membership(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
            found = find(s, e, o, c, i, n)
            if type(found) is Unknown:
                return found
            common = found.mask & states
            if common == found.mask:
                return inside
            return NOT_KNOWN if common else not inside

        return membership

    def _choice(self, expr: Choice) -> Compiled:
        of = self.value(expr.operand)
        values = [each.value for each in expr.values]
        inside = not expr.negated

        def choice(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
            value = of(s, e, o, c, i, n)
            if type(value) is Unknown:
                return value
            return any(equals(value, each) is True for each in values) is inside

        return choice

    def _like(self, expr: Like) -> Compiled:
        of = self.value(expr.operand)
        matches = re2.compile(expr.pattern).fullmatch

        def like(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
            value = of(s, e, o, c, i, n)
            if type(value) is Unknown:
                return value
            return type(value) is str and matches(value) is not None

        return like

    def _has(self, expr: Has) -> Compiled:
        match expr.operand:
            case FieldRef(name=name):
                if name in self._tables.client.lacking_fields:
                    return lambda s, e, o, c, i, n: NOT_KNOWN
                self._tables.readers[name]  # it is looked at
                return lambda s, e, o, c, i, n: e is not None and e.fields.get(name) is not None
            case KeyRef() as key:
                find: Callable[..., object] = self.instance(key.instance)
            case operand:
                find = self.value(operand)

        def has(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
            found = find(s, e, o, c, i, n)
            return found if found is NOT_KNOWN else found is not NOT_SET

        return has

    # --- aggregates ----------------------------------------------------------------------------------

    def chosen(self, expr: Aggregate) -> Callable[..., Any]:
        """What finds the instances that belong, oldest first; unknown as soon as one may or may not belong."""
        table = self._tables.machines[expr.machine]
        states = table.mask_of(expr.states)
        if table.slot >= 0 and table.may_exist_unseen and table.hidden & states:
            return lambda s, e, o, c, n: NOT_KNOWN
        where = None if expr.where is None else self.value(expr.where)

        def chosen(s: Any, e: Any, o: Any, c: Any, n: Any) -> Any:
            found = []
            for item in s.of_interest(table):
                common = item.mask & states
                if not common:
                    continue
                belongs: Any = True if common == item.mask else NOT_KNOWN
                if where is not None:
                    holds = where(s, e, o, c, item, n)
                    if holds is False:
                        continue
                    if holds is not True and belongs is True:
                        belongs = holds
                if belongs is not True:
                    return NOT_KNOWN if belongs is NOT_KNOWN else NOT_SET
                found.append(item)
            return found

        return chosen

    def _simple_count(self, expr: Aggregate) -> Compiled:
        """`count(m in s)`: in which order does not matter."""
        table = self._tables.machines[expr.machine]
        states = table.mask_of(expr.states)
        if table.slot < 0:
            number = table.plain_number

            def count_one(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
                mask = s.plain[number].mask
                common = mask & states
                return NOT_KNOWN if common and common != mask else int(common != 0)

            return count_one
        if table.may_exist_unseen and table.hidden & states:
            return lambda s, e, o, c, i, n: NOT_KNOWN
        slot = table.slot

        def count(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
            instances = s.live[slot]
            found = 0
            if instances:
                for instance in instances if type(instances) is list else instances.values():
                    common = instance.mask & states
                    if common:
                        if common != instance.mask:
                            return NOT_KNOWN
                        found += 1
            return found

        return count

    def _aggregate(self, expr: Aggregate) -> Compiled:
        choose = self.chosen(expr)
        if expr.op == "count" and expr.where is None:
            return self._simple_count(expr)
        if expr.op == "count":

            def count(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
                found = choose(s, e, o, c, n)
                return found if type(found) is Unknown else len(found)

            return count
        assert expr.value is not None
        value = self.value(expr.value)
        op = expr.op

        def aggregate(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
            found = choose(s, e, o, c, n)
            if type(found) is Unknown:
                return found
            values = [value(s, e, o, c, item, n) for item in found]
            if any(type(each) is not int and type(each) is not float for each in values):
                return NOT_KNOWN if NOT_KNOWN in values else NOT_SET
            if op == "sum":
                return limited(sum(values))
            if not values:
                return NOT_SET
            return min(values) if op == "min" else max(values)

        return aggregate


# --- Kleene --------------------------------------------------------------------------------------------------


def _two(operation: Callable[[Value, Value], Value], left: Compiled, right: Compiled) -> Compiled:
    return lambda s, e, o, c, i, n: operation(left(s, e, o, c, i, n), right(s, e, o, c, i, n))


def _not(of: Compiled) -> Compiled:
    def negated(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
        value = of(s, e, o, c, i, n)
        if value is True or value is False:
            return not value
        return value if value is NOT_KNOWN else NOT_SET

    return negated


def _all(parts: list[Compiled], *, decisive: bool) -> Compiled:
    """`and` (a false part decides) or `or` (a true one)."""

    def every(s: Any, e: Any, o: Any, c: Any, i: Any, n: Any) -> Any:
        result: object = not decisive
        for part in parts:
            value = part(s, e, o, c, i, n)
            if value is decisive:
                return decisive
            if value is NOT_KNOWN:
                result = NOT_KNOWN
            elif value is not (not decisive) and result is not NOT_KNOWN:
                result = NOT_SET
        return result

    return every


# --- what an expression depends on ------------------------------------------------------------------------------


def parts_in(expr: Expr) -> list[Expr]:
    """The expression and everything inside of it."""
    found: list[Expr] = [expr]
    for each in found:
        match each:
            case Comparison() | Arithmetic():
                found += [each.left, each.right]
            case Negative() | Not() | Choice() | Like() | Has():
                found.append(each.operand)
            case And() | Or():
                found += each.operands
            case Membership() | MemoryRef() | KeyRef():
                found += each.instance.index
            case Aggregate():
                found += [part for part in (each.value, each.where) if part is not None]
            case _:
                pass
    return found
