"""Comparisons: what can be equal to what, the words of `one of`, and fields whose type nobody declared.

Owns the rules of `==` and its like and of `x in a, b`. Gets its operands resolved.
"""

from __future__ import annotations

from lifespec.model import model as m
from lifespec.model.resolve_constant import NUMERIC, Constant, a_type, duration_literal, literal, number_literal
from lifespec.model.resolve_finding import Findings, quoted
from lifespec.model.resolve_scope import Scope
from lifespec.model.resolve_type import ORDERED, TEXTUAL, TIMES, comparable, type_of
from lifespec.model.value import Type
from lifespec.source import Span
from lifespec.syntax import ast

Member = ast.Name | ast.Text | ast.NumberLit | ast.DurationLit


class Comparisons:
    """Judges comparisons and choices."""

    def __init__(self, scope: Scope, findings: Findings) -> None:
        self._scope = scope
        self._findings = findings

    def comparison(self, expr: ast.Binary, left: m.Expr, right: m.Expr) -> m.Expr | None:
        """`left op right`; None after a finding."""
        if self._is_null(left, right, expr) or self._is_null(right, left, expr):
            return None
        left = self._as_word(left, right)
        right = self._as_word(right, left)
        if self._is_bare_word(left, right) or self._is_bare_word(right, left):
            return None
        a, b = type_of(left), type_of(right)
        for side, other, written in ((left, right, expr.left), (right, left, expr.right)):
            if type_of(side) is Type.ANY and type_of(other) in TIMES:
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
            unordered = next((t for t in (a, b) if t not in ORDERED and t is not Type.ANY), None)
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

    def choice(self, expr: ast.In, operand: m.Expr) -> m.Expr | None:
        """`operand in a, b`; None after a finding."""
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
            elif type_ is Type.ANY and value.type in TIMES:
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
                return _literal(number_literal(member, self._findings), member.span)
            case ast.DurationLit():
                return _literal(duration_literal(member, self._findings), member.span)
            case ast.Name(text=text):
                # A bare word is a text, but among numbers and times only a parameter makes sense.
                if type_ not in TEXTUAL and type_ is not Type.ANY and text in self._scope.params:
                    constant = self._scope.param(text, member.span)
                    return None if constant is None else literal(constant, member.span, text)
                return m.Literal(text, Type.TEXT, member.span)

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

    def _is_null(self, field: m.Expr, word: m.Expr, expr: ast.Binary) -> bool:
        """`x == null`: there is no null in the language, and the bare word is a field that nobody declared."""
        if not isinstance(word, m.FieldRef) or word.name != "null" or word.type is not Type.ANY:
            return False
        if not isinstance(field, m.FieldRef) or expr.op not in ("==", "!="):
            return False
        self._findings.add(
            "bare-word",
            "`null` is a field of the event here: what is null is absent",
            word.span,
            "a bare name is a field",
            help=[f"write `{'not ' if expr.op == '==' else ''}has {field.name}`"],
        )
        return True

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

    def undeclared(self, expr: m.Expr, span: Span, met: str, fits: Type) -> None:
        """An undeclared field, or what was remembered of one, meets something that needs a type."""
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
        kind = fits.value if fits in ORDERED else Type.NUMBER.value
        self._findings.add(
            "undeclared-field",
            f"{what} has no declared type and meets {met}",
            span,
            "of what type?",
            help=[f"declare `field {field} : {kind}`, or the type that it has"],
            cause=("field", field),
        )


def _literal(constant: Constant | None, span: Span) -> m.Literal | None:
    return None if constant is None else literal(constant, span)
