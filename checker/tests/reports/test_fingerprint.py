"""Which findings are the same one, and which are not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lifespec.reports.fingerprint import fingerprint_of
from lifespec.source import Span
from lifespec.verdict import Place, Property, Violation, Witness

STEP = Violation(
    "invalid-transition",
    Property("transitions", "connection"),
    "s7",
    Place("night.jsonl", 412, 9000),
    span=Span("socket.lifespec", 10, 20),
    machine="connection",
    event="resumed",
    states=("connecting",),
)
RULE = replace(STEP, name="rule-broken", property=Property("rule", "one-turn"), text="count(turn) <= 1")
UNKNOWN = Violation("unknown-event", None, "s7", Place("night.jsonl", 1), event="paused", found="paused")
PRIVATE = Violation("forbidden-value", Property("forbid", "email"), "s7", Place("a", 1), field="users[3].mail")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (STEP, replace(STEP, place=Place("day.jsonl.gz", 1, -1, 3))),
        (STEP, replace(STEP, session="s8", key=("k",), owner="server")),
        (STEP, replace(STEP, span=Span("socket.lifespec", 90, 99), doc="Why.", severity="warning")),
        (STEP, replace(STEP, witnesses=(Witness(Place("a", 1), "entered"),), elapsed_ns=5, count=2)),
        (RULE, replace(RULE, text="count(turn)\n    <= 1")),
        (PRIVATE, replace(PRIVATE, field="users[41].mail")),
        (
            replace(STEP, name="invalid-field", field="n", found="1", text="too small"),
            replace(STEP, name="invalid-field", field="n", found="2", text="too large"),
        ),
    ],
)
def test_where_and_when_it_was_seen_does_not_count(one: Violation, other: Violation) -> None:
    assert fingerprint_of(one) == fingerprint_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (STEP, replace(STEP, name="after-final")),
        (STEP, replace(STEP, property=Property("transitions", "audio"))),
        (STEP, replace(STEP, machine="audio")),
        (STEP, replace(STEP, states=("open",))),
        (STEP, replace(STEP, states=("connecting", "open"))),
        (STEP, replace(STEP, target="open")),
        (STEP, replace(STEP, source="open")),
        (STEP, replace(STEP, event="opened")),
        (STEP, replace(STEP, event=None, target="resumed")),
        (RULE, replace(RULE, text="count(turn) <= 2")),
        (UNKNOWN, replace(UNKNOWN, event="resumed", found="resumed")),
        (PRIVATE, replace(PRIVATE, field="users[3].name")),
        (
            replace(STEP, name="wrong-owner", found="client"),
            replace(STEP, name="wrong-owner", found="server"),
        ),
    ],
)
def test_what_was_found_counts(one: Violation, other: Violation) -> None:
    assert fingerprint_of(one) != fingerprint_of(other)


def test_it_never_changes() -> None:
    """A change makes all findings that somebody has in a baseline new: it is one of VERSION."""
    assert fingerprint_of(STEP) == "74360fc2d1ce6174bb002dc41bba12fc"


def test_half_characters_do_no_harm() -> None:
    assert len(fingerprint_of(replace(UNKNOWN, found="\ud800"))) == 32
