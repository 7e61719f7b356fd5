"""The shortest legal way is shortest, legal, and always the same."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from lifespec.analysis.route import allowed, shortest_steps, shortest_way
from lifespec.load import load_text
from lifespec.model.model import Machine, Model

STATES = "abcdef"


def model_of(lines: list[str]) -> tuple[Model, Machine]:
    text = "lifecycle test\nmachine m {\n  initial a\n  state b, c, d, e, f\n" + "\n".join(lines) + "\n}\n"
    model = load_text(text).model
    assert model is not None, load_text(text).diagnostics
    return model, model.machines["m"]


@st.composite
def machines(draw: st.DrawFn) -> tuple[Model, Machine]:
    arrows = draw(st.lists(st.tuples(st.sampled_from(STATES), st.sampled_from(STATES)), max_size=12))
    triggers = ["on e{}", "after {}s", "on g{}, h{}", "when m enters a"]
    lines, used = [], set()
    for number, (source, target) in enumerate(arrows):
        trigger = draw(st.sampled_from(triggers)).format(number + 1, number + 1)
        if trigger.startswith("when"):
            if source in used:
                continue
            used.add(source)
        lines.append(f"  {source} -> {target} {trigger}")
    if draw(st.booleans()):
        lines.append(f"  any -> {draw(st.sampled_from(STATES))} on last")
    return model_of(lines)


def shortest_by_trying(machine: Machine, sources: list[str], target: str) -> int | None:
    """The length of a shortest way, by trying all ways of each length."""
    steps = [(s, t) for transition in machine.transitions for s, t in product(transition.sources, transition.targets)]
    reached, length = set(sources), 0
    while target not in reached:
        further = reached | {t for s, t in steps if s in reached}
        if further == reached:
            return None
        reached, length = further, length + 1
    return length


@given(machines(), st.lists(st.sampled_from(STATES), min_size=1, max_size=2), st.sampled_from(STATES))
@settings(max_examples=150, deadline=None)
def test_a_way_is_shortest_and_legal(case: tuple[Model, Machine], sources: list[str], target: str) -> None:
    model, machine = case
    way = shortest_way(model, machine, sources, target)
    steps = shortest_steps(machine, sources, target)
    expected = shortest_by_trying(machine, sources, target)
    if way is None or steps is None:
        assert way is steps is expected is None
        return
    assert len(way) == expected
    at = set(sources)
    for transition, entered in steps:
        assert at & set(transition.sources)
        assert entered in transition.targets
        at = {entered}
    assert not steps or steps[-1][1] == target
    assert shortest_way(model, machine, sources, target) == way


def test_of_equally_short_ways_the_first_declared_is_taken() -> None:
    model, machine = model_of(["  a -> b on one", "  a -> c on two", "  c -> d on three", "  b -> d on four"])
    assert [t.text for t in shortest_way(model, machine, ["a"], "d") or ()] == ["a -> b on one", "b -> d on four"]
    assert shortest_way(model, machine, ["a"], "a") == ()
    assert shortest_way(model, machine, ["d"], "a") is None
    assert shortest_way(model, machine, ["nowhere"], "a") is None


def test_what_is_allowed_is_what_leaves_or_stays() -> None:
    model, machine = model_of(["  a -> b on one", "  b -> c on two", "  a on stay", "  any -> d on last"])
    assert [t.text for t in allowed(model, machine, ["a"])] == ["a -> b on one", "a on stay", "any -> d on last"]
    assert [t.text for t in allowed(model, machine, ["a", "b"])] == [
        "a -> b on one", "b -> c on two", "a on stay", "any -> d on last",
    ]  # fmt: skip
    assert allowed(model, machine, ["d"]) == ()
