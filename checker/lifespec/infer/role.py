"""What a field of a record can be: session, event, state, machine, owner. Owns the shapes, and which names tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lifespec.infer.column import Column, name_of
from lifespec.infer.flat import Path, Record
from lifespec.infer.time_role import TimeRole

PARTS = ("time", "session", "machine", "event", "from", "to", "owner", "state")
MOST_EVENTS = 300
MOST_STATES = 60
MOST_MACHINES = 40
MOST_OWNERS = 12


@dataclass(frozen=True, slots=True)
class Choices:
    """What a person has said: fields as written, parts of a path with dots between; `none` is no field at all."""

    session: str | None = None
    time: str | None = None
    event: str | None = None
    state: str | None = None
    source: str | None = None
    machine: str | None = None
    owner: str | None = None
    keys: tuple[str, ...] = ()


class NoSuchField(Exception):
    """A field that a person named is in no record."""

    def __init__(self, written: str, names: Sequence[str]) -> None:
        super().__init__(written)
        self.written = written
        self.names = names


class Unfit(Exception):
    """A field that a person named cannot be what they said. The text says why."""

    def __init__(self, written: str, why: str) -> None:
        super().__init__(f"the field `{written}` {why}")


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
    asked: tuple[Path, ...] = ()  # what a person named as a part
    keys: tuple[Path, ...] = ()  # what a person named as keys
    has_keys: bool = True  # whether others may be keys
    header_first: bool = False
    session: Role | None = None
    time: TimeRole | None = None
    event: Role | None = None
    to: Role | None = None
    source: Role | None = None
    machine: Role | None = None
    owner: Role | None = None
    others: list[Role] = field(default_factory=list)  # further fields that hold states, each of a machine of its own
    status: Path | None = None  # there where a record says again where it is, rather than that it went there

    @property
    def taken(self) -> list[Path]:
        parts = (self.session, self.time, self.event, self.to, self.source, self.machine, self.owner, *self.others)
        taken = [part.path for part in parts if part is not None]
        return [*taken, *self.asked, *(() if self.status is None else (self.status,))]

    def is_asked(self, role: Role | None) -> bool:
        """Whether a person named this field as a part."""
        return role is not None and role.path in self.asked

    def name(self, role: Role | None, record: Record) -> str | None:
        """The value of a part of one record as a name."""
        return None if role is None else name_of(record.values.get(role.path))


def written(path: Path) -> str:
    """A path for people."""
    return ".".join(path)


def rank_of(column: Column, names: Sequence[str]) -> int | None:
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


def values_of(column: Column) -> str:
    return f"{column.distinct} value" if column.distinct == 1 else f"{column.distinct} values"
