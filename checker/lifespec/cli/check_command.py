"""`lifespec check SPEC LOG...`: do the logs keep to the lifecycle? Owns the options and the form of the answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import click

from lifespec.cli.configuration import given_or_configured
from lifespec.cli.configured_command import ConfiguredCommand, configuration_of
from lifespec.cli.filter_option import FilterOptions, baseline_before, filter_options, write_baseline
from lifespec.cli.given_logs import find_given_logs, size_of
from lifespec.cli.once import Once
from lifespec.cli.output import NOBODY_READS, STANDARD, spare_inputs, write
from lifespec.cli.report_options import Wanted, opened, report_options
from lifespec.diagnostics.excerpt import visible

if TYPE_CHECKING:
    from lifespec.check import Options
    from lifespec.explain import Explained
    from lifespec.log_file import Log
    from lifespec.reports.report import Report
    from lifespec.reports.setting import Setting

_EXAMPLES_OF_PAGE = 50  # of each name and property


@click.command("check", cls=ConfiguredCommand)
@click.argument("given", metavar="[SPEC] [LOG...]", nargs=-1)
@click.option(
    "--binding",
    cls=Once,
    metavar="NAME|FILE",
    help="Read the logs as this binding says: one of SPEC's, a ready-made one, or the one in FILE (its name ends in "
    "`.lifespec`, or has a slash). Without it: the only one of SPEC, else `default`.",
)
@click.option("--profile", cls=Once, metavar="NAME", help="Judge with the parameters as the profile NAME sets them.")
@filter_options
@click.option("--complete/--no-complete", help="Every session in the logs is over and owes its end.")
@click.option(
    "--max-malformed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Let N malformed records pass as warnings.",
)
@click.option(
    "--min-matched",
    type=click.FloatRange(0, 100),
    default=1.0,
    show_default=True,
    metavar="PERCENT",
    help="So many records must be events that the lifecycle knows; those ignored by name do not count.",
)
@click.option(
    "--recording",
    type=click.Choice(["whole", "sampled", "cut-start", "cut-end"]),
    multiple=True,
    help="How the logs were recorded, in place of what the binding says; may be given again.",
)
@click.option("--order", type=click.Choice(["file", "time"]), default="file", help="Sort the records by time first.")
@click.option(
    "--lateness",
    metavar="DURATION",
    help="With --order time: so late a record may come, at most; 5s unless given.",
)
@click.option("--allow-empty/--no-allow-empty", help="A log without a record is no problem.")
@click.option(
    "--strict-json/--no-strict-json",
    help="Look at all of each record: find keys that stand twice, and what is wrong in values that nobody reads.",
)
@click.option(
    "--engine",
    type=click.Choice(["monitor", "reference"]),
    default="monitor",
    show_default=True,
    help="reference is the slow one that says what is right.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    metavar="N",
    help="Check with N processes, 0 is one for each core; the report is the same.",
)
@click.option("--join-files/--no-join-files", help="Equal session ids in several logs are one session.")
@report_options
@click.option(
    "--config",
    cls=Once,
    metavar="FILE",
    help="Take settings from FILE, in place of the nearest lifespec.toml or pyproject.toml.",
)
@click.option("--isolated", is_flag=True, help="Take no settings from a file.")
@click.option("--show-settings", is_flag=True, help="Say which settings are in force and where they are from.")
@click.pass_context
def command(
    ctx: click.Context,
    given: tuple[str, ...],
    filters: FilterOptions,
    binding: str | None,
    profile: str | None,
    complete: bool,
    max_malformed: int,
    min_matched: float,
    recording: tuple[str, ...],
    order: str,
    lateness: str | None,
    allow_empty: bool,
    strict_json: bool,
    engine: Literal["monitor", "reference"],
    jobs: int,
    join_files: bool,
    config: str | None,
    isolated: bool,
    show_settings: bool,
    wanted: Wanted,
) -> None:
    """Check each LOG against the lifecycle in SPEC.

    A LOG is a file, a folder (all files in it and below), a pattern in quotes ("logs/**/*.jsonl"), @FILE (a list of
    logs, one a line) or - (standard input). gzip and zstd are unpacked.

    \b
    Example:  lifespec check avatar.lifespec session.jsonl
              lifespec check lib:avatar today/*.jsonl.gz --format concise
              lifespec check avatar.lifespec web.jsonl --binding web.lifespec

    Options and SPEC and LOG may also be set by lifespec.toml or [tool.lifespec]
    in pyproject.toml, and options by variables such as LIFESPEC_FAIL_ON.

    Ctrl-C ends the check with the report of what was read so far and status 2.

    Exit status: 0 nothing wrong, 1 findings, 2 could not check.
    """
    from lifespec.check import Options
    from lifespec.reports.report import NOT_CHECKED

    spec, logs = given_or_configured(given, configuration_of(ctx))
    if show_settings:
        from lifespec.cli.show_settings import settings_text

        write(settings_text(ctx, spec, logs, given), wanted.destinations[0].output if wanted.destinations else STANDARD)
        ctx.exit(0)
    if spec is None or not logs:
        raise click.UsageError("Missing argument 'SPEC'" if spec is None else "Missing argument 'LOG...'")
    if min_matched != min_matched:  # not a number
        raise click.UsageError("`--min-matched` is a number from 0 to 100")
    named = find_given_logs(spec, logs, joined=join_files)
    beside = [each for each in (binding, filters.baseline, *logs) if each]
    for file in wanted.files:
        filters.spare(file)
    options = Options(
        complete=complete,
        max_malformed=max_malformed,
        allow_empty=allow_empty,
        join_files=join_files,
        min_matched=min_matched,
        recording=frozenset(recording),
        lateness_ns=_lateness_ns(order, lateness),
        examples=max(wanted.examples, _EXAMPLES_OF_PAGE) if wanted.has_page else wanted.examples,
        engine=engine,
        strict_json=strict_json,
        jobs=jobs,
        filters=filters.filters,
    )
    before = baseline_before(filters.write_baseline) if filters.write_baseline is not None else None
    is_known = filters.write_baseline is not None  # all that is found is known from now on
    size = size_of(named, times=1 if filters.where is None else 2)

    def page(report: Report, setting: Setting) -> str:
        from lifespec.check_page import page_of

        return page_of(report, spec, named, setting, binding=binding, profile=profile, options=options)

    if filters.write_baseline is not None:
        spare_inputs(filters.write_baseline, [spec, *logs, *(log.name for log in named)])
    goes_on = is_known or bool(os.environ.get("GITHUB_STEP_SUMMARY"))
    with opened(wanted, [spec, *(log.name for log in named), *beside], goes_on=goes_on) as reports:
        report = run_check(spec, named, binding, profile, options, wanted.colour, size, reports.each)
        for remark in () if wanted.is_quiet else report.remarks:
            click.echo(f"lifespec: {visible(remark)}", err=True)
        status = reports.finish(report, is_known=is_known, page=page)
    if status == NOT_CHECKED and wanted.standard is None:
        from lifespec.diagnostics.render import in_one_line

        why = f"; {', '.join(wanted.files)} says why" if wanted.files else f": {in_one_line(report.problems[0])}"
        click.echo(f"lifespec: could not check{visible(why)}", err=True)
    if report.filtered.words and not (wanted.standard is not None and wanted.standard.format.says_filtered):
        click.echo(f"lifespec: left out: {report.filtered.words}", err=True)
    if filters.write_baseline is not None:
        if status == NOT_CHECKED:
            click.echo(f"lifespec: {filters.write_baseline} is not written: not all could be checked", err=True)
        else:
            write_baseline(filters.write_baseline, report, before, filters.today)
    ctx.exit(NOBODY_READS if reports.is_unread else status)


def _lateness_ns(order: str, lateness: str | None) -> int | None:
    """How long records are held back; None when they are not sorted. Raises UsageError."""
    from lifespec.model.value import Duration
    from lifespec.trace.expression import literal

    if order == "file":
        if lateness is not None:
            raise click.UsageError("`--lateness` goes with `--order time`")
        return None
    found = literal(lateness or "5s")
    if not isinstance(found, Duration) or found.ns < 0:
        raise click.UsageError(f"`--lateness` is a length of time such as 5s or 500ms, not {lateness}")
    return found.ns


def run_check(
    spec: str,
    logs: Sequence[Log],
    binding: str | None,
    profile: str | None,
    options: Options,
    colour: str,
    size: int | None,
    each: Callable[[Explained], None] | None = None,
) -> Report:
    """The check itself, shown on a terminal and ended by Ctrl-C."""
    from lifespec.check import check_files
    from lifespec.cli.interruption import Interruption
    from lifespec.cli.progress import Shown

    with Shown(size, colour) as shown, Interruption(shown.show) as watcher:
        return check_files(spec, logs, binding=binding, profile=profile, options=options, watcher=watcher, each=each)
