"""The value of a timeline -> fewer bytes that say the same, and what many share. Owns how they are written.

Most bytes of a page are the texts of records, which differ little: of each only what is new is written, and the script
puts the exact text together again when the session is opened. Whatever stands in a record, a text is the join of its
pieces, so that it comes back as it was.

A record is `[form, ...]`. `forms[form]` has the pieces between which its values stand; for each value, in order, there
is a text (its first character says, to the base 36, how many characters it shares with the value that last stood behind
the same piece; the others follow), or a number from 0 on (the text of that number in this session), or a number below 0
(so many values are those that last stood there). So are those at the end that are missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from string import digits
from typing import Any

_DIGITS = digits + "abcdefghijklmnopqrstuvwxyz"
_MOST_FORMS = 1000  # they are read when the page is opened
_VALUE = re.compile(r'((?<=[:,\[ ])(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)(?=[,\]} ]))')


class Packer:
    """Packs the values of the timelines of one page. `shared` has what they have in common, when all are packed."""

    def __init__(self) -> None:
        self._forms: dict[tuple[str, ...], int] = {}
        self._tables = {name: _Numbers() for name in ("happenings", "stays", "owned", "declarations")}

    @property
    def shared(self) -> dict[str, Any]:
        return {"forms": [list(form) for form in self._forms], **{k: each.values for k, each in self._tables.items()}}

    def pack(self, value: dict[str, Any]) -> dict[str, Any]:
        """The timeline, with its lanes, marks and flags packed."""
        tables, texts = self._tables, _Texts(self._form)
        return {
            **value,
            "lanes": [
                [
                    lane["title"],
                    tables["owned"].of([lane["machine"], lane["owners"]]),
                    _spans(lane["spans"], tables["stays"]),
                ]
                for lane in value["lanes"]
            ],
            "marks": _marks(value["marks"], tables["happenings"], texts),
            "flags": [{**flag, "spec": tables["declarations"].of(flag["spec"])} for flag in value["flags"]],
        }

    def _form(self, pieces: tuple[str, ...]) -> int | None:
        """The number of a form; None where there are too many."""
        if pieces not in self._forms and len(self._forms) >= _MOST_FORMS:
            return None
        return self._forms.setdefault(pieces, len(self._forms))


class _Numbers:
    """Values that recur, each written once."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[str, int] = {}

    def of(self, value: Any) -> int:
        number = self._numbers.setdefault(json.dumps(value), len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


class _Texts:
    """The records of one session, in order."""

    def __init__(self, form_of: Callable[[tuple[str, ...]], int | None]) -> None:
        self._form_of = form_of
        self._last: dict[str, str] = {}  # the value behind a piece
        self._known: dict[str, int] = {}

    def pack(self, text: str) -> str | list[Any]:
        parts = _VALUE.split(text)
        pieces = tuple(parts[::2])
        form = self._form_of(pieces)
        if form is None:
            return text
        row: list[Any] = [form]
        same = 0
        for piece, value in zip(pieces, parts[1::2], strict=False):
            last = self._last.get(piece, "")
            if value == last:
                same += 1
                continue
            if same:
                row.append(-same)
                same = 0
            row.append(self._new(value, last))
            self._last[piece] = value
        return row

    def _new(self, value: str, last: str) -> str | int:
        if value in self._known:
            return self._known[value]
        self._known[value] = len(self._known)
        shared = _shared(value, last)
        return _DIGITS[shared] + value[shared:]


def _shared(value: str, last: str) -> int:
    """How many characters two texts begin with alike, of those that a script counts as one."""
    most = len(_DIGITS) - 1
    differ = (n for n, (a, b) in enumerate(zip(value[:most], last, strict=False)) if a != b or not a.isascii())
    return next(differ, min(most, len(value), len(last)))


def _spans(spans: Sequence[list[Any]], stays: _Numbers) -> list[float]:
    """Of each stay four numbers: how long after the one before it, how long, how many lines after, and what it is."""
    packed: list[float] = []
    before, row = 0, 0
    for begin, end, states, kind, index, cause, event, line, is_open in spans:
        what = stays.of([states, kind, index, cause, event, is_open])
        packed += (_apart(begin, before), _apart(end, begin), line - row, what)
        before, row = end, line
    return packed


def _marks(marks: Sequence[list[Any]], happenings: _Numbers, texts: _Texts) -> list[Any]:
    """Of each mark five values: how long after the one before, how many lines, what happened, who took it (the number
    of the one lane, or those of the lanes and the titles), and the record: 0 where it is that of the mark before."""
    packed: list[Any] = []
    before, row = 0, 0
    place, said = None, None
    for at, line, item, other, event, source, target, owner, lanes, text, takers in marks:
        what = happenings.of([item, other, event, source, target, owner])
        who = lanes[0] if len(lanes) == 1 and not takers else [lanes, takers]
        record = None if text is None else 0 if ((line, item, other), text) == (place, said) else texts.pack(text)
        packed += (_apart(at, before), line - row, what, who, record)
        before, row, place, said = at, line, (line, item, other), text
    return packed


def _apart(place: float, before: float) -> float:
    """The way between two places on the axis, which have three decimals at most."""
    way = place - before
    return way if isinstance(way, int) else round(way, 3)
