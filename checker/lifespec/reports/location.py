"""Where findings stand, for services that show files of a repository. Owns paths and regions; no format.

Such a service wants paths from the root of the repository, with `/`, and lines and columns from 1. What is not below
that root is never written as if it were: another file could have that path.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import quote

from lifespec.explain import Explained
from lifespec.reports.report import Report
from lifespec.reports.setting import Setting
from lifespec.shipped import PREFIX
from lifespec.source import STANDARD_INPUT, Span
from lifespec.verdict import Place

_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a file. Columns count characters; they are None where only the line is known.

    `path` is from the root of the repository, or the name as it was given of what is not in the repository.
    """

    path: str
    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    is_inside: bool = True


def path_of(name: str, setting: Setting) -> str | None:
    """A file from the root of the repository; None for what is not below it, or is no file."""
    if name.startswith(PREFIX) or name == STANDARD_INPUT:
        return None
    path = os.path.normpath(os.path.join(setting.folder, name))
    if setting.root and os.path.isabs(path):
        if os.path.splitdrive(path)[0] != os.path.splitdrive(setting.root)[0]:
            return None
        path = os.path.relpath(path, setting.root)
    path = path.replace(os.sep, "/")
    return None if os.path.isabs(path) or path == ".." or path.startswith("../") else path


def uri_of(region: Region, setting: Setting) -> str | None:
    """The path as a relative URI; of a file outside the repository the absolute one, None for what is no file."""
    if region.is_inside:
        return in_uri(region.path)
    if region.path.startswith(PREFIX):
        return None
    if region.path == STANDARD_INPUT:
        return "file:///dev/stdin"
    path = os.path.normpath(os.path.join(setting.folder, region.path)).replace(os.sep, "/")
    if not os.path.isabs(path):
        return in_uri(path)
    drive = _DRIVE.match(path)
    return f"file://{'/' if drive else ''}{drive[0] if drive else ''}{in_uri(path[drive.end() if drive else 0 :])}"


def in_uri(text: str) -> str:
    """A text as a part of a URI."""
    return quote(text, safe="/-._~", errors="replace")


def in_spec(finding: Explained, report: Report, setting: Setting) -> Region:
    """What was broken: its place in the spec; the beginning of the spec for what is written nowhere."""
    region = region_of(finding.violation.span, report, setting)
    if region is not None:
        return region
    return _region(report.specs[0], setting, 1) if report.specs else in_log(finding, setting)


def in_log(finding: Explained, setting: Setting) -> Region:
    """The record on which the finding stands."""
    return at_place(finding.place, setting)


def at_place(place: Place, setting: Setting) -> Region:
    """A record of a log."""
    return _region(place.log, setting, max(place.line, 1))


def primary(finding: Explained, report: Report, setting: Setting) -> Region:
    """The place that the setting asks for; the other one where only that is in the repository."""
    asked, other = in_spec(finding, report, setting), in_log(finding, setting)
    if setting.primary == "log":
        asked, other = other, asked
    return other if other.is_inside and not asked.is_inside else asked


def region_of(span: Span | None, report: Report, setting: Setting) -> Region | None:
    """A part of a text that was checked against, cut behind its first line; None where it is not known."""
    source = report.sources.get(span.file) if span is not None else None
    if span is None or source is None:
        return None
    line, column = source.place(span.start)
    end_line, end_column = source.place(span.end)
    if end_line != line:
        end_column = len(source.line(line)) + 1
    return _region(span.file, setting, line, column, line, max(end_column, column))


def _region(
    name: str,
    setting: Setting,
    line: int,
    column: int | None = None,
    end_line: int | None = None,
    end_column: int | None = None,
) -> Region:
    path = path_of(name, setting)
    return Region(name if path is None else path, line, column, end_line, end_column, path is not None)
