"""Expressions, names and literals of the tree -> text, with parentheses only where they must be."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lifespec.syntax import ast
from lifespec.syntax.words import OPERANDS, RESERVED, is_word, quoted, quoted_key

# How tightly an expression binds: what stands at a place is at least as tight as the place asks.
ANY, AND, NOT, CONDITION, SUM, PRODUCT, FACTOR, CONVERTED, ATOM = range(1, 10)

_OPERATORS = {
    "or": (ANY, ANY, AND),
    "and": (AND, AND, NOT),
    "+": (SUM, SUM, PRODUCT),
    "-": (SUM, SUM, PRODUCT),
    "*": (PRODUCT, PRODUCT, FACTOR),
    "/": (PRODUCT, PRODUCT, FACTOR),
}
_COMPARED = (CONDITION, SUM, SUM)


def name(node: ast.Name, reserved: bool = True) -> str:
    """A name as written; `reserved` says whether keywords need quotes at the place."""
    return quoted(node.text) if reserved else any_word(node.text)


def names(nodes: Iterable[ast.Name]) -> str:
    return ", ".join(name(node) for node in nodes)


def text(node: ast.Text) -> str:
    return f'"{node.value}"'


def any_word(word: str) -> str:
    """A name where keywords need no quotes."""
    return quoted_key(word)


def print_literals(literals: Iterable[ast.Name | ast.Text | ast.NumberLit | ast.DurationLit]) -> str:
    """A list of names and constants, as behind `in` or `one of`."""
    return ", ".join(print_literal(literal) for literal in literals)


def print_literal(literal: ast.Name | ast.Text | ast.NumberLit | ast.DurationLit) -> str:
    match literal:
        case ast.Name():
            return name(literal)
        case ast.Text():
            return text(literal)
        case _:
            return literal.text


def print_expr(expr: ast.Expr, at_least: int) -> str:
    """An expression at a place that asks for something at least so tight."""
    tightness, written = _expr(expr)
    return written if tightness >= at_least else f"({written})"


def print_path(path: ast.Path, head: Callable[[str], str]) -> str:
    """A path whose first name is written as `head` says."""
    first = head(path.head.text) if isinstance(path.head, ast.Name) else f"({print_inner(path.head)})"
    return first + "".join(_step(step) for step in path.steps)


def print_inner(expr: ast.Expr) -> str:
    """What stands between parentheses."""
    if isinstance(expr, ast.Else):
        return " else ".join(print_expr(choice, ANY) for choice in expr.choices)
    return print_expr(expr, ANY)


def print_value(value: ast.Expr, taboo: frozenset[str] = frozenset()) -> str:
    """A value of a binding; `taboo` are the words that mean something else at its beginning."""
    if isinstance(value, ast.Else):
        return " else ".join(print_reading(choice, taboo) for choice in value.choices)
    return print_reading(value, taboo)


def print_reading(value: ast.Expr, taboo: frozenset[str] = frozenset()) -> str:
    """One choice of a value of a binding."""
    if isinstance(value, ast.Convert):
        return f"{_source(value.value, taboo)} as {_conversion(value)}"
    return _source(value, taboo)


def print_log_path(path: ast.Path, taboo: frozenset[str] = frozenset()) -> str:
    """A path into a record, where it begins with any word."""
    return print_path(path, lambda word: f"'{word}'" if word in taboo else any_word(word))


_CONSTANTS = frozenset(("true", "false"))
_ORIGINS = frozenset(("epoch", "start", "previous"))


def _source(value: ast.Expr, taboo: frozenset[str]) -> str:
    match value:
        case ast.NumberLit() | ast.DurationLit():
            return value.text
        case ast.TextLit() | ast.BoolLit():
            return print_expr(value, ATOM)
        case ast.Path():
            return print_log_path(value, taboo | _CONSTANTS)
        case _:
            return f"({print_inner(value)})"


def _conversion(convert: ast.Convert) -> str:
    if convert.to != "unit":
        return f"{convert.to} zone {text(convert.zone)}" if convert.zone else convert.to
    unit = convert.unit.text if isinstance(convert.unit, ast.Name) else ""
    if convert.unit is not None and not isinstance(convert.unit, ast.Name):
        unit = f"({print_inner(convert.unit)})"
    if convert.since is None:
        return unit
    since = convert.since if isinstance(convert.since, str) else print_reading(convert.since, _ORIGINS)
    return f"{unit} since {since}"


def _head(word: str) -> str:
    return word if is_word(word) and (word not in RESERVED or word in OPERANDS) else f"'{word}'"


def _step(step: ast.Step) -> str:
    if step.name is not None:
        return f".{any_word(step.name.text)}"
    return "[" + ", ".join(print_expr(index, SUM) for index in step.index or ()) + "]"


def _expr(expr: ast.Expr) -> tuple[int, str]:
    match expr:
        case ast.NumberLit() | ast.DurationLit():
            return ATOM, expr.text
        case ast.BoolLit():
            return ATOM, "true" if expr.value else "false"
        case ast.TextLit():
            return ATOM, f'"{expr.value}"'
        case ast.Path():
            return ATOM, print_path(expr, _head)
        case ast.Unary():
            if expr.op == "not":
                plain = isinstance(expr.operand, ast.Has | ast.Unary)  # else: in parentheses, to be read at once
                return NOT, f"not {print_expr(expr.operand, NOT if plain else CONVERTED)}"
            return FACTOR, f"-{print_expr(expr.operand, FACTOR)}"
        case ast.Binary():
            own, left, right = _OPERATORS.get(expr.op, _COMPARED)
            return own, f"{print_expr(expr.left, left)} {expr.op} {print_expr(expr.right, right)}"
        case ast.In():
            operator = "not in" if expr.negated else "in"
            return CONDITION, f"{print_expr(expr.left, SUM)} {operator} {print_literals(expr.members)}"
        case ast.Like():
            return CONDITION, f"{print_expr(expr.left, SUM)} like {text(expr.pattern)}"
        case ast.Has():
            return CONDITION, f"has {print_path(expr.path, _head)}"
        case ast.Aggregate():
            where = f" where {print_expr(expr.where, ANY)}" if expr.where else ""
            return ATOM, f"{expr.op}({print_path(expr.subject, quoted)} in {names(expr.states)}{where})"
        case ast.Convert():
            return CONVERTED, f"{print_expr(expr.value, ATOM)} as {_conversion(expr)}"
        case ast.Else():
            return ATOM, f"({print_inner(expr)})"
