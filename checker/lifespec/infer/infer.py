"""Logs -> the text of a draft. Owns the order of the stages and what the draft says of itself at its beginning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lifespec.infer.assign import Assigned, Group, assign
from lifespec.infer.claimed import may_trust_sources, mine_claimed
from lifespec.infer.clause import suggest
from lifespec.infer.draft import Drafter
from lifespec.infer.fields import fields_of
from lifespec.infer.find_roles import find_roles
from lifespec.infer.flat import read_logs
from lifespec.infer.followed import mine_followed
from lifespec.infer.machine import Machine, settle_ends
from lifespec.infer.mined import Mined, ReadyMade
from lifespec.infer.name import as_word, plain, words_of
from lifespec.infer.notes import Notes, unseen_list
from lifespec.infer.ready_made import find_clear_reader, read_by
from lifespec.infer.role import Choices, Roles, written
from lifespec.infer.step import Read, Step, read_steps
from lifespec.log_file import Log
from lifespec.syntax.printer import to_text


class NothingFound(Exception):
    """The records have no event and no state. The text says what they have, `unseen` what was not looked into."""

    def __init__(self, what: str, unseen: str = "") -> None:
        super().__init__(what)
        self.unseen = unseen


@dataclass(frozen=True, slots=True)
class Draft:
    """The text, and what it was made from."""

    text: str
    logs: int
    records: int
    sessions: int
    machines: int
    moves: int


def infer(
    logs: Sequence[Log],
    *,
    name: str = "draft",
    binding: str = "log",
    choices: Choices | None = None,
    ready_made: str | None = None,
) -> Draft:
    """A lifecycle with a binding that these logs keep to. `ready_made` is the ready-made binding to read them by; if it
    is for one lifecycle, `name` has to be that. Raises OSError, NothingRead, NoSuchBinding, NoSuchField, NoTimes,
    NothingFound."""
    read_so: ReadyMade | None = None
    if ready_made is None:
        seen = read_logs(logs)
        roles = find_roles(seen, choices or Choices())
    else:
        seen, roles, read_so = read_by(logs, ready_made)
    if roles.event is None and roles.to is None:
        raise NothingFound(_what_there_is(roles), unseen_list(seen))
    fields = fields_of(roles)
    read = read_steps(seen, roles)
    assigned = assign(roles, read.steps, fields)
    if not any(group.key for group in assigned.groups):  # what looks like a state said again may be another instance's
        assigned = _by_state_fields(roles, read) or assigned
    by_source = roles.source is not None and not assigned.as_status
    by_source = by_source and (roles.is_asked(roles.source) or may_trust_sources(assigned.groups))
    machines, loose = _mine(assigned, read, by_source)
    if not machines:
        machines, loose = _mine(assigned, read, by_source, believes=True)
    if not machines and not loose:
        raise NothingFound(_what_there_is(roles), unseen_list(seen))
    clauses = suggest(machines, loose, fields, read.steps, renames=read_so is None)
    settle_ends(machines, clauses.failures.keys())
    mined = Mined(
        seen,
        roles,
        read,
        fields,
        assigned,
        machines,
        loose,
        clauses,
        by_source,
        read_so,
        find_clear_reader(logs[0]) if read_so is None else None,
    )
    text = Notes(mined).text(name) + "\n" + to_text(Drafter(name, binding, mined).tree())
    moves = sum(len(machine.moves) + len(machine.unseen) for machine in machines)
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
    if not roles.others and (claims < 4 or repeats * 6 < claims):
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
                group.steps.append(Step(step.record, step.session, step.time, None, name, None, to, step.owner, True))
        groups.append(group)
    return Assigned(groups, as_status=True)


def _mine(
    assigned: Assigned, read: Read, by_source: bool, *, believes: bool = False
) -> tuple[list[Machine], dict[str, list[Step]]]:
    machines: list[Machine] = []
    loose: dict[str, list[Step]] = {}
    for group in assigned.groups:
        if group.claims:
            machine: Machine | None = mine_claimed(group, read.last, as_status=assigned.as_status, by_source=by_source)
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
