"""Ctrl-C during a check. Owns the signal: the first is a wish that the check keeps, the second ends the process."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from lifespec.watch import Interrupted, Progress


class Interruption:
    """The watcher of a check that Ctrl-C may end. `show` is told how far the check is.

    A record is never left half judged: the first Ctrl-C is kept in mind until the next block is read, and
    breaks only the waiting for a pipe. Use it as a context.
    """

    def __init__(self, show: Callable[[Progress], None]) -> None:
        self._show = show
        self._is_asked = False
        self._is_waiting = False
        self._before: Any = None

    def __enter__(self) -> Interruption:
        # A shell has its background jobs ignore Ctrl-C, and a thread has no signals: then it stays so.
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def watch(self, progress: Progress) -> None:
        if self._is_asked:
            raise Interrupted
        self._show(progress)

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        self._is_waiting = True  # before the question, so that no signal falls between the two
        try:
            if self._is_asked:
                raise Interrupted
            yield
        finally:
            self._is_waiting = False

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._is_asked:
            raise KeyboardInterrupt
        self._is_asked = True
        if self._is_waiting:
            raise Interrupted
