"""Is the head worse than the base? Owns what is compared, the test of each comparison and what may be named.

Pure functions on sums of sessions. The unit is the session: of a finding the share of sessions that have it, of a
measure quantiles over the sessions of the mean in each. Every comparison is a table of two by two counts, judged by
Fisher's exact test, or one of each segment, judged together by that of Cochran, Mantel and Haenszel; all are corrected
by Holm's method: if nothing differs, anything is named worse in at most LEVEL of all
comparisons of two releases, and anything better in at most as many. See docs/explanation/statistics.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from lifespec.stats.gather import Segment, Tally
from lifespec.stats.interval import (
    detectable,
    difference,
    fisher,
    holm,
    least_p,
    newcombe,
    quantile_ranks,
    wilson,
)
from lifespec.stats.measure import LONGER, SHORTER, Measure
from lifespec.stats.record import Distribution, Group, Summary
from lifespec.stats.sketch import Sketch
from lifespec.stats.strata import Stratum, common, least_stratified, shares, sizes, stratified

LEVEL = 0.05
POWER = 0.8
MIN_SESSIONS = 30
FINDING = "finding"
ALL = "(all, by segment)"

WORSE, BETTER, CHANGED, SAME = "worse", "better", "changed", "no difference seen"
ALIKE, TOO_FEW = "alike", "too few"
"""Not tested, for no test could have come out: nearly all sessions of both sides are the same in it, or few have it."""

_QUANTILES = {LONGER: (0.5, 0.9), SHORTER: (0.5, 0.1), None: (0.5, 0.9)}


class Estimate(Struct, frozen=True):
    """One side: a share of sessions, or a quantile in the unit of its measure. `low` and `high` are its limits, None
    where the sessions are too few to tell; `sessions` is of how many, `found` of shares in how many."""

    value: float | None
    low: float | None
    high: float | None
    sessions: int
    found: int | None = None


class Row(Struct, frozen=True):
    """One comparison. `kind` is FINDING, then `name` is of a finding and `part` its property, else the kind of a
    measure and `name` its name. `low` and `high` are the limits of the difference, head less base; they are not
    corrected for the number of comparisons, but `p` is. `detectable` is the share in the head from which on the
    finding would be named worse in 80 of 100 such comparisons. `is_stratified`: of all segments together; then the
    values of `segment` are ALL, shares and difference are what they would be with one mix of segments on both sides,
    and `found` and `sessions` are plain sums.
    """

    segment: Segment
    kind: str
    name: str
    part: str
    quantile: float | None
    unit: str
    base: Estimate
    head: Estimate
    difference: float | None
    low: float | None
    high: float | None
    change: str = TOO_FEW
    p: float | None = None
    detectable: float | None = None
    is_stratified: bool = False

    @property
    def is_new(self) -> bool:
        """A finding that the base did not have."""
        return self.kind == FINDING and not self.base.found

    @property
    def is_gone(self) -> bool:
        """A finding that the head does not have."""
        return self.kind == FINDING and not self.head.found


class Comparison(Struct, frozen=True):
    """All comparisons. `precision` are the sessions of each side; with segments how many sessions without segments
    would say as much as all of them together. `tested` is how many comparisons were tested for being worse;
    `too_small` are the segments with fewer sessions than `min_sessions` on a side, and how many those have. `clean` is
    of how many properties that both sides judged neither has a finding."""

    rows: tuple[Row, ...]
    precision: tuple[int, int]
    tested: int
    min_sessions: int
    too_small: tuple[tuple[Segment, int, int], ...]
    has_sessions: bool  # at least one segment, or all together, had sessions enough
    could_tell: bool  # so many sessions that a finding of which the base has none would have been named
    clean: int = 0

    @property
    def is_done(self) -> bool:
        """Whether that nothing is named worse says anything: something was tested, or there were sessions enough to
        see a difference, and something to see it in."""
        if not self.has_sessions:
            return False
        is_seen = any(row.change in (BETTER, CHANGED, SAME, ALIKE) for row in self.rows)
        return self.tested > 0 or (self.could_tell and (self.clean > 0 or is_seen))

    @property
    def worse(self) -> tuple[Row, ...]:
        """What is named worse."""
        return tuple(row for row in self.rows if row.change == WORSE)


class _Test(Struct, frozen=True):
    """A row with its two counts, and whether more of it is worse. With `strata` these are judged, and not their sum."""

    row: Row
    base: tuple[int, int]
    head: tuple[int, int]
    is_directed: bool = True
    is_enough: bool = True
    strata: tuple[Stratum, ...] = ()
    overlap: float = 1.0

    def is_alike(self, level: float) -> bool:
        """Whether a test that cannot come out says something all the same: nearly all sessions have the finding, or
        of a measure the same value, and of so many sessions another value would have been seen."""
        is_common = 2 * (self.base[0] + self.head[0]) > self.base[1] + self.head[1]
        is_so = self.is_enough and (is_common or self.row.kind != FINDING)
        return is_so and _could_tell(self.base[1], self.head[1], level)

    def more(self) -> tuple[float, float]:
        """How probable so many in the head are by chance, and the least that this could be."""
        if self.strata:
            return stratified(self.strata, self.overlap), least_stratified(self.strata, self.overlap)
        return fisher(self.base, self.head), least_p(self.base, self.head)

    def fewer(self) -> tuple[float, float]:
        """The same for so few."""
        if self.strata:
            turned = [(head, base) for base, head in self.strata]
            return stratified(turned, self.overlap), least_stratified(turned, self.overlap)
        return fisher(self.head, self.base), least_p(self.head, self.base)


def compare(
    base: Tally,
    head: Tally,
    measures: Sequence[Measure],
    *,
    without: frozenset[str] = frozenset(),
    judged: frozenset[str] = frozenset(),
    level: float = LEVEL,
    min_sessions: int = MIN_SESSIONS,
) -> Comparison:
    """Compare the sums of two releases. With segments each of them is judged, and of findings all together, but never
    their plain sum: that would take a change of the mix for one of the release. `measures` are those that mean the
    same on both sides, `without` are properties that were not judged alike, `judged` those that both sides judged."""
    names: list[Segment] = sorted({*base.segments, *head.segments})
    together = list(_together(names, base, head, without, min_sessions))
    tests = list(together)
    too_small: list[tuple[Segment, int, int]] = []
    for name in names or [()]:
        ours, theirs = (_of(tally, name) for tally in (base, head))
        is_enough = min(ours.sessions, theirs.sessions) >= min_sessions
        if not is_enough:
            too_small.append((name, ours.sessions, theirs.sessions))
        tests += _findings(name, ours, theirs, without, is_enough)
        tests += _quantiles(name, ours, theirs, measures, min_sessions if is_enough else None)
    changes, tested = _judged(tests, level)
    precision = base.overall.sessions, head.overall.sessions
    if names:
        precision = sizes(_sessions(names, base, head), _overlap(base, head))
    enough = [precision] + [
        (_of(base, name).sessions, _of(head, name).sessions)
        for name in names
        if min(_of(base, name).sessions, _of(head, name).sessions) >= min_sessions
    ]
    broken = {prop for tally in (base, head) for _, prop in tally.overall.findings}
    rows = []
    for test, (change, p) in zip(tests, changes, strict=True):
        row = test.row
        least = None
        if row.kind == FINDING and test.is_enough and row.base.value is not None:
            base_of, head_of = precision if row.is_stratified else (test.base[1], test.head[1])
            least = detectable(row.base.value, base_of, head_of, level / max(tested, 1), POWER)
        rows.append(replace(row, change=change, p=p, detectable=least))
    return Comparison(
        tuple(rows),
        precision,
        tested,
        min_sessions,
        tuple(too_small),
        len(too_small) < len(names or [()]) or any(test.is_enough for test in together),
        any(_could_tell(ours, theirs, level) for ours, theirs in enough),
        len(judged - without - broken),
    )


def _could_tell(base_of: int, head_of: int, level: float) -> bool:
    """Whether so many sessions could name a finding that the base does not have."""
    return detectable(0.0, base_of, head_of, level, POWER) is not None


def _of(tally: Tally, name: Segment) -> Summary:
    return tally.overall if not name else tally.segments.get(name) or Summary()


# --- all segments together -----------------------------------------------------------------------------------


def _together(
    names: Sequence[Segment], base: Tally, head: Tally, without: frozenset[str], min_sessions: int
) -> Iterator[_Test]:
    """A test of each finding over the segments that both sides have."""
    overlap = _overlap(base, head)
    groups = {group for tally in (base, head) for summary in tally.segments.values() for group in summary.findings}
    for group in sorted(groups):
        if group[1] in without:
            continue
        strata = common([(_found(_of(base, name), group), _found(_of(head, name), group)) for name in names])
        if strata:
            yield _stratified(names[0], group, strata, overlap, min_sessions)


def _stratified(like: Segment, group: Group, strata: Sequence[Stratum], overlap: float, min_sessions: int) -> _Test:
    ours, theirs = (
        (sum(stratum[side][0] for stratum in strata), sum(stratum[side][1] for stratum in strata)) for side in (0, 1)
    )
    sides = []
    for share, size, (found, of) in zip(shares(strata), sizes(strata, overlap), (ours, theirs), strict=True):
        sides.append(Estimate(share, *wilson(share * size, size), of, found))
    gap, low, high = _gap(sides[0], sides[1])
    row = Row(
        (ALL,) * len(like), FINDING, *group, None, "share", sides[0], sides[1], gap, low, high, is_stratified=True
    )
    is_enough = min(ours[1], theirs[1]) >= min_sessions
    return _Test(row, ours, theirs, is_enough=is_enough, strata=tuple(strata), overlap=overlap)


def _overlap(base: Tally, head: Tally) -> float:
    """In how many segments a session is, on average; more than one where segments are of parts of sessions."""
    sums = [(sum(each.sessions for each in tally.segments.values()), tally.overall.sessions) for tally in (base, head)]
    return max([1.0, *(parts / sessions for parts, sessions in sums if sessions)])


def _sessions(names: Sequence[Segment], base: Tally, head: Tally) -> list[Stratum]:
    """The sizes of the segments that both sides have."""
    return common([((0, _of(base, name).sessions), (0, _of(head, name).sessions)) for name in names])


# --- one segment, or all sessions ------------------------------------------------------------------------------


def _found(summary: Summary, group: Group) -> tuple[int, int]:
    found = summary.findings.get(group)
    return (found.sessions if found is not None else 0), summary.sessions


def _findings(
    segment: Segment, base: Summary, head: Summary, without: frozenset[str], is_enough: bool
) -> Iterator[_Test]:
    for group in sorted({*base.findings, *head.findings}):
        if group[1] in without:
            continue
        counts = [_found(summary, group) for summary in (base, head)]
        sides = [Estimate(found / of if of else None, *wilson(found, of), of, found) for found, of in counts]
        gap = None
        low, high = newcombe(counts[0], counts[1])
        if sides[0].value is not None and sides[1].value is not None:
            gap = sides[1].value - sides[0].value
        row = Row(segment, FINDING, *group, None, "share", sides[0], sides[1], gap, low, high)
        yield _Test(row, counts[0], counts[1], is_enough=is_enough)


def _quantiles(
    segment: Segment, base: Summary, head: Summary, measures: Sequence[Measure], min_sessions: int | None
) -> Iterator[_Test]:
    for measure in measures:
        ours, theirs = (side.measures.get(measure.id, Distribution()).means for side in (base, head))
        if not ours.count and not theirs.count:
            continue
        both = Sketch()
        both.merge(ours)
        both.merge(theirs)
        for share in _QUANTILES[measure.worse]:
            limit = both.quantile(share)
            assert limit is not None
            is_lower_worse = measure.worse == SHORTER
            counts = [
                (side.below(limit) if is_lower_worse else side.above(limit), side.count) for side in (ours, theirs)
            ]
            sides = [_estimate(side, share) for side in (ours, theirs)]
            gap, low, high = _gap(sides[0], sides[1])
            row = Row(segment, measure.kind, measure.name, "", share, measure.unit, sides[0], sides[1], gap, low, high)
            is_enough = min_sessions is not None and min(ours.count, theirs.count) >= min_sessions
            yield _Test(row, counts[0], counts[1], measure.worse is not None, is_enough)


def _estimate(sketch: Sketch, share: float) -> Estimate:
    """The quantile of a sketch between two of its values."""
    ranks = quantile_ranks(share, sketch.count) if sketch.count else None
    low, high = (None, None) if ranks is None else (sketch.at_rank(ranks[0]), sketch.at_rank(ranks[1]))
    return Estimate(sketch.quantile(share), low, high, sketch.count)


def _gap(base: Estimate, head: Estimate) -> tuple[float | None, float | None, float | None]:
    """The difference with its limits, as far as they are known."""
    if base.value is None or head.value is None:
        return None, None, None
    gap = head.value - base.value
    if base.low is None or base.high is None or head.low is None or head.high is None:
        return gap, None, None
    low, high = difference((base.value, base.low, base.high), (head.value, head.low, head.high))
    return gap, low, high


def _judged(tests: Sequence[_Test], level: float) -> tuple[list[tuple[str, float | None]], int]:
    """What each test comes out as, with its corrected p; and how many were tested for being worse."""
    found: list[tuple[str, float | None]] = [(ALIKE if test.is_alike(level) else TOO_FEW, None) for test in tests]
    directed = [place for place, test in enumerate(tests) if test.is_enough and test.is_directed]
    neutral = [place for place, test in enumerate(tests) if test.is_enough and not test.is_directed]
    more = holm([tests[place].more() for place in directed], level)
    fewer = holm([tests[place].fewer() for place in directed], level)
    for place, worse, better in zip(directed, more, fewer, strict=True):
        if worse is not None and worse <= level:
            found[place] = (WORSE, worse)
        elif better is not None and better <= level:
            found[place] = (BETTER, better)
        elif worse is not None or better is not None:
            found[place] = (SAME, min(p for p in (worse, better) if p is not None))
    either = holm([_either(tests[place]) for place in neutral], level)
    for place, p in zip(neutral, either, strict=True):
        if p is not None:
            found[place] = (CHANGED if p <= level else SAME, p)
    return found, sum(p is not None for p in more)


def _either(test: _Test) -> tuple[float, float]:
    """Two-sided: twice the smaller of both."""
    (more, least_more), (fewer, least_fewer) = test.more(), test.fewer()
    return min(1.0, 2 * min(more, fewer)), min(1.0, 2 * min(least_more, least_fewer))
