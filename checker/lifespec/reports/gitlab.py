"""The report as GitLab code quality. Owns its shape; one entry for each kind of finding, on the line of the spec.

There is no place for anything but entries: what has none is counted in one for its group, and what filters left out in
one for the report.
"""

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
from lifespec.reports.report import Group, Kind, Report
from lifespec.reports.setting import DEFAULT, Setting

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: Report, setting: Setting = DEFAULT) -> str:
    """The report as a JSON array."""
    entries = []
    for group in report.groups:
        entries += [_finding(kind, report, setting) for kind in group.kinds]
        entries += _rest(group, report, setting)
    entries += [_problem(problem, report, setting) for problem in (*report.problems, *report.binding_findings)]
    entries += _left_out(report, setting)
    return safe(json.dumps(entries, ensure_ascii=False, indent=2)) + "\n"


def _finding(kind: Kind, report: Report, setting: Setting) -> dict[str, Any]:
    finding, region = kind.first, primary(kind.first, report, setting)
    first = f"{'first of ' + times(kind.count, 'finding') if kind.count > 1 else 'found'} at"
    description = f"{finding.message} ({first} {in_log(finding, setting).path}:{finding.place.line})"
    return _entry(finding.name, description, _SEVERITIES[kind.severity], region.path, region.line, kind.fingerprint)


def _rest(group: Group, report: Report, setting: Setting) -> list[dict[str, Any]]:
    """What of a group has no entry of its own, in one."""
    findings, kinds = group.beyond(group.kinds)
    if not findings:
        return []
    of = f" of `{group.property}`" if group.property else ""
    about = "" if kinds.is_exact else "about "
    description = (
        f"{times(findings, 'more finding')} `{group.name}`{of}, of {about}{times(kinds.number, 'kind')} that are not "
        "listed; --format jsonl has all"
    )
    region = primary(group.kinds[0].first, report, setting)
    severity = _SEVERITIES[group.severity]
    return [_entry(group.name, description, severity, region.path, region.line, f"more of {group.property or ''}")]


def _left_out(report: Report, setting: Setting) -> list[dict[str, Any]]:
    words = report.filtered.words
    path = _beginning(report, setting)
    return [_entry("left-out", f"left out of this report: {words}", "info", path, 1, "left out")] if words else []


def _beginning(report: Report, setting: Setting) -> str:
    names = [*report.specs, *report.log_names, "lifespec"]
    paths = (path_of(name, setting) for name in names)
    return next((path for path in paths if path is not None), names[0])


def _problem(problem: Diagnostic, report: Report, setting: Setting) -> dict[str, Any]:
    """Why there is no verdict, or what is odd in the binding."""
    region = region_of(problem.label.span, report, setting) if problem.label else None
    path, line = (region.path, region.line) if region else (_beginning(report, setting), 1)
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
