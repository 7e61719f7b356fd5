"""Spec, binding and logs -> Statistics. The driver: owns the order of things and the files; counts nothing itself.

Logs are judged one after the other, each by a monitor of its own: by its lane, unless the parts of sessions are told
apart or logs are joined. What keeps a log from being read is among the problems, and then nothing of it is to be
trusted.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, cast

from lifespec.check_input import Options, binding_to_check, logs_of
from lifespec.check_lane import Fast, LaneReader, find_fast, lane_of
from lifespec.check_problem import (
    Unmatched,
    binary_log,
    empty_log,
    not_one_binding,
    nothing_matched,
    nothing_readable,
    nothing_to_walk,
    unreadable_file,
)
from lifespec.diagnostics import Diagnostic, Severity
from lifespec.diagnostics.excerpt import visible
from lifespec.diagnostics.nearest import find_nearest
from lifespec.diagnostics.render import severity_shown
from lifespec.engine.observed import ObservedLane, ObservedMonitor
from lifespec.explain import Explainer, declared_names
from lifespec.explain_words import listed
from lifespec.load import is_file, load
from lifespec.log_file import Log, is_binary, kept, opened
from lifespec.model.model import Binding, Model
from lifespec.source import Source
from lifespec.stats.gather import MOST_SEGMENTS, Gatherer, Tally
from lifespec.stats.measure import Measure, end_events, measures_of, start_events
from lifespec.stats.segment import Dimension, Unknown, dimension_of
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.count import Counts, renamed_names
from lifespec.trace.library import is_library
from lifespec.trace.line import is_unpacked
from lifespec.trace.reader import Reader
from lifespec.trace.vocabulary import known_events
from lifespec.verdict import Property, Violation
from lifespec.verdict import Tally as Judged
from lifespec.watch import Blocks, Progress, Unwatched, Watcher

_NAMED = 12  # of the names that there are


class NotOne(ValueError):
    """A name that sessions cannot be sorted by; the text says why."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What logs say of a lifecycle.

    `digest` is the SHA-256 of its texts in the order of their names; `starts` and `ends` are the events out of
    `initial` and into a failure or a final state, by machine. `by` and `by_current` name the parts of a segment.
    `properties` are those that were judged; of the others nothing can be told, for nothing came up that they speak of
    (`never_judged`), or the client cannot log what they need (`not_applicable`). With `problems` the rest is not to
    be trusted.
    """

    lifecycle: str
    version: str | None
    profile: str | None
    specs: tuple[str, ...]
    digest: str
    binding: str
    log_names: tuple[str, ...]
    by: tuple[str, ...]
    by_current: tuple[str, ...]
    measures: tuple[Measure, ...] = ()
    properties: tuple[str, ...] = ()
    never_judged: tuple[str, ...] = ()
    not_applicable: tuple[str, ...] = ()
    starts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    ends: Mapping[str, frozenset[str]] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    records: int = 0
    problems: tuple[Diagnostic, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict, repr=False)


def read_statistics(
    spec: str | Path,
    logs: str | Path | Sequence[str | Path | Log],
    *,
    binding: str | None = None,
    profile: str | None = None,
    by: Sequence[str] = (),
    by_current: Sequence[str] = (),
    most_segments: int = MOST_SEGMENTS,
    options: Options | None = None,
    watcher: Watcher | None = None,
) -> Statistics:
    """The statistics of logs, read as `lifespec check` reads them.

    `by` are fields whose first value in a session says its segment; `by_current` fields, machines or states whose
    value in force says it for each part of a session. Raises ValueError when no log is given, or one twice, and NotOne
    for a name that nothing can be sorted by. A `watcher` sees how far the reading is.
    """
    opened_logs = logs_of(logs)
    options = options or Options()
    extra = [binding] if binding is not None and is_file(binding) else []
    loaded = load(spec, profile, extra)
    empty = Statistics(
        "", None, profile, (str(spec),), "", binding or "", tuple(log.name for log in opened_logs), tuple(by),
        tuple(by_current), sources=loaded.sources,
    )  # fmt: skip
    model = loaded.model
    if model is None:
        errors = tuple(each for each in loaded.diagnostics if severity_shown(each) is Severity.ERROR)
        return _with(empty, problems=errors)
    if extra:
        inside = [name for name, each in model.bindings.items() if each.span.file == binding]
        if len(inside) != 1:
            return _with(empty, problems=(not_one_binding(extra[0], inside),))
        binding = inside[0]
    chosen, problems = binding_to_check(model, binding, options)
    if chosen is None:
        return _with(empty, problems=problems)
    dimensions = [dimension_of(model, name) for name in by]
    currents = [dimension_of(model, name) for name in by_current]
    for dimension in dimensions:
        if dimension.machine is not None:
            raise NotOne(f"`{dimension.name}` changes in a session, so it has no first value: use `--by-current`")
    unknown = Unknown(each.name for each in (*dimensions, *currents) if each.machine is None and each.spec is None)
    possible = _possible(chosen[1])
    if possible is not None:
        _refuse(
            [name for name in unknown.missing if name not in possible], model, currents, possible, "the binding reads"
        )
    run = _Run(
        model, chosen, options, dimensions,
        currents, unknown, Tally(most_segments), watcher or Unwatched(),
    )  # fmt: skip
    run.read(opened_logs)
    if run.records and not run.problems:
        _refuse(unknown.missing, model, currents, unknown.seen, "an event of the logs has")
    return _with(
        empty,
        lifecycle=model.name,
        version=model.version,
        profile=model.profile,
        specs=tuple(name for name in model.sources if not is_library(name)),
        digest=digest_of(model),
        binding=chosen[1].name,
        measures=run.measures.all(),
        properties=tuple(str(prop) for prop, each in run.judged.items() if each.armed),
        never_judged=tuple(str(p) for p, each in run.judged.items() if not each.armed and not each.not_applicable),
        not_applicable=tuple(str(p) for p, each in run.judged.items() if not each.armed and each.not_applicable),
        starts={machine.name: start_events(machine) for machine in model.machines.values()},
        ends={machine.name: end_events(machine) for machine in model.machines.values()},
        tally=run.tally,
        records=run.records,
        problems=tuple(run.problems),
        sources=model.sources,
    )


def _possible(binding: CompiledBinding) -> frozenset[str] | None:
    """The fields that an event can have; None when that is for the log to say."""
    if binding.fields_from:
        return None
    written = (name for clause in binding.clauses for emission in clause.emissions for name, _, _ in emission.fields)
    return frozenset({*(part.name for part in binding.fields), *written})


def _refuse(
    missing: Iterable[str], model: Model, currents: Sequence[Dimension], others: Iterable[str], who: str
) -> None:
    """Raise NotOne for the first name that is of nothing."""
    for name in missing:
        known = {*model.fields, *others}
        if any(each.name == name for each in currents):
            for machine in model.machines.values():
                if not machine.keys:
                    known |= {machine.name, *machine.states, *machine.groups}
        near = find_nearest(name, known)
        there = [visible(each) for each in sorted(known)]
        help_ = f"; there {'is' if len(there) == 1 else 'are'} {listed(there, most=_NAMED)}" if there else ""
        help_ = f"; did you mean `{visible(near)}`?" if near is not None else help_
        raise NotOne(f"`{visible(name)}` is nothing that the lifecycle declares, nor a field that {who}{help_}")


def _with(statistics: Statistics, **changes: object) -> Statistics:
    return replace(statistics, **changes)  # type: ignore[arg-type]  # by name


def digest_of(model: Model) -> str:
    """The SHA-256 of the texts of a lifecycle, those of its bindings included and ready-made ones left out."""
    texts = sorted((name, source.text) for name, source in model.sources.items() if not is_library(name))
    hashed = sha256()
    for _, text in texts:
        hashed.update(text.encode("utf-8", "surrogatepass"))
        hashed.update(b"\0")
    return hashed.hexdigest()


class _Run:
    """One reading of several logs."""

    def __init__(
        self,
        model: Model,
        binding: tuple[Binding, CompiledBinding],
        options: Options,
        by: Sequence[Dimension],
        current: Sequence[Dimension],
        unknown: Unknown,
        tally: Tally,
        watcher: Watcher,
    ) -> None:
        self.measures = measures_of(model)
        self.tally = tally
        self.records = 0
        self.problems: list[Diagnostic] = []
        self.judged: dict[Property, Judged] = {}
        self._model = model
        self._declared_binding, self._binding = binding
        self._options = options
        self._by = by
        self._current = current
        self._unknown = unknown
        self._watcher = watcher
        self._explainer = Explainer(model, lambda place: None)
        self._declared = declared_names(model)
        self._events = known_events(model)
        self._counts: list[Counts] = []
        self._matched = 0
        self._bytes_read = 0

    def read(self, logs: Sequence[Log]) -> None:
        """Read all logs."""
        for group in [list(logs)] if self._options.join_files else [[log] for log in logs]:
            gatherer = Gatherer(
                self._model, self.measures, self._by, self._current, self.tally, self._mask, self._events, self._unknown
            )
            monitor = ObservedMonitor(self._model, self._binding.client, gatherer, self.measures.uses)
            reader: Reader | None = None
            fast = self._find_fast(monitor, group)
            lane = None if fast is None else lane_of(fast, monitor, self._binding, ObservedLane)
            for log in group:
                reader = self._read(log, monitor, gatherer, reader, fast, lane)
            verdict = gatherer.finish(monitor, complete=self._options.complete)
            self._matched += verdict.events
            for prop, each in verdict.tallies.items():
                self.judged[prop] = self.judged.get(prop, Judged()).plus(each)
        self._judge_all()

    def _mask(self, text: str) -> str:
        return text if text in self._declared else self._explainer.mask(text)

    def _find_fast(self, monitor: ObservedMonitor, group: Sequence[Log]) -> Fast | None:
        """How logs are read by the lane; None where that cannot be. Parts of sessions are told apart record by record,
        and a field that nothing declares has no place in a row of the lane."""
        if len(group) > 1 or self._current or any(each.spec is None for each in self._by):
            return None
        if self._options.strict_json or self._binding.lateness_ns is not None:
            return None
        fast = find_fast(self._model, self._declared_binding, self._binding, monitor)
        return None if isinstance(fast, str) else fast

    def _read(
        self,
        log: Log,
        monitor: ObservedMonitor,
        gatherer: Gatherer,
        joined: Reader | None,
        fast: Fast | None,
        lane: ObservedLane | None,
    ) -> Reader:
        reader = Reader(self._binding, log.name, joined)
        refused: str | None = None
        by_lane: LaneReader | None = None

        def find(found: Iterable[Violation]) -> None:
            nonlocal refused
            for each in found:
                if each.name == "wrong-container":
                    refused = each.text or "it is not in the container that the binding reads"
                gatherer.find((each,))

        def progress(bytes_read: int) -> Progress:
            self._bytes_read = bytes_before + bytes_read
            records = reader.counts.records if by_lane is None else by_lane.records
            return Progress(log.name, self._bytes_read, self.records + records, 0, 0)

        bytes_before = self._bytes_read
        try:
            with contextlib.ExitStack() as stack:
                stream = stack.enter_context(opened(log))
                if not stream.seekable():
                    stream = kept(log.name, stream).stream or stream
                if is_binary(stream):
                    self.problems.append(binary_log(log.name))
                    return reader
                blocks = cast(BinaryIO, Blocks(stream, self._watcher, progress))
                if fast is not None and lane is not None and is_unpacked(blocks):
                    by_lane = LaneReader(fast, lane, reader, log.name)
                    by_lane.judge_record = lambda record, position: gatherer.take(record, monitor, position)
                    by_lane.keep = find
                    for found in by_lane.read(blocks):
                        find(found)
                else:
                    begin = monitor.begin_log(log.name)
                    for item in reader.read(blocks):
                        if isinstance(item, Violation):
                            find((item,))
                        else:
                            gatherer.take(item, monitor, begin + item.place.line)
                    monitor.end_log(reader.counts.lines)
        except OSError as error:
            self.problems.append(unreadable_file(log.name, error))
        if by_lane is not None:
            by_lane.end()
        counts = reader.counts
        self._counts.append(counts)
        self.records += counts.records
        if refused is not None:
            self.problems.append(Diagnostic("wrong-container", f"{log.name}: {refused}"))
        elif not counts.records and counts.malformed:
            self.problems.append(nothing_readable(log.name, counts.malformed, self._binding))
        elif not counts.records and not self._options.allow_empty and not self.problems:
            self.problems.append(
                nothing_to_walk(log.name, self._binding.unfolds[counts.deepest].text)
                if counts.unfolded
                else empty_log(log.name, counts.blank)
            )
        return reader

    def _judge_all(self) -> None:
        """No false green: what was read must have been something."""
        asked = self.records - sum(counts.ignored for counts in self._counts)
        few = self._matched * 100 < asked * self._options.min_matched
        if self.records and (not self._matched or few):
            occurred: Counter[str] = Counter()
            for counts in self._counts:
                for name, count in counts.occurred.most_frequent(20):
                    occurred[self._explainer.mask(name)] += count
            renamed = renamed_names(self._counts, self._explainer.mask)
            unmatched = Unmatched(
                self.records, self._matched, self.records - asked, occurred.most_common(20), {}, renamed
            )
            self.problems.append(nothing_matched(self._model, self._binding, unmatched))
