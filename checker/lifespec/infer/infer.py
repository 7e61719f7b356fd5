"""Logs -> the text of a draft. Owns the order of the stages and what the draft says of itself at its beginning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lifespec.infer.assign import Assigned, Group, assign
from lifespec.infer.claimed import keeps_to_sources, mine_claimed
from lifespec.infer.clause import suggest
from lifespec.infer.draft import Drafter, counted
from lifespec.infer.fields import Field, fields_of
from lifespec.infer.flat import MOST_RECORDS, Seen, read_logs
from lifespec.infer.followed import mine_followed
from lifespec.infer.machine import Machine, settle_ends
from lifespec.infer.name import as_word, plain, words_of
from lifespec.infer.role import Choices, Role, Roles, find_roles, written
from lifespec.infer.step import Read, Step, read_steps
from lifespec.log_file import Log
from lifespec.syntax.printer import to_text


class NothingFound(Exception):
    """The records have no event and no state. The text says what they have."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The text, and what it was made from."""

    text: str
    logs: int
    records: int
    sessions: int
    machines: int
    moves: int


def infer(logs: Sequence[Log], *, name: str = "draft", binding: str = "log", choices: Choices | None = None) -> Draft:
    """A lifecycle with a binding that these logs keep to. Raises OSError, NothingRead, NoSuchField, NoTimes,
    NothingFound."""
    seen = read_logs(logs)
    roles = find_roles(seen, choices or Choices())
    if roles.event is None and roles.to is None:
        raise NothingFound(_what_there_is(roles))
    fields = fields_of(roles)
    read = read_steps(seen, roles)
    assigned = _by_state_fields(roles, read) or assign(roles, read.steps, fields)
    wrong_sources = keeps_to_sources(assigned.groups) if roles.source is not None else 0
    machines, loose = _mine(assigned, read)
    if not machines:
        machines, loose = _mine(assigned, read, believes=True)
    if not machines and not loose:
        raise NothingFound(_what_there_is(roles))
    clauses = suggest(machines, loose, fields, read.steps)
    settle_ends(machines, clauses.failures.keys())
    drafter = Drafter(
        name,
        binding,
        seen,
        roles,
        read,
        fields,
        assigned,
        machines,
        loose,
        clauses,
        keeps_sources=not wrong_sources and not assigned.as_status,
    )
    notes = _Notes(seen, roles, read, machines, loose, wrong_sources, clauses.reason)
    text = notes.text(name) + "\n" + to_text(drafter.tree())
    moves = sum(len(machine.moves) for machine in machines)
    return Draft(text, len(seen.names), len(seen.records), read.sessions, len(machines), moves)


def _what_there_is(roles: Roles) -> str:
    columns = sorted(roles.columns.values(), key=lambda column: (-column.count, column.path))[:12]
    return ", ".join(f"`{plain(written(column.path), 40)}`" for column in columns) or "no field at all"


def _by_state_fields(roles: Roles, read: Read) -> Assigned | None:
    """A log without events and machines, where records repeat states: each field of states is a machine."""
    if roles.to is None or roles.event is not None or roles.machine is not None:
        return None
    last: dict[int, str] = {}
    repeats = claims = 0
    for step in read.steps:
        if step.to is not None:
            claims += 1
            repeats += last.get(step.session) == step.to
            last[step.session] = step.to
    if not roles.others and (claims < 4 or repeats * 2 < claims):
        return None
    groups: list[Group] = []
    for role in (roles.to, *roles.others):
        words = [word for word in words_of(role.path[-1]) if word not in ("state", "status", "phase")]
        name = as_word("-".join(words)) if words else "session"
        while any(group.name == name for group in groups):
            name += "-2"
        group = Group(name, why=f"the states in `{written(role.path)}`", by_field=True)
        for step in read.steps:
            to = roles.name(role, step.record)
            if to is not None:
                group.steps.append(Step(step.record, step.session, step.time, None, name, None, to, step.owner))
        groups.append(group)
    return Assigned(groups, as_status=True)


def _mine(assigned: Assigned, read: Read, *, believes: bool = False) -> tuple[list[Machine], dict[str, list[Step]]]:
    machines: list[Machine] = []
    loose: dict[str, list[Step]] = {}
    for group in assigned.groups:
        if group.claims:
            machine: Machine | None = mine_claimed(group, read.last, as_status=assigned.as_status)
        else:
            machine = mine_followed(group, read.last, believes=believes)
        if machine is not None:
            machines.append(machine)
            continue
        for step in group.steps:
            if step.event is not None:
                loose.setdefault(step.event, []).append(step)
    known = {event for machine in machines for _, event, _ in machine.moves}
    return machines, {event: steps for event, steps in loose.items() if event not in known}


class _Notes:
    """The beginning of the draft: what was seen, decided, and left open."""

    def __init__(
        self,
        seen: Seen,
        roles: Roles,
        read: Read,
        machines: Sequence[Machine],
        loose: dict[str, list[Step]],
        wrong_sources: int,
        reason: Field | None,
    ) -> None:
        self._seen = seen
        self._roles = roles
        self._read = read
        self._machines = machines
        self._loose = loose
        self._wrong_sources = wrong_sources
        self._reason = reason

    def text(self, name: str) -> str:
        lines = [
            "A draft by `lifespec infer`. It says what was seen, not what is meant: read it as a list of questions."
        ]
        for title, items in (("Seen", self._seen_lines()), ("Decided", self._decided()), ("Left open", self._open())):
            if items:
                lines += ["", f"{title}:", *(f"  - {item}" for item in items)]
        lines += [
            "",
            "Next: give states and machines their real names, take out what must not be legal, keep the bounds you can",
            "answer for, and write down what never happened in these logs and is legal all the same.",
        ]
        return "".join(f"// {line}".rstrip() + "\n" for line in lines)

    def _seen_lines(self) -> list[str]:
        seen, read = self._seen, self._read
        logs = f"{counted(len(seen.names), 'log')}: {', '.join(plain(name, 60) for name in seen.file_names[:4])}"
        lines = [
            logs + (", ..." if len(seen.names) > 4 else ""),
            f"{counted(len(self._roles.records), 'record')} of {counted(read.sessions, 'session')}",
        ]
        if seen.malformed:
            lines.append(f"{counted(seen.malformed, 'record')} cannot be read; `check` will say where")
        if seen.truncated:
            lines.append(f"only the first {len(seen.records)} records were looked at (at most {MOST_RECORDS})")
        if seen.paths_left_out:
            lines.append("some fields were left out: there are too many, or their names cannot be written")
        lines += [f"{plain(name, 60)} was passed over: {plain(why, 120)}" for name, why in seen.unread[:5]]
        return lines

    def _decided(self) -> list[str]:
        roles = self._roles
        lines = []
        if roles.session is None:
            lines.append("session: the name of the file; no field has ids that repeat (--session)")
        else:
            without = self._read.without_session
            lines.append(
                _said("session", roles.session)
                + (f"; {without} records have none, the file stands for it" if without else "")
            )
        if roles.time is None:
            lines.append("time: none; no field looks like one, so nothing is said about durations (--time)")
        else:
            why = f" ({roles.time.why})" if roles.time.why else ""
            without = self._read.without_time
            missing = f"; {without} records have none that can be read, the one before stands for it" if without else ""
            lines.append(f"time: `{plain(written(roles.time.path))}`{why}{missing}")
        if roles.event is not None:
            lines.append(_said("event", roles.event))
        parts = (
            ("state entered", roles.to),
            ("state left", roles.source),
            ("machine", roles.machine),
            ("owner", roles.owner),
        )
        lines += [_said(what, role) for what, role in parts if role is not None]
        lines += [_said("another state", role) for role in roles.others if not self._read_events()]
        if roles.header_first:
            lines.append("the first record of each log is a header")
        for machine in self._machines:
            key = machine.group.key
            keyed = f", one for each `{plain(key.name, 40)}`" if key is not None else ""
            lines.append(f"machine `{plain(machine.name, 40)}`: {machine.group.why}{keyed}")
        if self._reason is not None and self._reason.name != "reason":
            lines.append(f"reason: `{plain(written(self._reason.paths[0]))}`, by its name")
        return lines

    def _read_events(self) -> bool:
        return self._roles.event is not None or self._roles.machine is not None

    def _open(self) -> list[str]:
        lines = []
        read, roles = self._read, self._roles
        if self._wrong_sources and roles.source is not None:
            lines.append(
                f"`{plain(written(roles.source.path))}` is not what the record before has entered in "
                f"{counted(self._wrong_sources, 'record')}: records may be lost, or a step is wrong; it is not bound"
            )
        if any(not machine.says_states for machine in self._machines):
            lines.append("where the log says no states, they are named after the event that leads to them")
        unnamed = [m.name for m in self._machines if m.says_states and m.initial.startswith(("start", "before-first"))]
        if unnamed:
            lines.append(f"what the first state of {_names(unnamed)} is called")
        for machine in self._machines:
            alike = _alike(machine.states)
            if alike:
                lines.append(f"whether {_names(alike)} of `{machine.name}` are one state: they differ in case only")
            if machine.ends_are_open:
                never = _names(sorted(machine.named_like_ends()))
                lines.append(f"whether {never} of `{machine.name}` is final: never left, but {machine.ends_are_open}")
        if self._loose:
            lines.append(
                f"{counted(len(self._loose), 'event')} in no order that a machine could be made from: legal everywhere"
            )
        if read.passed_over:
            lines.append(
                f"{counted(read.passed_over, 'record')} with names of events that cannot be written, or too many"
            )
        if read.reversed:
            lines.append(f"{counted(read.reversed, 'record')} with an earlier time than one before: allowed, for now")
        if roles.owner is None:
            lines.append("who causes what: no field names an owner")
        once = sum(len(steps) == 1 for machine in self._machines for steps in machine.moves.values())
        if once:
            lines.append(f"{counted(once, 'transition')} seen only once: look at these first")
        return lines


def _alike(states: Iterable[str]) -> list[str]:
    """The first two names that differ in the case of letters only."""
    seen: dict[str, str] = {}
    for state in states:
        other = seen.setdefault(state.lower(), state)
        if other != state:
            return [other, state]
    return []


def _said(what: str, role: Role) -> str:
    return f"{what}: `{plain(written(role.path))}`" + (f" ({plain(role.why)})" if role.why else "")


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{plain(name, 40)}`" for name in names[:5])
    return shown + (", ..." if len(names) > 5 else "")
