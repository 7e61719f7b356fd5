"""One finding a line, each a JSON object, as spec/schemas/report-line.schema.json describes them.

Every finding, in the order of detection. The last line says that it is the last one: a report without it was cut off.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lifespec.explain import Explained
from lifespec.reports.json import SCHEMA_VERSION, diagnostic_value, finding_value, safe
from lifespec.reports.report import Report
from lifespec.reports.setting import DEFAULT, Setting


def line(finding: Explained) -> str:
    """One finding, ended by a line end."""
    return _line({"type": "finding", **finding_value(finding)})


def end(report: Report, setting: Setting) -> str:
    """Why there is no verdict, and the line that says that the report is whole."""
    problems = [{"type": "problem", **diagnostic_value(problem, report.sources)} for problem in report.problems]
    last = {
        "type": "end",
        "schema_version": SCHEMA_VERSION,
        "status": setting.status,
        "partial": report.partial,
        "findings": sum(group.count for group in report.groups),
        "records": sum(log.records for log in report.logs),
        "sessions": sum(log.sessions for log in report.logs),
    }
    return "".join(map(_line, [*problems, last]))


def render(report: Report, setting: Setting = DEFAULT) -> str:
    """The findings that were kept, and what comes behind them."""
    return "".join(map(line, sorted(report.findings, key=lambda finding: finding.number))) + end(report, setting)


def _line(value: Mapping[str, Any]) -> str:
    return safe(json.dumps(value, ensure_ascii=False)) + "\n"
