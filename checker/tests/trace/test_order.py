"""Records put in order, ids that are joined, numbers that go up: what must hold of any of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import binding_of, read, records_of

from lifespec.trace import recurrence, reorder
from lifespec.trace.event import Place, Record
from lifespec.trace.recurrence import Seen
from lifespec.trace.reorder import Reorder
from lifespec.trace.sessions import Sessions

RECORDS = st.lists(st.tuples(st.sampled_from("xy"), st.none() | st.integers(0, 20)), max_size=30)


def sorted_by(records: list[tuple[str, int | None]], lateness: int) -> tuple[list[int], list[int]]:
    """The numbers of the records in their new order, and of those that came too late."""
    held: Reorder[int] = Reorder(lateness)
    out: list[int] = []
    late: list[int] = []
    for number, (clock, time) in enumerate(records):
        if held.push(number, clock, time) is not None:
            late.append(number)
        out += held.ready()
    return [*out, *held.ready(all_of_them=True)], late


@given(RECORDS, st.integers(0, 25))
def test_nothing_is_lost_and_clocks_keep_their_places(records: list[tuple[str, int | None]], lateness: int) -> None:
    out, _ = sorted_by(records, lateness)
    assert sorted(out) == list(range(len(records)))
    assert [records[number][0] for number in out] == [clock for clock, _ in records]


@given(RECORDS, st.integers(0, 25))
def test_all_but_what_is_late_is_in_order(records: list[tuple[str, int | None]], lateness: int) -> None:
    out, late = sorted_by(records, lateness)
    for clock in "xy":
        times = [records[n][1] for n in out if records[n][0] == clock and n not in late]
        timed = [time for time in times if time is not None]
        assert timed == sorted(timed)
    assert not late or lateness < 20


def test_what_is_held_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reorder, "MOST_HELD", 3)
    held: Reorder[int] = Reorder(10)
    for number in range(10):
        held.push(number, "x", 0)
        assert len(list(held.ready())) == (1 if number >= 3 else 0)


@given(
    st.lists(st.tuples(st.sampled_from(["join", "begin", "use"]), st.integers(0, 5), st.integers(0, 5)), max_size=40)
)
def test_two_sessions_with_records_are_never_one(steps: list[tuple[str, int, int]]) -> None:
    sessions = Sessions()
    for kind, one, other in steps:
        if kind == "join":
            before = sessions.name_of(str(one)) == sessions.name_of(str(other))
            joined = sessions.join(str(one), str(other))
            assert (sessions.name_of(str(one)) == sessions.name_of(str(other))) == (joined or before)
        elif kind == "begin":
            sessions.begin(str(one))
        else:
            name = sessions.name_of(str(one))
            sessions.use(str(one))
            assert sessions.name_of(str(one)) == name


def test_old_keys_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recurrence, "MOST_REMEMBERED", 2)
    seen = Seen()
    assert [seen.place_of(key, Place("a", 1)) is not None for key in (1, 1, "1", 2, 1)] == [
        False,
        True,
        False,
        False,
        False,
    ]


def test_what_stands_around_is_searched_with_the_first_record_that_is_judged() -> None:
    binding = binding_of(
        "read json-lines each record in items  session = s  time = none  event = e  ignore noise  ignore any"
    )
    log = (
        '{"who": "w", "items": [{"e": "noise"}, {"e": "other"}, {"s": "a", "e": "opened"}, {"s": "a", "e": "closed"}]}'
    )
    first, second = records_of(binding, log)
    assert first.body == {"s": "a", "e": "opened", "around record": {"who": "w"}}
    assert second.body == {"s": "a", "e": "closed"}


def test_times_that_cannot_be_sorted_by_keep_their_places() -> None:
    binding = binding_of("order by time within 9s  ignore any")
    log = "".join(f'{{"session": "a", "time": {time}, "event": "opened"}}\n' for time in ('"x"', 2, "null", 1))
    items, counts = read(binding, log)
    assert [item.place.line for item in items if isinstance(item, Record)] == [1, 4, 2, 3]
    assert counts.findings == {"unreadable-time": 1, "missing-time": 1}


@pytest.mark.parametrize("statements", ["", "clock per host"])
def test_a_time_that_goes_back_shows_the_record_before(statements: str) -> None:
    log = '{"session": "a", "time": 5}\n{"session": "b", "time": 1}\n{"session": "a", "time": 3}\n'
    items, _ = read(binding_of(statements), log)
    (found,) = [each for each in items if not isinstance(each, Record)]
    assert (found.name, [witness.place.line for witness in found.witnesses]) == ("time-reversed", [1])
