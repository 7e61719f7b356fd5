"""Statistics as one table of comma-separated values (RFC 4180), a row for each thing that a segment counts.

A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula; text from a log that does is given a
leading apostrophe. What a terminal would obey, or nobody would see, is replaced by something that shows.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from lifespec.diagnostics.excerpt import visible
from lifespec.stats.interval import wilson
from lifespec.stats.ranking import ranked_findings, ranked_reasons, ranked_segments, seen_measures
from lifespec.stats.read import Statistics
from lifespec.stats.record import Summary
from lifespec.stats.words import QUANTILES, quantile_name, told

_ALL = "(all)"
_STRAY = "finding without session"
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the latter four as wide as ideographs
_COLUMNS = (
    "what", "name", "property", "sessions", "of_sessions", "share_low", "share_high", "count", "open",
    "min", "p1", "p10", "p50", "p90", "p99", "max", "unit", "bound",
)  # fmt: skip

Cell = str | int | float | None


def render(statistics: Statistics) -> str:
    """The table, with a head; what is not known is an empty cell."""
    names = (*statistics.by, *statistics.by_current)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([*map(_text, names), *_COLUMNS])
    everything = ((_ALL,) * len(names), statistics.tally.overall)
    for segment, summary in [everything, *ranked_segments(statistics)]:
        for row in _rows(statistics, summary):
            writer.writerow(_cells(segment, row))
    for (name, prop), count in sorted(statistics.tally.strays.items()):
        stray: dict[str, Cell] = {"what": _STRAY, "name": name, "property": prop, "count": count}
        writer.writerow(_cells(everything[0], stray))
    return text.getvalue()


def _cells(segment: Sequence[str], row: Mapping[str, Cell]) -> list[Cell]:
    cells = (*segment, *(row.get(column) for column in _COLUMNS))
    return [_text(cell) if isinstance(cell, str) else cell for cell in cells]


def _rows(statistics: Statistics, summary: Summary) -> Iterator[dict[str, Cell]]:
    of = summary.sessions
    yield {"what": "sessions", **_share(summary.affected, of), "count": of}
    for (name, prop), found in ranked_findings(summary):
        yield {"what": "finding", "name": name, "property": prop, **_share(found.sessions, of), "count": found.count}
    for measure, distribution in seen_measures(statistics.measures, summary):
        values = distribution.values
        quantiles = {quantile_name(share): told(values, share) for share in QUANTILES[measure.worse]}
        yield {
            "what": measure.kind,
            "name": measure.name,
            "sessions": distribution.means.count,
            "of_sessions": of,
            "count": values.count,
            "open": distribution.open,
            "min": values.minimum,
            "max": values.maximum,
            "unit": measure.unit,
            "bound": measure.bound,
            **quantiles,
        }
    for (machine, state), reasons in ranked_reasons(summary).items():
        for reason, count in reasons:
            yield {"what": "reason", "name": reason, "property": f"{machine}.{state}", "count": count}


def _share(found: int, of: int) -> dict[str, Cell]:
    low, high = wilson(found, of)
    return {"sessions": found, "of_sessions": of, "share_low": low, "share_high": high}


def _text(cell: str) -> str:
    shown = visible(cell)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown
