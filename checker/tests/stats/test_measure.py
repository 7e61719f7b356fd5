"""What can be measured follows from what is declared, whatever it is called."""

from __future__ import annotations

import pytest

from lifespec.load import load, load_text
from lifespec.model.model import Model
from lifespec.shipped import PREFIX, shipped_lifecycles
from lifespec.stats.interval import smallest_sample
from lifespec.stats.measure import end_events, measures_of, start_events
from lifespec.trace.vocabulary import known_events

SPEC = """lifecycle x
field z : instant
machine a {
  initial i
  state   b within 5s
  state   c
  failure f
  failure g without reason "nobody knows"
  final   e
  i -> b on p
  b -> c on q
  c -> c on r
  b -> f on s
  f -> b on p
  c -> g on t
  any except g -> e on u
}
machine d per k {
  initial i
  state   b
  final   e
  i -> b on v requires z remember z
  b -> e at d.z
}
rule w { on q require d[k] in b }
rule y { on q require d[k] in b or a in c  on s require d[other] in e }
rule l { while a in c expect r every 3s }
rule m { on p at most 4 while a not in c  on p at most 9 per 1m }
"""


def model_of(text: str) -> Model:
    model = load_text(text).model
    assert model is not None
    return model


def renamed(text: str) -> str:
    """The same lifecycle with other names of one letter."""
    names = {"a": "aa", "b": "bb", "c": "cc", "f": "ff", "g": "gg", "d": "dd"}
    words = text.replace("{", " { ").replace("}", " } ").replace("[", " [ ").replace("]", " ] ").replace(".", " . ")
    lines = (" ".join(names.get(word, word) for word in line.split()) for line in words.split("\n"))
    return "\n".join(lines).replace(" . ", ".").replace(" [ ", "[").replace(" ] ", "] ")


def test_the_measures_are_those_of_the_declarations() -> None:
    measures = {each.id: (each.worse, each.bound) for each in measures_of(model_of(SPEC)).all()}
    assert measures == {
        "time to reach: a.b": (None, None),  # there is a way into it that is not the first, from `f`
        "time to reach: a.c": ("longer", None),  # out of a state with a bound
        "time to recover: a.f": ("longer", None),  # `g` cannot be left
        "attempts: m (1)": ("longer", 4),
        "gap between signs: l": ("longer", 3_000_000_000),
        "life left at use: d": ("shorter", None),
        "time in state: a.i": (None, None),
        "time in state: a.b": ("longer", 5_000_000_000),
        "time in state: a.c": (None, None),
        "time in state: a.f": ("longer", None),
        "time in state: d.b": (None, None),  # `d` begins with its first event
    }


def test_other_names_change_nothing_else() -> None:
    def shape(text: str) -> list[object]:
        return [(each.kind, each.worse, each.bound, each.events) for each in measures_of(model_of(text)).all()]

    assert shape(renamed(SPEC)) == shape(SPEC)


def test_only_an_instance_that_the_event_itself_points_to_is_used() -> None:
    assert [(use.event, use.machine) for use in measures_of(model_of(SPEC)).uses] == [("q", "d")]


def test_the_events_that_begin_and_end() -> None:
    machine = model_of(SPEC).machines["a"]
    assert start_events(machine) == {"p", "u"}
    assert end_events(machine) == {"s", "t", "u"}


@pytest.mark.parametrize("name", shipped_lifecycles())
def test_every_measure_of_a_shipped_lifecycle_is_told_apart_and_begins_with_known_events(name: str) -> None:
    model = load(f"{PREFIX}{name}").model
    assert model is not None
    measures = measures_of(model)
    found = measures.all()
    assert len({each.id for each in found}) == len(found)
    every = (*measures.in_state.values(), *measures.to_reach.values(), *measures.attempts.values())
    assert len({each.id for each in every}) == len(every)
    for each in found:
        assert each.events <= known_events(model)


def test_the_sizes_that_the_documents_name() -> None:
    assert [smallest_sample(share) for share in (0.5, 0.9, 0.99)] == [8, 53, 563]
