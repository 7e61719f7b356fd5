"""`lifespec init`: a lifecycle to start from, with a small log. Owns what is written where."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from lifespec.cli.output import Failure
from lifespec.system_error import os_error_words

_SUFFIX = ".lifespec"


@click.command("init")
@click.argument("file", default=f"lifecycle{_SUFFIX}")
@click.pass_context
def command(ctx: click.Context, file: str) -> None:
    """Write a commented lifecycle to FILE, and next to it a small log to check.

    Nothing is overwritten.

    \b
    Example:  lifespec init my.lifespec
    """
    spec = Path(file if Path(file).suffix else file + _SUFFIX)
    log = spec.with_suffix(".jsonl")
    for path in (spec, log):
        if path.exists() or path.is_symlink():
            raise Failure(f"{path} is there already; nothing was written")
    templates = files("lifespec.templates")
    for path, template in ((spec, "starter.lifespec"), (log, "starter.jsonl")):
        try:
            with path.open("x", encoding="utf-8", newline="\n") as handle:
                handle.write(templates.joinpath(template).read_text(encoding="utf-8"))
        except OSError as error:
            raise Failure(f"cannot write {os_error_words(error, str(path))}") from None
    click.echo(f"wrote {spec} and {log}; try\n")
    click.echo(f"  lifespec lint {spec}\n  lifespec check {spec} {log}")
