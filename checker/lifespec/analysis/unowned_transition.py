"""Transitions that no owner is named for, in a lifecycle that declares owners."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.diagnostics import Diagnostic, Label
from lifespec.model.model import Machine, Model, On, Transition

_SHOWN = 3


def find_unowned_transitions(model: Model) -> Iterator[Diagnostic]:
    """One finding for a machine that names no owner at all, else one for each transition without one.

    What the clock or another machine causes needs no owner.
    """
    if not model.owners:
        return
    for machine in model.machines.values():
        caused = [each for each in machine.transitions if each.trigger is None or isinstance(each.trigger, On)]
        unowned = [each for each in caused if not each.owners]
        if unowned and len(unowned) == len(caused) and len(caused) > 1:
            yield _machine(machine, unowned)
        else:
            for transition in unowned:
                yield _transition(machine, transition)


def _machine(machine: Machine, unowned: list[Transition]) -> Diagnostic:
    return Diagnostic(
        "unowned-transition",
        f"nobody owns the {len(unowned)} transitions of machine `{machine.name}`",
        Label(unowned[0].span, "anyone may cause it"),
        labels=tuple(Label(each.span, "and this") for each in unowned[1:_SHOWN]),
        help=(f"write `machine {machine.name} owned by OWNER`, or `by OWNER` at the transitions",),
    )


def _transition(machine: Machine, transition: Transition) -> Diagnostic:
    return Diagnostic(
        "unowned-transition",
        f"nobody owns this transition of machine `{machine.name}`",
        Label(transition.span, "anyone may cause it"),
        help=(f"write `by OWNER` here, or `machine {machine.name} owned by OWNER`",),
    )
