"""Which field says to which session a record belongs. Owns the guess."""

from __future__ import annotations

from collections.abc import Sequence

from lifespec.infer.column import Column, name_of
from lifespec.infer.flat import Record
from lifespec.infer.role import (
    Role,
    Roles,
    rank_of,
    values_of,
)

_SESSION = ("session", "sid", "call", "conversation", "connection", "conn", "room", "meeting", "peer", "trace", "corr",
            "correlation", "run", "client", "device", "user", "group", "request", "uid", "id")  # fmt: skip
_FAINT = 9  # from here on the names are those of other things as well


def find_session(roles: Roles) -> Role | None:
    """An id that repeats over records and parts them: named like one, or of an id's shape."""
    best: tuple[float, Column] | None = None
    total = len(roles.records)
    for column in roles.columns.values():
        if column.path in (*roles.taken, *roles.keys) or column.count * 10 < total * 6:
            continue
        if not column.is_plain or column.is_time_like or {"state", "states", "status", "stats"} & set(column.path[:-1]):
            continue
        repeats = not column.has_more and column.distinct * 2 <= column.count
        rank = rank_of(column, _SESSION)
        if not repeats or (rank is None and not column.is_id_like) or {"seq", "sequence", "event"} & set(column.words):
            continue
        if rank is None and column.integers:
            continue  # a number without a telling name may be anything
        if (rank is None or rank >= _FAINT) and column.count * 20 < total * 19:
            continue
        score = 3.0 * column.count / total + (4 - 0.15 * rank if rank is not None else 0) - 0.3 * len(column.path)
        score += (1 if column.is_id_like else 0) - _switches(roles.records, column) * 2
        if best is None or score > best[0]:
            best = score, column
    if best is None or best[0] < 2.5:
        return None
    column = best[1]
    return Role(column.path, f"{values_of(column)} in {column.count} records")


def _switches(records: Sequence[Record], column: Column) -> float:
    """How often a value comes back after another one, beyond what its first records explain; 0 for whole blocks."""
    switches = seen = 0
    last: str | None = None
    for record in records:
        name = name_of(record.values.get(column.path))
        if name is not None:
            seen += 1
            switches += name != last
            last = name
    return max(0, switches - column.distinct) / max(1, seen)
