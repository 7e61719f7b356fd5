"""The report as Markdown: a comment on a change, the summary of a step. Owns its shape and its escaping.

A log may hold what Markdown or HTML would take for its own. Nothing of it is: names are code, and every sign in it is
written as a number. What does not fit is counted.
"""

from __future__ import annotations

import re

from lifespec.diagnostics import Diagnostic, Severity
from lifespec.diagnostics.excerpt import visible
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import render_diagnostic
from lifespec.explain_words import code_parts, shortened, shortened_sentence, times
from lifespec.reports.report import Group, Report
from lifespec.reports.setting import DEFAULT, Setting
from lifespec.reports.text import conclusion, render_finding

MOST = 60_000
"""Characters: GitHub takes 65,536 in a comment."""

_ROWS = 50
_MESSAGE = 400  # characters of a message in the table, and of a name
_SIGN = re.compile(r"[][\\`*_{}<>|~&$@#\u200b]")  # of Markdown, or of HTML
_LINK = re.compile(r"(?<=[:@#])(?=\S)|(?<=www\.)(?=\S)", re.IGNORECASE)  # a link, a mention, a number of an issue
_NO_LINK = "\u200b"
_ICONS = {Severity.ERROR: "🔴", Severity.WARNING: "🟡", Severity.INFO: "🔵"}


def render(report: Report, setting: Setting = DEFAULT, most: int = MOST) -> str:
    """The report in at most `most` bytes, if that is more than a few hundred."""
    lifecycle = f" {code(report.lifecycle)}" if report.lifecycle else ""
    head = [f"### lifespec{lifecycle}: {words(conclusion(report, Palette()))}"]
    head += [_problem(report, each) for each in (*report.problems, *report.binding_findings)][:_ROWS]
    table = _table(report.groups)
    logs = _logs(report)
    parts = [*head, *([table] if table else []), *([logs] if logs else [])]
    room = most - _size(parts) - 200
    details, left = [], 0
    for finding in report.examples(setting.examples)[0]:
        title = f"{_ICONS[finding.severity]} {code(f'{finding.place.log}:{finding.place.line}')} {code(finding.name)}"
        body = fenced(render_finding(finding, Palette(), 100))
        part = f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"
        if left or _size([part]) > room:
            left += 1
            continue
        room -= _size([part])
        details.append(part)
    parts = [*head, *([table] if table else []), *details]
    parts += [f"... and {times(left, 'example')} that did not fit"] if left else []
    return _within("\n\n".join([*parts, *([logs] if logs else [])]) + "\n", most)


def _size(parts: list[str]) -> int:
    return sum(len(part.encode("utf-8")) + 2 for part in parts)


def _within(text: str, most: int) -> str:
    """Cut between two parts, where even what is bounded was too much."""
    data = text.encode("utf-8")
    if len(data) <= most:
        return text
    kept = data[: max(most - 100, 0)].decode("utf-8", "ignore").rpartition("\n\n")[0]
    return f"{kept}\n\n... cut: it did not fit\n" if kept else "lifespec: the report did not fit\n"


def _table(groups: tuple[Group, ...]) -> str:
    """One row for each group, the worst first."""
    if not groups:
        return ""
    rows = ["| finding | of | findings | sessions | first |", "|---|---|---:|---:|---|"]
    order = list(Severity)
    for group in sorted(groups, key=lambda group: order.index(group.severity))[:_ROWS]:
        first = group.kinds[0].first if group.kinds else None
        about = "" if group.sessions.is_exact else "about "
        cells = [
            f"{_ICONS[group.severity]} {code(group.name)}",
            code(str(group.property)) if group.property else "",
            f"{group.count:,}",
            f"{about}{group.sessions.number:,}",
            f"{code(f'{first.place.log}:{first.place.line}')} {words(first.message, _MESSAGE)}" if first else "",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    more = f"\n\n... and {times(len(groups) - _ROWS, 'group')} more" if len(groups) > _ROWS else ""
    return "\n".join(rows) + more


def _logs(report: Report) -> str:
    if not report.logs:
        return ""
    rows = ["| log | records | events | sessions |", "|---|---:|---:|---:|"]
    rows += [
        f"| {code(log.name)} | {log.records:,} | {log.events:,} | {log.sessions:,} |" for log in report.logs[:_ROWS]
    ]
    more = f"\n\n... and {times(len(report.logs) - _ROWS, 'log')} more" if len(report.logs) > _ROWS else ""
    return "\n".join(rows) + more


def _problem(report: Report, problem: Diagnostic) -> str:
    return fenced(render_diagnostic(problem, report.sources, Palette(), 100))


def code(text: str) -> str:
    """A name or a path as code, in a table too. One line."""
    return f"<code>{_SIGN.sub(_number, visible(shortened(text, _MESSAGE)))}</code>" if text else ""


def words(text: str, longest: int | None = None) -> str:
    """A sentence in which what stands in backticks is code, cut where it is longer than that. One line."""
    shown = visible(text)
    if longest is not None:
        shown = shortened_sentence(shown, longest)
    return "".join(code(part) if index % 2 else _prose(part) for index, part in enumerate(code_parts(shown)))


def _prose(text: str) -> str:
    """Text of which nothing becomes a link, a mention or a number of an issue."""
    return _SIGN.sub(_number, _LINK.sub(_NO_LINK, text))


def fenced(text: str) -> str:
    """Lines as they are, in a fence that none of them can close."""
    shown = "\n".join(map(visible, text.split("\n")))
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown}\n{fence}"


def _number(found: re.Match[str]) -> str:
    return f"&#{ord(found.group())};"
