"""Specifications and logs made at random, for the laws that every engine must keep.

Owns the making only. A specification uses every construct of the language in some of its forms; a log is
mostly legal guesses from the vocabulary of its specification, with damage.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

EVENTS = ("ping", "pong", "open", "shut", "lost", "back", "tick", "join", "part")
OWNERS = ("app", "net")
REASONS = ("gone", "late")
KEYS = ("k", "h")


@dataclass
class Vocabulary:
    """What a log of a generated specification may say."""

    text: str
    machines: dict[str, tuple[str, ...]] = field(default_factory=dict)  # name -> states
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)


def make_spec(seed: int) -> Vocabulary:
    """A specification that resolves, the same for the same seed."""
    return _Maker(random.Random(seed)).make()


class _Maker:
    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.vocabulary = Vocabulary("")
        self.groups: dict[str, dict[str, tuple[str, ...]]] = {}

    def chance(self, percent: int) -> bool:
        return self.dice.randrange(100) < percent

    def some(self, names: tuple[str, ...], most: int = 2) -> list[str]:
        return self.dice.sample(names, self.dice.randint(1, min(most, len(names))))

    def make(self) -> Vocabulary:
        lines = [
            "lifecycle generated",
            *(f"owner {name}" for name in OWNERS),
            "field n : int >= 0",
            "field d : duration",
            "field u : instant",
            f"field reason : one of {', '.join(REASONS)}",
            "param short = 3s",
            "param long = 9s",
            'forbid email, secret like "s3cr3t"',
        ]
        if self.chance(30):
            lines += ["pause between sleep and wake", "event sleep, wake"]
        lines.append("event note requires n" if self.chance(50) else "event note")
        lines.append(f"event {', '.join(EVENTS)}")
        count = self.dice.randint(1, 3)
        for number in range(count):
            name = f"m{number}"
            self.vocabulary.machines[name] = tuple(f"s{i}" for i in range(self.dice.randint(2, 5)))
            self.vocabulary.keys[name] = tuple(KEYS[: self.dice.choice((0, 0, 1, 1, 2))])
        for name in self.vocabulary.machines:
            lines += self.machine(name)
        for number in range(self.dice.randint(0, 5)):
            lines.append(f"rule r{number} {{ {self.rule()} }}")
        self.vocabulary.text = "\n".join(lines) + "\n"
        return self.vocabulary

    # --- machines --------------------------------------------------------------------------------------

    def machine(self, name: str) -> list[str]:
        states = self.vocabulary.machines[name]
        keys = self.vocabulary.keys[name]
        finals = set(states[-1:]) if self.chance(60) and len(states) > 2 else set()
        failures = {states[-2]} if self.chance(40) and len(states) > 3 else set()
        head = f"machine {name}" + (f" per {', '.join(keys)}" if keys else "")
        lines = [head + (" owned by app {" if self.chance(50) else " {")]
        inner = []
        for state in states:
            kind = "initial" if state == states[0] else "state"
            kind = "final" if state in finals else "failure" if state in failures else kind
            line = f"  {kind} {state}"
            if kind in ("state", "initial") and self.chance(25):
                line += f" within {self.dice.choice(('short', 'long', '5s'))}"
            if kind != "initial" and self.chance(20):
                line += " requires n"
            if kind == "failure" and self.chance(30):
                line += ' without reason "not said"'
            inner.append((state, line))
        self.groups[name] = {}
        if len(states) > 3 and self.chance(40):
            grouped = states[1:3]
            self.groups[name]["g"] = grouped
            lines += [line for state, line in inner if state not in grouped]
            lines += ["  group g {", *(line for state, line in inner if state in grouped), "  }"]
        else:
            lines += [line for _, line in inner]
        lines += self.transitions(name, [s for s in states if s not in finals])
        if self.chance(30):
            lines.append("  ignore tick")
        return [*lines, "}"]

    def transitions(self, name: str, open_states: list[str]) -> list[str]:
        states = self.vocabulary.machines[name]
        taken: set[tuple[str, str]] = set()
        pairs: set[tuple[str, str]] = set()
        first = open_states[0]
        lines = [f"  {first} -> {states[1]} on open remember x = n, e = d, w = u, t = time"]
        taken.add((first, "open"))
        for _ in range(self.dice.randint(2, 8)):
            source, target, event = self.dice.choice(open_states), self.dice.choice(states), self.dice.choice(EVENTS)
            kind = self.dice.randrange(100)
            where = f" where {self.condition(name, atom=True)}" if self.chance(20) else ""
            if kind < 60:
                if (source, event) in taken:
                    continue
                if not where:
                    taken.add((source, event))
                lines.append(
                    f"  {source} -> {target} on {event}{where}{self.clauses(name, caused=False)}"
                    if self.chance(80)
                    else f"  {source} on {event}{where}{self.clauses(name, caused=False)}"
                )
            elif kind < 68 and source != target and target in open_states[1:]:
                lines.append(f"  {source} -> {target} after {self.dice.choice(('short', '4s'))}{where}")
            elif kind < 74 and source != target:
                lines.append(f"  {source} -> {target} at {name}.w{where}")
            elif kind < 88:
                lines.append(f"  {source} -> {target} when {self.cause(name)}{where}{self.clauses(name, caused=True)}")
            elif (source, target) not in pairs:
                pairs.add((source, target))
                lines.append(f"  {source} -> {target}")
        free = not any(event == "shut" for _, event in taken)
        if free and self.chance(30) and len(states) > len(open_states):
            lines.append(f"  any -> {states[-1]} on shut")
        others = [m for m in self.vocabulary.machines if m != name]
        if others and self.chance(25):
            lines.append(f"  {first} on open of {self.dice.choice(others)}")
        return lines

    def clauses(self, name: str, *, caused: bool) -> str:
        text = ""
        if not caused:
            text += f" by {', '.join(self.some(OWNERS))}" if self.chance(20) else ""
            text += f" requires {self.dice.choice(('n', 'reason', 'd, n', 'free'))}" if self.chance(25) else ""
            text += f" require {self.condition(name)}" if self.chance(25) else ""
        if self.chance(30):
            text += " remember " + self.dice.choice(("x = n", "t = time", f"x = {name}.x + 1", f"e = {name}.e, x = n"))
        return text

    def cause(self, name: str) -> str:
        if self.vocabulary.keys[name] and self.chance(40):
            return f"another {name} enters {self.states(name)}"
        other = self.dice.choice(list(self.vocabulary.machines))
        keys = self.vocabulary.keys[other]
        index = ""
        if keys == ("k",) and self.vocabulary.keys[name] and self.chance(60):
            index = f"[{name}.k]"
        elif keys == ("k",) and self.chance(40):
            index = f"[{name}.x]"
        return f"{other}{index} enters {self.states(other)}"

    def states(self, machine: str) -> str:
        groups = self.groups.get(machine, {})
        if groups and self.chance(30):
            return "g"
        return ", ".join(self.some(self.vocabulary.machines[machine]))

    # --- conditions and rules ------------------------------------------------------------------------

    def subject(self, own: str | None) -> str | None:
        """A machine with an index where it needs one."""
        name = self.dice.choice(list(self.vocabulary.machines))
        keys = self.vocabulary.keys[name]
        if name == own or not keys:
            return name
        return f"{name}[{', '.join(keys)}]"

    def condition(self, own: str | None, *, atom: bool = False, bare: bool = True) -> str:
        kind = self.dice.randrange(8)
        name = self.dice.choice(list(self.vocabulary.machines))
        if not bare and kind in (0, 1, 2, 3):
            kind = 5
        if kind == 0:
            return f"n {self.dice.choice(('==', '<', '>=', '!='))} {self.dice.randint(0, 3)}"
        if kind == 1:
            return f"reason in {', '.join(self.some(REASONS))}"
        if kind == 2:
            return 'has n and not (free like "[a-z]+")'
        if kind == 3 and own:
            return self.dice.choice((f"n > {own}.x", f"d >= 1.5 * {own}.e", f"time - {own}.t <= 4s", "has d"))
        if kind in (4, 5) or atom:
            where = f" where {name}.x > 1" if self.chance(30) else ""
            op = self.dice.choice(
                (f"count({name} in {self.states(name)}{where})", f"sum({name}.x in {self.states(name)})")
            )
            return f"{op} {self.dice.choice(('<=', '==', '>'))} {self.dice.randint(0, 2)}"
        if kind == 6 and (bare or not self.vocabulary.keys[name]):
            subject = self.subject(own) if bare else name
            return f"{subject} {self.dice.choice(('in', 'not in'))} {self.states(subject.split('[')[0])}"
        left, right = self.condition(own, bare=bare), self.condition(own, bare=bare)
        return f"({left}) {self.dice.choice(('and', 'or'))} ({right})"

    def rule(self) -> str:
        kind = self.dice.randrange(7)
        machine = self.dice.choice(list(self.vocabulary.machines))
        events = ", ".join(self.some(EVENTS))
        where = f" where {self.condition(None, atom=True)}" if self.chance(20) else ""
        if kind == 0:
            return f"always {self.condition(None, bare=False)}"
        if kind == 1:
            return f"on {events}{where} require {self.condition(None)}"
        if kind == 2:
            return f"when {machine} enters {self.states(machine)} require {self.condition(None)}"
        if kind == 3:
            return f"on {events}{where} expect {self.answers()} within {self.dice.choice(('short', '6s'))}"
        if kind == 4:
            return f"when {machine} enters {self.states(machine)} expect {self.answers()} within short"
        if kind == 5:
            return f"while {machine} in {self.states(machine)} expect {', '.join(self.some(EVENTS))} every long"
        limit = self.dice.choice(("per 5s", "per long", f"while {self.condition(None, bare=False)}"))
        return f"on {events}{where} at most {self.dice.randint(1, 2)} {limit}"

    def answers(self) -> str:
        same = " same n" if self.chance(40) else ""
        answer = f"{self.dice.choice(EVENTS)}{same}"
        plain = [m for m, keys in self.vocabulary.keys.items() if not keys]
        if plain and self.chance(40):
            machine = self.dice.choice(plain)
            answer += f" or {machine} {self.dice.choice(('in', 'not in'))} {self.states(machine)}"
        return answer


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
    "d": (1, 2, 0.5, "3s", "soon"),
    "u": (0,),
    "reason": (*REASONS, "other", " "),
    "free": ("abc", "ABC", 7, "a@b.example", "s3cr3t", "", ["x", {"y": "s3cr3t"}]),
}
