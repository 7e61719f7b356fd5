"""`lifespec explain NAME`: the page of a finding or of a shipped lifecycle. Owns finding and printing the page."""

from __future__ import annotations

import textwrap
from itertools import groupby

import click

from lifespec.cli.output import colour_option, palette_for, width_for, write
from lifespec.diagnostics import NAMES, find_nearest
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import wrapped
from lifespec.pages import find_page
from lifespec.shipped import PREFIX, find_shipped_page, is_shipped_name, shipped_lifecycles, shipped_title


@click.command("explain")
@click.argument("name", required=False)
@colour_option
@click.pass_context
def command(ctx: click.Context, name: str | None, colour: str) -> None:
    """Say what the finding NAME means, or what the shipped lifecycle lib:NAME is; without NAME list all of them.

    \b
    Example:  lifespec explain lost-record
              lifespec explain lib:webrtc
    """
    palette = palette_for("-", colour)
    if name is None:
        write(_list(palette, width_for("-")), "-", palette)
        return
    if is_shipped_name(name):
        _explain_lifecycle(ctx, name, palette)
        return
    page = find_page(name) if name in NAMES else None
    if page is not None:
        write(_laid_out(page, palette, width_for("-")), "-", palette)
        return
    if name in NAMES:
        entry = NAMES[name]
        write(f"{entry.name} ({entry.severity.value}): {entry.summary}\n", "-", palette)
        return
    if name in shipped_lifecycles():
        click.echo(f"lifespec: there is no finding called `{name}`; did you mean `{PREFIX}{name}`?", err=True)
        ctx.exit(2)
    nearest = find_nearest(name, NAMES)
    hint = f"did you mean `{nearest}`?" if nearest else "`lifespec explain` lists all"
    click.echo(f"lifespec: there is no finding called `{name}`; {hint}", err=True)
    ctx.exit(2)


def _explain_lifecycle(ctx: click.Context, name: str, palette: Palette) -> None:
    lifecycle = name.removeprefix(PREFIX)
    page = find_shipped_page(lifecycle)
    if page is not None:
        write(_laid_out(page, palette, width_for("-")), "-", palette)
        return
    nearest = find_nearest(lifecycle, shipped_lifecycles())
    hint = f"did you mean `{PREFIX}{nearest}`?" if nearest else "`lifespec explain` lists all"
    click.echo(f"lifespec: no lifecycle called `{name}` ships; {hint}", err=True)
    ctx.exit(2)


def _list(palette: Palette, width: int) -> str:
    parts = []
    names = [f"{PREFIX}{lifecycle}" for lifecycle in shipped_lifecycles()]
    column = max(map(len, [*NAMES, *names]))
    for stage, entries in groupby(NAMES.values(), key=lambda entry: entry.stage):
        lines = [palette.paint("strong", stage.value)]
        for entry in entries:
            name = palette.severity(entry.severity, f"{entry.name:<{column}}")
            lines += _row(name, entry.summary, column, width)
        parts.append("\n".join(lines))
    lines = [palette.paint("strong", "lifecycles that ship")]
    for lifecycle, name in zip(shipped_lifecycles(), names, strict=True):
        lines += _row(f"{name:<{column}}", shipped_title(lifecycle), column, width)
    return "\n\n".join([*parts, "\n".join(lines)]) + "\n"


def _row(name: str, summary: str, column: int, width: int) -> list[str]:
    body = textwrap.wrap(summary, max(24, width - column - 4)) or [""]
    return [f"  {name}  {body[0]}".rstrip(), *(f"{' ' * (column + 4)}{line}" for line in body[1:])]


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
