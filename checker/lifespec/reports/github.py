"""The report as annotations of GitHub Actions: a workflow command for each kind of finding, on the line of the spec.

Where the spec is not in the repository and the log is, it stands on the line of the log. Owns their escaping. GitHub
shows ten errors and ten warnings of a step, so there are no more; below them all is counted, and what is left without
an annotation.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest

from lifespec.diagnostics import Diagnostic, Severity
from lifespec.diagnostics.excerpt import visible
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import severity_shown
from lifespec.explain_words import times
from lifespec.reports.location import Region, in_log, in_spec, primary, region_of
from lifespec.reports.report import Kind, Report
from lifespec.reports.setting import DEFAULT, Setting
from lifespec.reports.text import conclusion

_MOST = 10
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_Annotation = tuple[Severity, str, Region | None, list[str], Kind | None]


def render(report: Report, setting: Setting = DEFAULT) -> str:
    """Annotations, the worst first, and below them how much was found."""
    problems = (*report.problems, *report.binding_findings)
    annotations = [_problem(problem, report, setting) for problem in problems]
    # Of each group one kind, then of each another: where there are too many, no group goes without.
    rounds = zip_longest(*(group.kinds for group in report.groups))
    annotations += [
        (kind.severity, kind.first.name, primary(kind.first, report, setting), _words(kind, report, setting), kind)
        for kind in chain.from_iterable(rounds)
        if kind is not None
    ]
    shown: list[_Annotation] = []
    for severity in Severity:
        shown += [each for each in annotations if each[0] is severity][:_MOST]
    lines = [_command(*each[:-1]) for each in shown]
    lines.append(f"lifespec: {conclusion(report, Palette())}")
    left = _left([kind for *_, kind in shown], report)
    if left:
        lines.append(f"lifespec: not annotated, for GitHub shows {_MOST} of each severity: {left}")
    return "\n".join(lines) + "\n"


def _problem(problem: Diagnostic, report: Report, setting: Setting) -> _Annotation:
    """Why there is no verdict, or what is odd in the binding."""
    region = region_of(problem.label.span, report, setting) if problem.label else None
    outside = [f"at {region.path}:{region.line}"] if region is not None and not region.is_inside else []
    return severity_shown(problem), problem.name, region, [problem.message, *outside, *problem.help], None


def _left(shown: Sequence[Kind | None], report: Report) -> str:
    """How much has no annotation; "" for nothing."""
    findings, kinds = report.beyond([kind for kind in shown if kind is not None])
    about = "" if kinds.is_exact else "about "
    left = [f"{times(findings, 'finding')} of {about}{times(kinds.number, 'kind')}"] if findings else []
    others = len(report.problems) + len(report.binding_findings) - sum(kind is None for kind in shown)
    left += [times(others, "problem")] if others else []
    return ", ".join(left)


def _words(kind: Kind, report: Report, setting: Setting) -> list[str]:
    finding, first, spec = kind.first, in_log(kind.first, setting), in_spec(kind.first, report, setting)
    count = f" ({times(kind.count, 'time')})" if kind.count > 1 else ""
    lines = [f"{finding.message}{count}", f"first at {first.path}:{first.line}"]
    lines += [] if spec.is_inside or spec == first else [f"lifecycle: {spec.path}:{spec.line}"]
    lines += [f"{fact}: {text}" for fact, text in finding.facts if fact == "meaning"]
    lines += [f"allowed: {'; '.join(finding.allowed)}"] if finding.allowed else []
    return [*lines, *(f"help: {text}" for text in finding.help)]


def _command(severity: Severity, name: str, region: Region | None, lines: list[str]) -> str:
    """A workflow command. What is not a file of the repository is shown in the summary of the run only."""
    properties = {"title": name}
    if region is not None and region.is_inside:
        places = {
            "file": region.path,
            "line": region.line,
            "endLine": region.end_line,
            "col": region.column,
            "endColumn": region.end_column,
        }
        properties = {key: str(value) for key, value in places.items() if value is not None} | properties
    shown = "\n".join(map(visible, lines))
    said = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{_COMMANDS[severity]} {said}::{_data(shown)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
