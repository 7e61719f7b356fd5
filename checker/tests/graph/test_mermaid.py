"""Mermaid: its own parser takes it, whatever the names, and finds every transition in it once.

Mermaid is asked where LIFESPEC_MERMAID names a folder with `npm install mermaid@11 jsdom@26` in it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lifespec.diagnostics.excerpt import visible
from lifespec.graph import mermaid
from lifespec.graph.build import build_graph
from lifespec.graph.picture import Picture
from lifespec.load import load, load_text
from lifespec.model.model import Model
from tests.graph import models
from tests.graph.strategies import NASTY, any_model

ROOT = Path(__file__).parents[3]
TOOL = ROOT / "checker/tools/mermaid_check.mjs"
MERMAID = os.environ.get("LIFESPEC_MERMAID", "")
needs_mermaid = pytest.mark.skipif(
    not MERMAID or shutil.which("node") is None, reason="LIFESPEC_MERMAID does not name a folder with Mermaid in it"
)


def pictured(model: Model) -> Picture:
    return mermaid.compose_for_mermaid(build_graph(model))


def drawn(model: Model) -> str:
    return mermaid.render(pictured(model))


def asked(texts: list[str], folder: Path) -> list[dict[str, Any]]:
    """What Mermaid's parser says of each text."""
    files = []
    for number, text in enumerate(texts):
        files.append(folder / f"{number}.mmd")
        files[-1].write_text(text, "utf-8")
    done = subprocess.run(["node", TOOL, MERMAID, *files], capture_output=True, text=True, timeout=300, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(texts), done.stderr
    return answers


@needs_mermaid
@settings(
    max_examples=3,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],  # shrinking would start Mermaid hundreds of times
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)
@given(many=st.lists(any_model(), min_size=16, max_size=16))
def test_mermaid_finds_every_transition_exactly_once(many: list[Model], tmp_path: Path) -> None:
    for model, answer in zip(many, asked([drawn(model) for model in many], tmp_path), strict=True):
        assert answer["ok"], answer["error"]
        seen = Counter(event for _, _, label in answer["relations"] for event in re.findall(r"^e\d+x\d+x", label))
        arrows = [arrow for machine in pictured(model).machines for arrow in machine.arrows]
        assert seen == Counter(arrow.label.trigger.split(" ")[0] for arrow in arrows)
        assert len(answer["relations"]) == sum(
            len(machine.arrows)
            + sum(len(arrow.tails) for arrow in machine.arrows if arrow.has_joint)
            + 1
            + sum(state.is_final for state in machine.states.values())
            for machine in pictured(model).machines
        )


@needs_mermaid
@pytest.mark.parametrize("name", ["avatar", "webrtc"])
def test_mermaid_takes_what_is_shipped(name: str, tmp_path: Path) -> None:
    loaded = load(ROOT / f"spec/lifecycles/{name}/{name}.lifespec")
    assert loaded.model is not None
    graphs = build_graph(loaded.model)
    texts = [drawn(loaded.model)]
    texts += [mermaid.render(mermaid.compose_for_mermaid({machine: graphs[machine]})) for machine in graphs]
    for answer in asked(texts, tmp_path):
        assert answer["ok"], answer["error"]


@settings(max_examples=100, deadline=None)
@given(any_model())
def test_every_transition_is_written_exactly_once(model: Model) -> None:
    """An arrow for each declared transition and target; a text for each place where one stays."""
    seen = Counter(re.findall(r"(?<![a-z0-9])e\d+x\d+x", drawn(model)))
    expected: Counter[str] = Counter()
    for machine in pictured(model).machines:
        expected.update(mark.label.trigger.split(" ")[0] for mark in machine.marks)
    assert seen == expected


@pytest.mark.parametrize("name", NASTY)
def test_nothing_of_a_name_can_be_read_as_mermaid(name: str) -> None:
    escaped = mermaid.escaped(name)
    assert not set('";:{}<>[]%`*\n') & set(re.sub(r"#\d+;", "", escaped))
    assert escaped


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_an_escaped_text_reads_back(text: str) -> None:
    read = re.sub(r"#(\d+);", lambda found: chr(int(found[1])), mermaid.escaped(text))
    assert read == (visible(" ".join(text.split())) or "\xa0")


def test_keywords_are_never_identifiers() -> None:
    states = [models.state("state", "initial"), models.state("end", "final"), models.state("note")]
    text = drawn(models.model(models.machine("default", states, [models.transition(["state"], ["end"], "direction")])))
    assert 'state "state" as m1s1' in text
    assert "m1s1 --> m1s2 : direction" in text
    assert "m1s2 --> [*]" in text


SPEC = """
lifecycle demo
owner client, server
machine line owned by client {
  initial idle
  group live { state up within 2s  group bad { state shaky } }
  failure down
  final gone
  idle -> up  on opened where size > 1  by server  requires size
  live -> down  on lost
  up  on beat
  any -> gone  on closed
}
"""


def test_one_machine_has_its_groups_as_boxes() -> None:
    loaded = load_text(SPEC)
    assert loaded.model is not None, loaded.diagnostics
    text = drawn(loaded.model)
    assert text.startswith('---\ntitle: "demo: line, owned by client"\n---\nstateDiagram-v2\n')
    for line in (
        'state "live" as m1g1 {',
        "m1s3 : in bad",
        "m1s2 : within 2s",
        "m1s2 : beat",
        "m1s4 : #171;failure#187;",
        "[*] --> m1s1",
        "m1s1 --> m1s2 : opened<br/>#91;size #62; 1#93;<br/>by server<br/>requires size",
        "state m1j1 <<choice>>",
        "m1s2 --> m1j1",
        "m1s3 --> m1j1",
        "m1j1 --> m1s4 : lost",
        "m1a1 --> m1s5 : closed",
        "m1s5 --> [*]",
        "class m1s4 failure",
    ):
        assert f"{line}\n" in text, line


def test_several_machines_are_boxes_themselves() -> None:
    loaded = load_text(SPEC + "machine other { initial a  final b  a -> b on e }")
    assert loaded.model is not None, loaded.diagnostics
    text = drawn(loaded.model)
    assert 'state "line, owned by client" as m1 {' in text
    assert 'state "other" as m2 {' in text
    assert "m1s3 : in live, bad" in text
    assert "m1g1" not in text
