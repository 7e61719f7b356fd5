"""DOT: Graphviz takes it without a word, whatever the names, and finds every transition in it once."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from lifespec.diagnostics.excerpt import visible
from lifespec.graph import dot, mermaid
from lifespec.graph.build import build_graph
from lifespec.graph.picture import compose
from lifespec.load import load, load_text
from lifespec.model.model import Model
from lifespec.shipped import shipped_lifecycles
from tests.graph import models
from tests.graph.strategies import NASTY, any_model, random_model

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def drawn(model: Model, packed: bool = True) -> str:
    return dot.render(compose(build_graph(model)), packed)


def loaded(text: str) -> Model:
    result = load_text(text)
    assert result.model is not None, result.diagnostics
    return result.model


def laid_out(source: str, form: str) -> tuple[str, str]:
    """What Graphviz answers, and what it has to say about it."""
    done = subprocess.run(["dot", f"-T{form}"], input=source.encode(), capture_output=True, timeout=60, check=True)
    return done.stdout.decode(), done.stderr.decode()


def laid_out_somehow(model: Model, form: str) -> tuple[str, str]:
    """As `lifespec draw` does it: packed, or where Graphviz gives up on that, side by side."""
    try:
        return laid_out(drawn(model), form)
    except subprocess.CalledProcessError:
        return laid_out(drawn(model, packed=False), form)


@needs_dot
@settings(max_examples=60, deadline=None)
@given(any_model())
def test_graphviz_takes_whatever_a_lifecycle_can_hold(model: Model) -> None:
    answer, said = laid_out_somehow(model, "canon")
    assert said == ""
    assert answer.startswith("digraph")


@needs_dot
def test_a_picture_on_which_graphviz_gives_up_is_laid_out_side_by_side() -> None:
    model = random_model(1035, 5)  # Graphviz 2.43: trouble in init_rank
    assert laid_out_somehow(model, "svg")[1] == ""


@needs_dot
@settings(max_examples=60, deadline=None)
@given(any_model())
def test_every_transition_is_there_exactly_once(model: Model) -> None:
    """Each declaration has an event of its own: it is read once at an arrow, or once where it stays."""
    answer, said = laid_out_somehow(model, "svg")
    assert said == ""
    seen = Counter(event for text in texts(answer) for event in re.findall(r"e\d+x\d+x", text))
    expected: Counter[str] = Counter()
    for machine in compose(build_graph(model)).machines:
        for arrow in machine.arrows:
            expected[arrow.label.trigger.split(" ")[0]] += 1
        for note in machine.notes:
            expected[note.label.trigger.split(" ")[0]] += 1
    declared = [t for m in model.machines.values() for t in m.transitions if t.sources]
    assert len(expected) == len(declared)
    assert seen == expected


def texts(svg: str) -> list[str]:
    """The texts that are drawn, white space folded."""
    found = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return [" ".join((element.text or "").split()) for element in found]


@needs_dot
@pytest.mark.parametrize("name", NASTY)
def test_a_name_is_shown_as_it_is(name: str) -> None:
    """Read back from the text that Graphviz draws, white space and what cannot be carried aside."""
    states = [models.state(name, "initial"), models.state(name + "2", requires=[name], doc=name)]
    moves = [models.transition([name], [name + "2"], name, text=name, owners=[name])]
    model = models.model(models.machine(name, states, moves, owners=[name]), name=name, owners=[(name, name)], doc=name)
    answer, said = laid_out(drawn(model), "svg")
    assert said == ""
    shown = visible(" ".join(name.split()))
    assert not shown or shown in texts(answer)


def test_the_same_model_gives_the_same_text() -> None:
    text = "lifecycle a machine m { initial i final f i -> f on e }"
    assert drawn(loaded(text)) == drawn(loaded(text))


LOOKS = """
lifecycle looks
owner client "asks"
owner server
param patience = 10s "here"
machine line per seg owned by client {
  initial idle
  state   open  within patience  requires size
  failure down
  final   gone
  idle -> open  on opened where size > 1  by client, server
      require size < 9 "small enough"
  open -> down  on lost by server
  open -> gone  after patience
  open          on beat
  open -> open  on again
}
machine other { initial on1  final off  on1 -> off }
"""


def statements(source: str) -> dict[str, str]:
    """Each statement with attributes, by what stands before them."""
    return dict(re.findall(r"^\s*(.+?) \[(.*)\];$", source, re.MULTILINE))


def words_at(said: dict[str, str], index: int, target: str, machine: str = "line") -> str:
    """The node with the words of an arrow, by the place of its transition."""
    return said[f'"{machine}::words:{index}:{target}"']


def test_signs_are_those_of_statecharts() -> None:
    said = statements(drawn(loaded(LOOKS)))
    assert "shape=circle" in said['"line::initial"']
    assert '"line::initial" -> "line:idle"' in said
    assert "shape=doublecircle" in said['"line::final:gone"']
    assert '"line:gone" -> "line::final:gone"' in said
    assert "shape=octagon" in said['"line:down"']
    assert "&laquo;failure&raquo;" in said['"line:down"']


def test_states_say_what_they_owe() -> None:
    said = statements(drawn(loaded(LOOKS)))
    assert "within patience (10s)" in said['"line:open"']
    assert "requires size" in said['"line:open"']
    assert "requires reason" in said['"line:down"']


def test_arrows_say_trigger_condition_owner_and_requirement() -> None:
    said = words_at(statements(drawn(loaded(LOOKS))), 0, "open")
    for words in ("<B>opened</B>", "[size &gt; 1]", "by client, server", "require small enough"):
        assert words in said


def test_owners_have_colours_and_the_legend_says_whose() -> None:
    source = drawn(loaded(LOOKS))
    said = statements(source)
    for line in ('"line:idle" -> "line::words:0:open"', '"line::words:0:open" -> "line:open"'):
        assert 'color="#0072B2:#D55E00"' in said[line]
    assert 'color="#D55E00"' in said['"line::words:1:down" -> "line:down"']
    assert 'color="#4D4D4D"' in said['"other:on1" -> "other:off"']
    legend = said['":legend"']
    for words in ("client: asks", "server<BR", "no owner given: anyone", "dashed: caused by"):
        assert words in legend


def test_a_picture_without_owners_has_no_legend() -> None:
    assert ":legend" not in drawn(loaded("lifecycle a machine m { initial i  final f  i -> f on e }"))


def test_what_no_event_causes_is_dashed() -> None:
    said = statements(drawn(loaded(LOOKS)))
    assert "style=dashed" in said['"line::words:2:gone" -> "line:gone"']
    assert "style=dashed" not in said['"line::words:1:down" -> "line:down"']


def test_a_keyed_machine_says_its_keys() -> None:
    assert "<B>line per seg</B>" in drawn(loaded(LOOKS))


def test_staying_is_inside_and_returning_is_an_arrow() -> None:
    said = statements(drawn(loaded(LOOKS)))
    assert "<B>beat</B>" in said['"line:open"']
    assert "<B>again</B>" in words_at(said, 4, "open")
    assert "dir=back" in said['"line:open" -> "line::words:4:open"']


@settings(max_examples=40, deadline=None)
@given(any_model())
def test_colours_have_six_digits(model: Model) -> None:
    ours = re.sub(r'tooltip="(\\.|[^"\\])*"', "", drawn(model))
    for colour in re.findall(r'(?:color|COLOR|fillcolor|bgcolor|fontcolor)="([^"]*)"', ours):
        assert re.fullmatch(r"#[0-9A-F]{6}(:#[0-9A-F]{6})*", colour)


def many_states(count: int) -> Model:
    names = [f"state-number-{number}-of-many" for number in range(count)]
    states = [
        models.state(
            name, "initial" if place == 0 else "state", within=models.seconds(9), requires=["reason", "attempt"]
        )
        for place, name in enumerate(names)
    ]
    moves = [models.transition([a], [b], f"event-from-{a}") for a, b in pairwise(names)]
    moves += [models.transition([names[i]], [names[i * 7 % count]], f"jump-{i}") for i in range(1, count)]
    return models.model(models.machine("many", states, moves))


@needs_dot
def test_no_label_is_cut_at_forty_states() -> None:
    """Every word of every label is drawn, inside of the picture, and of a state inside of its box."""
    answer = json.loads(laid_out(drawn(many_states(40)), "json")[0])
    left, bottom, right, top = (float(x) for x in answer["bb"].split(","))
    words: set[str] = set()
    for thing in [*answer["objects"], *answer["edges"]]:
        for op in (op for op in thing.get("_ldraw_", []) if op["op"] == "T"):
            words.add(op["text"].replace("\xa0", " ").strip())
            start = op["pt"][0] - {"l": 0.0, "c": 0.5, "r": 1.0}[op["align"]] * op["width"]
            assert left <= start
            assert start + op["width"] <= right
            assert bottom <= op["pt"][1] <= top
            if "width" in thing and "pos" in thing and "head" not in thing:
                middle, half = float(thing["pos"].split(",")[0]), 72 * float(thing["width"]) / 2
                assert middle - half <= start
                assert start + op["width"] <= middle + half
    assert {f"state-number-{number}-of-many" for number in range(40)} <= words
    assert {f"event-from-state-number-{number}-of-many" for number in range(39)} <= words
    assert {f"jump-{number}" for number in range(1, 40)} <= words


def test_what_has_no_trigger_says_its_documentation() -> None:
    long = "a step that the browser takes " + "again and " * 20
    text = f'lifecycle a machine m {{ initial i state j, k i -> j "back at \'i\'" j -> k "{long}" k -> i on e "why" }}'
    said = statements(drawn(loaded(text)))
    assert "back at" in words_at(said, 0, "j", "m")
    browser = words_at(said, 1, "k", "m")
    assert "a step that the browser" in browser
    assert "and ...<" in browser or "again ...<" in browser
    assert len(browser) < 1500
    assert ">why<" not in words_at(said, 2, "i", "m")


RETURNS = """
lifecycle a machine m {
  initial i  state j, k  group g { state p, q }
  i -> j on go       j -> k on on-we-go    k -> i on back       j, i -> k on either
  k -> p on into     p -> q on deeper      g -> i on out        any -> j on reset
}
"""


def test_what_leads_back_is_written_backwards() -> None:
    """Graphviz puts the tail of a line above its head: the words of an arrow upwards would stand below both."""
    said = statements(drawn(loaded(RETURNS)))
    assert {'"m:k" -> "m::words:2:i"', '"m::words:2:i" -> "m:i"'}.isdisjoint(said)
    assert "dir=none" in said['"m::words:2:i" -> "m:k"']
    assert "dir=back" in said['"m:i" -> "m::words:2:i"']
    assert "lhead" in said['"m::words:6:i" -> "m:q"']
    assert "dir=none" in said['"m:i" -> "m::words:3:k"']
    assert "dir" not in said['"m::words:3:k" -> "m:k"']


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", text)]


def along(curve: list[list[float]]) -> Iterator[tuple[float, float]]:
    """Points on a line that Graphviz drew as Bezier curves, one after the other."""
    for first in range(0, len(curve) - 1, 3):
        a, b, c, d = curve[first : first + 4]
        for t in (step / 20 for step in range(21)):
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
            x, y = (sum(w * p[axis] for w, p in zip(weights, (a, b, c, d), strict=True)) for axis in (0, 1))
            yield x, y


@needs_dot
@pytest.mark.parametrize("name", shipped_lifecycles())
def test_no_line_and_no_word_leaves_the_box_of_its_machine(name: str) -> None:
    model = load(f"lib:{name}").model
    assert model is not None
    answer = json.loads(laid_out(drawn(model), "json")[0])
    things = answer["objects"]
    boxes = {each["name"]: numbers(each["bb"]) for each in things if "bb" in each and ":" not in each["name"]}
    assert len(boxes) == len(model.machines)
    for edge in answer["edges"]:
        tail, head = things[edge["tail"]]["name"], things[edge["head"]]["name"]
        left, bottom, right, top = boxes["cluster_" + tail.partition(":")[0]]
        curves = [op["points"] for op in edge["_draw_"] if op["op"] == "b"]
        assert curves
        for x, y in (point for curve in curves for point in along(curve)):
            assert left <= x <= right, (tail, head)
            assert bottom <= y <= top, (tail, head)
    for node in things:
        if "::words:" in node["name"]:
            left, _, right, _ = boxes["cluster_" + node["name"].partition(":")[0]]
            x, half = numbers(node["pos"])[0], 36 * float(node["width"])
            assert left <= x - half, node["name"]
            assert x + half <= right, node["name"]


@pytest.mark.parametrize(
    "text",
    [
        "lifecycle a",
        "lifecycle ' '",
        "lifecycle ' ' machine ' ' { initial ' ' group '   ' { state '  ' } ' ' on '    ' }",
    ],
)
def test_what_has_no_machine_or_blank_names_is_drawn(text: str) -> None:
    source = drawn(loaded(text))
    assert not re.search(r"<(B|I)>\s*</", source)
    laid_out(source, "svg")


@pytest.mark.parametrize("unseen", ["\u202e", "\x1b", "\x00", "\x9b", "\u200b", "\ud800"])
def test_what_nobody_would_see_in_a_name_shows(unseen: str) -> None:
    """In the picture of either kind, by the sign that stands for it in the reports too."""
    name = f"a{unseen}b"
    model = models.model(models.machine(name, [models.state(name, "initial")], []), name=name, doc=name)
    for text in (drawn(model), mermaid.render(mermaid.compose_for_mermaid(build_graph(model)))):
        assert unseen not in text
        assert f"#{ord(visible(unseen))};" in text or visible(name) in text
