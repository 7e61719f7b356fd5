"""The fields of events that a lifecycle needs of a client, and what for. Looks at the Model alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from lifespec.model.model import (
    AlwaysPart,
    Answer,
    AtMostWhile,
    EventAnswer,
    Every,
    Expect,
    Expr,
    FieldRef,
    Machine,
    Model,
    On,
    OnPart,
    Requirement,
    Rule,
    RulePart,
)
from lifespec.model.walk import parts_of


def users_of_fields(model: Model, lacking: Collection[str]) -> dict[str, str]:
    """The fields that are required or read, and by what, as a clause for people: first what requires them. What is for
    one of the events or machines `lacking` alone is left out."""
    users: dict[str, str] = {}
    for field, user in (*_required(model, lacking), *_read(model, lacking)):
        users.setdefault(field, user)
    return users


def _required(model: Model, lacking: Collection[str]) -> Iterator[tuple[str, str]]:
    for machine in model.machines.values():
        if machine.name in lacking:
            continue
        for key in machine.keys:
            yield key, f"the key of `{machine.name}`"
        for state in machine.states.values():
            for field in state.requires:
                yield field, f"required by state `{state.name}`"
        for transition in machine.transitions:
            for field in transition.requires:
                yield field, f"required by a transition of `{machine.name}`"
    for event in model.events.values():
        for field in () if event.name in lacking else event.requires:
            yield field, f"required by event `{event.name}`"


def _read(model: Model, lacking: Collection[str]) -> Iterator[tuple[str, str]]:
    for machine in model.machines.values():
        if machine.name not in lacking:
            yield from _of_machine(machine, lacking)
    for rule in model.rules:
        for field in _of_rule(rule, lacking):
            yield field, f"read by rule `{rule.name}`"


def _of_machine(machine: Machine, lacking: Collection[str]) -> Iterator[tuple[str, str]]:
    for transition in machine.transitions:
        if isinstance(transition.trigger, On) and _are_lacking(transition.trigger.events, lacking):
            continue
        for assignment in transition.remember:
            for field in _fields((assignment.value,)):
                yield field, f"what `{machine.name}` remembers"
        for field in _fields(() if transition.where is None else (transition.where,)):
            yield field, f"read by a transition of `{machine.name}`"


def _of_rule(rule: Rule, lacking: Collection[str]) -> Iterator[str]:
    for part in rule.parts:
        if not isinstance(part, OnPart) or not _are_lacking(part.events, lacking):
            yield from _of_part(part, lacking)


def _of_part(part: RulePart, lacking: Collection[str]) -> Iterator[str]:
    if isinstance(part, AlwaysPart):
        yield from _fields((part.condition,))
        return
    where = getattr(part, "where", None)
    yield from _fields(() if where is None else (where,))
    for action in part.actions:
        match action:
            case Requirement(condition=condition):
                yield from _fields((condition,))
            case AtMostWhile(during=during):
                yield from _fields((during,))
            case Expect(answers=answers) | Every(answers=answers):
                for answer in answers:
                    yield from _of_answer(answer, lacking)
            case _:
                pass


def _of_answer(answer: Answer, lacking: Collection[str]) -> Iterator[str]:
    if not isinstance(answer, EventAnswer):
        yield from _fields((answer.condition,))
    elif not _are_lacking(answer.events, lacking):
        yield from answer.same
        yield from _fields(() if answer.where is None else (answer.where,))


def _are_lacking(events: Iterable[str], lacking: Collection[str]) -> bool:
    return all(name in lacking for name in events)


def _fields(expressions: Iterable[Expr]) -> Iterator[str]:
    for expression in expressions:
        for part in parts_of(expression):
            if isinstance(part, FieldRef):
                yield part.name
