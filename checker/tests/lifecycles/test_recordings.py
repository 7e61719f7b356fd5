"""Recordings by other people, checked as a user does: `lifespec check lib:X --binding Y FILE`.

What is expected was read by hand in the files; `tests/data/INDEX.md` says whose they are.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from lifespec.check import Log, check_files
from lifespec.reports.report import Report
from lifespec.shipped import shipped_lifecycles
from lifespec.trace.library import library_bindings

DATA = Path(__file__).parents[1] / "data"

# File: lifecycle, binding, records, events, sessions, and the findings by line, in the order of the log.
Row = tuple[str, str, int, int, int, list[tuple[int, str]]]
EXPECTED: dict[str, Row] = {
    # One connection from create to closed. Line 2 goes back in time, but says nothing that the lifecycle knows.
    "jitsi-rtcstats/firefox-relay": ("webrtc", "rtcstats", 50, 12, 1, []),
    # Lost and regained by itself, never closed.
    "jitsi-rtcstats/safari-relay": ("webrtc", "rtcstats", 65, 15, 1, []),
    # Four `close` without a connection; `failed` while ICE is disconnected (twice) and connected, the last one late.
    "jitsi-rtcstats/chrome-standard-pc-failed": (
        "webrtc",
        "rtcstats",
        223,
        28,
        1,
        [
            *((line, "missing-key") for line in (51, 52, 140, 141)),
            (202, "rule-broken"),
            (203, "rule-broken"),
            (223, "time-reversed"),
            (223, "rule-broken"),
        ],
    ),
    # A capture: both directions are closed, and neither `connection_close` says why or who.
    "qvis/spin_bit.qlog": (
        "quic-connection",
        "qlog-pcap",
        34,
        13,
        1,
        [*[(806, "missing-field")] * 2, *[(849, "missing-field")] * 2],
    ),
    # The same, and the list of events ends in an empty row.
    "qvis/new_cid.qlog": (
        "quic-connection",
        "qlog-pcap",
        34,
        21,
        1,
        [*[(865, "missing-field")] * 2, *[(908, "missing-field")] * 2, (917, "malformed-record")],
    ),
    "pcap2qlog/ack_range.qlog.gz": (
        "quic-connection",
        "qlog-pcap",
        390,
        132,
        1,
        [*[(10825, "missing-field")] * 2, *[(10859, "missing-field")] * 2],
    ),
    # A whole connection that obeys RFC 9000; it has no states.
    "picoquic/qlog_trace_ref.txt": ("quic-connection", "qlog-01", 104, 21, 1, []),
    # Started, one packet received, closed by the peer, who says why.
    "qlog-dotnet/captured-quic-sequential.sqlog": ("quic-connection", "qlog-seq", 3, 1, 1, []),
    # A response that fails, with its reason.
    "vercel-ai/openai-error.1.chunks.txt": ("openai-responses", "openai-responses", 4, 4, 1, []),
    # Four responses one after another, each with numbers of its own.
    "vercel-ai/openai-reasoning-encrypted-content.1.chunks.txt": (
        "openai-responses",
        "openai-responses",
        110,
        110,
        4,
        [],
    ),
    # One spoken turn, clean.
    "realtime/test_openai_ws__test_audio_in_server_vad_turn.jsonl": ("openai-realtime", "realtime", 124, 69, 1, []),
    # In both answers of xAI `output_audio.done` comes behind the end of its part; drop and resumption are legal.
    "realtime/test_xai_ws__test_session_resumption_after_drop.jsonl": (
        "openai-realtime",
        "realtime",
        54,
        50,
        1,
        [(22, "after-final"), (52, "after-final")],
    ),
    # Ready without a start, which is a start; the monitor itself says in item 6 that the end of a run was forgotten.
    "openshift-origin/podTest_simple_startingEvents.json": (
        "kubernetes-pod",
        "openshift-monitor",
        8,
        6,
        1,
        [(127, "rule-broken")],
    ),
}
# No connection was ever made in it: nothing is judged, and that is said.
NOTHING_TO_JUDGE = {"rtcstats/gumonly.jsonl": ("webrtc", "rtcstats-v3", 4)}


def report_of(file: str, lifecycle: str, binding: str) -> Report:
    return check_files(f"lib:{lifecycle}", [Log(str(DATA / file))], binding=binding)


@pytest.mark.parametrize("file", EXPECTED)
def test_what_is_found_in_a_recording_is_what_was_read_in_it(file: str) -> None:
    lifecycle, binding, records, events, sessions, findings = EXPECTED[file]
    report = report_of(file, lifecycle, binding)
    (log,) = report.logs
    assert report.problems == ()
    assert [(each.violation.place.line, each.violation.name) for each in report.findings] == findings
    assert (log.records, log.events, log.sessions) == (records, events, sessions)


@pytest.mark.parametrize("file", NOTHING_TO_JUDGE)
def test_a_recording_in_which_nothing_is_judged_is_no_pass(file: str) -> None:
    lifecycle, binding, records = NOTHING_TO_JUDGE[file]
    report = report_of(file, lifecycle, binding)
    assert [problem.name for problem in report.problems] == ["nothing-matched"]
    assert (report.logs[0].records, report.status(None)) == (records, 2)


def test_every_recording_is_checked_and_named_with_its_source() -> None:
    files = {str(path.relative_to(DATA)) for path in DATA.rglob("*") if path.is_file()} - {"INDEX.md"}
    assert files == {*EXPECTED, *NOTHING_TO_JUDGE}
    index = (DATA / "INDEX.md").read_text("utf-8")
    assert [file for file in files if f"`{file}`" not in index] == []


def test_every_ready_made_binding_is_for_a_lifecycle_that_ships_or_for_any() -> None:
    named = {name: each.lifecycle.text for name, each in library_bindings().items() if each.lifecycle is not None}
    assert {name: lifecycle for name, lifecycle in named.items() if lifecycle not in shipped_lifecycles()} == {}


def test_a_capture_that_knows_neither_why_nor_who_can_say_so(tmp_path: Path) -> None:
    """What the page of `quic-connection` tells to captures."""
    tap = tmp_path / "tap.lifespec"
    tap.write_text(
        "binding tap for quic-connection extends qlog-pcap { lacks fields trigger  lacks owners }\n", "utf-8"
    )
    report = check_files("lib:quic-connection", [str(DATA / "qvis/spin_bit.qlog")], binding=str(tap))
    assert (report.problems, report.findings) == ((), ())
