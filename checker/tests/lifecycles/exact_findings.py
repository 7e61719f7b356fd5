"""Checks a log as the command does, and gives what was found as plain data to compare with `expected.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lifespec.analysis.lint import lint
from lifespec.check import check
from lifespec.load import load
from lifespec.model.model import Model
from lifespec.reports.report import Report
from lifespec.verdict import Violation

ROOT = Path(__file__).resolve().parents[3]

Finding = dict[str, Any]


def load_clean(path: Path, profile: str | None = None) -> Model:
    """The model of a text with which nothing is wrong."""
    loaded = load(path, profile=profile)
    assert [f"{d.name}: {d.message}" for d in loaded.diagnostics] == []
    assert loaded.model is not None
    assert [f"{d.name}: {d.message}" for d in lint(loaded.model)] == []
    return loaded.model


def report_of(model: Model, log: Path) -> Report:
    report = check(model, [str(log)])
    assert report.problems == ()
    return report


def found(model: Model, log: Path) -> list[Finding]:
    """Every finding in the log, by line, name and property."""
    return sorted((as_finding(each.violation) for each in report_of(model, log).findings), key=_order)


def expected(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def as_finding(violation: Violation) -> Finding:
    """Line, name and property of a violation; for a value that was wrong also the path to it."""
    finding: Finding = {
        "line": violation.place.line,
        "name": violation.name,
        "property": None if violation.property is None else str(violation.property),
    }
    if violation.name in ("forbidden-value", "invalid-field"):
        finding["path"] = violation.field
    return finding


def _order(finding: Finding) -> tuple[int, str, str]:
    return finding["line"], finding["name"], finding["property"] or ""
