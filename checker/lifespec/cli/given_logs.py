"""The logs that a command is given: what its arguments stand for. Owns the checks that every command makes of them."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from lifespec.cli.output import STANDARD
from lifespec.source import STANDARD_INPUT

if TYPE_CHECKING:
    from lifespec.log_file import Log


def find_given_logs(spec: str | None, given: Sequence[str], *, joined: bool = False) -> list[Log]:
    """The logs that arguments stand for; standard input is kept, so that it can be read again. Raises UsageError, also
    where the lifecycle `spec` is to be read from standard input."""
    from lifespec.log_file import Log, find_repeated, kept
    from lifespec.log_input import NoSuchLogs, find_logs

    if spec == STANDARD:
        raise click.UsageError("the lifecycle is read from a file; `-` stands for a log only")
    if given.count(STANDARD) > 1:
        raise click.UsageError("standard input can be read once: `-` is given twice")
    try:
        names = find_logs(given, joined=joined)
    except NoSuchLogs as error:
        raise click.UsageError(str(error)) from None
    repeated = find_repeated([Log(name) for name in names])
    if repeated is not None:
        raise click.UsageError(f"{repeated} is given twice")
    if STANDARD in names and sys.stdin is None:
        raise click.UsageError("standard input is closed")
    return [
        kept(STANDARD_INPUT, getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)) if name == STANDARD else Log(name)
        for name in names
    ]


def size_of(logs: Sequence[Log], *, times: int = 1) -> int | None:
    """The bytes of all logs, each read so many times, or None where that is not known before they are read."""
    sizes = []
    for log in logs:
        with contextlib.suppress(OSError, ValueError):
            found = os.stat(log.name) if log.stream is None else os.fstat(sys.stdin.fileno())
            sizes.append(found.st_size if stat.S_ISREG(found.st_mode) else None)
    return None if None in sizes else times * sum(size or 0 for size in sizes)
