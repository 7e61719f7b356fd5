"""The bytes of a log -> records and findings. Owns what becomes of each line; opens no files.

Findings of the reader are Violations without a property. Beside name, place and session they carry:
`text` (why) for malformed-record, not-utf-8 and wrong-container, with `count` the column in bytes from 1
where it is known; `field` (the key) and `count` (how many keys) for duplicate-key; `field` (the part),
`found` and `expected` for unreadable-time and unreadable-value; `elapsed_ns` (the jump) for time-reversed;
`event` for missing-session, missing-time and lacking-event-seen; `found` and `expected` for near-name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import BinaryIO

from lifespec.model.value import Duration, Instant, LogValue
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.count import Counts
from lifespec.trace.decode import DEEPEST, Malformed, decode_json
from lifespec.trace.event import Place, Record
from lifespec.trace.line import LONGEST, Line, WrongContainer, lines_of
from lifespec.trace.translate import Translator
from lifespec.verdict import Violation

_PACKED = (".gz", ".zst")


class Reader:
    """Reads one log by a compiled binding. `log_name` is the path as people wrote it.

    `counts` says what became of every line, also while reading is going on.
    """

    def __init__(self, compiled: CompiledBinding, log_name: str) -> None:
        self.counts = Counts()
        self._compiled = compiled
        self._log = log_name
        self.translator = Translator(compiled, file_name_of(log_name), log_name, self.counts)
        self._header: LogValue = None
        self._awaits_header = compiled.header_first
        self._awaits_magic = compiled.after is not None

    def read(self, stream: BinaryIO) -> Iterator[Record | Violation]:
        """The records of `stream` and the findings on the way, in the order of the lines."""
        for line in lines_of(stream):
            if isinstance(line, WrongContainer):
                self._stop(Place(self._log, line.number), line.why)
                yield from self._taken()
                return
            found, goes_on = self.read_line(line)
            yield from found
            if not goes_on:
                return
        yield from self.end()

    def read_line(self, line: Line) -> tuple[list[Record | Violation], bool]:
        """What one line is, for whoever cuts the lines himself; False when the rest is not worth reading."""
        self.counts.lines += 1
        goes_on = self._line(line, Place(self._log, line.number, line.offset))
        return self._taken(), goes_on

    def end(self) -> list[Record | Violation]:
        """What only the end of the log allows to be said; for whoever calls `read_line`."""
        self.translator.finish()
        return self._taken()

    def read_values(self, records: Iterable[object]) -> Iterator[Record | Violation]:
        """The same for records that are Python values already: mappings, or sequences for `rows`."""
        for number, record in enumerate(records, 1):
            self.counts.lines += 1
            place = Place(self._log, number)
            try:
                value = log_value(record)
            except ValueError as error:
                self._malformed(Malformed(str(error)), place)
            else:
                self._record(value, place)
            yield from self._taken()
        self.translator.finish()
        yield from self._taken()

    def _taken(self) -> list[Record | Violation]:
        """What has gathered since it was last asked for."""
        out, self.translator.out = self.translator.out, []
        return out

    def _line(self, line: Line, place: Place) -> bool:
        """Reads one line; False when the rest is not worth reading."""
        data = line.data
        if data is None:
            self._malformed(Malformed(f"the line is longer than {LONGEST // 2**20} MB"), place)
        elif self._awaits_magic:
            return self._is_magic(data, place)
        elif not data or data.isspace():
            self.counts.blank += 1
        else:
            return self._json(data, line.ended, place)
        return True

    def _is_magic(self, data: bytes, place: Place) -> bool:
        self._awaits_magic = False
        self.counts.headers += 1
        magic = self._compiled.after or ""
        if data.strip() == magic.encode():
            return True
        self._stop(place, f"its first line is not `{magic}`")
        return False

    def _json(self, data: bytes, ended: bool, place: Place) -> bool:
        decoded = decode_json(data)
        if not isinstance(decoded, Malformed):
            if decoded.repeated:
                key, number = decoded.repeated[0], len(decoded.repeated)
                self.translator.add(Violation("duplicate-key", None, "", place, field=key, count=number))
            self._record(decoded.value, place)
            return True
        is_first = not self.counts.records and not self.counts.malformed
        if is_first and ended and data.strip() in (b"{", b"["):
            self._stop(place, "it is one JSON document over several lines, not one record a line")
            self.counts.malformed += 1
            return False
        if not ended and decoded.name == "malformed-record":
            decoded = Malformed(f"the last line is cut: {decoded.why}", decoded.column)
        self._malformed(decoded, place)
        return True

    def _record(self, value: LogValue, place: Place) -> None:
        if self._awaits_header:
            self._awaits_header = False
            self.counts.headers += 1
            self._header = value
            return
        columns = self._compiled.columns
        if columns is not None:
            named = columns.named(value) if isinstance(value, list) else None
            if named is None:
                found = f"{len(value)} elements" if isinstance(value, list) else kind_of(value)
                self._malformed(Malformed(f"it has {found} where a list of {columns.lengths} is due"), place)
                return
            value = named
        elif self._compiled.needs_object and not isinstance(value, dict):
            self._malformed(Malformed(f"it is {kind_of(value)}, not an object"), place)
            return
        self.counts.records += 1
        self.translator.translate(value, self._header, place)

    def _malformed(self, malformed: Malformed, place: Place) -> None:
        self.counts.malformed += 1
        self.translator.add(Violation(malformed.name, None, "", place, text=malformed.why, count=malformed.column))

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


def log_value(value: object, depth: int = 1) -> LogValue:
    """A Python value as a value of a log; floats become exact decimals as they are printed.

    Raises ValueError for what no log could hold: NaN, keys that are no text, anything too deep.
    """
    if value is None or isinstance(value, bool | Duration | Instant):
        return value
    if isinstance(value, str):
        return _whole_text(value)
    if isinstance(value, int):
        if value.bit_length() > 1300:
            raise ValueError("a number is longer than 400 digits")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("a number is not finite")
        return Decimal(repr(value))
    if isinstance(value, Decimal):
        if not value.is_finite() or abs(value.adjusted()) > 400:
            raise ValueError("a number is not finite, or longer than 400 digits")
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if depth > DEEPEST:
        raise ValueError(f"lists and objects stand more than {DEEPEST} deep in each other")
    if isinstance(value, Mapping):
        made: dict[str, LogValue] = {}
        for key, inner in value.items():
            if not isinstance(key, str):
                raise ValueError("a key is no text")
            made[_whole_text(key)] = log_value(inner, depth + 1)
        return made
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [log_value(inner, depth + 1) for inner in value]
    raise ValueError(f"a {type(value).__name__} is no value of a log")


def _whole_text(text: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError("a text holds half a character (a lone surrogate)") from None
    return text
