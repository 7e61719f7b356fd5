"""One parse of one text: lexemes into the automaton; after an error, on at the next good place.

Time is linear in the text, and nothing recurses.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from msgspec.structs import replace

from lifespec.diagnostics import Diagnostic, Label
from lifespec.source import Source, Span
from lifespec.syntax import complaint
from lifespec.syntax.ast import Ast
from lifespec.syntax.automaton import Automaton, terminal_of
from lifespec.syntax.build import DEEPEST, Builder
from lifespec.syntax.piece import Piece
from lifespec.syntax.recovery import Level, Recovery, is_fresh, levels
from lifespec.syntax.scan import Lexeme, assigned, scan
from lifespec.syntax.table import END, Table

LARGEST = 1_000_000
"""The most characters a text may have."""

MOST_FINDINGS = 100
"""How many syntax findings are listed for one text; the rest is counted."""

_WORDS = ("WORD", "NAME", "QUOTED")
_OPENING, _CLOSING = ('"{"', '"("', '"["'), ('"}"', '")"', '"]"')


class Run:
    """The parse of `source` with `table`."""

    def __init__(self, source: Source, table: Table) -> None:
        self.source = source
        self.text = source.text
        self.builder = Builder(source.name)
        self.automaton = Automaton(table, self.builder)
        self.recovery = Recovery(source.text, self.automaton, self._unclosed_text)
        self.problems: list[Diagnostic] = []
        self.offsets: list[int] = []  # of all errors, listed or not
        self.end = 0  # where the last token that was taken ends
        self.before: complaint.Before | None = None
        self.open_brackets = 0
        self.unclosed = -1  # where the last unclosed quote stands that was reported

    def parse(self) -> tuple[Ast, tuple[Diagnostic, ...]]:
        """The tree of what could be read, and what is wrong with the rest."""
        if len(self.text) > LARGEST:
            return Ast(self.source.name, ()), (self._too_large(),)
        while True:
            lexeme = scan(self.text, self.end)
            if lexeme.shape == "end" and self.automaton.accepts(END):
                break
            if not self._take(lexeme):
                self._complain(lexeme)
        declarations: tuple[Any, ...] = self.automaton.finish().value
        found = sorted([*self.problems, *self.builder.problems], key=lambda problem: problem.sort_key)
        broken = sorted([*self.offsets, *(p.label.span.start for p in self.builder.problems if p.label)])
        good = tuple(d for d in declarations if bisect_left(broken, d.span.start) == bisect_left(broken, d.span.end))
        return Ast(self.source.name, good), self._bounded(found)

    # --- tokens ----------------------------------------------------------------------------------------

    def _take(self, lexeme: Lexeme) -> bool:
        """Takes a lexeme if it can stand here."""
        taken = terminal_of(self.text, lexeme, self.automaton.row)
        if taken is None or not self.automaton.accepts(taken[0]):
            return False
        terminal, end = taken
        if terminal in _WORDS and assigned(self.text, lexeme) and is_fresh(self.text, self.end, lexeme):
            return False  # `NAME =` begins a line: it is no value, one is missing before it
        if terminal in _OPENING:
            if self.open_brackets >= DEEPEST:
                return False
            self.open_brackets += 1
        elif terminal in _CLOSING:
            self.open_brackets -= 1
        self._shift(terminal, self.text[lexeme.start : end], lexeme.start, end)
        return True

    def _shift(self, terminal: str, value: str, start: int, end: int) -> None:
        piece = Piece(terminal, value, start, end)
        self.automaton.shift(terminal, piece)
        self.before = complaint.Before(piece, self.end == 0 or self.text.find("\n", self.end, start) >= 0)
        self.end = end

    # --- errors ----------------------------------------------------------------------------------------

    def _complain(self, lexeme: Lexeme) -> None:
        """Says what is wrong with a lexeme, and goes on: with it mended, or behind it."""
        file, automaton = self.source.name, self.automaton
        if lexeme.shape == "unclosed":
            self._unclosed_text(lexeme)
            if lexeme.text[0] == '"' and automaton.accepts("TEXT"):
                self._shift("TEXT", lexeme.text + '"', lexeme.start, lexeme.end)
            else:
                self._resume(lexeme)
        elif f'"{lexeme.text}"' in _OPENING and automaton.accepts(f'"{lexeme.text}"'):
            self._report(lexeme.start, complaint.too_many_brackets(file, lexeme, DEEPEST))
            self._resume(lexeme)
        elif automaton.accepts('"}"') and self.recovery.leaves_open(self.end, lexeme):
            self._resume(lexeme)
        elif automaton.accepts('"}"') and (group := self.recovery.leaves_group(self.end, lexeme)):
            self._report_open(group, self.end, lexeme)
            automaton.shift('"}"', Piece('"}"', "}", self.end, self.end))
            self.open_brackets -= 1
        else:
            fresh = is_fresh(self.text, self.end, lexeme)
            if self._listing:
                place = complaint.place_of(file, automaton, lexeme, fresh, self.before)
                self._report(lexeme.start, complaint.unexpected(automaton, place, self.text))
            else:
                self.offsets.append(lexeme.start)
            if not self._mend(lexeme, fresh):
                self._resume(lexeme, said=lexeme.shape == "end")

    def _mend(self, lexeme: Lexeme, fresh: bool) -> bool:
        """Takes a keyword used as a name, `=` for `==`, a text in single quotes, as what was meant; behind
        something whole, passes over a `;` and over a comment that begins with `#`."""
        automaton = self.automaton
        whole = automaton.accepts('"}"') or automaton.accepts(END)
        terminals = {terminal for terminal in ("NAME", "QUOTED") if automaton.accepts(terminal)}
        if lexeme.text == "=" and automaton.accepts("COMPARE"):
            self._shift("COMPARE", "==", lexeme.start, lexeme.end)
        elif lexeme.shape == "quoted" and automaton.accepts("TEXT"):
            self._shift("TEXT", lexeme.text, lexeme.start, lexeme.end)
        elif whole and lexeme.text == ";":
            self.end = lexeme.end
        elif whole and lexeme.text == "#":
            line_end = self.text.find("\n", lexeme.end)
            self.end = line_end if line_end >= 0 else len(self.text)
        elif complaint.is_reserved_name(lexeme, fresh, terminals):
            self._shift("QUOTED", f"'{lexeme.text}'", lexeme.start, lexeme.end)
        else:
            return False
        return True

    def _resume(self, lexeme: Lexeme, said: bool = False) -> None:
        """Goes on at the next good place; braces left open on the way are said unless they are already."""
        height, last = len(self.automaton.states), self.before.piece.value if self.before else ""
        resumed = self.recovery.resume(self.end, last, skip=False)
        if resumed.offset == self.end and len(self.automaton.states) == height and lexeme.shape != "end":
            resumed = self.recovery.resume(self.end, last, skip=True)
        if resumed.unclosed and not said:
            self._report_open(resumed.unclosed[0], resumed.offset, scan(self.text, resumed.offset))
        self.end, self.before = resumed.offset, None
        self.open_brackets = len(levels(self.automaton)) - 1

    # --- findings --------------------------------------------------------------------------------------

    @property
    def _listing(self) -> bool:
        return len(self.problems) < MOST_FINDINGS

    def _report(self, offset: int, problem: Diagnostic) -> None:
        self.offsets.append(offset)
        if self._listing:
            self.problems.append(problem)

    def _report_open(self, level: Level, end: int, lexeme: Lexeme) -> None:
        found = complaint.unclosed_brace(self.source.name, level, end, lexeme)
        self._report(level.brace.start if level.brace else 0, found)

    def _unclosed_text(self, lexeme: Lexeme) -> None:
        if lexeme.start > self.unclosed:
            self.unclosed = lexeme.start
            self._report(lexeme.start, complaint.unclosed_text(self.source.name, lexeme))

    def _too_large(self) -> Diagnostic:
        return Diagnostic(
            "text-too-large",
            f"the text has {len(self.text)} characters; {LARGEST} are read at most",
            Label(Span(self.source.name, 0, 0)),
            help=("part it into several texts and `import` them",),
        )

    def _bounded(self, found: list[Diagnostic]) -> tuple[Diagnostic, ...]:
        """At most MOST_FINDINGS; the last says how many more there are."""
        total = len(self.offsets) + len(self.builder.problems)
        if total <= MOST_FINDINGS:
            return tuple(found)
        kept = found[:MOST_FINDINGS]
        more = f"{total - len(kept)} more syntax errors are not listed"
        return (*kept[:-1], replace(kept[-1], notes=(*kept[-1].notes, more)))
