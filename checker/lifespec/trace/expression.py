"""Expressions of a binding, compiled: paths, templates, conversions and conditions over one record.

Owns what the names in them mean; `operation` has the rest. Shares nothing with the engines, whose
expressions are about machines. Compiling reports what cannot be read; running never raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from graphlib import CycleError, TopologicalSorter

from lifespec.diagnostics import Diagnostic
from lifespec.model.pattern import compile_pattern
from lifespec.model.value import Duration, LogValue
from lifespec.syntax import ast
from lifespec.trace import binding_finding as finding
from lifespec.trace.compiled import Matching
from lifespec.trace.conversion import Conversions
from lifespec.trace.instant import UNITS_NS, number_of, scaled_ns
from lifespec.trace.lookup import as_name, element, elements, member
from lifespec.trace.operation import (
    ORDER,
    arithmetic,
    both,
    compare,
    contains,
    either,
    equal,
    is_absent,
    negated,
)
from lifespec.trace.scope import Getter, Read, Scope, Unreadable
from lifespec.trace.template import Template, TemplateError, parse_pattern, parse_template

_LONGEST_FILLED = 1_000_000  # characters that one template may put together


class Expressions:
    """Compiles the expressions of one binding. `lets`, `each_names` (bound by the `each` of `read`), what `matches`
    take and `holes` are names that come before keys.

    Findings gather in `findings`; what has one compiles to something that is always absent.
    """

    def __init__(
        self,
        lets: Mapping[str, ast.Expr],
        columns: frozenset[str] | None,
        findings: list[Diagnostic],
        matches: Sequence[ast.Match] = (),
    ) -> None:
        self.findings = findings
        self.keys_used: list[ast.Name] = []  # first words that are keys of the record
        self.uses_header = False
        self.each_names: set[str] = set()
        self._lets = lets
        self._matches = matches
        self._takers: dict[str, list[str]] = {}  # by the name of a hole, the matches that take it
        self._let_order: list[tuple[str, Getter]] = []  # each behind those it is made of
        self._lets_used: set[str] = set()  # by what is being compiled
        self._used_by: dict[str, set[str]] = {}  # by each `let` and `match`
        self._matchings: dict[str, Matching] = {}
        self.line_patterns: tuple[Template, ...] = ()  # of every `match record`
        self._columns = columns
        self.from_previous_allowed = False  # while the time is compiled
        self._conversions = Conversions(self)

    # --- entries ---------------------------------------------------------------------------------

    def value(self, expr: ast.Expr, holes: Iterable[str] = ()) -> Getter:
        """What stands right of `=`, `with`, `to` and the like: double quotes are a constant or a template."""
        known = frozenset(holes)
        if isinstance(expr, ast.TextLit):
            return self._template(expr, known)
        if isinstance(expr, ast.Else):
            choices = tuple(self.value(choice, known) for choice in expr.choices)
            return lambda scope: _first(choices, scope)
        if isinstance(expr, ast.Convert):
            return self._conversions.compile(expr, known)
        return self.expression(expr, known)

    def value_and_matches(self, expr: ast.Expr) -> tuple[Getter, tuple[Matching, ...]]:
        """The value, and every `match` that it is read from, in the order of the text."""
        waiting: set[str] = set()
        self._lets_used = waiting
        get = self.value(expr)
        self._lets_used = set()
        used: set[str] = set()
        while waiting:
            used |= waiting
            waiting = {word for each in waiting for word in self._used_by.get(each, ())} - used
        return get, tuple(matching for word, matching in self._matchings.items() if word in used)

    def condition(self, expr: ast.Expr, holes: Iterable[str] = ()) -> Callable[[Scope], bool]:
        """Whether the condition chooses: an unknown one does not."""
        test = self.expression(expr, frozenset(holes))
        return lambda scope: test(scope) is True

    def compile_lets(self) -> tuple[Getter, ...]:
        """Compiles every `let` and `match`, also one that nobody uses, and puts them in the order in which they are
        worked out. Returns what every `match record` takes: the holes of a line that fits, else None."""
        made: dict[str, Getter] = {}
        used = self._used_by
        of_record: list[str] = []
        patterns = self._patterns()
        for word, expr in self._lets.items():
            self._lets_used = used[word] = set()
            made[word] = self.value(expr)
        for word, (match, pattern) in patterns.items():
            self._lets_used = used[word] = set()
            looked_at = self.value(match.path)
            made[word] = taking(looked_at, pattern)
            self._matchings[word] = Matching(looked_at, pattern)
            head = match.path.head
            if isinstance(head, ast.Name) and head.text == "record" and not match.path.steps:
                of_record.append(word)
        try:
            order = list(TopologicalSorter({word: sorted(used[word]) for word in made}).static_order())
        except CycleError as error:
            cycle: list[str] = error.args[1]
            word = cycle[0]
            if word in self._lets:
                self.findings.append(finding.circular_let(word, self._lets[word].span))
            else:
                self.findings.append(finding.circular_let(word.rpartition(" ")[2], patterns[word][0].span))
        else:
            self._let_order.extend((word, made[word]) for word in order)
        self.line_patterns = tuple(patterns[word][1] for word in of_record)
        return tuple(self._let(word) for word in of_record)

    def _patterns(self) -> dict[str, tuple[ast.Match, Template]]:
        """Every `match` under a word that is no name, and in `_takers` what its holes are called."""
        patterns: dict[str, tuple[ast.Match, Template]] = {}
        for number, match in enumerate(self._matches):
            try:
                pattern = parse_pattern(match.template.value)
            except TemplateError as error:
                self.findings.append(finding.wrong_template(match.template.span, str(error)))
                continue
            named = [hole for hole in pattern.holes if hole]
            word = f"match {number} {named[0] if named else ''}"
            patterns[word] = (match, pattern)
            for hole in named:
                self._takers.setdefault(hole, []).append(word)
        return patterns

    @contextmanager
    def of_pieces(self) -> Iterator[None]:
        """While it lasts, what is compiled is about a piece, before it is a record: without `let`, `match`, columns."""
        lets, takers, columns = self._lets, self._takers, self._columns
        self._lets, self._takers, self._columns = {}, {}, None
        yield
        self._lets, self._takers, self._columns = lets, takers, columns

    @property
    def holes_taken(self) -> frozenset[str]:
        """The names that a `match` of the whole binding takes."""
        return frozenset(self._takers)

    def all_taken(self) -> tuple[tuple[str, Getter], ...]:
        """These names in the order of the text, and what each is."""
        return tuple((hole, self._taken(hole)) for hole in self._takers)

    # --- by shape --------------------------------------------------------------------------------

    def expression(self, expr: ast.Expr, holes: frozenset[str]) -> Getter:
        match expr:
            case ast.Path():
                return self._path(expr, holes)
            case ast.TextLit(value=text):
                return _constant(text)
            case ast.BoolLit(value=truth):
                return _constant(truth)
            case ast.NumberLit(text=text) | ast.DurationLit(text=text):
                return _constant(literal(text))
            case ast.Convert() | ast.Else():
                return self.value(expr, holes)
            case ast.Has(path=path):
                looked_at = self._path(path, holes)
                return lambda scope: not is_absent(looked_at(scope))
            case ast.Unary(op=op, operand=inner):
                operand = self.expression(inner, holes)
                if op == "not":
                    return lambda scope: negated(operand(scope))
                return lambda scope: arithmetic("-", 0, operand(scope))
            case ast.Binary():
                return self._binary(expr, holes)
            case ast.In():
                return self._choice(expr, holes)
            case ast.Like():
                return self._like(expr, holes)
            case ast.Aggregate():
                self.findings.append(finding.not_in_binding(f"`{expr.op}`", expr.span))
                return _absent

    def _binary(self, expr: ast.Binary, holes: frozenset[str]) -> Getter:
        left, right, op = self.expression(expr.left, holes), self.expression(expr.right, holes), expr.op
        if op == "and":
            return lambda scope: both(left(scope), right, scope)
        if op == "or":
            return lambda scope: either(left(scope), right, scope)
        if op == "contains":
            return lambda scope: contains(left(scope), right(scope))
        if op == "==":
            return lambda scope: equal(left(scope), right(scope))
        if op == "!=":
            return lambda scope: negated(equal(left(scope), right(scope)))
        if op in ORDER:
            return lambda scope: compare(op, left(scope), right(scope))
        return lambda scope: arithmetic(op, left(scope), right(scope))

    def _choice(self, expr: ast.In, holes: frozenset[str]) -> Getter:
        left = self.expression(expr.left, holes)
        values = tuple(_member_value(each) for each in expr.members)
        negated = expr.negated

        def choose(scope: Scope) -> Read:
            found = left(scope)
            if found is None or isinstance(found, Unreadable):
                return None
            return any(equal(found, each) is True for each in values) is not negated

        return choose

    def _like(self, expr: ast.Like, holes: frozenset[str]) -> Getter:
        left = self.expression(expr.left, holes)
        try:
            pattern = compile_pattern(expr.pattern.value)
        except ValueError as error:
            self.findings.append(finding.bad_pattern(expr.pattern, str(error)))
            return _absent

        def like(scope: Scope) -> Read:
            found = left(scope)
            return pattern.fullmatch(found) is not None if type(found) is str else None

        return like

    def _template(self, expr: ast.TextLit, holes: frozenset[str]) -> Getter:
        try:
            template = parse_template(expr.value)
            if template.is_constant:
                return _constant(expr.value)
            getters = {hole: self._hole(hole, expr, holes) for hole in template.holes}
        except TemplateError as error:
            self.findings.append(finding.wrong_template(expr.span, str(error)))
            return _absent

        def fill(scope: Scope) -> Read:
            parts: dict[str, str] = {}
            for hole, get in getters.items():
                part = as_name(get(scope))
                if part is None or isinstance(part, Unreadable):
                    return part
                parts[hole] = part
            if sum(len(parts[hole]) for hole in template.holes) > _LONGEST_FILLED:
                return Unreadable(None, ("a text of at most a million characters",))
            return template.fill(parts)

        return fill

    def _hole(self, hole: str, expr: ast.TextLit, holes: frozenset[str]) -> Getter:
        names = path_words(hole)
        if not names:
            raise TemplateError("a hole that is filled names what fills it: `{id}`, `{data.id}`")
        span = expr.span
        head, *rest = (ast.Name(name, span) for name in names)
        return self._path(ast.Path(head, tuple(ast.Step(name, None, span) for name in rest), span), holes)

    # --- paths -----------------------------------------------------------------------------------

    def _path(self, path: ast.Path, holes: frozenset[str]) -> Getter:
        get, steps = self._head(path, holes)
        runs: list[list[ast.Step]] = [[]]
        for step in steps:
            if step.index == ():
                runs.append([])
            else:
                runs[-1].append(step)
        first, *behind = (self._places(tuple(run), holes) for run in runs)
        return _unfolded(_walked(get, first), tuple(behind)) if behind else _walked(get, first)

    def _places(self, steps: tuple[ast.Step, ...], holes: frozenset[str]) -> tuple[str | Getter, ...]:
        """Steps that lead to one value: a name, or what gives the place in a list."""
        return tuple(step.name.text if step.name is not None else self._index(step, holes) for step in steps)

    def _index(self, step: ast.Step, holes: frozenset[str]) -> Getter:
        if not step.index:
            return _absent
        if len(step.index) > 1:
            self.findings.append(finding.not_in_binding("an index of several parts", step.span))
        return self.expression(step.index[0], holes)

    def _head(self, path: ast.Path, holes: frozenset[str]) -> tuple[Getter, tuple[ast.Step, ...]]:
        head, steps = path.head, path.steps
        if not isinstance(head, ast.Name):
            return self.expression(head, holes), steps
        word = head.text
        if word in holes:
            return (lambda scope: scope.holes.get(word)), steps
        if word in self.each_names and word != "record":
            return (lambda scope: scope.names.get(word)), steps
        if word in self._lets:
            return self._let(word), steps
        if word in self._takers:
            return self._taken(word), steps
        if word == "record":
            if steps and steps[0].name is not None:
                return self._key(steps[0].name), steps[1:]
            return (lambda scope: scope.record), steps
        if word == "header":
            self.uses_header = True
            return (lambda scope: scope.header), steps
        if word == "file":
            return self._file(path), ()
        if word == "previous":
            self.findings.append(
                finding.not_in_binding("`previous` anywhere but last behind an `else` of a part", head.span)
            )
            return _absent, ()
        return self._key(head), steps

    def _key(self, name: ast.Name) -> Getter:
        key = name.text
        self.keys_used.append(name)
        if self._columns is not None and key not in self._columns:
            if self._columns:
                self.findings.append(finding.unknown_column(name, self._columns))
            else:
                self.findings.append(finding.unknown_hole(name, [*self._takers, *self._lets]))
        return lambda scope: member(scope.record, key)

    def _file(self, path: ast.Path) -> Getter:
        names = [step.name.text for step in path.steps if step.name is not None]
        if names == ["name"]:
            return lambda scope: scope.file_name
        if names == ["path"]:
            return lambda scope: scope.file_path
        self.findings.append(finding.not_in_binding("`file` without `.name` or `.path`", path.span))
        return _absent

    def _let(self, word: str) -> Getter:
        """All are worked out at once, when the first is asked for: so none waits in the middle of another."""
        self._lets_used.add(word)
        order = self._let_order

        def kept(scope: Scope) -> Read:
            if scope.lets is None:
                scope.lets = {}
                for each, get in order:
                    scope.lets[each] = get(scope)
            return scope.lets.get(word)

        return kept

    def _taken(self, hole: str) -> Getter:
        """What the first `match` that fits takes as `hole`."""
        getters = tuple(self._let(word) for word in self._takers[hole])

        def first(scope: Scope) -> Read:
            for get in getters:
                taken = get(scope)
                if type(taken) is dict:
                    return taken[hole]
            return None

        return first


# --- running -----------------------------------------------------------------------------------------


def literal(text: str) -> int | Decimal | Duration | None:
    """`5`, `1.5`, `500ms` as a value."""
    number = number_of(text)
    if number is not None:
        return number
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyzµ")
    unit, number = UNITS_NS.get(text[len(digits) :]), number_of(digits)
    ns = None if unit is None or number is None else scaled_ns(number, unit)
    return None if ns is None else Duration(ns)


def path_words(text: str) -> list[str]:
    """The names of a dotted path in a hole (`a.'b.c'`); empty when it is none."""
    words: list[str] = []
    at = 0
    while at <= len(text):
        if text[at : at + 1] == "'":
            closing = text.find("'", at + 1)
            if closing < 0:
                return []
            word, at = text[at + 1 : closing], closing + 1
        else:
            dot = text.find(".", at)
            stop = len(text) if dot < 0 else dot
            word, at = text[at:stop], stop
        if not word:
            return []
        words.append(word)
        if at == len(text):
            return words
        if text[at] != ".":
            return []
        at += 1
    return []


def _absent(scope: Scope) -> Read:
    return None


def _constant(value: LogValue) -> Getter:
    return lambda scope: value


def _walked(get: Getter, places: tuple[str | Getter, ...]) -> Getter:
    if not places:
        return get
    if len(places) == 1 and isinstance(places[0], str):
        name = places[0]
        return lambda scope: member(get(scope), name)
    return lambda scope: _walk(get(scope), places, scope)


def _walk(value: Read, places: tuple[str | Getter, ...], scope: Scope) -> Read:
    for place in places:
        value = member(value, place) if isinstance(place, str) else element(value, place(scope))
    return value


def _unfolded(get: Getter, runs: tuple[tuple[str | Getter, ...], ...]) -> Getter:
    """All elements, then what a run of steps finds in each of them, and so on for each `[]`."""

    def unfold(scope: Scope) -> Read:
        found: list[LogValue] = [_plain(get(scope))]
        for places in runs:
            values = (_plain(_walk(inner, places, scope)) for each in found for inner in elements(each))
            found = [value for value in values if value is not None]
        return found

    return unfold


def _plain(value: Read) -> LogValue:
    return None if isinstance(value, Unreadable) else value


def taking(get: Getter, pattern: Template) -> Getter:
    """What the holes of a pattern hold, as an object; None when the value is no text that fits."""

    def take(scope: Scope) -> Read:
        text = get(scope)
        taken = pattern.take(text) if type(text) is str else None
        return None if taken is None else dict(taken)

    return take


def _first(choices: tuple[Getter, ...], scope: Scope) -> Read:
    unreadable: Unreadable | None = None
    for choice in choices:
        value = choice(scope)
        if isinstance(value, Unreadable):
            before = () if unreadable is None else unreadable.expected
            new = tuple(each for each in value.expected if each not in before)
            unreadable = Unreadable(value.found if unreadable is None else unreadable.found, before + new)
        elif value is not None:
            return value
    return unreadable


def _member_value(each: ast.Name | ast.Text | ast.NumberLit | ast.DurationLit) -> LogValue:
    match each:
        case ast.Name(text=text):
            return text
        case ast.Text(value=text):
            return text
        case _:
            return literal(each.text)
