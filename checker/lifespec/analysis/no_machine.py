"""A lifecycle that no log can keep or break."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.diagnostics import Diagnostic, Label
from lifespec.model.model import Model


def find_no_machine(model: Model) -> Iterator[Diagnostic]:
    """A lifecycle without a machine has no states."""
    if not model.machines:
        yield Diagnostic(
            "no-machine",
            f"lifecycle `{model.name}` has no machine",
            Label(model.span, "has no states"),
            help=("declare `machine NAME { ... }`, or import the text that does",),
        )
