"""One `on` clause, compiled. Owns what `emit` takes from the record and what it replaces."""

from __future__ import annotations

from collections.abc import Iterable

from lifespec.diagnostics import Diagnostic
from lifespec.model.model import Model
from lifespec.syntax import ast
from lifespec.syntax.printer_binding import print_each
from lifespec.trace import binding_finding as finding
from lifespec.trace.compiled import NAME_PARTS, Clause, Emission, Matching, Unfolding
from lifespec.trace.expression import Expressions
from lifespec.trace.scope import Getter
from lifespec.trace.template import Template, TemplateError, parse_pattern


def compile_clause(clause: ast.OnClause, expressions: Expressions, model: Model) -> Clause:
    """The clause as the reader runs it. Findings go where those of `expressions` go."""
    exact, patterns = templates_and_names(clause.names or (), expressions.findings)
    holes = frozenset(hole for pattern in patterns for hole in pattern.holes if hole)
    unfolds: list[Unfolding] = []
    for each in clause.each:
        unfolds.append(compile_each(each, expressions, holes))
        holes |= {each.name.text} | ({each.key.text} if each.key is not None else set())
    match = None
    if clause.match is not None:
        match = compile_match(clause.match, expressions, holes)
        holes |= {hole for hole in match.template.holes if hole} if match is not None else set()
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
        begins_session=any(isinstance(each, ast.MarkSession) and each.kind == "begins" for each in clause.actions),
        joins=tuple(
            expressions.value(each.value, holes) for each in clause.actions if isinstance(each, ast.SameSession)
        ),
        unfolds=tuple(unfolds),
        match=match,
    )


def compile_each(each: ast.Each, expressions: Expressions, holes: frozenset[str]) -> Unfolding:
    """One `each`; `holes` are names bound before it."""
    head, *_ = (each.path.head.text,) if isinstance(each.path.head, ast.Name) else ("",)
    steps = [step.name.text if step.name is not None else _number(step) for step in each.path.steps]
    is_written = isinstance(each.path.head, ast.Name) and None not in steps
    if head in ("record", "header"):
        head = "" if head not in expressions.each_names else head
    elif is_written and head not in expressions.each_names:
        head, steps = "", [head, *steps]
    return Unfolding(
        key=None if each.key is None else each.key.text,
        name=each.name.text,
        get=expressions.value(each.path, holes),
        head=head,
        steps=tuple(step for step in steps if step is not None) if is_written else None,
        text=print_each(each),
        span=each.path.span,
    )


def _number(step: ast.Step) -> int | None:
    """The place in a list, when it is written as a number."""
    if step.index is not None and len(step.index) == 1 and isinstance(step.index[0], ast.NumberLit):
        text = step.index[0].text
        return int(text) if text.isdigit() and len(text) < 10 else None
    return None


def compile_match(match: ast.Match, expressions: Expressions, holes: frozenset[str]) -> Matching | None:
    """One `match`; None with a finding when its template cannot be read."""
    try:
        template = parse_pattern(match.template.value)
    except TemplateError as error:
        expressions.findings.append(finding.wrong_template(match.template.span, str(error)))
        return None
    return Matching(expressions.value(match.path, holes), template)


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
