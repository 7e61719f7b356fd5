"""Plain adjacency against networkx, and the two lints that rest on it."""

from __future__ import annotations

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from lifespec.analysis.adjacency import components, reach
from lifespec.analysis.lint import lint
from lifespec.load import load_text

NODES = "abcdefg"
graphs = st.dictionaries(st.sampled_from(NODES), st.sets(st.sampled_from(NODES)), max_size=7).map(
    lambda drawn: {node: drawn.get(node, set()) for node in NODES}
)


def as_networkx(adjacency: dict[str, set[str]]) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(adjacency)
    graph.add_edges_from((source, target) for source, targets in adjacency.items() for target in targets)
    return graph


@given(graphs)
def test_components_are_those_of_networkx_and_come_before_what_leads_to_them(adjacency: dict[str, set[str]]) -> None:
    found = components(adjacency)
    expected = nx.strongly_connected_components(as_networkx(adjacency))
    assert {frozenset(each) for each in found} == {frozenset(each) for each in expected}
    place = {node: index for index, each in enumerate(found) for node in each}
    assert all(place[target] <= place[source] for source, targets in adjacency.items() for target in targets)


@given(graphs, st.sets(st.sampled_from(NODES)))
def test_what_is_reached_is_what_networkx_reaches(adjacency: dict[str, set[str]], starts: set[str]) -> None:
    graph = as_networkx(adjacency)
    expected = set(starts).union(*(nx.descendants(graph, start) for start in starts))
    assert reach(adjacency, starts) == expected


@given(graphs)
@settings(max_examples=150, deadline=None)
def test_a_state_is_reported_exactly_when_something_is_unreached_or_trapped(adjacency: dict[str, set[str]]) -> None:
    """`a` is where the machine starts, `g` where it ends."""
    graph = as_networkx({node: targets if node != "g" else set() for node, targets in adjacency.items()})
    lines = [f"  {s} -> {t} on {s}-{t}" for s, t in sorted(graph.edges)]
    states = "  initial a\n  state b, c, d, e, f\n  final g\n"
    model = load_text("lifecycle test\nmachine m {\n" + states + "\n".join(lines) + "\n}\n").model
    assert model is not None
    reached = {"a"} | nx.descendants(graph, "a")
    trapped = {node for node in reached if node != "g" and "g" not in nx.descendants(graph, node)}
    names = {found.name for found in lint(model)}
    assert ("unreachable-state" in names) == (reached != set(NODES))
    assert ("trap-state" in names) == bool(trapped)
