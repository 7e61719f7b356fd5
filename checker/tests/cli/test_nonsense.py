"""Whatever an option is given that it cannot take is said, with the option, and ends with status 2."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import click
import pytest
from run_lifespec import run

from lifespec.cli import cli

ARGUMENTS = {
    "check": ("socket.lifespec", "good.jsonl"),
    "timeline": ("socket.lifespec", "good.jsonl"),
    "stats": ("socket.lifespec", "good.jsonl"),
    "compare": ("socket.lifespec", "--base", "good.jsonl", "--head", "good.jsonl"),
    "lint": ("socket.lifespec",),
    "draw": ("socket.lifespec",),
    "export": ("socket.lifespec",),
    "infer": ("good.jsonl",),
    "init": ("new.lifespec",),
    "explain": ("missing-reason",),
}


def options() -> Iterator[tuple[str, click.Option]]:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        yield from ((name, param) for param in command.params if isinstance(param, click.Option) and not param.is_flag)


OPTIONS = [pytest.param(name, option, id=f"{name} {option.opts[-1]}") for name, option in options()]


@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_an_empty_value_is_none(name: str, option: click.Option, folder: Path) -> None:
    before = sorted(folder.iterdir())
    ran = run(name, *ARGUMENTS[name], option.opts[-1], "")
    assert (ran.status, ran.out) == (2, "")
    assert option.opts[-1] in ran.err
    assert "valid" not in ran.err.replace("Invalid value for", "")
    assert sorted(folder.iterdir()) == before


NUMBERS = [each for each in OPTIONS if isinstance(each.values[1].type, click.IntRange | click.FloatRange)]


@pytest.mark.parametrize("nonsense", ["x", "-1", "nan", "1e99", "0x10"])
@pytest.mark.parametrize(("name", "option"), NUMBERS)
@pytest.mark.usefixtures("folder")
def test_a_number_that_cannot_be_is_told_what_can(name: str, option: click.Option, nonsense: str) -> None:
    ran = run(name, *ARGUMENTS[name], option.opts[-1], nonsense)
    assert (ran.status, ran.out) == (2, "")
    assert f"'{nonsense}' is not a " in ran.err
    assert "number, at least" in ran.err


@pytest.mark.parametrize("arguments", [("", "good.jsonl"), ("socket.lifespec", "")], ids=["spec", "log"])
@pytest.mark.usefixtures("folder")
def test_an_empty_argument_is_none(arguments: tuple[str, str]) -> None:
    for name in ("check", "stats", "timeline"):
        ran = run(name, *arguments)
        assert (ran.status, ran.out) == (2, "")
        assert "it is empty" in ran.err


@pytest.mark.usefixtures("folder")
def test_names_that_are_none_are_refused() -> None:
    ran = run("stats", *ARGUMENTS["stats"], "--by", ",")
    assert ran.status == 2
    assert "',' names no field to sort by" in ran.err
    ran = run("check", *ARGUMENTS["check"], "--report", "jso=x")
    assert "did you mean json?" in ran.err


def test_a_pipe_is_drafted_from_as_a_file_is(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    content = (folder / "good.jsonl").read_bytes()
    Thread(target=(folder / "pipe").write_bytes, args=(content,), daemon=True).start()
    assert run("infer", "pipe").out.replace("pipe", "good.jsonl") == run("infer", "good.jsonl").out != ""


def test_why_there_is_no_timeline_is_always_said(folder: Path) -> None:
    (folder / "cut.gz").write_bytes(gzip.compress((folder / "good.jsonl").read_bytes())[:60])
    ran = run("timeline", "socket.lifespec", "cut.gz")
    assert ran.status == 2
    assert "cut.gz" in ran.err
    assert "cut or broken" in ran.err


def test_what_is_packed_otherwise_is_told_to_be_unpacked(folder: Path) -> None:
    (folder / "logs.zip").write_bytes(b"PK\x03\x04\x00\x00")
    assert "unpack it first" in run("check", "socket.lifespec", "logs.zip").out


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full disk")
@pytest.mark.usefixtures("folder")
def test_a_full_disk_is_said_with_its_name() -> None:
    for form in ("text", "jsonl"):
        ran = run("check", *ARGUMENTS["check"], "-q", "--report", f"{form}=/dev/full")
        assert ran.status == 2
        assert "cannot write /dev/full: no space is left on the device" in ran.err
