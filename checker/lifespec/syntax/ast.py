"""What was written: the syntax tree of a `.lifespec` text. Owns shapes and spans; resolves nothing.

Every node carries the span of its text. Names keep the text without quotes. Nodes are Structs rather than
dataclasses, of which so many take a third of the time of a short command to be made.
"""

from __future__ import annotations

from msgspec import Struct

from lifespec.source import Span


class Name(Struct, frozen=True):
    """A name as written, quotes taken off."""

    text: str
    span: Span


class Text(Struct, frozen=True):
    """A text in double quotes, quotes taken off; it knows no escapes."""

    value: str
    span: Span


# --- expressions -------------------------------------------------------------------------------------


class NumberLit(Struct, frozen=True):
    """`5`, `1.5`: the literal text, decoded later and exactly."""

    text: str
    span: Span


class DurationLit(Struct, frozen=True):
    """`500ms`, `1.5s`: a literal with a unit of ns, us, ms, s, m, h or d."""

    text: str
    span: Span


class BoolLit(Struct, frozen=True):
    value: bool
    span: Span


class TextLit(Struct, frozen=True):
    value: str
    span: Span


class Path(Struct, frozen=True):
    """`name`, `name.part`, `name[index]`, `name[index].part`, `name[].part`; `head` may be an
    expression in parentheses in bindings."""

    head: Name | Expr
    steps: tuple[Step, ...]
    span: Span


class Step(Struct, frozen=True):
    """One step of a path: a name behind a dot, an index in brackets, or `[]` (all elements)."""

    name: Name | None
    index: tuple[Expr, ...] | None  # () is `[]`; several for a machine with several keys
    span: Span


class Unary(Struct, frozen=True):
    """`-x` or `not x`."""

    op: str
    operand: Expr
    span: Span


class Binary(Struct, frozen=True):
    """`+ - * /`, `== != < <= > >=`, `and`, `or`, `contains` (bindings)."""

    op: str
    left: Expr
    right: Expr
    span: Span


class In(Struct, frozen=True):
    """`left in a, b`: a membership when `left` names a machine, else a choice of values."""

    left: Expr
    members: tuple[Name | Text | NumberLit | DurationLit, ...]
    negated: bool
    span: Span


class Like(Struct, frozen=True):
    """`left like "pattern"`."""

    left: Expr
    pattern: Text
    span: Span


class Has(Struct, frozen=True):
    """`has path`."""

    path: Path
    span: Span


class Aggregate(Struct, frozen=True):
    """`count(m in s where c)`, `sum(m.f in s where c)`, `min(...)`, `max(...)`."""

    op: str
    subject: Path
    states: tuple[Name, ...]
    where: Expr | None
    span: Span


class Convert(Struct, frozen=True):
    """`value as json|number|iso8601 ["zone"]|unit [since origin]` (bindings)."""

    value: Expr
    to: str  # "json", "number", "iso8601" or "unit"
    zone: Text | None
    unit: Name | Expr | None  # a Name for a written unit, an Expr for `(header.unit)`
    since: Expr | str | None  # "epoch", "start", "previous", or an expression
    span: Span


class Else(Struct, frozen=True):
    """`a else b else c`: the first that is there and readable (bindings). `previous` is a Path."""

    choices: tuple[Expr, ...]
    span: Span


Expr = (
    NumberLit | DurationLit | BoolLit | TextLit | Path | Unary | Binary | In | Like | Has | Aggregate | Convert | Else
)


# --- declarations ------------------------------------------------------------------------------------


class Lifecycle(Struct, frozen=True):
    name: Name
    version: Text | None
    doc: Text | None
    span: Span


class Import(Struct, frozen=True):
    path: Text
    span: Span


class OwnerDecl(Struct, frozen=True):
    names: tuple[Name, ...]
    doc: Text | None
    span: Span


class Bound(Struct, frozen=True):
    """`>= 1` in a field type."""

    op: str
    value: Expr
    span: Span


class FieldType(Struct, frozen=True):
    """`text`, `int`, `number`, `bool`, `instant`, `duration` or `one of`."""

    kind: str
    values: tuple[Name | Text | NumberLit, ...]  # of `one of`
    bounds: tuple[Bound, ...]
    like: Text | None
    span: Span


class FieldDecl(Struct, frozen=True):
    names: tuple[Name, ...]
    type: FieldType
    doc: Text | None
    span: Span


class ForbidItem(Struct, frozen=True):
    """`email` (built in) or `bearer like "..."`."""

    name: Name
    pattern: Text | None
    span: Span


class ForbidDecl(Struct, frozen=True):
    items: tuple[ForbidItem, ...]
    doc: Text | None
    span: Span


class ParamDecl(Struct, frozen=True):
    """`param opening = 10s "where it was tested"`."""

    name: Name
    value: Expr
    tested: Text | None
    span: Span


class Setting(Struct, frozen=True):
    name: Name
    value: Expr
    span: Span


class ProfileDecl(Struct, frozen=True):
    name: Name
    doc: Text | None
    settings: tuple[Setting, ...]
    span: Span


class PauseDecl(Struct, frozen=True):
    """`pause between a and b`: lists of events on either side."""

    begins: tuple[Name, ...]
    ends: tuple[Name, ...]
    doc: Text | None
    span: Span


class EventDecl(Struct, frozen=True):
    names: tuple[Name, ...]
    requires: tuple[Name, ...]
    doc: Text | None
    span: Span


# --- machines ----------------------------------------------------------------------------------------


class StateDecl(Struct, frozen=True):
    """`initial|state|failure|final a, b within d requires f without reason "why" "doc"`."""

    kind: str
    names: tuple[Name, ...]
    within: Expr | None
    requires: tuple[Name, ...]
    without_reason: Text | None
    without_span: Span | None  # of `without reason`, also when its why is missing
    doc: Text | None
    span: Span


class GroupDecl(Struct, frozen=True):
    name: Name
    doc: Text | None
    members: tuple[StateDecl | GroupDecl, ...]
    span: Span


class Subject(Struct, frozen=True):
    """`m`, `m[k]` or `another m` in front of `enters`."""

    machine: Name
    index: tuple[Expr, ...] | None
    another: bool
    span: Span


class OnTrigger(Struct, frozen=True):
    events: tuple[Name, ...]
    machine: Name | None  # of `of`
    span: Span


class WhenTrigger(Struct, frozen=True):
    subject: Subject
    states: tuple[Name, ...]
    span: Span


class AfterTrigger(Struct, frozen=True):
    duration: Expr
    span: Span


class AtTrigger(Struct, frozen=True):
    instant: Expr
    span: Span


class Require(Struct, frozen=True):
    condition: Expr
    doc: Text | None
    span: Span


class Remember(Struct, frozen=True):
    """`name = value`; the short form `name` has a Path to the field of that name as its value."""

    name: Name
    value: Expr
    span: Span


class TransitionDecl(Struct, frozen=True):
    """`sources -> targets trigger where c by o requires f require c remember m = v "doc"`.

    `sources` is None for `any`, then `excluded` are the names behind `except`. `targets` is empty
    for a transition that stays.
    """

    sources: tuple[Name, ...] | None
    excluded: tuple[Name, ...]
    targets: tuple[Name, ...]
    trigger: OnTrigger | WhenTrigger | AfterTrigger | AtTrigger | None
    where: Expr | None
    by: tuple[Name, ...]
    requires: tuple[Name, ...]
    require: tuple[Require, ...]
    remember: tuple[Remember, ...]
    doc: Text | None
    span: Span


class IgnoreDecl(Struct, frozen=True):
    """`ignore a, b` inside a machine."""

    events: tuple[Name, ...]
    span: Span


class MachineDecl(Struct, frozen=True):
    name: Name
    keys: tuple[Name, ...]
    owners: tuple[Name, ...]
    doc: Text | None
    members: tuple[StateDecl | GroupDecl | TransitionDecl | IgnoreDecl, ...]
    span: Span


# --- rules -------------------------------------------------------------------------------------------


class EventAlternative(Struct, frozen=True):
    """`pong same n where c` in an `expect`; several names separated by commas are alternatives too."""

    events: tuple[Name, ...]
    same: tuple[Name, ...]
    where: Expr | None
    span: Span


class StateAlternative(Struct, frozen=True):
    """`m in s` or `m[k] not in s` in an `expect`."""

    condition: In
    span: Span


class Expect(Struct, frozen=True):
    alternatives: tuple[EventAlternative | StateAlternative, ...]
    within: Expr | None
    every: Expr | None
    doc: Text | None
    span: Span


class AtMost(Struct, frozen=True):
    """`at most n per d` or `at most n while c`."""

    count: Expr
    per: Expr | None
    during: Expr | None
    doc: Text | None
    span: Span


class AlwaysPart(Struct, frozen=True):
    condition: Expr
    span: Span


class OnPart(Struct, frozen=True):
    events: tuple[Name, ...]
    machine: Name | None
    where: Expr | None
    actions: tuple[Require | Expect | AtMost, ...]
    span: Span


class WhenPart(Struct, frozen=True):
    subject: Subject
    states: tuple[Name, ...]
    where: Expr | None
    actions: tuple[Require | Expect, ...]
    span: Span


class WhilePart(Struct, frozen=True):
    condition: Expr
    actions: tuple[Expect, ...]  # with `every`
    span: Span


class RuleDecl(Struct, frozen=True):
    """A rule has one or more parts."""

    name: Name
    doc: Text | None
    parts: tuple[AlwaysPart | OnPart | WhenPart | WhilePart, ...]
    span: Span


# --- bindings ----------------------------------------------------------------------------------------


class Column(Struct, frozen=True):
    """A column of `rows [...]`: a name, `x?`, `_` or `...`."""

    kind: str  # "name", "optional", "skip", "rest"
    name: Name | None
    span: Span


class Rows(Struct, frozen=True):
    columns: tuple[Column, ...]
    named_by: Path | None
    span: Span


class Each(Struct, frozen=True):
    """`each key: x in path`."""

    key: Name | None
    name: Name
    path: Path
    span: Span


class Read(Struct, frozen=True):
    container: str  # "json-lines", "json-seq", "json", "csv", "text"
    after: Text | None
    header_first: bool
    rows: Rows | None
    separated_by: Text | None
    each: tuple[Each, ...]
    span: Span


class Assign(Struct, frozen=True):
    """`part = value`; value None is `none`."""

    name: Name
    value: Expr | None
    span: Span


class Let(Struct, frozen=True):
    name: Name
    value: Expr
    span: Span


class Match(Struct, frozen=True):
    path: Path
    template: Text
    span: Span


class FieldsFrom(Struct, frozen=True):
    paths: tuple[Path, ...]
    span: Span


class RenamePair(Struct, frozen=True):
    """`old -> new`; Text sides are templates, new None is `none`."""

    old: Name | Text | NumberLit
    new: Name | Text | None
    span: Span


class Rename(Struct, frozen=True):
    part: Name
    machines: tuple[Name, ...]  # of `of`
    pairs: tuple[RenamePair, ...]
    span: Span


class With(Struct, frozen=True):
    name: Name
    value: Expr
    span: Span


class Emit(Struct, frozen=True):
    """`emit E of M from A to B by O with f = v`; `status` is true for `in B`."""

    name: Name | Text
    machine: Name | None
    source: Expr | None
    target: Expr | None
    status: bool
    owner: Expr | None
    fields: tuple[With, ...]
    span: Span


class SameSession(Struct, frozen=True):
    value: Expr
    span: Span


class MarkSession(Struct, frozen=True):
    kind: str  # "begins" or "ends"
    span: Span


class OnClause(Struct, frozen=True):
    """`on NAMES each.. match.. where c [with..] actions`; `names` None is `any`.

    `on E with f = p` is kept as written: `fields` are the leading `with`.
    """

    names: tuple[Name | Text, ...] | None
    each: tuple[Each, ...]
    match: Match | None
    where: Expr | None
    fields: tuple[With, ...]
    actions: tuple[Emit | SameSession | MarkSession, ...]
    span: Span


class Ignore(Struct, frozen=True):
    """`ignore any [except ..]`, `ignore machines a`, `ignore NAMES`, each with `where`."""

    kind: str  # "any", "machines", "names", "where"
    names: tuple[Name | Text, ...]  # of `any`: the exceptions
    where: Expr | None
    span: Span


class Lacks(Struct, frozen=True):
    kind: str  # "events", "fields", "machines", "owners"
    every: bool  # `any`
    excepted: bool  # `any except NAMES`
    names: tuple[Name, ...]
    span: Span


class Order(Struct, frozen=True):
    by: Path
    start: NumberLit | None
    within: Expr | None
    span: Span


class ClockPer(Struct, frozen=True):
    value: Expr
    span: Span


class UniqueBy(Struct, frozen=True):
    value: Expr
    span: Span


class Recording(Struct, frozen=True):
    kind: str  # "whole", "sampled", "cut"
    ends: tuple[Name, ...]  # of `cut at`: start, end
    span: Span


class Allow(Struct, frozen=True):
    findings: tuple[Name, ...]
    why: Text
    span: Span


Statement = (
    Read
    | Assign
    | Let
    | Match
    | FieldsFrom
    | Rename
    | OnClause
    | Ignore
    | Lacks
    | Order
    | ClockPer
    | UniqueBy
    | Recording
    | Allow
)


class BindingDecl(Struct, frozen=True):
    name: Name
    lifecycle: Name | None  # of `for`
    extends: Name | None
    doc: Text | None
    statements: tuple[Statement, ...]
    span: Span


Declaration = (
    Lifecycle
    | Import
    | OwnerDecl
    | FieldDecl
    | ForbidDecl
    | ParamDecl
    | ProfileDecl
    | PauseDecl
    | EventDecl
    | MachineDecl
    | RuleDecl
    | BindingDecl
)


class Ast(Struct, frozen=True):
    """One text, parsed. `declarations` are in the order of the text; broken ones are left out."""

    source: str  # the name of the Source
    declarations: tuple[Declaration, ...]
