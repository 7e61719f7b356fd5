"""Lines of logs, read again for an excerpt. Owns how a line is found by its place; knows no records."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from typing import BinaryIO

from lifespec.log_file import Log, opened
from lifespec.trace.line import cut
from lifespec.trace.packed import Broken, unpacked
from lifespec.verdict import Place

_LONGEST_LINE = 1 << 18  # bytes of a line that an excerpt is made from
_BLANKS = re.compile(r'("(?:[^"\\]|\\.)*")|\s+', re.DOTALL)  # a text, which stays, or what stands between


class Lines:
    """Lines of logs, read again by their places. Use it as a context; it keeps one file open at a time."""

    def __init__(self, logs: Sequence[Log]) -> None:
        self._logs = {log.name: log for log in logs}
        self._marks: dict[str, Sequence[tuple[int, int]]] = {}
        self._unpacked: dict[str, dict[int, str]] = {}  # lines of packed logs by their numbers
        self._stack = contextlib.ExitStack()
        self._open: tuple[str, BinaryIO] | None = None

    def __enter__(self) -> Lines:
        return self

    def mark(self, log: str, marks: Sequence[tuple[int, int]]) -> None:
        """From now on lines of this log are found from these marks: numbers of lines, and where they begin."""
        self._marks[log] = marks

    def keep(self, log: Log) -> None:
        """From now on read the log of this name from its stream."""
        self._logs[log.name] = log

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def gather(self, places: Iterable[Place]) -> None:
        """Read the lines at these places that stand in packed logs, each log once, for `find` to hand out."""
        wanted: dict[str, set[int]] = {}
        for place in places:
            if place.offset < 0 and not place.item and place.log in self._logs and place.log not in self._marks:
                wanted.setdefault(place.log, set()).add(place.line)
        for name, numbers in wanted.items():
            with contextlib.suppress(OSError, ValueError):
                stream = self._stream(name)
                if stream.seekable():
                    stream.seek(0)
                    self._unpacked[name] = _lines_at(stream, numbers)

    def find(self, place: Place) -> str | None:
        """The line at a place without its end, or None when it cannot be read again."""
        if place.offset < 0 and not place.item and place.log in self._unpacked:
            return self._unpacked[place.log].get(place.line)
        if place.log not in self._logs or (place.offset < 0 and place.log not in self._marks):
            return None
        try:
            stream = self._stream(place.log)
            if not stream.seekable():
                return None
            if place.offset >= 0:
                stream.seek(place.offset)
            else:
                self._go_to(stream, place)
            line = stream.readline(_LONGEST_LINE)
            if place.item and place.offset >= 0 and (joined := _value_over_lines(line, stream)) is not None:
                return joined
        except (OSError, ValueError):  # gone, closed or never seekable: then there is no excerpt
            return None
        return line.decode("utf-8", "replace").rstrip("\r\n").lstrip("\ufeff")

    def _go_to(self, stream: BinaryIO, place: Place) -> None:
        marks = self._marks[place.log]
        number, offset = marks[bisect_right(marks, (place.line, sys.maxsize)) - 1]
        stream.seek(offset)
        for _ in range(place.line - number):
            while (piece := stream.readline(_LONGEST_LINE)) and not piece.endswith(b"\n"):
                pass

    def _stream(self, name: str) -> BinaryIO:
        if self._open is None or self._open[0] != name:
            self._stack.close()
            self._open = (name, self._stack.enter_context(opened(self._logs[name])))
        return self._open[1]


def _lines_at(stream: BinaryIO, numbers: Collection[int]) -> dict[int, str]:
    """The lines with these numbers of a packed text; none of a text that is not packed."""
    found: dict[int, str] = {}
    last = max(numbers)
    with contextlib.suppress(Broken), unpacked(stream) as text:
        for line in cut(text) if text.is_packed else ():
            if line.number in numbers and line.data is not None:
                found[line.number] = line.data[:_LONGEST_LINE].decode("utf-8", "replace")
            if line.number >= last:
                break
    return found


def _value_over_lines(line: bytes, stream: BinaryIO) -> str | None:
    """An object or a list that begins at the begin of `line` and ends on another one, as one line; None for anything
    else, and for what is longer than a line may be."""
    if line[:1] not in (b"{", b"[") or _end_of_value(text := line.decode("utf-8", "replace")) is not None:
        return None
    text += stream.read(_LONGEST_LINE - len(line)).decode("utf-8", "replace")
    end = _end_of_value(text)
    return None if end is None else _BLANKS.sub(lambda found: found[1] or " ", text[:end])


def _end_of_value(text: str) -> int | None:
    try:
        return json.JSONDecoder(parse_float=str, parse_int=str, strict=False).raw_decode(text)[1]
    except (ValueError, RecursionError):
        return None
