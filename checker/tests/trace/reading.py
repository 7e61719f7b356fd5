"""What the tests of reading share: a lifecycle, and reading text by a binding of it."""

from __future__ import annotations

import io
from pathlib import Path

from lifespec.diagnostics import Diagnostic, Severity, severity_of
from lifespec.model.model import Model
from lifespec.model.resolve import resolve
from lifespec.source import Source
from lifespec.syntax.parser import parse
from lifespec.trace.binding import compile_binding
from lifespec.trace.choose import choose_binding
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.count import Counts
from lifespec.trace.event import Event, Record
from lifespec.trace.library import library_units
from lifespec.trace.reader import Reader
from lifespec.verdict import Violation

DATA = Path(__file__).parent.parent / "data"

SOCKET = """lifecycle socket

machine connection {
  initial idle
  state   open
  final   closed
  idle -> open    on opened
  open -> closed  on closed
}

machine clip per clip {
  initial absent
  state   playing
  absent -> playing  on started
}
"""


def model_of(text: str) -> Model:
    """The Model of a text without errors, with the ready-made bindings."""
    source = Source("test.lifespec", text)
    ast, syntax = parse(source)
    model, names = resolve([(source, ast)], None, library_units())
    errors = [each for each in syntax + names if (each.severity or severity_of(each.name)) is Severity.ERROR]
    assert not errors, [(each.name, each.message) for each in errors]
    assert model is not None
    return model


def compiling(text: str, binding: str | None = None) -> tuple[CompiledBinding | None, tuple[Diagnostic, ...]]:
    """The chosen binding of a lifecycle, compiled, and what was found."""
    model = model_of(text)
    chosen, problems = choose_binding(model, binding)
    assert chosen is not None, problems
    return compile_binding(model, chosen)


def compiled(text: str, binding: str | None = None) -> CompiledBinding:
    made, findings = compiling(text, binding)
    assert made is not None, [(each.name, each.message) for each in findings]
    return made


def binding_of(statements: str, lifecycle: str = SOCKET) -> CompiledBinding:
    """A binding of the test's lifecycle with these statements (with `extends default` when they read nothing)."""
    extends = "" if "read " in statements else "extends default "
    return compiled(f"{lifecycle}\nbinding test {extends}{{\n{statements}\n}}\n")


def read(binding: CompiledBinding, data: str | bytes, name: str = "a.jsonl") -> tuple[list[Record | Violation], Counts]:
    """Everything that reading gives, and the counts; every piece must be accounted for."""
    reader = Reader(binding, name)
    items = list(reader.read(io.BytesIO(data.encode() if isinstance(data, str) else data)))
    counts = reader.counts
    accounted = counts.records + counts.blank + counts.malformed + counts.headers
    assert counts.lines - counts.unfolded + counts.items == accounted
    return items, counts


def records_of(binding: CompiledBinding, data: str | bytes, name: str = "a.jsonl") -> list[Record]:
    """The records of a log without any finding."""
    items, _ = read(binding, data, name)
    found = [item for item in items if isinstance(item, Violation)]
    assert not found, found
    return [item for item in items if isinstance(item, Record)]


def events_of(binding: CompiledBinding, data: str | bytes, name: str = "a.jsonl") -> list[Event]:
    return [event for record in records_of(binding, data, name) for event in record.events]


def findings_of(binding: CompiledBinding, data: str | bytes) -> list[Violation]:
    items, _ = read(binding, data)
    return [item for item in items if isinstance(item, Violation)]
