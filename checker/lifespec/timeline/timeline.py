"""The sequence of states, events and findings of one session, as a value. Owns its shape; reads and draws nothing.

All that came from a log has been masked. A place on the axis is an instant in nanoseconds, or for a session without
times the number of a record in it, from 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from lifespec.explain import Explained
from lifespec.verdict import Place


def title_of(machine: str, key: tuple[str, ...]) -> str:
    """`connection`, or `clip[c2]`."""
    return f"{machine}[{', '.join(key)}]" if key else machine


@dataclass(frozen=True, slots=True)
class StateSpan:
    """A stay from `begin` to `end` on the axis. More than one of `states`: it was in one of them, nobody knows which.

    `kind` is that of the state ("initial", "state", "failure", "final"), or "several"; `index` its place among the
    states of the machine. `cause` is how it began: "began" (the instance did), "event", "clock", "reaction" or
    "unseen"; `line` is the line of the record at which that was known. `is_open`: it lasts beyond the timeline.
    """

    states: tuple[str, ...]
    begin: int
    end: int
    kind: str
    index: int
    cause: str
    event: str | None
    line: int
    is_open: bool


@dataclass(frozen=True, slots=True)
class Lane:
    """One instance of a machine, `key` where it has one, and where it was."""

    machine: str
    key: tuple[str, ...]
    owners: tuple[str, ...]
    spans: tuple[StateSpan, ...]

    @property
    def title(self) -> str:
        return title_of(self.machine, self.key)


@dataclass(frozen=True, slots=True)
class Mark:
    """One event of a record. `taken_by` are the titles of the instances that took it, `lanes` the numbers of those that
    are shown. `text` is the record, None where it must not or cannot be shown."""

    at: int
    number: int  # of the record in its session, from 0
    place: Place
    event: str | None
    source: str | None
    target: str | None
    owner: str | None
    taken_by: tuple[str, ...]
    lanes: tuple[int, ...]
    text: str | None


@dataclass(frozen=True, slots=True)
class Flag:
    """A finding, and when it became one. `lane` is the lane it is about, `mark` the first mark of its record; None
    where neither is shown."""

    at: int
    finding: Explained
    lane: int | None
    mark: int | None


@dataclass(frozen=True, slots=True)
class Cut:
    """So many records between two places on the axis are not shown."""

    begin: int
    end: int
    records: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """One session of one log (or of logs that were joined). `records` are all of the session, shown or not;
    `hidden_lanes` counts instances that are not shown."""

    log: str
    session: str
    has_time: bool
    begin: int
    end: int
    lanes: tuple[Lane, ...]
    marks: tuple[Mark, ...]
    flags: tuple[Flag, ...]
    cuts: tuple[Cut, ...] = ()
    records: int = 0
    hidden_lanes: int = 0
    has_several_clocks: bool = False


@dataclass(frozen=True, slots=True)
class NoTimeline:
    """A session of which there is none, and why, as a fragment of a sentence."""

    log: str
    session: str
    why: str
