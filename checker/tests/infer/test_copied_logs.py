"""Drafts of recordings of other people, by shape or by a ready-made binding: they lint and keep to their logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifespec.analysis.lint import lint
from lifespec.check import Options, check
from lifespec.diagnostics import Severity, severity_of
from lifespec.infer.flat import NothingRead
from lifespec.infer.infer import infer
from lifespec.infer.ready_made import NoSuchBinding, find_readers, ready_made_bindings
from lifespec.load import load_text
from lifespec.log_file import Log

DATA = Path(__file__).resolve().parents[1] / "data"
LOGS = sorted(path for path in DATA.rglob("*") if path.is_file() and path.name != "INDEX.md")
# Rows that are named elsewhere in the document, and a header before the lines.
NOT_BY_SHAPE = {"spin_bit.qlog", "new_cid.qlog", "ack_range.qlog.gz", "qlog_trace_ref.txt", "gumonly.jsonl"}
BY_BINDING = {
    "firefox-relay": "rtcstats",
    "safari-relay": "rtcstats",
    "chrome-standard-pc-failed": "rtcstats",
    "spin_bit.qlog": "qlog-01",
    "new_cid.qlog": "qlog-01",
    "ack_range.qlog.gz": "qlog-pcap",
    "qlog_trace_ref.txt": "qlog-01",
    "captured-quic-sequential.sqlog": "qlog-seq",
    "openai-reasoning-encrypted-content.1.chunks.txt": "openai-responses",
    "openai-error.1.chunks.txt": "openai-responses",
    "test_openai_ws__test_audio_in_server_vad_turn.jsonl": "realtime",
    "test_xai_ws__test_session_resumption_after_drop.jsonl": "realtime",
    "podTest_simple_startingEvents.json": "openshift-monitor",
}


def keeps(text: str, log: Path) -> None:
    loaded = load_text(text, "draft.lifespec")
    assert loaded.model is not None, [d.message for d in loaded.diagnostics]
    assert [d.message for d in lint(loaded.model) if (d.severity or severity_of(d.name)) is Severity.ERROR] == []
    report = check(loaded.model, [str(log)])
    if not loaded.model.properties():  # one record, and too little to draft from: `check` calls that no verdict
        assert [problem.name for problem in report.problems] == ["no-machine"]
        return
    assert report.problems == ()
    assert [(f.violation.place.line, f.violation.name) for f in report.findings if f.severity is Severity.ERROR] == []
    assert report.status(Severity.ERROR) == 0


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_a_draft_by_shape_keeps_to_its_log_or_says_what_reads_it(log: Path) -> None:
    try:
        text = infer([Log(str(log))]).text
    except NothingRead:
        assert log.name in NOT_BY_SHAPE
        return
    keeps(text, log)


@pytest.mark.parametrize("log", [log for log in LOGS if log.name in BY_BINDING], ids=lambda log: log.name)
def test_a_draft_by_a_ready_made_binding_extends_it_and_keeps_to_its_log(log: Path) -> None:
    binding = BY_BINDING[log.name]
    lifecycle = ready_made_bindings()[binding]
    assert lifecycle is not None
    text = infer([Log(str(log))], name=lifecycle, binding="own", ready_made=binding).text
    assert f"binding own for {lifecycle} extends {binding} " in text
    keeps(text, log)


@pytest.mark.parametrize("name", ["spin_bit.qlog", "qlog_trace_ref.txt"])
def test_the_ready_made_binding_that_reads_a_log_is_found(name: str) -> None:
    (log,) = [log for log in LOGS if log.name == name]
    assert find_readers(Log(str(log)))[0] == "qlog-01"


def test_a_binding_that_is_not_ready_made_is_none() -> None:
    with pytest.raises(NoSuchBinding) as raised:
        infer([Log(str(LOGS[0]))], ready_made="qlogs")
    assert "qlog" in raised.value.names


def test_the_states_that_a_binding_emits_are_drafted() -> None:
    (log,) = [log for log in LOGS if log.name == "safari-relay"]
    loaded = load_text(infer([Log(str(log))], name="webrtc", ready_made="rtcstats").text)
    assert loaded.model is not None
    assert {"signaling", "ice", "gathering", "object"} <= set(loaded.model.machines)
    assert {"checking", "connected"} <= set(loaded.model.machines["ice"].states)


def test_a_from_that_cannot_be_believed_is_taken_back(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    lines = [
        f'{{"session": "s", "machine": "m", "time": {at}, "from": "{"abc"[at * at % 3]}", "to": "{"abc"[at % 3]}"}}\n'
        for at in range(30)
    ]
    log.write_text("".join(lines), "utf-8")
    text = infer([Log(str(log))], ready_made="default").text
    assert "\n  from = none\n" in text
    keeps(text, log)


def test_a_draft_by_shape_names_a_ready_made_binding_that_reads_the_log() -> None:
    log = next(log for log in LOGS if log.name == "firefox-relay")
    assert "`rtcstats` makes events of 12 of 50 records" in " ".join(infer([Log(str(log))]).text.split())


def test_a_draft_allows_keys_that_stand_twice_in_its_logs(tmp_path: Path) -> None:
    log = tmp_path / "twice.jsonl"
    names = enumerate(["up", "down"] * 9)
    lines = [f'{{"session": "a", "time": {time}, "event": "{name}", "n": 1, "n": 2}}' for time, name in names]
    log.write_text("\n".join(lines) + "\n")
    text = infer([Log(str(log))]).text
    assert "--binding" not in text.replace("--binding FILE", "")
    loaded = load_text(text, "draft.lifespec")
    assert loaded.model is not None
    assert "duplicate-key" in text
    assert check(loaded.model, [str(log)], options=Options(strict_json=True)).findings == ()
