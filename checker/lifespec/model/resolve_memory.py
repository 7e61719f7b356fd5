"""The types of what machines remember. A memory's type is that of all that is assigned to it.

Owns the fixpoint over assignments that read other memories. Reports nothing: a conflict is found again, and
reported, where the assignment itself is resolved.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from lifespec.model import model as m
from lifespec.model.resolve_constant import NUMERIC
from lifespec.model.resolve_expr import Expressions
from lifespec.model.resolve_finding import Findings
from lifespec.model.resolve_scope import Scope
from lifespec.model.resolve_type import Context, type_of
from lifespec.model.resolve_walk import walk
from lifespec.model.value import Type
from lifespec.syntax import ast


class _Silent(Findings):
    """Findings of a trial: nobody hears them."""

    def __init__(self) -> None:
        super().__init__({})

    def add(self, *args: object, **kwargs: object) -> None:
        pass

    def nearest(self, *args: object) -> None:
        return None

    def may_be_declared(self, *args: object) -> bool:
        return False

    def line(self, *args: object) -> str:
        return ""


def join(first: Type, second: Type) -> Type | None:
    """The type of a value that is of either type; None when they do not go together."""
    if first == second:
        return first
    if Type.ANY in (first, second):
        return Type.ANY
    if first in NUMERIC and second in NUMERIC:
        return Type.NUMBER
    if {first, second} == {Type.TEXT, Type.ONE_OF}:
        return Type.TEXT
    return None


def infer_memories(scope: Scope) -> None:
    """Sets the type of every memory; it stays None where all assignments are wrong or read only themselves."""
    trial = replace(scope, findings=_Silent())
    _infer(trial, Expressions(trial, trial.findings))


def _infer(scope: Scope, expressions: Expressions) -> None:
    assignments: list[tuple[str, ast.Remember]] = []
    readers: dict[tuple[str, str], list[int]] = {}
    for machine in scope.machines.values():
        for member in machine.decl.members:
            if not isinstance(member, ast.TransitionDecl):
                continue
            for remember in member.remember:
                for part in walk(remember.value):
                    if isinstance(part, ast.Path) and isinstance(part.head, ast.Name):
                        for step in part.steps:
                            if step.name is not None:
                                readers.setdefault((part.head.text, step.name.text), []).append(len(assignments))
                assignments.append((machine.name, remember))
    waiting = deque(range(len(assignments)))
    queued = set(waiting)
    while waiting:
        index = waiting.popleft()
        queued.discard(index)
        name, remember = assignments[index]
        memory = scope.machines[name].memories.get(remember.name.text)
        value = expressions.value(remember.value, Context(own=name))
        if memory is None or value is None:
            continue
        found = type_of(value) if memory.type is None else join(memory.type, type_of(value))
        if found is None or found is memory.type:
            continue
        memory.type = found
        if found is Type.ANY and isinstance(value, m.FieldRef | m.KeyRef):
            memory.untyped = value.name
        elif found is Type.ANY and isinstance(value, m.MemoryRef):
            memory.untyped = scope.machines[value.instance.machine].memories[value.name].untyped
        for reader in readers.get((name, remember.name.text), ()):
            if reader not in queued:
                queued.add(reader)
                waiting.append(reader)
