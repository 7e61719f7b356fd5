"""The rules between machines: spec/semantics.md S39 to S47. Judged once a step, on its result."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice

from lifespec.engine.reference_log import Book
from lifespec.engine.reference_state import (
    NOT_KNOWN,
    NOT_SET,
    Counter,
    Entry,
    Instance,
    Obligation,
    Session,
    Step,
    Taken,
    Unknown,
    Watch,
)
from lifespec.engine.reference_values import Context, compare, evaluate, field_value, holds, key_part
from lifespec.model.model import (
    AlwaysPart,
    Answer,
    AtMostPer,
    AtMostWhile,
    EventAnswer,
    Every,
    Expect,
    Expr,
    Model,
    OnPart,
    Requirement,
    Rule,
    StateAnswer,
    WhenPart,
    WhilePart,
)
from lifespec.trace.applicability import WHOLE
from lifespec.trace.event import Event
from lifespec.verdict import Place, Property, Witness

Position = tuple[int, int, int]

_MOST_COUNTED = 9  # of the events that a limit counted, with the one that is too many


class Rules:
    """Judges the rules of a model on the steps of a session."""

    def __init__(self, model: Model, book: Book) -> None:
        self.model = model
        self.book = book

    def begin(self, session: Session, place: Place) -> None:
        """Conditions that hold from the start count from the first record (S44, S46)."""
        self._watch(session, Step(place))
        self._count_anew(session)

    def judge(self, session: Session, step: Step) -> None:
        """S39: everything that a step can break or answer, rules and parts as declared."""
        self._answer(session, step)
        self._watch(session, step)
        self._count_anew(session)
        for number, rule in enumerate(self.model.rules):
            for place, part in enumerate(rule.parts):
                if (number, place, WHOLE) in self.book.not_applicable.actions:
                    continue
                match part:
                    case AlwaysPart():
                        self._always(session, step, rule, part, (number, place))
                    case OnPart():
                        self._on(session, step, rule, part, (number, place))
                    case WhenPart():
                        self._when(session, step, rule, part, (number, place))
                    case WhilePart():
                        pass  # in _watch

    def _context(self, session: Session, event: Event | None = None, concerned: Instance | None = None) -> Context:
        return Context(self.model, session, event, concerned=concerned)

    # --- always (S40) --------------------------------------------------------------------------------

    def _always(self, session: Session, step: Step, rule: Rule, part: AlwaysPart, at: tuple[int, int]) -> None:
        prop = Property("rule", rule.name)
        self.book.arm(session, prop)
        context = self._context(session)
        result = holds(part.condition, context)
        if isinstance(result, Unknown):
            self.book.skip(session, prop)
        elif result:
            session.stretches.discard(at)
        elif at not in session.stretches:
            session.stretches.add(at)
            self.book.rule_finding(
                session,
                "rule-broken",
                rule.name,
                step.place,
                part.span,
                event=self._only_event(step),
                text=part.text,
                witnesses=[*context.reads, *_shown(step)],
            )

    @staticmethod
    def _only_event(step: Step) -> Event | None:
        return step.taken[0].event if len(step.taken) == 1 else None

    # --- on and when (S41, S42) ----------------------------------------------------------------------

    def _on(self, session: Session, step: Step, rule: Rule, part: OnPart, at: tuple[int, int]) -> None:
        for taken in step.taken:
            if not taken.may_be.isdisjoint(part.events):  # S16: it may have been one of them
                self.book.arm(session, Property("rule", rule.name))
                self.book.skip(session, Property("rule", rule.name))
            if taken.event.name not in part.events or (part.of is not None and part.of not in taken.machines):
                continue
            if not self._chosen(session, rule, part.where, taken.event, None):
                continue
            self.book.arm(session, Property("rule", rule.name))
            for number, action in enumerate(part.actions):
                position = (*at, number)
                if position in self.book.not_applicable.actions:
                    continue
                match action:
                    case Requirement():
                        self._require(session, step, rule, action, taken.event, None)
                    case Expect():
                        self._owe(session, step, rule, action, position, taken.event, None)
                    case AtMostPer():
                        self._at_most_per(session, step, rule, action, position, taken.event)
                    case AtMostWhile():
                        self._at_most_while(session, step, rule, action, position, taken.event)

    def _when(self, session: Session, step: Step, rule: Rule, part: WhenPart, at: tuple[int, int]) -> None:
        event = self._only_event(step)
        for entry in step.entries:
            about = self._is_about(session, part, entry, event)
            if about is False:
                continue
            prop = Property("rule", rule.name)
            if not self._chosen(session, rule, part.where, event, entry.instance):
                continue
            self.book.arm(session, prop)
            if not entry.certain or about is None:
                self.book.skip(session, prop)
                continue
            for number, action in enumerate(part.actions):
                position = (*at, number)
                if position in self.book.not_applicable.actions:
                    continue
                if isinstance(action, Requirement):
                    self._require(session, step, rule, action, event, entry.instance)
                else:
                    self._owe(session, step, rule, action, position, event, entry.instance)

    def _chosen(
        self, session: Session, rule: Rule, where: Expr | None, event: Event | None, concerned: Instance | None
    ) -> bool:
        """S13: a `where` chooses; when it is not known, the rule is not judged (S48)."""
        if where is None:
            return True
        context = self._context(session, event, concerned)
        result = holds(where, context)
        if result is NOT_KNOWN:
            self.book.arm(session, Property("rule", rule.name))
            self.book.skip(session, Property("rule", rule.name))
        return result is True

    def _is_about(self, session: Session, part: WhenPart, entry: Entry, event: Event | None) -> bool | None:
        """Whether the entry is one that the rule is about; None when it may be (S50)."""
        if entry.instance.machine.name != part.machine:
            return False
        entered = entry.is_into(part.enters)
        if entered is False or not part.index:
            return entered
        context = self._context(session, event)
        values = [evaluate(index, context) for index in part.index]
        if NOT_KNOWN in values:
            return None
        return entered if tuple(key_part(value) for value in values) == entry.instance.key else False

    def _require(
        self,
        session: Session,
        step: Step,
        rule: Rule,
        action: Requirement,
        event: Event | None,
        concerned: Instance | None,
    ) -> None:
        context = self._context(session, event, concerned)
        result = holds(action.condition, context)
        if isinstance(result, Unknown):
            self.book.skip(session, Property("rule", rule.name))
        elif not result:
            self.book.rule_finding(
                session,
                "rule-broken",
                rule.name,
                step.place,
                action.span,
                concerned=concerned,
                event=event,
                text=action.text,
                doc=action.doc,
                witnesses=[*context.reads, *_shown(step)],
            )

    # --- at most (S45, S46) --------------------------------------------------------------------------

    def _at_most_per(
        self, session: Session, step: Step, rule: Rule, action: AtMostPer, position: Position, event: Event
    ) -> None:
        if session.clock is None:  # S3
            return
        windows = session.windows.setdefault(position, {})
        window = windows.setdefault(session.hand, deque())
        if len(windows) > 1:  # S59: how many came in a while, no single clock tells
            session.unmeasured.add(Property("rule", rule.name))
        window.append((session.clock, step.place))
        while window[0][0] <= session.clock - action.ns:  # S45: (t - d, t]
            window.popleft()
        if len(window) > action.count:
            self.book.rule_finding(
                session,
                "too-many",
                rule.name,
                step.place,
                action.span,
                event=event,
                text=action.text,
                doc=action.doc,
                count=len(window),
                deadline_ns=action.ns,
                witnesses=[Witness(place, "counted", event.name) for _, place in islice(window, _MOST_COUNTED)],
            )

    def _at_most_while(
        self, session: Session, step: Step, rule: Rule, action: AtMostWhile, position: Position, event: Event
    ) -> None:
        counter = session.counters.setdefault(position, Counter())
        result = holds(action.during, self._context(session))
        if isinstance(result, Unknown):
            self.book.skip(session, Property("rule", rule.name))
        if result is not True:
            return
        counter.count += 1
        counter.first = counter.first or step.place
        if counter.count > action.count:
            self.book.rule_finding(
                session,
                "too-many",
                rule.name,
                step.place,
                action.span,
                event=event,
                text=action.text,
                doc=action.doc,
                count=counter.count,
                witnesses=(Witness(counter.first, "counted", event.name),),
            )

    def _count_anew(self, session: Session) -> None:
        """S46: it counts anew whenever the condition becomes true."""
        for position, action in self._actions():
            if isinstance(action, AtMostWhile):
                counter = session.counters.setdefault(position, Counter())
                now = holds(action.during, self._context(session)) is True
                if now and not counter.holds:
                    counter.count, counter.first = 0, None
                counter.holds = now

    def _actions(self) -> Iterator[tuple[Position, object]]:
        for number, rule in enumerate(self.model.rules):
            for place, part in enumerate(rule.parts):
                if not isinstance(part, AlwaysPart):
                    for action_number, action in enumerate(part.actions):
                        yield (number, place, action_number), action

    # --- expect (S43) --------------------------------------------------------------------------------

    def _owe(
        self,
        session: Session,
        step: Step,
        rule: Rule,
        action: Expect,
        position: Position,
        event: Event | None,
        concerned: Instance | None,
    ) -> None:
        prop = Property("rule", rule.name)
        owed = Obligation(
            action, prop, position, event, concerned, step.place, session.active, session.obligation_count
        )
        owed.hand = session.hand
        session.obligation_count += 1
        owed.unsure = _may_come_unseen(session, action.answers)
        if self._holds_now(session, owed):
            return
        if not self._can_be_judged(session, owed):  # S43: it asks with a field that is not set
            self.book.skip(session, prop)
            return
        session.obligations.append(owed)

    def _can_be_judged(self, session: Session, owed: Obligation) -> bool:
        for answer in owed.expect.answers:
            if isinstance(answer, StateAnswer):
                context = self._context(session, owed.asked, owed.concerned)
                if holds(answer.condition, context) is NOT_SET:
                    return False
            elif any(key_part(field_value(self.model, owed.asked, name)) is None for name in answer.same):
                return False
        return True

    def _holds_now(self, session: Session, owed: Obligation) -> bool:
        results = [
            holds(answer.condition, self._context(session, owed.asked, owed.concerned))
            for answer in owed.expect.answers
            if isinstance(answer, StateAnswer)
        ]
        owed.unsure = owed.unsure or any(isinstance(each, Unknown) for each in results)
        return True in results

    def _answer(self, session: Session, step: Step) -> None:
        """Whatever of what is owed this step answers."""
        open_still = []
        for owed in session.obligations:
            if not self._holds_now(session, owed) and not any(
                isinstance(answer, EventAnswer) and self._is_answer(session, answer, taken, owed.asked, owed.concerned)
                for answer in owed.expect.answers
                for taken in step.taken
            ):
                open_still.append(owed)
            elif owed.hand != session.hand:
                session.unmeasured.add(owed.property)  # S59
        session.obligations = open_still

    def _is_answer(
        self,
        session: Session,
        answer: EventAnswer,
        taken: Taken,
        asked: Event | None,
        concerned: Instance | None,
    ) -> bool:
        event = taken.event
        if not taken.may_be.isdisjoint(answer.events):  # S16, S50: it may be one
            return True
        if event.name not in answer.events:
            return False
        for name in answer.same:
            if compare("==", field_value(self.model, event, name), field_value(self.model, asked, name)) is not True:
                return False
        if answer.where is None:
            return True
        context = self._context(session, event, concerned)
        result = holds(answer.where, context)
        return result is True or result is NOT_KNOWN  # S50: it may be one

    def fail(self, session: Session, owed: Obligation, shown: Witness) -> None:
        """S43: the answer did not come in time; not judged when it may have (S50)."""
        session.obligations.remove(owed)
        if self._holds_now(session, owed):
            owed.unsure = True
        self.book.unanswered(session, owed, shown)

    # --- while ... every (S44, S47) ------------------------------------------------------------------

    def _watch(self, session: Session, step: Step) -> None:
        for number, rule in enumerate(self.model.rules):
            for place, part in enumerate(rule.parts):
                if isinstance(part, WhilePart):
                    for action_number, every in enumerate(part.actions):
                        position = (number, place, action_number)
                        if position not in self.book.not_applicable.actions:
                            self._watch_one(session, step, rule, part, every, position)

    def _watch_one(
        self, session: Session, step: Step, rule: Rule, part: WhilePart, every: Every, position: Position
    ) -> None:
        prop = Property("rule", rule.name)
        subjects: list[Instance | None] = [None]
        if part.concerned is not None:  # S47: for each instance on its own
            subjects = list(session.of_machine(part.concerned))
        for subject in subjects:
            slot = (position, -1 if subject is None else subject.order)
            result = holds(part.condition, self._context(session, None, subject))
            watch = session.watches.get(slot)
            if result is not True:
                if isinstance(result, Unknown) and watch is not None:
                    self.book.skip(session, prop)
                if watch is not None and watch.hand != session.hand and not watch.silent:
                    session.unmeasured.add(prop)  # S59
                session.watches.pop(slot, None)
            elif watch is None:
                self.book.arm(session, prop)
                session.watches[slot] = Watch(
                    part, every, prop, position, subject, step.place, session.active, hand=session.hand
                )
            elif any(
                self._is_answer(session, answer, taken, None, subject)
                for answer in every.answers
                for taken in step.taken
            ):
                self.book.arm(session, prop)
                if watch.hand != session.hand and not watch.silent:
                    session.unmeasured.add(prop)  # S59
                watch.since_ns, watch.sign, watch.silent, watch.hand = session.active, step.place, False, session.hand

    def fall_silent(self, session: Session, watch: Watch, shown: Witness, *, at_end: bool) -> None:
        """S44, S57: on the first record that shows the gap; on the entering one if there was no sign at all;
        found at the end, on the last sign."""
        watch.silent = True
        still = holds(watch.part.condition, self._context(session, None, watch.concerned))
        if still is not True or _may_come_unseen(session, watch.every.answers):  # S50: it may have ended unseen
            self.book.skip(session, watch.property)
            return
        if watch.sign is None:
            place, witness = watch.entered, shown
        elif at_end:
            place, witness = watch.sign, shown
        else:
            place, witness = shown.place, Witness(watch.sign, "last sign of life")
        self.book.rule_finding(
            session,
            "silent",
            watch.property.name,
            place,
            watch.every.span,
            concerned=watch.concerned,
            text=watch.every.text,
            doc=watch.every.doc,
            deadline_ns=watch.every.ns,
            witnesses=(witness,),
        )


def _may_come_unseen(session: Session, answers: Iterable[Answer]) -> bool:
    """S51: the client lacks one of the events that would answer."""
    named = {name for answer in answers if isinstance(answer, EventAnswer) for name in answer.events}
    return not named.isdisjoint(session.client.lacking_events)


def _shown(step: Step) -> list[Witness]:
    return [step.shown_by] if step.shown_by is not None else []
