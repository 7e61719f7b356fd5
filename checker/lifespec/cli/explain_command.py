"""`lifespec explain NAME`: the page of a finding, a shipped lifecycle or a ready-made binding. Owns finding the page
and laying it out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

import click

from lifespec.cli.output import colour_option, palette_for, width_for, write
from lifespec.diagnostics import NAMES, Stage, find_nearest
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import wrapped
from lifespec.pages import find_page
from lifespec.shipped import PREFIX, find_shipped_page, is_shipped_name, shipped_lifecycles, shipped_title


@click.command("explain")
@click.argument("name", required=False)
@colour_option
@click.pass_context
def command(ctx: click.Context, name: str | None, colour: str) -> None:
    """Say what the finding NAME means, what the shipped lifecycle lib:NAME is, or what the ready-made binding NAME
    reads; without NAME list all of them.

    \b
    Example:  lifespec explain lost-record
              lifespec explain lib:webrtc
              lifespec explain rtcstats
    """
    from lifespec.cli.explain_binding import binding_page
    from lifespec.trace.library import library_bindings

    palette = palette_for("-", colour)
    if name is None:
        write(_list(palette, width_for("-")), "-", palette)
        return
    lifecycle = name.removeprefix(PREFIX) if is_shipped_name(name) else None
    page: str | None
    if lifecycle is not None:
        page = find_shipped_page(lifecycle)
    elif name in NAMES:
        entry = NAMES[name]
        page = find_page(name) or f"{entry.name} ({entry.severity.value}): {entry.summary}\n"
    else:
        page = binding_page(name) if name in library_bindings() else None
    if page is None:
        click.echo(f"lifespec: {_unknown(name, lifecycle, library_bindings())}", err=True)
        ctx.exit(2)
    write(_laid_out(page, palette, width_for("-")), "-", palette)


def _unknown(name: str, lifecycle: str | None, bindings: Iterable[str]) -> str:
    """That nothing is called so, and what is nearly."""
    shipped = shipped_lifecycles()
    if lifecycle is not None:
        said = f"no lifecycle called `{name}` ships"
        near = find_nearest(lifecycle, shipped)
        nearest = PREFIX + near if near else None
    else:
        said = f"there is no finding and no ready-made binding called `{name}`"
        nearest = PREFIX + name if name in shipped else find_nearest(name, [*NAMES, *bindings])
    return f"{said}; " + (f"did you mean `{nearest}`?" if nearest else "`lifespec explain` lists all")


def _list(palette: Palette, width: int) -> str:
    from lifespec.cli.explain_binding import binding_title
    from lifespec.trace.library import library_bindings

    lifecycles = {f"{PREFIX}{each}": shipped_title(each) for each in shipped_lifecycles()}
    bindings = {each: binding_title(each) for each in library_bindings()}
    column = max(map(len, [*NAMES, *lifecycles, *bindings]))
    parts = []
    for stage in Stage:
        lines = [palette.paint("strong", f"findings: {stage.value}")]
        for entry in (each for each in NAMES.values() if each.stage is stage):
            name = palette.severity(entry.severity, f"{entry.name:<{column}}")
            lines += _row(name, entry.summary, column, width)
        parts.append("\n".join(lines))
    for heading, entries in (("lifecycles that ship", lifecycles), ("ready-made bindings", bindings)):
        lines = [palette.paint("strong", heading)]
        for name, title in entries.items():
            lines += _row(f"{name:<{column}}", title, column, width)
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


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
