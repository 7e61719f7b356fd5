"""Intervals and tests on counts: plain numbers in, plain numbers out. Knows nothing of logs.

Sources: Wilson (1927) for one proportion; Newcombe (1998, method 10) for the difference of two, and Zou and Donner
(2008) for the same step with other limits than Wilson's; Fisher (1935) for the test; Holm (1979) for several tests,
among those that can come out at all, Tarone (1990); Casagrande, Pike and Smith (1978) for the power of Fisher's test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

CONFIDENCE = 0.95

_normal = NormalDist()


def two_sided(confidence: float) -> float:
    """The quantile of the normal distribution for an interval of this confidence."""
    return _normal.inv_cdf(0.5 + confidence / 2)


def wilson(found: float, of: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The limits of a proportion, `found` of `of`; 0 and 1 when nothing was seen. `found` may be a share of a size that
    stands for another, so need not be whole."""
    if not of:
        return 0.0, 1.0
    z = two_sided(confidence)
    share = found / of
    middle = share + z * z / (2 * of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    scale = 1 + z * z / of
    low = 0.0 if not found else (middle - half) / scale
    high = 1.0 if found >= of else (middle + half) / scale
    return low, high


def newcombe(base: tuple[int, int], head: tuple[int, int], confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The limits of the difference of two proportions, head less base; each is (found, of)."""
    if not base[1] or not head[1]:
        return -1.0, 1.0
    return difference((base[0] / base[1], *wilson(*base, confidence)), (head[0] / head[1], *wilson(*head, confidence)))


def difference(base: tuple[float, float, float], head: tuple[float, float, float]) -> tuple[float, float]:
    """The limits of a difference, head less base, from two independent estimates with their limits:
    (value, low, high) each, of the same confidence."""
    (b, b_low, b_high), (h, h_low, h_high) = base, head
    return h - b - math.hypot(h - h_low, b_high - b), h - b + math.hypot(h_high - h, b - b_low)


def quantile_ranks(share: float, of: int, confidence: float = CONFIDENCE) -> tuple[int, int] | None:
    """The ranks, from 1, of the two values of a sample of size `of` between which the quantile lies; None when the
    sample is too small to bound it on both sides. Free of any assumption on the distribution."""
    z = two_sided(confidence)
    middle = of * share
    half = z * math.sqrt(of * share * (1 - share))
    low, high = math.floor(middle - half), math.ceil(middle + half) + 1
    return (low, high) if low >= 1 and high <= of else None


def smallest_sample(share: float, confidence: float = CONFIDENCE) -> int:
    """From which size on a sample bounds this quantile on both sides."""
    size = 1
    while quantile_ranks(share, size, confidence) is None:
        size += 1
    return size


def fisher(base: tuple[int, int], head: tuple[int, int]) -> float:
    """The probability that, with these totals, `head` has as many or more by chance (one-sided, exact)."""
    (b, base_of), (h, head_of) = base, head
    affected = b + h
    everything = base_of + head_of
    most = min(affected, head_of)
    term = math.exp(log_choose(head_of, h) + log_choose(base_of, b) - log_choose(everything, affected))
    total = 0.0
    for count in range(h, most + 1):
        total += term
        rest = affected - count
        term *= (head_of - count) * rest / ((count + 1) * (base_of - rest + 1))
        if term < total * 1e-17:
            break
    return min(1.0, total)


def least_p(base: tuple[int, int], head: tuple[int, int]) -> float:
    """The least that `fisher` could give with these totals."""
    affected = base[0] + head[0]
    most = min(affected, head[1])
    return fisher((affected - most, base[1]), (most, head[1]))


def log_choose(of: int, count: int) -> float:
    """The logarithm of the number of ways to choose `count` of `of`."""
    return math.lgamma(of + 1) - math.lgamma(count + 1) - math.lgamma(of - count + 1)


def holm(tests: Sequence[tuple[float, float]], level: float) -> list[float | None]:
    """Adjusted p of each test, given as (p, least p that its totals allow): at most `level` of all runs in which
    nothing differs have any at or below `level`. None for a test that could not come out at this number of tests,
    whatever had been seen; it does not count among them."""
    family = 1
    while sum(least <= level / family for _, least in tests) > family:
        family += 1
    tested = sorted((p, place) for place, (p, least) in enumerate(tests) if least <= level / family)
    adjusted: list[float | None] = [None] * len(tests)
    worst = 0.0
    for rank, (p, place) in enumerate(tested):
        worst = max(worst, min(1.0, p * (len(tested) - rank)))
        adjusted[place] = worst
    return adjusted


def power(base_share: float, base_of: int, head_share: float, head_of: int, level: float) -> float:
    """How probable it is that `fisher` comes out at or below `level`; approximate, rather too low."""
    if head_share <= base_share or not base_of or not head_of:
        return 0.0
    ratio = head_of / base_of
    gap = head_share - base_share
    correction = 2 * (ratio + 1) / (ratio * gap)  # for continuity: the sample counts as a smaller one
    root = math.sqrt(base_of) - correction / (4 * math.sqrt(base_of))
    if root <= 0:
        return 0.0
    pooled = (base_share + ratio * head_share) / (1 + ratio)
    null = math.sqrt((1 + 1 / ratio) * pooled * (1 - pooled))
    real = math.sqrt(base_share * (1 - base_share) + head_share * (1 - head_share) / ratio)
    over = gap * root - _normal.inv_cdf(1 - level) * null
    return _normal.cdf(over / real) if real else float(over >= 0)


def detectable(base_share: float, base_of: int, head_of: int, level: float, wanted: float = 0.8) -> float | None:
    """The least share in `head` that would come out with the probability `wanted`; None when no share would."""
    if fisher((0, base_of), (head_of, head_of)) > level or power(base_share, base_of, 1.0, head_of, level) < wanted:
        return None
    low, high = base_share, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if power(base_share, base_of, middle, head_of, level) < wanted:
            low = middle
        else:
            high = middle
    return high
