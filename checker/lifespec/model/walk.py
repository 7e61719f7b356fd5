"""Everything inside an expression of a Model. Owns the walk; looks for nothing."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.model.model import (
    Aggregate,
    And,
    Arithmetic,
    Choice,
    Comparison,
    Expr,
    Has,
    KeyRef,
    Like,
    Membership,
    MemoryRef,
    Negative,
    Not,
    Or,
)


def parts_of(expr: Expr) -> Iterator[Expr]:
    """`expr` and everything inside it, indices included; without recursion."""
    waiting = [expr]
    while waiting:
        part = waiting.pop()
        yield part
        match part:
            case MemoryRef(instance=instance) | KeyRef(instance=instance) | Membership(instance=instance):
                waiting.extend(instance.index)
            case Choice(operand=operand) | Like(operand=operand) | Has(operand=operand):
                waiting.append(operand)
            case Not(operand=operand) | Negative(operand=operand):
                waiting.append(operand)
            case Comparison(left=left, right=right) | Arithmetic(left=left, right=right):
                waiting += (left, right)
            case And(operands=operands) | Or(operands=operands):
                waiting.extend(operands)
            case Aggregate(value=value, where=where):
                waiting.extend(each for each in (value, where) if each is not None)
