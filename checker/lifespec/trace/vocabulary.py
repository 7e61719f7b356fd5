"""The event names that a lifecycle knows. Owns where they may stand in a Model."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.model.model import (
    EventAnswer,
    Every,
    Expect,
    Machine,
    Model,
    On,
    OnPart,
    Rule,
    WhenPart,
    WhilePart,
)


def known_events(model: Model) -> frozenset[str]:
    """Every event that a machine, a rule, a pause or an `event` declaration names."""
    names = set(model.events)
    for machine in model.machines.values():
        names.update(_of_machine(machine))
    for rule in model.rules:
        names.update(_of_rule(rule))
    for pause in model.pauses:
        names.update(pause.begins, pause.ends)
    return frozenset(names)


def users_of_events(model: Model) -> dict[str, str]:
    """The events that rules, pauses and `event` declarations name, and which of them does, as a clause for people."""
    users: dict[str, str] = {}
    for rule in model.rules:
        for name in _of_rule(rule):
            users.setdefault(name, f"which rule `{rule.name}` speaks of")
    for pause in model.pauses:
        for name in (*pause.begins, *pause.ends):
            users.setdefault(name, "which a `pause` speaks of")
    for name in model.events:
        users.setdefault(name, "which is declared")
    return users


def _of_machine(machine: Machine) -> Iterator[str]:
    yield from machine.ignored
    for transition in machine.transitions:
        if isinstance(transition.trigger, On):
            yield from transition.trigger.events


def _of_rule(rule: Rule) -> Iterator[str]:
    for part in rule.parts:
        if isinstance(part, OnPart):
            yield from part.events
        if isinstance(part, OnPart | WhenPart | WhilePart):
            for action in part.actions:
                if isinstance(action, Expect | Every):
                    for answer in action.answers:
                        if isinstance(answer, EventAnswer):
                            yield from answer.events
