"""Loading a lifecycle for a command. Owns the way from a path to a Model or to a clear end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NoReturn

import click

from lifespec.cli.output import STANDARD
from lifespec.diagnostics import Diagnostic, Severity
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import render_diagnostic, severity_shown
from lifespec.load import Loaded, load
from lifespec.model.model import Model
from lifespec.source import Source


def load_or_end(ctx: click.Context, path: str, profile: str | None, palette: Palette) -> tuple[Model, Loaded]:
    """The Model of a lifecycle that is sound; else its errors are printed to standard error and the command ends."""
    if path == STANDARD:
        raise click.UsageError("the lifecycle is read from a file, not from standard input")
    loaded = load(path, profile)
    if loaded.model is None:
        end_with(ctx, errors_of(loaded.diagnostics), loaded.sources, palette)
    return loaded.model, loaded


def errors_of(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(each for each in diagnostics if severity_shown(each) is Severity.ERROR)


def end_with(
    ctx: click.Context, diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source], palette: Palette
) -> NoReturn:
    """Print why the command cannot go on, and end it with status 2."""
    for diagnostic in diagnostics:
        click.echo(render_diagnostic(diagnostic, sources, palette) + "\n", err=True, color=palette.colour or None)
    ctx.exit(2)
