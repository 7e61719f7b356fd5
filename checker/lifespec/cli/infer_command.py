"""`lifespec infer LOG...`: a draft from logs. Owns the options and what is said when there is none."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from lifespec.cli.output import STANDARD, Failure, output_option, spare_inputs, write

_STDIN = "<stdin>"


@click.command("infer")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@click.option("--name", metavar="NAME", help="The name of the lifecycle; that of FILE unless given, else `draft`.")
@click.option(
    "--binding", metavar="NAME", help="The name of the binding; that of the lifecycle and `-log` unless given."
)
@click.option("--session", metavar="FIELD", help="The field that says to which session a record belongs.")
@click.option("--time", metavar="FIELD", help="The field with the time of a record.")
@click.option("--event", metavar="FIELD", help="The field with the name of what happened.")
@output_option
def command(
    logs: tuple[str, ...],
    name: str | None,
    binding: str | None,
    session: str | None,
    time: str | None,
    event: str | None,
    output: str,
) -> None:
    """Draft a lifecycle and a binding from logs: what was seen in them, to be read and mended.

    A LOG is given as for check. A FIELD inside of others is written with dots: data.type.

    \b
    Example:  lifespec infer logs/*.jsonl -o draft.lifespec
              lifespec lint draft.lifespec
              lifespec check draft.lifespec logs/*.jsonl

    Exit status: 0 drafted, 2 could not draft.
    """
    from lifespec.infer.length import counted
    from lifespec.infer.flat import NothingRead
    from lifespec.infer.infer import NothingFound, infer
    from lifespec.infer.name import is_writable
    from lifespec.infer.role import Choices, NoSuchField, NoTimes
    from lifespec.log_file import Log, find_repeated, kept
    from lifespec.log_input import NoSuchLogs, find_logs
    from lifespec.system_error import os_error_words

    for option, given in (("--name", name), ("--binding", binding)):
        if given is not None and not is_writable(given):
            raise click.UsageError(f"`{option}` is no name that the language can write")
    if logs.count(STANDARD) > 1:
        raise click.UsageError("standard input can be read once: `-` is given twice")
    try:
        found = find_logs(logs)
    except NoSuchLogs as error:
        raise click.UsageError(str(error)) from None
    repeated = find_repeated([Log(log) for log in found])
    if repeated is not None:
        raise click.UsageError(f"{repeated} is given twice")
    spare_inputs(output, found)
    if output != STANDARD and Path(output).is_file():  # a person may have worked on it
        raise Failure(f"{output} is there already; nothing was written")
    if STANDARD in found and sys.stdin is None:
        raise click.UsageError("standard input is closed")
    named = [
        kept(_STDIN, getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)) if log == STANDARD else Log(log)
        for log in found
    ]
    lifecycle = name or _name_from(output)
    try:
        draft = infer(
            named, name=lifecycle, binding=binding or f"{lifecycle}-log", choices=Choices(session, time, event)
        )
    except OSError as error:
        raise Failure(f"cannot read {os_error_words(error)}") from None
    except NothingRead as error:
        raise Failure(f"no record could be read: {error}") from None
    except NothingFound as error:
        raise Failure(
            f"no field looks like an event or a state; the records have {error}. Name one: `--event FIELD`"
        ) from None
    except NoTimes as error:
        raise Failure(f"the field `{error}` holds no times: neither ISO 8601 nor numbers") from None
    except NoSuchField as error:
        from lifespec.diagnostics.nearest import find_nearest

        nearest = find_nearest(error.written, error.names)
        hint = f"; did you mean `{nearest}`?" if nearest else f"; there are {', '.join(error.names[:12])}"
        raise Failure(f"no record has a field `{error.written}`{hint}") from None
    write(draft.text, output)
    if output != STANDARD:
        seen = f"{counted(draft.records, 'record')} of {counted(draft.sessions, 'session')}"
        made = f"{counted(draft.machines, 'machine')}, {counted(draft.moves, 'transition')}"
        click.echo(f"wrote {output}: {made} from {seen}; try\n")
        click.echo(f"  lifespec lint {output}\n  lifespec check {output} {_shown(logs)}")


def _name_from(output: str) -> str:
    """The name of the lifecycle after that of the file it is written to."""
    stem = Path(output).stem if output != STANDARD else ""
    word = "-".join(part for part in re.split(r"[^\w]+|-+", stem) if part)
    return word[:60] if word and not word[0].isdigit() else "draft"


def _shown(logs: tuple[str, ...]) -> str:
    return " ".join(logs[:3]) + (" ..." if len(logs) > 3 else "")
