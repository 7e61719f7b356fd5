"""What an expression is worth: spec/semantics.md, "Expressions". Plain evaluation, nothing kept."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import TypeGuard

import re2

from lifespec.engine.reference_state import NOT_KNOWN, NOT_SET, Instance, Key, Memory, Session, Stay, Unknown, Value
from lifespec.engine.reference_unseen import hidden_memories, hidden_states, may_exist_unseen
from lifespec.model.convert import Converted, convert
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
    Machine,
    Membership,
    MemoryRef,
    Model,
    Negative,
    Not,
    Or,
    Whose,
)
from lifespec.model.value import Duration, Instant, LogValue, Type
from lifespec.trace.event import Event
from lifespec.verdict import Witness

_LIMIT = 2**63
_INSTANTS = (-62_135_596_800 * 10**9, 253_402_300_800 * 10**9)  # S30: the years 1 to 9999


@dataclass(slots=True)
class Context:
    """Where an expression is looked at. `reads` collects the records that it leaned on (S57)."""

    model: Model
    session: Session
    event: Event | None = None
    own: Instance | None = None
    concerned: Instance | None = None
    item: Instance | None = None
    now: int | None = None  # ns, where it is another instant than the session's clock
    reads: dict[Witness, None] = field(default_factory=dict)  # in the order of reading


def truth(value: Value) -> bool | Unknown:
    """True, False or unknown; what is no truth value is not set."""
    return value if isinstance(value, bool | Unknown) else NOT_SET


def holds(expr: Expr, context: Context) -> bool | Unknown:
    """A condition: true, false or unknown (S28)."""
    return truth(evaluate(expr, context))


def evaluate(expr: Expr, context: Context) -> Value:
    """The value of an expression (S27 to S30)."""
    match expr:
        case Literal():
            return expr.value
        case FieldRef():
            found = field_value(context.model, context.event, expr.name)
            lacking = expr.name in context.session.client.lacking_fields
            return NOT_KNOWN if found is NOT_SET and lacking else found
        case EventAttribute():
            return _attribute(expr, context)
        case MemoryRef():
            return _remembered(expr, context)
        case KeyRef():
            return _key_part(expr, context)
        case Membership():
            return _membership(expr, context)
        case Choice():
            return _choice(expr, context)
        case Like():
            value = evaluate(expr.operand, context)
            if isinstance(value, Unknown):
                return value
            return isinstance(value, str) and bool(re2.fullmatch(expr.pattern, value))
        case Has():
            return _has(expr, context)
        case Aggregate():
            return _aggregate(expr, context)
        case Comparison():
            return compare(expr.op, evaluate(expr.left, context), evaluate(expr.right, context))
        case Arithmetic():
            return _arithmetic(expr, evaluate(expr.left, context), evaluate(expr.right, context))
        case Negative():
            value = evaluate(expr.operand, context)
            return _limited(-value) if _is_number(value) else _unknown_of(value)
        case Not():
            known = holds(expr.operand, context)
            return known if isinstance(known, Unknown) else not known
        case And():
            return _kleene([holds(part, context) for part in expr.operands], decisive=False)
        case Or():
            return _kleene([holds(part, context) for part in expr.operands], decisive=True)


def _kleene(parts: list[bool | Unknown], *, decisive: bool) -> bool | Unknown:
    # S28: and, or and not are Kleene's. Every part is looked at, so that the witnesses do not depend on the order.
    if decisive in parts:
        return decisive
    unknown = [part for part in parts if isinstance(part, Unknown)]
    return _unknown_of(*unknown) if unknown else not decisive


def _unknown_of(*values: Value) -> Unknown:
    """S48: what is computed from something not known is not known; else it is not set."""
    return NOT_KNOWN if NOT_KNOWN in values else NOT_SET


# --- names -------------------------------------------------------------------------------------------


def plain(value: LogValue) -> Value:
    """A value of an undeclared field (S30)."""
    match value:
        case None | list() | dict():
            return NOT_SET
        case Decimal():
            number = float(value)
            return number if math.isfinite(number) else NOT_SET
        case _:
            return value


def field_value(model: Model, event: Event | None, name: str) -> Value:
    """What a bare name is worth: unknown when absent, null or not of its declared type (S23, S27)."""
    raw = event.fields.get(name) if event is not None else None
    if raw is None:
        return NOT_SET
    spec = model.fields.get(name)
    if spec is None:
        return plain(raw)
    converted = convert(raw, spec)
    return converted.value if isinstance(converted, Converted) else NOT_SET


def _attribute(expr: EventAttribute, context: Context) -> Value:
    if expr.name == "time":
        clock = context.session.clock if context.now is None else context.now
        return NOT_KNOWN if clock is None or context.session.has_several_clocks else clock  # S59
    if expr.name == "owner":
        found = context.event.owner if context.event is not None else None
        return found or (NOT_SET if context.session.client.has_owner or context.event is None else NOT_KNOWN)
    return (context.event.name if context.event is not None else None) or NOT_SET


def key_part(value: Value) -> tuple[str, int | float | str | bool] | None:
    """A part of a key such that equal values are equal parts and text never equals a number (S6)."""
    match value:
        case bool():
            return ("bool", value)
        case int() | float():
            return ("number", value)
        case str():
            return ("text", value) if value.strip() else None
        case Duration() | Instant():
            return ("number", value.ns)
    return None


def key_of(machine: Machine, event: Event, model: Model) -> Key | None:
    """The whole key of an event for a machine, or None when a part is missing (S6)."""
    parts = [key_part(field_value(model, event, name)) for name in machine.keys]
    return None if None in parts else tuple(part for part in parts if part is not None)


def find_instance(ref: InstanceRef, context: Context) -> Instance | Unknown:
    """The instance a name means; one that nobody has seen is read as new (S11); or that it is unknown which."""
    match ref.whose:
        case Whose.SELF:
            return context.own or NOT_SET
        case Whose.ITEM:
            return context.item or NOT_SET
        case Whose.CONCERNED:
            return context.concerned or NOT_SET
        case Whose.PLAIN:
            return context.session.instances[ref.machine, ()]
        case Whose.INDEXED:
            values = [evaluate(part, context) for part in ref.index]
            parts = [key_part(value) for value in values]
            if None in parts:
                return _unknown_of(*values)
            key = tuple(part for part in parts if part is not None)
            found = context.session.instances.get((ref.machine, key))
            return found if found is not None else unseen(context.model.machines[ref.machine], key, context)


def unseen(machine: Machine, key: Key, context: Context) -> Instance:
    """S11: to read a key not seen yet finds the initial state and nothing remembered, unless it may be hidden."""
    client, first = context.session.client, context.session.first
    stays = {state: Stay(None, first, began=True) for state in hidden_states(machine, client)}
    memory = {name: Memory(NOT_KNOWN, first) for name in hidden_memories(machine, client)}
    return Instance(machine, key, -1, stays, memory)


def _read(context: Context, witness: Witness) -> None:
    context.reads.setdefault(witness)


def entered_witness(instance: Instance) -> Witness:
    """The record that brought an instance where it is."""
    stay, state = instance.since(), instance.in_order()[0]
    role = "began" if stay.began else "entered by the clock" if stay.by_clock else "entered"
    return Witness(stay.place, role, stay.event, state, machine=instance.machine.name)


def _remembered(expr: MemoryRef, context: Context) -> Value:
    instance = find_instance(expr.instance, context)
    if isinstance(instance, Unknown):
        return instance
    memory = instance.memory.get(expr.name)
    if memory is None:
        return NOT_SET
    if isinstance(memory.value, Unknown):
        return memory.value
    shown = memory.value.ns if isinstance(memory.value, Duration | Instant) else memory.value
    _read(context, Witness(memory.place, "remembered", None, f"{expr.instance.machine}.{expr.name}", shown))
    return memory.value


def _key_part(expr: KeyRef, context: Context) -> Value:
    instance = find_instance(expr.instance, context)
    return instance if isinstance(instance, Unknown) else instance.key[expr.position][1]


def _membership(expr: Membership, context: Context) -> Value:
    instance = find_instance(expr.instance, context)
    if isinstance(instance, Unknown):
        return instance
    if instance.order >= 0:
        _read(context, entered_witness(instance))
    inside = _inside(instance, expr.states)
    return inside if isinstance(inside, Unknown) else inside is not expr.negated


def _inside(instance: Instance, states: frozenset[str]) -> bool | Unknown:
    """S48: known only when all possible states agree."""
    if instance.states <= states:
        return True
    return NOT_KNOWN if instance.states & states else False


def _has(expr: Has, context: Context) -> Value:
    match expr.operand:
        case FieldRef(name=name):
            if name in context.session.client.lacking_fields:
                return NOT_KNOWN
            return context.event is not None and context.event.fields.get(name) is not None
        case EventAttribute():
            value = evaluate(expr.operand, context)
            return value if value is NOT_KNOWN else value is not NOT_SET
        case MemoryRef() as memory:
            instance = find_instance(memory.instance, context)
            if isinstance(instance, Unknown):
                return instance if instance is NOT_KNOWN else False
            remembered = instance.memory.get(memory.name)
            if remembered is not None and isinstance(remembered.value, Unknown):
                return NOT_KNOWN
            return remembered is not None
        case KeyRef() as key:
            instance = find_instance(key.instance, context)
            return instance if instance is NOT_KNOWN else instance is not NOT_SET


def _choice(expr: Choice, context: Context) -> Value:
    value = evaluate(expr.operand, context)
    if isinstance(value, Unknown):
        return value
    return any(compare("==", value, one.value) is True for one in expr.values) is not expr.negated


def _aggregate(expr: Aggregate, context: Context) -> Value:
    """S29: over the existing instances; unknown as soon as one of them may or may not belong."""
    values: list[Value] = []
    chosen: list[Instance] = []
    machine = context.model.machines[expr.machine]
    client = context.session.client
    if machine.keys and may_exist_unseen(machine, client) and hidden_states(machine, client) & expr.states:
        return NOT_KNOWN  # S51, S52: there may be instances that nobody has seen
    for instance in context.session.of_machine(expr.machine):
        inner = replace(context, item=instance, reads={})
        inside = _inside(instance, expr.states)
        where = True if expr.where is None else holds(expr.where, inner)
        belongs = truth(_kleene([inside, where], decisive=False))
        if isinstance(belongs, Unknown):
            return belongs
        if belongs:
            chosen.append(instance)
            if expr.value is not None:
                values.append(evaluate(expr.value, inner))
    for instance in chosen:
        entered = entered_witness(instance)
        _read(context, replace(entered, role="counted"))
    if expr.op == "count":
        return len(chosen)
    numbers: list[int | float] = [v for v in values if _is_number(v)]
    if len(numbers) != len(values):
        return _unknown_of(*values)
    if expr.op == "sum":
        return _limited(sum(numbers))
    if not numbers:
        return NOT_SET
    return min(numbers) if expr.op == "min" else max(numbers)


# --- comparison and arithmetic -----------------------------------------------------------------------


def _is_number(value: Value) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _kind(value: Value) -> str:
    if _is_number(value):
        return "number"
    return type(value).__name__


def compare(op: str, left: Value, right: Value) -> Value:
    """S30: values of different kinds are never equal and have no order."""
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return _unknown_of(left, right)
    if _kind(left) != _kind(right):
        return {"==": False, "!=": True}.get(op, NOT_SET)
    if op == "==":
        return left == right
    if op == "!=":
        return left != right
    if isinstance(left, bool):
        return NOT_SET
    less, more = _ordered(left, right)
    return {"<": less, "<=": not more, ">": more, ">=": not less}[op]


def _ordered(left: Value, right: Value) -> tuple[bool, bool]:
    if isinstance(left, Duration | Instant) and isinstance(right, Duration | Instant):
        return left.ns < right.ns, left.ns > right.ns
    if isinstance(left, str) and isinstance(right, str):
        return left < right, left > right
    assert _is_number(left)
    assert _is_number(right)
    return left < right, left > right


def _limited(value: int | float) -> Value:
    """S30: whole numbers have 64 bits, others are finite doubles; beyond that a value is unknown."""
    if isinstance(value, int):
        return value if -_LIMIT <= value < _LIMIT else NOT_SET
    return value if math.isfinite(value) else NOT_SET


def _within_years(value: int | float) -> Value:
    """S30: an instant outside of the years 1 to 9999 is unknown."""
    return value if _INSTANTS[0] <= value < _INSTANTS[1] else NOT_SET


def _arithmetic(expr: Arithmetic, left: Value, right: Value) -> Value:
    if not _is_number(left) or not _is_number(right):
        return _unknown_of(left, right)
    if expr.op == "/" and right == 0:
        return NOT_SET
    timed = expr.type in (Type.DURATION, Type.INSTANT)
    try:
        match expr.op:
            case "+":
                return _within_years(left + right) if expr.type is Type.INSTANT else _limited(left + right)
            case "-":
                return _within_years(left - right) if expr.type is Type.INSTANT else _limited(left - right)
            case "*" if timed:
                return _limited(round(Fraction(left) * Fraction(right)))
            case "*":
                return _limited(left * right)
            case _ if timed:
                return _limited(round(Fraction(left) / Fraction(right)))
            case _:
                return _limited(left / right)
    except OverflowError:
        return NOT_SET
