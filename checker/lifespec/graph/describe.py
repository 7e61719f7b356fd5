"""Picture -> words for readers who do not see it. Owns the title and the description of an SVG."""

from __future__ import annotations

from dataclasses import dataclass

from lifespec.graph.picture import Arrow, MachineBox, Note, Picture, Place, Tail


@dataclass(frozen=True, slots=True)
class Words:
    title: str
    description: str


def describe(picture: Picture) -> Words:
    """A title, and every machine with its states and transitions, a sentence each."""
    alone = picture.machines[0].title if len(picture.machines) == 1 else None
    title = f"State machine {alone} of {picture.title}" if alone else f"State machines of {picture.title}"
    return Words(title, " ".join(_sentences(machine) for machine in picture.machines))


def _sentences(machine: MachineBox) -> str:
    states = ", ".join(name + (f" ({box.kind})" if box.kind != "state" else "") for name, box in machine.states.items())
    owned = f", {machine.owned}" if machine.owned else ""
    moves = "; ".join(_move(mark) for mark in machine.marks)
    return f"Machine {machine.title}{owned}. States: {states}." + (f" Transitions: {moves}." if moves else "")


def _move(mark: Arrow | Note) -> str:
    if isinstance(mark, Note):
        return f"{_from(mark.at)} stays on {mark.label.trigger or 'any record'}"
    trigger = mark.label.trigger
    how = f" {trigger}" if mark.dashed else f" on {trigger}" if trigger else ""
    return f"{', '.join(_from(tail) for tail in mark.tails)} to {mark.target}{how}"


def _from(tail: Tail) -> str:
    return f"group {tail.name}" if tail.place is Place.GROUP else tail.name
