"""What can be computed without an event: literals, parameters and arithmetic on them.

Owns exactness (fractions, integer nanoseconds, 64 bits). A value that is not constant, not positive or
out of range is a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from msgspec import Struct

from lifespec.model import model as m
from lifespec.model.pattern import pattern_fault
from lifespec.model.resolve_finding import Findings, quoted
from lifespec.model.time_text import literal_ns
from lifespec.model.value import Type
from lifespec.source import Span
from lifespec.syntax import ast

INT_MIN, INT_MAX = -(2**63), 2**63 - 1
MAX_DEPTH = 128  # more than the parser lets through
_DIGITS = 40

NUMERIC = frozenset({Type.INT, Type.NUMBER})
_EVENT_ATTRIBUTES = frozenset({"time", "owner", "event"})


class Constant(Struct, frozen=True):
    """A computed value: a fraction for numbers, integer nanoseconds for durations, else text or bool."""

    value: Fraction | int | str | bool
    type: Type

    @property
    def plain(self) -> int | float | str | bool:
        """The value as a Model holds it."""
        if self.type is Type.INT:
            return int(self.value)
        if self.type is Type.NUMBER:
            return float(self.value)
        assert not isinstance(self.value, Fraction)
        return self.value


def number_of(text: str) -> Fraction | None:
    """The exact value of decimal digits with at most one point and a sign; None when it is none or too long."""
    sign = -1 if text.startswith("-") else 1
    whole, _, part = text.removeprefix("-").strip().partition(".")
    digits = whole + part
    if not digits.isascii() or not digits.isdigit() or len(digits) > _DIGITS:
        return None
    return sign * Fraction(int(digits), 10 ** len(part))


def fold(op: str, left: Constant, right: Constant) -> Constant | None:
    """`left op right` exactly; None when the types do not go together or a divisor is zero."""
    result = arithmetic_type(op, left.type, right.type)
    if result is None or isinstance(left.value, str) or isinstance(right.value, str):
        return None
    a, b = Fraction(left.value), Fraction(right.value)
    if op == "/":
        if b == 0:
            return None
        value = a / b
    else:
        value = a + b if op == "+" else a - b if op == "-" else a * b
    return Constant(round(value) if result is Type.DURATION else value, result)


def arithmetic_type(op: str, left: Type, right: Type) -> Type | None:
    """The type of `left op right` on numbers, durations and instants; None when they do not go together."""
    if left in NUMERIC and right in NUMERIC:
        return Type.INT if op != "/" and left is right is Type.INT else Type.NUMBER
    pair = (left, right)
    if op == "-" and pair == (Type.INSTANT, Type.INSTANT):
        return Type.DURATION
    if op in "+-" and pair == (Type.DURATION, Type.DURATION):
        return Type.DURATION
    if op in "+-" and pair == (Type.INSTANT, Type.DURATION):
        return Type.INSTANT
    if op == "+" and pair == (Type.DURATION, Type.INSTANT):
        return Type.INSTANT
    if op == "/" and pair == (Type.DURATION, Type.DURATION):
        return Type.NUMBER
    if op in "*/" and left is Type.DURATION and right in NUMERIC:
        return Type.DURATION
    if op == "*" and left in NUMERIC and right is Type.DURATION:
        return Type.DURATION
    return None


def number_literal(lit: ast.NumberLit, findings: Findings) -> Constant | None:
    number = number_of(lit.text)
    if number is None or abs(number) > INT_MAX:
        findings.add("out-of-range", "number is too large or too long", lit.span, "does not fit 64 bits")
        return None
    return Constant(number, Type.NUMBER if "." in lit.text else Type.INT)


def duration_literal(lit: ast.DurationLit, findings: Findings) -> Constant | None:
    ns = literal_ns(lit.text)
    if ns is None or abs(ns) > INT_MAX:
        findings.add(
            "out-of-range", "duration is too large or too long", lit.span, "does not fit 64 bits of nanoseconds"
        )
        return None
    return Constant(ns, Type.DURATION)


def check_pattern(pattern: ast.Text, findings: Findings) -> bool:
    """Whether a text is a pattern; a finding when not."""
    fault = pattern_fault(pattern.value)
    if fault is not None:
        findings.add(
            "bad-pattern",
            f"this is no pattern: {fault}",
            pattern.span,
            "not RE2",
            help=["patterns are RE2: no look-around, no back reference"],
        )
    return fault is None


class Constants:
    """Evaluates constant expressions; `param` looks a parameter up and is told where it is used.

    `known` are the parameters that exist; `param` may answer None for one that is itself wrong (its own
    finding is enough).
    """

    def __init__(self, findings: Findings, known: Mapping[str, object], param: Callable[[str, Span], Constant | None]):
        self._findings = findings
        self._known = known
        self._param = param

    def evaluate(self, expr: ast.Expr, depth: int = 0) -> Constant | None:
        """The value of `expr`; None after a finding."""
        findings = self._findings
        if depth > MAX_DEPTH:
            findings.add("nested-too-deeply", f"expression is nested more than {MAX_DEPTH} deep", expr.span)
            return None
        match expr:
            case ast.NumberLit():
                return number_literal(expr, findings)
            case ast.DurationLit():
                return duration_literal(expr, findings)
            case ast.BoolLit(value=truth):
                return Constant(truth, Type.BOOL)
            case ast.TextLit(value=text):
                return Constant(text, Type.TEXT)
            case ast.Path(head=ast.Name(text=name), steps=()):
                if name in self._known:
                    return self._param(name, expr.span)
                self._unknown(name, expr.span)
                return None
            case ast.Path(head=head, steps=()) if not isinstance(head, ast.Name):
                return self.evaluate(head, depth + 1)
            case ast.Unary(op="-", operand=operand):
                value = self.evaluate(operand, depth + 1)
                if value is None:
                    return None
                return self._checked(fold("*", Constant(Fraction(-1), Type.INT), value), expr)
            case ast.Binary(op="+" | "-" | "*" | "/" as op, left=left, right=right):
                a, b = self.evaluate(left, depth + 1), self.evaluate(right, depth + 1)
                if a is None or b is None:
                    return None
                if op == "/" and b.value == 0 and not isinstance(b.value, str | bool):
                    findings.add("wrong-type", "this divides by zero", expr.span, "has no value")
                    return None
                return self._checked(fold(op, a, b), expr)
            case _:
                findings.add(
                    "not-constant",
                    f"`{findings.text(expr.span)}` is not constant",
                    expr.span,
                    "depends on an event",
                    notes=["a constant is a literal, a parameter, or arithmetic on them"],
                )
                return None

    def _checked(self, value: Constant | None, expr: ast.Expr) -> Constant | None:
        if value is None:
            self._findings.add("wrong-type", "these values do not go together", expr.span, "cannot be computed")
        elif not isinstance(value.value, str) and not INT_MIN <= value.value <= INT_MAX:
            self._findings.add("out-of-range", "the result does not fit 64 bits", expr.span)
            return None
        return value

    def _unknown(self, name: str, span: Span) -> None:
        findings = self._findings
        if findings.may_be_declared(name):
            return
        if name in _EVENT_ATTRIBUTES:
            findings.add("not-constant", f"`{name}` is the event's, not constant", span, "depends on an event")
            return
        near = findings.did_you_mean(name, self._known)
        findings.add(
            "unknown-parameter",
            f"no parameter `{name}`",
            span,
            "a constant is needed here",
            notes=[f"the parameters are {quoted(self._known)}" if self._known else "no parameter is declared"],
            help=[near or f'declare `param {name} = VALUE "where it was tested"`, or write the value here'],
            cause=("parameter", name),
        )

    def duration(self, expr: ast.Expr, what: str) -> int | None:
        """A positive duration in nanoseconds for the clause `what`; None after a finding."""
        value = self.evaluate(expr)
        if value is None:
            return None
        findings = self._findings
        if value.type is not Type.DURATION or not isinstance(value.value, int):
            findings.add(
                "wrong-type",
                f"`{what}` needs a duration, not {a_type(value.type)}",
                expr.span,
                a_type(value.type),
                help=["write the number with its unit, as in `10s`"] if value.type in NUMERIC else (),
            )
            return None
        if value.value <= 0:
            findings.add("not-positive", f"`{what}` needs a duration longer than nothing", expr.span, "not positive")
            return None
        return value.value

    def count(self, expr: ast.Expr, what: str) -> int | None:
        """A whole number from 0 for the clause `what`; None after a finding."""
        value = self.evaluate(expr)
        if value is None:
            return None
        findings = self._findings
        if value.type is not Type.INT:
            findings.add(
                "wrong-type",
                f"`{what}` needs a whole number, not {a_type(value.type)}",
                expr.span,
                a_type(value.type),
            )
            return None
        number = int(value.value)
        if number < 0:
            findings.add("not-positive", f"`{what}` needs a number from 0", expr.span, "negative")
            return None
        return number


_ARTICLES = {
    Type.TEXT: "a text",
    Type.INT: "a whole number",
    Type.NUMBER: "a number",
    Type.BOOL: "a truth value",
    Type.INSTANT: "an instant",
    Type.DURATION: "a duration",
    Type.ONE_OF: "one of some words",
    Type.ANY: "a field without a declared type",
}


def a_type(type_: Type) -> str:
    """The type with its article, for messages: `a duration`."""
    return _ARTICLES[type_]


def literal(constant: Constant, span: Span, param: str | None = None) -> m.Literal:
    return m.Literal(constant.plain, constant.type, span, param)
