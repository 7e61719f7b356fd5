"""How instances move, over the tables: semantics S12 to S26, S37, S38 and S48 to S53.

Owns picking, judging, moving and reacting.
"""

from __future__ import annotations

from lifespec.engine.monitor_book import Book
from lifespec.engine.monitor_state import (
    AT_ONCE,
    BROKEN,
    UNBOUNDED,
    Entry,
    Happening,
    Instance,
    Position,
    Session,
    Stay,
    Step,
)
from lifespec.engine.monitor_witness import Witnesses
from lifespec.engine.table_machine import EnterMask, Way
from lifespec.engine.table_value import NOT_KNOWN, Unknown, Value
from lifespec.engine.tables import Tables
from lifespec.model.model import On
from lifespec.model.value import Unread

# One way a possible state goes: the state left, the state reached, by what transition (None: only the state moves), and
# whether the state reached is entered.
Move = tuple[int, int, Way | None, bool]


class Plan:
    """What an event will do to an instance, decided in the state before. `keeps` are states it may stay in besides."""

    __slots__ = ("event", "instance", "keeps", "moves", "remembers")

    def __init__(self, instance: Instance, event: Happening) -> None:
        self.instance = instance
        self.event = event
        self.moves: list[Move] | None = []  # None: nothing happens
        self.keeps: list[int] = []
        self.remembers: dict[int, Value] = {}


def enters(state: int, left: int, sets: tuple[EnterMask, ...]) -> bool | None:
    """Whether to enter `state` out of one of the mask `left` is to enter one of `sets`; None: it may be (S42, S50)."""
    may_be = False
    for mask, is_group in sets:
        if mask >> state & 1:
            inside = left & mask if is_group else 0
            if not inside:
                return True
            may_be = may_be or inside != left
    return None if may_be else False


class Mover:
    """Picks, judges and makes the moves of instances."""

    def __init__(self, tables: Tables, book: Book, witnesses: Witnesses) -> None:
        self.tables = tables
        self.book = book
        self.witnesses = witnesses
        self.lacking = tables.client.lacking_fields

    # --- picking -------------------------------------------------------------------------------------

    def plan(
        self,
        session: Session,
        step: Step,
        instance: Instance,
        event: Happening,
        of: frozenset[str | None],
        target_name: str | None,
        source_name: str | None,
    ) -> Plan:
        """Pick the transition of an instance on an event and judge it; the names are what the record claims."""
        table = instance.table
        self.book.arm(session, table.transitions_prop)
        plan = Plan(instance, event)
        target = table.numbers.get(target_name, -1) if target_name is not None else None
        source = table.numbers.get(source_name, -1) if source_name is not None else None
        strange = source_name if source == -1 else target_name if target == -1 else None
        if source == -1:
            source = None
        picks: dict[int, tuple[list[Way], bool]] = {}
        if target != -1:
            for state in instance.states():
                picks[state] = self._picks(session, instance, state, event, of, target)
        is_ignored = event.name is not None and event.name in table.ignored
        if source is not None and instance.mask >> source & 1 and not is_ignored:
            was_passed = instance.passed >> source & 1
            if instance.state < 0 and (not was_passed or (source in picks and picks[source][0])):
                assert instance.stays is not None
                self._put(session, instance, {source: instance.stays[source]})
                picks = {source: picks[source]} if source in picks else {}
        picked = {state: ways for state, (ways, _) in picks.items() if ways}
        if not picked and is_ignored:
            plan.moves = None
            return plan
        may_pass = is_ignored and not all(is_certain for _, is_certain in picks.values())
        if strange is not None and not may_pass:
            side = "to" if strange == event.target else "from"
            self.book.table_finding("unknown-state", session, step, instance, event, found=strange, field=side)
        if target == -1:
            self._lose(session, step, instance)
            instance.passed = 0
            plan.moves = None
            return plan
        if event.status and target is not None and instance.mask >> target & 1:
            plan.moves = [(target, target, None, False)]
            return plan
        if picked:
            passing: list[int] = []
            if may_pass:
                passing = [state for state, (_, is_certain) in picks.items() if not is_certain]
            elif target is not None and target not in picked and self._confirms(instance, target, source):
                passing = [target]
            self._legal(session, step, plan, picked, passing, of, target, source, fault_said=strange is not None)
        elif self._confirms(instance, target, source):
            assert target is not None
            plan.moves = [(target, target, None, False)]
        else:
            if strange is None:
                self._say_invalid(session, step, instance, event, target_name, source_name)
            self._believed(session, step, plan, of, target, source)
        return plan

    def _say_invalid(
        self,
        session: Session,
        step: Step,
        instance: Instance,
        event: Happening,
        target: str | None,
        source: str | None,
    ) -> None:
        final = not instance.mask & ~instance.table.finals
        name = "after-final" if final else "invalid-transition"
        self.book.table_finding(name, session, step, instance, event, target=target, source=source)

    def _picks(
        self,
        session: Session,
        instance: Instance,
        state: int,
        event: Happening,
        of: frozenset[str | None],
        target: int | None,
    ) -> tuple[list[Way], bool]:
        """The transitions that may be taken out of `state`, and whether one of them certainly is."""
        found: list[Way] = []
        held: list[Way] = []
        for way in instance.table.candidates(state, event.name, target, of):
            holds = True if way.where is None else way.where(session, event, instance, None, None, None)
            if holds is NOT_KNOWN:
                found.append(way)
            elif holds is True:
                held.append(way)
                if event.name is not None:
                    break
        if held:
            chosen = held[0]
            if event.name is None and len(held) > 1:
                goes = state if target is None else target
                chosen = next((way for way in held if self._fits(way, event, goes)), chosen)
            found.append(chosen)
        return found, bool(held)

    def _fits(self, way: Way, event: Happening, goes: int) -> bool:
        if way.owners is not None and event.owner not in way.owners and not _has_unread_owner(event):
            return False
        return not any(self.is_missing(event, name) for name in way.owed(goes, enters=not way.stays))

    def is_missing(self, event: Happening, name: str) -> bool:
        """Absent, null or blank; what the client lacks is not missing."""
        value = event.fields.get(name)
        if value is not None and (type(value) is not str or (value and not value.isspace())):
            return False
        return name not in self.lacking

    @staticmethod
    def _confirms(instance: Instance, target: int | None, source: int | None) -> bool:
        """S19: the record only says what clock and reactions have already done."""
        if not instance.passed or target is None or not instance.mask >> target & 1:
            return False
        return source is None or bool((instance.passed | instance.mask) >> source & 1)

    # --- a legal step --------------------------------------------------------------------------------

    def _legal(
        self,
        session: Session,
        step: Step,
        plan: Plan,
        picked: dict[int, list[Way]],
        passing: list[int],
        of: frozenset[str | None],
        target: int | None,
        source: int | None,
        *,
        fault_said: bool,
    ) -> None:
        instance, event = plan.instance, plan.event
        if source is not None and not passing and not (instance.mask | instance.passed) >> source & 1:
            names = instance.table.names
            if not fault_said:
                self.book.table_finding(
                    "lost-record",
                    session,
                    step,
                    instance,
                    event,
                    found=names[source],
                    target=event.target,
                    expected=tuple(names[state] for state in instance.states()),
                )
            believed, _ = self._picks(session, instance, source, event, of, target)
            if believed:
                picked = {source: believed}
        moves: list[Move] = []
        for state, ways in picked.items():
            for way in ways:
                if way.stays:
                    moves.append((state, state, way, False))
                else:
                    goes = target if way.transition.trigger is None else way.goes
                    assert goes is not None
                    moves.append((state, goes, way, True))
        moves += [(state, state, None, False) for state in passing]
        plan.moves = moves
        self._judge_fields(session, step, plan, moves)
        self._judge_owner(session, step, plan, moves)
        self._judge_requirements(session, step, plan, moves)
        self._remember(session, plan, moves)

    def _judge_fields(self, session: Session, step: Step, plan: Plan, moves: list[Move]) -> None:
        """S22, S49: a field is missing only when all possible moves owe it."""
        owed = [() if way is None else way.owed(goes, enters=entering) for _, goes, way, entering in moves]
        for name in owed[0]:
            if not all(name in names for names in owed) or not self.is_missing(plan.event, name):
                continue
            _, goes, way, _ = moves[0]
            assert way is not None
            table = plan.instance.table
            span = way.transition.span if name in way.requires else table.machine.states[table.names[goes]].span
            self.book.missing_field(session, step, plan.instance, plan.event, name, span, goes)

    def _judge_owner(self, session: Session, step: Step, plan: Plan, moves: list[Move]) -> None:
        """S24, S49."""
        owner = plan.event.owner
        for _, _, way, _ in moves:
            if way is None or way.owners is None or owner in way.owners:
                return
        if _has_unread_owner(plan.event):
            return
        first = moves[0][2]
        assert first is not None
        self.book.wrong_owner(session, step, plan.instance, plan.event, first)

    def _judge_requirements(self, session: Session, step: Step, plan: Plan, moves: list[Move]) -> None:
        """S25, S49: each requirement is one judgement, however many possible states it is looked at for."""
        instance, event = plan.instance, plan.event
        judged: dict[tuple[int, int], bool] = {}
        broken: list[list[tuple[Way, int]]] = []
        for _, _, way, _ in moves:
            own = []
            if way is not None:
                for number, (condition, _) in enumerate(way.require):
                    holds = condition(session, event, instance, None, None, None)
                    judged[way.index, number] = holds is True or holds is False
                    if holds is False:
                        own.append((way, number))
            broken.append(own)
        prop = instance.table.transitions_prop
        for was_known in judged.values():
            self.book.arm(session, prop)
            if not was_known:
                self.book.skip(session, prop)
        if all(broken):
            for way, number in broken[0]:
                requirement = way.require[number][1]
                reads = self.witnesses.of(requirement.condition, session, event, own=instance)
                self.book.requirement_failed(session, step, instance, event, requirement, reads)

    def _remember(self, session: Session, plan: Plan, moves: list[Move]) -> None:
        """S26, S48: computed in the state before; what the possible moves disagree about is not known."""
        instance, event = plan.instance, plan.event
        if len(moves) == 1:
            way = moves[0][2]
            if way is not None and way.remembers:
                plan.remembers = self.values(session, instance, event, way)
            return
        written = [{} if m[2] is None else self.values(session, instance, event, m[2]) for m in moves]
        for number in dict.fromkeys(number for values in written for number in values):
            first = written[0].get(number)
            agreed = first is not None and all(number in values and values[number] == first for values in written)
            plan.remembers[number] = first if agreed and first is not None else NOT_KNOWN

    @staticmethod
    def values(session: Session, instance: Instance, event: Happening | None, way: Way) -> dict[int, Value]:
        """What a transition remembers; NOT_SET forgets."""
        return {number: value(session, event, instance, None, None, None) for number, value in way.remembers}

    # --- a believed step -----------------------------------------------------------------------------

    def _believed(
        self,
        session: Session,
        step: Step,
        plan: Plan,
        of: frozenset[str | None],
        target: int | None,
        source: int | None,
    ) -> None:
        """S20, S21."""
        instance, event = plan.instance, plan.event
        ways = [] if source is None else self._picks(session, instance, source, event, of, target)[0]
        if ways and source is not None:
            way = ways[0]
            goes = target if target is not None else source if way.stays else way.goes
            plan.moves = [(source, goes, way, not way.stays)]
        elif target is not None:
            into = (way for way in instance.table.candidates(-1, event.name, target, of) if not way.stays)
            plan.moves = self._moves_to(instance, target, next(into, None))
        else:
            self._may_have_moved(plan, session, step, of, source)
            return
        assert plan.moves is not None
        if plan.moves[0][3]:
            self._owe_to_state(session, step, plan, plan.moves[0][1])
        self._remember(session, plan, plan.moves)

    @staticmethod
    def _moves_to(instance: Instance, target: int, way: Way | None) -> list[Move]:
        if way is None and instance.mask >> target & 1:
            return [(target, target, None, False)]
        return [(left, target, way, True) for left in instance.states()]

    def _owe_to_state(self, session: Session, step: Step, plan: Plan, goes: int) -> None:
        """S21, S22: a step that is not legal owes only what the state owes that it enters."""
        table = plan.instance.table
        for name in table.required[goes]:
            if self.is_missing(plan.event, name):
                span = table.machine.states[table.names[goes]].span
                self.book.missing_field(session, step, plan.instance, plan.event, name, span, goes)

    def _may_have_moved(
        self, plan: Plan, session: Session, step: Step, of: frozenset[str | None], source: int | None
    ) -> None:
        """S21: it may have gone wherever this event leads, or stayed; never out of a final state."""
        instance = plan.instance
        table = instance.table
        plan.keeps = instance.states()
        open_states = [state for state in plan.keeps if not table.finals >> state & 1]
        if not open_states:
            return
        if source is not None:
            plan.keeps = [source]
        reached: list[int] = []
        for way in table.ways:
            if plan.event.name in way.names and way.of in of:
                self.forget(session, instance, way, step.place)
                reached += [goes for goes in way.targets if goes not in reached and goes not in plan.keeps]
        plan.moves = [(state, goes, None, True) for goes in reached for state in open_states]

    def believe(self, session: Session, step: Step, instance: Instance, event: Happening, target: int) -> None:
        """S7, S21: an event that nobody knows claims a state: only the state moves."""
        plan = Plan(instance, event)
        plan.moves = self._moves_to(instance, target, None)
        if plan.moves[0][3]:
            self._owe_to_state(session, step, plan, target)
        self.carry_out(session, step, plan)

    # --- making the move -----------------------------------------------------------------------------

    def carry_out(self, session: Session, step: Step, plan: Plan) -> None:
        """The states move, and what is to be remembered is written."""
        moves = plan.moves
        if moves is None:
            return
        instance = plan.instance
        instance.passed = 0
        if len(moves) == 1 and not plan.keeps:
            left, target, way, entering = moves[0]
            if way is not None:
                self.book.used(way, left, target)
                owner = plan.event.owner
                if owner:
                    self.book.owners[owner] = self.book.owners.get(owner, 0) + 1
            if instance.state == left and entering:
                self.enter(session, step, instance, target, plan.event.name)
            elif instance.state != left or target != left:
                self._move(session, step, instance, moves, plan.keeps, plan.event.name)
        else:
            self.book.may_have_used(moves)
            self._move(session, step, instance, moves, plan.keeps, plan.event.name)
        for number, value in plan.remembers.items():
            self.write(session, instance, number, value, step.place)

    def enter(self, session: Session, step: Step, instance: Instance, target: int, name: str | None) -> None:
        """A certain instance enters a state for certain."""
        self.step_into(session, step, instance, target, name)
        self.book.visit(instance.table, target)

    def step_into(self, session: Session, step: Step, instance: Instance, target: int, name: str | None) -> None:
        """The same, for whoever counts the visits himself."""
        left = instance.mask
        if session.clocks is not None:
            self._leave_unmeasured(session, instance, None)
        instance.state = target
        instance.mask = 1 << target
        instance.since = session.active
        instance.place = step.place
        instance.event = name
        instance.flags = 0
        instance.stays = None
        step.entries.append(Entry(instance, target, left, True))
        self.moved(session, instance, left)
        self.book.arm_bound(session, instance)

    def _move(
        self, session: Session, step: Step, instance: Instance, moves: list[Move], keeps: list[int], name: str | None
    ) -> None:
        before = instance.stays_now()
        after: dict[int, Stay] = {s: before.get(s) or Stay(None, step.place) for s in keeps}
        for target in dict.fromkeys(move[1] for move in moves):
            entering = [move[3] for move in moves if move[1] == target]
            if target not in keeps and all(entering):
                after[target] = Stay(session.active, step.place, name)
            elif target in keeps or any(entering):
                after[target] = Stay(None, step.place, name)
            else:
                left = next(move[0] for move in moves if move[1] == target)
                after[target] = before.get(left) or Stay(None, step.place, name)
        certain = len(after) == 1 and not keeps and all(move[3] for move in moves)
        if session.clocks is not None:
            self._leave_unmeasured(session, instance, after)
        self._put(session, instance, after)
        lefts: dict[int, int] = {}
        for left, target, _, entering_it in moves:
            if entering_it:
                lefts[target] = lefts.get(target, 0) | 1 << left
        for state, mask in lefts.items():
            step.entries.append(Entry(instance, state, mask, certain))
        if certain and lefts:
            self.book.visit(instance.table, instance.state)
            self.book.arm_bound(session, instance)
        if len(after) > 1 or keeps:
            self._leave_bounds(session, instance, before)

    @staticmethod
    def _leave_unmeasured(session: Session, instance: Instance, after: dict[int, Stay] | None) -> None:
        """S59: of a bounded state that is left no single clock may tell whether it was in time."""
        for state, stay in instance.stays_now().items():
            kept = after is not None and state in after and after[state].place == stay.place
            runs = stay.since is not None and not stay.flags & (UNBOUNDED | BROKEN)
            if instance.table.within[state] is not None and runs and not kept:
                assert stay.since is not None
                session.leave_unmeasured(instance.table.bound_props[state], stay.since)

    def _put(self, session: Session, instance: Instance, stays: dict[int, Stay]) -> None:
        mask = instance.mask
        instance.put(stays)
        self.moved(session, instance, mask)

    def moved(self, session: Session, instance: Instance, before: int) -> None:
        """Keep the indexes of a session right: `before` is the mask that the instance had (0: it is new)."""
        table = instance.table
        session.dirty |= table.bit
        mask = instance.mask
        if table.clocked and (instance.state < 0 or instance.since is None):
            session.is_doubtful = session.is_special = True
        if table.slot >= 0:
            if mask & table.interesting:
                if not before & table.interesting:
                    session.enter_crowd(instance)
            elif before & table.interesting:
                session.leave_crowd(instance)
        if mask & table.timed:
            wait = table.waits[instance.state] if instance.state >= 0 and not instance.flags else None
            session.expect_due(wait)

    def _leave_bounds(self, session: Session, instance: Instance, before: dict[int, Stay]) -> None:
        """S50: it may have left unseen, or is not there for certain: the bounds of these stays are not judged."""
        if len(before) == 1:
            ((state, stay),) = before.items()
            runs = stay.since is not None and not stay.flags & (UNBOUNDED | BROKEN)
            if instance.table.within[state] is not None and runs:
                self.book.skip(session, instance.table.bound_props[state])
        if instance.stays is None:
            instance.flags |= UNBOUNDED
        else:
            for stay in instance.stays.values():
                stay.flags |= UNBOUNDED

    @staticmethod
    def write(session: Session, instance: Instance, number: int, value: Value, place: Position) -> None:
        """Remember, or with NOT_SET forget."""
        instance.write(number, value, place)
        session.dirty |= instance.table.bit
        if instance.table.clocked:
            session.due = AT_ONCE
            if value is NOT_KNOWN:
                session.is_doubtful = session.is_special = True

    def forget(self, session: Session, instance: Instance, way: Way, place: Position) -> None:
        """S48: what may have been written unseen is not known."""
        for number, _ in way.remembers:
            self.write(session, instance, number, NOT_KNOWN, place)

    def _lose(self, session: Session, step: Step, instance: Instance) -> None:
        """All states are possible; those that were not may have been entered."""
        before = instance.stays_now()
        left = instance.mask
        table = instance.table
        self._put(session, instance, {state: Stay(None, step.place) for state in range(len(table.names))})
        step.entries += [
            Entry(instance, state, left, False) for state in range(len(table.names)) if not left >> state & 1
        ]
        self._leave_bounds(session, instance, before)
        for number in range(table.memory_count):
            self.write(session, instance, number, NOT_KNOWN, step.place)

    # --- reactions -----------------------------------------------------------------------------------

    def react(self, session: Session, step: Step, event: Happening | None = None) -> None:
        """S37: moves cause reactions: the first entry first, then machines and transitions as declared, older first."""
        while step.answered < len(step.entries):
            entry = step.entries[step.answered]
            step.answered += 1
            if not entry.instance.table.causes >> entry.state & 1:
                continue
            for table in self.tables.reacting:
                for instance in session.of_interest(table):
                    if step.reacted is None or instance.order not in step.reacted:
                        self._react_to(session, step, entry, instance, event)

    def _react_to(
        self, session: Session, step: Step, entry: Entry, instance: Instance, event: Happening | None
    ) -> None:
        options: list[tuple[int, Way, bool]] = []
        for state in instance.states():
            for way in instance.table.reactions:
                if not way.source_mask >> state & 1:
                    continue
                about = self._is_about(session, way, entry, instance)
                if about is False:
                    continue
                where = True if way.where is None else way.where(session, event, instance, None, None, None)
                if where is not True and where is not NOT_KNOWN:
                    continue
                certain = about is True and where is True
                options.append((state, way, certain))
                if certain:
                    break
        if not options:
            return
        state, way, chosen = options[0]
        if entry.certain and chosen and instance.state >= 0:
            if step.reacted is None:
                step.reacted = set()
            step.reacted.add(instance.order)
            self._follow(session, step, instance, state, way, event)
        else:
            self._follow_perhaps(session, step, instance, [(s, w) for s, w, _ in options], event)

    def _is_about(self, session: Session, way: Way, entry: Entry, instance: Instance) -> bool | None:
        """Whether the entry is the one that is waited for; None when it may be."""
        cause = way.cause
        assert cause is not None
        moved = entry.instance
        if moved.table is not cause.machine or (cause.another and moved is instance):
            return False
        entered = enters(entry.state, entry.left, cause.enters)
        if entered is False or cause.key is None:
            return entered
        key = cause.key(session, None, instance, None, None, None)
        if type(key) is Unknown:
            return None if key is NOT_KNOWN else False
        return entered if key == moved.key else False

    def _follow(
        self, session: Session, step: Step, instance: Instance, state: int, way: Way, event: Happening | None
    ) -> None:
        """A certain move without a record of its own."""
        remembers = self.values(session, instance, event, way)
        self.book.used(way, state, state if way.stays else way.goes)
        if not way.stays:
            instance.passed |= 1 << state
            self.enter(session, step, instance, way.goes, None if event is None else event.name)
        for number, value in remembers.items():
            self.write(session, instance, number, value, step.place)

    def _follow_perhaps(
        self,
        session: Session,
        step: Step,
        instance: Instance,
        options: list[tuple[int, Way]],
        event: Happening | None,
    ) -> None:
        """S50: moves that may be made add their targets and keep the sources."""
        moves: list[Move] = []
        for state, way in options:
            self.forget(session, instance, way, step.place)
            for goes in way.targets:
                instance.passed |= 1 << state
                if not any(e.instance is instance and e.state == goes and not e.certain for e in step.entries):
                    moves.append((state, goes, way, True))
        if moves:
            self.book.may_have_used(moves)
            self._move(session, step, instance, moves, instance.states(), None if event is None else event.name)

    def move_by_clock(self, session: Session, step: Step, instance: Instance, state: int, way: Way) -> None:
        """S33, S34: an `after` or `at` that is due."""
        chosen = way.where is None or way.where(session, None, instance, None, None, None) is True
        if chosen and instance.state >= 0:
            self._follow(session, step, instance, state, way, None)
        else:
            self._follow_perhaps(session, step, instance, [(state, way)], None)

    # --- what may have happened unseen ---------------------------------------------------------------

    def unseen(self, session: Session) -> None:
        """S51, S53: what may have happened unseen since the last record of the session."""
        step = Step(session.last)
        restless = [i for table in self.tables.restless for i in session.of(table)]
        for instance in sorted(restless, key=lambda each: each.order):
            self._expand(session, step, instance)
        self.react(session, step)

    def _expand(self, session: Session, step: Step, instance: Instance) -> None:
        """Add the states that may have been entered unseen since the last record; they may cause reactions."""
        before = instance.stays_now()
        reached: dict[int, int] = {}
        todo = instance.states()
        for state in todo:
            for way in instance.table.ways:
                if way.source_mask >> state & 1 and self._may_be_unseen(session, instance, before, state, way):
                    self.forget(session, instance, way, session.last)
                    if not isinstance(way.transition.trigger, On):
                        instance.passed |= 1 << state
                    for goes in way.targets:
                        reached[goes] = reached.get(goes, 0) | 1 << state
                        if goes not in todo:
                            todo.append(goes)
        if not reached:
            return
        after = dict(before)
        for goes in reached:
            there = before.get(goes)
            if there is None:
                after[goes] = Stay(None, session.last)
            else:
                after[goes] = Stay(None, there.place, there.event, there.flags)
        self._put(session, instance, after)
        self._leave_bounds(session, instance, before)
        step.entries += [Entry(instance, goes, left, False) for goes, left in reached.items()]

    def _may_be_unseen(
        self, session: Session, instance: Instance, stays: dict[int, Stay], state: int, way: Way
    ) -> bool:
        if way.at is not None and not self.tables.client.sampled:
            value = way.at(session, None, instance, None, None, None)
            if type(value) is Unknown:
                return value is NOT_KNOWN
            if session.has_several_clocks:
                return True
        if way.may_be_unseen:
            return True
        if way.clock_ns is not None:
            stay = stays.get(state)
            return stay is None or stay.since is None or not session.is_measured(stay.since)
        return False

    def lose_clocked(self, session: Session) -> None:
        """S35: too much was due; an instance that the clock moves may be anywhere."""
        step = Step(session.last)
        clocked = [i for table in self.tables.all if table.clocked for i in session.of(table)]
        for instance in sorted(clocked, key=lambda each: each.order):
            self._lose(session, step, instance)
        self.react(session, step)


def _has_unread_owner(event: Happening) -> bool:
    """S24: there is an owner, but it cannot be read."""
    return event.owner is None and type(event.fields.get("owner")) is Unread
