"""Declarations without states: fields, forbidden values, parameters, profiles, events, pauses.

Owns what a field type may say and how parameters that use each other are computed.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from lifespec.diagnostics import Label
from lifespec.model import model as m
from lifespec.model.pattern import compile_pattern
from lifespec.model.resolve_constant import NUMERIC, Constant, Constants, a_type, check_pattern
from lifespec.model.resolve_finding import Findings, quoted
from lifespec.model.resolve_scope import Scope, text_of
from lifespec.model.resolve_walk import walk
from lifespec.model.value import Type
from lifespec.syntax import ast

BUILT_IN_FORBIDS = ("email", "token", "ip")


# --- fields ------------------------------------------------------------------------------------------


def resolve_fields(scope: Scope, constants: Constants) -> dict[str, m.FieldSpec]:
    """The declared fields; their types become known to the scope."""
    specs: dict[str, m.FieldSpec] = {}
    judged: dict[int, m.FieldSpec] = {}  # one declaration may name several fields
    for name, (written, decl) in scope.fields.items():
        if id(decl) not in judged:
            judged[id(decl)] = _field(scope.findings, written, decl, constants)
        spec = replace(judged[id(decl)], name=name, span=written.span)
        scope.field_types[name] = spec.type
        scope.field_values[name] = spec.values
        specs[name] = spec
    return specs


def _field(findings: Findings, name: ast.Name, decl: ast.FieldDecl, constants: Constants) -> m.FieldSpec:
    written = decl.type
    type_ = Type(written.kind)
    bounds = _bounds(findings, written, type_, constants)
    if written.like is not None:
        check_pattern(written.like, findings)
    values: dict[str, None] = {}
    for value in written.values:
        text = value.value if isinstance(value, ast.Text) else value.text
        if text in values:
            findings.add(
                "duplicate-name",
                f"value `{text}` stands twice",
                value.span,
                "the second time",
                help=["take one of them away"],
            )
        values[text] = None
    return m.FieldSpec(name.text, type_, tuple(values), bounds, text_of(written.like), text_of(decl.doc), name.span)


def _bounds(
    findings: Findings, written: ast.FieldType, type_: Type, constants: Constants
) -> tuple[tuple[str, int | float], ...]:
    bounds: list[tuple[str, int | float]] = []
    for bound in written.bounds:
        if type_ not in NUMERIC and type_ is not Type.DURATION:
            findings.add(
                "bad-bound",
                f"a bound does not go with {a_type(type_)}",
                bound.span,
                "cannot be compared",
                notes=["`int`, `number` and `duration` may have bounds"],
            )
            return ()
        value = constants.evaluate(bound.value)
        if value is None:
            continue
        fits = value.type is type_ or (type_ is Type.NUMBER and value.type is Type.INT)
        plain = value.plain
        if not fits or not isinstance(plain, int | float):
            findings.add(
                "bad-bound",
                _unfit_bound(type_, value.type),
                bound.value.span,
                f"not {a_type(type_)}",
            )
            continue
        bounds.append((bound.op, plain))
    if not _is_satisfiable(bounds, type_ is not Type.NUMBER):
        findings.add(
            "bad-bound",
            "no value keeps these bounds",
            written.bounds[0].span.to(written.bounds[-1].span),
            "exclude each other",
        )
    return tuple(bounds)


def _unfit_bound(type_: Type, found: Type) -> str:
    if type_ is Type.INT and found is Type.NUMBER:
        return "a whole number needs a whole number as its bound, and this one may have a fraction"
    return f"{a_type(type_)} cannot be compared with {a_type(found)}"


def _is_satisfiable(bounds: list[tuple[str, int | float]], is_whole: bool) -> bool:
    """Whether a number keeps all bounds."""
    lows = [(value + 1, 0) if is_whole and op == ">" else (value, int(op == ">")) for op, value in bounds if ">" in op]
    highs = [(value - 1, 0) if is_whole and op == "<" else (value, int(op == "<")) for op, value in bounds if "<" in op]
    exact = [(value, 0) for op, value in bounds if op == "=="]
    lows, highs = lows + exact, highs + exact
    if not lows or not highs:
        return True
    (least, _), (most, _) = max(lows), min(highs)
    ruled_out = {value for op, value in bounds if op == "!="}
    if least == most and least in ruled_out:
        return False
    if (
        is_whole
        and 0 <= most - least < len(ruled_out)
        and all(value in ruled_out for value in range(int(least), int(most) + 1))
    ):
        return False
    (low, low_open), (high, high_open) = max(lows), min((value, -is_open) for value, is_open in highs)
    return low < high or (low == high and not low_open and not high_open)


# --- forbidden values --------------------------------------------------------------------------------


def resolve_forbids(scope: Scope) -> tuple[m.Forbid, ...]:
    findings = scope.findings
    forbids: list[m.Forbid] = []
    for item, decl in scope.forbids.values():
        name = item.name.text
        if item.pattern is None:
            if name not in BUILT_IN_FORBIDS:
                findings.add(
                    "unknown-pattern",
                    f"no pattern `{name}` is built in",
                    item.name.span,
                    "has no pattern",
                    notes=[f"built in are {quoted(BUILT_IN_FORBIDS)}"],
                    help=[
                        findings.did_you_mean(name, BUILT_IN_FORBIDS) or f'write `forbid {name} like "PATTERN"`',
                    ],
                )
                continue
            forbids.append(m.Forbid(name, name, None, text_of(decl.doc), item.span))
            continue
        if not check_pattern(item.pattern, findings):
            continue
        if pattern_matches_nothing(item.pattern.value):
            findings.add(
                "bad-pattern",
                "this pattern is found in every text, even an empty one",
                item.pattern.span,
                "forbids everything",
                help=["write a pattern that needs at least one character"],
            )
        else:
            forbids.append(m.Forbid(name, None, item.pattern.value, text_of(decl.doc), item.span))
    return tuple(forbids)


def pattern_matches_nothing(pattern: str) -> bool:
    """Whether a pattern is found in the empty text, and so everywhere."""
    return compile_pattern(pattern).search("") is not None


# --- parameters and profiles -------------------------------------------------------------------------


class Parameters:
    """Computes the parameters, each once; one may use another, in any order of declaration."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self.constants = Constants(scope.findings, scope.params, scope.param)
        self._settings = Constants(scope.findings, scope.params, lambda name, _: scope.constants.get(name))

    def resolve(self, profile: str | None) -> tuple[dict[str, ast.Expr], dict[str, m.Profile]]:
        """What each parameter is written as in `profile`, and the profiles."""
        scope, findings = self._scope, self._scope.findings
        written: dict[str, ast.Expr] = {name: decl.value for name, decl in scope.params.items()}
        self._evaluate(written)
        base = dict(scope.constants)
        profiles = {name: self._profile(decl, base) for name, decl in scope.profiles.items()}
        if profile is not None and profile not in scope.profiles:
            findings.add(
                "unknown-profile",
                f"no profile `{profile}`",
                None,
                notes=[f"the profiles are {quoted(scope.profiles)}" if scope.profiles else "no profile is declared"],
                help=[findings.did_you_mean(profile, scope.profiles)],
            )
        elif profile is not None and not findings.has_errors:
            for setting in scope.profiles[profile].settings:
                written[setting.name.text] = setting.value
            self._evaluate(written)
        return written, profiles

    def params(self, written: Mapping[str, ast.Expr]) -> dict[str, m.Param]:
        """The parameters as a Model has them, once all that may read them is resolved."""
        scope = self._scope
        params: dict[str, m.Param] = {}
        for name, decl in scope.params.items():
            constant = scope.constants.get(name)
            if constant is not None:
                text, uses = scope.findings.text(written[name].span), tuple(scope.param_uses.get(name, ()))
                tested = text_of(decl.tested)
                params[name] = m.Param(name, constant.plain, constant.type, text, tested, decl.span, uses)
        return params

    def _evaluate(self, written: Mapping[str, ast.Expr]) -> None:
        """Sets `scope.constants`, what is used before what uses it; a cycle is a finding."""
        scope = self._scope
        scope.constants.clear()
        uses = {
            name: [
                part.head.text
                for part in walk(value)
                if isinstance(part, ast.Path) and isinstance(part.head, ast.Name) and part.head.text in written
            ]
            for name, value in written.items()
        }
        for name in written:
            open_names = {name: iter(dict.fromkeys(uses[name]))}  # on the way from `name`, innermost last
            while open_names:
                current, rest = next(reversed(open_names.items()))
                used = next((used for used in rest if used not in scope.constants), None)
                if used is None:
                    if current not in scope.constants:
                        scope.constants[current] = self.constants.evaluate(written[current])
                    del open_names[current]
                elif used in open_names:
                    self._cycle(current, used)
                    scope.constants[current] = None
                    del open_names[current]
                else:
                    open_names[used] = iter(dict.fromkeys(uses[used]))

    def _cycle(self, name: str, used: str) -> None:
        decl = self._scope.params[name]
        self._scope.findings.add(
            "cyclic-parameter",
            f"parameter `{name}` is computed from itself",
            decl.name.span,
            "never gets a value",
            labels=[] if used == name else [Label(self._scope.params[used].name.span, f"uses `{name}` in turn")],
            help=["write its value"],
        )

    def _profile(self, decl: ast.ProfileDecl, base: Mapping[str, Constant | None]) -> m.Profile:
        scope, findings = self._scope, self._scope.findings
        settings: dict[str, ast.Name] = {}
        for setting in decl.settings:
            name = setting.name
            if name.text in settings:
                scope.twice("setting", name, settings[name.text].span, f" in profile `{decl.name.text}`")
                continue
            settings[name.text] = name
            param = scope.params.get(name.text)
            if param is None and findings.may_be_declared(name.text):
                continue
            if param is None:
                findings.add(
                    "unknown-parameter",
                    f"profile `{decl.name.text}` sets a parameter `{name.text}` that does not exist",
                    name.span,
                    "not a declared parameter",
                    notes=[
                        f"the parameters are {quoted(scope.params)}" if scope.params else "no parameter is declared"
                    ],
                    help=[findings.did_you_mean(name.text, scope.params)],
                    cause=("parameter", name.text),
                )
                continue
            value = self._settings.evaluate(setting.value)
            declared = base.get(name.text)
            if value is None or declared is None:
                continue
            if value.type is not declared.type and not {value.type, declared.type} <= NUMERIC:
                findings.add(
                    "wrong-type",
                    f"parameter `{name.text}` is {a_type(declared.type)}, and {a_type(value.type)} in profile "
                    f"`{decl.name.text}`",
                    setting.value.span,
                    a_type(value.type),
                    labels=[Label(param.value.span, a_type(declared.type))],
                )
        return m.Profile(decl.name.text, text_of(decl.doc), tuple(settings), decl.span)


# --- events and pauses -------------------------------------------------------------------------------


def resolve_events(scope: Scope) -> dict[str, m.EventSpec]:
    specs: dict[str, m.EventSpec] = {}
    judged: dict[int, tuple[str, ...]] = {}
    for name, (written, decl) in scope.events.items():
        if id(decl) not in judged:
            judged[id(decl)] = scope.required_fields(decl.requires)
        specs[name] = m.EventSpec(name, judged[id(decl)], text_of(decl.doc), written.span)
    return specs


def resolve_pauses(scope: Scope) -> tuple[m.Pause, ...]:
    pauses: list[m.Pause] = []
    for decl in scope.pauses:
        begins = {name.text: name.span for name in decl.begins}
        for name in decl.ends:
            if name.text in begins:
                scope.findings.add(
                    "duplicate-name",
                    f"event `{name.text}` both begins and ends the pause",
                    name.span,
                    "ends it as well",
                    labels=[Label(begins[name.text], "begins it")],
                    help=["name another event on one side"],
                )
        ends = tuple(dict.fromkeys(name.text for name in decl.ends))
        pauses.append(m.Pause(tuple(begins), ends, text_of(decl.doc), decl.span))
    return tuple(pauses)
