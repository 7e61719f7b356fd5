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
from lifespec.engine.monitor_state import AT_ONCE, Happening, Instance, Position, Session, Step
from lifespec.engine.table_value import Unknown, Value, reader_of
from lifespec.engine.tables import TIME, MachineTable, Tables, Way
from lifespec.model.model import On
from lifespec.model.value import LogValue, Type

_MOST_SECONDS = 100_000  # of which the instant is kept
_MOST_VALUES = 10_000  # of declared fields, of which it is kept that they are valid
_THREE_DIGITS = {f"{number:03}": number for number in range(1000)}
_MICROSECONDS = {f"{number:03}Z": number * 1000 for number in range(1000)} | {"Z": 0}
_MILLISECONDS = {text: number * 1_000_000 for text, number in _THREE_DIGITS.items()}
_KEY_TYPES = frozenset({Type.TEXT, Type.ONE_OF, Type.INT})


class LaneRow:
    """What the lane does with an event in one state. `used` counts how often it did, when only one owner may cause
    it, else `by_owner` does, by owner."""

    __slots__ = (
        "bit",
        "by_owner",
        "enters",
        "goes",
        "is_quiet",
        "is_sign",
        "judges",
        "leaves",
        "mask",
        "owed",
        "owners",
        "reacts",
        "source_name",
        "target_name",
        "used",
        "way",
    )  # fmt: skip

    def __init__(self, way: Way, state: int, lane: Lane, name: str) -> None:
        table, tables = way.table, lane.monitor.tables
        self.way = way
        self.goes = state if way.stays else way.goes
        self.mask = 1 << self.goes
        self.enters = not way.stays
        self.bit = table.bit
        lacking = tables.client.lacking_fields
        owed = [f for f in way.owed(self.goes, enters=self.enters) if f not in lacking]
        self.owed = tuple(lane.attributes.get(field, _ABSENT) for field in owed)
        self.owners = way.owners
        self.used = 0
        self.by_owner: dict[str | None, int] | None = {} if way.owners is None or len(way.owners) != 1 else None
        self.source_name = table.names[state]
        self.target_name = table.names[self.goes]
        looked_at = bool(table.bit & lane.looked_at)
        self.reacts = self.enters and bool(table.causes >> self.goes & 1)
        is_named = name in lane.rule_names
        changes = self.enters or bool(way.remembers)
        self.judges = is_named or self.reacts or (looked_at and changes) or bool(lane.looked_at & TIME)
        before, after = table.interesting >> state & 1, table.interesting >> self.goes & 1
        untimed = not self.enters or not table.timed & (1 << state | 1 << self.goes)
        self.leaves = bool(self.enters and table.slot >= 0 and before and not after)
        arrives = self.enters and table.slot >= 0 and after and not before
        plain = not way.require and not way.remembers
        self.is_quiet = plain and not self.judges and untimed and not arrives
        self.is_sign = way.stays and plain and name in lane.sign_names


_ABSENT = "absent"


class _Declared:
    """A declared field: its attribute, its property (-1: none), what reads it, and texts that are known to be valid."""

    __slots__ = ("attribute", "prop", "read", "valid")

    def __init__(self, attribute: str, prop: int, read: Callable[[LogValue], Value] | None) -> None:
        self.attribute = attribute
        self.prop = prop
        self.read = read
        self.valid: set[str] = set()


class Kind:
    """What the lane knows of one event name on records that name one machine, or none."""

    __slots__ = (
        "armed_slot", "is_looked_at", "is_passed", "key", "name", "other", "plain_number", "rows", "seen", "slot",
        "table",
    )  # fmt: skip

    def __init__(self, name: str) -> None:
        self.name = name
        self.seen = 0
        self.other = 0  # of these judged by the monitor itself
        self.is_passed = False
        self.table: MachineTable | None = None
        self.rows: list[LaneRow | None] | None = None
        self.key: Callable[[Any], Any] | None = None
        self.slot = -1
        self.plain_number = -1
        self.armed_slot = -1
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
    """Judges rows with a monitor.

    `attributes` are the attributes of rows by name of the field, of the declared ones `f0` and so on. `odd` reads a row
    again, by its number in the block, and judges what it finds; `time_of` reads a time, `unit_ns` is the unit of a
    whole number in one. `passed` are names that are passed over; with `kept` so are
    all that are not known, but these.
    """

    def __init__(
        self,
        monitor: Monitor,
        attributes: Mapping[str, str],
        time_of: Callable[[LogValue], int | None],
        unit_ns: int | None,
        is_known: Callable[[str], bool],
        passed: frozenset[str],
        kept: frozenset[str] | None,
    ) -> None:
        tables = monitor.tables
        self.monitor = monitor
        self.attributes = attributes
        self._time_of = time_of
        self._unit_ns = unit_ns
        self._is_known = is_known
        self._passed = passed
        self._kept = kept
        self.is_new: Callable[[str], object] = str  # told of each name when it first occurs
        self.looked_at = 0
        for masks in (tables.always, tables.whiles, tables.at_most_whiles, tables.expects):
            for part in masks:
                self.looked_at |= part.looks_at
        self.rule_names = tables.on_names | tables.watch_names | tables.expect_names | tables.pause_names
        signs = [every for part in tables.whiles for every in part.every]
        simple = all(answer.where is None and not answer.same for every in signs for answer in every.answers)
        others = tables.on_names | tables.expect_names | tables.pause_names
        simple = simple and not self.looked_at & TIME
        self.sign_names = tables.watch_names - others if simple else frozenset[str]()
        self._counts_steps = bool(tables.always)
        self.kinds: dict[str | None, dict[str | None, Kind]] = {}
        self.untimed: set[str] = set()  # sessions of which no time has been read yet
        self.last_ns: int | None = None  # the time of the last row that was not passed over
        self._seconds: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._declared = [
            _Declared(attributes[name], prop, read=reader_of(spec))
            for name, spec, prop in tables.fields
            if name in attributes
        ]
        if "reason" in attributes and "reason" not in tables.model.fields:
            self._declared.append(_Declared(attributes["reason"], -1, read=None))
        self._reason = attributes.get("reason")
        more = [each.attribute for each in self._declared if each.attribute not in _FIRST]
        self._more = attrgetter(*more) if more else None
        self._nothing: object = None if len(more) == 1 else (None,) * len(more)
        self.handled = 0  # rows judged here
        self.new_sessions = 0

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
        if table is None or (spec is not None and spec[0].requires) or name in tables.pause_names:
            return kind
        if table.has_triggerless or (machine is not None and not dispatch.named):
            return kind
        kind.table = table
        kind.slot, kind.plain_number = table.slot, table.plain_number
        kind.is_looked_at = bool(table.bit & self.looked_at)
        kind.armed_slot = tables.counted_slot[table.transitions_prop]
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

    def _row(self, table: MachineTable, state: int, name: str) -> LaneRow | None:
        ways = table.candidates(state, name, None, frozenset({None}))
        if not ways or ways[0].where is not None or not isinstance(ways[0].transition.trigger, On):
            return None
        row = LaneRow(ways[0], state, self, name)
        return None if _ABSENT in row.owed else row

    # --- rows ------------------------------------------------------------------------------------------

    def run(self, rows: list[Any], first: int, odd: Callable[[int], None]) -> None:
        """Judge the rows of a block; the first stands at the position `first`."""
        monitor = self.monitor
        sessions, kinds = monitor.sessions, self.kinds
        seconds, milliseconds, microseconds = self._seconds, _MILLISECONDS, _MICROSECONDS
        more, nothing = self._more, self._nothing
        counts_steps, untimed = self._counts_steps, self.untimed
        end = AT_ONCE if monitor.end is None else monitor.end
        now, last = self.last_ns, monitor.last
        handled = 0
        row: LaneRow | None
        for n, r in enumerate(rows, first):
            try:
                kind = kinds[r.machine][r.event]
            except (KeyError, AttributeError):
                made = self._new_kind(r)
                if made is None:
                    now, end, last = self._odd(odd, n, first, now, end, last)
                    continue
                kind = made
            if kind.is_passed:
                if r.target is None or kind.name in self._passed:
                    kind.seen += 1
                else:
                    now, end, last = self._odd(odd, n, first, now, end, last)
                continue

            t = r.time
            try:
                ns = seconds[t[:20]] + milliseconds[t[20:23]] + microseconds[t[23:]]
            except (KeyError, TypeError):
                ns = self._time(t)  # type: ignore[assignment]  # None is handed on at once
                if ns is None:
                    now, end, last = self._odd(odd, n, first, now, end, last)
                    continue
            session = sessions.get(r.session)
            if session is None:
                if _name(r.session) is None:
                    now, end, last = self._odd(odd, n, first, now, end, last)
                    continue
                session = monitor.session(r.session, n, ns)
                self.new_sessions += 1
            elif session.clock is None or ns < session.clock or (untimed and r.session in untimed):
                now, end, last = self._odd(odd, n, first, now, end, last)
                continue
            now, last = ns, n
            if ns > end:
                end = ns
            kind.seen += 1

            if kind.rows is None:
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
            row = kind.rows[instance.state]
            if (
                row is None
                or ns >= session.due
                or session.is_special
                or (r.target is not None and r.target != row.target_name)
                or (r.source is not None and r.source != row.source_name)
                or (created and kind.is_looked_at and not row.judges)
            ):
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
            owners = row.owners
            if owners is not None and r.owner not in owners:
                self._otherwise(session, kind, r, ns, n)
                continue
            if (
                r.f0 is not None
                or r.f1 is not None
                or r.f2 is not None
                or r.f3 is not None
                or r.f4 is not None
                or r.f5 is not None
                or (more is not None and more(r) != nothing)
            ) and not self._fields_are_valid(r):
                self._otherwise(session, kind, r, ns, n)
                continue

            if row.is_quiet:
                session.clock = ns
                session.last = n
                instance.passed = 0
                if row.enters:
                    instance.state = row.goes
                    instance.mask = row.mask
                    instance.place = n
                    instance.event = kind.name
                    instance.flags = 0
                    session.dirty |= row.bit
                    if row.leaves:
                        del session.live[kind.slot][instance.order]  # type: ignore[union-attr]  # it is in there
            elif row.is_sign:
                session.clock = ns
                session.last = n
                instance.passed = 0
                if session.watches is not None:
                    self._sign(session, kind.name, ns, n)
            elif self._busy(session, instance, kind, row, r, ns, n):
                handled += 1
                continue
            else:
                self._otherwise(session, kind, r, ns, n)
                continue
            handled += 1
            if kind.armed_slot >= 0:
                session.armed[kind.armed_slot] += 1
            if counts_steps:
                session.steps += 1
            by_owner = row.by_owner
            if by_owner is None:
                row.used += 1
            else:
                owner = r.owner
                by_owner[owner] = by_owner.get(owner, 0) + 1
        self.handled += handled
        self.last_ns = now
        monitor.end = None if end == AT_ONCE else end
        monitor.last = last

    def _odd(
        self, odd: Callable[[int], None], n: int, first: int, now: int | None, end: int, last: Position | None
    ) -> tuple[int | None, int, Position | None]:
        """Let the reader read a row again; returns what may have changed by that."""
        monitor = self.monitor
        self.last_ns, monitor.last = now, last
        monitor.end = None if end == AT_ONCE else end
        odd(n - first)
        return self.last_ns, AT_ONCE if monitor.end is None else monitor.end, monitor.last

    def _created(self, session: Session, kind: Kind, key: object, ns: int, n: int) -> Instance | None:
        """The instance of a new key; None when the monitor has to look at it."""
        if type(key) is not str or ns >= session.due or session.is_special or _name(key) is None:
            return None
        table = kind.table
        assert table is not None
        if type(table.key_readers[0][1](key)) is Unknown:
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

    def _fields_are_valid(self, r: Any) -> bool:
        """Whether each declared field of a row is of its type; counts them if so."""
        for each in self._declared:
            value = getattr(r, each.attribute)
            if value is None or each.read is None:
                continue
            kind = type(value)
            if kind is list or kind is dict:
                return False
            if kind is str and value in each.valid:
                continue
            if type(each.read(value)) is Unknown:
                return False
            if kind is str:
                if len(each.valid) > _MOST_VALUES:
                    each.valid.clear()
                each.valid.add(value)
        self._count_fields(r, 1)
        return True

    def _count_fields(self, r: Any, times: int) -> None:
        book = self.monitor.book
        for each in self._declared:
            if each.prop >= 0 and getattr(r, each.attribute) is not None:
                book.armed[each.prop] += times
        if self._reason is not None:
            reason = getattr(r, self._reason)
            if type(reason) is str:
                left = book.reasons.get(reason, 0) + times
                if left:
                    book.reasons[reason] = left
                else:
                    del book.reasons[reason]

    # --- rows that concern something else --------------------------------------------------------------

    def _sign(self, session: Session, name: str, ns: int, n: int) -> None:
        """A sign of life, and nothing else."""
        assert session.watches is not None
        active = ns - session.stood
        for watch in session.watches.values():
            if name in watch.every.names:
                self.monitor.book.arm(session, watch.every.rule.prop_number)
                watch.since = active
                watch.sign = n
                if watch.silent:
                    watch.silent = False
                    session.due = AT_ONCE

    def _busy(self, session: Session, instance: Instance, kind: Kind, row: LaneRow, r: Any, ns: int, n: int) -> bool:
        """Take a legal step that asks, remembers, or that something waits for; False when it is for the monitor."""
        monitor = self.monitor
        way = row.way
        event = Happening(kind.name, r.machine, None, None, False, r.owner or None, RowFields(r, self.attributes))
        before, session.clock = session.clock, ns
        unknown = 0
        for condition, _ in way.require:
            holds = condition(session, event, instance, None, None, None)
            if holds is False:
                session.clock = before
                self._count_fields(r, -1)  # the monitor will
                return False
            if holds is not True:
                unknown += 1
        values = [(number, value(session, event, instance, None, None, None)) for number, value in way.remembers]
        book, mover = monitor.book, monitor.mover
        prop = way.table.transitions_prop
        book.armed[prop] += len(way.require)
        if kind.armed_slot >= 0:
            session.armed[kind.armed_slot] += 1 + len(way.require)
        for _ in range(unknown):
            book.skip(session, prop)
        session.last = n
        step = Step(n)
        step.happenings.append(event)
        event.machines = way.table.member
        instance.passed = 0
        if row.enters:
            mover.enter(session, step, instance, row.goes, kind.name)
        for number, value in values:
            mover.write(session, instance, number, value, n)
        if row.reacts:
            mover.react(session, step, event)
        if row.judges:
            monitor.rules.judge(session, step)
            book.steps -= 1  # counted with the rows handled here
        else:
            session.steps += 1
        by_owner = row.by_owner
        if by_owner is None:
            row.used += 1
        else:
            owner = r.owner
            by_owner[owner] = by_owner.get(owner, 0) + 1
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
        for by_name in self.kinds.values():
            for kind in by_name.values():
                if not kind.seen:
                    continue
                seen.append((kind.name, kind.seen, kind.is_passed))
                taken = kind.seen - kind.other
                kind.seen = kind.other = 0
                if kind.is_passed or not taken or kind.table is None or kind.rows is None:
                    continue
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
        if row.enters and row.is_quiet:
            entered = (row.way.table.number, row.goes)
            book.states[entered] = book.states.get(entered, 0) + total
        row.used = 0
        if row.by_owner:
            row.by_owner = {}


_FIRST = frozenset(f"f{number}" for number in range(6))


def _name(value: str | None) -> str | None:
    """A name as the reader gives it: what is blank is absent."""
    return None if value is None or not value or value.isspace() else value


__all__ = ["Lane", "Tables"]
