"""Events that move machines of different owners without saying so."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.diagnostics import Diagnostic, Label
from lifespec.model.model import Machine, Model, On, Transition


def find_shared_events(model: Model) -> Iterator[Diagnostic]:
    """An event that two machines take as their own, and that different owners cause in them.

    Whoever causes it, one of the two machines may find the wrong owner. One finding for an event.
    """
    moved: dict[str, list[tuple[Machine, Transition, frozenset[str]]]] = {}
    for machine in model.machines.values():
        owners: dict[str, set[str]] = {}
        first: dict[str, Transition] = {}
        for transition in machine.transitions:
            trigger = transition.trigger
            if isinstance(trigger, On) and trigger.of is None and transition.targets and transition.owners:
                for event in trigger.events:
                    owners.setdefault(event, set()).update(transition.owners)
                    first.setdefault(event, transition)
        for event, transition in first.items():
            moved.setdefault(event, []).append((machine, transition, frozenset(owners[event])))
    for event, by in moved.items():
        other = next((each for each in by[1:] if each[2] != by[0][2]), None)
        if other is not None:
            yield _finding(event, by[0], other)


def _finding(
    event: str, one: tuple[Machine, Transition, frozenset[str]], other: tuple[Machine, Transition, frozenset[str]]
) -> Diagnostic:
    names = [", ".join(f"`{owner}`" for owner in sorted(owners)) for _, _, owners in (one, other)]
    return Diagnostic(
        "shared-event",
        f"event `{event}` moves machine `{one[0].name}` of {names[0]} and machine `{other[0].name}` of {names[1]}",
        Label(other[1].span, f"caused by {names[1]}"),
        labels=(Label(one[1].span, f"caused by {names[0]}"),),
        notes=("whoever causes it, one of the machines may find the wrong owner",),
        help=(f"write `on {event} of {one[0].name}` where it is another machine's event, or give the two own names",),
    )
