"""Runs lifespec and its peers on the same log for the same property, and compares their rates.

    python checker/bench/peers/run.py --folder peers                    100,000 events
    python checker/bench/peers/run.py --folder peers --events 2000000   as promised; slow peers get the first 200,000
    python checker/bench/peers/run.py --only jq duckdb --json peers.json

The property: every event is legal in the state of its machine's instance, by the transition tables of avatar.lifespec
alone. The log has illegal events, at most one per instance, and every tool has to find as many illegal instances as
the others: those with all events are compared with each other, those with the first 200,000 with lifespec on these.

Each tool is a process of its own, the tools take turns, and the best of `--rounds` counts. The time is taken inside
the process, without start-up and imports; that of jq, which has no clock for it, from outside. The environments are
made in `--folder` by pip and npm on the first run: what cannot be installed is not available, and is said to be.
pm4py is under the AGPL; nothing here links to it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from command import shown_command  # noqa: E402  found by the line above, as all of these are
from figure import Figure, not_available, table  # noqa: E402  as above
from lifecycle_path import ROOT  # noqa: E402  as above
from machine import machine  # noqa: E402  as above
from process import Clock, Failed, end_with_children, run  # noqa: E402  as above
from setting import USUAL, Setting  # noqa: E402  as above

# What is not in the extra `bench` of the project: it is not to be installed beside lifespec.
ALONE = ("pandas", "pm4py")
NPM_PACKAGES = ("xstate@5",)
FAULTS = 0.001
FIRST = 200_000
LIFESPEC = "lifespec"


@dataclass(frozen=True, slots=True)
class Tool:
    """`goal`: how many times as fast lifespec is to be. `is_slow`: it is given the first events only."""

    name: str
    what: str
    command: Callable[[Place, Path], Sequence[str | Path]]
    is_slow: bool = False
    goal: float | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where the environments, the tables and the lifecycle lie."""

    folder: Path
    tables: Path
    spec: Path

    @property
    def python(self) -> Path:
        return self.folder / "python" / "bin" / "python"

    @property
    def node_modules(self) -> Path:
        return self.folder / "node" / "node_modules"


def _python(script: str) -> Callable[[Place, Path], Sequence[str | Path]]:
    return lambda place, log: [place.python, HERE / script, place.tables, log]


def _lifespec(place: Place, log: Path) -> Sequence[str | Path]:
    return [sys.executable, HERE.parent / "timed_check.py", place.spec, log]


def _jq(place: Place, log: Path) -> Sequence[str | Path]:
    return ["jq", "-c", "-n", "--slurpfile", "tables", place.tables, "-f", HERE / "peer_jq.jq", log]


def _xstate(place: Place, log: Path) -> Sequence[str | Path]:
    return ["node", HERE / "peer_xstate.mjs", place.tables, log, place.node_modules.parent]


TOOLS = (
    Tool(LIFESPEC, "`check`, one worker; checks times and their order besides", _lifespec),
    Tool("dictionary", "thirty lines of Python by hand, for scale", _python("peer_dictionary.py")),
    Tool("duckdb", "a window query, one thread", _python("peer_duckdb.py"), goal=1.5),
    Tool("jq", "a `reduce` over the lines", _jq, goal=3),
    Tool("pm4py", "token replay, a Petri net per machine", _python("peer_pm4py.py"), is_slow=True, goal=6),
    Tool("transitions", "a model per instance", _python("peer_transitions.py"), is_slow=True),
    Tool("sismic", "an interpreter per instance", _python("peer_sismic.py"), is_slow=True),
    Tool("python-statemachine", "an object per instance", _python("peer_python_statemachine.py"), is_slow=True),
    Tool("xstate", "an actor per instance", _xstate, is_slow=True, goal=20),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """The best run of a tool: how many lines in how long, and how many illegal instances it found."""

    lines: int
    seconds: float
    illegal: int

    @property
    def rate(self) -> float:
        return self.lines / self.seconds


def main() -> int:
    end_with_children()
    arguments = _arguments()
    chosen = [tool for tool in TOOLS if not arguments.only or tool.name in arguments.only or tool.name == LIFESPEC]
    with tempfile.TemporaryDirectory(prefix="lifespec-peers-") as temporary:
        folder = (arguments.folder or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        place = Place(folder, folder / "tables.json", folder / "tables.lifespec")
        setting = Setting(folder, USUAL, arguments.rounds, arguments.clock, arguments.seed)
        run([sys.executable, HERE.parent / "write_lifecycle.py", "tables.json", "-o", place.tables])
        setting.spec("tables")
        whole = setting.log(arguments.events, faults=FAULTS)
        first = _first(whole, arguments.first)
        why_not = _install(place, [tool.name for tool in chosen])
        versions = _versions(place, why_not)
        measured, first_of_lifespec = _measure(place, chosen, whole, first, setting, why_not)
    figures, disagreeing = _compared(chosen, measured, first_of_lifespec, why_not)
    print(table(figures))
    for complaint in disagreeing:
        print(f"DISAGREES: {complaint}", file=sys.stderr)
    if arguments.json:
        answer = {
            "command": shown_command("peers/run.py"),
            "machine": machine(),
            "events": arguments.events,
            "first": arguments.first,
            "rounds": arguments.rounds,
            "clock": arguments.clock,
            "versions": versions,
            "figures": [figure.as_json() for figure in figures],
        }
        arguments.json.write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")
    return 1 if disagreeing else 0


# --- environments -------------------------------------------------------------------------------------------


def _install(place: Place, names: Sequence[str]) -> dict[str, str]:
    """Makes what the tools need; the answer says of each tool that cannot run why."""
    why_not: dict[str, str] = {}
    if "jq" in names and not shutil.which("jq"):
        why_not["jq"] = "jq is not installed"
    if "xstate" in names and not place.node_modules.exists():
        why_not |= _attempt("xstate", [["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix",
                                        str(place.node_modules.parent), *NPM_PACKAGES]])  # fmt: skip
    if not place.python.exists():
        failed = _attempt(
            "python",
            [
                [sys.executable, "-m", "venv", str(place.folder / "python")],
                [str(place.python), "-m", "pip", "install", "--quiet", *_packages()],
            ],
        )
        why_not |= {tool.name: failed["python"] for tool in TOOLS if failed and tool.name not in ("jq", "xstate")}
        why_not.pop(LIFESPEC, None)
    return why_not


def _packages() -> list[str]:
    """What pip is asked for: the extra `bench` of pyproject.toml, and what stands alone."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*project["optional-dependencies"]["bench"], *ALONE]


def _attempt(name: str, commands: Sequence[Sequence[str]]) -> dict[str, str]:
    for command in commands:
        print(f"running {command[0]} for {name}", file=sys.stderr)
        try:
            subprocess.run(command, check=True, capture_output=True, text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            return {name: f"could not be installed: {error}"}
    return {}


def _versions(place: Place, why_not: dict[str, str]) -> dict[str, str]:
    versions = {LIFESPEC: run([sys.executable, "-m", "lifespec", "--version"]).output.split()[-1]}
    if place.python.exists():
        listed = run([place.python, "-m", "pip", "list", "--format", "json"])
        installed = {each["name"].lower(): each["version"] for each in json.loads(listed.output)}
        versions |= {
            name: installed[name]
            for name in installed
            if any(tool.name == name for tool in TOOLS) and name not in why_not
        }
    if "jq" not in why_not and shutil.which("jq"):
        versions["jq"] = run(["jq", "--version"]).output.strip().removeprefix("jq-")
    package = place.node_modules / "xstate" / "package.json"
    if package.exists():
        versions["xstate"] = json.loads(package.read_text(encoding="utf-8"))["version"]
        versions["node"] = run(["node", "--version"]).output.strip().removeprefix("v")
    return versions


def _first(log: Path, lines: int) -> Path:
    """The first lines of a log, as a file."""
    path = log.with_name(f"first-{lines}-of-{log.name}")
    if not path.exists():
        with open(log, "rb") as source, open(path, "wb") as target:
            target.writelines(islice(source, lines))
    return path


# --- measuring ----------------------------------------------------------------------------------------------


def _measure(
    place: Place, tools: Sequence[Tool], whole: Path, first: Path, setting: Setting, why_not: dict[str, str]
) -> tuple[dict[str, Measured], Measured]:
    """The best run of every tool, in turns; and lifespec on what the slow ones are given, to compare findings."""
    lines = {path: _count_lines(path) for path in (whole, first)}
    best: dict[str, Measured] = {}
    for _ in range(setting.rounds):
        for tool in tools:
            if tool.name in why_not:
                continue
            log = first if tool.is_slow else whole
            print(f"running {tool.name}", file=sys.stderr)
            try:
                now = _run(tool, place, log, lines[log], setting.clock)
            except Failed as error:
                why_not[tool.name] = str(error)
                continue
            if tool.name not in best or now.seconds < best[tool.name].seconds:
                best[tool.name] = now
    on_first = _run(TOOLS[0], place, first, lines[first], setting.clock)
    return best, on_first


def _run(tool: Tool, place: Place, log: Path, lines: int, clock: Clock) -> Measured:
    took = run(tool.command(place, log))
    answer = took.json()
    seconds = answer.get("seconds" if clock == "wall" else "cpu_seconds", took.by(clock))
    illegal = answer["findings"].get("invalid-transition", 0) if tool.name == LIFESPEC else answer["illegal"]
    return Measured(lines, float(seconds), int(illegal))


def _count_lines(path: Path) -> int:
    with open(path, "rb") as stream:
        return sum(1 for _ in stream)


def _compared(
    tools: Sequence[Tool], measured: dict[str, Measured], first_of_lifespec: Measured, why_not: dict[str, str]
) -> tuple[list[Figure], list[str]]:
    """Lifespec's rate against each, and who found something else than lifespec did."""
    own = measured.get(LIFESPEC)
    if own is None:
        raise Failed(f"lifespec could not be measured: {why_not.get(LIFESPEC)}")
    figures: list[Figure] = []
    disagreeing: list[str] = []
    for tool in tools:
        if tool.name not in measured:
            figures.append(not_available(tool.name, tool.what, tool.goal, why_not.get(tool.name, ""), unit=" times"))
            continue
        theirs = measured[tool.name]
        expected = first_of_lifespec.illegal if tool.is_slow else own.illegal
        if theirs.illegal != expected:
            disagreeing.append(f"{tool.name} found {theirs.illegal} illegal instances, lifespec {expected}")
        parts = {"lines": theirs.lines, "lines/s": round(theirs.rate), "illegal": theirs.illegal, "lifespec": expected}
        figures.append(Figure(tool.name, tool.what, own.rate / theirs.rate, tool.goal, unit=" times", parts=parts))
    return figures, disagreeing


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=100_000, metavar="N")
    parser.add_argument("--first", type=int, default=FIRST, metavar="N", help="events that slow peers are given")
    parser.add_argument("--only", nargs="+", choices=[tool.name for tool in TOOLS], metavar="NAME")
    parser.add_argument("--rounds", type=int, default=2, metavar="N")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="keep environments and logs here")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
