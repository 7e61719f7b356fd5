"""The words of the language that are reserved, and how a name is written. Owns the lists; a test compares
them with `grammar.lark`."""

from __future__ import annotations

import re


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


DECLARATIONS = _words("lifecycle import owner field forbid param profile pause event machine rule binding")
"""The words that begin a declaration."""

MEMBERS = _words("initial state failure final group ignore any")
"""The words that begin a member of a machine."""

CLAUSES = _words("on when after at of where by requires require remember within without")
"""The words that go on with a member, a declaration or a part of a rule."""

RULES = _words("always while expect")

OPERATORS = _words("and or not in like has true false")

RESERVED = DECLARATIONS | MEMBERS | CLAUSES | RULES | OPERATORS
"""The words that are no names unless they stand in single quotes."""

OPERANDS = _words("owner event state machine")
"""The reserved words that may yet begin an operand of an expression."""

STATEMENTS = _words("read let match fields rename on ignore lacks order clock unique recording allow")
"""The words that begin a statement of a binding (a name with `=` behind it is one, too)."""

WORD = re.compile(r"[^\W\d]\w*(?:-\w+)*")


def is_word(text: str) -> bool:
    """Whether `text` is a letter or `_`, then letters, digits, `_` and inner `-`."""
    return WORD.fullmatch(text) is not None


def quoted(text: str) -> str:
    """A name as it is written where a bare name may stand: in single quotes unless it is a plain word."""
    return text if is_word(text) and text not in RESERVED else f"'{text}'"


def quoted_key(text: str) -> str:
    """A name as a path of a log writes it, where reserved words need no quotes."""
    return text if is_word(text) else f"'{text}'"
