"""An event, as a binding makes it from a record of a log. Owns the shape only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lifespec.model.value import LogValue
from lifespec.verdict import Place

__all__ = ["Client", "Event", "Place", "Record"]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. `source` and `target` are the states the record claims.

    `name` is None for a step without an event name; `status` says that the machine *is* in `target`
    (nothing happened if it was there already).
    """

    name: str | None = None
    machine: str | None = None
    source: str | None = None
    target: str | None = None
    status: bool = False
    owner: str | None = None
    fields: Mapping[str, LogValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a log: one step of one session.

    `session` is None when it is missing (then only `forbid` looks at it). `time_ns` is None when the log
    has no clock; with `time_taken` it is that of an earlier record, since its own is not there or cannot be read (B22).
    `body` is what `forbid` searches. `ends_session` is `ends session` of a binding.
    `clock` names the one that `time_ns` is of, where the binding tells several apart (`clock per`, B39).
    """

    place: Place
    session: str | None
    time_ns: int | None
    events: tuple[Event, ...]
    body: LogValue = None
    ends_session: bool = False
    time_taken: bool = False
    clock: str = ""


@dataclass(frozen=True, slots=True)
class Client:
    """What a binding says of the client as a whole; engines take it beside the model.

    `lacking_*` is what the client cannot log. `cut_start`, `cut_end`, `sampled` and `whole` speak of the
    recording, `has_time`, `has_owner` and `has_source` say whether the binding assigns those parts.
    """

    lacking_events: frozenset[str] = frozenset()
    lacking_fields: frozenset[str] = frozenset()
    lacking_machines: frozenset[str] = frozenset()
    cut_start: bool = False
    cut_end: bool = False
    sampled: bool = False
    whole: bool = False
    has_time: bool = True
    has_owner: bool = True
    has_source: bool = True
    ignored_machines: frozenset[str] = frozenset()  # of `ignore machines`
