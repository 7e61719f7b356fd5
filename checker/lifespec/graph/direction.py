"""Which steps of a machine lead back. Owns the order in which a picture is read; knows no graph library."""

from __future__ import annotations

from lifespec.graph.picture import Arrow, MachineBox

Step = tuple[Arrow, str]
"""An arrow, taken from one of its sources."""


def find_returning(machine: MachineBox) -> frozenset[Step]:
    """The steps that lead back to a state on the way to them, where one goes from the initial state along the arrows
    as they are declared."""
    leaving: dict[str, list[Arrow]] = {}
    for arrow in machine.arrows:
        for source in arrow.sources:
            leaving.setdefault(source, []).append(arrow)
    found: set[Step] = set()
    seen: set[str] = set()
    for start in (machine.initial, *machine.states):
        ways = [] if start in seen else [(start, iter(leaving.get(start, ())))]
        seen.add(start)
        while ways:
            state, arrows = ways[-1]
            arrow_ahead = next(arrows, None)
            if arrow_ahead is None:
                ways.pop()
            elif any(arrow_ahead.target == passed for passed, _ in ways):
                found.add((arrow_ahead, state))
            elif arrow_ahead.target not in seen:
                seen.add(arrow_ahead.target)
                ways.append((arrow_ahead.target, iter(leaving.get(arrow_ahead.target, ()))))
    return frozenset(found)
