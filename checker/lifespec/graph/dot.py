"""Picture -> DOT. Owns the look of nodes, arrows and the legend in Graphviz; decides nothing about content.

The same Picture gives the same text, byte for byte. All user text goes through `text.html`, `text.quoted` or
`text.part`.

Machines and legend are laid out one by one and packed (`pack`). Known flaws of Graphviz: it counts the label of a line
neither to the box around it nor as something to keep clear of, so the words of an arrow are a node on its way; packed,
it forgets that the labels which are left need a rank of their own, so those lines are two ranks long; very rarely (one
in hundreds of random machines with nested groups) Graphviz 2.43 gives up on packed machines, for which there is
`packed=False`.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping

from lifespec.graph import style
from lifespec.graph.direction import Step, find_returning
from lifespec.graph.picture import Arrow, GroupBox, MachineBox, Note, Picture, Place, StateBox, Tail
from lifespec.graph.text import folded, html, part, quoted, wrapped

Attributes = Mapping[str, str]


def render(picture: Picture, packed: bool = True) -> str:
    """The picture as DOT, ending in a newline. Without `packed` the machines stand side by side."""
    colours = style.owner_colours(picture.all_owners)
    lines = [f"digraph {quoted(folded(picture.lifecycle))} {{"]
    lines += [f"  {line}" for line in _defaults(picture, packed)]
    for position, machine in enumerate(picture.machines):
        lines += [f"  {line}" for line in _machine(machine, position, colours)]
    lines += [f"  {line}" for line in _legend(picture, colours)]
    lines.append("}")
    return "\n".join(lines) + "\n"


def _defaults(picture: Picture, packed: bool) -> Iterator[str]:
    title = [_font(f"<B>{html(folded(picture.title))}</B>", style.TITLE_SIZE)] if picture.title else []
    if picture.documentation:
        title += [_font(html(line), style.NAME_SIZE) for line in wrapped(picture.documentation, 2 * style.DOC_WRAP)]
    columns = math.ceil(math.sqrt(len(picture.machines) + 1)) if len(picture.machines) > 1 else 1
    packing = {"pack": "24", "packmode": quoted(f"array_tu{columns}"), "ranksep": "0.22"}
    yield _statement(
        "graph",
        {
            "label": _label(title) if title else quoted(""),
            "labelloc": "t",
            "tooltip": quoted(folded(picture.title)),
            "fontname": quoted(style.FONT),
            "fontcolor": quoted(style.INK),
            "bgcolor": quoted(style.PAPER),
            "compound": "true",
            "nodesep": "0.35",
            "pad": "0.3" if title else "0",  # around a picture of a page, which has its own title, the page has air
            **(packing if packed else {"newrank": "true"}),
        },
    )
    yield _statement(
        "node",
        {
            "shape": "box",
            "style": quoted("rounded,filled"),
            "fontname": quoted(style.FONT),
            "fontsize": str(style.NAME_SIZE),
            "fontcolor": quoted(style.INK),
            "color": quoted(style.STATE_LINE),
            "fillcolor": quoted(style.STATE_FILL),
            "margin": quoted("0.12,0.06"),
            "height": "0.4",
        },
    )
    yield _statement(
        "edge",
        {
            "fontname": quoted(style.FONT),
            "fontsize": str(style.DETAIL_SIZE),
            "fontcolor": quoted(style.INK),
            "color": quoted(style.NOBODY),
            "penwidth": "1.5",
            "arrowsize": "0.8",
            **({"minlen": "2"} if packed else {}),
        },
    )


# --- one machine -------------------------------------------------------------------------------------


def _machine(machine: MachineBox, position: int, colours: Attributes) -> Iterator[str]:
    title = [_font(f"<B>{html(folded(machine.title))}</B>", style.MACHINE_SIZE)]
    if machine.owned:
        title.append(_font(html(folded(machine.owned)), style.DETAIL_SIZE, style.QUIET))
    if machine.documentation:
        title += [_font(html(line), style.DETAIL_SIZE) for line in wrapped(machine.documentation, style.DOC_WRAP)]
    yield f"subgraph {quoted('cluster_' + part(machine.name))} {{"
    yield "  " + _statement(
        "graph",
        {
            "label": _label(title),
            "tooltip": quoted(folded(machine.title)),
            "style": quoted("rounded,filled"),
            "color": quoted(style.MACHINE_FILL),  # no line: Graphviz may put the label of an outer arrow across it
            "fillcolor": quoted(style.MACHINE_FILL),
            "margin": "24",
            "sortv": str(position + 1),
        },
    )
    initial = _identifier(machine, "", "initial")
    yield "  " + _statement(initial, _dot_shape("circle", "0.16", "initial"))
    for tail in machine.anys:
        yield "  " + _statement(_tail(machine, tail)[0], _any_node(machine, tail))
    for name in machine.top:
        yield "  " + _state(machine, machine.states[name])
    for group in machine.groups:
        yield from (f"  {line}" for line in _group(machine, group, colours))
    for state in machine.states.values():
        if state.is_final:
            yield "  " + _statement(
                _identifier(machine, "", "final", state.name), _dot_shape("doublecircle", "0.11", "final")
            )
    yield "  " + _edge(initial, _identifier(machine, machine.initial), {"tooltip": quoted("initial"), "minlen": "1"})
    yield from (f"  {line}" for line in _arrows(machine, None, colours))
    for state in machine.states.values():
        if state.is_final:
            yield "  " + _edge(
                _identifier(machine, state.name),
                _identifier(machine, "", "final", state.name),
                {"tooltip": quoted("final"), "weight": "4", "minlen": "1"},
            )
    yield "}"


def _group(machine: MachineBox, group: GroupBox, colours: Attributes) -> Iterator[str]:
    title = [_font(f"<B>{html(folded(group.name))}</B>", style.NAME_SIZE)]
    notes = machine.notes_at(Tail(Place.GROUP, group.name))
    title += [_font(line, style.DETAIL_SIZE) for line in _note_lines(notes)]
    yield f"subgraph {quoted(_cluster(machine, group.name))} {{"
    yield "  " + _statement(
        "graph",
        {
            "label": _rows(title),
            "tooltip": quoted(folded(group.tooltip)),
            "labeljust": "l",
            "style": quoted("rounded,filled"),
            "color": quoted(style.GROUP_LINE),
            "fillcolor": quoted(style.GROUP_FILL),
            "margin": "12",
        },
    )
    for name in group.states:
        yield "  " + _state(machine, machine.states[name])
    for inner in group.groups:
        yield from (f"  {line}" for line in _group(machine, inner, colours))
    yield from (f"  {line}" for line in _arrows(machine, group.name, colours))
    yield "}"


def _state(machine: MachineBox, state: StateBox) -> str:
    rows = []
    if state.is_failure:
        rows.append(_font("&laquo;failure&raquo;", style.DETAIL_SIZE, style.FAILURE_LINE))
    rows.append(f"<B>{html(folded(state.name))}</B>")
    rows += [_font(html(line), style.DETAIL_SIZE) for detail in state.details for line in wrapped(detail, style.WRAP)]
    notes = _note_lines(machine.notes_at(Tail(Place.STATE, state.name)))
    attributes = {
        "label": _box(rows, notes),
        "tooltip": quoted(folded(state.tooltip)),
    }
    if state.looks:
        attributes["class"] = quoted(state.looks)
    if state.is_failure:
        attributes |= {
            "shape": "box" if notes else "octagon",  # around a list an octagon is three times as large as its text
            "style": quoted("filled"),
            "color": quoted(style.FAILURE_LINE),
            "fillcolor": quoted(style.FAILURE_FILL),
            "penwidth": "2",
        }
    return _statement(_identifier(machine, state.name), attributes)


def _any_node(machine: MachineBox, tail: Tail) -> Attributes:
    rows = [f"<I>{html(line)}</I>" for line in wrapped(tail.name, style.WRAP)]
    return {
        "label": _box(rows, _note_lines(machine.notes_at(tail))),
        "tooltip": quoted(folded(tail.name)),
        "style": quoted("rounded,dashed"),
        "height": "0.3",
    }


def _note_lines(notes: Iterable[Note]) -> list[str]:
    """Internal transitions as UML writes them: inside, the trigger first, what belongs to it indented."""
    lines = []
    for note in notes:
        lines += [f"<B>{html(line)}</B>" for line in wrapped(note.label.trigger or "any record", style.WRAP)]
        lines += [
            f"&nbsp;&nbsp;{html(line)}" for detail in note.label.details() for line in wrapped(detail, style.WRAP)
        ]
    return lines


def _arrows(machine: MachineBox, group: str | None, colours: Attributes) -> Iterator[str]:
    """The arrows that stay within `group`, or within no group: Graphviz keeps room for them in that box."""
    returning = find_returning(machine)
    for arrow in machine.arrows:
        if arrow.within == group:
            yield from _arrow(machine, arrow, returning, colours)


def _arrow(machine: MachineBox, arrow: Arrow, returning: Container[Step], colours: Attributes) -> Iterator[str]:
    """The lines of an arrow. Its words are a node on the way, for which Graphviz keeps room inside of the box."""
    line = {"color": quoted(":".join(dict.fromkeys(colours[owner] for owner in arrow.owners)) or style.NOBODY)}
    if arrow.dashed:
        line["style"] = "dashed"
    if arrow.looks:
        line["class"] = quoted(arrow.looks)
    line["tooltip"] = quoted(folded(arrow.tooltip))
    target = _identifier(machine, arrow.target)
    if not arrow.label.has_words:
        # Blanks keep room beside a line without words; otherwise Graphviz leads it across its neighbours.
        line["label"] = quoted(" " * 6)
        for tail in arrow.tails:
            node, cluster = _tail(machine, tail)
            yield _edge(node, target, {**line, **({"ltail": cluster} if cluster else {})})
        return
    words = _identifier(machine, "", "words", str(arrow.index), arrow.target)
    look = {"shape": "plain", "style": quoted(""), "fontsize": str(style.DETAIL_SIZE), "label": _arrow_label(arrow)}
    yield _statement(words, {**look, "tooltip": line["tooltip"]})
    line["minlen"] = "1"
    # What leads back is written backwards, so that the words stand between both ends and not below them.
    is_loop = arrow.sources == (arrow.target,)
    leads_on = False
    for tail in arrow.tails:
        node, cluster = _tail(machine, tail)
        returns = all((arrow, source) in returning for source in _sources(machine, arrow, tail))
        leads_on = leads_on or not returns
        if returns and not is_loop:
            yield _edge(words, node, {**line, "dir": "none", **({"lhead": cluster} if cluster else {})})
        else:
            yield _edge(node, words, {**line, "dir": "none", **({"ltail": cluster} if cluster else {})})
    yield _edge(words, target, line) if leads_on else _edge(target, words, {**line, "dir": "back"})


def _sources(machine: MachineBox, arrow: Arrow, tail: Tail) -> tuple[str, ...]:
    """The states that `tail` of `arrow` stands for."""
    match tail.place:
        case Place.STATE:
            return (tail.name,)
        case Place.GROUP:
            return _members(machine.groups, tail.name)
        case Place.ANY:
            return arrow.sources


def _arrow_label(arrow: Arrow) -> str:
    trigger = arrow.label.trigger
    rows = [f"<B>{html(line)}</B>" for line in wrapped(trigger, style.TRIGGER_WRAP)] if trigger else []
    rows += [
        _font(html(line), style.DETAIL_SIZE - 1, style.QUIET)
        for detail in arrow.label.details()
        for line in wrapped(detail, style.ARROW_WRAP)
    ]
    return _rows(f"&nbsp;{row}" for row in rows)


def _tail(machine: MachineBox, tail: Tail) -> tuple[str, str | None]:
    """The node at the tail of a line and, where the line is to end at the border of a group, that group's cluster."""
    match tail.place:
        case Place.STATE:
            return _identifier(machine, tail.name), None
        case Place.ANY:
            return _identifier(machine, "", "any", tail.name), None
        case Place.GROUP:
            members = _members(machine.groups, tail.name)
            return _identifier(machine, members[len(members) // 2]), quoted(_cluster(machine, tail.name))


def _members(groups: Iterable[GroupBox], name: str) -> tuple[str, ...]:
    for group in groups:
        found = group.members if group.name == name else _members(group.groups, name)
        if found:
            return found
    return ()


# --- the legend --------------------------------------------------------------------------------------


def _legend(picture: Picture, colours: Attributes) -> Iterator[str]:
    marks = [mark for machine in picture.machines for mark in machine.marks]
    rows = [
        _legend_row(_swatch(colours[owner]), f"{owner}: {documentation}" if documentation else owner)
        for owner, documentation in picture.owners.items()
    ]
    if picture.owners and any(not mark.owners for mark in marks):
        rows.append(_legend_row(_swatch(style.NOBODY), "no owner given: anyone"))
    if any(isinstance(mark, Arrow) and mark.dashed for mark in marks):
        rows.append(_legend_row(_swatch(style.QUIET, dashes=3), "dashed: caused by another machine or by the clock"))
    if any(machine.anys for machine in picture.machines):
        rows.append(_legend_row("<I>any</I>", "every state that is neither final nor the target"))
    if not rows:
        return
    yield _statement(
        quoted(":legend"),
        {
            "shape": "box",
            "style": quoted("filled"),
            "fillcolor": quoted(style.PAPER),
            "color": quoted(style.MACHINE_LINE),
            "tooltip": quoted("legend"),
            "sortv": str(len(picture.machines) + 1),
            "label": f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="3">{"".join(rows)}</TABLE>>',
        },
    )


def _legend_row(sign: str, words: str) -> str:
    lines = "".join(f'{html(line)}<BR ALIGN="LEFT"/>' for line in wrapped(words, style.DOC_WRAP))
    return f'<TR><TD VALIGN="TOP">{sign}</TD><TD ALIGN="LEFT">{_font(lines, style.DETAIL_SIZE)}</TD></TR>'


def _swatch(colour: str, dashes: int = 1) -> str:
    """A piece of a line, drawn as cells, since not every font has a sign for it."""
    width = 24 // dashes - (2 if dashes > 1 else 0)
    cell = f'<TD FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="4" BGCOLOR="{colour}"></TD>'
    spacing = 3 if dashes > 1 else 0
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLPADDING="0" CELLSPACING="{spacing}"><TR>{cell * dashes}</TR></TABLE>'


# --- small parts -------------------------------------------------------------------------------------


def _dot_shape(shape: str, width: str, tooltip: str) -> Attributes:
    return {
        "shape": shape,
        "label": quoted(""),
        "style": "filled",
        "fillcolor": quoted(style.INK),
        "color": quoted(style.INK),
        "fixedsize": "true",
        "width": width,
        "height": width,
        "tooltip": quoted(tooltip),
    }


def _identifier(machine: MachineBox, *parts: str) -> str:
    return quoted(":".join(part(text) for text in (machine.name, *parts)))


def _cluster(machine: MachineBox, group: str) -> str:
    return f"cluster_{part(machine.name)}:{part(group)}"


def _statement(subject: str, attributes: Attributes) -> str:
    inside = ", ".join(f"{name}={value}" for name, value in attributes.items())
    return f"{subject} [{inside}];"


def _edge(tail: str, head: str, attributes: Attributes) -> str:
    return _statement(f"{tail} -> {head}", attributes)


def _font(text: str, size: int, colour: str = style.INK) -> str:
    return f'<FONT POINT-SIZE="{size}" COLOR="{colour}">{text}</FONT>'


def _label(rows: list[str]) -> str:
    """A title of a cluster or of the picture, with a little air around it."""
    cells = "".join(f"<TR><TD>{row}</TD></TR>" for row in rows)
    return f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="2">{cells}</TABLE>>'


def _rows(rows: Iterable[str]) -> str:
    """A label of rows that begin at the left."""
    cells = "".join(f'<TR><TD ALIGN="LEFT">{row}</TD></TR>' for row in rows)
    return f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1">{cells}</TABLE>>'


def _box(rows: list[str], notes: list[str]) -> str:
    """The inside of a node: centred rows, then a rule and the internal transitions."""
    cells = "".join(f"<TR><TD>{row}</TD></TR>" for row in rows)
    if notes:
        cells += "<HR/>" + "".join(f'<TR><TD ALIGN="LEFT">{_font(note, style.DETAIL_SIZE)}</TD></TR>' for note in notes)
    return f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="2">{cells}</TABLE>>'
