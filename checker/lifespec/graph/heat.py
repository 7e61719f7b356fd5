"""A Picture with counts: how often each state was entered and each transition taken, and how much was found there.

Owns the words for the counts and the names of the classes (`never`, `heat-1` to `heat-4`, `found`) that an SVG has
for them; knows no colours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from lifespec.graph.picture import Arrow, Label, MachineBox, Note, Picture, StateBox

_LEVELS = 4
_M = TypeVar("_M", Arrow, Note)

StateName = tuple[str, str]  # machine, state
EdgeName = tuple[str, int, str, str]  # machine, transition, source, target


@dataclass(frozen=True, slots=True)
class Heat:
    """Counts by state, and by edge of a transition; a transition that stays leads from a state to itself."""

    entered: Mapping[StateName, int] = field(default_factory=dict)
    taken: Mapping[EdgeName, int] = field(default_factory=dict)
    found_in: Mapping[StateName, int] = field(default_factory=dict)
    found_at: Mapping[EdgeName, int] = field(default_factory=dict)


def warmed(picture: Picture, heat: Heat) -> Picture:
    """The picture with the counts in its words and in the classes of its parts."""
    return replace(picture, machines=tuple(_machine(machine, heat) for machine in picture.machines))


def _machine(machine: MachineBox, heat: Heat) -> MachineBox:
    most_entered = max((heat.entered.get((machine.name, state), 0) for state in machine.states), default=0)
    most_taken = max((_taken(machine, mark, heat) for mark in machine.marks), default=0)
    return replace(
        machine,
        states={name: _state(machine, box, heat, most_entered) for name, box in machine.states.items()},
        arrows=tuple(
            replace(
                _counted(machine, arrow, heat),
                looks=_looks(_taken(machine, arrow, heat), most_taken, _found(machine, arrow, heat)),
            )
            for arrow in machine.arrows
        ),
        notes=tuple(_counted(machine, note, heat) for note in machine.notes),
    )


def _state(machine: MachineBox, box: StateBox, heat: Heat, most: int) -> StateBox:
    entered = heat.entered.get((machine.name, box.name), 0)
    found = heat.found_in.get((machine.name, box.name), 0)
    words = f"entered {_times(entered)}" + (f", {_findings(found)}" if found else "")
    return replace(
        box, details=(*box.details, words), tooltip=f"{box.tooltip} ({words})", looks=_looks(entered, most, found)
    )


def _counted(machine: MachineBox, mark: _M, heat: Heat) -> _M:
    found = _found(machine, mark, heat)
    words = _times(_taken(machine, mark, heat)) + (f", {_findings(found)}" if found else "")
    label: Label = replace(mark.label, trigger=f"{mark.label.trigger} ({words})" if mark.label.trigger else words)
    return replace(mark, label=label, tooltip=f"{mark.tooltip} ({words})")


def _taken(machine: MachineBox, mark: Arrow | Note, heat: Heat) -> int:
    return _sum(machine, mark, heat.taken)


def _found(machine: MachineBox, mark: Arrow | Note, heat: Heat) -> int:
    return _sum(machine, mark, heat.found_at)


def _sum(machine: MachineBox, mark: Arrow | Note, counts: Mapping[EdgeName, int]) -> int:
    return sum(
        counts.get((machine.name, mark.index, source, mark.target if isinstance(mark, Arrow) else source), 0)
        for source in mark.sources
    )


def _looks(count: int, most: int, found: int) -> str:
    """Counts of a log differ by magnitudes, so the levels are those of the logarithm."""
    level = math.ceil(_LEVELS * math.log1p(count) / math.log1p(most)) if count and most else 0
    return (f"heat-{level}" if level else "never") + (" found" if found else "")


def _times(count: int) -> str:
    return f"{count:,}\N{MULTIPLICATION SIGN}" if count else "never"


def _findings(count: int) -> str:
    return f"{count:,} {'finding' if count == 1 else 'findings'}"
