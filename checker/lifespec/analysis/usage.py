"""What of a model is used where. Owns one walk over all of it; judges nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lifespec.model import model as m
from lifespec.syntax import ast


@dataclass(slots=True)
class Usage:
    """Names by what uses them. `events` are those that a machine, a rule or a pause names."""

    fields: set[str] = field(default_factory=set)
    required: set[str] = field(default_factory=set)
    owners: set[str] = field(default_factory=set)
    events: set[str] = field(default_factory=set)

    def require(self, names: Iterable[str]) -> None:
        self.fields.update(names)
        self.required.update(names)


def find_usage(model: m.Model) -> Usage:
    """Everything that the machines, rules, events, pauses and bindings of `model` name."""
    usage = Usage()
    for machine in model.machines.values():
        usage.owners.update(machine.owners)
        usage.fields.update(machine.keys)
        usage.events.update(machine.ignored)
        for state in machine.states.values():
            usage.require(state.requires)
        for transition in machine.transitions:
            _of_transition(usage, transition)
    for event in model.events.values():
        usage.require(event.requires)
    for pause in model.pauses:
        usage.events.update(pause.begins, pause.ends)
    for rule in model.rules:
        for part in rule.parts:
            _of_part(usage, part)
    for binding in model.bindings.values():
        _of_binding(usage, binding)
    return usage


def _of_transition(usage: Usage, transition: m.Transition) -> None:
    usage.owners.update(transition.owners)
    usage.require(transition.requires)
    match transition.trigger:
        case m.On(events=events):
            usage.events.update(events)
        case m.When(index=index):
            _of_all(usage, index)
        case m.At(value=value):
            _of_all(usage, (value,))
    _of_all(usage, () if transition.where is None else (transition.where,))
    _of_all(usage, (requirement.condition for requirement in transition.require))
    _of_all(usage, (assignment.value for assignment in transition.remember))


def _of_part(usage: Usage, part: m.RulePart) -> None:
    match part:
        case m.AlwaysPart(condition=condition) | m.WhilePart(condition=condition):
            _of_all(usage, (condition,))
        case m.OnPart(events=events, where=where):
            usage.events.update(events)
            _of_all(usage, () if where is None else (where,))
        case m.WhenPart(index=index, where=where):
            _of_all(usage, index if where is None else (*index, where))
    if isinstance(part, m.AlwaysPart):
        return
    for action in part.actions:
        match action:
            case m.Requirement(condition=condition):
                _of_all(usage, (condition,))
            case m.AtMostWhile(during=during):
                _of_all(usage, (during,))
            case m.Expect(answers=answers) | m.Every(answers=answers):
                for answer in answers:
                    _of_answer(usage, answer)


def _of_answer(usage: Usage, answer: m.Answer) -> None:
    if isinstance(answer, m.StateAnswer):
        _of_all(usage, (answer.condition,))
        return
    usage.events.update(answer.events)
    usage.fields.update(answer.same)
    _of_all(usage, () if answer.where is None else (answer.where,))


def _of_binding(usage: Usage, binding: m.Binding) -> None:
    """A field that a binding fills is used; so is an owner that it names."""
    for statement in binding.statements:
        match statement:
            case ast.Assign(name=name):
                usage.fields.add(name.text)
            case ast.Rename(part=part, pairs=pairs) if part.text == "owner":
                for pair in pairs:
                    if pair.new is not None:
                        usage.owners.add(pair.new.value if isinstance(pair.new, ast.Text) else pair.new.text)
            case ast.OnClause(fields=fields, actions=actions):
                usage.fields.update(each.name.text for each in fields)
                for action in actions:
                    if isinstance(action, ast.Emit):
                        usage.fields.update(each.name.text for each in action.fields)


def _of_all(usage: Usage, expressions: Iterable[m.Expr]) -> None:
    for expression in expressions:
        for part in parts_of(expression):
            match part:
                case m.FieldRef(name=name):
                    usage.fields.add(name)
                case m.Comparison(left=left, right=right):
                    for side, other in ((left, right), (right, left)):
                        if _is_owner(side) and isinstance(other, m.Literal):
                            usage.owners.add(str(other.value))
                case m.Choice(operand=operand, values=values) if _is_owner(operand):
                    usage.owners.update(str(value.value) for value in values)


def _is_owner(expr: m.Expr) -> bool:
    return isinstance(expr, m.EventAttribute) and expr.name == "owner"


def parts_of(expr: m.Expr) -> Iterator[m.Expr]:
    """`expr` and everything inside it, indices included; without recursion."""
    waiting = [expr]
    while waiting:
        part = waiting.pop()
        yield part
        match part:
            case m.MemoryRef(instance=instance) | m.KeyRef(instance=instance) | m.Membership(instance=instance):
                waiting.extend(instance.index)
            case m.Choice(operand=operand) | m.Like(operand=operand) | m.Has(operand=operand):
                waiting.append(operand)
            case m.Not(operand=operand) | m.Negative(operand=operand):
                waiting.append(operand)
            case m.Comparison(left=left, right=right) | m.Arithmetic(left=left, right=right):
                waiting += (left, right)
            case m.And(operands=operands) | m.Or(operands=operands):
                waiting.extend(operands)
            case m.Aggregate(value=value, where=where):
                waiting.extend(each for each in (value, where) if each is not None)
