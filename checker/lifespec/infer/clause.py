"""What is said of a move beside its states: owners, required fields, failures and their reasons. Owns the suggestions.

Suggested is only what all records of a move had, and more than one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from decimal import Decimal

from lifespec.infer.column import looks_like_id, name_of
from lifespec.infer.fields import Field
from lifespec.infer.flat import LONG, THERE, Path, is_scalar
from lifespec.infer.machine import Machine, is_failing
from lifespec.infer.name import is_writable, words_of
from lifespec.infer.step import Step
from lifespec.trace.instant import iso8601_ns

MOST_VALUES = 12  # of `one of`
MOST_REQUIRED = 4
_LEAST = 2  # records of a move
_REASONS = ("reason", "cause", "error", "why", "code", "message", "trigger", "details")


@dataclass(slots=True)
class Clauses:
    """`owners` and `requires` by move; `of_machine` is the owner of all steps of a machine, by its name; `reason` is
    the field that is bound as the reason."""

    of_machine: dict[str, str] = field(default_factory=dict)
    owners: dict[int, str] = field(default_factory=dict)  # by the id of the list of steps
    requires: dict[int, tuple[str, ...]] = field(default_factory=dict)
    failures: dict[tuple[str, str], str] = field(default_factory=dict)  # why a reason is waived, or ""
    reason: Field | None = None
    events: dict[str, tuple[str, ...]] = field(default_factory=dict)


def suggest(
    machines: Sequence[Machine],
    loose: Mapping[str, Sequence[Step]],
    fields: Sequence[Field],
    steps: Sequence[Step],
    *,
    renames: bool = True,
) -> Clauses:
    """Clauses for all moves. `loose` are events that no machine takes. `renames`: another field may be the reason."""
    clauses = Clauses()
    everywhere = {each.name for each in fields if all(each.value(step.record) is not None for step in steps)}
    failing = [
        (machine, state)
        for machine in machines
        for state in machine.states
        if state != machine.initial and is_failing(state, words_of(state))
    ]
    entries = [step for machine, state in failing for step in machine.states[state].entered]
    clauses.reason = _reason(entries, [each for each in fields if renames or each.name == "reason"])
    for machine, state in failing:
        entered = machine.states[state].entered
        without = sum(clauses.reason is None or clauses.reason.value(step.record) is None for step in entered)
        waived = f"{without} of {len(entered)} records that enter it say no reason" if without else ""
        clauses.failures[machine.name, state] = waived if entered else "no record tells that it is entered"
    for machine in machines:
        omitted = everywhere | ({machine.group.key.name} if machine.group.key else set())
        if (owner := _owner([step for taken in machine.moves.values() for step in taken])) is not None:
            clauses.of_machine[machine.name] = owner
        for (_, _, target), taken in machine.moves.items():
            if (owner := _owner(taken)) is not None:
                clauses.owners[id(taken)] = owner
            fails = target is not None and (machine.name, target) in clauses.failures
            names = _required(taken, fields, omitted)
            if clauses.reason is not None and clauses.reason.name != "reason":
                names = ["reason" if name == clauses.reason.name else name for name in names]
            clauses.requires[id(taken)] = tuple(name for name in names if not (fails and name == "reason"))
    for event, loose_steps in loose.items():
        clauses.events[event] = tuple(_required(loose_steps, fields, everywhere))
    return clauses


def _owner(taken: Sequence[Step]) -> str | None:
    """The owner of all these steps, if there are enough of them to say so."""
    owners = {step.owner for step in taken}
    owner = owners.pop() if len(owners) == 1 else None
    return owner if len(taken) >= _LEAST and owner is not None and is_writable(owner) else None


def _required(taken: Sequence[Step], fields: Sequence[Field], omitted: set[str]) -> list[str]:
    if len(taken) < _LEAST:
        return []
    found = [
        each.name  # the rarest first: those say most about this move
        for each in reversed(fields)
        if each.name not in omitted
        and not each.name.isdigit()
        and all(is_scalar(each.value(step.record)) for step in taken)
    ]
    return found[:MOST_REQUIRED]


def _reason(entries: Sequence[Step], fields: Sequence[Field]) -> Field | None:
    """The field that says why, for most of the records that enter a failure."""
    best: tuple[int, int, Field] | None = None
    for each in fields:
        rank = min((place for place, word in enumerate(_REASONS) if word in words_of(each.name)), default=None)
        if each.name == "reason":
            rank = -1
        if rank is None:
            continue
        there = sum(each.value(step.record) is not None for step in entries)
        if there * 2 < len(entries) or not there:
            if each.name == "reason":
                return each
            continue
        if best is None or (rank, -there) < best[:2]:
            best = rank, -there, each
    return None if best is None else best[2]


@dataclass(frozen=True, slots=True)
class Type:
    """What all values of a field are. `values` are of `one of`."""

    kind: str
    values: tuple[str, ...] = ()


def type_of(each: Field, steps: Sequence[Step], objects: Set[Path]) -> Type | None:
    """The type that fits all values of a field, if there is one worth saying."""
    if any(path in objects for path in each.paths):
        return None
    kinds: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for step in steps:
        value = each.value(step.record)
        if value is None:
            continue
        if value is THERE:
            return None
        if value is LONG:
            kinds["text"] += 1
            words[""] += 1  # no list of values
            continue
        if isinstance(value, bool):
            kinds["bool"] += 1
        elif isinstance(value, int):
            kinds["int" if -(2**63) <= value < 2**63 else "huge"] += 1
        elif isinstance(value, Decimal):
            kinds["number"] += 1
        else:
            kinds["instant" if iso8601_ns(value) is not None else "text"] += 1
            if len(words) <= MOST_VALUES:
                words[name_of(value) or ""] += 1
    if not kinds or "huge" in kinds:
        return None
    if set(kinds) == {"int", "number"}:
        return Type("number")
    if len(kinds) > 1:
        return None
    (kind,) = kinds
    if kind != "text":
        return Type(kind)
    few = 1 < len(words) <= MOST_VALUES and len(words) * 2 <= kinds["text"]
    few = few and sum(map(looks_like_id, words)) * 2 < len(words)
    if few and all(len(word) <= 60 and is_writable(word) for word in words):
        return Type("one of", tuple(sorted(words)))
    return Type("text")
