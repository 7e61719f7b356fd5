"""What an expression is in resolving: its type, and where it stands.

Owns the table of which types can be equal.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct

from lifespec.model import model as m
from lifespec.model.resolve_constant import NUMERIC
from lifespec.model.value import Type

TIMES = frozenset({Type.DURATION, Type.INSTANT})
ORDERED = NUMERIC | TIMES
TEXTUAL = frozenset({Type.TEXT, Type.ONE_OF})


@dataclass(slots=True)
class Concern:
    """The keyed machine whose instances a rule is about. `is_open`: the first one named becomes it."""

    machine: str | None
    is_open: bool


class Context(Struct, frozen=True):
    """Where an expression stands: in a transition of `own`, in an aggregate over `item`, in a rule about
    `concern`."""

    own: str | None = None
    item: str | None = None
    concern: Concern | None = None


def type_of(expr: m.Expr) -> Type:
    """The type of a resolved expression; what is judged is BOOL."""
    match expr:
        case (
            m.Literal(type=type_)
            | m.FieldRef(type=type_)
            | m.EventAttribute(type=type_)
            | m.MemoryRef(type=type_)
            | m.KeyRef(type=type_)
            | m.Aggregate(type=type_)
            | m.Arithmetic(type=type_)
            | m.Negative(type=type_)
        ):
            return type_
        case _:
            return Type.BOOL


def comparable(left: Type, right: Type) -> bool:
    """Whether values of the two types can be equal. ANY goes with all but the times."""
    if Type.ANY in (left, right):
        return not {left, right} & TIMES
    if left in NUMERIC and right in NUMERIC:
        return True
    return left == right or (left in TEXTUAL and right in TEXTUAL)
