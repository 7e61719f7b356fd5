"""What a specification means once every name is resolved. Owns shapes; decides nothing.

A Model has no unresolved names, ever. Durations and instants are integer nanoseconds. Every part that
can be broken carries the span of its text, and everything is in the order of declaration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from lifespec.model.value import Type
from lifespec.source import Source, Span
from lifespec.syntax import ast
from lifespec.verdict import Property

# --- expressions -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant. `value` is int or float (number), int of ns (duration), str or bool. `param` is the
    name of the parameter it came from, if it came from one."""

    value: int | float | str | bool
    type: Type
    span: Span
    param: str | None = None


@dataclass(frozen=True, slots=True)
class FieldRef:
    """A bare name: a field of the event of this step."""

    name: str
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class EventAttribute:
    """`time` (INSTANT), `owner` or `event` (TEXT) of the event of this step."""

    name: str
    type: Type
    span: Span


class Whose(StrEnum):
    """Which instance a machine's name means where it stands."""

    PLAIN = "plain"  # the one instance of a machine without keys
    SELF = "self"  # the instance that the transition moves
    ITEM = "item"  # the one looked at in an aggregate
    CONCERNED = "concerned"  # the one a `when` or `while` rule is about
    INDEXED = "indexed"  # the one whose key the index gives


@dataclass(frozen=True, slots=True)
class InstanceRef:
    """An instance of `machine`; `index` has one expression per key when `whose` is INDEXED."""

    machine: str
    whose: Whose
    index: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class MemoryRef:
    """A dotted name: what an instance remembers under `name`."""

    instance: InstanceRef
    name: str
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class KeyRef:
    """A dotted name: the part `name` of an instance's key; `position` is its place in the key."""

    instance: InstanceRef
    name: str
    position: int
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Membership:
    """`m in s`, `m[k] not in s`; groups are expanded into states."""

    instance: InstanceRef
    states: frozenset[str]
    negated: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Choice:
    """`x in a, b`: equal to one of the values."""

    operand: Expr
    values: tuple[Literal, ...]
    negated: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Like:
    """`x like "pattern"`: RE2, the whole value."""

    operand: Expr
    pattern: str
    span: Span


@dataclass(frozen=True, slots=True)
class Has:
    """`has x`: always known."""

    operand: FieldRef | MemoryRef | KeyRef | EventAttribute
    span: Span


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`count`, `sum`, `min`, `max` over the instances of `machine` in `states`. Inside `value` and
    `where` the instance looked at is `Whose.ITEM`. `value` is None for count."""

    op: str
    machine: str
    states: frozenset[str]
    value: MemoryRef | KeyRef | None
    where: Expr | None
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Comparison:
    """`==`, `!=`, `<`, `<=`, `>`, `>=`."""

    op: str
    left: Expr
    right: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`+ - * /`; `type` is that of the result."""

    op: str
    left: Expr
    right: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Negative:
    operand: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Not:
    operand: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class And:
    operands: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Or:
    operands: tuple[Expr, ...]
    span: Span


Expr = (
    Literal
    | FieldRef
    | EventAttribute
    | MemoryRef
    | KeyRef
    | Membership
    | Choice
    | Like
    | Has
    | Aggregate
    | Comparison
    | Arithmetic
    | Negative
    | Not
    | And
    | Or
)


# --- declarations ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Owner:
    name: str
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A declared field. `minimum` and the like are in the field's own unit (ns for times)."""

    name: str
    type: Type
    values: tuple[str, ...]  # of `one of`
    bounds: tuple[tuple[str, int | float], ...]  # (">=", 1)
    like: str | None
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Forbid:
    """`builtin` is email, token or ip, else None and `pattern` is the author's own (RE2, found anywhere)."""

    name: str
    builtin: str | None
    pattern: str | None
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Param:
    """`value` is the one of the chosen profile; `tested` says where it was tested; `uses` are the places
    that read it, profiles not counted."""

    name: str
    value: int | float | str | bool
    type: Type
    written: str  # as the text has it, for people: "10s"
    tested: str | None
    span: Span
    uses: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Profile:
    name: str
    doc: str | None
    params: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Pause:
    begins: tuple[str, ...]
    ends: tuple[str, ...]
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class EventSpec:
    """`event NAME requires f`: fields owed whatever the state."""

    name: str
    requires: tuple[str, ...]
    doc: str | None
    span: Span


class StateKind(StrEnum):
    INITIAL = "initial"
    STATE = "state"
    FAILURE = "failure"
    FINAL = "final"


@dataclass(frozen=True, slots=True)
class State:
    """`requires` holds what every record that enters the state owes: for a failure state `reason` is
    among them unless it is waived. `groups` are the names of the groups around it, outermost first."""

    name: str
    kind: StateKind
    within_ns: int | None
    within_written: str | None  # "opening" or "10s", for people
    within_span: Span | None
    requires: tuple[str, ...]
    waived_why: str | None  # `without reason "why"`; "" when the why is missing
    groups: tuple[str, ...]
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Group:
    """A named set of states; `states` includes those of inner groups."""

    name: str
    parent: str | None
    states: frozenset[str]
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class EnterSet:
    """What `enters NAME` looks for: a state entered, or a group entered from outside of it."""

    name: str
    states: frozenset[str]
    is_group: bool


@dataclass(frozen=True, slots=True)
class On:
    """On one of `events`; `of` is the other machine whose event it is, if said."""

    events: tuple[str, ...]
    of: str | None


@dataclass(frozen=True, slots=True)
class When:
    """When an instance of `machine` enters. `another`: any but the own one; `index`: the one with that
    key, written with names of the own instance; neither: any instance."""

    machine: str
    another: bool
    index: tuple[Expr, ...]
    enters: tuple[EnterSet, ...]


@dataclass(frozen=True, slots=True)
class After:
    ns: int
    written: str


@dataclass(frozen=True, slots=True)
class At:
    """At the instant that `value`, a memory of the own instance, says."""

    value: Expr


Trigger = On | When | After | At


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition that is judged; `text` is how it was written."""

    condition: Expr
    text: str
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Assignment:
    name: str
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Transition:
    """One declaration of a transition.

    `sources` are the states it leaves, in order of declaration, with `any` and groups expanded (a
    target is never among the sources that `any` gave). `targets` is empty for one that stays (an
    internal transition), has one member with a trigger, and may have several without one.
    `owners` are those allowed: of `by`, else of the machine, else empty (anyone).
    `requires` are the fields written at the transition (the target state's come on top).
    """

    index: int  # place in Machine.transitions, from 0
    machine: str
    sources: tuple[str, ...]
    from_any: bool
    targets: tuple[str, ...]
    trigger: Trigger | None
    where: Expr | None
    owners: tuple[str, ...]
    requires: tuple[str, ...]
    require: tuple[Requirement, ...]
    remember: tuple[Assignment, ...]
    doc: str | None
    text: str  # as written, white space folded
    span: Span

    @property
    def stays(self) -> bool:
        return not self.targets


@dataclass(frozen=True, slots=True)
class Machine:
    name: str
    keys: tuple[str, ...]
    owners: tuple[str, ...]
    initial: str
    states: Mapping[str, State]
    groups: Mapping[str, Group]
    transitions: tuple[Transition, ...]
    ignored: frozenset[str]  # events of `ignore`
    memories: Mapping[str, Type]  # what its instances may remember
    doc: str | None
    span: Span

    @property
    def finals(self) -> frozenset[str]:
        return frozenset(s.name for s in self.states.values() if s.kind is StateKind.FINAL)


# --- rules -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EventAnswer:
    """One of `events`, equal in `same` to the event that asked, and `where` on the answer's own fields."""

    events: tuple[str, ...]
    same: tuple[str, ...]
    where: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class StateAnswer:
    condition: Membership
    span: Span


Answer = EventAnswer | StateAnswer


@dataclass(frozen=True, slots=True)
class Expect:
    """An answer owed within `ns` of the step that asked."""

    answers: tuple[Answer, ...]
    ns: int
    text: str
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Every:
    """A sign of life owed at least every `ns` while the condition holds."""

    answers: tuple[EventAnswer, ...]
    ns: int
    text: str
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class AtMostPer:
    count: int
    ns: int
    text: str
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class AtMostWhile:
    count: int
    during: Expr
    text: str
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class AlwaysPart:
    condition: Expr
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class OnPart:
    """Judged for every event of one of `events` (with `of`: as taken by that machine) where `where`."""

    events: tuple[str, ...]
    of: str | None
    where: Expr | None
    actions: tuple[Requirement | Expect | AtMostPer | AtMostWhile, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class WhenPart:
    """Judged for every certain entry of an instance of `machine`; without an index that instance is the
    one concerned (also for a plain machine)."""

    machine: str
    index: tuple[Expr, ...]
    enters: tuple[EnterSet, ...]
    where: Expr | None
    actions: tuple[Requirement | Expect, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class WhilePart:
    """`concerned` names the keyed machine that the condition is about, if there is one: then it is
    judged for each of its instances on its own."""

    condition: Expr
    concerned: str | None
    actions: tuple[Every, ...]
    text: str
    span: Span


RulePart = AlwaysPart | OnPart | WhenPart | WhilePart


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    doc: str | None
    parts: tuple[RulePart, ...]
    span: Span


# --- bindings ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Binding:
    """A binding with `extends` worked in: its statements in the order in which they count, those of the
    extended binding that were replaced left out. What they mean is `trace.binding`'s to know."""

    name: str
    lifecycle: str | None
    doc: str | None
    statements: tuple[ast.Statement, ...]
    span: Span


# --- the whole ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A lifecycle, resolved."""

    name: str
    version: str | None
    doc: str | None
    owners: Mapping[str, Owner]
    fields: Mapping[str, FieldSpec]
    forbids: tuple[Forbid, ...]
    params: Mapping[str, Param]
    profiles: Mapping[str, Profile]
    profile: str | None  # the one chosen
    pauses: tuple[Pause, ...]
    events: Mapping[str, EventSpec]
    machines: Mapping[str, Machine]
    rules: tuple[Rule, ...]
    bindings: Mapping[str, Binding]
    sources: Mapping[str, Source] = field(repr=False)  # by name: the text and its imports
    span: Span

    def properties(self) -> tuple[Property, ...]:
        """Every checkable statement, in the order in which reports list them."""
        found: list[Property] = []
        for machine in self.machines.values():
            found.append(Property("transitions", machine.name))
            found += [
                Property("bound", machine.name, s.name) for s in machine.states.values() if s.within_ns is not None
            ]
        found += [Property("rule", rule.name) for rule in self.rules]
        found += [Property("event", event.name) for event in self.events.values() if event.requires]
        found += [Property("field", name) for name in self.fields]
        found += [Property("forbid", forbid.name) for forbid in self.forbids]
        return tuple(found)
