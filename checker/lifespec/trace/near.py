"""Whether a name is nearly one that is known. Owns the measure, which is strict: most other names are just others."""

from __future__ import annotations

from collections.abc import Iterable

from lifespec.diagnostics import find_nearest


def find_near(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` is a slip of: it differs in case, in separators, in one character or
    two neighbours exchanged, or (from ten characters on) in two such ways. None when there is none."""
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
    """Insertions, deletions, replacements and exchanges of neighbours between two short texts.

    Anything above `most` may be more.
    """
    if abs(len(first) - len(second)) > most:
        return most + 1
    above: list[int] = []
    row = list(range(len(second) + 1))
    for at, character in enumerate(first, 1):
        two_above, above, row = above, row, [at]
        for place, other in enumerate(second, 1):
            cost = min(above[place] + 1, row[place - 1] + 1, above[place - 1] + (character != other))
            if at > 1 and place > 1 and character == second[place - 2] and other == first[at - 2]:
                cost = min(cost, two_above[place - 2] + 1)
            row.append(cost)
    return row[-1]
