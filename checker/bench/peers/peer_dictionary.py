"""No tool: a dictionary of dictionaries, which is what one would write by hand. For scale only."""

from __future__ import annotations

from peer_log import Instance, Tables, answer, steps


def count_illegal(tables: Tables, log: str) -> int:
    moves = {name: {(source, event): target for source, event, target in t["moves"]} for name, t in tables.items()}
    initial = {name: table["initial"] for name, table in tables.items()}
    states: dict[Instance, str] = {}
    illegal: set[Instance] = set()
    for instance, event in steps(log):
        state = states.get(instance) or initial[instance[1]]
        target = moves[instance[1]].get((state, event))
        if target is None:
            illegal.add(instance)
        else:
            states[instance] = target
    return len(illegal)


if __name__ == "__main__":
    answer(count_illegal)
