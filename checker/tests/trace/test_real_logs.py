"""Recordings by other people, read by the ready-made bindings: what comes of them was counted by hand."""

# ruff: noqa: E501  lines of logs are long

from __future__ import annotations

from collections import Counter

import pytest
from reading import DATA, compiled, read

from lifespec.trace.event import Record
from lifespec.verdict import Violation

QUIC = """lifecycle quic-connection
machine connection {
  initial open
  state   closing, draining
  open on packet-sent
  open -> closing           on close-sent
  open, closing -> draining on close-received
  closing, draining         on close-sent
}
event connection_closed
"""
POD = """lifecycle kubernetes-pod
machine deletion {
  initial present
  final   gone
  present on Scheduled, delete
  any -> gone on deleted
}
machine container per container {
  initial Waiting
  state   Running, Terminated
  any -> Running
  any -> Terminated
  any on exit-forgotten
}
"""


def told(lifecycle: str, binding: str, log: str) -> tuple[list[Record], list[tuple[int, str]], Counter[str], set[str]]:
    """The records, the findings by line, the events by name, the sessions."""
    items, _ = read(compiled(lifecycle, binding), (DATA / log).read_bytes(), log)
    records = [item for item in items if isinstance(item, Record)]
    found = [(item.place.line, item.name) for item in items if isinstance(item, Violation)]
    events = Counter(event.name or "" for record in records for event in record.events)
    return records, found, events, {record.session or "" for record in records}


@pytest.mark.parametrize(
    ("binding", "log", "events", "found", "session"),
    [
        (
            "qlog-pcap",
            "qvis/spin_bit.qlog",
            {"packet-sent": 9, "close-sent": 1, "close-received": 1, "connection_closed": 2},
            [],
            "1b51237b269288d6/network",
        ),
        (
            "qlog-pcap",
            "qvis/new_cid.qlog",
            {"packet-sent": 17, "close-sent": 1, "close-received": 1, "connection_closed": 2},
            [(917, "malformed-record")],
            "7e37e4dcc6682da8/network",
        ),
        (
            "qlog-pcap",
            "pcap2qlog/ack_range.qlog.gz",
            {"packet-sent": 128, "close-sent": 1, "close-received": 1, "connection_closed": 2},
            [],
            "da67d94c0cdd3dc01e3cf2ca6b2b067505/network",
        ),
        (
            "qlog-01",
            "picoquic/qlog_trace_ref.txt",
            {"packet-sent": 19, "close-sent": 1, "close-received": 1},
            [],
            "0102030405060708/server",
        ),
        (
            "qlog-seq",
            "qlog-dotnet/captured-quic-sequential.sqlog",
            {"connection_closed": 1},
            [],
            "connection-seq/client",
        ),
    ],
)
def test_qlog(binding: str, log: str, events: dict[str, int], found: list[tuple[int, str]], session: str) -> None:
    _, findings, names, sessions = told(QUIC, binding, log)
    assert (names, findings, sessions) == (events, found, {session})


def test_the_parts_of_a_qlog_event() -> None:
    records, *_ = told(QUIC, "qlog-pcap", "qvis/spin_bit.qlog")
    sent, closed, received, _ = records[-4:]
    assert closed.events[0].name == "connection_closed"
    assert (sent.time_ns, received.time_ns) == (1564682481652907000, 1564682481742907000)
    assert received.events[0].fields == {"vantage": "network", "reason": "", "code": "no_error"}
    assert received.events[0].owner == "remote"
    (last,) = told(QUIC, "qlog-seq", "qlog-dotnet/captured-quic-sequential.sqlog")[0]
    assert (last.time_ns, last.place.line) == (2_000_000, 4)
    assert last.events[0].fields["reason"] == "application"
    records, *_ = told(QUIC, "qlog-01", "picoquic/qlog_trace_ref.txt")
    assert records[-1].time_ns == 90_595_000
    text = (DATA / "picoquic/qlog_trace_ref.txt").read_bytes()
    assert text[records[-1].place.offset :].startswith(b'[90595, "transport", "packet_sent"')


def test_a_document_of_intervals() -> None:
    records, found, events, sessions = told(
        POD, "openshift-monitor", "openshift-origin/podTest_simple_startingEvents.json"
    )
    assert found == []
    assert sessions == {"d9a5b0ba-6958-44aa-bc32-03d62944f973"}
    assert [(record.place.item, record.events[0].name or record.events[0].target) for record in records] == [
        (2, "Scheduled"),
        (3, "Running"),
        (4, "delete"),
        (6, "exit-forgotten"),
        (7, "Terminated"),
        (8, "deleted"),
    ]
    assert records[0].time_ns == records[1].time_ns
    assert records[4].time_ns == records[5].time_ns
    fields = records[4].events[0].fields
    assert (fields["exit_code"], fields["reason"], fields["container"]) == (
        0,
        "Completed",
        "openshift-apiserver-operator",
    )
    assert (events["deleted"], records[2].events[0].fields["grace"]) == (1, "30s")


def test_the_two_keys_of_each_interval_are_counted_for_each() -> None:
    binding = POD + "binding mine extends openshift-monitor { allow time-reversed 'x' }".replace("'", '"')
    made = compiled(binding)
    items, counts = read(made, (DATA / "openshift-origin/podTest_simple_startingEvents.json").read_bytes())
    assert not [item for item in items if isinstance(item, Violation)]
    assert counts.allowed["duplicate-key"].count == 16


# --- forms of which no recording is at hand: as their documentation writes them ----------------------

SOCKET_OF_NAMES = "lifecycle {}\nmachine m {{ initial a  state b  a -> b on x  a on {} }}\n"


def events_by(lifecycle: str, binding: str, log: str) -> list[str]:
    items, _ = read(compiled(lifecycle, binding), log)
    assert not [item for item in items if isinstance(item, Violation)], items
    return [f"{item.session}: {event.name}" for item in items if isinstance(item, Record) for event in item.events]


def test_otlp_batches_are_sorted_and_joined() -> None:
    def record(ns: int, session: str, name: str, **more: str) -> str:
        attributes = "".join(f', {{"key": "{k}", "value": {{"stringValue": "{v}"}}}}' for k, v in more.items())
        return (
            f'{{"timeUnixNano": "{ns}", "eventName": "{name}", '
            f'"attributes": [{{"key": "session.id", "value": {{"stringValue": "{session}"}}}}{attributes}]}}'
        )

    late, early = record(2_000_000_000, "s", "y"), record(1_000_000_000, "s", "x")
    joined = record(3_000_000_000, "t", "session.start", **{"session.previous_id": "s"})
    batch = '{"resourceLogs": [{"resource": {"attributes": []}, "scopeLogs": [{"logRecords": [%s]}]}]}\n'
    plain = '{"timeUnixNano": "1", "body": {"stringValue": "hello"}}'
    lifecycle = SOCKET_OF_NAMES.format("any-one", "y, 'session.start'")
    log = batch % f"{late}, {plain}" + batch % f"{early}, {joined}"
    assert events_by(lifecycle, "otlp", log) == ["s: x", "s: y", "s: session.start"]


def test_cloud_events_come_once() -> None:
    event = '{"specversion": "1.0", "id": "%s", "source": "/a", "type": "x", "subject": "s", "time": "2026-01-01T00:00:00Z"}'
    binding = compiled(SOCKET_OF_NAMES.format("any-one", "y"), "cloudevents")
    items, _ = read(binding, "\n".join(event % id for id in ("1", "2", "1")))
    assert [type(item).__name__ for item in items] == ["Record", "Record", "Violation"]
    batch = compiled(SOCKET_OF_NAMES.format("any-one", "y"), "cloudevents-batch")
    items, _ = read(batch, f"[{event % 1}, {event % 2}]")
    assert [type(item).__name__ for item in items] == ["Record", "Record"]


def test_a_dump_of_a_browser_is_a_map_of_connections() -> None:
    lifecycle = (
        "lifecycle webrtc\nmachine ice per pc { initial new  state checking, connected  new -> checking, connected }\n"
    )
    log = (
        '{"PeerConnections": {"1-1": {"updateLog": ['
        '{"time": "2026-01-01T00:00:02Z", "type": "iceconnectionstatechange", "value": "\\"checking\\""}]},'
        '"1-2": {"updateLog": [{"time": "2026-01-01T00:00:01Z", "type": "iceconnectionstatechange", "value": "connected"}]}}}'
    )
    items, _ = read(compiled(lifecycle, "webrtc-internals"), log)
    (first,), (second,) = (item.events for item in items if isinstance(item, Record))
    assert (first.target, first.fields["pc"], second.target, second.fields["pc"]) == (
        "checking",
        "1-1",
        "connected",
        "1-2",
    )


def test_one_message_may_hold_two_events() -> None:
    lifecycle = SOCKET_OF_NAMES.format("gemini-live", "setupComplete, turnComplete, modelTurn")
    log = '{"direction": "received", "data": {"setupComplete": {}, "serverContent": {"modelTurn": {}, "turnComplete": true}}}'
    assert events_by(lifecycle, "gemini-live", log) == [
        "a.jsonl: setupComplete",
        "a.jsonl: modelTurn",
        "a.jsonl: turnComplete",
    ]


def test_text_of_an_application_master() -> None:
    lifecycle = """lifecycle hadoop-mapreduce
machine attempt per attempt { initial NEW  state RUNNING  NEW -> RUNNING }
machine job { initial NEW  state INITED  NEW -> INITED }
event diagnostics
"""
    log = (
        "2015-10-18 18:01:47,978 INFO [main] a.b.MRAppMaster: Created\r\n"
        "2015-10-18 18:01:53,400 INFO [AsyncDispatcher event handler] a.b.JobImpl: job_1_0001Job Transitioned from NEW to INITED\r\n"
        "2015-10-18 18:01:54,000 INFO [x] a.b.TaskAttemptImpl: attempt_1 TaskAttempt Transitioned from NEW to RUNNING\r\n"
        "java.net.NoRouteToHostException: No Route to Host\r\n"
    )
    items, counts = read(compiled(lifecycle, "hadoop"), log, "app.log")
    steps = [(e.machine, e.source, e.target) for item in items if isinstance(item, Record) for e in item.events]
    assert steps == [("job", "NEW", "INITED"), ("attempt", "NEW", "RUNNING")]
    assert counts.passed_over.names == {"": 2}


def test_text_of_three_hosts_in_one_file() -> None:
    lifecycle = """lifecycle zookeeper
machine role per peer { initial OUT  state LOOKING, FOLLOWING, LEADING  any -> LOOKING, FOLLOWING, LEADING }
event expired
"""
    log = (
        "2015-07-29 17:41:44,747 - INFO  [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181:FastLeaderElection@774] - LOOKING\n"
        "2015-07-29 17:41:40,000 - INFO  [QuorumPeer[myid=2]/0:0:0:0:0:0:0:0:2181:Follower@63] - FOLLOWING - LEADER ELECTION TOOK - 2\n"
        "2015-07-29 17:41:45,000 - INFO  [SyncThread:0:Server@1] - Expiring session 0x1, timeout of 10000ms exceeded\n"
    )
    items, _ = read(compiled(lifecycle, "zookeeper"), log, "zk.log")
    assert [(item.events[0].name, item.events[0].target) for item in items if isinstance(item, Record)] == [
        (None, "LOOKING"),
        (None, "FOLLOWING"),
        ("expired", None),
    ]


def test_a_table_of_a_process() -> None:
    lifecycle = """lifecycle xes-activity
machine work per activity { initial none  state scheduled, started, completed  any -> scheduled, started, completed }
"""
    log = (
        "case:concept:name,concept:name,lifecycle:transition,time:timestamp\n"
        'c1,"W_Call, again",SCHEDULE,2011-10-01 00:38:44.546+02:00\n'
    )
    (record,) = read(compiled(lifecycle, "xes-csv"), log)[0]
    assert isinstance(record, Record)
    assert (record.events[0].target, record.events[0].fields) == ("scheduled", {"activity": "W_Call, again"})
