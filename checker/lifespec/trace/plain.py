"""The fast way to read a log: blocks of lines -> rows of just the values that are looked at (spec/bindings.md B28).

For bindings that read one flat JSON object a line and assign parts and fields from its keys, which is what most
do. Owns which bindings these are, and the decoding of blocks; what a line that does not fit holds is for the reader
to say, which reads it again on its own. A value that nobody looks at is only skipped over: it has to be JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, BinaryIO

import msgspec

from lifespec.model.model import Binding
from lifespec.model.value import Instant, LogValue
from lifespec.syntax import ast
from lifespec.trace.compiled import PARTS, CompiledBinding, Part
from lifespec.trace.instant import UNITS_NS
from lifespec.trace.line import LONGEST
from lifespec.trace.scope import Scope

BLOCK = 1 << 17  # bytes that are decoded at once
_MOST_DIGITS = 20  # of a number that the fast way reads
_PARTS = {"session": "session", "time": "time", "event": "event", "machine": "machine", "owner": "owner"}
_ATTRIBUTES = _PARTS | {"from": "source", "to": "target"}
_SPECIAL = frozenset({"record", "header", "file", "previous"})
_TYPES: Mapping[str, Any] = {"time": Any}
DECLARED = 6  # attributes `f0` to `f5` of a row always exist


@dataclass(frozen=True, slots=True, eq=False)
class Plain:
    """How a plain binding is read. A row has the attributes `session`, `time`, `event`, `machine`, `source`, `target`
    and `owner` (None when absent or not assigned) and one for each field in `fields`, by name of the field.

    `time_of` gives the nanoseconds of what stands in `time`, None when it cannot be read; `unit_ns` is the unit of a
    whole number there, if it has one. `passed` are names of events that are passed over, `passes_rest` says that all
    names that the lifecycle does not know are, but those in `kept`.
    """

    row: type[Any]
    fields: Mapping[str, str]
    has_time: bool
    time_of: Callable[[LogValue], int | None]
    unit_ns: int | None
    passed: frozenset[str]
    passes_rest: bool
    kept: frozenset[str]


def find_plain(
    binding: Binding, compiled: CompiledBinding, declared: Sequence[str], others: Sequence[str]
) -> Plain | str:
    """How to read a binding the fast way, or why that cannot be. `declared` are the fields of which any may be on any
    event (their attributes are `f0` and so on), `others` those that the lifecycle looks at besides."""
    keys: dict[str, str] = {}
    assigned: dict[str, str] = {}
    has_rest = False
    passed: set[str] = set()
    passes_rest, kept = False, frozenset[str]()
    time: ast.Expr | None = None
    for each in _counting(binding.statements):
        match each:
            case ast.Read(container="json-lines", after=None, header_first=False, rows=None, each=()):
                pass
            case ast.Assign(name=name, value=value):
                key = None if value is None else _key_of(value, is_time=name.text == "time")
                if value is not None and key is None:
                    return f"`{name.text}` is more than a key of the record"
                if name.text in PARTS and key is not None:
                    keys[name.text] = key
                elif key is not None:
                    assigned[name.text] = key
                if name.text == "time":
                    time = value
            case ast.FieldsFrom(paths=paths):
                if len(paths) != 1 or not _is_record(paths[0]):
                    return "`fields from` takes fields from more than the record"
                has_rest = True
            case ast.Ignore(kind="names", names=names, where=None) if all(isinstance(n, ast.Name) for n in names):
                passed.update(name.text for name in names if isinstance(name, ast.Name))
            case ast.Ignore(kind="any", names=names, where=None) if all(isinstance(n, ast.Name) for n in names):
                passes_rest = True
                kept = kept | {name.text for name in names if isinstance(name, ast.Name)}
            case ast.Lacks() | ast.Recording() | ast.Allow():
                pass
            case _:
                return f"it has `{_WORDS.get(type(each), type(each).__name__.lower())}`"
    if len(set(keys.values())) < len(keys):
        return "two parts of an event are read from one key"
    made = _row(keys, assigned, declared, others, has_rest=has_rest)
    return Plain(
        row=made[0],
        fields=made[1],
        has_time=compiled.time is not None,
        time_of=_time_reader(compiled.time, keys.get("time", "")),
        unit_ns=_unit_of(time),
        passed=frozenset(passed),
        passes_rest=passes_rest,
        kept=kept,
    )


_WORDS: Mapping[type[Any], str] = {
    ast.OnClause: "on",
    ast.UniqueBy: "unique by",
    ast.ClockPer: "clock per",
    ast.Order: "order by",
}


def _counting(statements: tuple[ast.Statement, ...]) -> Iterator[ast.Statement]:
    """The statements that count: of those that replace each other the last."""
    last: dict[object, int] = {}
    for place, each in enumerate(statements):
        if isinstance(each, ast.Assign):
            last["assign", each.name.text] = place
        elif isinstance(each, ast.Read | ast.FieldsFrom | ast.Recording):
            last[type(each)] = place
        else:
            last[place] = place
    return (statements[place] for place in sorted(last.values()))


def _key_of(value: ast.Expr, *, is_time: bool) -> str | None:
    """The one key of the record that a value is read from; None when it is more than that."""
    if isinstance(value, ast.Path):
        if value.steps or not isinstance(value.head, ast.Name) or value.head.text in _SPECIAL:
            return None
        return value.head.text
    if not is_time:
        return None
    if isinstance(value, ast.Convert):
        fixed = value.since in (None, "epoch", "start") and (value.unit is None or isinstance(value.unit, ast.Name))
        return _key_of(value.value, is_time=True) if fixed else None
    if isinstance(value, ast.Else):
        keys = {_key_of(choice, is_time=True) for choice in value.choices}
        return keys.pop() if len(keys) == 1 else None
    return None


def _is_record(path: ast.Path) -> bool:
    return isinstance(path.head, ast.Name) and path.head.text == "record" and not path.steps


def _row(
    keys: Mapping[str, str],
    assigned: Mapping[str, str],
    declared: Sequence[str],
    others: Sequence[str],
    *,
    has_rest: bool,
) -> tuple[type[Any], dict[str, str]]:
    """The type of a row, and the attribute of each field."""
    attribute_of = {key: _ATTRIBUTES[part] for part, key in keys.items()}
    members: list[tuple[str, Any, Any]] = [
        (attribute, _TYPES.get(attribute, str | None), None) for attribute in _ATTRIBUTES.values()
    ]
    rename = {_ATTRIBUTES[part]: keys.get(part, f"\uffff{part}") for part in _ATTRIBUTES}
    found: dict[str, str] = {}
    names = {"f": 0, "g": 0}
    for field in dict.fromkeys((*declared, *others)):
        key = assigned.get(field, field if has_rest and field not in PARTS else None)
        if key is None:
            continue
        attribute = attribute_of.get(key)
        if attribute is None:
            letter = "f" if field in declared else "g"
            attribute = attribute_of[key] = f"{letter}{names[letter]}"
            names[letter] += 1
            members.append((attribute, Any, None))
            rename[attribute] = key
        found[field] = attribute
    for spare in range(names["f"], DECLARED):
        members.append((f"f{spare}", Any, None))
        rename[f"f{spare}"] = f"\uffff{spare}"
    return msgspec.defstruct("Row", members, rename=rename, gc=False), found


def _time_reader(part: Part | None, key: str) -> Callable[[LogValue], int | None]:
    if part is None:
        return lambda raw: None

    def time_of(raw: LogValue) -> int | None:
        found = part.get(Scope({key: raw}, None, "", ""))
        return found.ns if type(found) is Instant else None

    return time_of


def _unit_of(time: ast.Expr | None) -> int | None:
    """The unit of a whole number in `time`, when each of its readings agrees on it."""
    choices = time.choices if isinstance(time, ast.Else) else () if time is None else (time,)
    for choice in choices:
        if isinstance(choice, ast.Path):
            return UNITS_NS["s"]
        if isinstance(choice, ast.Convert) and choice.to == "unit":
            if not isinstance(choice.unit, ast.Name) or choice.since not in ("epoch", "start"):
                return None
            return UNITS_NS[choice.unit.text]
        if isinstance(choice, ast.Convert) and choice.to != "iso8601":
            return None
    return None


# --- blocks ------------------------------------------------------------------------------------------------


class _NotSoFast(Exception):
    """A number that the reader has to look at."""


def _exact(text: str) -> Decimal:
    if len(text) > _MOST_DIGITS:
        raise _NotSoFast
    return Decimal(text)


@dataclass(slots=True)
class Block:
    """Some whole lines. `rows` has one for each, None for a line that the reader has to read. `cut` is the length of
    a line that is too long to be kept; then there is no other."""

    data: bytes
    rows: list[Any]
    cut: int = 0
    _lines: list[bytes] | None = None

    def line(self, number: int) -> bytes | None:
        """The line of a row, without its end; None when it is too long."""
        return None if self.cut else self._all()[number].removesuffix(b"\r")

    def is_ended(self, number: int) -> bool:
        """Whether the line has an end; the last of a log may have none."""
        return number < len(self.rows) - 1 or self.data.endswith(b"\n")

    def offset(self, number: int) -> int:
        """The byte of the block where the line begins."""
        return sum(len(line) + 1 for line in self._all()[:number])

    def _all(self) -> list[bytes]:
        if self._lines is None:
            self._lines = self.data.split(b"\n")
        return self._lines

    @property
    def length(self) -> int:
        """Bytes of the log that it stands for."""
        return self.cut or len(self.data)


def blocks_of(stream: BinaryIO, plain: Plain, size: int = BLOCK) -> Iterator[Block]:
    """The lines of a stream in blocks of about `size` bytes."""
    decoder = Decoder(plain)
    while data := stream.read(size):
        if not data.endswith(b"\n"):
            whole = data.rfind(b"\n") + 1
            last = bytearray(data[whole:])
            length = len(last)
            while not last.endswith(b"\n") and (more := stream.readline(size)):
                length += len(more)
                if len(last) > LONGEST:
                    last = bytearray(more[-1:])  # too long to be kept; only its end is of interest
                else:
                    last += more
            if length > LONGEST + 2:
                if whole:
                    yield decoder.block(data[:whole])
                yield Block(b"\n" if last.endswith(b"\n") else b"", [None], cut=length)
                continue
            data = data[:whole] + last
        yield decoder.block(data)


class Decoder:
    """Decodes blocks of whole lines."""

    def __init__(self, plain: Plain) -> None:
        decoder = msgspec.json.Decoder(plain.row, float_hook=_exact)
        self._all = decoder.decode_lines
        self._one = decoder.decode

    def block(self, data: bytes) -> Block:
        """The rows of some whole lines."""
        count = data.count(b"\n") + (not data.endswith(b"\n"))
        if self._is_regular(data, count):
            try:
                rows = self._all(data)
            except (msgspec.MsgspecError, RecursionError, _NotSoFast, ValueError):
                pass
            else:
                if len(rows) == count:
                    return Block(data, rows)
        block = Block(data, [None] * count)
        block.rows = [self._row(block.line(number) or b"") for number in range(count)]
        return block

    @staticmethod
    def _is_regular(data: bytes, count: int) -> bool:
        """Each line is one object and nothing else: `}` and `{` never stand so in the middle of a JSON text."""
        if data[:1] != b"{" or data.count(b"}\n{") != count - 1:
            return False
        return data.endswith((b"}\n", b"}")) and is_text(data)

    def _row(self, line: bytes) -> Any:
        if line[:1] != b"{" or line[-1:] != b"}" or b"\n" in line or not is_text(line):
            return None
        try:
            return self._one(line)
        except (msgspec.MsgspecError, RecursionError, _NotSoFast, ValueError):
            return None


def is_text(data: bytes) -> bool:
    """Whether the bytes are UTF-8."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
