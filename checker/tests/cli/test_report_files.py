"""Several reports of one check: each is written as a whole or not at all, and never over what is read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lifespec.cli.output import KNOWN_FORMS
from lifespec.graph import Format
from lifespec.reports.formats import FORMATS
from tests.cli.run_lifespec import CODE, run

CHECK = ("check", "socket.lifespec", "bad.jsonl", "good.jsonl")


def _env(**more: str) -> dict[str, str]:
    return {**{key: value for key, value in os.environ.items() if not key.startswith(("GITHUB_", "CI_"))}, **more}


def test_every_format_goes_to_a_file_as_to_standard_output(folder: Path) -> None:
    reports = [option for name in FORMATS for option in ("--report", f"{name}={name}.out")]
    ran = run(*CHECK, *reports, env=_env())
    assert ran.status == 1
    assert ran.out == (folder / "text.out").read_text()
    for name in FORMATS:
        alone = run(*CHECK, "--format", name, env=_env())
        assert (alone.status, alone.err) == (1, "")
        assert alone.out == (folder / f"{name}.out").read_text()
        assert run(*CHECK, "--format", name, "-o", "alone", env=_env()).out == ""
        assert alone.out == (folder / "alone").read_text()


@pytest.mark.parametrize("more", [("--engine", "reference"), ("--strict-json",), ("--jobs", "2")], ids=" ".join)
def test_every_engine_gives_the_same_bytes(more: tuple[str, ...], folder: Path) -> None:
    for prefix, options in (("a", ()), ("b", more)):
        reports = [option for name in FORMATS for option in ("--report", f"{name}={prefix}.{name}")]
        assert run(*CHECK, "-q", *reports, *options, env=_env()).status == 1
    for name in FORMATS:
        one, other = ((folder / f"{prefix}.{name}").read_text() for prefix in "ab")
        assert _without_skimmed(one) == _without_skimmed(other)


def _without_skimmed(text: str) -> list[str]:
    """Whether records were read the fast way is the one thing that the engines differ in."""
    lines = text.split("\n")
    return [
        line
        for line in lines
        if line and not any(word in line for word in ("skimmed", "--strict-", "Log quality", "<dl>", "</dl>"))
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--report", "junit=bad.jsonl"), "bad.jsonl would overwrite what is read"),
        (("--report", "junit=./socket.lifespec"), "socket.lifespec would overwrite what is read"),
        (("--report", "junit=a", "--report", "sarif=./a"), "two reports would be written to"),
        (("-o", "a", "--report", "sarif=a"), "two reports would be written to"),
        (("--report", "junit"), "--report is FORMAT=FILE"),
        (("--report", "junit="), "--report is FORMAT=FILE"),
        (("--report", "xml=a"), "xml is no format; they are text, concise, json"),
        (("--report", "junit=-"), "--report writes files"),
        (("--report", "junit=nowhere/a"), "there is no folder nowhere"),
        (("--report", "junit=."), "it is a folder, not a file"),
    ],
)
def test_what_cannot_be_written_is_said_before_anything_is_read(
    options: tuple[str, ...], said: str, folder: Path
) -> None:
    before = {path.name: path.read_text() for path in folder.iterdir()}
    ran = run(*CHECK, *options)
    assert ran.status == 2
    assert said in ran.err
    assert ran.out == ""
    assert {path.name: path.read_text() for path in folder.iterdir()} == before


def test_a_spec_that_is_imported_is_not_written_over(folder: Path) -> None:
    (folder / "all.lifespec").write_text('import "socket.lifespec"\n')
    before = (folder / "socket.lifespec").read_text()
    ran = run("check", "all.lifespec", "bad.jsonl", "--format", "jsonl", "-o", "socket.lifespec")
    assert ran.status == 2
    assert "would overwrite what is read" in ran.err
    assert (folder / "socket.lifespec").read_text() == before
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["all.lifespec", "bad.jsonl", "good.jsonl", "socket.lifespec"]
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("name", ["jsonl", "sarif"])
def test_a_full_disk_is_said(name: str, folder: Path) -> None:
    ran = run(*CHECK, "--report", f"{name}=/dev/full")
    assert ran.status == 2
    assert "no space is left" in ran.err


def test_quiet_writes_files_and_says_nothing(folder: Path) -> None:
    ran = run(*CHECK, "--quiet", "--report", "json=a.json")
    assert (ran.status, ran.out, ran.err) == (1, "", "")
    assert json.loads((folder / "a.json").read_text())["status"] == 1
    assert run("check", "socket.lifespec", "good.jsonl", "-q").status == 0


def test_quiet_does_not_hide_that_nothing_was_checked(folder: Path) -> None:
    ran = run("check", "socket.lifespec", "nowhere.jsonl", "-q")
    assert (ran.status, ran.out) == (2, "")
    assert "could not check: cannot read nowhere.jsonl" in ran.err


def test_jsonl_is_written_while_the_log_is_read(folder: Path) -> None:
    log = (folder / "bad.jsonl").read_bytes()
    ran = run("check", "socket.lifespec", "-", "--format", "jsonl", stdin=log + b"nonsense\n")
    kinds = [json.loads(line)["type"] for line in ran.out.splitlines()]
    assert kinds == ["finding"] * (len(kinds) - 1) + ["end"]
    assert len(kinds) > 2


def test_the_summary_of_a_step_is_appended(folder: Path) -> None:
    (folder / "summary").write_text("before\n")
    env = _env(GITHUB_STEP_SUMMARY=str(folder / "summary"))
    ran = run(*CHECK, "--format", "github", env=env)
    assert ran.out.startswith("::error file=socket.lifespec,line=")
    assert (folder / "summary").read_text().startswith("before\n\n### lifespec <code>socket</code>: ")
    run(*CHECK, env=env)
    assert (folder / "summary").read_text().count("###") == 1


def test_the_summary_of_a_step_keeps_to_what_github_takes(folder: Path) -> None:
    summary = folder / "summary"
    for size in (2**20 - 500, 2**20 - 10, 2**20):
        summary.write_bytes(b"x" * size)
        assert run(*CHECK, "--format", "github", env=_env(GITHUB_STEP_SUMMARY=str(summary))).status == 1
        assert size <= summary.stat().st_size <= 2**20


def test_paths_are_from_the_root_of_the_repository(folder: Path) -> None:
    ran = run(*CHECK, "--format", "gitlab", env=_env(CI_PROJECT_DIR=str(folder.parent)))
    assert {each["location"]["path"] for each in json.loads(ran.out)} == {f"{folder.name}/socket.lifespec"}
    ran = run(*CHECK, "--format", "gitlab", env=_env(CI_PROJECT_DIR=str(folder / "elsewhere")))
    assert {each["location"]["path"] for each in json.loads(ran.out)} == {"socket.lifespec"}


def test_a_lifecycle_beside_the_repository_is_not_annotated_as_one_in_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = folder / "job"
    job.mkdir()
    (job / "bad.jsonl").write_bytes((folder / "bad.jsonl").read_bytes())
    (job / "socket.lifespec").write_text("another one, which nobody reads")
    monkeypatch.chdir(job)
    for given in ("../socket.lifespec", str(folder / "socket.lifespec")):
        command = ("check", given, "bad.jsonl", "--format")
        env = _env(GITHUB_WORKSPACE=str(job))
        annotations = run(*command, "github", env=env).out.splitlines()[:-1]
        assert all(each.startswith("::error file=bad.jsonl,line=") for each in annotations)
        assert all(f"%0Alifecycle: {given}:" in each for each in annotations)
        entries = json.loads(run(*command, "gitlab", env=env).out)
        assert {each["location"]["path"] for each in entries} == {"bad.jsonl"}


@pytest.mark.parametrize(
    ("environment", "is_coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"CLICOLOR_FORCE": "1"}, True),
        ({"CLICOLOR_FORCE": "0"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}, False),
        ({"NO_COLOR": "", "FORCE_COLOR": "1"}, True),
    ],
)
def test_the_environment_asks_for_colour(environment: dict[str, str], is_coloured: bool, folder: Path) -> None:
    assert ("\x1b[" in run(*CHECK, env=_env(**environment)).out) is is_coloured
    assert "\x1b[" not in run(*CHECK, "--color", "never", env=_env(**environment)).out


@pytest.mark.parametrize("form", ["text", "concise", "jsonl", "json"])
@pytest.mark.parametrize("both", [False, True], ids=["standard output", "both outputs"])
def test_files_are_whole_also_when_nobody_reads_the_outputs(form: str, both: bool, folder: Path) -> None:
    """The other end of the pipe is closed before a byte is written."""
    files = ("--report", "jsonl={}.jsonl", "--report", "concise={}.txt", "--write-baseline", "{}.known")
    assert run(*CHECK, "--format", form, *(each.format("read") for each in files), env=_env()).status == 0
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-c", CODE, *CHECK, "--format", form, *(each.format("unread") for each in files)]
    stderr = writing if both else subprocess.PIPE
    ran = subprocess.run(command, stdout=writing, stderr=stderr, env=_env(), check=False, cwd=folder)
    os.close(writing)
    assert ran.returncode == 141
    assert both or b"Traceback" not in ran.stderr
    for end in ("jsonl", "txt", "known"):
        assert (folder / f"unread.{end}").read_text() == (folder / f"read.{end}").read_text()


def test_that_nobody_reads_the_remarks_changes_nothing(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    for arguments, status in (((*CHECK, "-q", "--write-baseline", "known"), 0), (("check", "--no-such"), 2)):
        command = [sys.executable, "-c", CODE, *arguments]
        ran = subprocess.run(command, stderr=writing, stdout=subprocess.PIPE, env=_env(), check=False, cwd=folder)
        assert (ran.returncode, ran.stdout) == (status, b"")
    os.close(writing)
    assert (folder / "known").exists()


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("r.html", "html"),
        ("r.JSON", "json"),
        ("r.jsonl", "jsonl"),
        ("r.xml", "junit"),
        ("r.md", "markdown"),
        ("r.sarif", "sarif"),
    ]
    + [(name, "text") for name in ("r.txt", "r.log", "html")],
)
def test_the_ending_of_a_file_says_its_format_where_nobody_else_does(name: str, form: str, folder: Path) -> None:
    assert run(*CHECK, "-o", name, env=_env()).status == 1
    assert run(*CHECK, "-o", "other", "--format", form, env=_env()).status == 1
    assert (folder / name).read_text() == (folder / "other").read_text()


def test_a_format_that_is_given_or_set_is_kept_whatever_the_ending(folder: Path) -> None:
    assert run(*CHECK, "--format", "concise", "-o", "flag.json", env=_env()).status == 1
    assert run(*CHECK, "-o", "variable.json", env=_env(LIFESPEC_FORMAT="concise")).status == 1
    (folder / "lifespec.toml").write_text('format = "concise"\n')
    assert run(*CHECK, "-o", "setting.json", env=_env()).status == 1
    texts = {(folder / f"{name}.json").read_text() for name in ("flag", "variable", "setting")}
    assert len(texts) == 1
    assert texts.pop().startswith("bad.jsonl:")


def test_other_commands_look_at_the_ending_too(folder: Path) -> None:
    for command in (
        ("timeline", "socket.lifespec", "bad.jsonl", "-o", "r.svg"),
        ("stats", "socket.lifespec", "bad.jsonl", "-o", "r.csv"),
        ("stats", "socket.lifespec", "bad.jsonl", "-o", "r.html"),
        ("compare", "socket.lifespec", "--base", "bad.jsonl", "--head", "bad.jsonl", "-o", "r.json"),
    ):
        run(*command, env=_env())
    assert (folder / "r.svg").read_text().startswith("<svg")
    assert (folder / "r.csv").read_text().count(",") > 20
    assert (folder / "r.html").read_text().startswith("<!doctype html>")
    assert json.loads((folder / "r.json").read_text())


@pytest.mark.parametrize(
    "command",
    [
        (*CHECK, "-o", "r.svg"),
        ("stats", "socket.lifespec", "bad.jsonl", "-o", "r.png"),
        ("timeline", "socket.lifespec", "bad.jsonl", "-o", "r.html"),
        ("compare", "socket.lifespec", "--base", "bad.jsonl", "--head", "bad.jsonl", "-o", "r.csv"),
        ("lint", "socket.lifespec", "-o", "r.sarif"),
    ],
    ids=lambda command: command[0],
)
def test_what_a_command_does_not_write_is_refused_by_its_ending(command: tuple[str, ...], folder: Path) -> None:
    ran = run(*command, env=_env())
    assert ran.status == 2
    assert f"{command[-1]} would not hold what its name says" in ran.err
    assert not (folder / command[-1]).exists()


def test_every_format_that_an_ending_can_name_is_known() -> None:
    """Else a file of that name would hold text, from a command that cannot write it."""
    said_by_no_ending = {"text", "concise", "github", "gitlab"}
    assert {*FORMATS, *Format} - said_by_no_ending <= KNOWN_FORMS
