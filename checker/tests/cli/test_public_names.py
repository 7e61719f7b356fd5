"""The module `lifespec` is what programs use: its names are what they say, whatever was imported before."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import lifespec


def test_every_public_name_is_there() -> None:
    for name in lifespec.__all__:
        assert getattr(lifespec, name) is not None
    assert set(dir(lifespec)) >= set(lifespec.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        lifespec.chekc  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("name", ["load", "check", "explain"])
def test_a_function_stays_a_function_when_its_module_is_imported(name: str) -> None:
    code = f"import lifespec, lifespec.{name}; from lifespec.{name} import {name}; assert lifespec.{name} is {name}"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys, lifespec; print(*(m for m in sys.modules if m.startswith('lifespec.')))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["lifespec.version"]


def test_a_log_is_checked_from_code(folder: Path) -> None:
    loaded = lifespec.load("socket.lifespec")
    assert loaded.model is not None
    report = lifespec.check(loaded.model, ["bad.jsonl", folder / "good.jsonl"])
    assert [(finding.place.line, finding.name) for finding in report.findings] == [
        (2, "missing-reason"),
        (3, "invalid-transition"),
    ]
    assert report.status() == 1


def test_a_monitor_answers_record_by_record(folder: Path) -> None:
    model = lifespec.load("socket.lifespec").model
    assert model is not None
    monitor = lifespec.Monitor(model)
    place = lifespec.Place("live", 1)
    (violation,) = monitor.feed(lifespec.Record(place, "s1", 0, (lifespec.Event("opened"),)))
    explained = lifespec.explain(violation, model, lambda place: None)
    assert explained.message == "`opened` is not allowed in state `idle` of `connection`"
    assert explained.line is None
    assert monitor.finish().sessions == 1


def test_the_graph_is_built_from_code(folder: Path) -> None:
    model = lifespec.load("socket.lifespec").model
    assert model is not None
    assert set(lifespec.build_graph(model)["connection"]) == {"idle", "connecting", "open", "failed", "closed"}
