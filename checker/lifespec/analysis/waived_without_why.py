"""Failure states that waive their reason and do not say why."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.diagnostics import Diagnostic, Label
from lifespec.model.model import Model


def find_waived_without_why(model: Model) -> Iterator[Diagnostic]:
    """`failure x without reason` with no text behind it, or a blank one."""
    for machine in model.machines.values():
        for state in machine.states.values():
            if state.waived_why is not None and not state.waived_why.strip():
                yield Diagnostic(
                    "waived-without-why",
                    f"failure `{state.name}` of machine `{machine.name}` waives its reason and does not say why",
                    Label(state.span, "why?"),
                    help=('write `without reason "WHY NONE CAN BE GIVEN"`',),
                )
