"""The graphs say all that a model says, in the words that docs/reference/graph.md lists."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given, settings

from lifespec.graph.build import build_graph, duration_text
from lifespec.load import load_text
from lifespec.model.model import Model
from tests.graph.strategies import any_model

REFERENCE = Path(__file__).parents[3] / "docs/reference/graph.md"

SPEC = """
lifecycle demo version "2" "what it is"
owner client "asks"
owner server "answers"
field reason : one of lost, left
field until  : instant
param patience = 10s "here"
machine line per seg, name owned by client "one line" {
  initial idle
  group live "can be used" {
    state up within patience "carries"
    group bad { state shaky within 2s requires reason "nearly down" }
  }
  failure down
  final gone

  idle -> up  on connect, reconnect "the start"  by server  requires until
      require until > time  "not over"
      remember until
  live -> down  on lost where reason == "lost"
  up   on beat
  shaky -> shaky  on again
  any  -> gone  on left
  idle -> gone  after patience
  up   -> gone  at line.until
  shaky -> gone  when another line enters live
}
"""


def loaded(text: str) -> Model:
    result = load_text(text)
    assert result.model is not None, result.diagnostics
    return result.model


def test_a_graph_holds_each_state_with_what_it_owes() -> None:
    graph = build_graph(loaded(SPEC))["line"]
    assert list(graph) == ["idle", "up", "shaky", "down", "gone"]
    assert graph.nodes["shaky"] == {
        "index": 2,
        "kind": "state",
        "groups": ("live", "bad"),
        "within": "2s",
        "within_ns": 2_000_000_000,
        "requires": ("reason",),
        "waived": None,
        "documentation": "nearly down",
    }
    assert graph.nodes["up"]["within"] == "patience"
    assert graph.nodes["down"]["kind"] == "failure"
    assert graph.nodes["down"]["requires"] == ("reason",)


def test_an_edge_holds_all_that_the_transition_says() -> None:
    graph = build_graph(loaded(SPEC))["line"]
    edge = graph.edges["idle", "up", 0]
    assert edge["trigger"] == "on"
    assert edge["events"] == ("connect", "reconnect")
    assert edge["trigger_text"] == "connect, reconnect"
    assert edge["owners"] == ("server",)
    assert edge["requires"] == ("until",)
    assert edge["require"] == ("until > time",)
    assert edge["require_documentation"] == ("not over",)
    assert edge["remember"] == ("until",)
    assert edge["documentation"] == "the start"
    assert graph.edges["up", "down", 1]["where"] == 'reason == "lost"'
    assert graph.edges["up", "down", 1]["owners"] == ("client",)


def test_triggers_are_told_as_they_were_written() -> None:
    graph = build_graph(loaded(SPEC))["line"]
    said = {data["index"]: (data["trigger"], data["trigger_text"]) for _, _, data in graph.edges(data=True)}
    assert said[5] == ("after", "after patience (10s)")
    assert said[6] == ("at", "at line.until")
    assert said[7] == ("when", "when another line enters live")


def test_staying_and_leaving_for_oneself_are_told_apart() -> None:
    graph = build_graph(loaded(SPEC))["line"]
    assert graph.edges["up", "up", 2]["stays"] is True
    assert graph.edges["shaky", "shaky", 3]["stays"] is False


def test_a_graph_knows_its_machine() -> None:
    facts = build_graph(loaded(SPEC))["line"].graph
    assert facts["keys"] == ("seg", "name")
    assert facts["owners"] == ("client",)
    assert facts["initial"] == "idle"
    assert [group["name"] for group in facts["groups"]] == ["live", "bad"]
    assert facts["groups"][0]["states"] == ("up", "shaky")
    assert facts["groups"][1]["parent"] == "live"
    assert facts["declared_owners"] == {"client": "asks", "server": "answers"}
    assert facts["memories"] == {"until": "instant"}


@settings(max_examples=60, deadline=None)
@given(any_model())
def test_every_declaration_is_an_edge_for_each_source_and_target(model: Model) -> None:
    graphs = build_graph(model)
    assert list(graphs) == list(model.machines)
    for machine in model.machines.values():
        graph = graphs[machine.name]
        assert list(graph) == list(machine.states)
        expected = [
            (source, target, transition.index)
            for transition in machine.transitions
            for source in transition.sources
            for target in transition.targets or (source,)
        ]
        assert sorted(graph.edges(keys=True)) == sorted(expected)


def test_the_reference_lists_every_attribute() -> None:
    """Each table of the page lists the attributes of its kind, all and only these."""
    sections = re.split(r"^## ", REFERENCE.read_text("utf-8"), flags=re.MULTILINE)
    listed = {s.split("\n", 1)[0]: set(re.findall(r"^\| `(\w+)` ", s, re.MULTILINE)) for s in sections}
    graph = build_graph(loaded(SPEC))["line"]
    assert listed["Attributes of a graph"] == set(graph.graph)
    for _, attributes in graph.nodes(data=True):
        assert listed["Attributes of a node"] == set(attributes)
    for _, _, attributes in graph.edges(data=True):
        assert listed["Attributes of an edge"] == set(attributes)


def test_a_duration_is_told_in_the_greatest_unit_that_takes_it_whole() -> None:
    told = [duration_text(ns) for ns in (0, 7, 1_500_000_000, 90_000_000_000, 120_000_000_000, 3_600_000_000_000)]
    assert told == ["0s", "7ns", "1500ms", "90s", "2m", "1h"]
