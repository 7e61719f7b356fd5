"""The bytes of a log -> pieces, as the `read` of a binding says (spec/bindings.md B1 to B4, B27 to B31).

Owns the cutting of each container: where a piece begins and ends, its line and its byte. Memory is bounded by the
longest line; a document and a row of a table have limits of their own. Knows no bindings, and makes no records.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import BinaryIO, Protocol, cast

from lifespec.model.value import LogValue
from lifespec.trace.decode import Malformed, decode_json
from lifespec.trace.line import LONGEST, SEPARATOR, Line, WrongContainer, cut
from lifespec.trace.outline import Outline
from lifespec.trace.packed import PARQUET, Broken, Joined, Unpacked, read_head, unpacked
from lifespec.trace.piece import TOO_LONG, Cut, Faulty, Passed, Piece, decoded_piece

LONGEST_DOCUMENT = 64 * 1024 * 1024  # bytes of one JSON document, unpacked
_TAG = re.compile(r"<[A-Za-z][^<>]*>.*")
_COLUMN = re.compile(r"\"?[^\W\d][^{}<>=:\"]{0,40}\"?")  # a name, as a table has it in its first line
_FEWEST_COLUMNS = 3  # of a table, which a line of text with a comma in it is not
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Container:
    """What the `read` of a binding says of the bytes. `after` is the magic word of the first line; `separator`
    and `names_first` (the first row has the names of the columns) are about `csv`."""

    kind: str = "json-lines"
    after: str | None = None
    separator: str = ","
    names_first: bool = True


JSON_LINES = Container()


def pieces_of(stream: BinaryIO, container: Container) -> Iterator[Cut]:
    """The pieces of a log. A WrongContainer ends the iteration."""
    lines = _Lines(iter(()))
    try:
        head = read_head(stream)
        if head.startswith(PARQUET) and container.kind in ("json-lines", "csv") and container.after is None:
            from lifespec.trace.parquet import rows_of

            yield from rows_of(cast(BinaryIO, io.BufferedReader(Joined(head, stream))))
            return
        with unpacked(stream, head) as text:
            lines = _Lines(cut(text))
            if container.after is not None:
                first = next(lines, None)
                if first is None:
                    return
                yield Passed(1, is_header=True)
                if first.data is None or first.data.strip() != container.after.encode():
                    yield WrongContainer(1, f"its first line is not `{container.after}`")
                    return
                lines.magic = container.after
            for piece in _CUTTERS[container.kind](lines, text, container):
                yield piece
                if isinstance(piece, WrongContainer):
                    return
    except Broken as broken:
        yield WrongContainer(lines.number + 1, str(broken))


class _Lines:
    """Lines, and the `number` of the last one. A line that is the magic word again is Broken: what follows is
    another log, with a header of its own."""

    def __init__(self, lines: Iterator[Line]) -> None:
        self._lines = lines
        self.number = 0
        self.magic: str | None = None

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> Line:
        line = next(self._lines)
        if self.magic is not None and line.data is not None and line.data.strip() == self.magic.encode():
            raise Broken(f"`{self.magic}` stands here again: another log begins, joined to this one; split them")
        self.number = line.number
        return line


class _Cutter(Protocol):
    def __call__(self, lines: _Lines, text: Unpacked, container: Container) -> Iterator[Cut]: ...


# --- a record a line ---------------------------------------------------------------------------------


def _json_lines(lines: _Lines, text: Unpacked, container: Container) -> Iterator[Cut]:
    """B1: one JSON value a line."""
    is_first = True
    for line in lines:
        for piece in json_line(line, is_first=is_first):
            is_first = is_first and isinstance(piece, Passed)
            yield piece


def json_line(line: Line, *, is_first: bool) -> Iterator[Cut]:
    """What one line of `json-lines` is. `is_first`: nothing but blank lines and headers stood before it."""
    data = line.data
    if data is None:
        yield Faulty(line.number, line.offset, TOO_LONG)
    elif not data or data.isspace():
        yield Passed(line.number)
    elif is_first and data.startswith(SEPARATOR):
        yield WrongContainer(line.number, "it is a JSON text sequence (0x1E before each record): `read json-seq`")
    else:
        piece = decoded_piece(data, line.number, line.offset)
        if not isinstance(piece, Faulty):
            yield piece
        elif is_first and line.ended and data.strip() in (b"{", b"["):
            yield Passed(line.number, is_header=True)
            yield WrongContainer(
                line.number, "it is one JSON document over several lines, not one record a line: `read json`"
            )
        elif is_first and (form := form_of(data)) is not None:
            yield Faulty(line.number, line.offset, replace(piece.malformed, form=form))
        else:
            yield piece if line.ended else _cut_off(piece, "line")


def form_of(first: bytes) -> str | None:
    """What a log that begins with this line, which is no JSON, looks like: XML, YAML or CSV, else None."""
    text = first.decode("utf-8", "replace").strip()
    if text.startswith(("<?xml", "<!")) or _TAG.fullmatch(text):
        return "XML"
    if text == "---" or text.startswith("%YAML"):
        return "YAML"
    for separator in (";", "\t", "|", ","):
        cells = text.split(separator)
        if len(cells) >= _FEWEST_COLUMNS and all(_COLUMN.fullmatch(cell.strip(" ")) for cell in cells):
            written = "tab" if separator == "\t" else separator
            return "CSV" if separator == "," else f'CSV separated by "{written}"'
    return None


def _cut_off(faulty: Faulty, what: str) -> Faulty:
    """The last piece, which was cut in the middle."""
    if faulty.malformed.name != "malformed-record":
        return faulty
    why = f"the last {what} is cut: {faulty.malformed.why}"
    return Faulty(faulty.line, faulty.offset, Malformed(why, faulty.malformed.column))


def _text(lines: _Lines, text: Unpacked, container: Container) -> Iterator[Cut]:
    """B31: every line is a text."""
    for line in lines:
        if line.data is None:
            yield Faulty(line.number, line.offset, TOO_LONG)
        elif not line.data or line.data.isspace():
            yield Passed(line.number)
        else:
            read = _as_text(line.data)
            if isinstance(read, Malformed):
                yield Faulty(line.number, line.offset, read)
            else:
                yield Piece(line.number, line.offset, read)


def _as_text(data: bytes) -> str | Malformed:
    try:
        return data.decode("ascii") if data.isascii() else data.decode("utf-8")
    except UnicodeDecodeError as error:
        return Malformed("the line is not UTF-8", error.start + 1, "not-utf-8")


# --- a text sequence ---------------------------------------------------------------------------------


def _sequence(lines: _Lines, text: Unpacked, container: Container) -> Iterator[Cut]:
    """B29: 0x1E stands before each record, which may go over several lines. JSON itself never has that byte."""
    held: _Held | None = None
    for line in lines:
        if line.data is None:
            if held is None:
                yield WrongContainer(line.number, "it does not begin with 0x1E, as a JSON text sequence does")
                return
            held.add(None)
            continue
        before, *begun = line.data.split(SEPARATOR)
        if held is not None:
            held.add(before)
        elif before.strip():
            yield WrongContainer(line.number, "it does not begin with 0x1E, as a JSON text sequence does")
            return
        at = len(before)
        for data in begun:
            if held is not None:
                yield held.piece()
            at += 1
            held = _Held(line.number, line.offset + at if line.offset >= 0 else -1)
            held.add(data)
            at += len(data)
        if held is not None:
            held.is_ended = line.ended
    if held is not None:
        piece = held.piece()
        yield _cut_off(piece, "record") if isinstance(piece, Faulty) and not held.is_ended else piece


class _Held:
    """A record of a text sequence while its lines are gathered."""

    def __init__(self, line: int, offset: int) -> None:
        self._line = line
        self._offset = offset
        self._lines: list[bytes] = []
        self._length = 0
        self.is_ended = True

    def add(self, data: bytes | None) -> None:
        """One more line of it; what is too long is no longer kept."""
        self._length = LONGEST + 1 if data is None else self._length + len(data) + 1
        if self._length > LONGEST:
            self._lines.clear()
            self._length = LONGEST + 1
        elif data is not None:
            self._lines.append(data)

    def piece(self) -> Cut:
        if self._length > LONGEST:
            return Faulty(self._line, self._offset, TOO_LONG)
        data = b"\n".join(self._lines)
        if not data.strip():
            return Passed(self._line)
        return decoded_piece(data, self._line, self._offset)


# --- a document --------------------------------------------------------------------------------------


def _document(lines: _Lines, text: Unpacked, container: Container) -> Iterator[Cut]:
    """B28: one JSON value is the whole log. It is held in memory, and so has a limit."""
    first = lines.number + 1
    data = text.stream.read(LONGEST_DOCUMENT + 1)
    if len(data) > LONGEST_DOCUMENT:
        yield WrongContainer(first, f"the document is longer than {LONGEST_DOCUMENT // 2**20} MB: split it")
        return
    offset = -1 if text.is_packed or first > 1 else 0
    if data.startswith(_BYTE_ORDER_MARK):
        data = data[len(_BYTE_ORDER_MARK) :]
        offset = offset if offset < 0 else len(_BYTE_ORDER_MARK)
    if not data.strip():
        return
    decoded = decode_json(data)
    if not isinstance(decoded, Malformed):
        yield Piece(first, offset, decoded.value, decoded.repeated, Outline(data.decode(), first, offset))
        return
    stands = len(data) if decoded.column is None else decoded.column
    line = first + data.count(b"\n", 0, stands)
    why = decoded.why
    if data.lstrip().startswith(SEPARATOR):
        line, why = first, "it is a JSON text sequence (0x1E before each record): `read json-seq`"
    elif "trailing characters" in why:
        why = "another value follows the first: one record a line is `read json-lines`"
    elif "ends in the middle" in why:
        line, why = first + data.rstrip().count(b"\n"), "the document is cut: it ends in the middle of a value"
    yield WrongContainer(line, why)


# --- a table -----------------------------------------------------------------------------------------


class _Unfit(Exception):
    """A line that cannot be part of a row."""

    def __init__(self, malformed: Malformed) -> None:
        super().__init__(malformed.why)
        self.malformed = malformed


class _RowLines:
    """The lines of a table as text, for the library; what belongs to one row has a limit. `first` is the line
    where the row at hand begins."""

    def __init__(self, lines: _Lines) -> None:
        self._lines = lines
        self._length = 0
        self.first: Line | None = None
        self.last = 0

    def begin(self) -> None:
        """A new row begins with the next line."""
        self._length = 0
        self.first = None

    def __iter__(self) -> _RowLines:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.first = self.first or line
        self.last = line.number
        if line.data is None:
            raise _Unfit(TOO_LONG)
        self._length += len(line.data)
        if self._length > LONGEST:
            raise _Unfit(Malformed(f"the row is longer than {LONGEST // 2**20} MB: a quoted cell may not be closed"))
        read = _as_text(line.data)
        if isinstance(read, Malformed):
            raise _Unfit(read)
        return read + "\n"


def _table(lines: _Lines, text: Unpacked, container: Container) -> Iterator[Cut]:
    """B30: rows of cells; the first one names the columns unless the binding does."""
    source = _RowLines(lines)
    rows = csv.reader(source, delimiter=container.separator, strict=True)
    names: list[str] | None = None
    while True:
        source.begin()
        malformed: Malformed | None = None
        row: list[str] = []
        try:
            row = next(rows)
        except StopIteration:
            return
        except _Unfit as unfit:
            malformed = unfit.malformed
        except csv.Error as error:
            malformed = Malformed(_row_words(str(error), source))
        number, offset = (lines.number, -1) if source.first is None else (source.first.number, source.first.offset)
        if malformed is not None:
            yield Faulty(number, offset, malformed)
        elif not any(cell.strip() for cell in row) and len(row) < 2:
            yield Passed(number)
        elif not container.names_first:
            yield Piece(number, offset, [_cell(cell) for cell in row])
        elif names is None:
            names = [cell.strip() or f"[{place}]" for place, cell in enumerate(row)]
            yield Passed(number, is_header=True)
            repeated = [name for name, times in Counter(names).items() if times > 1]
            if repeated:
                yield WrongContainer(number, f"two columns are called `{repeated[0]}`")
                return
        elif len(row) != len(names):
            yield Faulty(number, offset, Malformed(f"it has {len(row)} cells where {len(names)} are due"))
        else:
            yield Piece(number, offset, _named(names, row))


def _named(names: list[str], row: list[str]) -> dict[str, LogValue]:
    return {name: _cell(cell) for name, cell in zip(names, row, strict=True)}


def _cell(cell: str) -> str | None:
    """An empty cell is absent."""
    return cell if cell else None


def _row_words(error: str, source: _RowLines) -> str:
    if "unexpected end" in error:
        return f"a quoted cell is not closed before the log ends (line {source.last})"
    if "field larger" in error:
        return f"a cell is longer than 128 KB (line {source.last}): its quotes may not be closed"
    if "new-line" in error:
        return f"a carriage return stands in a cell without quotes (line {source.last}): lines end with LF or CR LF"
    return f"it is no row of a table: {error.replace(chr(39), '`')}"


_CUTTERS: Mapping[str, _Cutter] = {
    "json-lines": _json_lines,
    "json-seq": _sequence,
    "json": _document,
    "csv": _table,
    "text": _text,
}
