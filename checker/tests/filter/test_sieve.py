"""Which findings pass, whatever the order in which they come, and what is told of the others."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import pytest

from lifespec.filter.baseline import Baseline, Entry, WrongBaseline, made_anew
from lifespec.filter.selection import FINDINGS, NEVER_LEFT_OUT, names_of, unknown_names
from lifespec.filter.sieve import Filters, Known, Sieve, find_wrong
from lifespec.load import load_text
from lifespec.model.model import Model
from lifespec.reports.fingerprint import fingerprint_of
from lifespec.verdict import Place, Property, Violation

STEP = Violation(
    "invalid-transition",
    Property("transitions", "connection"),
    "s",
    Place("a.jsonl", 1),
    machine="connection",
    event="opened",
    states=("failed",),
)
LATE = Violation("overdue", Property("bound", "connection", "connecting"), "s", Place("a.jsonl", 2))
REFUSED = Violation("wrong-container", None, "", Place("a.jsonl", 1))
DAY = datetime.date(2026, 3, 31)

SPEC = """lifecycle socket
machine connection {
  initial idle
  state   connecting within 10s
  idle -> connecting on connect
  connecting -> idle on close
}
rule one-turn { on connect require has x }
"""


def model() -> Model:
    loaded = load_text(SPEC)
    assert loaded.model is not None, loaded.diagnostics
    return loaded.model


def at(line: int, violation: Violation = STEP) -> Violation:
    return replace(violation, place=Place("a.jsonl", line))


def passed(filters: Filters, found: Sequence[Violation]) -> list[Violation]:
    return list(Sieve(filters, lambda violation: violation).pass_through(found))


def known(count: int, expires: datetime.date | None = None, today: datetime.date | None = None) -> Known:
    entry = Entry(fingerprint_of(STEP), count, STEP.name, expires=expires)
    return Known("known.json", Baseline(1, 1, "socket", (entry,)), today)


# --- names ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("overdue", [LATE]),
        ("bound connection.connecting", [LATE]),
        ("connection.connecting", [LATE]),
        ("connection", [STEP, LATE]),
        ("transitions connection", [STEP]),
        ("invalid-transition", [STEP]),
        ("silent", []),
    ],
)
def test_a_finding_is_chosen_by_its_name_and_by_those_of_its_property(name: str, chosen: list[Violation]) -> None:
    assert passed(Filters(select=(name,)), [STEP, LATE]) == chosen
    assert passed(Filters(ignore=(name,)), [STEP, LATE]) == [each for each in (STEP, LATE) if each not in chosen]


def test_what_says_that_nothing_could_be_checked_always_passes() -> None:
    assert set(NEVER_LEFT_OUT) == {"wrong-container"}
    assert passed(Filters(select=("overdue",), ignore=("wrong-container",)), [REFUSED]) == [REFUSED]
    assert not NEVER_LEFT_OUT & set(FINDINGS)


def test_a_severity_of_a_property_beats_that_of_the_finding() -> None:
    filters = Filters(severities={"overdue": "info", "connection.connecting": "warning"})
    assert [each.severity for each in passed(filters, [LATE])] == ["warning"]
    sieve = Sieve(filters, lambda violation: violation)
    list(sieve.pass_through([LATE, STEP, LATE]))
    assert sieve.account(is_whole=True).severities == {("overdue", "bound connection.connecting", "warning"): 2}


def test_all_is_counted() -> None:
    sieve = Sieve(Filters(select=("connection",), ignore=("overdue",)), lambda violation: violation)
    other = Violation("unknown-event", None, "s", Place("a.jsonl", 3))
    assert list(sieve.pass_through([STEP, LATE, LATE, other])) == [STEP]
    account = sieve.account(is_whole=True)
    assert account.ignored == {("overdue", "bound connection.connecting"): 2}
    assert account.not_selected == {("unknown-event", ""): 1}
    assert account.left_out == 3
    assert account.words == "2 ignored, 1 not selected"


def test_names_that_there_are_not_are_findings() -> None:
    found = find_wrong(
        Filters(select=("overdew",), ignore=("one-trun", "wrong-container"), severities={"x": "info"}), model()
    )
    assert [each.name for each in found] == ["unknown-selection"] * 4
    assert [each.help for each in found][:2] == [("did you mean `overdue`?",), ("did you mean `one-turn`?",)]


def test_every_name_of_every_property_is_known() -> None:
    names = {name for prop in model().properties() for name in names_of("overdue", prop)}
    assert {"one-turn", "rule one-turn", "connection.connecting"} <= names
    assert unknown_names([("--select", sorted(names | set(FINDINGS) | {"reason"}))], model()) == ()


# --- the baseline --------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", list(permutations(range(1, 5))))
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_the_known_ones_are_the_first_by_place_in_whatever_order_they_come(order: tuple[int, ...], count: int) -> None:
    found = [at(line) for line in order]
    lines = sorted(each.place.line for each in passed(Filters(known=known(count)), found))
    assert lines == list(range(count + 1, 5))


def test_of_very_many_known_ones_as_many_are_left_out_as_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lifespec.filter.sieve._MOST_HELD", 3)
    found = [at(line) for line in range(1, 21)]
    assert [each.place.line for each in passed(Filters(known=known(17)), found)] == [18, 19, 20]
    assert len(passed(Filters(known=known(17)), found[::-1])) == 3


def test_a_baseline_is_about_all_that_is_found_whatever_is_selected() -> None:
    sieve = Sieve(Filters(known=known(1), select=("overdue",)), lambda violation: violation)
    assert list(sieve.pass_through([at(1), at(2), LATE])) == [LATE]
    account = sieve.account(is_whole=True)
    assert account.baseline is not None
    assert (account.baseline.known, account.left_out) == (1, 2)


@pytest.mark.parametrize(("today", "left"), [(DAY, []), (DAY + datetime.timedelta(1), [1, 2])])
def test_the_last_day_still_counts_and_the_next_one_not(today: datetime.date, left: list[int]) -> None:
    filters = Filters(known=known(2, DAY, today))
    sieve = Sieve(filters, lambda violation: violation)
    assert [each.place.line for each in sieve.pass_through([at(1), at(2)])] == left
    use = sieve.account(is_whole=True).baseline
    assert use is not None
    assert [each.found for each in use.expired] == ([2] if left else [])
    assert use.unused == ()


def test_a_baseline_with_days_needs_to_know_the_day() -> None:
    with pytest.raises(ValueError, match="which day"):
        known(1, DAY)


def test_what_is_found_less_often_is_told_only_when_all_was_seen() -> None:
    sieve = Sieve(Filters(known=known(3)), lambda violation: violation)
    assert list(sieve.pass_through([STEP])) == []
    whole, part = (sieve.account(is_whole=is_whole).baseline for is_whole in (True, False))
    assert whole is not None
    assert part is not None
    assert [(each.known, each.found) for each in whole.unused] == [(3, 1)]
    assert part.unused == ()


def test_what_is_recorded_is_what_is_shown() -> None:
    sieve = Sieve(Filters(records=True), lambda violation: replace(violation, event="[redacted]"))
    list(sieve.pass_through([STEP, replace(STEP, event="secret")]))
    assert [(one.event, count) for one, count in sieve.found.values()] == [("[redacted]", 2)]


def test_a_baseline_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("sieve", "baseline"):
        monkeypatch.setattr(f"lifespec.filter.{module}.MOST_ENTRIES", 3)
    sieve = Sieve(Filters(records=True), lambda violation: violation)
    list(sieve.pass_through(replace(STEP, event=f"e{number}") for number in range(100)))
    assert len(sieve.found) == 4
    with pytest.raises(WrongBaseline, match="more than 3 kinds"):
        made_anew("socket", sieve.found, None)


def test_a_new_baseline_keeps_what_people_wrote_and_drops_what_is_gone() -> None:
    gone = Entry("0" * 32, 4, "overdue", owner="nobody")
    stays = Entry(fingerprint_of(STEP), 4, STEP.name, owner="web team", reason="old client", expires=DAY)
    found = {fingerprint_of(STEP): (STEP, 2), fingerprint_of(LATE): (LATE, 1)}
    made = made_anew("socket", found, Baseline(1, 1, "socket", (gone, stays)))
    assert [(each.name, each.count, each.owner, each.reason, each.expires) for each in made.known] == [
        ("invalid-transition", 2, "web team", "old client", DAY),
        ("overdue", 1, "", "", None),
    ]
    assert made == made_anew("socket", dict(reversed(found.items())), Baseline(1, 1, "socket", (gone, stays)))
