"""Whether a name is nearly one that is known. Owns the measure, which is strict: most other names are just others."""

from __future__ import annotations

from collections.abc import Iterable

from lifespec.diagnostics import find_nearest


def find_near(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` is a slip of: it differs in case, in separators, in one character, or (from
    ten characters on) in two. None when there is none."""
    nearest = find_nearest(name, known)
    if nearest is None or nearest == name:
        return None
    first, second = _bare(name), _bare(nearest)
    if first == second:
        return nearest
    shorter = min(len(first), len(second))
    most = 0 if shorter < 5 else 1 if shorter < 10 else 2
    return nearest if most and _distance(first, second, most) <= most else None


def _bare(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _distance(first: str, second: str, most: int) -> int:
    """Insertions, deletions and replacements between two short texts; anything above `most` may be more."""
    if abs(len(first) - len(second)) > most:
        return most + 1
    row = list(range(len(second) + 1))
    for at, character in enumerate(first, 1):
        before, row[0] = row[0], at
        for place, other in enumerate(second, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (character != other))
    return row[-1]
