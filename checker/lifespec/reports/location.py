"""Where findings stand, for services that show files of a repository. Owns paths and regions; no format.

Such a service wants paths from the root of the repository, with `/`, and lines and columns from 1.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import quote

from lifespec.explain import Explained
from lifespec.reports.report import Report
from lifespec.reports.setting import Setting
from lifespec.shipped import PREFIX
from lifespec.source import Span


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a file. Columns count characters; they are None where only the line is known."""

    path: str
    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


def path_of(name: str, setting: Setting) -> str:
    """A file from the root of the repository. What is not below it loses what leads out of it: there is no better."""
    if name.startswith(PREFIX):
        return name.replace(":", "/", 1)
    path = os.path.normpath(os.path.join(setting.folder, name))
    if setting.root and os.path.isabs(path):
        path = os.path.relpath(path, setting.root)
    parts = os.path.splitdrive(path)[1].replace(os.sep, "/").split("/")
    return "/".join(part for part in parts if part not in ("", ".."))


def uri_of(path: str) -> str:
    """The path as a relative URI."""
    return quote(path, safe="/-._~", errors="replace")


def in_spec(finding: Explained, report: Report, setting: Setting) -> Region:
    """What was broken: its place in the spec; the beginning of the spec for what is written nowhere."""
    region = region_of(finding.violation.span, report, setting)
    if region is not None:
        return region
    return Region(path_of(report.specs[0], setting), 1) if report.specs else in_log(finding, setting)


def in_log(finding: Explained, setting: Setting) -> Region:
    """The record on which the finding stands."""
    return Region(path_of(finding.place.log, setting), max(finding.place.line, 1))


def primary(finding: Explained, report: Report, setting: Setting) -> Region:
    """The place that the setting asks for."""
    return in_log(finding, setting) if setting.primary == "log" else in_spec(finding, report, setting)


def region_of(span: Span | None, report: Report, setting: Setting) -> Region | None:
    """A part of a text that was checked against, cut behind its first line; None where it is not known."""
    source = report.sources.get(span.file) if span is not None else None
    if span is None or source is None:
        return None
    line, column = source.place(span.start)
    end_line, end_column = source.place(span.end)
    if end_line != line:
        end_column = len(source.line(line)) + 1
    return Region(path_of(span.file, setting), line, column, line, max(end_column, column))
