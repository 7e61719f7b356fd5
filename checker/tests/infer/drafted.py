"""What the tests of drafts share: which parts of a draft no log is seen to go through, and which of them may be so."""

from __future__ import annotations

from lifespec.model.model import Machine, Model, On
from lifespec.reports.report import Report

_UNSEEN = "-unreported"


def unseen_steps(machine: Machine) -> set[tuple[str, str]]:
    """The transitions that the draft says no record tells of, as source and target."""
    return {
        (source, target)
        for transition in machine.transitions
        if isinstance(transition.trigger, On)
        for event in transition.trigger.events
        if _UNSEEN in event
        for source in transition.sources
        for target in transition.targets
    }


def never_done(model: Model, report: Report) -> list[str]:
    """Transitions and states of the draft that its logs do not go through. Where a step may have been taken unseen,
    nobody can say which of two states was left, and that is none."""
    found = []
    for name, texts in report.never_exercised.transitions.items():
        unsure = _unsure(model.machines[name])
        found += [f"{name}: {text}" for text in texts if not any(text.startswith(f"{state} ") for state in unsure)]
    for name, states in report.never_exercised.states.items():
        unsure = _unsure(model.machines[name])
        found += [f"{name}: {state}" for state in states if state not in unsure]
    return found


def _unsure(machine: Machine) -> set[str]:
    unsure = {state for pair in unseen_steps(machine) for state in pair}
    return unsure | {machine.initial} if unsure else unsure  # where a new instance is, nobody saw either
