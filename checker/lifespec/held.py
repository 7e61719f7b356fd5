"""Violations that wait to be asked for. Owns where they wait: the first in memory, many in an unnamed file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import IO

import msgspec

from lifespec.verdict import Violation

IN_MEMORY = 5000
"""Violations from which on they are put into the file."""


class Held:
    """Violations in the order in which they were added; iterated once, when no more are added."""

    def __init__(self, violations: Iterable[Violation] = ()) -> None:
        self._last: list[Violation] = []
        self._file: IO[bytes] | None = None
        self._length = 0
        self.add(violations)

    def __len__(self) -> int:
        return self._length

    def add(self, violations: Iterable[Violation]) -> None:
        """Raises OSError when they cannot be put away."""
        for violation in violations:
            self._last.append(violation)
            self._length += 1
            if len(self._last) >= IN_MEMORY:
                self._put_away()

    def _put_away(self) -> None:
        if self._file is None:
            import tempfile  # most logs have few findings

            self._file = tempfile.TemporaryFile()  # noqa: SIM115  gone when it is forgotten
        packed = msgspec.msgpack.encode(self._last)
        self._file.write(len(packed).to_bytes(8) + packed)
        self._last = []

    def __iter__(self) -> Iterator[Violation]:
        if self._file is not None:
            self._file.seek(0)
            decode: Callable[[bytes], list[Violation]] = msgspec.msgpack.Decoder(list[Violation]).decode
            while head := self._file.read(8):
                yield from decode(self._file.read(int.from_bytes(head)))
            self._file.close()
        yield from self._last
