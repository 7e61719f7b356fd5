"""Token replay by pm4py: a Petri net per declared machine, a trace per instance.

A trace is illegal when a token was missing in it. pm4py is under the AGPL: it runs in a process of its own, in an
environment of its own, and nothing of lifespec imports it or is imported by it.
"""

from __future__ import annotations

from typing import Any

import pandas
from peer_log import Tables, answer, steps
from pm4py.algo.conformance.tokenreplay import algorithm as token_replay
from pm4py.objects.petri_net.obj import Marking, PetriNet
from pm4py.objects.petri_net.utils.petri_utils import add_arc_from_to


def petri_net(name: str, table: dict[str, Any]) -> tuple[PetriNet, Marking]:
    """A place per state and a transition per move; the token is where the instance is."""
    net = PetriNet(name)
    places = {state: PetriNet.Place(state) for state in table["states"]}
    net.places.update(places.values())
    for number, (source, event, target) in enumerate(table["moves"]):
        transition = PetriNet.Transition(f"t{number}", event)
        net.transitions.add(transition)
        add_arc_from_to(places[source], transition, net)
        add_arc_from_to(transition, places[target], net)
    return net, Marking({places[table["initial"]]: 1})


def count_illegal(tables: Tables, log: str) -> int:
    columns: dict[str, tuple[list[str], list[str]]] = {name: ([], []) for name in tables}
    for (session, machine, key), event in steps(log):
        cases, events = columns[machine]
        cases.append(f"{session}/{key}" if key is not None else session)
        events.append(event)
    illegal = 0
    for name, (cases, events) in columns.items():
        frame = pandas.DataFrame({"case:concept:name": cases, "concept:name": events})
        # Traces are grouped by case; within one the order of the log is kept.
        frame = frame.sort_values("case:concept:name", kind="stable")
        net, initial = petri_net(name, tables[name])
        # Whether an instance has come to its end is no part of the property: no final marking is asked for.
        parameters = {"show_progress_bar": False}
        replayed = token_replay.apply(frame, net, initial, Marking(), parameters=parameters)
        illegal += sum(trace["missing_tokens"] > 0 for trace in replayed)
    return illegal


if __name__ == "__main__":
    answer(count_illegal)
