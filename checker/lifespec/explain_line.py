"""Where in a line of a log the thing stands that a finding speaks of. Owns the search and the masking.

A forbidden value is never shown. A line is masked before anything looks at it: every text in it is
decoded first, so that an escaped `\\u0040` hides nothing, and a text that holds a forbidden value is
replaced as a whole. Knows JSON only as far as texts and keys go; other lines are searched as they are.
Takes time linear in the line, whatever the line holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from msgspec import Struct

Holds = Callable[[str, str], bool]  # does the text under this path hold a forbidden value?

REDACTED = "[redacted]"

_TOKEN = re.compile(r'"(?:[^"\\]|\\.?)*"?', re.DOTALL)  # one that is never closed goes on to the end
_COLON = re.compile(r"\s*:\s*")
_SCALAR = re.compile(r"[^\s,\]}]+")
_NUMBER = re.compile(r"-?\d[\d.eE+-]*")
_DEEPEST = 4  # JSON in a text in JSON ...


class Interest(Struct, frozen=True):
    """What to look for in a line: the value of one of `keys`, else any text equal to `value`."""

    value: str | None = None
    keys: tuple[str, ...] = ()


def masked_line(line: str, holds: Holds) -> str | None:
    """The line with every text that holds a forbidden value replaced; None when that cannot be done
    because the value stands outside of a text."""
    parts: list[str] = []
    outside: list[str] = []
    at, key = 0, ""
    while match := _TOKEN.search(line, at):
        between = line[at : match.start()]
        colon = _COLON.match(line, match.end())
        decoded = _decoded(match.group())
        hidden = _hidden(key, match.group() if decoded is None else decoded, holds)
        parts += [_without_numbers(between, key, holds), f'"{REDACTED}"' if hidden else match.group()]
        outside.append(between)
        key = decoded if colon is not None and decoded is not None else key if "," not in between else ""
        at = match.end()
    parts.append(_without_numbers(line[at:], key, holds))
    outside.append(line[at:])
    if not _is_json(line) and holds("", " ".join(outside)):
        return None
    return "".join(parts)


def _without_numbers(text: str, key: str, holds: Holds) -> str:
    """What stands outside of texts, without the numbers that hold a forbidden value."""
    return _NUMBER.sub(lambda number: REDACTED if holds(key, number.group()) else number.group(), text)


def _hidden(key: str, text: str, holds: Holds, depth: int = 0) -> bool:
    if holds(key, text):
        return True
    if '"' not in text or depth >= _DEEPEST:
        return False
    inner = (_decoded(token) for token in _TOKEN.findall(text))
    return any(each is not None and _hidden("", each, holds, depth + 1) for each in inner)


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def find_mark(line: str, interests: tuple[Interest, ...]) -> tuple[int, int] | None:
    """The characters of the line (from, to) that hold the first interest found, without the quotes."""
    tokens = list(_scan(line))
    for interest in interests:
        for wanted in interest.keys:
            for key, start, end, text in tokens:
                if key == wanted and (interest.value is None or text == interest.value):
                    return _inside(line, start, end)
        if interest.value:
            for _, start, end, text in tokens:
                if text == interest.value:
                    return _inside(line, start, end)
            at = line.find(interest.value) if not tokens else -1
            if at >= 0:
                return at, at + len(interest.value)
    return None


def _scan(line: str) -> Iterator[tuple[str | None, int, int, str]]:
    """Every key's value and every other text: the key (None for a text in a list), where it stands, and
    what it says. A list or an object is represented by its opening bracket."""
    at = 0
    key: str | None = None
    while match := _TOKEN.search(line, at):
        colon = _COLON.match(line, match.end())
        text = _decoded(match.group())
        if colon is None:
            yield key, match.start(), match.end(), text if text is not None else match.group()
            key, at = None, match.end()
            continue
        key, at = text, colon.end()
        if at < len(line) and line[at] not in '"':
            scalar = _SCALAR.match(line, at) if line[at] not in "[{" else None  # a bracket would match all that follows
            end = scalar.end() if scalar else min(at + 1, len(line))
            yield key, at, end, line[at:end]
            key, at = None, end


def _inside(line: str, start: int, end: int) -> tuple[int, int]:
    if end - start > 2 and line[start] == '"':
        return start + 1, end - 1
    return start, end


def _decoded(token: str) -> str | None:
    try:
        text = json.loads(token, strict=False)
    except ValueError:
        return None
    return text if isinstance(text, str) else None
