"""Statistics as one page of HTML with its pictures in it: no script, nothing fetched. Owns its layout.

Whatever comes from a text or a log is escaped, and was masked before.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from lifespec.diagnostics.excerpt import visible
from lifespec.explain_words import times
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
_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --quiet: #5c6675; --rule: #d5dae1; --page: #ffffff;
  --mark: #1f5fbf; --warn: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --quiet: #9aa4b2; --rule: #39424f; --page: #14181e;
  --mark: #7fb0ff; --warn: #ff8a80; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--page); max-width: 66rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .4rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
p, dd { color: var(--quiet); margin: .2rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dt { color: var(--quiet); } dd { color: var(--ink); overflow-wrap: anywhere; }
.wide { overflow-x: auto; } table { border-collapse: collapse; }
th, td { text-align: right; padding: .15rem .6rem; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th { font-weight: 600; } th:first-child, td:first-child { text-align: left; padding-left: 0; white-space: normal; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1rem; margin-top: .8rem; }
figure { margin: 0; } figcaption { font-size: .85rem; } svg { max-width: 100%; height: auto; vertical-align: middle; }
svg text { font-size: 11px; fill: var(--quiet); }
.base { stroke: var(--rule); } .limits { stroke: var(--mark); stroke-width: 3; opacity: .55; stroke-linecap: round; }
.value, .bar { fill: var(--mark); } .bound { stroke: var(--warn); stroke-dasharray: 3 2; stroke-width: 1.5; }
details { border-top: 1px solid var(--rule); padding: .5rem 0; } summary { cursor: pointer; font-weight: 600; }
.small { color: var(--warn); }
"""


def render(statistics: Statistics) -> str:
    """The page, ended by a line end."""
    title = f"{statistics.lifecycle}: statistics"
    body = [f"<h1>{_safe(title)}</h1>", _subject(statistics)]
    body += [f'<p class="small">{_safe(problem.message)}</p>' for problem in statistics.problems]
    if statistics.tally.overall.sessions:
        body += _summary(statistics, statistics.tally.overall)
    if statistics.tally.segments:
        body += _segments(statistics)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{_safe(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _safe(text: str) -> str:
    return escape(visible(text))


def _subject(statistics: Statistics) -> str:
    logs = statistics.log_names
    rows = [
        ("lifecycle", " ".join(filter(None, (statistics.lifecycle, statistics.version)))),
        ("spec", ", ".join(statistics.specs)),
        ("digest", f"sha256:{statistics.digest}"),
        ("binding", statistics.binding),
        ("profile", statistics.profile or ""),
        ("logs", ", ".join(logs) if len(logs) <= 5 else f"{', '.join(logs[:4])} and {len(logs) - 4:,} more"),
        ("records", f"{statistics.records:,}"),
        ("sessions", f"{statistics.tally.overall.sessions:,}"),
    ]
    return f"<dl>{''.join(f'<dt>{name}</dt><dd>{_safe(value)}</dd>' for name, value in rows if value)}</dl>"


def _summary(statistics: Statistics, summary: Summary) -> list[str]:
    return [part for part in (
        _findings(statistics, summary), *_measures(statistics, summary), _reasons(summary), _durations(summary)
    ) if part]  # fmt: skip


def _findings(statistics: Statistics, summary: Summary) -> str:
    of = summary.sessions
    rows = [("any finding", sum(found.count for found in summary.findings.values()), summary.affected)]
    rows += [(finding_words(group), found.count, found.sessions) for group, found in ranked_findings(summary)]
    scale = max(wilson(found, of)[1] for _, _, found in rows)
    lines = []
    for title, count, found in rows:
        low, high = wilson(found, of)
        words = limits_words(found, of)
        drawn = plot.interval(low, high, found / of if 0 < found < of else None, scale, f"{title}: {words}")
        lines.append(
            f"<tr><td>{_safe(title)}</td><td>{count:,}</td><td>{found:,} of {of:,}</td>"
            f"<td>{share_words(found, of)}</td><td>{words}</td><td>{drawn}</td></tr>"
        )
    besides = "".join(_besides(statistics)) if summary is statistics.tally.overall else ""
    return (
        f'<h2>Findings</h2><div class="wide"><table><thead><tr><th>finding</th><th>found</th><th>sessions</th>'
        f"<th>share</th><th>95 % limits</th><th>0 to {percent(scale)}</th></tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div>{besides}"
    )


def _besides(statistics: Statistics) -> Iterator[str]:
    for title, names, more in besides(statistics):
        yield f"<p>{title[0].upper()}{title[1:]} {_safe(', '.join(names))}{more}.</p>"


def _measures(statistics: Statistics, summary: Summary) -> Iterator[str]:
    seen = list(seen_measures(statistics.measures, summary))
    for kind in KINDS:
        pairs = [(measure, found) for measure, found in seen if measure.kind == kind]
        if not pairs:
            continue
        names = [quantile_name(share) for share in QUANTILES[pairs[0][0].worse]]
        extreme = "min" if pairs[0][0].worse == SHORTER else "max"
        head = "".join(f"<th>{name}</th>" for name in ("of", "n", "open", *names, extreme, "bound"))
        rows = "".join(_row(measure, found) for measure, found in pairs)
        plots = "".join(_figure(measure, found) for measure, found in pairs if found.values.count)
        yield (
            f'<h2>{kind[0].upper()}{kind[1:]}</h2><div class="wide"><table><thead><tr>{head}</tr></thead>'
            f'<tbody>{rows}</tbody></table></div><div class="plots">{plots}</div>'
        )


def _row(measure: Measure, found: Distribution) -> str:
    values = found.values
    extreme = values.minimum if measure.worse == SHORTER else values.maximum
    cells = [f"{values.count:,}", f"{found.open:,}" if found.open else "-"]
    cells += [value_words(told(values, share), measure.unit) for share in QUANTILES[measure.worse]]
    cells += [value_words(extreme, measure.unit), value_words(measure.bound, measure.unit)]
    about = f"from {measure.start} to {measure.end}".replace("`", "")
    return f'<tr><td title="{_safe(about)}">{_safe(measure.name)}</td>{"".join(f"<td>{c}</td>" for c in cells)}</tr>'


def _figure(measure: Measure, found: Distribution) -> str:
    values = found.values
    labels = value_words(values.minimum, measure.unit), value_words(values.maximum, measure.unit)
    title = f"{measure.name}, {times(values.count, 'value')} from {labels[0]} to {labels[1]}"
    drawn = plot.histogram(histogram(values), measure.bound, title, labels)
    return f"<figure>{drawn}<figcaption>{_safe(measure.name)}, n = {values.count:,}</figcaption></figure>"


def _reasons(summary: Summary) -> str:
    rows = []
    for (machine, state), reasons in ranked_reasons(summary).items():
        shown = ", ".join(f"{reason} {count:,}" for reason, count in reasons)
        rows.append(f'<tr><td>{_safe(f"{machine}.{state}")}</td><td style="text-align:left">{_safe(shown)}</td></tr>')
    return f'<h2>Reasons</h2><div class="wide"><table><tbody>{"".join(rows)}</tbody></table></div>' if rows else ""


def _durations(summary: Summary) -> str:
    rows = [
        f"<tr><td>{name}</td><td>{bucket.count:,}</td><td>{bucket.sessions:,}</td>"
        f"<td>{share_words(bucket.sessions, bucket.count)}</td>"
        f"<td>{limits_words(bucket.sessions, bucket.count)}</td></tr>"
        for name, bucket in zip(duration_buckets(), summary.durations, strict=True)
        if bucket.count
    ]
    head = "<tr><th>length</th><th>sessions</th><th>with findings</th><th>share</th><th>95 % limits</th></tr>"
    return (
        f"<h2>Length of sessions</h2><table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>" if rows else ""
    )


def _segments(statistics: Statistics) -> list[str]:
    ranked = ranked_segments(statistics)
    scale = max(wilson(summary.affected, summary.sessions)[1] for _, summary in ranked)
    lines = []
    for name, summary in ranked[: 4 * MOST_SEGMENTS]:
        found, of = summary.affected, summary.sessions
        low, high = wilson(found, of)
        drawn = plot.interval(low, high, found / of if 0 < found < of else None, scale, limits_words(found, of))
        small = f' <span class="small">fewer than {SMALL}</span>' if of < SMALL else ""
        lines.append(
            f"<tr><td>{_safe(segment_words(statistics, name))}{small}</td><td>{found:,} of {of:,}</td>"
            f"<td>{share_words(found, of)}</td><td>{limits_words(found, of)}</td><td>{drawn}</td></tr>"
        )
    parts = [
        '<h2>Segments</h2><div class="wide"><table><thead><tr><th>segment</th><th>sessions with findings</th>'
        f"<th>share</th><th>95 % limits</th><th>0 to {percent(scale)}</th></tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    ]
    for name, summary in ranked[:MOST_SEGMENTS]:
        inner = "".join(_summary(statistics, summary)).replace("<h2>", "<h3>").replace("</h2>", "</h3>")
        title = f"{segment_words(statistics, name)}: {times(summary.sessions, 'session')}"
        parts.append(f"<details><summary>{_safe(title)}</summary>{inner}</details>")
    if len(ranked) > MOST_SEGMENTS:
        parts.append(f"<p>{times(len(ranked) - MOST_SEGMENTS, 'more segment')}: --format csv has all.</p>")
    if statistics.tally.crowded_out:
        parts.append(f"<p>{statistics.tally.crowded_out:,} sessions are in further segments, summed as (other).</p>")
    return parts
