"""What a binding says in vain: names that no record can have where they are looked for, clauses behind others that take
their records first, and events of the lifecycle that it makes of no record. Owns these questions alone.

Nothing here keeps a binding from being read: all are warnings. What a log holds is not known here, so only that is
told which no log could change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from lifespec.diagnostics import Diagnostic
from lifespec.model.model import Model, On
from lifespec.source import Span
from lifespec.syntax import ast
from lifespec.syntax.printer_expr import print_value
from lifespec.trace import binding_finding as finding
from lifespec.trace.compiled import NAME_PARTS
from lifespec.trace.field_use import users_of_fields
from lifespec.trace.rename import Renames, compile_pairs
from lifespec.trace.template import Template, TemplateError, parse_pattern
from lifespec.trace.text_value import TextValues
from lifespec.trace.vocabulary import known_events, users_of_events

_ANYTHING = "\ue000"  # stands in a name for what a hole takes; no literal of a template holds it


def check_reach(
    model: Model, statements: Sequence[ast.Statement], own: Collection[ast.Statement], span: Span
) -> Iterator[Diagnostic]:
    """What is said in vain in a binding with these `statements`. Told are only those in `own`, and what all of them
    together do not do: at `span`."""
    names = _Names(statements)
    texts = TextValues(statements)
    for statement in own:
        yield from _vain_numbers(statement, texts)
        if isinstance(statement, ast.Rename):
            yield from _unread_part(statement, names)
        elif isinstance(statement, ast.Ignore) and statement.kind == "machines" and "machine" not in names.assigned:
            yield finding.nothing_to_rename("machine", "passed over", statement.span)
        elif isinstance(statement, ast.OnClause | ast.Ignore) and not _is_of_machines(statement):
            yield from _vain_names(statement, names)
    yield from _shadowed(statements, own)
    yield from _never_made(model, statements, names, span)
    yield from _never_given(model, statements, span)


def _is_of_machines(statement: ast.OnClause | ast.Ignore) -> bool:
    return isinstance(statement, ast.Ignore) and statement.kind == "machines"


class _Names:
    """Which names of events records can have, after `rename`."""

    def __init__(self, statements: Sequence[ast.Statement]) -> None:
        self.assigned = {
            each.name.text: each.value for each in statements if isinstance(each, ast.Assign) and each.value is not None
        }
        self.pairs = [
            pair
            for each in statements
            if isinstance(each, ast.Rename) and each.part.text == "event"
            for pair in each.pairs
        ]
        self._renames: Renames = compile_pairs(self.pairs, [], of_names=True)
        self._made = [_pattern(pair.new) for pair in self.pairs if pair.new is not None]
        self._ignored = [
            pattern
            for each in statements
            if isinstance(each, ast.Ignore) and each.kind == "names" and each.where is None
            for pattern in map(_pattern, each.names)
        ]
        self._constant = self.assigned.get("event")

    @property
    def are_read(self) -> bool:
        """Whether records have names at all."""
        return self._constant is not None

    def renamed(self, name: str) -> str | None:
        """What `rename` makes of a name of the log."""
        return self._renames.of_name(name)

    def can_be(self, name: str) -> bool:
        """Whether a record can have this name: no `rename` speaks of it, or one makes it. (What `"ws.{e}" -> "{e}"`
        could make of a doubled prefix is left out.)"""
        if isinstance(self._constant, ast.TextLit) and "{" not in self._constant.value:
            return name == self._constant.value
        if self._constant is None:
            return False
        if self._renames.of_name(name) == name:
            return True
        return any(made is None or (any(made.literals) and made.take(name) is not None) for made in self._made)

    def is_ignored(self, name: str) -> bool:
        """Whether every record of this name is passed over before an `on` could see it."""
        return any(pattern is not None and pattern.take(name) is not None for pattern in self._ignored)


def _pattern(name: ast.Name | ast.Text | ast.NumberLit) -> Template | None:
    """A name, or one with holes, to be compared with names; None when it may be anything."""
    if not isinstance(name, ast.Text):
        return Template(name.text, (name.text,), ())
    try:
        return parse_pattern(name.value)
    except TemplateError:
        return None


def _vain_names(statement: ast.OnClause | ast.Ignore, names: _Names) -> Iterator[Diagnostic]:
    """Names that an `on` or an `ignore` looks for, and no record has there."""
    for name in statement.names or ():
        text = name.text if isinstance(name, ast.Name) else name.value
        if not names.are_read:
            yield finding.no_names_read(text, name.span)
        elif "{" in text:
            continue
        elif not names.can_be(text):
            yield finding.renamed_away(text, names.renamed(text), name.span)
        elif isinstance(statement, ast.OnClause) and names.is_ignored(text):
            yield finding.ignored_before(text, name.span)


def _unread_part(rename: ast.Rename, names: _Names) -> Iterator[Diagnostic]:
    """A `rename` of a part that no record has."""
    part = rename.part.text
    if part in ("event", "session", "machine") and part not in names.assigned:
        yield finding.nothing_to_rename(part, "renamed", rename.part.span)


def _vain_numbers(statement: ast.Statement, texts: TextValues) -> Iterator[Diagnostic]:
    """Numbers that are compared with what is always a text (B13). Of a name a number is a way to write it."""
    for text, number in texts.vain_comparisons(statement):
        yield finding.number_beside_text(print_value(text), number)
    if isinstance(statement, ast.Rename) and statement.part.text not in NAME_PARTS:
        numbers = [pair.old for pair in statement.pairs if isinstance(pair.old, ast.NumberLit)]
        if numbers and texts.always_text(statement.part.text):
            yield from (finding.number_for_text(statement.part.text, number) for number in numbers)


def _shadowed(statements: Sequence[ast.Statement], own: Collection[ast.Statement]) -> Iterator[Diagnostic]:
    """Patterns behind others that take all that they fit (B13, B16)."""
    told = {id(each) for each in own}
    yield from _behind(
        [
            (name, id(each) in told)
            for each in statements
            if isinstance(each, ast.OnClause)
            for name in each.names or ()
        ],
        equal_is_shadowed=False,
    )
    groups: dict[tuple[str, str], list[tuple[ast.Name | ast.Text | ast.NumberLit, bool]]] = {}
    for each in statements:
        if isinstance(each, ast.Rename):
            for machine in [name.text for name in each.machines] or [""]:
                group = groups.setdefault((each.part.text, machine), [])
                group += [(pair.old, id(each) in told) for pair in each.pairs]
    for group in groups.values():
        yield from _behind(group, equal_is_shadowed=True)


def _behind(
    written: Iterable[tuple[ast.Name | ast.Text | ast.NumberLit, bool]], *, equal_is_shadowed: bool
) -> Iterator[Diagnostic]:
    """`written` are names and patterns in order, and whether they are to be told of."""
    before: list[tuple[str, Template]] = []
    for name, is_told in written:
        if not isinstance(name, ast.Text) or "{" not in name.value or (pattern := _pattern(name)) is None:
            continue
        for text, first in before:
            if text == name.value and not equal_is_shadowed:
                continue
            if _covers(first, pattern):
                if is_told:
                    yield finding.shadowed_pattern(name.value, text, name.span)
                break
        before.append((name.value, pattern))


def _covers(first: Template, second: Template) -> bool:
    """Whether `first` takes all that `second` fits, as far as short and longer holes show it."""
    for held in (_ANYTHING, 2 * _ANYTHING):
        holes = ("" if not hole and held == _ANYTHING else held for hole in second.holes)
        text = "".join(part for pair in zip(second.literals, (*holes, ""), strict=True) for part in pair)
        if first.take(text) is None:
            return False
    return True


def _never_made(model: Model, statements: Sequence[ast.Statement], names: _Names, span: Span) -> Iterator[Diagnostic]:
    """Events that no record becomes, whatever the log holds, and that the binding does not say are lacking. A machine
    of which steps are read without their events is not asked about its own."""
    clauses = [each for each in statements if isinstance(each, ast.OnClause)]
    emitted: list[Template | None] = []
    stepped: set[str] = set()
    lacking = set(_lacking_events(model, statements))
    for each in statements:
        match each:
            case ast.OnClause(actions=actions):
                for action in actions:
                    if not isinstance(action, ast.Emit):
                        continue
                    emitted.append(_pattern(action.name))
                    if action.target is not None and isinstance(action.name, ast.Name):
                        stepped.add(action.name.text)
            case ast.Lacks(kind="machines", names=lacked):
                lacking |= {name.text for name in lacked}
            case _:
                pass

    def is_missing(name: str) -> bool:
        if name in lacking or any(made is None or made.take(name) is not None for made in emitted):
            return False
        return not names.can_be(name) or names.is_ignored(name) or _is_always_translated(name, clauses)

    of_machines = {name for machine in model.machines.values() for name in _events_of(model, machine.name)}
    for name, by in users_of_events(model).items():
        if name not in of_machines and is_missing(name):
            is_translated = names.can_be(name) and not names.is_ignored(name)
            yield finding.never_made_for(name, by, span, is_translated=is_translated)
    if "to" in names.assigned:
        return
    for machine in model.machines.values():
        if machine.name in stepped or machine.name in lacking:
            continue
        missing = [name for name in _events_of(model, machine.name) if is_missing(name)]
        if missing:
            yield finding.never_made(machine.name, missing, span)


def _is_always_translated(name: str, clauses: Sequence[ast.OnClause]) -> bool:
    """Whether every record of this name is made another event of, under which it is no event of its own (B16, B18)."""
    looking = [each for each in clauses if each.names is None or any(_fits(written, name) for written in each.names)]
    if any(each.fields for each in looking):
        return False  # it keeps its name
    return any(
        each.where is None
        and each.match is None
        and not each.each
        and any(isinstance(action, ast.Emit) for action in each.actions)
        and (
            each.names is None or any(isinstance(written, ast.Name) and written.text == name for written in each.names)
        )
        for each in looking
    )


def _fits(written: ast.Name | ast.Text, name: str) -> bool:
    pattern = _pattern(written)
    return pattern is None or pattern.take(name) is not None


def _never_given(model: Model, statements: Sequence[ast.Statement], span: Span) -> Iterator[Diagnostic]:
    """Fields that the lifecycle requires or reads, and that the binding gives no event."""
    if any(isinstance(each, ast.FieldsFrom) for each in statements):
        return
    given: set[str] = set()
    lacking = set(_lacking_events(model, statements))
    for each in statements:
        match each:
            case ast.Assign(name=name, value=value) if value is not None:
                given.add(name.text)
            case ast.OnClause(actions=actions, fields=fields):
                emits = [action for action in actions if isinstance(action, ast.Emit)]
                given.update(field.name.text for some in (fields, *(emit.fields for emit in emits)) for field in some)
            case ast.Lacks(kind="fields" | "machines", names=names):
                lacking |= {name.text for name in names}
            case _:
                pass
    for field, why in users_of_fields(model, lacking).items():
        if field not in given and field not in lacking:
            yield finding.never_given(field, why, span)


def _lacking_events(model: Model, statements: Sequence[ast.Statement]) -> Iterator[str]:
    """The events that the binding says are lacking."""
    for each in statements:
        if not isinstance(each, ast.Lacks) or each.kind != "events":
            continue
        names = {name.text for name in each.names}
        if each.every:
            names = set(known_events(model)) - (names if each.excepted else set())
        yield from sorted(names)


def _events_of(model: Model, machine: str) -> list[str]:
    """The events that move a machine, in order."""
    return list(
        dict.fromkeys(
            name
            for transition in model.machines[machine].transitions
            if isinstance(transition.trigger, On)
            for name in transition.trigger.events
        )
    )
