"""The fields of a draft: what a record carries besides its parts, under the names that a binding gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lifespec.infer.column import Column
from lifespec.infer.flat import Path, Record, There, Value
from lifespec.infer.role import PARTS, Roles

MOST_FIELDS = 150


@dataclass(frozen=True, slots=True)
class Field:
    """A name, and the paths where its value may stand; the first that is there counts."""

    name: str
    paths: tuple[Path, ...]

    @property
    def is_plain(self) -> bool:
        """Whether `fields from record` gives it."""
        return self.paths == ((self.name,),)

    def value(self, record: Record) -> Value | None:
        for path in self.paths:
            value = record.values.get(path)
            if value is not None:
                return value
        return None

    def key(self, record: Record) -> str | None:
        """The value as a part of a key; None when it cannot be one."""
        value = self.value(record)
        if value is None or isinstance(value, There):
            return None
        return f"{'text' if isinstance(value, str) else 'other'} {value}"


def fields_of(roles: Roles) -> list[Field]:
    """All fields, the most frequent first. An id inside of an object and one beside it are one field:
    `response.id` and `response_id`."""
    taken = set(roles.taken)
    columns = [column for column in roles.columns.values() if column.path not in taken]
    columns.sort(key=lambda column: (-column.count, column.path))
    by_name: dict[str, list[Column]] = {}
    for column in columns[: 2 * MOST_FIELDS]:
        by_name.setdefault(_short(column.path), []).append(column)
    fields: list[Field] = []
    used: set[str] = set()
    for name, group in by_name.items():
        paths = tuple(sorted((column.path for column in group), key=lambda path: (-len(path), path)))
        if len(paths) == 1 or (name.endswith("id") and _never_differ(roles, paths)):
            _add(fields, used, name, paths)
        else:
            for path in paths:
                _add(fields, used, "_".join(path), (path,))
    return fields[:MOST_FIELDS]


def _add(fields: list[Field], used: set[str], name: str, paths: tuple[Path, ...]) -> None:
    if name in PARTS:
        name += "_field"
    while name in used:
        name += "_2"
    used.add(name)
    fields.append(Field(name, paths))


def _short(path: Path) -> str:
    if len(path) > 1 and path[-1].lower() in ("id", "uid", "uuid", "sid"):
        return f"{path[-2]}_{path[-1]}"
    return path[-1]


def _never_differ(roles: Roles, paths: tuple[Path, ...]) -> bool:
    for record in roles.records:
        found = {record.values[path] for path in paths if path in record.values}
        if len(found) > 1:
            return False
    return True


def named(fields: list[Field]) -> Mapping[str, Field]:
    return {field.name: field for field in fields}
