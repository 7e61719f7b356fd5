"""Ast -> Model: every name resolved, everything that is wrong reported in one pass.

Owns the order of the work; what each kind of declaration means is in the `resolve_*` files beside this one.
Reads no files: whoever calls has found and parsed the imports.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from lifespec.diagnostics import Diagnostic, Label
from lifespec.model import model as m
from lifespec.model.resolve_binding import Bindings
from lifespec.model.resolve_declaration import (
    Parameters,
    resolve_events,
    resolve_fields,
    resolve_forbids,
    resolve_pauses,
)
from lifespec.model.resolve_expr import Expressions
from lifespec.model.resolve_finding import Findings
from lifespec.model.resolve_machine import resolve_machine
from lifespec.model.resolve_memory import infer_memories
from lifespec.model.resolve_rule import Rules, check_unhandled_events
from lifespec.model.resolve_scope import Scope, collect, text_of
from lifespec.model.resolve_unparsed import find_unparsed_names
from lifespec.source import Source, Span
from lifespec.syntax import ast

Unit = tuple[Source, ast.Ast]


class Resolution(Struct, frozen=True):
    """`model` is None exactly when a finding is an error. `lifecycle` is the same Model, and is there also when
    nothing but bindings is wrong: enough to judge the names in the other bindings."""

    model: m.Model | None
    lifecycle: m.Model | None
    diagnostics: tuple[Diagnostic, ...]


def resolve(
    units: Sequence[Unit], profile: str | None = None, library: Sequence[Unit] = ()
) -> tuple[m.Model | None, tuple[Diagnostic, ...]]:
    """The Model of the first text and its imports, or None when a finding is an error, and all findings; see
    `resolve_texts`."""
    resolution = resolve_texts(units, profile, library)
    return resolution.model, resolution.diagnostics


def resolve_texts(
    units: Sequence[Unit], profile: str | None = None, library: Sequence[Unit] = (), misses_texts: bool = False
) -> Resolution:
    """The Model of the first text and its imports, and all findings in the order of the text.

    `profile` names the profile whose parameters count. `library` are texts whose bindings may be extended
    and used by name unless a unit declares one of the same name; their other declarations are not looked at.
    `misses_texts` says that an import could not be read: what it may declare is then not missed.
    Of a text with syntax errors, which the parser has reported, the Model holds what could be parsed. Raises
    ValueError without units.
    """
    if not units:
        raise ValueError("there is no text to resolve")
    sources = {source.name: source for source, _ in units}
    texts = {**sources, **{s.name: s for s, _ in library if s.name not in sources}}
    doubtful = frozenset(name for source, unit in units for name in find_unparsed_names(source, unit))
    findings = Findings(texts, doubtful, misses_texts)
    scope = collect([unit for _, unit in units], findings)
    header = _header(scope, units[0])
    parameters = Parameters(scope)
    written, profiles = parameters.resolve(profile)
    constants = parameters.constants
    fields = resolve_fields(scope, constants)
    infer_memories(scope)
    expressions = Expressions(scope, findings)
    owners = {name: m.Owner(name, text_of(decl.doc), written.span) for name, (written, decl) in scope.owners.items()}
    forbids = resolve_forbids(scope)
    machines = {name: resolve_machine(scope, each, expressions, constants) for name, each in scope.machines.items()}
    events = resolve_events(scope)
    pauses = resolve_pauses(scope)
    rules_of = Rules(scope, expressions, constants)
    rules = tuple(rules_of.resolve(decl) for decl in scope.rules.values())
    check_unhandled_events(scope)
    _check_circular_memories(scope)
    is_sound = not findings.has_errors and not findings.is_partial
    name = header.name.text if header is not None else None
    titles = frozenset(title.name.text for is_main, title in scope.lifecycles if not is_main)
    bindings = Bindings(scope, constants, name, titles, [unit for _, unit in library]).resolve()
    if header is None or (findings.has_errors and not is_sound):
        return Resolution(None, None, findings.in_order())
    used = {binding.span.file for binding in bindings.values()}
    model = m.Model(
        name=header.name.text,
        version=text_of(header.version),
        doc=text_of(header.doc),
        owners=owners,
        fields=fields,
        forbids=forbids,
        params=parameters.params(written),
        profiles=profiles,
        profile=profile,
        pauses=pauses,
        events=events,
        machines={machine.name: machine for machine in machines.values() if machine is not None},
        rules=rules,
        bindings=bindings,
        sources={**sources, **{s.name: s for s, _ in library if s.name in used and s.name not in sources}},
        span=header.span,
    )
    return Resolution(None if findings.has_errors else model, model if is_sound else None, findings.in_order())


def _header(scope: Scope, main: Unit) -> ast.Lifecycle | None:
    """The one `lifecycle` of the main text; those of imports are only titles there."""
    headers = [header for is_main, header in scope.lifecycles if is_main]
    if not headers and any(name == "lifecycle" for name in find_unparsed_names(*main)):
        return None
    if not headers:
        text = main[0]
        start = Span(text.name, 0, len(text.line(1)))
        declared = main[1].declarations
        if declared and all(isinstance(declaration, ast.BindingDecl) for declaration in declared):
            help_ = ["give the lifecycle first and this file behind it: `lifespec lint SPEC --binding FILE`"]
            scope.findings.add("no-lifecycle", "this file holds a binding and no lifecycle", start, help=help_)
        elif text.text.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
            help_ = ["the lifecycle comes first, the logs behind it"]
            scope.findings.add("no-lifecycle", "this looks like a log, not like a lifecycle", start, help=help_)
        else:
            help_ = ["begin it with `lifecycle NAME`"]
            label = "nothing says whose machines these are"
            scope.findings.add("no-lifecycle", "this text declares no lifecycle", start, label, help=help_)
        return None
    for other in headers[1:]:
        scope.findings.add(
            "several-lifecycles",
            f"lifecycle `{other.name.text}` is the second of this text",
            other.span,
            "a second lifecycle",
            labels=[Label(headers[0].span, "the first one")],
            notes=["a text declares one lifecycle, which may have any number of machines"],
            help=["put it into a file of its own"],
        )
    return headers[0]


def _check_circular_memories(scope: Scope) -> None:
    """A memory without a type that no other finding explains is set from nothing but itself."""
    if scope.findings.has_errors or scope.findings.is_partial:
        return
    for machine in scope.machines.values():
        for name, memory in machine.memories.items():
            if memory.type is None:
                scope.findings.add(
                    "never-remembered",
                    f"machine `{machine.name}` sets `{name}` only from what is never set",
                    memory.span,
                    "never gets a value",
                    help=["set it once from an event, or from a constant"],
                )
