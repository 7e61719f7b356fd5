"""A check -> its HTML report: the pictures with counts, the timelines of example sessions, the page. Owns the order
of these; each part is there or the page says why not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from lifespec.check_input import Options, load_to_check
from lifespec.check_timelines import Timelines, example_sessions, read_timelines
from lifespec.explain_route import trigger_words
from lifespec.graph import CannotDraw, Heat, draw_with_heat
from lifespec.graph.style import owner_colours
from lifespec.log_file import Log
from lifespec.model.model import Machine, Model, On, Transition
from lifespec.reports.html import render
from lifespec.reports.html_machine import LifecycleView, MachineView, OwnerView, Row
from lifespec.reports.report import Report
from lifespec.reports.setting import Setting
from lifespec.source import Span

_LONGEST_DRAWING_S = 20.0


def page_of(
    report: Report,
    spec: str | Path,
    logs: Sequence[Log],
    setting: Setting,
    *,
    binding: str | None = None,
    profile: str | None = None,
    options: Options | None = None,
) -> str:
    """The page of a report. The lifecycle and the logs are read once more; all arguments must be those of the check."""
    options = options or Options()
    loaded = load_to_check(spec, binding, profile)
    if isinstance(loaded, Report):
        return render(report, setting)
    model, binding, _ = loaded
    timelines = Timelines()
    if not report.partial:
        sessions = example_sessions(report, joined=options.join_files)
        timelines = read_timelines(model, report, logs, sessions, binding=binding, options=options)
    return render(
        report,
        setting,
        timelines.timelines,
        missing=timelines.missing,
        lifecycle=view_of(model, report),
    )


def view_of(model: Model, report: Report) -> LifecycleView:
    """The lifecycle with the counts of a report."""
    heat = heat_of(model, report)
    colours = owner_colours(model.owners)
    return LifecycleView(
        documentation=model.doc or "",
        owners=tuple(OwnerView(each.name, colours[each.name], each.doc or "") for each in model.owners.values()),
        machines=tuple(_machine(model, machine, heat) for machine in model.machines.values()),
    )


def heat_of(model: Model, report: Report) -> Heat:
    """How often each state and each edge was exercised, and the findings about them: those that name a machine, in
    the state it was in, and at the transitions out of it that their event takes."""
    states: Counter[tuple[str, str]] = Counter()
    edges: Counter[tuple[str, int, str, str]] = Counter()
    for kind in (kind for group in report.groups for kind in group.kinds):
        violation = kind.first.violation
        machine = model.machines.get(violation.machine or "")
        if machine is None:
            continue
        for state in violation.states:
            states[machine.name, state] += kind.count
        for transition in machine.transitions:
            if isinstance(transition.trigger, On) and violation.event in transition.trigger.events:
                for state in violation.states:
                    for target in (transition.targets or (state,)) if state in transition.sources else ():
                        edges[machine.name, transition.index, state, target] += kind.count
    return Heat(report.coverage.states, report.coverage.transitions, states, edges)


def _machine(model: Model, machine: Machine, heat: Heat) -> MachineView:
    svg, why = None, ""
    try:
        svg = draw_with_heat(model, heat, machine.name, _LONGEST_DRAWING_S)
    except CannotDraw as error:
        why = str(error)
    return MachineView(
        name=machine.name,
        title=machine.name + (f" per {', '.join(machine.keys)}" if machine.keys else ""),
        documentation=machine.doc or "",
        svg=svg,
        why=why,
        states=tuple(_state(model, machine, name, heat) for name in machine.states),
        transitions=tuple(_transition(model, machine, each, heat) for each in machine.transitions),
    )


def _state(model: Model, machine: Machine, name: str, heat: Heat) -> Row:
    state = machine.states[name]
    return Row(
        title=name,
        kind=state.kind.value,
        text=_text_of(model, state.span),
        where=_where(model, state.span),
        count=heat.entered.get((machine.name, name), 0),
        found=heat.found_in.get((machine.name, name), 0),
        names=(name,),
    )


def _transition(model: Model, machine: Machine, transition: Transition, heat: Heat) -> Row:
    edges = [
        (machine.name, transition.index, source, target)
        for source in transition.sources
        for target in transition.targets or (source,)
    ]
    sources = "any" if transition.from_any else ", ".join(transition.sources)
    targets = f" -> {', '.join(transition.targets)}" if transition.targets else " stays"
    return Row(
        title=f"{sources}{targets} {trigger_words(transition)}".strip(),
        kind="transition",
        text=transition.text,
        where=_where(model, transition.span),
        count=sum(heat.taken.get(edge, 0) for edge in edges),
        found=sum(heat.found_at.get(edge, 0) for edge in edges),
        names=transition.trigger.events if isinstance(transition.trigger, On) else (),
        sources=transition.sources,
    )


def _text_of(model: Model, span: Span) -> str:
    """The line of a declaration, for a span may be that of its name only."""
    source = model.sources.get(span.file)
    return source.line(source.place(span.start)[0]).strip() if source is not None else ""


def _where(model: Model, span: Span) -> str:
    source = model.sources.get(span.file)
    return f"{span.file}:{source.place(span.start)[0]}" if source is not None else ""
