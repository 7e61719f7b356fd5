"""Texts with holes, taken apart and put together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifespec.trace.near import find_near
from lifespec.trace.template import TemplateError, parse_pattern, parse_template


@pytest.mark.parametrize(
    ("pattern", "text", "taken"),
    [
        ("quic:{e}", "quic:packet_sent", {"e": "packet_sent"}),
        ("quic:{e}", "tls:packet_sent", None),
        ("quic:{e}", "quic:", None),
        ("{a}.{b}", "x.y.z", {"a": "x", "b": "y.z"}),
        ("{a}.{b}", "..z", {"a": ".", "b": "z"}),
        ("{a}-x", "b-x-x", {"a": "b-x"}),
        ("{}myid={peer}]{}", "[a:myid=3]", {"peer": "3"}),
        ("{}myid={peer}]{}", "myid=3] more", {"peer": "3"}),
        ("aa{x}aa", "aaa", None),
        ("aa{x}aa", "aabaa", {"x": "b"}),
        ("plain", "plain", {}),
        ("plain", "plainer", None),
        ("{x}", "", None),
        ("{}", "", {}),
    ],
)
def test_a_pattern_takes_a_text_apart(pattern: str, text: str, taken: dict[str, str] | None) -> None:
    assert parse_pattern(pattern).take(text) == taken


@given(
    st.sampled_from(["{a}-{b}", "x{}-{b}x", "{}--{}", "-{a}", "{a}-", "--", "x{a}x"]),
    st.text(alphabet="-x", max_size=8),
)
def test_a_text_parts_from_every_pattern_that_it_does_not_fit(pattern: str, text: str) -> None:
    template = parse_pattern(pattern)
    parting = template.parting(text)
    assert (parting is None) == (template.take(text) is not None)
    if parting is not None:
        assert 0 <= parting.at <= len(text)
        assert parting.literal == template.literals[min(parting.fitted, len(template.literals) - 1)] or parting.is_end
        assert parting.words


@pytest.mark.parametrize("text", ["{a", "a}", "{a{b}}", "{a}{b}", "{}{a}", "{a}-{a}", "{a b}", "{1}", "}{"])
def test_what_is_no_pattern(text: str) -> None:
    with pytest.raises(TemplateError):
        parse_pattern(text)


def test_a_template_puts_a_text_together() -> None:
    template = parse_template("{date} {clock}!")
    assert template.fill({"date": "2025-01-01", "clock": "12:00"}) == "2025-01-01 12:00!"


@given(st.text())
def test_parsing_gives_a_template_or_says_why_not(text: str) -> None:
    try:
        template = parse_template(text)
    except TemplateError:
        return
    assert template.fill({hole: "{" + hole + "}" for hole in template.holes}).count("{") == text.count("{")


@given(st.lists(st.text("ab", min_size=1), min_size=2, max_size=4))
def test_what_is_put_together_fits_its_template(parts: list[str]) -> None:
    template = parse_pattern("-".join("{h" + str(place) + "}" for place in range(len(parts))))
    values = {f"h{place}": part for place, part in enumerate(parts)}
    assert template.take(template.fill(values)) == values


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Opened", "opened"),
        ("heart_beat", "heartbeat"),
        ("opend", "opened"),
        ("token-expirde", "token-expired"),
        ("open", None),
        ("lost", None),
        ("response.added", None),
        ("opened", None),
    ],
)
def test_only_a_slip_is_near(name: str, near: str | None) -> None:
    assert find_near(name, {"opened", "heartbeat", "token-expired", "cost", "response.done"}) == near
