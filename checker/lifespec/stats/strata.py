"""Several tables of two by two counts, one of each segment, judged together: counts in, numbers out. Knows no logs.

Sources: Cochran (1954), Mantel and Haenszel (1959) for the test and its weights; Gart (1970) for its exact
distribution; Kish (1965) for the size of a sample of unequal weights, and for sessions that are in several segments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from lifespec.stats.interval import log_choose

Count = tuple[int, int]  # found, of
Stratum = tuple[Count, Count]  # base, head

_EXACT = 400.0  # up to this variance the distribution is worked out; above it the normal one is near enough
_NEGLIGIBLE = 1e-25

_normal = NormalDist()


def common(strata: Sequence[Stratum]) -> list[Stratum]:
    """Those with sessions on both sides: the others say nothing of a difference."""
    return [stratum for stratum in strata if stratum[0][1] and stratum[1][1]]


def deviation(strata: Sequence[Stratum]) -> tuple[float, float]:
    """How many more the heads have than is to be expected with these totals, and the variance of this number."""
    over = variance = 0.0
    for (b, base_of), (h, head_of) in strata:
        affected, everything = b + h, base_of + head_of
        over += h - head_of * affected / everything
        if everything > 1:
            spread = base_of * head_of * affected * (everything - affected)
            variance += spread / (everything * everything * (everything - 1))
    return over, variance


def cochran_mantel_haenszel(strata: Sequence[Stratum], overlap: float = 1.0) -> float:
    """The probability that the heads have as many or more by chance, whatever the segments: one-sided, by the normal
    distribution with correction for continuity. `overlap` is in how many segments a session is, on average; its
    parts count as if all told the same."""
    over, variance = deviation(strata)
    return _normal.cdf(-(over - 0.5) / math.sqrt(variance * overlap)) if variance else 1.0


def stratified(strata: Sequence[Stratum], overlap: float = 1.0) -> float:
    """The test of Cochran, Mantel and Haenszel, with its exact distribution where counts are small: there the normal
    one promises too much when the sides are of unequal size. Of one stratum it is Fisher's test."""
    variance = deviation(strata)[1]
    if variance > _EXACT:
        return cochran_mantel_haenszel(strata, overlap)
    low, chances = 0, [1.0]
    for (b, base_of), (h, head_of) in strata:
        first, each = _hypergeometric(base_of, head_of, b + h)
        low, chances = _trimmed(low + first, _sums(chances, each))
    exact = math.fsum(chances[max(0, sum(head[0] for _, head in strata) - low) :])
    exact = min(1.0, max(exact, _NEGLIGIBLE))
    return exact if overlap <= 1 else max(exact, cochran_mantel_haenszel(strata, overlap))


def least_stratified(strata: Sequence[Stratum], overlap: float = 1.0) -> float:
    """The least that `stratified` could give with these totals."""
    extreme = []
    for (b, base_of), (h, head_of) in strata:
        most = min(b + h, head_of)
        extreme.append(((b + h - most, base_of), (most, head_of)))
    return stratified(extreme, overlap)


def shares(strata: Sequence[Stratum]) -> tuple[float, float]:
    """The shares of base and head, each segment with the same weight on both sides; their difference is that of
    Mantel and Haenszel."""
    weights = [_weight(stratum) for stratum in strata]
    total = sum(weights)
    base = sum(weight * b / of for weight, ((b, of), _) in zip(weights, strata, strict=True)) / total
    head = sum(weight * h / of for weight, (_, (h, of)) in zip(weights, strata, strict=True)) / total
    return base, head


def sizes(strata: Sequence[Stratum], overlap: float = 1.0) -> tuple[int, int]:
    """How many sessions of base and head would be as precise without segments."""
    weights = [_weight(stratum) for stratum in strata]
    if not weights:
        return 0, 0
    squared = sum(weights) ** 2 / overlap
    base, head = (
        int(squared / sum(weight * weight / stratum[side][1] for weight, stratum in zip(weights, strata, strict=True)))
        for side in (0, 1)
    )
    return base, head


def _weight(stratum: Stratum) -> float:
    (_, base_of), (_, head_of) = stratum
    return base_of * head_of / (base_of + head_of)


def _hypergeometric(base_of: int, head_of: int, affected: int) -> tuple[int, list[float]]:
    """The least number of affected in the head that is not negligible, and the probability of it and those above."""
    low, high = max(0, affected - base_of), min(affected, head_of)
    middle = min(high, max(low, (affected + 1) * (head_of + 1) // (base_of + head_of + 2)))
    rest = affected - middle
    likely = math.exp(log_choose(head_of, middle) + log_choose(base_of, rest) - log_choose(base_of + head_of, affected))
    above, count, term = [likely], middle, likely
    while count < high and term > _NEGLIGIBLE:
        term *= (head_of - count) * (affected - count) / ((count + 1) * (base_of - affected + count + 1))
        count += 1
        above.append(term)
    below, count, term = [], middle, likely
    while count > low and term > _NEGLIGIBLE:
        term *= count * (base_of - affected + count) / ((head_of - count + 1) * (affected - count + 1))
        count -= 1
        below.append(term)
    return count, [*reversed(below), *above]


def _sums(left: Sequence[float], right: Sequence[float]) -> list[float]:
    """The probabilities of the sum of two independent numbers."""
    found = [0.0] * (len(left) + len(right) - 1)
    for place, ours in enumerate(left):
        for other, theirs in enumerate(right, place):
            found[other] += ours * theirs
    return found


def _trimmed(low: int, chances: Sequence[float]) -> tuple[int, list[float]]:
    """Without the negligible ends."""
    kept = [place for place, chance in enumerate(chances) if chance > _NEGLIGIBLE]
    return low + kept[0], list(chances[kept[0] : kept[-1] + 1])
