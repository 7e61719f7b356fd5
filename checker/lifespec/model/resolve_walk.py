"""Walking over written expressions without recursion. Owns what the children of an expression are."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.syntax import ast


def children(expr: ast.Expr) -> tuple[ast.Expr, ...]:
    """The expressions directly inside `expr`, those in indices and conversions included."""
    match expr:
        case ast.Path(head=head, steps=steps):
            indices = tuple(part for step in steps for part in step.index or ())
            return indices if isinstance(head, ast.Name) else (head, *indices)
        case ast.Unary(operand=operand):
            return (operand,)
        case ast.Binary(left=left, right=right):
            return (left, right)
        case ast.In(left=left) | ast.Like(left=left):
            return (left,)
        case ast.Has(path=path):
            return (path,)
        case ast.Aggregate(subject=subject, where=where):
            return (subject,) if where is None else (subject, where)
        case ast.Convert(value=value, unit=unit, since=since):
            inner: list[ast.Expr] = [value]
            if unit is not None and not isinstance(unit, ast.Name):
                inner.append(unit)
            if since is not None and not isinstance(since, str):
                inner.append(since)
            return tuple(inner)
        case ast.Else(choices=choices):
            return choices
        case _:
            return ()


def walk(expr: ast.Expr) -> Iterator[ast.Expr]:
    """`expr` and everything inside it, outer before inner."""
    waiting = [expr]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(children(current)))
