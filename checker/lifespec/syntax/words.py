"""The words of the language that are reserved, and how a name is written. Owns the lists; a test compares
them with `grammar.lark`."""

from __future__ import annotations

import re

DECLARATIONS = frozenset("lifecycle import owner field forbid param profile pause event machine rule binding".split())
"""The words that begin a declaration."""

MEMBERS = frozenset("initial state failure final group ignore any".split())
"""The words that begin a member of a machine."""

CLAUSES = frozenset("on when after at of where by requires require remember within without".split())
"""The words that go on with a member, a declaration or a part of a rule."""

RULES = frozenset("always while expect".split())

OPERATORS = frozenset("and or not in like has true false".split())

RESERVED = DECLARATIONS | MEMBERS | CLAUSES | RULES | OPERATORS
"""The words that are no names unless they stand in single quotes."""

OPERANDS = frozenset("owner event state machine".split())
"""The reserved words that may yet begin an operand of an expression."""

STATEMENTS = frozenset("read let match fields rename on ignore lacks order clock unique recording allow".split())
"""The words that begin a statement of a binding (a name with `=` behind it is one, too)."""

WORD = re.compile(r"[^\W\d]\w*(?:-\w+)*")


def is_word(text: str) -> bool:
    """Whether `text` is a letter or `_`, then letters, digits, `_` and inner `-`."""
    return WORD.fullmatch(text) is not None


def quoted(text: str) -> str:
    """A name as it is written where a bare name may stand: in single quotes unless it is a plain word."""
    return text if is_word(text) and text not in RESERVED else f"'{text}'"
