"""The report as one HTML page that needs nothing else: no file, no network, no library. Owns what stands where.

The page is `page/report.html`, filled in by `html_page`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lifespec.diagnostics import Severity
from lifespec.diagnostics.render import severity_shown
from lifespec.explain import Explained
from lifespec.explain_words import times
from lifespec.reports.html_finding import Group, groups_of, names_of
from lifespec.reports.html_machine import LifecycleView, MachineView
from lifespec.reports.html_pack import Packer
from lifespec.reports.html_page import BASE_STYLE, render_page, text_of
from lifespec.reports.html_timeline import island, shown, timeline_value
from lifespec.reports.report import NOT_CHECKED, PropertySummary, Report
from lifespec.reports.setting import DEFAULT, Setting
from lifespec.timeline.timeline import NoTimeline, Timeline
from lifespec.verdict import Outcome

_PACKAGE = "lifespec.reports"
_OF_COLOUR = 0.62  # the rest is white
_HEADINGS = {"transitions": "Machines", "bound": "Machines", "rule": "Rules", "event": "Events", "field": "Fields"}


def render(
    report: Report,
    setting: Setting = DEFAULT,
    timelines: Sequence[Timeline] = (),
    *,
    missing: Sequence[NoTimeline] = (),
    lifecycle: LifecycleView | None = None,
) -> str:
    """The page. `timelines` are those of example sessions, `missing` the ones that could not be had; `lifecycle` has
    the pictures."""
    from markupsafe import Markup

    lifecycle = lifecycle or LifecycleView()
    style = text_of(_PACKAGE, BASE_STYLE) + text_of(_PACKAGE, "report.css") + _owner_style(lifecycle)
    groups, more_causes = groups_of(report)
    packer = Packer()
    islands = [Markup(island(packer.pack(shown(timeline_value(each, report))))) for each in timelines]
    context = {
        "report": report,
        "headline": _headline(report),
        "tone": _tone(report, setting.status),
        "status": setting.status,
        "lifecycle": lifecycle,
        "pictures": {machine.name: Markup(machine.svg) for machine in lifecycle.machines if machine.svg is not None},
        "groups": groups,
        "more_causes": more_causes,
        "choices": _choices(report, groups),
        "has_filters": sum(len(cause.examples) for group in groups for cause in group.causes) > 1,
        "flags": _flags_by_finding(groups, timelines),
        "missing": {(each.log, each.session): each.why for each in missing},
        "missing_list": missing,
        "timelines": timelines,
        "islands": islands,
        "page_data": Markup(island({**_page_data(lifecycle), "shared": packer.shared})),
        "sections": _sections(report.properties),
        "problems": [(severity_shown(each).value, each) for each in (*report.problems, *report.binding_findings)],
    }
    return render_page(_PACKAGE, "report.html", style, text_of(_PACKAGE, "report.js"), context)


def _owner_style(lifecycle: LifecycleView) -> str:
    """The colours of the owners, by their numbers: a page whose policy forbids `style` has them in its style sheet. On
    dark ground the arrows of a picture have them mixed with white; all other colours of it the style sheet has."""
    numbered = [f".owner-{n} {{ --owner: {owner.colour}; }}" for n, owner in enumerate(lifecycle.owners)]
    lighter = [
        f'  .picture .edge :is(path, polygon)[{what}="{colour}" i] {{ {what}: {_lighter(colour)}; }}'
        for colour in dict.fromkeys(owner.colour for owner in lifecycle.owners)
        for what in ("stroke", "fill")
    ]
    dark = ["@media screen and (prefers-color-scheme: dark) {", *lighter, "}"] if lighter else []
    return "".join(f"{line}\n" for line in (*numbered, *dark))


def _lighter(colour: str) -> str:
    """A colour `#rrggbb`, mixed with white as the chart does it."""
    parts = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - part) * _OF_COLOUR):02x}" for part in parts)


def _page_data(lifecycle: LifecycleView) -> dict[str, Any]:
    """What the script has to know of the lifecycle: owners in order, and the declaration of each state and event."""
    return {
        "owners": [owner.name for owner in lifecycle.owners],
        "machines": {machine.name: _declarations(machine) for machine in lifecycle.machines},
    }


def _declarations(machine: MachineView) -> dict[str, Any]:
    return {
        "states": {row.names[0]: [row.where, row.text] for row in machine.states},
        "transitions": [[list(row.names), list(row.sources), row.where, row.text] for row in machine.transitions],
    }


# --- the summary -------------------------------------------------------------------------------------


def _headline(report: Report) -> str:
    """What came of it, in one sentence, and what was left out."""
    words = report.filtered.words
    return _found(report) + (f"; left out: {words}" if words else "")


def _found(report: Report) -> str:
    sessions = times(sum(log.sessions for log in report.logs), "session")
    counts = ", ".join(times(report.count(each), each.value) for each in Severity if report.count(each))
    if report.partial:
        return f"Interrupted: {counts or 'nothing found'} in the {sessions} read so far"
    if report.status() == NOT_CHECKED:
        return "Could not check"
    if not counts:
        open_ = sum(1 for row in report.properties if row.tally.outcome is Outcome.INCONCLUSIVE)
        more = "more " if report.filtered.left_out else ""
        return f"Nothing {more}found in {sessions}" + (
            f"; {times(open_, 'property', 'properties')} inconclusive" if open_ else ""
        )
    touched = report.sessions_with_findings
    about = "" if touched.is_exact else "about "
    return f"{counts} in {f'{about}{touched.number:,} of ' if touched.number else ''}{sessions}"


def _tone(report: Report, status: int) -> str:
    if status == NOT_CHECKED or report.partial:
        return "unknown"
    return "bad" if report.count(Severity.ERROR) else "warned" if report.groups else "good"


def _sections(rows: Sequence[PropertySummary]) -> dict[str, list[PropertySummary]]:
    """The properties under their headings; fields and what is forbidden only where there is something to say."""
    sections: dict[str, list[PropertySummary]] = {}
    for row in rows:
        tally = row.tally
        if row.property.kind in ("transitions", "bound", "rule") or tally.violated or tally.armed:
            sections.setdefault(_HEADINGS.get(row.property.kind, "Forbidden"), []).append(row)
    return sections


# --- findings ----------------------------------------------------------------------------------------


def _choices(report: Report, groups: Sequence[Group]) -> dict[str, list[str]]:
    """What the filters offer: what the examples have."""
    examples = [example for group in groups for cause in group.causes for example in cause.examples]
    return {
        "name": names_of(example.finding.name for example in examples),
        "machine": names_of(example.machine for example in examples),
        "owner": names_of(example.owner for example in examples),
        "session": names_of(example.finding.violation.session for example in examples),
        "log": names_of(example.log for example in examples) if len(report.log_names) > 1 else [],
    }


def _flags_by_finding(groups: Sequence[Group], timelines: Sequence[Timeline]) -> dict[int, tuple[int, int]]:
    """Where an example stands on a timeline: the numbers of the timeline and of its flag, by that of the example."""
    places = {
        _identity(flag.finding): (number, index)
        for number, timeline in enumerate(timelines)
        for index, flag in enumerate(timeline.flags)
    }
    examples = (example for group in groups for cause in group.causes for example in cause.examples)
    found = ((example.number, places.get(_identity(example.finding))) for example in examples)
    return {number: place for number, place in found if place is not None}


def _identity(finding: Explained) -> tuple[object, ...]:
    place, violation = finding.place, finding.violation
    return (
        *(place.log, place.line, place.item, violation.session),
        *(violation.name, violation.property, violation.key, violation.field, finding.message),
    )
