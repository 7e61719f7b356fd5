"""How far a check is, on a terminal: seen there and nowhere else, and gone in the end."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import BAD, GOOD
from run_lifespec import CODE

from lifespec.cli.progress import LARGE

pty = pytest.importorskip("pty")

CURSOR_BACK, LINE_GONE = "\x1b[?25h", "\x1b[2K"


def seen_on_a_terminal(*arguments: str, stdin: bytes | None = None) -> tuple[str, str, int]:
    """Standard output, which is a pipe; standard error, which is a terminal; the status."""
    mine, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=env,
    )
    os.close(theirs)
    if process.stdin is not None:
        if stdin is not None:
            process.stdin.write(stdin)
        process.stdin.close()
        process.stdin = None
    seen = b""
    try:
        while piece := os.read(mine, 65536):
            seen += piece
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(mine)
    out, _ = process.communicate()
    return out.decode(), seen.decode(), process.returncode


@pytest.fixture
def large(folder: Path) -> Path:
    """A log that is large and quick to read: nearly all of it is blank."""
    path = folder / "large.jsonl"
    path.write_text(BAD + (" " * 65535 + "\n") * (LARGE // 65536))
    return path


def test_a_large_log_is_seen_to_be_read(large: Path) -> None:
    out, seen, status = seen_on_a_terminal("check", "socket.lifespec", "good.jsonl", "large.jsonl")
    assert status == 1
    said = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen)
    assert re.search(r"large\.jsonl .* [0-9.]+/4\.2 MB 7 records, 2 sessions, 2 findings ", said), said
    assert seen.rindex(LINE_GONE) > seen.rindex("findings")  # cleared when it is over
    assert CURSOR_BACK in seen
    assert out.endswith("\n\n2 errors in 1 of 2 sessions\n")
    assert "\x1b" not in out


def test_a_pipe_has_no_end_that_is_known(folder: Path) -> None:
    blank = (" " * 65535 + "\n") * (LARGE // 65536 + 1)
    _, seen, status = seen_on_a_terminal("check", "socket.lifespec", "-", stdin=(GOOD + blank).encode())
    assert status == 0
    assert "<stdin>" in seen
    assert "3 records, 1 session, 0 findings" in seen


def test_a_small_log_is_not(folder: Path) -> None:
    assert seen_on_a_terminal("check", "socket.lifespec", "good.jsonl")[1:] == ("", 0)


@pytest.mark.parametrize("form", ["text", "concise", "json"])
def test_nothing_is_said_where_nobody_looks(large: Path, form: str) -> None:
    arguments = ["check", "socket.lifespec", "large.jsonl", "--format", form]
    done = subprocess.run([sys.executable, "-c", CODE, *arguments], capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr == b""
    assert b"\x1b" not in done.stdout
