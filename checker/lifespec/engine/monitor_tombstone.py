"""A finished session in a few bytes, and back (DESIGN section 5: a finished session leaves a small tombstone).

A session is packed when it is complete, every instance of a machine with final states is in one, and nothing is
waited for; then nothing is lost: unpacked it is as it was. Owns what is packed; decides nothing about logs.
"""

from __future__ import annotations

from typing import Any

from msgspec import msgpack

from lifespec.engine.monitor_state import NEVER, Instance, Session
from lifespec.engine.table_machine import MachineTable
from lifespec.engine.table_value import NOT_SET
from lifespec.engine.tables import Tables

_PRIMITIVE = frozenset({str, int, float, bool})
_LONGEST_INT = 1 << 62
_MOST_PASSED = 1 << 46

_encode = msgpack.Encoder().encode
_decode = msgpack.Decoder().decode


def pack(session: Session, tables: Tables) -> bytes | None:
    """The session in a few bytes, if it is finished; None when it has to stay as it is."""
    plain = session.plain
    for table in tables.ending:
        if plain[table.plain_number].mask & ~table.finals:
            return None
    if (
        session.obligations
        or session.watches
        or session.windows
        or session.skipped
        or session.is_special
        or session.ended
        or session.is_time_doubtful
        or session.clocks is not None
        or session.stretches
        or session.clock is None
        or type(session.last) is not int
        or any(counter.holds for counter in (session.counters or {}).values())
    ):
        return None
    last = session.last
    parts: list[Any] = []
    for instance in plain:
        packed = _packed(instance, last)
        if packed is None:
            return None
        parts += packed
    keyed: list[Any] = []
    for slot, instances in enumerate(session.keyed):
        for key, instance in (instances or {}).items():
            packed = _packed(instance, last) if instance.mask & instance.table.finals else None
            if packed is None or type(key) is not str:
                return None
            keyed += [slot, key, instance.order, *packed]
    armed = [number for pair in (session.armed or {}).items() for number in pair]
    head = [last, session.clock, session.stood, session.steps, session.violated, session.order, session.number]
    if max(map(abs, head)) > _LONGEST_INT or type(session.first) is not int:
        return None
    return _encode((*head, last - session.first, bytes(armed) if max(armed, default=0) < 256 else armed, parts, keyed))


def _packed(instance: Instance, last: int) -> list[Any] | None:
    """State, flags and states passed in one number, event, how far before `last` it was entered, what it remembers."""
    table = instance.table
    if instance.stays is not None or instance.passed >= _MOST_PASSED or type(instance.place) is not int:
        return None
    if instance.mask & (table.timed if table.slot < 0 else table.interesting):
        return None
    memory: list[Any] | None = None
    if instance.memory is not None:
        memory = []
        for value, place in zip(instance.memory[::2], instance.memory[1::2], strict=True):
            if value is NOT_SET:
                memory += [None, 0]
            elif type(value) in _PRIMITIVE and type(place) is int and not _is_long(value):
                memory += [value, last - place]
            else:
                return None
    event: int | str = -1
    if instance.event is not None:  # by its name where it is another machine's: this one reacted
        event = instance.table.event_numbers.get(instance.event, instance.event)
    return [instance.state | instance.flags << 10 | instance.passed << 16, event, last - instance.place, memory]


def _is_long(value: object) -> bool:
    return type(value) is int and abs(value) >= _LONGEST_INT


def unpack(packed: bytes, name: str, tables: Tables) -> Session:
    """The session that was packed."""
    last, clock, stood, steps, violated, order, number, since_first, armed, parts, keyed = _decode(packed)
    session = Session(name, last - since_first, last, clock, stood, tables.no_keys, tables.no_keys)
    session.number = number
    session.due = NEVER
    session.steps, session.violated, session.order = steps, violated, order
    session.armed = dict(zip(armed[::2], armed[1::2], strict=True)) if armed else None
    session.asked = session.holding = (1 << len(tables.always)) - 1
    session.dirty = -1 if tables.always else 0
    session.plain = [
        _unpacked(parts[4 * place : 4 * place + 4], table, None, place, last)
        for place, table in enumerate(tables.plain)
    ]
    found: list[dict[Any, Instance] | None] = [None] * tables.keyed_count
    for place in range(0, len(keyed), 7):
        slot, key, age = keyed[place : place + 3]
        instances = found[slot]
        if instances is None:
            instances = found[slot] = {}
        instances[key] = _unpacked(keyed[place + 3 : place + 7], tables.keyed[slot], key, age, last)
    if keyed:
        session.keyed = found
    session.look_at_itself()
    return session


def _unpacked(packed: list[Any], table: MachineTable, key: str | None, order: int, last: int) -> Instance:
    state, event, since, memory = packed
    number, flags, passed = state & 1023, state >> 10 & 63, state >> 16
    name = event if type(event) is str else None if event < 0 else table.event_list[event]
    instance = Instance(table, key, order, number, 1 << number, None, last - since, name, flags)
    instance.passed = passed
    if memory is not None:
        instance.memory = []
        for value, place in zip(memory[::2], memory[1::2], strict=True):
            instance.memory += [NOT_SET, None] if value is None else [value, last - place]
    return instance
