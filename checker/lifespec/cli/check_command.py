"""`lifespec check SPEC LOG...`: do the logs keep to the lifecycle? Owns the options and the form of the answer."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import click

from lifespec.cli.output import STANDARD, colour_option, output_option, palette_for, spare_inputs, width_for, write
from lifespec.diagnostics import Severity
from lifespec.diagnostics.excerpt import visible

if TYPE_CHECKING:
    from lifespec.check import Options
    from lifespec.log_file import Log
    from lifespec.reports.report import Report

_STDIN = "<stdin>"
_EXCERPTS_OF_PAGE = 50  # of each kind of finding


@click.command("check")
@click.argument("spec", metavar="SPEC")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@click.option(
    "--binding",
    metavar="NAME|FILE",
    help="Read the logs as this binding says: one of SPEC's, a ready-made one, or the one in FILE.",
)
@click.option("--profile", metavar="NAME", help="Judge with the parameters as the profile NAME sets them.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "concise", "json", "html"]),
    default="text",
    show_default=True,
    help="concise is one finding a line, all of them; html is a page with timelines of sessions.",
)
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="N",
    help="Show N findings of each kind in the text; all are counted.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info", "never"]),
    default="error",
    show_default=True,
    help="The least severity that makes the exit status 1.",
)
@click.option("--complete", is_flag=True, help="Every session in the logs is over and owes its end.")
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
@click.option("--allow-empty", is_flag=True, help="A log without a record is no problem.")
@click.option(
    "--strict-json",
    is_flag=True,
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
@click.option("--join-files", is_flag=True, help="Equal session ids in several logs are one session.")
@output_option
@colour_option
@click.pass_context
def command(
    ctx: click.Context,
    spec: str,
    logs: tuple[str, ...],
    binding: str | None,
    profile: str | None,
    form: str,
    examples: int,
    fail_on: str,
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
    output: str,
    colour: str,
) -> None:
    """Check each LOG against the lifecycle in SPEC.

    A LOG is a file, a folder (all files in it and below), a pattern in quotes ("logs/**/*.jsonl"), @FILE (a list of
    logs, one a line) or - (standard input). gzip and zstd are unpacked.

    \b
    Example:  lifespec check avatar.lifespec session.jsonl
              lifespec check lib:avatar today/*.jsonl.gz --format concise

    Ctrl-C ends the check with the report of what was read so far and status 2.

    Exit status: 0 nothing wrong, 1 findings, 2 could not check.
    """
    from lifespec.check import Log, Options
    from lifespec.log_file import find_repeated
    from lifespec.log_input import NoSuchLogs, find_logs

    if spec == STANDARD:
        raise click.UsageError("the lifecycle is read from a file; `-` stands for a log only")
    if logs.count(STANDARD) > 1:
        raise click.UsageError("standard input can be read once: `-` is given twice")
    try:
        logs = tuple(find_logs(logs, joined=join_files))
    except NoSuchLogs as error:
        raise click.UsageError(str(error)) from None
    repeated = find_repeated([Log(log) for log in logs])
    if repeated is not None:
        raise click.UsageError(f"{repeated} is given twice")
    spare_inputs(output, [spec, *logs, *([binding] if binding else [])])
    options = Options(
        complete=complete,
        max_malformed=max_malformed,
        allow_empty=allow_empty,
        join_files=join_files,
        min_matched=min_matched,
        recording=frozenset(recording),
        lateness_ns=_lateness_ns(order, lateness),
        excerpts=examples if form == "text" else _EXCERPTS_OF_PAGE if form == "html" else 0,
        engine=engine,
        strict_json=strict_json,
        jobs=jobs,
    )
    if STANDARD in logs and sys.stdin is None:
        raise click.UsageError("standard input is closed")
    named = named_logs(logs)
    report = run_check(spec, named, binding, profile, options, colour, size_of(logs))
    for remark in report.remarks:
        click.echo(f"lifespec: {visible(remark)}", err=True)
    spare_inputs(output, report.sources)
    status = report.status(None if fail_on == "never" else Severity(fail_on))
    palette = palette_for(output, colour)
    if form == "json":
        from lifespec.reports.json import render as render_json
        from lifespec.version import __version__

        write(render_json(report, status=status, tool_version=__version__), output)
    elif form == "html":
        from lifespec.check_page import page_of

        write(page_of(report, spec, named, binding=binding, profile=profile, options=options, status=status), output)
    elif form == "concise":
        from lifespec.reports.concise import render as render_lines

        write(render_lines(report), output)
    else:
        from lifespec.reports.text import render as render_text

        write(render_text(report, examples=examples, palette=palette, width=width_for(output)), output, palette)
    if status == 2 and output != STANDARD:
        click.echo(f"lifespec: could not check; {output} says why", err=True)
    ctx.exit(status)


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


def named_logs(logs: Sequence[str]) -> list[Log]:
    """The logs; standard input is kept, so that it can be read again."""
    from lifespec.log_file import Log, kept

    named = []
    for log in logs:
        raw = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer) if log == STANDARD else None
        named.append(Log(log) if raw is None else kept(_STDIN, raw))
    return named


def run_check(
    spec: str,
    logs: Sequence[Log],
    binding: str | None,
    profile: str | None,
    options: Options,
    colour: str,
    size: int | None,
) -> Report:
    """The check itself, shown on a terminal and ended by Ctrl-C."""
    from lifespec.check import check_files
    from lifespec.cli.interruption import Interruption
    from lifespec.cli.progress import Shown

    with Shown(size, colour) as shown, Interruption(shown.show) as watcher:
        return check_files(spec, logs, binding=binding, profile=profile, options=options, watcher=watcher)


def size_of(logs: Sequence[str]) -> int | None:
    """The bytes of all logs, or None where that is not known before they are read."""
    sizes = []
    for log in logs:
        with contextlib.suppress(OSError, ValueError):
            found = os.stat(log) if log != STANDARD else os.fstat(sys.stdin.fileno())
            sizes.append(found.st_size if stat.S_ISREG(found.st_mode) else None)
    return None if None in sizes else sum(size or 0 for size in sizes)
