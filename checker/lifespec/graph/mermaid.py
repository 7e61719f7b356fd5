"""Picture -> Mermaid `stateDiagram-v2`. Owns the escaping that Mermaid needs; decides nothing about content.

Mermaid knows no colour or dash for an arrow, so owners and triggers are told by words alone. Every state, group
and machine gets a made-up identifier (`m1s2`: the second state of the first machine), since names may be
keywords of Mermaid or hold any character.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from lifespec.graph import style
from lifespec.graph.picture import GroupBox, MachineBox, Note, Picture, Place, Tail, compose
from lifespec.graph.text import folded, wrapped

if TYPE_CHECKING:
    from lifespec.graph.build import Graph

_PLAIN = frozenset(" ,/=()")
_INSIDE_A_WORD = frozenset("-._")


def compose_for_mermaid(graphs: Mapping[str, Graph]) -> Picture:
    """The picture that Mermaid can draw: a machine alone has its outermost groups as boxes; several machines
    are boxes themselves, and then groups are told in words.

    Mermaid 11 accepts boxes inside of boxes, but cannot draw an arrow that crosses the border of an inner one,
    and it lays arrows that start at a border over each other.
    """
    return compose(graphs, nesting=1 if len(graphs) == 1 else 0, from_borders=False)


def render(picture: Picture) -> str:
    """The picture as Mermaid, ending in a newline."""
    writers = [_Writer(machine, f"m{position}") for position, machine in enumerate(picture.machines, 1)]
    alone = len(writers) == 1
    title = f"{picture.title}: {writers[0].title()}" if alone else picture.title
    lines = ["---", f"title: {json.dumps(folded(title), ensure_ascii=False)}", "---", "stateDiagram-v2"]
    lines.append(f"  accTitle: {escaped(title)}")
    if picture.documentation:
        lines.append(f"  accDescr: {escaped(picture.documentation)}")
    lines.append("  direction TB")
    for writer in writers:
        if alone:
            lines += [f"  {line}" for line in writer.content()]
        else:
            lines += [f'  state "{escaped(writer.title())}" as {writer.prefix} {{']
            lines += [f"    {line}" for line in ["direction TB", *writer.content()]]
            lines += ["  }"]
    lines += [
        f"  classDef failure fill:{style.FAILURE_FILL},stroke:{style.FAILURE_LINE},stroke-width:2px",
        f"  classDef any fill:{style.PAPER},stroke:{style.QUIET},stroke-dasharray:4 3",
    ]
    lines += [f"  {line}" for writer in writers for line in writer.classes()]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """`text` in one line; whatever Mermaid or the Markdown in its labels might read is written as #CODE;."""
    text = folded(text)
    out = []
    for position, char in enumerate(text):
        before, after = text[position - 1 : position], text[position + 1 : position + 2]
        inside = char in _INSIDE_A_WORD and before.isalnum() and after.isalnum()
        out.append(char if char.isalnum() or char in _PLAIN or inside else f"#{ord(char)};")
    return "".join(out) or "#160;"


class _Writer:
    """Writes one machine; `prefix` begins its identifiers."""

    def __init__(self, machine: MachineBox, prefix: str) -> None:
        self.machine = machine
        self.prefix = prefix
        self.states = {name: f"{prefix}s{position}" for position, name in enumerate(machine.states, 1)}
        self.groups: dict[str, str] = {}
        for group in _all_groups(machine.groups):
            self.groups[group.name] = f"{prefix}g{len(self.groups) + 1}"
        self.anys = {tail: f"{prefix}a{position}" for position, tail in enumerate(machine.anys, 1)}

    def title(self) -> str:
        """In one line, since Mermaid keeps no room for more above a box."""
        return f"{self.machine.title}, {self.machine.owned}" if self.machine.owned else self.machine.title

    def content(self) -> Iterator[str]:
        """The lines of the machine; where it is a box, those inside."""
        machine = self.machine
        for tail, identifier in self.anys.items():
            yield f'state "{escaped(tail.name)}" as {identifier}'
            yield from (f"{identifier} : {line}" for line in self._notes(tail))
        for name in machine.top:
            yield from self._state(name)
        for group in machine.groups:
            yield from self._group(group)
        yield f"[*] --> {self.states[machine.initial]}"
        joints = 0
        for arrow in machine.arrows:
            trigger = [arrow.label.trigger] if arrow.label.trigger else []
            words = _wrapped_all([*trigger, *arrow.label.details()], style.ARROW_WRAP)
            said = f" : {_lines(words)}" if words else ""
            starts = [self._tail(tail) for tail in arrow.tails]
            if arrow.has_joint:
                joints += 1
                joint = f"{self.prefix}j{joints}"
                yield f"state {joint} <<choice>>"
                yield from (f"{start} --> {joint}" for start in starts)
                starts = [joint]
            yield from (f"{start} --> {self.states[arrow.target]}{said}" for start in starts)
        for state in machine.states.values():
            if state.is_final:
                yield f"{self.states[state.name]} --> [*]"

    def classes(self) -> Iterator[str]:
        for name, state in self.machine.states.items():
            if state.is_failure:
                yield f"class {self.states[name]} failure"
        for identifier in self.anys.values():
            yield f"class {identifier} any"

    def _group(self, group: GroupBox) -> Iterator[str]:
        identifier = self.groups[group.name]
        notes = self.machine.notes_at(Tail(Place.GROUP, group.name))
        title = "; ".join([group.name, *(", ".join([_trigger(note), *note.label.details()]) for note in notes)])
        yield f'state "{escaped(title)}" as {identifier} {{'
        for name in group.states:
            yield from (f"  {line}" for line in self._state(name))
        for inner in group.groups:
            yield from (f"  {line}" for line in self._group(inner))
        yield "}"

    def _state(self, name: str) -> Iterator[str]:
        state, identifier = self.machine.states[name], self.states[name]
        yield f'state "{escaped(name)}" as {identifier}'
        if state.is_failure:
            yield f"{identifier} : {escaped('«failure»')}"
        yield from (f"{identifier} : {escaped(line)}" for line in _wrapped_all(state.details, style.WRAP))
        yield from (f"{identifier} : {line}" for line in self._notes(Tail(Place.STATE, name)))

    def _notes(self, tail: Tail) -> Iterator[str]:
        """Internal transitions: the trigger, and indented under it what belongs to it."""
        for note in self.machine.notes_at(tail):
            yield escaped(_trigger(note))
            yield from (f"#160;#160;{escaped(line)}" for line in _wrapped_all(note.label.details(), style.WRAP))

    def _tail(self, tail: Tail) -> str:
        match tail.place:
            case Place.STATE:
                return self.states[tail.name]
            case Place.GROUP:
                return self.groups[tail.name]
            case Place.ANY:
                return self.anys[tail]


def _all_groups(groups: Iterable[GroupBox]) -> Iterator[GroupBox]:
    for group in groups:
        yield group
        yield from _all_groups(group.groups)


def _trigger(note: Note) -> str:
    return note.label.trigger or "any record"


def _wrapped_all(details: Iterable[str], width: int) -> list[str]:
    return [line for detail in details for line in wrapped(detail, width)]


def _lines(lines: Iterable[str]) -> str:
    return "<br/>".join(escaped(line) for line in lines)
