"""A sketch says of many values what the values themselves would say, within one per cent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifespec.stats.record import Values
from lifespec.stats.sketch import ACCURACY, Sketch

numbers = st.lists(st.integers(-(10**15), 10**15), min_size=1, max_size=200)


def sketch_of(values: list[int]) -> Sketch:
    sketch = Sketch()
    for value in values:
        sketch.add(value)
    return sketch


@given(numbers, st.floats(0, 1))
def test_a_quantile_is_off_by_at_most_one_per_cent(values: list[int], share: float) -> None:
    found = sketch_of(values).quantile(share)
    ranked = sorted(values)
    exact = ranked[int(share * (len(values) - 1))]
    near = {
        exact,
        ranked[min(len(values) - 1, int(share * (len(values) - 1)) + 1)],
    }  # where the rank is no whole number
    assert found is not None
    assert min(abs(found - each) - abs(each) * ACCURACY * 1.001 for each in near) <= 1e-6


@given(numbers, numbers)
def test_merged_is_as_if_it_had_been_one(first: list[int], second: list[int]) -> None:
    merged, whole = sketch_of(first), sketch_of(first + second)
    merged.merge(sketch_of(second))
    assert list(merged.buckets()) == list(whole.buckets())
    assert (merged.count, merged.minimum, merged.maximum) == (whole.count, whole.minimum, whole.maximum)


@given(numbers)
def test_the_buckets_hold_every_value_once_and_in_order(values: list[int]) -> None:
    buckets = list(sketch_of(values).buckets())
    assert sum(number for _, number in buckets) == len(values)
    assert [value for value, _ in buckets] == sorted(value for value, _ in buckets)


@given(numbers)
def test_above_and_below_leave_out_only_what_is_near(values: list[int]) -> None:
    sketch = sketch_of(values)
    for limit in values[:5]:
        assert (
            sum(v > limit + abs(limit) * 0.04 for v in values) <= sketch.above(limit) <= sum(v > limit for v in values)
        )
        assert (
            sum(v < limit - abs(limit) * 0.04 for v in values) <= sketch.below(limit) <= sum(v < limit for v in values)
        )


def test_an_empty_sketch_says_nothing() -> None:
    sketch = Sketch()
    sketch.merge(Sketch())
    assert (sketch.count, sketch.quantile(0.5), sketch.mean, sketch.at_rank(1)) == (0, None, None, None)


def test_a_value_beyond_all_numbers_is_kept_as_a_large_one() -> None:
    assert sketch_of([10**400, 1]).count == 2


@given(numbers)
def test_the_values_of_a_session_are_the_same_few_or_many(values: list[int]) -> None:
    poured = Sketch()
    Values(values).pour(poured)
    assert list(poured.buckets()) == list(sketch_of(values).buckets())
    assert Values(values).mean == pytest.approx(sum(values) / len(values))
