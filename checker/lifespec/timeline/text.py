"""A Timeline for people at a terminal: a line for each instance, then what happened in order. Owns layout only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lifespec.diagnostics.excerpt import visible, width_of
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import WIDTH, wrapped
from lifespec.explain_words import duration, instant, shortened, times
from lifespec.timeline.timeline import Cut, Flag, Lane, Mark, StateSpan, Timeline

_LONGEST_TITLE = 24
_NARROWEST_AXIS = 20
_NARROWEST_WORDS = 20
_CAUSES = {"clock": "the clock", "reaction": "a reaction", "unseen": "unseen"}


def render(timeline: Timeline, palette: Palette | None = None, width: int = WIDTH) -> str:
    """The timeline in lines of at most `width` columns, from 40 on, ended by a line end; only a name or a path that is
    longer goes beyond, for words are never parted."""
    return "\n".join(_Text(timeline, palette or Palette(), width).lines()) + "\n"


@dataclass(frozen=True, slots=True)
class _Row:
    """One thing that happened. `order` settles equal places: what the clock did, events, what followed, findings."""

    at: int
    order: int
    line: int | None
    words: str
    part: str


class _Text:
    def __init__(self, timeline: Timeline, palette: Palette, width: int) -> None:
        self._timeline = timeline
        self._palette = palette
        self._width = width
        titles = [width_of(visible(lane.title)) for lane in timeline.lanes]
        longest = min(_LONGEST_TITLE, max(len("findings"), width - _NARROWEST_AXIS - 2))
        self._left = min(max([*titles, len("findings")]), longest) + 2
        self._columns = max(_NARROWEST_AXIS, width - self._left)

    def lines(self) -> Iterator[str]:
        timeline = self._timeline
        session, log = f"session {visible(timeline.session)}", f"in {visible(timeline.log)}"
        breaks = width_of(session) + 1 + width_of(log) > self._width
        yield self._palette.paint("strong", session) + ("\n  " if breaks else " ") + log
        yield from wrapped(self._extent(), self._width, "  ")
        yield ""
        yield self._palette.paint("quiet", " " * self._left + self._scale())
        if timeline.flags:
            yield self._titled("findings", self._flags())
        for lane in timeline.lanes:
            yield self._titled(lane.title, self._bar(lane))
        if timeline.hidden_lanes:
            yield f"... and {times(timeline.hidden_lanes, 'more instance')}"
        yield ""
        yield from self._story()

    def _extent(self) -> str:
        timeline = self._timeline
        records = times(timeline.records, "record")
        if timeline.has_several_clocks:
            return f"{records}; the session has several clocks, so records are counted"
        if not timeline.has_time:
            return f"{records}; the log has no times, so records are counted"
        return f"{records} in {duration(timeline.end - timeline.begin)} from {instant(timeline.begin)}"

    # --- the picture ---------------------------------------------------------------------------------

    def _column(self, at: int) -> int:
        timeline = self._timeline
        return (at - timeline.begin) * (self._columns - 1) // max(1, timeline.end - timeline.begin)

    def _scale(self) -> str:
        """Where on the axis the columns are: a label at every quarter that has room for it."""
        timeline = self._timeline
        text = ""
        for quarter in range(5):
            place = timeline.begin + (timeline.end - timeline.begin) * quarter // 4
            label = self._offset(place)
            column = self._column(place)
            start = column if column + len(label) <= self._columns else self._columns - len(label)
            if start >= len(text) + (1 if text else 0):
                text = text.ljust(start) + label
        return text

    def _titled(self, title: str, bar: str) -> str:
        shown = shortened(visible(title), self._left - 2)
        return self._palette.paint("frame", shown) + " " * (self._left - width_of(shown)) + bar

    def _flags(self) -> str:
        cells = [" "] * self._columns
        for number, flag in enumerate(self._timeline.flags, 1):
            cells[self._column(flag.at)] = str(number) if number < 10 else "*"
        return self._palette.paint("error", "".join(cells).rstrip())

    def _bar(self, lane: Lane) -> str:
        """`|connecting|connected---`: a stay begins at a bar and has its name where there is room; `=` is a failure,
        `.` the end."""
        cells = [" "] * self._columns
        for span in lane.spans:
            first, last = self._column(span.begin), self._column(span.end)
            fill = {"failure": "=", "final": "."}.get(span.kind, "-")
            for column in range(first, last + 1):
                cells[column] = fill
            room = last - first - (0 if span.is_open else 1)
            name = " or ".join(span.states)
            if len(name) <= room:
                cells[first + 1 : first + 1 + len(name)] = name
            cells[first] = "|"
        return "".join(cells).rstrip()

    # --- the story -----------------------------------------------------------------------------------

    def _story(self) -> Iterator[str]:
        rows = sorted(self._rows(), key=lambda row: (row.at, row.order))
        offsets = [self._offset(row.at) for row in rows]
        lines = ["" if row.line is None else str(row.line) for row in rows]
        first, second = max(map(len, offsets), default=0), max(map(len, lines), default=0)
        yield self._palette.paint("quiet", f"{'':>{first}}  {'line':>{max(second, 4)}}")
        for row, offset, line in zip(rows, offsets, lines, strict=True):
            lead = f"{offset:>{first}}  {line:>{max(second, 4)}}  "
            parts = wrapped(row.words, self._width - len(lead), "", _NARROWEST_WORDS)
            for number, part in enumerate(parts):
                yield (lead if not number else " " * len(lead)) + self._palette.paint(row.part, part)

    def _rows(self) -> Iterator[_Row]:
        timeline = self._timeline
        for mark in timeline.marks:
            yield _Row(mark.at, 1, mark.place.line, self._mark(mark), "")
        for number, flag in enumerate(timeline.flags, 1):
            yield _Row(flag.at, 3, flag.finding.place.line, self._flag(number, flag), flag.finding.severity.value)
        for lane in timeline.lanes:
            for span in lane.spans:
                if span.cause in _CAUSES:
                    order = 2 if span.cause == "reaction" else 0
                    yield _Row(span.begin, order, None, self._move(lane, span), "quiet")
        for cut in timeline.cuts:
            yield _Row(cut.begin, 4, None, self._cut(cut), "quiet")

    def _mark(self, mark: Mark) -> str:
        names = ", ".join(mark.taken_by)
        states = f": {mark.source or ''} -> {mark.target}" if mark.target else ""
        words = f"{mark.event or 'a step' if mark.event or mark.target else 'a record'}"
        words += f" ({names}{states})" if names else " (no instance)" if mark.event else ""
        return visible(words + (f" by {mark.owner}" if mark.owner else ""))

    def _flag(self, number: int, flag: Flag) -> str:
        return visible(f"[{number}] {flag.finding.severity.value}[{flag.finding.name}]: {flag.finding.message}")

    def _move(self, lane: Lane, span: StateSpan) -> str:
        return visible(f"{_CAUSES[span.cause]}: {lane.title} -> {' or '.join(span.states)}")

    def _cut(self, cut: Cut) -> str:
        return f"... {times(cut.records, 'record')} not shown"

    def _offset(self, at: int) -> str:
        timeline = self._timeline
        return f"+{duration(at - timeline.begin)}" if timeline.has_time else f"#{at + 1}"
