"""What of a model is used where. Owns one walk over all of it; judges nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lifespec.model import model as m
from lifespec.model.walk import parts_of
from lifespec.source import Span
from lifespec.syntax import ast


@dataclass(slots=True)
class Usage:
    """Names by what uses them.

    `fields` have the first place that names each, or None where no text of the lifecycle does. `handled` are
    the events that a machine takes or ignores, that a rule waits for or that pauses; `events` are those and
    the answers that rules expect.
    """

    fields: dict[str, Span | None] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    owners: set[str] = field(default_factory=set)
    handled: dict[str, None] = field(default_factory=dict)
    events: set[str] = field(default_factory=set)

    def read(self, name: str, span: Span | None) -> None:
        self.fields.setdefault(name, span)

    def require(self, names: Iterable[str], span: Span) -> None:
        self.required.update(names)
        for name in names:
            self.read(name, span)

    def handle(self, events: Iterable[str]) -> None:
        self.handled.update(dict.fromkeys(events))
        self.events.update(self.handled)


def find_usage(model: m.Model) -> Usage:
    """Everything that the machines, rules, events, pauses and bindings of `model` name."""
    usage = Usage()
    for machine in model.machines.values():
        usage.owners.update(machine.owners)
        usage.handle(sorted(machine.ignored))
        for key in machine.keys:
            usage.read(key, machine.span)
        for state in machine.states.values():
            usage.require(state.requires, state.span)
        for transition in machine.transitions:
            _of_transition(usage, transition)
    for event in model.events.values():
        usage.require(event.requires, event.span)
    for pause in model.pauses:
        usage.handle((*pause.begins, *pause.ends))
    for rule in model.rules:
        for part in rule.parts:
            _of_part(usage, part)
    for binding in model.bindings.values():
        _of_binding(usage, binding)
    return usage


def _of_transition(usage: Usage, transition: m.Transition) -> None:
    usage.owners.update(transition.owners)
    usage.require(transition.requires, transition.span)
    match transition.trigger:
        case m.On(events=events):
            usage.handle(events)
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
            usage.handle(events)
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
    for name in answer.same:
        usage.read(name, answer.span)
    _of_all(usage, () if answer.where is None else (answer.where,))


def _of_binding(usage: Usage, binding: m.Binding) -> None:
    """What a binding makes of a record is used: fields that it fills, owners and events that it names."""
    for statement in binding.statements:
        match statement:
            case ast.Assign(name=ast.Name(text="owner"), value=ast.TextLit(value=owner)):
                usage.owners.add(owner)
            case ast.Assign(name=name):
                usage.read(name.text, None)
            case ast.Rename(part=part, pairs=pairs):
                made = {_text(pair.new) for pair in pairs if pair.new is not None}
                if part.text == "owner":
                    usage.owners |= made
                elif part.text == "event":
                    usage.events |= made
            case ast.OnClause(fields=fields, actions=actions):
                for each in fields:
                    usage.read(each.name.text, None)
                for action in actions:
                    if isinstance(action, ast.Emit):
                        _of_emit(usage, action)


def _of_emit(usage: Usage, emit: ast.Emit) -> None:
    usage.events.add(_text(emit.name))
    if isinstance(emit.owner, ast.TextLit):
        usage.owners.add(emit.owner.value)
    for each in emit.fields:
        usage.read(each.name.text, None)


def _text(name: ast.Name | ast.Text) -> str:
    return name.value if isinstance(name, ast.Text) else name.text


def _of_all(usage: Usage, expressions: Iterable[m.Expr]) -> None:
    for expression in expressions:
        for part in parts_of(expression):
            match part:
                case m.FieldRef(name=name, span=span):
                    usage.read(name, span)
                case m.Comparison(left=left, right=right):
                    for side, other in ((left, right), (right, left)):
                        if _is_owner(side) and isinstance(other, m.Literal):
                            usage.owners.add(str(other.value))
                case m.Choice(operand=operand, values=values) if _is_owner(operand):
                    usage.owners.update(str(value.value) for value in values)


def _is_owner(expr: m.Expr) -> bool:
    return isinstance(expr, m.EventAttribute) and expr.name == "owner"
