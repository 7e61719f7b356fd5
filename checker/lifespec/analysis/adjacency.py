"""Which state follows which in one machine, whatever the trigger. Plain sets: nothing is drawn or explored."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from lifespec.model.model import Machine

Adjacency = Mapping[str, set[str]]


def successors(machine: Machine) -> Adjacency:
    """For each state those that one transition leads to."""
    following: dict[str, set[str]] = {state: set() for state in machine.states}
    for transition in machine.transitions:
        for source in transition.sources:
            following[source].update(transition.targets)
    return following


def predecessors(machine: Machine) -> Adjacency:
    """For each state those from which one transition leads to it."""
    before: dict[str, set[str]] = {state: set() for state in machine.states}
    for state, targets in successors(machine).items():
        for target in targets:
            before[target].add(state)
    return before


def reach(adjacency: Adjacency, starts: Iterable[str], reached: set[str] | None = None) -> set[str]:
    """The states that ways from `starts` lead to, the starts among them; what is `reached` already is added to."""
    reached = set() if reached is None else reached
    waiting = deque(start for start in starts if start not in reached)
    reached.update(waiting)
    while waiting:
        for state in adjacency[waiting.popleft()]:
            if state not in reached:
                reached.add(state)
                waiting.append(state)
    return reached


def components(adjacency: Adjacency) -> list[set[str]]:
    """The sets of states that reach each other, each before those that lead to it (Tarjan, without recursion)."""
    found: list[set[str]] = []
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_states: dict[str, None] = {}
    for start in adjacency:
        if start in number:
            continue
        way = [(start, iter(sorted(adjacency[start])))]
        number[start] = lowest[start] = len(number)
        open_states[start] = None
        while way:
            state, rest = way[-1]
            following = next(rest, None)
            if following is None:
                way.pop()
                if way:
                    lowest[way[-1][0]] = min(lowest[way[-1][0]], lowest[state])
                if lowest[state] == number[state]:
                    component: set[str] = set()
                    while state not in component:
                        component.add(open_states.popitem()[0])
                    found.append(component)
            elif following not in number:
                number[following] = lowest[following] = len(number)
                open_states[following] = None
                way.append((following, iter(sorted(adjacency[following]))))
            elif following in open_states:
                lowest[state] = min(lowest[state], number[following])
    return found
