"""The answer of a check as one frozen value. Owns its shape and its exit status; has no engine and no layout.

Everything in it that came from a log has been masked, and everything is in an order that the input alone
decides. Renderers read only this. It counts all findings and keeps a few of them: its size does not depend on how
many there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lifespec.diagnostics import Diagnostic, Severity
from lifespec.diagnostics.render import severity_shown
from lifespec.distinct_count import NONE, Distinct
from lifespec.explain import Explained
from lifespec.reports.filtered import Filtered, LeftOut
from lifespec.source import Source
from lifespec.verdict import Coverage, Outcome, Property, Tally, Violation

OK, FOUND, NOT_CHECKED = 0, 1, 2

_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


@dataclass(frozen=True, slots=True)
class Kind:
    """Findings that say the same: those of one fingerprint. `severity` is the worst of them, `first` the first by
    place (without its line)."""

    fingerprint: str
    severity: Severity
    count: int
    first: Explained


@dataclass(frozen=True, slots=True)
class Group:
    """Findings of one name and property, in all logs or in one: the worst severity, how many, how many of each
    severity, and in how many sessions. `examples` are the first ones by place. `kinds` tells them apart by fingerprint,
    in the order of their first finding: all of them, or where there are too many a part that does not depend on the
    logs; `kinds_found` says how many there are."""

    name: str
    property: Property | None
    count: int
    severity: Severity
    severities: Mapping[Severity, int]
    sessions: Distinct = NONE
    examples: tuple[Explained, ...] = ()
    kinds: tuple[Kind, ...] = ()
    kinds_found: Distinct = NONE

    def beyond(self, kinds: Sequence[Kind]) -> tuple[int, Distinct]:
        """How many findings are of none of these kinds, and of how many other kinds they are."""
        findings = self.count - sum(kind.count for kind in kinds)
        number = max(self.kinds_found.number - len(kinds), 1 if findings else 0)
        return findings, Distinct(number, self.kinds_found.is_exact)


@dataclass(frozen=True, slots=True)
class LogSummary:
    """What was in one log. `events` are those that a machine or a rule took. Of logs that were joined, `across` are the
    first of the sessions that stand in more than one of them, and `across_count` is how many these are. `outcomes` are
    those of the report's properties, in their order. `groups` are the findings in it, without kinds, with one example
    at most; `left_out` counts those that filters left out."""

    name: str
    records: int
    events: int
    sessions: int
    complete_sessions: int
    across: tuple[str, ...] = ()
    across_count: int = 0
    outcomes: tuple[Outcome, ...] = ()
    groups: tuple[Group, ...] = ()
    left_out: Mapping[LeftOut, int] = field(default_factory=dict)


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
class Perhaps:
    """A transition (in `words`) that was perhaps taken out of `source` into `target`, of several moves that were
    possible, so many times (S49, S50)."""

    machine: str
    words: str
    source: str
    target: str
    count: int


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
    """All that is known after a check. `groups` count all findings, in the order in which they come first by place;
    `binding_findings` are warnings about the binding; `problems` say why there is no verdict, or why it is not to be
    trusted. A `partial` one is of what was read until somebody ended the check. `filtered` says what was found and left
    out of `groups`; `recorded` is what a new baseline would hold (`lifespec.filter.baseline`). `remarks` are about the
    run alone: no format of the report has them."""

    lifecycle: str
    version: str | None
    profile: str | None
    specs: tuple[str, ...]
    binding: str
    log_names: tuple[str, ...] = ()  # in the order in which they were given
    logs: tuple[LogSummary, ...] = ()  # one for each, or one for all when they were joined
    groups: tuple[Group, ...] = ()
    sessions_with_findings: Distinct = NONE  # equal ids in logs that were not joined are different sessions
    properties: tuple[PropertySummary, ...] = ()
    never_exercised: NeverExercised = NeverExercised()
    perhaps: tuple[Perhaps, ...] = ()
    # Of states and transitions only: what else is counted has words of the log in it.
    coverage: Coverage = field(default_factory=Coverage)
    quality: Quality = Quality()
    binding_findings: tuple[Diagnostic, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    partial: bool = False
    remarks: tuple[str, ...] = ()
    filtered: Filtered = field(default_factory=Filtered)
    recorded: Mapping[str, tuple[Violation, int]] = field(default_factory=dict, repr=False)
    sources: Mapping[str, Source] = field(default_factory=dict, repr=False)

    def count(self, severity: Severity) -> int:
        """How many findings there are of a severity."""
        return sum(group.severities.get(severity, 0) for group in self.groups)

    def status(self, fail_on: Severity | None = Severity.ERROR) -> int:
        """The exit status: 0 nothing at or above `fail_on` (None: never), 1 something, 2 not checked."""
        if self.problems or any(group.name == "wrong-container" for group in self.groups):
            return NOT_CHECKED
        severities = [*(group.severity for group in self.groups), *map(severity_shown, self.binding_findings)]
        return FOUND if any(is_at_least(severity, fail_on) for severity in severities) else OK

    def beyond(self, kinds: Sequence[Kind]) -> tuple[int, Distinct]:
        """How many findings are of none of these kinds, and of how many other kinds they are."""
        findings = sum(group.count for group in self.groups) - sum(kind.count for kind in kinds)
        found = sum(group.kinds_found.number for group in self.groups)
        is_exact = all(group.kinds_found.is_exact for group in self.groups)
        return findings, Distinct(max(found - len(kinds), 1 if findings else 0), is_exact)

    @property
    def findings(self) -> tuple[Explained, ...]:
        """The findings that were kept: all, or the first of each group where the check was told to keep so many. By log
        (as given) and line; those of one place in the order of detection."""
        return self.examples(None)[0]

    def examples(self, most: int | None) -> tuple[tuple[Explained, ...], Mapping[tuple[str, str], int]]:
        """The first findings of each group, in order, and how many more there are of each."""
        shown = [finding for group in self.groups for finding in group.examples[:most]]
        more = {group_of(group): group.count - len(group.examples[:most]) for group in self.groups}
        ranks = {name: rank for rank, name in enumerate(self.log_names)}

        def order(finding: Explained) -> tuple[int, ...]:
            place = finding.place
            return ranks.get(place.log, len(ranks)), place.line, place.offset, place.item, finding.number

        return tuple(sorted(shown, key=order)), {group: count for group, count in more.items() if count}


def is_at_least(severity: Severity, fail_on: Severity | None) -> bool:
    """Whether it is as bad as what a run fails on; nothing is where it never fails (None)."""
    return fail_on is not None and _RANK[severity] <= _RANK[fail_on]


def group_of(finding: Explained | Group) -> tuple[str, str]:
    """What findings are counted by: the name and the property."""
    prop = finding.property if isinstance(finding, Group) else finding.violation.property
    return finding.name, str(prop) if prop else ""
