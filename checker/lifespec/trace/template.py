"""One notation for texts with holes, both ways: taken apart and put together.

`"quic:{e}"` is literals and holes. Owns parsing and matching of templates; knows no records.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class TemplateError(ValueError):
    """The template cannot be read. The text of the error is a fragment for people."""


class Parting(Struct, frozen=True):
    """Where a text parts from a template that it does not fit: from the character `at` on there is no `literal`, or, if
    `hole` is set, nothing for this hole. `fitted` literals of `length` characters stood before; with `is_end` the text
    would have to end in it."""

    at: int
    literal: str
    fitted: int
    length: int
    hole: str = ""
    is_end: bool = False

    @property
    def words(self) -> str:
        """The same, a fragment for people."""
        if self.hole:
            return f"nothing here for `{{{self.hole}}}`, which takes at least one character"
        if self.is_end:
            return f"the line does not end in `{self.literal}`" if self.literal else "the line goes on here"
        return f"no `{self.literal}` from here on" if self.fitted else f"the line does not begin with `{self.literal}`"


class Template(Struct, frozen=True):
    """`literals` has one member more than `holes`: literal, hole, literal, ... A hole "" is a skip (`{}`)."""

    text: str
    literals: tuple[str, ...]
    holes: tuple[str, ...]

    @property
    def is_constant(self) -> bool:
        return not self.holes

    def take(self, text: str) -> dict[str, str] | None:
        """What stands in the holes when `text` fits, else None (spec/bindings.md B13).

        From the left each hole takes the shortest text that lets its next literal follow; the last
        literal ends the text. A named hole holds at least one character, `{}` may hold none. Linear:
        nothing is ever tried again.
        """
        first, last = self.literals[0], self.literals[-1]
        if not self.holes:
            return {} if text == first else None
        if not text.startswith(first) or not text.endswith(last):
            return None
        end = len(text) - len(last)
        at = len(first)
        taken: dict[str, str] = {}
        for place, hole in enumerate(self.holes):
            least = at + (1 if hole else 0)
            is_last = place == len(self.holes) - 1
            stop = end if is_last else text.find(self.literals[place + 1], least, end)
            if stop < least:
                return None
            if hole:
                taken[hole] = text[at:stop]
            at = stop + len(self.literals[place + 1])
        return taken

    def parting(self, text: str) -> Parting | None:
        """Where `text` stops fitting; None when it fits."""
        if self.take(text) is not None:
            return None
        first, last = self.literals[0], self.literals[-1]
        if not text.startswith(first):
            return Parting(0, first, 0, 0)
        if not self.holes:
            return Parting(len(first), "", 1, len(first), is_end=True)
        at = length = len(first)
        for place, hole in enumerate(self.holes[:-1]):
            literal = self.literals[place + 1]
            stop = text.find(literal, at + (1 if hole else 0))
            if stop < 0:
                is_empty = bool(hole) and text.startswith(literal, at)
                return Parting(at, literal, place + 1, length, hole if is_empty else "")
            at = stop + len(literal)
            length += len(literal)
        is_empty = text[at:] == last  # what is before it has no room otherwise
        return Parting(at, last, len(self.holes), length, self.holes[-1] if is_empty else "", is_end=True)

    def fill(self, values: Mapping[str, str]) -> str:
        """The text with `values` in the holes. Raises KeyError when one is missing."""
        parts = [self.literals[0]]
        for hole, literal in zip(self.holes, self.literals[1:], strict=True):
            parts.append(values[hole])
            parts.append(literal)
        return "".join(parts)


def parse_template(text: str) -> Template:
    """Reads the notation. Raises TemplateError for an open brace or one that closes nothing."""
    literals: list[str] = []
    holes: list[str] = []
    at = 0
    while True:
        opening = text.find("{", at)
        literal = text[at:] if opening < 0 else text[at:opening]
        if "}" in literal:
            raise TemplateError("a `}` closes no hole")
        literals.append(literal)
        if opening < 0:
            return Template(text, tuple(literals), tuple(holes))
        closing = text.find("}", opening)
        hole = text[opening + 1 : closing]
        if closing < 0 or "{" in hole:
            raise TemplateError("a `{` is not closed")
        holes.append(hole.strip())
        at = closing + 1


def parse_pattern(text: str) -> Template:
    """A template that takes apart: its holes are plain names, each used once, with text between them.

    Raises TemplateError.
    """
    template = parse_template(text)
    named = [hole for hole in template.holes if hole]
    if len(set(named)) != len(named):
        raise TemplateError("a hole stands twice")
    for hole in named:
        if not hole.replace("-", "_").isidentifier():
            raise TemplateError(f"`{hole}` is not a name for a hole")
    if any(not literal for literal in template.literals[1:-1]):
        raise TemplateError("two holes stand side by side: nothing says where one ends")
    return template
