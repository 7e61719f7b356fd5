"""`lifespec timeline`, as it is run and read."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import BAD, GOOD
from tests.cli.run_lifespec import CODE, run

pytestmark = pytest.mark.usefixtures("folder")


def test_the_only_session_with_findings_is_drawn() -> None:
    ran = run("timeline", "socket.lifespec", "bad.jsonl", "good.jsonl")
    assert ran.status == 0
    assert ran.out.startswith("session s1 in bad.jsonl\n4 records in 3s from 0s\n")
    assert "[1] error[missing-reason]" in ran.out
    assert "failed" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_the_only_session_is_drawn_though_nothing_was_found() -> None:
    ran = run("timeline", "socket.lifespec", "good.jsonl")
    assert (ran.status, ran.err) == (0, "")
    assert "connection  |connecting" in ran.out


def test_sessions_with_findings_are_listed(folder: Path) -> None:
    (folder / "both.jsonl").write_text(BAD + BAD.replace("s1", "s2") + GOOD.replace("s1", "s3"))
    ran = run("timeline", "socket.lifespec", "both.jsonl")
    assert ran.status == 0
    assert ran.out.startswith("2 sessions have findings; draw one of them with --session\n  s1\n")
    assert "s3" not in ran.out
    drawn = run("timeline", "socket.lifespec", "both.jsonl", "--session", "s3")
    assert drawn.out.startswith("session s3 in both.jsonl")


def test_a_session_that_is_not_there_is_an_error() -> None:
    ran = run("timeline", "socket.lifespec", "bad.jsonl", "--session", "s2")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "lifespec: cannot draw session s2: the log has no such session\n"


def test_a_session_of_several_logs_is_an_error() -> None:
    ran = run("timeline", "socket.lifespec", "bad.jsonl", "good.jsonl", "--session", "s1")
    assert ran.status == 2
    assert ran.err == "lifespec: session s1 is in several logs: bad.jsonl, good.jsonl; give one of them\n"


def test_an_svg_is_well_formed_and_holds_text_as_text(folder: Path) -> None:
    (folder / "evil.jsonl").write_text(BAD.replace('"opened"', '"<script>&"').replace("s1", "<b>\\u0000"))
    ran = run("timeline", "socket.lifespec", "evil.jsonl", "--format", "svg")
    assert ran.status == 0
    svg = ElementTree.fromstring(ran.out)
    assert {each.tag.rpartition("}")[2] for each in svg.iter()} <= {
        *("svg", "title", "defs", "pattern", "rect", "path", "text", "g")
    }
    assert "<script>" in "".join(svg.itertext())


def test_control_characters_do_not_reach_a_terminal(folder: Path) -> None:
    (folder / "evil.jsonl").write_text(BAD.replace('"opened"', '"\\u001b[2Jx"').replace("s1", "s\\u001b"))
    ran = run("timeline", "socket.lifespec", "evil.jsonl")
    assert ran.status == 0
    assert "\x1b" not in ran.out


def test_standard_input_is_drawn() -> None:
    ran = run("timeline", "socket.lifespec", "-", stdin=BAD.encode())
    assert ran.status == 0
    assert ran.out.startswith("session s1 in <stdin>")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_with_a_name_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    threading.Thread(target=(folder / "pipe").write_text, args=(BAD,), daemon=True).start()
    ran = run("check", "socket.lifespec", "pipe", "--format", "html", "-o", "page.html")
    assert ran.status == 1
    assert "No timeline: pipe can be read only once." in (folder / "page.html").read_text()


def test_a_log_that_cannot_be_checked_is_an_error(folder: Path) -> None:
    (folder / "empty.jsonl").write_text("")
    ran = run("timeline", "socket.lifespec", "empty.jsonl")
    assert (ran.status, ran.out) == (2, "")
    assert "error[empty-log]" in ran.err


def test_the_page_of_standard_input_has_its_timeline(folder: Path) -> None:
    ran = run("check", "socket.lifespec", "-", "--format", "html", "-o", "page.html", stdin=BAD.encode())
    assert (ran.status, ran.out, ran.err) == (1, "", "")
    page = (folder / "page.html").read_text()
    assert 'id="timeline-0"' in page
    assert "Show on the timeline" in page


def test_a_timeline_in_colour_says_the_same(folder: Path) -> None:
    plain = run("timeline", "socket.lifespec", "bad.jsonl")
    coloured = run("timeline", "socket.lifespec", "bad.jsonl", "--color", "always")
    assert (plain.status, coloured.status) == (0, 0)
    assert "\x1b[" in coloured.out
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured.out) == plain.out


def test_of_several_sessions_no_picture_is_written(folder: Path) -> None:
    (folder / "both.jsonl").write_text(BAD + BAD.replace("s1", "s2") + GOOD.replace("s1", "s3"))
    (folder / "pic.svg").write_text("before")
    for where in ((), ("-o", "pic.svg"), ("-o", "new.svg")):
        ran = run("timeline", "socket.lifespec", "both.jsonl", "--format", "svg", *where)
        assert (ran.status, ran.out) == (2, "")
        assert "2 sessions have findings, and a picture shows one: s1 and s2; say with --session which one" in ran.err
    assert (folder / "pic.svg").read_text() == "before"
    assert not (folder / "new.svg").exists()
    several = run("timeline", "socket.lifespec", "both.jsonl", "bad.jsonl", "--format", "svg")
    assert "s1 in both.jsonl, s2 in both.jsonl and s1 in bad.jsonl" in several.err
    assert run("timeline", "socket.lifespec", "both.jsonl", "--format", "svg", "--session", "s2").status == 0
    assert run("timeline", "socket.lifespec", "bad.jsonl", "--format", "svg", "-o", "pic.svg").status == 0
    assert (folder / "pic.svg").read_text().startswith("<svg")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals here")
@pytest.mark.parametrize("columns", [40, 50, 80])
def test_a_timeline_fits_the_terminal(columns: int, folder: Path) -> None:
    import pty

    machine = "machine transport-of-media per id { initial up  final gone  up -> gone on left }"
    (folder / "long.lifespec").write_text((folder / "socket.lifespec").read_text() + machine)
    more = '{"time": 2.25, "session": "s1", "event": "left", "id": "some-id"}\n'
    (folder / "log.jsonl").write_text(BAD + more)
    terminal, stdout = pty.openpty()
    command = [sys.executable, "-c", CODE, "timeline", "long.lifespec", "log.jsonl"]
    environment = {**os.environ, "COLUMNS": str(columns), "NO_COLOR": "1"}
    ran = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, env=environment, check=False)
    os.close(stdout)
    assert (ran.returncode, ran.stderr) == (0, b"")
    lines = os.read(terminal, 1 << 16).decode().splitlines()
    os.close(terminal)
    assert lines[0] == "session s1 in log.jsonl"
    assert columns - 5 < max(map(len, lines)) <= columns
