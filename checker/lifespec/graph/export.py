"""Graphs -> GraphML or node-link JSON, for other tools. Owns the flattening that GraphML needs.

GraphML is one graph: with all machines, the states of each are nodes called `machine:state`; with one machine, nodes
are called by their states. In these, `%`, `:` and what XML cannot carry is percent-encoded. Edges are called e0, e1,
...; lists become texts of JSON; absent values are left out. Node-link JSON is that of networkx: of one machine a
document of its own, of all of them one document each under `machines`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from lifespec.graph.build import build_graph
from lifespec.graph.text import UNFIT, clean
from lifespec.model.model import Model

if TYPE_CHECKING:
    from lifespec.graph.build import Graph


_TELLING = re.compile(f"[%:]|{UNFIT.pattern}")


class ExportFormat(StrEnum):
    GRAPHML = "graphml"
    NODE_LINK = "node-link"


def export(model: Model, form: ExportFormat, machine: str | None = None) -> str:
    """The graphs of all machines, or of the one called `machine`, ending in a newline. The same model gives the
    same text. Raises KeyError for a machine that is not declared."""
    graphs = build_graph(model)
    chosen = graphs if machine is None else {machine: graphs[machine]}
    if form is ExportFormat.GRAPHML:
        import networkx as nx

        one = None if machine is None else nx.relabel_nodes(chosen[machine], _identifier)
        return _graphml(_union(model, chosen) if one is None else one)
    document = (
        _node_link(chosen[machine])
        if machine is not None
        else {"lifecycle": model.name, "machines": {name: _node_link(graph) for name, graph in chosen.items()}}
    )
    return clean(json.dumps(document, ensure_ascii=False, indent=2)) + "\n"


def _node_link(graph: Graph) -> dict[str, Any]:
    """What `networkx.node_link_data(graph, edges="edges")` gives, whatever the version of networkx."""
    return {
        "directed": True,
        "multigraph": True,
        "graph": graph.graph,
        "nodes": [{**attributes, "id": name} for name, attributes in graph.nodes(data=True)],
        "edges": [
            {**attributes, "source": source, "target": target, "key": key}
            for source, target, key, attributes in graph.edges(keys=True, data=True)
        ],
    }


def _union(model: Model, graphs: Mapping[str, Graph]) -> Graph:
    import networkx as nx

    union: Graph = nx.MultiDiGraph()
    union.graph.update(lifecycle=model.name, version=model.version, lifecycle_documentation=model.doc)
    for machine, graph in graphs.items():
        for state, attributes in graph.nodes(data=True):
            union.add_node(_identifier(machine, state), machine=machine, state=state, **attributes)
        for source, target, key, data in graph.edges(keys=True, data=True):
            union.add_edge(_identifier(machine, source), _identifier(machine, target), key, machine=machine, **data)
    return union


def _identifier(*names: str) -> str:
    return ":".join(_TELLING.sub(_percent, name) for name in names)


def _percent(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))


def _graphml(graph: Graph) -> str:
    """A graph whose nodes are called by identifiers, with attributes that GraphML knows."""
    import networkx as nx

    flat: Graph = nx.MultiDiGraph()
    flat.graph.update(_flat(graph.graph))
    for name, attributes in graph.nodes(data=True):
        flat.add_node(name, **dict(_flat(attributes)))
    for number, (source, target, attributes) in enumerate(graph.edges(data=True)):
        flat.add_edge(source, target, f"e{number}", **dict(_flat(attributes)))
    return "\n".join(nx.generate_graphml(flat)) + "\n"


def _flat(attributes: Mapping[str, Any]) -> Iterator[tuple[str, str | int | bool]]:
    for name, value in attributes.items():
        if isinstance(value, str):
            yield name, clean(value)
        elif isinstance(value, bool | int):
            yield name, value
        elif value is not None:
            yield name, clean(json.dumps(value, ensure_ascii=False))
