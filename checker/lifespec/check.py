"""Spec, binding and logs -> one Report. The driver: owns the order of things and the files; judges nothing itself.

Files are opened here and nowhere below. Logs are judged one after the other, each by a monitor of its own.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, cast

from lifespec import check_jobs
from lifespec.check_ahead import look_ahead
from lifespec.check_findings import Findings
from lifespec.check_input import (
    Options,
    binding_to_check,
    filters_of,
    load_to_check,
    logs_of,
    report_of,
    said_of,
    with_where,
)
from lifespec.check_lane import Fast, LaneReader, find_fast, lane_of
from lifespec.check_problem import (
    Unmatched,
    absent_path,
    binary_log,
    empty_log,
    interrupted,
    interrupted_parts,
    lost_worker,
    nothing_matched,
    nothing_readable,
    nothing_to_judge,
    nothing_to_walk,
    unreadable_file,
)
from lifespec.check_summary import Sum, add_verdicts, summarize
from lifespec.diagnostics import Diagnostic, Severity
from lifespec.engine.monitor import Monitor
from lifespec.engine.monitor_lane import Lane
from lifespec.engine.reference import Monitor as ReferenceMonitor
from lifespec.engine.tables import Tables
from lifespec.explain import Explained, Explainer
from lifespec.filter.sessions import SessionFilter
from lifespec.filter.sieve import Sieve
from lifespec.filter.where import Where
from lifespec.log_file import Log, is_binary, kept, opened
from lifespec.log_lines import Lines
from lifespec.model.model import Binding, Model
from lifespec.reports.filtered import Filtered
from lifespec.reports.report import LogSummary, Report
from lifespec.trace.choose import choose_binding
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.count import Counts, absent_from_all, renamed_names
from lifespec.trace.line import is_unpacked
from lifespec.trace.raw_name import RawNames
from lifespec.trace.reader import Reader
from lifespec.verdict import Coverage, Verdict, Violation
from lifespec.watch import Blocks, Interrupted, Progress, Unwatched, Watcher

__all__ = ["Log", "Options", "check", "check_files"]

_MOST_ACROSS = 12  # sessions of several logs that a report names


def check(
    model: Model,
    logs: str | Path | Sequence[str | Path | Log],
    *,
    binding: str | None = None,
    options: Options | None = None,
    watcher: Watcher | None = None,
    each: Callable[[Explained], None] | None = None,
) -> Report:
    """Check logs against a lifecycle.

    `binding` names one of the lifecycle's bindings or a ready-made one; without it the only binding of the
    lifecycle counts, else `default`. What keeps a log from being checked is among the report's `problems`;
    nothing is raised for what a spec or a log holds, nor for a file that cannot be read. Raises ValueError
    when no log is given, or one of them twice. A `watcher` sees how far the check is and may end it early; the
    report is then `partial`. `each` is told every finding as it is found, without its line, whether it is kept or not.
    """
    opened_logs = logs_of(logs)
    options = options or Options()
    chosen, found = binding_to_check(model, binding, options)
    problems = found if chosen is None else ()
    where, wrong = filters_of(model, options)
    problems = (*problems, *wrong, *(() if model.properties() else (nothing_to_judge(model),)))
    if chosen is None or problems:
        report = replace(report_of(model, binding or ""), problems=problems)
        return report if options.filters.where is None else with_where(report, options.filters.where)
    declared, compiled = chosen
    with Lines(opened_logs) as lines:
        run = _Run(model, declared, compiled, options, lines, watcher or Unwatched(), where)
        report = run.run(opened_logs, each)
        return replace(report, binding_findings=(*found, *run.absent_paths()))


def check_files(
    spec: str | Path,
    logs: str | Path | Sequence[str | Path | Log],
    *,
    binding: str | None = None,
    profile: str | None = None,
    options: Options | None = None,
    watcher: Watcher | None = None,
    each: Callable[[Explained], None] | None = None,
) -> Report:
    """Check logs against the lifecycle in a file; its errors are the report's `problems`.

    `binding` may also be a file with one binding, which is read together with the lifecycle. Raises ValueError
    when no log is given, or one of them twice.
    """
    loaded = load_to_check(spec, binding, profile)
    if isinstance(loaded, Report):
        return loaded
    model, binding, diagnostics = loaded
    report = check(model, logs, binding=binding, options=options, watcher=watcher, each=each)
    chosen, _ = choose_binding(model, binding)
    return report if chosen is None else replace(report, binding_findings=said_of(chosen, diagnostics, report))


@dataclass(slots=True)
class _Read:
    """What came of reading one or several logs with one monitor."""

    names: list[str] = field(default_factory=list)
    counts: list[Counts] = field(default_factory=list)
    reader: Reader | None = None  # of the log before
    logs_of: dict[str, str] | None = None  # of joined logs, by session the first one it stands in
    across: dict[str, None] = field(default_factory=dict)  # the sessions that stand in another one too

    def look(self, session: str | None, log: str) -> None:
        """Of joined logs: a record of the session stands in this one."""
        if session is not None and self.logs_of is not None and self.logs_of.setdefault(session, log) != log:
            self.across[session] = None


@dataclass(slots=True)
class _Judge:
    """What judges the records of logs that belong together; `lane_reader` reads one of them just now."""

    monitor: Monitor | ReferenceMonitor
    lane: Lane | None = None
    lane_reader: LaneReader | None = None


class _Run:
    """One check: goes through the logs and gathers."""

    def __init__(
        self,
        model: Model,
        declared: Binding,
        binding: CompiledBinding,
        options: Options,
        lines: Lines,
        watcher: Watcher,
        where: Where | None,
    ) -> None:
        self._model = model
        self._declared = declared
        self._binding = binding
        self._options = options
        self._lines = lines
        self._watcher = watcher
        self._explainer = Explainer(model, lines.find, RawNames(declared.statements))
        self._sieve = Sieve(options.filters, self._explainer.shown)
        self._sessions = (
            SessionFilter(options.filters.sessions, where, binding.client, self._explainer.mask)
            if options.filters.chooses_sessions
            else None
        )
        self._problems: list[Diagnostic] = []
        self._not_walked: list[Diagnostic] = []  # of logs in which no `each` found anything
        self._summaries: list[LogSummary] = []
        self._total = Sum({}, Coverage())
        self._judged = 0  # records
        self._unmatched: list[Diagnostic] = []  # of single logs
        self._counts: list[Counts] = []
        self._names: list[str] = []  # of the logs that were read, as `_counts`
        self._malformed = 0
        self._bytes_read = 0  # of the logs before the one that is read
        self._is_partial = False
        self._tables: Tables | None = None
        self._fast: Fast | str | None = None  # None: not asked yet
        self._workers: check_jobs.Processes | None = None
        self._remarks: list[str] = []
        self._open = contextlib.ExitStack()  # what stays open until all is read

    def run(self, logs: Sequence[Log], each: Callable[[Explained], None] | None) -> Report:
        names = tuple(log.name for log in logs)
        self._findings = findings = Findings(self._explainer, names, self._options.examples, each, self._lines.gather)
        with self._open:
            self._open.callback(self._end_workers)
            self._run_all(logs)
        summary = summarize(self._model, self._binding, self._total, self._counts, findings.unknown, self._explainer)
        return replace(
            report_of(self._model, self._binding.name),
            log_names=names,
            logs=tuple(self._summaries),
            groups=findings.groups(),
            sessions_with_findings=findings.sessions,
            properties=summary.properties,
            never_exercised=summary.never_exercised,
            perhaps=summary.perhaps,
            coverage=Coverage(states=self._total.coverage.states, transitions=self._total.coverage.transitions),
            quality=summary.quality,
            problems=tuple(self._problems),
            partial=self._is_partial,
            remarks=tuple(dict.fromkeys(self._remarks)),
            filtered=self._filtered(),
            recorded=self._sieve.found,
        )

    def absent_paths(self) -> list[Diagnostic]:
        """B42: what the binding looks for and no record of any log has."""
        return [] if self._is_partial else [each for each in self._absent() if each not in self._problems]

    def _absent(self) -> list[Diagnostic]:
        found = absent_from_all([each for each in self._counts if each.records or each.unfolded])
        said = (
            absent_path(self._binding.watched[number], list(dict.fromkeys(map(self._explainer.mask, keys))))
            for number, keys in sorted(found.items())
            if keys is not None
        )
        return [each for each in said if each is not None]

    def _filtered(self) -> Filtered:
        """What was left out."""
        is_whole = not self._is_partial and not self._problems and self._sessions is None
        filtered = self._sieve.account(is_whole=is_whole)
        return filtered if self._sessions is None else replace(filtered, sessions=self._sessions.account())

    def _run_all(self, logs: Sequence[Log]) -> None:
        unread = [log.name for log in logs]
        for group in [list(logs)] if self._options.join_files else [[log] for log in logs]:
            self._findings.begin(is_joined=self._options.join_files)
            self._sieve.begin()
            try:
                is_read = self._read_by_several(group)
            except (Interrupted, check_jobs.Lost) as ended:
                unread.remove(group[0].name)
                self._is_partial = True
                ending = lost_worker if isinstance(ended, check_jobs.Lost) else interrupted_parts
                self._problems.append(ending(group[0].name, unread))
                return
            if is_read:
                unread.remove(group[0].name)
                continue
            judge = self._judge(group)
            read = _Read(logs_of={} if len(group) > 1 else None)
            for log in self._with_sessions(group):
                if not self._is_partial:
                    unread.remove(log.name)
                    self._read(log, judge, read)
            if read.names:
                self._close(judge, read)
        if self._is_partial:
            name = self._names[-1]
            self._problems.append(interrupted(name, self._counts[-1].lines, [each for each in unread if each != name]))
        else:
            self._judge_all()

    # --- several processes ---------------------------------------------------------------------------

    def _read_by_several(self, logs: Sequence[Log]) -> bool:
        """Judge a log by several processes, if that can be. Raises Interrupted and Lost."""
        number = self._options.jobs or os.cpu_count() or 1
        if number == 1:
            return False
        why_not = self._why_one(logs)
        if why_not is None:
            try:
                self._judge_by_several(logs[0], number)
            except check_jobs.NotShared as not_shared:
                why_not = str(not_shared)
            except OSError:
                return False  # whoever reads it alone will say so
        if why_not is not None:
            self._remarks.append(f"{logs[0].name} is checked by one process: {why_not}")
        return why_not is None

    def _why_one(self, logs: Sequence[Log]) -> str | None:
        """Why one process has to judge a log."""
        log = logs[0]
        if self._options.engine == "reference":
            return "the reference engine takes no shares"
        if self._sessions is not None:
            return "sessions are chosen"
        if len(logs) > 1:
            return "the logs are joined"
        self._judge(logs)
        if isinstance(self._fast, str):
            return f"binding {self._binding.name}: {self._fast}"
        if log.stream is not None:
            return "it is no file"
        try:
            with opened(log) as stream:
                if not stream.seekable() or is_binary(stream) or not is_unpacked(stream):
                    return "it is no file of lines"
                size = stream.seek(0, os.SEEK_END)
        except OSError:
            return "it cannot be read"
        return None if size >= 2 * check_jobs.SMALLEST else "it is small"

    def _judge_by_several(self, log: Log, number: int) -> None:
        with opened(log) as stream:
            size = stream.seek(0, os.SEEK_END)
        records = sum(counts.records for counts in self._counts)
        sessions = sum(summary.sessions for summary in self._summaries)
        findings, before = self._findings.count, self._bytes_read

        def tell(told: check_jobs.Told) -> None:
            self._bytes_read = before + told.bytes_read
            self._watcher.watch(
                Progress(
                    log.name,
                    self._bytes_read,
                    records + told.records,
                    sessions + told.sessions,
                    findings + told.findings,
                )
            )

        tell(check_jobs.Told(0, 0, 0, 0))
        if self._workers is None:
            setting = check_jobs.Setting(self._model, self._declared, self._binding.client)
            self._workers = check_jobs.start(setting, number, self._watcher.waiting)
        self._workers.tell = tell
        whole = check_jobs.judge(
            self._workers,
            log.name,
            size,
            min(number, size // check_jobs.SMALLEST),
            self._binding,
            complete=self._options.complete,
        )
        self._bytes_read = before + size
        self._lines.mark(log.name, whole.marks)
        self._take(whole.found)
        read = _Read([log.name], [whole.counts])
        self._look_for_records(log, read)
        self._conclude(whole.verdict, read)

    def _end_workers(self) -> None:
        if self._workers is not None:
            self._workers.close()

    # --- one process ---------------------------------------------------------------------------------

    def _judge(self, logs: Sequence[Log]) -> _Judge:
        """What judges the records of logs that belong together."""
        if self._options.engine == "reference":
            return _Judge(ReferenceMonitor(self._model, self._binding.client, keeps_violations=False))
        monitor = Monitor(self._model, self._binding.client, self._tables, keeps_violations=False)
        self._tables = monitor.tables
        if self._fast is None and self._sessions is not None:
            self._fast = "some sessions are chosen"
        if self._fast is None:
            self._fast = find_fast(self._model, self._declared, self._binding, monitor)
            if self._options.strict_json and not isinstance(self._fast, str):
                self._fast = "all of each record is looked at"
            if self._binding.lateness_ns is not None:
                self._fast = "records are put in order first"
        slow = isinstance(self._fast, str) or len(logs) > 1  # a reader has the clocks of one log
        lane = None if slow or isinstance(self._fast, str) else lane_of(self._fast, monitor, self._binding, Lane)
        return _Judge(monitor, lane)

    def _with_sessions(self, logs: Sequence[Log]) -> Sequence[Log]:
        """The logs as they are to be read, once it is known which of their sessions are judged."""
        if self._sessions is None:
            return logs
        self._sessions.begin()
        if self._sessions.where is None:
            return logs
        reader: Reader | None = None
        again: list[Log] = []
        for log in logs:
            reader = Reader(self._binding, log.name, reader)
            progress = self._watched_ahead(log)
            try:
                found = look_ahead(log, reader, self._sessions, self._watcher, progress, self._open)
            except OSError:
                found = log  # whoever reads it for good will say so
            except Interrupted:
                self._is_partial = True
                self._names.append(log.name)
                self._counts.append(reader.counts)
                break
            if found is not log:
                self._lines.keep(found)
            again.append(found)
        return again

    def _read(self, log: Log, judge: _Judge, read: _Read) -> None:
        reader = read.reader = Reader(self._binding, log.name, read.reader)
        lane_reader: LaneReader | None = None
        try:
            with contextlib.ExitStack() as stack:
                with self._watcher.waiting():  # the other end of a pipe may not be there yet
                    stream = stack.enter_context(opened(log))
                if not stream.seekable():  # a pipe is read once, and then again for the excerpts
                    log = kept(log.name, stream)
                    self._lines.keep(log)
                    stream = log.stream or stream
                blocks = self._watched(log, stream, reader, judge, read)
                if is_binary(blocks):
                    self._problems.append(binary_log(log.name))
                    return
                if judge.lane is not None and isinstance(self._fast, Fast) and is_unpacked(blocks):
                    lane_reader = judge.lane_reader = LaneReader(self._fast, judge.lane, reader, log.name)
                    for found in lane_reader.read(blocks):
                        self._take(found)
                else:
                    for item in reader.read(blocks):
                        if self._sessions is not None and not self._sessions.admits(item):
                            continue
                        if isinstance(item, Violation):
                            self._take((item,))
                        else:
                            read.look(item.session, log.name)
                            self._take(judge.monitor.feed(item))
        except Interrupted:
            self._is_partial = True
        except OSError as error:
            self._problems.append(unreadable_file(log.name, error))
            if not reader.counts.lines:
                return
        if lane_reader is not None:
            lane_reader.end()
            self._lines.mark(log.name, lane_reader.marks)
            judge.lane_reader = None
        read.names.append(log.name)
        read.counts.append(reader.counts)
        self._look_for_records(log, read)

    def _look_for_records(self, log: Log, read: _Read) -> None:
        """No false green: a log has records, or has been refused."""
        counts = read.counts[-1]
        refused = self._findings.was_found("wrong-container")
        is_empty = not counts.records and not counts.malformed
        if is_empty and not refused and not self._options.allow_empty and not self._is_partial:
            if counts.unfolded:
                self._not_walked.append(nothing_to_walk(log.name, self._binding.unfolds[counts.deepest].text))
            else:
                self._problems.append(empty_log(log.name, counts.blank))

    def _watched(self, log: Log, stream: BinaryIO, reader: Reader, judge: _Judge, read: _Read) -> BinaryIO:
        """The bytes of a log; the watcher is told of each block how far the check is."""
        bytes_before = self._bytes_read
        records = sum(counts.records for counts in self._counts + read.counts)
        sessions = sum(summary.sessions for summary in self._summaries)

        def progress(bytes_read: int) -> Progress:
            self._bytes_read = bytes_before + bytes_read
            return Progress(
                log.name,
                self._bytes_read,
                records + (judge.lane_reader.records if judge.lane_reader else reader.counts.records),
                sessions + judge.monitor.session_count,
                self._findings.count,
            )

        return cast(BinaryIO, Blocks(stream, self._watcher, progress))

    def _watched_ahead(self, log: Log) -> Callable[[int], Progress]:
        """How far a look ahead is: of what was judged nothing changes but the bytes."""
        bytes_before = self._bytes_read
        records = sum(counts.records for counts in self._counts)
        sessions = sum(summary.sessions for summary in self._summaries)

        def progress(bytes_read: int) -> Progress:
            self._bytes_read = bytes_before + bytes_read
            return Progress(log.name, self._bytes_read, records, sessions, self._findings.count)

        return progress

    def _take(self, found: Iterable[Violation]) -> None:
        self._findings.take(self._sieve.pass_through(map(self._tolerated, found)))

    def _tolerated(self, violation: Violation) -> Violation:
        """The first malformed records, as many as are allowed, are warnings."""
        if violation.name != "malformed-record":
            return violation
        self._malformed += 1
        return replace(violation, severity="warning") if self._malformed <= self._options.max_malformed else violation

    def _close(self, judge: _Judge, read: _Read) -> None:
        for _ in judge.monitor.finishing(complete=self._options.complete and not self._is_partial):
            self._take(judge.monitor.drain())
        self._conclude(judge.monitor.verdict(), read)

    def _conclude(self, verdict: Verdict, read: _Read) -> None:
        self._total = add_verdicts(self._total, verdict)
        self._judged += verdict.records
        self._look_for_events(verdict, read)
        self._counts += read.counts
        self._names += read.names
        self._summaries.append(
            LogSummary(
                name=read.names[0] if len(read.names) == 1 else f"{len(read.names)} logs, joined",
                records=sum(counts.records for counts in read.counts),
                events=verdict.events,
                sessions=verdict.sessions,
                complete_sessions=verdict.complete_sessions,
                across=tuple(self._explainer.mask(name) for name in list(read.across)[:_MOST_ACROSS]),
                across_count=len(read.across),
                outcomes=tuple(tally.outcome for tally in verdict.tallies.values()),
                groups=self._findings.in_logs(),
                left_out=self._sieve.in_logs(),
            )
        )

    def _look_for_events(self, verdict: Verdict, read: _Read) -> None:
        """No false green: a log of which no record is an event, and some say nothing at all, is read with a wrong
        binding, whatever is in other logs."""
        records = sum(counts.records for counts in read.counts)
        silent = sum(counts.passed_over.names.get("", 0) for counts in read.counts)
        if not verdict.events and silent and self._sessions is None and not self._is_partial:
            ignored = sum(counts.ignored for counts in read.counts)
            renamed = renamed_names(read.counts, self._explainer.mask)
            unmatched = Unmatched(records, 0, ignored, self._occurred(read.counts), self._findings.names, renamed)
            unmatched = replace(unmatched, taken=self._taken(read.counts))
            self._unmatched.append(nothing_matched(self._model, self._binding, unmatched, read.names[0]))

    def _occurred(self, read: Sequence[Counts]) -> Sequence[tuple[str, int]]:
        """The most frequent names of records."""
        occurred: Counter[str] = Counter()
        for counts in read:
            for name, count in counts.occurred.most_frequent(20):
                occurred[self._explainer.mask(name)] += count
        return occurred.most_common(20)

    def _taken(self, read: Sequence[Counts]) -> Mapping[str, str]:
        """What the names of the binding took of one record, if nothing in it is forbidden: a forbidden value that was
        taken apart would not be known again."""
        taken = next((counts.taken for counts in read if counts.taken is not None), None)
        if taken is None or self._explainer.mask(taken.text) != taken.text:
            return {}
        return {name: self._explainer.mask(text, name) for name, text in taken.names.items()}

    def _judge_all(self) -> None:
        """No false green: what was read must have been something."""
        unwalked = [each for each in self._absent() if each.severity is Severity.ERROR]
        self._problems += unwalked or self._not_walked
        if unwalked:
            return
        records = sum(counts.records for counts in self._counts)
        for name, counts in zip(self._names, self._counts, strict=True):
            if not counts.records and counts.malformed:
                self._problems.append(nothing_readable(name, counts.malformed, self._binding))
        matched = sum(summary.events for summary in self._summaries)
        asked = records - sum(counts.ignored for counts in self._counts)
        if self._sessions is not None:
            problems = self._sessions.problems()
            self._remarks += self._sessions.remarks()
            self._problems += problems
            if problems:
                return
            asked = self._judged
        if records and (not matched or matched * 100 < asked * self._options.min_matched):
            unmatched = Unmatched(
                records,
                matched,
                records - asked,
                self._occurred(self._counts),
                self._findings.names,
                renamed_names(self._counts, self._explainer.mask),
                self._taken(self._counts),
            )
            self._problems.append(nothing_matched(self._model, self._binding, unmatched))
        else:
            self._problems += self._unmatched
