"""The fast lane of the monitor: rows of plain records, judged without making an event of them.

Most records are one event of one machine that is legal, has its fields and its owner, and concerns nothing else: such
a row costs a few look-ups here. Whatever is not so simple is handed on, untouched, to the monitor, or to the reader
when it is for the reader to say what is wrong. Owns what is simple enough; has no meaning of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from lifespec.engine.monitor import Monitor
from lifespec.engine.monitor_state import Happening, Instance, Position, Session, Step
from lifespec.engine.table_field import FieldTable
from lifespec.engine.tables import Looks, MachineTable, Way
from lifespec.model.model import On
from lifespec.model.value import LogValue, Type

_MOST_SECONDS = 4096  # of which the instant is kept
_MOST_VALUES = 10_000  # of a field, of which it is kept that they are valid
_MOST_PATTERNS = 16  # of one kind
_THREE_DIGITS = {f"{number:03}": number for number in range(1000)}
_MICROSECONDS = {f"{number:03}Z": number * 1000 for number in range(1000)} | {"Z": 0}
_MILLISECONDS = {text: number * 1_000_000 for text, number in _THREE_DIGITS.items()}
_KEY_TYPES = frozenset({Type.TEXT, Type.ONE_OF, Type.INT})


class LaneRow:
    """What the lane does with an event in one state.

    How much it has to do is in `work`. `always` are the conditions that must hold and that the move may change. `used`
    counts how often the row was taken, when only one owner may cause it, else `by_owner` does, by owner.
    """

    __slots__ = (
        "always", "answers", "by_owner", "ends", "enters", "goes", "is_timed", "leaves", "mask", "owed", "owners",
        "reacts",
        "source_name", "target_name", "used", "way", "work",
    )  # fmt: skip

    def __init__(self, way: Way, state: int, lane: Lane, name: str) -> None:
        table, tables = way.table, lane.monitor.tables
        self.way = way
        self.goes = state if way.stays else way.goes
        self.mask = 1 << self.goes
        self.enters = not way.stays
        lacking = tables.client.lacking_fields
        owed = [f for f in way.owed(self.goes, enters=self.enters) if f not in lacking]
        self.owed = tuple(lane.attributes.get(field, _ABSENT) for field in owed)
        self.owners = way.owners
        self.used = 0
        self.by_owner: dict[str | None, int] | None = {} if way.owners is None or len(way.owners) != 1 else None
        self.source_name = table.names[state]
        self.target_name = table.names[self.goes]
        before, after = table.interesting >> state & 1, table.interesting >> self.goes & 1
        self.leaves = bool(self.enters and table.slot >= 0 and before and not after)
        arrives = bool(self.enters and table.slot >= 0 and after and not before)
        self.is_timed = bool(self.enters and table.timed & (1 << state | 1 << self.goes))
        self.reacts = self.enters and bool(table.causes >> self.goes & 1)
        self.answers = name in tables.expect_names
        self.ends = self.enters and bool(table.finals >> self.goes & 1) and bool(tables.ending)

        def is_changed(looks: Looks) -> bool:
            moved = self.enters and looks.is_moved_by(table, state, self.goes)
            return moved or (bool(way.remembers) and looks.is_written_by(table)) or looks.always

        self.always = tuple(part for part in tables.always if is_changed(part.looks))
        others = [part.looks for part in tables.whiles] + [part.looks for part in tables.at_most_whiles]
        others += [looks for part in tables.expects for looks in part.looks]
        is_judged = name in tables.on_names or any(is_changed(looks) for looks in others)
        is_sign = name in tables.watch_names
        asks = bool(way.require or way.remembers)
        if is_judged or self.reacts or (is_sign and (self.always or not way.stays or asks)):
            self.work = _JUDGED
        elif asks:
            self.work = _ASKS
        elif is_sign:
            self.work = _SIGN
        elif self.is_timed or arrives or self.always:
            self.work = _MOVES
        else:
            self.work = _NOTHING

    def count(self) -> int:
        """How often it was taken since it was last asked for."""
        return self.used if self.by_owner is None else sum(self.by_owner.values())


# How much a row has to do, from the least.
_NOTHING = 0  # the state changes, and nobody looks
_MOVES = 1  # indexes change, or an `always` may
_SIGN = 2  # it stays, and may be a sign of life
_ASKS = 3  # it has a `require`, or remembers
_JUDGED = 4  # reactions or rules wait for it


_ABSENT = "absent"


class _Looked:
    """A field of which it matters whether it is there: its attribute in rows, and what is declared of it, if so."""

    __slots__ = ("attribute", "declared", "get", "is_reason", "valid")

    def __init__(self, name: str, attribute: str, declared: FieldTable | None) -> None:
        self.attribute = attribute
        self.get = attrgetter(attribute)
        self.declared = declared
        self.valid: set[object] = set() if declared is None else declared.valid
        self.is_reason = name == "reason"

    def is_valid(self, value: Any) -> bool:
        """Whether a value may be there."""
        if self.declared is None:
            return type(value) is not list and type(value) is not dict
        return self.declared.is_valid(value)


class _Pattern:
    """Which of the fields of which it matters are in a row: `rest` gets the others, which are all None (`nothing`)."""

    __slots__ = ("claims", "fields", "nothing", "reason", "rest", "times")

    def __init__(self, present: list[_Looked], absent: list[str], *, claims: bool) -> None:
        self.fields = tuple((each.get, each) for each in present)
        self.rest = attrgetter(*absent) if absent else _nothing_of
        self.nothing: object = None if len(absent) < 2 else (None,) * len(absent)
        self.reason = next((each.get for each in present if each.is_reason), None)
        self.claims = claims  # a state
        self.times = 0


def _nothing_of(row: object) -> None:
    return None


class Kind:
    """What the lane knows of one event name on records that name one machine, or none."""

    __slots__ = (
        "answers", "is_bare", "is_looked_at", "is_passed", "key", "name", "other", "owed", "owes", "pattern",
        "patterns", "plain_number", "rows", "seen", "slot", "table", "taken",
    )  # fmt: skip

    def __init__(self, name: str) -> None:
        self.name = name
        self.pattern: _Pattern | None = None  # the last one
        self.patterns: dict[tuple[str, ...], _Pattern] = {}
        self.is_bare = False  # nothing takes it and nothing waits for it; `owed` are the fields that it owes
        self.answers = False
        self.owed: tuple[str, ...] = ()
        self.owes = -1  # the property that says so
        self.taken = 0  # times it was judged here, of a bare one
        self.seen = 0  # times it was passed over
        self.other = 0  # times it was judged by the monitor itself
        self.is_passed = False
        self.table: MachineTable | None = None
        self.rows: list[LaneRow | None] | None = None
        self.key: Callable[[Any], Any] | None = None
        self.slot = -1
        self.plain_number = -1
        self.is_looked_at = False


class RowFields:
    """The fields of a row, by their names."""

    __slots__ = ("attributes", "row")

    def __init__(self, row: Any, attributes: Mapping[str, str]) -> None:
        self.row = row
        self.attributes = attributes

    def get(self, name: str, /) -> LogValue:
        """The value under a name, None when there is none."""
        attribute = self.attributes.get(name)
        return None if attribute is None else getattr(self.row, attribute)


class Lane:
    """Judges lines with a monitor.

    `time_of` reads a time, `unit_ns` is the unit
    of a whole number in one. `passed` are names that are passed over; with `kept` so are all that are not known, but
    these.
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
        self.kinds: dict[str | None, dict[str | None, Kind]] = {}
        self.untimed: set[str] = set()  # sessions of which no time has been read yet
        self.last_ns: int | None = None  # the time of the last row that was not passed over
        self._seconds: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._looked_for: list[_Looked] = []
        self._keys: dict[str, FieldTable] = {field.name: field for field in tables.fields}
        self._reasons: dict[str, int] = {}
        self._counts_steps = bool(tables.always)
        self.handled = 0  # rows judged here
        self.new_sessions = 0

    def use(self, attributes: Mapping[str, str]) -> None:
        """From now on rows have these attributes, by name of the field."""
        self.settle()
        self.kinds.clear()
        self.attributes = attributes
        names = [*self._keys, *(() if "reason" in self._keys else ("reason",))]
        self._looked_for = [
            _Looked(name, attributes[name], self._keys.get(name)) for name in names if name in attributes
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

    # --- what is simple --------------------------------------------------------------------------------

    def _kind(self, machine: str | None, name: str) -> Kind | None:
        """What to do with an event of this name; None when the reader has to look at it."""
        kind = Kind(name)
        tables = self.monitor.tables
        if name in self._passed or (self._kept is not None and name not in self._kept and not self._is_known(name)):
            kind.is_passed = True
            return kind
        if name in tables.client.lacking_events:
            return None
        dispatch = tables.dispatch(name, machine, None)
        table = dispatch.single
        spec = tables.event_specs.get(name)
        if not dispatch.own and dispatch.known and name not in tables.pause_names and not tables.looks_at_clock:
            self._make_bare(kind, name)
            return kind
        if table is None or (spec is not None and spec[0].requires) or name in tables.pause_names:
            return kind
        if table.has_triggerless or (machine is not None and not dispatch.named):
            return kind
        kind.table = table
        kind.slot, kind.plain_number = table.slot, table.plain_number
        all_looks = [each.looks for each in tables.always] + [each.looks for each in tables.whiles]
        all_looks += [each.looks for each in tables.at_most_whiles]
        all_looks += [looks for part in tables.expects for looks in part.looks]
        kind.is_looked_at = any(looks.is_changed_by_new(table) for looks in all_looks) or any(
            part.machine is table and part.needs >> table.initial & 1 for part in tables.whiles
        )
        if table.slot >= 0:
            spec_of = tables.model.fields
            attribute = self.attributes.get(table.keys[0])
            declared = spec_of.get(table.keys[0])
            if len(table.keys) > 1 or attribute is None or (declared is not None and declared.type not in _KEY_TYPES):
                return kind
            kind.key = attrgetter(attribute)
        rows: list[LaneRow | None] = [self._row(table, state, name) for state in range(len(table.names))]
        kind.rows = [*rows, None]  # the last one stands for an instance that may be in several states
        return kind

    def _make_bare(self, kind: Kind, name: str) -> None:
        tables = self.monitor.tables
        spec = tables.event_specs.get(name)
        lacking = tables.client.lacking_fields
        if spec is not None and spec[0].requires:
            kind.owes = spec[1]
            kind.owed = tuple(self.attributes.get(f, _ABSENT) for f in spec[0].requires if f not in lacking)
        kind.answers = name in tables.expect_names
        kind.is_bare = name not in tables.on_names and name not in tables.watch_names and _ABSENT not in kind.owed

    def _row(self, table: MachineTable, state: int, name: str) -> LaneRow | None:
        ways = table.candidates(state, name, None, frozenset({None}))
        if not ways or ways[0].where is not None or not isinstance(ways[0].transition.trigger, On):
            return None
        row = LaneRow(ways[0], state, self, name)
        return None if _ABSENT in row.owed else row

    # --- rows ------------------------------------------------------------------------------------------

    def run(
        self,
        lines: list[bytes],
        first: int,
        odd: Callable[[int], None],
        decode: Callable[[bytes], Any],
        peek: Callable[[bytes], Any] | None,
        errors: tuple[type[Exception], ...],
    ) -> None:
        """Judge some lines; the first stands at the position `first`. `decode` makes rows of them, `peek` does so as
        far as is needed to know that a row is passed over; both raise one of `errors` for a line that is for the
        reader. `odd` reads a line again, by its number from 0, and judges what it finds."""
        monitor = self.monitor
        sessions, kinds = monitor.sessions, self.kinds
        seconds, milliseconds, microseconds = self._seconds, _MILLISECONDS, _MICROSECONDS
        counts_steps, untimed, next_due = self._counts_steps, self.untimed, monitor.clock.next_due
        handled = 0
        ns, last = self.last_ns, monitor.last
        row: LaneRow | None
        for n, line in enumerate(lines, first):
            try:
                if peek is not None:
                    r = peek(line)
                    try:
                        kind = kinds[r.machine][r.event]
                    except KeyError:
                        pass
                    else:
                        if kind.is_passed and (r.target is None or kind.name in self._passed):
                            kind.seen += 1
                            continue
                r = decode(line)
            except errors:
                ns, last = self._odd(odd, n, first, ns, last)
                continue
            try:
                kind = kinds[r.machine][r.event]
            except KeyError:
                made = self._new_kind(r)
                if made is None:
                    ns, last = self._odd(odd, n, first, ns, last)
                    continue
                kind = made
            if kind.is_passed:
                if r.target is None or kind.name in self._passed:
                    kind.seen += 1
                else:
                    ns, last = self._odd(odd, n, first, ns, last)
                continue

            t = r.time
            before = ns
            try:
                ns = seconds[t[:20]] + milliseconds[t[20:23]] + microseconds[t[23:]]
            except (KeyError, TypeError):
                ns = self._time(t)
                if ns is None:
                    ns, last = self._odd(odd, n, first, before, last)
                    continue
            session = sessions.get(r.session)
            if session is None:
                if _name(r.session) is None:
                    ns, last = self._odd(odd, n, first, before, last)
                    continue
                session = monitor.find_session(r.session) if monitor.finished else None
                if session is None:
                    session = monitor.session(r.session, n, ns)
                    self.new_sessions += 1
            if session.clock is None or ns < session.clock or (untimed and r.session in untimed):
                ns, last = self._odd(odd, n, first, before, last)
                continue
            last = n

            rows = kind.rows
            if rows is None:
                if not kind.is_bare or not self._bare(session, kind, r, ns, n):
                    self._otherwise(session, kind, r, ns, n)
                continue
            created = False
            if kind.key is None:
                instance = session.plain[kind.plain_number]
            else:
                key = kind.key(r)
                instances = session.keyed[kind.slot]
                try:
                    found = None if instances is None or key is True or key is False else instances.get(key)
                except TypeError:
                    found = None
                if found is None:
                    found = self._created(session, kind, key, ns, n)
                    if found is None:
                        self._otherwise(session, kind, r, ns, n)
                        continue
                    created = True
                instance = found
            row = rows[instance.state]
            if ns >= session.due:
                next_due(session, ns)  # perhaps it has been put off
            if (
                row is None
                or ns >= session.due
                or session.is_special
                or (created and kind.is_looked_at and row.work != _JUDGED)
            ):
                self._otherwise(session, kind, r, ns, n)
                continue
            owners = row.owners
            if owners is not None and r.owner not in owners:
                self._otherwise(session, kind, r, ns, n)
                continue
            if row.owed:
                missing = False
                for attribute in row.owed:
                    value = getattr(r, attribute)
                    if value is None or (type(value) is str and (not value or value.isspace())):
                        missing = True
                if missing:
                    self._otherwise(session, kind, r, ns, n)
                    continue
            pattern = kind.pattern
            if pattern is None or pattern.rest(r) != pattern.nothing:
                pattern = self._pattern(kind, r)
            if pattern.claims and not _claims(r, row):
                self._otherwise(session, kind, r, ns, n)
                continue
            is_valid = True
            for get, declared in pattern.fields:
                value = get(r)
                if value is None:
                    pattern = self._pattern(kind, r)
                    is_valid = self._is_valid(pattern, r)
                    break
                if (type(value) is not str or value not in declared.valid) and not declared.is_valid(value):
                    is_valid = False
            if not is_valid:
                self._otherwise(session, kind, r, ns, n)
                continue

            work = row.work
            if row.answers and session.obligations:
                work = _JUDGED
            if work == _NOTHING:
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
            elif work == _MOVES:
                session.clock = ns
                session.last = n
                self._move(session, instance, kind, row, r, ns, n)
            elif work == _SIGN:
                session.clock = ns
                session.last = n
                instance.passed = 0
                if session.watches is not None:
                    self._sign(session, kind, r, n)
            elif not self._busy(session, instance, kind, row, r, ns, n, is_judged=work == _JUDGED):
                self._otherwise(session, kind, r, ns, n)
                continue
            handled += 1
            pattern.times += 1
            if pattern.reason is not None:
                self._count_reason(pattern.reason(r))
            if counts_steps:
                session.steps += 1
            by_owner = row.by_owner
            if by_owner is None:
                row.used += 1
            else:
                owner = r.owner
                by_owner[owner] = by_owner.get(owner, 0) + 1
            if row.ends:
                monitor.put_away(session)
        self.handled += handled
        self.last_ns = ns
        monitor.last = last

    def _bare(self, session: Session, kind: Kind, r: Any, ns: int, n: int) -> bool:
        """An event that nothing takes and nothing waits for; False when it is for the monitor."""
        if ns >= session.due or session.is_special or (kind.answers and session.obligations):
            return False
        pattern = kind.pattern
        if pattern is None or pattern.rest(r) != pattern.nothing or any(get(r) is None for get, _ in pattern.fields):
            pattern = self._pattern(kind, r)
        if pattern.claims or not self._is_valid(pattern, r):
            return False
        for attribute in kind.owed:
            value = getattr(r, attribute)
            if value is None or (type(value) is str and (not value or value.isspace())):
                return False
        session.clock = ns
        session.last = n
        pattern.times += 1
        if pattern.reason is not None:
            self._count_reason(pattern.reason(r))
        session.steps += 1
        kind.taken += 1
        self.handled += 1
        return True

    def _pattern(self, kind: Kind, r: Any) -> _Pattern:
        """Which fields a row has; from now on the rows of its kind are expected to have the same."""
        present = [each for each in self._looked_for if getattr(r, each.attribute) is not None]
        claims = r.source is not None or r.target is not None
        asked = (str(claims), *(each.attribute for each in present))
        found = kind.patterns.get(asked)
        if found is None:
            absent = [each.attribute for each in self._looked_for if each not in present]
            if not claims:
                absent += ["source", "target"]
            found = _Pattern(present, absent, claims=claims)
            if len(kind.patterns) >= _MOST_PATTERNS:
                self._settle_patterns(kind)
                kind.patterns.clear()
            kind.patterns[asked] = found
        kind.pattern = found
        return found

    @staticmethod
    def _is_valid(pattern: _Pattern, r: Any) -> bool:
        return all(declared.is_valid(get(r)) for get, declared in pattern.fields)

    def _settle_patterns(self, kind: Kind) -> None:
        armed = self.monitor.book.armed
        for pattern in kind.patterns.values():
            for _, declared in pattern.fields:
                if declared.declared is not None:
                    armed[declared.declared.prop] += pattern.times
            pattern.times = 0

    def _count_reason(self, value: LogValue) -> None:
        if type(value) is str:
            self._reasons[value] = self._reasons.get(value, 0) + 1

    def _odd(
        self, odd: Callable[[int], None], n: int, first: int, ns: int | None, last: Position | None
    ) -> tuple[int | None, Position | None]:
        """Let the reader read a line again; returns the time and the position of the last record, now."""
        self.last_ns, self.monitor.last = ns, last
        odd(n - first)
        return self.last_ns, self.monitor.last

    def _created(self, session: Session, kind: Kind, key: object, ns: int, n: int) -> Instance | None:
        """The instance of a new key; None when the monitor has to look at it."""
        if type(key) is not str or ns >= session.due or session.is_special or _name(key) is None:
            return None
        table = kind.table
        assert table is not None
        declared = self._keys.get(table.keys[0])
        if declared is not None and not declared.is_valid(key):
            return None
        session.clock = ns
        return self.monitor.find_or_create(session, table, key, n)

    def _new_kind(self, r: Any) -> Kind | None:
        """The kind of a row that is the first of it; None when the reader has to look at the row."""
        if r is None:
            return None
        name, machine = r.event, r.machine
        if name is None or not name or name.isspace():
            return None
        tables = self.monitor.tables
        if machine is not None and machine not in tables.machines:
            return None
        by_name = self.kinds.setdefault(machine, {})
        kind = by_name.get(name)
        if kind is None:
            # The reader has to see the first of each name that is passed over or not known: it may be a slip.
            kind = self._kind(machine, name)
            if kind is None or (not kind.is_passed and not tables.is_in_vocabulary(name)):
                return None
            if len(by_name) < _MOST_VALUES:
                by_name[name] = kind
            if kind.is_passed:
                return None
            self.is_new(name)
        return kind

    def _otherwise(self, session: Session, kind: Kind, r: Any, ns: int, n: int) -> None:
        """Judge a row as the monitor judges any event."""
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
        self.monitor.judge_event(session, event, ns, n)

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
        if len(raw) in (24, 27) and raw[19] in ".," and raw[23:] in _MICROSECONDS and raw[20:23] in _MILLISECONDS:
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

    def _busy(
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
        for by_name in self.kinds.values():
            for kind in by_name.values():
                self._settle_patterns(kind)
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


def _claims(r: Any, row: LaneRow) -> bool:
    """Whether the states that a record claims are those of the row."""
    source, target = r.source, r.target
    return (source is None or source == row.source_name) and (target is None or target == row.target_name)


def _name(value: str | None) -> str | None:
    """A name as the reader gives it: what is blank is absent."""
    return None if value is None or not value or value.isspace() else value
