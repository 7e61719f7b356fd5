"""The report as one JSON document, as spec/schemas/report.schema.json describes it. Owns names and order of its keys.

Keys are only added within one schema version. What is not known is left out, rather than null. Findings are examples:
as many of each group as were asked for; groups count all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from lifespec.diagnostics import Diagnostic, Severity
from lifespec.diagnostics.render import severity_shown
from lifespec.distinct_count import Distinct
from lifespec.explain import Explained
from lifespec.reports.fingerprint import fingerprint
from lifespec.reports.json_filtered import filtered_value
from lifespec.reports.report import Group, PropertySummary, Report
from lifespec.reports.setting import DEFAULT, Setting
from lifespec.source import Source, Span
from lifespec.verdict import Place, Property, Witness

SCHEMA_VERSION = 2

# What a terminal obeys or does not show, and JSON would let pass: all of it stands in texts.
_UNSAFE = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def render(report: Report, setting: Setting = DEFAULT) -> str:
    """The report as indented JSON, ended by a line end."""
    return dump(report_value(report, setting))


def dump(value: Mapping[str, Any]) -> str:
    """JSON for people and programs alike: indented, any script as it is, what cannot be seen escaped."""
    return safe(json.dumps(value, ensure_ascii=False, indent=2)) + "\n"


def safe(text: str) -> str:
    """JSON in which half characters and those that cannot be seen are escaped."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def report_value(report: Report, setting: Setting) -> dict[str, Any]:
    """The report as plain dicts and lists."""
    shown, _ = report.examples(setting.examples)
    never = report.never_exercised
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "lifespec", "version": setting.tool_version},
        "status": setting.status,
        "partial": report.partial,
        "lifecycle": _without_none(name=report.lifecycle or None, version=report.version, profile=report.profile),
        "specs": list(report.specs),
        "binding": report.binding,
        "logs": [
            {
                "name": log.name,
                "records": log.records,
                "events": log.events,
                "sessions": log.sessions,
                "complete_sessions": log.complete_sessions,
                **({"across": {"sessions": log.across_count, "first": list(log.across)}} if log.across_count else {}),
            }
            for log in report.logs
        ],
        "counts": {severity.value: report.count(severity) for severity in Severity},
        "sessions_with_findings": _distinct(report.sessions_with_findings),
        "groups": [_group(group) for group in report.groups],
        "findings": [finding_value(finding) for finding in shown],
        "binding_findings": [diagnostic_value(each, report.sources) for each in report.binding_findings],
        "properties": [_property_summary(row) for row in report.properties],
        "never_exercised": {
            "states": {machine: list(names) for machine, names in never.states.items()},
            "transitions": {machine: list(names) for machine, names in never.transitions.items()},
            "owners": list(never.owners),
            "reasons": list(never.reasons),
            "rules": list(never.rules),
            "events": list(never.events),
        },
        "perhaps": [
            {
                "machine": each.machine,
                "transition": each.words,
                "source": each.source,
                "target": each.target,
                "count": each.count,
            }
            for each in report.perhaps
        ],
        "log_quality": {
            "passed_over": dict(report.quality.passed_over),
            "unknown": dict(report.quality.unknown),
            "allowed": [{"name": a.name, "count": a.count, "why": a.why} for a in report.quality.allowed],
            "malformed": report.quality.malformed,
            "blank_lines": report.quality.blank_lines,
            "skimmed": report.quality.skimmed,
        },
        **({"filtered": filtered_value(report.filtered)} if report.filtered.is_in_force else {}),
        "problems": [diagnostic_value(problem, report.sources) for problem in report.problems],
    }


def diagnostic_value(diagnostic: Diagnostic, sources: Mapping[str, Source]) -> dict[str, Any]:
    """A finding about a text as plain dicts and lists."""
    label = diagnostic.label
    return _without_none(
        name=diagnostic.name,
        severity=severity_shown(diagnostic).value,
        message=diagnostic.message,
        at=_span(label.span, sources) if label else None,
        label=label.text if label and label.text else None,
        also=[{**_span(each.span, sources), "label": each.text} for each in diagnostic.labels] or None,
        notes=list(diagnostic.notes) or None,
        help=list(diagnostic.help) or None,
        fix=_without_none(at=_span(diagnostic.fix.span, sources), text=diagnostic.fix.text) if diagnostic.fix else None,
    )


def _group(group: Group) -> dict[str, Any]:
    return _without_none(
        name=group.name,
        property=_property(group.property) if group.property else None,
        severity=group.severity.value,
        count=group.count,
        sessions=_distinct(group.sessions),
        kinds_found=_distinct(group.kinds_found),
        kinds=[
            {
                "fingerprint": kind.fingerprint,
                "severity": kind.severity.value,
                "count": kind.count,
                "message": kind.first.message,
                **_place(kind.first.place),
            }
            for kind in group.kinds
        ],
    )


def _distinct(count: Distinct) -> dict[str, Any]:
    return {"number": count.number, "exact": count.is_exact}


def finding_value(finding: Explained) -> dict[str, Any]:
    """A finding in a log as plain dicts and lists."""
    violation = finding.violation
    return _without_none(
        name=violation.name,
        fingerprint=fingerprint(finding),
        severity=finding.severity.value,
        message=finding.message,
        log=violation.place.log,
        line=violation.place.line,
        item=violation.place.item or None,
        session=violation.session or None,
        property=_property(violation.property) if violation.property else None,
        machine=violation.machine,
        key=list(violation.key) or None,
        event=violation.event,
        states=list(violation.states) or None,
        source=violation.source,
        target=violation.target,
        owner=violation.owner,
        field=violation.field,
        expected=list(violation.expected) or None,
        found=violation.found,
        text=violation.text,
        documentation=violation.doc,
        deadline_ns=violation.deadline_ns,
        elapsed_ns=violation.elapsed_ns,
        count=violation.count,
        witnesses=list(map(_witness, violation.witnesses)) or None,
        wrote=list(map(_witness, violation.wrote)) or None,
        allowed=list(finding.allowed) or None,
        help=list(finding.help) or None,
        rule=finding.rule or None,
    )


def _witness(witness: Witness) -> dict[str, Any]:
    return _without_none(
        **_place(witness.place),
        role=witness.role,
        event=witness.event,
        machine=witness.machine,
        state=witness.state,
        value=witness.value,
    )


def _property_summary(row: PropertySummary) -> dict[str, Any]:
    tally = row.tally
    return {
        "property": _property(row.property),
        "at": row.where,
        "outcome": tally.outcome.value,
        "sessions": {
            "satisfied": tally.satisfied,
            "violated": tally.violated,
            "inconclusive": tally.inconclusive,
            "not_applicable": tally.not_applicable,
        },
        "armed": tally.armed,
        "not_judged": tally.not_judged,
    }


def _property(prop: Property) -> dict[str, Any]:
    return _without_none(kind=prop.kind, name=prop.name, state=prop.state or None)


def _place(place: Place) -> dict[str, Any]:
    return {"log": place.log, "line": place.line, **({"item": place.item} if place.item else {})}


def _span(span: Span, sources: Mapping[str, Source]) -> dict[str, Any]:
    source = sources.get(span.file)
    if source is None:
        return {"file": span.file}
    line, column = source.place(span.start)
    end_line, end_column = source.place(span.end)
    return {"file": span.file, "line": line, "column": column, "end_line": end_line, "end_column": end_column}


def _without_none(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
