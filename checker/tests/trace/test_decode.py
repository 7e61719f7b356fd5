"""One line of JSON: exact numbers, strict syntax, and a reason for what cannot be read."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifespec.trace.decode import DEEPEST, Decoded, Malformed, decode_json, decode_text


def why(line: bytes) -> Malformed:
    decoded = decode_json(line)
    assert isinstance(decoded, Malformed)
    return decoded


def value(line: bytes) -> object:
    decoded = decode_json(line)
    assert isinstance(decoded, Decoded)
    assert decoded.repeated == ()
    return decoded.value


def test_numbers_are_exact() -> None:
    assert value(b"[0.1, 1e2, 3, 123456789012345678901]") == [Decimal("0.1"), Decimal(100), 3, 123456789012345678901]
    assert type(value(b"1.0")) is Decimal


@pytest.mark.parametrize(
    ("line", "part", "column"),
    [
        (b'{"a": 1', "it ends in the middle of a value", 8),
        (b"[1,]", "trailing comma", 4),
        (b'{"a": NaN}', "`NaN` is not JSON", 7),
        (b"[-Infinity]", "`-Infinity` is not JSON", 2),
        (b'{"a" 1}', "expected ':'", 6),
        (b"{} {}", "trailing characters", 4),
        (b"\x00", "invalid character", 1),
        (b'"\\ud800"', "half a character", None),
        (b'{"a":' * 600 + b'"\\ud800"' + b"}" * 600, "half a character", None),
        (b"1" * 401, "longer than 400 digits", None),
        (b"[-" + b"1" * 401 + b"]", "longer than 400 digits", None),
        (b"1" * 500, "longer than 400 digits", None),
        (b"1" * 5000, "longer than 400 digits", None),
        (b"0." + b"1" * 500, "longer than 400 digits", None),
        (b"1e9999", "longer than 400 digits", None),
        (b"1e-9999", "longer than 400 digits", None),
        (b"1e99999999999999999999", "longer than 400 digits", None),
        (b"[" * 1000 + b"]" * 1000, "more than 128 deep", None),
        (b"[" * 200_000, "more than 128 deep", None),
        (b'{"a":' * 200 + b"1" + b"}" * 200, "more than 128 deep", None),
    ],
)
def test_it_says_why_a_line_is_malformed(line: bytes, part: str, column: int | None) -> None:
    malformed = why(line)
    assert malformed.name == "malformed-record"
    assert part in malformed.why
    assert malformed.column == column


def test_a_line_that_is_not_utf_8_has_its_own_name() -> None:
    assert why(b'{"a": "\xff"}') == Malformed("the line is not UTF-8", 8, "not-utf-8")


def test_lists_may_be_as_deep_as_said() -> None:
    assert decode_json(b"[" * DEEPEST + b"]" * DEEPEST) == Decoded(json.loads("[" * DEEPEST + "]" * DEEPEST))
    assert isinstance(decode_json(b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1)), Malformed)


@pytest.mark.parametrize(
    ("line", "repeated"),
    [
        (b'{"a": 1, "a": 2}', ("a",)),
        (b'{"a": {"b": 1, "b" :2}}', ("b",)),
        (b'[{"a":1,"b":2,"a":3,"b":4}]', ("a", "b")),
        (b'{"a":":","a":1}', ("a",)),
        (b'{"a": "\\":", "b": ":"}', ()),
        (b'{"\\u0061": 1, "a": 2}', ("a",)),
    ],
)
def test_a_key_that_stands_twice_is_seen(line: bytes, repeated: tuple[str, ...]) -> None:
    decoded = decode_json(line)
    assert isinstance(decoded, Decoded)
    assert decoded.repeated == repeated


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON, st.booleans())
def test_what_is_json_is_read_as_it_is(written: object, ascii_only: bool) -> None:
    try:
        line = json.dumps(written, ensure_ascii=ascii_only).encode()
    except UnicodeEncodeError:
        return
    decoded = decode_json(line)
    assert isinstance(decoded, Malformed) or (decoded.value == written and decoded.repeated == ())


@given(st.binary())
def test_any_bytes_are_decoded_or_explained(line: bytes) -> None:
    decoded = decode_json(line)
    assert isinstance(decoded, Decoded) or decoded.why


@given(st.text())
def test_any_text_is_decoded_or_explained(text: str) -> None:
    decoded = decode_text(text)
    assert isinstance(decoded, Decoded) or decoded.why


def test_a_text_with_half_a_character_is_no_json() -> None:
    assert isinstance(decode_text('"\ud800"'), Malformed)
