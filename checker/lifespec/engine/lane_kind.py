"""What the fast lane does with an event: which events are simple enough for it, and what of a state they change.

Owns what is simple. Judges no row, and knows nothing of how rows are read.
"""

from __future__ import annotations

from collections.abc import Mapping

from lifespec.engine.table_machine import MachineTable, Way
from lifespec.engine.table_rule import Looks
from lifespec.engine.tables import Tables
from lifespec.model.model import On
from lifespec.model.value import Type

# How much a row has to do, from the least.
NOTHING = 0  # the state changes, and nobody looks
MOVES = 1  # indexes change, or an `always` may
SIGN = 2  # it stays, and may be a sign of life
ASKS = 3  # it has a `require`, or remembers
JUDGED = 4  # reactions or rules wait for it

ABSENT = "absent"  # the attribute of a field that no row has

_KEY_TYPES = frozenset({Type.TEXT, Type.ONE_OF, Type.INT})


class LaneRow:
    """What the lane does with an event in one state.

    How much it has to do is in `work`. `always` are the conditions that must hold and that the move may change. `owed`
    are the attributes that a record owes. `used` counts how often the row was taken, when only one owner may cause it,
    else `by_owner` does, by owner.
    """

    def __init__(self, way: Way, state: int, tables: Tables, attributes: Mapping[str, str], name: str) -> None:
        table = way.table
        self.way = way
        self.goes: int = state if way.stays else way.goes
        self.mask: int = 1 << self.goes
        self.enters: bool = not way.stays
        owed = [f for f in way.owed(self.goes, enters=self.enters) if f not in tables.client.lacking_fields]
        self.owed: tuple[str, ...] = tuple(attributes.get(field, ABSENT) for field in owed)
        self.owners = way.owners
        self.used: int = 0
        self.by_owner: dict[str | None, int] | None = {} if way.owners is None or len(way.owners) != 1 else None
        self.source_name: str = table.names[state]
        self.target_name: str = table.names[self.goes]
        before, after = table.interesting >> state & 1, table.interesting >> self.goes & 1
        self.leaves: bool = self.enters and table.slot >= 0 and before == 1 and after == 0
        arrives = self.enters and table.slot >= 0 and after == 1 and before == 0
        self.is_timed: bool = self.enters and table.timed & (1 << state | 1 << self.goes) != 0
        self.reacts: bool = self.enters and table.causes >> self.goes & 1 == 1
        self.answers: bool = name in tables.expect_names
        self.ends: bool = self.enters and table.finals >> self.goes & 1 == 1 and len(tables.ending) > 0
        self.always = tuple(part for part in tables.always if self._may_change(part.looks, table, state))
        others = [part.looks for part in tables.whiles] + [part.looks for part in tables.at_most_whiles]
        others += [looks for part in tables.expects for looks in part.looks]
        is_judged = name in tables.on_names or any(self._may_change(looks, table, state) for looks in others)
        is_sign = name in tables.watch_names
        asks = bool(way.require or way.remembers)
        self.work: int = NOTHING
        if is_judged or self.reacts or (is_sign and (self.always or not way.stays or asks)):
            self.work = JUDGED
        elif asks:
            self.work = ASKS
        elif is_sign:
            self.work = SIGN
        elif self.is_timed or arrives or self.always:
            self.work = MOVES

    def _may_change(self, looks: Looks, table: MachineTable, state: int) -> bool:
        """Whether a condition that looks at something may come out otherwise after it."""
        moved = self.enters and looks.is_moved_by(table, state, self.goes)
        return moved or (bool(self.way.remembers) and looks.is_written_by(table)) or looks.always

    def count(self) -> int:
        """How often it was taken since it was last asked for."""
        return self.used if self.by_owner is None else sum(self.by_owner.values())


class Kind:
    """What the lane knows of one event name on records that name one machine, or none.

    With `rows` it is for `table`, with one for each state (None: for the monitor); `is_bare` means that nothing takes
    it and nothing waits for it, `owed` are the attributes that it then owes, and `owes` is the property that says so.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_passed: bool = False
        self.is_bare: bool = False
        self.answers: bool = False
        self.owed: tuple[str, ...] = ()
        self.owes: int = -1
        self.taken: int = 0  # times it was judged by the lane, of a bare one
        self.seen: int = 0  # times it was passed over
        self.other: int = 0  # times it was judged by the monitor itself
        self.table: MachineTable | None = None
        self.rows: list[LaneRow | None] | None = None
        self.key: str = ""  # the attribute that picks the instance
        self.slot: int = -1
        self.plain_number: int = -1
        self.is_looked_at: bool = False  # a condition may come out otherwise when there is a new instance

    @property
    def is_simple(self) -> bool:
        """Whether the lane may judge it."""
        return self.is_bare or self.rows is not None

    def total(self) -> int:
        """How often the lane judged it since it was last asked for."""
        return self.taken + sum(row.count() for row in self.rows or () if row is not None)


def find_kind(tables: Tables, attributes: Mapping[str, str], machine: str | None, name: str) -> Kind:
    """What to do with an event of this name; `attributes` are those of a row, by name of the field."""
    kind = Kind(name)
    dispatch = tables.dispatch(name, machine, None)
    table = dispatch.single
    spec = tables.event_specs.get(name)
    if not dispatch.own and dispatch.known and name not in tables.pause_names and not tables.looks_at_clock:
        _make_bare(kind, tables, attributes)
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
        attribute = attributes.get(table.keys[0])
        declared = tables.model.fields.get(table.keys[0])
        if len(table.keys) > 1 or attribute is None or (declared is not None and declared.type not in _KEY_TYPES):
            return kind
        kind.key = attribute
    rows: list[LaneRow | None] = [_row(tables, attributes, table, state, name) for state in range(len(table.names))]
    kind.rows = [*rows, None]  # the last one stands for an instance that may be in several states
    return kind


def _make_bare(kind: Kind, tables: Tables, attributes: Mapping[str, str]) -> None:
    spec = tables.event_specs.get(kind.name)
    if spec is not None and spec[0].requires:
        kind.owes = spec[1]
        lacking = tables.client.lacking_fields
        kind.owed = tuple(attributes.get(f, ABSENT) for f in spec[0].requires if f not in lacking)
    kind.answers = kind.name in tables.expect_names
    kind.is_bare = kind.name not in tables.on_names and kind.name not in tables.watch_names and ABSENT not in kind.owed


def _row(tables: Tables, attributes: Mapping[str, str], table: MachineTable, state: int, name: str) -> LaneRow | None:
    ways = table.candidates(state, name, None, frozenset({None}))
    if not ways or ways[0].where is not None or not isinstance(ways[0].transition.trigger, On):
        return None
    row = LaneRow(ways[0], state, tables, attributes, name)
    return None if ABSENT in row.owed else row
