"""What a container is cut into: pieces, each good, blank, faulty or about the whole log. Owns the shapes only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from lifespec.model.value import LogValue
from lifespec.trace.decode import Decoded, Malformed, decode_json
from lifespec.trace.line import LONGEST, WrongContainer
from lifespec.trace.outline import Outline

TOO_LONG = Malformed(f"the line is longer than {LONGEST // 2**20} MB")


@dataclass(frozen=True, slots=True)
class Piece:
    """One value of the container, at the line where it begins (from 1) and its byte (-1: packed).

    `repeated` are keys that an object in it has twice. `outline` says where the parts of a document stand.
    """

    line: int
    offset: int
    value: LogValue
    repeated: tuple[str, ...] = ()
    outline: Outline | None = None


@dataclass(frozen=True, slots=True)
class Passed:
    """A line without a record: blank, or (`is_header`) the magic word or the names of the columns."""

    line: int
    is_header: bool = False


@dataclass(frozen=True, slots=True)
class Faulty:
    """A piece that is no record, and why."""

    line: int
    offset: int
    malformed: Malformed


Cut: TypeAlias = Piece | Passed | Faulty | WrongContainer


def decoded_piece(data: bytes, line: int, offset: int) -> Piece | Faulty:
    """The JSON value of `data`, or why it is none."""
    decoded = decode_json(data)
    if isinstance(decoded, Decoded):
        return Piece(line, offset, decoded.value, decoded.repeated)
    return Faulty(line, offset, decoded)
