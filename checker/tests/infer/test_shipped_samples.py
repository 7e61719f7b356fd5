"""Drafts of the sample logs of all shipped lifecycles: they lint, keep to their own logs, and say what happened there.

What happened is told twice, independently of the drafting: by the engine, which knows the transitions that no log
takes and finds the steps that no transition allows, and by `Told`, which reads pairs of states out of the plain JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from drafted import never_done

from lifespec.analysis.lint import lint
from lifespec.check import check
from lifespec.diagnostics import Severity, severity_of
from lifespec.infer.infer import Draft, NothingFound, infer
from lifespec.infer.ready_made import find_readers
from lifespec.load import load, load_text
from lifespec.log_file import Log
from lifespec.model.model import Machine, Model, On
from lifespec.reports.report import Report
from lifespec.shipped import shipped_lifecycles

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "spec/lifecycles"
OF_TEXT = {"hadoop-mapreduce", "zookeeper"}  # lines of text are bound by hand
NAMES = tuple(name for name in shipped_lifecycles() if name not in OF_TEXT)
LEAST_SHARE = 0.9


@dataclass(frozen=True)
class Told:
    """Where the logs of one lifecycle say states; the machine is one for all where no field has it."""

    to: str = "to"
    machine: str | None = "machine"
    session: str | None = "session"
    source: str | None = "from"


SAY_STATES = {
    "ably-connection": Told(),
    "avatar": Told(),
    "grpc-channel": Told(),
    "kubernetes-pod": Told(),
    "livekit-room": Told(),
    "pipecat-client": Told(),
    "quic-connection": Told("data.new", None, None, "data.old"),
    "spatius-avatarkit": Told(),
}


# Their logs are not in the words of `default`.
WITH_OTHER_WORDS = {"openai-realtime", "quic-connection", "webrtc", "xes-activity"}


def samples(name: str) -> list[Path]:
    return sorted(path for path in (FOLDER / name / "samples").iterdir() if path.name != "LICENSE")


@cache
def draft_of(name: str) -> Draft:
    return infer([Log(str(path)) for path in samples(name)], name=name)


@cache
def model_of(name: str) -> Model:
    loaded = load_text(draft_of(name).text, f"{name}.lifespec")
    assert [f"{d.name}: {d.message}" for d in loaded.diagnostics] == []
    assert loaded.model is not None
    return loaded.model


@cache
def report_of(name: str) -> Report:
    return check(model_of(name), [str(path) for path in samples(name)])


@pytest.mark.parametrize("name", NAMES)
def test_the_draft_has_no_errors(name: str) -> None:
    assert [d.message for d in lint(model_of(name)) if (d.severity or severity_of(d.name)) is Severity.ERROR] == []


@pytest.mark.parametrize("name", NAMES)
def test_its_own_logs_keep_to_it(name: str) -> None:
    report = report_of(name)
    assert report.problems == ()
    assert [(f.violation.place.log, f.violation.place.line, f.violation.name) for f in report.findings] == []
    assert report.quality.unknown == ()


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_drafted_that_did_not_happen(name: str) -> None:
    assert never_done(model_of(name), report_of(name)) == []
    assert report_of(name).never_exercised.events == ()


@pytest.mark.parametrize("name", NAMES)
def test_each_log_alone_is_drafted_and_keeps_to_its_draft(name: str) -> None:
    for path in samples(name):
        try:
            loaded = load_text(infer([Log(str(path))]).text)
        except NothingFound:  # a few rows in which nothing comes twice: it is said what reads them
            assert find_readers(Log(str(path))), path.name
            continue
        assert loaded.model is not None, [d.message for d in loaded.diagnostics]
        errors = [d.message for d in lint(loaded.model) if (d.severity or severity_of(d.name)) is Severity.ERROR]
        report = check(loaded.model, [str(path)])
        if not loaded.model.machines:  # too little to draft from: `check` calls that no verdict
            assert [problem.name for problem in report.problems] == ["no-machine"]
            continue
        assert (path.name, errors, report.status(Severity.ERROR)) == (path.name, [], 0)
        assert (path.name, never_done(loaded.model, report)) == (path.name, [])


@pytest.mark.parametrize("name", sorted(SAY_STATES))
def test_the_transitions_that_occur_are_drafted_and_no_others(name: str) -> None:
    """By the lifecycle's own keys, so that a key that was not found would show."""
    model = model_of(name)
    told = {(machine, before or model.machines[machine].initial, to) for machine, before, to in told_pairs(name)}
    goes, stays = drafted_pairs(model, {machine for machine, _, _ in told})
    assert told
    assert len(told & (goes | stays)) >= LEAST_SHARE * len(told), sorted(told - goes - stays)
    assert sorted(goes - told) == []


@pytest.mark.parametrize("name", sorted(set(NAMES) - WITH_OTHER_WORDS))
def test_events_alone_follow_each_other_as_they_did_and_never_otherwise(name: str, tmp_path: Path) -> None:
    """The same logs without their states: what may follow what in the draft is what did, machine by machine."""
    logs = []
    for path in samples(name):
        records = [{k: v for k, v in record.items() if k not in ("from", "to")} for record in records_of(path)]
        kept = [record for record in records if "event" in record]
        (tmp_path / path.name).write_text("".join(json.dumps(record) + "\n" for record in kept), "utf-8")
        logs += [tmp_path / path.name] if kept else []
    if not logs:
        return  # a log of states only
    model = load_text(infer([Log(str(path)) for path in logs]).text).model
    assert model is not None
    report = check(model, [str(path) for path in logs])
    assert [(f.violation.place.log, f.violation.place.line, f.violation.name) for f in report.findings] == []
    assert followed(model, logs) == {machine.name: may_follow(machine) for machine in model.machines.values()}


@pytest.mark.parametrize("name", NAMES)
def test_a_draft_is_the_same_byte_for_byte(name: str) -> None:
    assert infer([Log(str(path)) for path in samples(name)], name=name).text == draft_of(name).text


# --- what the logs tell ------------------------------------------------------------------------------

Pair = tuple[str, str, str]  # machine, state before ("" for the first), state


def told_pairs(name: str) -> set[Pair]:
    loaded = load(FOLDER / name / f"{name}.lifespec")
    assert loaded.model is not None
    keys = {machine.name: machine.keys for machine in loaded.model.machines.values()}
    pairs: set[Pair] = set()
    for path in samples(name):
        last: dict[Any, str] = {}
        for record in records_of(path):
            state = reach(record, SAY_STATES[name].to)
            if state is None:
                continue
            machine = reach(record, SAY_STATES[name].machine) or "session"
            session = reach(record, SAY_STATES[name].session)
            key = tuple(str(record.get(part)) for part in keys.get(machine, ()))
            before, left = last.get((session, machine, key), ""), reach(record, SAY_STATES[name].source)
            if before and left is not None and left != before:
                pairs.add((machine, before, left))  # no record told of that
                before = left
            pairs.add((machine, before, state))
            last[session, machine, key] = state
    return pairs


def records_of(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text("utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def reach(record: Any, path: str | None) -> Any:
    if path is None:
        return None
    for step in path.split("."):
        record = record.get(step) if isinstance(record, dict) else None
    return record


def drafted_pairs(model: Model, machines: set[str]) -> tuple[set[Pair], set[Pair]]:
    """The transitions that go to a state, and those that stay in one: a record may say the same state again."""
    goes: set[Pair] = set()
    stays: set[Pair] = set()
    for machine in model.machines.values():
        if machine.name in machines:
            for transition in machine.transitions:
                for source in transition.sources:
                    goes.update((machine.name, source, target) for target in transition.targets)
                    if not transition.targets:
                        stays.add((machine.name, source, source))
    return goes, stays


# --- what follows what -------------------------------------------------------------------------------


def followed(model: Model, logs: list[Path]) -> dict[str, set[tuple[str, str]]]:
    """Which event came behind which in an instance, '' before the first, read out of the plain JSON."""
    found: dict[str, set[tuple[str, str]]] = {name: set() for name in model.machines}
    for path in logs:
        last: dict[Any, str] = {}
        for record in records_of(path):
            named = [record["machine"]] if record.get("machine") in model.machines else list(model.machines)
            for name in named:
                if record["event"] in events_of(model.machines[name]):
                    key = (record.get("session"), name, *(record[part] for part in model.machines[name].keys))
                    found[name].add((last.get(key, ""), record["event"]))
                    last[key] = record["event"]
    return found


def events_of(machine: Machine) -> set[str]:
    return {event for t in machine.transitions if isinstance(t.trigger, On) for event in t.trigger.events}


def may_follow(machine: Machine) -> set[tuple[str, str]]:
    steps = [
        (source, event, target)
        for t in machine.transitions
        if isinstance(t.trigger, On)
        for event in t.trigger.events
        for source in t.sources
        for target in t.targets or (source,)
    ]
    into: dict[str, set[str]] = {machine.initial: {""}}
    for _, event, target in steps:
        into.setdefault(target, set()).add(event)
    return {(before, event) for source, event, _ in steps for before in into[source]}
