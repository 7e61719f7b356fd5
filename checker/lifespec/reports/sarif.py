"""The report as SARIF 2.1.0, for code scanning. Owns its shape; one result for each kind of finding.

A finding stands on the line of the spec that was broken, which is in the repository; its record and its witnesses are
related locations and a code flow. Keeps to what GitHub takes: more than its limits make it refuse the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from lifespec.diagnostics import NAMES, Diagnostic, Severity
from lifespec.diagnostics.excerpt import visible
from lifespec.diagnostics.render import severity_shown
from lifespec.distinct_count import Distinct
from lifespec.explain import Explained
from lifespec.explain_words import times
from lifespec.pages import find_page
from lifespec.reports.filtered import left_out_words
from lifespec.reports.json import dump
from lifespec.reports.location import Region, at_place, in_log, in_spec, in_uri, primary, region_of, uri_of
from lifespec.reports.report import NOT_CHECKED, Group, Kind, Report
from lifespec.reports.setting import DEFAULT, Setting

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_MOST_RESULTS = 25_000
_MOST_LOCATIONS = 100  # of a result: GitHub takes 1000, and shows so many
_MOST_STEPS = 1000  # of a code flow: GitHub takes 10,000, and shows so many
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PROBLEM_SEVERITIES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}
_PLACEHOLDER = re.compile(r"\{(\d+)\}")
_LINK = re.compile(r"\[([^\]\n]*)\]\([^)\n]*\)")


def render(report: Report, setting: Setting = DEFAULT) -> str:
    """The report as one SARIF document with one run."""
    kinds = [(group, kind) for group in report.groups for kind in group.kinds][:_MOST_RESULTS]
    beyond = report.beyond([kind for _, kind in kinds])
    names = list(dict.fromkeys(group.name for group, _ in kinds))
    return dump(
        {
            "$schema": _SCHEMA,
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {
                        "driver": {
                            "name": "lifespec",
                            "semanticVersion": setting.tool_version,
                            "rules": [_rule(name) for name in names],
                        }
                    },
                    "automationDetails": {"id": f"lifespec/{in_uri(report.lifecycle) or 'unknown'}/"},
                    "invocations": [_invocation(report, setting, beyond)],
                    "columnKind": "unicodeCodePoints",
                    "results": [_result(group, kind, names, report, setting) for group, kind in kinds],
                    "properties": _properties(report, beyond),
                }
            ],
        }
    )


# --- rules -------------------------------------------------------------------------------------------


def _rule(name: str) -> dict[str, Any]:
    """A name of a finding with its page, from which the links are taken: they lead to files that are not there."""
    entry = NAMES[name]
    summary = f"{entry.summary[:1].upper()}{entry.summary[1:]}."
    page = _LINK.sub(r"\1", find_page(name) or summary)
    first = next((part for part in page.split("\n\n") if not part.startswith("#")), summary)
    return {
        "id": name,
        "shortDescription": {"text": summary},
        "fullDescription": {"text": " ".join(first.split())},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": _LEVELS[entry.severity]},
        "properties": {
            "tags": ["lifecycle", entry.stage.value],
            "problem.severity": _PROBLEM_SEVERITIES[entry.severity],
            "precision": "very-high",
        },
    }


# --- results -----------------------------------------------------------------------------------------


def _result(group: Group, kind: Kind, names: Sequence[str], report: Report, setting: Setting) -> dict[str, Any]:
    finding = kind.first
    spec, record = in_spec(finding, report, setting), in_log(finding, setting)
    first = primary(finding, report, setting)
    if uri_of(first, setting) is None:  # a result without a file is refused
        first = record
    others: list[tuple[Region, str]] = [(spec, finding.rule or "the lifecycle")]
    if first != record:
        others = [(record, "the first record on which it was found")]
    others += [
        (at_place(witness.place, setting), words)
        for witness, words in zip(finding.violation.witnesses, finding.witnesses, strict=False)
    ]
    steps = _steps(finding, report, setting)
    return {
        "ruleId": group.name,
        "ruleIndex": names.index(group.name),
        "kind": "fail",
        "level": _LEVELS[kind.severity],
        "message": {"text": _text(*_words(finding, kind, record))},
        "locations": [_location(first, setting)],
        "relatedLocations": [
            {"id": number, **_location(region, setting), "message": {"text": _text(words)}}
            for number, (region, words) in enumerate(others[:_MOST_LOCATIONS], 1)
        ],
        **({"codeFlows": [{"threadFlows": [{"locations": steps}]}]} if len(steps) > 1 else {}),
        "occurrenceCount": kind.count,
        "partialFingerprints": {"primaryLocationLineHash": f"{kind.fingerprint}:1", "lifespec/v1": kind.fingerprint},
    }


def _words(finding: Explained, kind: Kind, record: Region) -> Iterable[str]:
    """The message as a sentence on a line of its own, and what helps below it."""
    yield finding.message[:1].upper() + finding.message[1:] + ("" if finding.message.endswith(".") else ".")
    if finding.allowed:
        yield f"Allowed: {'; '.join(finding.allowed)}."
    for fact, text in finding.facts:
        yield f"{fact.capitalize()}: {text}."
    for text in finding.help:
        yield f"Help: {text}."
    if finding.rule:
        yield f"Rule: {finding.rule}."
    if kind.count > 1:
        yield f"Found {times(kind.count, 'time')}, first at {record.path}:{record.line}."


def _steps(finding: Explained, report: Report, setting: Setting) -> list[dict[str, Any]]:
    """The records that show it, one after the other."""
    ranks = {name: rank for rank, name in enumerate(report.log_names)}
    steps = [(finding.place, finding.message)]
    steps += [
        (witness.place, words) for witness, words in zip(finding.violation.witnesses, finding.witnesses, strict=False)
    ]
    steps.sort(key=lambda step: (ranks.get(step[0].log, len(ranks)), step[0].line, step[0].item))
    return [
        {
            "location": {**_location(at_place(place, setting), setting), "message": {"text": _text(words)}},
            "executionOrder": number,
            "importance": "essential" if place == finding.place else "important",
        }
        for number, (place, words) in enumerate(steps[:_MOST_STEPS], 1)
    ]


def _location(region: Region, setting: Setting) -> dict[str, Any]:
    """A place in a file; `%SRCROOT%` is the root of the repository. What is no file, `lib:NAME`, has only a name: code
    scanning refuses every URI that is neither relative nor `file:`."""
    uri = uri_of(region, setting)
    if uri is None:
        return {"logicalLocations": [{"fullyQualifiedName": f"{visible(region.path)}:{region.line}"}]}
    columns = {
        key: value
        for key, value in (
            ("startColumn", region.column),
            ("endLine", region.end_line),
            ("endColumn", region.end_column),
        )
        if value is not None
    }
    base = {"uriBaseId": "%SRCROOT%"} if region.is_inside else {}
    artifact = {"uri": uri, **base}
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": region.line, **columns}}}


def _text(*lines: str) -> str:
    """A plain message of several lines, in which nothing is a link `[](...)`, and no number in braces an argument."""
    shown = "\n".join(map(visible, lines))
    return _PLACEHOLDER.sub(r"{{\1}}", shown.replace("](", "] ("))


# --- the run -----------------------------------------------------------------------------------------


def _invocation(report: Report, setting: Setting, beyond: tuple[int, Distinct]) -> dict[str, Any]:
    """How the run ended, and what its results do not say. What filters left out is no result with a `suppression`:
    who takes these for alerts would show again what is known."""
    findings, kinds = beyond
    problems = (*report.problems, *report.binding_findings)
    notifications = [_notification(problem, report, setting) for problem in problems]
    if findings:
        about = "" if kinds.is_exact else "about "
        words = f"{times(findings, 'more finding')} of {about}{times(kinds.number, 'kind')} that have no result."
        notifications.append(_note("more-findings", words))
    return {
        "executionSuccessful": setting.status != NOT_CHECKED,
        "exitCode": setting.status,
        "toolExecutionNotifications": notifications,
        **({"toolConfigurationNotifications": _left_out(report)} if report.filtered.words else {}),
    }


def _left_out(report: Report) -> list[dict[str, Any]]:
    """What filters left out: all of it, then by property: one without a result is not taken for one that holds."""
    by_property: dict[str, Counter[str]] = {}
    for log in report.logs:
        for (prop, why), count in log.left_out.items():
            by_property.setdefault(prop, Counter())[why] += count
    words = [f"Left out of the results: {report.filtered.words}."]
    words += [
        f"Left out of {f'`{prop}`' if prop else 'reading'}: {left_out_words(counts)}."
        for prop, counts in by_property.items()
    ]
    return [_note("left-out", each) for each in words]


def _note(name: str, words: str) -> dict[str, Any]:
    return {"descriptor": {"id": name}, "level": "note", "message": {"text": _text(words)}}


def _notification(problem: Diagnostic, report: Report, setting: Setting) -> dict[str, Any]:
    """Why there is no verdict."""
    region = region_of(problem.label.span, report, setting) if problem.label else None
    return {
        "descriptor": {"id": problem.name},
        "level": _LEVELS[severity_shown(problem)],
        "message": {"text": _text(problem.message, *problem.notes, *problem.help)},
        **({"locations": [_location(region, setting)]} if region else {}),
    }


def _properties(report: Report, beyond: tuple[int, Distinct]) -> dict[str, Any]:
    return {
        "findings": sum(group.count for group in report.groups),
        "findingsNotShown": beyond[0],
        "kindsNotShown": beyond[1].number,
        "findingsLeftOut": report.filtered.left_out,
        "records": sum(log.records for log in report.logs),
        "sessions": sum(log.sessions for log in report.logs),
        "sessionsWithFindings": report.sessions_with_findings.number,
        "partial": report.partial,
    }
