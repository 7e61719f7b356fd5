"""`lifespec infer LOG...`: a draft from logs. Owns the options and what is said when there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lifespec.cli.descriptor import find_descriptor
from lifespec.cli.given_logs import find_given_logs
from lifespec.cli.once import Once
from lifespec.cli.output import STANDARD, Failure, output_option, spare_inputs, write

if TYPE_CHECKING:
    from lifespec.log_file import Log


@click.command("infer")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@click.option(
    "--name", cls=Once, metavar="NAME", help="The name of the lifecycle; that of FILE unless given, else `draft`."
)
@click.option(
    "--binding",
    cls=Once,
    metavar="NAME",
    help="Read the logs as this ready-made binding does, such as qlog or otlp; the draft extends it.",
)
@click.option("--session", cls=Once, metavar="FIELD", help="The field that says to which session a record belongs.")
@click.option("--time", cls=Once, metavar="FIELD", help="The field with the time of a record.")
@click.option("--event", cls=Once, metavar="FIELD", help="The field with the name of what happened.")
@click.option("--state", cls=Once, metavar="FIELD", help="The field with the state that a record enters.")
@click.option("--from", "source", cls=Once, metavar="FIELD", help="The field with the state that a record leaves.")
@click.option("--machine", cls=Once, metavar="FIELD", help="The field that says which machine a record is about.")
@click.option("--owner", cls=Once, metavar="FIELD", help="The field with the party that caused it.")
@click.option(
    "--key",
    "keys",
    metavar="FIELD",
    multiple=True,
    help="A field whose values are the instances of a machine; may be given again.",
)
@output_option
def command(
    logs: tuple[str, ...],
    name: str | None,
    binding: str | None,
    keys: tuple[str, ...],
    output: str,
    **fields: str | None,
) -> None:
    """Draft a lifecycle and a binding from logs: what was seen in them, to be read and mended.

    A LOG is given as for check. A FIELD inside of others is written with dots: data.type. `none` as FIELD says that
    no field is it.

    \b
    Example:  lifespec infer logs/*.jsonl -o draft.lifespec
              lifespec lint draft.lifespec
              lifespec check draft.lifespec logs/*.jsonl

    Exit status: 0 drafted, 2 could not draft.
    """
    from lifespec.infer.flat import NothingRead
    from lifespec.infer.infer import NothingFound, infer
    from lifespec.infer.length import counted
    from lifespec.infer.name import is_writable
    from lifespec.infer.role import Choices, NoSuchField, Unfit
    from lifespec.system_error import os_error_words

    if name is not None and not is_writable(name):
        raise click.UsageError("`--name` is no name that the language can write")
    choices = Choices(**fields, keys=keys)
    lifecycle = name or _name_from(output)
    if binding is not None:
        given = ["--from" if part == "source" else f"--{part}" for part, field in fields.items() if field is not None]
        given += ["--key"] if keys else []
        if given:
            raise click.UsageError(f"`--binding` says which field is what, and so does `{given[0]}`: give one of them")
        lifecycle = _lifecycle_of(binding, name) or lifecycle
    named = find_given_logs(None, logs)
    spare_inputs(output, [*logs, *(log.name for log in named)])
    is_file = output != STANDARD and find_descriptor(output) is None
    if is_file and Path(output).is_file():  # a person may have worked on it
        raise Failure(f"{output} is there already; nothing was written")
    try:
        named = [_to_read_again(log) for log in named]
        draft = infer(named, name=lifecycle, binding=f"{lifecycle}-log", choices=choices, ready_made=binding)
    except OSError as error:
        raise Failure(f"cannot read {os_error_words(error)}") from None
    except NothingRead as error:
        raise Failure(f"no record could be read: {error}{_hint(named, binding)}") from None
    except NothingFound as error:
        raise Failure(
            f"no field looks like an event or a state; the records have {error}. Name one: "
            f"`--event FIELD` or `--state FIELD`{error.unseen and f'. But {error.unseen}'}{_hint(named, binding)}"
        ) from None
    except Unfit as error:
        raise Failure(str(error)) from None
    except NoSuchField as error:
        from lifespec.diagnostics.nearest import find_nearest

        nearest = find_nearest(error.written, error.names)
        hint = f"; did you mean `{nearest}`?" if nearest else f"; there are {', '.join(error.names[:12])}"
        raise Failure(f"no record has a field `{error.written}`{hint}") from None
    if not draft.machines:
        raise Failure(
            f"{counted(draft.records, 'record')} read, and no step of a machine seen in them: too little to draft from"
        )
    write(draft.text, output)
    if is_file:
        seen = f"{counted(draft.records, 'record')} of {counted(draft.sessions, 'session')}"
        made = f"{counted(draft.machines, 'machine')}, {counted(draft.moves, 'transition')}"
        click.echo(f"wrote {output}: {made} from {seen}; try\n")
        click.echo(f"  lifespec lint {output}\n  lifespec check {output} {_shown(logs)}")


def _to_read_again(log: Log) -> Log:
    """The log, kept where it is a pipe: it is read several times. Raises OSError."""
    from lifespec.log_file import kept

    path = Path(log.name)
    return kept(log.name, path.open("rb", buffering=0)) if log.stream is None and path.is_fifo() else log


def _lifecycle_of(binding: str, name: str | None) -> str | None:
    """The lifecycle that a ready-made binding is for, which is the name of the draft. Raises UsageError."""
    from lifespec.diagnostics.nearest import find_nearest
    from lifespec.infer.ready_made import ready_made_bindings

    found = ready_made_bindings()
    if binding not in found:
        nearest = find_nearest(binding, found)
        hint = f"did you mean `{nearest}`?" if nearest else f"there are {', '.join(found)}"
        raise click.UsageError(f"no ready-made binding is called `{binding}`; {hint}")
    lifecycle = found[binding]
    if lifecycle is not None and name not in (None, lifecycle):
        raise click.UsageError(
            f"the binding `{binding}` is for the lifecycle `{lifecycle}`: the draft has to be called so"
        )
    return lifecycle


def _hint(logs: Sequence[Log], binding: str | None) -> str:
    """Which ready-made binding reads what could not be understood, if one does."""
    from lifespec.infer.ready_made import find_readers

    try:
        found = [each for each in find_readers(logs[0]) if each != binding]
    except OSError:
        return ""
    return f". The ready-made binding `{found[0]}` reads it: `--binding {found[0]}`" if found else ""


def _name_from(output: str) -> str:
    """The name of the lifecycle after that of the file it is written to."""
    stem = Path(output).stem if output != STANDARD and find_descriptor(output) is None else ""
    word = "-".join(part for part in re.split(r"[^\w]+|-+", stem) if part)
    return word[:60] if word and not word[0].isdigit() else "draft"


def _shown(logs: tuple[str, ...]) -> str:
    return " ".join(logs[:3]) + (" ..." if len(logs) > 3 else "")
