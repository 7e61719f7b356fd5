"""A text, lexeme by lexeme, before anyone says which terminal of the grammar a lexeme is.

Owns how characters group. Time is linear in the text, whatever it holds.
"""

from __future__ import annotations

import re

from msgspec import Struct

_LEXEME = re.compile(
    r"""
      (?P<blank>   (?: [ \t\r\n\f\v\ufeff]+ | //[^\r\n]* )+ )
    | (?P<word>    [^\W\d]\w*(?:-\w+)* )
    | (?P<quoted>  '[^'\r\n]+' )
    | (?P<text>    "[^"\r\n]*" )
    | (?P<duration>[0-9]+(?:\.[0-9]+)?(?:ns|us|ms|s|m|h|d)(?!\w) )
    | (?P<number>  [0-9]+(?:\.[0-9]+)?(?!\w) )
    | (?P<foreign> => | --> | && | \|\| | := | <> )
    | (?P<sign>    -> | \.\.\. | == | != | <= | >= | [-+*/<>(){}\[\],.:?=] )
    | (?P<unclosed>["'][^\r\n]* )
    | (?P<odd>     [0-9]\w* | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_ASSIGNS = re.compile(r"[ \t]*=(?![=>])")


class Lexeme(Struct, frozen=True):
    """`shape` is "word", "quoted", "text", "duration", "number", "sign", "unclosed" (a quote to the end of
    its line), "foreign" (a sign of other languages), "odd" (another character) or "end" (of the text)."""

    shape: str
    text: str
    start: int
    end: int


def scan(text: str, offset: int) -> Lexeme:
    """The lexeme at or behind `offset`; blanks and comments are passed over."""
    found = _LEXEME.match(text, offset)
    if found and found.lastgroup == "blank":
        found = _LEXEME.match(text, found.end())
    if not found:
        return Lexeme("end", "", len(text), len(text))
    return Lexeme(found.lastgroup or "odd", found.group(), found.start(), found.end())


def assigned(text: str, lexeme: Lexeme) -> int | None:
    """Where a `NAME=` token ends that begins with this lexeme; None when it begins none."""
    if lexeme.shape not in ("word", "quoted"):
        return None
    found = _ASSIGNS.match(text, lexeme.end)
    return found.end() if found else None
