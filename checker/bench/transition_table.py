"""A lifecycle cut down to transition tables: what event leads from which state to which, and nothing else.

It is the property that every tool of the comparison can check. Guards are dropped: both directions of an event that
is guarded stand in the table. A table must be deterministic; `transition_tables` sees to that.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from lifespec import Model
from lifespec.model.model import On, StateKind


@dataclass(frozen=True, slots=True)
class Table:
    """One machine: `moves` are (source, event, target), the same state twice for an event that moves nothing."""

    keys: tuple[str, ...]
    initial: str
    states: tuple[str, ...]
    finals: tuple[str, ...]
    failures: tuple[str, ...]
    moves: tuple[tuple[str, str, str], ...]


def transition_tables(model: Model) -> dict[str, Table]:
    """The table of every machine. Raises ValueError for a machine where an event leads to two states from one."""
    tables: dict[str, Table] = {}
    for machine in model.machines.values():
        moves: dict[tuple[str, str], str] = {}
        for transition in machine.transitions:
            if not isinstance(transition.trigger, On):
                continue
            for source in transition.sources:
                if machine.states[source].kind is StateKind.FINAL:
                    continue
                for event in transition.trigger.events:
                    target = transition.targets[0] if transition.targets else source
                    if moves.setdefault((source, event), target) != target:
                        raise ValueError(f"`{event}` leads from `{source}` of `{machine.name}` to two states")
        tables[machine.name] = Table(
            keys=machine.keys,
            initial=machine.initial,
            states=tuple(machine.states),
            finals=tuple(state for state in machine.states if state in machine.finals),
            failures=tuple(name for name, state in machine.states.items() if state.kind is StateKind.FAILURE),
            moves=tuple((source, event, target) for (source, event), target in moves.items()),
        )
    return tables


def as_json(tables: dict[str, Table]) -> dict[str, object]:
    """The tables as the peers read them."""
    return {name: asdict(table) for name, table in tables.items()}
