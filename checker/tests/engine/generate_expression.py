"""Expressions made at random, of every kind and type that the language has. Owns the making of expressions only.

What is made is nearly always well typed; a specification leaves out the lines that are not.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

NUMBERS, DURATIONS, INSTANTS = ("n", "f"), ("d",), ("u",)
WORDS = ("gone", "late", "new")
MEMORIES = {"x": "int", "g": "number", "e": "duration", "w": "instant", "t": "instant", "b": "bool", "y": "text"}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


@dataclass
class Shape:
    """What an expression may speak of: the states, groups and keys of each machine, by the machine's name."""

    states: dict[str, tuple[str, ...]] = field(default_factory=dict)
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Scope:
    """Where an expression stands: whether there is an event, and the machine whose bare name is one instance."""

    event: bool = True
    own: str | None = None


class Expressions:
    """Makes expressions about the machines of one shape."""

    def __init__(self, dice: random.Random, shape: Shape) -> None:
        self.dice = dice
        self.shape = shape

    def chance(self, percent: int) -> bool:
        return self.dice.randrange(100) < percent

    def states(self, machine: str, most: int = 3) -> str:
        """States and groups of a machine, one or more."""
        names = [*self.shape.states[machine], *self.shape.groups.get(machine, ())]
        return ", ".join(self.dice.sample(names, self.dice.randint(1, min(most, len(names)))))

    def machine(self) -> str:
        return self.dice.choice(list(self.shape.states))

    def instance(self, scope: Scope, machine: str | None = None) -> str:
        """A machine, with an index where it needs one."""
        name = self.machine() if machine is None else machine
        keys = self.shape.keys[name]
        if not keys or name == scope.own:
            return name
        return f"{name}[{self.index(keys, scope)}]"

    def index(self, keys: tuple[str, ...], scope: Scope) -> str:
        return ", ".join(self.key(name, scope) for name in keys)

    def key(self, name: str, scope: Scope) -> str:
        """What may be a part of a key: a field, a constant, a memory or a part of the own key."""
        options = ["1", "2", '"1"', "true"]
        if scope.event:
            options += [name, name, name, name, "n"]
        if scope.own is not None:
            options += [f"{scope.own}.{self.dice.choice('xxyb')}"]
            options += [f"{scope.own}.{part}" for part in self.shape.keys[scope.own]] * 2
        return self.dice.choice(options)

    # --- values --------------------------------------------------------------------------------------

    def value(self, kind: str, scope: Scope, depth: int = 2) -> str:
        """An expression of a type."""
        options = [lambda: self.constant(kind), lambda: self.memory(kind, scope)]
        if scope.event:
            options += [lambda: self.event_value(kind)] * 2
        if depth > 0:
            options += [lambda: self.computed(kind, scope, depth - 1)] * 2
        return self.dice.choice(options)()

    def constant(self, kind: str) -> str:
        options: Mapping[str, tuple[str, ...]] = {
            "int": ("0", "1", "2", "3", "most", "9223372036854775807", "4611686018427387904"),
            "number": ("0.5", "1.5", "2", "0"),
            "duration": ("short", "long", "2s", "1ns", "4s"),
            "instant": ("time", "time"),
            "bool": ("true", "false"),
            "text": ('"gone"', '"late"', '"abc"', "word"),
        }
        return self.dice.choice(options[kind])

    def event_value(self, kind: str) -> str:
        options: Mapping[str, tuple[str, ...]] = {
            "int": ("n",),
            "number": ("f", "n"),
            "duration": ("d",),
            "instant": ("u", "time"),
            "bool": ("ok",),
            "text": ("label", "reason", "owner", "event", "free"),
        }
        return self.dice.choice(options[kind])

    def memory(self, kind: str, scope: Scope) -> str:
        names = [name for name, of in MEMORIES.items() if of == kind]
        return f"{self.instance(scope)}.{self.dice.choice(names)}"

    def computed(self, kind: str, scope: Scope, depth: int) -> str:
        def value(of: str) -> str:
            return self.value(of, scope, depth)

        dice = self.dice
        if kind in ("int", "number"):
            return dice.choice(
                (
                    lambda: f"({value(kind)} {dice.choice('+-*')} {value('int')})",
                    lambda: f"-{value(kind)}",
                    lambda: self.aggregate(kind, scope),
                    lambda: self.aggregate(kind, scope),
                    lambda: f"({value('number')} / {value('int')})" if kind == "number" else value("int"),
                    lambda: f"({value('duration')} / {value('duration')})" if kind == "number" else value("int"),
                )
            )()
        if kind == "duration":
            return dice.choice(
                (
                    lambda: f"({value('instant')} - {value('instant')})",
                    lambda: f"({value('duration')} {dice.choice('+-')} {value('duration')})",
                    lambda: f"({dice.choice(('1.5', '2', '0.3', value('number')))} * {value('duration')})",
                    lambda: f"({value('duration')} / {dice.choice(('3', '2', '0.7', value('int')))})",
                    lambda: f"-{value('duration')}",
                    lambda: self.aggregate("duration", scope),
                )
            )()
        if kind == "instant":
            return dice.choice(
                (
                    lambda: f"({value('instant')} {dice.choice('+-')} {value('duration')})",
                    lambda: f"({value('duration')} + {value('instant')})",
                    lambda: self.aggregate("instant", scope),
                )
            )()
        if kind == "bool":
            return f"({self.condition(scope, depth)})"
        return self.memory(kind, scope)

    def aggregate(self, kind: str, scope: Scope) -> str:
        name = self.machine()
        item = Scope(scope.event, name)
        where = f" where {self.condition(item, 0)}" if self.chance(50) else ""
        if kind == "int" and self.chance(60):
            return f"count({name} in {self.states(name)}{where})"
        op = self.dice.choice(("min", "max") if kind == "instant" else ("sum", "min", "max"))
        memory = self.dice.choice([m for m, of in MEMORIES.items() if of == kind])
        return f"{op}({name}.{memory} in {self.states(name)}{where})"

    # --- conditions ----------------------------------------------------------------------------------

    def condition(self, scope: Scope, depth: int = 2) -> str:
        """Something that holds or not, without a bare `or` outside of brackets."""
        if depth > 0 and self.chance(35):
            left, right = self.condition(scope, depth - 1), self.condition(scope, depth - 1)
            kind = self.dice.randrange(4)
            if kind == 0:
                return f"not ({left})"
            if kind == 1:
                return f"({left} or {right})"
            if kind == 2:
                return f"({left} or {right} or {self.condition(scope, 0)})"
            return f"{left} and {right}"
        return self.atom(scope, depth)

    def atom(self, scope: Scope, depth: int) -> str:
        kind = self.dice.randrange(12)
        if kind < 4:
            of = self.dice.choice(("int", "int", "number", "duration", "instant"))
            return f"{self.value(of, scope, depth)} {self.dice.choice(COMPARISONS)} {self.value(of, scope, depth)}"
        if kind == 4:
            of = self.dice.choice(("text", "text", "bool"))
            return f"{self.value(of, scope, 0)} {self.dice.choice(('==', '!='))} {self.value(of, scope, 0)}"
        if kind == 5:
            return self.choice(scope)
        if kind == 6:
            pattern = self.dice.choice(("[a-z]+", "gone|late", ".*"))
            return f'{self.value("text", scope, 0)} like "{pattern}"'
        if kind in (7, 8):
            return f"has {self.operand(scope)}"
        if kind == 9 and scope.event:
            return "ok"
        if kind == 10:
            return self.value("bool", scope, 0)
        subject = self.instance(scope)
        return f"{subject} {self.dice.choice(('in', 'in', 'not in'))} {self.states(subject.split('[')[0])}"

    def choice(self, scope: Scope) -> str:
        op = self.dice.choice(("in", "in", "not in"))
        kind = self.dice.randrange(3)
        if kind == 0:
            return f'{self.value("text", scope, 0)} {op} {self.dice.choice(WORDS)}, "abc"'
        if kind == 1:
            return f"{self.value('int', scope, 1)} {op} 0, 2, -1"
        return f"{self.value('duration', scope, 1)} {op} 2s, 0.5s"

    def operand(self, scope: Scope) -> str:
        options: list[Callable[[], str]] = [
            lambda: f"{self.instance(scope)}.{self.dice.choice(list(MEMORIES))}",
            lambda: f"{self.instance(scope)}.{self.dice.choice(list(MEMORIES))}",
            self.key_reference(scope),
            lambda: "time",
        ]
        if scope.event:
            options += [
                lambda: self.dice.choice(("n", "d", "u", "ok", "free", "label", "reason", "owner", "event"))
            ] * 3
        return self.dice.choice(options)()

    def key_reference(self, scope: Scope) -> Callable[[], str]:
        keyed = [name for name, keys in self.shape.keys.items() if keys]
        if not keyed:
            return lambda: "time"
        name = self.dice.choice(keyed)
        return lambda: f"{self.instance(scope, name)}.{self.dice.choice(self.shape.keys[name])}"
