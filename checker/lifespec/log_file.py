"""A log as bytes: opened, looked at, kept. Owns the files of a check; knows no lines and no records."""

from __future__ import annotations

import contextlib
import io
import os
import select
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

_FIRST = 4096  # bytes looked at to know what a file is
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
