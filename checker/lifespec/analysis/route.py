"""What is allowed in a state, and the shortest legal way to another. Plain adjacency over one machine.

Owns the choice among equally short ways: what is declared first. Knows neither logs nor words.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from lifespec.model.model import Machine, Model, Transition


def allowed(model: Model, machine: Machine, states: Iterable[str]) -> tuple[Transition, ...]:
    """The transitions that leave or stay in one of `states`, in order of declaration, for whatever reason."""
    sources = set(states)
    return tuple(transition for transition in machine.transitions if not sources.isdisjoint(transition.sources))


def shortest_way(model: Model, machine: Machine, sources: Iterable[str], target: str) -> tuple[Transition, ...] | None:
    """The transitions of a shortest way from one of `sources` to `target`; empty when it is one of them, None
    when there is no way.

    `where` is taken to hold. Among ways of one length: the first of `sources`, then the transitions declared
    first, seen from the start.
    """
    way = shortest_steps(machine, sources, target)
    return None if way is None else tuple(transition for transition, _ in way)


def shortest_steps(machine: Machine, sources: Iterable[str], target: str) -> tuple[tuple[Transition, str], ...] | None:
    """Like `shortest_way`, each transition with the state that it enters."""
    came_by: dict[str, tuple[str, Transition] | None] = {source: None for source in sources if source in machine.states}
    waiting = deque(came_by)
    leaving: dict[str, list[Transition]] = {}
    for transition in machine.transitions:
        for source in transition.sources:
            leaving.setdefault(source, []).append(transition)
    while waiting and target not in came_by:
        state = waiting.popleft()
        for transition in leaving.get(state, ()):
            for entered in transition.targets:
                if entered not in came_by:
                    came_by[entered] = (state, transition)
                    waiting.append(entered)
    if target not in came_by:
        return None
    way: list[tuple[Transition, str]] = []
    step, at = came_by[target], target
    while step is not None:
        way.append((step[1], at))
        at = step[0]
        step = came_by[at]
    return tuple(reversed(way))
