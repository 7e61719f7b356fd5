"""The command `lifespec`. Owns the edge: arguments, exit statuses, what is said when the world fails.

A command is imported only when it is called, so that `--version` and `lint` stay quick.
Exit status: 0 nothing wrong, 1 findings, 2 could not check, 130 interrupted, 141 nobody reads standard output.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from lifespec.cli.output import Remarks
from lifespec.cli.value_type import with_words
from lifespec.system_error import os_error_words
from lifespec.version import __version__

__all__ = ["cli", "main"]

# Name -> one line of help. The module of a command is lifespec.cli.NAME_command.
_COMMANDS = {
    "check": "Check logs against a lifecycle.",
    "timeline": "Draw what happened in one session of a log.",
    "stats": "Say how often what goes wrong, and how long what takes.",
    "compare": "Say whether a release is worse than another.",
    "lint": "Find mistakes in lifecycles.",
    "draw": "Draw a lifecycle.",
    "export": "Write the graph of a lifecycle for other tools.",
    "infer": "Draft a lifecycle and a binding from logs.",
    "init": "Write a lifecycle to start from.",
    "explain": "Say what a finding, a lifecycle or a binding is.",
}


class _LazyGroup(click.Group):
    """A group that knows its commands by name and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = import_module(f"lifespec.cli.{cmd_name}_command").command
        assert isinstance(command, click.Command)
        for param in command.params:
            param.type = with_words(param.type)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from lifespec.diagnostics.nearest import find_nearest

            nearest = find_nearest(args[0], _COMMANDS) if args else None
            if nearest is None:
                raise
            raise click.UsageError(f"No such command {args[0]!r}. Did you mean {nearest!r}?", ctx) from error


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 90},
    epilog="Exit status: 0 nothing wrong, 1 findings, 2 could not check.",
)
@click.version_option(__version__, "--version", prog_name="lifespec", message="%(prog)s %(version)s")
def cli() -> None:
    """One text says what a connection may do; these commands draw it and check logs against it.

    \b
    Start with:  lifespec init my.lifespec
                 lifespec check my.lifespec my-log.jsonl

    SPEC is a file, or lib:NAME for a lifecycle that ships; lifespec explain lists them, and the bindings that
    read well-known logs.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave the process with its exit status."""
    _prepare_streams()
    status = _run(arguments)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # all is said; from here on Ctrl-C only ends the process
    sys.exit(status)


def _prepare_streams() -> None:
    """A closed stream is written to nowhere; a character that the terminal's encoding lacks is escaped."""
    nowhere: Any = None
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = nowhere or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  open until the process ends
            setattr(sys, name, nowhere)
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    with contextlib.suppress(OSError, ValueError):  # not of a file
        remarks = io.BufferedWriter(Remarks(sys.stderr))
        sys.stderr = io.TextIOWrapper(remarks, sys.stderr.encoding, "backslashreplace", line_buffering=True)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        given = None if arguments is None else list(arguments)
        status = cli.main(args=given, prog_name="lifespec", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("lifespec: interrupted; what was printed so far is not a verdict", err=True)
        return 130
    except OSError as error:
        click.echo(f"lifespec: {os_error_words(error)}", err=True)
        return 2
    return status if isinstance(status, int) else 0
