"""The report as GitLab code quality. Owns its shape; one entry for each kind of finding, on the line of the spec."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from lifespec.diagnostics import Diagnostic, Severity
from lifespec.diagnostics.excerpt import visible
from lifespec.diagnostics.render import in_one_line, severity_shown
from lifespec.explain_words import times
from lifespec.reports.json import safe
from lifespec.reports.location import in_log, path_of, primary, region_of
from lifespec.reports.report import Kind, Report
from lifespec.reports.setting import DEFAULT, Setting

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: Report, setting: Setting = DEFAULT) -> str:
    """The report as a JSON array."""
    entries = [_finding(kind, report, setting) for group in report.groups for kind in group.kinds]
    entries += [_problem(problem, report, setting) for problem in report.problems]
    return safe(json.dumps(entries, ensure_ascii=False, indent=2)) + "\n"


def _finding(kind: Kind, report: Report, setting: Setting) -> dict[str, Any]:
    finding, region = kind.first, primary(kind.first, report, setting)
    first = f"{'first of ' + times(kind.count, 'finding') if kind.count > 1 else 'found'} at"
    description = f"{finding.message} ({first} {in_log(finding, setting).path}:{finding.place.line})"
    return _entry(finding.name, description, _SEVERITIES[kind.severity], region.path, region.line, kind.fingerprint)


def _problem(problem: Diagnostic, report: Report, setting: Setting) -> dict[str, Any]:
    """Why there is no verdict."""
    region = region_of(problem.label.span, report, setting) if problem.label else None
    path, line = (region.path, region.line) if region else (path_of((*report.specs, "lifespec")[0], setting), 1)
    severity = "blocker" if severity_shown(problem) is Severity.ERROR else "minor"
    return _entry(problem.name, in_one_line(problem), severity, path, line, problem.message)


def _entry(name: str, description: str, severity: str, path: str, line: int, same: str) -> dict[str, Any]:
    """`same` says which entries for a file are the same one."""
    unique = json.dumps([name, path, same])  # several lifecycles may be in one pipeline
    return {
        "description": visible(description),
        "check_name": name,
        "fingerprint": hashlib.sha256(unique.encode("ascii")).hexdigest()[:32],
        "severity": severity,
        "location": {"path": path, "lines": {"begin": line}},
    }
