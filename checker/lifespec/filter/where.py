"""`--where EXPR`: an expression of the language over the fields of a session. Parsed and typed as in a lifecycle.

It may ask for fields, parameters and constants; a session has no one state, so machines and what they remember may not
be asked for. Nothing is ever run but the tree that came of parsing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from lifespec.diagnostics import Diagnostic, Label
from lifespec.engine.reference_state import NOT_SET, Session
from lifespec.engine.reference_values import Context, field_value, holds
from lifespec.model import model as m
from lifespec.model.resolve_constant import NUMERIC, Constant
from lifespec.model.resolve_expr import Expressions
from lifespec.model.resolve_finding import Findings
from lifespec.model.resolve_scope import Scope
from lifespec.model.resolve_type import Context as Standing
from lifespec.model.value import LogValue
from lifespec.source import Source, Span
from lifespec.syntax import ast
from lifespec.syntax.parser import parse
from lifespec.trace.event import Client, Event
from lifespec.verdict import Place

NAME = "--where"
"""What the text of the expression is called in findings about it."""

_BEFORE, _AFTER = "rule x {\nalways ", "\n}\n"
_LONGEST = 10_000  # characters
_NOWHERE = Place("", 0)
_EXAMPLE = 'ask for fields: `platform == "ios"`'


@dataclass(frozen=True, slots=True)
class Where:
    """A condition on a session. `fields` are those that it asks for."""

    text: str
    fields: tuple[str, ...]
    _condition: m.Expr
    _model: m.Model

    @property
    def declared(self) -> tuple[str, ...]:
        """The fields that the lifecycle declares."""
        return tuple(self._model.fields)

    def value_of(self, event: Event, name: str) -> LogValue:
        """What an event says of a field, as the log has it; None for nothing, or nothing of the declared type."""
        return None if field_value(self._model, event, name) is NOT_SET else event.fields.get(name)

    def holds_for(self, values: Mapping[str, LogValue], client: Client) -> bool:
        """Whether the session with these values is meant; one of which that is not known is not."""
        session = Session("", client, _NOWHERE, _NOWHERE)
        return holds(self._condition, Context(self._model, session, Event(fields=values))) is True


def resolve_where(text: str, model: m.Model) -> tuple[Where | None, tuple[Diagnostic, ...]]:
    """The condition that a text stands for; None, and findings whose file is `--where`, when it stands for none."""
    if len(text) > _LONGEST:
        return None, (Diagnostic("text-too-large", f"{NAME} is longer than {_LONGEST:,} characters"),)
    whole = Source(NAME, f"{_BEFORE}{text}{_AFTER}")
    tree, found = parse(whole)
    written = _only_condition(tree, len(whole.text))
    if found or written is None:
        return None, tuple(_moved(each, text) for each in found) or (_no_expression(text),)
    findings = Findings({NAME: whole})
    for node in _parts(written):
        if isinstance(node, ast.Aggregate) or (isinstance(node, ast.Path) and node.steps):
            _changing(node.span, findings)
    resolved = None
    if not findings.has_errors:
        resolved = Expressions(_scope_of(model, findings), findings).condition(written, Standing(), NAME)
    parts = list(_parts(resolved))
    for part in parts:
        _check(part, model, findings)
    if resolved is None or findings.has_errors:
        return None, tuple(_moved(each, text) for each in findings.in_order())
    fields = dict.fromkeys(part.name for part in parts if isinstance(part, m.FieldRef))
    if not fields:
        return None, (_asks_nothing(text),)
    return Where(text, tuple(fields), resolved, model), ()


def _only_condition(tree: ast.Ast, length: int) -> ast.Expr | None:
    """The expression, when the text is that and nothing else: no second part, and no rule behind it."""
    match tree.declarations:
        case (ast.RuleDecl(parts=(ast.AlwaysPart(condition=condition),), span=span),) if span.end >= length - 1:
            return condition
    return None


def _scope_of(model: m.Model, findings: Findings) -> Scope:
    """The names that the expression may use: fields and parameters, as the model has them."""
    scope = Scope(findings)
    for spec in model.fields.values():
        scope.field_types[spec.name], scope.field_values[spec.name] = spec.type, spec.values
    for param in model.params.values():
        name = ast.Name(param.name, param.span)
        scope.params[param.name] = ast.ParamDecl(name, ast.BoolLit(True, param.span), None, param.span)
        scope.constants[param.name] = _constant(param)
    return scope


def _constant(param: m.Param) -> Constant:
    value = param.value
    if isinstance(value, float) or (param.type in NUMERIC and isinstance(value, int)):
        return Constant(Fraction(value), param.type)
    return Constant(value, param.type)


def _check(part: Struct, model: m.Model, findings: Findings) -> None:
    if isinstance(part, m.EventAttribute):
        _changing(part.span, findings)
    elif isinstance(part, m.FieldRef) and part.name == "session":
        help_ = "choose a session by its id: `--session ID`"
        findings.add("wrong-part", "`session` is no field", part.span, "no field", help=[help_])
    elif isinstance(part, m.FieldRef) and part.name in model.machines and part.name not in model.fields:
        findings.add(
            "wrong-part",
            f"`{part.name}` is a machine, and a session is chosen by its fields",
            part.span,
            "a machine",
            help=[_EXAMPLE],
        )


def _changing(span: Span, findings: Findings) -> None:
    findings.add(
        "wrong-part",
        f"`{findings.text(span)}` is not the same throughout a session",
        span,
        "changes within a session",
        help=[_EXAMPLE],
    )


def _parts(value: object) -> Iterator[Struct]:
    """All parts of an expression, parsed or resolved, itself first."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting += reversed(part)
        elif isinstance(part, Struct) and not isinstance(part, Span):
            yield part
            waiting += reversed([getattr(part, name) for name in part.__struct_fields__])


# --- findings ----------------------------------------------------------------------------------------


def _moved(found: Diagnostic, text: str) -> Diagnostic:
    """The finding at its place in what was given, whose end is the brace that stands behind it."""
    at_end = found.label is not None and found.label.span.start >= len(_BEFORE) + len(text)
    return replace(
        found,
        message=found.message.replace("found `}`", "found nothing") if at_end else found.message,
        label=_moved_label(found.label, text) if found.label is not None else None,
        labels=tuple(_moved_label(each, text) for each in found.labels),
        fix=None,
    )


def _moved_label(label: Label, text: str) -> Label:
    start, end = (max(0, min(at - len(_BEFORE), len(text))) for at in (label.span.start, label.span.end))
    return Label(Span(NAME, start, end), label.text)


def _no_expression(text: str) -> Diagnostic:
    return Diagnostic(
        "syntax-error",
        f"{NAME} takes one condition",
        Label(Span(NAME, 0, len(text)), "not one condition" if text.strip() else "empty"),
        help=('write it as in a rule: `platform == "ios" and has build`',),
    )


def _asks_nothing(text: str) -> Diagnostic:
    return Diagnostic(
        "not-a-condition",
        f"{NAME} asks for no field, so all sessions or none would be meant",
        Label(Span(NAME, 0, len(text)), "asks for no field"),
        help=(_EXAMPLE,),
    )
