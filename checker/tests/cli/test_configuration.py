"""`lifespec check` takes its settings from the command line, the environment and a file, in this order."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
from run_lifespec import CODE, Ran, run

from lifespec.cli.configuration import read_configuration
from lifespec.cli.output import Failure

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "spec" / "schemas" / "configuration.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def repository(folder: Path) -> Path:
    (folder / ".git").mkdir()
    return folder


def configure(folder: Path, text: str, name: str = "lifespec.toml") -> None:
    (folder / name).write_text(text, encoding="utf-8")


def check(*arguments: str, cwd: Path | None = None, **variables: str) -> Ran:
    """`lifespec check` in a folder, with variables of the environment."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, "check", *arguments],
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def settings(*arguments: str, cwd: Path | None = None, **variables: str) -> tuple[dict[str, Any], dict[str, str]]:
    """What --show-settings says: the values, and where each is from."""
    ran = check(*arguments, "--show-settings", cwd=cwd, **variables)
    assert ran.status == 0, ran.err
    sources = dict(re.findall(r"^(\S+) = .* # (.+)$", ran.out, re.MULTILINE))
    return tomllib.loads(ran.out), sources


# --- what a file does ----------------------------------------------------------------------------------


def test_check_alone_works_in_a_repository(repository: Path) -> None:
    configure(repository, 'spec = "socket.lifespec"\nlogs = ["bad.jsonl", "good.jsonl"]\n')
    ran = check(cwd=repository)
    assert ran.status == 1
    assert "(all 2 logs)" in ran.out


def test_paths_are_relative_to_the_file(repository: Path) -> None:
    below = repository / "a" / "b"
    below.mkdir(parents=True)
    logs = repository / "lo[g]s"
    logs.mkdir()
    shutil.copy(repository / "bad.jsonl", logs)
    (repository / "list").write_text("good.jsonl\n")
    configure(repository, 'spec = "socket.lifespec"\nlogs = ["lo[g]s"]\n')
    assert check("--format", "concise", cwd=below).out.startswith("../../lo[g]s/bad.jsonl:2: ")
    configure(logs, 'spec = "../socket.lifespec"\nlogs = ["*.jsonl"]\n')
    assert check("--format", "concise", "--config", str(logs / "lifespec.toml"), cwd=below).status == 1
    (logs / "list").write_text("../../lo[g]s/bad.jsonl\n")
    configure(logs, 'spec = "../socket.lifespec"\nlogs = ["@list"]\n')
    assert check("--config", "../../lo[g]s/lifespec.toml", cwd=below).status == 1
    value, _ = settings("--config", "../../lo[g]s/lifespec.toml", cwd=below)
    assert value["logs"] == ["@../../lo[g]s/list"]


@pytest.mark.parametrize(
    ("key", "written", "seen"),
    [
        ("spec", "lib:avatar", "lib:avatar"),
        ("spec", "/somewhere/x.lifespec", "/somewhere/x.lifespec"),
        ("binding", "default", "default"),
        ("binding", "phone.lifespec", "../phone.lifespec"),
        ("baseline", "known.json", "../known.json"),
    ],
)
def test_what_is_no_path_of_the_repository_stays_as_it_is(repository: Path, key: str, written: str, seen: str) -> None:
    (repository / "below").mkdir()
    configure(repository, f'{key} = "{written}"\n')
    assert settings(cwd=repository / "below")[0][key] == seen


def test_a_log_may_be_given_to_the_spec_of_the_file_and_the_other_way_round(repository: Path) -> None:
    configure(repository, 'spec = "socket.lifespec"\nlogs = ["bad.jsonl"]\n')
    shutil.copy(repository / "socket.lifespec", repository / "plug.lifespec")
    assert check("good.jsonl", cwd=repository).status == 0
    assert check("plug.lifespec", cwd=repository).status == 1
    assert check("plug.lifespec", "good.jsonl", cwd=repository).status == 0


def test_every_setting_is_in_force(repository: Path) -> None:
    text = """
spec = "socket.lifespec"
logs = ["bad.jsonl"]
ignore = ["missing-reason"]
fail-on = "warning"
format = "json"
[severity]
invalid-transition = "info"
"""
    configure(repository, text)
    jsonschema.validate(tomllib.loads(text), SCHEMA)
    ran = check(cwd=repository)
    assert ran.status == 0
    value = json.loads(ran.out)
    assert [each["severity"] for each in value["findings"]] == ["info"]
    assert value["filtered"]["left_out"] == 1


def test_a_table_of_pyproject_does_as_well_and_the_own_file_wins(repository: Path) -> None:
    configure(repository, "[tool.other]\nx = 1\n[tool.lifespec]\nexamples = 7\n", "pyproject.toml")
    assert settings(cwd=repository)[0]["examples"] == 7
    configure(repository, "examples = 8\n")
    assert settings(cwd=repository)[0]["examples"] == 8


def test_the_nearest_file_counts_and_one_of_others_is_none(repository: Path) -> None:
    below = repository / "a" / "b"
    below.mkdir(parents=True)
    configure(repository, "examples = 7\n")
    configure(repository / "a", "[tool.other]\nx = 1\n", "pyproject.toml")
    assert settings(cwd=below)[0]["examples"] == 7
    configure(repository / "a", "[tool.lifespec]\nexamples = 8\n", "pyproject.toml")
    assert settings(cwd=below)[1]["examples"] == "../pyproject.toml"


def test_nothing_above_the_repository_is_looked_at(folder: Path) -> None:
    configure(folder, "examples = 7\n")
    inner = folder / "inner"
    (inner / ".git").mkdir(parents=True)
    (inner / "below").mkdir()
    assert settings(cwd=inner / "below")[0]["examples"] == 5


def test_outside_of_a_repository_only_the_folder_itself_is_looked_at(folder: Path) -> None:
    configure(folder, "examples = 7\n")
    (folder / "below").mkdir()
    assert settings(cwd=folder)[0]["examples"] == 7
    assert settings(cwd=folder / "below")[0]["examples"] == 5


# --- precedence ----------------------------------------------------------------------------------------


def test_a_flag_beats_the_environment_and_that_the_file(repository: Path) -> None:
    configure(repository, 'fail-on = "info"\nignore = ["overdue"]\ncomplete = true\n')
    value, sources = settings(cwd=repository)
    assert (value["fail-on"], sources["fail-on"]) == ("info", "lifespec.toml")
    value, sources = settings(cwd=repository, LIFESPEC_FAIL_ON="warning", LIFESPEC_IGNORE="silent,rule x")
    assert (value["fail-on"], sources["fail-on"]) == ("warning", "LIFESPEC_FAIL_ON")
    assert value["ignore"] == ["silent", "rule x"]
    value, sources = settings("--fail-on", "never", "--no-complete", cwd=repository, LIFESPEC_FAIL_ON="warning")
    assert (value["fail-on"], sources["fail-on"]) == ("never", "command line")
    assert value["complete"] is False
    assert settings(cwd=repository, LIFESPEC_COMPLETE="0")[0]["complete"] is False
    value, sources = settings("--isolated", cwd=repository)
    assert (value["fail-on"], sources["fail-on"]) == ("error", "default")


def test_no_file_is_taken_where_none_is_wanted_and_another_where_it_is_named(repository: Path) -> None:
    configure(repository, "examples = 7\n")
    configure(repository, "examples = 8\n", "other.toml")
    assert settings("--config", "other.toml", cwd=repository)[0]["examples"] == 8
    assert settings(cwd=repository, LIFESPEC_CONFIG="other.toml")[0]["examples"] == 8
    assert settings("--isolated", cwd=repository, LIFESPEC_CONFIG="other.toml")[0]["examples"] == 5
    assert settings(cwd=repository, LIFESPEC_ISOLATED="1")[0]["examples"] == 5
    assert settings("--config", "other.toml", cwd=repository, LIFESPEC_ISOLATED="1")[0]["examples"] == 8
    ran = check("--config", "other.toml", "--isolated", cwd=repository)
    assert ran.status == 2
    assert "--isolated reads no configuration file" in ran.err


def test_the_settings_that_are_shown_can_be_a_file(repository: Path) -> None:
    configure(repository, 'spec = "socket.lifespec"\nselect = ["a\\u007f", "it\'s"]\n[severity]\n"b.c" = "info"\n')
    ran = check("--show-settings", cwd=repository)
    configure(repository, ran.out)
    again = check("--show-settings", cwd=repository)
    assert tomllib.loads(again.out) == tomllib.loads(ran.out)
    jsonschema.validate(tomllib.loads(ran.out), SCHEMA)


# --- what goes wrong -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fail_on = 'error'", "unknown key `fail_on`; did you mean `fail-on`?"),
        ("sevrity = {}", "unknown key `sevrity`; did you mean `severity`?"),
        ("zzz = 1", "unknown key `zzz`"),
        ("[check]\njobs = 2", "unknown key `check`"),
        ("session = ['a']", "`session` is said to one run, on the command line"),
        ("today = 2026-01-01", "`today` is said to one run, on the command line"),
        ("jobs = 'many'", "`jobs` is a whole number, at least 0, not 'many'"),
        ("jobs = true", "`jobs` is a whole number, at least 0, not true"),
        ("jobs = -1", "`jobs` is a whole number, at least 0, not -1"),
        ("min-matched = nan", "`min-matched` is a number, at least 0 and at most 100, not nan"),
        ("complete = 'yes'", "`complete` is true or false, not 'yes'"),
        ("fail-on = 'eror'", "`fail-on` is one of error, warning, info, never, not 'eror'; did you mean `error`?"),
        ("recording = ['hole']", "did you mean `whole`?"),
        ("select = 'overdue'", "`select` is a list of texts, not 'overdue'"),
        ("spec = 1", "`spec` is a text, not 1"),
        ("logs = [1]", "`logs` is a list of texts, not [1]"),
        ("severity = ['x']", "`severity` is a table of names and severities, not ['x']"),
        ("[severity]\noverdue = 'warn'", "`severity` of `overdue` is one of error, warning, info, not 'warn'"),
        ("[severity]\noverdue = 1", "`severity` of `overdue` is one of error, warning, info, not 1"),
        ("jobs = ", "is not TOML: "),
        ("jobs = 1\njobs = 2", "is not TOML: "),
        ("x = " + "[" * 3000, "is not TOML: its values are nested too deeply"),
        ("x = " + "1" * 5000, "is not TOML: "),
        ("\0", "is not TOML: "),
    ],
)
def test_what_is_wrong_in_a_file_is_2_and_said(repository: Path, text: str, said: str) -> None:
    configure(repository, text)
    ran = check("socket.lifespec", "good.jsonl", cwd=repository)
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.startswith("lifespec: lifespec.toml")
    assert said in ran.err
    assert check("--help", cwd=repository).status == 0
    assert check("socket.lifespec", "good.jsonl", "--isolated", cwd=repository).status == 0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("lifespec.toml", "[check]\njobs = 2\n", "`check`: settings such as `jobs = ...` stand at the top"),
        ("lifespec.toml", '[tool.lifespec]\nspec = "a"\n', "`tool`: settings such as `spec = ...` stand at the top"),
        ("pyproject.toml", "[tool.lifespec.check]\njobs = 2\n", "or in `[tool.lifespec]` of pyproject.toml"),
        ("lifespec.toml", "jobs = \n", "is not TOML: invalid value"),
    ],
)
def test_a_table_that_is_none_is_told_where_settings_stand(repository: Path, name: str, text: str, said: str) -> None:
    configure(repository, text, name)
    ran = check()
    assert ran.status == 2
    assert said in ran.err


def test_all_that_is_wrong_is_said_at_once(repository: Path) -> None:
    configure(repository, "jobz = 1\njobs = 'x'\n")
    ran = check(cwd=repository)
    assert ran.err == (
        "lifespec: lifespec.toml: unknown key `jobz`; did you mean `jobs`?\n"
        "lifespec: lifespec.toml: `jobs` is a whole number, at least 0, not 'x'\n"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool]\nlifespec = 1\n", "pyproject.toml: `tool.lifespec` is a table, not 1"),
        ("[tool.lifespec]\njobz = 1\n", "pyproject.toml: unknown key `jobz`"),
        ("[tool.lifespec\n", "pyproject.toml is not TOML: "),
    ],
)
def test_what_is_wrong_in_pyproject_is_said_too(repository: Path, text: str, said: str) -> None:
    configure(repository, text, "pyproject.toml")
    ran = check("socket.lifespec", "good.jsonl", cwd=repository)
    assert ran.status == 2
    assert said in ran.err


@pytest.mark.parametrize("name", ["nowhere.toml", ".", "pyproject.toml"])
def test_a_file_that_is_named_has_to_be_one(repository: Path, name: str) -> None:
    configure(repository, "[tool.other]\n", "pyproject.toml")
    ran = check("--config", name, cwd=repository)
    assert ran.status == 2
    assert name in ran.err


def test_a_file_that_is_not_utf_8_or_a_pipe_or_too_large_is_said(repository: Path) -> None:
    (repository / "lifespec.toml").write_bytes(b"# \xff\n")
    assert "lifespec.toml is not UTF-8" in check(cwd=repository).err
    (repository / "lifespec.toml").write_bytes(b"#" * (2 << 20))
    assert "lifespec.toml is larger than 1024 KiB" in check(cwd=repository).err
    (repository / "lifespec.toml").unlink()
    os.mkfifo(repository / "lifespec.toml")
    assert "it is not a regular file" in check(cwd=repository).err
    (repository / "lifespec.toml").unlink()
    (repository / "lifespec.toml").symlink_to("nowhere")
    assert "there is no such file" in check(cwd=repository).err


def test_a_variable_that_is_wrong_is_2(repository: Path) -> None:
    ran = check("socket.lifespec", "good.jsonl", cwd=repository, LIFESPEC_FORMAT="xml")
    assert ran.status == 2
    assert "'xml' is not one of" in ran.err


def test_spec_and_logs_are_still_missed(repository: Path) -> None:
    assert "Missing argument 'SPEC'" in check(cwd=repository).err
    configure(repository, 'spec = "socket.lifespec"\n')
    assert "Missing argument 'LOG...'" in check(cwd=repository).err


def test_the_schema_is_that_of_the_options() -> None:
    """checker/tools/configuration_schema.py writes it."""
    from configuration_schema import schema

    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert schema() == SCHEMA


def test_an_option_of_names_and_files_is_a_table(repository: Path) -> None:
    below = repository / "below"
    below.mkdir()
    configure(below, '[report]\nsarif = "out/check.sarif"\n')
    command = click.Command("check", params=[click.Option(["--report", "reports"], multiple=True)])
    read = read_configuration("below/lifespec.toml", command)
    assert read.values == {"reports": ("sarif=below/out/check.sarif",)}
    configure(below, "report = ['sarif=x']\n")
    with pytest.raises(Failure, match="is a table of names and paths"):
        read_configuration("below/lifespec.toml", command)


def test_the_reference_has_every_key() -> None:
    page = (ROOT / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE)) == set(SCHEMA["properties"])


def test_other_commands_take_no_settings(repository: Path) -> None:
    configure(repository, "jobz = 1\n")
    assert run("lint", "socket.lifespec").status == 0


# --- variables that set nothing ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("LIFESPEC_FAILON", "`check` has no such setting; did you mean `LIFESPEC_FAIL_ON`?"),
        ("LIFESPEC_JOB", "`check` has no such setting; did you mean `LIFESPEC_JOBS`?"),
        ("LIFESPEC_XYZ", "`check` has no such setting"),
        ("LIFESPEC_SPEC", "`check` has no such setting"),
        ("LIFESPEC_TODAY", "`--today` is said on the command line only"),
        ("LIFESPEC_WRITE_BASELINE", "`--write-baseline` is said on the command line only"),
    ],
)
def test_a_variable_that_sets_nothing_is_told_once(repository: Path, name: str, why: str) -> None:
    ran = check("socket.lifespec", "good.jsonl", cwd=repository, **{name: "2026-01-01"})
    assert ran.status == 0
    said = [line for line in ran.err.splitlines() if name in line]
    if "did you mean" in why:
        assert said == [f"lifespec: {name} in the environment sets nothing: {why}"]
    else:
        assert len(said) == 1
        assert said[0].startswith(f"lifespec: {name} in the environment sets nothing: {why}")


def test_variables_that_are_of_others_or_empty_or_set_something_are_not_told(repository: Path) -> None:
    variables = {"LIFESPEC_MERMAID": "x", "LIFESPEC_COMPILE": "1", "LIFESPEC_FAILON": "", "OTHER_FAILON": "x"}
    ran = check("socket.lifespec", "good.jsonl", cwd=repository, LIFESPEC_FAIL_ON="warning", **variables)
    assert (ran.status, ran.err) == (0, "")
    assert check("--help", cwd=repository, LIFESPEC_FAILON="x").err == ""
