"""Statistics and comparisons as JSON, as spec/schemas/stats.schema.json and compare.schema.json describe them.

Keys are only added within one schema version. What is not known, or not told for want of values, is left out.
"""

from __future__ import annotations

from typing import Any

from lifespec.reports.json import diagnostic_value, dump
from lifespec.stats.compare import Estimate, Row
from lifespec.stats.compare_text import why_nothing
from lifespec.stats.interval import wilson
from lifespec.stats.measure import Measure
from lifespec.stats.ranking import clean_properties, ranked_findings, ranked_reasons, ranked_segments, seen_measures
from lifespec.stats.read import Statistics
from lifespec.stats.record import DURATIONS_NS, Distribution, Found, Group, Summary
from lifespec.stats.release import Compared
from lifespec.stats.words import QUANTILES, histogram, quantile_name, told

SCHEMA_VERSION = 1


def render(statistics: Statistics, *, status: int, tool_version: str) -> str:
    """The statistics as indented JSON, ended by a line end. `status` is the exit status that goes with it."""
    tally = statistics.tally
    return dump(
        {
            "schema_version": SCHEMA_VERSION,
            "tool": {"name": "lifespec", "version": tool_version},
            "status": status,
            **_subject(statistics),
            "by": list(statistics.by),
            "by_current": list(statistics.by_current),
            "definitions": [_definition(measure) for measure in statistics.measures],
            "overall": _summary(statistics, tally.overall),
            "nothing_found": clean_properties(statistics),
            "segments": [
                {"values": list(name), **_summary(statistics, summary)} for name, summary in ranked_segments(statistics)
            ],
            "never_judged": list(statistics.never_judged),
            "not_applicable": list(statistics.not_applicable),
            "crowded_out": tally.crowded_out,
            "without_session": _strays(statistics),
            "problems": [diagnostic_value(problem, statistics.sources) for problem in statistics.problems],
        }
    )


def render_comparison(compared: Compared, *, status: int, tool_version: str) -> str:
    """A comparison as indented JSON, ended by a line end."""
    sides = (compared.base, compared.head)
    found = compared.comparison
    return dump(
        {
            "schema_version": SCHEMA_VERSION,
            "tool": {"name": "lifespec", "version": tool_version},
            "status": status,
            "base": _side(compared.base),
            "head": _side(compared.head),
            "by": list(compared.base.by),
            "by_current": list(compared.base.by_current),
            "level": compared.level,
            "min_sessions": found.min_sessions,
            "tested": found.tested,
            "clean": found.clean,
            **_without_none(
                nothing_compared=why_nothing(compared) if not any(each.problems for each in sides) else None
            ),
            "definitions": [_definition(measure) for measure in compared.measures],
            "not_compared": [{"what": what, "why": why} for what, why in compared.unlike],
            "not_logged": [
                {"machine": each.machine, "event": each.event, "side": each.side} for each in compared.not_logged
            ],
            "too_small": [{"values": list(name), "base": base, "head": head} for name, base, head in found.too_small],
            "comparisons": [_row(row) for row in found.rows],
            "problems": [diagnostic_value(each, side.sources) for side in sides for each in side.problems],
        }
    )


def _side(statistics: Statistics) -> dict[str, Any]:
    sessions = statistics.tally.overall.sessions
    return {**_subject(statistics), "sessions": sessions, "without_session": _strays(statistics)}


def _strays(statistics: Statistics) -> list[dict[str, Any]]:
    return [{**_group(group), "count": count} for group, count in sorted(statistics.tally.strays.items())]


def _subject(statistics: Statistics) -> dict[str, Any]:
    return {
        "lifecycle": _without_none(
            name=statistics.lifecycle or None, version=statistics.version, profile=statistics.profile
        ),
        "specs": list(statistics.specs),
        "digest": statistics.digest,
        "binding": statistics.binding,
        "logs": list(statistics.log_names),
        "records": statistics.records,
    }


def _definition(measure: Measure) -> dict[str, Any]:
    return _without_none(
        id=measure.id,
        kind=measure.kind,
        name=measure.name,
        start=measure.start,
        end=measure.end,
        unit=measure.unit,
        worse=measure.worse,
        bound=measure.bound,
        events=sorted(measure.events),
    )


def _summary(statistics: Statistics, summary: Summary) -> dict[str, Any]:
    return {
        "sessions": summary.sessions,
        "with_findings": _share(summary.affected, summary.sessions),
        "findings": [{**_group(group), **_found(found, summary.sessions)} for group, found in ranked_findings(summary)],
        "measures": [
            {"id": measure.id, **_distribution(measure, found)}
            for measure, found in seen_measures(statistics.measures, summary)
        ],
        "reasons": [
            {"machine": machine, "state": state, "reason": reason, "count": count}
            for (machine, state), reasons in ranked_reasons(summary).items()
            for reason, count in reasons
        ],
        "durations": [
            _without_none(
                from_ns=low, to_ns=high, sessions=bucket.count, with_findings=_share(bucket.sessions, bucket.count)
            )
            for low, high, bucket in zip((0, *DURATIONS_NS), (*DURATIONS_NS, None), summary.durations, strict=True)
            if bucket.count
        ],
    }


def _group(group: Group) -> dict[str, Any]:
    name, prop = group
    return _without_none(name=name, property=prop or None)


def _found(found: Found, of: int) -> dict[str, Any]:
    per_session = {"per_session": found.count / of} if of else {}
    return {"count": found.count, **per_session, "sessions": _share(found.sessions, of)}


def _share(found: int, of: int) -> dict[str, Any]:
    """How many of how many, and the 95 % limits of the share."""
    low, high = wilson(found, of)
    return {"found": found, "of": of, "low": low, "high": high}


def _distribution(measure: Measure, found: Distribution) -> dict[str, Any]:
    values = found.values
    quantiles = {quantile_name(share): told(values, share) for share in QUANTILES[measure.worse]}
    return _without_none(
        values=values.count,
        sessions=found.means.count,
        open=found.open,
        mean=values.mean,
        min=values.minimum,
        max=values.maximum,
        quantiles=_without_none(**quantiles),
        histogram=[{"from": low, "to": high, "count": count} for low, high, count in histogram(values)],
    )


def _row(row: Row) -> dict[str, Any]:
    return _without_none(
        segment=list(row.segment),
        stratified=row.is_stratified or None,
        kind=row.kind,
        name=row.name,
        property=row.part or None,
        quantile=row.quantile,
        unit=row.unit,
        base=_estimate(row.base),
        head=_estimate(row.head),
        difference=row.difference,
        low=row.low,
        high=row.high,
        change=row.change,
        p=row.p,
        appeared=row.is_new or None,
        disappeared=row.is_gone or None,
        detectable=row.detectable,
    )


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return _without_none(
        value=estimate.value, low=estimate.low, high=estimate.high, sessions=estimate.sessions, found=estimate.found
    )


def _without_none(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
