"""Containers: what is cut, where it stands, and what no bytes may do."""

from __future__ import annotations

import gzip
import io
import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import binding_of, events_of, findings_of, read, records_of

from lifespec.trace import container as container_module
from lifespec.trace import packed
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.container import Container, pieces_of
from lifespec.trace.event import Place, Record
from lifespec.trace.line import WrongContainer
from lifespec.trace.piece import Faulty, Passed, Piece
from lifespec.verdict import Violation

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    zstd = pytest.importorskip("backports.zstd")

PARTS = "session = s  time = none  event = e"
DOCUMENT = binding_of(f"read json each record in items {PARTS}")
SEQUENCE = binding_of(f"read json-seq {PARTS}")
TABLE = binding_of(f"read csv {PARTS}")
TEXT = binding_of('read text match record "{s} {e}" session = s  time = none  event = e')
LINES = binding_of(f"read json-lines {PARTS}")
NESTED = binding_of(f"read json each a in x each record in a.y {PARTS}")


def cut(data: bytes, kind: str, **options: object) -> list[object]:
    return list(pieces_of(io.BytesIO(data), Container(kind, **options)))  # type: ignore[arg-type]


# --- packed ------------------------------------------------------------------------------------------

GOOD = b'{"s": "a", "e": "opened"}\n' * 50


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress], ids=["gzip", "zstd"])
def test_what_is_packed_is_unpacked_and_has_no_offsets(pack) -> None:  # type: ignore[no-untyped-def]
    records = records_of(LINES, pack(GOOD), "a.bin")
    assert len(records) == 50
    assert records[1].place == Place("a.bin", 2, -1)


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress], ids=["gzip", "zstd"])
@pytest.mark.parametrize("keep", [7, 20, -1, -6])
def test_what_is_cut_is_said(pack, keep: int) -> None:  # type: ignore[no-untyped-def]
    data = pack(GOOD)[:keep]
    if keep == -1 and pack is zstd.compress:
        data = pack(GOOD)[:-2]
    assert findings_of(LINES, data)[-1].name == "wrong-container"


def test_several_archives_one_after_the_other_are_one_log() -> None:
    assert len(records_of(LINES, gzip.compress(GOOD) + gzip.compress(GOOD))) == 100
    assert len(records_of(LINES, zstd.compress(GOOD) + zstd.compress(GOOD))) == 100


def test_a_bomb_without_a_line_end_is_one_line_that_is_too_long() -> None:
    bomb = gzip.compress(b"x" * (64 * 2**20))
    (found,) = findings_of(LINES, bomb)
    assert (found.name, found.text) == ("malformed-record", "the line is longer than 16 MB")


def test_a_bomb_is_no_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container_module, "LONGEST_DOCUMENT", 2**20)
    (found,) = cut(zstd.compress(b"[" + b" " * 2**22 + b"]"), "json")
    assert found == WrongContainer(1, "the document is longer than 1 MB: split it")


def test_zstd_may_not_look_back_without_a_limit() -> None:
    wide = zstd.compress(b"x" * 2**10, options={zstd.CompressionParameter.window_log: 30})
    huge = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 30})
    data = huge.compress(b"ab" * 100) + huge.flush()
    for each in (wide, data):
        for piece in cut(each, "text"):
            assert isinstance(piece, Piece | WrongContainer)


def test_without_the_library_zstd_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise packed.Broken("it is zstd: unpack it first")

    monkeypatch.setattr(packed, "_zstd", missing)
    (found,) = findings_of(LINES, zstd.compress(GOOD))
    assert (found.name, found.place.line) == ("wrong-container", 1)


# --- documents ---------------------------------------------------------------------------------------


def test_an_item_has_its_line_its_byte_and_its_number() -> None:
    text = '{"items": [\n  {"s": "a", "e": "opened"},\n  {"s": "a",\n   "e": "closed"}, {"s": "b", "e": "opened"}]}'
    places = [record.place for record in records_of(DOCUMENT, text)]
    assert places == [
        Place("a.jsonl", 2, text.index('{"s": "a", "e"'), 1),
        Place("a.jsonl", 3, text.index('{"s": "a",\n'), 2),
        Place("a.jsonl", 4, text.index('{"s": "b"'), 3),
    ]


def test_places_are_right_with_odd_characters_and_a_byte_order_mark() -> None:
    odd = '\ufeff{"käse": "[{", "items": [1,\n\n{"s": "ü\\n", "e": "opened"}]}'
    items, _ = read(DOCUMENT, odd)
    stands = odd.encode().index(b'{"s"')
    assert [(type(item), item.place.line, item.place.offset) for item in items] == [
        (Violation, 1, odd.encode().index(b"1,")),
        (Record, 3, stands),
    ]
    plain = '\ufeff{"items": [{"s": "a", "e": "opened"}]}'
    (record,) = records_of(DOCUMENT, plain)
    assert plain.encode()[record.place.offset :].startswith(b'{"s"')


def test_of_a_key_twice_the_last_one_counts_for_the_places_too() -> None:
    text = '{"items": [{"s": "x", "e": "closed"}],\n"items": [{"s": "a", "e": "opened"}]}'
    items, _ = read(DOCUMENT, text)
    assert [(getattr(item, "name", None), item.place.line) for item in items] == [("duplicate-key", 1), (None, 2)]


@given(st.lists(st.lists(st.text(max_size=5), max_size=4), max_size=4), st.sampled_from([None, 1]))
def test_places_lead_to_what_is_there(outer: list[list[str]], indent: int | None) -> None:
    document = {"x": [{"z": "[", "y": [{"s": "s", "e": each} for each in inner]} for inner in outer]}
    text = json.dumps(document, indent=indent)
    items, counts = read(NESTED, text)
    for item in items:
        if isinstance(item, Record):
            value, _ = json.JSONDecoder().raw_decode(text, item.place.offset)
            assert value == item.body or "around" in json.dumps(item.body)
            assert item.place.line == text.count("\n", 0, item.place.offset) + 1
    assert counts.items == sum(len(inner) for inner in outer)


@pytest.mark.parametrize(
    ("data", "line", "part"),
    [
        (b'{"items": [\n{"s": "a"},\n', 2, "cut"),
        (b'{"items": []}\n{"items": []}', 2, "read json-lines"),
        (b'\x1e{"a": 1}', 1, "read json-seq"),
        (b'{"items": [\n{"s": NaN}]}', 2, "NaN"),
        (b'{"items": [\n"\xff"]}', 2, "UTF-8"),
        (b'{"item": []}', 1, "no list"),
        (b'{"items": "x"}', 1, "no list"),
        (b'{"items": ' + b"[" * 200 + b"]" * 200 + b"}", 1, "deep"),
    ],
)
def test_a_document_that_cannot_be_read_says_where(data: bytes, line: int, part: str) -> None:
    (found,) = findings_of(DOCUMENT, data)
    assert (found.name, found.place.line) == ("wrong-container", line)
    assert part in (found.text or "")


def test_a_document_that_is_no_object_is_malformed() -> None:
    assert [each.name for each in findings_of(DOCUMENT, b"[1]")] == ["malformed-record"]


def test_what_is_searched_holds_what_stands_around_once() -> None:
    text = '{"who": "a@b.example", "items": [{"s": "a", "e": "opened"}, {"s": "a", "e": "closed"}]}'
    first, second = records_of(DOCUMENT, text)
    assert first.body == {"s": "a", "e": "opened", "around record": {"who": "a@b.example"}}
    assert second.body == {"s": "a", "e": "closed"}


# --- sequences, tables, text -------------------------------------------------------------------------


def test_a_sequence_may_go_over_lines_or_stand_on_one() -> None:
    assert cut(b'\x1e{"a":\n1}\n\x1e\x1e2\x1e3', "json-seq") == [
        Piece(1, 1, {"a": 1}),
        Passed(3),
        Piece(3, 12, 2),
        Piece(3, 14, 3),
    ]


def test_what_stands_before_the_first_mark_is_another_container() -> None:
    assert [type(each) for each in cut(b'{"a": 1}\n\x1e{}\n', "json-seq")] == [WrongContainer]


def test_a_cut_sequence_is_said() -> None:
    (_, faulty) = cut(b'\x1e{}\n\x1e{"a": ', "json-seq")
    assert isinstance(faulty, Faulty)
    assert faulty.malformed.why.startswith("the last record is cut")


def test_a_table_without_names_has_lists() -> None:
    assert cut(b"a;;c\n", "csv", separator=";", names_first=False) == [Piece(1, 0, ["a", None, "c"])]
    binding = binding_of('read csv separated by "tab" rows [s, _, e] session = s  time = none  event = e')
    assert [event.name for event in events_of(binding, "a\tx\topened\n")] == ["opened"]


@pytest.mark.parametrize(
    ("data", "line", "part"),
    [
        (b's,e\na,"opened\nb,closed\n', 2, "not closed"),
        (b's,e\na,"op"ened\n', 2, "no row"),
        (b"s,e\na\n", 2, "1 cells where 2 are due"),
        (b's,e\na,"' + b"x\n" * 80_000 + b'"\n', 2, "128 KB"),
        (b"s,e\na,\xff\n", 2, "UTF-8"),
    ],
)
def test_a_row_that_is_none_says_why(data: bytes, line: int, part: str) -> None:
    found = findings_of(TABLE, data)[0]
    assert found.place.line == line
    assert part in (found.text or "")


def test_two_columns_of_one_name_are_another_container() -> None:
    assert [each.name for each in findings_of(TABLE, b"s,s\na,b\n")] == ["wrong-container"]


def test_a_row_that_never_ends_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container_module, "LONGEST", 1000)
    found = cut(b's,e\n"' + b'","\n' * 1000, "csv")
    assert {type(each) for each in found} == {Passed, Faulty}


def test_lines_without_a_match_are_passed_over_only_when_that_is_said() -> None:
    assert [each.name for each in findings_of(TEXT, "a opened\nstack\n")] == ["malformed-record"]
    binding = binding_of('read text match record "{s} {e}" session = s  time = none  event = e  ignore any')
    _, counts = read(binding, "a opened\nstack\n")
    assert counts.passed_over.names == {"": 1}


# --- any bytes ---------------------------------------------------------------------------------------

PIECES = st.sampled_from(b"""1E 0A 0D0A 22 2C 7B 7D 5B 5D 3A 31 20 00 5D7D FF EFBBBF 1F8B08 28B52FFD""".split()).map(
    lambda written: bytes.fromhex(written.decode())
) | st.sampled_from([b"s,e\n", b"a,b", b"opened", b'{"s":"a","e":"opened"}', b'{"items":[', b'{"x":[{"y":['])
BINDINGS = [DOCUMENT, SEQUENCE, TABLE, TEXT, LINES, NESTED]


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=25).map(b"".join) | st.binary(max_size=60), st.sampled_from(BINDINGS))
def test_any_bytes_are_read_and_counted(data: bytes, binding: CompiledBinding) -> None:
    _, plain = read(binding, data)
    if packed.is_text(data):
        for pack in (gzip.compress, zstd.compress):
            _, counts = read(binding, pack(data))
            assert (counts.lines, counts.records, counts.findings) == (plain.lines, plain.records, plain.findings)
