"""What was mined -> a text of the language, by its own printer. Owns which declaration says what, and its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lifespec.infer.assign import Assigned
from lifespec.infer.clause import Clauses, Type, type_of
from lifespec.infer.fields import Field
from lifespec.infer.flat import Path, Seen, Shape
from lifespec.infer.length import percentile, rounded_up, shown
from lifespec.infer.machine import Machine, Stays
from lifespec.infer.name import is_writable, plain, words_of
from lifespec.infer.role import Roles
from lifespec.infer.step import Read, Step
from lifespec.source import Span
from lifespec.syntax import ast

_NOWHERE = Span("", 0, 0)
_FEWEST_STAYS = 3
_LONGEST_BOUND_NS = 10 * 60 * 10**9  # what lasts longer than five minutes is hardly meant to be left in time
_HEADS = {"record", "header", "file", "previous", "none", "true", "false"}


def times(count: int) -> str:
    return "once" if count == 1 else "twice" if count == 2 else f"{count} times"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class Drafter:
    """Makes the declarations of one draft."""

    def __init__(
        self,
        name: str,
        binding: str,
        seen: Seen,
        roles: Roles,
        read: Read,
        fields: Sequence[Field],
        assigned: Assigned,
        machines: Sequence[Machine],
        loose: Mapping[str, Sequence[Step]],
        clauses: Clauses,
        keeps_sources: bool,
    ) -> None:
        self._name = name
        self._binding = binding
        self._seen = seen
        self._roles = roles
        self._read = read
        self._fields = {field.name: field for field in fields}
        self._assigned = assigned
        self._machines = machines
        self._loose = loose
        self._clauses = clauses
        self._keeps_sources = keeps_sources
        self._used: dict[str, None] = {}  # fields that the lifecycle asks for
        self._owners: dict[str, int] = {}

    def tree(self) -> ast.Ast:
        machines = [self._machine(machine) for machine in self._machines]
        events = [self._event(event, steps) for event, steps in self._loose.items()]
        if any(not waived for waived in self._clauses.failures.values()):
            self._used.setdefault("reason")
        head: list[ast.Declaration] = [
            ast.Lifecycle(_name(self._name), None, _text("a draft from logs: seen, not meant"), _NOWHERE)
        ]
        head += [
            ast.OwnerDecl((_name(owner),), _text(f"caused {counted(count, 'step')}"), _NOWHERE)
            for owner, count in sorted(self._owners.items())
        ]
        head += [found for name in sorted(self._used) if (found := self._field(name)) is not None]
        return ast.Ast("draft", (*head, *events, *machines, self._binding_declaration()))

    # --- machines ---

    def _machine(self, machine: Machine) -> ast.MachineDecl:
        owners = self._common_owners(machine)
        for taken in machine.moves.values():
            for step in taken:
                if self._clauses.owners.get(id(taken)) and step.owner is not None:
                    self._owners[step.owner] = self._owners.get(step.owner, 0) + 1
        finals = machine.finals()
        order = [machine.initial, *(state for state in machine.states if state != machine.initial)]
        states = [self._state(machine, state, finals) for state in order if state not in finals]
        states += [self._state(machine, state, finals) for state in order if state in finals]
        place = {state: number for number, state in enumerate(order)}
        moves = sorted(
            machine.moves,
            key=lambda move: (
                place[move[0]],
                move[2] == move[0],  # behind those that stay: the first that fits is taken
                move[2] is None,
                place.get(move[2] or "", 0),
                move[1] or "",
            ),
        )
        key = machine.group.key
        if key is not None:
            self._used.setdefault(key.name)
        doc = counted(len(machine.ends), "instance" if key else "session")
        if (told := _told_by(machine)) is not None:
            doc += f"; every step is told by {plain(told, 60)}"
        if not machine.says_states:
            doc += "; its states are guesses, made from which event follows which"
        return ast.MachineDecl(
            _name(machine.name),
            (_name(key.name),) if key else (),
            tuple(map(_name, owners)),
            _text(doc),
            (*states, *(self._transition(machine, move, owners) for move in moves)),
            _NOWHERE,
        )

    def _common_owners(self, machine: Machine) -> tuple[str, ...]:
        """The owner that all moves of a machine have."""
        found = {self._clauses.owners.get(id(taken), ()) for taken in machine.moves.values()}
        return found.pop() if len(found) == 1 else ()

    def _state(self, machine: Machine, state: str, finals: set[str]) -> ast.StateDecl:
        stays = machine.states[state]
        failure = self._clauses.failures.get((machine.name, state))
        kind = (
            "initial"
            if state == machine.initial
            else "failure"
            if failure is not None
            else "final"
            if state in finals
            else "state"
        )
        doc = self._state_doc(machine, state, stays, kind)
        within = _bound(stays, state, kind)
        if within is not None:
            doc += "; the bound is a guess: twice the longest"
        return ast.StateDecl(
            kind,
            (_name(state),),
            within,
            (),
            _text(failure) if failure else None,
            _NOWHERE if failure else None,
            _text(doc),
            _NOWHERE,
        )

    def _state_doc(self, machine: Machine, state: str, stays: Stays, kind: str) -> str:
        if kind == "initial":
            said = "before the first record"
            behind = machine.behind.get(state, ())
            if behind:
                said += f", and behind {', '.join(plain(event, 40) for event in behind[:5])}"
            if stays.entered:
                said += f"; entered {times(len(stays.entered))}"
            unnamed = machine.says_states and not stays.entered and not self._says_source(machine, state)
            return said + ("; the log has no name for it" if unnamed else "")
        doc = f"entered {times(len(stays.entered))}"
        behind = machine.behind.get(state, ())
        if len(behind) > 1:
            more = " ..." if len(behind) > 5 else ""
            doc = f"behind {', '.join(plain(event, 40) for event in behind[:5])}{more}; {doc}"
        if stays.ended:
            doc += f", the last state of {stays.ended}"
        if kind == "state" and state in machine.never_left():
            doc += "; never left"
        if kind == "final":
            doc += "; final is a guess: never left"
        elif kind == "failure":
            doc += "; a failure by its name"
        if stays.left_ns and any(stays.left_ns):
            most, longest = shown(percentile(stays.left_ns, 99)), shown(max(stays.left_ns))
            doc += f"; longest stay {longest}" + (f", p99 {most}" if most != longest else "")
        return doc

    def _keys(self) -> set[str]:
        return {machine.group.key.name for machine in self._machines if machine.group.key is not None}

    def _says_source(self, machine: Machine, state: str) -> bool:
        return any(step.source == state for taken in machine.moves.values() for step in taken)

    def _transition(
        self, machine: Machine, move: tuple[str, str | None, str | None], owners: tuple[str, ...]
    ) -> ast.TransitionDecl:
        source, event, target = move
        taken = machine.moves[move]
        doc = f"seen {times(len(taken))}"
        if event is None and target is not None and _told_by(machine) is None:
            behind = machine.events.get((source, target), {})
            names = sorted(behind, key=lambda name: (-behind[name], name))[:3]
            if names:
                doc += ", on " + ", ".join(plain(name, 40) for name in names) + (" ..." if len(behind) > 3 else "")
        by = () if owners else self._clauses.owners.get(id(taken), ())
        requires = self._clauses.requires.get(id(taken), ())
        self._used.update(dict.fromkeys(requires))
        return ast.TransitionDecl(
            (_name(source),),
            (),
            (_name(target),) if target is not None else (),
            ast.OnTrigger((_name(event),), None, _NOWHERE) if event is not None else None,
            None,
            tuple(map(_name, by)),
            tuple(map(_name, requires)),
            (),
            (),
            _text(doc),
            _NOWHERE,
        )

    def _event(self, event: str, steps: Sequence[Step]) -> ast.EventDecl:
        requires = self._clauses.events.get(event, ())
        self._used.update(dict.fromkeys(requires))
        doc = _text(f"seen {times(len(steps))}, in no order that a machine could be made from")
        return ast.EventDecl((_name(event),), tuple(map(_name, requires)), doc, _NOWHERE)

    # --- fields ---

    def _field(self, name: str) -> ast.FieldDecl | None:
        bound = self._bound_field(name)
        if bound is None:
            return None
        found: Type | None = type_of(bound, self._read.steps, self._seen.objects)
        if found is None or (found.kind == "one of" and name in self._keys()):
            return None
        values = tuple(_name(value) for value in found.values)
        doc = _text("all values that were seen") if values else None
        return ast.FieldDecl((_name(name),), ast.FieldType(found.kind, values, (), None, _NOWHERE), doc, _NOWHERE)

    def _bound_field(self, name: str) -> Field | None:
        if name == "reason" and self._clauses.reason is not None:
            return self._clauses.reason
        return self._fields.get(name)

    # --- the binding ---

    def _binding_declaration(self) -> ast.BindingDecl:
        roles = self._roles
        statements: list[ast.Statement] = [_read(self._seen.shape, roles.header_first)]
        statements.append(_assign("session", self._session()))
        statements.append(_assign("time", self._time()))
        status = [machine for machine in self._machines if machine.is_status]
        if roles.event is not None:
            statements.append(_assign("event", _path(roles.event.path)))
        if roles.machine is not None or (self._assigned.default is not None and not status):
            statements.append(_assign("machine", self._machine_value()))
        if roles.source is not None and self._keeps_sources:
            statements.append(_assign("from", _path(roles.source.path)))
        if roles.to is not None and not status:
            statements.append(_assign("to", _path(roles.to.path)))
        if roles.owner is not None and self._owners:
            statements.append(_assign("owner", _path(roles.owner.path)))
        statements += self._field_statements()
        for machine in status:
            statements.append(_status(machine, self._state_path(machine)))
        if self._read.passed_over:
            statements.append(ast.Ignore("any", (), None, _NOWHERE))
        for finding, count, why in (
            ("time-reversed", self._read.reversed, "with an earlier time than one before"),
            ("missing-time", self._read.untimed, "before the first time of their log"),
        ):
            if count:
                statements.append(ast.Allow((_name(finding),), _text(f"{counted(count, 'record')} {why}"), _NOWHERE))
        return ast.BindingDecl(
            _name(self._binding), _name(self._name), None, _text("how these logs are read"), tuple(statements), _NOWHERE
        )

    def _session(self) -> ast.Expr:
        file = ast.Path(_name("file"), (_step("name"),), _NOWHERE)
        if self._roles.session is None:
            return file
        found = _path(self._roles.session.path)
        return ast.Else((found, file), _NOWHERE) if self._read.without_session else found

    def _time(self) -> ast.Expr | None:
        time = self._roles.time
        if time is None:
            return None
        path = _path(time.path)
        if time.unit is None:
            found = ast.Convert(path, "iso8601", _text("UTC") if time.zoned else None, None, None, _NOWHERE)
        else:
            found = ast.Convert(path, "unit", None, _name(time.unit), time.since, _NOWHERE)
        if not self._read.without_time:
            return found
        return ast.Else((found, ast.Path(_name("previous"), (), _NOWHERE)), _NOWHERE)

    def _machine_value(self) -> ast.Expr:
        default = self._assigned.default
        constant = ast.TextLit(default, _NOWHERE) if default is not None else None
        if self._roles.machine is None:
            assert constant is not None
            return constant
        path = _path(self._roles.machine.path)
        return path if constant is None else ast.Else((path, constant), _NOWHERE)

    def _state_path(self, machine: Machine) -> Path:
        for role in (self._roles.to, *self._roles.others):
            if role is not None and machine.group.why.endswith(f"`{'.'.join(role.path)}`"):
                return role.path
        assert self._roles.to is not None
        return self._roles.to.path

    def _field_statements(self) -> list[ast.Statement]:
        bound = {name: field for name in sorted(self._used) if (field := self._bound_field(name)) is not None}
        plain_ones = [name for name, each in bound.items() if each.name == name and each.is_plain]
        found: list[ast.Statement] = []
        if plain_ones or not bound:
            found.append(ast.FieldsFrom((ast.Path(_name("record"), (), _NOWHERE),), _NOWHERE))
        for name, each in bound.items():
            if name not in plain_ones:
                paths = tuple(_path(path) for path in each.paths)
                found.append(_assign(name, paths[0] if len(paths) == 1 else ast.Else(paths, _NOWHERE)))
        return found


def _told_by(machine: Machine) -> str | None:
    """The one event that tells of all steps between states, where there is only one."""
    told = {event for events in machine.events.values() for event in events}
    nameless = any(move[1] is None and step.event is None for move, steps in machine.moves.items() for step in steps)
    return told.pop() if len(told) == 1 and not nameless else None


def _bound(stays: Stays, state: str, kind: str) -> ast.Expr | None:
    """Twice the longest stay, for a state that sounds as if it were to be left, and always was."""
    words = words_of(state)
    passing = bool(words) and (words[-1].endswith("ing") or words[-1] == "pending")
    if kind != "state" or not passing or stays.open_ns or len(stays.left_ns) < _FEWEST_STAYS:
        return None
    longest = max(stays.left_ns)
    if not 0 < longest * 2 <= _LONGEST_BOUND_NS:
        return None
    return ast.DurationLit(rounded_up(longest * 2), _NOWHERE)


def _status(machine: Machine, path: Path) -> ast.OnClause:
    emit = ast.Emit(_name(machine.name), None, None, _path(path), True, None, (), _NOWHERE)
    has = ast.Has(_path(path), _NOWHERE)
    return ast.OnClause(None, (), None, has, (), (emit,), _NOWHERE)


def _read(shape: Shape, header_first: bool) -> ast.Read:
    rows = None
    if shape.columns:
        least = len(shape.columns) - shape.optional
        columns = tuple(
            ast.Column("name" if place < least else "optional", _name(column), _NOWHERE)
            for place, column in enumerate(shape.columns)
        )
        rows = ast.Rows(columns, None, _NOWHERE)
    each: tuple[ast.Each, ...] = ()
    if shape.each is not None:
        path = _path(shape.each) if shape.each else ast.Path(_name("record"), (), _NOWHERE)
        each = (ast.Each(None, _name("record"), path, _NOWHERE),)
    separator = {",": None, "\t": "tab"}.get(shape.container.separator, shape.container.separator)
    return ast.Read(
        shape.container.kind, None, header_first, rows, _text(separator) if separator else None, each, _NOWHERE
    )


def _assign(name: str, value: ast.Expr | None) -> ast.Assign:
    return ast.Assign(_name(name), value, _NOWHERE)


def _path(path: Path) -> ast.Path:
    """A path into the record; `record` goes before what would be read as another word."""
    if path[0] in _HEADS:
        path = ("record", *path)
    return ast.Path(_name(path[0]), tuple(map(_step, path[1:])), _NOWHERE)


def _step(name: str) -> ast.Step:
    return ast.Step(_name(name), None, _NOWHERE)


def _name(name: str) -> ast.Name:
    assert is_writable(name)
    return ast.Name(name, _NOWHERE)


def _text(text: str) -> ast.Text:
    return ast.Text(plain(text, 200), _NOWHERE)
