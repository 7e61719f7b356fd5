"""The summary below the findings: logs, outcomes, what was never exercised, how good the logs are. Owns its tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from lifespec.diagnostics.excerpt import visible, width_of
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import wrapped
from lifespec.explain_words import shortened
from lifespec.reports.report import LogSummary, PropertySummary, Report
from lifespec.verdict import Tally

_LOGS = 20
_NAMES = 12  # names shown of one kind, of transitions of one machine
_OUTCOMES = ("satisfied", "violated", "inconclusive", "n/a", "not judged")
_HEADINGS = {"machine": "Machines", "rule": "Rules", "forbid": "Forbidden", "field": "Fields", "event": "Events"}
_SKIMMED = (
    "repeated keys were not looked for; lines and values that nobody reads were only seen to be JSON: --strict-json"
)
_LABELS = 13  # columns of the names of kinds on the left


def summary_parts(report: Report, palette: Palette, width: int) -> list[str]:
    """The parts of the summary, each without a final line end; empty ones are left out."""
    parts = [_subject(report, palette), _logs(report.logs, palette), *_across(report.logs, width)]
    if any(log.events for log in report.logs):  # else nothing was judged
        parts += [*_outcomes(report, palette, width), _never(report, palette, width)]
    return [part for part in (*parts, _quality(report, palette, width)) if part]


def _subject(report: Report, palette: Palette) -> str:
    """What was checked against what."""
    name = f"{report.lifecycle} {report.version}" if report.version else report.lifecycle
    lines = [palette.paint("strong", visible(name))]
    lines += [_labelled("spec" if not index else "", visible(spec)) for index, spec in enumerate(report.specs)]
    lines.append(_labelled("binding", visible(report.binding)))
    if report.profile:
        lines.append(_labelled("profile", visible(report.profile)))
    return "\n".join(lines)


def _logs(logs: Sequence[LogSummary], palette: Palette) -> str:
    """One row for each log, and their sum when there are several."""
    rows = [(log.records, log.events, log.sessions, log.complete_sessions, visible(log.name)) for log in logs[:_LOGS]]
    if len(logs) > _LOGS:
        rest = logs[_LOGS:]
        rows.append((*_sums(rest), f"({len(rest):,} more logs)"))
    if len(logs) > 1:
        rows.append((*_sums(logs), f"(all {len(logs):,} logs)"))
    names = ("records", "events", "sessions", "complete")
    widths = [max(len(name), *(len(f"{row[at]:,}") for row in rows)) for at, name in enumerate(names)]
    head = "".join(f"  {name:>{size}}" for name, size in zip(names, widths, strict=True))
    lines = [palette.paint("quiet", f"{head}  log")]
    for row in rows:
        cells = "".join(f"  {row[at]:>{size},}" for at, size in enumerate(widths))
        lines.append(f"{cells}  {row[-1]}")
    return "\n".join(lines)


def _across(logs: Sequence[LogSummary], width: int) -> Iterator[str]:
    """Which sessions go over several of the logs that were joined."""
    for log in logs:
        if log.across_count:
            names = [shortened(name) for name in log.across]
            more = [f"and {log.across_count - len(names):,} more"] if log.across_count > len(names) else []
            yield "\n".join(_row("in several", "", [*names, *more], ",", width))


def _sums(logs: Iterable[LogSummary]) -> tuple[int, int, int, int]:
    records = events = sessions = complete = 0
    for log in logs:
        records += log.records
        events += log.events
        sessions += log.sessions
        complete += log.complete_sessions
    return records, events, sessions, complete


# --- outcomes ----------------------------------------------------------------------------------------


def _outcomes(report: Report, palette: Palette, width: int) -> list[str]:
    """A table for machines with their bounds, rules, and what is forbidden: counts of sessions."""
    rows = [row for row in report.properties if _is_shown(row)]
    if not rows:
        return []
    room = width - sum(len(name) + 2 for name in _OUTCOMES)
    column = min(room, max(16, *(width_of(_indented(row)) for row in rows)))
    head = "".join(f"  {name}" for name in _OUTCOMES)
    parts = []
    for number, (kind, group) in enumerate(groupby(rows, key=_kind)):
        title = palette.paint("strong", _padded(_HEADINGS[kind], column))
        lines = [title + palette.paint("quiet", head) if number == 0 else title.rstrip()]
        for row in group:
            title = _padded(_shortened(_indented(row), column), column)
            lines.append(title + _cells(row.tally, palette))
        parts.append("\n".join(lines))
    return parts


def _kind(row: PropertySummary) -> str:
    return "machine" if row.property.kind in ("transitions", "bound") else row.property.kind


def _indented(row: PropertySummary) -> str:
    return f"{'    ' if row.property.kind == 'bound' else '  '}{visible(row.title)}"


def _is_shown(row: PropertySummary) -> bool:
    """Fields and events are shown when something is wrong with them: there may be very many."""
    return row.property.kind not in ("field", "event") or bool(row.tally.violated)


def _cells(tally: Tally, palette: Palette) -> str:
    counts = (tally.satisfied, tally.violated, tally.inconclusive, tally.not_applicable, tally.not_judged)
    cells = []
    for name, count in zip(_OUTCOMES, counts, strict=True):
        cell = f"  {f'{count:,}' if count else '-':>{len(name)}}"
        part = {"violated": "error", "inconclusive": "warning"}.get(name) if count else "quiet"
        cells.append(palette.paint(part, cell) if part else cell)
    return "".join(cells)


# --- names -------------------------------------------------------------------------------------------


def _never(report: Report, palette: Palette, width: int) -> str:
    never = report.never_exercised
    lines: list[str] = []
    column = max((width_of(machine) for machine in (*never.states, *never.transitions)), default=0)
    for kind, groups, between in (("states", never.states, ","), ("transitions", never.transitions, ";")):
        for number, (machine, names) in enumerate(groups.items()):
            lead = f"{_padded(visible(machine), column)}  "
            lines += _row("" if number else kind, lead, names, between, width)
    for kind, names in (
        ("owners", never.owners),
        ("reasons", never.reasons),
        ("rules", never.rules),
        ("events", never.events),
    ):
        if names:
            lines += _row(kind, "", names, ",", width)
    return "\n".join([palette.paint("strong", "Never exercised"), *lines]) if lines else ""


def _quality(report: Report, palette: Palette, width: int) -> str:
    quality = report.quality
    lines: list[str] = []
    if quality.unknown:
        lines += _row("unknown", "", _counted(quality.unknown), ",", width)
    if quality.passed_over:
        lines += _row("passed over", "", _counted(quality.passed_over), ",", width)
    for number, allowed in enumerate(quality.allowed):
        words = f"{allowed.count:,} {allowed.name}: {allowed.why}".split(" ")
        lines += _row("" if number else "allowed", "", words, "", width)
    if quality.malformed:
        lines.append(_labelled("malformed", f"{quality.malformed:,}"))
    if quality.blank_lines:
        lines.append(_labelled("blank lines", f"{quality.blank_lines:,}"))
    if quality.skimmed:
        lines += _row("skimmed", "", _SKIMMED.split(" "), "", width)
    return "\n".join([palette.paint("strong", "Log quality"), *lines]) if lines else ""


def _counted(names: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    return tuple(f"{shortened(name)} ({count:,})" for name, count in names)


def _row(kind: str, lead: str, items: Sequence[str], between: str, width: int) -> list[str]:
    """`  kind   a, b, c`, in lines below each other; an item is parted only when it is longer than a line. Of many
    items the first ones."""
    shown = [visible(item) for item in items]
    if between and len(shown) > _NAMES:
        shown = [*shown[:_NAMES], f"and {len(shown) - _NAMES:,} more"]
    room = max(20, width - _LABELS - 2 - width_of(lead))
    lines, line = [], ""
    for number, item in enumerate(shown):
        first, *rest = wrapped(item + (between if number + 1 < len(shown) else ""), room, "  ")
        if line and width_of(line) + 1 + width_of(first) > room:
            lines.append(line)
            line = first
        else:
            line = f"{line} {first}" if line else first
        for piece in rest:
            lines.append(line)
            line = piece
    indent = " " * width_of(lead)
    return [
        _labelled("" if number else kind, f"{indent if number else lead}{text}")
        for number, text in enumerate([*lines, line])
    ]


def _labelled(label: str, text: str) -> str:
    return f"  {label:<{_LABELS - 1}} {text}"


def _padded(text: str, width: int) -> str:
    return text + " " * max(0, width - width_of(text))


def _shortened(text: str, width: int) -> str:
    return text if width_of(text) <= width else text[: width - 3] + "..."
