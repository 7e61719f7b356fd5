"""What the parser hands to the builder: tokens and reduced productions. Owns the shape only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from msgspec import Struct

from lifespec.source import Span
from lifespec.syntax import ast

_EXPRESSIONS = get_args(ast.Expr)


class Piece(Struct, frozen=True):
    """A token or a reduced production. Nobody changes one.

    `kind` is the rule, the terminal, or for a keyword or a sign its text in double quotes, as the
    grammar writes it. `value` is the text of a token, or what the builder made of the production.
    `start` and `end` are offsets in the text. `depth` says how deeply the value is nested.
    """

    kind: str
    value: Any
    start: int
    end: int
    depth: int = 0


@dataclass(slots=True)
class Pieces:
    """The right-hand side of a production, in order. Only an empty text has an empty one."""

    file: str
    items: list[Piece]

    @property
    def span(self) -> Span:
        if not self.items:
            return Span(self.file, 0, 0)
        return Span(self.file, self.items[0].start, self.items[-1].end)

    def has(self, *kinds: str) -> bool:
        return any(piece.kind in kinds for piece in self.items)

    def one(self, *kinds: str) -> Any:
        """The value of the first piece of these kinds, or None."""
        return next((piece.value for piece in self.items if piece.kind in kinds), None)

    def all(self, *kinds: str) -> tuple[Any, ...]:
        """The values of all pieces of these kinds, in order."""
        return tuple(piece.value for piece in self.items if piece.kind in kinds)

    def after(self, kind: str) -> Pieces:
        """The pieces behind the first one of `kind`; none when there is no such piece."""
        for position, piece in enumerate(self.items):
            if piece.kind == kind:
                return Pieces(self.file, self.items[position + 1 :])
        return Pieces(self.file, [])

    def expr(self) -> Any:
        """The value of the first piece that is an expression, or None."""
        return next((piece.value for piece in self.items if isinstance(piece.value, _EXPRESSIONS)), None)

    def exprs(self) -> tuple[Any, ...]:
        """The values of all pieces that are expressions."""
        return tuple(piece.value for piece in self.items if isinstance(piece.value, _EXPRESSIONS))
