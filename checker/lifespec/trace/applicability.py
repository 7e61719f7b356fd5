"""What a client cannot show of a model: the properties that are not applicable to it (spec/semantics.md S56).

Owns this one question; it is asked of the model and the client alone, before any event.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from lifespec.model.model import (
    Aggregate,
    AlwaysPart,
    Answer,
    AtMostPer,
    AtMostWhile,
    Every,
    Expect,
    Expr,
    FieldRef,
    Machine,
    Membership,
    MemoryRef,
    Model,
    On,
    OnPart,
    Requirement,
    RulePart,
    StateAnswer,
    WhenPart,
    WhilePart,
)
from lifespec.model.walk import parts_of
from lifespec.trace.event import Client
from lifespec.verdict import Property

WHOLE = -1  # in place of an action's number: the part itself


class NotApplicable(Struct, frozen=True):
    """`properties` as a whole, and single `actions` of rules as (rule, part, action)."""

    properties: frozenset[Property]
    actions: frozenset[tuple[int, int, int]]


def find_not_applicable(model: Model, client: Client) -> NotApplicable:
    """What needs an event, a field, a machine or a clock that the client does not have."""
    asker = _Asker(model, client)
    properties: set[Property] = set()
    actions: set[tuple[int, int, int]] = set()
    for machine in model.machines.values():
        if machine.name in client.lacking_machines:
            properties.add(Property("transitions", machine.name))
        for state in machine.states.values():
            unseen = not client.has_time or client.sampled  # S3, S53: the way out may have been taken unseen
            if state.within_ns is not None and (unseen or not asker.can_be_left(machine, state.name)):
                properties.add(Property("bound", machine.name, state.name))
    for number, rule in enumerate(model.rules):
        lacking = [asker.lacking_actions(part) for part in rule.parts]
        for place, part in enumerate(rule.parts):
            actions |= {(number, place, action) for action in lacking[place]}
            if isinstance(part, AlwaysPart):
                continue
            if lacking[place] and len(lacking[place]) == len(part.actions):
                actions.add((number, place, WHOLE))
        if all((number, place, WHOLE) in actions for place in range(len(rule.parts))):
            properties.add(Property("rule", rule.name))
    properties |= {Property("field", name) for name in model.fields if name in client.lacking_fields}
    properties |= {Property("event", name) for name in model.events if name in client.lacking_events}
    return NotApplicable(frozenset(properties), frozenset(actions))


class _Asker(Struct, frozen=True):
    model: Model
    client: Client

    def lacks_all(self, events: Iterable[str]) -> bool:
        return all(name in self.client.lacking_events for name in events)

    def can_be_left(self, machine: Machine, state: str) -> bool:
        """Some way out of the state can be seen."""
        if machine.name in self.client.lacking_machines:
            return False
        ways = [t for t in machine.transitions if state in t.sources and t.targets]
        return not ways or any(not isinstance(t.trigger, On) or not self.lacks_all(t.trigger.events) for t in ways)

    def can_be_entered(self, machine: Machine, states: Iterable[str]) -> bool:
        """Some way into one of the states can be seen."""
        if machine.name in self.client.lacking_machines:
            return False
        wanted = set(states)
        ways = [t for t in machine.transitions if wanted & set(t.targets)]
        return not ways or any(not isinstance(t.trigger, On) or not self.lacks_all(t.trigger.events) for t in ways)

    def can_be_written(self, memory: MemoryRef) -> bool:
        """Some transition that writes the value can be seen, with the fields that it writes."""
        machine = self.model.machines[memory.instance.machine]
        if machine.name in self.client.lacking_machines:
            return False
        for transition in machine.transitions:
            if isinstance(transition.trigger, On) and self.lacks_all(transition.trigger.events):
                continue
            for assignment in transition.remember:
                if assignment.name == memory.name and not self.lacks_field(assignment.value):
                    return True
        return False

    def lacks_field(self, expr: Expr) -> bool:
        return any(isinstance(e, FieldRef) and e.name in self.client.lacking_fields for e in parts_of(expr))

    def is_blind(self, expr: Expr | None) -> bool:
        """The condition reads something that this client never shows."""
        if expr is None:
            return False
        for part in parts_of(expr):
            match part:
                case FieldRef(name=name) if name in self.client.lacking_fields:
                    return True
                case MemoryRef() if not self.can_be_written(part):
                    return True
                case Membership(instance=ref) if ref.machine in self.client.lacking_machines:
                    return True
                case Aggregate(machine=name) if name in self.client.lacking_machines:
                    return True
        return False

    def lacking_actions(self, part: RulePart) -> set[int]:
        """The numbers of the actions of a part that cannot be judged; WHOLE for an `always`."""
        match part:
            case AlwaysPart():
                return {WHOLE} if self.is_blind(part.condition) else set()
            case OnPart():
                unseen = self.lacks_all(part.events) or part.of in self.client.lacking_machines
                blind = unseen or self.is_blind(part.where)
            case WhenPart():
                states = {s for e in part.enters for s in e.states}
                blind = not self.can_be_entered(self.model.machines[part.machine], states) or self.is_blind(part.where)
            case WhilePart():
                blind = self.is_blind(part.condition)
        every: set[int] = set()
        for number, action in enumerate(part.actions):
            if blind or self._is_lacking(action):
                every.add(number)
        return every

    def _is_lacking(self, action: Requirement | Expect | Every | AtMostPer | AtMostWhile) -> bool:
        match action:
            case Requirement():
                return self.is_blind(action.condition)
            case Expect() | Every():  # S53: what did not come in a sampled recording may have come unseen
                blind = not self.client.has_time or self.client.sampled
                return blind or all(self._is_silent(answer) for answer in action.answers)
            case AtMostPer():
                return not self.client.has_time
            case AtMostWhile():
                return self.is_blind(action.during)

    def _is_silent(self, answer: Answer) -> bool:
        if isinstance(answer, StateAnswer):
            machine = self.model.machines[answer.condition.instance.machine]
            return not answer.condition.negated and not self.can_be_entered(machine, answer.condition.states)
        return self.lacks_all(answer.events)
