"""`lifespec lint SPEC...`: errors and warnings about lifecycles. Owns the order and form of its answer."""

from __future__ import annotations

from collections.abc import Mapping

import click

from lifespec.cli.once import Once
from lifespec.cli.output import colour_option, form_for, output_option, palette_for, spare_inputs, width_for, write
from lifespec.diagnostics import Diagnostic, Severity
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import render_concise, render_diagnostic, severity_shown
from lifespec.explain_words import times
from lifespec.source import Source

_SCHEMA_VERSION = 1
_FAIL_ON = {"error": (Severity.ERROR,), "warning": (Severity.ERROR, Severity.WARNING), "info": tuple(Severity)}


@click.command("lint")
@click.argument("specs", metavar="SPEC...", nargs=-1, required=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "concise", "json"]),
    default="text",
    show_default=True,
    help="concise is one finding a line.",
)
@click.option(
    "--binding",
    cls=Once,
    metavar="NAME|FILE",
    help="Look at this binding too, with the names of SPEC: a ready-made one, or those in FILE (as for `check`).",
)
@click.option("--profile", cls=Once, metavar="NAME", help="Read parameters as the profile NAME sets them.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info", "never"]),
    default="error",
    show_default=True,
    help="The least severity that makes the exit status 1.",
)
@output_option
@colour_option
@click.pass_context
def command(
    ctx: click.Context,
    specs: tuple[str, ...],
    form: str,
    binding: str | None,
    profile: str | None,
    fail_on: str,
    output: str,
    colour: str,
) -> None:
    """Find mistakes in lifecycles: what is wrong, and what is written but cannot be meant.

    Bindings that stand in SPEC are looked at with it; one in a file of its own needs the lifecycle whose names it
    maps, and is given with --binding.

    \b
    Example:  lifespec lint avatar.lifespec
              lifespec lint avatar.lifespec --binding my-client.lifespec
    """
    from lifespec.analysis.lint import lint
    from lifespec.load import is_file, load

    found: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    for spec in specs:
        loaded = load(spec, profile, [binding] if binding is not None and is_file(binding) else [])
        sources.update(loaded.sources)
        found += loaded.diagnostics
        if loaded.model is not None:
            found += lint(loaded.model)
            if binding is not None and not is_file(binding):
                from lifespec.trace.binding import compile_binding
                from lifespec.trace.choose import choose_binding

                chosen, problems = choose_binding(loaded.model, binding)
                found += problems if chosen is None else compile_binding(loaded.model, chosen)[1]
    spare_inputs(output, [*specs, *sources, *([binding] if binding else [])])
    form = form_for(form, output, ("text", "json"))
    order = {name: index for index, name in enumerate(sources)}
    found = sorted(dict.fromkeys(found), key=lambda each: (order.get(each.sort_key[0], -1), *each.sort_key))
    palette = palette_for(output, colour)
    write(_render(found, specs, sources, form, palette, width_for(output)), output, palette)
    unread = any(each.name in ("unreadable-file", "no-such-binding") for each in found)
    ctx.exit(2 if unread else int(any(severity_shown(each) in _FAIL_ON.get(fail_on, ()) for each in found)))


def _render(
    found: list[Diagnostic],
    specs: tuple[str, ...],
    sources: Mapping[str, Source],
    form: str,
    palette: Palette,
    width: int,
) -> str:
    if form == "json":
        from lifespec.reports.json import diagnostic_value, dump

        return dump(
            {
                "schema_version": _SCHEMA_VERSION,
                "specs": list(specs),
                "findings": [diagnostic_value(each, sources) for each in found],
            }
        )
    if form == "concise":
        return "".join(f"{render_concise(each, sources)}\n" for each in found)
    parts = [render_diagnostic(each, sources, palette, width) for each in found]
    return "\n\n".join([*parts, _conclusion(found, specs, palette)]) + "\n"


def _conclusion(found: list[Diagnostic], specs: tuple[str, ...], palette: Palette) -> str:
    counts = []
    for severity in Severity:
        count = sum(1 for each in found if severity_shown(each) is severity)
        if count:
            counts.append(palette.severity(severity, times(count, severity.value)))
    said = ", ".join(counts) if counts else palette.paint("good", "nothing found")
    return f"{said} in {specs[0] if len(specs) == 1 else times(len(specs), 'lifecycle')}"
