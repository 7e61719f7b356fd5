"""What an expression is worth: spec/semantics.md, "Expressions". Plain evaluation, nothing kept."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import TypeGuard

import re2

from lifespec.engine.reference_state import UNKNOWN, Instance, Key, Memory, Session, Stay, Unknown, Value
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
    """Where an expression is looked at.

    `reads` collects the records that it leaned on (S57). `unsure` says that it met something that may be set
    but is not known (S48), as opposed to something that is not set.
    """

    model: Model
    session: Session
    event: Event | None = None
    own: Instance | None = None
    concerned: Instance | None = None
    item: Instance | None = None
    now: int | None = None  # ns, where it is another instant than the session's clock
    reads: dict[Witness, None] = field(default_factory=dict)  # in the order of reading
    unsure: bool = False

    def not_known(self) -> Unknown:
        """Unknown, because it is not known."""
        self.unsure = True
        return UNKNOWN


def truth(value: Value) -> bool | None:
    """True, False or None for unknown."""
    return value if isinstance(value, bool) else None


def holds(expr: Expr, context: Context) -> bool | None:
    """A condition: True, False, or None when it is unknown (S28)."""
    return truth(evaluate(expr, context))


def evaluate(expr: Expr, context: Context) -> Value:
    """The value of an expression (S27 to S30)."""
    match expr:
        case Literal():
            return expr.value
        case FieldRef():
            if expr.name in context.session.client.lacking_fields:
                context.unsure = True
            return field_value(context.model, context.event, expr.name)
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
            if not isinstance(value, str):
                return UNKNOWN if value is UNKNOWN else False
            return bool(re2.fullmatch(expr.pattern, value))
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
            return _limited(-value) if _is_number(value) else UNKNOWN
        case Not():
            known = holds(expr.operand, context)
            return UNKNOWN if known is None else not known
        case And():
            return _kleene([holds(part, context) for part in expr.operands], decisive=False)
        case Or():
            return _kleene([holds(part, context) for part in expr.operands], decisive=True)


def _kleene(parts: list[bool | None], *, decisive: bool) -> Value:
    # S28: and, or and not are Kleene's. Every part is looked at, so that the witnesses do not depend on the order.
    if decisive in parts:
        return decisive
    return UNKNOWN if None in parts else not decisive


# --- names -------------------------------------------------------------------------------------------


def plain(value: LogValue) -> Value:
    """A value of an undeclared field (S30)."""
    match value:
        case None | list() | dict():
            return UNKNOWN
        case Decimal():
            number = float(value)
            return number if math.isfinite(number) else UNKNOWN
        case _:
            return value


def field_value(model: Model, event: Event | None, name: str) -> Value:
    """What a bare name is worth: unknown when absent, null or not of its declared type (S23, S27)."""
    raw = event.fields.get(name) if event is not None else None
    if raw is None:
        return UNKNOWN
    spec = model.fields.get(name)
    if spec is None:
        return plain(raw)
    converted = convert(raw, spec)
    return converted.value if isinstance(converted, Converted) else UNKNOWN


def _attribute(expr: EventAttribute, context: Context) -> Value:
    if expr.name == "time":
        clock = context.session.clock if context.now is None else context.now
        return context.not_known() if clock is None else clock
    if context.event is None:
        return UNKNOWN
    found = context.event.owner if expr.name == "owner" else context.event.name
    if expr.name == "owner" and not context.session.client.has_owner:
        context.unsure = True
    return found if found else UNKNOWN


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


def find_instance(ref: InstanceRef, context: Context) -> Instance | None:
    """The instance a name means; one that nobody has seen is read as new (S11); None: unknown which."""
    match ref.whose:
        case Whose.SELF:
            return context.own
        case Whose.ITEM:
            return context.item
        case Whose.CONCERNED:
            return context.concerned
        case Whose.PLAIN:
            return context.session.instances[ref.machine, ()]
        case Whose.INDEXED:
            parts = [key_part(evaluate(part, context)) for part in ref.index]
            if None in parts:
                return None
            key = tuple(part for part in parts if part is not None)
            found = context.session.instances.get((ref.machine, key))
            return found if found is not None else unseen(context.model.machines[ref.machine], key, context)


def unseen(machine: Machine, key: Key, context: Context) -> Instance:
    """S11: to read a key not seen yet finds the initial state and nothing remembered, unless it may be hidden."""
    client, first = context.session.client, context.session.first
    stays = {state: Stay(None, first, began=True) for state in hidden_states(machine, client)}
    memory = {name: Memory(UNKNOWN, first) for name in hidden_memories(machine, client)}
    return Instance(machine, key, -1, stays, memory)


def _read(context: Context, witness: Witness) -> None:
    context.reads.setdefault(witness)


def entered_witness(instance: Instance) -> Witness:
    """The record that brought an instance where it is."""
    stay, state = instance.since(), instance.in_order()[0]
    return Witness(stay.place, "began" if stay.began else "entered", stay.event, state)


def _remembered(expr: MemoryRef, context: Context) -> Value:
    instance = find_instance(expr.instance, context)
    memory = instance.memory.get(expr.name) if instance is not None else None
    if memory is None:
        return UNKNOWN
    if isinstance(memory.value, Unknown):
        return context.not_known()
    shown = memory.value.ns if isinstance(memory.value, Duration | Instant) else memory.value
    _read(context, Witness(memory.place, "remembered", None, f"{expr.instance.machine}.{expr.name}", shown))
    return memory.value


def _key_part(expr: KeyRef, context: Context) -> Value:
    instance = find_instance(expr.instance, context)
    return UNKNOWN if instance is None else instance.key[expr.position][1]


def _membership(expr: Membership, context: Context) -> Value:
    instance = find_instance(expr.instance, context)
    if instance is None:
        return UNKNOWN
    if instance.order >= 0:
        _read(context, entered_witness(instance))
    inside = _inside(instance, expr.states)
    return context.not_known() if inside is None else inside is not expr.negated


def _inside(instance: Instance, states: frozenset[str]) -> bool | None:
    """S48: known only when all possible states agree."""
    if instance.states <= states:
        return True
    return None if instance.states & states else False


def _has(expr: Has, context: Context) -> Value:
    match expr.operand:
        case FieldRef(name=name):
            if name in context.session.client.lacking_fields:
                return context.not_known()
            return context.event is not None and context.event.fields.get(name) is not None
        case EventAttribute():
            return evaluate(expr.operand, context) is not UNKNOWN
        case MemoryRef() as memory:
            instance = find_instance(memory.instance, context)
            remembered = instance.memory.get(memory.name) if instance is not None else None
            if remembered is not None and remembered.value is UNKNOWN:
                return context.not_known()
            return remembered is not None
        case KeyRef() as key:
            return find_instance(key.instance, context) is not None


def _choice(expr: Choice, context: Context) -> Value:
    value = evaluate(expr.operand, context)
    if value is UNKNOWN:
        return UNKNOWN
    return any(compare("==", value, one.value) is True for one in expr.values) is not expr.negated


def _aggregate(expr: Aggregate, context: Context) -> Value:
    """S29: over the existing instances; unknown as soon as one of them may or may not belong."""
    values: list[Value] = []
    chosen: list[Instance] = []
    machine = context.model.machines[expr.machine]
    client = context.session.client
    if machine.keys and may_exist_unseen(machine, client) and hidden_states(machine, client) & expr.states:
        return context.not_known()  # S51, S52: there may be instances that nobody has seen
    for instance in context.session.of_machine(expr.machine):
        inner = replace(context, item=instance, reads={}, unsure=False)
        inside = _inside(instance, expr.states)
        where = True if expr.where is None else holds(expr.where, inner)
        belongs = truth(_kleene([inside, where], decisive=False))
        if belongs is None:
            context.unsure = context.unsure or inside is None or inner.unsure
            return UNKNOWN
        if belongs:
            chosen.append(instance)
            if expr.value is not None:
                values.append(evaluate(expr.value, inner))
                context.unsure = context.unsure or inner.unsure
    for instance in chosen:
        entered = entered_witness(instance)
        _read(context, Witness(entered.place, "counted", entered.event, entered.state))
    if expr.op == "count":
        return len(chosen)
    numbers: list[int | float] = [v for v in values if _is_number(v)]
    if len(numbers) != len(values):
        return UNKNOWN
    if expr.op == "sum":
        return _limited(sum(numbers))
    if not numbers:
        return UNKNOWN
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
        return UNKNOWN
    if _kind(left) != _kind(right):
        return {"==": False, "!=": True}.get(op, UNKNOWN)
    if op == "==":
        return left == right
    if op == "!=":
        return left != right
    if isinstance(left, bool):
        return UNKNOWN
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
        return value if -_LIMIT <= value < _LIMIT else UNKNOWN
    return value if math.isfinite(value) else UNKNOWN


def _within_years(value: int | float) -> Value:
    """S30: an instant outside of the years 1 to 9999 is unknown."""
    return value if _INSTANTS[0] <= value < _INSTANTS[1] else UNKNOWN


def _arithmetic(expr: Arithmetic, left: Value, right: Value) -> Value:
    if not _is_number(left) or not _is_number(right):
        return UNKNOWN
    if expr.op == "/" and right == 0:
        return UNKNOWN
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
        return UNKNOWN
