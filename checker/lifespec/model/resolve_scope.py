"""What is declared where: the names that the rest of a text may use.

Owns the first look over all declarations: doubly declared names, states and groups of machines, who knows
which event, parameters. Looks into no expression but constants.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from lifespec.diagnostics import Label
from lifespec.model.resolve_constant import Constant
from lifespec.model.resolve_finding import Findings, quoted
from lifespec.model.value import Type
from lifespec.source import Span
from lifespec.syntax import ast

# Parts of an event that a record gives beside its fields; `session` and `machine` are never seen by a rule.
EVENT_PARTS = ("time", "session", "machine", "event", "from", "to", "owner")
MOST_EXPANDED = 1_000_000  # states that all groups, lists and `any` together may stand for
EVENT_ATTRIBUTES = {"time": Type.INSTANT, "owner": Type.TEXT, "event": Type.TEXT}


def text_of(text: ast.Text | None) -> str | None:
    """The text without its place; None stays None."""
    return None if text is None else text.value


@dataclass(slots=True)
class GroupScope:
    decl: ast.GroupDecl
    name: ast.Name
    parent: str | None
    states: dict[str, None] = field(default_factory=dict)  # in order of declaration, inner groups included


@dataclass(slots=True)
class StateScope:
    decl: ast.StateDecl
    name: ast.Name
    groups: tuple[str, ...]

    @property
    def is_final(self) -> bool:
        return self.decl.kind == "final"


@dataclass(slots=True)
class MemoryScope:
    """A remembered name of a machine. `type` is None until it is known, and stays so when it cannot be."""

    span: Span
    type: Type | None = None
    untyped: str | None = None  # the undeclared field that makes the type ANY


@dataclass(slots=True)
class MachineScope:
    decl: ast.MachineDecl
    name: str
    keys: dict[str, Span] = field(default_factory=dict)
    states: dict[str, StateScope] = field(default_factory=dict)
    groups: dict[str, GroupScope] = field(default_factory=dict)
    memories: dict[str, MemoryScope] = field(default_factory=dict)
    events: dict[str, Span] = field(default_factory=dict)  # of an `on` without `of`
    ignored: dict[str, Span] = field(default_factory=dict)
    borrowed: dict[str, Span] = field(default_factory=dict)  # of an `on` with `of`
    _positions: dict[str, int] = field(default_factory=dict)

    @property
    def is_keyed(self) -> bool:
        return bool(self.decl.keys)

    def position(self, key: str) -> int:
        """The place of a key in the whole key, from 0."""
        if len(self._positions) != len(self.keys):
            self._positions = {name: place for place, name in enumerate(self.keys)}
        return self._positions[key]

    def knows(self, event: str) -> bool:
        return event in self.events or event in self.ignored

    def expand(self, name: str) -> Collection[str] | None:
        """The states that `name` stands for; None when it is neither a state nor a group."""
        if name in self.states:
            return (name,)
        group = self.groups.get(name)
        return None if group is None else group.states.keys()


@dataclass(slots=True)
class Scope:
    """All declared names. What was declared wrongly is still declared: its uses stay silent."""

    findings: Findings
    lifecycles: list[tuple[bool, ast.Lifecycle]] = field(default_factory=list)  # (of the main text, header)
    owners: dict[str, tuple[ast.Name, ast.OwnerDecl]] = field(default_factory=dict)
    fields: dict[str, tuple[ast.Name, ast.FieldDecl]] = field(default_factory=dict)
    field_types: dict[str, Type] = field(default_factory=dict)
    field_values: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of `one of`
    forbids: dict[str, tuple[ast.ForbidItem, ast.ForbidDecl]] = field(default_factory=dict)
    params: dict[str, ast.ParamDecl] = field(default_factory=dict)
    constants: dict[str, Constant | None] = field(default_factory=dict)  # of the chosen profile
    param_uses: dict[str, dict[Span, None]] = field(default_factory=dict)
    profiles: dict[str, ast.ProfileDecl] = field(default_factory=dict)
    pauses: list[ast.PauseDecl] = field(default_factory=list)
    events: dict[str, tuple[ast.Name, ast.EventDecl]] = field(default_factory=dict)
    machines: dict[str, MachineScope] = field(default_factory=dict)
    rules: dict[str, ast.RuleDecl] = field(default_factory=dict)
    bindings: dict[str, ast.BindingDecl] = field(default_factory=dict)
    expanded: int = 0
    named_fields: dict[str, None] = field(default_factory=dict)  # declared, required, read, or a key

    def param(self, name: str, span: Span) -> Constant | None:
        """The value of a declared parameter, read at `span`; None when its own declaration is wrong."""
        self.param_uses.setdefault(name, {})[span] = None
        return self.constants.get(name)

    def may_expand(self, count: int, span: Span) -> bool:
        """Whether `count` more states may be written out; a finding, once, when that grows beyond all measure."""
        before, self.expanded = self.expanded, self.expanded + count
        if before <= MOST_EXPANDED < self.expanded:
            self.findings.add(
                "text-too-large",
                "groups, lists and `any` stand for too many states",
                span,
                f"more than {MOST_EXPANDED} together",
                help=["part the machines, or name fewer states"],
            )
        return self.expanded <= MOST_EXPANDED

    def handled(self) -> dict[str, None]:
        """The events that a machine takes or ignores, or that an `event` declares."""
        known: dict[str, None] = {}
        for machine in self.machines.values():
            known.update(dict.fromkeys(machine.events))
            known.update(dict.fromkeys(machine.ignored))
        known.update(dict.fromkeys(self.events))
        return known

    def unknown_machine(self, name: ast.Name | str, span: Span) -> None:
        text = name.text if isinstance(name, ast.Name) else name
        if self.findings.may_be_declared(text):
            return
        self.findings.add(
            "unknown-machine",
            f"no machine `{text}`",
            span,
            "not a declared machine",
            notes=[f"the machines are {quoted(self.machines)}" if self.machines else "no machine is declared"],
            help=[self.findings.did_you_mean(text, self.machines)],
            cause=("machine", text),
        )

    def unknown_state(self, machine: MachineScope, name: str, span: Span) -> None:
        findings = self.findings
        if not machine.states:
            return  # the machine without states is the finding
        first = next(iter(machine.states.values()))
        elsewhere = [other.name for other in self.machines.values() if other is not machine and name in other.states]
        findings.add(
            "unknown-state",
            f"machine `{machine.name}` has no state `{name}`",
            span,
            "not one of its states",
            notes=[
                f"its states are {quoted(machine.states)} ({findings.line(first.name.span)})",
                f"its groups are {quoted(machine.groups)}" if machine.groups else "",
                f"`{name}` is a state of {quoted(elsewhere)}" if elsewhere else "",
            ],
            help=[findings.did_you_mean(name, [*machine.states, *machine.groups])],
            cause=("state", machine.name, name),
        )

    def states_of(self, machine: MachineScope, names: Sequence[ast.Name]) -> frozenset[str] | None:
        """The states that `names` stand for, groups expanded; None after a finding."""
        states: set[str] = set()
        good = True
        for name in names:
            expanded = machine.expand(name.text)
            if expanded is None:
                self.unknown_state(machine, name.text, name.span)
                good = False
            else:
                good = self.may_expand(len(expanded), name.span) and good
                if good:
                    states.update(expanded)
        return frozenset(states) if good else None

    def unknown_owner(self, name: ast.Name) -> None:
        if self.findings.may_be_declared(name.text):
            return
        self.findings.add(
            "unknown-owner",
            f"no owner `{name.text}`",
            name.span,
            "not a declared owner",
            notes=[f"the owners are {quoted(self.owners)}" if self.owners else "no owner is declared"],
            help=[
                self.findings.did_you_mean(name.text, self.owners)
                or f'declare `owner {name.text} "WHO IT IS"` to make it one'
            ],
            cause=("owner", name.text),
        )

    def owners_of(self, names: Sequence[ast.Name]) -> tuple[str, ...]:
        """The declared owners among `names`; the others are findings."""
        known: dict[str, None] = {}
        for name in names:
            if name.text not in self.owners:
                self.unknown_owner(name)
            elif name.text in known:
                self.twice("owner", name, None)
            else:
                known[name.text] = None
        return tuple(known)

    def required_fields(self, names: Sequence[ast.Name]) -> tuple[str, ...]:
        """The fields that a `requires` names; undeclared ones are fine."""
        known: dict[str, None] = {}
        for name in names:
            if name.text in EVENT_PARTS:
                action = "say who may cause the event with `by`" if name.text == "owner" else ""
                self.findings.add(
                    "part-as-field",
                    f"`{name.text}` is a part of every event, not a field",
                    name.span,
                    "no field",
                    help=[action],
                )
            elif name.text in known:
                self.twice("field", name, None)
            else:
                known[name.text] = None
        self.named_fields.update(known)
        return tuple(known)

    def twice(self, kind: str, name: ast.Name, first: Span | None, where: str = "") -> None:
        findings = self.findings
        labels = [] if first is None else [Label(first, "declared here first")]
        note = "" if first is None else f"`{name.text}` is declared first in {findings.line(first)}"
        verb = "stands" if first is None else "is declared"
        findings.add(
            "duplicate-name",
            f"{kind} `{name.text}` {verb} twice{where}",
            name.span,
            "the second time",
            labels=labels,
            notes=[note],
            help=["take one of them away" if first is None else "rename one of them, or take it away"],
        )


def collect(units: Sequence[ast.Ast], findings: Findings) -> Scope:
    """The names that the texts declare; the first text is the main one."""
    scope = Scope(findings)
    for index, unit in enumerate(units):
        for declaration in unit.declarations:
            _collect_one(scope, declaration, index == 0)
    for name, decl in scope.params.items():
        if name in scope.fields:
            findings.add(
                "hidden-field",
                f"parameter `{name}` hides the field of the same name",
                decl.name.span,
                "a bare name means the parameter",
                labels=[Label(scope.fields[name][0].span, "the field that cannot be read")],
                help=["rename the parameter"],
            )
    return scope


def _collect_one(scope: Scope, declaration: ast.Declaration, is_main: bool) -> None:
    twice = scope.twice
    match declaration:
        case ast.Lifecycle():
            scope.lifecycles.append((is_main, declaration))
        case ast.OwnerDecl(names=names):
            for name in names:
                if name.text in scope.owners:
                    twice("owner", name, scope.owners[name.text][0].span)
                else:
                    scope.owners[name.text] = (name, declaration)
        case ast.FieldDecl(names=names):
            for name in names:
                if name.text in EVENT_PARTS:
                    _reserved(scope, "field", name)
                elif name.text in scope.fields:
                    twice("field", name, scope.fields[name.text][0].span)
                else:
                    scope.fields[name.text] = (name, declaration)
                    scope.named_fields[name.text] = None
        case ast.ForbidDecl(items=items):
            for item in items:
                if item.name.text in scope.forbids:
                    twice("forbidden value", item.name, scope.forbids[item.name.text][0].name.span)
                else:
                    scope.forbids[item.name.text] = (item, declaration)
        case ast.ParamDecl(name=name):
            if name.text in EVENT_ATTRIBUTES:
                _reserved(scope, "parameter", name)
            elif name.text in scope.params:
                twice("parameter", name, scope.params[name.text].name.span)
            else:
                scope.params[name.text] = declaration
        case ast.ProfileDecl(name=name):
            if name.text in scope.profiles:
                twice("profile", name, scope.profiles[name.text].name.span)
            else:
                scope.profiles[name.text] = declaration
        case ast.PauseDecl():
            scope.pauses.append(declaration)
        case ast.EventDecl(names=names):
            for name in names:
                if name.text in scope.events:
                    twice("event", name, scope.events[name.text][0].span)
                else:
                    scope.events[name.text] = (name, declaration)
        case ast.MachineDecl(name=name):
            if name.text in scope.machines:
                twice("machine", name, scope.machines[name.text].decl.name.span)
            else:
                scope.machines[name.text] = _collect_machine(scope, declaration)
        case ast.RuleDecl(name=name):
            if name.text in scope.rules:
                twice("rule", name, scope.rules[name.text].name.span)
            else:
                scope.rules[name.text] = declaration
        case ast.BindingDecl(name=name):
            if name.text in scope.bindings:
                twice("binding", name, scope.bindings[name.text].name.span)
            else:
                scope.bindings[name.text] = declaration
        case ast.Import():
            pass  # followed by whoever reads files


def _reserved(scope: Scope, kind: str, name: ast.Name) -> None:
    scope.findings.add(
        "part-as-field",
        f"`{name.text}` is a part of every event and cannot be declared as a {kind}",
        name.span,
        "means the event's own",
        notes=[f"the parts of an event are {quoted(EVENT_PARTS)}"],
        help=[f"name the {kind} otherwise"],
    )


def _collect_machine(scope: Scope, decl: ast.MachineDecl) -> MachineScope:
    machine = MachineScope(decl, decl.name.text)
    where = f" in machine `{machine.name}`"
    for key in decl.keys:
        if key.text in EVENT_PARTS:
            _reserved(scope, "key", key)
        elif key.text in machine.keys:
            scope.twice("key", key, machine.keys[key.text], where)
        else:
            machine.keys[key.text] = key.span
            scope.named_fields[key.text] = None
    for member, groups in _members(decl.members):
        match member:
            case ast.GroupDecl(name=name):
                taken = _taken(machine, name.text)
                if taken is not None:
                    scope.twice("group", name, taken, where)
                else:
                    machine.groups[name.text] = GroupScope(member, name, groups[-1] if groups else None)
            case ast.StateDecl(names=names):
                for name in names:
                    taken = _taken(machine, name.text)
                    if taken is not None:
                        scope.twice("state", name, taken, where)
                        continue
                    machine.states[name.text] = StateScope(member, name, groups)
                    for group in groups:
                        if group in machine.groups:
                            machine.groups[group].states[name.text] = None
            case ast.IgnoreDecl(events=events):
                for event in events:
                    if event.text in machine.ignored:
                        scope.twice("ignored event", event, machine.ignored[event.text], where)
                    machine.ignored.setdefault(event.text, event.span)
            case ast.TransitionDecl():
                _collect_transition(scope, machine, member)
    return machine


def _collect_transition(scope: Scope, machine: MachineScope, decl: ast.TransitionDecl) -> None:
    if isinstance(decl.trigger, ast.OnTrigger):
        seen: set[str] = set()
        for event in decl.trigger.events:
            if event.text in seen:
                scope.twice("event", event, None)
            seen.add(event.text)
            table = machine.events if decl.trigger.machine is None else machine.borrowed
            table.setdefault(event.text, event.span)
    set_here: dict[str, Span] = {}
    for remember in decl.remember:
        name = remember.name
        if name.text in machine.keys:
            scope.findings.add(
                "duplicate-name",
                f"`{name.text}` is a key of machine `{machine.name}` and cannot be remembered as well",
                name.span,
                "already the key",
                labels=[Label(machine.keys[name.text], "the key")],
                help=[f"remember it under another name, or leave it: `{machine.name}.{name.text}` reads the key"],
            )
        elif name.text in set_here:
            scope.twice("remembered value", name, set_here[name.text], " in one transition")
        else:
            machine.memories.setdefault(name.text, MemoryScope(name.span))
        set_here.setdefault(name.text, name.span)


def _taken(machine: MachineScope, name: str) -> Span | None:
    if name in machine.states:
        return machine.states[name].name.span
    return machine.groups[name].name.span if name in machine.groups else None


_Member = ast.StateDecl | ast.GroupDecl | ast.TransitionDecl | ast.IgnoreDecl


def _members(members: Sequence[_Member]) -> Iterator[tuple[_Member, tuple[str, ...]]]:
    """All members with the names of the groups around them, groups before what they hold."""
    open_lists: list[tuple[Iterator[_Member], tuple[str, ...]]] = [(iter(members), ())]
    while open_lists:
        rest, groups = open_lists[-1]
        member = next(rest, None)
        if member is None:
            open_lists.pop()
            continue
        yield member, groups
        if isinstance(member, ast.GroupDecl):
            open_lists.append((iter(member.members), (*groups, member.name.text)))
