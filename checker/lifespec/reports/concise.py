"""One finding a line: `LOG:LINE: NAME [SESSION] message`. Every finding, in the order of detection, behind
those about the binding."""

from __future__ import annotations

from lifespec.diagnostics.excerpt import visible
from lifespec.diagnostics.render import render_concise
from lifespec.explain import Explained
from lifespec.reports.report import Report
from lifespec.reports.setting import DEFAULT, Setting


def line(finding: Explained) -> str:
    """One finding, ended by a line end."""
    place, session = finding.place, finding.violation.session
    where = f"{visible(place.log)}:{place.line}"
    said = f" [{visible(session)}]" if session else ""
    item = f" (item {place.item})" if place.item else ""
    return f"{where}: {finding.name}{said} {visible(finding.message)}{item}\n"


def end(report: Report, setting: Setting) -> str:
    """Warnings about the binding, and why there is no verdict, one line each; nothing when there are none."""
    return "".join(f"{render_concise(each, report.sources)}\n" for each in (*report.binding_findings, *report.problems))


def render(report: Report, setting: Setting = DEFAULT) -> str:
    """The findings that were kept, and what comes behind them."""
    return "".join(map(line, sorted(report.findings, key=lambda finding: finding.number))) + end(report, setting)
