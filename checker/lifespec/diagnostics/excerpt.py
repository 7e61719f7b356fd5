"""One line of a text, cut to a width, with marks under a part of it. Owns columns and windows only.

A line comes from a file that nobody vouches for: control characters are shown as pictures of
themselves, so that a log cannot move the cursor of whoever reads the report.
"""

from __future__ import annotations

import unicodedata

from msgspec import Struct

_CUT = "..."
_TAB = 4


class Excerpt(Struct, frozen=True):
    """A line as it is printed, and the marks below it ("" when there is nothing to point at).

    `marks` begins with the blanks that put it under its place; `before` is a label to the left of the
    marks, `after` one to the right of them and `below` one on a line of its own (at most one of them is set).
    """

    text: str
    indent: str = ""
    before: str = ""
    marks: str = ""
    after: str = ""
    below: str = ""


def visible(text: str) -> str:
    """The text with every control, invisible or unpaired character replaced by one that shows."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    code = ord(character)
    if character == "\t":
        return " " * _TAB
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return "\ufffd"
    return character


def width_of(text: str) -> int:
    """How many columns of a terminal the (visible) text takes."""
    if text.isascii():
        return len(text)
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def cut(line: str, start: int, end: int, label: str, columns: int, mark: str = "^") -> Excerpt:
    """Lay out `line` in `columns` columns with marks under its characters from `start` to `end`.

    An empty range gets one mark. A longer line is cut around the marks, with `...` where it was cut. The
    label stands right of the marks, or left of them where there is more room, or below them where there is none.
    """
    start = max(0, min(start, len(line)))
    end = max(start, min(end, len(line)))
    first, last = _window(line, start, end, width_of(label), columns)
    head = _CUT if first > 0 else ""
    tail = _CUT if last < len(line) else ""
    text = head + visible(line[first:last]) + tail
    indent = width_of(head + visible(line[first:start]))
    marks = mark * max(1, width_of(visible(line[start : min(end, last)])))
    if label and indent + len(marks) + 1 + width_of(label) > columns and indent > width_of(label):
        indent -= width_of(label) + 1
        return Excerpt(text, " " * indent, label + " ", marks)
    if label and indent + len(marks) + 1 + width_of(label) > columns:
        return Excerpt(text, " " * indent, "", marks, "", " " * max(0, min(indent, columns - width_of(label))) + label)
    return Excerpt(text, " " * indent, "", marks, f" {label}" if label else "")


def plain(line: str, columns: int) -> Excerpt:
    """Lay out the beginning of `line` without marks."""
    first, last = _window(line, 0, 0, 0, columns)
    return Excerpt(visible(line[first:last]) + (_CUT if last < len(line) else ""))


def _window(line: str, start: int, end: int, label: int, columns: int) -> tuple[int, int]:
    """The part of the line to show: from the beginning if the marks fit so, else around the marks."""
    columns = max(columns, 20)
    if len(line) <= columns and width_of(visible(line)) <= columns:
        return 0, len(line)
    room = columns - len(_CUT)
    upto = _fit(line, 0, room)
    if end < upto or (start < upto and start <= columns // 4):
        return 0, upto
    room -= len(_CUT)
    wanted = min(width_of(visible(line[start:end])), room // 2)
    after = max(label + 1, room // 4)
    first = start
    before = max(0, room - wanted - after)
    while first > 0 and before > 0:
        before -= max(1, width_of(visible(line[first - 1])))
        if before >= 0:
            first -= 1
    last = _fit(line, first, room)
    if last == len(line):  # nothing is cut at the end: show more of what is before
        spare = room - width_of(visible(line[first:last])) + len(_CUT)
        while first > 0 and spare > 0:
            spare -= max(1, width_of(visible(line[first - 1])))
            if spare >= 0:
                first -= 1
    return first, last


def _fit(line: str, first: int, room: int) -> int:
    """The greatest end so that the line from `first` to it fits into `room` columns."""
    at = first
    while at < len(line):
        room -= width_of(visible(line[at]))
        if room < 0:
            return at
        at += 1
    return at
