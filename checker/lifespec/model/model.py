"""What a specification means once every name is resolved. Owns shapes; decides nothing.

A Model has no unresolved names, ever. Durations and instants are integer nanoseconds. Every part that
can be broken carries the span of its text, and everything is in the order of declaration. The shapes are Structs
for the reason given in `syntax.ast`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from lifespec.model.value import Type
from lifespec.source import Source, Span
from lifespec.syntax import ast

if TYPE_CHECKING:
    from lifespec.verdict import Property

# --- expressions -------------------------------------------------------------------------------------


class Literal(Struct, frozen=True):
    """A constant. `value` is int or float (number), int of ns (duration), str or bool. `param` is the
    name of the parameter it came from, if it came from one."""

    value: int | float | str | bool
    type: Type
    span: Span
    param: str | None = None


class FieldRef(Struct, frozen=True):
    """A bare name: a field of the event of this step."""

    name: str
    type: Type
    span: Span


class EventAttribute(Struct, frozen=True):
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


class InstanceRef(Struct, frozen=True):
    """An instance of `machine`; `index` has one expression per key when `whose` is INDEXED."""

    machine: str
    whose: Whose
    index: tuple[Expr, ...]
    span: Span


class MemoryRef(Struct, frozen=True):
    """A dotted name: what an instance remembers under `name`."""

    instance: InstanceRef
    name: str
    type: Type
    span: Span


class KeyRef(Struct, frozen=True):
    """A dotted name: the part `name` of an instance's key; `position` is its place in the key."""

    instance: InstanceRef
    name: str
    position: int
    type: Type
    span: Span


class Membership(Struct, frozen=True):
    """`m in s`, `m[k] not in s`; groups are expanded into states."""

    instance: InstanceRef
    states: frozenset[str]
    negated: bool
    span: Span


class Choice(Struct, frozen=True):
    """`x in a, b`: equal to one of the values."""

    operand: Expr
    values: tuple[Literal, ...]
    negated: bool
    span: Span


class Like(Struct, frozen=True):
    """`x like "pattern"`: RE2, the whole value."""

    operand: Expr
    pattern: str
    span: Span


class Has(Struct, frozen=True):
    """`has x`: always known."""

    operand: FieldRef | MemoryRef | KeyRef | EventAttribute
    span: Span


class Aggregate(Struct, frozen=True):
    """`count`, `sum`, `min`, `max` over the instances of `machine` in `states`. Inside `value` and
    `where` the instance looked at is `Whose.ITEM`. `value` is None for count."""

    op: str
    machine: str
    states: frozenset[str]
    value: MemoryRef | KeyRef | None
    where: Expr | None
    type: Type
    span: Span


class Comparison(Struct, frozen=True):
    """`==`, `!=`, `<`, `<=`, `>`, `>=`."""

    op: str
    left: Expr
    right: Expr
    span: Span


class Arithmetic(Struct, frozen=True):
    """`+ - * /`; `type` is that of the result."""

    op: str
    left: Expr
    right: Expr
    type: Type
    span: Span


class Negative(Struct, frozen=True):
    operand: Expr
    type: Type
    span: Span


class Not(Struct, frozen=True):
    operand: Expr
    span: Span


class And(Struct, frozen=True):
    operands: tuple[Expr, ...]
    span: Span


class Or(Struct, frozen=True):
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


class Owner(Struct, frozen=True):
    name: str
    doc: str | None
    span: Span


class FieldSpec(Struct, frozen=True):
    """A declared field. `minimum` and the like are in the field's own unit (ns for times)."""

    name: str
    type: Type
    values: tuple[str, ...]  # of `one of`
    bounds: tuple[tuple[str, int | float], ...]  # (">=", 1)
    like: str | None
    doc: str | None
    span: Span


class Forbid(Struct, frozen=True):
    """`builtin` is email, token or ip, else None and `pattern` is the author's own (RE2, found anywhere)."""

    name: str
    builtin: str | None
    pattern: str | None
    doc: str | None
    span: Span


class Param(Struct, frozen=True):
    """`value` is the one of the chosen profile; `tested` says where it was tested; `uses` are the places
    that read it, profiles not counted."""

    name: str
    value: int | float | str | bool
    type: Type
    written: str  # as the text has it, for people: "10s"
    tested: str | None
    span: Span
    uses: tuple[Span, ...] = ()


class Profile(Struct, frozen=True):
    name: str
    doc: str | None
    params: tuple[str, ...]
    span: Span


class Pause(Struct, frozen=True):
    begins: tuple[str, ...]
    ends: tuple[str, ...]
    doc: str | None
    span: Span


class EventSpec(Struct, frozen=True):
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


class State(Struct, frozen=True):
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


class Group(Struct, frozen=True):
    """A named set of states; `states` includes those of inner groups."""

    name: str
    parent: str | None
    states: frozenset[str]
    doc: str | None
    span: Span


class EnterSet(Struct, frozen=True):
    """What `enters NAME` looks for: a state entered, or a group entered from outside of it."""

    name: str
    states: frozenset[str]
    is_group: bool


class On(Struct, frozen=True):
    """On one of `events`; `of` is the other machine whose event it is, if said."""

    events: tuple[str, ...]
    of: str | None


class When(Struct, frozen=True):
    """When an instance of `machine` enters. `another`: any but the own one; `index`: the one with that
    key, written with names of the own instance; neither: any instance."""

    machine: str
    another: bool
    index: tuple[Expr, ...]
    enters: tuple[EnterSet, ...]


class After(Struct, frozen=True):
    ns: int
    written: str


class At(Struct, frozen=True):
    """At the instant that `value`, a memory of the own instance, says."""

    value: Expr


Trigger = On | When | After | At


class Requirement(Struct, frozen=True):
    """A condition that is judged; `text` is how it was written."""

    condition: Expr
    text: str
    doc: str | None
    span: Span


class Assignment(Struct, frozen=True):
    name: str
    value: Expr
    span: Span


class Transition(Struct, frozen=True):
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


class Machine(Struct, frozen=True):
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


class EventAnswer(Struct, frozen=True):
    """One of `events`, equal in `same` to the event that asked, and `where` on the answer's own fields."""

    events: tuple[str, ...]
    same: tuple[str, ...]
    where: Expr | None
    span: Span


class StateAnswer(Struct, frozen=True):
    condition: Membership
    span: Span


Answer = EventAnswer | StateAnswer


class Expect(Struct, frozen=True):
    """An answer owed within `ns` of the step that asked."""

    answers: tuple[Answer, ...]
    ns: int
    text: str
    doc: str | None
    span: Span


class Every(Struct, frozen=True):
    """A sign of life owed at least every `ns` while the condition holds."""

    answers: tuple[EventAnswer, ...]
    ns: int
    text: str
    doc: str | None
    span: Span


class AtMostPer(Struct, frozen=True):
    count: int
    ns: int
    text: str
    doc: str | None
    span: Span


class AtMostWhile(Struct, frozen=True):
    count: int
    during: Expr
    text: str
    doc: str | None
    span: Span


class AlwaysPart(Struct, frozen=True):
    condition: Expr
    text: str
    span: Span


class OnPart(Struct, frozen=True):
    """Judged for every event of one of `events` (with `of`: as taken by that machine) where `where`."""

    events: tuple[str, ...]
    of: str | None
    where: Expr | None
    actions: tuple[Requirement | Expect | AtMostPer | AtMostWhile, ...]
    span: Span


class WhenPart(Struct, frozen=True):
    """Judged for every certain entry of an instance of `machine`; without an index that instance is the
    one concerned (also for a plain machine)."""

    machine: str
    index: tuple[Expr, ...]
    enters: tuple[EnterSet, ...]
    where: Expr | None
    actions: tuple[Requirement | Expect, ...]
    span: Span


class WhilePart(Struct, frozen=True):
    """`concerned` names the keyed machine that the condition is about, if there is one: then it is
    judged for each of its instances on its own."""

    condition: Expr
    concerned: str | None
    actions: tuple[Every, ...]
    text: str
    span: Span


RulePart = AlwaysPart | OnPart | WhenPart | WhilePart


class Rule(Struct, frozen=True):
    name: str
    doc: str | None
    parts: tuple[RulePart, ...]
    span: Span


# --- bindings ----------------------------------------------------------------------------------------


class Binding(Struct, frozen=True):
    """A binding with `extends` worked in: its statements in the order in which they count, those of the
    extended binding that were replaced left out. What they mean is `trace.binding`'s to know."""

    name: str
    lifecycle: str | None
    doc: str | None
    statements: tuple[ast.Statement, ...]
    span: Span


# --- the whole ---------------------------------------------------------------------------------------


class Model(Struct, frozen=True, eq=False):
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
    sources: Mapping[str, Source]  # by name: the text and its imports
    span: Span

    def __repr__(self) -> str:
        return f"Model({self.name!r})"

    def properties(self) -> tuple[Property, ...]:
        """Every checkable statement, in the order in which reports list them."""
        from lifespec.verdict import Property  # what only draws or lints does without it

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
