"""A measured figure: its name, its value, the limit it is held to, and whether it keeps to it. Knows no clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Status = Literal["ok", "MISSED", "measured", "not available"]


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` is None where it could not be measured, `why` then says so. A `limit` is the least value that is
    good enough where `is_least`, else the greatest; without one the figure is only told. `parts` are the numbers
    that the value was made from."""

    name: str
    what: str
    value: float | None
    limit: float | None
    is_least: bool = True
    unit: str = ""
    parts: Mapping[str, float | int | str] = field(default_factory=dict)
    why: str = ""

    @property
    def status(self) -> Status:
        if self.value is None:
            return "not available"
        if self.limit is None:
            return "measured"
        keeps = self.value >= self.limit if self.is_least else self.value <= self.limit
        return "ok" if keeps else "MISSED"

    @property
    def limit_text(self) -> str:
        if self.limit is None:
            return "-"
        return f"{'at least' if self.is_least else 'at most'} {number_text(self.limit)}{self.unit}"

    @property
    def value_text(self) -> str:
        return "-" if self.value is None else f"{number_text(self.value)}{self.unit}"

    def as_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "what": self.what,
            "value": self.value,
            "limit": self.limit,
            "is_least": self.is_least,
            "unit": self.unit,
            "status": self.status,
            "value_text": self.value_text,
            "limit_text": self.limit_text,
            "parts": dict(self.parts),
            "why": self.why,
        }


def number_text(number: float) -> str:
    """As many digits as say something; whole numbers from a thousand on."""
    if 0 < abs(number) < 0.1:
        return f"{number:.2g}"
    if abs(number) >= 1000:
        return f"{number:,.0f}"
    return f"{number:.2f}" if abs(number) < 100 else f"{number:.0f}"


def not_available(name: str, what: str, limit: float | None, why: str, is_least: bool = True, unit: str = "") -> Figure:
    return Figure(name, what, None, limit, is_least, unit, why=why)


def table(figures: Sequence[Figure]) -> str:
    """The figures as columns of text."""
    rows = [("figure", "value", "limit", "", "what")]
    rows += [(each.name, each.value_text, each.limit_text, each.status, each.why or each.what) for each in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(
        "  ".join((*(row[column].ljust(widths[column]) for column in range(4)), row[4])).rstrip() for row in rows
    )
