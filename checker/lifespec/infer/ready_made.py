"""Logs, read by a ready-made binding -> flat records of the parts of its events. Owns what is kept of an event.

The binding is the library's; the vocabulary is that of the lifecycle it is for, if that one ships, else every name is
taken up. The draft extends the binding, so that nothing of how the log is read is written twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache
from io import BytesIO
from itertools import islice
from typing import BinaryIO

from msgspec import structs

from lifespec.diagnostics import NAMES, Stage
from lifespec.infer.column import columns_of
from lifespec.infer.flat import (
    LONG,
    LONGEST_VALUE,
    MOST_RECORDS,
    MOST_VALUES,
    THERE,
    NothingRead,
    Path,
    Record,
    Seen,
    Value,
)
from lifespec.infer.mined import OtherReader, ReadyMade
from lifespec.infer.name import is_writable
from lifespec.infer.role import MOST_MACHINES, MOST_STATES, PARTS, Role, Roles
from lifespec.infer.time_role import TimeRole
from lifespec.log_file import Log, is_binary, opened
from lifespec.model.model import Binding, Model
from lifespec.model.resolve import resolve_texts
from lifespec.model.value import LogValue
from lifespec.shipped import PREFIX, find_shipped
from lifespec.source import Source
from lifespec.syntax import ast
from lifespec.syntax.parser import parse
from lifespec.trace.binding import compile_binding
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.event import Event
from lifespec.trace.event import Record as Told
from lifespec.trace.library import library_units
from lifespec.trace.packed import Broken, unpacked
from lifespec.trace.reader import Reader, file_name_of
from lifespec.verdict import Violation

_DEFAULT = "default"
_TRIED = 2000  # records and findings of a log that are looked at to see whether a binding reads it
_CLEAR = 10  # of so many records, a binding that reads the log makes an event of one at least
_LONGEST_TRIED = 2 * 1024 * 1024  # bytes of it
_STATUS: Path = ("status of a machine",)  # no field is called so: it is none
_LONGEST_FIELD = 120


class NoSuchBinding(Exception):
    """No ready-made binding has this name. `names` are those that there are."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        super().__init__(name)
        self.name = name
        self.names = names


class _Every(frozenset[str]):
    """The vocabulary of a lifecycle that is yet to be written."""

    def __contains__(self, name: object) -> bool:
        return True


def ready_made_bindings() -> dict[str, str | None]:
    """The names of the ready-made bindings, and the lifecycle that each is for, if it is for one."""
    return {
        each.name.text: None if each.lifecycle is None else each.lifecycle.text
        for _, unit in library_units()
        for each in unit.declarations
        if isinstance(each, ast.BindingDecl)
    }


def read_by(logs: Sequence[Log], name: str) -> tuple[Seen, Roles, ReadyMade]:
    """The events of all logs as records. Raises OSError, NoSuchBinding, NothingRead."""
    found = ready_made_bindings()
    if name not in found:
        raise NoSuchBinding(name, list(found))
    compiled = _compiled(name, found[name])
    seen = Seen()
    gatherer = _Gatherer(seen)
    for log in logs:
        seen.names.append(log.name)
        seen.file_names.append(file_name_of(log.name))
        with opened(log) as stream:
            if is_binary(stream):
                seen.unread.append((log.name, "it is a binary file, not a log"))
            else:
                gatherer.add(stream, log.name, compiled)
    if not seen.records:
        why = "; ".join(f"{log}: {why}" for log, why in seen.unread[:3])
        raise NothingRead(why or f"the binding `{name}` makes no event of what is there")
    roles = gatherer.roles(has_time=compiled.time is not None)
    return seen, roles, ReadyMade(name, found[name], gatherer.findings)


def find_readers(log: Log) -> list[str]:
    """The ready-made bindings that make events of a log, the one that makes most of them first. Logs of more than a few
    megabytes are not tried. Raises OSError."""
    made, _ = _made_by(log)
    return [name for name, count in made.most_common() if count > 0]


def find_clear_reader(log: Log) -> OtherReader | None:
    """The ready-made binding that makes most events of a log, if it is a good part of it: what a client logs besides is
    passed over by design. Raises OSError."""
    made, records = _made_by(log)
    for name, count in made.most_common(1):
        if count > 2 and count * _CLEAR >= records[name]:
            return OtherReader(name, count, records[name])
    return None


def _made_by(log: Log) -> tuple[Counter[str], dict[str, int]]:
    """How many records each ready-made binding makes events of, less what it cannot read, and of how many."""
    made: Counter[str] = Counter()
    records: dict[str, int] = {}
    text = _text_of(log)
    if text is None:
        return made, records
    for name, lifecycle in ready_made_bindings().items():
        compiled = _compiled(name, lifecycle)
        takes_all = isinstance(compiled.known_events, _Every) and compiled.container.kind == "json-lines"
        if name == _DEFAULT or (takes_all and lifecycle is not None):
            continue
        reader = Reader(compiled, log.name)
        for each in islice(reader.read(BytesIO(text)), _TRIED):
            if isinstance(each, Told):
                made[name] += each.session is not None and bool(each.events)
            else:
                made[name] -= each.name in ("malformed-record", "wrong-container")
        records[name] = reader.counts.records
    return made, records


def _text_of(log: Log) -> bytes | None:
    """The bytes of a log, unpacked; None for one that is too long, or broken."""
    try:
        with opened(log) as stream, unpacked(stream) as text:
            data = text.stream.read(_LONGEST_TRIED + 1)
    except Broken:
        return None
    finally:
        if log.stream is not None:
            log.stream.seek(0)
    return data if len(data) <= _LONGEST_TRIED else None


@cache
def _compiled(name: str, lifecycle: str | None) -> CompiledBinding:
    """A ready-made binding for the lifecycle that it is for; what ships does not change while a process runs."""
    text = find_shipped(f"{PREFIX}{lifecycle}") if lifecycle is not None else None
    if text is not None:
        model = _model_of(Source(text.name, text.path.read_text(encoding="utf-8")))
    else:  # none ships: one that has the machines that the binding speaks of stands for it, and has every event
        called = lifecycle or "draft"
        machines = _machines_of(_model_of(_stand_in(called, ["nothing"])).bindings[name])
        model = _model_of(_stand_in(called, machines or ["nothing"]))
    compiled, _ = compile_binding(model, model.bindings[name])
    assert compiled is not None
    return compiled if text is not None else structs.replace(compiled, known_events=_Every())


def _stand_in(lifecycle: str, machines: Sequence[str]) -> Source:
    declared = "  ".join(f"machine '{machine}' {{ initial nothing }}" for machine in machines)
    return Source("<draft>", f"lifecycle '{lifecycle}'  {declared}")


def _model_of(source: Source) -> Model:
    found = resolve_texts([(source, parse(source)[0])], library=library_units(), misses_texts=True)
    assert found.model is not None
    return found.model


def _machines_of(binding: Binding) -> list[str]:
    """The machines that clauses of a binding speak of: in `emit M to S`, `emit M in S` and `emit e of M`."""
    clauses = [each for each in binding.statements if isinstance(each, ast.OnClause)]
    emits = [action for clause in clauses for action in clause.actions if isinstance(action, ast.Emit)]
    names = [each.machine or (each.name if each.target is not None else None) for each in emits]
    return list(dict.fromkeys(name.text for name in names if isinstance(name, ast.Name)))


class _Gatherer:
    """Gathers the events of logs within the limits; `findings` counts what reading met with and may be allowed."""

    def __init__(self, seen: Seen) -> None:
        self.findings: Counter[str] = Counter()
        self._seen = seen
        self._values = 0
        self._names: dict[str, set[str]] = {}

    def add(self, stream: BinaryIO, log: str, compiled: CompiledBinding) -> None:
        seen = self._seen
        number = len(seen.names) - 1
        for each in Reader(compiled, log).read(stream):
            if isinstance(each, Violation):
                self._found(each, log)
                continue
            for values in self._events(each):
                if len(seen.records) >= MOST_RECORDS or self._values >= MOST_VALUES:
                    seen.truncated = True
                    return
                self._values += len(values)
                seen.records.append(Record(number, each.place.line, values))

    def _found(self, finding: Violation, log: str) -> None:
        if finding.name == "wrong-container":
            self._seen.unread.append((log, f"line {finding.place.line}: {finding.text}"))
        elif finding.name in ("malformed-record", "not-utf-8"):
            self._seen.malformed[finding.name] += 1
        elif finding.name in NAMES and NAMES[finding.name].stage is Stage.LOG:
            self.findings[finding.name] += 1

    def _events(self, told: Told) -> Iterator[dict[Path, Value]]:
        if told.session is None:
            return
        for event in told.events:
            values = self._values_of(event, told)
            if values is not None:
                yield values

    def _values_of(self, event: Event, told: Told) -> dict[Path, Value] | None:
        """None for an event with names that cannot be written, or with one too many of them."""
        assert told.session is not None
        states = (event.source, event.target)
        if event.machine is not None and not self._takes("machine", event.machine, MOST_MACHINES):
            return None
        if any(state is not None and not self._takes("state", state, 10 * MOST_STATES) for state in states):
            return None
        parts = {
            "session": told.session,
            "time": told.time_ns,
            "event": event.name,
            "machine": event.machine,
            "from": event.source,
            "to": event.target,
            "owner": event.owner,
        }
        values: dict[Path, Value] = {(part,): value for part, value in parts.items() if value is not None}
        if event.status:
            values[_STATUS] = True
        for name, value in event.fields.items():
            if name in PARTS or not is_writable(name) or len(name) > _LONGEST_FIELD:
                continue
            if value is not None and not (isinstance(value, str) and not value.strip()):  # blank is absent
                values[name,] = _kept(value)
        return values

    def _takes(self, kind: str, name: str, most: int) -> bool:
        names = self._names.setdefault(kind, set())
        if name not in names and is_writable(name) and len(names) < most:
            names.add(name)
        return name in names

    def roles(self, *, has_time: bool) -> Roles:
        """The parts, which stand where they were put."""
        columns = columns_of(self._seen.records, set())

        def role(part: str) -> Role | None:
            return Role((part,)) if (part,) in columns else None

        return Roles(
            columns,
            self._seen.records,
            session=role("session"),
            time=TimeRole(("time",), "ns", "start") if has_time and ("time",) in columns else None,
            event=role("event"),
            to=role("to"),
            source=role("from"),
            machine=role("machine"),
            owner=role("owner"),
            status=_STATUS,
        )


def _kept(value: LogValue) -> Value:
    if isinstance(value, str):
        return value if len(value) <= LONGEST_VALUE else LONG
    return value if isinstance(value, bool | int | Decimal) else THERE
