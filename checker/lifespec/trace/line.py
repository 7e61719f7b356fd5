"""The bytes of a log -> its lines. Owns limits, offsets and the look at the first bytes; reads no records."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast

LONGEST = 16 * 1024 * 1024  # bytes of one line
_PIECE = 1024 * 1024

_GZIP = b"\x1f\x8b"
_MAGIC = (
    (b"\x28\xb5\x2f\xfd", "zstd, which is not read yet: unpack it first"),
    (b"PK\x03\x04", "a zip archive: unpack it first"),
    (b"BZh", "bzip2: unpack it first"),
    (b"\xfd7zXZ\x00", "xz: unpack it first"),
    (b"\xff\xfe", "UTF-16: write it as UTF-8"),
    (b"\xfe\xff", "UTF-16: write it as UTF-8"),
    (b"\x1e", "a JSON text sequence (0x1E before each record), which is not read yet"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end. `number` is from 1, `offset` the byte where it begins (-1: packed).

    `data` is None when the line is longer than LONGEST. `ended` is False for a last line without a
    line end.
    """

    number: int
    offset: int
    data: bytes | None
    ended: bool = True


@dataclass(frozen=True, slots=True)
class WrongContainer:
    """The bytes are no lines of text, or stop being it at line `number`."""

    number: int
    why: str


def is_unpacked(stream: BinaryIO) -> bool:
    """Whether the stream begins as lines of text may; it is read from its beginning afterwards."""
    head = _read_head(stream)
    stream.seek(0)
    return not head.startswith((_GZIP, *(magic for magic, _ in _MAGIC)))


def lines_of(stream: BinaryIO) -> Iterator[Line | WrongContainer]:
    """The lines of `stream`, without their ends and without a byte order mark. gzip is unpacked.

    Memory stays below LONGEST and a piece. A wrong container ends the iteration.
    """
    head = _read_head(stream)
    for magic, why in _MAGIC:
        if head.startswith(magic):
            yield WrongContainer(1, f"it is {why}")
            return
    rest = cast(BinaryIO, io.BufferedReader(_Joined(head, stream), _PIECE))
    if head.startswith(_GZIP):
        yield from _packed(rest)
    else:
        yield from _cut(rest, 0)


def _packed(stream: BinaryIO) -> Iterator[Line | WrongContainer]:
    number = 1
    try:
        with gzip.GzipFile(fileobj=stream, mode="rb") as unpacked:
            for line in _cut(cast(BinaryIO, unpacked), None):
                number = line.number + 1
                yield line
    except (OSError, EOFError, zlib.error):
        yield WrongContainer(number, "its gzip is cut or broken")


def _read_head(stream: BinaryIO) -> bytes:
    head = b""
    while len(head) < 6:
        piece = stream.read(6 - len(head))
        if not piece:
            break
        head += piece
    return head


def _cut(stream: BinaryIO, offset: int | None) -> Iterator[Line]:
    number = 0
    while True:
        data = stream.readline(LONGEST + 2)
        if not data:
            return
        number += 1
        begins = -1 if offset is None else offset
        length = len(data)
        ended = data.endswith(b"\n")
        kept: bytes | None = data
        if not ended and length == LONGEST + 2:
            kept = None
            while not ended:
                more = stream.readline(_PIECE)
                if not more:
                    break
                length += len(more)
                ended = more.endswith(b"\n")
        if kept is not None:
            kept = kept[:-2] if kept.endswith(b"\r\n") else kept[:-1] if ended else kept
            if number == 1 and kept.startswith(b"\xef\xbb\xbf"):
                kept = kept[3:]
        yield Line(number, begins, kept, ended)
        if offset is not None:
            offset += length


class _Joined(io.RawIOBase):
    """The bytes already read, then the rest of a stream."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        super().__init__()
        self._head = head
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        if self._head:
            piece, self._head = self._head[: len(view)], self._head[len(view) :]
        else:
            piece = self._stream.read(len(view))
        view[: len(piece)] = piece
        return len(piece)
