"""Machines of logs that say states: a transition is a pair of states, one after the other in an instance.

Owns which event is a trigger: one that leads from a state to one target only. Where it leads to several, as an event
`stateChanged` does, the pair of states stands without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from lifespec.infer.assign import Group, Instance
from lifespec.infer.machine import Machine, Taken, add_instance
from lifespec.infer.step import Step

_UNSEEN = ("start", "before-first", "not-seen-yet", "unnamed-start")


def keeps_to_sources(groups: list[Group]) -> int:
    """In how many records `from` is another state than the one that the record before has entered."""
    wrong = 0
    for group in groups:
        if group.claims:
            initial = _initial(group)
            for steps in group.instances().values():
                state = initial
                for step in steps:
                    wrong += step.source is not None and step.source != state
                    state = step.to or state
    return wrong


def mine_claimed(group: Group, last: Mapping[int, int], *, as_status: bool) -> Machine:
    """The machine of a group whose records say states. `as_status`: a state that is said again is no step."""
    initial = _initial(group)
    machine = Machine(group, initial, says_states=True, is_status=as_status)
    ways = {instance: _pairs(steps, initial) for instance, steps in group.instances().items()}
    if as_status:
        ways = {
            instance: [each for each in pairs if each[2] is not None and each[1] != each[2]]
            for instance, pairs in ways.items()
        }
    triggers = _triggers(ways)
    for instance, pairs in ways.items():
        taken: list[Taken] = []
        for step, source, target in pairs:
            event = step.event
            if target is not None and (source, event, target) not in triggers:
                events = machine.events.setdefault((source, target), {})
                if event is not None:
                    events[event] = events.get(event, 0) + 1
                event = None
            taken.append(Taken(step, source, event, target))
        add_instance(machine, instance, taken, last)
    return machine


_Pairs = list[tuple[Step, str, str | None]]


def _initial(group: Group) -> str:
    """What the first records say that they leave; a name of our own where none says so."""
    first: Counter[str] = Counter()
    names: set[str] = set()
    for steps in group.instances().values():
        found = next((step for step in steps if step.to is not None or step.source is not None), None)
        if found is not None and found.source is not None:
            first[found.source] += 1
        names.update(name for step in steps for name in (step.to, step.source) if name is not None)
    if first:
        return min(first, key=lambda name: (-first[name], name))
    return next(name for name in (*_UNSEEN, *(f"start-{n}" for n in range(2, 999))) if name not in names)


def _pairs(steps: list[Step], initial: str) -> _Pairs:
    pairs: _Pairs = []
    state = initial
    for step in steps:
        again = step.to == state and step.event is not None  # the event comes, and the state is still the same
        pairs.append((step, state, None if again else step.to))
        state = step.to or state
    return pairs


def _triggers(ways: Mapping[Instance, _Pairs]) -> set[tuple[str, str | None, str | None]]:
    """The moves that an event can be written at."""
    targets: dict[tuple[str, str | None], set[str]] = {}
    leads: dict[str | None, set[str]] = {}
    stays: set[tuple[str, str | None]] = set()
    nameless: set[tuple[str, str | None]] = set()
    for pairs in ways.values():
        for step, source, target in pairs:
            if target is None:
                stays.add((source, step.event))
            else:
                targets.setdefault((source, step.event), set()).add(target)
                leads.setdefault(step.event, set()).add(target)
                if step.event is None:
                    nameless.add((source, target))
    generic = {event for (_, event), to in targets.items() if len(to) > 1 and len(leads[event]) > 2}
    if len(leads) == 1:
        generic |= {event for event, to in leads.items() if len(to) > 2}
    blocked = set(nameless)
    for (source, event), to in targets.items():
        if len(to) > 1 or event in generic or (source, event) in stays or event is None:
            blocked.update((source, target) for target in to)
    return {
        (source, event, target)
        for (source, event), to in targets.items()
        for target in to
        if (source, target) not in blocked
    }
