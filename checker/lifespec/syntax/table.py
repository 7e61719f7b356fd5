"""The LALR table of the grammar as data: shape, file form, and the file it is kept in.

Lark needs a second to make the table, so it is kept beside the grammar (`checker/tools/parser_table.py`
writes it, a test compares the two). Knows nothing of Lark or of texts.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import Struct
from msgspec.json import decode

END = "$END"

_HERE = Path(__file__).parent


class Production(Struct, frozen=True):
    """`name` is what the builder calls it; `rule` the left-hand side, `size` the length of the right-hand
    side; a `transparent` one of a single piece is that piece; a `spliced` one is a part of its parent's."""

    name: str
    rule: str
    size: int
    transparent: bool

    @property
    def spliced(self) -> bool:
        return self.name.startswith("_")


@dataclass(frozen=True, slots=True)
class Table:
    """`states[s]` maps a terminal or rule to the state to go to, or to -1 - p to reduce production p.
    Keywords and signs are named by their text in double quotes. State 0 is the start. `passed_on` is what
    the automaton has found out about the table; it says nothing new."""

    states: tuple[Mapping[str, int], ...]
    productions: tuple[Production, ...]
    passed_on: dict[tuple[int, int, str], int] = field(default_factory=dict, repr=False, compare=False)

    def to_json(self, grammar: str) -> str:
        """The file form, one line a state; `grammar` is the text that the table was made from."""
        symbols = sorted({symbol for row in self.states for symbol in row})
        number = {symbol: position for position, symbol in enumerate(symbols)}
        rows = [[x for symbol in sorted(row) for x in (number[symbol], row[symbol])] for row in self.states]
        productions = [[p.name, p.rule, p.size, int(p.transparent)] for p in self.productions]
        lines = [
            '{"grammar": ' + json.dumps(_digest(grammar)) + ",",
            '"symbols": ' + json.dumps(symbols) + ",",
            '"productions": [\n' + ",\n".join(json.dumps(row) for row in productions) + "],",
            '"states": [\n' + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "]}",
        ]
        return "\n".join(lines) + "\n"


def grammar_text() -> str:
    """The text of `grammar.lark`."""
    return (_HERE / "grammar.lark").read_text(encoding="utf-8")


def read_table() -> Table | None:
    """The table kept beside the grammar; None when there is none that belongs to this grammar."""
    try:
        data = decode((_HERE / "table.json").read_bytes())
    except FileNotFoundError:
        return None
    if data["grammar"] != _digest(grammar_text()):
        return None
    symbols = data["symbols"]
    states = []
    for row in data["states"]:
        entries = iter(row)
        states.append({symbols[symbol]: action for symbol, action in zip(entries, entries, strict=True)})
    productions = tuple(
        Production(name, rule, size, bool(transparent)) for name, rule, size, transparent in data["productions"]
    )
    return Table(tuple(states), productions)


def _digest(grammar: str) -> str:
    """What tells a grammar from the one before it was edited; nobody forges it, so it need not be hard to forge."""
    return f"{zlib.crc32(grammar.encode()):08x}"
