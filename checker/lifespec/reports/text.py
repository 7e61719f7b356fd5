"""The report for people at a terminal: findings with their lines, then what was checked. Owns layout only.

Good at 80 columns and without colour. Examples are bounded, counts are exact. The tables of the summary are
in `text_summary`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from lifespec.diagnostics import Severity
from lifespec.diagnostics.excerpt import cut, plain, visible
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import (
    WIDTH,
    arrow,
    attached,
    bar,
    excerpt_lines,
    gutter_for,
    headline,
    render_diagnostic,
    severity_shown,
)
from lifespec.explain import Explained
from lifespec.explain_route import allowed_line
from lifespec.explain_words import times
from lifespec.reports.report import NOT_CHECKED, Report
from lifespec.reports.setting import DEFAULT, Setting
from lifespec.reports.text_filtered import filtered_part
from lifespec.reports.text_summary import summary_parts
from lifespec.verdict import Outcome

_COMMAND = re.compile(r"^([ \t]*)::", re.MULTILINE)


def render(report: Report, setting: Setting = DEFAULT) -> str:
    """The whole report, ended by a line end."""
    palette, width = setting.palette, setting.width
    shown, more = report.examples(setting.examples)
    parts = [render_diagnostic(each, report.sources, palette, width) for each in report.binding_findings]
    parts += [render_finding(finding, palette, width) for finding in shown]
    if more:
        parts.append(_more(more, palette, any_shown=bool(shown)))
    if report.logs:
        if parts:
            parts.append(palette.paint("frame", "-" * width))
        parts += summary_parts(report, palette, width)
        if report.filtered:
            parts.append(filtered_part(report.filtered, palette, width))
    parts += [render_diagnostic(problem, report.sources, palette, width) for problem in report.problems]
    parts.append(conclusion(report, palette))
    return inert("\n\n".join(parts)) + "\n"


def render_finding(finding: Explained, palette: Palette, width: int = WIDTH) -> str:
    """One finding with its line and what there is to say of it, without a final line end."""
    place, violation = finding.place, finding.violation
    gutter = gutter_for((place.line,))
    lines = headline(finding.severity, finding.name, finding.message, palette, width)
    lines.append(arrow(f"{place.log}:{place.line}" + (f", item {place.item}" if place.item else ""), palette))
    if finding.line is not None:
        room = width - gutter - 3
        excerpt = cut(finding.line, *finding.mark, finding.label, room) if finding.mark else plain(finding.line, room)
        lines += [bar(gutter, palette), *excerpt_lines(excerpt, place.line, gutter, finding.severity.value, palette)]
    attachments = [("session", violation.session)] if violation.session else []
    attachments += [fact for fact in finding.facts if fact[0] == "key"]
    attachments += [("witness", witness) for witness in finding.witnesses]
    if finding.allowed:
        attachments.append(("allowed", allowed_line(finding.allowed)))
    attachments += [fact for fact in finding.facts if fact[0] != "key"]
    attachments += [("help", text) for text in finding.help]
    if finding.rule:
        attachments.append(("rule", finding.rule))
    for kind, text in attachments:
        lines += attached(kind, text, gutter, palette, width)
    return inert("\n".join(lines))


def inert(text: str) -> str:
    """Lines of which none is a command to GitHub Actions, where a log might put one: it obeys `::` at the beginning of
    a line, and `##[` anywhere."""
    return _COMMAND.sub(r"\1\\::", text).replace("##[", "## [")


def _more(more: Mapping[tuple[str, str], int], palette: Palette, *, any_shown: bool) -> str:
    """How many findings of each kind are counted, but not shown."""
    lines = []
    for (name, prop), count in more.items():
        of = f" of {prop}" if prop else ""
        lead = f"... and {count:,} more" if any_shown else f"{count:,}"
        lines.append(f"{lead} {palette.paint('strong', name)}{visible(of)}")
    return "\n".join(lines)


def conclusion(report: Report, palette: Palette) -> str:
    """The report in one line: how much was found, in how many sessions, and what was left out."""
    words = report.filtered.words
    return _found(report, palette) + (f"; left out: {words}" if words else "")


def _found(report: Report, palette: Palette) -> str:
    sessions = times(sum(log.sessions for log in report.logs), "session")
    problems = [problem for problem in report.problems if problem.name != "interrupted"]
    severities = Counter({severity: report.count(severity) for severity in Severity})
    severities.update(map(severity_shown, (*report.binding_findings, *problems)))
    counts = [
        palette.severity(severity, times(severities[severity], severity.value))
        for severity in Severity
        if severities[severity]
    ]
    if report.partial:
        so_far = ", ".join(counts) or "nothing found"
        return f"{palette.paint('error', 'interrupted')}: {so_far} in the {sessions} read so far"
    if report.status() == NOT_CHECKED:
        return f"{palette.paint('error', 'could not check')}: {', '.join(counts)}"
    if not counts:
        rows = sum(1 for row in report.properties if row.tally.outcome is Outcome.INCONCLUSIVE)
        still = f"; {times(rows, 'property', 'properties')} inconclusive" if rows else ""
        found = "nothing more found" if report.filtered.left_out else "nothing found"
        return f"{palette.paint('good', found)} in {sessions}{still}"
    touched = report.sessions_with_findings
    about = "" if touched.is_exact else "about "
    within = f" in {about}{touched.number:,} of {sessions}" if touched.number else f" in {sessions}"
    return f"{', '.join(counts)}{within}"
