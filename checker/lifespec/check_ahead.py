"""A look ahead over logs, so that it is known which of their sessions are judged. Judges nothing.

Only for filters that depend on what a session says anywhere in it: the logs are then read twice.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import BinaryIO, cast

from lifespec.filter.sessions import SessionFilter
from lifespec.log_file import Log, is_binary, kept, opened
from lifespec.trace.reader import Reader
from lifespec.verdict import Violation
from lifespec.watch import Blocks, Progress, Watcher


def look_ahead(
    log: Log,
    reader: Reader,
    sessions: SessionFilter,
    watcher: Watcher,
    progress: Callable[[int], Progress],
    stays_open: contextlib.ExitStack,
) -> Log:
    """Shows all records of a log to the filter; the log as it is to be read from then on. Of a pipe, which stays open,
    that is what was kept of it. Raises OSError and Interrupted."""
    with contextlib.ExitStack() as stack:
        with watcher.waiting():
            stream = stack.enter_context(opened(log))
        if not stream.seekable():
            log = kept(log.name, stream)
            stream = log.stream or stream
            stays_open.push(stack.pop_all())
        blocks = cast(BinaryIO, Blocks(stream, watcher, progress))
        if not is_binary(blocks):
            for item in reader.read(blocks):
                if not isinstance(item, Violation):
                    sessions.look_at(item)
    return log
