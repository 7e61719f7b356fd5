"""Graphs -> what is to be seen: boxes, arrows, lines of text. Owns the folding of edges; knows no format.

Reads only the graphs of `build_graph`. DOT and Mermaid write the same Picture, so they cannot disagree.

Folding. Every edge of a graph is shown by exactly one mark. A declared transition is one Arrow for each of its
targets. When it has several tails, their lines meet at its words, which so stand there once; one without words has
no such joint, but a line from each. A transition that stays is a Note, a text at each tail. Tails are:

- a declaration with `any` and three or more sources: a small "any" node. It says "any except a, b" when more than
  final states and the target are missing;
- otherwise, sources that make up a whole group of two or more: the border of the group, unless the target is inside;
- each remaining source: its state.
"""

from __future__ import annotations

import textwrap
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from lifespec.graph.build import bound_text
from lifespec.graph.text import folded

if TYPE_CHECKING:
    from lifespec.graph.build import Graph

_LONGEST_MEANING = 84


class Place(StrEnum):
    """What a line starts at, or a note stands at."""

    STATE = "state"
    GROUP = "group"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Tail:
    """A state or a group by its name, or the "any" node with that text."""

    place: Place
    name: str


@dataclass(frozen=True, slots=True)
class Label:
    """The words at a transition. `by` names the owners only where they are not simply the machine's; `meaning` is
    the documentation, cut short, of what has no trigger to say why it is taken."""

    trigger: str
    meaning: str
    where: str | None
    by: tuple[str, ...]
    requires: tuple[str, ...]
    require: tuple[str, ...]
    remember: tuple[str, ...]

    @property
    def has_words(self) -> bool:
        return bool(self.trigger or self.details())

    def details(self) -> list[str]:
        """Everything but the trigger, a line each."""
        lines = [self.meaning] if self.meaning else []
        lines += [f"[{self.where}]"] if self.where else []
        if self.by:
            lines.append(f"by {', '.join(self.by)}")
        if self.requires:
            lines.append(f"requires {', '.join(self.requires)}")
        lines += [f"require {text}" for text in self.require]
        if self.remember:
            lines.append(f"remember {', '.join(self.remember)}")
        return lines


@dataclass(frozen=True, slots=True)
class Arrow:
    """A transition from all of `tails` into `target`, standing for an edge from each of `sources`.

    `within` is the innermost box that holds the target and all sources, None when only the machine does.
    """

    index: int
    tails: tuple[Tail, ...]
    sources: tuple[str, ...]
    target: str
    label: Label
    owners: tuple[str, ...]
    dashed: bool  # caused by another machine's move or by the clock
    tooltip: str
    within: str | None
    looks: str = ""  # classes of its elements in an SVG

    @property
    def has_joint(self) -> bool:
        return len(self.tails) > 1 and self.label.has_words


@dataclass(frozen=True, slots=True)
class Note:
    """A transition that stays: a text inside `at`, standing for an edge of each of `sources` to itself."""

    index: int
    at: Tail
    sources: tuple[str, ...]
    label: Label
    owners: tuple[str, ...]
    tooltip: str


@dataclass(frozen=True, slots=True)
class StateBox:
    name: str
    kind: str
    details: tuple[str, ...]  # bound, required fields, a waiver
    tooltip: str
    looks: str = ""  # classes of its element in an SVG

    @property
    def is_final(self) -> bool:
        return self.kind == "final"

    @property
    def is_failure(self) -> bool:
        return self.kind == "failure"


@dataclass(frozen=True, slots=True)
class GroupBox:
    name: str
    tooltip: str
    states: tuple[str, ...]  # those directly inside
    groups: tuple[GroupBox, ...]
    members: tuple[str, ...]  # all states, those of inner groups included


@dataclass(frozen=True, slots=True)
class MachineBox:
    name: str
    title: str  # "clip per clip"
    owned: str  # "owned by playback", or ""
    documentation: str
    initial: str
    states: Mapping[str, StateBox]
    top: tuple[str, ...]  # the states outside of every group
    groups: tuple[GroupBox, ...]
    anys: tuple[Tail, ...]
    arrows: tuple[Arrow, ...]
    notes: tuple[Note, ...]
    owners: tuple[str, ...]

    @property
    def marks(self) -> tuple[Arrow | Note, ...]:
        return (*self.arrows, *self.notes)

    def notes_at(self, tail: Tail) -> list[Note]:
        return [note for note in self.notes if note.at == tail]


@dataclass(frozen=True, slots=True)
class Picture:
    """`owners` are those of the transitions and machines shown, with their documentation, as declared;
    `all_owners` are all declared ones, which fixes the colours whatever is shown."""

    lifecycle: str
    title: str
    documentation: str
    machines: tuple[MachineBox, ...]
    owners: Mapping[str, str]
    all_owners: tuple[str, ...]


def compose(graphs: Mapping[str, Graph], nesting: int | None = None, from_borders: bool = True) -> Picture:
    """What the picture of `graphs` (all of a lifecycle, or some) shows.

    `nesting` is how many levels of groups can be drawn as boxes (None: all). Groups deeper than that are told
    in words at their states. `from_borders` says whether an arrow can start at the border of a box.
    """
    machines = tuple(_machine(graph, nesting, from_borders) for graph in graphs.values())
    facts = next((graph.graph for graph in graphs.values()), {})
    declared: Mapping[str, str | None] = facts.get("declared_owners", {})
    shown = {owner for machine in machines for owner in machine.owners}
    shown |= {owner for machine in machines for mark in machine.marks for owner in mark.owners}
    lifecycle = facts.get("lifecycle", "")
    version, profile = facts.get("version"), facts.get("profile")
    title = lifecycle + (f" {version}" if version else "") + (f" (profile {profile})" if profile else "")
    return Picture(
        lifecycle=lifecycle,
        title=title,
        documentation=facts.get("lifecycle_documentation") or "",
        machines=machines,
        owners={name: doc or "" for name, doc in declared.items() if name in shown},
        all_owners=tuple(declared),
    )


def _machine(graph: Graph, nesting: int | None, from_borders: bool) -> MachineBox:
    facts = graph.graph
    boxed = {group for _, node in graph.nodes(data=True) for group in node["groups"][:nesting]}
    groups = [group for group in facts["groups"] if group["name"] in boxed]
    states = {name: _state(name, node, boxed) for name, node in graph.nodes(data=True)}
    arrows: list[Arrow] = []
    notes: list[Note] = []
    for edges in _declarations(graph):
        foldable = groups if from_borders or edges.target is None else []
        for_each = list(_fold(graph, foldable, edges))
        if edges.target is None:
            notes += _notes(graph, edges, for_each)
        else:
            arrows.append(_arrow(graph, groups, edges, tuple(tail for tail, _ in for_each)))
    keys = ", ".join(facts["keys"])
    anys = dict.fromkeys(
        [note.at for note in notes if note.at.place is Place.ANY]
        + [tail for arrow in arrows for tail in arrow.tails if tail.place is Place.ANY]
    )
    return MachineBox(
        name=facts["machine"],
        title=facts["machine"] + (f" per {keys}" if keys else ""),
        owned=f"owned by {', '.join(facts['owners'])}" if facts["owners"] else "",
        documentation=facts["documentation"] or "",
        initial=facts["initial"],
        states=states,
        top=tuple(name for name, node in graph.nodes(data=True) if not node["groups"][:nesting]),
        groups=tuple(_group(graph, groups, group) for group in groups if group["parent"] is None),
        anys=tuple(anys),
        arrows=tuple(arrows),
        notes=tuple(notes),
        owners=facts["owners"],
    )


def _state(name: str, node: Mapping[str, Any], boxed: Container[str]) -> StateBox:
    details = []
    in_words = [group for group in node["groups"] if group not in boxed]
    if in_words:
        details.append(f"in {', '.join(in_words)}")
    if node["within"] is not None:
        details.append(f"within {bound_text(node['within'], node['within_ns'])}")
    if node["requires"]:
        details.append(f"requires {', '.join(node['requires'])}")
    if node["waived"] is not None:
        details.append("without reason" + (f": {node['waived']}" if node["waived"] else ""))
    heading = name if node["kind"] == "state" else f"{name} ({node['kind']})"
    return StateBox(name, node["kind"], tuple(details), _sentence(heading, node["documentation"]))


def _group(graph: Graph, groups: Sequence[Mapping[str, Any]], group: Mapping[str, Any]) -> GroupBox:
    name, names = group["name"], {other["name"] for other in groups}
    return GroupBox(
        name=name,
        tooltip=_sentence(f"{name} (group)", group["documentation"]),
        states=tuple(s for s in group["states"] if [g for g in graph.nodes[s]["groups"] if g in names][-1] == name),
        groups=tuple(_group(graph, groups, inner) for inner in groups if inner["parent"] == name),
        members=group["states"],
    )


def _sentence(heading: str, documentation: str | None) -> str:
    return f"{heading}: {documentation}" if documentation else heading


# --- marks -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Edges:
    """The edges of one declaration into one target (None: it stays), sources in order of declaration."""

    sources: tuple[str, ...]
    target: str | None
    attributes: Mapping[str, Any]


def _declarations(graph: Graph) -> Iterator[_Edges]:
    found: dict[tuple[int, str | None], list[tuple[str, Mapping[str, Any]]]] = {}
    for source, head, attributes in graph.edges(data=True):
        key = (attributes["index"], None if attributes["stays"] else head)
        found.setdefault(key, []).append((source, attributes))
    place = {name: node["index"] for name, node in graph.nodes(data=True)}
    for (_, target), edges in sorted(found.items(), key=lambda item: (item[0][0], place.get(item[0][1] or "", -1))):
        sources = sorted((source for source, _ in edges), key=place.__getitem__)
        yield _Edges(tuple(sources), target, edges[0][1])


def _arrow(graph: Graph, groups: Sequence[Mapping[str, Any]], edges: _Edges, tails: tuple[Tail, ...]) -> Arrow:
    attributes, target = edges.attributes, edges.target
    assert target is not None
    around = [group for group in groups if {target, *edges.sources} <= set(group["states"])]
    return Arrow(
        index=attributes["index"],
        tails=tails,
        sources=edges.sources,
        target=target,
        label=_label(graph, attributes),
        owners=attributes["owners"],
        dashed=attributes["trigger"] in ("when", "after", "at"),
        tooltip=_tooltip(attributes),
        within=min(around, key=lambda group: len(group["states"]))["name"] if around else None,
    )


def _notes(graph: Graph, edges: _Edges, folded: Iterable[tuple[Tail, tuple[str, ...]]]) -> Iterator[Note]:
    attributes = edges.attributes
    label, tooltip = _label(graph, attributes), _tooltip(attributes)
    for tail, sources in folded:
        yield Note(attributes["index"], tail, sources, label, attributes["owners"], tooltip)


def _tooltip(attributes: Mapping[str, Any]) -> str:
    """The declaration as written, which has its documentation in it."""
    return str(attributes["text"] or attributes["trigger_text"])


def _fold(graph: Graph, groups: Sequence[Mapping[str, Any]], edges: _Edges) -> Iterator[tuple[Tail, tuple[str, ...]]]:
    """The tails of these edges, each with the sources that it stands for: every source under exactly one."""
    if edges.attributes["from_any"] and len(edges.sources) >= 3:
        yield Tail(Place.ANY, _any_text(graph, edges)), edges.sources
        return
    left = dict.fromkeys(edges.sources)
    for group in sorted(groups, key=lambda group: -len(group["states"])):
        members: tuple[str, ...] = group["states"]
        if len(members) >= 2 and edges.target not in members and all(name in left for name in members):
            yield Tail(Place.GROUP, group["name"]), members
            for member in members:
                del left[member]
    for source in left:
        yield Tail(Place.STATE, source), (source,)


def _short(documentation: str) -> str:
    """As many whole words as an arrow has room for."""
    return textwrap.shorten(folded(documentation), _LONGEST_MEANING, placeholder=" ...")


def _any_text(graph: Graph, edges: _Edges) -> str:
    usual = [name for name, node in graph.nodes(data=True) if node["kind"] != "final" and name != edges.target]
    missing = [name for name in usual if name not in edges.sources]
    return f"any except {', '.join(missing)}" if missing else "any"


def _label(graph: Graph, attributes: Mapping[str, Any]) -> Label:
    by = attributes["owners"] if attributes["trigger"] in ("on", "none") else ()
    return Label(
        trigger=attributes["trigger_text"],
        meaning="" if attributes["trigger_text"] else _short(attributes["documentation"] or ""),
        where=attributes["where"],
        by=by if by != graph.graph["owners"] else (),
        requires=attributes["requires"],
        require=tuple(
            doc or text for text, doc in zip(attributes["require"], attributes["require_documentation"], strict=True)
        ),
        remember=attributes["remember"],
    )
