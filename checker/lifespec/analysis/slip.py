"""Whether one name is a slip of another. Owns the measure, which is strict: most other names are just others."""

from __future__ import annotations

from collections.abc import Iterable

_SHORTEST = 5  # of the longer one: `ping` and `pong` are two names


def find_slip(name: str, known: Iterable[str]) -> str | None:
    """The first known name that `name` differs from in one character, in two neighbours exchanged, in case or in
    separators; None when there is none. Very short names are never slips."""
    return next((other for other in known if other != name and _is_slip(name, other)), None)


def _is_slip(first: str, second: str) -> bool:
    if max(len(first), len(second)) < _SHORTEST or abs(len(first) - len(second)) > 2:
        return False
    first, second = _bare(first), _bare(second)
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    one, other = first[start:], second[start:]
    return (
        one == other
        or one[1:] == other[1:]  # another character
        or one[1:] == other
        or one == other[1:]  # one too many, one too few
        or (one[1::-1] + one[2:] == other and len(one) > 1)  # two exchanged
    )


def _bare(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
