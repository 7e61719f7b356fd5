"""Where to go on after a syntax error, so that one error hides no other and causes none.

Owns the levels of open braces and the search for the next good place; makes no findings.

After an error the rest of the member (of the statement, of the part of a rule) is passed over: up to a
line that begins another one in the same braces, up to the brace that closes them, or up to a keyword of a
declaration that stands as far to the left as the declaration in hand. A name at the beginning of a line
begins no member when the line before ends in a comma, an arrow or an operator.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from lifespec.syntax.automaton import Automaton, terminal_of
from lifespec.syntax.piece import Piece
from lifespec.syntax.scan import Lexeme, assigned, scan
from lifespec.syntax.table import END
from lifespec.syntax.words import DECLARATIONS

BODIES = ("declaration", "member", "group_member", "part", "statement", "setting")
"""The rules that may stand any number of times, at the top or between braces."""

_OPEN_ENDED = ", -> = == != <= >= < > + - * / ( [ . : and or not in like of on by"
_GOES_ON = frozenset(_OPEN_ENDED.split())


class Level(Struct, frozen=True):
    """The top of the text or an open brace. `height` is how many states of the stack to keep to go on
    with another `body` there; `brace` is what opened it, `owner` where its declaration or group begins."""

    body: str
    height: int
    brace: Piece | None
    begin: int


class Resumed(Struct, frozen=True):
    """Where to go on (blanks may follow), and the levels left open on the way there."""

    offset: int
    unclosed: tuple[Level, ...]


def levels(automaton: Automaton) -> list[Level]:
    """The open levels of a parse, the top of the text first."""
    rows = automaton.table.states
    found: list[Level] = []
    brace: Piece | None = None
    begin = 0
    current = Level("declaration", 1, None, 0)
    for position, state in enumerate(automaton.states):
        value = automaton.values[position - 1] if position else None
        if isinstance(value, Piece):
            if value.kind == '"{"':
                found.append(current)
                first = automaton.values[current.height - 1]
                begin = first.start if isinstance(first, Piece) else value.start
                brace = value
            elif value.kind == '"}"':
                current = found.pop()
                brace, begin = current.brace, current.begin
        row = rows[state]
        for body in BODIES:
            if body in row:
                current = Level(body, position + 1, brace, begin)
    return [*found, current]


def is_fresh(text: str, end: int, lexeme: Lexeme) -> bool:
    """Whether the lexeme is the first of its line; `end` is where the one before it ends."""
    return end == 0 or text.find("\n", end, lexeme.start) >= 0


class Recovery:
    """The search for a good place in one text. `unclosed_text` is told of quotes met on the way."""

    def __init__(self, text: str, automaton: Automaton, unclosed_text: Callable[[Lexeme], None]) -> None:
        self.text = text
        self.automaton = automaton
        self.unclosed_text = unclosed_text

    def resume(self, end: int, last: str, skip: bool) -> Resumed:
        """Cuts the stack and says where to go on.

        `end` is where the last good token ends and `last` its text. `skip` passes over the lexeme that
        follows in any case.
        """
        open_levels = levels(self.automaton)
        complete = self.automaton.accepts('"}"' if len(open_levels) > 1 else END)
        offset, depth = end, 0
        while True:
            lexeme = scan(self.text, offset)
            fresh = is_fresh(self.text, offset, lexeme)
            if lexeme.shape == "end":
                self._cut(open_levels[0], complete and len(open_levels) == 1)
                return Resumed(offset, tuple(open_levels[1:]))
            if not skip:
                if fresh and self._declares(lexeme, open_levels, depth):
                    self._cut(open_levels[0], complete and len(open_levels) == 1)
                    return Resumed(offset, tuple(open_levels[1:]))
                if lexeme.text == "}" and depth == 0 and len(open_levels) > 1:
                    self._cut(open_levels[-1], complete)
                    if self.automaton.accepts('"}"'):
                        return Resumed(offset, ())
                    open_levels.pop()
                    self._cut(open_levels[-1], False)
                    complete = True
                elif fresh and depth == 0 and len(open_levels) > 1 and self._begins(lexeme, open_levels[-1], last):
                    self._cut(open_levels[-1], complete)
                    return Resumed(offset, ())
            if lexeme.text == "{":
                depth += 1
            elif lexeme.text == "}":
                depth = max(0, depth - 1)
            elif lexeme.shape == "unclosed" and not skip:
                self.unclosed_text(lexeme)
            skip = False
            offset, last = lexeme.end, lexeme.text

    def _cut(self, level: Level, complete: bool) -> None:
        if not complete:
            self.automaton.cut(level.height)

    def leaves_open(self, end: int, lexeme: Lexeme) -> bool:
        """Whether the lexeme after `end` surely lies behind the braces that are open."""
        open_levels = levels(self.automaton)
        if len(open_levels) == 1:
            return False
        fresh = is_fresh(self.text, end, lexeme)
        return lexeme.shape == "end" or (fresh and self._declares(lexeme, open_levels, 0))

    def leaves_group(self, end: int, lexeme: Lexeme) -> Level | None:
        """The group that is open, when the lexeme after `end` begins a line no further to the right than it does
        and so was hardly meant to stand in it."""
        group = levels(self.automaton)[-1]
        if group.body != "group_member" or lexeme.shape == "end" or not is_fresh(self.text, end, lexeme):
            return None
        return group if self._column(lexeme.start) <= self._column(group.begin) else None

    def _declares(self, lexeme: Lexeme, open_levels: list[Level], depth: int) -> bool:
        """Whether this lexeme, the first of its line, surely begins a declaration."""
        if lexeme.text not in DECLARATIONS or assigned(self.text, lexeme) is not None:
            return False
        if len(open_levels) == 1 and depth == 0:
            return True
        begin = open_levels[1].begin if len(open_levels) > 1 else lexeme.start
        return self._column(lexeme.start) <= self._column(begin)

    def _column(self, offset: int) -> int:
        """How many characters stand before `offset` on its line; beyond 200 they are not told apart."""
        return offset - 1 - max(self.text.rfind("\n", max(0, offset - 200), offset), offset - 201, -1)

    def _begins(self, lexeme: Lexeme, level: Level, last: str) -> bool:
        """Whether this lexeme, the first of its line, begins another member of the level."""
        row = self.automaton.table.states[self.automaton.states[level.height - 1]]
        taken = terminal_of(self.text, lexeme, row)
        if taken is None or row[taken[0]] < 0:
            return False
        if taken[0] != "PART" and assigned(self.text, lexeme) is not None:
            return False
        return taken[0] not in ("NAME", "QUOTED") or last not in _GOES_ON
