"""Declared fields that nothing reads or requires."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.analysis.usage import Usage
from lifespec.diagnostics import Diagnostic, Label
from lifespec.model.model import Model


def find_unused_fields(model: Model, usage: Usage) -> Iterator[Diagnostic]:
    """Fields that are only declared, say nothing of themselves and check no more than a type.

    A pattern, bounds or a list of values are a rule of their own: every event that carries the field is
    held to it. `reason` is left to `unused-reason`.
    """
    for name, spec in model.fields.items():
        is_rule = bool(spec.like or spec.bounds or spec.values)
        if name != "reason" and name not in usage.fields and not is_rule and not spec.doc:
            yield Diagnostic(
                "unused-field",
                f"field `{name}` is neither required nor read",
                Label(spec.span, "only declared"),
                notes=("where an event carries it, its type is still checked",),
                help=(f"write `requires {name}` where it is owed, say in a text what it is, or take it away",),
            )
