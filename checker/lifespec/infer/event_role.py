"""Which fields say what happened, to which machine, and by whom. Owns these guesses."""

from __future__ import annotations

from lifespec.infer.column import Column, looks_like_id, name_of
from lifespec.infer.role import (
    MOST_EVENTS,
    MOST_MACHINES,
    MOST_OWNERS,
    Role,
    Roles,
    rank_of,
    values_of,
)

_EVENT = ("event", "event_name", "event_type", "name", "type", "action", "op", "operation", "method", "activity", "msg",
          "message", "what", "kind", "trigger", "signal", "evt", "ev", "reason")  # fmt: skip
_MACHINE = ("machine", "dim", "dimension", "component", "entity", "object", "subsystem", "module", "resource", "layer",
            "category", "scope", "kind", "type", "target", "part", "topic")  # fmt: skip
_OWNER = ("owner", "actor", "by", "initiator", "party", "who", "caused_by", "side", "sender", "origin", "source",
          "direction", "from", "role")  # fmt: skip
_ALSO_WHY = {"reason", "trigger", "signal", "kind"}  # where a record says states, these say why rather than what
_SURE = 3  # names of the machine field that need no shape to be believed


def find_event(roles: Roles) -> Role | None:
    best: tuple[float, Column] | None = None
    total = len(roles.records)
    for column in roles.columns.values():
        if column.path in roles.taken or column.is_time_like or column.count * 10 < total * 2:
            continue
        if not column.is_plain or not column.distinct > 0 or column.has_more:
            continue
        rank = rank_of(column, _EVENT)
        if (
            rank is None
            or (column.integers and column.words[-1] not in ("event", "type"))
            or column.key.endswith("_id")
        ):
            continue
        if roles.to is not None and column.key in _ALSO_WHY:
            continue
        if rank and column.distinct > 12 and column.distinct * 2 > column.count:
            continue  # hardly anything comes twice: sentences or ids
        spaced = sum(value.count(" ") > 3 for value in column.values)
        score = 3 * column.count / total - 0.15 * rank - 0.2 * len(column.path)
        score += 2 if 2 <= column.distinct <= MOST_EVENTS else 0
        score += min(column.distinct, 16) / 16
        score -= 3 * spaced / column.distinct + (1.5 if column.integers else 0)
        if best is None or score > best[0]:
            best = score, column
    if best is None or best[0] < (0.5 if best[1].key == _EVENT[0] else 1):
        return _event_by_shape(roles) if roles.to is None else None
    column = best[1]
    return Role(column.path, f"{values_of(column)} in {column.count} records")


def _event_by_shape(roles: Roles) -> Role | None:
    """Without a telling name: a few words that nearly every record has one of, and that come again and again."""
    best: Column | None = None
    for column in roles.columns.values():
        if column.path in roles.taken or not column.is_nameable or column.integers or column.is_time_like:
            continue
        if column.count * 10 < len(roles.records) * 9 or not 2 <= column.distinct <= MOST_EVENTS or column.is_id_like:
            continue
        if column.distinct * 2 > column.count or any(value.count(" ") > 3 for value in column.values):
            continue
        if best is None or column.distinct > best.distinct:
            best = column
    return None if best is None else Role(best.path, f"{values_of(best)} in {best.count} records, by their shape only")


def find_machine(roles: Roles) -> Role | None:
    """A field whose values part the events, or the states, among themselves."""
    best: tuple[float, Column] | None = None
    for column in roles.columns.values():
        rank = rank_of(column, _MACHINE)
        if rank is None or column.path in roles.taken or not column.is_nameable:
            continue
        if not 1 <= column.distinct <= MOST_MACHINES or column.is_time_like or (rank and column.distinct < 2):
            continue
        if rank > 1 and (column.is_id_like or column.integers):
            continue
        parts = _parting(roles, column)
        if parts is None or (parts < 0.9 and rank > _SURE):
            continue
        score = parts * 2 - 0.1 * rank
        if best is None or score > best[0]:
            best = score, column
    if best is None:
        return None
    return Role(best[1].path, f"{values_of(best[1])}")


def _parting(roles: Roles, column: Column) -> float | None:
    """The share of the names (of events, of states) that occur with one value of the column only."""
    if roles.event is None and roles.to is None:
        return None
    with_values: dict[str, set[str]] = {}
    values: set[str] = set()
    both = named = 0
    for record in roles.records:
        value = name_of(record.values.get(column.path))
        name = roles.name(roles.to, record) or roles.name(roles.event, record)
        named += name is not None
        if value is not None and name is not None:
            with_values.setdefault(name, set()).add(value)
            values.add(value)
            both += 1
    if both * 3 < named or not with_values or (len(values) < 2 and rank_of(column, _MACHINE)):
        return None
    return sum(len(values) == 1 for values in with_values.values()) / len(with_values)


def find_owner(roles: Roles) -> Role | None:
    best: tuple[float, Column] | None = None
    for column in roles.columns.values():
        rank = rank_of(column, _OWNER)
        if rank is None or column.path in roles.taken or not column.is_nameable or column.integers:
            continue
        if column.distinct > MOST_OWNERS or (column.distinct < 2 and rank) or column.is_time_like:
            continue
        if any(looks_like_id(value) or len(value) > 40 for value in column.values):
            continue
        score = 2 * column.count / len(roles.records) - 0.1 * rank - 0.3 * len(column.path)
        if score > 0 and (best is None or score > best[0]):
            best = score, column
    if best is None:
        return None
    return Role(best[1].path, f"{values_of(best[1])} in {best[1].count} records")
