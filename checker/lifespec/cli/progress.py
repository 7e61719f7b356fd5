"""How far a check is, on a terminal. Owns the line on standard error; knows no log and no report.

There is none where standard error is no terminal or the logs are small, and rich is imported only for it. It
draws when it is told something, never from a thread, and is gone without a trace when the check is over.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from lifespec.diagnostics.excerpt import visible
from lifespec.explain_words import times

if TYPE_CHECKING:
    from rich.progress import Progress as Line

    from lifespec.watch import Progress

LARGE = 4 << 20  # bytes of logs from which on it is shown
_EVERY = 0.1  # seconds between two drawings
_LONGEST_NAME = 24


class Shown:
    """The line of one check. `total` are the bytes of all logs, None where that is not known."""

    def __init__(self, total: int | None, colour: str) -> None:
        self._total = total
        self._colour = colour
        self._line: Line | None = None
        self._drawn = 0.0
        self._is_wanted = sys.stderr.isatty() and (total is None or total >= LARGE)

    def __enter__(self) -> Shown:
        return self

    def __exit__(self, *_: object) -> None:
        if self._line is not None:
            self._line.stop()

    def show(self, progress: Progress) -> None:
        if not self._is_wanted or (self._total is None and progress.bytes_read < LARGE):
            return
        if self._line is None:
            self._line = _begun(self._total, self._colour)
        line = self._line
        found = times(progress.findings, "finding")
        line.update(
            line.task_ids[0],
            completed=progress.bytes_read,
            description=_shortened(visible(progress.log)),
            seen=f"{times(progress.records, 'record')}, {times(progress.sessions, 'session')}, {found}",
        )
        now = line.get_time()
        if now - self._drawn >= _EVERY:
            self._drawn = now
            line.refresh()


def _begun(total: int | None, colour: str) -> Line:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Line

    line = Line(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=12),
        DownloadColumn(),
        TextColumn("{task.fields[seen]}", markup=False),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True, no_color=True if colour == "never" else None),
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    line.add_task("", total=total, seen="")
    line.start()
    return line


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"...{name[3 - _LONGEST_NAME :]}"
