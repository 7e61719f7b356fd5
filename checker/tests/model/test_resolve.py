"""What a resolved Model says: names have become what they mean, and the text has become values."""

from __future__ import annotations

import pytest

from lifespec.load import load_text
from lifespec.model import model as m
from lifespec.model.resolve import resolve
from lifespec.model.value import Type


def model_of(text: str) -> m.Model:
    loaded = load_text(f"lifecycle test\n{text}")
    assert loaded.model is not None, loaded.diagnostics
    return loaded.model


MACHINE = """
field d : duration
machine m per k {
  initial a
  group   g { state b  group h { failure c } }
  final   z
  a   -> b on go remember x = d, y = u
  g   -> a on back, home
  any -> z on close
  any except g -> c after 2 * 1.5s
  b        on tick require m.x > 1s and turn[m.y] in t and m[u] in g
  a -> b, c
  a -> c when another m enters g
  a -> z when turn[m.k] enters t
}
machine turn per turn { initial s  state t  s -> t on go }
machine plain { initial s  s on go of m remember n = plain.n + 1  s on zero remember n = 0 }
"""


def test_sources_are_written_out_in_the_order_of_the_states() -> None:
    machine = model_of(MACHINE).machines["m"]
    assert [transition.sources for transition in machine.transitions] == [
        ("a",), ("b", "c"), ("a", "b", "c"), ("a",), ("b",), ("a",), ("a",), ("a",),
    ]  # fmt: skip
    assert [transition.index for transition in machine.transitions] == list(range(8))
    assert [transition.from_any for transition in machine.transitions].count(True) == 2
    assert machine.transitions[4].stays
    assert machine.transitions[5].targets == ("b", "c")


def test_triggers_are_values() -> None:
    triggers = [transition.trigger for transition in model_of(MACHINE).machines["m"].transitions]
    assert triggers[1] == m.On(("back", "home"), None)
    assert triggers[3] == m.After(3_000_000_000, "2 * 1.5s")
    assert triggers[5] is None
    assert triggers[6] == m.When("m", True, (), (m.EnterSet("g", frozenset({"b", "c"}), True),))
    reaction = triggers[7]
    assert isinstance(reaction, m.When)
    assert isinstance(reaction.index[0], m.KeyRef)
    assert reaction.index[0].instance.whose is m.Whose.SELF


def test_states_know_their_groups_and_what_they_owe() -> None:
    machine = model_of(MACHINE).machines["m"]
    assert machine.states["c"].groups == ("g", "h")
    assert machine.states["c"].requires == ("reason",)
    assert machine.groups["g"].states == {"b", "c"}
    assert machine.groups["h"].parent == "g"
    assert (machine.initial, machine.finals) == ("a", {"z"})
    assert machine.memories == {"x": Type.DURATION, "y": Type.ANY}


def test_a_name_means_an_instance() -> None:
    model = model_of(
        MACHINE + "rule r { when m enters b require m in b and m.x > 1s and count(m in g where m.k == u) < 2 }"
    )
    condition = model.machines["m"].transitions[4].require[0].condition
    assert isinstance(condition, m.And)
    own, other, indexed = condition.operands
    assert isinstance(own, m.Comparison)
    assert isinstance(own.left, m.MemoryRef)
    assert own.left.instance.whose is m.Whose.SELF
    assert isinstance(other, m.Membership)
    assert other.instance.whose is m.Whose.INDEXED
    assert isinstance(indexed, m.Membership)
    assert indexed.states == {"b", "c"}
    part = model.rules[0].parts[0]
    assert isinstance(part, m.WhenPart)
    requirement = part.actions[0]
    assert isinstance(requirement, m.Requirement)
    assert isinstance(requirement.condition, m.And)
    member, memory, counted = requirement.condition.operands
    assert isinstance(member, m.Membership)
    assert member.instance.whose is m.Whose.CONCERNED
    assert isinstance(memory, m.Comparison)
    assert isinstance(counted, m.Comparison)
    assert isinstance(counted.left, m.Aggregate)
    assert isinstance(counted.left.where, m.Comparison)
    assert isinstance(counted.left.where.left, m.KeyRef)
    assert counted.left.where.left.instance.whose is m.Whose.ITEM


def test_a_while_is_about_the_keyed_machine_that_it_names() -> None:
    model = model_of(
        MACHINE
        + "rule r { while plain in s and m in b expect go every 5s }\nrule q { while plain in s expect go every 5s }"
    )
    parts = [rule.parts[0] for rule in model.rules]
    assert [part.concerned for part in parts if isinstance(part, m.WhilePart)] == ["m", None]


def test_a_parameter_comes_before_a_field_and_is_remembered() -> None:
    model = model_of('param limit = 3 "here"\nmachine m { initial a  a on e require limit > n }')
    condition = model.machines["m"].transitions[0].require[0].condition
    assert isinstance(condition, m.Comparison)
    assert isinstance(condition.left, m.Literal)
    assert (condition.left.value, condition.left.param) == (3, "limit")
    assert len(model.params["limit"].uses) == 1


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1.5s", 1_500_000_000),
        ("0.5ns", 0),
        ("1.5ns", 2),
        ("2.5ns", 2),
        ("1m + 30s", 90_000_000_000),
        ("1d / 2", 43_200_000_000_000),
        ("3 * 10ms", 30_000_000),
        ("10s / 4s", 2.5),
        ("7 / 2", 3.5),
        ("2 * 3 + 1", 7),
        ("-5", -5),
        ("0.1 + 0.2", 0.3),
        ("true", True),
        ('"x"', "x"),
    ],
)
def test_constants_are_computed_exactly(written: str, value: object) -> None:
    param = model_of(f'param p = {written} "here"\nmachine m {{ initial a  a on e }}').params["p"]
    assert param.value == value
    assert type(param.value) is type(value)


def test_without_a_text_there_is_nothing_to_resolve() -> None:
    with pytest.raises(ValueError, match="no text"):
        resolve([])


def test_extends_replaces_what_is_said_once_and_adds_the_rest() -> None:
    model = model_of(
        """
machine m { initial a  a on e, f }
binding base {
  read json-lines
  session = id  time = ts as s since epoch  event = name
  let side = direction
  rename event x -> e, y -> f
  ignore noise
  lacks fields u
}
binding top extends base {
  time = at as ms since epoch
  rename event y -> e, z -> f
  ignore more
}
field u : int "what the client lacks"
"""
    )
    from lifespec.syntax import ast

    statements = model.bindings["top"].statements
    assigned = [each.name.text for each in statements if isinstance(each, ast.Assign)]
    assert sorted(assigned) == ["event", "session", "time"]
    pairs = [
        (pair.old.text, pair.new.text) for each in statements if isinstance(each, ast.Rename) for pair in each.pairs
    ]  # type: ignore[union-attr]
    assert pairs == [("x", "e"), ("y", "e"), ("z", "f")]
    assert sum(isinstance(each, ast.Ignore) for each in statements) == 2
    assert len(model.bindings["base"].statements) == 8
