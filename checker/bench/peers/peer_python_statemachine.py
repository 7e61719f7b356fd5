"""The package `python-statemachine`: one class per declared machine, one object per instance.

Its names are Python's, and it refuses states that nothing leads to; both are seen to here.
"""

from __future__ import annotations

from typing import Any

from peer_log import Instance, Tables, answer, steps
from statemachine.exceptions import TransitionNotAllowed
from statemachine.io import create_machine_class_from_definition


def machine_class(name: str, table: dict[str, Any]) -> Any:
    reached = {table["initial"]} | {target for _, _, target in table["moves"]}
    while without := {s for s in reached if s != table["initial"] and not _is_entered(s, table, reached)}:
        reached -= without
    states: dict[str, dict[str, Any]] = {_word(state): {"on": {}} for state in table["states"] if state in reached}
    states[_word(table["initial"])]["initial"] = True
    for source, event, target in table["moves"]:
        if source in reached:
            move = {"target": _word(target), "internal": source == target}
            states[_word(source)]["on"].setdefault(_word(event), []).append(move)
    for state in states.values():
        if not state["on"]:
            state["final"] = True
    # As in the package's StateMachine: an event that leads nowhere raises.
    return create_machine_class_from_definition(
        f"{name.title()}Machine", states=states, allow_event_without_transition=False, catch_errors_as_events=False
    )


def _is_entered(state: str, table: dict[str, Any], reached: set[str]) -> bool:
    return any(target == state and source != state and source in reached for source, _, target in table["moves"])


def _word(name: str) -> str:
    return name.replace("-", "_")


def count_illegal(tables: Tables, log: str) -> int:
    classes = {name: machine_class(name, table) for name, table in tables.items()}
    words = {event: _word(event) for table in tables.values() for _, event, _ in table["moves"]}
    objects: dict[Instance, Any] = {}
    illegal: set[Instance] = set()
    for instance, event in steps(log):
        machine = objects.get(instance)
        if machine is None:
            machine = objects[instance] = classes[instance[1]]()
        try:
            machine.send(words[event])
        except TransitionNotAllowed:
            illegal.add(instance)
    return len(illegal)


if __name__ == "__main__":
    answer(count_illegal)
