"""What may have happened unseen: spec/semantics.md S3, S51 to S53. Asks model and client, keeps nothing."""

from __future__ import annotations

from lifespec.model.model import After, At, Machine, On, Transition, When
from lifespec.trace.event import Client


def may_be_unseen(transition: Transition, client: Client) -> bool:
    """The client may take the transition without a record of it, whenever it is in one of its sources."""
    if client.sampled or transition.machine in client.lacking_machines:  # S53, S51
        return True
    match transition.trigger:
        case On(events=events):  # S51
            return all(event in client.lacking_events for event in events)
        case After() | At():  # S3
            return not client.has_time
        case _:
            return False


def may_exist_unseen(machine: Machine, client: Client) -> bool:
    """Records that we do not have may have been for an instance before its first one. A machine without keys has
    its instance from the first record of the session (S10)."""
    if client.cut_start or machine.name in client.lacking_machines:
        return True
    if not machine.keys:
        return False
    if client.sampled:
        return True
    named = {e for t in machine.transitions if isinstance(t.trigger, On) for e in t.trigger.events}
    return not client.lacking_events.isdisjoint(named | machine.ignored)


def hidden_states(machine: Machine, client: Client) -> frozenset[str]:
    """Where an instance may be that no record has been for: in its initial state, if nothing is hidden."""
    if client.cut_start or machine.name in client.lacking_machines:  # S52
        return frozenset(machine.states)
    reached = [machine.initial]
    for state in reached:
        for transition in _hidden_transitions(machine, client):
            if state in transition.sources:
                reached += [goes for goes in transition.targets if goes not in reached]
    return frozenset(reached)


def hidden_memories(machine: Machine, client: Client) -> list[str]:
    """What such an instance may remember without our knowing."""
    if client.cut_start or machine.name in client.lacking_machines:
        return list(machine.memories)
    states = hidden_states(machine, client)
    written = [
        assignment.name
        for transition in _hidden_transitions(machine, client)
        if states & set(transition.sources)
        for assignment in transition.remember
    ]
    return list(dict.fromkeys(written))


def _hidden_transitions(machine: Machine, client: Client) -> list[Transition]:
    """Those that an instance may have taken before its first record: also by the clock and as reactions, since it
    may have existed."""
    if not may_exist_unseen(machine, client):
        return []
    return [t for t in machine.transitions if may_be_unseen(t, client) or isinstance(t.trigger, When | After | At)]
