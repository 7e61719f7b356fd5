"""One large log judged by several processes, with the answer of one. Owns the parts of a log and how answers of parts
are put together; knows no options of a command, and no words.

A log is cut at line ends into as many parts as there are workers. Each judges its part as if it were the whole log.
That is right for all sessions but those that are seen in more than one part: what was said of these is taken back, and
they are judged again as a whole. What is counted of a session is the same alone and among others, so it is taken back
by judging their lines of the part once more, alone, and subtracting.

A part cannot tell everything. Where the whole log would be needed (a record that takes its time from a record of
another session, very many names, a line of which only the first of its kind is looked at as a whole) `judge` raises
NotCut, and the log is for one process. What goes between the processes is pickled, and is only ever ours.
"""

from __future__ import annotations

import signal
import sys
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast

import msgspec
from msgspec import structs

from lifespec.check_lane import Fast, LaneReader, find_fast, lane_of
from lifespec.engine.monitor import Monitor
from lifespec.engine.tables import Tables
from lifespec.held import Held
from lifespec.model.model import Binding, Model
from lifespec.trace.binding import compile_binding
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.count import Counts, NameCounts, absent_from_all
from lifespec.trace.event import Client, Record
from lifespec.trace.line import Line
from lifespec.trace.plain import NOT_DECODED, blocks_of
from lifespec.trace.reader import Reader
from lifespec.verdict import Verdict, Violation, combined

if TYPE_CHECKING:  # most checks run in one process
    from multiprocessing.connection import Connection

SMALLEST = 4 << 20  # bytes of a part that is worth a process
_MOST_NAMES = 1000  # of which a part knows how often they occurred
_TOLD_EVERY = 64  # blocks between two words of how far a part is
_PIECE = 1 << 20
_BATCH = 1000  # violations that a worker hands over at once
_REVERSED = "time-reversed"  # the one finding of a reader that depends on what stands before


class NotCut(Exception):
    """The log has to be read by one process. The text says why."""


class Lost(Exception):
    """A worker is gone."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a worker has to know, the same for all logs."""

    model: Model
    binding: Binding
    client: Client


@dataclass(frozen=True, slots=True)
class Judged:
    """What a part has to say before its end is known: its latest time, its last record, and whether it is the whole
    truth (`why_not`)."""

    end: int | None
    last: int | None
    has_records: bool
    why_not: str | None


@dataclass(frozen=True, slots=True)
class Given:
    """What came of a part, but what was found in it; `lines` are those of the sessions that are to be judged again, by
    who is to judge them."""

    verdict: Verdict
    counts: Counts
    slips: list[Violation]
    marks: list[tuple[int, int]]
    lines: list[list[Line]]


@dataclass(frozen=True, slots=True)
class Again:
    """What came of sessions that were judged again, as in Given."""

    verdict: Verdict
    why_not: str | None


@dataclass(slots=True)
class Whole:
    """What came of a log. `found` can be gone through once, before another log is judged; `counts` are complete
    after that."""

    verdict: Verdict
    counts: Counts
    found: Iterator[Violation]
    marks: list[tuple[int, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Told:
    """How far a part is."""

    bytes_read: int
    records: int
    sessions: int
    findings: int


# --- the lines of a log ----------------------------------------------------------------------------------------


def cut(stream: BinaryIO, size: int, parts: int) -> list[tuple[int, int]]:
    """Where parts of about equal length begin and end; each but the last one ends with a line."""
    ends = []
    for number in range(1, parts):
        stream.seek(at := max(size * number // parts - 1, 0))
        while piece := stream.read(_PIECE):
            found = piece.find(b"\n")
            if found >= 0:
                ends.append(at + found + 1)
                break
            at += len(piece)
    bounds = sorted({0, size, *(end for end in ends if end < size)})
    return list(pairwise(bounds))


class _Section:
    """Some bytes of a stream, to be read as if they were all."""

    def __init__(self, stream: BinaryIO, first: int, end: int, tell: Callable[[int], None] | None = None) -> None:
        stream.seek(first)
        self._stream = stream
        self._left = end - first
        self._length = end - first
        self._tell = tell
        self._blocks = 0

    def read(self, size: int) -> bytes:
        if self._tell is not None:
            self._blocks += 1
            if self._blocks % _TOLD_EVERY == 0:
                self._tell(self._length - self._left)
        data = self._stream.read(min(size, self._left))
        self._left -= len(data)
        return data


def mark_of(session: str) -> int:
    """A short number in place of the name of a session; two may share one, and then both are judged again."""
    return zlib.crc32(session.encode("utf-8", "surrogatepass"))


# --- a part ------------------------------------------------------------------------------------------------------


class Part:
    """A worker: judges one part after the other, each in the steps `begin`, `judge`, `finish`, `give`; what was found
    waits to be taken."""

    def __init__(self, setting: Setting, tell: Callable[[Told], None] = lambda told: None) -> None:
        compiled, _ = compile_binding(setting.model, setting.binding)
        assert compiled is not None
        allowed = {name: why for name, why in compiled.allowed.items() if name != _REVERSED}
        self._compiled = structs.replace(compiled, client=setting.client, allowed=allowed)
        self._model = setting.model
        self._tables: Tables | None = None
        self._monitor = self._new_monitor()
        fast = find_fast(setting.model, setting.binding, self._compiled, self._monitor)
        assert isinstance(fast, Fast)
        self._fast = fast
        self._tell = tell
        self._complete = False
        self._end: tuple[int | None, int | None] = (None, None)
        self._found = self._at_end = Held()
        self._waiting: dict[str, Iterator[Violation]] = {}

    def _new_monitor(self) -> Monitor:
        monitor = Monitor(self._model, self._compiled.client, self._tables, keeps_violations=False)
        self._tables = monitor.tables
        return monitor

    def begin(self, log: str, first: int, end: int) -> int:
        """How many lines the part has."""
        self._log, self._first, self._stop = log, first, end
        lines = 0
        with Path(log).open("rb", buffering=0) as stream:
            section = _Section(cast(BinaryIO, stream), first, end)
            while data := section.read(_PIECE):
                lines += data.count(b"\n")
        return lines

    def judge(self, lines_before: int) -> Judged:
        """Read and judge the part, behind which so many lines stand."""
        self._monitor = self._new_monitor()
        self._reader, self._lane = self._readers(self._monitor, lines_before, self._first)
        self._found = Held()
        with Path(self._log).open("rb") as stream:
            section = _Section(stream, self._first, self._stop, self._told)
            for found in self._lane.read(cast(BinaryIO, section), is_whole=False):
                self._found.add(found)
        self._lane.end()
        monitor, counts = self._monitor, self._reader.counts
        last = monitor.last if isinstance(monitor.last, int) else None
        has_records = bool(counts.records or counts.malformed)
        return Judged(
            monitor.latest(), last, has_records, _why_not(self._lane, self._reader, len(counts.occurred.names))
        )

    def _readers(self, monitor: Monitor, lines: int, offset: int) -> tuple[Reader, LaneReader]:
        reader = Reader(self._compiled, self._log)
        reader.is_begun = bool(self._first)
        lane = lane_of(self._fast, monitor, self._compiled)
        return reader, LaneReader(self._fast, lane, reader, self._log, lines=lines, offset=offset)

    def _told(self, bytes_read: int) -> None:
        records, sessions = self._lane.records, self._monitor.session_count
        self._tell(Told(bytes_read, records, sessions, len(self._found)))

    def finish(self, end: int | None, last: int | None, complete: bool) -> bytes:
        """The log ends at this time and with this record; says which sessions are here."""
        self._end, self._complete = (end, last), complete
        self._verdict, self._at_end = self._finished(self._monitor)
        return array("I", {mark_of(name) for name in self._verdict.sessions_by_outcome}).tobytes()

    def _finished(self, monitor: Monitor) -> tuple[Verdict, Held]:
        monitor.end, monitor.last = self._end
        at_end = Held()
        for _ in monitor.finishing(complete=self._complete):
            at_end.add(monitor.drain())
        return monitor.verdict(), at_end

    def give(self, crossing: bytes, workers: int) -> Given:
        """All that came of the part, without the sessions that are elsewhere too: their lines are for the workers."""
        marks = set(array("I", crossing))
        names = {name for name in self._verdict.sessions_by_outcome if mark_of(name) in marks} if marks else set()
        verdict, lines = self._verdict, list(self._lines_of(names)) if names else []
        shares: list[list[Line]] = [[] for _ in range(workers)]
        for session, line in lines:
            shares[mark_of(session) % workers].append(line)
        if names:
            monitor = self._new_monitor()
            for _ in self._readers(monitor, 0, 0)[1].read_lines([line for _, line in lines]):
                pass
            verdict = combined([verdict], [self._finished(monitor)[0]])
        self._waiting["found"] = (each for each in self._found if each.session not in names)
        self._waiting["at end"] = (each for each in self._at_end if each.session not in names)
        return Given(
            replace(verdict, sessions_by_outcome={}),
            self._reader.counts,
            self._reader.translator.slips,
            self._lane.marks,
            shares,
        )

    def again(self, lines: list[Line]) -> Again:
        """What comes of whole sessions, of which these are the lines, in the log that was judged last."""
        monitor = self._new_monitor()
        reader, lane = self._readers(monitor, 0, 0)
        reader.is_begun = True
        found = Held(each for some in lane.read_lines(lines) for each in some if each.session)
        verdict, at_end = self._finished(monitor)
        self._waiting["found again"], self._waiting["at end again"] = iter(found), iter(at_end)
        return Again(replace(verdict, sessions_by_outcome={}), _why_not(lane, reader, 0))

    def take(self, which: str) -> list[Violation]:
        """The next violations of those that wait, in the order in which they were found; none when all were taken."""
        return list(islice(self._waiting.get(which, ()), _BATCH))

    def _lines_of(self, names: set[str]) -> Iterator[tuple[str, Line]]:
        """The lines of some sessions with these, in order."""
        key = self._fast.plain.keys.get("session", "")
        there = [each for name in names if (each := self._monitor.find_session(name)) is not None]
        firsts = [each.first for each in there if isinstance(each.first, int)]
        lasts = [each.last for each in there if isinstance(each.last, int)]
        first, last = (min(firsts), max(lasts)) if len(firsts) == len(lasts) == len(names) else (0, sys.maxsize)
        number, offset = self._lane.marks[max(bisect_right(self._lane.marks, (first, sys.maxsize)) - 1, 0)]
        struct = msgspec.defstruct("Session", [("session", str | None, None)], rename={"session": key}, gc=False)
        decode: Callable[[bytes], Any] = msgspec.json.Decoder(struct).decode
        with Path(self._log).open("rb") as stream:
            for block in blocks_of(cast(BinaryIO, _Section(stream, offset, self._stop))):
                at = offset
                for line_number, line in enumerate(block.lines or (), number):
                    data = line.removeprefix(b"\xef\xbb\xbf") if line_number == 1 else line
                    try:
                        session = decode(data).session
                    except NOT_DECODED:
                        session = self._session_of(data)
                    if session in names:
                        yield (
                            session,
                            Line(line_number, at, line, block.is_ended or at + len(line) < offset + block.length),
                        )
                    at += len(line) + 1
                number += len(block.lines or (b"",))
                offset += block.length
                if number > last:
                    return

    def _session_of(self, data: bytes) -> str | None:
        """The session of a line that only the reader understands."""
        reader = Reader(self._compiled, self._log)
        reader.is_begun = True
        made, _ = reader.read_line(Line(1, 0, data.removesuffix(b"\r")))
        return next((each.session for each in made if isinstance(each, Record)), None)


def _why_not(lane: LaneReader, reader: Reader, names: int) -> str | None:
    """Why what was read of a part may not be the whole truth."""
    if reader.translator.leans:
        return "a session begins without a time"
    if lane.is_lax:
        return "a value that nobody reads is malformed"
    if lane.is_stopped:
        return "it is not what the binding reads"
    return "it has too many names of events" if names >= _MOST_NAMES else None


# --- all parts ---------------------------------------------------------------------------------------------------


class Workers(Protocol):
    """Several workers, each with a part."""

    def ask(self, step: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """What a step of each part answers, in the order of the parts. Raises Lost, OSError, and what the watching
        of it raises."""

    def ask_one(self, number: int, step: str, arguments: tuple[Any, ...]) -> Any:
        """What a step of the part with this number answers; it is short, and not to be interrupted. Raises Lost and
        OSError."""


def judge(
    workers: Workers,
    log: str,
    parts: Sequence[tuple[int, int]],
    compiled: CompiledBinding,
    *,
    complete: bool,
) -> Whole:
    """Judge a log in parts. Raises NotCut, and what `ask` raises."""
    lines = workers.ask("begin", [(log, first, end) for first, end in parts])
    judged = workers.ask("judge", [(sum(lines[:number]),) for number in range(len(parts))])
    for number, part in enumerate(judged):
        if part.why_not is not None:
            raise NotCut(part.why_not)
        if number < len(judged) - 1 and not part.has_records:
            raise NotCut("it begins with nothing that is a record")
    end = max((part.end for part in judged if part.end is not None), default=None)
    last = max((part.last for part in judged if part.last is not None), default=None)
    present = workers.ask("finish", [(end, last, complete)] * len(parts))
    crossing = _crossing(present)
    given: list[Given] = workers.ask("give", [(crossing, len(parts))] * len(parts))
    again: list[Again] = []
    if crossing:
        shares = zip(*(part.lines for part in given), strict=True)
        again = workers.ask("again", [([line for lines in share for line in lines],) for share in shares])
    for each in again:
        if each.why_not is not None:
            raise NotCut(each.why_not)
    return _together(workers, log, compiled, given, again)


def _crossing(present: Sequence[bytes]) -> bytes:
    """The marks that are in more than one part."""
    seen: set[int] = set()
    crossing: set[int] = set()
    for each in present:
        marks = set(array("I", each))
        crossing |= seen & marks
        seen |= marks
    return array("I", crossing).tobytes()


def _together(
    workers: Workers, log: str, compiled: CompiledBinding, given: Sequence[Given], again: Sequence[Again]
) -> Whole:
    """The answers of the parts, and that of the sessions that are judged again, as that of one log."""
    verdict = combined([*(part.verdict for part in given), *(part.verdict for part in again)])
    reader = Reader(compiled, log)
    _add_counts(reader.counts, [part.counts for part in given], reader.translator.slips, [p.slips for p in given])
    reader.counts.sessions = verdict.sessions
    reader.counts.absent = absent_from_all([part.counts for part in given])
    found = _found(workers, reader, len(given), len(again))
    return Whole(verdict, reader.counts, found, [mark for part in given for mark in part.marks])


def _found(workers: Workers, reader: Reader, given: int, again: int) -> Iterator[Violation]:
    """What was found in all parts: part by part, what only the end of the log has shown behind it."""
    for each in chain(_taken(workers, "found", given), _taken(workers, "found again", again)):
        if each.name == _REVERSED:
            reader.counts.greatest_reversal_ns = max(reader.counts.greatest_reversal_ns, each.elapsed_ns or 0)
            reader.translator.add(each)
            yield from cast(list[Violation], reader.translator.take())
        else:
            yield each
    yield from cast(list[Violation], reader.end())
    yield from _taken(workers, "at end", given)
    yield from _taken(workers, "at end again", again)


def _taken(workers: Workers, which: str, parts: int) -> Iterator[Violation]:
    try:
        for number in range(parts):
            while batch := workers.ask_one(number, "take", (which,)):
                yield from batch
    except OSError:
        raise Lost from None  # some were taken already: it is too late to begin again


def _add_counts(
    total: Counts, parts: Sequence[Counts], slips: list[Violation], more: Sequence[Sequence[Violation]]
) -> None:
    """What readers of the parts of a log counted, as one of the whole would have. Raises NotCut."""
    for each, near in zip(parts, more, strict=True):
        # A name is a slip where it occurs first.
        slips += [slip for slip in near if slip.found not in total.passed_over.names]
        for name in ("lines", "records", "blank", "malformed", "headers", "events", "ignored"):
            setattr(total, name, getattr(total, name) + getattr(each, name))
        _add_names(total.passed_over, each.passed_over)
        _add_names(total.occurred, each.occurred)
        for name, written in each.renamed.items():
            for one in written:
                total.add_renamed(name, one)
        for name, times in each.findings.items():
            if name != _REVERSED:
                total.findings[name] = total.findings.get(name, 0) + times
        for name, allowed in each.allowed.items():
            total.allowed[name].count += allowed.count
        total.skimmed = total.skimmed or each.skimmed
    if len(total.occurred.names) >= _MOST_NAMES:
        raise NotCut("it has too many names of events")


def _add_names(total: NameCounts, names: NameCounts) -> None:
    for name, times in names.names.items():
        total.names[name] = total.names.get(name, 0) + times


# --- processes ---------------------------------------------------------------------------------------------------


class Processes:
    """Workers that are processes of their own. Use it as a context: none of them outlives it.

    They take no Ctrl-C, for it is the parent that decides, and end when the parent is gone. `tell` is called with how
    far all are together; `waiting` is entered while there is nothing to do but wait.
    """

    def __init__(
        self,
        setting: Setting,
        number: int,
        waiting: Callable[[], AbstractContextManager[None]],
    ) -> None:
        from multiprocessing import get_context  # for large logs only

        context = get_context("spawn")
        self.tell: Callable[[Told], None] = lambda told: None
        self._waiting = waiting
        self._workers = []
        self._pipes: list[Connection] = []
        self._told: dict[int, Told] = {}
        for _ in range(number):
            mine, theirs = context.Pipe()
            worker = context.Process(target=_work, args=(theirs,), daemon=True, name="lifespec worker")
            with _uninterrupted():  # not even while it starts
                worker.start()
            theirs.close()
            self._workers.append(worker)
            self._pipes.append(mine)
        for pipe in self._pipes:
            with suppress(OSError):
                pipe.send(setting)

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all workers, whatever they are at."""
        for pipe in self._pipes:
            pipe.close()
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            worker.join()
        self._workers, self._pipes = [], []

    @property
    def pids(self) -> list[int]:
        return [worker.pid for worker in self._workers if worker.pid is not None]

    def ask(self, step: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        return self._ask(step, dict(enumerate(arguments)), self._waiting)

    def ask_one(self, number: int, step: str, arguments: tuple[Any, ...]) -> Any:
        return self._ask(step, {number: arguments}, nullcontext)[0]

    def _ask(
        self,
        step: str,
        arguments: Mapping[int, tuple[Any, ...]],
        waiting: Callable[[], AbstractContextManager[None]],
    ) -> list[Any]:
        from multiprocessing.connection import wait

        answers: dict[int, Any] = {}
        try:
            for number, given in arguments.items():
                self._pipes[number].send((step, given))
            while len(answers) < len(arguments):
                left = {self._pipes[number]: number for number in arguments if number not in answers}
                with waiting():
                    ready = wait(list(left))
                for pipe, number in left.items():
                    if pipe in ready:
                        self._take(number, pipe.recv(), answers)
        except (EOFError, BrokenPipeError, ConnectionResetError):
            raise Lost from None
        return [answers[number] for number in arguments]

    def _take(self, number: int, said: object, answers: dict[int, Any]) -> None:
        if isinstance(said, Told):
            self._told[number] = said
            told = self._told.values()
            self.tell(
                Told(
                    sum(each.bytes_read for each in told),
                    sum(each.records for each in told),
                    sum(each.sessions for each in told),
                    sum(each.findings for each in told),
                )
            )
        elif isinstance(said, OSError):
            raise said
        else:
            (answers[number],) = cast(tuple[Any], said)


start: Callable[[Setting, int, Callable[[], AbstractContextManager[None]]], Processes] = Processes
"""How workers are had."""


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """A process that is started here never sees Ctrl-C; the parent sees it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # else it would be started here, and starting it lets signals through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(pipe: Connection) -> None:
    """A worker, until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError), closing(pipe):
        part = Part(pipe.recv(), pipe.send)
        while True:
            step, given = pipe.recv()
            try:
                answer = (getattr(part, step)(*given),)
            except (BrokenPipeError, ConnectionResetError):
                raise
            except OSError as error:
                pipe.send(OSError(error.errno, error.strerror))
            else:
                pipe.send(answer)
