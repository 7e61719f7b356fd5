"""`lifespec draw SPEC`: a picture of a lifecycle, or whether one is still true. Owns files and formats."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lifespec.cli.once import Once
from lifespec.cli.output import STANDARD, Failure, given_output, palette_for, spare_inputs, write_bytes
from lifespec.system_error import os_error_words

if TYPE_CHECKING:
    from lifespec.graph.mark import Format
    from lifespec.model.model import Model

_FORMATS = ("svg", "png", "pdf", "dot", "mmd")
_LARGEST = 64 * 1024 * 1024  # bytes of a picture that is checked


@click.command("draw")
@click.argument("spec", metavar="SPEC")
@click.option(
    "-o",
    "--output",
    cls=Once,
    metavar="FILE",
    callback=lambda ctx, param, value: None if value is None else given_output(value),
    help="Write the picture to FILE; - is standard output.",
)
@click.option("--machine", cls=Once, metavar="NAME", help="Draw only the machine NAME.")
@click.option(
    "--format", "form", type=click.Choice(_FORMATS), help="What to write, where the ending of FILE does not say it."
)
@click.option("--profile", cls=Once, metavar="NAME", help="Show parameters as the profile NAME sets them.")
@click.option(
    "--check", "check", cls=Once, metavar="FILE", help="Only say whether the picture in FILE still shows SPEC."
)
@click.pass_context
def command(
    ctx: click.Context,
    spec: str,
    output: str | None,
    machine: str | None,
    form: str | None,
    profile: str | None,
    check: str | None,
) -> None:
    """Draw the machines of a lifecycle: .svg, .png and .pdf by Graphviz, .dot and .mmd (Mermaid) without.

    \b
    Example:  lifespec draw lib:avatar -o avatar.svg
              lifespec draw avatar.lifespec --check avatar.svg

    Exit status: 0 drawn or still true, 1 the picture is stale, 2 could not draw or check.
    """
    from lifespec.cli.spec_argument import load_or_end

    if (output is None) == (check is None):
        raise click.UsageError("say where to: `-o FILE` writes a picture, `--check FILE` checks one")
    chosen = _format(check or output or STANDARD, form)
    model, loaded = load_or_end(ctx, spec, profile, palette_for(STANDARD, "auto"))
    spare_inputs(output or STANDARD, [spec, *loaded.sources])
    known_machine(model, machine)
    if check is not None:
        ctx.exit(_check(model, check, chosen, machine))
    _draw(model, output or STANDARD, chosen, machine)


def _format(path: str, form: str | None) -> Format:
    """The format asked for, else the one that the ending of the file says."""
    from lifespec.graph import Format, format_of

    chosen = Format(form) if form is not None else format_of(path)
    if chosen is not None:
        return chosen
    if path == STANDARD:
        raise click.UsageError(f"say what to write with --format: {', '.join(_FORMATS)}")
    ending = Path(path).suffix
    said = f"there is no picture with the ending {ending}" if ending else f"{path} has no ending"
    raise click.UsageError(f"{said}; endings are {', '.join(f'.{each}' for each in _FORMATS)}, or say --format")


def known_machine(model: Model, machine: str | None) -> None:
    """Raises click.UsageError when the lifecycle has no such machine; None is every machine."""
    from lifespec.diagnostics import find_nearest

    if machine is None or machine in model.machines:
        return
    nearest = find_nearest(machine, model.machines)
    hint = f"did you mean {nearest}?" if nearest else f"its machines are {', '.join(model.machines)}"
    raise click.UsageError(f"{model.name} has no machine {machine}; {hint}")


def _draw(model: Model, output: str, form: Format, machine: str | None) -> None:
    from lifespec.graph import CannotDraw, draw

    try:
        content = draw(model, form, machine)
    except CannotDraw as error:
        raise Failure("\n  ".join([f"cannot draw: {error}", *error.help])) from None
    write_bytes(content, output)


def _check(model: Model, path: str, form: Format, machine: str | None) -> int:
    from lifespec.graph import Freshness, check_picture

    try:
        with open(path, "rb") as file:
            content = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        why = os_error_words(error, path) if isinstance(error, OSError) else f"{os.fsdecode(path)}: {error}"
        raise Failure(f"cannot read {why}") from None
    if len(content) > _LARGEST:
        raise Failure(f"{path} is larger than any picture")
    result = check_picture(content, form, model, machine)
    if result.freshness is Freshness.FRESH:
        return 0
    click.echo(f"{path} is {result.freshness.value}: {result.why}; draw it again with `-o {path}`", err=True)
    return 1
