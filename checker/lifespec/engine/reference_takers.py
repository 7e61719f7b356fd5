"""Whom an event is for: spec/semantics.md S4 to S9. Reads the model and one event, keeps nothing."""

from __future__ import annotations

from dataclasses import dataclass

from lifespec.engine.reference_values import key_of
from lifespec.model.model import AlwaysPart, EventAnswer, Machine, Model, On, OnPart
from lifespec.trace.event import Event


@dataclass(frozen=True, slots=True)
class Taker:
    """A machine that takes the event. `of` has None when the event is its own, and the names of the machines
    whose event it is also (S5)."""

    machine: str
    of: frozenset[str | None]


@dataclass(frozen=True, slots=True)
class LostKey:
    """A machine that would take the event if it had its key; `named` when the record names the machine."""

    machine: str
    named: bool


@dataclass(frozen=True, slots=True)
class ForWhom:
    """`takers` as declared; `lost` is the first machine that a missing key kept from the event; `passed_over`
    says that a machine ignores it without its key (S8)."""

    takers: tuple[Taker, ...]
    lost: LostKey | None
    passed_over: bool


def find_takers(model: Model, event: Event) -> ForWhom:
    """Whom an event is for."""
    candidates, named = _candidates(model, event)
    lost: LostKey | None = None
    passed_over = False
    own: list[str] = []
    for machine in candidates:
        if key_of(machine, event, model) is not None:  # S6
            own.append(machine.name)
        elif event.name is not None and event.name in machine.ignored:  # S8: missing keys included
            passed_over = True
        elif lost is None:
            lost = LostKey(machine.name, named)
    takers: list[Taker] = []
    for machine in model.machines.values():
        of: set[str | None] = {None} if machine.name in own else set()
        of |= {n for n in own if n != machine.name and knows_of(machine, event.name, n)}  # S5
        if of and key_of(machine, event, model) is not None:
            takers.append(Taker(machine.name, frozenset(of)))
    return ForWhom(tuple(takers), lost, passed_over)


def _candidates(model: Model, event: Event) -> tuple[list[Machine], bool]:
    machines = list(model.machines.values())
    named = model.machines.get(event.machine) if event.machine is not None else None
    if event.name is None:
        if event.target is None:  # S4: a record with neither only moves the clock
            return [], False
        if event.machine is not None:
            return ([named], True) if named is not None else ([], False)
        return [m for m in machines if event.target in m.states][:1], False
    if named is not None and (knows(named, event.name) or (event.target is not None and is_triggerless(named))):
        return [named], True
    knowing = [m for m in machines if knows(m, event.name)]
    if event.target is not None and event.machine is None and not any(event.target in m.states for m in knowing):
        claimed = [m.name for m in machines if is_triggerless(m) and event.target in m.states][:1]
        knowing = [m for m in machines if m in knowing or m.name in claimed]
    return knowing, False


def knows(machine: Machine, event: str) -> bool:
    """S4: it names the event in an `on` without `of`, or ignores it."""
    if event in machine.ignored:
        return True
    return any(
        isinstance(t.trigger, On) and t.trigger.of is None and event in t.trigger.events for t in machine.transitions
    )


def knows_of(machine: Machine, event: str | None, other: str) -> bool:
    """S5: it has the event by `of` from `other`."""
    return any(
        isinstance(t.trigger, On) and t.trigger.of == other and event in t.trigger.events for t in machine.transitions
    )


def is_triggerless(machine: Machine) -> bool:
    """S16: it has transitions that any record takes that claims their states."""
    return any(t.trigger is None for t in machine.transitions)


def is_known(model: Model, event: Event) -> bool:
    """S9: only rules, pauses or `event` declarations name it; then it is legal in every state."""
    if event.name is None:
        return False
    if event.name in model.events:
        return True
    if any(event.name in pause.begins or event.name in pause.ends for pause in model.pauses):
        return True
    return any(event.name in names_of_rule for names_of_rule in _names_in_rules(model))


def _names_in_rules(model: Model) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for rule in model.rules:
        for part in rule.parts:
            if isinstance(part, OnPart):
                found.append(part.events)
            if isinstance(part, AlwaysPart):
                continue
            for action in part.actions:
                answers = getattr(action, "answers", ())
                found.extend(answer.events for answer in answers if isinstance(answer, EventAnswer))
    return found


__all__ = ["ForWhom", "LostKey", "Taker", "find_takers", "is_known", "is_triggerless", "knows", "knows_of"]
