"""Rules that compare a field with what the same event has just remembered of it.

A rule is judged behind the step (semantics S1), so a value that the step itself remembers is the new one. Told is
only a comparison of a field with a memory that every transition on the event sets to that very field: it compares the
field with itself, whatever the log holds.
"""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.diagnostics import Diagnostic, Label
from lifespec.model.model import (
    And,
    Arithmetic,
    Comparison,
    Expr,
    FieldRef,
    Machine,
    MemoryRef,
    Model,
    Negative,
    Not,
    On,
    OnPart,
    Or,
    Requirement,
    Whose,
)


def find_remembered_already(model: Model) -> Iterator[Diagnostic]:
    """One finding for each comparison of a `require` behind `on`."""
    for rule in model.rules:
        for part in rule.parts:
            if not isinstance(part, OnPart) or part.where is not None:
                continue
            for action in part.actions:
                for comparison in _comparisons(action.condition) if isinstance(action, Requirement) else ():
                    yield from _of(comparison, part, model)


def _of(comparison: Comparison, part: OnPart, model: Model) -> Iterator[Diagnostic]:
    for one, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
        fields = {each.name for each in _parts(one) if isinstance(each, FieldRef)}
        for memory in _parts(other):
            if not isinstance(memory, MemoryRef) or not _is_own(memory, model):
                continue
            machine = model.machines[memory.instance.machine]
            event, field = next(
                (
                    (event, field)
                    for event in part.events
                    for field in fields
                    if _sets(machine, event, memory.name, field)
                ),
                ("", ""),
            )
            if event:
                name = f"{machine.name}.{memory.name}"
                yield Diagnostic(
                    "remembered-already",
                    f"`{name}` is `{field}` itself here: `{event}` has just remembered it",
                    Label(memory.span, "the new value"),
                    notes=("a rule is judged behind the whole step, and sees what the step has remembered",),
                    help=(
                        f"judge it at the transition, whose `require` sees the value before: `on {event} require ... "
                        f"remember {memory.name} = {field}`",
                    ),
                )
                return


def _is_own(memory: MemoryRef, model: Model) -> bool:
    """Whether it is that of the instance which the event moves: of a plain machine, or of the event's own key."""
    if memory.instance.whose is Whose.PLAIN:
        return True
    keys = model.machines[memory.instance.machine].keys
    index = [part.name if isinstance(part, FieldRef) else None for part in memory.instance.index]
    return memory.instance.whose is Whose.INDEXED and index == list(keys)


def _sets(machine: Machine, event: str, memory: str, field: str) -> bool:
    """Whether every transition on the event remembers the field, as it is, under this name."""
    if event in machine.ignored:
        return False
    taking = [each for each in machine.transitions if isinstance(each.trigger, On) and event in each.trigger.events]
    return bool(taking) and all(
        any(
            each.name == memory and isinstance(each.value, FieldRef) and each.value.name == field
            for each in transition.remember
        )
        for transition in taking
    )


def _comparisons(condition: Expr) -> Iterator[Comparison]:
    match condition:
        case Comparison():
            yield condition
        case Not(operand=operand):
            yield from _comparisons(operand)
        case And(operands=operands) | Or(operands=operands):
            for each in operands:
                yield from _comparisons(each)
        case _:
            pass


def _parts(expr: Expr) -> Iterator[Expr]:
    """What an arithmetic expression is made of."""
    match expr:
        case Arithmetic(left=left, right=right):
            yield from _parts(left)
            yield from _parts(right)
        case Negative(operand=operand):
            yield from _parts(operand)
        case _:
            yield expr
