"""Owners that own nothing."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.analysis.usage import Usage
from lifespec.diagnostics import Diagnostic, Label
from lifespec.model.model import Model


def find_unused_owners(model: Model, usage: Usage) -> Iterator[Diagnostic]:
    """Declared owners that no machine, transition, condition or binding names."""
    for name, owner in model.owners.items():
        if name not in usage.owners:
            yield Diagnostic(
                "unused-owner",
                f"owner `{name}` owns nothing",
                Label(owner.span, "never named"),
                help=("write `owned by` or `by` where it acts, or take it away",),
            )
