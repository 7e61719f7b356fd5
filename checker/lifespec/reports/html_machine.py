"""What the HTML report shows of a machine: its picture, and its states and transitions with counts. Owns the shape."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A state or a transition. `text` is its declaration, `where` the place of it; `count` says how often it was
    entered or taken, `found` how many findings are about it. `names` are the state, or the events of a transition;
    `sources` the states that a transition leaves."""

    title: str
    kind: str
    text: str
    where: str
    count: int
    found: int
    names: tuple[str, ...]
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MachineView:
    """One machine. `svg` is its picture with counts, None where it could not be drawn, and `why` says why."""

    name: str
    title: str
    documentation: str
    svg: str | None
    why: str
    states: tuple[Row, ...]
    transitions: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class OwnerView:
    """An owner, with the colour that it has in every picture."""

    name: str
    colour: str
    documentation: str


@dataclass(frozen=True, slots=True)
class LifecycleView:
    """What the report does not say of the lifecycle itself."""

    documentation: str = ""
    owners: tuple[OwnerView, ...] = ()
    machines: tuple[MachineView, ...] = ()
