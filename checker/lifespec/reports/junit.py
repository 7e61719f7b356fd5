"""The report as JUnit XML: one suite for each log, in it one case for each machine, bound and rule, also the kept ones.

Owns its shape. What XML cannot say is replaced by something that shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from lifespec.diagnostics.excerpt import visible
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import render_diagnostic
from lifespec.explain_words import times
from lifespec.reports.location import path_of
from lifespec.reports.report import Group, LogSummary, PropertySummary, Report, is_at_least
from lifespec.reports.setting import DEFAULT, Setting
from lifespec.reports.text import render_finding
from lifespec.verdict import Outcome

_READING = "reading"  # the case of findings that break no property
_SKIPPED = {Outcome.INCONCLUSIVE: "inconclusive", Outcome.NOT_APPLICABLE: "not applicable"}


def render(report: Report, setting: Setting = DEFAULT) -> str:
    """The report as an XML document. A case fails when a finding in it fails the run (`fail_on`)."""
    root = Element("testsuites", name="lifespec")
    for log in report.logs:
        root.append(_suite(log, report, setting))
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
        suite.append(_case(row, outcome, groups, report, setting))
    case = SubElement(suite, "testcase", classname=visible(report.lifecycle), name=_READING, time="0")
    _found(case, [group for group in log.groups if group.property is None], setting)
    return _counted(suite)


def _case(row: PropertySummary, outcome: Outcome, groups: Sequence[Group], report: Report, setting: Setting) -> Element:
    file, _, line = row.where.rpartition(":")
    name, kind = visible(str(row.property)), visible(f"{report.lifecycle}.{row.property.kind}")
    case = Element("testcase", classname=kind, name=name, time="0")
    if file:
        case.set("file", path_of(file, setting))
        case.set("line", line)
    _found(case, groups, setting)
    if not groups and outcome in _SKIPPED:
        SubElement(case, "skipped", message=_SKIPPED[outcome])
    return case


def _found(case: Element, groups: Sequence[Group], setting: Setting) -> None:
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
    text = "\n\n".join(parts)
    if not is_at_least(worst.severity, setting.fail_on):
        SubElement(case, "system-out").text = text
        return
    said = worst.examples[0].message if worst.examples else times(worst.count, worst.name, worst.name)
    more = f" (and {count - 1:,} more)" if count > 1 and worst.examples else ""
    SubElement(case, "failure", type=worst.name, message=visible(f"{said}{more}")).text = text


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
