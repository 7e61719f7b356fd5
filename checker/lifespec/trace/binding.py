"""A binding of a Model -> what the reader runs. Owns the meaning of the statements; reads no log.

What cannot be read yet, or not at all, ends in a finding: never in a wrong answer.
"""

from __future__ import annotations

from typing import TypeVar

from lifespec.diagnostics import NAMES, Diagnostic, Severity, Stage, severity_of
from lifespec.model.model import Binding, Model
from lifespec.model.value import Duration
from lifespec.syntax import ast
from lifespec.trace import binding_finding as finding
from lifespec.trace.binding_names import check_names
from lifespec.trace.binding_reach import check_reach
from lifespec.trace.clause import compile_clause, compile_each, templates_and_names
from lifespec.trace.client import client_of
from lifespec.trace.compiled import (
    NAME_PARTS,
    Clause,
    CompiledBinding,
    Ignoring,
    IgnoringRest,
    Part,
    Sequence,
    Unfolding,
    Watched,
)
from lifespec.trace.container import Container
from lifespec.trace.conversion import unreadable
from lifespec.trace.expression import Expressions, literal
from lifespec.trace.instant import instant_of, number_of
from lifespec.trace.library import is_library
from lifespec.trace.operation import arithmetic
from lifespec.trace.rename import Renames, compile_pairs
from lifespec.trace.rows import Columns, columns_of
from lifespec.trace.scope import Getter, Read, Scope, Unreadable
from lifespec.trace.vocabulary import known_events
from lifespec.trace.watched import watched_paths

# Findings of reading that `allow` may turn into a count.
_ALLOWABLE = frozenset(
    name for name, entry in NAMES.items() if entry.stage is Stage.LOG and name not in ("wrong-container", "missing-key")
)


def compile_binding(model: Model, binding: Binding) -> tuple[CompiledBinding | None, tuple[Diagnostic, ...]]:
    """The compiled binding, or None when a finding among the Diagnostics is an error."""
    compiled, findings = _Builder(model, binding).build()
    findings.sort(key=lambda each: each.sort_key)
    if any((each.severity or severity_of(each.name)) is Severity.ERROR for each in findings):
        return None, tuple(findings)
    return compiled, tuple(findings)


_S = TypeVar("_S")


class _Builder:
    """Works through the statements of one binding."""

    def __init__(self, model: Model, binding: Binding) -> None:
        self._model = model
        self._binding = binding
        self._statements = binding.statements
        self._known = known_events(model)
        self._findings: list[Diagnostic] = []
        self._read = self._last(ast.Read)
        self._container = self._container_of()
        self._columns = self._rows()
        lets = {each.name.text: each.value for each in self._statements if isinstance(each, ast.Let)}
        columns = None if self._columns is None else self._columns.known
        if self._container.kind == "text":
            columns = frozenset()  # a line has no keys
        matches = [each for each in self._statements if isinstance(each, ast.Match)]
        self._expressions = Expressions(lets, columns, self._findings, matches)
        self._assigned = {each.name.text: each for each in self._statements if isinstance(each, ast.Assign)}

    def build(self) -> tuple[CompiledBinding, list[Diagnostic]]:
        if self._read is None:
            self._findings.append(finding.unread(self._binding.name, self._binding.span))
        # A ready-made binding may tell more than this lifecycle wants to know.
        own = [each for each in self._statements if not is_library(each.span.file)]
        self._findings += check_names(self._model, own, self._known)
        if not is_library(self._binding.span.file):
            self._findings += check_reach(self._model, self._statements, own, self._binding.span)
        unfolds = self._unfolds()
        of_piece = bool(self._expressions.keys_used)
        self._expressions.keys_used.clear()
        named_by = self._named_by()
        of_record = self._expressions.compile_lets()
        clauses = self._clauses()
        parts = {name: self._part(name) for name in ("event", "machine", "from", "to", "owner")}
        renames, state_renames = self._renames()
        ignoring, rest = self._ignoring()
        fields = tuple(part for name in self._assigned if name not in NAME_PARTS and (part := self._part(name)))
        if "state" in self._assigned:
            self._findings.append(finding.state_part(self._assigned["state"].span))
        fields_from = self._fields_from()
        session, time = self._session(), self._time()
        emissions = [emission for clause in clauses for emission in clause.emissions]
        on_names = {name for clause in clauses for name in clause.exact}
        compiled = CompiledBinding(
            name=self._binding.name,
            client=client_of(
                self._statements,
                self._known,
                has_time=time is not None,
                has_owner=parts["owner"] is not None or any(each.owner is not None for each in emissions),
                has_source=parts["from"] is not None or any(each.source is not None for each in emissions),
            ),
            header_first=self._read is not None and self._read.header_first,
            columns=self._columns,
            needs_object=self._columns is None
            and named_by is None
            and self._container.kind != "text"
            and bool(self._expressions.keys_used or fields_from),
            session=session,
            time=time,
            counts_from_previous=self._counts_from_previous(),
            event=parts["event"],
            machine=parts["machine"],
            source=parts["from"],
            target=parts["to"],
            owner=parts["owner"],
            fields=fields,
            fields_from=fields_from,
            renames={part: each for part, each in renames.items() if part in NAME_PARTS},
            field_renames={part: each for part, each in renames.items() if part not in NAME_PARTS},
            state_renames=state_renames,
            clauses=clauses,
            ignoring=ignoring,
            ignoring_rest=rest,
            allowed=self._allowed(),
            known_events=self._known,
            near_to=self._known | on_names | self._renamed_by_hand(),
            container=self._container,
            unfolds=unfolds,
            piece_needs_object=of_piece,
            named_by=named_by,
            needs_match=of_record if self._container.kind == "text" else (),
            line_patterns=self._expressions.line_patterns,
            taken=self._expressions.all_taken() if self._container.kind == "text" else (),
            sequence=self._sequence(),
            lateness_ns=self._lateness(),
            clock=self._clock(),
            unique=self._unique(),
            watched=self._watched(own),
        )
        self._look_at_header()
        return compiled, self._findings

    # --- reading ---------------------------------------------------------------------------------

    def _look_at_header(self) -> None:
        """B4, B30: of a table whose first row names the columns `header first` takes a row of data away."""
        read = self._read
        if read is None or not read.header_first or read.container != "csv" or read.rows is not None:
            return
        if not self._expressions.uses_header and not is_library(read.span.file):
            self._findings.append(finding.second_header(read.span))

    def _last(self, kind: type[_S]) -> _S | None:
        found = [each for each in self._statements if isinstance(each, kind)]
        return found[-1] if found else None

    def _container_of(self) -> Container:
        read = self._read
        if read is None:
            return Container()
        separator = "," if read.separated_by is None else read.separated_by.value
        separator = "\t" if separator == "tab" else separator
        is_one = len(separator) == 1 and separator not in '"\r\n' and (separator.isprintable() or separator == "\t")
        if read.separated_by is not None and (read.container != "csv" or not is_one):
            self._findings.append(finding.bad_separator(read.separated_by, read.container))
            separator = ","
        return Container(
            kind=read.container,
            after=None if read.after is None else read.after.value,
            separator=separator,
            names_first=read.rows is None,
        )

    def _unfolds(self) -> tuple[Unfolding, ...]:
        """The `each` of `read`: each may use the names of those before it."""
        if self._read is None:
            return ()
        made: list[Unfolding] = []
        names = self._expressions.each_names
        with self._expressions.of_pieces():
            for each in self._read.each:
                made.append(compile_each(each, self._expressions, frozenset()))
                names |= {each.name.text} | ({each.key.text} if each.key is not None else set())
        return tuple(made)

    def _named_by(self) -> Getter | None:
        rows = None if self._read is None else self._read.rows
        if rows is None or rows.named_by is None:
            return None
        with self._expressions.of_pieces():
            get = self._expressions.value(rows.named_by)
        self._expressions.keys_used.clear()
        return get

    def _rows(self) -> Columns | None:
        rows = None if self._read is None else self._read.rows
        if rows is None or rows.named_by is not None:
            return None
        names: set[str] = set()
        rests = 0
        for column in rows.columns:
            rests += column.kind == "rest"
            if column.kind == "rest" and rests == 2:
                self._findings.append(finding.several_rests(column.span))
            if column.name is not None and column.kind in ("name", "optional"):
                if column.name.text in names:
                    self._findings.append(finding.repeated_column(column.name))
                names.add(column.name.text)
        return columns_of(rows.columns)

    # --- describing ------------------------------------------------------------------------------

    def _session(self) -> Part:
        assigned = self._assigned.get("session")
        if assigned is None:
            self._findings.append(finding.unassigned_part("session", self._binding.span))
        elif assigned.value is None:
            self._findings.append(finding.session_none(assigned.span))
        elif _is_constant(assigned.value):
            self._findings.append(finding.constant_part("session", assigned.value.span))
        return self._part("session") or Part("session", lambda scope: None)

    def _time(self) -> Part | None:
        assigned = self._assigned.get("time")
        if assigned is None:
            self._findings.append(finding.unassigned_part("time", self._binding.span))
            return None
        if assigned.value is None:
            return None
        if _is_constant(assigned.value):
            self._findings.append(finding.constant_part("time", assigned.value.span))
        for choice in _choices(assigned.value):
            if isinstance(choice, ast.Convert) and choice.to == "unit" and choice.since is None:
                self._findings.append(finding.time_without_origin(choice.span))
        part = self._part("time")
        return None if part is None else Part("time", _as_instant(part.get), part.repeats, part.matches)

    def _counts_from_previous(self) -> bool:
        assigned = self._assigned.get("time")
        if assigned is None or assigned.value is None:
            return False
        return any(isinstance(each, ast.Convert) and each.since == "previous" for each in _choices(assigned.value))

    def _part(self, name: str) -> Part | None:
        assigned = self._assigned.get(name)
        return None if assigned is None or assigned.value is None else self._part_of(name, assigned.value)

    def _part_of(self, name: str, value: ast.Expr) -> Part:
        choices = _choices(value)
        repeats = len(choices) > 1 and _is_previous(choices[-1])
        if repeats:
            value = choices[0] if len(choices) == 2 else ast.Else(choices[:-1], value.span)
        self._expressions.from_previous_allowed = name == "time"
        get, matches = self._expressions.value_and_matches(value)
        self._expressions.from_previous_allowed = False
        return Part(name, get, repeats, matches)

    def _fields_from(self) -> tuple[Getter, ...]:
        found = [each for each in self._statements if isinstance(each, ast.FieldsFrom)]
        return tuple(self._expressions.value(path) for path in found[-1].paths) if found else ()

    def _renames(self) -> tuple[dict[str, Renames], dict[str, Renames]]:
        pairs: dict[tuple[str, str], list[ast.RenamePair]] = {}
        for statement in self._statements:
            if isinstance(statement, ast.Rename):
                part = statement.part.text
                if statement.machines and part != "state":
                    self._findings.append(finding.not_in_binding("`of` behind any part but `state`", statement.span))
                for of in [machine.text for machine in statement.machines] or [""]:
                    pairs.setdefault((part, of), []).extend(statement.pairs)
        made = {
            (part, of): compile_pairs(written, self._findings, of_names=part in NAME_PARTS)
            for (part, of), written in pairs.items()
        }
        return (
            {part: renames for (part, of), renames in made.items() if not of},
            {of: renames for (part, of), renames in made.items() if of and part == "state"},
        )

    # --- what is true of the log -----------------------------------------------------------------

    def _sequence(self) -> Sequence | None:
        order = self._last(ast.Order)
        if order is None or order.within is not None or self._is_by_time(order):
            return None
        start = None if order.start is None else number_of(order.start.text)
        return Sequence(self._expressions.value(order.by), start if isinstance(start, int) else None)

    def _lateness(self) -> int | None:
        """`order by time within d`; `time` is then the part, not a key."""
        order = self._last(ast.Order)
        if order is None or (order.within is None and not self._is_by_time(order)):
            return None
        if order.within is None or not self._is_by_time(order):
            self._findings.append(finding.unclear_order(order.span))
            return None
        time = self._assigned.get("time")
        if time is not None and time.value is None:
            self._findings.append(finding.order_without_time(order.span))
        lateness = constant_ns(order.within)
        if lateness is None:
            self._findings.append(finding.lateness_not_known(order.within.span))
        return lateness

    @staticmethod
    def _is_by_time(order: ast.Order) -> bool:
        return isinstance(order.by.head, ast.Name) and order.by.head.text == "time" and not order.by.steps

    def _clock(self) -> Part | None:
        clock = self._last(ast.ClockPer)
        if clock is None:
            return None
        if _is_constant(clock.value):
            self._findings.append(finding.constant_part("clock", clock.value.span))
        return self._part_of("clock", clock.value)

    def _unique(self) -> Getter | None:
        unique = self._last(ast.UniqueBy)
        if unique is None:
            return None
        if _is_constant(unique.value):
            self._findings.append(finding.constant_part("key", unique.value.span))
        return self._expressions.value(unique.value)

    def _watched(self, own: list[ast.Statement]) -> tuple[Watched, ...]:
        """B42: what the author of the binding looks for; a ready-made one knows more than any log has."""
        lets = {each.name.text for each in self._statements if isinstance(each, ast.Let)}
        return watched_paths(own, lets | self._expressions.holes_taken, self._expressions.each_names)

    def _renamed_by_hand(self) -> set[str]:
        """Names of events that this client's own binding renames (a ready-made one knows more than any client logs)."""
        return {
            pair.old.text
            for each in self._statements
            if isinstance(each, ast.Rename) and each.part.text == "event" and not is_library(each.span.file)
            for pair in each.pairs
            if not isinstance(pair.old, ast.Text)
        }

    # --- deciding --------------------------------------------------------------------------------

    def _clauses(self) -> tuple[Clause, ...]:
        return tuple(
            compile_clause(each, self._expressions, self._model)
            for each in self._statements
            if isinstance(each, ast.OnClause)
        )

    def _ignoring(self) -> tuple[tuple[Ignoring, ...], tuple[IgnoringRest, ...]]:
        ignoring: list[Ignoring] = []
        rest: list[IgnoringRest] = []
        for each in self._statements:
            if not isinstance(each, ast.Ignore):
                continue
            exact, patterns = templates_and_names(each.names, self._findings)
            where = None if each.where is None else self._expressions.condition(each.where)
            if each.kind == "any":
                rest.append(IgnoringRest(exact, patterns, where))
            elif each.kind == "machines":
                ignoring.append(Ignoring(None, (), exact, where))
            elif each.kind == "names":
                ignoring.append(Ignoring(exact, patterns, frozenset(), where))
            else:
                ignoring.append(Ignoring(None, (), frozenset(), where))
        return tuple(ignoring), tuple(rest)

    def _allowed(self) -> dict[str, str]:
        allowed: dict[str, str] = {}
        for each in self._statements:
            if isinstance(each, ast.Allow):
                for name in each.findings:
                    if name.text in _ALLOWABLE:
                        allowed[name.text] = each.why.value
                    else:
                        self._findings.append(finding.unknown_finding(name, _ALLOWABLE))
        return allowed


def _choices(value: ast.Expr) -> tuple[ast.Expr, ...]:
    return value.choices if isinstance(value, ast.Else) else (value,)


def _is_previous(value: ast.Expr) -> bool:
    return (
        isinstance(value, ast.Path)
        and isinstance(value.head, ast.Name)
        and value.head.text == "previous"
        and not value.steps
    )


def _is_constant(value: ast.Expr) -> bool:
    if isinstance(value, ast.TextLit):
        return "{" not in value.value
    if isinstance(value, ast.Convert):
        return _is_constant(value.value)
    return isinstance(value, ast.NumberLit | ast.DurationLit | ast.BoolLit)


def constant_ns(expr: ast.Expr) -> int | None:
    """A length of time that is written as it is, or computed from such: `5s`, `2 * 500ms`, `1m + 5s`."""
    value = literal_of(expr)
    return value.ns if isinstance(value, Duration) and value.ns >= 0 else None


def literal_of(expr: ast.Expr) -> Read:
    match expr:
        case ast.DurationLit(text=text) | ast.NumberLit(text=text):
            return literal(text)
        case ast.Binary(op=op, left=left, right=right) if op in ("+", "-", "*", "/"):
            one, other = literal_of(left), literal_of(right)
            if op == "*" and isinstance(one, Duration) and isinstance(other, int):
                return Duration(one.ns * other)
            if op == "*" and isinstance(one, int) and isinstance(other, Duration):
                return Duration(one * other.ns)
            return arithmetic(op, one, other)
        case _:
            return None


def _as_instant(get: Getter) -> Getter:
    def run(scope: Scope) -> Read:
        value = get(scope)
        if value is None or isinstance(value, Unreadable):
            return value
        return instant_of(value) or unreadable(value, "ISO 8601 with an offset, or seconds since the epoch")

    return run
