"""`lifespec compare SPEC --base LOG... --head LOG...`: is a release worse? Owns the options and the exit status."""

from __future__ import annotations

from typing import Any

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
from lifespec.cli.stats_command import names_in, read_or_end, reading_options


class _Sides(click.Command):
    """`--base a b --head c d`: each of the two takes all that follows it, up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        spread: list[str] = []
        side: str | None = None
        for place, arg in enumerate(args):
            if arg == "--":
                spread += args[place:]
                break
            if arg in ("--base", "--head"):
                side = arg
                spread.append(arg)
            elif arg.startswith("-") and arg != STANDARD:
                side = None
                spread.append(arg)
            elif side is not None and spread[-1] != side:
                spread += [side, arg]
            else:
                spread.append(arg)
        return super().parse_args(ctx, spread)


@click.command("compare", cls=_Sides)
@click.argument("spec", metavar="SPEC --base LOG... --head LOG...")
@click.option("--base", metavar="LOG...", multiple=True, required=True, help="The logs of the release that is known.")
@click.option("--head", metavar="LOG...", multiple=True, required=True, help="The logs of the release in question.")
@click.option("--base-spec", cls=Once, metavar="SPEC", help="The lifecycle of the base, where it is another one.")
@click.option("--base-binding", cls=Once, metavar="NAME|FILE", help="Read the logs of the base as this binding says.")
@click.option(
    "--base-profile", cls=Once, metavar="NAME", help="Judge the base with the parameters of the profile NAME."
)
@click.option(
    "--head-profile", cls=Once, metavar="NAME", help="Judge the head with the parameters of the profile NAME."
)
@reading_options
@click.option(
    "--min-sessions",
    type=click.IntRange(min=1),
    default=30,
    show_default=True,
    metavar="N",
    help="Compare only where both sides have N sessions.",
)
@click.option(
    "--level",
    type=click.FloatRange(0.0001, 0.5),
    default=0.05,
    show_default=True,
    metavar="SHARE",
    help="Of releases that do not differ, name anything worse in at most this share.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["regression", "never"]),
    default="never",
    show_default=True,
    help="regression: the exit status is 1 when anything is named worse.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@output_option
@colour_option
@click.pass_context
def command(
    ctx: click.Context,
    spec: str,
    base: tuple[str, ...],
    head: tuple[str, ...],
    base_spec: str | None,
    base_binding: str | None,
    base_profile: str | None,
    head_profile: str | None,
    binding: str | None,
    by: str | None,
    by_current: str | None,
    max_segments: int,
    complete: bool,
    recording: tuple[str, ...],
    join_files: bool,
    min_sessions: int,
    level: float,
    fail_on: str,
    form: str,
    output: str,
    colour: str,
) -> None:
    """Say what is worse, better, new or gone in the sessions of the head, beside those of the base.

    The unit is the session. Only what chance does not explain is named; how much had to differ to be named is said.
    The two sides may have the same logs and other profiles, or other logs and the same profile.

    \b
    Example:  lifespec compare avatar.lifespec --base v1/*.jsonl --head v2/*.jsonl --fail-on regression
              lifespec compare lib:avatar --base wifi --head edge --head-profile constrained

    Exit status: 0 compared, 1 something is worse (with --fail-on regression), 2 could not compare.
    """
    from lifespec.check import Options
    from lifespec.stats.release import compare_releases

    logs = {side: find_given_logs(spec, given, joined=join_files) for side, given in (("base", base), ("head", head))}
    if all(STANDARD in given for given in (base, head)):
        raise click.UsageError("standard input can be read once: `-` is given on both sides")
    read = [each for each in (spec, base_spec, binding, base_binding) if each is not None]
    spare_inputs(output, [*read, *base, *head, *(log.name for side in logs.values() for log in side)])
    form = form_for(form, output, ("text", "json"))
    options = Options(complete=complete, join_files=join_files, recording=frozenset(recording))
    sides = [
        read_or_end(
            text,
            given,
            binding=reading,
            profile=profile,
            by=names_in(by),
            by_current=names_in(by_current),
            most_segments=max_segments,
            options=options,
            colour=colour,
        )
        for text, given, reading, profile in (
            (base_spec or spec, logs["base"], base_binding or binding, base_profile),
            (spec, logs["head"], binding, head_profile),
        )
    ]
    compared = compare_releases(sides[0], sides[1], level=level, min_sessions=min_sessions)
    spare_inputs(output, [*sides[0].sources, *sides[1].sources])
    status = 2 if not compared.comparison.is_done or any(side.problems for side in sides) else 0
    if status == 0 and fail_on == "regression" and compared.comparison.worse:
        status = 1
    palette = palette_for(output, colour)
    write(_rendered(compared, form, status, palette, width_for(output)), output, palette if form == "text" else None)
    if status == 2 and (output != STANDARD or form != "text"):
        from lifespec.stats.compare_text import why_nothing

        is_read = not any(side.problems for side in sides)
        where = output if output != STANDARD else "the answer"
        click.echo(
            f"lifespec: could not compare{f': {why_nothing(compared)}' if is_read else f'; {where} says why'}", err=True
        )
    ctx.exit(status)


def _rendered(compared: Any, form: str, status: int, palette: Any, width: int) -> str:
    if form == "json":
        from lifespec.stats.json import render_comparison
        from lifespec.version import __version__

        return render_comparison(compared, status=status, tool_version=__version__)
    from lifespec.stats.compare_text import render

    return render(compared, palette=palette, width=width)
