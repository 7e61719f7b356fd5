"""Text -> Ast. Makes the table of the grammar with Lark and runs it over a text.

Never raises on any text. The only module that imports Lark, and only when the table has to be made.
"""

from __future__ import annotations

import re
from collections import deque
from functools import cache
from typing import TYPE_CHECKING

from lifespec.diagnostics import Diagnostic
from lifespec.source import Source
from lifespec.syntax.ast import Ast
from lifespec.syntax.run import Run
from lifespec.syntax.table import Production, Table, grammar_text, read_table

if TYPE_CHECKING:
    from lark import Lark
    from lark.lexer import TerminalDef

_KEYWORD = re.compile(r"[a-z][a-z0-9-]*")


def parse(source: Source) -> tuple[Ast, tuple[Diagnostic, ...]]:
    """The syntax tree of a text and the findings about its syntax, in source order.

    Declarations with an error are left out of the tree; one error gives one finding.
    """
    return Run(source, table()).parse()


@cache
def table() -> Table:
    """The table of the grammar: the one kept beside it, or made anew when the grammar has changed."""
    return read_table() or make_table()


def make_lark(grammar: str, strict: bool = False) -> tuple[Lark, dict[str, str]]:
    """Lark's own parser for the grammar, and for its names of keywords and signs their text in quotes.

    `strict` needs the package interregular.
    """
    from lark import Lark
    from lark.lexer import PatternRE, PatternStr

    written: dict[str, str] = {}

    def edit(terminal: TerminalDef) -> None:
        """A keyword matches whole words only, and before names."""
        if isinstance(terminal.pattern, PatternStr):
            text = terminal.pattern.value
            written[terminal.name] = f'"{text}"'
            if _KEYWORD.fullmatch(text):
                terminal.pattern = PatternRE(re.escape(text) + r"(?!\w|-\w)")
                terminal.priority = 1

    lark = Lark(
        grammar,
        parser="lalr",
        lexer="contextual",
        start="start",
        maybe_placeholders=False,
        edit_terminals=edit,
        strict=strict,
    )
    return lark, written


def make_table() -> Table:
    """The table, made from the grammar. Takes a second; the numbering depends on the grammar alone."""
    from lark.parsers.lalr_analysis import Shift

    lark, written = make_lark(grammar_text())
    parse_table = lark.parse_interactive("").parser_state.parse_conf.parse_table
    rules = sorted(lark.rules, key=str)
    position = {rule: number for number, rule in enumerate(rules)}
    productions = tuple(
        Production(
            rule.alias or rule.origin.name,
            rule.origin.name,
            len(rule.expansion),
            bool(rule.options.expand1 and not rule.alias and not rule.expansion[0].name.startswith("_")),
        )
        for rule in rules
    )
    start = parse_table.start_states["start"]
    number = {start: 0}
    waiting = deque([start])
    rows: list[dict[str, int]] = []
    while waiting:
        row: dict[str, int] = {}
        for name, (action, argument) in sorted(parse_table.states[waiting.popleft()].items()):
            if action is not Shift:
                row[written.get(name, name)] = -1 - position[argument]
                continue
            if argument not in number:
                number[argument] = len(number)
                waiting.append(argument)
            row[written.get(name, name)] = number[argument]
        rows.append(row)
    return Table(tuple(rows), productions)
