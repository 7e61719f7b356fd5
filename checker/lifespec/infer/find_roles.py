"""Which field of a record is what. Owns the order of the guesses, by shape first, and what a person said instead.

A name alone never decides, but among fields of the right shape the one with a telling name wins. Every guess comes with
a `why` for people, and a person can say otherwise (`Choices`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set

from lifespec.infer.column import Column, columns_of
from lifespec.infer.event_role import find_event, find_machine, find_owner
from lifespec.infer.flat import Path, Record, Seen
from lifespec.infer.name import is_writable, plain
from lifespec.infer.role import MOST_MACHINES, MOST_STATES, Choices, NoSuchField, Role, Roles, Unfit, values_of, written
from lifespec.infer.session_role import find_session
from lifespec.infer.state_role import find_source, find_states
from lifespec.infer.time_role import find_time

_NONE = "none"
_ASKED = "as was asked"


def find_roles(seen: Seen, choices: Choices) -> Roles:
    """The parts of an event in these records. Raises NoSuchField, Unfit."""
    columns = columns_of(seen.records, seen.objects)
    roles = Roles(columns, seen.records, keys=tuple(_given(columns, key) for key in choices.keys if key != _NONE))
    roles.has_keys = _NONE not in choices.keys
    asked = {
        part: _given(columns, text)
        for part in ("session", "time", "event", "state", "source", "machine", "owner")
        if (text := getattr(choices, part)) not in (None, _NONE)
    }
    roles.asked = tuple(asked.values())
    for part, most in (("state", 5 * MOST_STATES), ("source", 5 * MOST_STATES), ("machine", MOST_MACHINES)):
        if part in asked:
            _see_names(columns[asked[part]], most)

    def said(part: str) -> Role | None:
        return Role(asked[part], f"{_ASKED}, {values_of(columns[asked[part]])}") if part in asked else None

    def is_open(part: str) -> bool:
        return getattr(choices, part) is None

    if "time" in asked or is_open("time"):
        roles.time = find_time(columns, seen.records, asked.get("time"), roles.taken)
        if "time" in asked and roles.time is None:
            raise Unfit(choices.time or "", _why_no_time(columns[asked["time"]]))
    roles.event = said("event")
    roles.session = find_session(roles) if is_open("session") else said("session")
    roles.to, roles.source = said("state"), said("source")
    if is_open("state"):
        roles.to, found = find_states(roles)
    elif roles.to is not None and is_open("source"):
        found = find_source(roles, columns[roles.to.path])
    else:
        found = None
    if is_open("source"):
        roles.source = found
    if is_open("event"):
        roles.event = find_event(roles)
    if roles.to is None and roles.event is not None:
        roles.source = None
    roles.machine = find_machine(roles) if is_open("machine") else said("machine")
    roles.owner = find_owner(roles) if is_open("owner") else said("owner")
    _drop_header(roles, seen.objects)
    return roles


def _why_no_time(column: Column) -> str:
    number = column.comma_number
    if number is None:
        return "holds no times: neither ISO 8601 nor numbers"
    return (
        f"holds numbers with a decimal comma, such as `{plain(number, 40)}`, which are not seen as times: draft with "
        '`--time none`, then let the binding put a dot there, `match KEY "{a},{b}"` and `time = "{a}.{b}" as s since '
        "start` (docs/how-to/bind-odd-logs.md)"
    )


def _given(columns: Mapping[Path, Column], text: str) -> Path:
    for path in columns:
        if written(path) == text:
            return path
    raise NoSuchField(text, [written(path) for path in columns])


def _see_names(column: Column, most: int) -> None:
    """Raises Unfit for a field that a person named whose values are no names, or too many."""
    field = written(column.path)
    if column.distinct == 0:
        raise Unfit(field, "holds no names: neither text nor whole numbers")
    if column.distinct > most:
        raise Unfit(field, f"has {column.distinct} values, and at most {most} are drafted")
    odd = next((value for value in column.values if not is_writable(value)), None)
    if odd is not None:
        raise Unfit(field, f"has names that cannot be written, such as `{plain(odd, 40)}`")


def _drop_header(roles: Roles, objects: Set[Path]) -> None:
    """Takes away the first record of each log if in all of them it has neither time nor event nor state."""
    parts = [part.path for part in (roles.time, roles.event, roles.to) if part is not None]
    first: dict[int, Record] = {}
    for record in roles.records:
        first.setdefault(record.log, record)
    if not parts or len(first) * 2 > len(roles.records):
        return
    if any(path in record.values for record in first.values() for path in parts):
        return
    if Counter(path in record.values for record in roles.records for path in parts)[True] * 3 < len(roles.records):
        return
    headers = {id(record) for record in first.values()}
    roles.records = [record for record in roles.records if id(record) not in headers]
    roles.columns = columns_of(roles.records, objects)
    roles.header_first = True
