"""Specifications made at random, for the laws that every engine must keep; with crude logs in their words.

Owns the making of specifications, which use every construct of the language in most of its forms, and of logs
that are guesses from their vocabulary. Logs that are mostly legal are made by `generate_log`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import lru_cache

from lifespec.diagnostics import Severity
from lifespec.diagnostics.render import severity_shown
from lifespec.load import load_text
from tests.engine.generate_expression import WORDS, Expressions, Scope, Shape

EVENTS = ("ping", "pong", "open", "shut", "lost", "back", "tick", "join", "part")
OWNERS = ("app", "net")
REASONS = ("gone", "late")
KEYS = ("k", "h")
_MOST_TRIES = 6


@dataclass
class Vocabulary:
    """What a log of a generated specification may say."""

    text: str
    machines: dict[str, tuple[str, ...]] = field(default_factory=dict)  # name -> states
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)


@lru_cache(maxsize=64)
def make_spec(seed: int, *, is_plain: bool = False) -> Vocabulary:
    """A specification that resolves, the same for the same seed: lines that make no sense are left out.

    In a plain one each machine has events of its own, and most transitions are on events without more.
    """
    made = _Maker(random.Random(seed), is_plain=is_plain).make()
    lines = made.text.split("\n")
    for _ in range(_MOST_TRIES):
        loaded = load_text("\n".join(lines))
        if loaded.model is not None:
            break
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        wrong = set()
        for found in loaded.diagnostics:
            if found.label is not None and severity_shown(found) is not Severity.WARNING:
                at = found.label.span.start
                wrong.add(next(n for n in range(len(lines)) if starts[n + 1] > at))
        if not any(lines[n].startswith(("  ", "rule ", "event ", "field ", "pause ")) for n in wrong):
            break
        for n in wrong:
            if lines[n].startswith(("  ", "rule ", "event ", "field ", "pause ")):
                lines[n] = ""
    made.text = "\n".join(line for line in lines if line) + "\n"
    return made


class _Maker:
    def __init__(self, dice: random.Random, *, is_plain: bool) -> None:
        self.dice = dice
        self.is_plain = is_plain
        self.events: tuple[str, ...] = EVENTS
        self.vocabulary = Vocabulary("")
        self.shape = Shape()
        self.expressions = Expressions(dice, self.shape)

    def chance(self, percent: int) -> bool:
        return self.dice.randrange(100) < percent

    def some(self, names: tuple[str, ...], most: int = 2) -> list[str]:
        return self.dice.sample(names, self.dice.randint(1, min(most, len(names))))

    def make(self) -> Vocabulary:
        dice = self.dice
        lines = [
            "lifecycle generated",
            *(f"owner {name}" for name in OWNERS),
            "field n : int >= 0",
            "field f : number",
            "field d : duration",
            "field u : instant",
            "field ok : bool",
            'field label : text like "[a-z]*"',
            f"field reason : one of {', '.join(REASONS)}",
            "param short = 3s",
            "param long = 3 * short",
            "param most = 2",
            'param word = "gone"',
            "profile slow { short = 4s  most = 1 }",
            'forbid email, secret like "s3cr3t"',
        ]
        if self.chance(30):
            lines += [f"field k : {dice.choice(('int', 'text', 'number', 'duration'))}"]
        if self.chance(5 if self.is_plain else 30):
            lines += ["pause between sleep and wake", "event sleep, wake"]
            lines += ["pause between doze, sleep and wake, pong"] if self.chance(40) else []
        lines.append(dice.choice(("event note requires n", "event note requires reason, n", "event note")))
        if not self.is_plain:
            lines.append(f"event {', '.join(EVENTS)}" if self.chance(60) else "event ping requires d")
        count = dice.choice((1, 1, 2, 2, 2, 3))
        if self.is_plain:
            self.events = tuple(f"{event}-m{number}" for number in range(count) for event in EVENTS[:6])
        for number in range(count):
            name = f"m{number}"
            states = tuple(f"s{i}" for i in range(dice.randint(2, 6)))
            self.vocabulary.machines[name] = self.shape.states[name] = states
            keys = dice.choice(((), (), KEYS[:1], KEYS[:1], KEYS, KEYS[::-1])[: 4 if self.is_plain else 6])
            self.vocabulary.keys[name] = self.shape.keys[name] = keys
            self.shape.groups[name] = ("g", "gg")[: dice.randint(0, 2)] if len(states) > 3 else ()
        for name in self.vocabulary.machines:
            lines += self.machine(name)
        for number in range(dice.choice((0, 0, 1, 2, 3)) if self.is_plain else dice.randint(0, 6)):
            lines.append(f"rule r{number} {{ {self.rule()} }}")
        self.vocabulary.text = "\n".join(lines) + "\n"
        return self.vocabulary

    # --- machines --------------------------------------------------------------------------------------

    def machine(self, name: str) -> list[str]:
        states = self.vocabulary.machines[name]
        keys = self.vocabulary.keys[name]
        finals = set(states[-self.dice.randint(1, 2) :]) if self.chance(60) and len(states) > 3 else set()
        failures = {states[-3]} if self.chance(40) and len(states) > 3 else set()
        head = f"machine {name}" + (f" per {', '.join(keys)}" if keys else "")
        owned = self.dice.choice(("", " owned by app", " owned by app, net"))
        lines = [f"{head}{owned} {{"]
        inner = []
        for state in states:
            kind = "initial" if state == states[0] else "state"
            kind = "final" if state in finals else "failure" if state in failures else kind
            line = f"  {kind} {state}"
            if kind in ("state", "initial") and self.chance(12 if self.is_plain else 30):
                line += f" within {self.dice.choice(('short', 'long', '5s', '1.5 * short'))}"
            if kind != "initial" and self.chance(20):
                line += f" requires {self.dice.choice(('n', 'n, d', 'reason'))}"
            if kind == "failure" and self.chance(30):
                line += ' without reason "not said"'
            inner.append(line)
        groups = self.shape.groups[name]
        if groups:
            first, last = self.dice.choice(((1, 3), (1, 4), (0, 2), (2, 4)))
            lines += inner[:first]
            lines.append("  group g {")
            if len(groups) > 1:
                lines += [inner[first], "  group gg {", *inner[first + 1 : last], "  }"]
            else:
                lines += inner[first:last]
            lines += ["  }", *inner[last:]]
        else:
            lines += inner
        lines += self.transitions(name, [s for s in states if s not in finals])
        if self.chance(40):
            lines.append(f"  ignore {', '.join(self.some(('tick', 'part', 'wake', 'nap')))}")
        return [*lines, "}"]

    def transitions(self, name: str, open_states: list[str]) -> list[str]:
        states = self.vocabulary.machines[name]
        first = open_states[0]
        lines = [
            f"  {first} -> {states[1]} on {self.own(name)[2]}"
            " remember x = n, g = f, e = d, w = u, t = time, b = ok, y = reason",
        ]
        lines += ["  " + self.transition(name, open_states) for _ in range(self.dice.randint(3, 10))]
        if self.chance(0 if self.is_plain else 40):
            out = f" except {self.dice.choice(open_states)}" if self.chance(50) else ""
            goes = f" -> {self.dice.choice(states)}" if self.chance(80) else ""
            lines.append(f"  any{out}{goes} on shut{self.clauses(name, caused=False)}")
        return lines

    def own(self, name: str) -> tuple[str, ...]:
        """The events of a machine."""
        return tuple(f"{event}-{name}" for event in EVENTS[:6]) if self.is_plain else EVENTS

    def transition(self, name: str, open_states: list[str]) -> str:
        dice = self.dice
        states = self.vocabulary.machines[name]
        sources = ", ".join(dice.sample(open_states, 2)) if self.chance(20) and len(open_states) > 1 else None
        if sources is None:
            groups = self.shape.groups[name]
            sources = dice.choice(groups) if groups and self.chance(15) else dice.choice(open_states)
        target = dice.choice(states)
        where = f" where {self.expressions.condition(Scope(own=name), 1)}" if self.chance(25) else ""
        kind = dice.randrange(100)
        if self.is_plain and self.chance(80):
            goes = "" if self.chance(25) else f" -> {target}"
            clauses = self.clauses(name, caused=False) if self.chance(40) else ""
            return f"{sources}{goes} on {dice.choice(self.own(name))}{clauses}"
        if self.is_plain and kind >= 88:
            kind = 87
        others = [m for m in self.vocabulary.machines if m != name]
        if kind < 58:
            event = ", ".join(dice.sample(self.own(name), 2)) if self.chance(20) else dice.choice(self.own(name))
            if others and not self.is_plain and self.chance(15):
                event += f" of {dice.choice(others)}"
            goes = "" if self.chance(25) else f" -> {target}"
            return f"{sources}{goes} on {event}{where}{self.clauses(name, caused=False)}"
        if kind < 66:
            goes = f" -> {target}" if self.chance(90) else ""
            return (
                f"{sources}{goes} after {dice.choice(('short', '4s', 'long'))}{where}{self.clauses(name, caused=True)}"
            )
        if kind < 73 and len(open_states) > 1:  # only onwards: what has passed would go around and around
            number = dice.randrange(len(open_states) - 1)
            at = f"{open_states[number]} -> {dice.choice(states[number + 1 :])} at {name}.{dice.choice('wwt')}"
            return f"{at}{where}{self.clauses(name, caused=True)}"
        if kind < 88:
            goes = f" -> {target}" if self.chance(85) else ""
            return f"{sources}{goes} when {self.cause(name)}{where}{self.clauses(name, caused=True)}"
        targets = ", ".join(self.some(states, 3))
        return f"{sources} -> {targets}{where if self.chance(40) else ''}{self.clauses(name, caused=False)}"

    def clauses(self, name: str, *, caused: bool) -> str:
        text = ""
        scope = Scope(own=name)
        if not caused:
            text += f" by {', '.join(self.some(OWNERS))}" if self.chance(20) else ""
            text += f" requires {self.dice.choice(('n', 'reason', 'd, n', 'free'))}" if self.chance(20) else ""
            for _ in range(self.dice.choice((0, 0, 0, 0, 1, 1, 2))):
                text += f" require {self.expressions.condition(scope)}"
                text += ' "why"' if self.chance(30) else ""
        if self.chance(35):
            text += " remember " + ", ".join(self.dice.sample(self.memories(name), self.dice.randint(1, 2)))
        return text

    def memories(self, name: str) -> list[str]:
        value = self.expressions.value
        scope = Scope(own=name)
        return [
            f"x = {self.dice.choice(('n', value('int', scope)))}",
            f"g = {self.dice.choice(('f', value('number', scope)))}",
            f"e = {self.dice.choice(('d', value('duration', scope)))}",
            f"w = {self.dice.choice(('u', 'time + short', value('instant', scope)))}",
            "t = time",
            f"b = {self.dice.choice(('ok', '(' + self.expressions.condition(scope, 1) + ')'))}",
            f"y = {self.dice.choice(('reason', 'owner', 'event', 'label'))}",
        ]

    def cause(self, name: str) -> str:
        if self.vocabulary.keys[name] and self.chance(35):
            return f"another {name} enters {self.expressions.states(name)}"
        other = self.expressions.machine()
        keys = self.vocabulary.keys[other]
        index = ""
        if keys and self.chance(65):
            index = f"[{self.expressions.index(keys, Scope(False, name))}]"
        return f"{other}{index} enters {self.expressions.states(other)}"

    # --- rules -----------------------------------------------------------------------------------------

    def rule(self) -> str:
        return " ".join(self.rule_part() for _ in range(self.dice.choice((1, 1, 1, 2))))

    def rule_part(self) -> str:
        dice, condition = self.dice, self.expressions.condition
        kind = dice.randrange(8)
        machine = self.expressions.machine()
        none = Scope(False)
        if kind == 0:
            counted = f"{self.expressions.aggregate('int', none)} {dice.choice(('<=', '!='))} {dice.randint(0, 2)}"
            return f"always {dice.choice((condition(none), counted))}"
        if kind == 1:
            doc = dice.choice(("", ' "seen"'))
            subject = machine if self.chance(60) else self.expressions.instance(none, machine)
            concerned = Scope(False, machine) if subject == machine else none
            more = f" and {condition(concerned, 1)}" if self.chance(40) else ""
            word = dice.choice(("in", "in", "not in"))
            part = f"while {subject} {word} {self.expressions.states(machine)}{more}"
            return part + "".join(
                f" expect {self.answers(concerned, signs=True)} every {dice.choice(('long', 'short'))}{doc}"
                for _ in range(dice.choice((1, 1, 2)))
            )
        if kind in (2, 3):
            index = ""
            concerned = Scope(True, machine)
            if self.vocabulary.keys[machine] and self.chance(50):
                index = f"[{self.expressions.index(self.vocabulary.keys[machine], Scope())}]"
                concerned = Scope()
            where = f" where {condition(concerned, 1)}" if self.chance(25) else ""
            part = f"when {machine}{index} enters {self.expressions.states(machine)}{where}"
            return part + "".join(self.action(concerned, at_most=False) for _ in range(dice.choice((1, 1, 2))))
        events = ", ".join(self.some((*self.events, "note"), 3))
        if self.chance(20):
            events += f" of {machine}"
        where = f" where {condition(Scope(), 1)}" if self.chance(25) else ""
        return f"on {events}{where}" + "".join(
            self.action(Scope(), at_most=True) for _ in range(dice.choice((1, 1, 1, 2)))
        )

    def action(self, scope: Scope, *, at_most: bool) -> str:
        dice = self.dice
        doc = dice.choice(("", "", ' "as agreed"'))
        kind = dice.randrange(8)
        if at_most and kind < 3:
            during = f"while {self.expressions.condition(Scope(False), 1)}"
            return (
                f" at most {dice.choice(('1', '2', 'most'))} {dice.choice(('per 5s', 'per long', during, during))}{doc}"
            )
        if kind < 6:
            return f" require {self.expressions.condition(scope)}{doc}"
        return f" expect {self.answers(scope, signs=False)} within {dice.choice(('short', '6s'))}{doc}"

    def answers(self, scope: Scope, *, signs: bool) -> str:
        return " or ".join(self.answer(scope, signs=signs) for _ in range(self.dice.choice((1, 1, 2, 3))))

    def answer(self, scope: Scope, *, signs: bool) -> str:
        if not signs and self.chance(35):
            subject = self.expressions.instance(scope)
            return f"{subject} {self.dice.choice(('in', 'not in'))} {self.expressions.states(subject.split('[')[0])}"
        same = f" same {', '.join(self.some(('n', 'k', 'd', 'free')))}" if not signs and self.chance(35) else ""
        where = f" where {self.expressions.condition(Scope(True, scope.own), 1)}" if self.chance(25) else ""
        return f"{', '.join(self.some(self.events))}{same}{where}"


# --- logs ----------------------------------------------------------------------------------------------


def make_log(vocabulary: Vocabulary, seed: int, length: int = 30) -> list[dict[str, object]]:
    """Records in the words of the binding `default`, the same for the same seed."""
    dice = random.Random(seed)
    clock = 0.0
    records: list[dict[str, object]] = []
    for _ in range(length):
        clock += dice.choice((0, 0, 0.5, 1, 1, 2, 3, 4, 12))
        record: dict[str, object] = {"time": clock, "session": dice.choice("ab")}
        machine = dice.choice(list(vocabulary.machines))
        states = vocabulary.machines[machine]
        kind = dice.randrange(100)
        if kind < 85:
            record["event"] = dice.choice((*EVENTS, "open", "open", "note", "sleep", "wake"))
        if kind >= 85 or dice.randrange(100) < 25:
            record["machine"] = machine
        if kind >= 85 or dice.randrange(100) < 15:
            record["to"] = dice.choice(states)
        if dice.randrange(100) < 10:
            record["from"] = dice.choice(states)
        if dice.randrange(100) < 80:
            record["owner"] = dice.choice(OWNERS)
        for name in KEYS:
            if dice.randrange(100) < 85:
                record[name] = dice.choice((1, 2, "1"))
        for name, values in _FIELDS.items():
            if dice.randrange(100) < 60:
                record[name] = dice.choice(values) if name != "u" else clock + dice.choice((-1, 0, 2, 5))
        if dice.randrange(100) < 4:
            record[dice.choice(("event", "machine", "to", "from"))] = "nonsense"
        if dice.randrange(100) < 3:
            record["time"] = clock - 5
        records.append(record)
    return records


_FIELDS: dict[str, tuple[object, ...]] = {
    "n": (0, 1, 2, 3, -1, 2.5, "x", None),
    "f": (0.5, 1, "x"),
    "d": (1, 2, 0.5, "3s", "soon"),
    "u": (0,),
    "ok": (True, False, 1),
    "label": ("abc", "gone", "ABC"),
    "reason": (*REASONS, "other", " "),
    "free": ("abc", "ABC", 7, "a@b.example", "s3cr3t", "", ["x", {"y": "s3cr3t"}]),
}

__all__ = ["EVENTS", "KEYS", "OWNERS", "REASONS", "WORDS", "Vocabulary", "make_log", "make_spec"]
