"""`--where`: which texts are conditions on a session, what is said of others, and for which sessions they hold."""

from __future__ import annotations

import pytest

from lifespec.filter.where import NAME, Where, resolve_where
from lifespec.load import load_text
from lifespec.model.model import Model
from lifespec.trace.event import Client, Event

SPEC = """lifecycle socket
param most = 5
param ratio = 0.5
param patience = 10s
param region = "eu"
field reason : one of refused, lost
field build : int
field wait : duration
machine connection {
  initial idle
  state   open
  idle -> open  on opened  remember first = build
  open -> idle  on closed
}
"""


@pytest.fixture(scope="module")
def model() -> Model:
    loaded = load_text(SPEC)
    assert loaded.model is not None, loaded.diagnostics
    return loaded.model


def condition(text: str, model: Model) -> Where:
    where, found = resolve_where(text, model)
    assert where is not None, found
    return where


@pytest.mark.parametrize(
    ("text", "values", "holds"),
    [
        ('platform == "ios"', {"platform": "ios"}, True),
        ('platform == "ios"', {"platform": "android"}, False),
        ('platform == "ios"', {}, False),
        ('platform != "ios"', {}, False),
        ('not platform == "ios"', {}, False),
        ("not has platform", {}, True),
        ('not has platform or platform == "ios"', {"platform": "ios"}, True),
        ("build >= 7", {"build": 7}, True),
        ("build >= 7", {"build": "seven"}, False),
        ("build > most", {"build": 6}, True),
        ("build * ratio > 3", {"build": 7}, True),
        ("build * ratio > 3", {"build": 6}, False),
        ("wait < patience", {"wait": "9s"}, True),
        ("wait < patience", {"wait": "11s"}, False),
        ("country == region", {"country": "eu"}, True),
        ("reason in refused, lost", {"reason": "lost"}, True),
        ("reason not in refused", {"reason": "lost"}, True),
        ('platform like "i.*"', {"platform": "ios"}, True),
        ('platform == "ios" // of this year', {"platform": "ios"}, True),
        ('platform ==\n  "ios"\n', {"platform": "ios"}, True),
    ],
)
def test_it_holds_for_what_a_session_says(model: Model, text: str, values: dict[str, str], holds: bool) -> None:
    assert condition(text, model).holds_for(dict(values), Client()) is holds


def test_what_the_client_lacks_is_not_known_and_so_not_meant(model: Model) -> None:
    client = Client(lacking_fields=frozenset({"build"}))
    assert condition("not has build", model).holds_for({}, client) is False
    assert condition("not has build", model).holds_for({}, Client()) is True


@pytest.mark.parametrize(
    ("text", "name", "marked"),
    [
        ("", "syntax-error", ""),
        ("platform = 1", "syntax-error", "="),
        ("platform ==", "syntax-error", ""),
        ('platform == "ios', "unclosed-text", '"'),
        ('platform == "a" }\nmachine x { initial y', "syntax-error", None),
        ("has a }\nrule b { always has c", "syntax-error", None),
        ("has a\nalways has b", "syntax-error", None),
        ("has a } // {", "syntax-error", None),
        ("platform", "not-a-condition", "platform"),
        ("true", "not-a-condition", "true"),
        ("most == 5", "not-a-condition", "most == 5"),
        ('reason == "lsot"', "unknown-value", '"lsot"'),
        ("reason == lost", "bare-word", "lost"),
        ('build == "7"', "wrong-type", None),
        ("size > 5s", "undeclared-field", "size"),
        ("connection in open", "wrong-part", "connection"),
        ("connection.first == 3", "wrong-part", "connection.first"),
        ("count(connection in open) > 1", "wrong-part", "count(connection in open)"),
        ('owner == "server"', "wrong-part", "owner"),
        ('session == "s1"', "wrong-part", "session"),
        ('platform like "("', "bad-pattern", '"("'),
        ("(" * 500 + "has a" + ")" * 500, "nested-too-deeply", None),
        ("not " * 5000 + "has a", "text-too-large", None),
    ],
)
def test_what_is_no_condition_on_a_session_is_a_finding_at_its_place(
    model: Model, text: str, name: str, marked: str | None
) -> None:
    where, found = resolve_where(text, model)
    assert where is None
    assert [each.name for each in found] == [name]
    label = found[0].label
    if label is not None:
        assert label.span.file == NAME
        assert 0 <= label.span.start <= label.span.end <= len(text)
        if marked is not None:
            assert text[label.span.start : label.span.end] == marked
    assert "always" not in found[0].message
    assert "found `}`" not in found[0].message


def test_an_event_says_something_of_a_field_when_its_value_is_of_the_declared_type(model: Model) -> None:
    where = condition("build > 1 or has platform", model)
    assert where.fields == ("build", "platform")
    event = Event("opened", fields={"build": "new", "platform": None})
    assert [where.value_of(event, name) for name in where.fields] == [None, None]
    event = Event("opened", fields={"build": 3, "platform": "ios"})
    assert [where.value_of(event, name) for name in where.fields] == [3, "ios"]
