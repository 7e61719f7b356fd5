"""The names of the lifecycle that a binding writes: events and machines of `emit` and `lacks`, constant parts.

Owns this question alone. What `rename` makes of the log's names, and the constants of `emit`, are resolved with
the text (`model.resolve_binding_name`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lifespec.diagnostics import Diagnostic
from lifespec.model.model import Model
from lifespec.syntax import ast
from lifespec.trace import binding_finding as finding

_Written = ast.Name | ast.Text | ast.TextLit


def check_names(model: Model, statements: Iterable[ast.Statement], events: frozenset[str]) -> Iterator[Diagnostic]:
    """A finding for each name that the lifecycle does not have; `events` are those that it knows."""
    for statement in statements:
        match statement:
            case ast.Assign(name=part, value=ast.TextLit() as constant):
                yield from _part(part.text, constant, model, events)
            case ast.Rename(machines=machines):
                for machine in machines:
                    yield from _known("machine", machine, model.machines)
            case ast.OnClause(actions=actions):
                for action in actions:
                    if isinstance(action, ast.Emit):
                        yield from _emit(action, model, events)
            case ast.Lacks(kind="events", names=names):
                for name in names:
                    yield from _known("event", name, events)
            case ast.Lacks(kind="machines", names=names):
                for name in names:
                    yield from _known("machine", name, model.machines)
            case _:
                pass


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
