"""The package `transitions`: one Machine per declared machine, one model per instance."""

from __future__ import annotations

from collections.abc import Callable

from peer_log import Instance, Tables, answer, steps
from transitions import Machine, MachineError


class Model:
    """An instance; the machine gives it its state and its triggers."""

    trigger: Callable[[str], bool]


def count_illegal(tables: Tables, log: str) -> int:
    machines = {
        name: Machine(
            model=None,
            states=table["states"],
            initial=table["initial"],
            transitions=[
                {"trigger": event, "source": source, "dest": None if source == target else target}
                for source, event, target in table["moves"]
            ],
            auto_transitions=False,
        )
        for name, table in tables.items()
    }
    models: dict[Instance, Model] = {}
    illegal: set[Instance] = set()
    for instance, event in steps(log):
        model = models.get(instance)
        if model is None:
            model = models[instance] = Model()
            machines[instance[1]].add_model(model)
        try:
            model.trigger(event)
        except MachineError:
            illegal.add(instance)
    return len(illegal)


if __name__ == "__main__":
    answer(count_illegal)
