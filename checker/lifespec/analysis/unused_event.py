"""Event declarations that say nothing."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.analysis.usage import Usage
from lifespec.diagnostics import Diagnostic, Label
from lifespec.model.model import Model


def find_unused_events(model: Model, usage: Usage) -> Iterator[Diagnostic]:
    """Declared events that require nothing, say nothing of themselves, and that nothing else names."""
    for name, event in model.events.items():
        if name not in usage.events and not event.requires and not event.doc:
            yield Diagnostic(
                "unused-event",
                f"event `{name}` is only declared",
                Label(event.span, "nothing else names it"),
                notes=("to declare it makes it legal in every state",),
                help=("say what it is in a text, require a field, name it in a transition or rule, or take it away",),
            )
