"""What is due next in a session: spec/semantics.md S32 to S36. Looks, changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lifespec.engine.reference_state import NOT_KNOWN, Instance, Obligation, Session, Watch
from lifespec.engine.reference_values import Context, evaluate, holds
from lifespec.model.model import After, At, Machine, Model, Transition


@dataclass(frozen=True, slots=True)
class Due:
    """Something that happens at `instant` (ns). `rank` and `declared` and `age` settle equal instants (S35)."""

    instant: int
    rank: int  # 0 `at`, 1 `after`, 2 bounds, 3 `every`, 4 `expect`
    declared: tuple[int, ...]
    age: int
    instance: Instance | None = None
    state: str = ""
    transition: Transition | None = None
    watch: Watch | None = None
    obligation: Obligation | None = None

    @property
    def order(self) -> tuple[int, int, tuple[int, ...], int]:
        return (self.instant, self.rank, self.declared, self.age)


def next_due(session: Session, model: Model, until: int) -> Due | None:
    """The first thing due: `at` at or before `until`, everything else before it (S35)."""
    found = [due for due in _all_due(session, model) if due.instant < until or (due.rank == 0 and due.instant == until)]
    return min(found, key=lambda due: due.order, default=None)


def _all_due(session: Session, model: Model) -> Iterator[Due]:
    assert session.clock is not None
    for number, machine in enumerate(model.machines.values()):
        if not _is_timed(machine):
            continue
        for instance in session.of_machine(machine.name):
            for place, state in enumerate(machine.states):
                if state in instance.stays:
                    yield from _of_state(session, model, instance, state, number, place)
    for watch in session.watches.values():
        if not watch.silent and watch.hand == session.hand:
            instant = _real(session, watch.since_ns + watch.every.ns)
            if instant is not None:
                yield Due(instant, 3, watch.position, _age(watch.concerned), watch=watch)
    for obligation in session.obligations:
        if obligation.hand != session.hand:  # S59: this clock does not measure it
            continue
        instant = _real(session, obligation.since_ns + obligation.expect.ns)
        if instant is not None:
            yield Due(instant, 4, obligation.position, obligation.order, obligation=obligation)


def _is_timed(machine: Machine) -> bool:
    """It has a bound, or transitions that the clock makes."""
    bounded = any(state.within_ns is not None for state in machine.states.values())
    return bounded or any(isinstance(t.trigger, After | At) for t in machine.transitions)


def _of_state(session: Session, model: Model, instance: Instance, state: str, number: int, place: int) -> Iterator[Due]:
    assert session.clock is not None
    stay = instance.stays[state]
    for transition in instance.machine.transitions:
        if state not in transition.sources or not transition.targets:
            continue
        if instance.state is None and set(transition.targets) <= instance.states and state in instance.passed:
            continue  # it may have happened already, and so adds nothing (S50)
        declared = (number, transition.index)
        if isinstance(transition.trigger, At):
            if session.has_several_clocks:  # S59: of which clock its instant is, nobody knows
                continue
            set_for = evaluate(transition.trigger.value, Context(model, session, own=instance))
            if isinstance(set_for, int):
                at = max(set_for, session.clock)  # S34: what is past has already happened
                due = Due(at, 0, declared, instance.order, instance, state, transition)
                if _chosen(due, model, session):
                    yield due
        elif isinstance(transition.trigger, After) and stay.active_ns is not None and stay.hand == session.hand:
            instant = _real(session, stay.active_ns + transition.trigger.ns)
            if instant is not None:
                due = Due(instant, 1, declared, instance.order, instance, state, transition)
                if _chosen(due, model, session):
                    yield due
    within = instance.machine.states[state].within_ns
    runs = instance.state == state and stay.is_bounded and stay.active_ns is not None and not stay.broken
    runs = runs and stay.hand == session.hand
    if within is not None and runs and stay.active_ns is not None:
        instant = _real(session, stay.active_ns + within)
        if instant is not None:
            yield Due(instant, 2, (number, place), instance.order, instance, state)


def _chosen(due: Due, model: Model, session: Session) -> bool:
    """S13: a `where` chooses. It is looked at as it will be when the transition is due; not known may be (S50)."""
    if due.transition is None or due.transition.where is None:
        return True
    context = Context(model, session, own=due.instance, now=due.instant)
    result = holds(due.transition.where, context)
    return result is True or result is NOT_KNOWN


def _real(session: Session, active_ns: int) -> int | None:
    """The instant at which the running time will be `active_ns`; None while it stands still (S36)."""
    assert session.clock is not None
    if session.paused and active_ns >= session.active:  # the last instant lasts as long as the pause
        return None
    return session.clock + max(0, active_ns - session.active)


def _age(instance: Instance | None) -> int:
    return -1 if instance is None else instance.order
