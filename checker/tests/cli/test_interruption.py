"""Ctrl-C: a check ends with what was read so far, everything else without a word too many. Nothing here waits for time:
the signal is sent when the command has read all there is, or has opened a pipe."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest
from conftest import BAD, GOOD
from run_lifespec import CODE, Ran

from lifespec.check import check_files
from lifespec.cli.interruption import Interruption
from lifespec.watch import Interrupted, Progress

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and pipes as POSIX has them")

# What started the tests may have it ignore Ctrl-C, and then its children would too.
HEARS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"


def started(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", HEARS + CODE, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def ended(process: subprocess.Popen[bytes]) -> Ran:
    """Interrupts the command; its standard input stays open until it has ended."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        process.send_signal(signal.SIGINT)
        out, err = process.stdout.read().decode(), process.stderr.read().decode()
        status = process.wait(60)
        assert not process.stdin.closed
    assert "Traceback" not in err, err
    return Ran(status, out, err)


def replaced(module: str, name: str) -> str:
    """The beginning of a statement that puts something else in the place of a function."""
    return f"import importlib; importlib.import_module('lifespec.{module}').{name}"


def give(process: subprocess.Popen[bytes], text: str) -> None:
    """Writes to the command and returns when it has taken all of it."""
    import fcntl
    import termios

    assert process.stdin is not None
    process.stdin.write(text.encode())
    process.stdin.flush()
    unread = -1
    while unread != 0 and process.poll() is None:
        unread = int.from_bytes(fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)), sys.byteorder)


@pytest.fixture
def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe.jsonl")
    return folder / "pipe.jsonl"


def test_a_check_of_an_open_pipe_ends_with_what_was_read(folder: Path) -> None:
    process = started("check", "socket.lifespec", "-")
    give(process, BAD + '{"time": 4, "session": "s2", "ev')
    ran = ended(process)
    assert (ran.status, ran.err) == (2, "")
    assert "error[invalid-transition]" in ran.out
    assert "error[interrupted]: the check was ended after line 4 of <stdin>" in ran.out
    assert ran.out.endswith("\n\ninterrupted: 2 errors in the 1 session read so far\n")
    assert "malformed-record" not in ran.out  # the half line is neither read nor held against the log


def test_the_form_for_programs_says_that_it_is_partial(folder: Path) -> None:
    process = started("check", "socket.lifespec", "-", "--format", "json", "--complete")
    give(process, "".join(GOOD.splitlines(keepends=True)[:2]))
    ran = ended(process)
    report = json.loads(ran.out)
    assert (ran.status, report["status"], report["partial"]) == (2, 2, True)
    assert [problem["name"] for problem in report["problems"]] == ["interrupted"]
    assert report["findings"] == []  # s1 is not held to be over, as --complete would have it
    assert report["logs"] == [{"name": "<stdin>", "records": 2, "events": 2, "sessions": 1, "complete_sessions": 0}]


def test_the_form_of_lines_says_it_too(folder: Path) -> None:
    process = started("check", "socket.lifespec", "-", "--format", "concise")
    give(process, BAD)
    lines = ended(process).out.splitlines()
    assert lines[1].startswith("<stdin>:3: invalid-transition [s1] ")
    assert lines[2:] == ["lifespec: interrupted the check was ended after line 4 of <stdin>"]


@pytest.mark.parametrize("arguments", [[], ["--join-files"]])
def test_logs_that_are_not_reached_are_named(pipe: Path, arguments: list[str]) -> None:
    process = started("check", "socket.lifespec", "bad.jsonl", pipe.name, "good.jsonl", *arguments)
    with pipe.open("wb"):  # opened by both now: bad.jsonl is judged
        ran = ended(process)
    assert ran.status == 2
    assert "error[invalid-transition]" in ran.out
    assert "the check was ended before the first line of pipe.jsonl" in ran.out
    assert "not read at all: good.jsonl" in ran.out


def test_a_whole_check_is_not_partial(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE, "check", "socket.lifespec", "good.jsonl", "--format", "json"],
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["partial"] is False


@pytest.mark.parametrize("command", [["lint", "socket.lifespec"], ["draw", "socket.lifespec", "-o", "a.dot"]])
def test_another_command_ends_quietly(folder: Path, command: list[str]) -> None:
    code = f"{replaced('load', 'load')} = lambda *_: signal.raise_signal(signal.SIGINT)\n"
    done = subprocess.run([sys.executable, "-c", HEARS + code + CODE, *command], capture_output=True, check=False)
    assert done.returncode == 130
    assert done.stderr.decode().strip() == "lifespec: interrupted; what was printed so far is not a verdict"
    assert not (folder / "a.dot").exists()


def test_a_second_one_ends_a_check_at_once(folder: Path) -> None:
    twice = "(signal.raise_signal(signal.SIGINT), print('once', flush=True), signal.raise_signal(signal.SIGINT))"
    code = f"{replaced('check', 'check_files')} = lambda *_, **__: {twice}\n"
    arguments = ["check", "socket.lifespec", "good.jsonl"]
    done = subprocess.run([sys.executable, "-c", HEARS + code + CODE, *arguments], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (130, b"once\n")
    assert done.stderr.decode().strip() == "lifespec: interrupted; what was printed so far is not a verdict"


def test_one_before_the_command_is_there_ends_it(folder: Path) -> None:
    code = (
        "import builtins, lifespec.__main__ as m; real = builtins.__import__\n"
        "def hears(name, *rest):\n"
        "    if name == 'click': signal.raise_signal(signal.SIGINT)\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = hears; m.main()"
    )
    done = subprocess.run([sys.executable, "-c", HEARS + code], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


# --- the watcher itself ------------------------------------------------------------------------------


@pytest.fixture
def heard() -> None:
    """Ctrl-C is heard as it is by default, whoever started the tests."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.usefixtures("heard")
def test_a_signal_while_records_are_judged_is_kept_until_the_next_block() -> None:
    seen: list[Progress] = []
    progress = Progress("a.jsonl", 0, 0, 0, 0)
    with Interruption(seen.append) as watcher:
        watcher.watch(progress)
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(Interrupted):
            watcher.watch(progress)
        with pytest.raises(Interrupted), watcher.waiting():
            pytest.fail("it waits")
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert seen == [progress]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("heard")
def test_a_signal_breaks_the_waiting() -> None:
    with Interruption(lambda _: None) as watcher, pytest.raises(Interrupted), watcher.waiting():
        signal.raise_signal(signal.SIGINT)


class Impatient:
    """Ends the check when so many bytes were read."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.seen: list[Progress] = []

    def watch(self, progress: Progress) -> None:
        self.seen.append(progress)
        if progress.bytes_read >= self._most:
            raise Interrupted

    def waiting(self) -> AbstractContextManager[None]:
        return nullcontext()


def test_a_program_watches_and_ends_a_check(folder: Path) -> None:
    with (folder / "long.jsonl").open("w") as log:
        for session in range(10_000):
            log.write(GOOD.replace("s1", f"s{session}"))
    size = (folder / "long.jsonl").stat().st_size
    watcher = Impatient(1 << 30)
    report = check_files("socket.lifespec", ["bad.jsonl", "long.jsonl"], watcher=watcher)
    assert not report.partial
    last = watcher.seen[-1]
    assert last == Progress("long.jsonl", size + len(BAD), 30_004, 10_001, 2)
    assert sorted(watcher.seen, key=lambda p: p.bytes_read) == watcher.seen
    stopped = check_files("socket.lifespec", ["bad.jsonl", "long.jsonl"], watcher=Impatient(1 << 20))
    assert stopped.partial
    assert 0 < stopped.logs[1].records < 30_000
    assert stopped.status() == 2


def test_a_timeline_of_an_open_pipe_is_not_drawn(folder: Path) -> None:
    process = started("timeline", "socket.lifespec", "-")
    give(process, BAD)
    ran = ended(process)
    assert (ran.status, ran.out) == (130, "")
    assert ran.err.startswith("lifespec: interrupted")
