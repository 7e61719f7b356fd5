"""Measures everything that is promised of speed, memory and start-up, and holds it to its limits.

    python checker/bench/run.py                      all figures, at sizes for a coffee
    python checker/bench/run.py --full               at the sizes that the limits were set for
    python checker/bench/run.py --only speed jobs    some of them
    python checker/bench/run.py --json figures.json  also as data, for write_docs.py

Every figure is a ratio or a difference between processes of this one run. They run in turn and the best of `--rounds`
counts. `--clock cpu` takes the processor time of the processes, for a machine that others use too; workers are always
measured by the clock on the wall. Logs are kept in `--folder` (a temporary one unless it is named). What this
version of lifespec has no option for is `not available`. The exit status says whether it could be measured, not
whether the limits were kept.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import memory
import speed
import startup
from command import shown_command
from figure import Figure, not_available, table
from machine import machine
from process import Failed, end_with_children
from setting import FULL, USUAL, Setting

Measurement = Callable[[Setting], list[Figure]]

MEASUREMENTS: dict[str, Measurement] = {
    "speed": speed.against_bare_loop,
    "jobs": speed.workers,
    "sparse": speed.sparse,
    "bindings": speed.bindings,
    "linear": speed.linear,
    "states": speed.states,
    "idle-rules": speed.idle_rules,
    "against-reference": speed.against_reference,
    "memory-open-session": memory.open_sessions,
    "memory-live-key": memory.live_keys,
    "memory-finished-key": memory.finished_keys,
    "memory-finished-session": memory.finished_sessions,
    "memory-flat": memory.fixed_keys,
    "start-up": startup.start_up,
}


def main() -> int:
    end_with_children()
    arguments = _arguments()
    sizes = FULL if arguments.full else USUAL
    if arguments.events:
        sizes = replace(sizes, events=arguments.events)
    if arguments.scale != 1:
        counts = ("open_sessions", "finished_sessions", "keys", "fixed", "for_reference")
        scaled = {name: max(round(getattr(sizes, name) * arguments.scale), 100) for name in counts}
        sizes = replace(sizes, **scaled)
    names = arguments.only or list(MEASUREMENTS)
    with tempfile.TemporaryDirectory(prefix="lifespec-bench-") as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        setting = Setting(folder.resolve(), sizes, arguments.rounds, arguments.clock, arguments.seed)
        figures, failed = _measured(setting, names)
    print(table(figures))
    if arguments.json:
        answer = {
            "command": shown_command("run.py"),
            "machine": machine(),
            "rounds": arguments.rounds,
            "clock": arguments.clock,
            "sizes": asdict(sizes),
            "figures": [figure.as_json() for figure in figures],
        }
        arguments.json.write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")
    return 2 if failed else 0


def _measured(setting: Setting, names: list[str]) -> tuple[list[Figure], bool]:
    """The figures of these names; what could not be measured is told, and the rest goes on."""
    figures: list[Figure] = []
    failed = False
    for name in names:
        print(f"measuring {name}", file=sys.stderr)
        try:
            figures += MEASUREMENTS[name](setting)
        except (Failed, ValueError) as error:
            failed = True
            figures.append(not_available(name, "", None, f"failed: {error}"))
    return figures, failed


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(MEASUREMENTS), metavar="NAME", help=", ".join(MEASUREMENTS))
    parser.add_argument("--full", action="store_true", help="2,000,000 events, and 20,000,000 for the long log")
    parser.add_argument("--events", type=int, metavar="N", help="lines of the log that most figures are about")
    parser.add_argument("--scale", type=float, default=1.0, metavar="X", help="of the sizes of the other logs")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="runs of each process; the best counts")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="keep the logs here")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
