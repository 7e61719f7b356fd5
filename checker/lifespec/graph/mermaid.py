"""Picture -> Mermaid `stateDiagram-v2`. Owns the escaping that Mermaid needs; decides nothing about content.

Mermaid knows no colour or dash for an arrow, so owners and triggers are told by words alone. Every state, group
and machine gets a made-up identifier (`m1s2`: the second state of the first machine), since names may be
keywords of Mermaid or hold any character.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lifespec.graph import style
from lifespec.graph.picture import GroupBox, MachineBox, Picture, Place, Tail
from lifespec.graph.text import folded, wrapped

_PLAIN = frozenset(" ,/=()")
_INSIDE_A_WORD = frozenset("-._")


def render(picture: Picture) -> str:
    """The picture as Mermaid, ending in a newline."""
    lines = ["stateDiagram-v2", f"  accTitle: {escaped(picture.title)}"]
    if picture.documentation:
        lines.append(f"  accDescr: {escaped(picture.documentation)}")
    lines.append("  direction TB")
    for position, machine in enumerate(picture.machines, 1):
        lines += [f"  {line}" for line in _Writer(machine, f"m{position}").machine_lines()]
    lines += [
        f"  classDef failure fill:{style.FAILURE_FILL},stroke:{style.FAILURE_LINE},stroke-width:2px",
        f"  classDef any fill:{style.PAPER},stroke:{style.QUIET},stroke-dasharray:4 3",
    ]
    for position, machine in enumerate(picture.machines, 1):
        lines += [f"  {line}" for line in _Writer(machine, f"m{position}").class_lines()]
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

    def machine_lines(self) -> Iterator[str]:
        machine = self.machine
        title = [machine.title, *([machine.owned] if machine.owned else [])]
        if machine.documentation:
            title += wrapped(machine.documentation, style.DOC_WRAP)
        yield f'state "{_lines(title)}" as {self.prefix} {{'
        yield "  direction TB"
        for tail, identifier in self.anys.items():
            yield f'  state "{escaped(tail.name)}" as {identifier}'
            yield from (f"  {identifier} : {line}" for line in self._notes(tail))
        for name in machine.top:
            yield from (f"  {line}" for line in self._state(name))
        for group in machine.groups:
            yield from (f"  {line}" for line in self._group(group))
        yield f"  [*] --> {self.states[machine.initial]}"
        for arrow in machine.arrows:
            label = arrow.label
            words = [*wrapped(label.trigger, style.WRAP), *_wrapped_all(label.details())] if label.trigger else []
            words = words or _wrapped_all(label.details())
            yield f"  {self._tail(arrow.tail)} --> {self.states[arrow.target]}" + (f" : {_lines(words)}" if words else "")
        for state in machine.states.values():
            if state.is_final:
                yield f"  {self.states[state.name]} --> [*]"
        yield "}"

    def class_lines(self) -> Iterator[str]:
        for name, state in self.machine.states.items():
            if state.is_failure:
                yield f"class {self.states[name]} failure"
        for identifier in self.anys.values():
            yield f"class {identifier} any"

    def _group(self, group: GroupBox) -> Iterator[str]:
        identifier = self.groups[group.name]
        title = "<br/>".join([escaped(group.name), *self._notes(Tail(Place.GROUP, group.name))])
        yield f'state "{title}" as {identifier} {{'
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
        yield from (f"{identifier} : {escaped(line)}" for line in _wrapped_all(state.details))
        yield from (f"{identifier} : {line}" for line in self._notes(Tail(Place.STATE, name)))

    def _notes(self, tail: Tail) -> Iterator[str]:
        """Internal transitions: the trigger, and indented under it what belongs to it."""
        for note in self.machine.notes_at(tail):
            yield escaped(note.label.trigger or "any record")
            yield from (f"#160;#160;{escaped(line)}" for line in _wrapped_all(note.label.details()))

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


def _wrapped_all(details: Iterable[str]) -> list[str]:
    return [line for detail in details for line in wrapped(detail, style.WRAP)]


def _lines(lines: Iterable[str]) -> str:
    return "<br/>".join(escaped(line) for line in lines)
