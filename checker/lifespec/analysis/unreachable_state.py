"""States that no way from the initial state reaches."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.analysis.adjacency import reach, successors
from lifespec.diagnostics import Diagnostic, Label
from lifespec.model.model import Machine, Model


def find_unreachable_states(model: Model) -> Iterator[Diagnostic]:
    """One finding for each first state of a stretch that is not reached; what follows it stays silent."""
    for machine in model.machines.values():
        for state in _unreached(machine):
            yield Diagnostic(
                "unreachable-state",
                f"no way leads from `{machine.initial}` to state `{state}` of machine `{machine.name}`",
                Label(machine.states[state].span, "never entered"),
                help=(f"write a transition into `{state}`, or take the state away",),
            )


def _unreached(machine: Machine) -> Iterator[str]:
    following = successors(machine)
    reached = reach(following, [machine.initial])
    rest = [state for state in machine.states if state not in reached]
    entered = {target for state in rest for target in following[state] if target != state}
    for roots in ([state for state in rest if state not in entered], rest):
        for state in roots:
            if state not in reached:
                yield state
                reach(following, [state], reached)
