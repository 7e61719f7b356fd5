"""Runs a command as a process of its own and says what it took. Owns time limits and the ends of processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Clock = Literal["wall", "cpu"]


class Failed(Exception):
    """A process ended otherwise than it was expected to; the text says how."""


@dataclass(frozen=True, slots=True)
class Took:
    """What a process took and printed; `peak_bytes` is the most memory that it had at once."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int
    status: int
    output: str

    def by(self, clock: Clock) -> float:
        return self.seconds if clock == "wall" else self.cpu_seconds

    def json(self) -> dict[str, Any]:
        answer = json.loads(self.output.strip().splitlines()[-1])
        assert isinstance(answer, dict)
        return answer


def run(
    command: Sequence[str | Path], *, good: Sequence[int] = (0,), cwd: Path | None = None, stdin: Path | None = None
) -> Took:
    """Runs a command to its end. Raises `Failed` for an exit status that is not among `good`.

    The memory of a child counts from what its parent had when it was started, so the caller should be small.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        began = time.perf_counter()
        with open(stdin or os.devnull, "rb") as given:
            process = subprocess.Popen(
                [str(word) for word in command], stdin=given, stdout=output, stderr=errors, cwd=cwd
            )
            try:
                _, waited, usage = os.wait4(process.pid, 0)
            except BaseException:
                process.kill()
                process.wait()
                raise
        seconds = time.perf_counter() - began
        status = process.returncode = os.waitstatus_to_exitcode(waited)
        output.seek(0)
        errors.seek(0)
        if status not in good:
            said = errors.read().decode(errors="replace").strip().splitlines()[-1:]
            words = " ".join(Path(word).name for word in command)  # where files lie is nobody's business
            raise Failed(f"`{words}` ended with {status}: {''.join(said)}")
        return Took(
            seconds=seconds,
            cpu_seconds=usage.ru_utime + usage.ru_stime,
            peak_bytes=usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
            status=status,
            output=output.read().decode(errors="replace"),
        )


def end_with_children() -> None:
    """From now on a request to terminate also ends the process that is just measured."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def alternate(
    commands: Mapping[str, Sequence[str | Path]], rounds: int, *, good: Sequence[int] = (0,)
) -> dict[str, list[Took]]:
    """Runs the commands in turn, `rounds` times all of them, so that what slows the machine slows them alike."""
    took: dict[str, list[Took]] = {name: [] for name in commands}
    for number in range(rounds):
        names = list(commands)
        for name in names if number % 2 == 0 else reversed(names):
            took[name].append(run(commands[name], good=good))
    return took


def best_inside(runs: Sequence[Took], clock: Clock) -> dict[str, Any]:
    """The answer of the run that says itself that it took the least."""
    key = "seconds" if clock == "wall" else "cpu_seconds"
    best: dict[str, Any] = min((each.json() for each in runs), key=lambda answer: float(answer[key]))
    return best | {"took": float(best[key])}


def best_outside(runs: Sequence[Took], clock: Clock) -> float:
    """The least that one of the runs took, start and end of the process included."""
    return min(each.by(clock) for each in runs)
