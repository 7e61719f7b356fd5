"""Rules: their parts and what each asks for. Owns which instance a rule is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lifespec.diagnostics import Severity
from lifespec.model import model as m
from lifespec.model.resolve_constant import Constants
from lifespec.model.resolve_expr import Expressions
from lifespec.model.resolve_finding import Findings
from lifespec.model.resolve_scope import EVENT_PARTS, Scope, text_of
from lifespec.model.resolve_transition import check_event_of, enter_sets, resolve_requirement
from lifespec.model.resolve_type import Concern, Context
from lifespec.syntax import ast


class Rules:
    """Resolves rules one by one. A part with a finding of its own is left out."""

    def __init__(self, scope: Scope, expressions: Expressions, constants: Constants) -> None:
        self._scope = scope
        self._findings: Findings = scope.findings
        self._expressions = expressions
        self._constants = constants

    def resolve(self, decl: ast.RuleDecl) -> m.Rule:
        parts = [self._part(part) for part in decl.parts]
        return m.Rule(decl.name.text, text_of(decl.doc), tuple(part for part in parts if part is not None), decl.span)

    def _part(self, part: ast.AlwaysPart | ast.OnPart | ast.WhenPart | ast.WhilePart) -> m.RulePart | None:
        match part:
            case ast.AlwaysPart():
                condition = self._expressions.condition(part.condition, Context(), "always")
                if condition is None:
                    return None
                return m.AlwaysPart(condition, self._findings.text(part.condition.span), part.span)
            case ast.OnPart():
                return self._on(part)
            case ast.WhenPart():
                return self._when(part)
            case ast.WhilePart():
                return self._while(part)

    def _on(self, part: ast.OnPart) -> m.OnPart | None:
        scope = self._scope
        of: str | None = None
        good = True
        if part.machine is not None:
            machine = scope.machines.get(part.machine.text)
            if machine is None:
                scope.unknown_machine(part.machine, part.machine.span)
                good = False
            else:
                of = machine.name
                known = [check_event_of(scope, machine, event) for event in part.events]
                good = all(known)
        context = Context()
        where = self._where(part.where, context)
        good = good and (part.where is None) == (where is None)
        actions: list[m.Requirement | m.Expect | m.AtMostPer | m.AtMostWhile | None] = []
        for action in part.actions:
            match action:
                case ast.Require():
                    actions.append(resolve_requirement(action, self._expressions, context, self._findings))
                case ast.Expect():
                    actions.append(self._expect(action, context))
                case ast.AtMost():
                    actions.append(self._at_most(action, context))
        if not good:
            return None
        events = tuple(dict.fromkeys(event.text for event in part.events))
        return m.OnPart(events, of, where, tuple(a for a in actions if a is not None), part.span)

    def _where(self, where: ast.Expr | None, context: Context) -> m.Expr | None:
        return None if where is None else self._expressions.condition(where, context, "where")

    def _when(self, part: ast.WhenPart) -> m.WhenPart | None:
        scope, subject = self._scope, part.subject
        machine = scope.machines.get(subject.machine.text)
        if machine is None:
            scope.unknown_machine(subject.machine, subject.machine.span)
            return None
        if subject.another:
            self._findings.add(
                "misplaced-clause",
                f"`another {machine.name}` stands in a rule",
                subject.span,
                "other than which?",
                notes=["`another` means another instance than the one that a transition belongs to"],
                help=[f"write `{machine.name}`"],
            )
            return None
        enters = enter_sets(scope, machine, part.states)
        index: tuple[m.Expr, ...] | None = ()
        if subject.index is not None:
            index = self._expressions.index(machine, subject.index, subject.span, Context())
        concerned = machine.name if subject.index is None and machine.is_keyed else None
        context = Context(concern=Concern(concerned, False))
        where = self._where(part.where, context)
        actions: list[m.Requirement | m.Expect | None] = []
        for action in part.actions:
            if isinstance(action, ast.Require):
                actions.append(resolve_requirement(action, self._expressions, context, self._findings))
            else:
                actions.append(self._expect(action, context))
        if enters is None or index is None or (part.where is None) != (where is None):
            return None
        return m.WhenPart(machine.name, index, enters, where, tuple(a for a in actions if a is not None), part.span)

    def _while(self, part: ast.WhilePart) -> m.WhilePart | None:
        concern = Concern(None, True)
        context = Context(concern=concern)
        condition = self._expressions.condition(part.condition, context, "while")
        concern.is_open = False
        actions = [self._every(action, context) for action in part.actions]
        if condition is None:
            return None
        text = self._findings.text(part.condition.span)
        return m.WhilePart(condition, concern.machine, tuple(a for a in actions if a is not None), text, part.span)

    # --- what is asked for ---

    def _expect(self, action: ast.Expect, context: Context) -> m.Expect | None:
        answers = self._answers(action, context)
        ns = None if action.within is None else self._constants.duration(action.within, "within")
        if ns is None or answers is None:
            return None
        return m.Expect(answers, ns, self._findings.text(action.span), text_of(action.doc), action.span)

    def _every(self, action: ast.Expect, context: Context) -> m.Every | None:
        answers = self._answers(action, context)
        ns = None if action.every is None else self._constants.duration(action.every, "every")
        if answers is None:
            return None
        signs: list[m.EventAnswer] = []
        for answer, written in zip(answers, action.alternatives, strict=True):
            if isinstance(answer, m.StateAnswer):
                self._findings.add(
                    "misplaced-clause",
                    "a sign of life is an event, not a state",
                    answer.span,
                    "no event",
                    help=["put it into the condition of the `while`"],
                )
            elif isinstance(written, ast.EventAlternative) and written.same:
                self._findings.add(
                    "misplaced-clause",
                    "`same` stands in a `while`, where no event asks",
                    written.same[0].span,
                    "the same as what?",
                    help=["write a `where`"],
                )
            else:
                signs.append(answer)
        if ns is None or len(signs) != len(answers):
            return None
        return m.Every(tuple(signs), ns, self._findings.text(action.span), text_of(action.doc), action.span)

    def _answers(self, action: ast.Expect, context: Context) -> tuple[m.Answer, ...] | None:
        answers: list[m.Answer] = []
        for alternative in action.alternatives:
            if isinstance(alternative, ast.StateAlternative):
                membership = self._expressions.membership(alternative.condition, context)
                if membership is not None:
                    answers.append(m.StateAnswer(membership, alternative.span))
                continue
            where = self._where(alternative.where, context)
            if (alternative.where is None) != (where is None):
                continue
            same = self._same(alternative.same)
            events = tuple(dict.fromkeys(event.text for event in alternative.events))
            answers.append(m.EventAnswer(events, same, where, alternative.span))
        return tuple(answers) if len(answers) == len(action.alternatives) else None

    def _same(self, names: Sequence[ast.Name]) -> tuple[str, ...]:
        fields: dict[str, None] = {}
        for name in names:
            if name.text in EVENT_PARTS and name.text != "owner":
                self._findings.add(
                    "part-as-field",
                    f"`{name.text}` is a part of every event, not a field to compare",
                    name.span,
                    "no field",
                )
            elif name.text in fields:
                self._scope.twice("field", name, None)
            else:
                fields[name.text] = None
                self._scope.named_fields[name.text] = None
        return tuple(fields)

    def _at_most(self, action: ast.AtMost, context: Context) -> m.AtMostPer | m.AtMostWhile | None:
        count = self._constants.count(action.count, "at most")
        text, doc = self._findings.text(action.span), text_of(action.doc)
        if action.during is not None:
            during = self._expressions.condition(action.during, context, "while")
            if count is None or during is None:
                return None
            return m.AtMostWhile(count, during, text, doc, action.span)
        if action.per is None:
            return None  # the grammar asks for one of the two
        ns = self._constants.duration(action.per, "per")
        if count is None or ns is None:
            return None
        return m.AtMostPer(count, ns, text, doc, action.span)


# --- events that only rules and pauses name ----------------------------------------------------------


def check_unhandled_events(scope: Scope) -> None:
    """Warns of an event that a rule or a pause waits for, and that nothing else knows.

    Such an event is legal in every state (it need not be a mistake), so this is no error; to declare it
    with `event` says that it is meant.
    """
    handled = scope.handled()
    said: set[str] = set()
    for event, where in _waited_for(scope):
        if event.text in handled or event.text in said or scope.findings.may_be_declared(event.text):
            continue
        said.add(event.text)
        near = scope.findings.did_you_mean(event.text, handled)
        scope.findings.add(
            "unhandled-event",
            f"no machine handles the event `{event.text}` that {where} waits for",
            event.span,
            "nobody else knows it",
            help=[near, f'declare `event {event.text} "WHAT IT IS"` if it is meant'],
            severity=Severity.WARNING,
        )


def _waited_for(scope: Scope) -> Iterator[tuple[ast.Name, str]]:
    for pause in scope.pauses:
        for event in (*pause.begins, *pause.ends):
            yield event, "a pause"
    for rule in scope.rules.values():
        for part in rule.parts:
            if isinstance(part, ast.OnPart) and part.machine is None:
                for event in part.events:
                    yield event, f"rule `{rule.name.text}`"
