"""Statistics for people at a terminal. Owns layout only; good at 80 columns and without colour.

A share is never shown without its limits, and never as nothing or all of what there may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lifespec.diagnostics.excerpt import visible, width_of
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import WIDTH, render_diagnostic, wrapped
from lifespec.explain_words import joined, times
from lifespec.stats.measure import SHORTER, Measure
from lifespec.stats.ranking import (
    SMALL,
    besides,
    finding_words,
    ranked_findings,
    ranked_reasons,
    ranked_segments,
    seen_measures,
    segment_words,
)
from lifespec.stats.read import Statistics
from lifespec.stats.record import Found, Summary
from lifespec.stats.words import (
    NOT_TOLD,
    QUANTILES,
    duration_buckets,
    limits_words,
    quantile_name,
    share_words,
    told,
    value_words,
)

MOST_SEGMENTS = 20  # shown
_MOST_SHOWN = 12  # of reasons of one state


def render(statistics: Statistics, *, palette: Palette | None = None, width: int = WIDTH) -> str:
    """The whole answer, ended by a line end."""
    palette = palette or Palette()
    parts = [_subject(statistics, palette, width)]
    tally = statistics.tally
    if tally.overall.sessions:
        parts += _summary(statistics, tally.overall, palette, width)
    if tally.segments:
        parts.append(_segments(statistics, palette, width))
        ranked = ranked_segments(statistics)
        for name, summary in ranked[:MOST_SEGMENTS]:
            title = f"{segment_words(statistics, name)}: {_sessions(summary.sessions)}"
            parts.append(palette.paint("frame", "-" * width) + "\n" + palette.paint("strong", title))
            parts += _summary(statistics, summary, palette, width)
        if len(ranked) > MOST_SEGMENTS:
            parts.append(f"{times(len(ranked) - MOST_SEGMENTS, 'more segment')}: --format csv has all")
        if tally.crowded_out:
            others = f"{tally.crowded_out:,} sessions are in `(other)`"
            parts.append(f"only the first {tally.most:,} segments are told apart; {others}")
    parts += [render_diagnostic(problem, statistics.sources, palette, width) for problem in statistics.problems]
    return "\n\n".join(part for part in parts if part) + "\n"


def _subject(statistics: Statistics, palette: Palette, width: int) -> str:
    """What was read, and by which text."""
    name = f"{statistics.lifecycle} {statistics.version}" if statistics.version else statistics.lifecycle
    lines = [palette.paint("strong", visible(name))] if name else []
    for place, spec in enumerate(statistics.specs):
        lines.append(f"  {'' if place else 'spec':<12} {visible(spec)}")
    if statistics.digest:
        lines.append(f"  {'digest':<12} sha256:{statistics.digest[:16]}")
        lines.append(f"  {'binding':<12} {visible(statistics.binding)}")
    if statistics.profile:
        lines.append(f"  {'profile':<12} {visible(statistics.profile)}")
    logs = statistics.log_names
    lines.append(f"  {'logs':<12} {cut_left(logs[0], width - 15) if len(logs) == 1 else times(len(logs), 'log')}")
    lines.append(f"  {'records':<12} {statistics.records:,}")
    lines.append(f"  {'sessions':<12} {statistics.tally.overall.sessions:,}")
    return "\n".join(lines)


def cut_left(text: str, room: int) -> str:
    """A path as it is shown; of a long one the end."""
    text = visible(text)
    return text if width_of(text) <= room else f"...{text[3 - room :]}"


def _sessions(count: int) -> str:
    return times(count, "session") + (f", fewer than {SMALL}: hardly anything can be told" if count < SMALL else "")


def _summary(statistics: Statistics, summary: Summary, palette: Palette, width: int) -> list[str]:
    parts = [_findings(statistics, summary, palette, width)]
    parts += _measures(statistics.measures, summary, palette)
    parts += [_reasons(summary, palette, width), _durations(summary, palette)]
    return [part for part in parts if part]


# --- findings --------------------------------------------------------------------------------------------


def _findings(statistics: Statistics, summary: Summary, palette: Palette, width: int) -> str:
    of = summary.sessions
    head = f"{'Findings':<38}{'found':>8}{'sessions':>9}{'share':>9}  95 % limits"
    lines = [palette.paint("strong", head)]
    total = Found(sum(found.count for found in summary.findings.values()), summary.affected)
    rows = [("any finding", total)]
    rows += [(finding_words(group), found) for group, found in ranked_findings(summary)]
    for title, found in rows:
        cells = f"{found.count:>8,}{found.sessions:>9,}{share_words(found.sessions, of):>9}"
        lines += _row(title, 38, f"{cells}  {limits_words(found.sessions, of)}")
    if summary is statistics.tally.overall:
        lines += [f"  {line}" for words in _besides(statistics) for line in wrapped(words, width - 2, "  ")]
    return "\n".join(lines)


def _besides(statistics: Statistics) -> Iterator[str]:
    for title, names, more in besides(statistics):
        yield f"{title} {joined(names, most=6)}{more}"


def _row(title: str, room: int, cells: str) -> list[str]:
    """A title and its cells, in two lines where the title is long."""
    title = visible(title)
    if width_of(title) <= room - 2:
        return [f"  {title}{' ' * (room - 2 - width_of(title))}{cells}"]
    return [f"  {title}", f"{' ' * room}{cells}"]


# --- measures --------------------------------------------------------------------------------------------


def _measures(measures: Sequence[Measure], summary: Summary, palette: Palette) -> list[str]:
    parts: dict[str, list[str]] = {}
    for measure, found in seen_measures(measures, summary):
        lines = parts.get(measure.kind)
        if lines is None:
            title = measure.kind[0].upper() + measure.kind[1:]
            names = "".join(f"{quantile_name(share):>8}" for share in QUANTILES[measure.worse])
            extreme = "min" if measure.worse == SHORTER else "max"
            head = f"{title:<28}{'n':>7}{'open':>6}{names}{extreme:>8}{'bound':>7}"
            lines = parts[measure.kind] = [palette.paint("strong", head)]
        values = found.values
        cells = f"{values.count:>7,}{found.open or NOT_TOLD:>6}"
        cells += "".join(f"{value_words(told(values, share), measure.unit):>8}" for share in QUANTILES[measure.worse])
        extreme_value = values.minimum if measure.worse == SHORTER else values.maximum
        cells += f"{value_words(extreme_value, measure.unit):>8}{value_words(measure.bound, measure.unit):>7}"
        lines += _row(measure.name, 28, cells)
    return ["\n".join(lines) for lines in parts.values()]


# --- reasons and lengths -----------------------------------------------------------------------------------


def _reasons(summary: Summary, palette: Palette, width: int) -> str:
    lines: list[str] = []
    for (machine, state), reasons in ranked_reasons(summary).items():
        shown = [f"{visible(reason)} {count:,}" for reason, count in reasons[:_MOST_SHOWN]]
        if len(reasons) > _MOST_SHOWN:
            shown.append(f"{len(reasons) - _MOST_SHOWN:,} more")
        lines += _listed(f"{machine}.{state}", shown, width)
    return "\n".join([palette.paint("strong", "Reasons"), *lines]) if lines else ""


def _listed(title: str, items: Iterable[str], width: int) -> list[str]:
    first, *rest = wrapped(", ".join(items), width - 28, "")
    lines = _row(title, 28, first)
    return [*lines, *(" " * 28 + line for line in rest)]


def _durations(summary: Summary, palette: Palette) -> str:
    lines = [palette.paint("strong", f"{'Length of sessions':<28}{'n':>7}{'findings':>10}{'share':>10}  95 % limits")]
    for name, bucket in zip(duration_buckets(), summary.durations, strict=True):
        if bucket.count:
            cells = f"{bucket.count:>7,}{bucket.sessions:>10,}{share_words(bucket.sessions, bucket.count):>10}"
            lines.append(f"  {name:<26}{cells}  {limits_words(bucket.sessions, bucket.count)}")
    return "\n".join(lines) if len(lines) > 1 else ""


# --- segments ----------------------------------------------------------------------------------------------


def _segments(statistics: Statistics, palette: Palette, width: int) -> str:
    head = f"{'Segments':<37}{'sessions':>9}{'findings':>10}{'share':>8}  95 % limits"
    lines = [palette.paint("strong", head)]
    for name, summary in ranked_segments(statistics):
        cells = f"{summary.sessions:>9,}{summary.affected:>10,}{share_words(summary.affected, summary.sessions):>8}"
        title = segment_words(statistics, name)
        lines += _row(title, 37, f"{cells}  {limits_words(summary.affected, summary.sessions)}")
    return "\n".join(lines)
