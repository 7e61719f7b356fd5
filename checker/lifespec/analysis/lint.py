"""Everything that looks wrong in a sound Model. Owns the list of the rules, each in a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lifespec.analysis.near_event import find_near_events
from lifespec.analysis.near_field import find_near_fields
from lifespec.analysis.no_machine import find_no_machine
from lifespec.analysis.remembered_already import find_remembered_already
from lifespec.analysis.shared_event import find_shared_events
from lifespec.analysis.trap_state import find_trap_states
from lifespec.analysis.unowned_transition import find_unowned_transitions
from lifespec.analysis.unreachable_state import find_unreachable_states
from lifespec.analysis.untested_parameter import find_untested_parameters
from lifespec.analysis.unused_event import find_unused_events
from lifespec.analysis.unused_field import find_unused_fields
from lifespec.analysis.unused_owner import find_unused_owners
from lifespec.analysis.unused_parameter import find_unused_parameters
from lifespec.analysis.unused_reason import find_unused_reasons
from lifespec.analysis.usage import Usage, find_usage
from lifespec.analysis.waived_without_why import find_waived_without_why
from lifespec.diagnostics import Diagnostic
from lifespec.model.model import Model

RULES: tuple[Callable[[Model], Iterable[Diagnostic]], ...] = (
    find_no_machine,
    find_unreachable_states,
    find_trap_states,
    find_unowned_transitions,
    find_unused_parameters,
    find_untested_parameters,
    find_waived_without_why,
    find_shared_events,
    find_remembered_already,
)
USAGE_RULES: tuple[Callable[[Model, Usage], Iterable[Diagnostic]], ...] = (
    find_unused_owners,
    find_unused_fields,
    find_unused_reasons,
    find_unused_events,
    find_near_fields,
    find_near_events,
)


def lint(model: Model) -> tuple[Diagnostic, ...]:
    """All findings of all rules, in the order of the texts and of the places in them."""
    usage = find_usage(model)
    found = [diagnostic for rule in RULES for diagnostic in rule(model)]
    found += [diagnostic for rule in USAGE_RULES for diagnostic in rule(model, usage)]
    order = {name: index for index, name in enumerate(model.sources)}

    def key(diagnostic: Diagnostic) -> tuple[int, int, str]:
        if diagnostic.label is None:
            return (-1, 0, diagnostic.name)
        span = diagnostic.label.span
        return (order.get(span.file, len(order)), span.start, diagnostic.name)

    return tuple(sorted(found, key=key))
