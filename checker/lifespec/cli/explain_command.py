"""`lifespec explain NAME`: the page of a finding. Owns finding and printing the page."""

from __future__ import annotations

import textwrap
from itertools import groupby

import click

from lifespec.cli.output import colour_option, palette_for, width_for, write
from lifespec.diagnostics import NAMES, find_nearest
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import wrapped
from lifespec.pages import find_page


@click.command("explain")
@click.argument("name", required=False)
@colour_option
@click.pass_context
def command(ctx: click.Context, name: str | None, colour: str) -> None:
    """Say what the finding NAME means, with an example; without NAME list all findings.

    \b
    Example:  lifespec explain lost-record
    """
    palette = palette_for("-", colour)
    if name is None:
        write(_list(palette, width_for("-")), "-", palette)
        return
    page = find_page(name) if name in NAMES else None
    if page is not None:
        write(_laid_out(page, palette, width_for("-")), "-", palette)
        return
    if name in NAMES:
        entry = NAMES[name]
        write(f"{entry.name} ({entry.severity.value}): {entry.summary}\n", "-", palette)
        return
    nearest = find_nearest(name, NAMES)
    hint = f"did you mean `{nearest}`?" if nearest else "`lifespec explain` lists all"
    click.echo(f"lifespec: there is no finding called `{name}`; {hint}", err=True)
    ctx.exit(2)


def _list(palette: Palette, width: int) -> str:
    parts = []
    column = max(map(len, NAMES))
    for stage, entries in groupby(NAMES.values(), key=lambda entry: entry.stage):
        lines = [palette.paint("strong", stage.value)]
        for entry in entries:
            body = textwrap.wrap(entry.summary, max(24, width - column - 4))
            lines.append(f"  {palette.severity(entry.severity, f'{entry.name:<{column}}')}  {body[0]}")
            lines += [f"{' ' * (column + 4)}{line}" for line in body[1:]]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _laid_out(page: str, palette: Palette, width: int) -> str:
    """The page with its paragraphs filled to the width; examples, tables and lists stay as they are."""
    lines: list[str] = []
    paragraph: list[str] = []
    inside = False
    for line in [*page.rstrip("\n").split("\n"), ""]:
        is_prose = (not inside and line[:1].isalnum()) or (paragraph and line.strip() and not line.startswith("```"))
        if is_prose:
            paragraph.append(line)
            continue
        if paragraph:
            lines += wrapped(" ".join(paragraph), width, "")
            paragraph = []
        if line.startswith("```"):
            inside = not inside
            lines.append(palette.paint("quiet", line))
        elif line.startswith("#"):
            lines.append(palette.paint("strong", line))
        else:
            lines.append(palette.paint("help", line) if inside else line)
    return "\n".join(lines).rstrip("\n") + "\n"
