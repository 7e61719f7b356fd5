"""Watching a check while it reads. Owns what a watcher is told and may do; has no clock, no signal and no terminal.

A watcher is asked once for each block of bytes, never for a record: the loop over the records pays nothing for it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from lifespec.log_file import Kept


class Interrupted(Exception):
    """A watcher wants the check to end now, with the report of what was read so far."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a check is: the log it reads, and what there was in all logs so far. `bytes_read` are those of the
    files as they lie there, packed or not."""

    log: str
    bytes_read: int
    records: int
    sessions: int
    findings: int


class Watcher(Protocol):
    """Sees how far a check is, and may end it by raising Interrupted from either method."""

    def watch(self, progress: Progress) -> None:
        """Called before each block of a log is read."""

    def waiting(self) -> AbstractContextManager[None]:
        """Entered while a pipe has nothing to read: only within may Interrupted be raised at any moment, such as
        by the handler of a signal. No byte is lost by that."""


class Unwatched:
    """The watcher of a check that nobody watches."""

    def watch(self, progress: Progress) -> None:
        pass

    def waiting(self) -> AbstractContextManager[None]:
        return contextlib.nullcontext()


class Blocks:
    """The bytes of a log, read in blocks before each of which a watcher is told how far the check is.

    `progress` says so from the bytes read of this log. Raises what the watcher raises, and then nothing is lost
    but the line that was not read to its end.
    """

    def __init__(self, stream: BinaryIO, watcher: Watcher, progress: Callable[[int], Progress]) -> None:
        self._stream = stream
        self._watcher = watcher
        self._progress = progress
        self.bytes_read = 0

    def read(self, size: int = -1) -> bytes:
        pipe = self._stream if isinstance(self._stream, Kept) else None
        if pipe is None or pipe.is_at_end:  # what was taken from a pipe already is judged in any case
            self._watcher.watch(self._progress(self.bytes_read))
            if pipe is not None:
                with self._watcher.waiting():
                    pipe.wait()
        block = self._stream.read(size)
        self.bytes_read += len(block)
        return block

    def readline(self, size: int = -1) -> bytes:
        line = self._stream.readline(size)
        self.bytes_read += len(line)
        return line

    def seekable(self) -> bool:
        return self._stream.seekable()

    def seek(self, offset: int) -> int:
        self.bytes_read = offset
        return self._stream.seek(offset)
