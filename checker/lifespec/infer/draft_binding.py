"""The binding of a draft: how its own logs are read. Owns its statements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lifespec.infer.fields import Field
from lifespec.infer.flat import Path, Shape
from lifespec.infer.length import counted
from lifespec.infer.machine import Machine
from lifespec.infer.mined import Mined
from lifespec.infer.node import NOWHERE, assign_node, name_node, path_node, step_node, text_node
from lifespec.syntax import ast


class BindingDrafter:
    """Makes one binding. `fields` are those that the lifecycle asks for, by name."""

    def __init__(self, mined: Mined, fields: Mapping[str, Field]) -> None:
        self._mined = mined
        self._roles = mined.roles
        self._read = mined.read
        self._fields = fields

    def declaration(self, name: str, lifecycle: str) -> ast.BindingDecl:
        ready = self._mined.ready_made
        own = self._own_statements() if ready is None else list(self._takes_back())
        return ast.BindingDecl(
            name_node(name),
            name_node(lifecycle),
            name_node(ready.binding) if ready is not None else None,
            text_node("how these logs are read"),
            (*own, *self._ignores(), *self._lacks(), *self._allows()),
            NOWHERE,
        )

    def _own_statements(self) -> list[ast.Statement]:
        roles, assigned = self._roles, self._mined.assigned
        statements: list[ast.Statement] = [_read(self._mined.seen.shape, roles.header_first)]
        statements.append(assign_node("session", self._session()))
        statements.append(assign_node("time", self._time()))
        status = [machine for machine in self._mined.machines if machine.is_status]
        if roles.event is not None:
            statements.append(assign_node("event", path_node(roles.event.path)))
        if roles.machine is not None or (assigned.default is not None and not status):
            statements.append(assign_node("machine", self._machine_value()))
        if roles.source is not None and self._mined.binds_sources:
            statements.append(assign_node("from", path_node(roles.source.path)))
        if roles.to is not None and not status:
            statements.append(assign_node("to", path_node(roles.to.path)))
        if roles.owner is not None:
            statements.append(assign_node("owner", path_node(roles.owner.path)))
        statements += self._field_statements()
        for machine in status:
            statements.append(_status(machine, self._state_path(machine)))
        return statements

    def _takes_back(self) -> Iterator[ast.Statement]:
        """What the extended binding reads and the draft cannot believe."""
        if self._roles.source is not None and not self._mined.binds_sources:
            yield assign_node("from", None)

    def _ignores(self) -> Iterator[ast.Statement]:
        if self._read.passed_over:
            yield ast.Ignore("any", (), None, NOWHERE)

    def _lacks(self) -> Iterator[ast.Statement]:
        names = tuple(map(name_node, self._mined.unseen.values()))
        if names:
            yield ast.Lacks("events", False, False, names, NOWHERE)

    def _allows(self) -> Iterator[ast.Statement]:
        allowed = {
            "time-reversed": (self._read.reversed, "with an earlier time than one before"),
            "missing-time": (self._read.untimed, "before the first time of their log"),
        }
        ready = self._mined.ready_made
        if ready is not None:
            allowed = {name: (count, "in these logs") for name, count in ready.findings.items()}
        allowed |= {name: (count, "that cannot be read") for name, count in self._mined.seen.malformed.items()}
        for finding, (count, why) in allowed.items():
            if count:
                yield ast.Allow((name_node(finding),), text_node(f"{counted(count, 'record')} {why}"), NOWHERE)
        if self._mined.seen.has_repeated_keys:
            yield ast.Allow((name_node("duplicate-key"),), text_node("keys stand twice in these logs"), NOWHERE)

    def _session(self) -> ast.Expr:
        file = ast.Path(name_node("file"), (step_node("name"),), NOWHERE)
        if self._roles.session is None:
            return file
        found = path_node(self._roles.session.path)
        return ast.Else((found, file), NOWHERE) if self._read.without_session else found

    def _time(self) -> ast.Expr | None:
        time = self._roles.time
        if time is None:
            return None
        path = path_node(time.path)
        if time.unit is None:
            found = ast.Convert(path, "iso8601", text_node("UTC") if time.zoned else None, None, None, NOWHERE)
        else:
            found = ast.Convert(path, "unit", None, name_node(time.unit), time.since, NOWHERE)
        if not self._read.without_time:
            return found
        return ast.Else((found, ast.Path(name_node("previous"), (), NOWHERE)), NOWHERE)

    def _machine_value(self) -> ast.Expr:
        default = self._mined.assigned.default
        constant = ast.TextLit(default, NOWHERE) if default is not None else None
        if self._roles.machine is None:
            assert constant is not None
            return constant
        path = path_node(self._roles.machine.path)
        return path if constant is None else ast.Else((path, constant), NOWHERE)

    def _state_path(self, machine: Machine) -> Path:
        for role in (self._roles.to, *self._roles.others):
            if role is not None and machine.group.why.endswith(f"`{'.'.join(role.path)}`"):
                return role.path
        assert self._roles.to is not None
        return self._roles.to.path

    def _field_statements(self) -> list[ast.Statement]:
        bound = dict(sorted(self._fields.items()))
        plain_ones = [name for name, each in bound.items() if each.name == name and each.is_plain]
        found: list[ast.Statement] = []
        if plain_ones or not bound:
            found.append(ast.FieldsFrom((ast.Path(name_node("record"), (), NOWHERE),), NOWHERE))
        for name, each in bound.items():
            if name not in plain_ones:
                paths = tuple(path_node(path) for path in each.paths)
                found.append(assign_node(name, paths[0] if len(paths) == 1 else ast.Else(paths, NOWHERE)))
        return found


def _status(machine: Machine, path: Path) -> ast.OnClause:
    emit = ast.Emit(name_node(machine.name), None, None, path_node(path), True, None, (), NOWHERE)
    has = ast.Has(path_node(path), NOWHERE)
    return ast.OnClause(None, (), None, has, (), (emit,), NOWHERE)


def _read(shape: Shape, header_first: bool) -> ast.Read:
    rows = None
    if shape.columns:
        least = len(shape.columns) - shape.optional
        columns = tuple(
            ast.Column("name" if place < least else "optional", name_node(column), NOWHERE)
            for place, column in enumerate(shape.columns)
        )
        rows = ast.Rows(columns, None, NOWHERE)
    each: tuple[ast.Each, ...] = ()
    if shape.each is not None:
        path = path_node(shape.each) if shape.each else ast.Path(name_node("record"), (), NOWHERE)
        each = (ast.Each(None, name_node("record"), path, NOWHERE),)
    separator = {",": None, "\t": "tab"}.get(shape.container.separator, shape.container.separator)
    return ast.Read(
        shape.container.kind, None, header_first, rows, text_node(separator) if separator else None, each, NOWHERE
    )
