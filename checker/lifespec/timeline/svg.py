"""A Timeline as an SVG of its own: swimlanes on a true axis, laid out beforehand. Owns sizes, colours and shapes.

Owners have a colour and a shape, failures a colour, a frame and a sign: nothing is said by colour alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from lifespec.diagnostics.excerpt import visible
from lifespec.explain_words import duration, instant, shortened
from lifespec.graph import style
from lifespec.graph.text import html
from lifespec.timeline.timeline import Flag, Lane, Mark, StateSpan, Timeline

_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM = 1200, 190, 24, 74, 34
_BAR, _LANE = 22, 46
_WIDEST = 6.6  # of a character, about
_TICKS = 9
_SECOND = 1_000_000_000  # ns
_CLOCK_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 604800)
_TINTS = ("#cfe3f7", "#d5efdd", "#fbe3c8", "#e5dcf5", "#f9dbe6", "#d6eef0")
_KINDS = {"initial": "#e9ecef", "final": "#c3cad2", "failure": style.FAILURE_FILL, "several": "url(#hatch)"}
_SHAPES = (
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
    "M-4.5-4.5h9v9h-9z",
    "M0-6L5.6 4.5H-5.6z",
    "M0-6.2L6.2 0L0 6.2L-6.2 0z",
    "M0 6L5.6-4.5H-5.6z",
    "M-2-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
    "M-3-5.5h6l3 5.5l-3 5.5h-6l-3-5.5z",
    "M-6-3.5h12v7h-12z",
)


class _Owner(NamedTuple):
    colour: str
    shape: str


def render(timeline: Timeline, owners: Sequence[str] = ()) -> str:
    """The SVG. `owners` are those of the lifecycle, as declared, which settles their colours and shapes."""
    return "\n".join(_Drawing(timeline, owners).elements()) + "\n"


class _Drawing:
    def __init__(self, timeline: Timeline, owners: Sequence[str]) -> None:
        self._timeline = timeline
        colours = style.owner_colours(owners)
        self._owners: Mapping[str, _Owner] = {
            owner: _Owner(colours[owner], _SHAPES[number % len(_SHAPES)]) for number, owner in enumerate(owners)
        }
        has_others = any(not mark.lanes for mark in timeline.marks)
        self._rows = len(timeline.lanes) + has_others
        self._height = _TOP + self._rows * _LANE + _BOTTOM

    def elements(self) -> Iterator[str]:
        timeline = self._timeline
        title = visible(f"Timeline of session {timeline.session} in {timeline.log}")
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {self._height}" width="{_WIDTH}" '
            f'height="{self._height}" role="img" aria-label="{html(title)}" font-family="Arial,Helvetica,sans-serif" '
            f'font-size="12" fill="{style.INK}">'
        )
        yield f"<title>{html(title)}</title>"
        yield (
            '<defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" '
            'patternTransform="rotate(45)"><rect width="7" height="7" fill="#e9ecef"/>'
            f'<path d="M0 0v7" stroke="{style.QUIET}"/></pattern></defs>'
        )
        yield f'<rect width="{_WIDTH}" height="{self._height}" fill="{style.PAPER}"/>'
        yield _text(10, 20, shortened(title, 150), weight="bold", size=14)
        yield from self._legend()
        yield from self._axis()
        for number, lane in enumerate(timeline.lanes):
            yield from self._lane(number, lane)
        if self._rows > len(timeline.lanes):
            yield _text(10, _TOP + len(timeline.lanes) * _LANE + 16, "other events", weight="bold")
        for cut in timeline.cuts:
            left, right = self._x(cut.begin), self._x(cut.end)
            yield (
                f'<rect x="{left:.1f}" y="{_TOP - 6}" width="{max(3.0, right - left):.1f}" '
                f'height="{self._rows * _LANE}" fill="url(#hatch)" opacity="0.6">'
                f"<title>{cut.records:,} records not shown</title></rect>"
            )
        for number, flag in enumerate(timeline.flags, 1):
            yield from self._flag(number, flag)
        yield from self._marks()
        yield "</svg>"

    def _x(self, at: int) -> float:
        timeline = self._timeline
        return _LEFT + (at - timeline.begin) / max(1, timeline.end - timeline.begin) * (_WIDTH - _LEFT - _RIGHT)

    def _offset(self, at: int) -> str:
        timeline = self._timeline
        return f"+{duration(at - timeline.begin)}" if timeline.has_time else f"record {at + 1}"

    def _legend(self) -> Iterator[str]:
        used = {mark.owner for mark in self._timeline.marks}
        x = 16.0
        for name, owner in self._owners.items():
            if name in used:
                yield f'<path d="{owner.shape}" transform="translate({x:.1f} 39)" fill="{owner.colour}"/>'
                yield _text(x + 10, 43, f"event by {name}")
                x += 32 + 6.2 * len(f"event by {name}")

    def _axis(self) -> Iterator[str]:
        timeline = self._timeline
        step = _step((timeline.end - timeline.begin) // _TICKS, timeline.has_time)
        bottom = self._height - _BOTTOM + 4
        for at in range(timeline.begin, timeline.end + 1, step):
            yield f'<path d="M{self._x(at):.1f} {_TOP - 6}V{bottom}" stroke="#d5dae0"/>'
            yield _text(self._x(at), self._height - 12, self._offset(at), colour=style.QUIET, size=11)
        if timeline.has_time:
            start = instant(timeline.begin).replace("T", " ")
            yield _text(10, self._height - 12, f"from {start[:19]}", colour=style.QUIET, size=11)
        elif timeline.has_several_clocks:
            yield _text(10, self._height - 12, "several clocks: records", colour=style.QUIET, size=11)

    def _lane(self, number: int, lane: Lane) -> Iterator[str]:
        top = _TOP + number * _LANE
        yield _text(10, top + 15, shortened(lane.title, 25), weight="bold")
        if lane.owners:
            yield _text(10, top + 30, f"owned by {', '.join(lane.owners)}", colour=style.QUIET, size=11)
        for span in lane.spans:
            yield from self._span(top, lane, span)

    def _span(self, top: int, lane: Lane, span: StateSpan) -> Iterator[str]:
        left = self._x(span.begin)
        width = max(2.5, self._x(span.end) - left)
        words = " or ".join(span.states)
        fill = _KINDS.get(span.kind, _TINTS[span.index % len(_TINTS)])
        line = f'stroke="{style.FAILURE_LINE}" stroke-width="2"' if span.kind == "failure" else 'stroke="#57606a"'
        said = f"{lane.title}: {words}, {self._offset(span.begin)} to {self._offset(span.end)}"
        yield (
            f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{_BAR}" rx="3" fill="{fill}" {line}>'
            f"<title>{html(visible(said))}</title>"
            "</rect>"
        )
        label = words + (" !" if span.kind == "failure" else "")
        room = int((width - 8) / _WIDEST)
        if room >= min(len(label), 4):
            yield _text(left + 5, top + 15, shortened(label, room), weight="bold" if span.kind == "failure" else "")

    def _marks(self) -> Iterator[str]:
        taken: dict[int, float] = {}
        for number, mark in enumerate(self._timeline.marks):
            for lane in mark.lanes or (len(self._timeline.lanes),):
                x, y = self._x(mark.at), _TOP + lane * _LANE + _BAR + 9
                owner = self._owners.get(mark.owner or "", _Owner(style.NOBODY, _SHAPES[0]))
                yield (
                    f'<path d="{owner.shape}" transform="translate({x:.1f} {y})" fill="{owner.colour}" '
                    f'stroke="{style.PAPER}"><title>{html(visible(self._said(mark)))}</title></path>'
                )
                words = mark.event or ""
                room = self._next(number, lane) - x - 16
                if words and len(words) * 6.0 <= room and x >= taken.get(lane, 0):
                    yield _text(x + 8, y + 4, words, size=11)
                    taken[lane] = x + 8 + len(words) * 6.0

    def _next(self, number: int, lane: int) -> float:
        """Where the next mark of a lane stands."""
        later = self._timeline.marks[number + 1 :]
        none = len(self._timeline.lanes)
        return next((self._x(each.at) for each in later if lane in (each.lanes or (none,))), float(_WIDTH))

    def _said(self, mark: Mark) -> str:
        states = f", {mark.source or '?'} -> {mark.target}" if mark.target else ""
        by = f" by {mark.owner}" if mark.owner else ""
        return f"{mark.event or 'record'}{by}{states}, {self._offset(mark.at)}, line {mark.place.line}"

    def _flag(self, number: int, flag: Flag) -> Iterator[str]:
        x, finding = self._x(flag.at), flag.finding
        waited = finding.violation.deadline_ns if finding.name != "too-many" else None
        if waited and self._timeline.has_time:
            y = _TOP - 8 if flag.lane is None else _TOP + flag.lane * _LANE + _BAR + 2
            start = max(float(_LEFT), self._x(flag.at - waited))
            yield f'<path d="M{start:.1f} {y}H{x:.1f}" stroke="{style.FAILURE_LINE}" stroke-width="3"/>'
        yield (
            f'<path d="M{x:.1f} {_TOP - 8}V{self._height - _BOTTOM}" stroke="{style.FAILURE_LINE}" '
            'stroke-dasharray="4 3"/>'
        )
        yield (
            f'<g transform="translate({x:.1f} 62)"><title>{html(visible(f"{finding.name}: {finding.message}"))}</title>'
            f'<path d="M-9-12h18v14l-9 8l-9-8z" fill="{style.FAILURE_LINE}" stroke="{style.PAPER}"/>'
            f'<text y="1" fill="{style.PAPER}" font-size="11" font-weight="bold" text-anchor="middle">{number}</text>'
            "</g>"
        )


def _step(least: int, has_time: bool) -> int:
    """A length between ticks that people count in, at least `least`: 1, 2 or 5 of a power of ten, and beyond seconds
    those of a clock."""
    if has_time and least > _SECOND:
        return next((step * _SECOND for step in _CLOCK_S if step * _SECOND >= least), least)
    power = 1
    while power * 10 <= least:
        power *= 10
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)


def _text(
    x: float, y: float, text: str, *, weight: str = "", size: int = 12, colour: str = "", anchor: str = ""
) -> str:
    more = f' font-weight="{weight}"' if weight else ""
    more += f' font-size="{size}"' if size != 12 else ""
    more += f' fill="{colour}"' if colour else ""
    more += f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{html(visible(text))}</text>'
