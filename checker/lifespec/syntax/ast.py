"""What was written: the syntax tree of a `.lifespec` text. Owns shapes and spans; resolves nothing.

Every node carries the span of its text. Names keep the text without quotes.
"""

from __future__ import annotations

from dataclasses import dataclass

from lifespec.source import Span


@dataclass(frozen=True, slots=True)
class Name:
    """A name as written, quotes taken off."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Text:
    """A text in double quotes, quotes taken off; it knows no escapes."""

    value: str
    span: Span


# --- expressions -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NumberLit:
    """`5`, `1.5`: the literal text, decoded later and exactly."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class DurationLit:
    """`500ms`, `1.5s`: a literal with a unit of ns, us, ms, s, m, h or d."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class BoolLit:
    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class TextLit:
    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class Path:
    """`name`, `name.part`, `name[index]`, `name[index].part`, `name[].part`; `head` may be an
    expression in parentheses in bindings."""

    head: Name | Expr
    steps: tuple[Step, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: a name behind a dot, an index in brackets, or `[]` (all elements)."""

    name: Name | None
    index: tuple[Expr, ...] | None  # () is `[]`; several for a machine with several keys
    span: Span


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x` or `not x`."""

    op: str
    operand: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    """`+ - * /`, `== != < <= > >=`, `and`, `or`, `contains` (bindings)."""

    op: str
    left: Expr
    right: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class In:
    """`left in a, b`: a membership when `left` names a machine, else a choice of values."""

    left: Expr
    members: tuple[Name | Text | NumberLit | DurationLit, ...]
    negated: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Like:
    """`left like "pattern"`."""

    left: Expr
    pattern: Text
    span: Span


@dataclass(frozen=True, slots=True)
class Has:
    """`has path`."""

    path: Path
    span: Span


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`count(m in s where c)`, `sum(m.f in s where c)`, `min(...)`, `max(...)`."""

    op: str
    subject: Path
    states: tuple[Name, ...]
    where: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Convert:
    """`value as json|number|iso8601 ["zone"]|unit [since origin]` (bindings)."""

    value: Expr
    to: str  # "json", "number", "iso8601" or "unit"
    zone: Text | None
    unit: Name | Expr | None  # a Name for a written unit, an Expr for `(header.unit)`
    since: Expr | str | None  # "epoch", "start", "previous", or an expression
    span: Span


@dataclass(frozen=True, slots=True)
class Else:
    """`a else b else c`: the first that is there and readable (bindings). `previous` is a Path."""

    choices: tuple[Expr, ...]
    span: Span


Expr = (
    NumberLit | DurationLit | BoolLit | TextLit | Path | Unary | Binary | In | Like | Has | Aggregate | Convert | Else
)


# --- declarations ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lifecycle:
    name: Name
    version: Text | None
    doc: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class Import:
    path: Text
    span: Span


@dataclass(frozen=True, slots=True)
class OwnerDecl:
    names: tuple[Name, ...]
    doc: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class Bound:
    """`>= 1` in a field type."""

    op: str
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class FieldType:
    """`text`, `int`, `number`, `bool`, `instant`, `duration` or `one of`."""

    kind: str
    values: tuple[Name | Text | NumberLit, ...]  # of `one of`
    bounds: tuple[Bound, ...]
    like: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class FieldDecl:
    names: tuple[Name, ...]
    type: FieldType
    doc: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class ForbidItem:
    """`email` (built in) or `bearer like "..."`."""

    name: Name
    pattern: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class ForbidDecl:
    items: tuple[ForbidItem, ...]
    doc: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class ParamDecl:
    """`param opening = 10s "where it was tested"`."""

    name: Name
    value: Expr
    tested: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class Setting:
    name: Name
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class ProfileDecl:
    name: Name
    doc: Text | None
    settings: tuple[Setting, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class PauseDecl:
    """`pause between a and b`: lists of events on either side."""

    begins: tuple[Name, ...]
    ends: tuple[Name, ...]
    doc: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class EventDecl:
    names: tuple[Name, ...]
    requires: tuple[Name, ...]
    doc: Text | None
    span: Span


# --- machines ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StateDecl:
    """`initial|state|failure|final a, b within d requires f without reason "why" "doc"`."""

    kind: str
    names: tuple[Name, ...]
    within: Expr | None
    requires: tuple[Name, ...]
    without_reason: Text | None
    without_span: Span | None  # of `without reason`, also when its why is missing
    doc: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class GroupDecl:
    name: Name
    doc: Text | None
    members: tuple[StateDecl | GroupDecl, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Subject:
    """`m`, `m[k]` or `another m` in front of `enters`."""

    machine: Name
    index: tuple[Expr, ...] | None
    another: bool
    span: Span


@dataclass(frozen=True, slots=True)
class OnTrigger:
    events: tuple[Name, ...]
    machine: Name | None  # of `of`
    span: Span


@dataclass(frozen=True, slots=True)
class WhenTrigger:
    subject: Subject
    states: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class AfterTrigger:
    duration: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class AtTrigger:
    instant: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Require:
    condition: Expr
    doc: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class Remember:
    """`name = value`; the short form `name` has a Path to the field of that name as its value."""

    name: Name
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class TransitionDecl:
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


@dataclass(frozen=True, slots=True)
class IgnoreDecl:
    """`ignore a, b` inside a machine."""

    events: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class MachineDecl:
    name: Name
    keys: tuple[Name, ...]
    owners: tuple[Name, ...]
    doc: Text | None
    members: tuple[StateDecl | GroupDecl | TransitionDecl | IgnoreDecl, ...]
    span: Span


# --- rules -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EventAlternative:
    """`pong same n where c` in an `expect`; several names separated by commas are alternatives too."""

    events: tuple[Name, ...]
    same: tuple[Name, ...]
    where: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class StateAlternative:
    """`m in s` or `m[k] not in s` in an `expect`."""

    condition: In
    span: Span


@dataclass(frozen=True, slots=True)
class Expect:
    alternatives: tuple[EventAlternative | StateAlternative, ...]
    within: Expr | None
    every: Expr | None
    doc: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class AtMost:
    """`at most n per d` or `at most n while c`."""

    count: Expr
    per: Expr | None
    during: Expr | None
    doc: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class AlwaysPart:
    condition: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class OnPart:
    events: tuple[Name, ...]
    machine: Name | None
    where: Expr | None
    actions: tuple[Require | Expect | AtMost, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class WhenPart:
    subject: Subject
    states: tuple[Name, ...]
    where: Expr | None
    actions: tuple[Require | Expect, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class WhilePart:
    condition: Expr
    actions: tuple[Expect, ...]  # with `every`
    span: Span


@dataclass(frozen=True, slots=True)
class RuleDecl:
    """A rule has one or more parts."""

    name: Name
    doc: Text | None
    parts: tuple[AlwaysPart | OnPart | WhenPart | WhilePart, ...]
    span: Span


# --- bindings ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Column:
    """A column of `rows [...]`: a name, `x?`, `_` or `...`."""

    kind: str  # "name", "optional", "skip", "rest"
    name: Name | None
    span: Span


@dataclass(frozen=True, slots=True)
class Rows:
    columns: tuple[Column, ...]
    named_by: Path | None
    span: Span


@dataclass(frozen=True, slots=True)
class Each:
    """`each key: x in path`."""

    key: Name | None
    name: Name
    path: Path
    span: Span


@dataclass(frozen=True, slots=True)
class Read:
    container: str  # "json-lines", "json-seq", "json", "csv", "text"
    after: Text | None
    header_first: bool
    rows: Rows | None
    separated_by: Text | None
    each: tuple[Each, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Assign:
    """`part = value`; value None is `none`."""

    name: Name
    value: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Let:
    name: Name
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Match:
    path: Path
    template: Text
    span: Span


@dataclass(frozen=True, slots=True)
class FieldsFrom:
    paths: tuple[Path, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class RenamePair:
    """`old -> new`; Text sides are templates, new None is `none`."""

    old: Name | Text | NumberLit
    new: Name | Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class Rename:
    part: Name
    machines: tuple[Name, ...]  # of `of`
    pairs: tuple[RenamePair, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class With:
    name: Name
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Emit:
    """`emit E of M from A to B by O with f = v`; `status` is true for `in B`."""

    name: Name | Text
    machine: Name | None
    source: Expr | None
    target: Expr | None
    status: bool
    owner: Expr | None
    fields: tuple[With, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class SameSession:
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class MarkSession:
    kind: str  # "begins" or "ends"
    span: Span


@dataclass(frozen=True, slots=True)
class OnClause:
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


@dataclass(frozen=True, slots=True)
class Ignore:
    """`ignore any [except ..]`, `ignore machines a`, `ignore NAMES`, each with `where`."""

    kind: str  # "any", "machines", "names", "where"
    names: tuple[Name | Text, ...]  # of `any`: the exceptions
    where: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Lacks:
    kind: str  # "events", "fields", "machines", "owners"
    every: bool  # `any`
    excepted: bool  # `any except NAMES`
    names: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Order:
    by: Path
    start: NumberLit | None
    within: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class ClockPer:
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class UniqueBy:
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Recording:
    kind: str  # "whole", "sampled", "cut"
    ends: tuple[Name, ...]  # of `cut at`: start, end
    span: Span


@dataclass(frozen=True, slots=True)
class Allow:
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


@dataclass(frozen=True, slots=True)
class BindingDecl:
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


@dataclass(frozen=True, slots=True)
class Ast:
    """One text, parsed. `declarations` are in the order of the text; broken ones are left out."""

    source: str  # the name of the Source
    declarations: tuple[Declaration, ...]
