"""Names and values of a log as the lifecycle calls them (spec/bindings.md B13). Owns the lookup; applies once, where a
value is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from lifespec.model.value import LogValue
from lifespec.trace.template import Template


@dataclass(frozen=True, slots=True)
class Renames:
    """The pairs of one part. A value None means: as if it were not there.

    An exact pair comes before patterns, of those the first that fits counts.
    """

    texts: Mapping[str, str | None]
    numbers: Mapping[int | Decimal, str | None]
    patterns: tuple[tuple[Template, Template | None], ...]

    def of_name(self, name: str) -> str | None:
        """A name (numbers are names as written)."""
        if name in self.texts:
            return self.texts[name]
        for old, new in self.patterns:
            taken = old.take(name)
            if taken is not None:
                return None if new is None else new.fill(taken)
        return name

    def has(self, name: str) -> bool:
        """Whether a pair speaks of this name."""
        return name in self.texts or any(old.take(name) is not None for old, _ in self.patterns)

    def of_value(self, value: LogValue) -> LogValue:
        """Any value of a field: text and number are never the same."""
        if type(value) is str:
            return self.of_name(value)
        if (type(value) is int or type(value) is Decimal) and value in self.numbers:
            return self.numbers[value]
        return value
