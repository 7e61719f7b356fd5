"""Simulated releases: equal ones raise few alarms, and what is said to be detectable is mostly detected.

The simulation makes the records of sessions themselves, in which findings depend on each other; the seeds are fixed.
"""

from __future__ import annotations

import random

import pytest

from lifespec.stats.compare import LEVEL, Comparison, compare
from lifespec.stats.gather import Tally
from lifespec.stats.interval import detectable
from lifespec.stats.measure import REACH, Measure
from lifespec.stats.record import SessionRecord

RUNS = 500
SESSIONS = 120
SEEDS = (11, 23, 47)
RATES = (0.3, 0.1, 0.1, 0.05, 0.02, 0.01)
MEASURE = Measure(REACH, "line.open", "it is asked for", "it is there")
COMPARISONS = len(RATES) + 2  # of findings, and two quantiles


def release(chance: random.Random, rates: tuple[float, ...] = RATES, slower: float = 1.0) -> Tally:
    """The sum of the sessions of a release. Half of those with the second finding have the first for it."""
    tally = Tally()
    for _ in range(SESSIONS):
        record = SessionRecord()
        for place, rate in enumerate(rates):
            if chance.random() < rate:
                record.find((f"finding-{place}", "rule r"))
        if ("finding-1", "rule r") in record.findings and chance.random() < 0.5:
            record.find(("finding-0", "rule r"))
        for _ in range(chance.choice((1, 1, 3))):
            record.measure(MEASURE.id, int(chance.lognormvariate(20.0, 1.0) * slower))
        tally.overall.add(record)
    return tally


def compared(base: Tally, head: Tally) -> Comparison:
    return compare(base, head, [MEASURE])


@pytest.mark.parametrize("seed", SEEDS)
def test_of_releases_that_do_not_differ_at_most_seven_in_a_hundred_are_called_worse(seed: int) -> None:
    chance = random.Random(seed)
    alarms = sum(bool(compared(release(chance), release(chance)).worse) for _ in range(RUNS))
    assert alarms / RUNS <= 0.07


@pytest.mark.parametrize("seed", SEEDS)
def test_a_detectable_difference_is_named_in_three_of_four(seed: int) -> None:
    chance = random.Random(seed)
    least = detectable(RATES[2], SESSIONS, SESSIONS, LEVEL / COMPARISONS)
    assert least is not None
    rates = (*RATES[:2], least, *RATES[3:])
    named = sum(
        any(row.name == "finding-2" for row in compared(release(chance), release(chance, rates)).worse)
        for _ in range(RUNS)
    )
    assert named / RUNS >= 0.76


@pytest.mark.parametrize("seed", SEEDS)
def test_what_takes_twice_as_long_is_named(seed: int) -> None:
    chance = random.Random(seed)
    named = sum(
        {row.name for row in compared(release(chance), release(chance, slower=2.0)).worse} == {"line.open"}
        for _ in range(50)
    )
    assert named / 50 >= 0.76
