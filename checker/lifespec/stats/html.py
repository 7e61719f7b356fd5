"""Statistics as one page of HTML with its pictures in it: no script, nothing fetched. Owns what stands where.

The page is `page/stats.html`, filled in by `html_page`, in the colours of the report of a check. Whatever comes from a
text or a log is escaped there, and was masked before.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from lifespec.explain_words import times
from lifespec.reports.html_page import BASE_STYLE, render_page, text_of
from lifespec.stats import plot
from lifespec.stats.interval import wilson
from lifespec.stats.measure import KINDS, SHORTER, Measure
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
from lifespec.stats.record import Distribution, Summary
from lifespec.stats.words import (
    QUANTILES,
    duration_buckets,
    histogram,
    limits_words,
    percent,
    quantile_name,
    share_words,
    told,
    value_words,
)

MOST_SEGMENTS = 50  # shown whole


class _Row(Struct, frozen=True):
    """So many of so many sessions, as words and drawn."""

    title: str
    count: int
    found: int
    of: int
    share: str
    limits: str
    drawn: plot.Interval | None = None


class _MeasureRow(Struct, frozen=True):
    name: str
    about: str
    cells: list[str]


class _Figure(Struct, frozen=True):
    """The values of a measure: drawn, or in words where a picture would be one block."""

    name: str
    count: int
    drawn: plot.Histogram | None
    words: str


class _Measures(Struct, frozen=True):
    title: str
    columns: list[str]
    rows: list[_MeasureRow]
    figures: list[_Figure]


class _Part(Struct, frozen=True):
    """All that is shown of some sessions."""

    scale: str
    findings: list[_Row]
    besides: list[str]
    measures: list[_Measures]
    reasons: list[tuple[str, str]]
    lengths: list[_Row]


def render(statistics: Statistics) -> str:
    """The page, ended by a line end."""
    tally, overall = statistics.tally, statistics.tally.overall
    ranked = ranked_segments(statistics) if tally.segments else []
    scale = max((wilson(summary.affected, summary.sessions)[1] for _, summary in ranked), default=1.0)
    titles = [(segment_words(statistics, name), summary) for name, summary in ranked]
    context = {
        "lifecycle": " ".join(filter(None, (statistics.lifecycle, statistics.version))),
        "headline": _headline(statistics),
        "tone": "unknown" if statistics.problems else "warned" if overall.affected else "good",
        "subject": [(name, value) for name, value in _subject(statistics) if value],
        "problems": statistics.problems,
        "whole": _part(statistics, overall) if overall.sessions else None,
        "segments": [
            _row(title, 0, summary.affected, summary.sessions, scale) for title, summary in titles[: 4 * MOST_SEGMENTS]
        ],
        "segment_scale": percent(scale),
        "small": SMALL,
        "parts": [
            (f"{title}: {times(summary.sessions, 'session')}", _part(statistics, summary))
            for title, summary in titles[:MOST_SEGMENTS]
        ],
        "left_out": list(_left_out(statistics, len(ranked))),
        "width": plot.WIDTH,
        "row": plot.ROW,
        "height": plot.HEIGHT,
    }
    style = text_of("lifespec.reports", BASE_STYLE) + text_of("lifespec.stats", "stats.css")
    return render_page("lifespec.stats", "stats.html", style, "", context)


def _headline(statistics: Statistics) -> str:
    overall = statistics.tally.overall
    if statistics.problems:
        return "Could not measure"
    return f"Findings in {overall.affected:,} of {times(overall.sessions, 'session')}"


def _subject(statistics: Statistics) -> Iterator[tuple[str, str]]:
    logs = statistics.log_names
    yield "spec", ", ".join(statistics.specs)
    yield "digest", f"sha256:{statistics.digest[:16]}" if statistics.digest else ""
    yield "binding", statistics.binding
    yield "profile", statistics.profile or ""
    yield "logs", ", ".join(logs) if len(logs) <= 5 else f"{', '.join(logs[:4])} and {len(logs) - 4:,} more"
    yield "records", f"{statistics.records:,}"


def _row(title: str, count: int, found: int, of: int, scale: float | None) -> _Row:
    drawn = None
    if scale is not None:
        low, high = wilson(found, of)
        at = found / of if 0 < found < of else None
        drawn = plot.interval(low, high, at, scale, f"{title}: {limits_words(found, of)}")
    return _Row(title, count, found, of, share_words(found, of), limits_words(found, of), drawn)


def _part(statistics: Statistics, summary: Summary) -> _Part:
    of = summary.sessions
    rows = [("any finding", sum(found.count for found in summary.findings.values()), summary.affected)]
    rows += [(finding_words(group), found.count, found.sessions) for group, found in ranked_findings(summary)]
    scale = max(wilson(found, of)[1] for _, _, found in rows)
    is_whole = summary is statistics.tally.overall
    return _Part(
        scale=percent(scale),
        findings=[_row(title, count, found, of, scale) for title, count, found in rows],
        besides=list(_besides(statistics)) if is_whole else [],
        measures=list(_measures(statistics, summary)),
        reasons=[
            (f"{machine}.{state}", ", ".join(f"{reason} {count:,}" for reason, count in reasons))
            for (machine, state), reasons in ranked_reasons(summary).items()
        ],
        lengths=[
            _row(name, bucket.count, bucket.sessions, bucket.count, None)
            for name, bucket in zip(duration_buckets(), summary.durations, strict=True)
            if bucket.count
        ],
    )


def _besides(statistics: Statistics) -> Iterator[str]:
    for title, names, more in besides(statistics):
        yield f"{title[0].upper()}{title[1:]} {', '.join(names)}{more}."


def _measures(statistics: Statistics, summary: Summary) -> Iterator[_Measures]:
    seen = list(seen_measures(statistics.measures, summary))
    for kind in KINDS:
        pairs = [(measure, found) for measure, found in seen if measure.kind == kind]
        if not pairs:
            continue
        names = [quantile_name(share) for share in QUANTILES[pairs[0][0].worse]]
        extreme = "min" if pairs[0][0].worse == SHORTER else "max"
        yield _Measures(
            title=f"{kind[0].upper()}{kind[1:]}",
            columns=["of", "n", "open", *names, extreme, "bound"],
            rows=[_measure_row(measure, found) for measure, found in pairs],
            figures=[_figure(measure, found) for measure, found in pairs if found.values.count],
        )


def _measure_row(measure: Measure, found: Distribution) -> _MeasureRow:
    values = found.values
    extreme = values.minimum if measure.worse == SHORTER else values.maximum
    cells = [f"{values.count:,}", f"{found.open:,}" if found.open else "-"]
    cells += [value_words(told(values, share), measure.unit) for share in QUANTILES[measure.worse]]
    cells += [value_words(extreme, measure.unit), value_words(measure.bound, measure.unit)]
    return _MeasureRow(measure.name, f"from {measure.start} to {measure.end}".replace("`", ""), cells)


def _figure(measure: Measure, found: Distribution) -> _Figure:
    values = found.values
    labels = value_words(values.minimum, measure.unit), value_words(values.maximum, measure.unit)
    bins = histogram(values)
    if len(bins) < 2:
        return _Figure(measure.name, values.count, None, _same_words(values.count, labels))
    words = [
        f"{value_words(low, measure.unit)} to {value_words(high, measure.unit)}: {count:,}" for low, high, count in bins
    ]
    title = f"{measure.name}, {times(values.count, 'value')} from {labels[0]} to {labels[1]}"
    return _Figure(measure.name, values.count, plot.histogram(bins, measure.bound, title, labels, words), "")


def _same_words(count: int, labels: tuple[str, str]) -> str:
    """Of values that a histogram does not tell apart."""
    low, high = labels
    if count == 1:
        return f"the one value is {low}"
    return f"all {count:,} values are {low}" if low == high else f"all {count:,} values lie between {low} and {high}"


def _left_out(statistics: Statistics, segments: int) -> Iterator[str]:
    if segments > MOST_SEGMENTS:
        yield f"{times(segments - MOST_SEGMENTS, 'more segment')}: --format csv has all."
    if statistics.tally.crowded_out:
        yield f"{statistics.tally.crowded_out:,} sessions are in further segments, summed as (other)."
