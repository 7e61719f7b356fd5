"""`as json`, `as number`, `as iso8601`, `as UNIT [since ORIGIN]`, compiled. Owns what each accepts."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import tzinfo
from typing import Protocol

from lifespec.diagnostics import Diagnostic
from lifespec.model.value import Duration, Instant, LogValue
from lifespec.syntax import ast
from lifespec.trace import binding_finding as finding
from lifespec.trace.decode import Malformed, decode_text
from lifespec.trace.instant import UNITS_NS, duration_of, find_zone, instant_of, iso8601_ns, number_of
from lifespec.trace.scope import Getter, Read, Scope, Unreadable

_SHOWABLE = re.compile(r"[0-9TZ:+,. /-]{1,40}|[A-Za-z_-]{1,12}")
_ADDRESS = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}){3}")


class Compiler(Protocol):
    """What conversions need of the compiler of expressions."""

    findings: list[Diagnostic]
    from_previous_allowed: bool

    def value(self, expr: ast.Expr, holes: frozenset[str] = ...) -> Getter: ...


class Conversions:
    """Compiles the conversions of one binding."""

    def __init__(self, compiler: Compiler) -> None:
        self._compiler = compiler

    def compile(self, expr: ast.Convert, holes: frozenset[str]) -> Getter:
        get = self._compiler.value(expr.value, holes)
        if expr.to == "json":
            return _converted(get, _json)
        if expr.to == "number":
            return _converted(get, _number)
        if expr.to == "iso8601":
            return self._iso8601(get, expr)
        return self._unit(get, expr, holes)

    def _iso8601(self, get: Getter, expr: ast.Convert) -> Getter:
        zone: tzinfo | None = None
        if expr.zone is not None:
            zone = find_zone(expr.zone.value)
            if zone is None:
                self._compiler.findings.append(finding.unknown_zone(expr.zone))
        expected = "ISO 8601" if zone is not None else "ISO 8601 with an offset"

        def iso(value: LogValue) -> Read:
            if type(value) is Instant:
                return value
            ns = iso8601_ns(value, zone) if type(value) is str else None
            return unreadable(value, expected) if ns is None else Instant(ns)

        return _converted(get, iso)

    def _unit(self, get: Getter, expr: ast.Convert, holes: frozenset[str]) -> Getter:
        unit = self._unit_of(expr, holes)
        since = expr.since
        if since is None:
            return lambda scope: _length(get(scope), unit(scope))
        if since in ("epoch", "start"):
            return lambda scope: _moved(0, _length(get(scope), unit(scope)))
        if since == "previous":
            if not self._compiler.from_previous_allowed:
                self._compiler.findings.append(finding.not_in_binding("`since previous` outside of `time`", expr.span))
            return lambda scope: _moved(scope.previous_ns or 0, _length(get(scope), unit(scope)))
        assert not isinstance(since, str)  # the grammar knows no other
        origin = self._compiler.value(since, holes)

        def from_origin(scope: Scope) -> Read:
            begins = origin(scope)
            if begins is None or isinstance(begins, Unreadable):
                return begins
            instant = instant_of(begins)
            if instant is None:
                return unreadable(begins, "an instant to count from")
            return _moved(instant.ns, _length(get(scope), unit(scope)))

        return from_origin

    def _unit_of(self, expr: ast.Convert, holes: frozenset[str]) -> Callable[[Scope], int | Unreadable | None]:
        if isinstance(expr.unit, ast.Name):
            unit_ns = UNITS_NS[expr.unit.text]  # the grammar knows no other
            return lambda scope: unit_ns
        if expr.unit is None:
            return lambda scope: UNITS_NS["s"]
        get = self._compiler.value(expr.unit, holes)

        def unit_in_data(scope: Scope) -> int | Unreadable | None:
            found = get(scope)
            if found is None or isinstance(found, Unreadable):
                return found
            unit_ns = UNITS_NS.get(found) if type(found) is str else None
            return unreadable(found, "a unit of time (ns, us, ms, s, m, h, d)") if unit_ns is None else unit_ns

        return unit_in_data


def unreadable(value: LogValue, expected: str) -> Unreadable:
    """`value` cannot be read as `expected`. It is repeated only when it cannot well be a secret."""
    text = value if type(value) is str else str(value) if type(value) is not dict and type(value) is not list else ""
    if type(value) is list or type(value) is dict or not _SHOWABLE.fullmatch(text) or _ADDRESS.search(text):
        return Unreadable(None, (expected,))
    return Unreadable(text, (expected,))


def _converted(get: Getter, convert: Callable[[LogValue], Read]) -> Getter:
    def run(scope: Scope) -> Read:
        value = get(scope)
        return value if value is None or isinstance(value, Unreadable) else convert(value)

    return run


def _json(value: LogValue) -> Read:
    if type(value) is not str:
        return unreadable(value, "JSON in a text")
    decoded = decode_text(value)
    return unreadable(value, "JSON in a text") if isinstance(decoded, Malformed) else decoded.value


def _number(value: LogValue) -> Read:
    number = number_of(value)
    return unreadable(value, "a number") if number is None else number


def _length(value: Read, unit: int | Unreadable | None) -> Duration | Unreadable | None:
    if value is None or isinstance(value, Unreadable):
        return value
    if unit is None or isinstance(unit, Unreadable):
        return unit
    assert isinstance(unit, int)
    length = duration_of(value, unit)
    return unreadable(value, "a number") if length is None else length


def _moved(origin_ns: int, length: Duration | Unreadable | None) -> Read:
    return Instant(origin_ns + length.ns) if type(length) is Duration else length
