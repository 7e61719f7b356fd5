"""One large log judged by several processes, with the answer of one. Owns the shares of a log and how answers of
shares are put together; knows no options of a command, and no words.

Each worker reads the whole log and judges the sessions whose names fall to it; what is no session's falls to the first.
Reading costs little beside judging, and no session is in two shares, so what is counted is added up and what is found
is merged by the line at which it was found.

A share cannot tell everything. Where the whole log would be needed (a record that takes its time from a record of
another session, very many names, a line of which only the first of its kind is looked at as a whole) `judge` raises
NotShared, and the log is for one process. What goes between the processes is pickled, and is only ever ours.
"""

from __future__ import annotations

import heapq
import signal
import zlib
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast

import msgspec
from msgspec import structs

from lifespec.check_lane import Fast, LaneReader, find_fast, lane_of
from lifespec.engine.monitor import Monitor
from lifespec.engine.monitor_lane import Lane
from lifespec.engine.tables import Tables
from lifespec.held import Held
from lifespec.model.model import Binding, Model
from lifespec.trace.binding import compile_binding
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.count import Counts, NameCounts, absent_from_all
from lifespec.trace.event import Client, Record
from lifespec.trace.line import Line
from lifespec.trace.plain import NOT_DECODED
from lifespec.trace.reader import Reader
from lifespec.trace.translate import MOST_SLIPS
from lifespec.verdict import Verdict, Violation, combined

if TYPE_CHECKING:  # most checks run in one process
    from multiprocessing.connection import Connection

SMALLEST = 4 << 20  # bytes that are worth a process
_MOST_NAMES = 1000  # of which a share knows how often they occurred
_TOLD_EVERY = 64  # blocks between two words of how far a share is
_BATCH = 500  # violations that a worker hands over at once
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_REVERSED = "time-reversed"  # the one finding of a reader that depends on what stands before


Found = tuple[int, Violation]  # with the place in the order of finding


class NotShared(Exception):
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
    """What a share has to say before the end of the log is known: its latest time, its last record, and whether it is
    the whole truth (`why_not`)."""

    end: int | None
    last: int | None
    why_not: str | None


@dataclass(frozen=True, slots=True)
class Given:
    """What came of a share, but what was found in it."""

    verdict: Verdict
    counts: Counts
    slips: list[Violation]
    marks: list[tuple[int, int]]


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
    """How far a share is; `bytes_read` are divided among all of them."""

    bytes_read: int
    records: int
    sessions: int
    findings: int


# --- a share -----------------------------------------------------------------------------------------------------


class _Begin:
    """The first so many bytes of a stream, to be read as if they were all; says how far it is."""

    def __init__(self, stream: BinaryIO, length: int, tell: Callable[[int], None]) -> None:
        self._stream = stream
        self._left = length
        self._length = length
        self._tell = tell
        self._blocks = 0

    def read(self, size: int) -> bytes:
        self._blocks += 1
        if self._blocks % _TOLD_EVERY == 0:
            self._tell(self._length - self._left)
        data = self._stream.read(min(size, self._left))
        self._left -= len(data)
        return data


class Share:
    """A worker: judges its share of one log after the other, each by `judge` and `finish`; what was found waits to be
    taken."""

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
        struct = msgspec.defstruct(
            "Session", [("session", str | None, None)], rename={"session": fast.plain.keys.get("session", "")}, gc=False
        )
        self._decode: Callable[[bytes], Any] = msgspec.json.Decoder(struct).decode
        self._tell = tell
        self._number, self._of = 0, 1
        self._found = self._at_end = Held()
        self._begins = array("q")  # for each of those at the end, where its session begins
        self._waiting: dict[str, Iterator[Found]] = {}

    def _new_monitor(self) -> Monitor:
        monitor = Monitor(self._model, self._compiled.client, self._tables, keeps_violations=False)
        self._tables = monitor.tables
        return monitor

    def judge(self, log: str, length: int, number: int, of: int) -> Judged:
        """Read so many bytes of a log and judge the share with this number, from 0, of so many."""
        self._number, self._of = number, of
        self._monitor = self._new_monitor()
        self._reader = Reader(self._compiled, log)
        self._asked = Reader(self._compiled, log)
        lane = lane_of(self._fast, self._monitor, self._compiled, Lane)
        self._lane = LaneReader(self._fast, lane, self._reader, log, self._choose)
        self._found = Held()
        with Path(log).open("rb") as stream:
            for found in self._lane.read(cast(BinaryIO, _Begin(stream, length, self._told))):
                self._found.add(found)
        self._lane.end()
        monitor = self._monitor
        last = monitor.last if isinstance(monitor.last, int) else None
        names = len(self._reader.counts.occurred.names)
        return Judged(monitor.latest(), last, _why_not(self._lane, self._reader, names))

    def _choose(self, lines: Sequence[bytes]) -> list[int]:
        """The numbers of those lines that are for this share: each line is for one."""
        decode, number_of, own, of = self._decode, zlib.crc32, self._number, self._of
        chosen: list[int] = []
        for number, line in enumerate(lines):
            try:
                session = decode(line).session
            except NOT_DECODED:
                session = self._session_of(line)
            share = 0 if session is None else number_of(session.encode("utf-8", "surrogatepass")) % of
            if share == own:
                chosen.append(number)
        return chosen

    def _session_of(self, data: bytes) -> str | None:
        """The session of a line that only a reader understands, if any."""
        if not data.strip():
            return None
        self._asked.is_begun = True
        made, _ = self._asked.read_line(Line(1, 0, data.removeprefix(_BYTE_ORDER_MARK).removesuffix(b"\r")))
        return next((each.session for each in made if isinstance(each, Record)), None)

    def _told(self, bytes_read: int) -> None:
        records, sessions = self._lane.records, self._monitor.session_count
        self._tell(Told(bytes_read // self._of, records, sessions, len(self._found)))

    def finish(self, end: int | None, last: int | None, complete: bool) -> Given:
        """The log ends at this time and with this record; all that came of the share."""
        self._monitor.end, self._monitor.last = end, last
        self._at_end, self._begins = Held(), array("q")
        for begin in self._monitor.finishing(complete=complete):
            found = self._monitor.drain()
            self._at_end.add(found)
            self._begins.extend([begin if isinstance(begin, int) else -1] * len(found))
        self._waiting["found"] = ((_line_of(each), each) for each in self._found)
        self._waiting["at end"] = zip(self._begins, self._at_end, strict=True)
        return Given(
            replace(self._monitor.verdict(), sessions_by_outcome={}),
            self._reader.counts,
            self._reader.translator.slips,
            self._lane.marks,
        )

    def take(self, which: str) -> list[Found]:
        """The next violations of those that wait, in the order in which they were found; none when all were taken."""
        return list(islice(self._waiting.get(which, ()), _BATCH))


def _line_of(violation: Violation) -> int:
    """The line at which a violation was found: that of its last record."""
    return max(violation.place.line, *(witness.place.line for witness in violation.witnesses), 0)


def _why_not(lane: LaneReader, reader: Reader, names: int) -> str | None:
    """Why what was read of a share may not be the whole truth."""
    if reader.translator.leans:
        return "a session begins without a time"
    if lane.is_lax:
        return "a value that nobody reads is malformed"
    if lane.is_stopped:
        return "it is not what the binding reads"
    return "it has too many names of events" if names >= _MOST_NAMES else None


# --- all shares --------------------------------------------------------------------------------------------------


class Workers(Protocol):
    """Several workers, each with a share."""

    def ask(self, step: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """What a step of each share answers, in their order. Raises Lost, OSError, and what the watching of it
        raises."""

    def ask_one(self, number: int, step: str, arguments: tuple[Any, ...]) -> Any:
        """What a step of the share with this number answers; it is short, and not to be interrupted. Raises Lost and
        OSError."""


def judge(workers: Workers, log: str, length: int, number: int, compiled: CompiledBinding, *, complete: bool) -> Whole:
    """Judge so many bytes of a log by so many workers. Raises NotShared, and what `ask` raises."""
    judged: list[Judged] = workers.ask("judge", [(log, length, each, number) for each in range(number)])
    for share in judged:
        if share.why_not is not None:
            raise NotShared(share.why_not)
    end = max((share.end for share in judged if share.end is not None), default=None)
    last = max((share.last for share in judged if share.last is not None), default=None)
    given: list[Given] = workers.ask("finish", [(end, last, complete)] * number)
    verdict = combined([share.verdict for share in given])
    reader = Reader(compiled, log)
    _add_counts(reader.counts, [share.counts for share in given])
    reader.translator.slips += _first_slips([slip for share in given for slip in share.slips])
    reader.counts.sessions = verdict.sessions
    reader.counts.absent = absent_from_all([share.counts for share in given])
    return Whole(verdict, reader.counts, _found(workers, reader, number), given[0].marks)


def _found(workers: Workers, reader: Reader, number: int) -> Iterator[Violation]:
    """What was found in all shares, as one process would have found it: what only the end of the log shows comes
    last."""
    for each in _taken(workers, "found", number):
        if each.name == _REVERSED:
            reader.counts.greatest_reversal_ns = max(reader.counts.greatest_reversal_ns, each.elapsed_ns or 0)
            reader.translator.add(each)
            yield from cast(list[Violation], reader.translator.take())
        else:
            yield each
    yield from cast(list[Violation], reader.end())
    yield from _taken(workers, "at end", number)


def _taken(workers: Workers, which: str, number: int) -> Iterator[Violation]:
    """What waits in all shares, merged."""

    def of(share: int) -> Iterator[Found]:
        while batch := workers.ask_one(share, "take", (which,)):
            yield from batch

    try:
        for _, violation in heapq.merge(*map(of, range(number)), key=itemgetter(0)):
            yield violation
    except OSError:
        raise Lost from None  # some were taken already: it is too late to begin again


def _first_slips(slips: Sequence[Violation]) -> list[Violation]:
    """Of each name that may be a slip the first record, as one reader would keep them."""
    first: dict[str | None, Violation] = {}
    for slip in sorted(slips, key=lambda each: each.place.line):
        first.setdefault(slip.found, slip)
    return list(first.values())[:MOST_SLIPS]


def _add_counts(total: Counts, shares: Sequence[Counts]) -> None:
    """What readers of the shares of a log counted, as one of the whole would have. Raises NotShared."""
    for each in shares:
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
        raise NotShared("it has too many names of events")


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
        share = Share(pipe.recv(), pipe.send)
        while True:
            step, given = pipe.recv()
            try:
                answer = (getattr(share, step)(*given),)
            except (BrokenPipeError, ConnectionResetError):
                raise
            except OSError as error:
                pipe.send(OSError(error.errno, error.strerror))
            else:
                pipe.send(answer)
