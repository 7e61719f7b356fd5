"""What the rows of an event look like, learnt from the log.

Records of one event nearly always have the same fields, of the same types. A decoder that expects just these tells at
once that a row has what it owes and nothing of which more must be asked. Owns what is expected, and what there is
left to ask of a row that is so; a row that is not is judged without expecting anything, so that what was learnt when
changes no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal

from msgspec import Meta

from lifespec.engine.lane_kind import Kind
from lifespec.engine.table_field import FieldTable
from lifespec.engine.tables import Tables
from lifespec.model.value import Type

_MOST_VALUES = 4096  # of which it is remembered that they are valid
_SENSIBLE = 10**9
_NUMBERS = frozenset({int, Decimal})
_LENGTHS = frozenset({Type.NUMBER, Type.DURATION})


class Looked:
    """A field of which it matters whether a row has it: its attribute, and what is declared of it, if so."""

    def __init__(self, name: str, attribute: str, declared: FieldTable | None, *, is_read: bool) -> None:
        self.name = name
        self.attribute = attribute
        self.declared = declared
        self.is_read = is_read  # by a condition

    def is_valid(self, value: Any) -> bool:
        """Whether a value may be there."""
        if self.declared is None:
            return type(value) is not list and type(value) is not dict
        return self.declared.is_valid(value)


class Check:
    """What is left to ask of one attribute: that it is valid, and not blank if it is owed. Remembers valid texts."""

    def __init__(self, attribute: str, is_valid: Callable[[Any], bool], *, is_owed: bool) -> None:
        self.attribute = attribute
        self.known: set[str] = set()
        self._is_valid = is_valid
        self._is_owed = is_owed

    def passes(self, value: Any) -> bool:
        """Whether the value will do; None is an absent one."""
        if value is None:
            return not self._is_owed
        if type(value) is not str:
            return self._is_valid(value)
        if (self._is_owed and (not value or value.isspace())) or not self._is_valid(value):
            return False
        if len(self.known) >= _MOST_VALUES:
            self.known.clear()
        self.known.add(value)
        return True


class Counter:
    """How often a declared field was there that not all rows have."""

    def __init__(self, attribute: str, prop: int) -> None:
        self.attribute = attribute
        self.prop = prop
        self.times: int = 0


class Shape:
    """What is expected of the rows of one event.

    `types` has for each attribute its type and whether it may be absent, as `msgspec` is told. `kind` is what the rows
    are when they all name one machine, or none; else `kinds` says it by the machine. `always` are the properties of
    declared fields that every row has.
    """

    def __init__(self, name: str, kinds: Mapping[str | None, Kind]) -> None:
        self.name = name
        self.kinds = dict(kinds)
        self.kind: Kind | None = next(iter(kinds.values())) if len(kinds) == 1 else None
        self.types: dict[str, tuple[Any, bool]] = {}
        self.checks: tuple[Check, ...] = ()
        self.counters: tuple[Counter, ...] = ()
        self.always: tuple[int, ...] = ()
        self.reason: str | None = None
        self.checks_owner: bool = False
        self.claims: bool = False  # a state
        self.owed: frozenset[str] = frozenset()  # attributes that every row has that fits

    def total(self) -> int:
        """How often a row of it was judged by the lane since it was last asked for."""
        return sum(kind.total() for kind in self.kinds.values())


class Learnt:
    """What rows of one event were seen to have."""

    def __init__(self) -> None:
        self.machines: set[str | None] = set()
        self.types: dict[str, set[type]] = {}
        self.lacking: set[str] = set()  # attributes that some row did not have
        self.claims = False
        self.is_text = True  # each time is

    def learn(self, row: Any, looked: Sequence[Looked]) -> bool:
        """See one more row; whether it had something new."""
        before = self._size()
        self.machines.add(row.machine)
        self.claims = self.claims or row.source is not None or row.target is not None
        self.is_text = self.is_text and type(row.time) is str
        for each in looked:
            value = getattr(row, each.attribute)
            if value is None:
                self.lacking.add(each.attribute)
            else:
                self.types.setdefault(each.attribute, set()).add(type(value))
        return self._size() != before

    def _size(self) -> tuple[int, int, int, bool, bool]:
        types = sum(map(len, self.types.values()))
        return len(self.machines), types, len(self.lacking), self.claims, self.is_text


def shape_of(
    name: str,
    kinds: Mapping[str | None, Kind],
    learnt: Learnt,
    looked: Sequence[Looked],
    tables: Tables,
    parts: frozenset[str],
) -> Shape:
    """What to expect of the rows of an event after what was seen of them; all `kinds` are simple. `parts` are those
    that the rows of the log may have."""
    shape = Shape(name, kinds)
    shape.claims = learnt.claims
    shape.types["time"] = (str if learnt.is_text else Any, not learnt.is_text)
    shape.types["session"] = (str, False)
    if "machine" in parts:
        shape.types["machine"] = _names(learnt.machines)
    for part in ("source", "target"):
        if part in parts:
            shape.types[part] = (str | None if learnt.claims else None, True)
    if "owner" in parts:
        shape.types["owner"], shape.checks_owner = _owner(kinds, tables)
    shape.owed = _owed_by_all(kinds)
    checks: list[Check] = []
    counters: list[Counter] = []
    always: list[int] = []
    for each in looked:
        attribute = each.attribute
        is_owed = attribute in shape.owed
        types = learnt.types.get(attribute) or ({str} if is_owed else None)
        if types is None:
            shape.types[attribute] = (None, True)
            continue
        may_lack = attribute in learnt.lacking and not is_owed
        expected, is_checked = _type_of(each, types, is_owed=is_owed)
        shape.types[attribute] = (expected | None if may_lack else expected, may_lack)
        if is_checked:
            checks.append(Check(attribute, each.is_valid, is_owed=not may_lack))
        if each.declared is not None and may_lack:
            counters.append(Counter(attribute, each.declared.prop))
        elif each.declared is not None:
            always.append(each.declared.prop)
        if each.name == "reason":
            shape.reason = attribute
    asked = {each.attribute for each in looked}
    checks += [Check(a, _is_anything, is_owed=True) for a in sorted(shape.owed) if a not in asked]
    shape.checks, shape.counters, shape.always = tuple(checks), tuple(counters), tuple(always)
    return shape


def _is_anything(value: Any) -> bool:
    return True


def _names(names: set[str | None]) -> tuple[Any, bool]:
    """The type of a part that has just these names, and whether it may be absent."""
    known = tuple(sorted(name for name in names if name is not None))
    if not known:
        return None, True
    is_absent = None in names
    return (Literal[known] | None if is_absent else Literal[known]), is_absent


def _owner(kinds: Mapping[str | None, Kind], tables: Tables) -> tuple[tuple[Any, bool], bool]:
    """The type of the owner, and whether it has to be looked at for each row."""
    sets = {row.owners for kind in kinds.values() for row in kind.rows or () if row is not None}
    if any(kind.is_bare for kind in kinds.values()):
        sets.add(None)
    if len(sets) == 1:
        (owners,) = sets
        if owners is not None:
            return (Literal[tuple(sorted(owners))], False), False
    known = tuple(sorted(tables.model.owners))
    return (Literal[known] | None if known else str | None, True), sets != {None}


def _owed_by_all(kinds: Mapping[str | None, Kind]) -> frozenset[str]:
    owed = [frozenset(kind.owed) for kind in kinds.values() if kind.is_bare]
    owed += [frozenset(row.owed) for kind in kinds.values() for row in kind.rows or () if row is not None]
    return frozenset.intersection(*owed) if owed else frozenset()


def _type_of(looked: Looked, types: set[type], *, is_owed: bool) -> tuple[Any, bool]:
    """What type to expect, and whether more has to be asked of a value of this type."""
    declared = looked.declared
    if declared is not None:
        spec = declared.spec
        if spec.type is Type.ONE_OF and types == {str} and all(value and not value.isspace() for value in spec.values):
            return Literal[tuple(spec.values)], False
        if spec.type is Type.TEXT and types == {str} and spec.like is None:
            return str, is_owed
        is_length = spec.type in _LENGTHS and not spec.bounds
        if is_length and not looked.is_read and types <= _NUMBERS:
            return Annotated[float, Meta(gt=-_SENSIBLE, lt=_SENSIBLE)], False
    return (str if types == {str} else Any), True
