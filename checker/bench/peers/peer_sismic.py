"""The package `sismic`: one statechart per declared machine, one interpreter per instance, without code to evaluate."""

from __future__ import annotations

from typing import Any

from peer_log import Instance, Tables, answer, steps
from sismic.code import DummyEvaluator
from sismic.interpreter import Interpreter
from sismic.model import BasicState, CompoundState, Statechart, Transition


def statechart(name: str, table: dict[str, Any]) -> Statechart:
    chart = Statechart(name)
    chart.add_state(CompoundState("root", initial=table["initial"]), None)
    for state in table["states"]:
        chart.add_state(BasicState(state), "root")
    for source, event, target in table["moves"]:
        chart.add_transition(Transition(source, None if source == target else target, event=event))
    return chart


def count_illegal(tables: Tables, log: str) -> int:
    charts = {name: statechart(name, table) for name, table in tables.items()}
    interpreters: dict[Instance, Any] = {}
    illegal: set[Instance] = set()
    for instance, event in steps(log):
        interpreter = interpreters.get(instance)
        if interpreter is None:
            interpreter = interpreters[instance] = Interpreter(charts[instance[1]], evaluator_klass=DummyEvaluator)
            interpreter.execute_once()  # enters the initial state
        step = interpreter.queue(event).execute_once()
        if step is None or not step.transitions:
            illegal.add(instance)
    return len(illegal)


if __name__ == "__main__":
    answer(count_illegal)
