"""`check` reports some findings only, or judges some sessions only, and says what it left out."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from run_lifespec import Ran, run

LOG = """{"time": 0, "session": "a", "event": "connect"}
{"time": 1, "session": "a", "event": "refused", "platform": "ios"}
{"time": 2, "session": "b", "event": "connect", "platform": "android"}
{"time": 30, "session": "b", "event": "opened"}
{"time": 40, "session": "c", "event": "connect", "platform": "ios"}
{"time": 41, "session": "c", "event": "opened", "platform": "android"}
{"time": 42, "session": "d", "event": "connect"}
"""


@pytest.fixture
def log(folder: Path) -> Path:
    """Session a lacks a reason, b is overdue."""
    path = folder / "log.jsonl"
    path.write_text(LOG)
    return path


def checked(*options: str) -> Ran:
    return run("check", "socket.lifespec", "log.jsonl", *options)


def report(*options: str) -> dict[str, Any]:
    value = json.loads(checked("--format", "json", *options).out)
    assert isinstance(value, dict)
    return value


def names(*options: str) -> list[str]:
    return [finding["name"] for finding in report(*options)["findings"]]


def test_without_a_filter_nothing_is_said_of_any(log: Path) -> None:
    assert names() == ["missing-reason", "overdue"]
    assert "filtered" not in report()
    ran = checked()
    assert ran.status == 1
    assert "Filters" not in ran.out


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (["--select", "overdue"], ["overdue"]),
        (["--select", "connection.connecting"], ["overdue"]),
        (["--select", "overdue,missing-reason"], ["missing-reason", "overdue"]),
        (["--select", "overdue", "--select", "missing-reason"], ["missing-reason", "overdue"]),
        (["--ignore", "overdue"], ["missing-reason"]),
        (["--ignore", "connection"], []),
        (["--select", "connection", "--ignore", "missing-reason, overdue"], []),
    ],
)
def test_select_and_ignore_name_findings_or_what_they_break(log: Path, options: list[str], left: list[str]) -> None:
    assert names(*options) == left
    ran = checked(*options)
    assert ran.status == (1 if left else 0)
    assert checked("--format", "concise", *options).status == ran.status


def test_no_verdict_depends_on_what_is_left_out(log: Path) -> None:
    assert report("--ignore", "connection")["properties"] == report()["properties"]


def test_what_is_left_out_is_said_in_every_format(log: Path) -> None:
    ran = checked("--ignore", "overdue", "--select", "overdue")
    assert ran.status == 0
    assert ran.out.endswith("\nnothing more found in 4 sessions; left out: 1 ignored, 1 not selected\n")
    assert "  ignored      1 overdue of bound connection.connecting\n" in ran.out
    assert "  not selected 1 missing-reason of transitions connection\n" in ran.out
    ran = checked("--ignore", "overdue", "--select", "overdue", "--format", "concise")
    assert (ran.out, ran.err) == ("", "lifespec: left out: 1 ignored, 1 not selected\n")
    assert report("--ignore", "overdue")["filtered"] == {
        "left_out": 1,
        "select": [],
        "not_selected": [],
        "ignore": ["overdue"],
        "ignored": [{"name": "overdue", "property": "bound connection.connecting", "count": 1}],
        "severities": [],
    }


@pytest.mark.parametrize(
    ("option", "value", "help_"),
    [
        ("--select", "overdew", "did you mean `overdue`?"),
        ("--ignore", "conection", "did you mean `connection`?"),
        ("--severity", "mising-reason=info", "did you mean `missing-reason`?"),
        ("--ignore", "syntax-error", "is neither a finding in logs nor a part of lifecycle `socket`"),
        ("--ignore", "wrong-container", "which no report leaves out"),
    ],
)
def test_a_name_that_there_is_not_is_2(log: Path, option: str, value: str, help_: str) -> None:
    ran = checked(option, value)
    assert ran.status == 2
    assert "error[unknown-selection]: " in ran.out
    assert help_ in " ".join(ran.out.split())
    if help_.startswith("did you mean"):
        assert ran.out
        for form in ("concise", "gitlab", "github", "sarif"):
            assert help_ in checked(option, value, "--format", form).out
        assert help_ in checked(option, value, "-q").err


def test_what_keeps_a_log_from_being_checked_is_never_left_out(folder: Path) -> None:
    (folder / "log.jsonl").write_bytes(b"PK\x03\x04 and so on")
    assert checked("--select", "overdue").status == 2
    (folder / "log.jsonl").write_text("no\nlog\n")
    ran = checked("--ignore", "malformed-record")
    assert ran.status == 2
    assert "nothing-readable" in ran.out


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--severity", "missing-reason=warning", "--severity", "overdue=info"], 0),
        (["--severity", "missing-reason=warning", "--severity", "overdue=info", "--fail-on", "info"], 1),
        (["--severity", "overdue=info"], 1),
        (["--severity", "overdue=info", "--severity", "connection=warning"], 0),
    ],
)
def test_a_severity_is_that_of_a_finding_or_of_what_it_breaks(log: Path, options: list[str], status: int) -> None:
    ran = checked(*options)
    assert ran.status == status
    assert "  severity     1 missing-reason" in ran.out or "missing-reason=warning" not in options


@pytest.mark.parametrize("value", ["overdue", "overdue=", "=info", "overdue=fatal"])
def test_a_severity_that_is_none_is_wrong_usage(log: Path, value: str) -> None:
    ran = checked("--severity", value)
    assert ran.status == 2
    assert "is not NAME=SEVERITY with one of error, warning, info" in ran.err


# --- sessions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "found", "chosen", "without"),
    [
        (["--session", "a"], ["missing-reason"], 1, 0),
        (["--session", "a", "--session", "b"], ["missing-reason", "overdue"], 2, 0),
        (["--session", "c"], [], 1, 0),
        (["--where", 'platform == "ios"'], ["missing-reason"], 2, 1),
        (["--where", 'platform == "android"'], ["overdue"], 1, 1),
        (["--where", "not has platform"], [], 1, 0),
        (["--where", "has platform", "--session", "b"], ["overdue"], 1, 1),
    ],
)
def test_only_some_sessions_are_judged(
    log: Path, options: list[str], found: list[str], chosen: int, without: int
) -> None:
    value = report(*options)
    assert [each["name"] for each in value["findings"]] == found
    sessions = value["filtered"]["sessions"]
    assert (sessions["chosen"], sessions["left_out"], sessions["without_value"]) == (chosen, 4 - chosen, without)
    assert value["logs"][0]["sessions"] == chosen
    (machine,) = (row for row in value["properties"] if row["property"]["kind"] == "transitions")
    assert sum(machine["sessions"].values()) == chosen


@pytest.mark.parametrize("engine", ["monitor", "reference"])
def test_the_report_of_some_sessions_is_that_of_a_log_with_them_alone(log: Path, engine: str) -> None:
    options = ["--engine", engine, "--strict-json"]
    some = report("--session", "b", "--session", "d", *options)
    lines = LOG.splitlines(keepends=True)
    log.write_text("".join(line if '"b"' in line or '"d"' in line else "\n" for line in lines))
    alone = report(*options)
    for key in ("findings", "properties", "never_exercised", "status"):
        assert some[key] == alone[key]


def test_what_belongs_to_no_session_is_reported_in_any_case(log: Path) -> None:
    log.write_text(LOG + "no json\n")
    assert names("--session", "c") == ["malformed-record"]
    assert names("--where", 'platform == "android"') == ["overdue", "malformed-record"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--session", "aa"], "the logs have no session `aa`"),
        (["--session", "a", "--session", "x"], "the logs have no session `x`"),
        (["--where", 'platform == "web"'], 'there is no session for which `platform == "web"`'),
        (["--where", 'platfrom == "ios"'], "did you mean `platform`?"),
        (["--where", 'reson == "busy"'], "did you mean `reason`?"),
        (["--where", "platform == ios"], 'a text stands in quotes: `"ios"`'),
        (["--where", 'platform == "ios"', "--session", "b"], "among those asked for"),
    ],
)
def test_a_session_that_there_is_not_is_2(log: Path, options: list[str], said: str) -> None:
    ran = checked(*options)
    assert ran.status == 2
    assert "error[no-such-session]" in ran.out
    assert said in " ".join(ran.out.split())


def test_forbidden_values_are_not_suggested(log: Path) -> None:
    with (log.parent / "socket.lifespec").open("a") as spec:
        spec.write("forbid email\n")
    log.write_text(LOG.replace('"a"', '"me@example.com"').replace('"platform"', '"you@example.com"'))
    for options in (["--session", "me@example.co"], ["--where", "has 'you@example.co'"]):
        ran = checked(*options)
        assert ran.status == 2
        assert "example.com" not in ran.out + ran.err


def test_a_condition_that_is_none_is_2_and_shown(log: Path) -> None:
    ran = checked("--where", 'platform = "ios"')
    assert ran.status == 2
    assert "  --> --where:1:10\n" in ran.out
    assert ' 1 | platform = "ios"\n' in ran.out
    assert json.loads(checked("--where", "has", "--format", "json").out)["problems"][0]["at"]["file"] == "--where"


def test_standard_input_is_looked_over_and_then_judged(log: Path) -> None:
    ran = run("check", "socket.lifespec", "-", "--where", 'platform == "ios"', stdin=log.read_bytes())
    assert ran.status == 1
    assert '2 | {"time": 1, "session": "a", "event": "refused", "platform": "ios"}\n' in ran.out


def test_a_named_pipe_is_looked_over_and_then_judged(log: Path) -> None:
    os.mkfifo(log.parent / "pipe")
    writer = threading.Thread(target=(log.parent / "pipe").write_bytes, args=(log.read_bytes(),), daemon=True)
    writer.start()
    ran = run("check", "socket.lifespec", "pipe", "--where", 'platform == "android"', "--format", "concise")
    writer.join(10)
    assert ran.out.startswith("pipe:3: overdue [b] ")
    assert ran.status == 1


def test_sessions_of_joined_logs_are_looked_over_together(log: Path) -> None:
    lines = LOG.splitlines(keepends=True)
    log.write_text(lines[0])
    (log.parent / "more.jsonl").write_text("".join(lines[1:]))
    ran = run("check", "socket.lifespec", "log.jsonl", "more.jsonl", "--join-files", "--where", 'platform == "ios"')
    assert ran.status == 1
    assert "in 1 of 2 sessions; left out: 2 sessions\n" in ran.out
    ran = run("check", "socket.lifespec", "log.jsonl", "more.jsonl", "--where", 'platform == "ios"', "--format", "json")
    assert json.loads(ran.out)["filtered"]["sessions"]["chosen"] == 2


def test_a_log_that_cannot_be_read_is_said_once(log: Path) -> None:
    ran = run("check", "socket.lifespec", "log.jsonl", "nowhere.jsonl", "--where", "has platform")
    assert ran.status == 2
    assert ran.out.count("unreadable-file") == 1


def test_several_processes_leave_it_to_one_and_say_so(log: Path) -> None:
    ran = checked("--session", "a", "--jobs", "2")
    assert ran.err == "lifespec: log.jsonl is checked by one process: sessions are chosen\n"


@pytest.mark.usefixtures("log")
def test_a_slip_in_a_condition_is_told_also_where_sessions_are_chosen() -> None:
    ran = run("check", "socket.lifespec", "log.jsonl", "--where", 'platform == "ios" or platfrom == "web"')
    assert "--where: no event has `platfrom`; did you mean `platform`?" in ran.err
    ran = run("check", "socket.lifespec", "log.jsonl", "--where", 'platform == "ios" or not has reason')
    assert "did you mean" not in ran.err
