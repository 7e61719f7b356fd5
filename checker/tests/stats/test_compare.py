"""What a comparison names, and what it leaves unsaid: on sums of sessions made by hand."""

from __future__ import annotations

from lifespec.stats.compare import ALIKE, BETTER, CHANGED, SAME, TOO_FEW, WORSE, Comparison, Row, compare
from lifespec.stats.gather import Tally
from lifespec.stats.measure import LIFE, REACH, SHORTER, STATE, Measure
from lifespec.stats.record import SessionRecord

GROUP = ("rule-broken", "rule r")
REACHING = Measure(REACH, "m.s", "", "")
LEFT = Measure(LIFE, "m", "", "", worse=SHORTER)
STAYING = Measure(STATE, "m.s", "", "", worse=None)


def tally(sessions: int, found: int = 0, length: int = 1000, measure: Measure = REACHING, segment: str = "") -> Tally:
    made = Tally()
    for number in range(sessions):
        record = SessionRecord()
        if number < found:
            record.find(GROUP)
        record.measure(measure.id, length + 10 * (number % 50))
        made.overall.add(record)
        if segment:
            made.segment((segment,)).add(record)
    return made


def changes(compared: Comparison) -> set[str]:
    return {row.change for row in compared.rows}


def finding(compared: Comparison) -> Row:
    (row,) = (row for row in compared.rows if row.kind == "finding")
    return row


def test_more_sessions_with_a_finding_are_worse_and_fewer_are_better() -> None:
    assert finding(compare(tally(200, 4), tally(200, 40), [])).change == WORSE
    assert finding(compare(tally(200, 40), tally(200, 4), [])).change == BETTER
    assert finding(compare(tally(200, 40), tally(200, 42), [])).change == SAME


def test_more_findings_in_the_same_sessions_are_not_worse() -> None:
    base, head = tally(200, 10), tally(200, 10)
    head.overall.findings[GROUP].count *= 50
    assert finding(compare(base, head, [])).change == SAME


def test_a_finding_of_one_session_says_nothing_and_costs_nothing() -> None:
    alone = compare(tally(200, 4), tally(200, 40), [])
    head = tally(200, 40)
    for number in range(50):
        rare = SessionRecord(is_again=True)
        rare.find((f"rare-{number}", ""))
        head.overall.add(rare)
    crowded = compare(tally(200, 4), head, [])
    assert {row.change for row in crowded.rows if row.name.startswith("rare")} == {TOO_FEW}
    assert crowded.tested == alone.tested
    assert next(row for row in crowded.rows if row.name == GROUP[0]).p == finding(alone).p


def test_what_all_sessions_have_is_alike() -> None:
    assert finding(compare(tally(200, 200), tally(200, 200), [])).change == ALIKE


def test_longer_is_worse_and_shorter_is_worse_where_it_is_said() -> None:
    for measure, wanted in ((REACHING, WORSE), (LEFT, BETTER), (STAYING, CHANGED)):
        base, head = tally(100, measure=measure), tally(100, length=3000, measure=measure)
        assert changes(compare(base, head, [measure])) == {wanted}
        assert changes(compare(head, base, [measure])) == {{WORSE: BETTER, BETTER: WORSE}.get(wanted, wanted)}


def test_the_limits_of_a_difference_hold_it_or_are_not_told() -> None:
    for row in compare(tally(100), tally(100, length=1200), [REACHING]).rows:
        assert row.difference is not None
        assert row.low is not None
        assert row.high is not None
        assert row.low <= row.difference <= row.high
    few = compare(tally(40), tally(40), [REACHING]).rows
    assert [row.low is None for row in few] == [False, True]  # 40 sessions bound the median, and not p90


def test_a_side_with_few_sessions_is_not_compared() -> None:
    compared = compare(tally(29, 2), tally(500, 400), [REACHING])
    assert changes(compared) == {TOO_FEW}
    assert not compared.is_done
    assert compared.too_small == (((), 29, 500),)


def test_the_segments_are_compared_and_not_their_sum() -> None:
    """The share of phones grows, and phones have more findings: the sum is worse, and no segment is."""

    def release(phones: int, desks: int) -> Tally:
        made = tally(phones, phones // 4, segment="phone")
        for number in range(desks):
            record = SessionRecord()
            if number < desks // 50:
                record.find(GROUP)
            made.overall.add(record)
            made.segment(("desk",)).add(record)
        return made

    base, head = release(100, 400), release(400, 100)
    assert not compare(base, head, []).worse
    unsorted = [Tally(overall=side.overall) for side in (base, head)]
    assert compare(unsorted[0], unsorted[1], []).worse


def test_a_property_that_was_not_judged_alike_is_left_out() -> None:
    assert compare(tally(200, 40), tally(200), [], without=frozenset({"rule r"})).rows == ()


def test_what_was_not_tested_is_not_called_the_same() -> None:
    """Of three sessions nothing can be told, and of two hundred that a length is the same in all of them can."""
    few = compare(tally(3), tally(3), [REACHING], min_sessions=1)
    assert changes(few) == {TOO_FEW}
    assert (few.tested, few.is_done) == (0, False)
    few = compare(tally(3, 3), tally(3, 3), [], min_sessions=1, judged=frozenset({"rule r", "rule s"}))
    assert (changes(few), few.tested, few.clean, few.is_done) == ({TOO_FEW}, 0, 1, False)
    for row in compare(tally(200, 20), tally(200, 20), [REACHING]).rows:
        assert (row.change, row.p is None) == (SAME, False)


def test_without_a_finding_only_what_was_judged_was_compared() -> None:
    base, head = tally(200), tally(200)
    assert not compare(base, head, []).is_done
    assert not compare(base, head, [], judged=frozenset({"rule r"}), without=frozenset({"rule r"})).is_done
    clean = compare(base, head, [], judged=frozenset({"rule r"}))
    assert (clean.tested, clean.clean, clean.is_done) == (0, 1, True)
    assert not compare(tally(29), head, [], judged=frozenset({"rule r"})).is_done
