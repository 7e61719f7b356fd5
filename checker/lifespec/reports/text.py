"""The report for people at a terminal: findings with their lines, then what was checked. Owns layout only.

Good at 80 columns and without colour. Examples are bounded, counts are exact.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence

from lifespec.diagnostics import Severity
from lifespec.diagnostics.excerpt import cut, plain, visible, width_of
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
)
from lifespec.explain import Explained
from lifespec.explain_route import allowed_line
from lifespec.explain_words import times
from lifespec.reports.report import PropertySummary, Report
from lifespec.verdict import Outcome, Property, Tally

EXAMPLES = 5
_NAMES = 12  # of passed-over or never seen names in the summary

_COLUMNS = ("satisfied", "violated", "inconclusive", "n/a", "not judged")


def render(report: Report, *, examples: int | None = EXAMPLES, palette: Palette | None = None, width: int = WIDTH) -> str:
    """The whole report, ended by a line end. `examples` bounds the findings shown of each property and name."""
    palette = palette or Palette()
    shown, more = report.examples(examples)
    parts = [render_finding(finding, palette, width) for finding in shown]
    if more:
        parts.append(_more(more, palette))
    parts += [render_diagnostic(problem, report.sources, palette, width) for problem in report.problems]
    if report.logs:
        parts.append(_heading(report, palette, width))
        parts += [part for part in (_table(report, palette, width), _never(report, palette, width)) if part]
        quality = _quality(report, palette, width)
        parts += [quality] if quality else []
        parts.append(_conclusion(report, palette))
    return "\n\n".join(parts) + "\n"


def render_finding(finding: Explained, palette: Palette, width: int = WIDTH) -> str:
    """One finding with its line and what there is to say of it, without a final line end."""
    place, violation = finding.place, finding.violation
    gutter = gutter_for((place.line,))
    lines = [
        headline(finding.severity, finding.name, finding.message, palette),
        arrow(f"{place.log}:{place.line}", palette),
    ]
    if finding.line is not None:
        room = width - gutter - 3
        excerpt = cut(finding.line, *finding.mark, finding.label, room) if finding.mark else plain(finding.line, room)
        lines += [bar(gutter, palette), *excerpt_lines(excerpt, place.line, gutter, finding.severity.value, palette)]
    attachments = [("session", violation.session)] if violation.session else []
    attachments += [("witness", witness) for witness in finding.witnesses]
    if finding.allowed:
        attachments.append(("allowed", allowed_line(finding.allowed)))
    attachments += finding.facts
    attachments += [("help", text) for text in finding.help]
    if finding.rule:
        attachments.append(("rule", finding.rule))
    for kind, text in attachments:
        lines += attached(kind, text, gutter, palette, width)
    return "\n".join(lines)


def _more(more: Mapping[tuple[str, str], int], palette: Palette) -> str:
    lines = []
    for (name, prop), count in more.items():
        of = f" of {prop}" if prop else ""
        lines.append(f"... and {count:,} more {palette.paint('strong', name)}{visible(of)}")
    return "\n".join(lines)


# --- the summary -------------------------------------------------------------------------------------


def _heading(report: Report, palette: Palette, width: int) -> str:
    """The rule above the summary, what was checked against what, and what was in each log."""
    name = f"{report.lifecycle} {report.version}" if report.version else report.lifecycle
    profile = f", profile {report.profile}" if report.profile else ""
    lines = [
        palette.paint("frame", "-" * width),
        palette.paint("strong", visible(name)) + f"  {', '.join(report.specs)}, binding {report.binding}{profile}",
        "",
    ]
    names = [visible(log.name) for log in report.logs]
    column = min(max(map(width_of, names)), width // 2)
    for log, shown in zip(report.logs, names, strict=True):
        said = f"{times(log.records, 'record')}, {times(log.events, 'event')}, {times(log.sessions, 'session')}"
        complete = f" ({log.complete_sessions:,} complete)" if log.sessions else ""
        lines.append(f"  {_padded(shown, column)}  {said}{complete}")
    return "\n".join(lines)


def _table(report: Report, palette: Palette, width: int) -> str:
    rows = [row for row in report.properties if _is_shown(row)]
    if not rows:
        return ""
    hints = sum(len(column) + 2 for column in _COLUMNS)
    column = max(16, min(max(width_of(_title(row.property)) for row in rows), width - hints - 2))
    head = "".join(f"  {name:>{len(name)}}" for name in _COLUMNS)
    lines = [palette.paint("strong", _padded("In how many sessions", column + 2)) + palette.paint("quiet", head)]
    for row in rows:
        lines.append(f"  {_padded(_shortened(_title(row.property), column), column)}{_cells(row.tally, palette)}".rstrip())
    return "\n".join(lines)


def _is_shown(row: PropertySummary) -> bool:
    """Fields and events are shown when something is wrong with them; there may be very many."""
    return row.property.kind not in ("field", "event") or bool(row.tally.violated)


def _cells(tally: Tally, palette: Palette) -> str:
    counts = (tally.satisfied, tally.violated, tally.inconclusive, tally.not_applicable, tally.not_judged)
    cells = []
    for name, count in zip(_COLUMNS, counts, strict=True):
        cell = f"  {f'{count:,}' if count else '-':>{len(name)}}"
        part = "quiet" if not count else {"violated": "error", "inconclusive": "warning"}.get(name, "")
        cells.append(palette.paint(part, cell) if part else cell)
    return "".join(cells)


def _never(report: Report, palette: Palette, width: int) -> str:
    never = report.never_exercised
    if not never:
        return ""
    lines = [palette.paint("strong", "Never exercised")]
    for kind, groups in (("states", never.states), ("transitions", never.transitions)):
        for machine, names in groups.items():
            lines += _row(kind, f"{machine}: ", names, ", " if kind == "states" else "; ", width)
            kind = ""
    for kind, names in (
        ("owners", never.owners),
        ("reasons", never.reasons),
        ("rules", never.rules),
        ("events", never.events),
    ):
        if names:
            lines += _row(kind, "", names, ", ", width)
    return "\n".join(lines)


def _quality(report: Report, palette: Palette, width: int) -> str:
    quality = report.quality
    lines: list[str] = []
    if quality.unknown:
        lines += _row("unknown", "", _counted(quality.unknown), ", ", width)
    if quality.passed_over:
        lines += _row("passed over", "", _counted(quality.passed_over), ", ", width)
    for allowed in quality.allowed:
        lines += _row("allowed", "", (f"{allowed.count:,} {allowed.name}: {allowed.why}",), " ", width)
    if quality.malformed:
        lines += _row("malformed", "", (times(quality.malformed, "record"),), " ", width)
    if quality.blank_lines:
        lines += _row("blank lines", "", (f"{quality.blank_lines:,}",), " ", width)
    return "\n".join([palette.paint("strong", "Log quality"), *lines]) if lines else ""


def _counted(names: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    return tuple(f"{name} ({count:,})" for name, count in names)


def _row(kind: str, lead: str, items: Sequence[str], between: str, width: int) -> list[str]:
    """`  kind   a, b, c`, continued under its own beginning; of many items the first ones."""
    items = [visible(item) for item in items]
    if len(items) > _NAMES:
        items = [*items[:_NAMES], f"and {len(items) - _NAMES:,} more"]
    head = f"  {kind:<12} "
    text = lead + between.join(items)
    return textwrap.wrap(
        text, width, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False, break_long_words=False
    )


def _conclusion(report: Report, palette: Palette) -> str:
    """The last line: how much was found, and in how many sessions."""
    sessions = times(sum(log.sessions for log in report.logs), "session")
    counts = [
        palette.severity(severity, times(report.count(severity), word, plural))
        for severity, word, plural in (
            (Severity.ERROR, "error", "errors"),
            (Severity.WARNING, "warning", "warnings"),
            (Severity.INFO, "info", "infos"),
        )
        if report.count(severity)
    ]
    if report.problems:
        counts.append(palette.paint("error", "could not check"))
    if not counts:
        open_ = sum(1 for row in report.properties if row.tally.outcome is Outcome.INCONCLUSIVE)
        still = f"; {times(open_, 'property', 'properties')} inconclusive" if open_ else ""
        return f"{palette.paint('good', 'nothing found')} in {sessions}{still}"
    broken = {(f.place.log, f.violation.session) for f in report.findings if f.violation.session}
    within = f" in {len(broken):,} of {sessions}" if broken else f" in {sessions}"
    return f"{', '.join(counts)}{within}"


def _padded(text: str, width: int) -> str:
    return text + " " * max(0, width - width_of(text))


def _shortened(text: str, width: int) -> str:
    return text if width_of(text) <= width else text[: width - 3] + "..."


def _title(prop: Property) -> str:
    """A property as a row of the table names it."""
    match prop.kind:
        case "transitions":
            return prop.name
        case "bound":
            return f"{prop.name}.{prop.state} in time"
    return f"{prop.kind} {prop.name}"
