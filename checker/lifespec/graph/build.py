"""Model -> networkx: one graph per machine, with everything that a picture or an export needs.

Owns the names of the node, edge and graph attributes (docs/reference/graph.md lists them; a test compares
the two). Decides nothing about looks. Attribute values are text, int, bool, None, tuples of text, and, in
graph attributes only, mappings and tuples of mappings of these.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lifespec.model.model import (
    After,
    At,
    Expr,
    Machine,
    Model,
    On,
    State,
    Transition,
    Trigger,
    When,
)

if TYPE_CHECKING:
    import networkx as nx

    Graph = nx.MultiDiGraph[str]

_UNITS = (("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000))
_LITERAL = re.compile(r"\d+(\.\d+)?(ns|us|ms|s|m|h|d)")


def build_graph(model: Model) -> dict[str, Graph]:
    """One graph per machine, by the machine's name, in order of declaration.

    Nodes are states. Every transition is an edge for each of its sources and targets; one that stays is an
    edge from each source to itself with `stays` true. The key of an edge is the transition's index.
    """
    import networkx as nx

    graphs: dict[str, Graph] = {}
    for position, machine in enumerate(model.machines.values()):
        graph: Graph = nx.MultiDiGraph()
        graph.graph.update(_graph_attributes(model, machine, position))
        for index, state in enumerate(machine.states.values()):
            graph.add_node(state.name, **_node_attributes(state, index))
        for transition in machine.transitions:
            attributes = _edge_attributes(model, transition)
            for source in transition.sources:
                for target in transition.targets or (source,):
                    graph.add_edge(source, target, transition.index, **attributes)
        graphs[machine.name] = graph
    return graphs


def _graph_attributes(model: Model, machine: Machine, position: int) -> dict[str, Any]:
    return {
        "lifecycle": model.name,
        "version": model.version,
        "lifecycle_documentation": model.doc,
        "profile": model.profile,
        "machine": machine.name,
        "position": position,
        "keys": machine.keys,
        "owners": machine.owners,
        "documentation": machine.doc,
        "initial": machine.initial,
        "groups": tuple(
            {
                "name": group.name,
                "parent": group.parent,
                "states": tuple(name for name in machine.states if name in group.states),
                "documentation": group.doc,
            }
            for group in machine.groups.values()
        ),
        "ignored": tuple(sorted(machine.ignored)),
        "memories": {name: machine.memories[name].value for name in sorted(machine.memories)},
        "declared_owners": {owner.name: owner.doc for owner in model.owners.values()},
    }


def _node_attributes(state: State, index: int) -> dict[str, Any]:
    return {
        "index": index,
        "kind": state.kind.value,
        "groups": state.groups,
        "within": state.within_written,
        "within_ns": state.within_ns,
        "requires": state.requires,
        "waived": state.waived_why,
        "documentation": state.doc,
    }


def _edge_attributes(model: Model, transition: Transition) -> dict[str, Any]:
    kind, text = _trigger(model, transition.trigger)
    on = transition.trigger if isinstance(transition.trigger, On) else None
    return {
        "index": transition.index,
        "trigger": kind,
        "trigger_text": text,
        "events": on.events if on else (),
        "of": on.of if on else None,
        "after_ns": transition.trigger.ns if isinstance(transition.trigger, After) else None,
        "stays": transition.stays,
        "from_any": transition.from_any,
        "owners": transition.owners,
        "where": _written(model, transition.where) if transition.where is not None else None,
        "requires": transition.requires,
        "require": tuple(requirement.text for requirement in transition.require),
        "require_documentation": tuple(requirement.doc or "" for requirement in transition.require),
        "remember": tuple(
            name if name == value else f"{name} = {value}"
            for name, value in ((a.name, _written(model, a.value)) for a in transition.remember)
        ),
        "documentation": transition.doc,
        "text": transition.text,
    }


def _trigger(model: Model, trigger: Trigger | None) -> tuple[str, str]:
    """The kind of a trigger, and the trigger as a person would write it."""
    match trigger:
        case None:
            return "none", ""
        case On(events=events, of=of):
            return "on", ", ".join(events) + (f" of {of}" if of else "")
        case When(machine=machine, another=another, index=index, enters=enters):
            who = f"another {machine}" if another else machine
            if index:
                who += f"[{', '.join(_written(model, part) for part in index)}]"
            return "when", f"when {who} enters {', '.join(entered.name for entered in enters)}"
        case After(ns=ns, written=written):
            return "after", f"after {bound_text(written, ns)}"
        case At(value=value):
            return "at", f"at {_written(model, value)}"


def _written(model: Model, expression: Expr) -> str:
    """An expression as the author wrote it, white space folded."""
    source = model.sources.get(expression.span.file)
    return source.slice(expression.span) if source is not None else ""


def bound_text(written: str, ns: int) -> str:
    """A length of time for people: "10s", or "opening (10s)" where it was not written as a literal."""
    if _LITERAL.fullmatch(written):
        return written
    return f"{written} ({duration_text(ns)})"


def duration_text(ns: int) -> str:
    """`ns` nanoseconds in the greatest unit that takes them whole: 90s, 2m, 500ms."""
    for unit, length in _UNITS:
        if ns and ns % length == 0:
            return f"{ns // length}{unit}"
    return f"{ns}ns" if ns else "0s"
