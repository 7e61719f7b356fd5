"""Parameters that were never said to be tested anywhere."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.diagnostics import Diagnostic, Label
from lifespec.model.model import Model


def find_untested_parameters(model: Model) -> Iterator[Diagnostic]:
    """Parameters without a text behind their value, or with a blank one."""
    for name, param in model.params.items():
        if not (param.tested or "").strip():
            yield Diagnostic(
                "untested-parameter",
                f"parameter `{name}` does not say where its value was tested",
                Label(param.span, "tested where?"),
                help=(f'write `param {name} = {param.written} "WHERE IT WAS TESTED"`',),
            )
