"""The published avatar lifecycle finds each fault in its samples by the rule meant for it, and nothing else."""

from __future__ import annotations

import re
from functools import cache

import pytest
from exact_findings import ROOT, expected, found, load_clean, report_of

from lifespec.model.model import Model, On

FOLDER = ROOT / "spec/lifecycles/avatar"
EXPECTED = expected(FOLDER / "expected.json")


@cache
def avatar() -> Model:
    return load_clean(FOLDER / "avatar.lifespec")


@pytest.mark.parametrize("name", EXPECTED)
def test_exactly_what_is_expected_is_found(name: str) -> None:
    assert found(avatar(), FOLDER / "samples" / name) == EXPECTED[name]


def test_each_log_but_the_clean_one_has_one_fault() -> None:
    counts = {name: len(findings) for name, findings in EXPECTED.items()}
    assert counts.pop("clean.jsonl") == 0
    assert set(counts.values()) == {1}


def test_the_clean_sessions_are_complete_and_use_everything() -> None:
    report = report_of(avatar(), FOLDER / "samples/clean.jsonl")
    (log,) = report.logs
    assert (log.sessions, log.complete_sessions) == (2, 2)
    never = report.never_exercised
    assert {machine: states for machine, states in never.states.items() if states} == {}
    assert {machine: texts for machine, texts in never.transitions.items() if texts} == {}
    assert (never.owners, never.rules, never.events) == ((), (), ())


def test_every_sample_is_expected_and_explained() -> None:
    names = {path.name for path in (FOLDER / "samples").glob("*.jsonl")}
    assert names == set(EXPECTED)
    assert set(re.findall(r"^\| `([^`]+)`", (FOLDER / "README.md").read_text("utf-8"), re.MULTILINE)) == names


def test_everything_is_documented() -> None:
    model = avatar()
    machines = model.machines.values()
    assert [o.name for o in model.owners.values() if not o.doc] == []
    assert [f.name for f in model.fields.values() if not f.doc] == []
    assert [p.name for p in model.params.values() if not p.tested] == []
    assert [r.name for r in model.rules if not r.doc] == []
    assert [m.name for m in machines if not m.doc] == []
    assert [(m.name, s.name) for m in machines for s in m.states.values() if not s.doc] == []
    assert [(m.name, g.name) for m in machines for g in m.groups.values() if not g.doc] == []
    assert [t.text for m in machines for t in m.transitions if isinstance(t.trigger, On) and not t.doc] == []


def test_every_bound_is_a_parameter() -> None:
    """A bound of a state is written as the name of a parameter, so that it says where it was tested."""
    model = avatar()
    bounds = [s.within_written for m in model.machines.values() for s in m.states.values() if s.within_written]
    assert bounds
    assert [written for written in bounds if written not in model.params] == []


def test_the_constrained_environment_has_its_own_bounds() -> None:
    """What is overdue on the primary environment may be in time on the constrained one."""
    model = load_clean(FOLDER / "avatar.lifespec", profile="constrained")
    assert found(model, FOLDER / "samples/stuck-handover.jsonl") == []
    assert found(model, FOLDER / "samples/clean.jsonl") == []
