"""Writes the LALR table kept beside the grammar; with `--check` says whether it is up to date.

python checker/tools/parser_table.py [--check]
"""

from __future__ import annotations

import sys
from pathlib import Path

from lifespec.syntax import table
from lifespec.syntax.parser import make_table

KEPT = Path(table.__file__).with_name("table.json")


def main(arguments: list[str]) -> int:
    """0 when the file is up to date or has been written, 1 when `--check` finds it stale."""
    text = make_table().to_json(table.grammar_text())
    if arguments == ["--check"]:
        fresh = KEPT.is_file() and KEPT.read_text(encoding="utf-8") == text
        print(f"{KEPT}: {'up to date' if fresh else 'stale: run checker/tools/parser_table.py'}")
        return 0 if fresh else 1
    KEPT.write_text(text, encoding="utf-8")
    print(f"{KEPT}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
