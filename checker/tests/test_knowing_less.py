"""A law of what is known (spec/semantics.md S48 to S53): a client that shows less is not blamed for more.

A log in which nothing is found is told again by a client that drops records, begins midway, or lacks events, fields,
owners or times, and says so. Nothing may be found in it then. Specifications and logs are generated.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from lifespec.engine.reference import Monitor
from lifespec.load import load_text
from lifespec.model.model import Model
from lifespec.trace.binding import compile_binding
from lifespec.trace.choose import choose_binding
from lifespec.trace.event import Client, Event, Record
from lifespec.trace.reader import records_from
from lifespec.verdict import Violation
from tests.engine.generate import EVENTS, make_log, make_spec
from tests.engine.generate_log import make_records

SEEDS = range(40)
LONGEST = 12  # records of a log
TRIED = 90  # records that are offered for one
STEPS_NS = [ns * 100_000_000 for ns in (0, 0, 5, 10, 10, 20, 30, 50)]

Told = tuple[list[Record], Client]


def found(model: Model, client: Client, records: list[Record]) -> tuple[Violation, ...]:
    monitor = Monitor(model, client)
    for record in records:
        monitor.feed(record)
    return monitor.finish().violations


@cache
def sound_log(seed: int) -> tuple[Model, list[Record]] | None:
    """A generated model and a log in which nothing is found; None when the model does not resolve."""
    vocabulary = make_spec(seed)
    model = load_text(vocabulary.text).model
    if model is None:
        return None
    binding, _ = choose_binding(model)
    assert binding is not None
    compiled, _ = compile_binding(model, binding)
    assert compiled is not None
    dice = random.Random(seed)
    kept: list[Record] = []
    clock = 0
    guessed = [each for each in records_from(make_log(vocabulary, seed, TRIED), compiled) if isinstance(each, Record)]
    for offered in (*make_records(model, seed, TRIED), *guessed):
        if len(kept) == LONGEST:
            break
        time = clock + dice.choice(STEPS_NS)
        record = replace(offered, time_ns=time)
        if not found(model, compiled.client, [*kept, record]):
            kept.append(record)
            clock = time
    return model, kept


def with_events(record: Record, change: Callable[[Event], Event]) -> Record:
    return replace(record, events=tuple(change(event) for event in record.events))


def sampled(records: list[Record], dice: random.Random) -> Told:
    return [record for record in records if dice.random() < 0.6], Client(sampled=True)


def cut(records: list[Record], dice: random.Random) -> Told:
    return records[dice.randint(0, len(records)) :], Client(cut_start=True)


def lacking_events(records: list[Record], dice: random.Random) -> Told:
    """What claims a state is a step of the table whatever its name, and the first record begins the session."""
    names = frozenset(dice.sample(EVENTS, 3))
    first = {record.session: record for record in reversed(records)}

    def shown(record: Record) -> Record:
        if record is first[record.session]:
            return record
        return replace(record, events=tuple(e for e in record.events if e.name not in names or e.target))

    told = [shown(record) for record in records]
    return [r for r, whole in zip(told, records, strict=True) if r.events or not whole.events], Client(
        lacking_events=names
    )


def lacking_a_field(records: list[Record], dice: random.Random) -> Told:
    name = dice.choice(("n", "d", "u", "reason", "free"))
    kept = [
        with_events(r, lambda e: replace(e, fields={k: v for k, v in e.fields.items() if k != name})) for r in records
    ]
    return kept, Client(lacking_fields=frozenset((name,)))


def lacking_owners(records: list[Record], _: random.Random) -> Told:
    return [with_events(record, lambda e: replace(e, owner=None)) for record in records], Client(has_owner=False)


def untimed(records: list[Record], _: random.Random) -> Told:
    return [replace(record, time_ns=None) for record in records], Client(has_time=False)


WAYS = [sampled, cut, lacking_events, lacking_a_field, lacking_owners, untimed]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_found_in_a_sound_log_of_which_less_is_shown(
    seed: int, way: Callable[[list[Record], random.Random], Told]
) -> None:
    made = sound_log(seed)
    if made is None:
        return
    model, records = made
    if way is cut and model.pauses:  # S52: taken not to be paused where it begins
        return
    told, client = way(records, random.Random(seed))
    assert [f"{v.place.line}: {v.name} {v.property}" for v in found(model, client, told)] == []


def test_the_logs_are_not_empty() -> None:
    lengths = [len(made[1]) for seed in SEEDS if (made := sound_log(seed)) is not None]
    assert sum(lengths) / len(lengths) > 6
