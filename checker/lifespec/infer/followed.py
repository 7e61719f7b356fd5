"""Machines of logs that say no states: made from which event follows which in an instance.

A state is what an event leaves behind. Two events leave the same state if the same events were seen behind both, and
both or neither sound like a failure; nothing else is merged, so that no two events follow each other in the
draft that never did in the logs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from lifespec.infer.assign import Group
from lifespec.infer.machine import Machine, Taken, add_instance, is_failing
from lifespec.infer.name import as_word, words_of
from lifespec.infer.step import Step

MOST_EVENTS = 80
MOST_MOVES = 250
_MANY = 20  # events of which an order must be seen before it is believed
_STATE_LIKE = {
    "open",
    "ready",
    "done",
    "up",
    "down",
    "online",
    "offline",
    "lost",
    "gone",
    "idle",
    "active",
    "over",
    "end",
}

_Start = None


def mine_followed(group: Group, last: Mapping[int, int], *, believes: bool = False) -> Machine | None:
    """The machine of a group whose records say no states, or None when there is no order to be seen.
    `believes`: an order is believed that was seen once only."""
    ways = {
        instance: [step for step in steps if step.event is not None] for instance, steps in group.instances().items()
    }
    followers: dict[str | None, set[str]] = {_Start: set()}
    pairs: Counter[tuple[str | None, str]] = Counter()
    count = 0
    for steps in ways.values():
        before: str | None = _Start
        for step in steps:
            assert step.event is not None
            followers.setdefault(step.event, set())
            followers[before].add(step.event)
            pairs[before, step.event] += 1
            before = step.event
            count += 1
    events = [event for event in followers if event is not None]
    if len(events) < (1 if group.by_field else 2) or len(events) > MOST_EVENTS or len(pairs) > MOST_MOVES * 2:
        return None
    if len(events) > _MANY and len(pairs) * 2 > count and not believes:
        return None
    states = _states(followers, pairs)
    moves = {(states[before], event) for before, event in pairs}
    if len(moves) > MOST_MOVES:
        return None
    machine = Machine(group, states[_Start], says_states=False)
    for event in events:
        machine.behind[states[event]] = (*machine.behind.get(states[event], ()), event)
    for instance, steps in ways.items():
        add_instance(machine, instance, _taken(steps, states), last)
    return machine


def _taken(steps: Sequence[Step], states: Mapping[str | None, str]) -> list[Taken]:
    taken: list[Taken] = []
    state = states[_Start]
    for step in steps:
        target = states[step.event]
        taken.append(Taken(step, state, step.event, None if target == state else target))
        state = target
    return taken


def _states(followers: Mapping[str | None, set[str]], pairs: Counter[tuple[str | None, str]]) -> dict[str | None, str]:
    """The state behind each event, and the one before all."""
    classes: dict[tuple[frozenset[str], bool], list[str | None]] = {}
    for event, behind in followers.items():
        failing = event is not None and is_failing(event, words_of(event))
        classes.setdefault((frozenset(behind), failing), []).append(event)
    states: dict[str | None, str] = {}
    used: set[str] = set()
    for members in classes.values():
        inside = {event for event in members if event is not None}
        entered: Counter[str] = Counter()  # rather from elsewhere than by what only repeats inside
        for (before, event), count in pairs.items():
            if event in inside:
                entered[event] += count * (len(pairs) if before not in members else 1)
        named = sorted(inside, key=lambda event: (-entered[event], event))
        name = "start" if not named or _Start in members else _name(named[0])
        while name in used:
            name += "-2"
        used.add(name)
        states.update(dict.fromkeys(members, name))
    return states


def _name(event: str) -> str:
    """`opened` is as good as a state; behind `connect` stands `after-connect`."""
    words = words_of(event)
    is_state = bool(words) and (words[-1].endswith("ed") or words[-1] in _STATE_LIKE)
    return as_word(event) if is_state else f"after-{as_word(event)}"
