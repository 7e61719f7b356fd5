"""One `on` clause, compiled. Owns what `emit` takes from the record and what it replaces."""

from __future__ import annotations

from collections.abc import Iterable

from lifespec.diagnostics import Diagnostic
from lifespec.model.model import Model
from lifespec.syntax import ast
from lifespec.trace import binding_finding as finding
from lifespec.trace.compiled import NAME_PARTS, Clause, Emission
from lifespec.trace.expression import Expressions
from lifespec.trace.scope import Getter
from lifespec.trace.template import Template, TemplateError, parse_pattern


def compile_clause(clause: ast.OnClause, expressions: Expressions, model: Model) -> Clause:
    """The clause as the reader runs it. Findings go where those of `expressions` go."""
    exact, patterns = templates_and_names(clause.names or (), expressions.findings)
    holes = frozenset(hole for pattern in patterns for hole in pattern.holes if hole)
    emissions: list[Emission] = []
    if clause.fields:
        emissions.append(_own(clause.fields, expressions, holes))
    emissions.extend(
        _emission(each, expressions, holes, model) for each in clause.actions if isinstance(each, ast.Emit)
    )
    return Clause(
        exact=exact,
        patterns=patterns,
        every=clause.names is None,
        where=None if clause.where is None else expressions.condition(clause.where, holes),
        emissions=tuple(emissions),
        ends_session=any(isinstance(each, ast.MarkSession) and each.kind == "ends" for each in clause.actions),
    )


def templates_and_names(
    names: Iterable[ast.Name | ast.Text], findings: list[Diagnostic]
) -> tuple[frozenset[str], tuple[Template, ...]]:
    """The plain names, and those with holes."""
    exact: set[str] = set()
    patterns: list[Template] = []
    for name in names:
        if isinstance(name, ast.Name):
            exact.add(name.text)
            continue
        try:
            pattern = parse_pattern(name.value)
        except TemplateError as error:
            findings.append(finding.wrong_template(name.span, str(error)))
            continue
        if pattern.is_constant:
            exact.add(name.value)
        else:
            patterns.append(pattern)
    return frozenset(exact), tuple(patterns)


def _own(fields: tuple[ast.With, ...], expressions: Expressions, holes: frozenset[str]) -> Emission:
    return Emission(
        event=None,
        own_name=True,
        machine=None,
        source=None,
        target=None,
        status=False,
        owner=None,
        fields=_fields(fields, expressions, holes),
        renames_source=False,
        renames_target=False,
        renames_owner=False,
    )


def _fields(
    fields: tuple[ast.With, ...], expressions: Expressions, holes: frozenset[str]
) -> tuple[tuple[str, Getter, bool], ...]:
    for each in fields:
        if each.name.text in NAME_PARTS:
            expressions.findings.append(finding.part_as_field(each.name))
    return tuple(
        (each.name.text, expressions.value(each.value, holes), not isinstance(each.value, ast.TextLit))
        for each in fields
    )


def _emission(emit: ast.Emit, expressions: Expressions, holes: frozenset[str], model: Model) -> Emission:
    event: Getter | None = None
    machine = None if emit.machine is None else emit.machine.text
    if isinstance(emit.name, ast.Text):
        event = expressions.value(ast.TextLit(emit.name.value, emit.name.span), holes)
    elif machine is None and (emit.source or emit.target) and emit.name.text in model.machines:
        machine = emit.name.text
    else:
        event = _named(emit.name.text)
    return Emission(
        event=event,
        own_name=False,
        machine=machine,
        source=None if emit.source is None else expressions.value(emit.source, holes),
        target=None if emit.target is None else expressions.value(emit.target, holes),
        status=emit.status,
        owner=None if emit.owner is None else expressions.value(emit.owner, holes),
        fields=_fields(emit.fields, expressions, holes),
        renames_source=not isinstance(emit.source, ast.TextLit),
        renames_target=not isinstance(emit.target, ast.TextLit),
        renames_owner=not isinstance(emit.owner, ast.TextLit),
    )


def _named(name: str) -> Getter:
    return lambda scope: name
