"""The bytes of a log, unpacked (spec/bindings.md B28). Owns gzip, zstd and the look at the first bytes; cuts nothing.

What is packed is known by its first bytes, never by its name. Memory is bounded whatever the bytes say of themselves:
unpacking goes piece by piece, and zstd may look back 128 MB at most.
"""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

_PIECE = 1024 * 1024
_WINDOW_LOG = 27  # zstd looks back 2 ** 27 bytes at most
PARQUET = b"PAR1"
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"

_OTHERS = (
    (b"PK\x03\x04", "a zip archive: unpack it first"),
    (b"BZh", "bzip2: unpack it first"),
    (b"\xfd7zXZ\x00", "xz: unpack it first"),
    (b"\xff\xfe", "UTF-16: write it as UTF-8"),
    (b"\xfe\xff", "UTF-16: write it as UTF-8"),
    (PARQUET, "Parquet, which is read only in place of JSON lines or of a table: `read json-lines`, `read csv`"),
)


class Broken(Exception):
    """What is packed is cut or broken. The text says why; what was unpacked before it is good."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """`stream` has the bytes of the text and raises Broken. `is_packed`: its places are not those of the file."""

    stream: BinaryIO
    is_packed: bool


@contextmanager
def unpacked(stream: BinaryIO, head: bytes | None = None) -> Iterator[Unpacked]:
    """The text in `stream`, of which `head` may have been read. Raises Broken at once for what is no text."""
    if head is None:
        head = read_head(stream)
    for magic, why in _OTHERS:
        if head.startswith(magic):
            raise Broken(f"it is {why}")
    rest = cast(BinaryIO, io.BufferedReader(Joined(head, stream), _PIECE))
    if head.startswith(_GZIP):
        with gzip.GzipFile(fileobj=rest, mode="rb") as inner:
            read = _guarded(inner.read, (OSError, EOFError, zlib.error), "its gzip is cut or broken")
            yield Unpacked(cast(BinaryIO, io.BufferedReader(_Reading(read), _PIECE)), True)
    elif head.startswith(_ZSTD):
        zstd = _zstd()
        with zstd.ZstdFile(rest, options={zstd.DecompressionParameter.window_log_max: _WINDOW_LOG}) as inner:
            read = _guarded(inner.read, (zstd.ZstdError, EOFError, OSError), "its zstd is cut or broken")
            yield Unpacked(cast(BinaryIO, io.BufferedReader(_Reading(read), _PIECE)), True)
    else:
        yield Unpacked(rest, False)


def _zstd() -> Any:
    """The library for zstd. Raises Broken when there is none."""
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError:
        raise Broken("it is zstd: unpack it first, or `pip install lifespec[zstd]`") from None
    return zstd


def _guarded(read: Callable[[int], bytes], errors: tuple[type[Exception], ...], why: str) -> Callable[[int], bytes]:
    def run(size: int) -> bytes:
        try:
            return read(size)
        except errors:
            raise Broken(why) from None

    return run


def is_text(head: bytes) -> bool:
    """Whether what begins like this is neither packed nor something else that is known by its first bytes."""
    return not head.startswith((_GZIP, _ZSTD, *(magic for magic, _ in _OTHERS)))


def read_head(stream: BinaryIO) -> bytes:
    """The first bytes of a log."""
    head = b""
    while len(head) < 6:
        piece = stream.read(6 - len(head))
        if not piece:
            break
        head += piece
    return head


class _Reading(io.RawIOBase):
    """A stream of what a function reads."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        super().__init__()
        self._read = read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        piece = self._read(len(view))
        view[: len(piece)] = piece
        return len(piece)


class Joined(io.RawIOBase):
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
