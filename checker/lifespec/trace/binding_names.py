"""The names of the lifecycle that a binding writes: events and machines of `emit` and `lacks`, constant parts; and
names of the log that are nearly one of those.

Owns this question alone. What `rename` makes of the log's names, and the constants of `emit`, are resolved with
the text (`model.resolve_binding_name`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from lifespec.diagnostics import Diagnostic
from lifespec.model.model import Model
from lifespec.syntax import ast
from lifespec.trace import binding_finding as finding
from lifespec.trace.compiled import PARTS
from lifespec.trace.near import find_near
from lifespec.trace.template import Template, TemplateError, parse_pattern

_Written = ast.Name | ast.Text | ast.TextLit


def check_names(model: Model, statements: Iterable[ast.Statement], events: frozenset[str]) -> Iterator[Diagnostic]:
    """A finding for each name that the lifecycle does not have; `events` are those that it knows."""
    statements = tuple(statements)
    assigned = {each.name.text for each in statements if isinstance(each, ast.Assign)}
    named = _named(statements)
    translated = _translated(statements)
    for statement in statements:
        if isinstance(statement, ast.Assign):
            yield from _slip_of_a_part(statement.name, model, assigned)
        match statement:
            case ast.Assign(name=part, value=ast.TextLit() as constant):
                if part.text != "event" or not translated(constant.value):
                    yield from _part(part.text, constant, model, events)
            case ast.Rename(machines=machines):
                for machine in machines:
                    yield from _known("machine", machine, model.machines)
            case ast.OnClause(names=names, actions=actions, fields=fields):
                for action in actions:
                    if isinstance(action, ast.Emit):
                        yield from _emit(action, model, events)
                if fields:  # the event keeps its name
                    for name in names or ():
                        yield from _known("event", name, events)
            case ast.Ignore(kind="machines", names=names):
                yield from _not_nearly("machine", names, model.machines)
            case ast.Ignore(kind="names" | "any", names=names):
                yield from _not_nearly("event", names, events | named)
            case ast.Lacks(kind="events", names=names):
                for name in names:
                    yield from _known("event", name, events)
            case ast.Lacks(kind="machines", names=names):
                for name in names:
                    yield from _known("machine", name, model.machines)
            case _:
                pass


def _named(statements: Iterable[ast.Statement]) -> frozenset[str]:
    """Names of the log that an `on` takes, and those that `rename event` makes."""
    names: set[str] = set()
    for each in statements:
        match each:
            case ast.OnClause(names=tuple(written)):
                names.update(name.text for name in written if isinstance(name, ast.Name))
            case ast.Rename(part=ast.Name(text="event"), pairs=pairs):
                names.update(pair.new.text for pair in pairs if isinstance(pair.new, ast.Name))
            case _:
                pass
    return frozenset(names)


def _translated(statements: Iterable[ast.Statement]) -> Callable[[str], bool]:
    """Whether the binding says what becomes of records that are all called so: an `on` looks for the name, a `rename`
    or an `ignore` speaks of it, or every record is translated."""
    names: set[str] = set()
    patterns: list[Template] = []
    is_every = False
    for each in statements:
        written: Iterable[ast.Name | ast.Text | ast.NumberLit] = ()
        match each:
            case ast.OnClause(names=None):
                is_bare = each.where is None and each.match is None and not each.each
                is_every = is_every or (is_bare and any(isinstance(action, ast.Emit) for action in each.actions))
            case ast.OnClause(names=tuple(names_)) | ast.Ignore(kind="names", names=names_):
                written = names_
            case ast.Rename(part=ast.Name(text="event"), pairs=pairs):
                written = [pair.old for pair in pairs]
            case _:
                pass
        for name in written:
            if not isinstance(name, ast.Text):
                names.add(name.text)
                continue
            with suppress(TemplateError):  # told where it is compiled
                patterns.append(parse_pattern(name.value))
    return lambda name: is_every or name in names or any(each.take(name) is not None for each in patterns)


def _slip_of_a_part(name: ast.Name, model: Model, assigned: set[str]) -> Iterator[Diagnostic]:
    """A part that is written with a slip becomes a field that nobody reads."""
    if name.text not in PARTS and name.text not in model.fields:
        near = find_near(name.text, sorted(PARTS))
        if near is not None:
            yield finding.unknown_part(name, near, is_error=near not in assigned)


def _not_nearly(kind: str, names: Iterable[ast.Name | ast.Text], known: Iterable[str]) -> Iterator[Diagnostic]:
    """Names of the log, which may be any; one that is nearly a known one may be a slip."""
    known = sorted(known)
    for name in names:
        if isinstance(name, ast.Name) and name.text not in known:
            near = find_near(name.text, known)
            if near is not None:
                yield finding.nearly_in_binding(kind, name.text, near, name.span)


def _part(part: str, constant: ast.TextLit, model: Model, events: frozenset[str]) -> Iterator[Diagnostic]:
    """A constant that a part of every event is."""
    match part:
        case "event":
            yield from _known("event", constant, events)
        case "machine":
            yield from _known("machine", constant, model.machines)
        case "from" | "to":
            states = {state for machine in model.machines.values() for state in machine.states}
            yield from _known("state", constant, states)
        case "owner" if model.owners:
            yield from _known("owner", constant, model.owners)
        case _:
            pass


def _emit(emit: ast.Emit, model: Model, events: frozenset[str]) -> Iterator[Diagnostic]:
    if emit.machine is not None:
        yield from _known("machine", emit.machine, model.machines)
        yield from _known("event", emit.name, events)
    elif emit.source is not None or emit.target is not None:
        yield from _known("machine or event", emit.name, {*events, *model.machines})
    else:
        yield from _known("event", emit.name, events)


def _known(kind: str, name: _Written, known: Iterable[str]) -> Iterator[Diagnostic]:
    text = name.text if isinstance(name, ast.Name) else name.value
    if text not in known and "{" not in text:
        yield finding.unknown_in_binding(kind, text, name.span, known)
