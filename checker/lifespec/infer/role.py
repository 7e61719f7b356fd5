"""Which field of a record is what: session, event, states, machine, owner. Owns the guesses, by shape first.

A name alone never decides, but among fields of the right shape the one with a telling name wins. Every guess comes with
a `why` for people, and a person can say otherwise (`Choices`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from lifespec.infer.column import Column, columns_of, looks_like_id, name_of
from lifespec.infer.flat import Path, Record, Seen
from lifespec.infer.time_role import TimeRole, find_time

_SESSION = ("session", "sid", "call", "conversation", "connection", "conn", "room", "meeting", "peer", "trace", "corr",
            "correlation", "run", "client", "device", "user", "group", "request", "uid", "id")  # fmt: skip
_EVENT = ("event", "event_name", "event_type", "name", "type", "action", "op", "operation", "method", "activity", "msg",
          "message", "what", "kind", "trigger", "signal", "reason")  # fmt: skip
_TO = ("to", "to_state", "new_state", "new", "next", "next_state", "target_state", "state", "current_state", "current",
       "status", "phase", "target")  # fmt: skip
_FROM = ("from", "from_state", "old_state", "old", "previous", "prev", "previous_state", "prev_state", "source_state",
         "source", "before")  # fmt: skip
_MACHINE = ("machine", "dim", "dimension", "component", "entity", "object", "subsystem", "module", "resource", "layer",
            "category", "scope", "kind", "type", "target", "part", "topic")  # fmt: skip
_OWNER = ("owner", "actor", "by", "initiator", "party", "who", "caused_by", "side", "sender", "origin", "source",
          "direction", "from", "role")  # fmt: skip
_FAINT = 9  # from here on the names of the session are those of other things as well
_SURE = 3  # names of the machine field that need no shape to be believed
_WEAK_STATE = {"state", "status", "phase", "current", "new", "next", "target"}
MOST_EVENTS = 300
MOST_STATES = 60
MOST_MACHINES = 40
MOST_OWNERS = 12


@dataclass(frozen=True, slots=True)
class Choices:
    """What a person has said: fields as written, parts of a path with dots between."""

    session: str | None = None
    time: str | None = None
    event: str | None = None


class NoSuchField(Exception):
    """A field that a person named is in no record."""

    def __init__(self, written: str, names: Sequence[str]) -> None:
        super().__init__(written)
        self.written = written
        self.names = names


class NoTimes(Exception):
    """A field that a person named as the time holds no times."""


@dataclass(frozen=True, slots=True)
class Role:
    """One part of an event: where it stands, and why it was taken for it."""

    path: Path
    why: str = ""


@dataclass(slots=True)
class Roles:
    """What was decided. `session` None is the name of the file, `time` None no times at all."""

    columns: Mapping[Path, Column]
    records: list[Record]
    header_first: bool = False
    session: Role | None = None
    time: TimeRole | None = None
    event: Role | None = None
    to: Role | None = None
    source: Role | None = None
    machine: Role | None = None
    owner: Role | None = None
    others: list[Role] = field(default_factory=list)  # further fields that hold states, each of a machine of its own

    @property
    def taken(self) -> list[Path]:
        parts = (self.session, self.time, self.event, self.to, self.source, self.machine, self.owner, *self.others)
        return [part.path for part in parts if part is not None]

    def name(self, role: Role | None, record: Record) -> str | None:
        """The value of a part of one record as a name."""
        return None if role is None else name_of(record.values.get(role.path))


def find_roles(seen: Seen, choices: Choices) -> Roles:
    """The parts of an event in these records. Raises NoSuchField, NoTimes."""
    columns = columns_of(seen.records, seen.objects)
    roles = Roles(columns, seen.records)
    session = _given(columns, choices.session)
    time = _given(columns, choices.time)
    event = _given(columns, choices.event)
    roles.time = find_time(columns, seen.records, time, (session, event))
    if time is not None and roles.time is None:
        raise NoTimes(written(time))
    roles.session = Role(session, "as was asked") if session else _session(roles, event)
    roles.to, roles.source = _states(roles, event)
    roles.event = Role(event, "as was asked") if event else _event(roles)
    if roles.to is None and roles.event is not None:
        roles.source = None
    roles.machine = _machine(roles)
    roles.owner = _owner(roles)
    _drop_header(roles, seen.objects)
    return roles


def written(path: Path) -> str:
    """A path for people."""
    return ".".join(path)


def _given(columns: Mapping[Path, Column], text: str | None) -> Path | None:
    if text is None:
        return None
    for path in columns:
        if written(path) == text:
            return path
    raise NoSuchField(text, [written(path) for path in columns])


def _values(column: Column) -> str:
    return f"{column.distinct} value" if column.distinct == 1 else f"{column.distinct} values"


# --- session -----------------------------------------------------------------------------------------


def _session(roles: Roles, event: Path | None) -> Role | None:
    """An id that repeats over records and parts them: named like one, or of an id's shape."""
    best: tuple[float, Column] | None = None
    total = len(roles.records)
    for column in roles.columns.values():
        if column.path in (event, roles.time and roles.time.path) or column.count * 10 < total * 6:
            continue
        if not column.is_plain or column.is_time_like:
            continue
        repeats = not column.has_more and column.distinct * 2 <= column.count
        rank = _rank(column, _SESSION)
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
    return Role(column.path, f"{_values(column)} in {column.count} records")


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


def _rank(column: Column, names: Sequence[str]) -> int | None:
    """How telling the name of a column is: 0 is the best. `session_id` is as good as `session`."""
    key = column.key
    if key in names:
        return names.index(key)
    bare = [word for word in column.words if word not in ("id", "key", "sid")]
    shorter = "_".join(bare)
    if len(bare) < len(column.words):
        if shorter in names:
            return names.index(shorter)
        if not bare and len(column.path) > 1 and column.path[-2].lower() in names:
            return names.index(column.path[-2].lower())
    return None


# --- states ------------------------------------------------------------------------------------------


def _states(roles: Roles, event: Path | None) -> tuple[Role | None, Role | None]:
    """The field with the state that a record enters, and the one with the state that it leaves."""
    total = len(roles.records)
    taken = [event, roles.session and roles.session.path, roles.time and roles.time.path]
    fit = [each for each in roles.columns.values() if each.path not in taken and _may_be_states(each)]
    for column in fit:  # a pair is the surest sign: what a record leaves is what the one before has entered
        for other in fit:
            if other is not column and other.path[:-1] == column.path[:-1] and _is_pair(other, column):
                return (
                    Role(column.path, f"{column.distinct} states, with `{written(other.path)}` before them"),
                    Role(other.path, f"the state that `{written(column.path)}` had before"),
                )
    for column in fit:
        for other in fit:
            if other is not column and other.path[:-1] == column.path[:-1] and _is_chain(roles, other, column):
                return (
                    Role(column.path, f"{_values(column)}, by their shape: `{written(other.path)}` has the one before"),
                    Role(other.path, f"by its shape: what `{written(column.path)}` was before"),
                )
    best: tuple[float, Column] | None = None
    for column in fit:
        rank = _rank(column, _TO)
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
        if each is not column and each.path[:-1] == column.path[:-1] and each.words[-1] == "state"
        and column.words[-1] == "state" and each.count * 2 >= total
    ]  # fmt: skip
    roles.others = [Role(each.path, f"{each.distinct} states") for each in others]
    return Role(column.path, f"{_values(column)} in {column.count} records"), None


def _may_be_states(column: Column) -> bool:
    return (
        column.is_nameable
        and 2 <= column.distinct <= MOST_STATES
        and column.count >= 2
        and not column.is_time_like
        and sum(map(looks_like_id, column.values)) * 2 < column.distinct
        and (column.distinct * 3 <= column.count * 2 or column.count < 12)
    )


def _is_pair(source: Column, target: Column) -> bool:
    """Whether the names say from and to, and the values are of one kind."""
    one, two = _rank(source, _FROM), _rank(target, _TO)
    if one is None or two is None:
        return False
    shared = len(source.values.keys() & target.values.keys())
    return shared >= 1 and shared * 3 >= min(source.distinct, target.distinct)


def _is_chain(roles: Roles, source: Column, target: Column) -> bool:
    """Whether what stands in the one stood in the other before, in the same session, and not the other way round."""
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


# --- event, machine, owner ---------------------------------------------------------------------------


def _event(roles: Roles) -> Role | None:
    best: tuple[float, Column] | None = None
    total = len(roles.records)
    for column in roles.columns.values():
        if column.path in roles.taken or column.is_time_like or column.count * 10 < total * 2:
            continue
        if not column.is_plain or not column.distinct > 0 or column.has_more:
            continue
        rank = _rank(column, _EVENT)
        if rank is None or (column.integers and rank > 2) or column.key.endswith("_id"):
            continue
        if rank and column.distinct > 12 and column.distinct * 2 > column.count:
            continue  # hardly anything comes twice: sentences or ids
        spaced = sum(value.count(" ") > 3 for value in column.values)
        score = 3 * column.count / total - 0.15 * rank - 0.2 * len(column.path)
        score += 2 if 2 <= column.distinct <= MOST_EVENTS else 0
        score += min(column.distinct, 16) / 16
        score -= 3 * spaced / column.distinct
        if best is None or score > best[0]:
            best = score, column
    if best is None or best[0] < 1:
        return _event_by_shape(roles) if roles.to is None else None
    column = best[1]
    return Role(column.path, f"{_values(column)} in {column.count} records")


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
    return None if best is None else Role(best.path, f"{_values(best)} in {best.count} records, by their shape only")


def _machine(roles: Roles) -> Role | None:
    """A field whose values part the events, or the states, among themselves."""
    best: tuple[float, Column] | None = None
    for column in roles.columns.values():
        rank = _rank(column, _MACHINE)
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
    return Role(best[1].path, f"{_values(best[1])}")


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
    if both * 3 < named or not with_values or (len(values) < 2 and _rank(column, _MACHINE)):
        return None
    return sum(len(values) == 1 for values in with_values.values()) / len(with_values)


def _owner(roles: Roles) -> Role | None:
    best: tuple[float, Column] | None = None
    for column in roles.columns.values():
        rank = _rank(column, _OWNER)
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
    return Role(best[1].path, f"{_values(best[1])} in {best[1].count} records")


# --- header ------------------------------------------------------------------------------------------


def _drop_header(roles: Roles, objects: Set[Path]) -> None:
    """Takes away the first record of each log if in all of them it has neither time nor event nor state."""
    parts = [part.path for part in (roles.time, roles.event, roles.to) if part is not None]
    first: dict[int, Record] = {}
    for record in roles.records:
        first.setdefault(record.log, record)
    if not parts or len(first) * 2 > len(roles.records):
        return
    if any(path in record.values for record in first.values() for path in parts):
        return
    if Counter(path in record.values for record in roles.records for path in parts)[True] * 3 < len(roles.records):
        return
    headers = {id(record) for record in first.values()}
    roles.records = [record for record in roles.records if id(record) not in headers]
    roles.columns = columns_of(roles.records, objects)
    roles.header_first = True
