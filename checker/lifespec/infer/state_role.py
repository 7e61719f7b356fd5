"""Which fields say the state that a record enters, and the one that it leaves. Owns the guess, by shape first."""

from __future__ import annotations

from collections.abc import Callable

from lifespec.infer.column import Column, looks_like_id, name_of
from lifespec.infer.role import (
    MOST_STATES,
    Role,
    Roles,
    rank_of,
    values_of,
    written,
)

_TO = ("to", "to_state", "new_state", "new", "next", "next_state", "target_state", "state", "current_state", "current",
       "status", "phase", "st")  # fmt: skip
_FROM = ("from", "from_state", "old_state", "old", "previous", "prev", "previous_state", "prev_state", "source_state",
         "before")  # fmt: skip
_WEAK_STATE = {"state", "status", "phase", "current", "new", "next", "target"}

_RESULTS = {"ok", "error", "success", "successful", "failure", "failed", "fail", "true", "false", "yes", "no",
            "warning", "denied", "timeout", "accepted", "rejected", "pass", "passed", "allowed", "unknown"}  # fmt: skip
_PARTIES = {"source", "target", "src", "dst", "destination", "sender", "receiver", "recipient", "caller", "callee",
            "peer", "host", "client", "server", "origin"}  # fmt: skip

_OWN_WORD = ("to",)  # of the binding `default`: one state is enough

_IsSource = Callable[[Roles, Column, Column], bool]


def find_states(roles: Roles) -> tuple[Role | None, Role | None]:
    """The field with the state that a record enters, and the one with the state that it leaves."""
    total = len(roles.records)
    fit = _fitting(roles)
    for is_source in (_is_pair, _is_chain):  # a pair is the surest sign: what a record leaves the one before entered
        for column in fit:
            for other in fit:
                if is_source(roles, other, column):
                    return _to(other, column, is_source), _source(other, column, is_source)
    best: tuple[float, Column] | None = None
    for column in fit:
        rank = rank_of(column, _TO)
        if rank is None and len(column.path) > 1 and column.path[-2].lower() in ("state", "states"):
            rank = len(_TO)  # `state.connection`, beside the states of others
        if rank is None and column.words[-1] in ("state", "phase") and len(column.words) > 1:
            rank = len(_TO)
        if rank is None:
            continue
        share = column.count / total
        if share < (0.5 if column.key in _WEAK_STATE - {"state"} else 0.1):
            continue
        score = 2 * share - 0.1 * rank - 0.3 * len(column.path)
        if best is None or score > best[0]:
            best = score, column
    if best is None:
        return None, None
    column = best[1]
    others = [
        each
        for each in fit
        if each is not column and each.path[:-1] == column.path[:-1] and each.count * 2 >= total
        and (each.words[-1] == column.words[-1] == "state" or column.path[-2:-1] in (("state",), ("states",)))
    ]  # fmt: skip
    roles.others = [Role(each.path, f"{each.distinct} states") for each in others]
    return Role(column.path, f"{values_of(column)} in {column.count} records"), None


def find_source(roles: Roles, column: Column) -> Role | None:
    """The field with the state that a record leaves, where the one that it enters is known."""
    for is_source in (_is_pair, _is_chain):
        for other in _fitting(roles):
            if is_source(roles, other, column):
                return _source(other, column, is_source)
    return None


def _fitting(roles: Roles) -> list[Column]:
    return [each for each in roles.columns.values() if each.path not in roles.taken and _may_be_states(each)]


def _to(source: Column, column: Column, why: _IsSource) -> Role:
    if why is _is_pair:
        return Role(column.path, f"{column.distinct} states, with `{written(source.path)}` before them")
    said = f"{values_of(column)}, by their shape: `{written(source.path)}` has the one before"
    return Role(column.path, said)


def _source(source: Column, column: Column, why: _IsSource) -> Role:
    if why is _is_pair:
        return Role(source.path, f"the state that `{written(column.path)}` had before")
    return Role(source.path, f"by its shape: what `{written(column.path)}` was before")


def _may_be_states(column: Column) -> bool:
    return (
        column.is_nameable
        and (1 if column.path == _OWN_WORD else 2) <= column.distinct <= MOST_STATES
        and column.count >= 2
        and not column.is_time_like
        and column.key not in _PARTIES
        and not {value.lower() for value in column.values} <= _RESULTS  # how it went, and not where it is
        and sum(map(looks_like_id, column.values)) * 2 < column.distinct
        and (column.distinct * 3 <= column.count * 2 or column.count < 12)
    )


def _is_pair(roles: Roles, source: Column, target: Column) -> bool:
    """Whether the names say from and to, and the values are of one kind."""
    if source is target or source.path[:-1] != target.path[:-1]:
        return False
    one, two = rank_of(source, _FROM), rank_of(target, _TO)
    if one is None or two is None:
        return False
    shared = len(source.values.keys() & target.values.keys())
    return shared >= 1 and shared * 3 >= min(source.distinct, target.distinct)


def _is_chain(roles: Roles, source: Column, target: Column) -> bool:
    """Whether what stands in the one stood in the other before, in the same session, and not the other way round."""
    if source is target or source.path[:-1] != target.path[:-1]:
        return False
    if len(source.values.keys() & target.values.keys()) * 2 < source.distinct:
        return False
    sources: dict[object, set[str]] = {}
    targets: dict[object, set[str]] = {}
    both = forth = back = same = 0
    for record in roles.records[:20_000]:
        one, two = name_of(record.values.get(source.path)), name_of(record.values.get(target.path))
        if one is None or two is None:
            continue
        session = record.log, roles.name(roles.session, record)
        left, entered = sources.setdefault(session, set()), targets.setdefault(session, set())
        if entered:
            both += 1
            forth += one in entered
            back += two in left
            same += one == two
        left.add(one)
        entered.add(two)
    return both >= 2 and forth * 10 >= both * 7 and forth > back and same * 5 <= both
