"""Report + logs -> the timelines of its example sessions, by reading the logs once more. Owns the choice of sessions
and the second pass; judges nothing, and says of each session without a timeline why there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from lifespec.check_input import Options, binding_to_check
from lifespec.explain import Explained, Explainer
from lifespec.explain_line import REDACTED
from lifespec.log_file import Log, opened
from lifespec.log_lines import Lines
from lifespec.model.model import Model
from lifespec.reports.html_finding import groups_of
from lifespec.reports.report import Report
from lifespec.timeline.gather import Gatherer
from lifespec.timeline.kept import Limits
from lifespec.timeline.timeline import NoTimeline, Timeline
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.event import Record
from lifespec.trace.reader import Reader

MOST_SESSIONS = 500

SessionName = tuple[str, str]  # log ("" when all were joined) and id


@dataclass(frozen=True, slots=True)
class Timelines:
    """What came of the second pass."""

    timelines: tuple[Timeline, ...] = ()
    missing: tuple[NoTimeline, ...] = ()


def example_sessions(report: Report, *, joined: bool = False, most: int = MOST_SESSIONS) -> tuple[SessionName, ...]:
    """The sessions of the findings that the page shows: first one of each cause, then another of each, and so on."""
    causes = [cause for group in groups_of(report)[0] for cause in group.causes]
    rounds = zip_longest(*([example.finding for example in cause.examples] for cause in causes))
    chosen = dict.fromkeys(
        _session_of(finding, joined)
        for findings in rounds
        for finding in findings
        if finding is not None and finding.violation.session
    )
    return tuple(chosen)[:most]


def read_timelines(
    model: Model,
    report: Report,
    logs: Sequence[Log],
    sessions: Iterable[SessionName],
    *,
    binding: str | None = None,
    options: Options | None = None,
    limits: Limits | None = None,
) -> Timelines:
    """Read the logs once more and follow `sessions` in them.

    `binding` and `options` must be those of the check. A log that cannot be read once more, or in which not all is
    found again that the report says, has changed or was a pipe: its sessions are `missing`, with the reason.
    """
    options = options or Options()
    chosen, _ = binding_to_check(model, binding, options)
    wanted = list(sessions)
    if chosen is None or not wanted:
        return Timelines()
    follow = _Follow(model, report, chosen[1], options, limits or Limits())
    found: list[Timeline] = []
    missing: list[NoTimeline] = []
    for group in [list(logs)] if options.join_files else [[log] for log in logs]:
        name = "" if options.join_files else group[0].name
        ids = [session for log, session in wanted if log == name]
        hidden = [session for session in ids if REDACTED in session]
        missing += (NoTimeline(name, each, "its id holds a forbidden value") for each in hidden)
        shown = [session for session in ids if REDACTED not in session]
        if shown:
            result = follow.read(group, name, shown)
            found += result.timelines
            missing += result.missing
    return Timelines(tuple(found), tuple(missing))


def first_session(
    model: Model, logs: Sequence[Log], *, binding: str | None = None, options: Options | None = None
) -> str | None:
    """The session of the first record that has one. Raises OSError when a log cannot be read again."""
    options = options or Options()
    chosen, _ = binding_to_check(model, binding, options)
    for log in logs if chosen is not None else ():
        assert chosen is not None
        if not _can_be_read_again(log):
            continue
        with opened(log) as stream:
            stream.seek(0)
            for item in Reader(chosen[1], log.name).read(stream):
                if isinstance(item, Record) and item.session is not None:
                    return item.session
    return None


class _Follow:
    """The second pass."""

    def __init__(
        self, model: Model, report: Report, binding: CompiledBinding, options: Options, limits: Limits
    ) -> None:
        self._model = model
        self._binding = binding
        self._options = options
        self._limits = limits
        self._findings: dict[SessionName, list[Explained]] = {}
        for finding in report.findings:
            self._findings.setdefault(_session_of(finding, options.join_files), []).append(finding)

    def read(self, logs: Sequence[Log], name: str, sessions: Sequence[str]) -> Timelines:
        """Follow sessions of logs that belong together."""
        explainer = Explainer(self._model, lambda place: None)
        wanted = {session: _lines(self._findings.get((name, session), ())) for session in sessions}
        gatherer = Gatherer(self._model, self._binding.client, explainer, wanted, self._limits)
        reader: Reader | None = None
        once = [log.name for log in logs if not _can_be_read_again(log)]
        if once:
            return _without(name, sessions, f"{once[0]} can be read only once")
        try:
            for log in logs:
                reader = Reader(self._binding, log.name, reader)
                with opened(log) as stream:
                    stream.seek(0)
                    for item in reader.read(stream):
                        gatherer.take(item)
        except OSError:
            return _without(name, sessions, "the log could not be read again")
        with Lines(logs) as lines:
            timelines = gatherer.end(lines.find, complete=self._options.complete)
        by_name = {each.session: each for each in timelines}
        whys = {each: self._why_not(name, each, by_name.get(each)) for each in sessions}
        return Timelines(
            tuple(by_name[each] for each, why in whys.items() if not why),
            tuple(NoTimeline(name, each, why) for each, why in whys.items() if why),
        )

    def _why_not(self, name: str, session: str, timeline: Timeline | None) -> str:
        """Why a timeline is not to be shown; "" when all findings of the report were found again, as far as they are
        shown."""
        said = {_key_of(each) for each in self._findings.get((name, session), ())}
        if timeline is None and not said:
            return "the log has no such session"
        again = {_key_of(flag.finding) for flag in timeline.flags} if timeline is not None else set()
        if said <= again or (timeline is not None and len(timeline.flags) >= self._limits.flags):
            return ""
        return "what the report says was not found again: the log has changed meanwhile"


def _can_be_read_again(log: Log) -> bool:
    """Whether opening it once more neither waits nor gives something else, as with a pipe. One that is gone is seen
    when it is opened."""
    return log.stream is not None or Path(log.name).is_file() or not Path(log.name).exists()


def _session_of(finding: Explained, joined: bool) -> SessionName:
    return ("" if joined else finding.place.log), finding.violation.session


def _key_of(finding: Explained) -> tuple[object, ...]:
    place, violation = finding.place, finding.violation
    return place.log, place.line, place.item, violation.name, violation.property, violation.key, violation.field


def _lines(findings: Iterable[Explained]) -> Mapping[str, Sequence[int]]:
    """The lines that findings and their witnesses stand on, by log."""
    lines: dict[str, set[int]] = {}
    for finding in findings:
        for place in (finding.place, *(witness.place for witness in finding.violation.witnesses)):
            lines.setdefault(place.log, set()).add(place.line)
    return {log: sorted(numbers) for log, numbers in lines.items()}


def _without(name: str, sessions: Iterable[str], why: str) -> Timelines:
    return Timelines(missing=tuple(NoTimeline(name, each, why) for each in sessions))
