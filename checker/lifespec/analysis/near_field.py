"""Undeclared fields that are nearly declared ones."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.analysis.slip import find_slip
from lifespec.analysis.usage import Usage
from lifespec.diagnostics import Diagnostic, Label
from lifespec.model.model import Model


def find_near_fields(model: Model, usage: Usage) -> Iterator[Diagnostic]:
    """A field that is required or read, is neither declared nor a key, and differs from one in a slip. An
    undeclared field may well be meant; a slip makes what it stands in never hold, or never be judged."""
    keys = (key for machine in model.machines.values() for key in machine.keys)
    known = dict.fromkeys([*model.fields, *keys])
    for name, span in usage.fields.items():
        near = find_slip(name, known) if name not in known and span is not None else None
        if near is not None and span is not None:
            yield Diagnostic(
                "near-field",
                f"field `{name}` is not declared, and nearly `{near}`",
                Label(span, f"`{name}` is named here"),
                help=(f"write `{near}`, or declare `{name}` if it is another one",),
            )
