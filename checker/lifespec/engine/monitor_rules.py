"""The rules between machines, over the tables: semantics S39 to S47. Judged once a step, on its result.

A condition is looked at again only when an instance of a machine that it looks at has changed, or when it looks at
the clock; a rule that does not concern a step is not even passed by.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import islice

from lifespec.engine.monitor_book import Book
from lifespec.engine.monitor_moves import enters
from lifespec.engine.monitor_state import (
    Counter,
    Entry,
    Happening,
    Instance,
    Obligation,
    Position,
    Session,
    Step,
    Watch,
)
from lifespec.engine.monitor_witness import Witnesses
from lifespec.engine.table_expression import Compiled
from lifespec.engine.table_rule import (
    TIME,
    Action,
    AlwaysTable,
    AnswerTable,
    AtMostPerTable,
    AtMostWhileTable,
    EveryTable,
    ExpectTable,
    OnTable,
    RequirementTable,
    RuleTable,
    WhenTable,
    WhileTable,
)
from lifespec.engine.table_value import NOT_KNOWN, NOT_SET, Unknown, equals, key_part
from lifespec.engine.tables import Tables
from lifespec.verdict import Witness

_MOST_COUNTED = 9  # of the events that a limit counted, with the one that is too many


class Rules:
    """Judges the rules of a model on the steps of a session."""

    def __init__(self, tables: Tables, book: Book, witnesses: Witnesses) -> None:
        self.tables = tables
        self.book = book
        self.witnesses = witnesses

    def begin(self, session: Session, place: Position) -> None:
        """Conditions that hold from the start count from the first record."""
        tables = self.tables
        if tables.holds_at_begin is None and tables.begins_simply:
            tables.holds_at_begin = self._holds_at_begin(session)
        if tables.holds_at_begin and not tables.is_restless:
            session.asked = session.holding = (1 << len(tables.always)) - 1
            return
        session.dirty = -1
        session.is_special = True
        self._watch(session, Step(place))
        self._count_anew(session, session.dirty)

    def _holds_at_begin(self, session: Session) -> bool:
        """Whether at the begin of any session every `always` holds, and no other condition does: then there is
        nothing to ask."""
        tables = self.tables
        looks = [each.looks for each in tables.always] + [each.looks for each in tables.at_most_whiles]
        if any(each.always for each in (*looks, *(part.looks for part in tables.whiles))):
            return False
        asked: list[tuple[Compiled, bool]] = [(part.condition, True) for part in tables.always]
        asked += [(part.during, False) for part in tables.at_most_whiles]
        asked += [(part.condition, False) for part in tables.whiles if part.machine is None]
        return all(condition(session, None, None, None, None, None) is wanted for condition, wanted in asked)

    def judge(self, session: Session, step: Step) -> None:
        """S39: everything that a step can break or answer, rules and parts as declared."""
        tables = self.tables
        if session.obligations:
            self._answer(session, step)
        if tables.whiles:
            self._watch(session, step)
        dirty = session.dirty | TIME
        if tables.at_most_whiles:
            self._count_anew(session, dirty)
        session.dirty = 0
        if session.is_special:
            session.look_at_itself()
        session.steps += 1
        self.book.steps += 1
        if not tables.judged:
            return
        for part in self._parts(session, step, dirty):
            if type(part) is AlwaysTable:
                self._always(session, step, part, dirty)
            elif type(part) is OnTable:
                self._on(session, step, part)
            elif type(part) is WhenTable:
                self._when(session, step, part)

    def _parts(self, session: Session, step: Step, dirty: int) -> tuple[object, ...]:
        """The parts of rules that a step concerns, as declared."""
        name: str | None = None
        if step.happenings:
            only = step.happenings[0]
            if len(step.happenings) > 1 or only.may_be:
                return self.tables.concerned(None, -1, -1)
            name = only.name
        entered = 0
        for entry in step.entries:
            table = entry.instance.table
            if table.causes >> entry.state & 1:
                entered |= table.bit
        if session.unknown:
            dirty = -1
        return self.tables.concerned(name, dirty, entered)

    # --- always --------------------------------------------------------------------------------------

    def _always(self, session: Session, step: Step, part: AlwaysTable, dirty: int) -> None:
        bit = 1 << part.number
        if not session.asked & bit or part.looks_at & dirty:
            found = part.condition(session, None, None, None, None, None)
            session.asked |= bit
            session.holding &= ~bit
            session.unknown &= ~bit
            if found is True:
                session.holding |= bit
            elif found is not False:
                session.unknown |= bit
            session.look_at_itself()
        if session.holding & bit:
            session.stretches &= ~bit
        elif session.unknown & bit:
            self.book.skip(session, part.rule.prop_number)
        elif not session.stretches & bit:
            session.stretches |= bit
            self._broken(session, step, part.rule, part.part, part.part.condition, _only(step), None)

    def _broken(
        self,
        session: Session,
        step: Step,
        rule: RuleTable,
        action: object,
        condition: object,
        event: Happening | None,
        concerned: Instance | None,
        seen: Happening | None = None,
    ) -> None:
        reads = self.witnesses.of(condition, session, seen, concerned=concerned)  # type: ignore[arg-type]  # an Expr
        if step.shown is not None:
            reads.append(step.shown)
        self.book.rule_finding(
            "rule-broken",
            session,
            rule,
            step.place,
            action,
            concerned=concerned,
            event=event,
            witnesses=tuple(reads),
        )

    # --- on and when ---------------------------------------------------------------------------------

    def _on(self, session: Session, step: Step, part: OnTable) -> None:
        prop = part.rule.prop_number
        for taken in step.happenings:
            if taken.may_be and not taken.may_be.isdisjoint(part.names):
                self.book.arm(session, prop)
                self.book.skip(session, prop)
            if taken.name not in part.names or (part.of and not taken.machines & part.of):
                continue
            if not self._chosen(session, part.where, prop, taken, None):
                continue
            self.book.arm(session, prop)
            for action in part.actions:
                self._act(session, step, action, taken, None)

    def _when(self, session: Session, step: Step, part: WhenTable) -> None:
        event = _only(step)
        prop = part.rule.prop_number
        for entry in step.entries:
            about = self._is_about(session, part, entry, event)
            if about is False or not self._chosen(session, part.where, prop, event, entry.instance):
                continue
            self.book.arm(session, prop)
            if not entry.certain or about is None:
                self.book.skip(session, prop)
                continue
            for action in part.actions:
                self._act(session, step, action, event, entry.instance)

    def _act(
        self, session: Session, step: Step, action: Action, event: Happening | None, concerned: Instance | None
    ) -> None:
        if type(action) is RequirementTable:
            result = action.condition(session, event, None, concerned, None, None)
            if result is False:
                self._broken(
                    session, step, action.rule, action.action, action.action.condition, event, concerned, event
                )
            elif result is not True:
                self.book.skip(session, action.rule.prop_number)
        elif type(action) is ExpectTable:
            self._owe(session, step, action, event, concerned)
        elif type(action) is AtMostPerTable:
            assert event is not None
            self._at_most_per(session, step, action, event)
        elif type(action) is AtMostWhileTable:
            assert event is not None
            self._at_most_while(session, step, action, event)

    def _chosen(
        self, session: Session, where: Compiled | None, prop: int, event: Happening | None, concerned: Instance | None
    ) -> bool:
        if where is None:
            return True
        result = where(session, event, None, concerned, None, None)
        if result is NOT_KNOWN:
            self.book.arm(session, prop)
            self.book.skip(session, prop)
        return result is True

    @staticmethod
    def _is_about(session: Session, part: WhenTable, entry: Entry, event: Happening | None) -> bool | None:
        if entry.instance.table is not part.machine:
            return False
        entered = enters(entry.state, entry.left, part.enters)
        if entered is False or part.key is None:
            return entered
        key = part.key(session, event, None, None, None, None)
        if type(key) is Unknown:
            return None if key is NOT_KNOWN else False
        return entered if key == entry.instance.key else False

    # --- at most -------------------------------------------------------------------------------------

    def _at_most_per(self, session: Session, step: Step, action: AtMostPerTable, event: Happening) -> None:
        clock = session.clock
        if clock is None:
            return
        if session.windows is None:
            session.windows = {}
        number = action.number if session.clocks is None else self._number_by_clock(session, action)
        window = session.windows.get(number)
        if window is None:
            window = session.windows[number] = deque()
        window.append((clock, step.place))
        while window[0][0] <= clock - action.ns:
            window.popleft()
        if len(window) > action.count:
            counted = [place for _, place in islice(window, _MOST_COUNTED)]
            self._too_many(session, step, action, event, len(window), counted, deadline_ns=action.ns)

    def _number_by_clock(self, session: Session, action: AtMostPerTable) -> int:
        """S59: there is a window for each clock, numbered on; with several, no single clock tells how many came."""
        assert session.windows is not None
        assert session.clocks is not None
        every = self.tables.windows
        number = action.number + every * session.clock_number
        if any(other % every == action.number and other != number for other in session.windows):
            session.clocks.unmeasured |= 1 << action.rule.prop_number
        return number

    def _at_most_while(self, session: Session, step: Step, action: AtMostWhileTable, event: Happening) -> None:
        counter = self._counter(session, action)
        result = action.during(session, None, None, None, None, None)
        if result is False:
            return
        if result is not True:
            self.book.skip(session, action.rule.prop_number)
            return
        counter.count += 1
        if counter.first is None:
            counter.first = step.place
        if counter.count > action.count:
            self._too_many(session, step, action, event, counter.count, [counter.first])

    def _too_many(
        self,
        session: Session,
        step: Step,
        action: AtMostPerTable | AtMostWhileTable,
        event: Happening,
        count: int,
        counted: Sequence[Position],
        deadline_ns: int | None = None,
    ) -> None:
        self.book.rule_finding(
            "too-many",
            session,
            action.rule,
            step.place,
            action.action,
            event=event,
            count=count,
            deadline_ns=deadline_ns,
            witnesses=tuple(Witness(self.book.place(each), "counted", event.name) for each in counted),
        )

    def _count_anew(self, session: Session, dirty: int) -> None:
        """S46: it counts anew whenever the condition becomes true."""
        for action in self.tables.at_most_whiles:
            if action.looks_at & dirty:
                now = action.during(session, None, None, None, None, None) is True
                if now or session.counters is not None:
                    counter = self._counter(session, action)
                    if now and not counter.holds:
                        counter.count, counter.first = 0, None
                    counter.holds = now

    @staticmethod
    def _counter(session: Session, action: AtMostWhileTable) -> Counter:
        if session.counters is None:
            session.counters = {}
        counter = session.counters.get(action.number)
        if counter is None:
            counter = session.counters[action.number] = Counter()
        return counter

    # --- expect --------------------------------------------------------------------------------------

    def _owe(
        self, session: Session, step: Step, action: ExpectTable, event: Happening | None, concerned: Instance | None
    ) -> None:
        order = session.obligation_count
        session.obligation_count += 1
        owed = Obligation(action, event, concerned, step.place, session.active, order, action.may_come_unseen)
        if self._holds_now(session, owed):
            return
        for answer in action.answers:
            if answer.condition is not None:
                found = answer.condition(session, event, None, concerned, None, None)
                cannot = found is not True and found is not False and found is not NOT_KNOWN
            else:
                values = (NOT_SET if event is None else event.value(name, read) for name, read in answer.same)
                cannot = any(type(value) is Unknown or key_part(value) is None for value in values)
            if cannot:
                self.book.skip(session, action.rule.prop_number)
                return
        if session.obligations is None:
            session.obligations = []
        session.obligations.append(owed)
        session.expect_due(action.ns)

    @staticmethod
    def _holds_now(session: Session, owed: Obligation) -> bool:
        holds = False
        for condition in owed.expect.conditions:
            result = condition(session, owed.asked, None, owed.concerned, None, None)
            if result is True:
                holds = True
            elif result is not False:
                owed.unsure = True
        return holds

    def _answer(self, session: Session, step: Step) -> None:
        """Whatever of what is owed this step answers."""
        assert session.obligations is not None
        waiting = session.obligations
        session.obligations = [
            owed
            for owed in waiting
            if not self._holds_now(session, owed)
            and not any(
                self._is_answer(session, answer, taken, owed.asked, owed.concerned)
                for answer in owed.expect.answers
                if answer.condition is None
                for taken in step.happenings
            )
        ] or None
        if session.clocks is not None:
            kept = {owed.order for owed in session.obligations or ()}
            for owed in waiting:
                if owed.order not in kept:
                    session.leave_unmeasured(owed.expect.rule.prop_number, owed.since)

    @staticmethod
    def _is_answer(
        session: Session, answer: AnswerTable, taken: Happening, asked: Happening | None, concerned: Instance | None
    ) -> bool:
        if taken.may_be and not taken.may_be.isdisjoint(answer.names):
            return True
        if taken.name not in answer.names:
            return False
        for name, read in answer.same:
            if asked is None or equals(taken.value(name, read), asked.value(name, read)) is not True:
                return False
        if answer.where is None:
            return True
        result = answer.where(session, taken, None, concerned, None, None)
        return result is True or result is NOT_KNOWN

    def fail(self, session: Session, owed: Obligation, shown: Witness) -> None:
        """S43: the answer did not come in time."""
        assert session.obligations is not None
        session.obligations.remove(owed)
        if self._holds_now(session, owed):
            owed.unsure = True
        self.book.unanswered(session, owed, shown)

    # --- while ... every -----------------------------------------------------------------------------

    def _watch(self, session: Session, step: Step) -> None:
        dirty = session.dirty | TIME
        for part in self.tables.whiles:
            if part.looks_at & dirty:
                self._look_again(session, step, part)
            elif session.watches and step.happenings:
                self._signs(session, step, part)

    def _look_again(self, session: Session, step: Step, part: WhileTable) -> None:
        subjects: list[Instance | None] = [None]
        if part.machine is not None:
            subjects = list(session.of_interest(part.machine))
            known = {subject.order for subject in subjects if subject is not None}
            for watch in session.watches or ():
                concerned = watch.concerned
                if watch.every.part is part and concerned is not None and concerned.order not in known:
                    known.add(concerned.order)
                    subjects.append(concerned)
        for every in part.every:
            held = {id(w.concerned): w for w in session.watches or () if w.every is every}
            for subject in subjects:
                self._watch_one(session, step, part, every, subject, held.get(id(subject)))

    def _watch_one(
        self,
        session: Session,
        step: Step,
        part: WhileTable,
        every: EveryTable,
        subject: Instance | None,
        watch: Watch | None,
    ) -> None:
        result = part.condition(session, None, None, subject, None, None)
        if result is True:
            if watch is None:
                self.book.arm(session, part.rule.prop_number)
                if session.watches is None:
                    session.watches = []
                session.watches.append(Watch(every, subject, step.place, session.active))
                session.expect_due(every.ns)
            else:
                self.sign(session, step, watch)
        elif watch is not None:
            if result is not False:
                self.book.skip(session, part.rule.prop_number)
            assert session.watches is not None
            if not watch.silent:
                session.leave_unmeasured(part.rule.prop_number, watch.since)
            session.watches.remove(watch)

    def _signs(self, session: Session, step: Step, part: WhileTable) -> None:
        """The condition is as it was: only signs of life matter."""
        for taken in step.happenings:
            if taken.name in part.names or taken.may_be:
                assert session.watches is not None
                for watch in session.watches:
                    if watch.every.part is part:
                        self.sign(session, step, watch)
                return

    def sign(self, session: Session, step: Step, watch: Watch) -> None:
        """Whatever of a step is a sign of life for a watch."""
        for answer in watch.every.answers:
            for taken in step.happenings:
                if self._is_answer(session, answer, taken, None, watch.concerned):
                    self.book.arm(session, watch.every.rule.prop_number)
                    if not watch.silent:
                        session.leave_unmeasured(watch.every.rule.prop_number, watch.since)
                    is_turned = not session.is_measured(watch.since)
                    watch.since, watch.sign = session.active, step.place
                    if watch.silent or is_turned:
                        watch.silent = False
                        session.expect_due(watch.every.ns)
                    return

    def fall_silent(self, session: Session, watch: Watch, shown: Witness, *, at_end: bool) -> None:
        """S44, S57: where the silence stands depends on whether there was a sign, and on what shows it."""
        watch.silent = True
        every = watch.every
        still = every.part.condition(session, None, None, watch.concerned, None, None)
        if still is not True or every.may_come_unseen:
            self.book.skip(session, every.rule.prop_number)
            return
        place: Position
        if watch.sign is None:
            place, witness = watch.entered, shown
        elif at_end:
            place, witness = watch.sign, shown
        else:
            place, witness = shown.place, Witness(self.book.place(watch.sign), "last sign of life")
        self.book.rule_finding(
            "silent",
            session,
            every.rule,
            place,
            every.action,
            concerned=watch.concerned,
            deadline_ns=every.ns,
            witnesses=(witness,),
        )


def _only(step: Step) -> Happening | None:
    return step.happenings[0] if len(step.happenings) == 1 else None
