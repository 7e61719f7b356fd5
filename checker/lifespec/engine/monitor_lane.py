"""The fast lane of the monitor: rows of plain records, judged without making an event of them.

Most records are one event of one machine that is legal, has its fields and its owner, and concerns nothing else. Rows
of them are decoded as what their event is expected to look like (`lane_shape`), and cost a few look-ups here.
Whatever is not so simple is handed on, untouched, to the monitor, or to the reader when it is for the reader to say
what is wrong. Has no meaning of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lifespec.engine.lane_kind import JUDGED, MOVES, NOTHING, SIGN, Kind, LaneRow, find_kind
from lifespec.engine.lane_shape import Learnt, Looked, Shape, shape_of
from lifespec.engine.monitor import Monitor
from lifespec.engine.monitor_state import Happening, Instance, Session, Step
from lifespec.engine.table_field import FieldTable
from lifespec.model.value import LogValue

_MOST_SECONDS = 4096  # of which the instant is kept
_MOST_NAMES = 10_000  # of events, of which it is kept what they are
_MOST_SHAPINGS = 64
_THREE_DIGITS = {f"{number:03}": number for number in range(1000)}
_MICROSECONDS: dict[str, int] = {f"{number:03}Z": number * 1000 for number in range(1000)} | {"Z": 0}
_MILLISECONDS: dict[str, int] = {text: number * 1_000_000 for text, number in _THREE_DIGITS.items()}

Decode = Callable[[bytes], Any]


class RowFields:
    """The fields of a row, by their names."""

    def __init__(self, row: Any, attributes: Mapping[str, str]) -> None:
        self.row = row
        self.attributes = attributes

    def get(self, name: str, /) -> LogValue:
        """The value under a name, None when there is none."""
        attribute = self.attributes.get(name)
        return None if attribute is None else getattr(self.row, attribute)


class Lane:
    """Judges lines with a monitor.

    `time_of` reads a time, `unit_ns` is the unit of a whole number in one. `passed` are names that are passed over;
    with `kept` so are all that are not known, but these.
    """

    def __init__(
        self,
        monitor: Monitor,
        time_of: Callable[[LogValue], int | None],
        unit_ns: int | None,
        is_known: Callable[[str], bool],
        passed: frozenset[str],
        kept: frozenset[str] | None,
    ) -> None:
        tables = monitor.tables
        self.monitor = monitor
        self.attributes: Mapping[str, str] = {}
        self._time_of = time_of
        self._unit_ns = unit_ns
        self._is_known = is_known
        self._passed = passed
        self._kept = kept
        self.is_new: Callable[[str], object] = str  # told of each name when it first occurs
        self.sees: Callable[[Session, str, Any, int], None] | None = None  # told of each row that is judged here
        self.kinds: dict[str | None, dict[str | None, Kind]] = {}
        self.untimed: set[str] = set()  # sessions of which no time has been read yet
        self.last_ns: int | None = None  # the time of the last row that was not passed over
        self._seconds: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._looked: list[Looked] = []
        self._keys: dict[str, FieldTable] = {field.name: field for field in tables.fields}
        self._reasons: dict[str, int] = {}
        self._counts_steps: bool = bool(tables.always)
        self.handled: int = 0  # rows judged here
        self.new_sessions: int = 0
        # What is expected of rows, and what was learnt of it.
        self._parts: frozenset[str] = frozenset()
        self._decoder_of: Callable[[Sequence[Shape]], Decode | None] | None = None
        self._expected: Decode | None = None
        self._shapes: dict[str, Shape] = {}
        self._learnt: dict[str, Learnt] = {}
        self._is_stale: bool = False
        self._unexpected: int = 0
        self.patience: int = 200  # so many rows are not as expected, until it is worth while to expect something else
        self._shapings: int = 0

    def use(
        self,
        attributes: Mapping[str, str],
        parts: frozenset[str] = frozenset(),
        decoder_of: Callable[[Sequence[Shape]], Decode | None] | None = None,
    ) -> None:
        """From now on rows have these attributes, by name of the field, and of the parts of an event these.
        `decoder_of` makes what decodes rows of the shapes that it is given."""
        self.settle()
        self.kinds.clear()
        self.attributes = attributes
        self._parts = parts
        self._decoder_of = decoder_of
        self._expected = None
        self._shapes.clear()
        self._learnt.clear()
        self._is_stale = False
        readers = self.monitor.tables.readers
        names = [*self._keys, *(() if "reason" in self._keys else ("reason",))]
        self._looked = [
            Looked(name, attributes[name], self._keys.get(name), is_read=name in readers)
            for name in names
            if name in attributes
        ]

    def names_known(self) -> dict[str, frozenset[str]]:
        """Names that a row may have in its parts and be judged here; parts that are not named may have any."""
        tables = self.monitor.tables
        known = {"machine": frozenset(tables.machines), "owner": frozenset(tables.model.owners)}
        if self._kept is None:
            known["event"] = tables.vocabulary | self._passed
        return {part: names for part, names in known.items() if names}

    @property
    def passed_over(self) -> int:
        """How many rows were passed over since it was last settled."""
        return sum(kind.seen for by_name in self.kinds.values() for kind in by_name.values())

    def pass_over(self, r: Any) -> bool:
        """Whether a row is known to be passed over; it is counted."""
        kind = self.kinds.get(r.machine, {}).get(r.event)
        if kind is None or not kind.is_passed or (r.target is not None and kind.name not in self._passed):
            return False
        kind.seen += 1
        return True

    # --- what is expected ----------------------------------------------------------------------------

    def shape(self) -> None:
        """Expect what has been learnt, when that is worth while; to be called between blocks, after `settle`."""
        if not self.is_stale or self._decoder_of is None:
            return
        self._is_stale, self._unexpected = False, 0
        self._shapings += 1
        shapes = {}
        for name, learnt in self._learnt.items():
            kinds = {machine: self.kinds.get(machine, {}).get(name) for machine in learnt.machines}
            simple = {machine: kind for machine, kind in kinds.items() if kind is not None and kind.is_simple}
            if simple and len(simple) == len(kinds):
                shapes[name] = shape_of(name, simple, learnt, self._looked, self.monitor.tables, self._parts)
        self._shapes = shapes
        self._expected = self._decoder_of(list(shapes.values())) if shapes else None

    @property
    def is_stale(self) -> bool:
        """Whether something else is worth expecting."""
        return self._is_stale and self._unexpected >= self.patience and self._shapings < _MOST_SHAPINGS

    # --- rows ------------------------------------------------------------------------------------------

    def run(
        self,
        lines: Sequence[bytes],
        positions: Sequence[int],
        odd: Callable[[int], None],
        decode: Decode,
        peek: Decode | None,
        errors: tuple[type[Exception], ...],
    ) -> None:
        """Judge some lines, which stand at these positions. `decode` makes rows of them, `peek` does so as far as is
        needed to know that a row is passed over; both raise one of `errors` for a line that is for the reader. `odd`
        reads a line again, by its position, and judges what it finds."""
        monitor = self.monitor
        sessions = monitor.sessions
        expected = self._expected
        seconds, milliseconds, microseconds = self._seconds, _MILLISECONDS, _MICROSECONDS
        counts_steps, untimed, next_due = self._counts_steps, self.untimed, monitor.clock.next_due
        sees = self.sees
        handled = 0
        kind: Kind | None
        row: LaneRow | None
        instance: Instance | None
        for n, line in zip(positions, lines, strict=True):
            if peek is not None:
                try:
                    if self.pass_over(peek(line)):
                        continue
                except errors:
                    odd(n)
                    continue
            if expected is None:
                self._any(n, line, odd, decode, errors)
                continue
            try:
                r = expected(line)
            except errors:
                self._any(n, line, odd, decode, errors)
                continue
            shape: Shape = r.shape
            kind = shape.kind
            if kind is None:
                kind = shape.kinds[r.machine]

            t = r.time
            try:
                ns: int = seconds[t[:20]] + milliseconds[t[20:23]] + microseconds[t[23:]]
            except (KeyError, TypeError):
                found_ns = self._time(t)
                if found_ns is None:
                    odd(n)
                    continue
                ns = found_ns
            session = sessions.get(r.session)
            if session is None:
                session = self._begun(r.session, n, ns)
            if (
                session is None
                or session.clock is None
                or ns < session.clock
                or session.is_special
                or (untimed and r.session in untimed)
            ):
                self._any(n, line, odd, decode, errors)
                continue
            if ns >= session.due:
                next_due(session, ns)  # perhaps it has been put off
                if ns >= session.due:
                    self._any(n, line, odd, decode, errors)
                    continue
            if shape.checks and not _passes(shape, r):
                self._any(n, line, odd, decode, errors)
                continue

            rows, row = kind.rows, None
            if rows is None:
                if (shape.claims and _says_state(r)) or (kind.answers and session.obligations):
                    self._any(n, line, odd, decode, errors)
                    continue
                session.clock = ns
                session.last = n
                session.steps += 1
                kind.taken += 1
            else:
                created = False
                if kind.slot < 0:
                    instance = session.plain[kind.plain_number]
                else:
                    key = getattr(r, kind.key)
                    instances = session.keyed[kind.slot]
                    is_key = type(key) is str or type(key) is int  # what else may be one is for the monitor to say
                    instance = instances.get(key) if instances is not None and is_key else None
                    if instance is None:
                        instance = self._created(session, kind, key, ns, n)
                        created = True
                row = None if instance is None else rows[instance.state]
                if (
                    instance is None
                    or row is None
                    or (shape.checks_owner and row.owners is not None and r.owner not in row.owners)
                    or (shape.claims and not _claims(r, row))
                    or (len(row.owed) > len(shape.owed) and not _pays(r, row.owed))
                    or (created and kind.is_looked_at and row.work != JUDGED)
                ):
                    self._any(n, line, odd, decode, errors)
                    continue
                work = row.work
                if row.answers and session.obligations:
                    work = JUDGED
                if work == NOTHING:
                    session.clock = ns
                    session.last = n
                    instance.passed = 0
                    if row.enters:
                        instance.state = row.goes
                        instance.mask = row.mask
                        instance.place = n
                        instance.event = kind.name
                        instance.flags = 0
                        if row.leaves:
                            session.leave_crowd(instance)
                elif work == MOVES:
                    session.clock = ns
                    session.last = n
                    self._move(session, instance, kind, row, r, ns, n)
                elif work == SIGN:
                    session.clock = ns
                    session.last = n
                    instance.passed = 0
                    if session.watches is not None:
                        self._sign(session, kind, r, n)
                elif not self.busy(session, instance, kind, row, r, ns, n, is_judged=work == JUDGED):
                    self._any(n, line, odd, decode, errors)
                    continue
                if counts_steps:
                    session.steps += 1
                by_owner = row.by_owner
                if by_owner is None:
                    row.used += 1
                else:
                    owner = r.owner
                    by_owner[owner] = by_owner.get(owner, 0) + 1
            if sees is not None:
                sees(session, kind.name, r, ns)
            if row is not None and row.ends:
                monitor.put_away(session)
            self.last_ns = ns
            monitor.last = n
            handled += 1
            if shape.counters:
                for counter in shape.counters:
                    if getattr(r, counter.attribute) is not None:
                        counter.times += 1
            if shape.reason is not None:
                self._count_reason(getattr(r, shape.reason))
        self.handled += handled

    def _any(
        self,
        n: int,
        line: bytes,
        odd: Callable[[int], None],
        decode: Decode,
        errors: tuple[type[Exception], ...],
    ) -> None:
        """Judge a line of which nothing is expected, as the monitor judges any event; or let the reader do so."""
        try:
            r = decode(line)
        except errors:
            odd(n)
            return
        kind = self._kind_of(r)
        if kind is None:
            odd(n)
            return
        if kind.is_passed:
            if r.target is None or kind.name in self._passed:
                kind.seen += 1
            else:
                odd(n)
            return
        ns = self._time(r.time)
        session = None
        if ns is not None:
            session = self.monitor.sessions.get(r.session)
            if session is None:
                session = self._begun(r.session, n, ns)
        if (
            ns is None
            or session is None
            or session.clock is None
            or ns < session.clock
            or (self.untimed and r.session in self.untimed)
        ):
            odd(n)
            return
        self._unexpected += 1
        if kind.is_simple:
            learnt = self._learnt.get(kind.name)
            if learnt is None:
                learnt = self._learnt[kind.name] = Learnt()
            if learnt.learn(r, self._looked):
                self._is_stale = True
        self.last_ns = ns
        self.monitor.last = n
        kind.other += 1
        event = Happening(
            kind.name,
            r.machine or None,
            _name(r.source),
            _name(r.target),
            False,
            _name(r.owner),
            RowFields(r, self.attributes),
        )
        self.judge_event(session, event, r, ns, n)

    def judge_event(self, session: Session, event: Happening, r: Any, ns: int, n: int) -> None:
        """Let the monitor judge a row, which is this event."""
        self.monitor.judge_event(session, event, ns, n)

    def find_kind(self, machine: str | None, name: str) -> Kind:
        """What to do with events of this name on records that name this machine."""
        return find_kind(self.monitor.tables, self.attributes, machine, name)

    def _kind_of(self, r: Any) -> Kind | None:
        """The kind of a row; None when the reader has to look at the row."""
        if r is None:
            return None
        name, machine = r.event, r.machine
        by_name = self.kinds.get(machine)
        kind = None if by_name is None else by_name.get(name)
        if kind is not None:
            return kind
        if name is None or not name or name.isspace():
            return None
        tables = self.monitor.tables
        if machine is not None and machine not in tables.machines:
            return None
        if name in self._passed or (self._kept is not None and name not in self._kept and not self._is_known(name)):
            kind = Kind(name)
            kind.is_passed = True
        elif name in tables.client.lacking_events or not tables.is_in_vocabulary(name):
            return None
        else:
            kind = self.find_kind(machine, name)
        if by_name is None:
            by_name = self.kinds[machine] = {}
        if len(by_name) < _MOST_NAMES:
            by_name[name] = kind
        if kind.is_passed:
            return None  # the reader has to see the first of each name that is passed over: it may be a slip
        self.is_new(name)
        return kind

    def _begun(self, name: str | None, n: int, ns: int) -> Session | None:
        """The session of a row that is none of the open ones: one that is over, or a new one; None without a name."""
        if name is None or not name or name.isspace():
            return None
        monitor = self.monitor
        session = monitor.find_session(name) if monitor.finished else None
        if session is None:
            session = monitor.session(name, n, ns)
            self.new_sessions += 1
        return session

    def _count_reason(self, value: LogValue) -> None:
        if type(value) is str:
            self._reasons[value] = self._reasons.get(value, 0) + 1

    def _created(self, session: Session, kind: Kind, key: object, ns: int, n: int) -> Instance | None:
        """The instance of a new key; None when the monitor has to look at it."""
        if type(key) is not str or not key or key.isspace():
            return None
        table = kind.table
        assert table is not None
        declared = self._keys.get(table.keys[0])
        if declared is not None and not declared.is_valid(key):
            return None
        session.clock = ns
        return self.monitor.find_or_create(session, table, key, n)

    def _time(self, raw: LogValue) -> int | None:
        """The nanoseconds of a time that is not yet known by its second."""
        if type(raw) is int:
            if self._unit_ns is None or not -(10**19) < raw < 10**19:
                return self._time_of(raw)
            return raw * self._unit_ns
        if type(raw) is not str:
            return None if raw is None else self._time_of(raw)
        known = self._texts.get(raw)
        if known is not None:
            return known
        ns = self._time_of(raw)
        if ns is None:
            return None
        has_fraction = len(raw) in (24, 27) and raw[23:] in _MICROSECONDS and raw[20:23] in _MILLISECONDS
        if has_fraction and raw[19] in ".," and raw[11:13] != "24":  # the end of a day has no other fraction but 0
            if len(self._seconds) > _MOST_SECONDS:
                self._seconds.clear()
            self._seconds[raw[:20]] = ns - _MILLISECONDS[raw[20:23]] - _MICROSECONDS[raw[23:]]
        else:
            if len(self._texts) > _MOST_SECONDS:
                self._texts.clear()
            self._texts[raw] = ns
        return ns

    # --- rows that concern something else --------------------------------------------------------------

    def _move(self, session: Session, instance: Instance, kind: Kind, row: LaneRow, r: Any, ns: int, n: int) -> None:
        """Enter a state that something looks at; no rule is broken by it, or the rules say so."""
        left = instance.mask
        instance.passed = 0
        if row.enters:
            instance.state = row.goes
            instance.mask = row.mask
            instance.since = ns - session.stood
            instance.place = n
            instance.event = kind.name
            instance.flags = 0
            self.monitor.mover.moved(session, instance, left)
            if row.is_timed:
                self.monitor.book.arm_bound(session, instance)
        for part in row.always:
            if part.condition(session, None, None, None, None, None) is not True:
                break
            bit = 1 << part.number
            session.holding |= bit
            session.stretches &= ~bit
        else:
            session.dirty = 0
            return
        step = Step(n)
        step.happenings.append(self._happening(kind, r))
        step.happenings[0].machines = row.way.table.member
        self.monitor.rules.judge(session, step)
        session.steps -= 1  # counted with the rows handled here
        self.monitor.book.steps -= 1

    def _happening(self, kind: Kind, r: Any) -> Happening:
        return Happening(kind.name, r.machine, None, None, False, r.owner or None, RowFields(r, self.attributes))

    def _sign(self, session: Session, kind: Kind, r: Any, n: int) -> None:
        """A sign of life, and nothing else."""
        assert session.watches is not None
        step: Step | None = None
        for watch in session.watches:
            if kind.name in watch.every.names:
                if step is None:
                    step = Step(n)
                    step.happenings.append(self._happening(kind, r))
                self.monitor.rules.sign(session, step, watch)

    def busy(
        self,
        session: Session,
        instance: Instance,
        kind: Kind,
        row: LaneRow,
        r: Any,
        ns: int,
        n: int,
        *,
        is_judged: bool,
    ) -> bool:
        """Take a legal step that asks, remembers, or that something waits for; False when it is for the monitor."""
        monitor = self.monitor
        way = row.way
        event = self._happening(kind, r)
        before, session.clock = session.clock, ns
        unknown = 0
        for condition, _ in way.require:
            holds = condition(session, event, instance, None, None, None)
            if holds is False:
                session.clock = before
                return False
            if holds is not True:
                unknown += 1
        book, mover = monitor.book, monitor.mover
        if way.require:
            book.arm(session, way.table.transitions_prop, len(way.require))
            for _ in range(unknown):
                book.skip(session, way.table.transitions_prop)
        values = [(number, value(session, event, instance, None, None, None)) for number, value in way.remembers]
        session.last = n
        step = Step(n)
        step.happenings.append(event)
        event.machines = way.table.member
        instance.passed = 0
        if row.enters:
            mover.step_into(session, step, instance, row.goes, kind.name)
        for number, value in values:
            mover.write(session, instance, number, value, n)
        if row.reacts:
            mover.react(session, step, event)
        if is_judged or row.always:
            monitor.rules.judge(session, step)
            session.steps -= 1  # counted with the rows handled here
            book.steps -= 1
        return True

    # --- the end ---------------------------------------------------------------------------------------

    def settle(self) -> list[tuple[str, int, bool]]:
        """Write what was counted here into the book of the monitor; to be called before its `finish`. Returns for
        each name how many rows had it, and whether they were passed over."""
        seen: list[tuple[str, int, bool]] = []
        book = self.monitor.book
        book.records += self.handled
        book.events += self.handled
        book.steps += self.handled
        for _, prop in self.monitor.tables.forbids:
            book.armed[prop] += self.handled
        self.handled = 0
        for reason, times in self._reasons.items():
            book.reasons[reason] = book.reasons.get(reason, 0) + times
        self._reasons.clear()
        for shape in self._shapes.values():
            total = shape.total()
            for prop in shape.always:
                book.armed[prop] += total
            for counter in shape.counters:
                book.armed[counter.prop] += counter.times
                counter.times = 0
        for by_name in self.kinds.values():
            for kind in by_name.values():
                taken = sum(row.count() for row in kind.rows or () if row is not None)
                book.names[kind.name] = book.names.get(kind.name, 0) + kind.taken
                if kind.owes >= 0:
                    book.armed[kind.owes] += kind.taken
                if not book.names[kind.name]:
                    del book.names[kind.name]
                occurred = kind.seen + kind.other + taken + kind.taken
                kind.taken = 0
                if not occurred:
                    continue
                seen.append((kind.name, occurred, kind.is_passed))
                kind.seen = kind.other = 0
                if taken and kind.table is not None and kind.rows is not None:
                    book.names[kind.name] = book.names.get(kind.name, 0) + taken
                    book.armed[kind.table.transitions_prop] += taken
                    for state, row in enumerate(kind.rows):
                        if row is not None:
                            self._settle_row(row, state)
        return seen

    def _settle_row(self, row: LaneRow, state: int) -> None:
        book = self.monitor.book
        counts: dict[str | None, int] = row.by_owner or {}
        if row.owners is not None and row.used:
            (only,) = row.owners
            counts = {only: row.used}
        total = sum(counts.values())
        if not total:
            return
        at = (row.way, state, row.goes)
        book.transitions[at] = book.transitions.get(at, 0) + total
        for owner, times in counts.items():
            if owner and not owner.isspace():
                book.owners[owner] = book.owners.get(owner, 0) + times
        if row.enters:
            entered = (row.way.table.number, row.goes)
            book.states[entered] = book.states.get(entered, 0) + total
        row.used = 0
        if row.by_owner:
            row.by_owner.clear()


def _passes(shape: Shape, r: Any) -> bool:
    """Whether the values of a row are valid, as far as that was not seen when it was decoded."""
    for check in shape.checks:
        value = getattr(r, check.attribute)
        if (type(value) is not str or value not in check.known) and not check.passes(value):
            return False
    return True


def _pays(r: Any, owed: tuple[str, ...]) -> bool:
    """Whether a row has what it owes."""
    for attribute in owed:
        value = getattr(r, attribute)
        if value is None or (type(value) is str and (not value or value.isspace())):
            return False
    return True


def _says_state(r: Any) -> bool:
    return r.source is not None or r.target is not None


def _claims(r: Any, row: LaneRow) -> bool:
    """Whether the states that a record claims are those of the row."""
    source, target = r.source, r.target
    return (source is None or source == row.source_name) and (target is None or target == row.target_name)


def _name(value: str | None) -> str | None:
    """A name as the reader gives it: what is blank is absent."""
    return None if value is None or not value or value.isspace() else value
