"""A log as bytes: opened, looked at, read again for an excerpt. Owns the files of a check; knows no records."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import select
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from lifespec.verdict import Place

_FIRST = 4096  # bytes looked at to know what a file is
_LONGEST_LINE = 1 << 18  # bytes of a line that an excerpt is made from
_BLANKS = re.compile(r'("(?:[^"\\]|\\.)*")|\s+', re.DOTALL)  # a text, which stays, or what stands between
_IN_MEMORY = 1 << 25  # bytes of a pipe kept in memory; what is more lies in an unnamed file

# gzip, zstd, UTF-16, Parquet: the reader unpacks it, or knows what to say of it
_KNOWN = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xff\xfe", b"\xfe\xff", b"PAR1")


@dataclass(frozen=True, slots=True)
class Log:
    """A log by its name for people. Without a stream the name is the path to open."""

    name: str
    stream: BinaryIO | None = None


class Kept:
    """A stream that can be read only once, such as a pipe: what is read of it is kept, to be read again.

    `stream` is best a raw one: then `wait` knows whether there is something to read.
    """

    def __init__(self, stream: BinaryIO | io.RawIOBase) -> None:
        import tempfile  # most logs are files

        self._source = stream
        self._read = getattr(stream, "read1", stream.read)  # what there is, rather than as much as was asked for
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  closed when it is forgotten
        self._length = 0

    @property
    def is_at_end(self) -> bool:
        """Whether all that was read so far stands before the place where it is read now."""
        return self._file.tell() == self._length

    def wait(self) -> None:
        """Return when `read` has something to read, or the stream is over. Consumes nothing."""
        if self.is_at_end and isinstance(self._source, io.FileIO) and sys.platform != "win32":
            select.select([self._source], [], [])

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most `size` and at least one; none when the stream is over."""
        again = self._file.read(size)
        if again:
            return again
        while (piece := self._read(size)) is None:  # the other end of the pipe made it one that never blocks
            self.wait()
        self._file.write(piece)
        self._length += len(piece)
        return cast(bytes, piece)

    def readline(self, size: int = -1) -> bytes:
        """The next line of what was read already."""
        return self._file.readline(size)

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int) -> int:
        """Go to a place in what was read already."""
        return self._file.seek(offset)


def kept(name: str, stream: BinaryIO | io.RawIOBase) -> Log:
    """A log from a stream that can be read only once."""
    return Log(name, cast(BinaryIO, Kept(stream)))


def find_repeated(logs: Sequence[Log]) -> str | None:
    """The name of the first log that is another one again, be it by a link or by another way of writing the path."""
    seen: set[str] = set()
    for log in logs:
        real = log.name
        if log.stream is None:
            with contextlib.suppress(OSError, ValueError):
                real = os.path.realpath(log.name)
        if real in seen:
            return log.name
        seen.add(real)
    return None


@contextlib.contextmanager
def opened(log: Log) -> Iterator[BinaryIO]:
    """The bytes of a log; those of a pipe are raw. Raises OSError when it cannot be opened."""
    if log.stream is not None:
        yield log.stream
        return
    with Path(log.name).open("rb") as stream:
        yield stream if stream.seekable() else cast(BinaryIO, stream.raw)


def is_binary(stream: BinaryIO) -> bool:
    """Whether the stream begins with something that is no text; it is read from its beginning afterwards."""
    if not stream.seekable():
        return False
    first = stream.read(_FIRST)
    stream.seek(0)
    return b"\0" in first and not first.startswith(_KNOWN)


class Lines:
    """Lines of logs, read again by their places. Use it as a context; it keeps one file open at a time."""

    def __init__(self, logs: Sequence[Log]) -> None:
        self._logs = {log.name: log for log in logs}
        self._marks: dict[str, Sequence[tuple[int, int]]] = {}
        self._stack = contextlib.ExitStack()
        self._open: tuple[str, BinaryIO] | None = None

    def __enter__(self) -> Lines:
        return self

    def mark(self, log: str, marks: Sequence[tuple[int, int]]) -> None:
        """From now on lines of this log are found from these marks: numbers of lines, and where they begin."""
        self._marks[log] = marks

    def keep(self, log: Log) -> None:
        """From now on read the log of this name from its stream."""
        self._logs[log.name] = log

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def find(self, place: Place) -> str | None:
        """The line at a place without its end, or None when it cannot be read again."""
        if place.log not in self._logs or (place.offset < 0 and place.log not in self._marks):
            return None
        try:
            stream = self._stream(place.log)
            if not stream.seekable():
                return None
            if place.offset >= 0:
                stream.seek(place.offset)
            else:
                self._go_to(stream, place)
            line = stream.readline(_LONGEST_LINE)
            if place.item and place.offset >= 0 and (joined := _value_over_lines(line, stream)) is not None:
                return joined
        except (OSError, ValueError):  # gone, closed or never seekable: then there is no excerpt
            return None
        return line.decode("utf-8", "replace").rstrip("\r\n").lstrip("\ufeff")

    def _go_to(self, stream: BinaryIO, place: Place) -> None:
        marks = self._marks[place.log]
        number, offset = marks[bisect_right(marks, (place.line, sys.maxsize)) - 1]
        stream.seek(offset)
        for _ in range(place.line - number):
            while (piece := stream.readline(_LONGEST_LINE)) and not piece.endswith(b"\n"):
                pass

    def _stream(self, name: str) -> BinaryIO:
        if self._open is None or self._open[0] != name:
            self._stack.close()
            self._open = (name, self._stack.enter_context(opened(self._logs[name])))
        return self._open[1]


def _value_over_lines(line: bytes, stream: BinaryIO) -> str | None:
    """An object or a list that begins at the begin of `line` and ends on another one, as one line; None for anything
    else, and for what is longer than a line may be."""
    if line[:1] not in (b"{", b"[") or _end_of_value(text := line.decode("utf-8", "replace")) is not None:
        return None
    text += stream.read(_LONGEST_LINE - len(line)).decode("utf-8", "replace")
    end = _end_of_value(text)
    return None if end is None else _BLANKS.sub(lambda found: found[1] or " ", text[:end])


def _end_of_value(text: str) -> int | None:
    try:
        return json.JSONDecoder(parse_float=str, parse_int=str, strict=False).raw_decode(text)[1]
    except (ValueError, RecursionError):
        return None
