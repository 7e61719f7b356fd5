"""What the statements of a binding mean: who becomes an event, under which name, with what."""

from __future__ import annotations

import json

import pytest
from reading import DATA, SOCKET, binding_of, compiled, compiling, events_of, findings_of, read, records_of

from lifespec.trace.event import Client, Event, Record
from lifespec.verdict import Violation


def log(*records: dict[str, object]) -> str:
    return "".join(json.dumps({"session": "s", "time": 0} | record) + "\n" for record in records)


def names(statements: str, *records: dict[str, object]) -> list[str | None]:
    """The names of all events; a step without one is named by its machine and state."""
    events = events_of(binding_of(statements), log(*records))
    return [event.name or f"{event.machine}:{event.target}" for event in events]


# --- extends -----------------------------------------------------------------------------------------


def test_four_lines_read_a_log_of_ones_own() -> None:
    binding = binding_of(
        """
        time = ts as ms since epoch
        rename event 'ws.didOpen' -> opened, "ws.{e}" -> "{e}"
        lacks events started
        ignore "ui.{x}"
        """
    )
    items, counts = read(
        binding,
        '{"ts": 5, "session": "s", "event": "ws.didOpen"}\n'
        '{"ts": 6, "session": "s", "event": "ui.click"}\n'
        '{"ts": 7, "session": "s", "event": "ws.closed", "code": 1000}\n',
    )
    assert [item.time_ns for item in items if isinstance(item, Record)] == [5_000_000, 7_000_000]
    events = [event for item in items if isinstance(item, Record) for event in item.events]
    assert events[0] == Event("opened", fields={"ts": 5})
    assert events[1] == Event("closed", fields={"ts": 7, "code": 1000})
    assert counts.passed_over.names == {"ui.click": 1}
    assert binding.client == Client(lacking_events=frozenset({"started"}))


def test_a_part_may_be_taken_back() -> None:
    binding = binding_of("owner = none  from = none")
    assert events_of(binding, log({"event": "opened", "owner": "x", "from": "idle"})) == [Event("opened")]
    assert (binding.client.has_owner, binding.client.has_source) == (False, False)


# --- rename ------------------------------------------------------------------------------------------


def test_an_exact_name_comes_before_a_pattern_and_the_first_pattern_counts() -> None:
    renames = 'rename event "a.{e}" -> "{e}", "a.x.{e}" -> "never", \'a.open\' -> opened, "{p}-{e}" -> "{e}.{p}"'
    found = names(renames, *({"event": name} for name in ("a.closed", "a.x.y", "a.open", "b-c")))
    assert found == ["closed", "x.y", "opened", "c.b"]


def test_renaming_happens_once() -> None:
    assert names("rename event opened -> closed, closed -> opened", {"event": "opened"}, {"event": "closed"}) == [
        "closed",
        "opened",
    ]


def test_numbers_are_names_of_events_and_stay_numbers_in_fields() -> None:
    binding = binding_of("rename event 39 -> opened  rename reason 1006 -> network-lost, unknown -> none")
    events = events_of(
        binding,
        log(
            {"event": 39, "reason": 1006},
            {"event": "39", "reason": "1006"},
            {"event": "opened", "reason": "unknown"},
            {"event": "opened", "reason": 1006.0},
            {"event": "opened", "reason": 1.5},
        ),
    )
    assert {event.name for event in events} == {"opened"}
    assert [event.fields.get("reason") for event in events[:4]] == ["network-lost", "1006", None, "network-lost"]


def test_states_are_renamed_for_all_machines_or_for_some() -> None:
    binding = binding_of("rename state UP -> open, DOWN -> idle  rename state of clip UP -> playing")
    events = events_of(
        binding,
        log(
            {"machine": "connection", "from": "DOWN", "to": "UP"},
            {"machine": "clip", "from": "DOWN", "to": "UP"},
            {"to": "UP"},
        ),
    )
    assert [(event.source, event.target) for event in events] == [("idle", "open"), ("idle", "playing"), (None, "open")]


def test_an_event_renamed_to_none_has_no_name() -> None:
    (record,) = records_of(binding_of("rename event tick -> none"), log({"event": "tick"}))
    assert record.events == ()


def test_owners_and_machines_are_renamed() -> None:
    binding = binding_of("rename owner sent -> client  rename machine Conn -> connection")
    (event,) = events_of(binding, log({"event": "opened", "owner": "sent", "machine": "Conn"}))
    assert (event.owner, event.machine) == ("client", "connection")


# --- on ... emit -------------------------------------------------------------------------------------


def test_a_translated_record_is_no_event_under_its_own_name() -> None:
    assert names("on opened emit closed", {"event": "opened"}) == ["closed"]


def test_a_record_that_no_clause_translates_is_an_event_under_its_own_name() -> None:
    statements = "on opened where ok == true emit closed"
    assert names(
        statements, {"event": "opened", "ok": True}, {"event": "opened", "ok": False}, {"event": "opened"}
    ) == [
        "closed",
        "opened",
        "opened",
    ]


def test_an_unknown_name_that_a_clause_looks_at_is_passed_over() -> None:
    items, counts = read(binding_of("on sent where ok == true emit opened"), log({"event": "sent"}, {"event": "other"}))
    assert [event.name for item in items if isinstance(item, Record) for event in item.events] == ["other"]
    assert counts.passed_over.names == {"sent": 1}


def test_all_clauses_that_fit_are_taken_in_their_order() -> None:
    statements = (
        "on opened emit closed  on any where n > 1 emit connection to 'open'  on opened emit opened emit started"
    )
    assert names(statements.replace("'open'", '"open"'), {"event": "opened", "n": 2}) == [
        "closed",
        "connection:open",
        "opened",
        "started",
    ]


def test_an_exact_name_shuts_out_patterns_and_the_first_pattern_others() -> None:
    statements = 'on "a.{x}" emit opened  on "a.b.{x}" emit closed  on \'a.b.c\' emit started  on "a.{x}" emit closed'
    assert names(statements, {"event": "a.b.c"}, {"event": "a.b.d"}) == ["started", "opened", "closed"]


def test_what_a_pattern_takes_out_can_be_used() -> None:
    binding = binding_of(
        'on "{what}.{rest}" where rest like "x+" emit "{what}" with rest = rest, whole = "{rest}/{event}"'
    )
    (event,) = events_of(binding, log({"event": "opened.xx"}))
    assert (event.name, event.fields["rest"], event.fields["whole"]) == ("opened", "xx", "xx/opened.xx")


def test_with_alone_adds_to_the_record_as_it_is() -> None:
    binding = binding_of(
        'on opened with reason = why, kind = "k"  rename reason r -> network-lost  rename kind k -> other'
    )
    record = {"event": "opened", "machine": "connection", "from": "idle", "to": "open", "owner": "o", "why": "r"}
    (event,) = events_of(binding, log(record))
    assert (event.name, event.machine, event.source, event.target, event.owner) == (
        "opened",
        "connection",
        "idle",
        "open",
        "o",
    )
    assert (event.fields["reason"], event.fields["kind"]) == ("network-lost", "k")


def test_emit_says_all() -> None:
    binding = binding_of('on x emit opened of connection from a to "open" by who with n = m')
    record = {"event": "x", "machine": "clip", "from": "u", "to": "v", "a": "idle", "who": "w", "m": 1, "n": 2}
    (event,) = events_of(binding, log(record))
    assert event == Event("opened", "connection", "idle", "open", False, "w", {"a": "idle", "who": "w", "m": 1, "n": 1})


def test_states_of_another_machine_are_not_taken_over() -> None:
    binding = binding_of("on x emit opened of connection")
    (event,) = events_of(binding, log({"event": "x", "machine": "clip", "from": "u", "to": "v"}))
    assert (event.machine, event.source, event.target) == ("connection", None, None)


def test_a_step_and_a_status_of_a_machine() -> None:
    binding = binding_of(
        "on step emit connection to state  on status emit connection in state  rename state UP -> open"
    )
    step, status = events_of(binding, log({"event": "step", "state": "UP"}, {"event": "status", "state": "UP"}))
    assert step == Event(None, "connection", None, "open", False, None, {"state": "UP"})
    assert status == Event(None, "connection", None, "open", True, None, {"state": "UP"})


def test_a_constant_state_is_the_lifecycles() -> None:
    binding = binding_of('on step emit connection from "UP" to "open"  rename state open -> idle, UP -> idle')
    (event,) = events_of(binding, log({"event": "step"}))
    assert (event.source, event.target) == ("UP", "open")


def test_a_slip_in_a_rename_is_told_by_the_name_that_came() -> None:
    statements = "ignore any  rename event 'ws.didOpne' -> opened"
    found = findings_of(binding_of(statements), log({"event": "ws.didOpen"}))
    assert [(each.name, each.expected) for each in found] == [("near-name", ("ws.didOpne",))]
    assert findings_of(binding_of(statements), log({"event": "ws.didOpen"}, {"event": "ws.didOpne"})) == []


@pytest.mark.parametrize(("state", "field"), [(None, "to"), ([], "to")])
def test_a_step_into_no_state_is_a_finding(state: object, field: str) -> None:
    (violation,) = findings_of(binding_of("on step emit connection to s"), log({"event": "step", "s": state}))
    assert (violation.name, violation.field) == ("unreadable-value", field)


def test_a_session_may_end_with_or_without_an_event() -> None:
    binding = binding_of("on bye ends session  on over emit closed ends session  ignore any")
    records = records_of(binding, log({"event": "bye"}, {"event": "over"}, {"event": "opened"}))
    assert [(len(record.events), record.ends_session) for record in records] == [(0, True), (1, True), (1, False)]


def test_an_emitted_name_may_be_unknown_and_then_goes_where_others_go() -> None:
    text = SOCKET + "binding t extends default { on x emit something  %s }"
    made, findings = compiling(text % "")
    assert made is not None
    assert [(each.name, each.severity) for each in findings] == [("unknown-in-binding", "warning")]
    assert [event.name for event in events_of(made, log({"event": "x"}))] == ["something"]
    items, counts = read(compiled(text % "ignore any"), log({"event": "x"}))
    assert (items, counts.passed_over.names) == ([], {"x": 1})


# --- ignore ------------------------------------------------------------------------------------------


def test_what_is_ignored_moves_no_clock_and_has_no_findings() -> None:
    binding = binding_of('ignore noise, "ui.{x}"  ignore where level == "debug"  ignore opened where n > 1')
    items, counts = read(
        binding,
        log({"event": "opened", "time": 5})
        + '{"event": "noise"}\n{"event": "ui.a", "time": "x", "session": "s"}\n{"level": "debug", "event": "closed"}\n'
        + log({"event": "opened", "n": 2, "time": 1}, {"event": "opened", "n": 1, "time": 6}),
    )
    assert all(isinstance(item, Record) for item in items)
    assert len(items) == 2
    assert counts.passed_over.names == {"noise": 1, "ui.a": 1, "closed": 1, "opened": 1}
    assert counts.records == 6


def test_ignore_any_passes_over_what_is_left() -> None:
    binding = binding_of('ignore any except odd, "x.{y}"  on seen ends session')
    items, counts = read(
        binding,
        log({"event": "other"}, {"event": "odd"}, {"event": "x.y"}, {"event": "opened"}, {"event": "seen"}, {"n": 1}),
    )
    assert [event.name for item in items if isinstance(item, Record) for event in item.events] == [
        "odd",
        "x.y",
        "opened",
    ]
    assert counts.passed_over.names == {"other": 1, "": 1}


def test_ignore_any_may_have_a_condition() -> None:
    assert names('ignore any where k == "ui"', {"event": "a", "k": "ui"}, {"event": "b"}) == ["b"]


def test_a_record_that_gives_a_state_is_not_the_rest() -> None:
    assert names("ignore any", {"event": "other", "to": "open"}, {"to": "open"}) == ["other", "None:open"]


def test_records_of_a_machine_are_ignored() -> None:
    binding = binding_of("ignore machines audio, video")
    assert [
        event.machine for event in events_of(binding, log({"event": "opened", "machine": "audio"}, {"event": "opened"}))
    ] == [None]
    assert binding.client.ignored_machines == {"audio", "video"}


def test_a_slip_is_said_once_for_each_name_when_the_right_one_never_came() -> None:
    found = findings_of(
        binding_of("ignore any"),
        log(*({"event": name} for name in ("opend", "opend", "Closed", "strated", "started", "z"))),
    )
    assert [(each.name, each.found, each.expected) for each in found] == [
        ("near-name", "opend", ("opened",)),
        ("near-name", "Closed", ("closed",)),
    ]


# --- time and previous -------------------------------------------------------------------------------


def times(time: str, *records: dict[str, object]) -> list[int | None]:
    binding = binding_of(f"read json-lines  session = file.name  event = e  ignore skipped  time = {time}")
    items, _ = read(binding, "".join(json.dumps({"e": "opened"} | record) + "\n" for record in records))
    return [item.time_ns for item in items if isinstance(item, Record)]


def test_times_count_from_the_record_before_and_the_first_may_be_absolute() -> None:
    second = 1_000_000_000
    assert times("t as s since previous", {"t": 1000}, {"t": 1.5}, {"t": 2, "e": "skipped"}, {"t": 1}) == [
        1000 * second,
        1001 * second + second // 2,
        1004 * second + second // 2,
    ]


def test_a_time_may_repeat_the_one_before() -> None:
    assert times("t as ns since start else previous", {}, {"t": 7}, {}, {"t": "x"}, {"t": 9}) == [None, 7, 7, 7, 9]


def test_a_difference_that_cannot_be_read_is_said_even_of_an_ignored_record() -> None:
    binding = binding_of("read json-lines  session = file.name  event = e  ignore any  time = t as s since previous")
    assert [each.name for each in findings_of(binding, '{"e": "x", "t": "y"}\n')] == ["unreadable-time"]


def test_a_log_without_a_clock_has_no_times() -> None:
    binding = binding_of("time = none")
    (record,) = records_of(binding, '{"session": "s", "event": "opened"}\n')
    assert (record.time_ns, binding.client.has_time) == (None, False)


def test_parts_may_repeat_those_of_the_record_before() -> None:
    binding = binding_of(
        "read json-lines  session = id else previous  time = none  event = e"
        "  owner = who else previous  x = y else previous  ignore skipped"
    )
    records = [
        {"e": "opened", "id": "a", "y": 1},
        {"e": "skipped", "who": "w", "y": 2},
        {"e": "opened"},
        {"e": "opened", "id": "b"},
    ]
    items = records_of(binding, "".join(json.dumps(record) + "\n" for record in records))
    assert [(item.session, item.events[0].owner, item.events[0].fields.get("x")) for item in items] == [
        ("a", None, 1),
        ("a", "w", 2),
        ("b", "w", 2),
    ]


# --- fields ------------------------------------------------------------------------------------------


def test_fields_come_from_objects_and_pairs_and_the_first_counts() -> None:
    binding = binding_of("fields from attributes, record.more  x = y")
    record = {
        "event": "opened",
        "attributes": [{"key": "a", "value": {"stringValue": "1"}}, {"key": "time", "value": 3}],
        "more": {"a": 2, "b": None, "c": [3], "x": 4},
        "y": 5,
    }
    (event,) = events_of(binding, log(record))
    assert event.fields == {"a": "1", "c": [3], "x": 5}


# --- the client --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statements", "client"),
    [
        ("lacks events opened", {"lacking_events": {"opened"}}),
        ("lacks fields reason, n", {"lacking_fields": {"reason", "n"}}),
        ("lacks machines clip", {"lacking_machines": {"clip"}}),
        ("lacks events any", {"lacking_events": {"opened", "closed", "started"}}),
        ("lacks events any except opened, closed", {"lacking_events": {"started"}}),
        ("lacks owners", {"has_owner": False}),
        ("recording whole", {"whole": True}),
        ("recording sampled", {"sampled": True}),
        ("recording cut at start", {"cut_start": True}),
        ("recording cut at start, end", {"cut_start": True, "cut_end": True}),
    ],
)  # fmt: skip
def test_what_is_true_of_the_client(statements: str, client: dict[str, object]) -> None:
    assert binding_of(statements).client == Client(**client)  # type: ignore[arg-type]


# --- refusals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statements", "name"),
    [
        ("session = none", "wrong-part"),
        ('session = "all"', "wrong-part"),
        ("time = 3", "wrong-part"),
        ("time = a as ms else b as ms since epoch", "wrong-part"),
        ("state = a", "wrong-part"),
        ("on opened with owner = a", "wrong-part"),
        ("on x emit opened with session = a", "wrong-part"),
        ("rename owner of clip a -> b", "not-in-binding"),
        ("rename state of clp a -> playing", "unknown-in-binding"),
        ('machine = "clp"', "unknown-in-binding"),
        ('to = "opn"', "unknown-in-binding"),
        ('event = "opned"', "unknown-in-binding"),
        ("lacks events opned", "unknown-in-binding"),
        ("lacks machines clp", "unknown-in-binding"),
        ("on x emit opened of conection", "unknown-in-binding"),
        ('on x emit conection to "open"', "unknown-in-binding"),
        ('rename event "{a}" -> "{b}"', "wrong-template"),
        ('rename reason "{a" -> b', "wrong-template"),
        ('rename reason a -> "{b}"', "wrong-template"),
        ('rename reason "{}:{a}" -> "{}"', "wrong-template"),
        ('on "{a}{b}" emit opened', "wrong-template"),
        ('ignore "{a}{b}"', "wrong-template"),
        ('allow invalid-transition "x"', "unknown-finding"),
        ('allow missing-key "x"', "unknown-finding"),
    ],
)
def test_what_is_wrong_with_a_binding(statements: str, name: str) -> None:
    made, findings = compiling(f"{SOCKET}\nbinding test extends default {{ {statements} }}")
    assert {each.name for each in findings} == {name}
    assert made is None


@pytest.mark.parametrize(
    "statements",
    [
        'rename event a -> b, "x.{y}" -> "{y}"  on b emit opened',
        'rename event a -> "c.d"  ignore "c.{e}"',
        "rename owner a -> b",
        'owner = "someone"  from = "idle"  machine = "connection"',
        'on x emit opened of connection from "idle" to "open" by "me"',
        'on x emit "{y}"',
        "lacks fields anything",
    ],
)
def test_what_names_the_lifecycle_well(statements: str) -> None:
    assert compiling(f"{SOCKET}\nbinding test extends default {{ {statements} }}")[1] == ()


def test_owners_are_known_where_some_are_declared() -> None:
    text = SOCKET + "owner client, server\nbinding test extends default { owner = %s }"
    assert [each.name for each in compiling(text % '"servr"')[1]] == ["unknown-in-binding"]
    assert compiling(text % '"server"')[1] == ()


def test_a_column_that_is_not_there_is_named_with_the_nearest() -> None:
    text = SOCKET + "binding t { read json-lines rows [name, ident]  session = idnt  time = none  event = name }"
    (finding,) = [each for each in compiling(text)[1] if each.name == "unknown-column"]
    assert (finding.name, finding.help) == ("unknown-column", ("did you mean `ident`?",))


# --- real logs ---------------------------------------------------------------------------------------

WEBRTC = """lifecycle webrtc
machine object     per pc { initial none  state made  final closed  none -> made on create  made -> closed on close }
machine signaling  per pc { initial stable  state have-remote-offer  stable -> have-remote-offer }
machine ice        per pc { initial new  state checking  new -> checking }
machine dtls       per pc { initial new  state connecting  new -> connecting }
machine gathering  per pc { initial new  state complete  new -> complete }
machine connection per pc { initial new  state connected  new -> connected }
event page-closed
"""
VOICE = """lifecycle openai-realtime
owner client, server
machine response per response {
  initial none
  state   in_progress
  final   completed, cancelled, failed, incomplete
  none        -> in_progress  on 'response.created'
  in_progress -> completed, cancelled, failed, incomplete
}
event 'session.created', 'response.output_audio.delta', close
"""


@pytest.mark.parametrize(
    ("file", "events", "reversals"),
    [("firefox-relay", 12, 0), ("safari-relay", 15, 0), ("chrome-standard-pc-failed", 32, 1)],
)
def test_dumps_of_browsers_are_read(file: str, events: int, reversals: int) -> None:
    binding = compiled(WEBRTC, "rtcstats")
    path = DATA / "jitsi-rtcstats" / file
    items, counts = read(binding, path.read_bytes(), str(path))
    assert (counts.malformed, counts.events) == (0, events)
    assert counts.findings == ({"time-reversed": reversals} if reversals else {})
    assert {item.session for item in items if isinstance(item, Record)} == {file}
    assert binding.client.lacking_fields == {"reason"}


def test_the_states_of_a_browsers_connection_are_told() -> None:
    path = DATA / "jitsi-rtcstats" / "firefox-relay"
    events = events_of(compiled(WEBRTC, "rtcstats"), path.read_bytes(), str(path))
    assert events[0] == Event("create", "object", fields={"pc": "PC_0"})
    assert [event.target for event in events if event.machine == "connection"] == ["connecting", "connected"]
    assert events[-1] == Event("close", "object", fields={"pc": "PC_0"})


def test_a_dump_with_a_magic_line_and_a_header_is_read() -> None:
    path = DATA / "rtcstats" / "gumonly.jsonl"
    items, counts = read(compiled(WEBRTC, "rtcstats-v3"), path.read_bytes(), str(path))
    assert (counts.lines, counts.headers, counts.records) == (6, 2, 4)
    (record,) = items
    assert isinstance(record, Record)
    assert record.events == (Event("page-closed", fields={"code": 1001}),)
    assert (record.time_ns, record.ends_session) == (1_758_602_121_216_000_000, True)


@pytest.mark.parametrize(
    ("file", "completed"),
    [("test_openai_ws__test_audio_in_server_vad_turn", 1), ("test_xai_ws__test_session_resumption_after_drop", 2)],
)
def test_sockets_of_voice_agents_are_read(file: str, completed: int) -> None:
    path = DATA / "realtime" / f"{file}.jsonl"
    items, counts = read(compiled(VOICE, "realtime"), path.read_bytes(), str(path))
    assert not [item for item in items if isinstance(item, Violation)]
    events = [event for item in items if isinstance(item, Record) for event in item.events]
    assert len([event for event in events if event.target == "completed"]) == completed
    assert {event.owner for event in events} == {"server"}
    assert all(event.fields.get("response") for event in events if event.machine == "response")
    assert counts.records == counts.lines


def test_a_dropped_socket_says_why() -> None:
    path = DATA / "realtime" / "test_xai_ws__test_session_resumption_after_drop.jsonl"
    events = events_of(compiled(VOICE, "realtime"), path.read_bytes(), str(path))
    (close,) = (event for event in events if event.name == "close")
    assert close == Event("close", owner="server", fields={"code": 1011, "reason": "test reconnect"})
