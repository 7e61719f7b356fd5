"""The records that a condition leaned on, in the order in which they were read (semantics S57).

Asked only when there is a finding, of the state in which the condition was judged. Owns that order; judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lifespec.engine.monitor_book import Book
from lifespec.engine.monitor_state import Happening, Instance, Session
from lifespec.engine.table_value import Unknown
from lifespec.engine.tables import Tables
from lifespec.model.model import (
    Aggregate,
    And,
    Arithmetic,
    Choice,
    Comparison,
    Expr,
    Has,
    InstanceRef,
    KeyRef,
    Like,
    Membership,
    MemoryRef,
    Negative,
    Not,
    Or,
)
from lifespec.model.value import Duration, Instant
from lifespec.verdict import Witness

_Where = tuple[Session, Happening | None, Instance | None, Instance | None]


class Witnesses:
    """Finds the witnesses of conditions."""

    def __init__(self, tables: Tables, book: Book) -> None:
        self._tables = tables
        self._book = book

    def of(
        self,
        expr: Expr,
        session: Session,
        event: Happening | None,
        *,
        own: Instance | None = None,
        concerned: Instance | None = None,
    ) -> list[Witness]:
        """Those of one condition, each once."""
        return list(dict.fromkeys(self._read(expr, (session, event, own, concerned))))

    def _read(self, expr: Expr, at: _Where) -> Iterator[Witness]:
        match expr:
            case MemoryRef():
                yield from self._index(expr.instance, at)
                yield from self._remembered(expr, at)
            case KeyRef():
                yield from self._index(expr.instance, at)
            case Membership():
                yield from self._index(expr.instance, at)
                found = self._find(expr.instance, at)
                if not isinstance(found, Unknown) and found.order >= 0:
                    yield self._book.entered(found)
            case Has(operand=MemoryRef() | KeyRef() as operand):
                yield from self._index(operand.instance, at)
            case Choice() | Like() | Negative() | Not():
                yield from self._read(expr.operand, at)
            case Comparison() | Arithmetic():
                yield from self._read(expr.left, at)
                yield from self._read(expr.right, at)
            case And() | Or():
                for part in expr.operands:
                    yield from self._read(part, at)
            case Aggregate():
                yield from self._counted(expr, at)
            case _:
                pass

    def _find(self, ref: InstanceRef, at: _Where) -> Instance | Unknown:
        found: Instance | Unknown = self._tables.compiler.instance(ref)(*at, None, None)
        return found

    def _index(self, ref: InstanceRef, at: _Where) -> Iterator[Witness]:
        for part in ref.index:
            yield from self._read(part, at)

    def _remembered(self, expr: MemoryRef, at: _Where) -> Iterator[Witness]:
        found = self._find(expr.instance, at)
        if isinstance(found, Unknown) or found.memory is None:
            return
        number = found.table.memories[expr.name]
        value = found.recall(number)
        if not isinstance(value, Unknown):
            shown = value.ns if isinstance(value, Duration | Instant) else value
            place = self._book.place(found.memory[2 * number + 1])  # type: ignore[arg-type]  # a position there
            yield Witness(place, "remembered", None, f"{expr.instance.machine}.{expr.name}", shown)

    def _counted(self, expr: Aggregate, at: _Where) -> Iterator[Witness]:
        chosen = self._tables.compiler.chosen(expr)(*at, None)
        if not isinstance(chosen, Unknown):
            for instance in chosen:
                entered = self._book.entered(instance)
                yield replace(entered, role="counted")
