"""Logs that nobody would write by hand: no draft of them raises, hangs, or breaks on its own log."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random

import pytest
from drafted import never_done

from lifespec.check import check
from lifespec.diagnostics import Severity, severity_of
from lifespec.infer.flat import NothingRead
from lifespec.infer.infer import NothingFound, infer
from lifespec.infer.role import Choices, NoSuchField
from lifespec.load import load_text
from lifespec.log_file import Log

EVENTS = ["open", "opened", "close", "error", "on state", "a.b", "a.c", "b.x", "b.y", "it's", "état", "state", "any",
          'x"y', "{q}", "failed", "'", " ", "\n", "123"]  # fmt: skip
STATES = [
    "idle",
    "connecting",
    "open",
    "failed",
    "Open",
    "state",
    "final",
    "x y",
    "q'q",
    "0",
    "a{b}",
    "within",
    "start",
]
ODD = [1, 2, "t1", "lost", None, 1.5, True, {"id": 3, "type": "z"}, [1], "2026-01-01T00:00:00Z", "x" * 300]
KEYS = ["reason", "code", "turn", "clip_id", "data", "session", "to", "owner", "record", "x y", "q'", "previous",
        "none", "time", "machine", "state"]  # fmt: skip


def odd_log(random: Random) -> str:
    """A log whose records have some of the parts some of the time, under some of their names."""
    names = {
        "time": random.choice(["time", "ts", "@timestamp", "t'x"]),
        "session": random.choice(["session", "call_id", "sid"]),
        "event": random.choice(["event", "name", "type"]),
        "to": random.choice(["to", "state", "newState"]),
        "from": random.choice(["from", "oldState"]),
        "machine": random.choice(["machine", "component", "dim"]),
        "owner": random.choice(["owner", "by", "actor"]),
    }
    likely = {part: 1.6 * random.random() for part in names}
    events, states = random.sample(EVENTS, random.randint(2, 9)), random.sample(STATES, random.randint(2, 6))
    machines = random.sample(["connection", "turn", "session", "any", "m 1", "5"], random.randint(1, 3))
    clock = random.choice([0, 1_700_000_000, 1_700_000_000_000])
    last: dict[tuple[str, str], str] = {}
    lines = []
    for _ in range(random.randint(1, 60)):
        clock += random.choice([0, 0.5, 1, 100]) if random.random() < 0.95 else -1
        session, machine = random.choice(["s1", "s2", "s-3"]), random.choice(machines)
        to = random.choice(states)
        parts = {
            "time": clock if random.random() < 0.97 else random.choice(["x", None, True, [1], {}]),
            "session": session if random.random() < 0.98 else random.choice([None, 5]),
            "event": random.choice(events) if random.random() < 0.98 else random.choice([None, 7]),
            "to": to,
            "from": last.get((session, machine), "idle") if random.random() < 0.98 else to,
            "machine": machine,
            "owner": random.choice(["app", "net"]),
        }
        record = {names[part]: value for part, value in parts.items() if random.random() < likely[part]}
        if names["to"] in record:
            last[session, machine] = to
        for key in KEYS:
            if random.random() < 0.1:
                record.setdefault(key, random.choice(ODD))
        lines.append(json.dumps(record))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(80))
def test_the_draft_of_an_odd_log_keeps_to_it(seed: int, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(odd_log(Random(seed)), "utf-8")
    try:
        text = infer([Log(str(log))]).text
    except (NothingFound, NothingRead):
        return
    assert infer([Log(str(log))]).text == text
    loaded = load_text(text, "draft.lifespec")
    assert [d.message for d in loaded.diagnostics if (d.severity or severity_of(d.name)) is Severity.ERROR] == []
    assert loaded.model is not None
    report = check(loaded.model, [str(log)])
    assert [(f.violation.place.line, f.violation.name) for f in report.findings] == []
    assert never_done(loaded.model, report) == []


GARBAGE = {
    "empty": b"",
    "blank": b"\n \n\n",
    "words": b"hello\nworld\n",
    "binary": bytes(range(256)) * 20,
    "utf-16": "{}".encode("utf-16"),
    "cut-gzip": gzip.compress(b'{"event": "open", "session": "s"}\n' * 5000)[:-20],
    "zip": b"PK\x03\x04" + b"\0" * 100,
    "scalars": b'1\n"a"\nnull\n',
    "empty-objects": b"{}\n{}\n",
    "deep": b'{"a":' * 500 + b"1" + b"}" * 500 + b"\n",
    "long-number": b'{"time": ' + b"9" * 5000 + b', "event": "a"}\n',
    "open-document": b'{\n "events": [\n  {"event": "a"},\n',
    "sequence": b'\x1e{"event": "a", "session": "s1"}\n\x1e{"event": "b", "session": "s1"}\n',
    "many-keys": json.dumps({f"k{n}": n for n in range(5000)}).encode() + b"\n",
    "a-document-in-one-line": json.dumps(
        [{"event": "ab"[n % 2], "session": "s", "n": n} for n in range(3000)]
    ).encode(),
    "lists-in-lists": b"[" * 100_000 + b"]" * 100_000,
    "binary-with-records": b'{"event": "a"}\n' + bytes(range(256)) + b'\n{"event": "b"}\n',
    "surrogate": b'{"event": "\\ud800", "session": "s"}\n{"event": "a", "session": "s"}\n' * 3,
    "escapes": b'{"event": "\\u001b[31mred", "session": "\\u202es"}\n{"event": "b", "session": "s"}\n' * 3,
    "wide-table": ",".join(f"c{n}" for n in range(2000)).encode() + b"\n" + b",".join([b"1"] * 2000) + b"\n",
    "many-states": "".join(
        json.dumps({"from": f"s{n}", "to": f"s{n + 1}", "event": f"e{n % 9}", "session": "s"}) + "\n"
        for n in range(3000)
    ).encode(),
    "many-keys-of-a-machine": "".join(
        json.dumps({"event": "ab"[n % 2], "turn": f"t{n // 2}", "session": "s"}) + "\n" for n in range(6000)
    ).encode(),
    "many-names": "".join(json.dumps({"event": f"e{n}", "session": f"s{n % 3}"}) + "\n" for n in range(3000)).encode(),
    "many-machines": "".join(
        json.dumps({"machine": f"m{n % 500}", "to": f"s{n % 7}", "session": "a"}) + "\n" for n in range(3000)
    ).encode(),
    "rows-of-many-lengths": "".join(json.dumps(["a"] * n) + "\n" for n in range(60)).encode(),
    "not-utf-8": b'{"event": "a\xff"}\n{"event": "b"}\n{"event": "a"}\n',
    "comment-in-a-name": json.dumps({"event": "a\nb // c", "lifecycle": "\u2028x"}).encode() + b"\n",
}


@pytest.mark.parametrize("name", sorted(GARBAGE))
def test_garbage_is_answered_with_a_draft_or_with_a_reason(name: str, tmp_path: Path) -> None:
    log = tmp_path / "a\nlog"
    log.write_bytes(GARBAGE[name])
    reason = ""
    try:
        text = infer([Log(str(log))]).text
    except (NothingFound, NothingRead) as error:
        reason, text = str(error), "lifecycle none  machine m { initial a }"
    assert reason or text.startswith("//")
    found = load_text(text, "draft.lifespec").diagnostics
    assert [d.message for d in found if (d.severity or severity_of(d.name)) is Severity.ERROR] == []


def test_a_field_that_is_in_no_record_is_told_with_those_that_are(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"data": {"type": "a"}}\n', "utf-8")
    with pytest.raises(NoSuchField) as raised:
        infer([Log(str(log))], choices=Choices(event="data.typ"))
    assert raised.value.names == ["data.type"]
