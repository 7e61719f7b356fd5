"""The parts of one record: names, states, time and fields, read and renamed. Owns `else previous` (B10).

Decides nothing: which events are made of the parts is `translate`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lifespec.model.value import Instant, LogValue, Unread
from lifespec.trace.compiled import PARTS, CompiledBinding, Part
from lifespec.trace.event import Place
from lifespec.trace.lookup import as_name, as_object
from lifespec.trace.rename import Renames
from lifespec.trace.scope import Getter, Read, Scope, Unreadable

_STATE = Unreadable(None, ("the name of a state",))
_EVENT = Unreadable(None, ("the name of an event",))


@dataclass(slots=True)
class Work:
    """A record while it is worked on. `problems` are what was unreadable, by part; `fields` None: not read yet."""

    scope: Scope
    place: Place
    name: str | None = None
    session: str | None = None
    machine: str | None = None
    time_ns: int | None = None
    fields: dict[str, LogValue] | None = None
    problems: dict[str, Unreadable] = field(default_factory=dict)
    repeated: dict[str, Read] = field(default_factory=dict)  # parts with `else previous`, once they are read
    unreadable_time: Unreadable | None = None
    clock: str = ""  # of `clock per`
    body: LogValue = None  # what `forbid` searches
    around: Mapping[str, LogValue] = field(default_factory=dict)  # and what stands around it, if it is the first there
    late_ns: int | None = None  # of `order by time`: how late it comes


class Parts:
    """Reads the parts of the records of one log in their order."""

    def __init__(self, compiled: CompiledBinding) -> None:
        self._compiled = compiled
        self._previous: dict[str, Read] = {}
        self._state_renames = compiled.renames.get("state")
        behind_the_name = (compiled.source, compiled.target, compiled.owner, *compiled.fields)
        self._repeating = tuple(part for part in behind_the_name if part is not None and part.repeats)
        self.previous_ns: int | None = None  # the time of the record before
        self.written: str | None = None  # the name of the record in the log, if events are renamed

    def restart(self) -> None:
        """B10, B12: another series begins: nothing is repeated from the one before, nor counted on it."""
        self._previous.clear()
        self.previous_ns = None

    def read_repeating(self, work: Work) -> None:
        """Reads what a later record may repeat, though this one is passed over or waits for its turn."""
        for part in self._repeating:
            self._repeated(part, work)

    # --- names -----------------------------------------------------------------------------------

    def name(self, part: Part | None, work: Work) -> str | None:
        """A part that is a name, renamed."""
        if part is None:
            return None
        value = self._repeated(part, work) if part.repeats else part.get(work.scope)
        return self._renamed(part.name, value, self._compiled.renames.get(part.name), work)

    def event_name(self, work: Work) -> str | None:
        """The name of the event, renamed; `written` is it as the log has it, where a `rename` may change it."""
        part, renames = self._compiled.event, self._compiled.renames.get("event")
        if part is None or renames is None:
            return self.name(part, work)
        value = self._repeated(part, work) if part.repeats else part.get(work.scope)
        self.written = self._renamed(part.name, value, None, work)
        return None if self.written is None else renames.of_name(self.written)

    def owner(self, get: Getter, renames: bool, work: Work) -> str | None:
        """The owner that a `by` gives."""
        return self._renamed("owner", get(work.scope), self._compiled.renames.get("owner") if renames else None, work)

    def event(self, get: Getter, work: Work) -> str | None:
        """The name that an `emit` gives: a finding when there is none."""
        name = as_name(get(work.scope))
        if name is None or isinstance(name, Unreadable):
            work.problems.setdefault("event", name or _EVENT)
            return None
        return name

    def states(self, work: Work) -> tuple[str | None, str | None]:
        """The states that the record itself says it leaves and enters."""
        source, target = self._compiled.source, self._compiled.target
        return (
            None if source is None else self._state(source.name, self._value(source, work), work.machine, work),
            None if target is None else self._state(target.name, self._value(target, work), work.machine, work),
        )

    def state(
        self, part: str, get: Getter, machine: str | None, work: Work, *, renames: bool, owed: bool
    ) -> str | None:
        """The state that an `emit` gives. `owed`: without it the step is into nowhere, which is a finding."""
        value = get(work.scope)
        if owed and as_name(value) is None:
            value = _STATE
        return self._state(part, value, machine, work) if renames else self._renamed(part, value, None, work)

    def _renamed(self, part: str, value: Read, renames: Renames | None, work: Work) -> str | None:
        name = as_name(value)
        if isinstance(name, Unreadable):
            work.problems.setdefault(part, name)
            return None
        return name if name is None or renames is None else renames.of_name(name)

    def _state(self, part: str, value: Read, machine: str | None, work: Work) -> str | None:
        """B13: a state, renamed for its machine or, when that has nothing to say, for all."""
        own = self._compiled.state_renames.get(machine) if machine is not None else None
        name = self._renamed(part, value, None, work)
        if own is not None and name is not None and own.has(name):
            return own.of_name(name)
        return name if name is None or self._state_renames is None else self._state_renames.of_name(name)

    # --- time and fields -------------------------------------------------------------------------

    def time(self, work: Work) -> Unreadable | None:
        """Reads the time; returns what could not be read."""
        part = self._compiled.time
        if part is None:
            return None
        value = part.get(work.scope)
        if type(value) is Instant:
            work.time_ns = self.previous_ns = value.ns
        elif part.repeats:
            work.time_ns = self.previous_ns
        return value if isinstance(value, Unreadable) and not part.repeats else None

    def fields(self, work: Work) -> dict[str, LogValue]:
        """B14: the fields of the record, those of `fields from` first; of equal names the assigned one counts."""
        if work.fields is None:
            fields = work.fields = {}
            for get in self._compiled.fields_from:
                for name, value in as_object(get(work.scope)).items():
                    if value is not None and name not in PARTS and name not in fields:
                        self.set_field(fields, name, value, work)
            for part in self._compiled.fields:
                self.set_field(fields, part.name, self._value(part, work), work)
        return work.fields

    def set_field(
        self, fields: dict[str, LogValue], name: str, value: Read, work: Work, *, renames: bool = True
    ) -> None:
        """Writes one field, renamed; takes it away when it is absent. What is unreadable is there, and not missed."""
        pairs = self._compiled.field_renames.get(name) if renames else None
        if isinstance(value, Unreadable):
            work.problems.setdefault(name, value)
            value = Unread()
        elif pairs is not None:
            value = pairs.of_value(value)
        if value is None:
            fields.pop(name, None)
        else:
            fields[name] = value

    # --- else previous ---------------------------------------------------------------------------

    def _value(self, part: Part, work: Work) -> Read:
        return self._repeated(part, work) if part.repeats else part.get(work.scope)

    def _repeated(self, part: Part, work: Work) -> Read:
        """The value of a part, or that of the record before when it is absent or unreadable."""
        if part.name in work.repeated:
            return work.repeated[part.name]
        value = part.get(work.scope)
        if value is None or value == "" or isinstance(value, Unreadable):
            value = self._previous.get(part.name, value)
        else:
            self._previous[part.name] = value
        work.repeated[part.name] = value
        return value
