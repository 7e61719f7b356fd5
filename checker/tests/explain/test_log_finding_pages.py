"""Every page of a finding in a log is run: its first log gives exactly that finding, its second one none."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import pytest

from lifespec.check import Log, Options, check
from lifespec.diagnostics import NAMES, Stage
from lifespec.load import load_text
from lifespec.model.model import Model
from lifespec.pages import find_page, pages_folder
from lifespec.reports.report import Report

_STAGES = (Stage.LOG, Stage.VIOLATION, Stage.USAGE)
_NAMES = [name for name, entry in NAMES.items() if entry.stage in _STAGES]
# Findings about the command itself, which no log can fire.
_WITHOUT_LOGS = {
    "few-matched",  # of hundreds of records
    "interrupted",
    "lost-worker",
    "not-a-log",
    "several-bindings",
    "no-such-binding",
    "no-such-session",
    "unknown-profile",
    "unknown-selection",
    "unreadable-file",
    "wrong-baseline",
}


def _page(name: str) -> str:
    page = find_page(name)
    assert page is not None, f"docs/reference/findings/{name}.md is missing"
    return page


def _blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def _model(page: str) -> Model:
    loaded = load_text("".join(_blocks(page, "lifespec")), "page.lifespec")
    assert loaded.model is not None, loaded.diagnostics
    return loaded.model


def _report(page: str, log: str) -> Report:
    content = log.encode().replace("\ufffd".encode(), b"\xff")
    options = Options(strict_json="`--strict-json`" in page)
    return check(_model(page), [Log("page.jsonl", BytesIO(content))], options=options)


def _found(report: Report) -> set[str]:
    found = [*report.findings, *report.problems, *report.binding_findings]
    return {finding.name for finding in found}


@pytest.mark.parametrize("name", [name for name in _NAMES if name not in _WITHOUT_LOGS])
def test_the_first_log_of_a_page_gives_its_finding_and_the_second_none(name: str) -> None:
    page = _page(name)
    fires, quiet = _blocks(page, "jsonl")
    found = _found(_report(page, fires))
    together = {"malformed-record"} if name == "nothing-readable" else set()
    assert found - together == {name}
    assert _found(_report(page, quiet)) == set()


@pytest.mark.parametrize("name", _NAMES)
def test_a_page_is_headed_by_its_name(name: str) -> None:
    assert _page(name).startswith(f"# {name}\n\n")


def test_the_page_of_several_bindings_is_true() -> None:
    page = _page("several-bindings")
    (log,) = _blocks(page, "jsonl")
    assert _found(_report(page, log)) == {"several-bindings"}
    chosen = check(_model(page), [Log("page.jsonl", BytesIO(log.encode()))], binding="web")
    assert _found(chosen) == set()


def test_every_page_is_of_a_known_finding() -> None:
    folder = pages_folder()
    assert folder is not None
    assert {Path(page).stem for page in folder.glob("*.md")} <= set(NAMES) | {"README", "index"}
