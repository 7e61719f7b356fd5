"""Writes a lifecycle of the benchmarks, or the transition tables of the avatar as JSON.

python checker/bench/write_lifecycle.py machines-only -o machines-only.lifespec
python checker/bench/write_lifecycle.py tables.json -o tables.json
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from lifecycles import LIFECYCLES, build, tables
from transition_table import as_json, transition_tables

TABLES = "tables.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=[*LIFECYCLES, TABLES])
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args()
    if arguments.name == TABLES:
        text = json.dumps(as_json(transition_tables(build(tables()))), indent=1) + "\n"
    else:
        text = LIFECYCLES[arguments.name]()
        build(text)
    arguments.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
