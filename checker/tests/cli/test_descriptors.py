"""`/dev/stdout`, `/dev/stderr`, `/dev/fd/N`: what is open is written to, and what stands behind it stays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lifespec.cli.descriptor import find_descriptor
from tests.cli.run_lifespec import CODE, run

pytestmark = pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="this system has no paths of descriptors")

CHECK = ("check", "socket.lifespec", "bad.jsonl", "--format", "concise")
COMMANDS = [
    CHECK,
    ("lint", "socket.lifespec"),
    ("draw", "socket.lifespec", "--format", "dot"),
    ("export", "socket.lifespec", "--to", "node-link"),
    ("timeline", "socket.lifespec", "bad.jsonl"),
    ("stats", "socket.lifespec", "bad.jsonl"),
    ("compare", "socket.lifespec", "--base", "good.jsonl", "--head", "bad.jsonl"),
    ("infer", "bad.jsonl"),
]


def appended(arguments: tuple[str, ...], descriptor: int) -> str:
    """What stands in a file that a descriptor of a command was redirected to, behind what was in it."""
    Path("all.txt").write_text("before\n")
    command = ["sh", "-c", f'exec "$@" {descriptor}>>all.txt', "sh", sys.executable, "-c", CODE, *arguments]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return Path("all.txt").read_text()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda each: each[0])
def test_what_a_stream_was_redirected_to_is_written_on(arguments: tuple[str, ...]) -> None:
    answer = run(*arguments, "-o", "-").out
    assert answer
    for descriptor, path in ((1, "/dev/stdout"), (2, "/dev/stderr"), (7, "/dev/fd/7"), (1, "/proc/self/fd/1")):
        if os.path.exists(os.path.dirname(path)):
            assert appended((*arguments, "-o", path), descriptor).startswith(f"before\n{answer}"), path
    assert not [name for name in os.listdir() if name.startswith(".")]


@pytest.mark.usefixtures("folder")
def test_other_reports_are_written_on_as_well() -> None:
    answer = run(*CHECK).out
    for form in ("concise", "text"):  # written while the log is read, and at its end
        wanted = run(*CHECK[:3], "--format", form).out
        assert appended((*CHECK, "--report", f"{form}=/dev/stderr"), 2) == f"before\n{wanted}"
    assert appended((*CHECK, "-q", "--report", "concise=/dev/stdout"), 1) == f"before\n{answer}"


@pytest.mark.usefixtures("folder")
def test_what_cannot_be_written_to_is_said() -> None:
    for options, said in (
        (("-o", "/dev/fd/99"), "cannot write /dev/fd/99: no descriptor 99 is open"),
        (("-o", "/dev/fd/0"), "cannot write /dev/fd/0: descriptor 0 is open for reading only"),
        (("--report", "json=/dev/fd/99"), "no descriptor 99 is open"),
        (("--report", "json=/dev/stdout"), "two reports would be written to standard output"),
        (("--report", "json=/dev/stderr", "--report", "text=/dev/fd/2"), "two reports would be written to"),
        (("--write-baseline", "/dev/stdout"), "`--write-baseline` names a file"),
        (("--write-baseline", "-"), "a file of this name is ./-"),
        (("--baseline", "-"), "a file of this name is ./-"),
    ):
        ran = run(*CHECK, *options)
        assert (ran.status, ran.out) == (2, ""), options
        assert said in " ".join(ran.err.split())
    assert not os.path.exists("-")
    assert run(*CHECK, "--write-baseline", "./-").status == 0
    assert os.path.exists("-")


def test_a_link_to_a_stream_is_the_stream_and_a_number_is_a_name(folder: Path) -> None:
    (folder / "out").symlink_to("/dev/stdout")
    assert run(*CHECK, "-o", "out").out == run(*CHECK).out
    assert (folder / "out").is_symlink()
    assert run(*CHECK, "-o", "1").out == ""
    assert (folder / "1").read_text() == run(*CHECK).out
    (folder / "loop").symlink_to("loop")
    assert [find_descriptor(name) for name in ("1", "loop", "/dev/null", "a\0b", "")] == [None] * 5
