"""Findings in the order of the HTML report: by what was broken, then by cause. Owns what a cause is, and the bounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lifespec.diagnostics import Severity
from lifespec.distinct_count import Distinct
from lifespec.explain import Explained
from lifespec.explain_route import allowed_line
from lifespec.reports.fingerprint import fingerprint
from lifespec.reports.report import PropertySummary, Report
from lifespec.source import Span

MOST_CAUSES = 200
MOST_EXAMPLES = 5  # of a cause
_LONGEST_SPEC = 12  # lines of a declaration
_ORDER = list(Severity)


@dataclass(frozen=True, slots=True)
class Example:
    """One finding: where it is, its record in three parts (the middle one is marked), and what there is to say."""

    number: int
    finding: Explained
    record: tuple[str, str, str] | None
    facts: tuple[tuple[str, str], ...]
    spec: tuple[tuple[int, str], ...]  # lines of the lifecycle with their numbers
    machine: str
    owner: str

    @property
    def log(self) -> str:
        return self.finding.place.log


@dataclass(slots=True)
class Cause:
    """Findings that differ only in their session, their instance and their time: those of one fingerprint."""

    message: str
    severity: Severity
    count: int
    examples: list[Example] = field(default_factory=list)


@dataclass(slots=True)
class Group:
    """Findings of one name about one property, in so many sessions."""

    name: str
    severity: Severity
    title: str
    count: int
    sessions: Distinct
    causes: list[Cause] = field(default_factory=list)


def groups_of(report: Report) -> tuple[list[Group], int]:
    """The groups, the worst and greatest first, and how many further causes are left out."""
    titles = {str(row.property): _title_of(row) for row in report.properties}
    groups: list[Group] = []
    left_out = 0
    number = 0
    room = MOST_CAUSES
    for found in report.groups:
        prop = str(found.property or "")
        group = Group(found.name, found.severity, titles.get(prop, prop), found.count, found.sessions)
        groups.append(group)
        examples: dict[str, list[Explained]] = {}
        for finding in found.examples:
            examples.setdefault(fingerprint(finding), []).append(finding)
        left_out += found.kinds_found.number - len(found.kinds[:room])
        for kind in found.kinds[:room]:
            cause = Cause(kind.first.message, kind.severity, kind.count)
            for finding in examples.get(kind.fingerprint, [kind.first])[:MOST_EXAMPLES]:
                cause.examples.append(_example(number, finding, report))
                number += 1
            group.causes.append(cause)
        room -= len(group.causes)
    for group in groups:
        group.causes.sort(key=lambda cause: -cause.count)
    groups.sort(key=lambda group: (_ORDER.index(group.severity), -group.count))
    return groups, left_out


def _title_of(row: PropertySummary) -> str:
    if row.property.kind == "bound":
        return f"{row.property.name}: {row.title}"
    kind = {"transitions": "transitions of", "field": "field", "event": "event", "forbid": "forbid"}
    return f"{kind.get(row.property.kind, row.property.kind)} {row.title}"


def _example(number: int, finding: Explained, report: Report) -> Example:
    return Example(
        number=number,
        finding=finding,
        record=record_of(finding),
        facts=facts_of(finding),
        spec=spec_of(finding.violation.span, report),
        machine=_machine_of(finding),
        owner=finding.violation.owner or "",
    )


def _machine_of(finding: Explained) -> str:
    prop = finding.violation.property
    if finding.violation.machine is None and prop is not None and prop.kind in ("transitions", "bound"):
        return prop.name
    return finding.violation.machine or ""


def record_of(finding: Explained) -> tuple[str, str, str] | None:
    """The record of a finding before, in and behind the mark."""
    if finding.line is None:
        return None
    start, end = finding.mark or (len(finding.line), len(finding.line))
    return finding.line[:start], finding.line[start:end], finding.line[end:]


def facts_of(finding: Explained) -> tuple[tuple[str, str], ...]:
    """What else there is to say, as pairs of a kind and a text."""
    facts = [fact for fact in finding.facts if fact[0] == "key"]
    facts += [("witness", witness) for witness in finding.witnesses]
    if finding.allowed:
        facts.append(("allowed", allowed_line(finding.allowed)))
    facts += [fact for fact in finding.facts if fact[0] != "key"]
    facts += [("help", text) for text in finding.help]
    if finding.rule:
        facts.append(("rule", finding.rule))
    return tuple(facts)


def spec_of(span: Span | None, report: Report) -> tuple[tuple[int, str], ...]:
    """The lines of the lifecycle that say what was broken: of a long declaration the first one."""
    source = report.sources.get(span.file) if span is not None else None
    if span is None or source is None:
        return ()
    first, _ = source.place(span.start)
    last, _ = source.place(max(span.start, span.end - 1))
    if last - first >= _LONGEST_SPEC:
        last = first
    return _dedented([(number, source.line(number)) for number in range(first, last + 1)])


def _dedented(lines: Sequence[tuple[int, str]]) -> tuple[tuple[int, str], ...]:
    indent = min((len(text) - len(text.lstrip()) for _, text in lines if text.strip()), default=0)
    return tuple((number, text[indent:]) for number, text in lines)


def names_of(values: Iterable[str]) -> list[str]:
    """Each once and in order, for a list to choose from."""
    return sorted({value for value in values if value})
