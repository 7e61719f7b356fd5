"""The lines of a log: limits, offsets, and what is no text at all."""

from __future__ import annotations

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifespec.trace import line as line_module
from lifespec.trace.line import Line, WrongContainer, lines_of


def lines(data: bytes) -> list[Line | WrongContainer]:
    return list(lines_of(io.BytesIO(data)))


def test_lines_have_their_numbers_and_offsets() -> None:
    assert lines(b"a\r\n\nbb\r\nc") == [
        Line(1, 0, b"a"),
        Line(2, 3, b""),
        Line(3, 4, b"bb"),
        Line(4, 8, b"c", ended=False),
    ]


def test_a_byte_order_mark_is_passed_over() -> None:
    assert lines(b"\xef\xbb\xbf{}\n") == [Line(1, 0, b"{}")]


def test_an_empty_log_has_no_lines() -> None:
    assert lines(b"") == []


def test_gzip_is_unpacked_and_has_no_offsets() -> None:
    assert lines(gzip.compress(b"a\nb\n")) == [Line(1, -1, b"a"), Line(2, -1, b"b")]


@pytest.mark.parametrize("keep", [2, 5, 12, -4])
def test_a_cut_gzip_is_said(keep: int) -> None:
    packed = gzip.compress(b"a\n" * 1000)
    assert lines(packed[:keep])[-1] == WrongContainer(len(lines(packed[:keep])), "its gzip is cut or broken")


def test_a_broken_gzip_is_said() -> None:
    packed = bytearray(gzip.compress(bytes(range(256)) * 40))
    packed[40] ^= 0xFF
    assert isinstance(lines(bytes(packed))[-1], WrongContainer)


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"PK\x03\x04....", "zip"),
        (b"BZh9....", "bzip2"),
        (b"\xfd7zXZ\x00..", "xz"),
        ("{}".encode("utf-16"), "UTF-16"),
        (b"PAR1....", "Parquet"),
    ],
)
def test_other_containers_are_named(data: bytes, part: str) -> None:
    (found,) = lines(data)
    assert isinstance(found, WrongContainer)
    assert part in found.why


def test_a_line_that_is_too_long_is_passed_over_without_being_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_module, "LONGEST", 10)
    monkeypatch.setattr(line_module, "_PIECE", 4)
    assert lines(b"x" * 10 + b"\r\n" + b"y" * 50 + b"\nz\n" + b"w" * 50) == [
        Line(1, 0, b"x" * 10),
        Line(2, 12, None),
        Line(3, 63, b"z"),
        Line(4, 65, None, ended=False),
    ]


@given(st.binary())
def test_every_line_is_there(data: bytes) -> None:
    found = lines(b"." + data)
    whole = b"." + data
    expected = whole.count(b"\n") + (not whole.endswith(b"\n"))
    assert len(found) == expected


@given(st.binary(max_size=40))
def test_any_bytes_have_lines_or_are_something_else(data: bytes) -> None:
    for magic in (b"", b"\x1f\x8b", b"\x1f\x8b\x08\x00"):
        for each in lines(magic + data):
            assert isinstance(each, Line | WrongContainer)
