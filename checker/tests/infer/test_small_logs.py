"""Small logs as different teams write them: which field is taken for what, and the draft keeps to its log.

A log is given as rows under the names of its keys; a dot in a name is an object in an object.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from drafted import never_done

from lifespec.check import check
from lifespec.diagnostics import Severity, severity_of
from lifespec.infer.infer import infer
from lifespec.load import load_text
from lifespec.log_file import Log


@dataclass(frozen=True)
class Small:
    """`bound` are lines of the binding that have to be there, `not_bound` parts that must not be; `machines` is what
    the machines of the draft are called, None where that does not matter."""

    keys: str
    rows: list[tuple[Any, ...]]
    bound: tuple[str, ...]
    not_bound: tuple[str, ...] = ()
    machines: set[str] | None = None


SMALL = {
    "three records of one session": Small(
        "timestamp event",
        [("2026-01-05T10:00:00Z", "connect"), ("2026-01-05T10:00:01Z", "open"), ("2026-01-05T10:00:09Z", "close")],
        ("session = file.name", "time = timestamp as iso8601", "event = event"),
        ("to", "owner", "machine"),
    ),
    "snake case, a session and a duration": Small(
        "created_at session_id event_name duration_ms user_agent",
        [
            (1767600000.1, "a1b2", "ws_open", 12, "ios/17.2"),
            (1767600001.2, "a1b2", "ws_message", 40, "ios/17.2"),
            (1767600003.5, "a1b2", "ws_close", 3, "ios/17.2"),
            (1767600004.1, "c3d4", "ws_open", 15, "web/120"),
            (1767600009.9, "c3d4", "ws_close", 2, "web/120"),
        ],
        ("session = session_id", "time = created_at as s since epoch", "event = event_name"),
        ("to", "from"),
    ),
    "camel case, nested": Small(
        "eventTime context.sessionId event.type event.payload.attempt context.appVersion",
        [
            ("2026-01-05T10:00:00.000Z", "S-1", "CONNECT", 1, "4.2.0"),
            ("2026-01-05T10:00:01.500Z", "S-1", "CONNECTED", 1, "4.2.0"),
            ("2026-01-05T10:05:00.000Z", "S-1", "DISCONNECTED", 1, "4.2.0"),
            ("2026-01-05T10:05:01.000Z", "S-2", "CONNECT", 1, "4.2.0"),
            ("2026-01-05T10:05:09.000Z", "S-2", "CONNECTED", 2, "4.2.0"),
        ],
        ("session = context.sessionId", "time = eventTime as iso8601", "event = event.type"),
        ("to", "machine", "owner"),
    ),
    "a level, a logger and a message": Small(
        "ts level logger msg conn",
        [
            (1767600000001, "info", "net.ws", "dialing", "c-17"),
            (1767600000201, "info", "net.ws", "connected", "c-17"),
            (1767600000901, "warn", "net.ws", "pong late", "c-17"),
            (1767600001901, "error", "net.ws", "closed", "c-17"),
            (1767600002901, "info", "net.ws", "dialing", "c-18"),
            (1767600003901, "info", "net.ws", "connected", "c-18"),
        ],
        ("session = conn", "time = ts as ms since epoch", "event = msg"),
        ("to", "machine", "owner"),
    ),
    "states only, in capitals": Small(
        "time device state",
        [
            ("2026-01-05T10:00:00+01:00", "cam-1", "BOOTING"),
            ("2026-01-05T10:00:04+01:00", "cam-1", "ONLINE"),
            ("2026-01-05T10:09:00+01:00", "cam-1", "OFFLINE"),
            ("2026-01-05T10:09:30+01:00", "cam-2", "BOOTING"),
            ("2026-01-05T10:09:40+01:00", "cam-2", "ONLINE"),
        ],
        ("session = device", "time = time as iso8601", "to = state"),
        ("event", "from"),
    ),
    "a transition as prev and next": Small(
        "t room prev next cause",
        [
            (0.0, "r1", "new", "joining", "user"),
            (1.5, "r1", "joining", "joined", "ack"),
            (9.0, "r1", "joined", "left", "user"),
        ],
        ("time = t as s since start", "from = prev", "to = next"),
    ),
    "several machines in one field": Small(
        "at sid component event status",
        [
            (10, "x1", "socket", "open", "opening"),
            (12, "x1", "socket", "opened", "open"),
            (13, "x1", "player", "load", "loading"),
            (15, "x1", "player", "loaded", "ready"),
            (20, "x1", "socket", "lost", "closed"),
            (21, "x1", "player", "stop", "stopped"),
        ],
        ("session = sid", "machine = component", "event = event", "to = status", "time = at as s since start"),
        machines={"socket", "player"},
    ),
    "turns with a key": Small(
        "time session event turn_id owner",
        [
            (1.0, "s1", "turn.started", "t1", "user"),
            (2.0, "s1", "turn.answered", "t1", "bot"),
            (3.0, "s1", "turn.started", "t2", "user"),
            (3.5, "s1", "turn.interrupted", "t2", "user"),
            (4.0, "s1", "turn.started", "t3", "user"),
            (5.0, "s1", "turn.answered", "t3", "bot"),
        ],
        ("session = session", "event = event", "owner = owner"),
        ("to",),
        machines={"turn"},
    ),
    "numbers as events are a code, and the name counts": Small(
        "seq code name clock_us peer",
        [
            (1, 100, "hello", 10_000_000, "p1"),
            (2, 200, "welcome", 10_150_000, "p1"),
            (3, 300, "bye", 19_000_000, "p1"),
            (4, 100, "hello", 21_000_000, "p2"),
            (5, 200, "welcome", 21_100_000, "p2"),
        ],
        ("event = name", "session = peer", "time = clock_us as us since start"),
        ("to", "owner"),
    ),
    "an event type that is a number": Small(
        "ts uid type",
        [(1767600000, "u-9", 1), (1767600002, "u-9", 2), (1767600005, "u-9", 3), (1767600009, "u-7", 1)],
        ("session = uid", "time = ts as s since epoch", "event = type"),
        ("to",),
    ),
    "an http log around it": Small(
        "timestamp request_id method path status call_id event",
        [
            ("2026-01-05T10:00:00Z", "r1", "POST", "/call", 200, "k-1", "created"),
            ("2026-01-05T10:00:01Z", "r2", "POST", "/call", 200, "k-1", "ringing"),
            ("2026-01-05T10:00:05Z", "r3", "POST", "/call", 200, "k-1", "answered"),
            ("2026-01-05T10:00:09Z", "r4", "POST", "/call", 404, "k-2", "created"),
            ("2026-01-05T10:00:19Z", "r5", "POST", "/call", 200, "k-2", "ringing"),
        ],
        ("session = call_id", "event = event", "time = timestamp as iso8601"),
        ("to",),
    ),
    "the state of a pair with an event": Small(
        "ts call event oldState newState actor",
        [
            (1767600000123, "c1", "dial", "IDLE", "RINGING", "app"),
            (1767600003123, "c1", "answer", "RINGING", "ACTIVE", "net"),
            (1767600009123, "c1", "hangup", "ACTIVE", "IDLE", "app"),
        ],
        ("event = event", "from = oldState", "to = newState", "owner = actor", "time = ts as ms since epoch"),
        machines={"session"},
    ),
    "an action of a user, and an object": Small(
        "when who action object",
        [
            ("2026-01-05 10:00:00", "ann", "checkout", "doc-1"),
            ("2026-01-05 10:03:00", "ann", "edit", "doc-1"),
            ("2026-01-05 10:04:00", "ann", "checkin", "doc-1"),
            ("2026-01-05 10:05:00", "bob", "checkout", "doc-2"),
            ("2026-01-05 10:06:00", "bob", "checkin", "doc-2"),
        ],
        ("event = action", 'time = when as iso8601 zone "UTC"', "session = object"),
        ("to",),
    ),
    "two times and a deadline": Small(
        "received_at expires_at sent_at session op",
        [
            (1767600000.0, 1767603600.0, 1767599999.9, "s1", "issue"),
            (1767600060.0, 1767603600.0, 1767600059.9, "s1", "use"),
            (1767600120.0, 1767603600.0, 1767600119.9, "s1", "revoke"),
        ],
        ("session = session", "event = op"),
        ("to",),
    ),
    "a trace id beside the session": Small(
        "time trace_id span_id session_id name kind",
        [
            (1.5, "4bf92f3577b34da6", "00f067aa0ba902b7", "sess-1", "session.start", "client"),
            (2.5, "4bf92f3577b34da6", "10f067aa0ba902b8", "sess-1", "socket.open", "client"),
            (3.5, "5bf92f3577b34da7", "20f067aa0ba902b9", "sess-1", "socket.close", "server"),
            (4.5, "5bf92f3577b34da7", "30f067aa0ba902ba", "sess-1", "session.end", "client"),
        ],
        ("session = session_id", "event = name"),
        ("to",),
    ),
    "the state within a snapshot": Small(
        "timestamp pc stats.iceConnectionState stats.bytes",
        [
            (1767600000000, "pc1", "new", 0),
            (1767600001000, "pc1", "checking", 0),
            (1767600002000, "pc1", "checking", 10),
            (1767600003000, "pc1", "connected", 500),
            (1767600004000, "pc1", "connected", 900),
            (1767600005000, "pc1", "closed", 901),
        ],
        ("time = timestamp as ms since epoch",),
        ("event", "to"),
        machines={"ice-connection"},
    ),
    "a reason with few values is no event": Small(
        "t conn_id phase reason",
        [
            (100, "c1", "connecting", "start"),
            (101, "c1", "open", "ok"),
            (105, "c1", "closed", "timeout"),
            (106, "c2", "connecting", "start"),
            (107, "c2", "closed", "refused"),
        ],
        ("session = conn_id", "to = phase"),
        ("event", "from"),
    ),
    "a host and a level on each": Small(
        "@timestamp host.name log.level message labels.session",
        [
            ("2026-01-05T10:00:00.000Z", "web-1", "INFO", "session opened", "ab12"),
            ("2026-01-05T10:00:01.000Z", "web-1", "INFO", "stream started", "ab12"),
            ("2026-01-05T10:00:02.000Z", "web-1", "WARN", "stream stalled", "ab12"),
            ("2026-01-05T10:00:03.000Z", "web-1", "INFO", "session closed", "ab12"),
        ],
        ("session = labels.session", "event = message"),
        ("to", "owner", "machine"),
    ),
    "a logger's name that is always the same": Small(
        "level time pid hostname name msg sid",
        [
            (30, 1767600000000, 77, "h1", "app", "dial", "a"),
            (30, 1767600000500, 77, "h1", "app", "up", "a"),
            (30, 1767600001000, 77, "h1", "app", "down", "a"),
            (30, 1767600001500, 77, "h1", "app", "dial", "b"),
            (30, 1767600002000, 77, "h1", "app", "up", "b"),
        ],
        ("session = sid", "time = time as ms since epoch", "event = msg"),
        ("to", "machine", "owner"),
    ),
    "an event that is always the same": Small(
        "event type ts call",
        [
            ("log", "open", 1767600000, "c1"),
            ("log", "ping", 1767600001, "c1"),
            ("log", "close", 1767600002, "c1"),
            ("log", "open", 1767600003, "c2"),
            ("log", "close", 1767600004, "c2"),
        ],
        ("session = call", "event = type"),
        ("to",),
    ),
    "objects of a watch": Small(
        "type object.kind object.metadata.name object.metadata.uid object.status.phase ts",
        [
            ("ADDED", "Pod", "web-1", "8f-1", "Pending", "2026-01-05T10:00:00Z"),
            ("MODIFIED", "Pod", "web-1", "8f-1", "Running", "2026-01-05T10:00:05Z"),
            ("MODIFIED", "Pod", "web-1", "8f-1", "Succeeded", "2026-01-05T10:00:15Z"),
            ("ADDED", "Pod", "web-2", "8f-2", "Pending", "2026-01-05T10:00:20Z"),
            ("MODIFIED", "Pod", "web-2", "8f-2", "Failed", "2026-01-05T10:00:25Z"),
        ],
        ("session = object.metadata.uid", "to = object.status.phase", "event = type", "time = ts as iso8601"),
    ),
    "actions and the whole state": Small(
        "t action.type state.conn state.call",
        [
            (1, "ws/open", "opening", "idle"),
            (2, "ws/opened", "open", "idle"),
            (3, "call/start", "open", "ringing"),
            (4, "call/answered", "open", "active"),
            (5, "call/end", "open", "idle"),
            (6, "ws/close", "closed", "idle"),
        ],
        ("session = file.name", "event = action.type", "to = state.conn"),
        machines={"conn"},
    ),
    "how it went is no state": Small(
        "time sid event status",
        [
            (1, "a", "dial", "ok"),
            (2, "a", "send", "ok"),
            (3, "a", "send", "error"),
            (4, "a", "hangup", "ok"),
            (5, "b", "dial", "ok"),
            (6, "b", "hangup", "ok"),
        ],
        ("session = sid", "event = event", "time = time as s since start"),
        ("to",),
    ),
    "services that call each other are no states": Small(
        "ts source target event corr",
        [
            (1, "web", "api", "call", "r1"),
            (2, "api", "db", "query", "r1"),
            (3, "db", "api", "rows", "r1"),
            (4, "api", "web", "reply", "r1"),
            (5, "web", "api", "call", "r2"),
            (6, "api", "web", "reply", "r2"),
        ],
        ("session = corr", "event = event", "owner = source"),
        ("to", "from"),
    ),
    "names that are cut short": Small(
        "meta.ts meta.sid data.ev data.st",
        [
            (1767600000000, "a", "dial", "ringing"),
            (1767600000100, "a", "answer", "talking"),
            (1767600000200, "a", "hang", "over"),
            (1767600000300, "b", "dial", "ringing"),
            (1767600000400, "b", "hang", "over"),
        ],
        ("session = meta.sid", "time = meta.ts as ms since epoch", "event = data.ev", "to = data.st"),
    ),
    "times in texts": Small(
        "timestamp conversationId eventType",
        [(f"{1767600000123 + at}", f"conv-{at // 3}", ["start", "speak", "stop"][at % 3]) for at in range(6)],
        ("session = conversationId", "time = timestamp as ms since epoch", "event = eventType"),
    ),
    "streams with numbers": Small(
        "t conn stream_id state",
        [
            (1, "c1", 1, "open"),
            (2, "c1", 3, "open"),
            (3, "c1", 1, "half-closed"),
            (4, "c1", 3, "closed"),
            (5, "c1", 1, "closed"),
            (6, "c2", 1, "open"),
            (7, "c2", 1, "closed"),
        ],
        ("session = conn", "to = state"),
        ("event",),
    ),
    "a user with several sessions": Small(
        "ts user session event",
        [
            (1767600000, "ann", "s1", "in"),
            (1767600001, "ann", "s1", "out"),
            (1767600002, "ann", "s2", "in"),
            (1767600003, "bob", "s3", "in"),
            (1767600004, "bob", "s3", "out"),
            (1767600005, "ann", "s2", "out"),
        ],
        ("session = session", "event = event"),
        ("to",),
    ),
    "some records have states": Small(
        "time session event state",
        [
            (1, "a", "open", None),
            (2, "a", "state", "connecting"),
            (3, "a", "state", "open"),
            (4, "a", "ping", None),
            (5, "a", "state", "closed"),
        ],
        ("session = session", "event = event", "to = state"),
        machines={"session"},
    ),
    "jobs and their status": Small(
        "ts job status",
        [
            (1767600000, "j1", "queued"),
            (1767600001, "j1", "running"),
            (1767600002, "j2", "queued"),
            (1767600003, "j1", "done"),
            (1767600004, "j2", "running"),
            (1767600005, "j2", "failed"),
        ],
        ("session = job", "to = status"),
        ("event",),
    ),
}


def record_of(keys: list[str], row: tuple[Any, ...]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for key, value in zip(keys, row, strict=True):
        *path, last = key.split(".")
        inside = record
        for step in path:
            inside = inside.setdefault(step, {})
        inside[last] = value
    return record


def statements(text: str) -> list[str]:
    """The lines of the binding."""
    return [line.strip() for line in text[text.index("\nbinding ") :].splitlines()]


@pytest.mark.parametrize("name", sorted(SMALL))
def test_the_fields_of_a_small_log_are_found(name: str, tmp_path: Path) -> None:
    small = SMALL[name]
    log = tmp_path / "log.jsonl"
    records = [record_of(small.keys.split(), row) for row in small.rows]
    log.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    text = infer([Log(str(log))]).text
    bound = statements(text)
    parts = {line.partition(" = ")[0] for line in bound}
    assert [line for line in small.bound if line not in bound] == [], text
    assert sorted(parts & set(small.not_bound)) == [], text
    loaded = load_text(text, "draft.lifespec")
    assert [d.message for d in loaded.diagnostics if (d.severity or severity_of(d.name)) is Severity.ERROR] == []
    assert loaded.model is not None
    if small.machines is not None:
        assert set(loaded.model.machines) == small.machines
    report = check(loaded.model, [str(log)])
    assert (report.problems, [f.violation.name for f in report.findings]) == ((), [])
    assert never_done(loaded.model, report) == []
