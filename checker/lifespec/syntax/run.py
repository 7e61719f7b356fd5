"""One parse of one text: lexemes into the automaton; after an error, on at the next good place."""

from __future__ import annotations

from typing import Any

from lifespec.diagnostics import Diagnostic, Label
from lifespec.source import Source, Span
from lifespec.syntax.ast import Ast
from lifespec.syntax.automaton import Automaton, terminal_of
from lifespec.syntax.build import Builder
from lifespec.syntax.piece import Piece
from lifespec.syntax.scan import scan
from lifespec.syntax.table import END, Table


class Run:
    def __init__(self, source: Source, table: Table) -> None:
        self.source = source
        self.builder = Builder(source.name)
        self.automaton = Automaton(table, self.builder)
        self.problems: list[Diagnostic] = []

    def parse(self) -> tuple[Ast, tuple[Diagnostic, ...]]:
        text, automaton = self.source.text, self.automaton
        offset = 0
        declarations: tuple[Any, ...] = ()
        while True:
            lexeme = scan(text, offset)
            if lexeme.shape == "end":
                if automaton.accepts(END):
                    declarations = automaton.finish().value
                else:
                    self._report(lexeme.start)
                break
            taken = terminal_of(text, lexeme, automaton.row)
            if taken is None or not automaton.accepts(taken[0]):
                self._report(lexeme.start)
                break
            terminal, offset = taken
            automaton.shift(terminal, Piece(terminal, text[lexeme.start : offset], lexeme.start, offset))
        problems = sorted([*self.problems, *self.builder.problems], key=lambda problem: problem.sort_key)
        return Ast(self.source.name, declarations), tuple(problems)

    def _report(self, offset: int) -> None:
        self.problems.append(
            Diagnostic("syntax-error", "unexpected text", Label(Span(self.source.name, offset, offset + 1)))
        )
