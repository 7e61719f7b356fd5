"""The transitions of one machine. Owns sources, targets, triggers and clauses, and what makes two ambiguous."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lifespec.diagnostics import Label
from lifespec.model import model as m
from lifespec.model.resolve_constant import Constants, a_type
from lifespec.model.resolve_expr import Expressions
from lifespec.model.resolve_finding import Findings, quoted
from lifespec.model.resolve_memory import join
from lifespec.model.resolve_scope import MachineScope, Scope, text_of
from lifespec.model.resolve_type import Context, type_of
from lifespec.model.value import Type
from lifespec.source import Span
from lifespec.syntax import ast


class Transitions:
    """Resolves the transitions of one machine, in order of declaration."""

    def __init__(
        self,
        scope: Scope,
        machine: MachineScope,
        owners: tuple[str, ...],
        expressions: Expressions,
        constants: Constants,
    ) -> None:
        self._scope = scope
        self._findings: Findings = scope.findings
        self._machine = machine
        self._owners = owners
        self._expressions = expressions
        self._constants = constants
        self._context = Context(own=machine.name)
        self._order = {name: place for place, name in enumerate(machine.states)}
        # By trigger and source: the first transition with each text of `where`, None without one.
        self._taken: dict[tuple[str, ...], dict[str, dict[str | None, ast.TransitionDecl]]] = {}

    def resolve(self) -> tuple[m.Transition, ...]:
        """Those without a finding of their own; the others are left out."""
        resolved: list[m.Transition] = []
        for decl in self._machine.decl.members:
            if isinstance(decl, ast.TransitionDecl):
                transition = self._resolve_one(decl, len(resolved))
                if transition is not None:
                    resolved.append(transition)
        return tuple(resolved)

    def _resolve_one(self, decl: ast.TransitionDecl, index: int) -> m.Transition | None:
        findings = self._findings
        targets = self._targets(decl)
        sources = self._sources(decl, targets or ())
        trigger_is_good, trigger = self._trigger(decl)
        self._check_clauses(decl)
        where = None
        if decl.where is not None:
            where = self._expressions.condition(decl.where, self._context, "where")
        owners = self._scope.owners_of(decl.by) if decl.by else self._owners
        requires = self._scope.required_fields(decl.requires)
        require = [self._requirement(part) for part in decl.require]
        remember = [self._assignment(part) for part in decl.remember]
        if sources is not None and targets is not None:
            self._check_ambiguous(decl, sources, targets, trigger)
        if sources is None or targets is None or not trigger_is_good or (decl.where is None) != (where is None):
            return None
        return m.Transition(
            index=index,
            machine=self._machine.name,
            sources=sources,
            from_any=decl.sources is None,
            targets=targets,
            trigger=trigger,
            where=where,
            owners=owners,
            requires=requires,
            require=tuple(part for part in require if part is not None),
            remember=tuple(part for part in remember if part is not None),
            doc=text_of(decl.doc),
            text=findings.text(decl.span),
            span=decl.span,
        )

    # --- from where, to where ---

    def _targets(self, decl: ast.TransitionDecl) -> tuple[str, ...] | None:
        machine, findings = self._machine, self._findings
        targets: dict[str, None] = {}
        good = True
        for name in decl.targets:
            if name.text in machine.groups:
                group = machine.groups[name.text]
                findings.add(
                    "group-target",
                    f"group `{name.text}` is no target: which of its states is entered?",
                    name.span,
                    "a group of states",
                    labels=[Label(group.name.span, "the group")],
                    notes=[f"its states are {quoted(group.states)}"],
                    help=["name one of its states"],
                )
                good = False
            elif name.text not in machine.states:
                self._scope.unknown_state(machine, name.text, name.span)
                good = False
            elif name.text in targets:
                self._scope.twice("target", name, None)
            else:
                targets[name.text] = None
        if len(decl.targets) > 1 and decl.trigger is not None:
            findings.add(
                "several-targets",
                f"a transition with a trigger has one target, not {len(decl.targets)}",
                decl.targets[1].span,
                "a second target",
                notes=["several targets are for tables of states: a transition without a trigger"],
                help=["write one transition for each target, told apart by `where`"],
            )
            return None
        return tuple(targets) if good else None

    def _sources(self, decl: ast.TransitionDecl, targets: Sequence[str]) -> tuple[str, ...] | None:
        machine, findings = self._machine, self._findings
        if decl.sources is None:
            excluded = self._scope.states_of(machine, decl.excluded)
            if excluded is None or not machine.states:
                return None
            if not self._scope.may_expand(len(machine.states), decl.span):
                return None
            leaves = tuple(
                name
                for name, state in machine.states.items()
                if not state.is_final and name not in targets and name not in excluded
            )
            if not leaves:
                findings.add(
                    "no-source",
                    "`any` stands for no state here",
                    decl.span,
                    "never taken",
                    notes=["`any` is every state that is neither final nor the target"],
                )
                return None
            return leaves
        chosen: set[str] = set()
        good = True
        for name in decl.sources:
            expanded = machine.expand(name.text)
            if expanded is None:
                self._scope.unknown_state(machine, name.text, name.span)
                good = False
                continue
            if name.text in machine.states and name.text in chosen:
                self._scope.twice("source", name, None)
            if decl.targets:
                good = self._check_finals(name, expanded) and good
            good = self._scope.may_expand(len(expanded), name.span) and good
            if good:
                chosen.update(expanded)
        if not good:
            return None
        return tuple(sorted(chosen, key=self._order.__getitem__))

    def _check_finals(self, name: ast.Name, expanded: Collection[str]) -> bool:
        machine, findings = self._machine, self._findings
        finals = [state for state in expanded if machine.states[state].is_final]
        if not finals:
            return True
        declared = machine.states[finals[0]].name.span
        through = "" if finals == [name.text] else f", which group `{name.text}` holds"
        findings.add(
            "leaves-final",
            f"final state `{finals[0]}` of machine `{machine.name}`{through}, is left"
            if through
            else f"final state `{finals[0]}` of machine `{machine.name}` is left",
            name.span,
            "a final state is never left" if not through else f"holds the final state `{finals[0]}`",
            labels=[Label(declared, "final")],
            notes=[f"`{finals[0]}` is final ({findings.line(declared)})"],
            help=[
                f"declare it as `state {finals[0]}`, or take the transition away"
                if not through
                else "name the states that are left, or put the final state outside of the group"
            ],
        )
        return False

    # --- triggers ---

    def _trigger(self, decl: ast.TransitionDecl) -> tuple[bool, m.Trigger | None]:
        """Whether it is good, and the trigger (None for none)."""
        match decl.trigger:
            case None:
                return bool(decl.targets), None  # the grammar asks for one of the two
            case ast.OnTrigger() as on:
                trigger: m.Trigger | None = self._on(on)
            case ast.WhenTrigger() as when:
                trigger = self._when(when)
            case ast.AfterTrigger() as after:
                ns = self._constants.duration(after.duration, "after")
                trigger = None if ns is None else m.After(ns, self._findings.text(after.duration.span))
            case ast.AtTrigger() as at:
                trigger = self._at(at)
        return trigger is not None, trigger

    def _on(self, on: ast.OnTrigger) -> m.On | None:
        events = tuple(dict.fromkeys(event.text for event in on.events))
        if on.machine is None:
            return m.On(events, None)
        other = self._scope.machines.get(on.machine.text)
        if other is None:
            self._scope.unknown_machine(on.machine, on.machine.span)
            return None
        if other is self._machine:
            self._findings.add(
                "misplaced-clause",
                f"`of {other.name}` names the machine itself",
                on.machine.span,
                "its own events need no `of`",
                help=[f"take `of {other.name}` away"],
            )
            return None
        known = [check_event_of(self._scope, other, event) for event in on.events]
        return m.On(events, other.name) if all(known) else None

    def _when(self, when: ast.WhenTrigger) -> m.When | None:
        subject = when.subject
        other = self._scope.machines.get(subject.machine.text)
        if other is None:
            self._scope.unknown_machine(subject.machine, subject.machine.span)
            return None
        enters = enter_sets(self._scope, other, when.states)
        if subject.another and (other is not self._machine or not other.is_keyed):
            reason = "is another machine" if other is not self._machine else "has one instance only"
            self._findings.add(
                "misplaced-clause",
                f"`another {other.name}` stands in machine `{self._machine.name}`"
                if other is not self._machine
                else f"`another {other.name}` needs a machine with a key",
                subject.span,
                reason,
                notes=["`another` means another instance of the machine that the transition belongs to"],
                help=[f"write `{other.name}`"],
            )
            return None
        if subject.another and subject.index is not None:
            self._findings.add(
                "misplaced-clause",
                f"`another {other.name}` and an index exclude each other",
                subject.span,
                "names an instance twice",
                help=["keep one of the two"],
            )
            return None
        index: tuple[m.Expr, ...] | None = ()
        if subject.index is not None:
            index = self._expressions.index(other, subject.index, subject.span, self._context)
            if index is not None:
                own = [self._is_own(part, written) for part, written in zip(index, subject.index, strict=True)]
                index = index if all(own) else None
        if enters is None or index is None:
            return None
        return m.When(other.name, subject.another, index, enters)

    def _is_own(self, part: m.Expr, written: ast.Expr) -> bool:
        """Whether an index of a reaction is known without an event: an own key or memory, or a constant."""
        match part:
            case m.Literal():
                return True
            case m.MemoryRef(instance=instance) | m.KeyRef(instance=instance) if instance.whose is m.Whose.SELF:
                return True
        machine = self._machine
        text = self._findings.text(written.span)
        own = [*machine.keys, *machine.memories]
        help_ = f"remember it in `{machine.name}`, and write `{machine.name}.NAME`"
        if isinstance(part, m.FieldRef) and part.name in own:
            help_ = f"write `{machine.name}.{part.name}`"
        self._findings.add(
            "foreign-index",
            f"`{text}` is nothing that an instance of `{machine.name}` knows of itself",
            written.span,
            "a reaction has no event of its own",
            notes=[f"an instance of `{machine.name}` knows {quoted(own)}" if own else "it remembers nothing"],
            help=[help_],
        )
        return False

    def _at(self, at: ast.AtTrigger) -> m.At | None:
        value = self._expressions.value(at.instant, self._context)
        if value is None:
            return None
        if isinstance(value, m.MemoryRef) and value.instance.whose is m.Whose.SELF and value.type is Type.INSTANT:
            return m.At(value)
        findings = self._findings
        if isinstance(value, m.MemoryRef) and value.type is Type.ANY:
            self._expressions.undeclared(value, at.instant.span, "`at`", Type.INSTANT)
            return None
        found = f"is {a_type(type_of(value))}"
        if isinstance(value, m.MemoryRef) and value.instance.whose is not m.Whose.SELF:
            found = "belongs to another instance"
        elif isinstance(value, m.FieldRef | m.EventAttribute):
            found = "is a field of an event, which the clock does not have"
        findings.add(
            "not-an-instant",
            f"`at` needs an instant that the machine itself remembers; `{findings.text(at.instant.span)}` {found}",
            at.instant.span,
            "not an own instant",
            help=[f"write `remember until = FIELD` in a transition before, and `at {self._machine.name}.until`"],
        )
        return None

    # --- clauses ---

    def _check_clauses(self, decl: ast.TransitionDecl) -> None:
        trigger = decl.trigger
        if trigger is None or isinstance(trigger, ast.OnTrigger):
            return
        word = {ast.WhenTrigger: "when", ast.AfterTrigger: "after", ast.AtTrigger: "at"}[type(trigger)]
        for clause, names in (("by", decl.by), ("requires", decl.requires)):
            if names:
                self._findings.add(
                    "misplaced-clause",
                    f"`{clause}` does not go with `{word}`: there is no event of the machine to ask",
                    names[0].span.to(names[-1].span),
                    "no event carries it",
                    notes=["`by` and `requires` belong to `on` and to transitions without a trigger"],
                    help=[f"take `{clause}` away"],
                )

    def _requirement(self, part: ast.Require) -> m.Requirement | None:
        return resolve_requirement(part, self._expressions, self._context, self._findings)

    def _assignment(self, part: ast.Remember) -> m.Assignment | None:
        value = self._expressions.value(part.value, self._context)
        memory = self._machine.memories.get(part.name.text)
        if value is None or memory is None:
            return None
        if memory.type is not None and join(memory.type, type_of(value)) is None:
            self._findings.add(
                "wrong-type",
                f"`{part.name.text}` remembers {a_type(memory.type)} elsewhere, and {a_type(type_of(value))} here",
                part.span,
                a_type(type_of(value)),
                labels=[Label(memory.span, f"remembers {a_type(memory.type)}")],
                help=["remember it under another name"],
            )
            return None
        return m.Assignment(part.name.text, value, part.span)

    # --- ambiguity ---

    def _check_ambiguous(
        self, decl: ast.TransitionDecl, sources: Sequence[str], targets: Sequence[str], trigger: m.Trigger | None
    ) -> None:
        """Two transitions of one source on one trigger: the second is never taken if the first has no `where`, or
        the same one."""
        said = False
        where = None if decl.where is None else " ".join(self._findings.text(decl.where.span).split())
        keys = self._trigger_keys(decl, targets, trigger)
        if not self._scope.may_expand(len(sources) * max(0, len(keys) - 1), decl.span):
            return
        for key, what in keys:
            taken = self._taken.setdefault(key, {})
            for source in sources:
                earlier = taken.setdefault(source, {})
                first = earlier.get(None) or earlier.get(where)
                if first is None:
                    earlier[where] = decl
                elif not said:
                    said = True
                    self._ambiguous(decl, first, source, what)

    def _trigger_keys(
        self, decl: ast.TransitionDecl, targets: Sequence[str], trigger: m.Trigger | None
    ) -> list[tuple[tuple[str, ...], str]]:
        match trigger:
            case m.On(events=events, of=of):
                return [(("on", event, of or ""), f"on `{event}`") for event in events]
            case m.When(machine=machine, another=another, enters=enters) if isinstance(decl.trigger, ast.WhenTrigger):
                index = decl.trigger.subject.index or ()
                whose = f"{another}/" + ", ".join(self._findings.text(part.span) for part in index)
                return [
                    (("when", machine, whose, str(each.is_group), each.name), f"when `{machine}` enters `{each.name}`")
                    for each in enters
                ]
            case m.After(ns=ns):
                return [(("after", str(ns)), f"after {trigger.written}")]
            case m.At() if isinstance(decl.trigger, ast.AtTrigger):
                text = self._findings.text(decl.trigger.instant.span)
                return [(("at", text), f"at `{text}`")]
        if decl.trigger is None:
            return [(("to", target), f"to `{target}`") for target in targets]
        return []

    def _ambiguous(self, decl: ast.TransitionDecl, first: ast.TransitionDecl, source: str, what: str) -> None:
        help_ = "give the first a `where`, or take one of them away"
        if first.where is not None:
            help_ = "give one another `where`, or take one of them away"
        if decl.sources is None:
            help_ = f"write `any except {source}` here"
        elif first.sources is None:
            help_ = f"write `any except {source}` there"
        self._findings.add(
            "ambiguous-transition",
            f"`{source}` of machine `{self._machine.name}` already has a transition {what}",
            _head(decl),
            "never taken",
            labels=[Label(_head(first), "this one is always taken" if first.where is None else "the same `where`")],
            notes=[
                f"of several the first declared is taken ({self._findings.line(first.span)}), and it has "
                + ("no `where`" if first.where is None else "the same `where`")
            ],
            help=[help_],
        )


def _head(decl: ast.TransitionDecl) -> Span:
    """The transition as far as its trigger or its last target, without its clauses."""
    last = decl.trigger.span if decl.trigger is not None else decl.targets[-1].span if decl.targets else decl.span
    return Span(decl.span.file, decl.span.start, max(decl.span.start, last.end))


# --- shared with rules -------------------------------------------------------------------------------


def check_event_of(scope: Scope, machine: MachineScope, event: ast.Name) -> bool:
    """Whether `event of machine` is an event that the machine knows; a finding when not."""
    if machine.knows(event.text):
        return True
    known = [*machine.events, *machine.ignored]
    others = [other.name for other in scope.machines.values() if other.knows(event.text)]
    scope.findings.add(
        "unhandled-event",
        f"machine `{machine.name}` handles no event `{event.text}`",
        event.span,
        f"no event of `{machine.name}`",
        notes=[
            f"its events are {quoted(known)}" if known else f"`{machine.name}` handles no events",
            f"`{event.text}` is an event of {quoted(others)}" if others else "",
        ],
        help=[scope.findings.did_you_mean(event.text, known)],
    )
    return False


def enter_sets(scope: Scope, machine: MachineScope, names: Sequence[ast.Name]) -> tuple[m.EnterSet, ...] | None:
    """What `enters NAMES` looks for; None after a finding."""
    sets: list[m.EnterSet] = []
    good = True
    for name in names:
        expanded = machine.expand(name.text)
        if expanded is None:
            scope.unknown_state(machine, name.text, name.span)
            good = False
        elif not scope.may_expand(len(expanded), name.span):
            good = False
        else:
            sets.append(m.EnterSet(name.text, frozenset(expanded), name.text in machine.groups))
    return tuple(sets) if good else None


def resolve_requirement(
    part: ast.Require, expressions: Expressions, context: Context, findings: Findings
) -> m.Requirement | None:
    condition = expressions.condition(part.condition, context, "require")
    if condition is None:
        return None
    return m.Requirement(condition, findings.text(part.condition.span), text_of(part.doc), part.span)
