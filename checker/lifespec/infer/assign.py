"""Which record is for which machine, and for which instance. Owns the parting of a log into machines.

A record that names a machine is for it. One that does not is for every machine that knows its event, as the
language has it (S4); what is left is parted by the ids that it carries, then by the first word of its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from lifespec.infer.column import looks_like_id
from lifespec.infer.fields import Field
from lifespec.infer.flat import Value
from lifespec.infer.name import as_word, words_of
from lifespec.infer.role import Roles, written
from lifespec.infer.step import Step
from lifespec.trace.instant import iso8601_ns

_PREFIX = re.compile(r"([^\W\d_][\w-]*?)[.:/]")
_NO_KEY = {"reason", "status", "code", "result", "error", "message", "level", "url", "version", "index", "count",
           "at", "ms", "attempt", "seq", "sequence", "delay", "text", "data", "mode", "number", "time", "delta",
           "audio", "content", "payload", "body", "transcript"}  # fmt: skip
_ID = {"id", "sid", "uid", "uuid", "key", "ref"}

_NO_SUBJECT = {"new", "to", "current", "next", "target", "the"}

Instance = tuple[int, str]


@dataclass(slots=True)
class Group:
    """The steps of one machine to be. `by_field`: records name it; `why` says how it was found."""

    name: str
    steps: list[Step] = field(default_factory=list)
    key: Field | None = None
    by_field: bool = False
    why: str = ""

    @property
    def claims(self) -> bool:
        """Whether its records say states."""
        return any(step.to is not None or step.source is not None for step in self.steps)

    def instances(self) -> dict[Instance, list[Step]]:
        found: dict[Instance, list[Step]] = {}
        for step in self.steps:
            key = "" if self.key is None else self.key.key(step.record)
            if key is not None:
                found.setdefault((step.session, key), []).append(step)
        return found


@dataclass(slots=True)
class Assigned:
    """The machines to be; `default` is the one that records without a machine's name are said to be of."""

    groups: list[Group]
    default: str | None = None
    as_status: bool = False  # records repeat the state rather than telling of a change


def assign(roles: Roles, steps: Sequence[Step], fields: Sequence[Field]) -> Assigned:
    """Every step that has an event or a state, in the groups that it is for."""
    groups: dict[str, Group] = {}
    known: dict[str, dict[str, None]] = {}
    for step in steps:
        if step.machine is not None and (step.event is not None or step.to is not None):
            groups.setdefault(step.machine, Group(step.machine, by_field=True, why=_field_why(roles)))
            if step.event is not None:
                known.setdefault(step.event, {})[step.machine] = None
    unnamed = [step for step in steps if step.machine is None]
    default = _default_name(roles, groups) if any(step.to is not None for step in unnamed) else None
    if default is not None:
        groups[default] = Group(default, by_field=True, why="records that say a state without a machine")
        for step in unnamed:
            if step.to is not None and step.event is not None:
                known.setdefault(step.event, {}).setdefault(default)
    loose = [step for step in unnamed if step.event is not None and step.to is None and not known.get(step.event)]
    parted = _part(loose, fields, set(groups), default, roles)
    homes = {step.event: group for group in parted for step in group.steps}
    for group in parted:
        groups.setdefault(group.name, Group(group.name, key=group.key, why=group.why))
    for step in steps:
        for name in _takers(step, default, known, homes):
            groups[name].steps.append(step)
    for group in groups.values():
        if group.by_field and group.key is None:
            group.key = _key_of_named(group, fields, roles)
    return Assigned([group for group in groups.values() if group.steps], default)


def _field_why(roles: Roles) -> str:
    return "" if roles.machine is None else f"a value of `{written(roles.machine.path)}`"


def _default_name(roles: Roles, groups: Iterable[str]) -> str:
    """`connectionState` is the state of a connection; `state` alone that of the session."""
    names = ["session", "log", "whole"]
    words = [] if roles.to is None else words_of(roles.to.path[-1])
    if len(words) > 1 and words[-1] in ("state", "status", "phase") and words[0] not in _NO_SUBJECT:
        names.insert(0, "-".join(words[:-1]))
    if roles.to is not None and roles.to.path[-2:-1] in (("state",), ("states",)):
        names.insert(0, as_word(roles.to.path[-1]))
    return next(name for name in [*names, *(f"session-{n}" for n in range(2, 99))] if name not in groups)


def _takers(
    step: Step, default: str | None, known: dict[str, dict[str, None]], homes: dict[str | None, Group]
) -> Iterable[str]:
    """S4, for the machines to be."""
    if step.event is None and step.to is None:
        return ()
    machine = step.machine
    if machine is not None:
        return (machine,)
    if step.to is not None:
        assert default is not None
        return (default,)
    assert step.event is not None
    machines = known.get(step.event)
    if machines:
        return (default,) if default in machines else tuple(machines)
    home = homes.get(step.event)
    return () if home is None else (home.name,)


# --- keys of machines that records name --------------------------------------------------------------


def _key_of_named(group: Group, fields: Sequence[Field], roles: Roles) -> Field | None:
    """A field of every record of the machine, called like it, or one that parts its steps into plainer ways."""
    steps = group.steps
    for each in _asked(fields, roles):
        if all(each.key(step.record) is not None for step in steps):
            return each
    if len(steps) < 2 or not roles.has_keys:
        return None
    whole = _pairs(group)
    best: tuple[float, Field] | None = None
    for each in fields:
        if any(each.key(step.record) is None for step in steps):
            continue
        last = words_of(each.name)
        kin = _is_kin(last, words_of(group.name))
        if not kin and (set(last) & _NO_KEY or last[-1:] == ["name"]):
            continue
        if _is_times(each.value(step.record) for step in steps):
            continue
        instances = Group(group.name, steps, each).instances()
        several = len({session for session, _ in instances}) < len(instances)
        if not several and not (kin and set(last) & _ID) and not (kin and last == words_of(group.name)):
            continue
        if not several and len(instances) < 2:
            continue
        per_instance = len(steps) / len(instances)
        if not kin and (per_instance < 1.5 or len(steps) < 4):
            continue
        parted = _pairs(Group(group.name, steps, each))
        if not kin and len(parted) * 5 > len(whole) * 4:
            continue
        score = (10 if kin else 0) - len(parted) / max(1, len(whole))
        if best is None or score > best[0]:
            best = score, each
    return None if best is None else best[1]


def _asked(fields: Sequence[Field], roles: Roles) -> list[Field]:
    """The fields that a person named as keys, in their order."""
    return [each for path in roles.keys for each in fields if path in each.paths]


def _pairs(group: Group) -> set[tuple[str | None, str | None]]:
    """What follows what within an instance."""
    pairs: set[tuple[str | None, str | None]] = set()
    for steps in group.instances().values():
        last: str | None = None
        for step in steps:
            now = step.to or step.event
            pairs.add((last, now))
            last = now
    return pairs


def _is_kin(one: Sequence[str], two: Sequence[str]) -> bool:
    """`stream_id` and `stream`, `cred` and `credential`."""
    bare = [word for word in one if word not in _ID] or list(one)
    return any(a == b or (min(len(a), len(b)) >= 4 and (a.startswith(b) or b.startswith(a))) for a in bare for b in two)


# --- what names no machine ---------------------------------------------------------------------------


def _part(
    loose: Sequence[Step], fields: Sequence[Field], names: set[str], default: str | None, roles: Roles
) -> list[Group]:
    """Events by the ids that all of their records carry, the rest by the first word of their names."""
    groups: list[Group] = []
    taken = set(names)
    rest = list(loose)
    asked = _asked(fields, roles)
    found = [each for each in _keys_of_loose(loose, fields) if each not in asked] if roles.has_keys else []
    for key in (*asked, *found):
        events = _always(rest, key)
        if len(events) < (1 if key in asked else 2):
            continue
        name = _free("-".join(word for word in words_of(key.name) if word not in _ID) or "instance", taken)
        steps = [step for step in rest if step.event in events]
        groups.append(Group(name, steps, key, why=f"events that always carry `{key.name}`"))
        rest = [step for step in rest if step.event not in events]
    for prefix, steps in _by_prefix(rest).items():
        if prefix:
            groups.append(Group(_free(as_word(prefix), taken), steps, why=f"events whose names begin with `{prefix}`"))
        elif default is not None:
            groups.append(Group(default, steps))
        else:
            groups.append(Group(_free("session", taken), steps, why="events that nothing parts"))
    return groups


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "-2"
    taken.add(name)
    return name


def _always(steps: Iterable[Step], key: Field) -> set[str | None]:
    """The events of which every record carries this key."""
    with_key: set[str | None] = set()
    without: set[str | None] = set()
    for step in steps:
        (without if key.key(step.record) is None else with_key).add(step.event)
    return with_key - without


def _keys_of_loose(loose: Sequence[Step], fields: Sequence[Field]) -> list[Field]:
    """Ids that begin and end within a session: the finest first."""
    found: list[tuple[int, str, Field]] = []
    for each in fields:
        last = words_of(each.name)
        if set(last) & _NO_KEY or not last or last[0] == "event":
            continue
        events = _always(loose, each)
        if len(events) < 2:
            continue
        steps = [step for step in loose if step.event in events]
        named = set(last) & _ID
        texts = [each.value(step.record) for step in steps]
        if not named and not all(isinstance(value, str) for value in texts):
            kin = any(_is_kin(last, words_of(event or "")) for event in events)
            if not kin:
                continue
        instances = Group("", steps, each).instances()
        lively = sum(len({step.event for step in inside}) > 1 for inside in instances.values())
        sessions = {session for session, _ in instances}
        if lively * 10 < len(instances) * 3 or len(sessions) == len(instances) or _is_times(texts):
            continue
        begin = {inside[0].event for inside in instances.values()}
        if not named and (len(begin) * 2 > len(events) or len(steps) < 1.5 * len(instances)):
            continue  # an instance begins in one of a few ways, and goes on
        if not named and not _is_idlike(value for value in texts if isinstance(value, str)):
            continue
        found.append((-len({key for _, key in instances}), each.name, each))
    return [each for _, _, each in sorted(found, key=lambda item: item[:2])]


def _is_times(values: Iterable[Value | None]) -> bool:
    return all(isinstance(value, str) and iso8601_ns(value) is not None for value in values)


def _is_idlike(values: Iterable[str]) -> bool:
    distinct = set(values)
    like: Callable[[str], bool] = lambda value: looks_like_id(value) or any(char in value for char in ":/#")  # noqa: E731
    return sum(map(like, distinct)) * 2 >= len(distinct)


def _by_prefix(steps: Sequence[Step]) -> dict[str, list[Step]]:
    """Steps by what stands before the first dot, colon or slash, where at least two names have it; else under ''."""
    events: dict[str, set[str]] = {}
    for step in steps:
        found = _PREFIX.match(step.event or "")
        if found is not None and step.event is not None:
            events.setdefault(found[1], set()).add(step.event)
    shared = {prefix for prefix, names in events.items() if len(names) > 1}
    if len(shared) < 2:
        shared = set()
    parted: dict[str, list[Step]] = {}
    for step in steps:
        found = _PREFIX.match(step.event or "")
        prefix = found[1] if found is not None and found[1] in shared else ""
        parted.setdefault(prefix, []).append(step)
    return parted
