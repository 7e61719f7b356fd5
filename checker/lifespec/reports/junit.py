"""The report as JUnit XML: one suite for each log, in it one case for each machine, bound and rule, also the kept ones.

Owns its shape. What XML cannot say is replaced by something that shows. A case of which all findings were left out did
not pass: it is skipped and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from lifespec.diagnostics.excerpt import visible
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import render_diagnostic, severity_shown
from lifespec.explain_words import times
from lifespec.reports.filtered import left_out_words
from lifespec.reports.location import path_of
from lifespec.reports.report import Group, LogSummary, PropertySummary, Report, is_at_least
from lifespec.reports.setting import DEFAULT, Setting
from lifespec.reports.text import render_finding
from lifespec.reports.text_filtered import filtered_part
from lifespec.verdict import Outcome

_READING = "reading"  # the case of findings that break no property
_SKIPPED = {Outcome.INCONCLUSIVE: "inconclusive", Outcome.NOT_APPLICABLE: "not applicable"}


def render(report: Report, setting: Setting = DEFAULT) -> str:
    """The report as an XML document. A case fails when a finding in it fails the run (`fail_on`)."""
    root = Element("testsuites", name="lifespec")
    for log in report.logs:
        root.append(_suite(log, report, setting))
    if report.filtered.words:
        root.append(_filters(report))
    if report.binding_findings:
        root.append(_odd(report, setting))
    if report.problems:
        root.append(_problems(report))
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    root.set("time", "0")
    indent(root)
    text: str = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(log: LogSummary, report: Report, setting: Setting) -> Element:
    suite = Element("testsuite", name=visible(log.name))
    for row, outcome in zip(report.properties, log.outcomes, strict=False):
        groups = [group for group in log.groups if group.property == row.property]
        suite.append(_case(row, outcome, groups, _left_out(log, str(row.property)), report, setting))
    case = SubElement(suite, "testcase", classname=visible(report.lifecycle), name=_READING, time="0")
    groups, left_out = [group for group in log.groups if group.property is None], _left_out(log, "")
    _found(case, groups, left_out, setting)
    if not groups and left_out:
        SubElement(case, "skipped", message=left_out)
    return _counted(suite)


def _left_out(log: LogSummary, prop: str) -> str:
    """What filters left out of the findings of a property in a log; "" for nothing."""
    words = left_out_words({why: count for (each, why), count in log.left_out.items() if each == prop})
    return f"left out: {words}" if words else ""


def _case(
    row: PropertySummary, outcome: Outcome, groups: Sequence[Group], left_out: str, report: Report, setting: Setting
) -> Element:
    file, _, line = row.where.rpartition(":")
    name, kind = visible(str(row.property)), visible(f"{report.lifecycle}.{row.property.kind}")
    case = Element("testcase", classname=kind, name=name, time="0")
    path = path_of(file, setting) if file else None
    if path is not None:
        case.set("file", path)
        case.set("line", line)
    _found(case, groups, left_out, setting)
    if not groups and (left_out or outcome in _SKIPPED):
        said = [_SKIPPED.get(outcome, outcome.value), left_out]
        SubElement(case, "skipped", message="; ".join(each for each in said if each))
    return case


def _found(case: Element, groups: Sequence[Group], left_out: str, setting: Setting) -> None:
    """What was found, as a failure; as output where it does not fail the run."""
    if not groups:
        return
    groups = sorted(groups, key=lambda group: not is_at_least(group.severity, setting.fail_on))
    worst = groups[0]
    count = sum(group.count for group in groups)
    parts = []
    for group in groups:
        parts += [_shown(render_finding(finding, Palette(), 100)) for finding in group.examples]
        if group.count > len(group.examples):
            parts.append(f"... and {group.count - len(group.examples):,} more {group.name}")
    text = "\n\n".join([*parts, *([left_out] if left_out else [])])
    if not is_at_least(worst.severity, setting.fail_on):
        SubElement(case, "system-out").text = text
        return
    said = worst.examples[0].message if worst.examples else times(worst.count, worst.name, worst.name)
    more = f" (and {count - 1:,} more)" if count > 1 and worst.examples else ""
    SubElement(case, "failure", type=worst.name, message=visible(f"{said}{more}")).text = text


def _filters(report: Report) -> Element:
    """What filters left out of all logs, as a case that was skipped."""
    suite = Element("testsuite", name="filters")
    case = SubElement(suite, "testcase", classname="lifespec", name="left out", time="0")
    SubElement(case, "skipped", message=report.filtered.words)
    SubElement(case, "system-out").text = _shown(filtered_part(report.filtered, Palette(), 100))
    return _counted(suite)


def _odd(report: Report, setting: Setting) -> Element:
    """What is odd in the binding: a failure where it fails the run."""
    suite = Element("testsuite", name="binding")
    for each in report.binding_findings:
        case = SubElement(suite, "testcase", classname="lifespec", name=each.name, time="0")
        text = _shown(render_diagnostic(each, report.sources, Palette(), 100))
        if is_at_least(severity_shown(each), setting.fail_on):
            SubElement(case, "failure", type=each.name, message=visible(each.message)).text = text
        else:
            SubElement(case, "system-out").text = text
    return _counted(suite)


def _problems(report: Report) -> Element:
    """Why there is no verdict."""
    suite = Element("testsuite", name="could not check")
    for problem in report.problems:
        case = SubElement(suite, "testcase", classname="lifespec", name=problem.name, time="0")
        said = SubElement(case, "error", type=problem.name, message=visible(problem.message))
        said.text = _shown(render_diagnostic(problem, report.sources, Palette(), 100))
    return _counted(suite)


def _counted(suite: Element) -> Element:
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("tests", str(len(suite.findall("testcase"))))
    suite.set("time", "0")
    return suite


def _shown(text: str) -> str:
    """Lines without a character that XML does not know."""
    return "\n".join(map(visible, text.split("\n")))
