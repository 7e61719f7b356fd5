"""Into which segments sessions are sorted: by a field of their events, or by where a machine is. Owns names and bounds.

A name is a field that the lifecycle declares, else a machine without keys (the state that it is in), else a state or a
group of one such machine (whether it is in it), else a field that it does not declare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal

from msgspec import Struct

from lifespec.model.convert import NotConverted, convert
from lifespec.model.model import FieldSpec, Model
from lifespec.model.value import Duration, Instant, LogValue

NOT_SET = "(not set)"
NO_SINGLE_VALUE = "(no single value)"
INVALID = "(not of its form)"
_LONGEST = 60
_MOST_SEEN = 1000


class Dimension(Struct, frozen=True):
    """One name that sessions are sorted by. `machine` and `states` are set where it is about a machine; without
    `states` its values are the states themselves."""

    name: str
    machine: str | None = None
    states: frozenset[str] | None = None
    initial: str = NOT_SET
    spec: FieldSpec | None = None

    def of_state(self, state: str) -> str:
        """The value while the machine is in a state."""
        if self.states is None:
            return state
        return self.name if state in self.states else f"not {self.name}"


def dimension_of(model: Model, name: str) -> Dimension:
    """What a name stands for in this lifecycle."""
    if name in model.fields:
        return Dimension(name, spec=model.fields[name])
    machine = model.machines.get(name)
    if machine is not None and not machine.keys:
        return Dimension(name, name, None, machine.initial)
    for each in model.machines.values():
        states = frozenset({name}) if name in each.states else each.groups[name].states if name in each.groups else None
        if states is not None and not each.keys:
            found = Dimension(name, each.name, states)
            return Dimension(name, each.name, states, found.of_state(each.initial))
    return Dimension(name)


class Unknown:
    """Names that stand for nothing that a lifecycle declares, and what the logs show of them. `seen` are fields that
    events had, the first ones."""

    def __init__(self, names: Iterable[str]) -> None:
        self.missing = dict.fromkeys(names)
        self.seen: set[str] = set()

    def look(self, fields: Iterable[str]) -> None:
        """See the fields of one event."""
        if self.missing:
            for name in fields:
                self.missing.pop(name, None)
                if len(self.seen) < _MOST_SEEN:
                    self.seen.add(name)


def value_text(value: LogValue, spec: FieldSpec | None, mask: Callable[[str], str]) -> str | None:
    """The value of a field as the name of a segment or a reason; None when it is not set.

    Forbidden values are masked, and what has not the form that its declaration asks for may be anything: it is never
    shown.
    """
    if value is not None and is_malformed(value, spec):
        return INVALID
    if value is None or (isinstance(value, str) and (not value or value.isspace())):
        return None
    if isinstance(value, list | dict):
        return NO_SINGLE_VALUE
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Duration | Instant):
        value = value.ns
    text = mask(format(value, "f") if isinstance(value, Decimal) and abs(value.adjusted()) < _LONGEST else str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def is_malformed(value: LogValue, spec: FieldSpec | None) -> bool:
    """Whether a field has a declared form (`like`) and the value has another."""
    return spec is not None and spec.like is not None and isinstance(convert(value, spec), NotConverted)
