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


def may_trust_sources(groups: list[Group]) -> bool:
    """Whether `from` is mostly what the record before has entered, or a state that no record is ever seen to enter.

    Where it is neither in a quarter of the records, the field is something else, or the records are not parted well.
    """
    said = wrong = 0
    for group in groups:
        if group.claims:
            initial = _initial(group)
            entered = {step.to for step in group.steps} | {initial}
            for steps in group.instances().values():
                state = initial
                for step in steps:
                    said += step.source is not None
                    wrong += step.source not in (None, state) and step.source in entered
                    state = step.to or step.source or state
    return wrong * 4 <= said


def mine_claimed(group: Group, last: Mapping[int, int], *, as_status: bool, by_source: bool) -> Machine:
    """The machine of a group whose records say states. `as_status`: its records only say where it is.
    `by_source`: where `from` is another state than the one entered last, there was a step that no record tells of."""
    initial = _initial(group)
    machine = Machine(group, initial, says_states=True, is_status=as_status)
    ways = {instance: _taken(steps, initial, by_source) for instance, steps in group.instances().items()}
    triggers = _triggers(ways)
    for instance, way in ways.items():
        taken: list[Taken] = []
        for each in way:
            if (
                not each.is_unseen
                and each.target is not None
                and (each.source, each.event, each.target) not in triggers
            ):
                events = machine.events.setdefault((each.source, each.target), {})
                if each.event is not None:
                    events[each.event] = events.get(each.event, 0) + 1
                each = Taken(each.step, each.source, None, each.target)
            taken.append(each)
        add_instance(machine, instance, taken, last)
    return machine


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


def _taken(steps: list[Step], initial: str, by_source: bool) -> list[Taken]:
    taken: list[Taken] = []
    state = initial
    for step in steps:
        if by_source and step.source is not None and step.source != state:
            taken.append(Taken(step, state, None, step.source, is_unseen=True))
            state = step.source
        if step.is_status and step.to in (None, state):
            continue
        again = step.to == state and step.event is not None  # the event comes, and the state is still the same
        taken.append(Taken(step, state, step.event, None if again else step.to))
        state = step.to or state
    return taken


def _triggers(ways: Mapping[Instance, list[Taken]]) -> set[tuple[str, str | None, str | None]]:
    """The moves that an event can be written at."""
    targets: dict[tuple[str, str | None], set[str]] = {}
    leads: dict[str | None, set[str]] = {}
    stays: set[tuple[str, str | None]] = set()
    nameless: set[tuple[str, str | None]] = set()
    for each in (each for way in ways.values() for each in way if not each.is_unseen):
        if each.target is None:
            stays.add((each.source, each.event))
        else:
            targets.setdefault((each.source, each.event), set()).add(each.target)
            leads.setdefault(each.event, set()).add(each.target)
            if each.event is None:
                nameless.add((each.source, each.target))
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
