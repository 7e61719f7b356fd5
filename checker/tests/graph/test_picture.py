"""What is to be seen: every edge by exactly one mark, folded as docs/reference/graph.md says."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lifespec.graph.build import build_graph
from lifespec.graph.picture import MachineBox, Picture, Place, Tail, compose
from lifespec.load import load_text
from lifespec.model.model import Model
from tests.graph.strategies import any_model

if TYPE_CHECKING:
    from lifespec.graph.build import Graph

SPEC = """
lifecycle demo
owner client
machine m owned by client {
  initial idle
  group live { state up, shaky }
  state slow
  failure down
  final gone

  idle -> up          on opened
  live -> down        on lost
  live                on beat
  up, shaky -> shaky  on shook
  idle, slow -> up    on resumed
  live, slow -> idle  on dropped
  any -> gone         on closed
  any except slow -> down  on broke
  any                 on noted
  up, slow -> idle, down
}
"""


def picture_of(text: str, **options: object) -> MachineBox:
    result = load_text(text)
    assert result.model is not None, result.diagnostics
    return compose(build_graph(result.model), **options).machines[0]  # type: ignore[arg-type]


def tails(box: MachineBox, trigger: str) -> list[list[tuple[str, str]]]:
    return [[(t.place.value, t.name) for t in arrow.tails] for arrow in box.arrows if arrow.label.trigger == trigger]


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        ("opened", [[("state", "idle")]]),
        ("lost", [[("group", "live")]]),
        ("shook", [[("state", "up"), ("state", "shaky")]]),  # the target is inside of the group
        ("resumed", [[("state", "idle"), ("state", "slow")]]),
        ("dropped", [[("group", "live"), ("state", "slow")]]),
        ("closed", [[("any", "any")]]),
        ("broke", [[("any", "any except slow")]]),
    ],
)
def test_a_declaration_is_one_arrow_from_as_few_places_as_can_be(trigger: str, expected: list[object]) -> None:
    assert tails(picture_of(SPEC), trigger) == expected


def test_a_transition_that_stays_stands_in_its_state_its_group_or_at_any() -> None:
    box = picture_of(SPEC)
    assert [note.label.trigger for note in box.notes_at(Tail(Place.GROUP, "live"))] == ["beat"]
    assert [note.label.trigger for note in box.notes_at(Tail(Place.ANY, "any"))] == ["noted"]


def test_a_transition_without_words_has_no_joint() -> None:
    bare = [arrow for arrow in picture_of(SPEC).arrows if not arrow.label.trigger]
    assert [arrow.target for arrow in bare] == ["idle", "down"]
    assert not any(arrow.has_joint for arrow in bare)


def test_groups_too_deep_to_draw_are_told_in_words() -> None:
    box = picture_of(SPEC, nesting=0)
    assert box.groups == ()
    assert box.states["up"].details == ("in live",)
    assert tails(box, "lost") == [[("state", "up"), ("state", "shaky")]]


def test_owners_are_named_only_where_they_are_not_the_machines() -> None:
    text = SPEC.replace("owner client", "owner client, server").replace("on opened", "on opened by server")
    labels = {arrow.label.trigger: arrow.label for arrow in picture_of(text).arrows}
    assert labels["opened"].by == ("server",)
    assert labels["lost"].by == ()


@settings(max_examples=150, deadline=None)
@given(any_model(), st.sampled_from([None, 0, 1]), st.booleans())
def test_every_edge_is_shown_by_exactly_one_mark(model: Model, nesting: int | None, from_borders: bool) -> None:
    graphs = build_graph(model)
    picture = compose(graphs, nesting, from_borders)
    for box, graph in zip(picture.machines, graphs.values(), strict=True):
        assert shown_edges(box, graph) == Counter(list(graph.edges(keys=True)))
        assert len({(arrow.index, arrow.target) for arrow in box.arrows}) == len(box.arrows)


def shown_edges(box: MachineBox, graph: Graph) -> Counter[tuple[str, str, int]]:
    """The edges that the marks stand for, read from their tails."""
    shown: Counter[tuple[str, str, int]] = Counter()
    for arrow in box.arrows:
        for tail in arrow.tails:
            shown.update((source, arrow.target, arrow.index) for source in meant(tail, graph, arrow.target))
    for note in box.notes:
        shown.update((source, source, note.index) for source in meant(note.at, graph, None))
    return shown


def meant(tail: Tail, graph: Graph, target: str | None) -> list[str]:
    """The states that a tail stands for, by what a reader sees."""
    match tail.place:
        case Place.STATE:
            return [tail.name]
        case Place.GROUP:
            return [name for name, node in graph.nodes(data=True) if tail.name in node["groups"]]
        case Place.ANY:
            usual = [name for name, node in graph.nodes(data=True) if node["kind"] != "final" and name != target]
            if tail.name == "any":
                return usual
            left_out = tail.name.removeprefix("any except ")
            return _without(usual, left_out)


def _without(names: list[str], left_out: str) -> list[str]:
    """`names` without those that `left_out` lists in their order; names may hold commas themselves."""
    kept = []
    for name in names:
        if left_out == name or left_out.startswith(f"{name}, "):
            left_out = left_out.removeprefix(name).removeprefix(", ")
        else:
            kept.append(name)
    assert left_out == ""
    return kept


@settings(max_examples=60, deadline=None)
@given(any_model())
def test_every_state_stands_in_exactly_one_box(model: Model) -> None:
    picture: Picture = compose(build_graph(model))
    for box in picture.machines:
        places = list(box.top)
        pending = list(box.groups)
        while pending:
            group = pending.pop()
            places += group.states
            pending += group.groups
        assert sorted(places) == sorted(box.states)
