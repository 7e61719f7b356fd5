"""One finding a line: `LOG:LINE: NAME [SESSION] message`. Every finding, in the order of detection, behind
those about the binding."""

from __future__ import annotations

from lifespec.diagnostics.excerpt import visible
from lifespec.diagnostics.render import render_concise
from lifespec.reports.report import Report


def render(report: Report) -> str:
    """The report as lines, each ended; nothing at all when nothing was found."""
    lines = [render_concise(each, report.sources) for each in report.binding_findings]
    for finding in report.findings:
        place, session = finding.place, finding.violation.session
        where = f"{visible(place.log)}:{place.line}"
        said = f" [{visible(session)}]" if session else ""
        item = f" (item {place.item})" if place.item else ""
        lines.append(f"{where}: {finding.name}{said} {visible(finding.message)}{item}")
    lines += [render_concise(problem, report.sources) for problem in report.problems]
    return "".join(f"{line}\n" for line in lines)
