"""What stands under each path over all records: how often, of which kind, which values. Owns the counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice

from lifespec.infer.flat import Path, Record, There, Value
from lifespec.infer.name import is_writable, words_of
from lifespec.trace.instant import find_zone, has_decimal_comma, iso8601_ns, number_of

MOST_DISTINCT = 100_000  # as many as there are records: all of them are in memory anyway
_MOST_NAMES = 2000
_UTC = find_zone("UTC")


@dataclass(slots=True)
class Column:
    """One path. `values` counts texts and whole numbers as they would be names; with `has_more` not all are there."""

    path: Path
    count: int = 0
    texts: int = 0
    integers: int = 0
    numbers: int = 0  # with a fraction
    others: int = 0
    is_object: bool = False  # in some record
    values: Counter[str] = field(default_factory=Counter)
    has_more: bool = False
    words: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        """The last name of the path in small letters, words parted by `_`."""
        return "_".join(self.words)

    @property
    def distinct(self) -> int:
        return len(self.values)

    @property
    def is_nameable(self) -> bool:
        """Whether every value may be the name of an event, a state, a machine or an owner."""
        return self.is_plain and self.distinct <= _MOST_NAMES and all(map(is_writable, self.values))

    @property
    def is_plain(self) -> bool:
        """Whether every value is a text or a whole number."""
        return self.count == self.texts + self.integers and not self.is_object

    @property
    def is_id_like(self) -> bool:
        """Whether the values look like ids: most have a digit and are longer than one character."""
        if not self.values:
            return False
        some = list(islice(self.values, _MOST_NAMES))
        return sum(map(looks_like_id, some)) * 10 >= len(some) * 6

    @property
    def comma_number(self) -> str | None:
        """A number with a decimal comma, where all values are such numbers or whole ones."""
        some = list(islice(self.values, 50))
        found = next(filter(has_decimal_comma, some), None)
        return found if all(has_decimal_comma(each) or number_of(each) is not None for each in some) else None

    @property
    def is_time_like(self) -> bool:
        some = list(islice(self.values, 50))
        return bool(some) and all(iso8601_ns(value, _UTC) is not None for value in some)


def looks_like_id(value: str) -> bool:
    return len(value) >= 2 and any(char.isdigit() for char in value) and " " not in value


def columns_of(records: Iterable[Record], objects: Set[Path]) -> dict[Path, Column]:
    """The columns, in the order in which their paths are first seen."""
    columns: dict[Path, Column] = {}
    for record in records:
        for path, value in record.values.items():
            column = columns.get(path)
            if column is None:
                column = columns[path] = Column(path, words=words_of(path[-1]) or [path[-1].lower()])
                column.is_object = path in objects
            _count(column, value)
    return columns


def _count(column: Column, value: Value) -> None:
    column.count += 1
    if isinstance(value, There):
        column.others += 1
        return
    if isinstance(value, bool):
        return
    if isinstance(value, Decimal):
        column.numbers += 1
        return
    if isinstance(value, str):
        column.texts += 1
        text = value
    else:
        column.integers += 1
        text = str(value)
    if text in column.values or len(column.values) < MOST_DISTINCT:
        column.values[text] += 1
    else:
        column.has_more = True


def name_of(value: Value | None) -> str | None:
    """A value as a name: texts and whole numbers; anything else is none."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None


def is_number(value: Value | None) -> bool:
    return value is not None and not isinstance(value, bool | There) and number_of(value) is not None
