"""The bytes of a text -> its lines. Owns the limit, the numbers and the offsets; reads no records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from lifespec.trace.packed import Broken, Unpacked, is_text, read_head, unpacked

SEPARATOR = b"\x1e"  # what stands before each record of a JSON text sequence
LONGEST = 16 * 1024 * 1024  # bytes of one line
_PIECE = 1024 * 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


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
    """The bytes are not what they should be, or stop being it at line `number`."""

    number: int
    why: str


def is_unpacked(stream: BinaryIO) -> bool:
    """Whether the stream begins as lines of text may; it is read from its beginning afterwards."""
    head = read_head(stream)
    stream.seek(0)
    return is_text(head) and not head.startswith(SEPARATOR)


def lines_of(stream: BinaryIO) -> Iterator[Line | WrongContainer]:
    """The lines of `stream`, without their ends and without a byte order mark. gzip and zstd are unpacked.

    Memory stays below LONGEST and a piece. A wrong container ends the iteration.
    """
    number = 1
    try:
        with unpacked(stream) as text:
            for line in cut(text):
                number = line.number + 1
                yield line
    except Broken as broken:
        yield WrongContainer(number, str(broken))


def cut(text: Unpacked) -> Iterator[Line]:
    """The lines of what is unpacked. Raises Broken."""
    stream, offset, number = text.stream, 0, 0
    while True:
        data = stream.readline(LONGEST + 2)
        if not data:
            return
        number += 1
        begins = -1 if text.is_packed else offset
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
            if number == 1 and kept.startswith(_BYTE_ORDER_MARK):
                kept = kept[3:]
        yield Line(number, begins, kept, ended)
        offset += length
