"""The bytes of logs -> flat records: every scalar by its path. Owns the guess of the container and the limits.

Nothing of a record is understood here. What is read is bounded: so many records, so many paths, so long a text; what
lies beyond is counted, and said in the draft.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import BinaryIO, Final, TypeAlias

from lifespec.infer.name import is_writable
from lifespec.log_file import Log, is_binary, opened
from lifespec.model.value import LogValue
from lifespec.trace.container import LONGEST_DOCUMENT, Container, pieces_of
from lifespec.trace.decode import Malformed, decode_json
from lifespec.trace.line import SEPARATOR, WrongContainer
from lifespec.trace.packed import PARQUET, Broken, read_head, unpacked
from lifespec.trace.piece import Faulty, Piece
from lifespec.trace.reader import file_name_of

MOST_RECORDS = 100_000
MOST_VALUES = 2_000_000  # in all records together
MOST_PATHS = 400
MOST_IN_RECORD = 200
DEEPEST = 5
LONGEST_VALUE = 200  # characters; of a longer text only that it is there is kept
_HEAD = 64 * 1024
_MOST_COLUMNS = 24
_SEPARATORS = (",", ";", "\t", "|")

Path: TypeAlias = tuple[str, ...]


class There(Enum):
    """Stands for what is there and is not kept: a list, an empty object; a long text."""

    THERE = "there"
    LONG = "long"


THERE: Final = There.THERE
LONG: Final = There.LONG
Value: TypeAlias = str | int | Decimal | bool | There


@dataclass(slots=True)
class Record:
    """One record: its log (a number), its line, and its values by path. What is null or blank is absent."""

    log: int
    line: int
    values: dict[Path, Value]


@dataclass(frozen=True, slots=True)
class Shape:
    """How the bytes are read. `columns` name the elements of records that are lists, of which the last `optional` may
    be missing; `each` is the path of the list in a document, () for a document that is a list."""

    container: Container
    columns: tuple[str, ...] = ()
    optional: int = 0
    each: Path | None = None


@dataclass(slots=True)
class Seen:
    """What the logs hold. `unread` are logs that were passed over, with why; `truncated` says that there was more."""

    shape: Shape = field(default_factory=lambda: Shape(Container()))
    names: list[str] = field(default_factory=list)  # of the logs, as people wrote them
    file_names: list[str] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    malformed: Counter[str] = field(default_factory=Counter)  # records that cannot be read, by finding
    unread: list[tuple[str, str]] = field(default_factory=list)
    truncated: bool = False
    paths_left_out: bool = False
    has_repeated_keys: bool = False  # a key stands twice in one object
    objects: set[Path] = field(default_factory=set)  # paths under which an object with something in it stood
    lists: set[Path] = field(default_factory=set)  # paths under which a list of objects stood: nothing looked inside


def is_scalar(value: Value | None) -> bool:
    """Whether a value is there and is a text, a number or a truth value."""
    return value is not None and value is not THERE


class NothingRead(Exception):
    """No record could be read. The text says what was looked at."""


def read_logs(logs: Sequence[Log]) -> Seen:
    """The records of all logs that are of the shape of the first one that can be read. Raises OSError, NothingRead."""
    seen = Seen()
    shape: Shape | None = None
    gatherer = _Gatherer(seen)
    for log in logs:
        found = _shape_of(log)
        if isinstance(found, str):
            seen.unread.append((log.name, found))
        elif shape is not None and (found.container, found.each) != (shape.container, shape.each):
            seen.unread.append((log.name, f"it is read as {_words(found)}, the first log as {_words(shape)}"))
        else:
            shape = shape or found
            gatherer.add(log, found)
    if shape is None or not gatherer.raw:
        raise NothingRead(_why_nothing(seen))
    seen.shape = gatherer.settle(shape)
    if not seen.records:
        raise NothingRead(_why_nothing(seen))
    return seen


def _why_nothing(seen: Seen) -> str:
    if seen.unread:
        return "; ".join(f"{name}: {why}" for name, why in seen.unread[:3])
    return "no log holds a record" + (f" (malformed: {seen.malformed.total()})" if seen.malformed else "")


def _words(shape: Shape) -> str:
    return {
        "json-lines": "a record a line",
        "json": "one JSON document",
        "json-seq": "a JSON text sequence",
        "csv": "a table",
    }.get(shape.container.kind, shape.container.kind)


# --- the container -----------------------------------------------------------------------------------


def _shape_of(log: Log) -> Shape | str:
    """How a log is read, or why it is not."""
    try:
        with opened(log) as stream:
            if is_binary(stream):
                return "it is a binary file, not a log"
            head = read_head(stream)
            if head.startswith(PARQUET):
                return Shape(Container())
            with unpacked(stream, head) as text:
                return _shape(text.stream)
    except Broken as broken:
        return str(broken)
    finally:
        if log.stream is not None:
            log.stream.seek(0)


def _shape(stream: BinaryIO) -> Shape | str:
    head = stream.read(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head:
        return "it is empty"
    if head.startswith(SEPARATOR):
        return Shape(Container("json-seq"))
    first, _, rest = head.partition(b"\n")
    if head[:1] in (b"{", b"["):
        decoded = decode_json(first)
        is_alone = not rest.strip()
        if not isinstance(decoded, Malformed) and not (is_alone and _list_in(decoded.value) is not None):
            return Shape(Container())
        if isinstance(decoded, Malformed) and len(first) == len(head):  # a line longer than what was looked at
            line = head + stream.readline(LONGEST_DOCUMENT)
            return Shape(Container()) if stream.read(_HEAD).strip() else _document(line, if_none=Shape(Container()))
        if isinstance(decoded, Malformed) and rest.lstrip()[:1] == b"{" and head[:1] == b"{":
            return Shape(Container())  # a first line that is cut
        return _document(head + stream.read())
    try:
        lines = [line for line in head.decode("utf-8", "replace").splitlines() if line.strip()]
    except ValueError:  # pragma: no cover
        lines = []
    if b"\0" not in head:
        for separator in _SEPARATORS:
            rows = list(csv.reader(lines[:3], delimiter=separator))
            names = rows[0] if rows else []
            if len(names) > 2 and len(rows) > 1 and all(len(row) == len(names) for row in rows[:2]):
                return Shape(Container("csv", separator=separator))
    return "it is neither JSON nor a table; lines of text need a binding by hand (`read text`, `match record`)"


def _document(data: bytes, if_none: Shape | None = None) -> Shape | str:
    """`if_none` is for a single line, which may be one record as well."""
    decoded = decode_json(data)
    if isinstance(decoded, Malformed):
        return f"it begins like JSON, but {decoded.why}"
    path = _list_in(decoded.value)
    if path is not None:
        return Shape(Container("json"), each=path)
    return if_none or "the document has no list of objects"


def _list_in(value: LogValue) -> Path | None:
    """The path to the longest list of objects in a document."""
    best: tuple[int, Path] | None = None
    level: list[tuple[Path, LogValue]] = [((), value)]
    for _ in range(DEEPEST):
        deeper: list[tuple[Path, LogValue]] = []
        for path, each in level[:MOST_PATHS]:
            if isinstance(each, dict):
                deeper += [((*path, key), inner) for key, inner in each.items() if is_writable(key)]
            elif isinstance(each, list):
                objects = sum(isinstance(item, dict) for item in each)
                if objects * 10 >= len(each) * 9 and objects > 1 and (best is None or objects > best[0]):
                    best = objects, path
        level = deeper
    return None if best is None else best[1]


# --- the records -------------------------------------------------------------------------------------


class _Gatherer:
    """Gathers values within the limits, and flattens them when the shape of all is known."""

    def __init__(self, seen: Seen) -> None:
        self.raw: list[tuple[int, int, dict[Path, Value] | list[LogValue] | None]] = []
        self._seen = seen
        self._values = 0
        self._paths: dict[Path, Path] = {}
        self._texts: dict[str, str] = {}

    def add(self, log: Log, shape: Shape) -> None:
        seen = self._seen
        number = len(seen.names)
        seen.names.append(log.name)
        seen.file_names.append(file_name_of(log.name))
        with opened(log) as stream:
            for line, value in self._values_of(stream, shape, log.name):
                if len(self.raw) >= MOST_RECORDS or self._values >= MOST_VALUES:
                    seen.truncated = True
                    return
                kept = self._kept(value)
                self._values += len(kept) if kept is not None else 1
                self.raw.append((number, line, kept))

    def _kept(self, value: LogValue) -> dict[Path, Value] | list[LogValue] | None:
        """Objects are flattened at once, so that no more of them is held than is looked at."""
        if isinstance(value, dict):
            return self._flat(value)
        return value[: _MOST_COLUMNS + 1] if isinstance(value, list) else None

    def _values_of(self, stream: BinaryIO, shape: Shape, log_name: str) -> Iterator[tuple[int, LogValue]]:
        for piece in pieces_of(stream, shape.container):
            if isinstance(piece, WrongContainer):
                self._seen.unread.append((log_name, f"line {piece.number}: {piece.why}"))
            elif isinstance(piece, Faulty):
                self._seen.malformed[piece.malformed.name] += 1
            elif isinstance(piece, Piece):
                self._seen.has_repeated_keys = self._seen.has_repeated_keys or bool(piece.repeated)
                if shape.each is None:
                    yield piece.line, piece.value
                    continue
                value = piece.value
                for step in shape.each:
                    value = value.get(step) if isinstance(value, dict) else None
                for item in value if isinstance(value, list) else ():
                    yield piece.line, item

    def settle(self, shape: Shape) -> Shape:
        """Makes the records; rows get columns if most records are lists."""
        seen = self._seen
        rows = [len(value) for _, _, value in self.raw if isinstance(value, list)]
        is_rows = len(rows) * 2 > len(self.raw)
        if is_rows:
            shape = _with_columns(shape, [value for _, _, value in self.raw if isinstance(value, list)])
        least = len(shape.columns) - shape.optional
        for log, line, value in self.raw:
            if is_rows and isinstance(value, list) and least <= len(value) <= len(shape.columns):
                seen.records.append(Record(log, line, self._flat(dict(zip(shape.columns, value, strict=False)))))
            elif not is_rows and isinstance(value, dict):
                seen.records.append(Record(log, line, value))
            else:
                seen.malformed["malformed-record"] += 1
        self.raw.clear()
        return shape

    def _flat(self, record: dict[str, LogValue]) -> dict[Path, Value]:
        values: dict[Path, Value] = {}
        level: list[tuple[Path, LogValue]] = [((key,), each) for key, each in record.items()]
        while level:
            deeper: list[tuple[Path, LogValue]] = []
            for path, each in level:
                if (path not in self._paths and not is_writable(path[-1])) or len(values) >= MOST_IN_RECORD:
                    self._seen.paths_left_out = True
                elif isinstance(each, dict) and each and len(path) < DEEPEST:
                    if len(self._seen.objects) < MOST_PATHS:
                        self._seen.objects.add(path)
                    deeper += [((*path, key), inner) for key, inner in each.items()]
                else:
                    self._put(values, path, each)
            level = deeper
        return values

    def _see_list(self, path: Path) -> None:
        if len(self._seen.lists) < MOST_PATHS:
            self._seen.lists.add(path)

    def _put(self, values: dict[Path, Value], path: Path, each: LogValue) -> None:
        kept: Value
        if isinstance(each, str):
            if not each.strip():
                return
            kept = self._texts.setdefault(each, each) if len(each) <= LONGEST_VALUE else LONG
            if len(self._texts) > MOST_RECORDS:
                self._texts.clear()
        elif each is None:
            return
        else:
            kept = each if isinstance(each, bool | int | Decimal) else THERE
            if isinstance(each, list) and any(isinstance(item, dict) for item in each[:_MOST_COLUMNS]):
                self._see_list(path)
        if path not in self._paths:
            if len(self._paths) >= MOST_PATHS:
                self._seen.paths_left_out = True
                return
            self._paths[path] = path
        values[self._paths[path]] = kept


def _with_columns(shape: Shape, rows: Sequence[list[LogValue]]) -> Shape:
    """Columns for records that are lists; lengths that are rare are left to be malformed."""
    counted = Counter(len(row) for row in rows if 0 < len(row) <= _MOST_COLUMNS)
    common = [length for length, times in counted.items() if times * 50 >= len(rows)]
    if not common:
        return shape
    names: list[str] = []
    for place in range(max(common)):
        name = _column_name([row[place] for row in rows[:1000] if place < len(row)])
        names.append(name if name is not None and name not in names else f"c{place}")
    return Shape(shape.container, tuple(names), max(common) - min(common), shape.each)


def _column_name(values: Sequence[LogValue]) -> str | None:
    """A telling name for the elements at one place, where their shape has one."""
    there = [value for value in values if value is not None]
    if not there:
        return None
    if all(isinstance(value, int | Decimal) and not isinstance(value, bool) and value > 10**8 for value in there):
        return "time"
    if not all(isinstance(value, str) for value in there):
        return "data" if sum(isinstance(value, dict) for value in there) * 2 > len(there) else None
    texts = {value for value in there if isinstance(value, str)}
    with_digit = sum(any(char.isdigit() for char in text) for text in texts)
    if with_digit * 2 > len(texts):
        return "id"
    return "event" if len(there) == len(values) and len(texts) * 10 <= len(there) * 8 else None
