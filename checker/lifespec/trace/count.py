"""What a reader counted. Owns the numbers and the bounds on how many names are kept; makes no findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

_MOST_NAMES = 1000
_LONGEST_NAME = 200


@dataclass(slots=True)
class NameCounts:
    """How often names occurred. Only the first thousand are told apart, the rest is summed in `others`."""

    names: dict[str, int] = field(default_factory=dict)
    others: int = 0

    def add(self, name: str, times: int = 1) -> None:
        """Counts `name`."""
        if len(name) > _LONGEST_NAME:
            name = name[:_LONGEST_NAME] + "..."
        if name in self.names:
            self.names[name] += times
        elif not self.is_full:
            self.names[name] = times
        else:
            self.others += times

    @property
    def is_full(self) -> bool:
        """Whether new names are no longer told apart."""
        return len(self.names) >= _MOST_NAMES

    @property
    def total(self) -> int:
        return sum(self.names.values()) + self.others

    def most_frequent(self, number: int) -> tuple[tuple[str, int], ...]:
        """The most frequent names with their counts; of equal ones the first in the alphabet first."""
        return tuple(sorted(self.names.items(), key=lambda pair: (-pair[1], pair[0]))[:number])


@dataclass(slots=True)
class Allowed:
    """Findings that the binding turns into a count, and why."""

    why: str
    count: int = 0


_MOST_WRITTEN = 4  # names of the log that became one


@dataclass(frozen=True, slots=True)
class Taken:
    """What the names of the `match` of a binding took of one record, a text, on this line."""

    line: int
    text: str
    names: dict[str, str]

    @property
    def rank(self) -> tuple[int, int]:
        """The greater, the more it shows."""
        return len(self.names), -self.line


@dataclass(slots=True)
class Counts:
    """What became of every piece: `lines` (of json-lines and text; else rows, documents, records of a sequence) is the
    sum of `records`, `blank`, `malformed` and `headers`. Where an `each` of `read` unfolds pieces, `unfolded` of them
    became `items`: then `lines - unfolded + items` is that sum.

    `records` were read, passed over or not; `events` were made of them. `passed_over` and `occurred` are
    by name after `rename` ("" for records without one). `findings` are those raised, `allowed` those that
    the binding allows, both by name of the finding. `greatest_reversal_ns` is the greatest jump back.
    """

    lines: int = 0
    records: int = 0
    blank: int = 0
    malformed: int = 0
    headers: int = 0
    events: int = 0
    sessions: int = 0
    passed_over: NameCounts = field(default_factory=NameCounts)
    occurred: NameCounts = field(default_factory=NameCounts)
    renamed: dict[str, dict[str, None]] = field(default_factory=dict)  # what the log calls these, where it is otherwise
    findings: dict[str, int] = field(default_factory=dict)
    allowed: dict[str, Allowed] = field(default_factory=dict)
    greatest_reversal_ns: int = 0
    unfolded: int = 0
    items: int = 0
    ignored: int = 0  # records that an `ignore` passed over by name, machine or condition
    deepest: int = 0  # the last `each` of `read`, from 0, that had something to look in
    # By the number of a path that the binding looks for and no record had (B42), the keys that stand in its place; None
    # where nothing was read that might have had it.
    absent: dict[int, tuple[str, ...] | None] = field(default_factory=dict)
    taken: Taken | None = None  # by the `match` of the binding
    skimmed: bool = False  # the log was read the fast way (B41): no key that stands twice was looked for

    def add_taken(self, taken: Taken) -> None:
        """Keeps the record of which the names took the most, of equal ones the first."""
        if taken.names and (self.taken is None or taken.rank > self.taken.rank):
            self.taken = taken

    def add_renamed(self, name: str | None, written: str) -> None:
        """A record that the log calls `written` is called `name` (None: it has no name any more)."""
        known = self.renamed.get(name or "")
        if known is None:
            if len(self.renamed) >= _MOST_NAMES:
                return
            known = self.renamed[name or ""] = {}
        if len(known) < _MOST_WRITTEN:
            known[written[:_LONGEST_NAME]] = None


def renamed_names(counts: Iterable[Counts], mask: Callable[[str], str]) -> dict[str, list[str]]:
    """What logs call the names that a binding gives them, where it is otherwise."""
    renamed: dict[str, dict[str, None]] = {}
    for each in counts:
        for name, written in each.renamed.items():
            renamed.setdefault(mask(name), {}).update((mask(one), None) for one in written)
    return {name: list(written) for name, written in renamed.items()}


def absent_from_all(given: Sequence[Counts]) -> dict[int, tuple[str, ...] | None]:
    """What no log, or no part of one, has (B42), with the keys of all; None where none was asked."""
    if not given:
        return {}
    absent: dict[int, tuple[str, ...] | None] = {}
    for number in given[0].absent:
        if all(number in each.absent for each in given):
            known = [keys for each in given if (keys := each.absent[number]) is not None]
            absent[number] = tuple(dict.fromkeys(key for keys in known for key in keys)) if known else None
    return absent
