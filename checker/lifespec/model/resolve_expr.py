"""Expressions: every name becomes what it means where it stands, and every operator gets its types.

Owns the rules of `spec/language.md`, "Expressions". A part that cannot be resolved is one finding and makes
the whole None; what is built on it stays silent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lifespec.diagnostics import Label
from lifespec.model import model as m
from lifespec.model.pattern import pattern_fault
from lifespec.model.resolve_constant import (
    MAX_DEPTH,
    NUMERIC,
    Constant,
    a_type,
    arithmetic_type,
    duration_literal,
    literal,
    number_literal,
)
from lifespec.model.resolve_finding import Findings, quoted
from lifespec.model.resolve_scope import EVENT_ATTRIBUTES, MachineScope, Scope
from lifespec.model.value import Type
from lifespec.source import Span
from lifespec.syntax import ast

_ORDERED = NUMERIC | {Type.DURATION, Type.INSTANT}
_TEXTUAL = frozenset({Type.TEXT, Type.ONE_OF})
_TIMES = frozenset({Type.DURATION, Type.INSTANT})


@dataclass(slots=True)
class Concern:
    """The keyed machine whose instances a rule is about. `is_open`: the first one named becomes it."""

    machine: str | None
    is_open: bool


@dataclass(frozen=True, slots=True)
class Context:
    """Where an expression stands: in a transition of `own`, in an aggregate over `item`, in a rule about
    `concern`."""

    own: str | None = None
    item: str | None = None
    concern: Concern | None = None


def type_of(expr: m.Expr) -> Type:
    """The type of a resolved expression; what is judged is BOOL."""
    match expr:
        case (
            m.Literal(type=type_)
            | m.FieldRef(type=type_)
            | m.EventAttribute(type=type_)
            | m.MemoryRef(type=type_)
            | m.KeyRef(type=type_)
            | m.Aggregate(type=type_)
            | m.Arithmetic(type=type_)
            | m.Negative(type=type_)
        ):
            return type_
        case _:
            return Type.BOOL


def comparable(left: Type, right: Type) -> bool:
    """Whether values of the two types can be equal. ANY goes with all but the times."""
    if Type.ANY in (left, right):
        return not {left, right} & _TIMES
    if left in NUMERIC and right in NUMERIC:
        return True
    return left == right or (left in _TEXTUAL and right in _TEXTUAL)


class Expressions:
    """Resolves expressions of one text against its scope."""

    def __init__(self, scope: Scope, findings: Findings) -> None:
        self._scope = scope
        self._findings = findings
        self._depth = 0

    # --- what others ask for ---

    def condition(self, expr: ast.Expr, context: Context, clause: str) -> m.Expr | None:
        """`expr` as something that holds or does not; `clause` is the word before it, for messages."""
        resolved = self.value(expr, context)
        if resolved is None:
            return None
        type_ = type_of(resolved)
        if type_ is Type.BOOL:
            return resolved
        help_ = "compare it with something, or ask `has NAME`"
        if isinstance(resolved, m.FieldRef) and type_ is Type.ANY and resolved.name in self._scope.machines:
            help_ = f"ask `{resolved.name} in STATE` if the machine is meant"
        elif isinstance(resolved, m.FieldRef):
            ask = f"write `requires {resolved.name}`" if clause == "require" else f"write `has {resolved.name}`"
            declare = f", or declare `field {resolved.name} : bool`" if type_ is Type.ANY else ""
            help_ = f"{ask} if it must be there{declare}"
        self._findings.add(
            "not-a-condition",
            f"`{clause}` needs a condition, and `{self._findings.text(expr.span)}` is {a_type(type_)}",
            expr.span,
            "neither holds nor fails to hold",
            help=[help_],
        )
        return None

    def value(self, expr: ast.Expr, context: Context) -> m.Expr | None:
        """`expr` resolved; None after a finding."""
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH:
                self._findings.add("nested-too-deeply", f"expression is nested more than {MAX_DEPTH} deep", expr.span)
                return None
            return self._value(expr, context)
        finally:
            self._depth -= 1

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
            part = self.value(expr, context)
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

    def membership(self, expr: ast.In, context: Context) -> m.Membership | None:
        """`m in s` with a machine on the left; None after a finding."""
        path = expr.left
        if not (isinstance(path, ast.Path) and isinstance(path.head, ast.Name)):
            self._findings.add("unknown-machine", "a machine is needed left of `in` here", path.span, "no machine")
            return None
        if path.head.text not in self._scope.machines:
            self._scope.unknown_machine(path.head, path.head.span)
            return None
        if any(step.name is not None for step in path.steps) or len(path.steps) > 1:
            self._findings.add("unknown-machine", "a machine is needed left of `in` here", path.span, "no machine")
            return None
        machine = self._scope.machines[path.head.text]
        instance = self.instance(path, context)
        states = self._scope.states_of(machine, self._state_names(expr.members))
        if instance is None or states is None:
            return None
        return m.Membership(instance, states, expr.negated, expr.span)

    # --- by kind of expression ---

    def _value(self, expr: ast.Expr, context: Context) -> m.Expr | None:
        findings = self._findings
        match expr:
            case ast.NumberLit():
                return self._literal(number_literal(expr, findings), expr.span)
            case ast.DurationLit():
                return self._literal(duration_literal(expr, findings), expr.span)
            case ast.BoolLit(value=truth):
                return m.Literal(truth, Type.BOOL, expr.span)
            case ast.TextLit(value=text):
                return m.Literal(text, Type.TEXT, expr.span)
            case ast.Path():
                return self._path(expr, context)
            case ast.Unary(op="not", operand=operand):
                inner = self.condition(operand, context, "not")
                return None if inner is None else m.Not(inner, expr.span)
            case ast.Unary(operand=operand):
                return self._negative(operand, expr.span, context)
            case ast.Binary(op="and" | "or"):
                return self._junction(expr, context)
            case ast.Binary(op="+" | "-" | "*" | "/"):
                return self._arithmetic(expr, context)
            case ast.Binary(op="==" | "!=" | "<" | "<=" | ">" | ">="):
                return self._comparison(expr, context)
            case ast.In():
                return self._in(expr, context)
            case ast.Like():
                return self._like(expr, context)
            case ast.Has():
                return self._has(expr, context)
            case ast.Aggregate():
                return self._aggregate(expr, context)
            case _:
                self._only_bindings(findings.text(expr.span), expr.span)
                return None

    def _only_bindings(self, text: str, span: Span) -> None:
        self._findings.add(
            "only-in-bindings",
            f"`{text}` reads a record of a log, which only a binding does",
            span,
            "belongs into a binding",
            help=["make it a field in a binding, and read the field here"],
        )

    def _literal(self, constant: Constant | None, span: Span) -> m.Literal | None:
        return None if constant is None else literal(constant, span)

    def _negative(self, operand: ast.Expr, span: Span, context: Context) -> m.Expr | None:
        inner = self.value(operand, context)
        if inner is None:
            return None
        type_ = type_of(inner)
        if type_ not in NUMERIC and type_ is not Type.DURATION:
            self._misfit("-", [(inner, operand)], span)
            return None
        if isinstance(inner, m.Literal) and isinstance(inner.value, int | float):
            return replace(inner, value=-inner.value, span=span, param=None)
        return m.Negative(inner, type_, span)

    def _junction(self, expr: ast.Binary, context: Context) -> m.Expr | None:
        operands: list[ast.Expr] = []
        rest: ast.Expr = expr
        while isinstance(rest, ast.Binary) and rest.op == expr.op:
            operands.append(rest.right)
            rest = rest.left
        operands.append(rest)
        resolved = [self.condition(operand, context, expr.op) for operand in reversed(operands)]
        good = tuple(part for part in resolved if part is not None)
        if len(good) != len(resolved):
            return None
        return m.And(good, expr.span) if expr.op == "and" else m.Or(good, expr.span)

    def _arithmetic(self, expr: ast.Binary, context: Context) -> m.Expr | None:
        left, right = self.value(expr.left, context), self.value(expr.right, context)
        if left is None or right is None:
            return None
        type_ = arithmetic_type(expr.op, type_of(left), type_of(right))
        if type_ is None:
            self._misfit(expr.op, [(left, expr.left), (right, expr.right)], expr.span)
            return None
        return m.Arithmetic(expr.op, left, right, type_, expr.span)

    def _misfit(self, op: str, sides: list[tuple[m.Expr, ast.Expr]], span: Span) -> None:
        """Arithmetic that cannot be: because of an undeclared field, else because of the types."""
        for resolved, written in sides:
            if type_of(resolved) is Type.ANY:
                other = next((type_of(r) for r, w in sides if w is not written), Type.ANY)
                met = "arithmetic" if other is Type.ANY else a_type(other)
                fits = Type.DURATION if other is Type.INSTANT else other
                self.undeclared(resolved, written.span, met, Type.NUMBER if fits is Type.ANY else fits)
                return
        types = " and ".join(a_type(type_of(resolved)) for resolved, _ in sides)
        self._findings.add(
            "wrong-type",
            f"`{op}` does not go with {types}",
            span,
            "cannot be computed",
            notes=["arithmetic is on numbers, durations and instants"],
        )

    def undeclared(self, expr: m.Expr, span: Span, met: str, fits: Type) -> None:
        """An undeclared field, or what was remembered of one, meets something that needs a type; said once for
        a field, since one declaration mends them all."""
        match expr:
            case m.FieldRef(name=name):
                what, field = f"field `{name}`", name
            case m.KeyRef(name=name):
                what, field = f"key `{name}`", name
            case m.MemoryRef(instance=instance, name=name):
                field = self._scope.machines[instance.machine].memories[name].untyped or name
                what = f"`{instance.machine}.{name}`, remembered from field `{field}`,"
            case _:
                return  # nothing else is without a type
        if field in self._scope.said_undeclared:
            return
        self._scope.said_undeclared.add(field)
        kind = fits.value if fits in _ORDERED else Type.NUMBER.value
        self._findings.add(
            "undeclared-field",
            f"{what} has no declared type and meets {met}",
            span,
            "of what type?",
            help=[f"declare `field {field} : {kind}`, or the type that it has"],
        )

    def _comparison(self, expr: ast.Binary, context: Context) -> m.Expr | None:
        if self._is_machine_as_value(expr):
            return None
        left, right = self.value(expr.left, context), self.value(expr.right, context)
        if left is None or right is None:
            return None
        left = self._as_word(left, right)
        right = self._as_word(right, left)
        if self._is_bare_word(left, right) or self._is_bare_word(right, left):
            return None
        a, b = type_of(left), type_of(right)
        for side, other, written in ((left, right, expr.left), (right, left, expr.right)):
            if type_of(side) is Type.ANY and type_of(other) in _TIMES:
                self.undeclared(side, written.span, a_type(type_of(other)), type_of(other))
                return None
        if not comparable(a, b):
            self._findings.add(
                "wrong-type",
                f"{a_type(a)} and {a_type(b)} are never equal nor in order",
                expr.span,
                f"compares {a_type(a)} with {a_type(b)}",
                help=["write a duration with its unit, as in `10s`"] if Type.DURATION in (a, b) else (),
            )
            return None
        if expr.op not in ("==", "!="):
            unordered = next((t for t in (a, b) if t not in _ORDERED and t is not Type.ANY), None)
            if unordered is not None:
                self._findings.add(
                    "wrong-type",
                    f"`{expr.op}` does not go with {a_type(unordered)}",
                    expr.span,
                    "has no order",
                    notes=["numbers, durations and instants have an order"],
                )
                return None
        elif not (self._is_possible(left, right) and self._is_possible(right, left)):
            return None
        return m.Comparison(expr.op, left, right, expr.span)

    def _values_of(self, expr: m.Expr) -> tuple[str, ...] | None:
        """The words that a `one of` field may hold; None for everything else."""
        if isinstance(expr, m.FieldRef | m.KeyRef) and type_of(expr) is Type.ONE_OF:
            return self._scope.field_values.get(expr.name)
        return None

    def _as_word(self, expr: m.Expr, other: m.Expr) -> m.Expr:
        """A number compared with a `one of` field is one of its words, written as a number."""
        values = self._values_of(other)
        if values is None or not isinstance(expr, m.Literal) or expr.type not in NUMERIC:
            return expr
        written = self._findings.text(expr.span)
        return m.Literal(written, Type.TEXT, expr.span)

    def _is_possible(self, field: m.Expr, other: m.Expr) -> bool:
        """Whether a `one of` field, or `owner`, can be equal to a literal; a finding when it cannot."""
        values = self._values_of(field)
        if not isinstance(other, m.Literal):
            return True
        if self._is_owner(field):
            return self._is_declared_owner(other)
        if values is None or other.value in values:
            return True
        self._unknown_value(field, str(other.value), values, other.span)
        return False

    def _is_owner(self, expr: m.Expr) -> bool:
        """Whether it is the event's owner, in a lifecycle that says who may be one."""
        return isinstance(expr, m.EventAttribute) and expr.name == "owner" and bool(self._scope.owners)

    def _is_declared_owner(self, literal_: m.Literal) -> bool:
        if literal_.value in self._scope.owners:
            return True
        self._scope.unknown_owner(ast.Name(str(literal_.value), literal_.span))
        return False

    def _unknown_value(self, field: m.Expr, value: str, values: tuple[str, ...], span: Span) -> None:
        assert isinstance(field, m.FieldRef | m.KeyRef)
        self._findings.add(
            "unknown-value",
            f"field `{field.name}` is never `{value}`",
            span,
            "not one of its values",
            notes=[f"its values are {quoted(values)}"],
            help=[self._findings.did_you_mean(value, values)],
        )

    def _is_bare_word(self, field: m.Expr, word: m.Expr) -> bool:
        """`reason == barge-in`: the bare word is a field of the event, and hardly meant."""
        values = self._values_of(field)
        if values is None or not isinstance(word, m.FieldRef) or word.type is not Type.ANY or word.name not in values:
            return False
        assert isinstance(field, m.FieldRef | m.KeyRef)
        self._findings.add(
            "bare-word",
            f"`{word.name}` is a field of the event here, not a value of `{field.name}`",
            word.span,
            "a bare name is a field",
            help=[f'write `"{word.name}"`'],
        )
        return True

    def _is_machine_as_value(self, expr: ast.Binary) -> bool:
        """`connection == live`: a machine is not compared but asked with `in`."""
        left, right = expr.left, expr.right
        if not (isinstance(left, ast.Path) and isinstance(left.head, ast.Name) and isinstance(right, ast.Path)):
            return False
        machine = self._scope.machines.get(left.head.text)
        if machine is None or any(step.name is not None for step in left.steps) or right.steps:
            return False
        if not isinstance(right.head, ast.Name) or right.head.text in self._scope.fields:
            return False
        if left.head.text in self._scope.fields or machine.expand(right.head.text) is None:
            return False
        word = "in" if expr.op == "==" else "not in"
        self._findings.add(
            "machine-as-value",
            f"machine `{machine.name}` is compared like a value",
            expr.span,
            "asks for a state",
            help=[f"write `{self._findings.text(left.span)} {word} {right.head.text}`"],
        )
        return True

    # --- names ---

    def _path(self, path: ast.Path, context: Context) -> m.Expr | None:
        if not isinstance(path.head, ast.Name):
            if not path.steps:
                return self.value(path.head, context)
            self._only_bindings(self._findings.text(path.span), path.span)
            return None
        if not path.steps:
            return self._bare(path.head.text, path.span)
        return self._dotted(path, context)

    def _bare(self, name: str, span: Span) -> m.Expr | None:
        scope = self._scope
        if name in scope.params:
            constant = scope.param(name, span)
            return None if constant is None else literal(constant, span, name)
        if name in EVENT_ATTRIBUTES:
            return m.EventAttribute(name, EVENT_ATTRIBUTES[name], span)
        if name not in scope.fields and self._findings.may_be_declared(name):
            return None
        return m.FieldRef(name, scope.field_types.get(name, Type.ANY), span)

    def _dotted(self, path: ast.Path, context: Context) -> m.Expr | None:
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
            self._only_bindings(findings.text(path.span), path.span)
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
            self._only_bindings(findings.text(path.span), path.span)
            return None
        name = steps[0].name
        instance = self.instance(path, context)
        if name.text in machine.keys:
            key_type = scope.field_types.get(name.text, Type.ANY)
            if instance is None:
                return None
            return m.KeyRef(instance, name.text, list(machine.keys).index(name.text), key_type, path.span)
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
        )

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

    # --- memberships and choices ---

    def _state_names(
        self, members: tuple[ast.Name | ast.Text | ast.NumberLit | ast.DurationLit, ...]
    ) -> list[ast.Name]:
        names = []
        for member in members:
            match member:
                case ast.Name():
                    names.append(member)
                case ast.Text(value=text):
                    names.append(ast.Name(text, member.span))
                case _:
                    names.append(ast.Name(member.text, member.span))
        return names

    def _in(self, expr: ast.In, context: Context) -> m.Expr | None:
        left = expr.left
        if isinstance(left, ast.Path) and isinstance(left.head, ast.Name):
            named = all(step.name is None for step in left.steps)
            if named and (left.head.text in self._scope.machines or left.steps):
                return self.membership(expr, context)
            if named and self._is_misspelt_machine(left.head, expr):
                return None
        operand = self.value(left, context)
        if operand is None:
            return None
        return self._choice(expr, operand)

    def _is_misspelt_machine(self, name: ast.Name, expr: ast.In) -> bool:
        """`conection in live`: not a declared field, near a machine, and asked for states of that machine."""
        scope = self._scope
        if name.text in scope.fields or name.text in scope.params:
            return False
        near = self._findings.nearest(name.text, scope.machines)
        if near is None:
            return False
        machine = scope.machines[near]
        if not any(machine.expand(state.text) is not None for state in self._state_names(expr.members)):
            return False
        scope.unknown_machine(name, name.span)
        return True

    def _choice(self, expr: ast.In, operand: m.Expr) -> m.Expr | None:
        type_ = type_of(operand)
        words = self._values_of(operand)
        values: list[m.Literal] = []
        good = True
        for member in expr.members:
            value = self._member(member, type_, words)
            if value is None or (self._is_owner(operand) and not self._is_declared_owner(value)):
                good = False
            elif words is not None and value.value not in words:
                self._unknown_value(operand, str(value.value), words, value.span)
                good = False
            elif type_ is Type.ANY and value.type in _TIMES:
                self.undeclared(operand, expr.left.span, a_type(value.type), value.type)
                return None
            elif not comparable(type_, value.type):
                self._findings.add(
                    "wrong-type",
                    f"{a_type(type_)} is never equal to {a_type(value.type)}",
                    value.span,
                    a_type(value.type),
                )
                good = False
            else:
                values.append(value)
        return m.Choice(operand, tuple(values), expr.negated, expr.span) if good else None

    def _member(
        self, member: ast.Name | ast.Text | ast.NumberLit | ast.DurationLit, type_: Type, words: tuple[str, ...] | None
    ) -> m.Literal | None:
        match member:
            case ast.Text(value=text):
                return m.Literal(text, Type.TEXT, member.span)
            case ast.NumberLit(text=text) if words is not None:
                return m.Literal(text, Type.TEXT, member.span)
            case ast.NumberLit():
                return self._literal(number_literal(member, self._findings), member.span)
            case ast.DurationLit():
                return self._literal(duration_literal(member, self._findings), member.span)
            case ast.Name(text=text):
                # A bare word is a text, but among numbers and times only a parameter makes sense.
                if type_ not in _TEXTUAL and type_ is not Type.ANY and text in self._scope.params:
                    constant = self._scope.param(text, member.span)
                    return None if constant is None else literal(constant, member.span, text)
                return m.Literal(text, Type.TEXT, member.span)

    def _like(self, expr: ast.Like, context: Context) -> m.Expr | None:
        operand = self.value(expr.left, context)
        fault = pattern_fault(expr.pattern.value)
        if fault is not None:
            self._findings.add(
                "bad-pattern", f"this is no pattern: {fault}", expr.pattern.span, "not RE2", help=[PATTERN_HELP]
            )
        if operand is None or fault is not None:
            return None
        if type_of(operand) not in _TEXTUAL and type_of(operand) is not Type.ANY:
            self._findings.add(
                "wrong-type", f"`like` needs a text, not {a_type(type_of(operand))}", expr.left.span, "no text"
            )
            return None
        return m.Like(operand, expr.pattern.value, expr.span)

    def _has(self, expr: ast.Has, context: Context) -> m.Expr | None:
        operand = self.value(expr.path, context)
        if operand is None:
            return None
        if isinstance(operand, m.FieldRef | m.MemoryRef | m.KeyRef | m.EventAttribute):
            return m.Has(operand, expr.span)
        self._findings.add(
            "wrong-type",
            f"`has` asks for a field or something remembered, and `{self._findings.text(expr.path.span)}` is neither",
            expr.path.span,
            "always there",
        )
        return None

    def _aggregate(self, expr: ast.Aggregate, context: Context) -> m.Expr | None:
        findings = self._findings
        path = expr.subject
        if not isinstance(path.head, ast.Name):
            self._only_bindings(findings.text(path.span), path.span)
            return None
        machine = self._scope.machines.get(path.head.text)
        if machine is None:
            self._scope.unknown_machine(path.head, path.head.span)
            return None
        states = self._scope.states_of(machine, expr.states)
        inner = replace(context, item=machine.name)
        where = None if expr.where is None else self.condition(expr.where, inner, "where")
        if (expr.where is None) != (where is None):
            states = None
        value: m.MemoryRef | m.KeyRef | None = None
        type_ = Type.INT
        if expr.op == "count":
            if path.steps:
                findings.add(
                    "wrong-type",
                    "`count` counts instances, not what they remember",
                    path.span,
                    help=[f"write `count({machine.name} in ...)`"],
                )
                return None
        else:
            if not path.steps or path.steps[0].index is not None:
                findings.add(
                    "wrong-type",
                    f"`{expr.op}` needs what each instance remembers",
                    path.span,
                    "no value",
                    help=[f"write `{expr.op}({machine.name}.NAME in ...)`"],
                )
                return None
            resolved = self._dotted(path, inner)
            if resolved is None:
                return None
            assert isinstance(resolved, m.MemoryRef | m.KeyRef)
            value, type_ = resolved, resolved.type
            if type_ is Type.ANY:
                self.undeclared(value, path.span, f"`{expr.op}`", Type.NUMBER)
                return None
            if type_ not in _ORDERED or (expr.op == "sum" and type_ is Type.INSTANT):
                findings.add("wrong-type", f"`{expr.op}` does not go with {a_type(type_)}", path.span)
                return None
        if states is None:
            return None
        return m.Aggregate(expr.op, machine.name, states, value, where, type_, expr.span)


PATTERN_HELP = "patterns are RE2: no look-around, no back reference"
