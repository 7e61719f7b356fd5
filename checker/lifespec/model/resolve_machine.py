"""One machine: its states and groups. Owns what may be said of a state; transitions are next door."""

from __future__ import annotations

from lifespec.diagnostics import Label
from lifespec.model import model as m
from lifespec.model.resolve_constant import Constants
from lifespec.model.resolve_expr import Expressions
from lifespec.model.resolve_finding import Findings, quoted
from lifespec.model.resolve_scope import MachineScope, Scope, StateScope, text_of
from lifespec.model.resolve_transition import Transitions
from lifespec.model.value import Type
from lifespec.syntax import ast


def resolve_machine(
    scope: Scope, machine: MachineScope, expressions: Expressions, constants: Constants
) -> m.Machine | None:
    """The machine with every name resolved; None when it has no initial state (a finding says so)."""
    decl, findings = machine.decl, scope.findings
    owners = scope.owners_of(decl.owners)
    states = _states(scope, machine, constants)
    _check_groups(machine, findings)
    initial = _initial(machine, findings)
    transitions = Transitions(scope, machine, owners, expressions, constants).resolve()
    if initial is None:
        return None
    return m.Machine(
        name=machine.name,
        keys=tuple(machine.keys),
        owners=owners,
        initial=initial,
        states=states,
        groups={
            group.name.text: m.Group(
                group.name.text, group.parent, frozenset(group.states), text_of(group.decl.doc), group.decl.span
            )
            for group in machine.groups.values()
        },
        transitions=transitions,
        ignored=frozenset(machine.ignored),
        memories={name: memory.type or Type.ANY for name, memory in machine.memories.items()},
        doc=text_of(decl.doc),
        span=decl.span,
    )


def _initial(machine: MachineScope, findings: Findings) -> str | None:
    initials = [state for state in machine.states.values() if state.decl.kind == "initial"]
    name = machine.decl.name
    if not machine.states:
        findings.add(
            "no-states",
            f"machine `{machine.name}` has no states",
            name.span,
            "no state",
            help=["declare at least `initial NAME`"],
        )
        return None
    if not initials:
        first = next(iter(machine.states.values()))
        findings.add(
            "no-initial",
            f"machine `{machine.name}` has no initial state",
            name.span,
            "where does it start?",
            notes=[f"its states are {quoted(machine.states)}"],
            help=[f"write `initial {first.name.text}`, if that is where it starts"],
        )
        return None
    for other in initials[1:]:
        findings.add(
            "several-initials",
            f"machine `{machine.name}` has more than one initial state",
            other.name.span,
            "also initial",
            labels=[Label(initials[0].name.span, "the first initial state")],
            notes=[f"`{initials[0].name.text}` is initial in {findings.line(initials[0].name.span)}"],
            help=[f"write `state {other.name.text}`"],
        )
    return initials[0].name.text


def _check_groups(machine: MachineScope, findings: Findings) -> None:
    for group in machine.groups.values():
        if not group.states and not any(isinstance(member, ast.GroupDecl) for member in group.decl.members):
            findings.add(
                "empty-group",
                f"group `{group.name.text}` of machine `{machine.name}` holds no state",
                group.name.span,
                "holds nothing",
                help=["put states into it, or take it away"],
            )


def _states(scope: Scope, machine: MachineScope, constants: Constants) -> dict[str, m.State]:
    judged: dict[int, tuple[int | None, tuple[str, ...]]] = {}  # one declaration may name several states
    states: dict[str, m.State] = {}
    for state in machine.states.values():
        if id(state.decl) not in judged:
            judged[id(state.decl)] = _clauses(scope, machine, state, constants)
        within_ns, requires = judged[id(state.decl)]
        within = state.decl.within
        states[state.name.text] = m.State(
            name=state.name.text,
            kind=m.StateKind(state.decl.kind),
            within_ns=within_ns,
            within_written=None if within is None else scope.findings.text(within.span),
            within_span=None if within is None else within.span,
            requires=requires,
            waived_why=_waived(state.decl),
            groups=state.groups,
            doc=text_of(state.decl.doc),
            span=state.name.span,
        )
    return states


def _waived(decl: ast.StateDecl) -> str | None:
    if decl.without_reason is not None:
        return decl.without_reason.value
    return "" if decl.without_span is not None else None


def _clauses(
    scope: Scope, machine: MachineScope, state: StateScope, constants: Constants
) -> tuple[int | None, tuple[str, ...]]:
    """The bound in nanoseconds and the fields owed on entry, of a state declaration."""
    decl, findings = state.decl, scope.findings
    within_ns = None
    if decl.within is not None:
        within_ns = constants.duration(decl.within, "within")
        if state.is_final:
            findings.add(
                "misplaced-clause",
                f"final state `{state.name.text}` of `{machine.name}` has a bound, but is never left",
                decl.within.span,
                "could never be kept",
                help=["take `within` away"],
            )
    requires = scope.required_fields(decl.requires)
    waived = _waived(decl) is not None
    span = decl.without_span or (None if decl.without_reason is None else decl.without_reason.span)
    if waived and decl.kind != "failure":
        findings.add(
            "misplaced-clause",
            f"`without reason` stands at a state that owes none: `{state.name.text}` is no failure state",
            span,
            "waives nothing",
            help=["take it away"],
        )
    elif waived and "reason" in requires:
        findings.add(
            "misplaced-clause",
            f"state `{state.name.text}` both requires a reason and waives it",
            span,
            "contradicts `requires reason`",
            help=["keep one of the two"],
        )
    elif decl.kind == "failure" and not waived and "reason" not in requires:
        requires = ("reason", *requires)
        scope.named_fields["reason"] = None
    return within_ns, requires
