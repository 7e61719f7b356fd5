"""A log in the words of a plain binding -> findings, by the fast lane. Owns who reads which line; judges nothing.

Blocks of lines become rows, and rows go through the lane of a monitor. A line that is no row, or of which the lane
says that something is odd, is read again by the reader, as it would have been without the lane.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, TypeVar

from lifespec.engine.monitor import Monitor
from lifespec.engine.monitor_lane import Lane
from lifespec.model.forbidden import find_suspects
from lifespec.model.model import Binding, Model
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.event import Record
from lifespec.trace.line import Line
from lifespec.trace.plain import NOT_DECODED, Block, Decoders, Plain, blocks_of, find_plain, is_text
from lifespec.trace.reader import Reader
from lifespec.verdict import Place, Violation

_MOST_ODD = 0.02  # share of lines
_MARK = 1 << 20  # bytes between two marks
_Lane = TypeVar("_Lane", bound=Lane)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Fast:
    """What the fast lane needs of a model and a binding, worked out once."""

    plain: Plain
    suspects: Callable[[bytes], bool] | None  # None: nothing is forbidden


def find_fast(model: Model, binding: Binding, compiled: CompiledBinding, monitor: Monitor) -> Fast | str:
    """How to read logs by the fast lane, or why that cannot be."""
    if monitor.tables.is_restless:
        return "steps may have happened that the recording does not show"
    declared = [*model.fields, *(() if "reason" in model.fields else ("reason",))]
    plain = find_plain(binding, compiled, declared, monitor.tables.fields_looked_at())
    if isinstance(plain, str):
        return plain
    if not plain.has_time:
        return "it has no times"
    return Fast(plain, find_suspects(model.forbids))


def lane_of(fast: Fast, monitor: Monitor, compiled: CompiledBinding, kind: type[_Lane]) -> _Lane:
    """The lane of a monitor."""
    plain = fast.plain
    return kind(
        monitor,
        plain.time_of,
        plain.unit_ns,
        compiled.known_events.__contains__,
        plain.passed,
        plain.kept if plain.passes_rest else None,
    )


class LaneReader:
    """Reads one log by the lane of a monitor; with `choose`, which gives the numbers of lines out of some, only these.
    A line that is too long to be kept is blank to it."""

    def __init__(
        self,
        fast: Fast,
        lane: Lane,
        reader: Reader,
        log: str,
        choose: Callable[[Sequence[bytes]], list[int]] | None = None,
    ) -> None:
        self.lines = 0
        self.marks = [(1, 0)]  # lines and the bytes where they begin, some way apart
        self.is_lax = False  # the reader called a line malformed that would do for the lane
        self.is_stopped = False  # the rest of the log is not worth reading
        self._choose = choose
        self._read = 0  # lines that are for this reader
        self._has_begun = choose is None
        self._odd_lines = 0
        self._decoders: Decoders | None = None
        self._wide: Decoders | None = None  # of rows with any names
        self._fitted: list[bytes] = []
        self._fast = fast
        self._lane = lane
        self._reader = reader
        self._log = log
        self._base = lane.monitor.begin_log(log)
        lane.is_new = self._is_new
        reader.counts.skimmed = True
        self._found: list[Violation] = []
        # What becomes of a record that the reader has read, and of what is found then; whoever gathers has his own.
        self.judge_record: Callable[[Record, int], None] = lane.monitor.judge
        self.keep: Callable[[Iterable[Violation]], None] = self._found.extend
        self._block: Block | None = None
        self._offset = 0
        reader.translator.clocks = Clocks(lane, self._base)
        reader.translator.places = Places(lane)
        lane.last_ns = None

    def read(self, stream: BinaryIO) -> Iterator[list[Violation]]:
        """The findings of the log, in the order in which they are found, a block at a time; unless only some lines
        are read, also those that only its end allows."""
        is_whole = self._choose is None
        for block in blocks_of(stream):
            if is_whole and self._odd_lines > _MOST_ODD * self.lines:  # names that are not known occur all the time
                # Not where only some lines are read: how they are may not depend on which those are.
                self._decoders, self._odd_lines = self._widened(), -self.lines
            if self._offset >= self.marks[-1][1] + _MARK:
                self.marks.append((self.lines + 1, self._offset))
            self._judge(block, is_sparse=self._is_sparse())
            yield self._taken()
            if self.is_stopped:
                return
        self.count()
        if is_whole:
            yield [each for each in self._reader.end() if isinstance(each, Violation)]

    def _judge(self, block: Block, *, is_sparse: bool) -> None:
        """Judge the lines of a block."""
        self._reader.translator.watching.look_in(block.data, block.lines or ())
        if self._decoders is None:
            self._decoders = Decoders(self._fast.plain, self._lane.names_known())
            self._lane.use(self._decoders.attributes, self._decoders.parts, self._decoders.expecting)
        elif self._lane.is_stale:
            self.count()
            self._lane.shape()
        decoders, self._block = self._decoders, block
        first = self._base + self.lines + 1
        there: Sequence[bytes] = block.lines if block.lines is not None else [b""]
        positions: Sequence[int]
        if self._choose is None:
            positions = range(first, first + len(there))
            lines = self._fitted = self._fit(there, block.data)
        else:
            numbers = self._chosen(there, self._choose)
            positions = [first + number for number in numbers]
            chosen = [there[number] for number in numbers]
            lines = self._fit(chosen, b"\n".join(chosen))
            self._fitted = [b""] * len(there)
            for number, line in zip(numbers, lines, strict=True):
                self._fitted[number] = line
        try:
            self._lane.run(
                lines,
                positions,
                self._odd,
                decoders.row,
                decoders.peek if is_sparse else None,
                NOT_DECODED,
            )
        except _Stopped:
            self.is_stopped = True
            return
        self.lines += len(there)
        self._read += len(lines)
        self._offset += block.length

    def _chosen(self, lines: Sequence[bytes], choose: Callable[[Sequence[bytes]], list[int]]) -> list[int]:
        """Which lines of a block are for this reader, from 0."""
        numbers = choose(lines)
        if not self._has_begun:
            first = next((number for number, line in enumerate(lines) if line.strip()), None)
            if first is not None:
                self._has_begun = True
                self._reader.is_begun = first not in numbers
        return numbers

    def _is_sparse(self) -> bool:
        """Whether so many lines are passed over that it is worth while to look at their names first."""
        return self._lane.passed_over > self._read // 2

    def _fit(self, lines: Sequence[bytes], data: bytes) -> list[bytes]:
        """Some lines, which are together this data; those that are for the reader in any case are blank."""
        suspects, fitted = self._fast.suspects, list(lines)
        if not is_text(data):
            fitted = [line if is_text(line) else b"" for line in fitted]
        if suspects is not None and suspects(data):
            fitted = [b"" if suspects(line) else line for line in fitted]
        return fitted

    def _taken(self) -> list[Violation]:
        found = [*self._found, *self._lane.monitor.drain()]
        self._found.clear()
        return found

    def _odd(self, position: int) -> None:
        """Read a line by the reader, and judge what it is a record of."""
        line_number = position - self._base
        number = line_number - self.lines - 1  # in the block
        if self._is_passed(self._fitted[number]):
            return
        self._odd_lines += 1
        if not self._reader.counts.records:
            self.count()  # whether it is the first record matters
        block, monitor, lane = self._block, self._lane.monitor, self._lane
        assert block is not None
        data = None
        if block.lines is not None:
            data = block.lines[number].removesuffix(b"\r")
            if line_number == 1:
                data = data.removeprefix(_BYTE_ORDER_MARK)
        self.keep(monitor.drain())
        is_last = block.lines is None or number == len(block.lines) - 1
        # Without its byte, as the places of the lane are: the marks find it, and findings of one line stay together.
        line = Line(line_number, -1, data, block.is_ended or not is_last)
        self._reader.translator.last_ns = lane.last_ns
        made, goes_on = self._reader.read_line(line)
        lane.last_ns = self._reader.translator.last_ns
        for each in made:
            if isinstance(each, Violation):
                self.keep((each,))
                self.is_lax = self.is_lax or (each.name == "malformed-record" and self._is_row(self._fitted[number]))
            else:
                self.judge_record(each, position)
                self.keep(monitor.drain())
        if not goes_on:
            raise _Stopped

    def _is_passed(self, line: bytes) -> bool:
        """Whether a line that is no row is passed over by its name alone, as it would be where names are looked at
        first (B41)."""
        assert self._decoders is not None
        try:
            name = self._decoders.peek(line)
        except NOT_DECODED:
            return False
        try:
            self._decoders.row(line)
        except NOT_DECODED:
            return self._lane.pass_over(name)
        return False

    def _is_row(self, line: bytes) -> bool:
        """Whether the lane would read it, whatever its names."""
        for decode in (self._widened().row, self._widened().peek):
            try:
                decode(line)
            except NOT_DECODED:
                continue
            return True
        return False

    def _widened(self) -> Decoders:
        """Decoders of rows that may have any names."""
        if self._wide is None:
            self._wide = Decoders(self._fast.plain, {})
        return self._wide

    def _is_new(self, name: str) -> None:
        self._reader.counts.occurred.add(name, 0)

    @property
    def records(self) -> int:
        """Records of the blocks read so far, passed over or not."""
        counts = self._reader.counts
        return max(self._read - counts.blank - counts.malformed, 0)

    def end(self) -> None:
        """To be called when the log has been read, or as much of it as will be."""
        self.count()
        self._reader.counts.absent = self._reader.translator.watching.absent()
        self._lane.monitor.end_log(self.lines)

    def count(self) -> None:
        """Tell the reader's counts of the rows that it has not seen."""
        counts = self._reader.counts
        for name, times, is_passed in self._lane.settle():
            counts.lines += times
            counts.records += times
            counts.occurred.add(name, times)
            if is_passed:
                counts.passed_over.add(name, times)
                counts.ignored += times if name in self._fast.plain.passed else 0
            else:
                counts.events += times
        counts.sessions += self._lane.new_sessions
        self._lane.new_sessions = 0


class _Stopped(Exception):
    """The rest of the log is not worth reading."""


class Clocks:
    """The latest time of each session in one log, as the reader asks for it: the lane knows.

    Positions of the log are greater than `base`. A session whose own times are behind those that it was given, or that
    another log has given it, is untimed to the lane, which leaves it to the reader.
    """

    def __init__(self, lane: Lane, base: int) -> None:
        self._lane = lane
        self._base = base
        self._behind: dict[str, int] = {}  # the own time of such a session

    def __contains__(self, session: str) -> bool:
        judged = self._lane.monitor.find_session(session)
        return judged is not None and isinstance(judged.last, int) and judged.last > self._base

    def __getitem__(self, session: str) -> int | None:
        if session in self._lane.untimed:
            return self._behind.get(session)
        return self._lane.monitor.sessions[session].clock

    def __setitem__(self, session: str, ns: int | None) -> None:
        untimed, judged = self._lane.untimed, self._lane.monitor.find_session(session)
        latest = None if judged is None else judged.clock
        if ns is None or (latest is not None and ns < latest):
            untimed.add(session)
        else:
            untimed.discard(session)
        if ns is not None:
            self._behind[session] = ns
        if session not in untimed:
            self._behind.pop(session, None)


class Places:
    """Where the last record of each session stands, as the reader asks for it: the lane knows."""

    def __init__(self, lane: Lane) -> None:
        self._lane = lane

    def get(self, session: str) -> Place | None:
        judged = self._lane.monitor.find_session(session)
        return None if judged is None else self._lane.monitor.book.place(judged.last)

    def __setitem__(self, session: str, place: Place) -> None:
        pass  # the record is judged right after


__all__ = ["Fast", "LaneReader", "find_fast", "lane_of"]
