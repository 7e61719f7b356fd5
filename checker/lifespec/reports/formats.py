"""The table of report formats. Owns their names; a format is one line here, and one file beside this one.

The module of a format has `render(report, setting) -> str`. One that streams has also `line(finding) -> str`, which is
told every finding as it is found, and `end(report, setting) -> str` for what comes behind them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from lifespec.explain import Explained
from lifespec.reports.report import Report
from lifespec.reports.setting import Setting


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name, what it is in a few words, whether it is written while the logs are read, and whether it
    says what was left out."""

    name: str
    words: str
    streams: bool = False
    says_filtered: bool = False

    @property
    def render(self) -> Callable[[Report, Setting], str]:
        """Writes a whole report; of a format that streams, with the findings that were kept."""
        function: Callable[[Report, Setting], str] = self._module().render
        return function

    @property
    def line(self) -> Callable[[Explained], str]:
        """Writes one finding. Only of a format that streams."""
        function: Callable[[Explained], str] = self._module().line
        return function

    @property
    def end(self) -> Callable[[Report, Setting], str]:
        """Writes what comes behind all findings. Only of a format that streams."""
        function: Callable[[Report, Setting], str] = self._module().end
        return function

    def _module(self) -> ModuleType:
        return import_module(f"lifespec.reports.{self.name}")  # only the one that is asked for


PAGE = "html"
"""The format that is more than the report: whoever has the logs adds pictures and timelines."""

_TABLE = (
    Format("text", "for people", says_filtered=True),
    Format("concise", "one finding a line, all of them", streams=True),
    Format("json", "one document", says_filtered=True),
    Format("jsonl", "one finding a line as JSON, all of them", streams=True),
    Format("junit", "test results: Jenkins, GitLab", says_filtered=True),
    Format("sarif", "code scanning", says_filtered=True),
    Format("github", "annotations of GitHub Actions, and a summary of the step", says_filtered=True),
    Format("gitlab", "code quality of GitLab", says_filtered=True),
    Format("markdown", "a comment on a change", says_filtered=True),
    Format("html", "a page for a browser, with timelines of sessions", says_filtered=True),
)

FORMATS: dict[str, Format] = {each.name: each for each in _TABLE}
