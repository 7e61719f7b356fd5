"""Statements of bindings -> text, each on a line of its own."""

from __future__ import annotations

from lifespec.syntax import ast
from lifespec.syntax.printer_expr import (
    AND,
    SUM,
    any_word,
    name,
    names,
    print_expr,
    print_literal,
    print_log_path,
    print_value,
    text,
)

_NONE = frozenset(("none",))


def print_statement(s: ast.Statement) -> str:
    """One statement of a binding, without its indent."""
    match s:
        case ast.Read():
            return _read(s)
        case ast.Assign():
            return f"{any_word(s.name.text)} = {print_value(s.value, _NONE) if s.value else 'none'}"
        case ast.Let():
            return f"let {any_word(s.name.text)} = {print_value(s.value)}"
        case ast.Match():
            return _match(s)
        case ast.FieldsFrom():
            return "fields from " + ", ".join(print_log_path(path) for path in s.paths)
        case ast.Rename():
            machines = f" of {names(s.machines)}" if s.machines else ""
            return f"rename {any_word(s.part.text)}{machines} " + ", ".join(_pair(pair) for pair in s.pairs)
        case ast.OnClause():
            return _on_clause(s)
        case ast.Ignore():
            return _ignore(s)
        case ast.Lacks():
            except_ = f"except {names(s.names)}" if s.excepted else ""
            return _words("lacks", s.kind, "any" if s.every else "", except_ or names(s.names))
        case ast.Order():
            start = f"from {s.start.text}" if s.start else ""
            within = f"within {print_expr(s.within, SUM)}" if s.within else ""
            return _words("order by", print_log_path(s.by), start, within)
        case ast.ClockPer():
            return f"clock per {print_value(s.value)}"
        case ast.UniqueBy():
            return f"unique by {print_value(s.value)}"
        case ast.Recording():
            return _words("recording", s.kind, f"at {names(s.ends)}" if s.ends else "")
        case ast.Allow():
            return f"allow {names(s.findings)} {text(s.why)}"


def _read(s: ast.Read) -> str:
    return _words(
        "read",
        s.container,
        f"after {text(s.after)}" if s.after else "",
        "header first" if s.header_first else "",
        _rows(s.rows) if s.rows else "",
        f"separated by {text(s.separated_by)}" if s.separated_by else "",
        *(print_each(each) for each in s.each),
    )


def _rows(rows: ast.Rows) -> str:
    if rows.named_by is not None:
        return f"rows named by {print_log_path(rows.named_by)}"
    return "rows [" + ", ".join(_column(column) for column in rows.columns) + "]"


def _column(column: ast.Column) -> str:
    if column.name is None:
        return "_" if column.kind == "skip" else "..."
    if column.kind == "optional":
        return f"{any_word(column.name.text)}?"
    return "'_'" if column.name.text == "_" else any_word(column.name.text)


def print_each(each: ast.Each) -> str:
    """`each key: name in PATH`."""
    key = f"{any_word(each.key.text)}: " if each.key else ""
    return f"each {key}{any_word(each.name.text)} in {print_log_path(each.path)}"


def _match(s: ast.Match) -> str:
    return f"match {print_log_path(s.path)} {text(s.template)}"


def _pair(pair: ast.RenamePair) -> str:
    new = pair.new
    if isinstance(new, ast.Name):
        written = "'none'" if new.text == "none" else name(new)
    else:
        written = text(new) if new else "none"
    return f"{print_literal(pair.old)} -> {written}"


def _on_clause(s: ast.OnClause) -> str:
    return _words(
        "on",
        "any" if s.names is None else _logged(s.names),
        *(print_each(each) for each in s.each),
        _match(s.match) if s.match else "",
        _where(s.where),
        _with(s.fields),
        *(_action(action) for action in s.actions),
    )


def _action(action: ast.Emit | ast.SameSession | ast.MarkSession) -> str:
    match action:
        case ast.Emit():
            return _words(
                "emit",
                _logged((action.name,)),
                f"of {name(action.machine)}" if action.machine else "",
                f"from {print_value(action.source)}" if action.source else "",
                f"{'in' if action.status else 'to'} {print_value(action.target)}" if action.target else "",
                f"by {print_value(action.owner)}" if action.owner else "",
                _with(action.fields),
            )
        case ast.SameSession():
            return f"same session as {print_value(action.value)}"
        case ast.MarkSession():
            return f"{action.kind} session"


def _ignore(s: ast.Ignore) -> str:
    match s.kind:
        case "any":
            listed = _words("any", f"except {_logged(s.names)}" if s.names else "")
        case "machines":
            machines = names(item for item in s.names if isinstance(item, ast.Name))
            listed = f"machines {machines}"
        case _:
            listed = _logged(s.names)
            if listed == "machines" or listed.startswith("machines,"):
                listed = f"'machines'{listed[len('machines') :]}"
    return _words("ignore", listed, _where(s.where))


def _logged(items: tuple[ast.Name | ast.Text, ...]) -> str:
    return ", ".join(print_literal(item) for item in items)


def _with(fields: tuple[ast.With, ...]) -> str:
    if not fields:
        return ""
    return "with " + ", ".join(f"{any_word(field.name.text)} = {print_value(field.value)}" for field in fields)


def _where(where: ast.Expr | None) -> str:
    return f"where {print_expr(where, AND)}" if where else ""


def _words(*words: str) -> str:
    return " ".join(word for word in words if word)
