"""`lifespec export SPEC --to FORMAT`: the graph of a lifecycle for other tools. Owns options only."""

from __future__ import annotations

import click

from lifespec.cli.draw_command import known_machine
from lifespec.cli.once import Once
from lifespec.cli.output import STANDARD, output_option, palette_for, spare_inputs, write


@click.command("export")
@click.argument("spec", metavar="SPEC")
@click.option(
    "--to",
    "form",
    type=click.Choice(["graphml", "node-link"]),
    required=True,
    help="GraphML, or the node-link JSON of networkx.",
)
@click.option("--machine", cls=Once, metavar="NAME", help="Write only the machine NAME.")
@click.option("--profile", cls=Once, metavar="NAME", help="Write parameters as the profile NAME sets them.")
@output_option
@click.pass_context
def command(ctx: click.Context, spec: str, form: str, machine: str | None, profile: str | None, output: str) -> None:
    """Write states and transitions as a graph: every node and edge with all that the lifecycle says of it.

    \b
    Example:  lifespec export avatar.lifespec --to graphml -o avatar.graphml
    """
    from lifespec.cli.spec_argument import load_or_end
    from lifespec.graph import ExportFormat, export

    model, loaded = load_or_end(ctx, spec, profile, palette_for(STANDARD, "auto"))
    spare_inputs(output, [spec, *loaded.sources])
    known_machine(model, machine)
    write(export(model, ExportFormat(form), machine), output)
