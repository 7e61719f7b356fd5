"""`lifespec stats SPEC LOG...`: what many sessions say, as tables and pictures. Owns the options and the form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from lifespec.cli.given_logs import find_given_logs
from lifespec.cli.once import Once
from lifespec.cli.output import (
    STANDARD,
    colour_option,
    form_for,
    output_option,
    palette_for,
    spare_inputs,
    width_for,
    write,
)

if TYPE_CHECKING:
    from lifespec.check import Log, Options
    from lifespec.stats.read import Statistics
    from lifespec.watch import Progress


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how logs are read, and into what sessions are sorted."""
    for option in (
        click.option("--join-files", is_flag=True, help="Equal session ids in several logs are one session."),
        click.option(
            "--recording",
            type=click.Choice(["whole", "sampled", "cut-start", "cut-end"]),
            multiple=True,
            help="How the logs were recorded, in place of what the binding says; may be given again.",
        ),
        click.option("--complete", is_flag=True, help="Every session in the logs is over and owes its end."),
        click.option(
            "--max-segments",
            type=click.IntRange(min=1, max=100_000),
            default=200,
            show_default=True,
            metavar="N",
            help="Tell N segments apart; further ones are summed as (other).",
        ),
        click.option(
            "--by-current",
            cls=Once,
            metavar="NAME,...",
            help="Sort parts of sessions by the value in force: of a field, of a machine, or whether in a state.",
        ),
        click.option(
            "--by", cls=Once, metavar="FIELD,...", help="Sort sessions by the first value of each FIELD in them."
        ),
        click.option(
            "--binding",
            cls=Once,
            metavar="NAME|FILE",
            help="Read the logs as this binding says: one of SPEC's, a ready-made one, or the one in FILE.",
        ),
    ):
        function = option(function)
    return function


def names_in(written: str | None) -> tuple[str, ...]:
    """The names of a list with commas. Raises UsageError when it names nothing."""
    names = tuple(dict.fromkeys(name.strip() for name in (written or "").split(",") if name.strip()))
    if written is not None and not names:
        raise click.UsageError(f"{written!r} names no field to sort by")
    return names


def read_or_end(
    spec: str,
    logs: Sequence[Log],
    *,
    binding: str | None,
    profile: str | None,
    by: tuple[str, ...],
    by_current: tuple[str, ...],
    most_segments: int,
    options: Options,
    colour: str,
) -> Statistics:
    """The statistics of the logs, with progress on a terminal. Raises UsageError for names that cannot be sorted by."""
    from lifespec.cli.progress import Shown
    from lifespec.stats.read import NotOne, read_statistics

    with Shown(None, colour) as shown:
        try:
            return read_statistics(
                spec,
                logs,
                binding=binding,
                profile=profile,
                by=by,
                by_current=by_current,
                most_segments=most_segments,
                options=options,
                watcher=_Shower(shown.show),
            )
        except NotOne as error:
            raise click.UsageError(str(error)) from None


class _Shower:
    """A watcher that only looks on."""

    def __init__(self, show: Callable[[Progress], None]) -> None:
        self.watch = show

    def waiting(self) -> AbstractContextManager[None]:
        return nullcontext()


@click.command("stats")
@click.argument("spec", metavar="SPEC")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@reading_options
@click.option("--profile", cls=Once, metavar="NAME", help="Judge with the parameters as the profile NAME sets them.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "csv", "html"]),
    default="text",
    show_default=True,
    help="html has pictures, and needs nothing beside itself.",
)
@output_option
@colour_option
@click.pass_context
def command(
    ctx: click.Context,
    spec: str,
    logs: tuple[str, ...],
    binding: str | None,
    by: str | None,
    by_current: str | None,
    max_segments: int,
    complete: bool,
    recording: tuple[str, ...],
    join_files: bool,
    profile: str | None,
    form: str,
    output: str,
    colour: str,
) -> None:
    """Say how often what goes wrong in the sessions of each LOG, and how long what takes.

    A LOG is given as for check. A share of sessions has its 95 % limits; of few sessions they are wide.

    \b
    Example:  lifespec stats avatar.lifespec logs/*.jsonl --by client,region
              lifespec stats lib:avatar logs --by-current network --format html -o stats.html

    Exit status: 0 whatever is found in the logs, 2 could not read them.
    """
    from lifespec.check import Options

    found = find_given_logs(spec, logs, joined=join_files)
    spare_inputs(output, [spec, *logs, *(log.name for log in found), *([binding] if binding else [])])
    form = form_for(form, output, ("text", "json", "csv", "html"))
    options = Options(complete=complete, join_files=join_files, recording=frozenset(recording))
    statistics = read_or_end(
        spec,
        found,
        binding=binding,
        profile=profile,
        by=names_in(by),
        by_current=names_in(by_current),
        most_segments=max_segments,
        options=options,
        colour=colour,
    )
    spare_inputs(output, statistics.sources)
    status = 2 if statistics.problems else 0
    palette = palette_for(output, colour)
    write(_rendered(statistics, form, status, palette, width_for(output)), output, palette if form == "text" else None)
    if status == 2 and (output != STANDARD or form in ("csv", "html")):
        from lifespec.diagnostics.render import render_diagnostic

        for problem in statistics.problems:
            click.echo(render_diagnostic(problem, statistics.sources) + "\n", err=True)
    ctx.exit(status)


def _rendered(statistics: Statistics, form: str, status: int, palette: Any, width: int) -> str:
    from lifespec.version import __version__

    if form == "json":
        from lifespec.stats.json import render as render_json

        return render_json(statistics, status=status, tool_version=__version__)
    if form == "csv":
        from lifespec.stats.csv import render as render_csv

        return render_csv(statistics)
    if form == "html":
        from lifespec.stats.html import render as render_html

        return render_html(statistics)
    from lifespec.stats.text import render

    return render(statistics, palette=palette, width=width)
