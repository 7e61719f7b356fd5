"""Which reports `check` writes, and where to. Owns the options for them, and writing them during and after the check.

Reads the environment: GITHUB_STEP_SUMMARY, GITHUB_WORKSPACE and CI_PROJECT_DIR, as the services that run jobs set them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal

import click

from lifespec.cli.output import (
    STANDARD,
    Failure,
    NobodyReads,
    check_writable,
    colour_option,
    form_for,
    given_output,
    output_option,
    palette_for,
    spare_inputs,
    width_for,
    write,
    written,
)
from lifespec.diagnostics import Severity, find_nearest
from lifespec.diagnostics.palette import Palette
from lifespec.reports.formats import FORMATS, PAGE, Format
from lifespec.reports.setting import EXAMPLES, Setting
from lifespec.system_error import os_error_words

if TYPE_CHECKING:
    from lifespec.explain import Explained
    from lifespec.reports.report import Report

_MOST_SUMMARY = 1 << 20  # bytes that GitHub takes as the summary of a step
_ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")


@dataclass(frozen=True, slots=True)
class Destination:
    """A report in a format, to a file or to standard output."""

    format: Format
    output: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for."""

    destinations: tuple[Destination, ...]
    is_quiet: bool
    examples: int
    fail_on: Severity | None
    primary: Literal["spec", "log"]
    colour: str

    @property
    def standard(self) -> Destination | None:
        """What goes to standard output."""
        return next((each for each in self.destinations if each.output == STANDARD), None)

    @property
    def has_page(self) -> bool:
        return any(each.format.name == PAGE for each in self.destinations)

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(each.output for each in self.destinations if each.output != STANDARD)


def report_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """All options about reports; the command is called with `wanted`, which is what they ask for."""

    @wraps(function)
    def command(*arguments: Any, **options: Any) -> Any:
        names = ("form", "reports", "output", "quiet", "examples", "fail_on", "sarif_primary", "colour")
        return function(*arguments, wanted=_wanted(**{name: options.pop(name) for name in names}), **options)

    options = (
        click.option(
            "--format",
            "form",
            type=click.Choice(list(FORMATS)),
            default="text",
            show_default=True,
            metavar="FORMAT",
            help=f"What to write: {'; '.join(f'{each.name} ({each.words})' for each in FORMATS.values())}.",
        ),
        click.option(
            "--report",
            "reports",
            multiple=True,
            metavar="FORMAT=FILE",
            help="Write another report to FILE as well; may be given again.",
        ),
        click.option(
            "--examples",
            type=click.IntRange(min=0),
            default=EXAMPLES,
            show_default=True,
            metavar="N",
            help="Show N findings of each kind; all are counted. concise and jsonl have all of them.",
        ),
        click.option(
            "--fail-on",
            type=click.Choice(["error", "warning", "info", "never"]),
            default="error",
            show_default=True,
            help="The least severity that makes the exit status 1.",
        ),
        click.option(
            "--sarif-primary",
            type=click.Choice(["spec", "log"]),
            default="spec",
            show_default=True,
            help="Where sarif, github and gitlab show a finding; log where the logs are in the repository.",
        ),
        click.option("-q", "--quiet/--no-quiet", help="Write nothing to standard output; files are written."),
        output_option,
        colour_option,
    )
    decorated: Callable[..., Any] = command
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


def _wanted(
    *,
    form: str,
    reports: Sequence[str],
    output: str,
    quiet: bool,
    examples: int,
    fail_on: str,
    sarif_primary: Literal["spec", "log"],
    colour: str,
) -> Wanted:
    """What the options ask for. Raises UsageError for what cannot be, Failure for a file that cannot be written."""
    found = [Destination(FORMATS[form_for(form, output, FORMATS)], output)] if not quiet or output != STANDARD else []
    found += map(_destination, reports)
    files = [os.path.realpath(each.output) for each in found if each.output != STANDARD]
    twice = next((file for file in files if files.count(file) > 1), None)
    if twice is not None:
        raise click.UsageError(f"two reports would be written to {twice}")
    if sum(each.output == STANDARD for each in found) > 1:
        raise click.UsageError("two reports would be written to standard output; what goes there is said by --format")
    for destination in found:
        check_writable(destination.output)
    severity = None if fail_on == "never" else Severity(fail_on)
    return Wanted(tuple(found), quiet, examples, severity, sarif_primary, colour)


def _destination(said: str) -> Destination:
    name, sign, file = said.partition("=")
    if not (name and sign and file):
        raise click.UsageError(f"--report is FORMAT=FILE, such as junit=report.xml, not {said}")
    if name not in FORMATS:
        near = find_nearest(name, FORMATS)
        help_ = f"did you mean {near}?" if near else f"they are {', '.join(FORMATS)}"
        raise click.UsageError(f"--report {said}: {name} is no format; {help_}")
    if file == STANDARD:
        raise click.UsageError("--report writes files; what goes to standard output is said by --format")
    return Destination(FORMATS[name], given_output(file))


class Reports:
    """Reports that are written: `each` takes findings as they are found, where a report wants all of them."""

    def __init__(
        self, wanted: Wanted, streams: Sequence[tuple[Destination, Callable[[str], None]]], *, goes_on: bool
    ) -> None:
        self.is_unread = False  # nobody reads standard output any more
        self._wanted = wanted
        self._goes_on = goes_on or bool(wanted.files)
        self._streams = [(each, self._to_standard if each.output == STANDARD else put) for each, put in streams]
        self._lines = [(destination.format.line, put) for destination, put in self._streams]
        self.each = self._write_finding if streams else None

    def _to_standard(self, text: str, palette: Palette | None = None) -> None:
        """Write to standard output. When nobody reads it, what else there is to write is written nevertheless."""
        if self.is_unread:
            return
        try:
            write(text, STANDARD, palette)
        except NobodyReads:
            if not self._goes_on:
                raise
            self.is_unread = True

    def _write_finding(self, finding: Explained) -> None:
        for line, put in self._lines:
            put(line(finding))

    def finish(self, report: Report, *, is_known: bool, page: Callable[[Report, Setting], str]) -> int:
        """Write what is to be written after the check; the exit status. `is_known`: what was found is no reason to
        fail. `page` makes the page of the report, which is more than the report. Raises Failure."""
        wanted = self._wanted
        status = report.status(None if is_known else wanted.fail_on)
        for file in wanted.files:
            spare_inputs(file, report.sources)
        for destination, put in self._streams:
            put(destination.format.end(report, self._setting(destination, status)))
        for destination in wanted.destinations:
            if not destination.format.streams:
                setting = self._setting(destination, status)
                render = page if destination.format.name == PAGE else destination.format.render
                if destination.output == STANDARD:
                    self._to_standard(render(report, setting), setting.palette)
                else:
                    write(render(report, setting), destination.output)
        if any(destination.format.name == "github" for destination in wanted.destinations):
            _add_summary(report, self._setting(wanted.destinations[0], status))
        return status

    def _setting(self, destination: Destination, status: int) -> Setting:
        wanted = self._wanted
        folder = os.getcwd()
        return Setting(
            status=status,
            fail_on=wanted.fail_on,
            examples=wanted.examples,
            palette=palette_for(destination.output, wanted.colour),
            width=width_for(destination.output),
            folder=folder,
            root=_root(folder),
            primary=wanted.primary,
        )


@contextlib.contextmanager
def opened(wanted: Wanted, inputs: Iterable[str], *, goes_on: bool) -> Iterator[Reports]:
    """The reports, to be written within the block; a file is replaced at its end, and not at all if it fails. The
    reading of standard output may end: with files, or else with `goes_on`, that is no reason to stop. Raises UsageError
    when a report would be written over one of the inputs."""
    inputs = list(inputs)
    for file in wanted.files:
        spare_inputs(file, inputs)
    with contextlib.ExitStack() as stack:
        streams = [
            (destination, stack.enter_context(written(destination.output)))
            for destination in wanted.destinations
            if destination.format.streams
        ]
        yield Reports(wanted, streams, goes_on=goes_on)


def _root(folder: str) -> str:
    """The root of the repository, as far as a service says so; else the folder in which the command runs."""
    for name in _ROOTS:
        root = os.environ.get(name)
        if root and os.path.isabs(root) and os.path.commonpath([root, folder]) == os.path.normpath(root):
            return root
    return folder


def _add_summary(report: Report, setting: Setting) -> None:
    """Append the report to the summary of the step, if GitHub Actions runs it. Raises Failure."""
    from lifespec.reports.markdown import render

    name = os.environ.get("GITHUB_STEP_SUMMARY")
    if not name:
        return
    try:
        with open(name, "ab") as file:
            room = _MOST_SUMMARY - file.tell() - 1
            text = ("\n" if file.tell() else "") + render(report, setting, room)
            if len(text.encode("utf-8", "replace")) <= room:
                file.write(text.encode("utf-8", "replace"))
    except OSError as error:
        raise Failure(f"cannot write {os_error_words(error, name)}") from None
