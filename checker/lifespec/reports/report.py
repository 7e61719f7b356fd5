"""The answer of a check as one frozen value. Owns its shape and its exit status; has no engine and no layout.

Everything in it that came from a log has been masked, and everything is in an order that the input alone
decides. Renderers read only this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from lifespec.diagnostics import Diagnostic, Severity
from lifespec.explain import Explained
from lifespec.source import Source
from lifespec.verdict import Coverage, Property, Tally

OK, FOUND, NOT_CHECKED = 0, 1, 2

_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


@dataclass(frozen=True, slots=True)
class LogSummary:
    """What was in one log. `events` are those that a machine or a rule took."""

    name: str
    records: int
    events: int
    sessions: int
    complete_sessions: int


@dataclass(frozen=True, slots=True)
class PropertySummary:
    """One property over all logs. `title` names it for people among its kind, `where` is its place in the spec."""

    property: Property
    title: str
    where: str
    tally: Tally


@dataclass(frozen=True, slots=True)
class NeverExercised:
    """What the logs never did. `states` and `transitions` are by machine, `rules` those never armed;
    `events` are names that the lifecycle knows and no log has."""

    states: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    transitions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    owners: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    events: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any((self.states, self.transitions, self.owners, self.reasons, self.rules, self.events))


@dataclass(frozen=True, slots=True)
class Allowed:
    """A finding of the reader that the binding turns into a count, and why."""

    name: str
    count: int
    why: str


@dataclass(frozen=True, slots=True)
class Quality:
    """How good the logs are to read. `passed_over` and `unknown` count names, most frequent first. `skimmed`: records
    were read the fast way, so that no key that stands twice was looked for, and of lines that are passed over and of
    values that nobody reads it was only seen that they have the structure of JSON."""

    passed_over: tuple[tuple[str, int], ...] = ()
    unknown: tuple[tuple[str, int], ...] = ()
    allowed: tuple[Allowed, ...] = ()
    malformed: int = 0
    blank_lines: int = 0
    skimmed: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """All that is known after a check. `findings` are in the order of detection, all of them; `problems`
    say why there is no verdict, or why it is not to be trusted. A `partial` one is of what was read until somebody
    ended the check. `remarks` are about the run alone: no format of the report has them."""

    lifecycle: str
    version: str | None
    profile: str | None
    specs: tuple[str, ...]
    binding: str
    log_names: tuple[str, ...] = ()  # in the order in which they were given
    logs: tuple[LogSummary, ...] = ()  # one for each, or one for all when they were joined
    findings: tuple[Explained, ...] = ()
    properties: tuple[PropertySummary, ...] = ()
    never_exercised: NeverExercised = NeverExercised()
    # Of states and transitions only: what else is counted has words of the log in it.
    coverage: Coverage = field(default_factory=Coverage)
    quality: Quality = Quality()
    problems: tuple[Diagnostic, ...] = ()
    partial: bool = False
    remarks: tuple[str, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict, repr=False)

    def count(self, severity: Severity) -> int:
        return sum(1 for finding in self.findings if finding.severity is severity)

    def status(self, fail_on: Severity | None = Severity.ERROR) -> int:
        """The exit status: 0 nothing at or above `fail_on` (None: never), 1 something, 2 not checked."""
        if self.problems or any(finding.name == "wrong-container" for finding in self.findings):
            return NOT_CHECKED
        if fail_on is None:
            return OK
        worst = _RANK[fail_on]
        return FOUND if any(_RANK[finding.severity] <= worst for finding in self.findings) else OK

    @property
    def in_order(self) -> tuple[Explained, ...]:
        """The findings by log (as given), line, name."""
        ranks = {name: rank for rank, name in enumerate(self.log_names)}
        return tuple(
            sorted(
                self.findings,
                key=lambda f: (ranks.get(f.place.log, len(ranks)), f.place.line, f.place.offset, f.place.item),
            )
        )

    @property
    def sessions_with_findings(self) -> int:
        """In how many sessions something was found. Equal ids in logs that were not joined are different sessions."""
        joined = len(self.logs) == 1
        return len({("" if joined else f.place.log, f.violation.session) for f in self.findings if f.violation.session})

    def examples(self, most: int | None) -> tuple[tuple[Explained, ...], Mapping[tuple[str, str], int]]:
        """The first findings of each property and name, in order, and how many more there are of each."""
        shown: list[Explained] = []
        seen: Counter[tuple[str, str]] = Counter()
        for finding in self.in_order:
            group = group_of(finding)
            seen[group] += 1
            if most is None or seen[group] <= most:
                shown.append(finding)
        more = {} if most is None else {group: count - most for group, count in seen.items() if count > most}
        return tuple(shown), more


def group_of(finding: Explained) -> tuple[str, str]:
    """What findings are counted by: the name and the property."""
    prop = finding.violation.property
    return finding.name, str(prop) if prop else ""
