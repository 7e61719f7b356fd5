"""Which field is the time of a record, and in which unit. Owns the guess; what is guessed is said in `why`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from lifespec.infer.column import Column, is_number
from lifespec.infer.flat import Path, Record, There
from lifespec.trace.instant import UNITS_NS, find_zone, iso8601_ns, number_of, scaled_ns

_NAMES = (
    "time",
    "timestamp",
    "ts",
    "t",
    "at",
    "when",
    "date",
    "datetime",
    "clock",
    "created",
    "logged",
    "elapsed",
    "instant",
)
_NOT = {"expires", "expiry", "expire", "until", "deadline", "zone", "timezone", "out", "timeout", "ttl", "duration"}
_UTC = find_zone("UTC")
_LEAST = 4.0
# From the greatest on: a number so great is so many of this unit since the epoch, in this century.
_EPOCH = ((10**17, "ns"), (10**14, "us"), (10**11, "ms"), (3 * 10**8, "s"))


@dataclass(frozen=True, slots=True)
class TimeRole:
    """`unit` None is ISO 8601, `zoned` then says that the texts have no offset and UTC is assumed."""

    path: Path
    unit: str | None
    since: str = "epoch"
    zoned: bool = False
    why: str = ""

    def ns(self, record: Record) -> int | None:
        value = record.values.get(self.path)
        if value is None or isinstance(value, bool | There):
            return None
        if self.unit is None:
            return iso8601_ns(value, _UTC if self.zoned else None) if isinstance(value, str) else None
        number = number_of(value)
        return None if number is None else scaled_ns(number, UNITS_NS[self.unit])


def find_time(
    columns: Mapping[Path, Column], records: Sequence[Record], given: Path | None, taken: Sequence[Path | None]
) -> TimeRole | None:
    """The field that is given, else the likeliest one."""
    if given is not None:
        return _role(columns[given], records)
    best: tuple[float, TimeRole] | None = None
    for column in columns.values():
        if column.path in taken or column.count * 2 < len(records):
            continue
        role = _role(column, records)
        if role is None:
            continue
        score = _score(column, role, records)
        if score >= _LEAST and (best is None or score > best[0]):
            best = score, role
    return None if best is None else best[1]


def _score(column: Column, role: TimeRole, records: Sequence[Record]) -> float:
    words = column.words[:-1] if column.words[-1] in UNITS_NS and len(column.words) > 1 else column.words
    if role.unit is not None and role.since != "epoch" and not (words[-1] in _NAMES or words[0] in _NAMES[:3]):
        return 0.0  # numbers that go up are many things
    score = 2.0 * column.count / len(records) - 0.5 * (len(column.path) - 1)
    if words[-1] in _NAMES or words[0] in _NAMES[:3]:
        score += 2.5 - 0.1 * (_NAMES.index(words[-1]) if words[-1] in _NAMES else 5)
    score += 0.5 if column.key in _NAMES else 0
    if _NOT & set(words):
        score -= 4
    if role.unit is None or role.since == "epoch":
        score += 2
    last: dict[int, int] = {}
    forth = back = 0
    for record in records[:5000]:
        ns = role.ns(record)
        if ns is not None:
            back += ns < last.get(record.log, ns)
            forth += 1
            last[record.log] = ns
    return score + 2 * (forth - 3 * back) / max(1, forth)


def _role(column: Column, records: Sequence[Record]) -> TimeRole | None:
    """What the values of a column would be as times; None when they are none."""
    some = [record.values[column.path] for record in records if column.path in record.values][:5000]
    texts = [value for value in some if isinstance(value, str)]
    with_offset = sum(iso8601_ns(text) is not None for text in texts)
    in_utc = sum(iso8601_ns(text, _UTC) is not None for text in texts)
    if some and in_utc * 20 >= len(some) * 19:
        zoned = with_offset < in_utc
        why = "no offset in the texts, UTC is a guess" if zoned else ""
        return TimeRole(column.path, None, "epoch", zoned, why)
    numbers = [number_of(value) for value in some if is_number(value)]
    found = [number for number in numbers if number is not None]
    if not found or len(found) * 20 < len(some) * 19:
        return None
    middle = sorted(found)[len(found) // 2]
    for least, unit in _EPOCH:
        if least <= middle < least * 1000 and (unit != "s" or middle < 10**10):
            return TimeRole(column.path, unit, "epoch", why=f"{unit} since the epoch by the size of the numbers")
    for word in column.words[1:]:
        if word in ("ns", "us", "ms", "s"):
            return TimeRole(column.path, word, "start", why=f"{word} by its name, counted from an unknown start")
    unit = _relative_unit(found)
    return TimeRole(column.path, unit, "start", why=f"counted from an unknown start; the unit {unit} is a guess")


def _relative_unit(numbers: Sequence[int | Decimal]) -> str:
    gaps = sorted(after - before for before, after in pairwise(numbers) if after > before)
    return "ms" if gaps and gaps[len(gaps) // 2] >= 20 and max(numbers) >= 2000 else "s"
