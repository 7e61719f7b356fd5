"""One log in several shapes: what is drafted from each, and that each draft lints and keeps to its own log."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from drafted import never_done, unseen_steps

from lifespec.analysis.lint import lint
from lifespec.check import check
from lifespec.infer.infer import infer
from lifespec.infer.role import Choices
from lifespec.load import load_text
from lifespec.log_file import Log
from lifespec.model.model import Machine, Model, On, StateKind

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "spec/lifecycles/avatar/samples"
Record = dict[str, Any]


def drafted(path: Path, *, keeps: bool = True, choices: Choices | None = None) -> Model:
    """The model of the draft; its own log keeps to it, and does all that it says."""
    text = infer([Log(str(path))], choices=choices).text
    loaded = load_text(text, "draft.lifespec")
    assert [f"{d.name}: {d.message}" for d in loaded.diagnostics] == []
    assert loaded.model is not None
    assert {d.name for d in lint(loaded.model)} <= {"unowned-transition", "trap-state", "near-event", "shared-event"}
    if keeps:
        report = check(loaded.model, [str(path)])
        assert report.problems == ()
        assert [(f.violation.place.line, f.violation.name) for f in report.findings] == []
        assert never_done(loaded.model, report) == []
    return loaded.model


def written(path: Path, records: Iterable[Record]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def steps(machine: Machine) -> set[tuple[str, str, str]]:
    """Source, event (or nothing) and target of each transition."""
    return {
        (source, event, target)
        for transition in machine.transitions
        for event in (transition.trigger.events if isinstance(transition.trigger, On) else ("",))
        for source in transition.sources
        for target in transition.targets or (source,)
    }


# --- the clean session of the avatar, in four shapes ---------------------------------------------------


def clean() -> list[Record]:
    return [json.loads(line) for line in (SAMPLES / "clean.jsonl").read_text("utf-8").splitlines()]


def without(*keys: str) -> Callable[[Record], Record]:
    return lambda record: {key: value for key, value in record.items() if key not in keys}


CONNECTION = {
    ("idle", "connect", "connecting"),
    ("connecting", "opened", "connected"),
    ("connected", "heartbeat", "connected"),
    ("connected", "close", "closed"),
}


@pytest.mark.parametrize("dropped", [(), ("from",), ("owner", "from")])
def test_events_with_states(tmp_path: Path, dropped: tuple[str, ...]) -> None:
    model = drafted(written(tmp_path / "log.jsonl", map(without(*dropped), clean())))
    assert sorted(model.machines) == ["clip", "connection", "credential", "output", "rendering", "session", "turn"]
    assert {name: m.keys for name, m in model.machines.items() if m.keys} == {
        "credential": ("cred",),
        "turn": ("turn",),
        "clip": ("clip",),
    }
    initial = model.machines["connection"].initial
    assert initial == ("start" if dropped else "idle")
    found = {(initial if s == "idle" else s, e, t) for s, e, t in CONNECTION}
    assert found <= steps(model.machines["connection"])


def test_states_only(tmp_path: Path) -> None:
    records = (without("event", "from")(record) for record in clean() if "to" in record)
    model = drafted(written(tmp_path / "log.jsonl", records))
    found = steps(model.machines["connection"])
    assert {("start", "", "connecting"), ("connecting", "", "connected"), ("connected", "", "closed")} <= found
    assert model.machines["turn"].keys == ("turn",)


def test_events_only(tmp_path: Path) -> None:
    model = drafted(written(tmp_path / "log.jsonl", map(without("from", "to"), clean())))
    follows = follow(clean(), lambda record: record.get("machine") == "connection")
    assert pairs(model.machines["connection"]) == follows


def test_events_only_without_machines(tmp_path: Path) -> None:
    both = (record for record in clean() if record.get("machine") in ("turn", "connection"))
    records = [without("from", "to", "machine")(record) for record in both]
    model = drafted(written(tmp_path / "log.jsonl", records))
    assert model.machines["turn"].keys == ("turn",)
    assert pairs(model.machines["turn"]) == follow(records, lambda record: "turn" in record, "turn")
    assert pairs(model.machines["session"]) == follow(records, lambda record: "turn" not in record)


def follow(records: Iterable[Record], belongs: Callable[[Record], bool], key: str = "") -> set[tuple[str, str]]:
    """Which event follows which in a session, told without the drafting; '' before the first."""
    last: dict[object, str] = {}
    found = set()
    for record in records:
        if belongs(record):
            instance = (record["session"], record.get(key))
            found.add((last.get(instance, ""), record["event"]))
            last[instance] = record["event"]
    return found


def pairs(machine: Machine) -> set[tuple[str, str]]:
    """Which event may follow which: one that leads into the state that the other leaves."""
    into: dict[str, set[str]] = {machine.initial: {""}}
    for _, event, target in steps(machine):
        into.setdefault(target, set()).add(event)
    return {(before, event) for source, event, _ in steps(machine) for before in into[source]}


# --- other people's words ------------------------------------------------------------------------------


def socket(number: int) -> list[Record]:
    at = 1_700_000_000_000 + 60_000 * number
    names = ["dial", "up", "ping", "ping", "hangup"] if number % 2 else ["dial", "up", "hangup"]
    return [
        {"ts": at + 250 * place, "call_id": f"c-{number}", "type": name, "by": "app" if name == "dial" else "net"}
        for place, name in enumerate(names)
    ]


def test_other_names_and_milliseconds(tmp_path: Path) -> None:
    log = written(tmp_path / "log.jsonl", [record for number in range(4) for record in socket(number)])
    model = drafted(log)
    text = infer([Log(str(log))]).text
    assert "session = call_id" in text
    assert "time = ts as ms since epoch" in text
    assert "event = type" in text
    assert "owner = by" in text
    assert list(model.machines["session"].states) == ["start", "after-dial", "up", "after-hangup"]
    assert model.machines["session"].finals == {"after-hangup"}


def test_states_that_are_repeated_are_statuses(tmp_path: Path) -> None:
    states = ["new", "new", "checking", "checking", "checking", "connected", "connected", "connected", "closed"]
    log = written(tmp_path / "log.jsonl", [{"t": place, "iceState": state} for place, state in enumerate(states)])
    model = drafted(log)
    (machine,) = model.machines.values()
    assert machine.name == "ice"
    assert steps(machine) == {
        ("start", "", "new"),
        ("new", "", "checking"),
        ("checking", "", "connected"),
        ("connected", "", "closed"),
    }


def test_a_failure_owes_the_reason_that_was_always_there(tmp_path: Path) -> None:
    records: list[Record] = []
    for number in range(3):
        one = {"time": number * 10, "session": f"s{number}", "machine": "link"}
        records.append({**one, "from": "idle", "to": "trying"})
        records.append({**one, "from": "trying", "to": "failed", "cause": "no route"})
    log = written(tmp_path / "log.jsonl", records)
    model = drafted(log)
    assert model.machines["link"].states["failed"].kind is StateKind.FAILURE
    assert "reason = cause" in infer([Log(str(log))]).text


def test_a_bound_is_twice_the_longest_stay(tmp_path: Path) -> None:
    records: list[Record] = []
    for number, wait in enumerate((1, 2, 3.5)):
        one = {"session": f"s{number}", "machine": "link"}
        records += [
            {**one, "time": 100 * number, "from": "idle", "to": "connecting"},
            {**one, "time": 100 * number + wait, "from": "connecting", "to": "open"},
        ]
    model = drafted(written(tmp_path / "log.jsonl", records))
    assert model.machines["link"].states["connecting"].within_ns == 7_000_000_000
    assert model.machines["link"].states["open"].within_ns is None


def test_a_table(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    rows = [f"s{n},2026-01-01T00:00:0{at}Z,{name}" for n in range(3) for at, name in enumerate(("open", "closed"))]
    log.write_text("\n".join(["session,time,event", *rows]) + "\n", "utf-8")
    assert pairs(drafted(log).machines["session"]) == {("", "open"), ("open", "closed")}


def test_a_document(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    events = [{"time": at, "event": name} for at, name in enumerate(("open", "ping", "closed"))]
    log.write_text(json.dumps({"made": "today", "log": {"events": events}}, indent=1), "utf-8")
    assert pairs(drafted(log).machines["session"]) == {("", "open"), ("open", "ping"), ("ping", "closed")}


def test_rows(tmp_path: Path) -> None:
    rows = [[name, {"n": at}, 1_700_000_000_000 + at] for at, name in enumerate(("open", "ping", "ping", "closed"))]
    log = tmp_path / "log"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert "read json-lines rows [event, data, time]" in infer([Log(str(log))]).text
    drafted(log)


def test_a_person_knows_better(tmp_path: Path) -> None:
    records = [{"at": at, "id": f"x{at % 2}", "event": "tick", "what": w, "n": at} for at, w in enumerate("abab")]
    log = written(tmp_path / "log.jsonl", records)
    text = infer([Log(str(log))], choices=Choices(session="id", time="n", event="what")).text
    assert "session = id" in text
    assert "time = n as s since start" in text
    assert "event = what" in text


def test_names_that_must_be_quoted(tmp_path: Path) -> None:
    records = [
        {"time": at, "session": "s", "machine": "state", "event": name, "to": to}
        for at, (name, to) in enumerate((("on", "within"), ("a.b c", "final"), ('say "x"', "0"), ("any", "none")))
    ]
    model = drafted(written(tmp_path / "log.jsonl", records))
    assert set(model.machines["state"].states) == {"start", "within", "final", "0", "none"}


def test_a_pair_of_states_is_found_by_its_shape(tmp_path: Path) -> None:
    ways = [("idle", "ringing"), ("ringing", "talking"), ("talking", "over")]
    records = [
        {"ts": 10 * number + at, "call": f"c{number}", "was": was, "now": now}
        for number in range(3)
        for at, (was, now) in enumerate(ways)
    ]
    model = drafted(written(tmp_path / "log.jsonl", records))
    (machine,) = model.machines.values()
    assert steps(machine) == {(was, "", now) for was, now in ways}
    assert machine.initial == "idle"


# --- what no record tells ------------------------------------------------------------------------------


def leases(number: int, *, late: bool) -> list[Record]:
    """A lease that runs out without a word, which only the next record shows."""
    one = {"session": f"s{number}", "machine": "lease"}
    ways = [("none", "asked", "ask"), ("asked", "held", "grant")]
    ways += [("expired", "over", "drop")] if late else [("held", "over", "drop")]
    return [
        {**one, "time": 100 * number + at, "event": event, "from": source, "to": target}
        for at, (source, target, event) in enumerate(ways)
    ]


def test_a_state_that_no_record_enters_is_drafted_with_a_step_that_nobody_reported(tmp_path: Path) -> None:
    records = [record for number in range(6) for record in leases(number, late=number % 3 == 2)]
    log = written(tmp_path / "log.jsonl", records)
    model = drafted(log)
    lease = model.machines["lease"]
    assert unseen_steps(lease) == {("held", "expired")}
    assert ("expired", "drop", "over") in steps(lease)
    assert ("held", "drop", "over") in steps(lease)
    text = infer([Log(str(log))]).text
    assert 'held -> expired on expired-unreported "seen twice, and no record tells of it' in text
    assert 'expired -> over on drop "seen twice' in text
    assert 'held -> over on drop "seen 4 times' in text
    assert "\n  from = from\n" in text
    assert "lacks events expired-unreported" in text


def test_a_field_that_is_not_the_state_before_is_not_bound(tmp_path: Path) -> None:
    records = [record for number in range(6) for record in leases(number, late=False)]
    for place, record in enumerate(records):
        record["from"] = ["none", "held", "asked", "over"][place % 4]
    text = infer([Log(str(written(tmp_path / "log.jsonl", records)))]).text
    assert "\n  from = " not in text
    assert "-unreported" not in text


# --- owners and required fields ------------------------------------------------------------------------


def calls(owners: list[str]) -> list[Record]:
    return [
        record
        for number, owner in enumerate(owners)
        for record in (
            {"time": 10 * number, "session": f"s{number}", "event": "dial", "owner": "app"},
            {"time": 10 * number + 1, "session": f"s{number}", "event": "ring", "owner": owner},
        )
    ]


@pytest.mark.parametrize(
    ("owners", "said"),
    [
        (["net", "net", "net"], 'on ring "seen 3 times" by net'),
        (["net", "app", "net"], 'on ring "seen 3 times: 2 by net, 1 by app"\n'),
        (["net"], 'on ring "seen once, by net"\n'),
    ],
)
def test_an_owner_is_proposed_when_it_was_seen_twice_and_no_other(owners: list[str], said: str, tmp_path: Path) -> None:
    assert said in infer([Log(str(written(tmp_path / "log.jsonl", calls(owners))))]).text


def test_only_scalars_are_required(tmp_path: Path) -> None:
    payloads: list[Record] = [
        {"empty": {}, "list": [1], "deep": {"n": 1, "inner": {"m": 2}}, "text": "x" * 500},
        {"empty": {}, "list": [], "deep": {"n": 2, "inner": {"m": 3}}, "text": "y" * 500},
    ]
    records = [
        {**record, **(payload if record["event"] == "ring" else {})}
        for payload in payloads
        for record in calls(["net"])
    ]
    text = infer([Log(str(written(tmp_path / "log.jsonl", records)))]).text
    (line,) = [line for line in text.splitlines() if " on ring " in line]
    assert set(line.partition(" requires ")[2].split(", ")) == {"text", "n", "m"}
