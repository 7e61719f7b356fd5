"""Names of findings, and of what a lifecycle states, as people give them to choose findings by.

A finding has several such names: its own, that of the property that it breaks (`rule one-turn`), and that without its
kind (`one-turn`; of a machine `connection`, of a bound also `connection.connecting`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache

from lifespec.diagnostics import NAMES, Diagnostic, Stage, find_nearest
from lifespec.model.model import Model
from lifespec.verdict import Property

NEVER_LEFT_OUT = frozenset({"wrong-container"})
"""Findings in logs that say that nothing could be checked."""

FINDINGS = tuple(
    name for name, entry in NAMES.items() if entry.stage in (Stage.LOG, Stage.VIOLATION) and name not in NEVER_LEFT_OUT
)
"""The findings that there may be in a log, in the order of their table."""


@lru_cache(maxsize=4096)
def names_of(finding: str, prop: Property | None) -> frozenset[str]:
    """The names that findings of one kind can be chosen by."""
    return frozenset({finding}) if prop is None else frozenset({finding, *names_of_property(prop)})


def names_of_property(prop: Property) -> tuple[str, ...]:
    """The names that a property is known by: with its kind, and without."""
    if prop.kind == "bound":
        return str(prop), f"{prop.name}.{prop.state}", prop.name
    return str(prop), prop.name


def unknown_names(given: Iterable[tuple[str, Collection[str]]], model: Model) -> tuple[Diagnostic, ...]:
    """A finding for each name that is neither that of a finding in logs nor one of the lifecycle. `given` are names by
    the option that has them."""
    of_lifecycle = dict.fromkeys(name for prop in model.properties() for name in names_of_property(prop))
    for each in ("field reason", "reason"):  # every lifecycle has it, declared or not
        of_lifecycle.setdefault(each)
    known = {**dict.fromkeys(FINDINGS), **of_lifecycle}
    return tuple(_unknown(option, name, known, model) for option, names in given for name in names if name not in known)


def _unknown(option: str, name: str, known: Collection[str], model: Model) -> Diagnostic:
    if name in NEVER_LEFT_OUT:
        return Diagnostic(
            "unknown-selection",
            f"{option}: `{name}` says that nothing could be checked, which no report leaves out",
        )
    near = find_nearest(name, known)
    return Diagnostic(
        "unknown-selection",
        f"{option}: `{name}` is neither a finding in logs nor a part of lifecycle `{model.name}`",
        help=(f"did you mean `{near}`?",)
        if near
        else ("name a finding (`overdue`), a rule, a machine or a field, or `bound MACHINE.STATE`",),
    )
