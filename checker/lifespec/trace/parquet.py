"""A table in Parquet -> pieces, a row each (spec/bindings.md B40). Owns the types of its columns; needs pyarrow.

The rows are unpacked some at a time; what the library does within a page of a column is not bounded here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from typing import Any, BinaryIO, cast

from lifespec.model.value import Duration, Instant
from lifespec.trace.decode import Malformed
from lifespec.trace.packed import Broken
from lifespec.trace.piece import Faulty, Piece
from lifespec.trace.python_value import log_value

_AT_ONCE = 1000  # rows
_IN_MEMORY = 32 * 1024 * 1024  # bytes; what is more lies in an unnamed file
_UNIT_NS = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}


def rows_of(stream: BinaryIO) -> Iterator[Piece | Faulty]:
    """The rows as objects by the names of their columns; a row is numbered like a line. Raises Broken."""
    arrow, parquet = _library()
    import tempfile  # Parquet is read from its end

    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        while block := stream.read(1 << 20):
            file.write(block)
        file.seek(0)
        number = 0
        try:
            for batch in parquet.ParquetFile(cast(Any, file)).iter_batches(batch_size=_AT_ONCE):
                for row in _rows(batch, arrow):
                    number += 1
                    try:
                        yield Piece(number, -1, log_value(_plain(row)))
                    except ValueError as error:
                        yield Faulty(number, -1, Malformed(str(error)))
        except (arrow.ArrowException, OSError, ValueError, KeyError, OverflowError):
            raise Broken("its Parquet is cut, broken, or of a form that is not read") from None


def _library() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise Broken("it is Parquet: write it as JSON lines or CSV first, or `pip install lifespec[parquet]`") from None
    return pyarrow, parquet


def _rows(batch: Any, arrow: Any) -> list[dict[str, object]]:
    """The rows of a batch. A timestamp with a zone is an instant, to the nanosecond."""
    columns = {
        field.name: _instants(column, field.type, arrow) if _is_instant(field.type, arrow) else column.to_pylist()
        for field, column in zip(batch.schema, batch.columns, strict=True)
    }
    names = list(columns)
    return [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _is_instant(kind: Any, arrow: Any) -> bool:
    return bool(arrow.types.is_timestamp(kind)) and kind.tz is not None


def _instants(column: Any, kind: Any, arrow: Any) -> list[Instant | None]:
    unit = _UNIT_NS[kind.unit]
    return [None if value is None else Instant(value * unit) for value in column.cast(arrow.int64()).to_pylist()]


def _plain(value: object) -> object:
    """Times as text, lengths of time as such, bytes as the text that they are."""
    if isinstance(value, bytes):
        return value.decode("utf-8")  # else the row is no record: UnicodeDecodeError is a ValueError
    if isinstance(value, timedelta):
        return Duration((value.days * 86_400 + value.seconds) * 1_000_000_000 + value.microseconds * 1_000)
    if isinstance(value, date | time | datetime):
        return value.isoformat()
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return value
