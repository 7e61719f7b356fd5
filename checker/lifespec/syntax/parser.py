"""Text -> Ast: drives Lark's tables and lexer over a text.

Owns the LR loop and the recovery after an error; never raises on any text. Nodes are made in
`build.py`. The only module that imports Lark.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Any

from lark import Lark, Token
from lark.exceptions import UnexpectedInput
from lark.lexer import PatternRE, PatternStr, TerminalDef
from lark.parsers.lalr_analysis import Shift

from lifespec.diagnostics import Diagnostic, Label
from lifespec.source import Source, Span
from lifespec.syntax.ast import Ast
from lifespec.syntax.build import Builder
from lifespec.syntax.piece import Piece

_KEYWORD = re.compile(r"[a-z][a-z0-9-]*")


def parse(source: Source) -> tuple[Ast, tuple[Diagnostic, ...]]:
    """The syntax tree of a text and the findings about its syntax, in source order."""
    return _Run(source).parse()


class Grammar:
    """Lark's tables and lexer for `grammar.lark`."""

    def __init__(self) -> None:
        self.kinds: dict[str, str] = {}
        text = resources.files("lifespec.syntax").joinpath("grammar.lark").read_text(encoding="utf-8")
        self.lark = Lark(
            text,
            parser="lalr",
            lexer="contextual",
            start="start",
            maybe_placeholders=False,
            edit_terminals=self._edit,
        )
        self.rules = {rule: rule.alias or rule.origin.name for rule in self.lark.rules}

    def _edit(self, terminal: TerminalDef) -> None:
        """Makes a keyword match whole words only, before names; notes what Lark's names stand for."""
        if isinstance(terminal.pattern, PatternStr):
            text = terminal.pattern.value
            self.kinds[terminal.name] = f'"{text}"'
            if _KEYWORD.fullmatch(text):
                terminal.pattern = PatternRE(re.escape(text) + r"(?!\w|-\w)")
                terminal.priority = 1


@cache
def grammar() -> Grammar:
    """The tables, made when first needed."""
    return Grammar()


class _Run:
    """One parse."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.grammar = grammar()
        self.builder = Builder(source.name)
        self.problems: list[Diagnostic] = []
        interactive = self.grammar.lark.parse_interactive(source.text)
        self.thread = interactive.lexer_thread
        self.state: Any = interactive.parser_state
        self.states: dict[int, dict[str, Any]] = self.state.parse_conf.states
        self.stack: list[int] = self.state.state_stack
        self.values: list[Any] = self.state.value_stack

    def parse(self) -> tuple[Ast, tuple[Diagnostic, ...]]:
        declarations: tuple[Any, ...] = ()
        try:
            for token in self.thread.lex(self.state):  # type: ignore[no-untyped-call]
                if not self.accepts(token.type):
                    self._report(token.start_pos or 0)
                    break
                self.feed(token.type, token)
            else:
                if self.accepts("$END"):
                    self.feed("$END", None)
                    declarations = self.values[-1].value
                else:
                    self._report(len(self.source.text))
        except UnexpectedInput as error:
            self._report(error.pos_in_stream or 0)
        problems = sorted([*self.problems, *self.builder.problems], key=lambda problem: problem.sort_key)
        return Ast(self.source.name, declarations), tuple(problems)

    def _report(self, offset: int) -> None:
        span = Span(self.source.name, offset, offset + 1)
        self.problems.append(Diagnostic("syntax-error", "unexpected text", Label(span)))

    def accepts(self, kind: str) -> bool:
        """Whether a token of this kind may come next. Touches nothing."""
        below, above = len(self.stack), list[int]()
        while True:
            action = self.states[above[-1] if above else self.stack[below - 1]].get(kind)
            if action is None:
                return False
            if action[0] is Shift:
                return True
            rule = action[1]
            size = len(rule.expansion)
            if size < len(above):
                del above[len(above) - size :]
            else:
                below -= size - len(above)
                above.clear()
            state = above[-1] if above else self.stack[below - 1]
            goto = self.states[state][rule.origin.name][1]
            if kind == "$END" and rule.origin.name == "start":
                return True
            above.append(goto)

    def feed(self, kind: str, token: Token | None) -> None:
        """Takes a token that is accepted: reduces as needed, then shifts."""
        while True:
            action, argument = self.states[self.stack[-1]][kind]
            if action is Shift:
                assert token is not None
                start = token.start_pos or 0
                piece = Piece(self.grammar.kinds.get(kind, kind), str(token), start, start + len(token))
                self.stack.append(argument)
                self.values.append(piece)
                return
            size = len(argument.expansion)
            value = self._reduce(argument, self.values[len(self.values) - size :])
            if size:
                del self.stack[-size:]
                del self.values[-size:]
            self.values.append(value)
            if kind == "$END" and argument.origin.name == "start":
                return
            self.stack.append(self.states[self.stack[-1]][argument.origin.name][1])

    def _reduce(self, rule: Any, values: list[Any]) -> Any:
        """The value of a production: a list for the rules that only repeat or choose, else a piece."""
        if values and isinstance(values[0], list):
            items = values[0]
            rest = values[1:]
        else:
            items, rest = [], values
        for value in rest:
            if isinstance(value, list):
                items.extend(value)
            else:
                items.append(value)
        name = self.grammar.rules[rule]
        if name[0] == "_":
            return items
        if len(items) == 1 and not rule.alias and rule.options.expand1:
            return items[0]
        return self.builder.build(name, items)
