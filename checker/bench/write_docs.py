"""Writes the tables of docs/reference/benchmarks.md from what `run.py` and `peers/run.py` have measured.

    python checker/bench/run.py --full --json checker/bench/measured/figures.json
    python checker/bench/peers/run.py --events 2000000 --json checker/bench/measured/peers.json
    python checker/bench/write_docs.py           write the tables
    python checker/bench/write_docs.py --check   exit 1 when the page says something else

A table stands between `<!-- NAME -->` and `<!-- /NAME -->`. What was not measured has a dash and says why; a number
comes from a file of measurements or not at all. `--without-values` writes what is measured and its limits only.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from lifecycle_path import ROOT

PAGE = ROOT / "docs" / "reference" / "benchmarks.md"
MEASURED = Path(__file__).resolve().parent / "measured"
NOT_YET = "not measured yet"
# Which figures stand in which table, by the beginning of their names.
TABLES = {
    "speed": ("speed-", "against-"),
    "jobs": ("jobs",),
    "shape": ("sparse-", "binding-", "linear", "states", "idle-rules"),
    "memory": ("memory-",),
    "start-up": ("start-up",),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", type=Path, default=MEASURED / "figures.json", metavar="FILE")
    parser.add_argument("--peers", type=Path, default=MEASURED / "peers.json", metavar="FILE")
    parser.add_argument("--without-values", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    before = PAGE.read_text(encoding="utf-8")
    after = before
    if arguments.figures.exists():
        figures = json.loads(arguments.figures.read_text(encoding="utf-8"))
        for name, beginnings in TABLES.items():
            chosen = [each for each in figures["figures"] if each["name"].startswith(beginnings)]
            after = _filled(after, name, _figures(chosen, figures, arguments.without_values))
    if arguments.peers.exists():
        after = _filled(after, "peers", _peers(json.loads(arguments.peers.read_text()), arguments.without_values))
    if arguments.check:
        if before != after:
            print(f"{PAGE.name} is stale: python checker/bench/write_docs.py", file=sys.stderr)
        return int(before != after)
    PAGE.write_text(after, encoding="utf-8")
    return 0


def _filled(page: str, name: str, text: str) -> str:
    """The page with the text between the marks. Raises ValueError where the marks are missing."""
    place = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- /{re.escape(name)} -->)", re.DOTALL)
    if not place.search(page):
        raise ValueError(f"{PAGE.name} has no place for the table `{name}`")
    return place.sub(lambda found: f"{found[1]}{text}{found[2]}", page)


def _figures(figures: list[dict[str, Any]], run: dict[str, Any], is_empty: bool) -> str:
    rows = ["| figure | what | limit | measured | |", "|---|---|---|---|---|"]
    for figure in figures:
        measured = NOT_YET if is_empty else figure["value_text"]
        status = "" if is_empty else figure["status"]
        rows.append(f"| `{figure['name']}` | {figure['what']} | {figure['limit_text']} | {measured} | {status} |")
    if not is_empty:
        rows += ["", *_said_of_parts(figures), _said_of_run(run)]
    return "\n".join(rows) + "\n"


def _said_of_parts(figures: list[dict[str, Any]]) -> list[str]:
    """The numbers behind the ratios, and why a figure is missing."""
    lines = []
    for figure in figures:
        said = ", ".join(f"{name} {_number(value)}" for name, value in figure["parts"].items()) or figure["why"]
        if said:
            lines.append(f"- `{figure['name']}`: {said}")
    return [*lines, ""] if lines else []


def _peers(run: dict[str, Any], is_empty: bool) -> str:
    rows = [
        "| tool | version | how | events | events/s | lifespec is | goal | illegal instances | |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    versions = {} if is_empty else run["versions"]
    for figure in run["figures"]:
        parts = {} if is_empty else figure["parts"]
        measured = NOT_YET if is_empty else figure["value_text"]
        cells = (
            figure["name"],
            versions.get(figure["name"], ""),
            figure["what"],
            _number(parts.get("lines", "")),
            _number(parts.get("lines/s", "")),
            measured,
            figure["limit_text"],
            _number(parts.get("illegal", "")),
            "" if is_empty else figure["status"],
        )
        rows.append("| " + " | ".join(cells) + " |")
    if not is_empty:
        missing = [f"- {each['name']}: {each['why']}" for each in run["figures"] if each["why"]]
        rows += ["", *missing, *([""] if missing else []), _said_of_run(run)]
    return "\n".join(rows) + "\n"


def _said_of_run(run: dict[str, Any]) -> str:
    machine = run["machine"]
    clock = "wall clock" if run["clock"] == "wall" else "processor time"
    return (
        f"`{run['command']}` on {machine['processor']}, {machine['cores']} cores, {machine['system']}, "
        f"Python {machine['python']}; {clock}, best of {run['rounds']}."
    )


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    sys.exit(main())
