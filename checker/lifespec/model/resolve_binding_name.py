"""Names of the lifecycle in a binding of one's own: what records become has to be something that is known.

Owns what a name may mean on the right of `rename` and in the constants of `emit`. The names of events and
machines in `emit` and `lacks` are `trace.binding`'s. As there, a name near a known one is an error, since a slip
makes events vanish; any other is a warning: the client may know more than this lifecycle does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from lifespec.diagnostics import Severity
from lifespec.model.resolve_finding import quoted
from lifespec.model.resolve_scope import EVENT_PARTS, Scope
from lifespec.source import Span
from lifespec.syntax import ast

_RENAMED = ("event", "machine", "owner", "state", "session")  # besides fields


class BindingNames:
    """Checks the names in one binding after the other."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._events = known_events(scope)

    def check(self, own: Sequence[ast.Statement], whole: Sequence[ast.Statement]) -> None:
        """The statements `own`, in a binding that has the statements `whole` with what it extends."""
        translated = list(_translated(whole))
        given = set(_given(whole))
        takes_all = any(isinstance(each, ast.FieldsFrom) for each in whole)
        passes_over = any(isinstance(each, ast.Ignore) and each.kind == "any" for each in whole)
        for statement in own:
            match statement:
                case ast.Rename():
                    self._part(statement.part, given, takes_all=takes_all)
                    self._rename(statement, translated, passes_over)
                case ast.OnClause(actions=actions, fields=fields):
                    self._fields(each.name for each in fields)
                    for each in fields:
                        self._constant(each.name, each.value)
                    for action in actions:
                        if isinstance(action, ast.Emit):
                            self._emit(action)
                case ast.Lacks(kind="fields", names=names):
                    for name in names:
                        self._expect("field", name.text, name.span, self._scope.named_fields)
                case ast.Assign(name=name, value=value):
                    self._fields([name])
                    self._constant(name, value)

    def _part(self, part: ast.Name, given: Collection[str], *, takes_all: bool) -> None:
        """Whether `rename` speaks of a part or field that there is; `given` are the fields that the binding says."""
        name, findings = part.text, self._scope.findings
        if name in ("from", "to", "time"):
            findings.add(
                "wrong-part",
                f"`rename {name}` has no meaning",
                part.span,
                "not renamed",
                help=[
                    "a time is read as it is"
                    if name == "time"
                    else "`rename state` speaks of both `from` and `to`, `rename state of M` of those of machine M"
                ],
            )
            return
        fields = {*given, *(self._scope.named_fields if takes_all else ())}
        if name in _RENAMED or name in fields or findings.may_be_declared(name):
            return
        near = findings.nearest(name, [*_RENAMED, *fields])
        if near is not None or not takes_all:
            findings.add(
                "unknown-in-binding",
                f"the binding gives an event no part or field `{name}`",
                part.span,
                "nothing of this name is renamed",
                help=[f"did you mean `{near}`?" if near else f"say where a record keeps it, `{name} = ...`"],
                severity=Severity.ERROR if near else Severity.WARNING,
            )

    def _constant(self, name: ast.Name, value: ast.Expr | None) -> None:
        """A constant that a field with declared values is."""
        known = self._scope.field_values.get(name.text)
        if known and isinstance(value, ast.TextLit) and "{" not in value.value:
            self._expect(f"value of `{name.text}`", value.value, value.span, known)

    def _rename(self, statement: ast.Rename, translated: Sequence[ast.Name | ast.Text], passes_over: bool) -> None:
        """Whether the new names are known. Under `ignore any` an event may be renamed to what nothing takes."""
        scope, part = self._scope, statement.part.text
        known: Collection[str] | None = None
        match part:
            case "event":
                known = [*self._events, *(_text(name) for name in translated)]
            case "machine":
                known = scope.machines
            case "owner" if scope.owners:
                known = scope.owners
            case "state":
                of = [scope.machines[name.text] for name in statement.machines if name.text in scope.machines]
                if len(of) == len(statement.machines):
                    known = {state: None for machine in of or scope.machines.values() for state in machine.states}
            case _:
                known = scope.field_values.get(part) or None
        known = None if known is None else dict.fromkeys(known)
        for pair in statement.pairs:
            if known is not None and pair.new is not None and "{" not in _text(pair.new):
                if part == "event" and any(_may_fit(name, _text(pair.new)) for name in translated):
                    continue
                kind = part if part in EVENT_PARTS or part == "state" else f"value of `{part}`"
                self._expect(kind, _text(pair.new), pair.new.span, known, only_near=part == "event" and passes_over)

    def _emit(self, emit: ast.Emit) -> None:
        scope = self._scope
        name = emit.machine.text if emit.machine is not None else _text(emit.name)
        machine = scope.machines.get(name)
        if machine is not None:
            for state in (emit.source, emit.target):
                if isinstance(state, ast.TextLit) and "{" not in state.value:
                    self._expect("state", state.value, state.span, machine.states, f" in machine `{name}`")
            event = _text(emit.name)
            if emit.machine is not None and event in self._events and not machine.knows(event):
                known = [*machine.events, *machine.ignored]
                self._expect("event", event, emit.name.span, known, f" of machine `{name}`")
        if isinstance(emit.owner, ast.TextLit) and "{" not in emit.owner.value and scope.owners:
            self._expect("owner", emit.owner.value, emit.owner.span, scope.owners)
        self._fields(each.name for each in emit.fields)
        for each in emit.fields:
            self._constant(each.name, each.value)

    def _fields(self, names: Iterable[ast.Name]) -> None:
        """A field that nothing reads does no harm; one that is nearly one that is read was hardly meant so."""
        for name in names:
            if name.text not in EVENT_PARTS and name.text not in self._scope.named_fields:
                near = self._scope.findings.nearest(name.text, self._scope.named_fields)
                if near is not None:
                    self._unknown("field", name.text, name.span, near, "", Severity.WARNING)

    def _expect(
        self, kind: str, name: str, span: Span, known: Collection[str], where: str = "", only_near: bool = False
    ) -> None:
        if name in known or self._scope.findings.may_be_declared(name):
            return
        near = self._scope.findings.nearest(name, known)
        if near is not None or not only_near:
            self._unknown(kind, name, span, near, where, Severity.ERROR if near else Severity.WARNING)

    def _unknown(self, kind: str, name: str, span: Span, near: str | None, where: str, severity: Severity) -> None:
        self._scope.findings.add(
            "unknown-in-binding",
            f"the lifecycle has no {kind} `{name}`{where}",
            span,
            "nothing knows it",
            help=[f"did you mean {quoted([near])}?" if near else ""],
            severity=severity,
        )


def _text(name: ast.Name | ast.Text) -> str:
    return name.text if isinstance(name, ast.Name) else name.value


def _may_fit(pattern: ast.Name | ast.Text, name: str) -> bool:
    """Whether a pattern may take the name, as far as its begin and its end show."""
    text = _text(pattern)
    return "{" in text and name.startswith(text.partition("{")[0]) and name.endswith(text.rpartition("}")[2])


def _given(statements: Iterable[ast.Statement]) -> Iterator[str]:
    """The fields that a binding gives by name."""
    for statement in statements:
        match statement:
            case ast.Assign(name=name):
                yield name.text
            case ast.OnClause(actions=actions, fields=fields):
                yield from (each.name.text for each in fields)
                for action in actions:
                    if isinstance(action, ast.Emit):
                        yield from (each.name.text for each in action.fields)


def _translated(statements: Iterable[ast.Statement]) -> Iterator[ast.Name | ast.Text]:
    """The names of the log that an `on` or an `ignore` takes."""
    for statement in statements:
        match statement:
            case ast.OnClause(names=tuple(names)) | ast.Ignore(kind="names", names=names):
                yield from names


def known_events(scope: Scope) -> dict[str, None]:
    """Every event that a machine, a rule, a pause or an `event` declaration names."""
    known = scope.handled()
    for machine in scope.machines.values():
        known.update(dict.fromkeys(machine.borrowed))
    for pause in scope.pauses:
        known.update((name.text, None) for name in (*pause.begins, *pause.ends))
    for rule in scope.rules.values():
        for part in rule.parts:
            if isinstance(part, ast.OnPart):
                known.update((name.text, None) for name in part.events)
            if isinstance(part, ast.AlwaysPart):
                continue
            for action in part.actions:
                if isinstance(action, ast.Expect):
                    for answer in action.alternatives:
                        if isinstance(answer, ast.EventAlternative):
                            known.update((name.text, None) for name in answer.events)
    return known
