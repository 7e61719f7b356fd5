"""The text report, whole: what people see at 80 columns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from run_lifespec import CODE, run

REPORT = """\
error[missing-reason]: `refused` takes `connection` to `failed` without saying a
    `reason`
  --> bad.jsonl:2
   |
 2 | {"time": 1, "session": "s1", "event": "refused"}
   |                                        ^^^^^^^ no `reason` here
   = session: s1
   = witness: line 1, `connect` entered `connecting`
   = reasons: `refused` and `lost`
   = help: log `reason` with this record
   = rule: the transitions of `connection`, socket.lifespec:9

error[invalid-transition]: `opened` is not allowed in state `failed` of
    `connection`
  --> bad.jsonl:3
   |
 3 | {"time": 2, "session": "s1", "event": "opened"}
   |                                        ^^^^^^ not allowed here
   = session: s1
   = witness: line 2, `refused` entered `failed`
   = allowed: `close` -> closed
   = help: no way leads from `failed` to `open`
   = rule: the transitions of `connection`, socket.lifespec:5

--------------------------------------------------------------------------------

socket
  spec         socket.lifespec
  binding      default

  records  events  sessions  complete  log
        4       4         1         1  bad.jsonl

Machines                   satisfied  violated  inconclusive  n/a  not judged
  connection                       -         1             -    -           -
    connecting within 10s          1         -             -    -           -

Never exercised
  states       connection  open
  transitions  connection  connecting -> open on opened
  reasons      refused, lost

Log quality
  skimmed      repeated keys were not looked for; lines and values that nobody
               reads were only seen to be JSON: --strict-json

2 errors in 1 of 1 session
"""


def test_the_report_of_a_bad_log(folder: Path) -> None:
    assert run("check", "socket.lifespec", "bad.jsonl").out == REPORT


def test_the_report_keeps_to_80_columns(folder: Path) -> None:
    assert max(map(len, run("check", "socket.lifespec", "bad.jsonl").out.splitlines())) <= 80


def test_concise_is_one_finding_a_line(folder: Path) -> None:
    assert run("check", "socket.lifespec", "bad.jsonl", "--format", "concise").out == (
        "bad.jsonl:2: missing-reason [s1] `refused` takes `connection` to `failed` without saying a `reason`\n"
        "bad.jsonl:3: invalid-transition [s1] `opened` is not allowed in state `failed` of `connection`\n"
    )


def test_concise_says_nothing_of_a_good_log(folder: Path) -> None:
    ran = run("check", "socket.lifespec", "good.jsonl", "--format", "concise")
    assert (ran.status, ran.out, ran.err) == (0, "", "")


def test_json_has_the_status(folder: Path) -> None:
    ran = run("check", "socket.lifespec", "bad.jsonl", "--format", "json")
    assert json.loads(ran.out)["status"] == ran.status == 1


def test_examples_bound_what_is_shown_and_not_what_is_counted(folder: Path) -> None:
    lines = [f'{{"time": {n}, "session": "s{n}", "event": "opened"}}\n' for n in range(40)]
    (folder / "many.jsonl").write_text("".join(lines))
    ran = run("check", "socket.lifespec", "many.jsonl", "--examples", "2")
    assert ran.out.count("error[invalid-transition]") == 2
    assert "... and 38 more invalid-transition of transitions connection" in ran.out
    assert ran.out.endswith("40 errors in 40 of 40 sessions\n")


@pytest.mark.parametrize(
    ("arguments", "env", "coloured"),
    [
        ([], {}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_is_as_asked_for(folder: Path, arguments: list[str], env: dict[str, str], coloured: bool) -> None:
    ran = run("check", "socket.lifespec", "bad.jsonl", *arguments, env={**os.environ, **env})
    assert ("\x1b[" in ran.out) is coloured


def test_without_its_colours_the_coloured_report_is_the_plain_one(folder: Path) -> None:
    import re

    ran = run("check", "socket.lifespec", "bad.jsonl", "--color", "always")
    assert re.sub(r"\x1b\[[0-9;]*m", "", ran.out) == REPORT


def test_a_log_cannot_speak_to_the_terminal(folder: Path) -> None:
    (folder / "evil.jsonl").write_text('{"time": 0, "session": "\\u001b[2J", "event": "\\u001b]0;x\\u0007"}\n')
    for form in ("text", "concise"):
        ran = run("check", "socket.lifespec", "evil.jsonl", "--format", form)
        assert "\x1b" not in ran.out
        assert "\x07" not in ran.out


@pytest.mark.parametrize("form", ["text", "concise", "json"])
def test_nobody_reading_ends_quietly(folder: Path, form: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", CODE, "check", "socket.lifespec", "bad.jsonl", "--format", form],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")
