"""The nearest of some names, if one is near. Owns the measure of nearness."""

from __future__ import annotations

from collections.abc import Iterable

_CLOSE = 0.72
_LONGEST = 80


def find_nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, or None when none is like it. Deterministic; ignores case."""
    if not name or len(name) > _LONGEST:
        return None
    from difflib import get_close_matches  # slow to import, and most texts have no unknown name

    lowered: dict[str, str] = {}
    for candidate in known:
        if len(candidate) <= _LONGEST:
            lowered.setdefault(candidate.lower(), candidate)
    close = get_close_matches(name.lower(), sorted(lowered), n=1, cutoff=_CLOSE)
    return lowered[close[0]] if close else None
