"""The published avatar lifecycle: complete, documented, bounded by parameters. Its samples: test_shipped_lifecycles."""

from __future__ import annotations

from functools import cache

from exact_findings import ROOT, found, load_clean, report_of

from lifespec.model.model import Model, On

FOLDER = ROOT / "spec/lifecycles/avatar"


@cache
def avatar() -> Model:
    return load_clean(FOLDER / "avatar.lifespec")


def test_the_clean_sessions_are_complete_and_use_everything() -> None:
    report = report_of(avatar(), FOLDER / "samples/clean.jsonl")
    (log,) = report.logs
    assert (log.sessions, log.complete_sessions) == (2, 2)
    never = report.never_exercised
    assert {machine: states for machine, states in never.states.items() if states} == {}
    assert {machine: texts for machine, texts in never.transitions.items() if texts} == {}
    assert (never.owners, never.rules, never.events) == ((), (), ())


def test_every_step_and_group_is_documented() -> None:
    machines = avatar().machines.values()
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
