"""The other commands: lint, draw, export, init, explain, and what they have in common."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from run_lifespec import run

import lifespec
from lifespec.cli import cli
from lifespec.diagnostics import NAMES, Stage
from lifespec.shipped import shipped_lifecycles
from lifespec.trace.library import library_bindings

ROOT = Path(__file__).parents[3]
COMMANDS = ["check", "lint", "draw", "export", "init", "infer", "explain"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_short_help_with_an_example(command: str) -> None:
    result = CliRunner().invoke(cli, [command, "--help"])
    assert result.exit_code == 0
    assert f"Example:  lifespec {command}" in result.output


def test_the_version_is_the_one_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert lifespec.__version__ == project["version"]
    assert CliRunner().invoke(cli, ["--version"]).output == f"lifespec {project['version']}\n"


def test_an_unknown_command_names_the_nearest() -> None:
    ran = run("chekc")
    assert ran.status == 2
    assert "Did you mean 'check'?" in ran.err


# What a short command must not wait for: each takes longer to import than the smallest command to run.
HEAVY = {
    "graphviz",
    "hypothesis",
    "jsonschema",
    "lark",
    "networkx",
    "numpy",
    "pydoc",
    "pygraphviz",
    "re2",
    "rich",
    "unittest",
}
# Of the standard library, what only some input or some output needs.
SELDOM = {"asyncio", "difflib", "hashlib", "importlib.resources", "multiprocessing", "shutil", "zipfile", "zoneinfo"}


def imported_by(*arguments: str) -> set[str]:
    """The modules that a command has in a process of its own when it is done."""
    code = (
        "import sys; from lifespec.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: print('\\nmodules', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("\nmodules ")[2].split())


@pytest.mark.parametrize("arguments", [["--version"], ["lint", "socket.lifespec"]])
def test_nothing_heavy_is_imported_for_a_quick_command(folder: Path, arguments: list[str]) -> None:
    assert not (HEAVY | SELDOM | {"tempfile"}) & imported_by(*arguments)


def test_nothing_heavy_is_imported_for_a_check_that_finds_nothing(folder: Path) -> None:
    assert not ((HEAVY | SELDOM) - {"re2"}) & imported_by("check", "socket.lifespec", "good.jsonl")


def test_a_pattern_is_what_needs_re2(folder: Path) -> None:
    with (folder / "socket.lifespec").open("a") as spec:
        spec.write('field id : text like "[a-z]+"\n')
    assert "re2" in imported_by("lint", "socket.lifespec")


# --- lint --------------------------------------------------------------------------------------------


def test_lint_finds_nothing_in_a_sound_lifecycle(folder: Path) -> None:
    (folder / "sound.lifespec").write_text("lifecycle a\nmachine m {\n  initial x\n  final y\n  x -> y on go\n}\n")
    ran = run("lint", "sound.lifespec")
    assert (ran.status, ran.out) == (0, "nothing found in sound.lifespec\n")


def test_lint_says_where_and_what_next(folder: Path) -> None:
    (folder / "slip.lifespec").write_text("lifecycle a\nmachine m {\n  initial open\n  final y\n  opn -> y on go\n}\n")
    ran = run("lint", "slip.lifespec")
    assert ran.status == 1
    assert "  --> slip.lifespec:5:3\n" in ran.out
    assert "   |   ^^^" in ran.out
    assert "= help: did you mean `open`?" in ran.out
    assert ran.out.endswith(" in slip.lifespec\n")


def test_lint_has_the_three_forms(folder: Path) -> None:
    (folder / "slip.lifespec").write_text("lifecycle a\nmachine m {\n  initial open\n  final y\n  opn -> y on go\n}\n")
    concise = run("lint", "slip.lifespec", "--format", "concise").out
    assert re.match(r"slip\.lifespec:5:3: [a-z-]+ .*`opn`", concise)
    found = json.loads(run("lint", "slip.lifespec", "--format", "json").out)["findings"]
    assert found[0]["at"] == {"file": "slip.lifespec", "line": 5, "column": 3, "end_line": 5, "end_column": 6}


def test_lint_of_a_missing_file_is_2(folder: Path) -> None:
    ran = run("lint", "nowhere.lifespec")
    assert ran.status == 2
    assert "there is no such file" in ran.out


# --- draw and export ---------------------------------------------------------------------------------


def test_draw_writes_a_picture_and_checks_it(folder: Path) -> None:
    assert run("draw", "socket.lifespec", "-o", "socket.mmd").status == 0
    assert run("draw", "socket.lifespec", "--check", "socket.mmd").status == 0
    with (folder / "socket.lifespec").open("a") as file:
        file.write("machine other { initial x  final y  x -> y on go }\n")
    ran = run("draw", "socket.lifespec", "--check", "socket.mmd")
    assert ran.status == 1
    assert "socket.mmd is stale" in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "say where to"),
        (["-o", "socket.xyz"], "there is no picture with the ending .xyz"),
        (["-o", "socket"], "has no ending"),
        (["-o", "-"], "say what to write with --format"),
        (["-o", "a.mmd", "--check", "a.mmd"], "say where to"),
        (["-o", "a.mmd", "--machine", "conection"], "did you mean connection?"),
        (["-o", "nowhere/a.mmd"], "there is no folder nowhere"),
        (["--check", "nowhere.mmd"], "there is no such file"),
    ],
)
def test_draw_says_what_it_needs(folder: Path, arguments: list[str], said: str) -> None:
    ran = run("draw", "socket.lifespec", *arguments)
    assert ran.status == 2
    assert said in ran.err


def test_draw_of_a_lifecycle_with_errors_is_2(folder: Path) -> None:
    (folder / "broken.lifespec").write_text("lifecycle a\nmachine m { initial x  x -> y on go }\n")
    ran = run("draw", "broken.lifespec", "-o", "a.mmd")
    assert ran.status == 2
    assert "--> broken.lifespec:2:" in ran.err
    assert not (folder / "a.mmd").exists()


@pytest.mark.parametrize(("form", "start"), [("graphml", "<"), ("node-link", "{")])
def test_export_writes_the_graph(folder: Path, form: str, start: str) -> None:
    ran = run("export", "socket.lifespec", "--to", form)
    assert ran.status == 0
    assert ran.out.startswith(start)
    assert "connecting" in ran.out


# --- init and explain --------------------------------------------------------------------------------


def test_the_starter_lints_clean_and_its_log_has_one_finding(folder: Path) -> None:
    ran = run("init", "mine.lifespec")
    assert (ran.status, ran.err) == (0, "")
    assert run("lint", "mine.lifespec", "--fail-on", "info").status == 0
    found = run("check", "mine.lifespec", "mine.jsonl", "--format", "concise")
    assert found.out.startswith("mine.jsonl:8: invalid-transition [goes-wrong]")
    assert found.out.count("\n") == 1


def test_init_overwrites_nothing(folder: Path) -> None:
    (folder / "mine.jsonl").write_text("mine")
    ran = run("init", "mine.lifespec")
    assert ran.status == 2
    assert "mine.jsonl is there already" in ran.err
    assert (folder / "mine.jsonl").read_text() == "mine"
    assert not (folder / "mine.lifespec").exists()


def test_init_without_a_name_writes_a_lifecycle(folder: Path) -> None:
    assert run("init").status == 0
    assert (folder / "lifecycle.lifespec").exists()


def test_explain_prints_the_page(folder: Path) -> None:
    ran = run("explain", "lost-record")
    assert ran.status == 0
    assert ran.out.startswith("# lost-record\n\n")
    assert "```lifespec\nlifecycle socket\n" in ran.out


def test_explain_alone_lists_every_finding() -> None:
    out = run("explain").out
    assert all(f"  {name} " in out for name in NAMES)


def test_explain_alone_has_each_heading_once() -> None:
    headings = [line for line in run("explain").out.splitlines() if line and not line.startswith(" ")]
    assert headings == [
        *(f"findings: {stage.value}" for stage in Stage),
        "lifecycles that ship",
        "ready-made bindings",
    ]


def test_explain_lists_the_ready_made_bindings_and_prints_their_pages() -> None:
    listed = run("explain").out
    for name in library_bindings():
        assert f"  {name} " in listed
        ran = run("explain", name)
        assert ran.status == 0
        assert ran.out.startswith(f"# {name}\n\n")
        assert "\nA ready-made binding for " in ran.out
        assert f"```lifespec\nbinding {name} " in ran.out


def test_a_page_of_a_binding_says_its_lifecycle_and_shows_what_it_extends() -> None:
    page = run("explain", "qlog-pcap").out
    assert "lifespec check lib:quic-connection LOG --binding qlog-pcap\n" in page
    assert page.index("binding qlog-pcap ") < page.index("binding qlog-01 ") < page.index("binding qlog ")
    assert "Extended by `qlog-pcap`, `qlog-quictrace`." in run("explain", "qlog-01").out
    assert "lifespec check SPEC LOG --binding otlp\n" in run("explain", "otlp").out


def test_explain_of_a_name_near_a_binding_says_so() -> None:
    ran = run("explain", "rtcstat")
    assert ran.status == 2
    assert "did you mean `rtcstats`?" in ran.err


def test_explain_of_an_unknown_name_says_the_nearest() -> None:
    ran = run("explain", "lost-recrd")
    assert ran.status == 2
    assert "did you mean `lost-record`?" in ran.err


# --- lifecycles that ship ------------------------------------------------------------------------------


def test_explain_lists_the_lifecycles_that_ship_and_prints_their_pages() -> None:
    listed = run("explain").out
    assert all(f"  lib:{name} " in listed for name in shipped_lifecycles())
    assert run("explain", "lib:webrtc").out.startswith("# The lifecycle of an RTCPeerConnection\n\n")


@pytest.mark.parametrize(
    "arguments", [("check", "webrtc", "good.jsonl"), ("lint", "webrtc"), ("export", "webrtc", "--to", "graphml")]
)
def test_a_lifecycle_that_ships_is_proposed_where_its_name_is_taken_for_a_file(
    folder: Path, arguments: tuple[str, ...]
) -> None:
    ran = run(*arguments)
    assert ran.status in (1, 2)
    assert "did you mean `lib:webrtc`?" in ran.out + ran.err


@pytest.mark.parametrize(("name", "near"), [("lib:webrct", "lib:webrtc"), ("webrtc", "lib:webrtc")])
def test_explain_of_a_lifecycle_that_does_not_ship_says_the_nearest(name: str, near: str) -> None:
    ran = run("explain", name)
    assert ran.status == 2
    assert f"did you mean `{near}`?" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("lint",),
        ("draw", "--format", "mmd", "-o", "-"),
        ("export", "--to", "graphml"),
        ("check", "--format", "concise"),
    ],
)
def test_a_shipped_lifecycle_is_a_spec_of_every_command(folder: Path, arguments: tuple[str, ...]) -> None:
    log = [] if arguments[0] != "check" else [str(ROOT / "spec/lifecycles/webrtc/samples/firefox-relay")]
    assert run(arguments[0], "lib:webrtc", *log, *arguments[1:]).status == 0
    ran = run(arguments[0], "lib:webrct", *log, *arguments[1:])
    assert ran.status == 2
    assert "lib:webrct: no lifecycle of this name ships with" in ran.out + ran.err


def test_a_shipped_text_is_not_overwritten(tmp_path: Path) -> None:
    text = tmp_path / "webrtc.lifespec"
    text.symlink_to(ROOT / "spec/lifecycles/webrtc/webrtc.lifespec")
    ran = run("lint", "lib:webrtc", "-o", str(text))
    assert ran.status == 2
    assert "would overwrite what is read" in ran.err
