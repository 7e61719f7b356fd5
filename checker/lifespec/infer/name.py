"""Names as they are found in logs: their words, and whether the language can write them. Owns no role."""

from __future__ import annotations

import re

LONGEST = 120
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")
_NOT_WORD = re.compile(r"[^\w]+|_+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029\ufeff]+")


def is_writable(name: str) -> bool:
    """Whether the language has a way to write this name: quotes have no escapes, and a name ends on its line."""
    return 0 < len(name) <= LONGEST and not name.isspace() and "'" not in name and _CONTROL.search(name) is None


def words_of(name: str) -> list[str]:
    """`iceConnectionState` -> ice, connection, state."""
    return [word.lower() for word in _WORDS.findall(name)]


def plain(text: str, longest: int = 100) -> str:
    """A text of a log as it may stand in a comment or a documentation: on one line, without double quotes."""
    shown = _CONTROL.sub(" ", text).replace('"', "'").strip()
    return shown if len(shown) <= longest else shown[: longest - 3] + "..."


def as_word(name: str) -> str:
    """A name as a bare word with single `-` inside: `response.output_item.done` -> response-output_item-done."""
    word = "-".join(part for part in re.split(r"[^\w]+", name) if part.strip("_"))
    if not word:
        return "unnamed"
    return word if not word[0].isdigit() else f"n{word}"
