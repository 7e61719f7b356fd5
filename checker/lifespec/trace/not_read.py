"""What may stand in a binding and is not read yet (spec/bindings.md B27). Owns the list; ends in a finding each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lifespec.diagnostics import Diagnostic
from lifespec.source import Span
from lifespec.syntax import ast
from lifespec.trace.binding_finding import not_yet_read


def find_not_read(statements: Iterable[ast.Statement]) -> Iterator[Diagnostic]:
    """A finding `not-yet-read` for each thing that the reader would have to guess at."""
    for statement in statements:
        for what, span in _of_statement(statement):
            yield not_yet_read(what, span)


def _of_statement(statement: ast.Statement) -> Iterator[tuple[str, Span]]:
    match statement:
        case ast.Read():
            yield from _of_read(statement)
        case ast.Match():
            yield "`match`", statement.span
        case ast.Order():
            yield "`order by`", statement.span
        case ast.ClockPer():
            yield "`clock per`", statement.span
        case ast.UniqueBy():
            yield "`unique by`", statement.span
        case ast.OnClause():
            yield from _of_clause(statement)
        case _:
            pass


def _of_read(read: ast.Read) -> Iterator[tuple[str, Span]]:
    if read.container != "json-lines":
        yield f"`{read.container}` logs", read.span
    if read.separated_by is not None:
        yield "`separated by`", read.separated_by.span
    if read.rows is not None and read.rows.named_by is not None:
        yield "rows named by the data", read.rows.span
    for each in read.each:
        yield "`each`", each.span


def _of_clause(clause: ast.OnClause) -> Iterator[tuple[str, Span]]:
    for each in clause.each:
        yield "`each`", each.span
    if clause.match is not None:
        yield "`match`", clause.match.span
    for action in clause.actions:
        if isinstance(action, ast.SameSession):
            yield "`same session`", action.span
        elif isinstance(action, ast.MarkSession) and action.kind == "begins":
            yield "`begins session`", action.span
