"""Names in expressions: a bare one is the event's, a dotted one is remembered or a key.

Owns which instance a machine's name means where it stands.
"""

from __future__ import annotations

from collections.abc import Callable

from lifespec.diagnostics import Label
from lifespec.model import model as m
from lifespec.model.resolve_constant import a_type, literal
from lifespec.model.resolve_finding import Findings, quoted
from lifespec.model.resolve_scope import EVENT_ATTRIBUTES, MachineScope, Scope
from lifespec.model.resolve_type import Context, comparable, type_of
from lifespec.model.value import Type
from lifespec.source import Span
from lifespec.syntax import ast

Resolve = Callable[[ast.Expr, Context], m.Expr | None]


class Names:
    """Resolves paths; `value` resolves the expressions inside an index."""

    def __init__(self, scope: Scope, findings: Findings, value: Resolve) -> None:
        self._scope = scope
        self._findings = findings
        self._value = value

    def path(self, path: ast.Path, context: Context) -> m.Expr | None:
        if not isinstance(path.head, ast.Name):
            if not path.steps:
                return self._value(path.head, context)
            self.only_bindings(self._findings.text(path.span), path.span)
            return None
        if not path.steps:
            return self.bare(path.head.text, path.span)
        return self.dotted(path, context)

    def bare(self, name: str, span: Span) -> m.Expr | None:
        scope = self._scope
        if name in scope.params:
            constant = scope.param(name, span)
            return None if constant is None else literal(constant, span, name)
        if name in EVENT_ATTRIBUTES:
            return m.EventAttribute(name, EVENT_ATTRIBUTES[name], span)
        if name not in scope.fields and self._findings.may_be_declared(name):
            return None
        scope.named_fields[name] = None
        return m.FieldRef(name, scope.field_types.get(name, Type.ANY), span)

    def dotted(self, path: ast.Path, context: Context) -> m.Expr | None:
        assert isinstance(path.head, ast.Name)
        scope, findings = self._scope, self._findings
        machine = scope.machines.get(path.head.text)
        if machine is None:
            if findings.may_be_declared(path.head.text):
                return None
            is_field = path.head.text in scope.fields
            if is_field:
                findings.add(
                    "unknown-machine",
                    f"no machine `{path.head.text}`: a dotted name is what a machine remembers",
                    path.head.span,
                    "a field has no parts here",
                    help=["a part of a record becomes a field in a binding"],
                )
            else:
                scope.unknown_machine(path.head, path.head.span)
            return None
        if path.steps[0].index == ():
            self.only_bindings(findings.text(path.span), path.span)
            return None
        steps = path.steps[1:] if path.steps[0].index is not None else path.steps
        if not steps:
            findings.add(
                "machine-as-value",
                f"machine `{machine.name}` is used like a value",
                path.span,
                "no value",
                help=[f"ask `{findings.text(path.span)} in STATE`, or read what it remembers"],
            )
            return None
        if len(steps) > 1 or steps[0].name is None:
            self.only_bindings(findings.text(path.span), path.span)
            return None
        name = steps[0].name
        instance = self.instance(path, context)
        if name.text in machine.keys:
            key_type = scope.field_types.get(name.text, Type.ANY)
            if instance is None:
                return None
            return m.KeyRef(instance, name.text, machine.position(name.text), key_type, path.span)
        memory = machine.memories.get(name.text)
        if memory is None:
            self._never_remembered(machine, name)
            return None
        if instance is None or memory.type is None:
            return None
        return m.MemoryRef(instance, name.text, memory.type, path.span)

    def _never_remembered(self, machine: MachineScope, name: ast.Name) -> None:
        known = [*machine.memories, *machine.keys]
        findings = self._findings
        help_ = findings.did_you_mean(name.text, known) or f"remember it in a transition of `{machine.name}`"
        if machine.expand(name.text) is not None:
            help_ = f"`{name.text}` is a state: ask `{machine.name} in {name.text}`"
        findings.add(
            "never-remembered",
            f"no transition of machine `{machine.name}` remembers `{name.text}`",
            name.span,
            "never set",
            notes=[f"it remembers {quoted(machine.memories)}" if machine.memories else "it remembers nothing"],
            help=[help_],
            cause=("memory", machine.name, name.text),
        )

    def instance(self, path: ast.Path, context: Context) -> m.InstanceRef | None:
        """The instance that `m` or `m[k]` means; `path` has a declared machine as its head."""
        assert isinstance(path.head, ast.Name)
        machine = self._scope.machines[path.head.text]
        index = path.steps[0].index if path.steps else None
        span = path.head.span if index is None else path.head.span.to(path.steps[0].span)
        if index is not None:
            resolved = self.index(machine, index, span, context)
            return None if resolved is None else m.InstanceRef(machine.name, m.Whose.INDEXED, resolved, span)
        whose = self._whose(machine, span, context)
        return None if whose is None else m.InstanceRef(machine.name, whose, (), span)

    def index(
        self, machine: MachineScope, index: tuple[ast.Expr, ...], span: Span, context: Context
    ) -> tuple[m.Expr, ...] | None:
        """The index of an instance of `machine`, one value for each key; None after a finding."""
        findings = self._findings
        if len(index) != len(machine.decl.keys):
            keys = ", ".join(machine.keys)
            findings.add(
                "wrong-index",
                f"machine `{machine.name}` is kept per {quoted(machine.keys)}, so an index has {len(machine.keys)} "
                f"part{'s' * (len(machine.keys) != 1)}, not {len(index)}"
                if machine.is_keyed
                else f"machine `{machine.name}` has no key: there is one instance in a session",
                span,
                "wrong number of parts" if machine.is_keyed else "takes no index",
                labels=[Label(machine.decl.name.span, "declared here")],
                help=[f"write `{machine.name}[{keys}]`" if machine.is_keyed else f"write `{machine.name}`"],
            )
            return None
        parts = []
        for key, expr in zip(machine.decl.keys, index, strict=True):
            part = self._value(expr, context)
            if part is None:
                continue
            key_type = self._scope.field_types.get(key.text, Type.ANY)
            if not comparable(key_type, type_of(part)):
                findings.add(
                    "wrong-type",
                    f"key `{key.text}` of `{machine.name}` is {a_type(key_type)}, not {a_type(type_of(part))}",
                    expr.span,
                    "can never be equal",
                )
                continue
            parts.append(part)
        return tuple(parts) if len(parts) == len(index) else None

    def _whose(self, machine: MachineScope, span: Span, context: Context) -> m.Whose | None:
        if context.item == machine.name:
            return m.Whose.ITEM
        if context.own == machine.name:
            return m.Whose.SELF
        if not machine.is_keyed:
            return m.Whose.PLAIN
        concern = context.concern
        if concern is not None and concern.machine is None and concern.is_open:
            concern.machine = machine.name
        if concern is not None and concern.machine == machine.name:
            return m.Whose.CONCERNED
        keys = ", ".join(key.text for key in machine.decl.keys)
        self._findings.add(
            "missing-index",
            f"machine `{machine.name}` has an instance for each {quoted(machine.keys)}; which one is meant?",
            span,
            "which one?",
            labels=[Label(machine.decl.name.span, "kept per key")],
            notes=[
                f"this rule is about each `{concern.machine}` on its own" if concern and concern.machine else "",
            ],
            help=[f"write `{machine.name}[{keys}]`, or count over all: `count({machine.name} in STATE)`"],
        )
        return None

    def only_bindings(self, text: str, span: Span) -> None:
        self._findings.add(
            "only-in-bindings",
            f"`{text}` reads a record of a log, which only a binding does",
            span,
            "belongs into a binding",
            help=["make it a field in a binding, and read the field here"],
        )
