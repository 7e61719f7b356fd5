"""The test over all segments gives published values, is Fisher's for one segment, and is not fooled by the mix."""

from __future__ import annotations

import random

import pytest

from lifespec.stats.compare import ALL, SAME, WORSE, compare
from lifespec.stats.gather import Tally
from lifespec.stats.interval import fisher
from lifespec.stats.record import SessionRecord
from lifespec.stats.strata import Stratum, cochran_mantel_haenszel, deviation, shares, sizes, stratified

# Penicillin and rabbits, Mantel (1963), as in Agresti, Categorical Data Analysis (1990), pages 231 to 237.
RABBITS: list[Stratum] = [
    ((0, 5), (0, 6)),
    ((0, 6), (3, 6)),
    ((2, 6), (6, 6)),
    ((6, 6), (5, 6)),
    ((5, 5), (2, 2)),
]
GROUP = ("rule-broken", "rule r")


def test_the_statistic_is_the_published_one() -> None:
    over, variance = deviation(RABBITS)
    assert (over - 0.5) ** 2 / variance == pytest.approx(3.9286, abs=5e-5)
    assert 2 * cochran_mantel_haenszel(RABBITS) == pytest.approx(0.04747, abs=5e-6)
    assert stratified(RABBITS) == pytest.approx(0.01997, abs=5e-6)


@pytest.mark.parametrize(("base", "head"), [((3, 40), (9, 50)), ((30, 4000), (5, 100)), ((0, 30), (0, 40))])
def test_of_one_segment_it_is_the_test_of_fisher(base: tuple[int, int], head: tuple[int, int]) -> None:
    assert stratified([(base, head)]) == pytest.approx(fisher(base, head))
    assert shares([(base, head)]) == pytest.approx((base[0] / base[1], head[0] / head[1]))
    assert sizes([(base, head)]) == pytest.approx((base[1], head[1]), abs=1)


def release(chance: random.Random, phones: int, desks: int, worse: float = 0.0) -> Tally:
    tally = Tally()
    for name, sessions, rate in (("phone", phones, 0.4), ("desk", desks, 0.04)):
        for _ in range(sessions):
            record = SessionRecord()
            if chance.random() < rate + worse:
                record.find(GROUP)
            tally.overall.add(record)
            tally.segment((name,)).add(record)
    return tally


@pytest.mark.parametrize("seed", [11, 23])
def test_a_changed_mix_raises_few_alarms(seed: int) -> None:
    chance = random.Random(seed)
    alarms = sum(bool(compare(release(chance, 40, 160), release(chance, 120, 80), []).worse) for _ in range(300))
    assert alarms / 300 <= 0.07


def test_segments_that_are_each_too_little_are_worse_together() -> None:
    """Six clients of 40 sessions: one more in ten is nothing in each of them, and much in all."""
    base, head = Tally(), Tally()
    for tally, faulty in ((base, 2), (head, 7)):
        for name in "abcdef":
            for number in range(40):
                record = SessionRecord()
                if number < faulty:
                    record.find(GROUP)
                tally.overall.add(record)
                tally.segment((name,)).add(record)
    changes = {row.segment: row.change for row in compare(base, head, []).rows}
    assert changes.pop((ALL,)) == WORSE
    assert set(changes.values()) == {SAME}
