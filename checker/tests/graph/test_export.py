"""Exports are read back by networkx as they were written, and are the same bytes every time."""

from __future__ import annotations

import json
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings

from lifespec.graph import ExportFormat, build_graph, export
from lifespec.load import load_text
from lifespec.model.model import Model
from tests.graph.strategies import any_model

SPEC = """
lifecycle demo
owner client
machine 'a:b' per seg owned by client {
  initial idle
  group live { state up within 2s }
  final 'x:y'
  idle -> up  on opened requires size
  up -> 'x:y'  on closed
  up -> 'x:y'  on lost
}
machine m { initial idle  final gone  idle -> gone on done }
"""


@pytest.fixture
def model() -> Model:
    loaded = load_text(SPEC)
    assert loaded.model is not None, loaded.diagnostics
    return loaded.model


def tuples(value: Any) -> Any:
    """JSON knows no tuples: lists back into what the graphs hold."""
    if isinstance(value, list):
        return tuple(tuples(each) for each in value)
    if isinstance(value, dict):
        return {key: tuples(each) for key, each in value.items()}
    return value


def test_node_link_of_one_machine_is_that_graph(model: Model) -> None:
    written = json.loads(export(model, ExportFormat.NODE_LINK, "a:b"))
    read = nx.node_link_graph(written, edges="edges")
    original = build_graph(model)["a:b"]
    assert tuples(dict(read.nodes(data=True))) == dict(original.nodes(data=True))
    assert tuples(read.graph) == original.graph
    assert [tuples(edge) for edge in map(list, read.edges(keys=True, data=True))] == [
        *original.edges(keys=True, data=True)
    ]


def test_node_link_of_all_machines_holds_a_graph_each(model: Model) -> None:
    written = json.loads(export(model, ExportFormat.NODE_LINK))
    assert written["lifecycle"] == "demo"
    assert list(written["machines"]) == ["a:b", "m"]
    assert len(nx.node_link_graph(written["machines"]["a:b"], edges="edges").edges) == 3


def test_node_link_has_the_form_that_networkx_writes(model: Model) -> None:
    ours = json.loads(export(model, ExportFormat.NODE_LINK, "m"))
    theirs = json.loads(json.dumps(nx.node_link_data(build_graph(model)["m"], edges="edges")))
    assert ours == theirs


def test_graphml_of_all_machines_is_one_graph(model: Model) -> None:
    read = nx.parse_graphml(export(model, ExportFormat.GRAPHML), force_multigraph=True)
    assert list(read) == ["a%3Ab:idle", "a%3Ab:up", "a%3Ab:x%3Ay", "m:idle", "m:gone"]
    assert read.nodes["a%3Ab:up"]["machine"] == "a:b"
    assert read.nodes["a%3Ab:up"]["within_ns"] == 2_000_000_000
    assert json.loads(read.nodes["a%3Ab:up"]["groups"]) == ["live"]
    assert "documentation" not in read.nodes["a%3Ab:up"]
    edges = {data["trigger_text"]: data for _, _, data in read.edges(data=True)}
    assert set(edges) == {"opened", "closed", "lost", "done"}
    assert json.loads(edges["opened"]["requires"]) == ["size"]
    assert edges["opened"]["stays"] is False


def test_graphml_of_one_machine_calls_nodes_by_their_states(model: Model) -> None:
    read = nx.parse_graphml(export(model, ExportFormat.GRAPHML, "m"), force_multigraph=True)
    assert list(read.edges(keys=True)) == [("idle", "gone", "e0")]
    assert read.graph["machine"] == "m"


def test_a_machine_that_is_not_declared_is_a_key_error(model: Model) -> None:
    with pytest.raises(KeyError):
        export(model, ExportFormat.GRAPHML, "nope")


@settings(max_examples=60, deadline=None)
@given(any_model())
def test_every_edge_is_read_back(model: Model) -> None:
    graphs = build_graph(model)
    edges = sum(len(graph.edges) for graph in graphs.values())
    nodes = sum(len(graph) for graph in graphs.values())
    text = export(model, ExportFormat.GRAPHML)
    read = nx.parse_graphml(text, force_multigraph=True)
    assert (len(read), len(read.edges)) == (nodes, edges)
    assert export(model, ExportFormat.GRAPHML) == text
    written = json.loads(export(model, ExportFormat.NODE_LINK))
    assert [len(written["machines"][name]["edges"]) for name in written["machines"]] == [
        len(graph.edges) for graph in graphs.values()
    ]
    for machine in graphs:
        one = nx.parse_graphml(export(model, ExportFormat.GRAPHML, machine), force_multigraph=True)
        assert len(one) == len(graphs[machine])
