"""Different texts are counted in bounded memory."""

from __future__ import annotations

import random

from lifespec.distinct_count import Distinct, DistinctCount


def _count(texts: list[str], most: int) -> Distinct:
    count = DistinctCount(most)
    for text in texts:
        count.add(text)
    return count.distinct


def test_few_are_counted_exactly() -> None:
    assert _count([], 10) == Distinct(0)
    assert _count(["a", "b", "a", "\ud800"], 10) == Distinct(3)
    assert _count([str(each) for each in range(20)] * 3, 10) == Distinct(20)


def test_many_are_estimated_whatever_their_order() -> None:
    texts = [str(each) for each in range(50_000)]
    found = _count(texts, 1000)
    assert not found.is_exact
    assert abs(found.number - 50_000) < 5_000
    random.Random(7).shuffle(texts)
    assert _count(texts + texts[:9000], 1000) == found


def test_few_hashes_are_kept() -> None:
    count = DistinctCount(100)
    for each in range(20_000):
        count.add(str(each))
    assert len(count._kept) <= 200
