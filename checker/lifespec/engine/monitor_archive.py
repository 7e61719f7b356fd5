"""Where the finished sessions of a log lie: by name some bytes each, in as little memory as can be.

An open-addressed table of offsets into one run of bytes. A dictionary would need three times as much: for a text, an
object and an entry that is seldom full. Owns the storing; does not know what the bytes say.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping

_HEAD = 8  # bytes: the length of the name, and the length of what is kept
_TAKEN = 1 << 31  # in the second length: it has been taken out
_LEAST = 64  # places of the table, a power of two


class Archive(Mapping[str, bytes]):
    """Bytes by name, in the order in which they were put in."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._table = array("Q", bytes(8 * _LEAST))  # for each place an offset plus 1; 0 is a free one
        self._used: int = 0  # places that are not free
        self._count: int = 0

    def put(self, name: str, kept: bytes) -> None:
        """Keep some bytes, of at most 2 GB, under a name that has none."""
        if 3 * (self._used + 1) > 2 * len(self._table):
            self._rebuild()
        self._append(hash(name), name.encode("utf-8", "surrogatepass"), kept)

    def take(self, name: str) -> bytes | None:
        """Take out what is kept under a name; None when nothing is."""
        offset = self._find(name)
        if offset < 0:
            return None
        _, length, size = self._at(offset)
        self._data[offset + 4 : offset + _HEAD] = (size | _TAKEN).to_bytes(4, "big")
        self._count -= 1
        return self._kept(offset, length, size)

    def __getitem__(self, name: str) -> bytes:
        offset = self._find(name)
        if offset < 0:
            raise KeyError(name)
        _, length, size = self._at(offset)
        return self._kept(offset, length, size)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        for offset, length, _ in self._records():
            yield self._name(offset, length).decode("utf-8", "surrogatepass")

    def all_kept(self) -> Iterator[bytes]:
        """What is kept, of all."""
        for offset, length, size in self._records():
            yield self._kept(offset, length, size)

    # --- the run of bytes ----------------------------------------------------------------------------

    def _append(self, hashed: int, name: bytes, kept: bytes) -> None:
        mask = len(self._table) - 1
        place = hashed & mask
        while self._table[place]:
            place = (place + 1) & mask
        self._table[place] = len(self._data) + 1
        self._data += len(name).to_bytes(4, "big") + len(kept).to_bytes(4, "big") + name + kept
        self._used += 1
        self._count += 1

    def _find(self, name: str) -> int:
        """Where a name begins; -1 when it is not there."""
        sought = name.encode("utf-8", "surrogatepass")
        mask = len(self._table) - 1
        place = hash(name) & mask
        while self._table[place]:
            offset = self._table[place] - 1
            is_taken, length, _ = self._at(offset)
            if not is_taken and length == len(sought) and self._name(offset, length) == sought:
                return offset
            place = (place + 1) & mask
        return -1

    def _at(self, offset: int) -> tuple[bool, int, int]:
        """Whether a record was taken out, the length of its name and of what it keeps."""
        length = int.from_bytes(self._data[offset : offset + 4], "big")
        size = int.from_bytes(self._data[offset + 4 : offset + _HEAD], "big")
        return size >= _TAKEN, length, size % _TAKEN

    def _name(self, offset: int, length: int) -> bytes:
        return bytes(self._data[offset + _HEAD : offset + _HEAD + length])

    def _kept(self, offset: int, length: int, size: int) -> bytes:
        begin = offset + _HEAD + length
        return bytes(self._data[begin : begin + size])

    def _records(self) -> Iterator[tuple[int, int, int]]:
        """Where those begin that are there, with their lengths."""
        offset = 0
        while offset < len(self._data):
            is_taken, length, size = self._at(offset)
            if not is_taken:
                yield offset, length, size
            offset += _HEAD + length + size

    def _rebuild(self) -> None:
        """Make room: what has been taken out goes, and the table grows when it is still full."""
        if 2 * self._count < self._used:
            data = bytearray()
            for offset, length, size in self._records():
                data += self._data[offset : offset + _HEAD + length + size]
            self._data = data
        places = _LEAST
        while 3 * (self._count + 1) > places:
            places *= 2
        self._table = array("Q", bytes(8 * places))
        mask = places - 1
        self._used = 0
        for offset, length, _ in self._records():
            place = hash(self._name(offset, length).decode("utf-8", "surrogatepass")) & mask
            while self._table[place]:
                place = (place + 1) & mask
            self._table[place] = offset + 1
            self._used += 1
