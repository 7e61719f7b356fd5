"""The bytes of a log -> records and findings. Owns what becomes of each piece; opens no files, cuts no bytes.

Findings of the reader are Violations without a property. Beside name, place and session they carry:
`text` (why) for malformed-record, not-utf-8 and wrong-container, with `count` the column in bytes from 1
where it is known; where no `match` fits the line `expected` (their patterns, the nearest first) and `found` (what of
the nearest is not there), and where the first line is of another form `found` (what the log looks like);
`field` (the key) for duplicate-key; `field` (the part), `found` and `expected` for unreadable-time and
unreadable-value; `elapsed_ns` (the jump) for time-reversed; `event` for missing-session, missing-time and
lacking-event-seen, and for the first two, where the part is read from a `match`, `found` (the text that it does not
fit) and `expected` (the patterns); `found` and `expected` for near-name; `elapsed_ns` (how late) for late-record;
`found` and `expected` (numbers) for sequence-gap; `found` (the other id) for late-join; `text` (the place of the
first) for duplicate-record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO

from lifespec.model.value import LogValue
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.container import json_line, pieces_of
from lifespec.trace.count import Counts
from lifespec.trace.decode import Malformed
from lifespec.trace.event import Place, Record
from lifespec.trace.line import Line, WrongContainer
from lifespec.trace.piece import Cut, Faulty, Piece
from lifespec.trace.python_value import log_value
from lifespec.trace.rows import Columns, columns_named
from lifespec.trace.scope import Read, Scope, Unreadable
from lifespec.trace.translate import Translator
from lifespec.trace.unfold import items_of
from lifespec.verdict import Violation

_PACKED = (".gz", ".zst")
_NO_NAMES: Mapping[str, Read] = {}


class Reader:
    """Reads one log by a compiled binding. `log_name` is the path as people wrote it; `joined` is the reader of the
    log before, when sessions go on from it.

    `counts` says what became of every piece, also while reading is going on.
    """

    def __init__(self, compiled: CompiledBinding, log_name: str, joined: Reader | None = None) -> None:
        self.counts = Counts()
        self.is_begun = False  # what it reads is not the begin of the log
        self._compiled = compiled
        self._log = log_name
        self._file_name = file_name_of(log_name)
        before: Translator | None = None if joined is None else joined.translator
        self.translator: Translator = Translator(compiled, self._file_name, log_name, self.counts, before)
        self._header: LogValue = None
        self._awaits_header = compiled.header_first
        self._columns: tuple[LogValue, Columns | None] = (None, None)  # named by the data

    def read(self, stream: BinaryIO) -> Iterator[Record | Violation]:
        """The records of `stream` and the findings on the way, in the order of the lines."""
        goes_on = True
        for piece in pieces_of(stream, self._compiled.container):
            goes_on = self._take(piece)
            yield from self._taken()
            if not goes_on:
                break
        yield from self.end(is_whole=goes_on)

    def read_line(self, line: Line) -> tuple[list[Record | Violation], bool]:
        """What one line of `json-lines` is, for whoever cuts the lines himself; False when the rest is not worth
        reading."""
        is_first = not self.counts.records and not self.counts.malformed and not self.is_begun
        goes_on = all(self._take(piece) for piece in json_line(line, is_first=is_first))
        return self._taken(), goes_on

    def end(self, *, is_whole: bool = True) -> list[Record | Violation]:
        """What only the end of the log allows to be said; for whoever calls `read_line`."""
        self.translator.flush()
        if is_whole:
            self.translator.finish()
        self.counts.absent = self.translator.watching.absent()
        return self._taken()

    def read_values(self, records: Iterable[object]) -> Iterator[Record | Violation]:
        """The same for records that are Python values already: mappings, or sequences for `rows`."""
        for number, record in enumerate(records, 1):
            self.counts.lines += 1
            try:
                value = log_value(record)
            except ValueError as error:
                self._malformed(Malformed(str(error)), Place(self._log, number))
            else:
                self._piece(Piece(number, -1, value))
            yield from self._taken()
        yield from self.end()

    def _taken(self) -> list[Record | Violation]:
        """What has gathered since it was last asked for."""
        return self.translator.take()

    def _take(self, piece: Cut) -> bool:
        """Takes what a container was cut into; False when the rest is not worth reading."""
        counts = self.counts
        if isinstance(piece, WrongContainer):
            self._stop(Place(self._log, piece.number), piece.why)
            return False
        counts.lines += 1
        if isinstance(piece, Piece):
            return self._piece(piece)
        if isinstance(piece, Faulty):
            self._malformed(piece.malformed, Place(self._log, piece.line, piece.offset))
        elif piece.is_header:
            counts.headers += 1
        else:
            counts.blank += 1
        return True

    def _piece(self, piece: Piece) -> bool:
        """Reads one piece; False when the rest is not worth reading."""
        place = Place(self._log, piece.line, piece.offset)
        is_told_by_item = piece.outline is not None and bool(self._compiled.unfolds) and not self._awaits_header
        if not self.counts.skimmed and not is_told_by_item:  # B41: in some lines only would say little
            self._repeated(piece.repeated, place)
        if self._awaits_header:
            self._awaits_header = False
            self.counts.headers += 1
            self._header = piece.value
            self.translator.begin_series()
            return True
        if piece.outline is not None:
            self._header = piece.value
        if self._compiled.unfolds:
            return self._unfold(piece, place)
        self._record(piece.value, place, _NO_NAMES)
        return True

    def _unfold(self, piece: Piece, place: Place) -> bool:
        """B28, B32: a piece is not a record itself, but holds them."""
        compiled, counts = self._compiled, self.counts
        counts.unfolded += 1
        if compiled.piece_needs_object and not isinstance(piece.value, dict):
            counts.items += 1
            self._malformed(Malformed(f"it is {kind_of(piece.value)}, not an object"), place)
            return True
        scope = Scope(piece.value, self._header, self._file_name, self._log)
        if piece.outline is not None and not isinstance(compiled.unfolds[0].get(scope), list | dict):
            self._repeated(piece.repeated, place)
            self._stop(place, f"`{compiled.unfolds[0].text}` finds no list or object in it")
            return False
        series = 0
        number = 0
        self.translator.begin_piece()
        items = items_of(scope, compiled.unfolds, piece.outline, self._walk)
        repeated: list[Counter[str]] = []  # by item
        if piece.outline is not None and piece.repeated:
            outline = piece.outline
            items = iter(kept := list(items))
            repeated = [Counter() if item.spot is None else outline.repeated(item.spot) for item in kept]
            around = outline.repeated(outline.root)
            for each in repeated:
                around -= each
            self._repeated(around, place)
        for number, item in enumerate(items, 1):
            if piece.outline is not None and item.series != series:
                self.translator.begin_series()
                series = item.series
            counts.items += 1
            line, offset = (place.line, place.offset) if item.line < 0 else (item.line, item.offset)
            stands = Place(self._log, line, offset, number)
            self._repeated(repeated[number - 1] if repeated else (), stands)
            self.translator.add_around(item.around)
            self._record(item.record, stands, item.names)
        if not number and piece.outline is None:
            counts.items += 1
            counts.records += 1
            counts.passed_over.add("")
        return True

    def _repeated(self, keys: Iterable[str], place: Place) -> None:
        for key in keys:
            self.translator.add(Violation("duplicate-key", None, "", place, field=key))

    def _walk(self, depth: int, scope: Scope) -> None:
        """An `each` of `read` looks for what it walks."""
        self.counts.deepest = max(self.counts.deepest, depth)
        self.translator.watching.look_for_walk(self._compiled.unfolds[depth].span, scope)

    def _record(self, value: LogValue, place: Place, names: Mapping[str, Read]) -> None:
        columns = self._compiled.columns
        if self._compiled.named_by is not None:
            columns = self._named_by(value, names)
            if columns is None:
                self._malformed(Malformed("nothing in the log names its elements"), place)
                return
        if columns is not None:
            named = columns.named(value) if isinstance(value, list) else None
            if named is None:
                found = f"{len(value)} elements" if isinstance(value, list) else kind_of(value)
                self._malformed(Malformed(f"it has {found} where a list of {columns.lengths} is due"), place)
                return
            value = named
            names = {**names, "record": named} if "record" in names else names
        elif self._compiled.needs_object and not isinstance(value, dict):
            self._malformed(Malformed(f"it is {kind_of(value)}, not an object"), place)
            return
        self.counts.records += 1
        self.translator.translate(value, self._header, place, names)

    def _named_by(self, value: LogValue, names: Mapping[str, Read]) -> Columns | None:
        """The columns that the data names; worked out once for each list of names."""
        assert self._compiled.named_by is not None
        written = self._compiled.named_by(Scope(value, self._header, self._file_name, self._log, names=names))
        if isinstance(written, Unreadable) or written is None:
            return None
        if written is not self._columns[0]:
            is_list = isinstance(written, list) and all(isinstance(name, str) for name in written)
            self._columns = written, columns_named(written) if is_list else None  # type: ignore[arg-type]  # texts
        return self._columns[1]

    def _malformed(self, malformed: Malformed, place: Place) -> None:
        self.counts.malformed += 1
        self.translator.add(
            Violation(malformed.name, None, "", place, text=malformed.why, count=malformed.column, found=malformed.form)
        )

    def _stop(self, place: Place, why: str) -> None:
        self.translator.add(Violation("wrong-container", None, "", place, text=why))


def records_from(
    records: Iterable[object], compiled: CompiledBinding, log_name: str = "<records>"
) -> Iterator[Record | Violation]:
    """Records and findings of values that a program has in hand; line numbers count them from 1."""
    return Reader(compiled, log_name).read_values(records)


def file_name_of(path: str) -> str:
    """The name of a log without its folder and without `.gz` or `.zst`."""
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    for ending in _PACKED:
        name = name.removesuffix(ending)
    return name


def kind_of(value: LogValue) -> str:
    """What a JSON value is, for people."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object" if isinstance(value, dict) else "a number"
