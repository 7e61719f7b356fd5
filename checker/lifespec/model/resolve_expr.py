"""Expressions: every name becomes what it means where it stands, and every operator gets its types.

Owns the rules of `spec/language.md`, "Expressions". A part that cannot be resolved is one finding and makes
the whole None; what is built on it stays silent.
"""

from __future__ import annotations

from msgspec.structs import replace

from lifespec.model import model as m
from lifespec.model.resolve_compare import Comparisons
from lifespec.model.resolve_constant import (
    MAX_DEPTH,
    NUMERIC,
    Constant,
    a_type,
    arithmetic_type,
    check_pattern,
    duration_literal,
    literal,
    number_literal,
)
from lifespec.model.resolve_finding import Findings
from lifespec.model.resolve_name import Names
from lifespec.model.resolve_scope import Scope
from lifespec.model.resolve_type import ORDERED, TEXTUAL, Context, type_of
from lifespec.model.value import Type
from lifespec.source import Span
from lifespec.syntax import ast


class Expressions:
    """Resolves expressions of the texts against their scope."""

    def __init__(self, scope: Scope, findings: Findings) -> None:
        self._scope = scope
        self._findings = findings
        self._depth = 0
        self._compare = Comparisons(scope, findings)
        self.undeclared = self._compare.undeclared
        names = Names(scope, findings, self.value)
        self._names = names
        self.index = names.index

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
        instance = self._names.instance(path, context)
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
                return self._names.path(expr, context)
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
                if self._is_machine_as_value(expr):
                    return None
                left, right = self.value(expr.left, context), self.value(expr.right, context)
                return None if left is None or right is None else self._compare.comparison(expr, left, right)
            case ast.In():
                return self._in(expr, context)
            case ast.Like():
                return self._like(expr, context)
            case ast.Has():
                return self._has(expr, context)
            case ast.Aggregate():
                return self._aggregate(expr, context)
            case _:
                self._names.only_bindings(findings.text(expr.span), expr.span)
                return None

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
        return self._compare.choice(expr, operand)

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

    def _like(self, expr: ast.Like, context: Context) -> m.Expr | None:
        operand = self.value(expr.left, context)
        is_pattern = check_pattern(expr.pattern, self._findings)
        if operand is None or not is_pattern:
            return None
        if type_of(operand) not in TEXTUAL and type_of(operand) is not Type.ANY:
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
            self._names.only_bindings(findings.text(path.span), path.span)
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
            resolved = self._names.dotted(path, inner)
            if resolved is None:
                return None
            assert isinstance(resolved, m.MemoryRef | m.KeyRef)
            value, type_ = resolved, resolved.type
            if type_ is Type.ANY:
                self.undeclared(value, path.span, f"`{expr.op}`", Type.NUMBER)
                return None
            if type_ not in ORDERED or (expr.op == "sum" and type_ is Type.INSTANT):
                findings.add("wrong-type", f"`{expr.op}` does not go with {a_type(type_)}", path.span)
                return None
        if states is None:
            return None
        return m.Aggregate(expr.op, machine.name, states, value, where, type_, expr.span)
