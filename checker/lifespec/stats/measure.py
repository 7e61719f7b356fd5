"""What can be measured in the logs of a lifecycle: taken from what it declares, never from the names in it.

Owns which measures a Model has, their exact begin and end, and what of them is worse; measures nothing.
The definitions, in words, are in docs/explanation/statistics.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from lifespec.engine.observed import Part, Use
from lifespec.model.model import (
    Aggregate,
    And,
    Arithmetic,
    At,
    AtMostWhile,
    Choice,
    Comparison,
    Every,
    Expr,
    FieldRef,
    Has,
    InstanceRef,
    KeyRef,
    Like,
    Machine,
    Membership,
    MemoryRef,
    Model,
    Negative,
    Not,
    On,
    OnPart,
    Or,
    Requirement,
    StateKind,
    Whose,
)

STATE = "time in state"
REACH = "time to reach"
RECOVER = "time to recover"
ATTEMPTS = "attempts"
GAP = "gap between signs"
LIFE = "life left at use"
CLEANUP = "time to clean up"

KINDS = (REACH, RECOVER, ATTEMPTS, GAP, LIFE, CLEANUP, STATE)
LONGER, SHORTER = "longer", "shorter"


class Measure(Struct, frozen=True):
    """Something measured, any number of times in a session.

    `name` tells it apart within its `kind`. `start` and `end` say between what, for people. `unit` is "ns", or
    "count". `worse` is LONGER or SHORTER, None where neither is worse. `bound` is what the lifecycle allows, in
    `unit`. `events` are those that start or end it: both sides of a comparison must log them. `machine` is the one
    that it is about, if it is about one.
    """

    kind: str
    name: str
    start: str
    end: str
    unit: str = "ns"
    worse: str | None = LONGER
    bound: int | None = None
    events: frozenset[str] = frozenset()
    machine: str | None = None

    @property
    def id(self) -> str:
        """Tells it apart from all others, of any lifecycle with the same names."""
        return f"{self.kind}: {self.name}"


class Measures(Struct, frozen=True):
    """All measures of a lifecycle, each where an observer finds it: by machine and state, or by the part of a rule."""

    in_state: dict[tuple[str, str], Measure]
    to_reach: dict[tuple[str, str], Measure]
    to_recover: dict[tuple[str, str], Measure]
    attempts: dict[Part, Measure]
    gaps: dict[Part, Measure]
    life: dict[str, Measure]
    cleanup: Measure | None
    uses: tuple[Use, ...]

    def all(self) -> tuple[Measure, ...]:
        """All of them, by kind, then as declared."""
        cleanup = [] if self.cleanup is None else [self.cleanup]
        found = (
            *self.to_reach.values(),
            *self.to_recover.values(),
            *self.attempts.values(),
            *self.gaps.values(),
            *self.life.values(),
            *cleanup,
            *self.in_state.values(),
        )
        return tuple({measure.id: measure for measure in found}.values())


def measures_of(model: Model) -> Measures:
    """What can be measured in logs of this lifecycle."""
    uses = tuple(_uses(model))
    return Measures(
        in_state=dict(_in_state(model)),
        to_reach=dict(_to_reach(model)),
        to_recover=dict(_to_recover(model)),
        attempts=dict(_attempts(model)),
        gaps=dict(_gaps(model)),
        life={
            use.machine: Measure(
                LIFE,
                use.machine,
                f"{_words(sorted(each.event for each in uses if each.machine == use.machine))}",
                f"the instant at which `{use.machine}` ends",
                worse=SHORTER,
                machine=use.machine,
                events=frozenset(each.event for each in uses if each.machine == use.machine),
            )
            for use in uses
        },
        cleanup=_cleanup(model),
        uses=uses,
    )


def start_events(machine: Machine) -> frozenset[str]:
    """The events that lead out of the initial state."""
    return frozenset(
        name
        for each in machine.transitions
        if isinstance(each.trigger, On) and each.targets and machine.initial in each.sources
        for name in each.trigger.events
    )


def end_events(machine: Machine) -> frozenset[str]:
    """The events that lead into a failure or a final state."""
    return frozenset(
        name
        for each in machine.transitions
        if isinstance(each.trigger, On) and any(_ends(machine, target) for target in each.targets)
        for name in each.trigger.events
    )


def _ends(machine: Machine, state: str) -> bool:
    return machine.states[state].kind in (StateKind.FAILURE, StateKind.FINAL)


def _into(machine: Machine, state: str) -> frozenset[str]:
    """The events that lead into a state."""
    return frozenset(
        name
        for each in machine.transitions
        if isinstance(each.trigger, On) and state in each.targets
        for name in each.trigger.events
    )


def _out_of(machine: Machine, state: str) -> frozenset[str]:
    return frozenset(
        name
        for each in machine.transitions
        if isinstance(each.trigger, On) and each.targets and state in each.sources
        for name in each.trigger.events
    )


def _targets_out_of(machine: Machine, state: str) -> tuple[str, ...]:
    """The states that ways out of a state lead to."""
    return tuple(t for each in machine.transitions if state in each.sources for t in each.targets if t != state)


def _in_state(model: Model) -> Iterator[tuple[tuple[str, str], Measure]]:
    """Of every state that can be left; an instance of a keyed machine begins with its first event, so it is not in
    its initial state for any time."""
    for machine in model.machines.values():
        for state in machine.states.values():
            is_instant = state.kind is StateKind.INITIAL and bool(machine.keys)
            if is_instant or not _targets_out_of(machine, state.name):
                continue
            is_to_be_left = state.within_ns is not None or state.kind is StateKind.FAILURE
            yield (
                (machine.name, state.name),
                Measure(
                    STATE,
                    f"{machine.name}.{state.name}",
                    f"`{machine.name}` enters `{state.name}`",
                    "it leaves it",
                    worse=LONGER if is_to_be_left else None,
                    bound=state.within_ns,
                    events=_into(machine, state.name) | _out_of(machine, state.name),
                    machine=machine.name,
                ),
            )


def _to_reach(model: Model) -> Iterator[tuple[tuple[str, str], Measure]]:
    """Of every state that is not the first one after the initial state on every way, failures left out. That a
    lifecycle waits for a state it says by a bound: to come there later is worse where a way leads out of a state with
    `within`."""
    for machine in model.machines.values():
        for state in machine.states.values():
            only_first = all(
                each.sources == (machine.initial,) for each in machine.transitions if state.name in each.targets
            )
            if state.kind is not StateKind.STATE or only_first:
                continue
            is_waited_for = any(
                machine.states[source].within_ns is not None
                for each in machine.transitions
                if state.name in each.targets
                for source in each.sources
            )
            yield (
                (machine.name, state.name),
                Measure(
                    REACH,
                    f"{machine.name}.{state.name}",
                    f"`{machine.name}` leaves `{machine.initial}`",
                    f"it enters `{state.name}` for the first time",
                    worse=LONGER if is_waited_for else None,
                    events=start_events(machine) | _into(machine, state.name),
                    machine=machine.name,
                ),
            )


def _to_recover(model: Model) -> Iterator[tuple[tuple[str, str], Measure]]:
    for machine in model.machines.values():
        for state in machine.states.values():
            ways = _targets_out_of(machine, state.name)
            if state.kind is StateKind.FAILURE and any(not _ends(machine, target) for target in ways):
                yield (
                    (machine.name, state.name),
                    Measure(
                        RECOVER,
                        f"{machine.name}.{state.name}",
                        f"`{machine.name}` enters `{state.name}`",
                        "it enters a state that is neither a failure nor final",
                        events=_into(machine, state.name) | _out_of(machine, state.name),
                        machine=machine.name,
                    ),
                )


def _attempts(model: Model) -> Iterator[tuple[Part, Measure]]:
    for position, rule, part, action, place in _actions(model):
        if isinstance(action, AtMostWhile) and isinstance(part, OnPart):
            yield (
                position,
                Measure(
                    ATTEMPTS,
                    f"{rule}{place}",
                    "the condition of the rule begins to hold",
                    f"it holds no longer; {_words(part.events)} counted",
                    unit="count",
                    bound=action.count,
                    events=frozenset(part.events),
                ),
            )


def _gaps(model: Model) -> Iterator[tuple[Part, Measure]]:
    for position, rule, _, action, place in _actions(model):
        if isinstance(action, Every):
            names = [name for answer in action.answers for name in answer.events]
            yield (
                position,
                Measure(
                    GAP,
                    f"{rule}{place}",
                    "a sign of life, or the begin of the condition",
                    f"the next {_words(names)}",
                    bound=action.ns,
                    events=frozenset(names),
                ),
            )


def _actions(model: Model) -> Iterator[tuple[Part, str, object, object, str]]:
    """Every action of every rule: where it is, the rule, its part, itself, and what tells it apart in its rule."""
    for number, rule in enumerate(model.rules):
        many = sum(len(getattr(part, "actions", ())) for part in rule.parts) > 1
        count = 0
        for place, part in enumerate(rule.parts):
            for at, action in enumerate(getattr(part, "actions", ())):
                count += 1
                yield (number, place, at), rule.name, part, action, f" ({count})" if many else ""


def _cleanup(model: Model) -> Measure | None:
    """What a session owes to be complete: each of several plain machines in a final state."""
    ending = [machine for machine in model.machines.values() if not machine.keys and machine.finals]
    if len(ending) < 2:
        return None
    return Measure(
        CLEANUP,
        "session",
        f"the first of {_words([machine.name for machine in ending])} enters a final state",
        "the last of them does",
        events=frozenset().union(*(_into(machine, state) for machine in ending for state in machine.finals)),
    )


# --- uses ------------------------------------------------------------------------------------------------


def _uses(model: Model) -> Iterator[Use]:
    """The events whose rules ask about an instance that ends `at` an instant, found by fields of the event itself."""
    mortal = {m.name: m for m in model.machines.values() if any(isinstance(t.trigger, At) for t in m.transitions)}
    seen: set[Use] = set()
    for rule in model.rules:
        for part in rule.parts:
            if not isinstance(part, OnPart):
                continue
            conditions = [part.where, *(a.condition for a in part.actions if isinstance(a, Requirement))]
            for ref in (ref for condition in conditions if condition is not None for ref in _instances(condition)):
                machine = mortal.get(ref.machine)
                if machine is None or not _is_by_own_fields(ref, machine):
                    continue
                for event in part.events:
                    use = Use(event, machine.name)
                    if use not in seen:
                        seen.add(use)
                        yield use


def _is_by_own_fields(ref: InstanceRef, machine: Machine) -> bool:
    if ref.whose is Whose.PLAIN:
        return True
    names = tuple(each.name if isinstance(each, FieldRef) else None for each in ref.index)
    return ref.whose is Whose.INDEXED and names == machine.keys


def _instances(expr: Expr) -> Iterator[InstanceRef]:
    """Every instance that an expression asks about."""
    match expr:
        case Membership() | MemoryRef() | KeyRef():
            yield expr.instance
        case Choice() | Like() | Has() | Negative() | Not():
            yield from _instances(expr.operand)
        case Comparison() | Arithmetic():
            yield from _instances(expr.left)
            yield from _instances(expr.right)
        case And() | Or():
            for each in expr.operands:
                yield from _instances(each)
        case Aggregate(where=where) if where is not None:
            yield from _instances(where)


def _words(names: list[str] | tuple[str, ...]) -> str:
    shown = [f"`{name}`" for name in dict.fromkeys(names)]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}" if shown else ""
