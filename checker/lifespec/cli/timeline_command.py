"""`lifespec timeline SPEC LOG`: what happened in one session, in time. Owns the options and which session is meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from lifespec.cli.given_logs import find_given_logs, size_of
from lifespec.cli.once import Once
from lifespec.cli.output import (
    STANDARD,
    Failure,
    colour_option,
    form_for,
    output_option,
    palette_for,
    spare_inputs,
    width_for,
    write,
)
from lifespec.cli.spec_argument import end_with
from lifespec.diagnostics import Diagnostic
from lifespec.diagnostics.excerpt import visible
from lifespec.diagnostics.render import wrapped
from lifespec.explain_words import joined as in_a_row

if TYPE_CHECKING:
    from lifespec.check_input import Options
    from lifespec.check_timelines import SessionName
    from lifespec.log_file import Log
    from lifespec.model.model import Model
    from lifespec.reports.report import Report
    from lifespec.timeline.timeline import NoTimeline

_LISTED = 20
_NARROWEST = 40  # columns of a terminal that a picture as text keeps to
_NAMED = 10
_MOST_FINDINGS = 1000  # of each name and property: of these the sessions are listed


@click.command("timeline")
@click.argument("spec", metavar="SPEC")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@click.option("--session", cls=Once, metavar="ID", help="The session; not needed where only one has findings.")
@click.option(
    "--binding",
    cls=Once,
    metavar="NAME|FILE",
    help="Read the logs as this binding says: one of SPEC's, a ready-made one, or the one in FILE.",
)
@click.option("--profile", cls=Once, metavar="NAME", help="Judge with the parameters as the profile NAME sets them.")
@click.option(
    "--format", "form", type=click.Choice(["text", "svg"]), default="text", show_default=True, help="What to write."
)
@click.option("--complete", is_flag=True, help="Every session in the logs is over and owes its end.")
@click.option("--join-files", is_flag=True, help="Equal session ids in several logs are one session.")
@output_option
@colour_option
@click.pass_context
def command(
    ctx: click.Context,
    spec: str,
    logs: tuple[str, ...],
    session: str | None,
    binding: str | None,
    profile: str | None,
    form: str,
    complete: bool,
    join_files: bool,
    output: str,
    colour: str,
) -> None:
    """Draw one session of a LOG: where each instance was and when, its events, and what was found.

    Without --session it is the only one with findings, or the only one there is; of several with findings a list is
    printed, and with --format svg nothing is written. A LOG is given as to check.

    \b
    Example:  lifespec timeline lib:avatar today.jsonl --session s-91c5d0aa
              lifespec timeline lib:avatar today.jsonl --format svg -o session.svg

    Exit status: 0 drawn or listed, 2 could not.
    """
    from lifespec.check_input import Options, load_to_check
    from lifespec.check_timelines import read_timelines
    from lifespec.cli.check_command import run_check
    from lifespec.reports.report import NOT_CHECKED, Report

    named = find_given_logs(spec, logs, joined=join_files)
    spare_inputs(output, [spec, *logs, *(log.name for log in named), *([binding] if binding else [])])
    form = form_for(form, output, ("text", "svg"))
    options = Options(complete=complete, join_files=join_files, examples=_MOST_FINDINGS)
    report = run_check(spec, named, binding, profile, options, colour, size_of(named))
    if any(problem.name == "interrupted" for problem in report.problems):
        raise click.Abort
    if report.status(None) == NOT_CHECKED:
        said = report.problems or [Diagnostic(f.name, f"{f.place.log}: {f.message}") for f in report.findings][:1]
        end_with(ctx, said, report.sources, palette_for(STANDARD, colour))
    loaded = load_to_check(spec, binding, profile)
    if isinstance(loaded, Report):
        end_with(ctx, loaded.problems, loaded.sources, palette_for(STANDARD, colour))
    model, binding, _ = loaded
    wanted = _wanted(model, report, named, session, binding, options)
    if wanted is None and form != "text":
        raise Failure(_choice(report, joined=join_files))
    if wanted is None:
        write(_listed(report, width_for(output, _NARROWEST), joined=join_files), output)
        return
    result = read_timelines(model, report, named, wanted, binding=binding, options=options)
    if len(result.timelines) != 1:
        raise Failure(_why_not(report, result.missing, [each.log for each in result.timelines], session))
    timeline = result.timelines[0]
    if form == "svg":
        from lifespec.timeline.svg import render as render_svg

        write(render_svg(timeline, tuple(model.owners)), output)
    else:
        from lifespec.timeline.text import render as render_text

        palette = palette_for(output, colour)
        write(render_text(timeline, palette, width_for(output, _NARROWEST)), output, palette)


def _wanted(
    model: Model, report: Report, logs: Sequence[Log], session: str | None, binding: str | None, options: Options
) -> list[SessionName] | None:
    """Which session is meant, in each log that may have it; None when there are several to choose from."""
    from lifespec.check_timelines import first_session

    names = [""] if options.join_files else [log.name for log in logs]
    if session is not None:
        return [(name, session) for name in names]
    found = _sessions_with_findings(report, joined=options.join_files)
    if len(found) == 1:
        return list(found)
    if found:
        return None
    if sum(log.sessions for log in report.logs) == 1:
        only = first_session(model, logs, binding=binding, options=options)
        if only is not None:
            return [(name, only) for name in names]
    raise Failure("nothing was found in any session; say with --session which one to draw")


def _sessions_with_findings(report: Report, *, joined: bool) -> dict[SessionName, list[str]]:
    """The sessions with findings, in order, and the messages of each."""
    found: dict[SessionName, list[str]] = {}
    for finding in report.findings:
        if finding.violation.session:
            name = "" if joined else finding.place.log, finding.violation.session
            found.setdefault(name, []).append(f"{finding.name}: {finding.message}")
    return found


def _listed(report: Report, width: int, *, joined: bool) -> str:
    found = _sessions_with_findings(report, joined=joined)
    lines = wrapped(f"{len(found):,} sessions have findings; draw one of them with --session", width, "")
    for (log, session), messages in list(found.items())[:_LISTED]:
        more = f" (and {len(messages) - 1:,} more)" if len(messages) > 1 else ""
        where = f" in {log}" if log and len(report.log_names) > 1 else ""
        lines.append(f"  {visible(session)}{visible(where)}")
        lines += ("      " + line for line in wrapped(f"{visible(messages[0])}{more}", width - 6, ""))
    if len(found) > _LISTED:
        lines.append(f"  ... and {len(found) - _LISTED:,} more")
    return "\n".join(lines) + "\n"


def _choice(report: Report, *, joined: bool) -> str:
    """Why there is no picture, and of which sessions there could be one."""
    found = _sessions_with_findings(report, joined=joined)
    has_logs = len({log for log, _ in found}) > 1
    names = [visible(f"{session} in {log}" if has_logs else session) for log, session in found]
    said = f"{len(found):,} sessions have findings, and a picture shows one: {in_a_row(names, most=_NAMED)}"
    return f"{said}; say with --session which one, nothing was written"


def _why_not(report: Report, missing: Sequence[NoTimeline], logs: Sequence[str], session: str | None) -> str:
    from lifespec.diagnostics import find_nearest

    if len(logs) > 1:
        return f"session {visible(session or '')} is in several logs: {visible(', '.join(logs))}; give one of them"
    known = {finding.violation.session for finding in report.findings}
    nearest = find_nearest(session or "", known) if session not in known else None
    hint = f"; did you mean {visible(nearest)}?" if nearest else ""
    first = missing[0]
    return f"cannot draw session {visible(first.session)}: {first.why}{hint}"
