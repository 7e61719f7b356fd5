"""A text and the places in it. Owns offsets, lines and columns; knows nothing of the language."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from msgspec import Struct

STANDARD_INPUT = "<stdin>"  # the name of a text that is no file


class Span(Struct, frozen=True, order=True):
    """A half-open range of character offsets in the text called `file`."""

    file: str
    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The range from the start of this span to the end of `other`."""
        return Span(self.file, self.start, max(self.end, other.end))


@dataclass(frozen=True, slots=True)
class Source:
    """A named text. `name` is what people are shown (a path as they wrote it)."""

    name: str
    text: str
    _starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        object.__setattr__(self, "_starts", tuple(starts))

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of a character offset (clamped to the text)."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of line `number` (from 1) without its end; empty when there is no such line."""
        if not 1 <= number <= len(self._starts):
            return ""
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    @property
    def line_count(self) -> int:
        return len(self._starts)

    def slice(self, span: Span) -> str:
        """The text a span covers, with runs of white space folded to one blank."""
        return " ".join(self.text[span.start : span.end].split())
