"""What a binding says of the client as a whole, for the engines. Owns `lacks` and `recording`."""

from __future__ import annotations

from collections.abc import Iterable

from lifespec.syntax import ast
from lifespec.trace.event import Client


def client_of(
    statements: Iterable[ast.Statement], events: frozenset[str], *, has_time: bool, has_owner: bool, has_source: bool
) -> Client:
    """The Client; `events` are those that the lifecycle knows, `has_*` whether the binding assigns these parts."""
    lacking: dict[str, set[str]] = {"events": set(), "fields": set(), "machines": set()}
    ignored: set[str] = set()
    kind, ends = "", frozenset[str]()
    for each in statements:
        match each:
            case ast.Lacks(kind="owners"):
                has_owner = False
            case ast.Lacks():
                lacking[each.kind] |= _lacking(each, events)
            case ast.Recording():
                kind, ends = each.kind, frozenset(end.text for end in each.ends)
            case ast.Ignore(kind="machines"):
                ignored.update(name.text for name in each.names if isinstance(name, ast.Name))
            case _:
                pass
    return Client(
        lacking_events=frozenset(lacking["events"]),
        lacking_fields=frozenset(lacking["fields"]),
        lacking_machines=frozenset(lacking["machines"]),
        cut_start="start" in ends,
        cut_end="end" in ends,
        sampled=kind == "sampled",
        whole=kind == "whole",
        has_time=has_time,
        has_owner=has_owner,
        has_source=has_source,
        ignored_machines=frozenset(ignored),
    )


def _lacking(lacks: ast.Lacks, events: frozenset[str]) -> set[str]:
    names = {name.text for name in lacks.names}
    if not lacks.every:
        return names
    return set(events) - names if lacks.excepted else set(events)
