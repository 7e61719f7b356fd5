"""What was mined of one machine: states, moves, stays, ends. Owns the shapes and the counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from lifespec.infer.assign import Group, Instance
from lifespec.infer.name import words_of
from lifespec.infer.step import Step

_FAILING = {"fail", "failed", "failure", "failing", "error", "errored", "lost", "broken", "crash", "crashed",
            "crashloopbackoff", "aborted", "timeout", "dead", "refused", "rejected", "denied", "unhealthy", "fatal",
            "evicted", "oomkilled"}  # fmt: skip

_GOING_ON = {
    "open",
    "opened",
    "connected",
    "active",
    "ready",
    "valid",
    "online",
    "up",
    "started",
    "live",
    "joined",
    "busy",
}
_ENDING = {"end", "done", "over", "gone", "exit", "success", "dead"}

Move = tuple[str, str | None, str | None]
"""Source, event (None: whatever record claims the target), target (None: it stays)."""


@dataclass(slots=True)
class Stays:
    """Of one state: how often it was entered, the lengths of the stays that were left, and those that were not."""

    entered: list[Step] = field(default_factory=list)
    unseen: int = 0  # how often it was entered by no record
    left_ns: list[int] = field(default_factory=list)
    open_ns: list[int] = field(default_factory=list)
    ended: int = 0  # instances whose last record leaves them here


@dataclass(slots=True)
class Machine:
    """`says_states`: the states are the log's own words; else they were made from what follows what."""

    group: Group
    initial: str
    says_states: bool
    is_status: bool = False
    states: dict[str, Stays] = field(default_factory=dict)
    moves: dict[Move, list[Step]] = field(default_factory=dict)
    unseen: dict[tuple[str, str], list[Step]] = field(default_factory=dict)  # by the record that shows it afterwards
    events: dict[tuple[str, str | None], dict[str, int]] = field(default_factory=dict)  # of open moves, for the doc
    behind: dict[str, tuple[str, ...]] = field(default_factory=dict)  # the events that leave a state that was made
    ends: dict[Instance, str] = field(default_factory=dict)  # the last state of each instance
    ends_are_open: str = ""  # why no state is final though some are never left

    @property
    def name(self) -> str:
        return self.group.name

    def never_left(self) -> set[str]:
        """States that are never left, in which an instance ends."""
        left = {source for source, _, _ in self.moves} | {source for source, _ in self.unseen}
        return {
            state for state, stays in self.states.items() if state not in left and stays.ended and state != self.initial
        }

    def finals(self) -> set[str]:
        """Those of them that may well be the end: several instances ended there, or their name says so."""
        return set() if self.ends_are_open else self.named_like_ends()

    def named_like_ends(self) -> set[str]:
        return {state for state in self.never_left() if _may_be_final(state, self.states[state].ended)}


def settle_ends(machines: Sequence[Machine], failures: Set[tuple[str, str]]) -> None:
    """Takes back final states that the logs speak against: where most instances end elsewhere, and where a session
    that is complete (S55) leaves an instance of a keyed machine in another state."""
    for machine in machines:
        finals = machine.finals()
        over = sum(end in finals or (machine.name, end) in failures for end in machine.ends.values())
        if finals and over * 2 < len(machine.ends):
            machine.ends_are_open = f"{len(machine.ends) - over} of {len(machine.ends)} end in other states"
    plain = [machine for machine in machines if machine.group.key is None and machine.finals()]
    counted = Counter(
        session for machine in plain for (session, _), end in machine.ends.items() if end in machine.finals()
    )
    complete = {session for session, count in counted.items() if count == len(plain)}
    for machine in machines:
        allowed = machine.finals() | {machine.initial}
        if machine.group.key is None or not machine.finals():
            continue
        open_ones = [
            end
            for (session, _), end in machine.ends.items()
            if session in complete and end not in allowed and (machine.name, end) not in failures
        ]
        if open_ones:
            machine.ends_are_open = (
                f"{len(open_ones)} of {len(machine.ends)} are in other states when their session is over"
            )


def _may_be_final(state: str, ended: int) -> bool:
    words = words_of(state)
    last = words[-1] if words else ""
    if last.endswith("ing") or last in _GOING_ON:
        return False
    return not is_failing(state, words) and (ended > 1 or last.endswith("ed") or last in _ENDING)


def is_failing(name: str, words: Sequence[str]) -> bool:
    """Whether a name sounds like a failure."""
    return bool(_FAILING & set(words)) or name.lower() in _FAILING


@dataclass(frozen=True, slots=True)
class Taken:
    """One step as a move: what state it led to, None where it stayed. `is_unseen`: no record tells of it, and `step` is
    the one that leaves the state that it led to."""

    step: Step
    source: str
    event: str | None
    target: str | None
    is_unseen: bool = False


def add_instance(machine: Machine, instance: Instance, taken: Sequence[Taken], last: Mapping[int, int]) -> None:
    """Counts the moves and stays of one instance."""
    state, since = machine.initial, taken[0].step.time if taken else None
    machine.states.setdefault(state, Stays())
    for each in taken:
        if each.is_unseen:
            assert each.target is not None
            machine.unseen.setdefault((each.source, each.target), []).append(each.step)
            state, since = each.target, None  # when it was entered, nobody knows
            machine.states.setdefault(state, Stays()).unseen += 1
            continue
        machine.moves.setdefault((each.source, each.event, each.target), []).append(each.step)
        if each.target is None:
            continue
        if since is not None and each.step.time is not None:
            machine.states[state].left_ns.append(each.step.time - since)
        state, since = each.target, each.step.time
        machine.states.setdefault(state, Stays()).entered.append(each.step)
    stays = machine.states[state]
    stays.ended += 1
    machine.ends[instance] = state
    if since is not None and taken:
        stays.open_ns.append(max(0, last.get(taken[0].step.session, since) - since))
