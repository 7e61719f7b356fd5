"""The lifecycles that the benchmarks judge, as texts.

Those of the avatar are the shipped avatar.lifespec with parts of it taken away, so that they stay in step with it; a
part is known by the words it begins with, and the model is asked whether it is really gone. The others are made by
the number.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from generate_avatar import NOISE
from lifecycle_path import AVATAR
from transition_table import transition_tables

from lifespec import Model, load_text

MANY_RULES = 100

_RULE = re.compile(r"^rule .*?^\}\n", re.MULTILINE | re.DOTALL)
_FORBID = re.compile(r"^forbid .*\n", re.MULTILINE)
_PAUSE = re.compile(r"^pause .*\n", re.MULTILINE)
_REQUIREMENT = re.compile(r"^ +require .*\n", re.MULTILINE)
_WITHIN = re.compile(r" within [a-z-]+")
_REMEMBER = re.compile(r" *\bremember [^\n\"]*")
_NEEDS_MEMORY = re.compile(r"^ +[a-z, -]+->.* (?:at credential\.until|when turn\[clip\.turn\]).*\n", re.MULTILINE)


def machines_only() -> str:
    """All machines with their required fields and owners: no rules, requirements, memory, bounds, `forbid` or pause.

    The transitions that need a memory go with it; reactions that need none stay.
    """
    text = AVATAR.read_text(encoding="utf-8")
    for part in (_RULE, _FORBID, _PAUSE, _REQUIREMENT, _WITHIN, _REMEMBER, _NEEDS_MEMORY):
        text = part.sub("", text)
    model = build(text)
    moves = [move for machine in model.machines.values() for move in machine.transitions]
    bounds = [s for machine in model.machines.values() for s in machine.states.values() if s.within_ns is not None]
    left = [*model.rules, *model.forbids, *model.pauses, *bounds]
    if left or any(move.require or move.remember for move in moves):
        raise ValueError("avatar.lifespec is written otherwise than this file expects: something was not taken away")
    return text


def without_forbid() -> str:
    """The whole avatar but `forbid`."""
    text = _FORBID.sub("", whole())
    if build(text).forbids:
        raise ValueError("avatar.lifespec is written otherwise than this file expects: a `forbid` was not taken away")
    return text


def whole() -> str:
    """The whole avatar, as shipped."""
    return AVATAR.read_text(encoding="utf-8")


def machines_and_idle_rules() -> str:
    """`machines_only`, with a hundred rules about a machine and events that never come."""
    lines = [machines_only()]
    lines.append("machine stranger { initial away  state near  away -> near on arrived  near -> away on gone }")
    for index in range(0, MANY_RULES, 4):
        lines += (
            f"event nudged-{index}",
            f"rule idle-{index}   {{ on nudged-{index}  require stranger in near }}",
            f"rule idle-{index + 1} {{ when stranger enters near  expect gone within {index + 1}s }}",
            f"rule idle-{index + 2} {{ on nudged-{index}  at most 5 while stranger in near }}",
            f"rule idle-{index + 3} {{ while stranger in near  expect nudged-{index} every {index + 1}s }}",
        )
    return "\n".join(lines) + "\n"


def ring(states: int) -> str:
    """One machine of so many states, each left for the next by the same event."""
    names = [f"s{index}" for index in range(states)]
    moves = "\n".join(
        f"  {source} -> {target} on step" for source, target in zip(names, names[1:] + names[:1], strict=True)
    )
    return f"lifecycle ring-{states}\nmachine m {{\n  initial s0\n  state {', '.join(names[1:])}\n{moves}\n}}\n"


def sparse_bindings() -> str:
    """Two bindings that pass over the other lines of a sparse log: `by-name`, and `any-other` whatever it is."""
    names = ", ".join(f"'{name}'" for name in NOISE)
    return (
        f"binding by-name for avatar-session extends default {{ ignore {names} }}\n"
        "binding any-other for avatar-session extends default { ignore any }\n"
    )


def with_binding_of_clauses() -> str:
    """`machines_only` with the words of `default`, and with a binding that says the same but is not plain: one of its
    records is made an event by a clause, so that a reader has to look at all of them."""
    return (
        machines_only()
        + "binding clauses for avatar-session extends default {\n  on session-started emit session-started\n}\n"
    )


def with_sparse_bindings() -> str:
    """`machines_only` with the bindings of a sparse log."""
    return machines_only() + sparse_bindings()


def tables() -> str:
    """Only the transitions of the avatar's machines: no field, owner, guard, reaction or rule."""
    model = build(machines_only())
    lines = ["lifecycle avatar-tables", *(f"event {name}" for name in model.events)]
    for name, table in transition_tables(model).items():
        keys = "".join(f" per {key}" for key in table.keys)
        ends = (table.initial, *table.finals, *table.failures)
        rest = [state for state in table.states if state not in ends]
        lines.append(f"machine {name}{keys} {{")
        lines.append(f"  initial {table.initial}")
        lines += [f"  state {', '.join(rest)}"] if rest else []
        lines += [f'  failure {state} without reason "only the tables are judged"' for state in table.failures]
        lines += [f"  final {', '.join(table.finals)}"] if table.finals else []
        lines += [f"  {source} -> {target} on {event}" for source, event, target in table.moves if source != target]
        lines += [f"  {source} on {event}" for source, event, target in table.moves if source == target]
        lines.append("}")
    return "\n".join(lines) + "\n"


def build(text: str) -> Model:
    """The model of a text of this file. Raises ValueError for errors in it."""
    loaded = load_text(text, "bench.lifespec")
    if loaded.model is None:
        raise ValueError("\n".join(each.message for each in loaded.diagnostics))
    return loaded.model


LIFECYCLES: dict[str, Callable[[], str]] = {
    "machines-only": machines_only,
    "without-forbid": without_forbid,
    "whole": whole,
    "idle-rules": machines_and_idle_rules,
    "sparse": with_sparse_bindings,
    "clauses": with_binding_of_clauses,
    "ring-6": lambda: ring(6),
    "ring-600": lambda: ring(600),
    "tables": tables,
}
