"""`lifespec check` ends with 0, 1 or 2 and says why; it never shows a traceback."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from run_lifespec import run

EVENT = b'{"time": 0, "session": "s1", "event": "connect"}\n'


def test_a_log_that_keeps_to_the_lifecycle_is_0(folder: Path) -> None:
    ran = run("check", "socket.lifespec", "good.jsonl")
    assert ran.status == 0
    assert ran.out.endswith("nothing found in 1 session\n")


def test_a_log_with_findings_is_1(folder: Path) -> None:
    assert run("check", "socket.lifespec", "bad.jsonl").status == 1


def test_several_logs_are_one_report(folder: Path) -> None:
    ran = run("check", "socket.lifespec", "good.jsonl", "bad.jsonl")
    assert ran.status == 1
    assert "(all 2 logs)" in ran.out


@pytest.mark.parametrize(("fail_on", "status"), [("error", 0), ("warning", 1), ("info", 1), ("never", 0)])
def test_fail_on_says_which_severity_counts(folder: Path, fail_on: str, status: int) -> None:
    log = folder / "backwards.jsonl"
    log.write_text('{"time": 5, "session": "a", "event": "connect"}\n{"time": 1, "session": "a", "event": "opened"}\n')
    assert run("check", "socket.lifespec", "backwards.jsonl", "--fail-on", fail_on).status == status


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["socket.lifespec"], "Missing argument 'LOG...'"),
        (["socket.lifespec", "good.jsonl", "--frmat", "json"], "Did you mean '--format'?"),
        (["socket.lifespec", "good.jsonl", "--format", "xml"], "'xml' is not one of"),
        (["socket.lifespec", "good.jsonl", "--examples", "-1"], "-1"),
        (["socket.lifespec", "-", "-"], "standard input can be read once"),
        (["-", "good.jsonl"], "the lifecycle is read from a file"),
        (["socket.lifespec", "good.jsonl", "good.jsonl"], "good.jsonl is given twice"),
        (["socket.lifespec", "good.jsonl", "-o", "nowhere/report.txt"], "there is no folder nowhere"),
        (["socket.lifespec", "good.jsonl", "-o", "."], "it is a folder"),
    ],
)
def test_wrong_usage_is_2_and_said_on_standard_error(folder: Path, arguments: list[str], said: str) -> None:
    ran = run("check", *arguments)
    assert ran.status == 2
    assert said in ran.err


@pytest.mark.parametrize(
    ("arguments", "name", "said"),
    [
        (["nowhere.lifespec", "good.jsonl"], "unreadable-file", "there is no such file"),
        ([".", "good.jsonl"], "unreadable-file", "it is a folder"),
        (["socket.lifespec", "nowhere.jsonl"], "unreadable-file", "there is no such file"),
        (["good.jsonl", "good.jsonl"], "syntax-error", "good.jsonl:1:1"),
        (["socket.lifespec", "good.jsonl", "--binding", "phone"], "no-such-binding", "phone"),
        (["socket.lifespec", "good.jsonl", "--binding", "phone.lifespec"], "unreadable-file", "phone.lifespec"),
        (["socket.lifespec", "good.jsonl", "--profile", "night"], "unknown-profile", "night"),
    ],
)
def test_what_cannot_be_read_is_2(folder: Path, arguments: list[str], name: str, said: str) -> None:
    ran = run("check", *arguments)
    assert ran.status == 2
    assert f"[{name}]" in ran.out
    assert said in ran.out
    assert ran.out.splitlines()[-1].startswith("could not check: ")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"", "empty-log"),
        (b"\n  \n\n", "empty-log"),
        (b"\x7fELF\x00\x00\x01\x02" * 50, "not-a-log"),
        (b"\xff\xfe{\x00}\x00", "wrong-container"),
        (b"PK\x03\x04 and so on", "wrong-container"),
        (b"one\ntwo\n", "nothing-readable"),
        (b"\xe4\xf6\xfc\n", "nothing-readable"),
        (b'{"time": 0, "session": "s1", "event": "hello"}\n', "nothing-matched"),
        (b'{"time": 0, "session": "s1"}\n', "nothing-matched"),
    ],
)
def test_a_log_that_says_nothing_is_2(folder: Path, content: bytes, name: str) -> None:
    (folder / "odd.jsonl").write_bytes(content)
    ran = run("check", "socket.lifespec", "odd.jsonl")
    assert ran.status == 2
    assert f"[{name}]" in ran.out


def test_one_unreadable_log_among_good_ones_is_2(folder: Path) -> None:
    ran = run("check", "socket.lifespec", "good.jsonl", "nowhere.jsonl")
    assert ran.status == 2
    assert "3       3         1         1  good.jsonl" in ran.out


def test_an_empty_log_may_be_allowed(folder: Path) -> None:
    (folder / "empty.jsonl").write_bytes(b"")
    assert run("check", "socket.lifespec", "good.jsonl", "empty.jsonl").status == 2
    assert run("check", "socket.lifespec", "good.jsonl", "empty.jsonl", "--allow-empty").status == 0


def test_nothing_matched_names_what_occurred_and_what_is_near(folder: Path) -> None:
    (folder / "near.jsonl").write_text('{"time": 0, "session": "s1", "event": "conect"}\n' * 2)
    ran = run("check", "socket.lifespec", "near.jsonl")
    assert "= note: the records are `conect` (2)" in ran.out
    assert "rename event conect -> connect" in " ".join(ran.out.split())


def test_nothing_matched_writes_odd_names_as_a_binding_has_to(folder: Path) -> None:
    (folder / "near.jsonl").write_text('{"time": 0, "session": "s1", "event": "conn ect"}\n' * 2)
    ran = run("check", "socket.lifespec", "near.jsonl")
    assert "rename event 'conn ect' -> connect" in " ".join(ran.out.split())


def test_half_a_line_is_a_finding_and_may_pass_as_a_warning(folder: Path) -> None:
    (folder / "half.jsonl").write_bytes(EVENT + b'{"time": 1, "sess')
    assert run("check", "socket.lifespec", "half.jsonl").status == 1
    ran = run("check", "socket.lifespec", "half.jsonl", "--max-malformed", "1")
    assert ran.status == 0
    assert "warning[malformed-record]" in ran.out


def test_standard_input_is_a_log(folder: Path) -> None:
    ran = run("check", "socket.lifespec", "-", stdin=(folder / "bad.jsonl").read_bytes())
    assert ran.status == 1
    assert "--> <stdin>:2" in ran.out
    assert ' 2 | {"time": 1,' in ran.out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_a_log_and_is_read_once(folder: Path) -> None:
    os.mkfifo("pipe.jsonl")
    writer = threading.Thread(target=lambda: Path("pipe.jsonl").write_bytes((folder / "bad.jsonl").read_bytes()))
    writer.start()
    ran = run("check", "socket.lifespec", "pipe.jsonl")
    writer.join()
    assert ran.status == 1
    assert ' 2 | {"time": 1,' in ran.out


def test_a_binding_may_lie_in_a_file_of_its_own(folder: Path) -> None:
    (folder / "phone.lifespec").write_text("binding phone for socket extends default { event = type }\n")
    (folder / "phone.jsonl").write_text('{"time": 0, "session": "s1", "type": "connect"}\n')
    ran = run("check", "socket.lifespec", "phone.jsonl", "--binding", "phone.lifespec")
    assert ran.status == 0
    assert "binding      phone" in ran.out


def test_a_binding_file_without_a_binding_is_2(folder: Path) -> None:
    (folder / "none.lifespec").write_text("owner someone\n")
    ran = run("check", "socket.lifespec", "good.jsonl", "--binding", "none.lifespec")
    assert ran.status == 2
    assert "none.lifespec declares no binding" in ran.out


def test_complete_says_that_every_session_is_over(folder: Path) -> None:
    (folder / "open.jsonl").write_bytes(EVENT)
    assert run("check", "socket.lifespec", "open.jsonl").status == 0
    ran = run("check", "socket.lifespec", "open.jsonl", "--complete")
    assert ran.status == 1
    assert "[unfinished]" in ran.out


def test_join_files_makes_equal_sessions_one(folder: Path) -> None:
    (folder / "a.jsonl").write_text('{"time": 0, "session": "s1", "event": "connect"}\n')
    (folder / "b.jsonl").write_text('{"time": 1, "session": "s1", "event": "opened"}\n')
    assert run("check", "socket.lifespec", "a.jsonl", "b.jsonl").status == 1
    ran = run("check", "socket.lifespec", "a.jsonl", "b.jsonl", "--join-files")
    assert ran.status == 0
    assert "2 logs, joined" in ran.out


def test_the_findings_of_joined_files_come_file_by_file(folder: Path) -> None:
    (folder / "a.jsonl").write_text("\n" * 9 + '{"time": 0, "session": "s1", "event": "opened"}\n')
    (folder / "b.jsonl").write_text('{"time": 1, "session": "s1", "event": "refused", "reason": "lost"}\n' * 2)
    out = run("check", "socket.lifespec", "a.jsonl", "b.jsonl", "--join-files").out
    assert out.index("--> a.jsonl:10") < out.index("--> b.jsonl:")
    assert out.endswith(" in 1 of 1 session\n")


def test_an_output_file_is_replaced_as_a_whole(folder: Path) -> None:
    (folder / "report.txt").write_text("old")
    ran = run("check", "socket.lifespec", "bad.jsonl", "-o", "report.txt")
    assert (ran.status, ran.out) == (1, "")
    assert "[missing-reason]" in (folder / "report.txt").read_text()
    assert sorted(path.name for path in folder.iterdir()) == [
        "bad.jsonl",
        "good.jsonl",
        "report.txt",
        "socket.lifespec",
    ]


def test_a_report_that_could_not_check_is_written_too(folder: Path) -> None:
    (folder / "report.txt").write_text("old")
    ran = run("check", "socket.lifespec", "nowhere.jsonl", "-o", "report.txt")
    assert ran.status == 2
    assert "report.txt says why" in ran.err
    assert "could not check" in (folder / "report.txt").read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_disk_is_said(folder: Path) -> None:
    ran = run("check", "socket.lifespec", "good.jsonl", "-o", "/dev/full")
    assert ran.status == 2
    assert "no space is left" in ran.err


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="for root every file is readable")
def test_a_log_without_permission_is_2(folder: Path) -> None:
    (folder / "good.jsonl").chmod(0)
    ran = run("check", "socket.lifespec", "good.jsonl")
    assert ran.status == 2
    assert "permission denied" in ran.out


def test_a_log_of_which_nothing_could_be_read_is_2_even_beside_a_good_one(folder: Path) -> None:
    (folder / "bent.jsonl").write_text("not JSON\n")
    ran = run("check", "socket.lifespec", "good.jsonl", "bent.jsonl")
    assert ran.status == 2
    assert "not one record of bent.jsonl could be read" in ran.out.replace("\n    ", " ")
