"""What one run of the benchmarks works with: its sizes, its folder, and the logs and lifecycles that are made there.

A log is made once and kept under a name that says all that it was made from.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from process import Clock, Took, run

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured. Sessions grow with the events; the sessions that are open at once do not."""

    events: int  # of the log that most figures are about
    growth: int = 10  # how many times longer the long log is
    most_open: int = 2_000
    sessions_per_event: float = 0.06
    open_sessions: int = 5_000
    finished_sessions: int = 10_000
    keys: int = 50_000  # instances, live or finished
    fixed: int = 500_000  # events over a fixed number of keys, against a hundredth of them
    for_reference: int = 10_000  # events that the reference engine is given


USUAL = Sizes(events=200_000)
FULL = Sizes(
    events=2_000_000,
    open_sessions=20_000,
    finished_sessions=100_000,
    keys=200_000,
    fixed=5_000_000,
    for_reference=20_000,
)


@dataclass(frozen=True, slots=True)
class Setting:
    folder: Path
    sizes: Sizes
    rounds: int
    clock: Clock
    seed: int = 1

    def spec(self, name: str) -> Path:
        """The lifecycle `name` of `lifecycles.py`, written by a process of its own: this one stays small."""
        path = self.folder / f"{name}.lifespec"
        run([sys.executable, HERE / "write_lifecycle.py", name, "-o", path])
        return path

    def log(
        self,
        events: int | None = None,
        share: float = 1.0,
        faults: float = 0.0,
        most_open: int | None = None,
    ) -> Path:
        """A log of avatar sessions."""
        events = events or self.sizes.events
        sessions = max(round(events * self.sizes.sessions_per_event), 1)
        most_open = min(most_open or self.sizes.most_open, sessions)
        path = self.folder / f"avatar-{events}-{sessions}-{most_open}-{share}-{faults}-{self.seed}.jsonl"
        return self._made(
            path,
            *("generate_avatar.py", "--events", events, "--sessions", sessions, "--open", most_open),
            *("--sparse", share, "--faults", faults, "--seed", self.seed),
        )

    def shaped_log(self, shape: str, number: int) -> Path:
        """A log of one shape, for memory."""
        return self._made(self.folder / f"{shape}-{number}.jsonl", "generate_memory.py", shape, number)

    def ring_log(self, events: int) -> Path:
        """A log of a hundred sessions in which one event comes again and again."""
        path = self.folder / f"ring-{events}.jsonl"
        if not path.exists():
            with open(path, "w", encoding="ascii", newline="\n") as stream:
                for index in range(events):
                    stream.write(
                        f'{{"time":{1_784_019_600 + index // 1000}.{index % 1000:03d},"session":"s{index % 100}",'
                        f'"machine":"m","event":"step","owner":"any","seq":{index}}}\n'
                    )
        return path

    def _made(self, path: Path, script: str, *arguments: object) -> Path:
        if not path.exists():
            print(f"making {path.name}", file=sys.stderr)
            half = path.with_suffix(".half")
            run([sys.executable, HERE / script, *map(str, arguments), "-o", half])
            half.rename(path)
        return path

    # --- commands -----------------------------------------------------------------------------------------

    def timed_check(self, spec: Path, log: Path, binding: str = "") -> list[str | Path]:
        return [sys.executable, HERE / "timed_check.py", spec, log, *([binding] if binding else [])]

    def bare_loop(self, log: Path) -> list[str | Path]:
        return [sys.executable, HERE / "bare_loop.py", log]

    def check(self, spec: Path, log: Path, *options: str | Path) -> list[str | Path]:
        """The command line, with the report as JSON."""
        return [sys.executable, "-m", "lifespec", "check", "--format", "json", *options, spec, log]


@cache
def has_option(option: str) -> bool:
    """Whether this `lifespec check` has the option."""
    answer = run([sys.executable, "-m", "lifespec", "check", "--help"])
    return option in answer.output.split()


def sound(took: Took, expected: set[str] | None = None) -> Took:
    """A check that found what it should: nothing, or only findings of the `expected` names. Raises ValueError."""
    report = json.loads(took.output)
    names = {finding["name"] for finding in report["findings"]}
    if report["problems"] or names - (expected or set()):
        raise ValueError(f"the check found {sorted(names)} and had {len(report['problems'])} problems")
    return took
