"""A declared list of reasons that nothing asks for."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.analysis.usage import Usage
from lifespec.diagnostics import Diagnostic, Label
from lifespec.model.model import Model


def find_unused_reasons(model: Model, usage: Usage) -> Iterator[Diagnostic]:
    """The field `reason` where no failure state, transition or event owes a reason."""
    spec = model.fields.get("reason")
    if spec is None or "reason" in usage.required:
        return
    yield Diagnostic(
        "unused-reason",
        "reasons are declared, and nothing owes one",
        Label(spec.span, "never owed"),
        notes=("entering a `failure` state owes a reason, unless it says `without reason`",),
        help=("declare the states that fail as `failure`, or write `requires reason`",),
    )
