"""What of statistics is shown, in which order and by which name: the same in every format. Owns no layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lifespec.diagnostics.excerpt import visible
from lifespec.stats.gather import Segment
from lifespec.stats.measure import KINDS, STATE, Measure
from lifespec.stats.read import Statistics
from lifespec.stats.record import Distribution, Found, Group, Summary
from lifespec.stats.words import limits_words

SMALL = 30  # sessions; a segment with fewer is marked

_ORDER = {kind: place for place, kind in enumerate(KINDS)}


def segment_words(statistics: Statistics, name: Segment) -> str:
    """A segment, name by name."""
    names = (*statistics.by, *statistics.by_current)
    return visible(", ".join(f"{what} = {value}" for what, value in zip(names, name, strict=True)))


def ranked_segments(statistics: Statistics) -> list[tuple[Segment, Summary]]:
    """The segments, those with most sessions first."""
    return sorted(statistics.tally.segments.items(), key=lambda pair: (-pair[1].sessions, pair[0]))


def ranked_findings(summary: Summary) -> list[tuple[Group, Found]]:
    """The findings, those of most sessions first."""
    return sorted(summary.findings.items(), key=lambda pair: (-pair[1].sessions, -pair[1].count, pair[0]))


def finding_words(group: Group) -> str:
    """What was broken, if it was something of the lifecycle, and how."""
    name, prop = group
    return f"{prop.partition(' ')[2]}: {name}" if prop else name


def clean_properties(statistics: Statistics) -> list[str]:
    """The properties that were judged, and of which nothing was found in any session."""
    found = {prop for _, prop in (*statistics.tally.overall.findings, *statistics.tally.strays)}
    return [prop for prop in statistics.properties if prop not in found]


def besides(statistics: Statistics) -> Iterator[tuple[str, list[str], str]]:
    """Of what nothing was found, of what nothing can be told, and what was found outside of sessions: what it is, of
    what, and what is to be added."""
    limits = limits_words(0, statistics.tally.overall.sessions)
    rows = (
        ("nothing found of", clean_properties(statistics), f"; each {limits} of sessions"),
        ("never judged:", statistics.never_judged, ""),
        ("not applicable:", statistics.not_applicable, ""),
    )
    for title, props, more in rows:
        if props:
            yield title, [prop.partition(" ")[2] for prop in props], more
    if statistics.tally.strays:
        strays = [f"{count:,} {name}" for (name, _), count in sorted(statistics.tally.strays.items())]
        yield "outside of any session:", strays, ""


def seen_measures(measures: Sequence[Measure], summary: Summary) -> Iterator[tuple[Measure, Distribution]]:
    """The measures of which there are values or open stays, by kind. Where nothing but nothing was measured in a
    state there is nothing to see."""
    for measure in sorted(measures, key=lambda each: _ORDER[each.kind]):
        found = summary.measures.get(measure.id)
        if found is not None and (measure.kind != STATE or found.open or found.values.maximum):
            yield measure, found


def ranked_reasons(summary: Summary) -> dict[tuple[str, str], list[tuple[str, int]]]:
    """By machine and state, the reasons and how often each was given, the most frequent first."""
    found: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for (machine, state, reason), count in sorted(summary.reasons.items(), key=lambda pair: (-pair[1], pair[0])):
        found.setdefault((machine, state), []).append((reason, count))
    return dict(sorted(found.items()))
