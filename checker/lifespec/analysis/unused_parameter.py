"""Parameters that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.diagnostics import Diagnostic, Label
from lifespec.model.model import Model


def find_unused_parameters(model: Model) -> Iterator[Diagnostic]:
    """Parameters that no bound, rule, condition or other parameter reads; to be set by a profile is no use."""
    for name, param in model.params.items():
        if not param.uses:
            yield Diagnostic(
                "unused-parameter",
                f"parameter `{name}` is never read",
                Label(param.span, "only declared"),
                help=("use it in place of the number it stands for, or take it away",),
            )
