"""Times and numbers become exact nanoseconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifespec.model.value import Duration, Instant
from lifespec.trace.instant import duration_of, find_zone, instant_of, iso8601_ns, number_of, scaled_ns

SECOND = 1_000_000_000
NOON = 1_735_732_800 * SECOND  # 2025-01-01T12:00:00Z


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("2025-01-01T12:00:00Z", NOON),
        ("2025-01-01t12:00:00z", NOON),
        ("2025-01-01 12:00:00Z", NOON),
        ("2025-01-01 12:00:00 +00:00", NOON),
        ("20250101T120000Z", NOON),
        ("2025-01-01T12:00Z", NOON),
        ("2025-01-01T14:00:00+02:00", NOON),
        ("2025-01-01T14:00:00+0200", NOON),
        ("2025-01-01T14:00:00+02", NOON),
        ("2025-01-01T06:30:00-05:30", NOON),
        ("2025-01-01T12:00:00.5Z", NOON + SECOND // 2),
        ("2025-01-01T12:00:00,5Z", NOON + SECOND // 2),
        ("2025-01-01T12:00:00.123456789Z", NOON + 123_456_789),
        ("2025-01-01T12:00:00.1234567895Z", NOON + 123_456_790),
        ("2025-01-01T12:00:00.1234567885Z", NOON + 123_456_788),
        ("2024-12-31T24:00:00Z", NOON - 43_200 * SECOND),
        ("2016-12-31T23:59:60Z", 1_483_228_800 * SECOND),
        ("1969-12-31T23:59:59.5Z", -SECOND // 2),
        ("0001-01-01T00:00:00Z", -62_135_596_800 * SECOND),
        ("9999-12-31T23:59:59Z", 253_402_300_799 * SECOND),
    ],
)
def test_iso_8601_is_read(text: str, ns: int) -> None:
    assert iso8601_ns(text) == ns


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2025-01-01",
        "2025-01-01T12:00:00",
        "2025-13-01T12:00:00Z",
        "2025-02-30T12:00:00Z",
        "0000-01-01T12:00:00Z",
        "2025-01-01T25:00:00Z",
        "2025-01-01T24:00:01Z",
        "2025-01-01T12:60:00Z",
        "2025-01-01T12:00:61Z",
        "2025-01-01T12:00:00+24:00",
        "2025-01-01T12:00:00+02:60",
        "2025-01-01T12:00:00.Z",
        "\u0662\u0660\u0662\u0665-01-01T12:00:00Z",
        "2025-01-01T12:00:00Z\n",
        "2025-01-01T12:00:00Z" + "0" * 200,
        "1735732800",
    ],
)
def test_anything_else_is_not(text: str) -> None:
    assert iso8601_ns(text) is None


def test_a_zone_stands_in_for_an_offset_that_is_not_written() -> None:
    berlin = find_zone("Europe/Berlin")
    assert iso8601_ns("2025-01-01 13:00:00", berlin) == NOON
    assert iso8601_ns("2025-07-01 14:00:00", berlin) == iso8601_ns("2025-07-01T12:00:00Z")
    assert iso8601_ns("2025-01-01T12:00:00Z", berlin) == NOON
    assert iso8601_ns("2025-01-01 14:00:00", find_zone("+02:00")) == NOON
    assert iso8601_ns("0001-01-01 00:00:00", berlin) is not None


@pytest.mark.parametrize("name", ["", "Nowhere", "../../etc/passwd", "/etc/localtime", "+25:00", "a\0b", "Europe", "é"])
def test_there_is_no_such_zone(name: str) -> None:
    assert find_zone(name) is None


@given(st.datetimes(min_value=datetime(1, 1, 3), max_value=datetime(9999, 12, 29), timezones=st.timezones()))
def test_what_python_prints_is_read_as_the_same_instant(moment: datetime) -> None:
    whole = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    offset = moment.utcoffset()
    assert offset is not None
    if offset.seconds % 60 == 0:  # ISO 8601 knows no seconds in an offset
        assert iso8601_ns(moment.isoformat()) == whole * 1_000


@pytest.mark.parametrize(
    ("number", "unit_ns", "ns"),
    [
        (Decimal("0.1"), SECOND, 100_000_000),
        (Decimal("1.5"), 1_000_000, 1_500_000),
        (Decimal("-0.0000000015"), SECOND, -2),
        (Decimal("0.0000000005"), SECOND, 0),
        (Decimal("0.0000000015"), SECOND, 2),
        (Decimal("1E+3"), SECOND, 1_000 * SECOND),
        (Decimal("1E-400"), SECOND, 0),
        (Decimal("0E+400"), SECOND, None),
        (1_697_705_955_011, 1_000_000, 1_697_705_955_011_000_000),
        (10**40, 1, None),
        (Decimal("1E+400"), 1, None),
        (Decimal("NaN"), 1, None),
        (Decimal("Infinity"), 1, None),
    ],
)
def test_numbers_of_a_unit_are_exact(number: int | Decimal, unit_ns: int, ns: int | None) -> None:
    assert scaled_ns(number, unit_ns) == ns


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_scaling_never_expands_a_number(number: Decimal) -> None:
    ns = scaled_ns(number, SECOND)
    assert ns is None or abs(ns) <= 10**24


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("12", 12),
        (" -3 ", -3),
        ("1.50", Decimal("1.50")),
        ("1e3", Decimal("1E+3")),
        (7, 7),
        (True, None),
        ("", None),
        ("1_000", None),
        ("0x10", None),
        ("\u0661", None),
        ("NaN", None),
        ("1e99999", None),
        ("9" * 301, None),
        ([1], None),
        (None, None),
    ],
)
def test_numbers_in_text_are_numbers(value: object, number: int | Decimal | None) -> None:
    assert number_of(value) == number


def test_a_value_without_a_unit_is_seconds_or_iso_8601() -> None:
    assert instant_of(Decimal("1.5")) == Instant(1_500_000_000)
    assert instant_of("2025-01-01T12:00:00Z") == Instant(NOON)
    assert instant_of(Instant(3)) == Instant(3)
    assert instant_of("12") is None
    assert instant_of(True) is None
    assert duration_of("1.5", 1_000_000) == Duration(1_500_000)
