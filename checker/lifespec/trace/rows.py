"""A record that is an array, as an object of named columns (spec/bindings.md B3). Owns which lengths fit."""

from __future__ import annotations

from msgspec import Struct

from lifespec.model.value import LogValue
from lifespec.syntax import ast


class Columns(Struct, frozen=True):
    """`names` are the columns before `...` and `rest` those behind it, None for a skipped one.

    `optional` counts, among all of them, those that may be missing (the last ones are missing first).
    """

    names: tuple[tuple[str | None, bool], ...]
    rest: tuple[tuple[str | None, bool], ...] | None

    @property
    def known(self) -> frozenset[str]:
        return frozenset(name for name, _ in self.names + (self.rest or ()) if name is not None)

    @property
    def lengths(self) -> str:
        """How many elements a row may have, for people."""
        every = self.names + (self.rest or ())
        least = sum(1 for _, optional in every if not optional)
        if self.rest is not None:
            return f"at least {least}"
        return str(least) if least == len(every) else f"{least} to {len(every)}"

    def named(self, row: list[LogValue]) -> dict[str, LogValue] | None:
        """The elements under their names; what has no name is kept under its place (`[3]`), so that nothing
        of a record is out of sight. None when the length does not fit."""
        layout = self._layout(len(row))
        if layout is None:
            return None
        return {
            name if name is not None else f"[{place}]": value
            for place, (name, value) in enumerate(zip(layout, row, strict=True))
        }

    def _layout(self, length: int) -> list[str | None] | None:
        every = list(self.names + (self.rest or ()))
        missing = len(every) - length
        if missing > 0:
            for place in range(len(every) - 1, -1, -1):
                if missing and every[place][1]:
                    del every[place]
                    missing -= 1
            return None if missing else [name for name, _ in every]
        if missing == 0:
            return [name for name, _ in every]
        if self.rest is None:
            return None
        middle: list[str | None] = [None] * -missing
        return [name for name, _ in self.names] + middle + [name for name, _ in self.rest]


def columns_of(written: tuple[ast.Column, ...]) -> Columns:
    """The columns as written; of several `...` the first counts."""
    names: list[tuple[str | None, bool]] = []
    rest: list[tuple[str | None, bool]] | None = None
    for column in written:
        if column.kind == "rest":
            rest = [] if rest is None else rest
            continue
        entry = (
            column.name.text if column.name is not None and column.kind != "skip" else None,
            column.kind == "optional",
        )
        (names if rest is None else rest).append(entry)
    return Columns(tuple(names), None if rest is None else tuple(rest))


def columns_named(names: list[str]) -> Columns:
    """Columns that the data names, all of them due; a name that stands again is that of its place."""
    seen: set[str] = set()
    made: list[tuple[str | None, bool]] = []
    for name in names:
        made.append((None if name in seen else name, False))
        seen.add(name)
    return Columns(tuple(made), None)
