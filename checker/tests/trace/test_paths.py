"""Paths into a record, templates, conversions and conditions: each as the field `x` of one event."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from reading import binding_of, compiling, events_of, read

from lifespec.model.value import Duration, Instant
from lifespec.verdict import Violation

HEAD = "read json-lines  session = file.name  time = none  event = e  "
MISSING = object()


def field(value: str, record: dict[str, object], lets: str = "") -> object:
    """The field `x = value` of a record; MISSING when it has none."""
    (event,) = events_of(binding_of(HEAD + lets + f"  x = {value}"), json.dumps({"e": "opened"} | record))
    return event.fields.get("x", MISSING)


def holds(condition: str, record: dict[str, object]) -> bool:
    """Whether a clause with this condition chooses the record."""
    binding = binding_of(
        HEAD + f"on opened where ({condition}) emit closed  on opened where not ({condition}) emit opened"
    )
    names = [event.name for event in events_of(binding, json.dumps({"e": "opened"} | record))]
    return names == ["closed"]


def is_unknown(condition: str, record: dict[str, object]) -> bool:
    """Whether neither the condition nor its opposite chooses."""
    binding = binding_of(
        HEAD + f"on opened where ({condition}) emit closed  on opened where not ({condition}) emit closed"
    )
    return [event.name for event in events_of(binding, json.dumps({"e": "opened"} | record))] == ["opened"]


PAIRS = [
    {"key": "a", "value": {"stringValue": "x"}},
    {"key": "n", "value": {"intValue": "12"}},
    {"key": "b.c", "value": {"boolValue": True}},
    {"key": "d", "value": {"doubleValue": 0.5}},
    {"key": "l", "value": {"arrayValue": {"values": [{"intValue": "1"}, {"stringValue": "y"}]}}},
    {"key": "m", "value": {"kvlistValue": {"values": [{"key": "k", "value": {"stringValue": "v"}}]}}},
    {"key": "plain", "value": 3},
    {"key": "a", "value": "second"},
]


@pytest.mark.parametrize(
    ("path", "record", "found"),
    [
        ("a", {"a": 1}, 1),
        ("a.b.c", {"a": {"b": {"c": "z"}}}, "z"),
        ("a.b.c", {"a": {"b": 3}}, MISSING),
        ("a", {"a": None}, MISSING),
        ("'case:name'", {"case:name": "n"}, "n"),
        ("a.'b.c'", {"a": {"b.c": 1}}, 1),
        ("state", {"state": "s"}, "s"),
        ("record.header", {"header": 1}, 1),
        ("record.file", {"file": 1}, 1),
        ("a[1]", {"a": [5, 6]}, 6),
        ("a[2]", {"a": [5, 6]}, MISSING),
        ("a[1]", {"a": {"1": 2}}, MISSING),
        ("a[i].b", {"a": [{"b": 3}, {"b": 4}], "i": 1}, 4),
        ("a[].b", {"a": [{"b": 3}, {"c": 4}, {"b": 5}]}, [3, 5]),
        ("a[]", {"a": {"x": 1, "y": 2}}, [1, 2]),
        ("a[].b.c", {"a": [{"b": {"c": 3}}]}, [3]),
        ("a[]", {}, []),
        ("file.name", {}, "a.jsonl"),
        ("file.path", {}, "a.jsonl"),
        ("attributes.a", {"attributes": PAIRS}, "x"),
        ("attributes.n", {"attributes": PAIRS}, 12),
        ("attributes.'b.c'", {"attributes": PAIRS}, True),
        ("attributes.d", {"attributes": PAIRS}, Decimal("0.5")),
        ("attributes.l", {"attributes": PAIRS}, [1, "y"]),
        ("attributes.m.k", {"attributes": PAIRS}, "v"),
        ("attributes.plain", {"attributes": PAIRS}, 3),
        ("attributes.none", {"attributes": PAIRS}, MISSING),
        ("a.b", {"a": [1, "x", {"key": "b"}]}, MISSING),
    ],
)
def test_paths(path: str, record: dict[str, object], found: object) -> None:
    assert field(path, record) == found


@pytest.mark.parametrize(
    ("value", "record", "found"),
    [
        ('"constant"', {}, "constant"),
        ('"{a}/{b.c}"', {"a": 1, "b": {"c": True}}, "1/true"),
        ("\"{a.'b.c'}\"", {"a": {"b.c": 0.5}}, "0.5"),
        ('"{a}/{b}"', {"a": 1}, MISSING),
        ("a else b", {"b": 2}, 2),
        ('a else "none"', {"a": None}, "none"),
        ("a as number else b", {"a": "x", "b": 2}, 2),
        ("a as number", {"a": "1.50"}, Decimal("1.50")),
        ("a as number", {"a": " 7 "}, 7),
        ("a as json", {"a": '{"b": [1]}'}, {"b": [1]}),
        ("a as json else a", {"a": "connected"}, "connected"),
        ("a as json else a", {"a": '"connected"'}, "connected"),
        ("a as ms", {"a": 1.5}, Duration(1_500_000)),
        ("a as ms", {"a": "1.5"}, Duration(1_500_000)),
        ("a as (u)", {"a": 2, "u": "us"}, Duration(2_000)),
        ('a as (u else "ms")', {"a": 2}, Duration(2_000_000)),
        ("a as s since epoch", {"a": 0.1}, Instant(100_000_000)),
        ("a as ms since b as s since epoch", {"a": 5, "b": 1}, Instant(1_005_000_000)),
        ("a as ms since b", {"a": 5, "b": 1}, Instant(1_005_000_000)),
        ("a as ms since b", {"a": 5}, MISSING),
        ("a as iso8601", {"a": "1970-01-01T00:00:01Z"}, Instant(1_000_000_000)),
        ('a as iso8601 zone "+01:00"', {"a": "1970-01-01 01:00:01,5"}, Instant(1_500_000_000)),
        ('"{d} {t}" as iso8601 zone "UTC"', {"d": "1970-01-01", "t": "00:00:02"}, Instant(2_000_000_000)),
    ],
)
def test_values(value: str, record: dict[str, object], found: object) -> None:
    assert field(value, record) == found


@pytest.mark.parametrize(
    ("value", "record", "expected"),
    [
        ("a as number", {"a": "x"}, "a number"),
        ("a as iso8601 else a as ms", {"a": "x"}, ("ISO 8601 with an offset", "a number")),
        ("a as number", {"a": True}, "a number"),
        ("a as json", {"a": "{"}, "JSON in a text"),
        ("a as json", {"a": 1}, "JSON in a text"),
        ("a as ms", {"a": "soon"}, "a number"),
        ("a as ms", {"a": 10**30}, "a number"),
        ("a as (u)", {"a": 1, "u": "fortnights"}, "a unit of time (ns, us, ms, s, m, h, d)"),
        ("a as iso8601", {"a": "1970-01-01T00:00:01"}, "ISO 8601 with an offset"),
        ('a as iso8601 zone "UTC"', {"a": 1}, "ISO 8601"),
        ("a as ms since b", {"a": 1, "b": "now"}, "an instant to count from"),
        ('"{a}"', {"a": [1]}, "a name, rather than a list or an object"),
    ],
)
def test_what_cannot_be_converted_is_a_finding(value: str, record: dict[str, object], expected: object) -> None:
    items, _ = read(binding_of(HEAD + f"x = {value}"), json.dumps({"e": "opened"} | record))
    (violation,) = (item for item in items if isinstance(item, Violation))
    assert (violation.name, violation.field) == ("unreadable-value", "x")
    assert violation.expected == (expected if isinstance(expected, tuple) else (expected,))


def test_a_let_names_a_value() -> None:
    assert field("b", {"a": {"c": 3}}, "let b = record.a.c") == 3
    assert field("b.c", {"a": {"c": 3}}, "let b = a") == 3
    assert field('"{b}!"', {"a": 1}, 'let b = c  let c = a else "x"') == "1!"


def test_a_let_is_worked_out_once_a_record() -> None:
    lets = "let a0 = v  " + "  ".join(f'let a{n} = "{{a{n - 1}}}{{a{n - 1}}}"' for n in range(1, 60))
    assert field("a11", {"v": "x"}, lets) == "x" * 2048
    items, _ = read(binding_of(HEAD + lets + "  x = a59"), '{"e": "opened", "v": "x"}')
    assert [item.name for item in items if isinstance(item, Violation)] == ["unreadable-value"]
    deep = "let a0 = v  " + "  ".join(f"let a{n} = (a{n - 1} + a{n - 1})" for n in range(1, 60))
    assert field("a59", {"v": 1}, deep) == 2**59


@pytest.mark.parametrize("forwards", [True, False])
def test_lets_and_paths_may_be_long(forwards: bool) -> None:
    lets = [f"let a{n} = a{n - 1}" for n in range(1, 3000)]
    lets = lets if forwards else lets[::-1]
    assert field("a2999", {"v": 1}, "let a0 = v  " + "  ".join(lets)) == 1
    assert field("v" + ".w" * 5000, {"v": 1}) is MISSING


@pytest.mark.parametrize(
    ("condition", "record"),
    [
        ("a == 1", {"a": 1}),
        ("a == 1", {"a": 1.0}),
        ('a == "1"', {"a": "1"}),
        ('a != "1"', {"a": 1}),
        ("a == b", {"a": [1], "b": [1]}),
        ("a < 1.5", {"a": 1}),
        ('a > "a"', {"a": "b"}),
        ("a + 1 == 3", {"a": 2}),
        ("a / 4 == 0.5", {"a": 2}),
        ("-a < 0", {"a": 2}),
        ("a as ms > 1s", {"a": 1001}),
        ("has a", {"a": False}),
        ("not has a", {"a": None}),
        ("not has a.b", {"a": 3}),
        ("a", {"a": True}),
        ("a in x, y", {"a": "y"}),
        ('a in 1, "x"', {"a": 1}),
        ("a not in x, y", {"a": "z"}),
        ('a like "[a-z]+"', {"a": "abc"}),
        ('not (a like "[a-z]+")', {"a": "abc1"}),
        ('a contains "x"', {"a": ["x"]}),
        ('a contains "x"', {"a": "axb"}),
        ('not (a[].t contains "x")', {"a": [{"t": "y"}]}),
        ('not (a[].t contains "x")', {}),
        ("a == 1 or b == 1", {"a": 1}),
        ("not (a == 1 and b == 1)", {"a": 2}),
    ],
)
def test_conditions_that_hold(condition: str, record: dict[str, object]) -> None:
    assert holds(condition, record)


@pytest.mark.parametrize(
    ("condition", "record"),
    [
        ("a == 1", {}),
        ("a != 1", {"a": None}),
        ('a < "1"', {"a": 1}),
        ("a < b", {"a": [1], "b": [2]}),
        ("a + 1 == 2", {"a": "1"}),
        ("a / 0 == 1", {"a": 1}),
        ("a in x, y", {}),
        ('a like "x"', {"a": 1}),
        ('a contains "x"', {"a": 1}),
        ("a", {"a": "true"}),
        ("a == 1 or b == 1", {"a": 2}),
        ("a == 1 and b == 1", {"a": 1}),
        ("a as number > 1", {"a": "x"}),
        ("a * a > 1", {"a": 10**390}),
    ],
)
def test_conditions_that_are_unknown_do_not_choose(condition: str, record: dict[str, object]) -> None:
    assert is_unknown(condition, record)


@pytest.mark.parametrize(
    ("statements", "name"),
    [
        ("let a = (count(m in s))", "not-in-binding"),
        ("let a = b  let b = c else a", "circular-let"),
        ("x = file", "not-in-binding"),
        ("x = file.size", "not-in-binding"),
        ("x = previous", "not-in-binding"),
        ("x = (a else previous) as number", "not-in-binding"),
        ("x = a as ms since previous", "not-in-binding"),
        ('x = "{}"', "wrong-template"),
        ('x = "{a"', "wrong-template"),
        ('ignore where a like "("', "wrong-template"),
        ("let a = a", "circular-let"),
    ],
)
def test_what_a_value_cannot_be(statements: str, name: str) -> None:
    text = f"lifecycle l\nmachine m {{ initial a  state b  a -> b on e }}\nbinding t extends default {{ {statements} }}"
    assert {each.name for each in compiling(text)[1]} == {name}
