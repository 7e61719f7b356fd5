"""Which logs are given: none is no check, one is one, and none counts twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_lifespec import run

import lifespec
from lifespec.check import check_files


def _model(folder: Path) -> lifespec.Model:
    model = lifespec.load(folder / "socket.lifespec").model
    assert model is not None
    return model


def test_no_log_is_no_check(folder: Path) -> None:
    with pytest.raises(ValueError, match="no log"):
        lifespec.check(_model(folder), [])
    with pytest.raises(ValueError, match="no log"):
        check_files("socket.lifespec", [])


@pytest.mark.parametrize("log", ["bad.jsonl", Path("bad.jsonl")])
def test_a_path_is_one_log(folder: Path, log: str | Path) -> None:
    assert lifespec.check(_model(folder), log).log_names == ("bad.jsonl",)
    assert check_files("socket.lifespec", log).status() == 1


@pytest.mark.parametrize("again", ["good.jsonl", "./good.jsonl", "link.jsonl"])
def test_a_log_is_not_given_twice(folder: Path, again: str) -> None:
    (folder / "link.jsonl").symlink_to("good.jsonl")
    ran = run("check", "socket.lifespec", "good.jsonl", again)
    assert (ran.status, ran.out) == (2, "")
    assert f"{again} is given twice" in ran.err
    with pytest.raises(ValueError, match="given twice"):
        lifespec.check(_model(folder), ["good.jsonl", again])
