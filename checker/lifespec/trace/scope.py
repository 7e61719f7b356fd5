"""What an expression of a binding may see while one record is read. Owns shapes only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from msgspec import Struct

from lifespec.model.value import LogValue


class Unreadable(Struct, frozen=True):
    """A value is there, but cannot be what the binding says it is. `found` is None for what is better
    not repeated, `expected` says in words what would do."""

    found: str | None
    expected: tuple[str, ...]


# None is absent (or, in a condition, unknown).
Read: TypeAlias = LogValue | Unreadable


@dataclass(slots=True)
class Scope:
    """One record being read. `names` are bound by the `each` of `read`; `lets` has the value of every `let`, and
    what every `match` took, once one has been asked for; `holes` is bound by one `on`; `previous_ns` is the time of
    the record before."""

    record: LogValue
    header: LogValue
    file_name: str
    file_path: str
    previous_ns: int | None = None
    lets: dict[str, Read] | None = None
    holes: Mapping[str, Read] = field(default_factory=dict)
    names: Mapping[str, Read] = field(default_factory=dict)


Getter: TypeAlias = Callable[[Scope], Read]
