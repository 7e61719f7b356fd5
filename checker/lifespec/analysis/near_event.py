"""Events that only a rule expects, and that are nearly events of a machine."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.analysis.slip import find_slip
from lifespec.analysis.usage import Usage
from lifespec.diagnostics import Diagnostic, Label
from lifespec.model.model import EventAnswer, Every, Expect, Model, OnPart, WhenPart, WhilePart


def find_near_events(model: Model, usage: Usage) -> Iterator[Diagnostic]:
    """An answer that nothing but rules knows and that differs from a known event in a slip would never come.

    An answer that is like its question (`ping`, `pong`) is meant so.
    """
    handled = {**dict.fromkeys(model.events), **usage.handled}
    for rule in model.rules:
        for part in rule.parts:
            if not isinstance(part, OnPart | WhenPart | WhilePart):
                continue
            asking = part.events if isinstance(part, OnPart) else ()
            for action in part.actions:
                for answer in action.answers if isinstance(action, Expect | Every) else ():
                    for name in answer.events if isinstance(answer, EventAnswer) else ():
                        near = find_slip(name, handled)
                        if name not in handled and near is not None and not find_slip(name, asking):
                            yield Diagnostic(
                                "near-event",
                                f"event `{name}` is known to this rule alone, and nearly `{near}`",
                                Label(answer.span, f"expects `{name}`"),
                                help=(f'write `{near}`, or declare `event {name} "WHAT IT IS"`',),
                            )
