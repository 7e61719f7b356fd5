"""States from which no way leads to an end, in machines that have final states."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.analysis.adjacency import components, predecessors, reach, successors
from lifespec.diagnostics import Diagnostic, Label
from lifespec.model.model import Machine, Model, StateKind


def find_trap_states(model: Model) -> Iterator[Diagnostic]:
    """One finding for each trap; the states that only lead into it stay silent.

    A failure state that nothing leaves is an end that the author has written, not a trap.
    """
    for machine in model.machines.values():
        if not machine.finals:
            continue
        for state, around in _traps(machine):
            others = f" (nor from {', '.join(f'`{each}`' for each in around)})" if around else ""
            yield Diagnostic(
                "trap-state",
                f"no way leads from state `{state}` of machine `{machine.name}`{others} to a final state",
                Label(machine.states[state].span, "never ends"),
                notes=(f"its final states are {', '.join(f'`{each}`' for each in sorted(machine.finals))}",),
                help=(f"write a transition out of `{state}`, or declare it as `final` or `failure`",),
            )


def _traps(machine: Machine) -> Iterator[tuple[str, list[str]]]:
    """The first state of each trap that leads nowhere else, with those it goes around with."""
    following = successors(machine)
    ends = machine.finals | {
        name
        for name, state in machine.states.items()
        if state.kind is StateKind.FAILURE and not following[name] - {name}
    }
    safe = reach(predecessors(machine), ends)
    entered = reach(following, [machine.initial])
    for component in components(following):
        is_left = any(target not in component for state in component for target in following[state])
        if not is_left and component.isdisjoint(safe) and not component.isdisjoint(entered):
            first, *around = (state for state in machine.states if state in component)
            yield first, around
