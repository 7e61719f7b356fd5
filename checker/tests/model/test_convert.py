"""One value of a log as its declared type."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifespec.model.convert import Converted, NotConverted, Reason, convert
from lifespec.model.model import FieldSpec
from lifespec.model.time_text import duration_ns, instant_ns
from lifespec.model.value import Duration, Instant, LogValue, Type, Unread
from lifespec.source import Span

S = 1_000_000_000


def spec(
    type_: Type,
    values: tuple[str, ...] = (),
    bounds: tuple[tuple[str, int | float], ...] = (),
    like: str | None = None,
) -> FieldSpec:
    return FieldSpec("x", type_, values, bounds, like, None, Span("spec", 0, 0))


GOOD = [
    (Type.TEXT, "", ""),
    (Type.TEXT, "500ms", "500ms"),
    (Type.INT, 5, 5),
    (Type.INT, Decimal("5.0"), 5),
    (Type.INT, Decimal("1E+3"), 1000),
    (Type.INT, 2**63 - 1, 2**63 - 1),
    (Type.INT, -(2**63), -(2**63)),
    (Type.NUMBER, 5, 5),
    (Type.NUMBER, Decimal("0.5"), 0.5),
    (Type.NUMBER, 2**80, float(2**80)),
    (Type.NUMBER, Decimal("1E-999999"), 0.0),
    (Type.BOOL, True, True),
    (Type.DURATION, 5, 5 * S),
    (Type.DURATION, Decimal("0.1"), S // 10),
    (Type.DURATION, Decimal("0.0000000005"), 0),
    (Type.DURATION, Decimal("0.0000000015"), 2),
    (Type.DURATION, "1.5s", 3 * S // 2),
    (Type.DURATION, "500ms", S // 2),
    (Type.DURATION, "PT5S", 5 * S),
    (Type.DURATION, "P1DT1H1M1,5S", 90_061 * S + S // 2),
    (Type.DURATION, "-PT0.5S", -S // 2),
    (Type.DURATION, Duration(7), 7),
    (Type.INSTANT, 5, 5 * S),
    (Type.INSTANT, "1970-01-01T00:00:05Z", 5 * S),
    (Type.INSTANT, "1970-01-01 02:00:05.25+02:00", 5 * S + S // 4),
    (Type.INSTANT, "19700101T000005Z", 5 * S),
    (Type.INSTANT, "1969-12-31T24:00:00Z", 0),
    (Type.INSTANT, "1969-12-31T23:59:60Z", 0),
    (Type.INSTANT, Instant(7), 7),
    (Type.INSTANT, "9999-12-31T23:59:59Z", 253_402_300_799 * S),
    (Type.INSTANT, "0001-01-01T00:00:00Z", -62_135_596_800 * S),
    (Type.INSTANT, 253_402_300_799, 253_402_300_799 * S),
    (Type.ANY, Instant(2**65), 2**65),
]


@pytest.mark.parametrize(("type_", "value", "expected"), GOOD)
def test_a_value_of_the_type_is_converted(type_: Type, value: LogValue, expected: object) -> None:
    converted = convert(value, spec(type_))
    assert converted == Converted(expected)  # type: ignore[arg-type]
    assert isinstance(converted, Converted)
    assert type(converted.value) is type(expected)


BAD = [
    (Type.TEXT, 5, Reason.WRONG_TYPE),
    (Type.TEXT, True, Reason.WRONG_TYPE),
    (Type.INT, "5", Reason.WRONG_TYPE),
    (Type.INT, True, Reason.WRONG_TYPE),
    (Type.INT, Decimal("5.5"), Reason.WRONG_TYPE),
    (Type.INT, Decimal("NaN"), Reason.WRONG_TYPE),
    (Type.INT, 2**63, Reason.OUT_OF_RANGE),
    (Type.INT, 10**4000, Reason.OUT_OF_RANGE),
    (Type.INT, Decimal("1E+999999999"), Reason.OUT_OF_RANGE),
    (Type.NUMBER, "0.5", Reason.WRONG_TYPE),
    (Type.NUMBER, Decimal("Infinity"), Reason.OUT_OF_RANGE),
    (Type.NUMBER, 10**4000, Reason.OUT_OF_RANGE),
    (Type.BOOL, 1, Reason.WRONG_TYPE),
    (Type.BOOL, "true", Reason.WRONG_TYPE),
    (Type.DURATION, "5", Reason.WRONG_TYPE),
    (Type.DURATION, "PT", Reason.WRONG_TYPE),
    (Type.DURATION, "P1Y", Reason.WRONG_TYPE),
    (Type.DURATION, Instant(7), Reason.WRONG_TYPE),
    (Type.DURATION, 10**12, Reason.OUT_OF_RANGE),
    (Type.DURATION, "P99999999999D", Reason.OUT_OF_RANGE),
    (Type.DURATION, Decimal("1E+999999999"), Reason.OUT_OF_RANGE),
    (Type.INSTANT, "2026-07-01T10:00:00", Reason.WRONG_TYPE),
    (Type.INSTANT, "2026-02-30T10:00:00Z", Reason.WRONG_TYPE),
    (Type.INSTANT, "2026-07-01T25:00:00Z", Reason.WRONG_TYPE),
    (Type.INSTANT, Duration(7), Reason.WRONG_TYPE),
    (Type.INSTANT, [1], Reason.WRONG_TYPE),
    (Type.INSTANT, 253_402_300_800, Reason.OUT_OF_RANGE),
    (Type.ANY, {}, Reason.WRONG_TYPE),
]


@pytest.mark.parametrize(("type_", "value", "reason"), BAD)
def test_another_value_gives_its_reason(type_: Type, value: LogValue, reason: Reason) -> None:
    converted = convert(value, spec(type_))
    assert isinstance(converted, NotConverted)
    assert converted.reason is reason
    assert converted.expected


def test_bounds_hold_exactly() -> None:
    between = spec(Type.INT, bounds=((">=", 1), ("<", 5)))
    assert [isinstance(convert(value, between), Converted) for value in (0, 1, 4, 5)] == [False, True, True, False]
    problem = convert(5, between)
    assert isinstance(problem, NotConverted)
    assert (problem.reason, problem.expected, problem.found) == (Reason.OUT_OF_BOUNDS, (">= 1", "< 5"), "5")
    longest = convert(2, spec(Type.DURATION, bounds=(("<=", S),)))
    assert isinstance(longest, NotConverted)
    assert longest.expected == ("<= 1s",)


def test_a_pattern_covers_the_whole_text() -> None:
    short = spec(Type.TEXT, like="[a-z]{2,3}")
    assert [isinstance(convert(value, short), Converted) for value in ("ab", "abcd", "a b")] == [True, False, False]


def test_a_number_is_one_of_the_values_as_it_is_written() -> None:
    codes = spec(Type.ONE_OF, values=("1006", "lost"))
    assert convert(1006, codes) == Converted("1006")
    assert convert("lost", codes) == Converted("lost")
    for other in (1007, "gone", Decimal("1006.0"), True, None, []):
        assert isinstance(convert(other, codes), NotConverted)


def test_a_long_value_is_not_shown() -> None:
    problem = convert("x" * 1000, spec(Type.INT))
    assert isinstance(problem, NotConverted)
    assert problem.found is None


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals()
    | st.text(max_size=20)
    | st.builds(Duration, st.integers())
    | st.builds(Instant, st.integers()),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)


@given(values, st.sampled_from(Type))
def test_any_value_is_converted_or_refused(value: LogValue, type_: Type) -> None:
    converted = convert(value, spec(type_, values=("a",), like="a*" if type_ is Type.TEXT else None))
    assert isinstance(converted, Converted | NotConverted)
    if isinstance(converted, Converted) and isinstance(converted.value, int):
        low, high = (_YEAR_1, _YEAR_10000) if type_ is Type.INSTANT else (-(2**63), 2**63)
        assert low <= converted.value < high


_YEAR_1, _YEAR_10000 = -62_135_596_800 * S, 253_402_300_800 * S


@given(st.integers(-(2**62), 2**62))
def test_nanoseconds_of_a_decimal_number_of_seconds_are_exact(ns: int) -> None:
    assert convert(Decimal(ns) / S if abs(ns) < 10**18 else Decimal(ns).scaleb(-9), spec(Type.DURATION)) == Converted(
        ns
    )


@given(st.integers(0, 10**18), st.sampled_from(["ns", "us", "ms", "s"]))
def test_a_literal_and_its_iso_duration_are_equal(number: int, unit: str) -> None:
    ns = duration_ns(f"{number}{unit}")
    assert ns is not None
    assert duration_ns(f"PT{ns // S}.{ns % S:09}S") == ns


@given(st.datetimes(), st.integers(-23 * 60, 23 * 60))
def test_an_instant_is_the_same_with_any_offset(when: object, minutes: int) -> None:
    from datetime import datetime, timedelta, timezone

    assert isinstance(when, datetime)
    zoned = when.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    since = zoned - datetime(1970, 1, 1, tzinfo=timezone(timedelta(0)))
    expected = ((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds) * 1_000
    assert instant_ns(zoned.isoformat()) == expected


@given(st.text(max_size=40))
def test_any_text_is_a_time_or_none(text: str) -> None:
    assert duration_ns(text) is None or isinstance(duration_ns(text), int)
    assert instant_ns(text) is None or isinstance(instant_ns(text), int)


@pytest.mark.parametrize("type_", list(Type))
def test_what_was_found_unreadable_is_no_second_finding(type_: Type) -> None:
    assert convert(Unread(), spec(type_)) is None
