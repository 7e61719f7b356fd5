"""Intervals and tests are those of the literature and of scipy and statsmodels, and keep to what they promise."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifespec.stats.interval import (
    detectable,
    fisher,
    holm,
    least_p,
    newcombe,
    power,
    quantile_ranks,
    smallest_sample,
    wilson,
)

counts = st.integers(0, 300).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))
samples = st.integers(1, 300).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


@pytest.mark.parametrize(
    ("found", "of", "low", "high"),  # Newcombe (1998), Statistics in Medicine 17, 857, table I, method 3
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_the_published_limits(found: int, of: int, low: float, high: float) -> None:
    assert wilson(found, of) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@pytest.mark.parametrize(
    ("base", "head", "low", "high"),  # Newcombe (1998), Statistics in Medicine 17, 873, table II, method 10
    [
        ((48, 80), (56, 70), 0.0524, 0.3339),
        ((3, 10), (9, 10), 0.1705, 0.8090),
        ((0, 20), (10, 10), 0.6791, 1.0000),
        ((0, 10), (10, 10), 0.6075, 1.0000),
    ],
)
def test_newcombe_gives_the_published_limits(
    base: tuple[int, int], head: tuple[int, int], low: float, high: float
) -> None:
    assert newcombe(base, head) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@pytest.mark.parametrize(
    ("base", "head", "p"),  # scipy 1.17: fisher_exact([[h, n - h], [b, m - b]], alternative="greater")
    [
        ((5, 100), (12, 90), 0.0390443820932985),
        ((0, 200), (6, 200), 0.0150420290754946),
        ((50, 1000), (90, 1000), 0.000293830332615948),
        ((100000, 1000000), (101000, 1000000), 0.00940040310567508),
        ((3, 3), (0, 4), 1.0),
    ],
)
def test_fisher_agrees_with_scipy(base: tuple[int, int], head: tuple[int, int], p: float) -> None:
    assert fisher(base, head) == pytest.approx(p, rel=1e-6)


@given(counts, counts)
def test_the_limits_hold_what_was_seen(base: tuple[int, int], head: tuple[int, int]) -> None:
    for found, of in (base, head):
        low, high = wilson(found, of)
        assert 0 <= low <= high <= 1
        assert not of or low <= found / of <= high
    low, high = newcombe(base, head)
    assert -1.000001 <= low <= high <= 1.000001
    if base[1] and head[1]:
        assert low <= head[0] / head[1] - base[0] / base[1] <= high
        assert newcombe(head, base) == (pytest.approx(-high), pytest.approx(-low))


@given(samples, samples)
def test_the_two_sides_of_fishers_test_share_only_what_was_seen(base: tuple[int, int], head: tuple[int, int]) -> None:
    more, fewer = fisher(base, head), fisher(head, base)
    assert 0 <= more <= 1
    assert more + fewer >= 1 - 1e-9
    assert least_p(base, head) <= more + 1e-12


def test_nothing_seen_is_never_called_nothing() -> None:
    assert wilson(0, 500)[1] == pytest.approx(0.0076, abs=5e-5)
    assert wilson(5, 5)[0] == pytest.approx(0.5655, abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_a_quantile_is_not_told_of_fewer_values_than_bound_it(share: float) -> None:
    size = smallest_sample(share)
    assert quantile_ranks(share, size - 1) is None
    low, high = quantile_ranks(share, size) or (0, 0)
    assert 1 <= low <= share * size <= high <= size


def test_the_ranks_of_a_quantile_hold_it_as_often_as_they_say() -> None:
    """P(low <= number of values below the quantile < high), exactly, from the binomial distribution."""
    for share, of in ((0.5, 50), (0.9, 100), (0.99, 1000)):
        low, high = quantile_ranks(share, of) or (0, 0)
        held = sum(math.comb(of, k) * share**k * (1 - share) ** (of - k) for k in range(low, high))
        assert held >= 0.95


def test_holm_corrects_step_by_step() -> None:
    """The example of every textbook: 0.01, 0.04, 0.03 and 0.005, none of them limited by its totals."""
    adjusted = holm([(0.01, 0.0), (0.04, 0.0), (0.03, 0.0), (0.005, 0.0)], 0.05)
    assert adjusted == [pytest.approx(0.03), pytest.approx(0.06), pytest.approx(0.06), pytest.approx(0.02)]


def test_a_test_that_could_not_come_out_does_not_count() -> None:
    assert holm([(0.02, 0.0), (1.0, 0.6), (1.0, 0.5)], 0.05) == [pytest.approx(0.02), None, None]
    assert holm([], 0.05) == []


@pytest.mark.parametrize(
    ("share", "base_of", "head_of", "level"),
    [(0.05, 200, 200, 0.0025), (0.01, 500, 500, 0.001), (0.5, 100, 100, 0.005), (0.1, 400, 100, 0.002)],
)
def test_the_detectable_share_is_found_as_often_as_it_says(
    share: float, base_of: int, head_of: int, level: float
) -> None:
    """The power of the test, summed exactly over both binomial distributions, is not below 76 %."""
    least = detectable(share, base_of, head_of, level)
    assert least is not None
    assert power(share, base_of, least, head_of, level) == pytest.approx(0.8, abs=1e-6)
    real = 0.0
    for found in range(base_of + 1):
        chance = math.comb(base_of, found) * share**found * (1 - share) ** (base_of - found)
        if chance < 1e-7:
            continue
        needed = next((h for h in range(head_of + 1) if fisher((found, base_of), (h, head_of)) <= level), head_of + 1)
        tail = (math.comb(head_of, h) * least**h * (1 - least) ** (head_of - h) for h in range(needed, head_of + 1))
        real += chance * sum(tail)
    assert real >= 0.76


def test_too_few_sessions_detect_nothing() -> None:
    assert detectable(0.0, 3, 3, 0.01) is None
    assert power(0.1, 0, 0.5, 0, 0.05) == 0.0
    assert power(0.5, 100, 0.4, 100, 0.05) == 0.0
