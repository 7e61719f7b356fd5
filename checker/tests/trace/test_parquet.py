"""Tables in Parquet: rows are records, types are kept, what is broken is said."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta

import pytest
from reading import binding_of, findings_of, read, records_of

from lifespec.model.value import Duration
from lifespec.trace import parquet as parquet_module
from lifespec.trace.packed import Broken

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

BINDING = binding_of("read json-lines  session = s  time = t  event = e  n = n  wait = wait  tags = tags")


def packed(**columns: object) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), file)
    return file.getvalue()


def table(rows: int = 2) -> bytes:
    return packed(
        s=["a"] * rows,
        t=pyarrow.array([1_500_000_001 + n for n in range(rows)], pyarrow.timestamp("ns", tz="UTC")),
        e=["opened", "closed"] * (rows // 2),
        n=[1, None] * (rows // 2),
        wait=pyarrow.array([timedelta(seconds=1)] * rows),
        tags=[["x"]] * rows,
    )


def test_rows_are_records_and_numbered() -> None:
    first, second = records_of(BINDING, table())
    assert (first.time_ns, second.place.line, second.place.offset) == (1_500_000_001, 2, -1)
    assert first.events[0].fields == {"n": 1, "wait": Duration(1_000_000_000), "tags": ["x"]}
    assert "n" not in second.events[0].fields


def test_many_rows_are_read() -> None:
    _, counts = read(BINDING, table(5000))
    assert (counts.records, counts.lines) == (5000, 5000)


def test_a_table_is_one_in_place_of_csv_too() -> None:
    binding = binding_of('read csv  session = s  time = at as iso8601 zone "UTC"  event = e')
    naive = packed(s=["a"], at=[datetime(1970, 1, 1, 0, 0, 1)], e=[b"opened"])
    (record,) = records_of(binding, naive)
    assert (record.time_ns, record.events[0].name) == (1_000_000_000, "opened")
    aware = packed(s=["a"], at=[datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)], e=["opened"])
    assert records_of(binding, aware)[0].time_ns == 1_000_000_000


@pytest.mark.parametrize("keep", [4, 40, -3])
def test_what_is_cut_or_broken_is_said(keep: int) -> None:
    assert [each.name for each in findings_of(BINDING, table()[:keep])] == ["wrong-container"]


def test_bytes_that_are_no_text_are_no_record() -> None:
    binding = binding_of("read json-lines  session = s  time = none  event = e")
    items, counts = read(binding, packed(s=["a", "a"], e=[b"\xff", b"opened"]))
    assert (counts.malformed, counts.records, len(items)) == (1, 1, 2)


def test_text_and_documents_are_not_read_from_it() -> None:
    (found,) = findings_of(binding_of("read text  session = file.name  time = none"), table())
    assert "Parquet" in (found.text or "")


def test_without_the_library_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise Broken("it is Parquet")

    monkeypatch.setattr(parquet_module, "_library", missing)
    assert [each.name for each in findings_of(BINDING, table())] == ["wrong-container"]
