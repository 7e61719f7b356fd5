"""A Timeline as the JSON that the script of the HTML report draws. Owns the names and the order of its parts.

Places on the axis are microseconds from its begin (or numbers of records), so that a script has them exactly.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from lifespec.diagnostics.excerpt import visible
from lifespec.explain_words import code_parts, instance, instant
from lifespec.reports.html_finding import facts_of, spec_of
from lifespec.reports.report import Report
from lifespec.timeline.timeline import Flag, Lane, Mark, Timeline

_US = 1000  # ns
_FIRST_DATE = 10**17  # ns; what lies before counts from the start of the log

_At = Callable[[int], float]  # a place on the axis, as a script has it


def timeline_value(timeline: Timeline, report: Report) -> dict[str, Any]:
    """The timeline as lists and dicts of numbers and texts."""
    has_date = timeline.has_time and timeline.begin >= _FIRST_DATE

    def at(place: int) -> float:
        if not timeline.has_time:
            return place
        micros = (place - timeline.begin) / _US
        return int(micros) if micros.is_integer() else micros

    return {
        "session": timeline.session,
        "log": timeline.log,
        "time": timeline.has_time,
        "begin": instant(timeline.begin) if timeline.has_time else "",
        "epoch": timeline.begin // _US if has_date else None,
        "end": at(timeline.end),
        "lanes": [_lane(lane, at) for lane in timeline.lanes],
        "marks": [_mark(mark, at, timeline.log) for mark in timeline.marks],
        "flags": [_flag(flag, at, report) for flag in timeline.flags],
        "cuts": [[at(cut.begin), at(cut.end), cut.records] for cut in timeline.cuts],
        "records": timeline.records,
        "hidden": timeline.hidden_lanes,
        "clocks": timeline.has_several_clocks,
    }


def _lane(lane: Lane, at: _At) -> dict[str, Any]:
    return {
        "title": lane.title,
        "machine": lane.machine,
        "owners": list(lane.owners),
        "spans": [
            [at(s.begin), at(s.end), list(s.states), s.kind, s.index, s.cause, s.event, s.line, int(s.is_open)]
            for s in lane.spans
        ],
    }


def _mark(mark: Mark, at: _At, log: str) -> list[Any]:
    other = mark.place.log if mark.place.log != log else None
    return [
        *(at(mark.at), mark.place.line, mark.place.item, other, mark.event, mark.source, mark.target, mark.owner),
        *(list(mark.lanes), mark.text, [] if len(mark.lanes) == len(mark.taken_by) else list(mark.taken_by)),
    ]


def _flag(flag: Flag, at: _At, report: Report) -> dict[str, Any]:
    finding, violation = flag.finding, flag.finding.violation
    return {
        "at": at(flag.at),
        "waited": violation.deadline_ns / _US if violation.deadline_ns and violation.name != "too-many" else 0,
        "name": finding.name,
        "severity": finding.severity.value,
        "message": finding.message,
        "about": code_parts(instance(violation.machine, violation.key))[1] if violation.machine else "",
        "line": finding.place.line,
        "lane": flag.lane,
        "mark": flag.mark,
        "lines": sorted({witness.place.line for witness in violation.witnesses}),
        "facts": [list(fact) for fact in facts_of(finding)],
        "spec": [list(line) for line in spec_of(violation.span, report)],
    }


def island(value: Mapping[str, Any]) -> str:
    """JSON that may stand in a `<script>` of a page: nothing in it ends the element or begins another."""
    text = json.dumps(shown(value), ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def shown(value: Any) -> Any:
    """The value with its texts as `visible` shows them."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list):
        return [shown(each) for each in value]
    if isinstance(value, dict):
        return {key: shown(each) for key, each in value.items()}
    return value
