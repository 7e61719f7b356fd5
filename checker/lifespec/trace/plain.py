"""The fast way to read a log: lines -> rows of just the values that are looked at (spec/bindings.md B41).

For bindings that read one flat JSON object a line and assign parts and fields from its keys, which is what most
do. Owns which bindings these are, and how their lines are decoded; what a line that does not fit holds is for the
reader to say, which reads it again on its own. A value that nobody looks at is only skipped over: it has to be JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, BinaryIO, Literal, Protocol, Union

import msgspec

from lifespec.model.model import Binding
from lifespec.model.value import Instant, LogValue
from lifespec.syntax import ast
from lifespec.trace.compiled import PARTS, CompiledBinding, Part
from lifespec.trace.instant import UNITS_NS
from lifespec.trace.line import LONGEST
from lifespec.trace.scope import Scope

BLOCK = 1 << 16  # bytes that are read at once
_MOST_DIGITS = 20  # of a number that the fast way reads
_PARTS = {"session": "session", "time": "time", "event": "event", "machine": "machine", "owner": "owner"}
_ATTRIBUTES = _PARTS | {"from": "source", "to": "target"}
_SPECIAL = frozenset({"record", "header", "file", "previous"})

NOT_DECODED = (msgspec.MsgspecError, RecursionError, ValueError, TypeError)
"""What a decoder of rows raises for a line that is for the reader."""


@dataclass(frozen=True, slots=True, eq=False)
class Plain:
    """How a plain binding is read. `keys` and `fields` are the keys of the parts and of the fields that are looked at.

    A row has the attributes `session`, `time`, `event`, `machine`, `source`, `target` and `owner` (None when absent or
    not assigned) and those that `attributes` names, by name of the field; `declared` ones may be on any record.

    `time_of` gives the nanoseconds of what stands in `time`, None when it cannot be read; `unit_ns` is the unit of a
    whole number there, if it has one. `passed` are names of events that are passed over, `passes_rest` says that all
    names that the lifecycle does not know are, but those in `kept`.
    """

    keys: Mapping[str, str]
    fields: Mapping[str, str]
    declared: tuple[str, ...]
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
    fields: dict[str, str] = {}
    for field in dict.fromkeys((*declared, *others)):
        key = assigned.get(field, field if has_rest and field not in PARTS else None)
        if key in keys.values():
            return f"the field `{field}` and a part of the event are read from one key"
        if key is not None:
            fields[field] = key
    if len(set(fields.values())) < len(fields):
        return "two fields are read from one key"
    return Plain(
        keys=keys,
        fields=fields,
        declared=tuple(field for field in declared if field in fields),
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


# --- rows --------------------------------------------------------------------------------------------------


def _exact(text: str) -> Decimal:
    if len(text) > _MOST_DIGITS or "e" in text or "E" in text:
        raise ValueError("a number that the reader has to look at")
    return Decimal(text)


def _nothing(tag: str) -> type[msgspec.Struct]:
    never = Annotated[int, msgspec.Meta(gt=1, lt=0)]
    return msgspec.defstruct("Nothing", [("nothing", never)], tag_field=tag, tag="")


class Expected(Protocol):
    """What the rows of the event `name` are expected to have: by attribute the type, and whether it may be absent."""

    @property
    def name(self) -> str: ...

    @property
    def types(self) -> Mapping[str, tuple[Any, bool]]: ...


class Decoders:
    """Decodes the lines of one log.

    `row` makes a row of a line, `peek` only `event`, `machine` and `target` of it; both raise one of NOT_DECODED.
    `attributes` are the attributes of a row by name of the field. Of parts that are in `known` only these names are
    read, and each is always the same object; a line with another name is for the reader.
    """

    def __init__(self, plain: Plain, known: Mapping[str, Collection[str]]) -> None:
        self.attributes: dict[str, str] = {}
        members: list[tuple[str, Any, Any]] = []
        rename: dict[str, str] = {}
        absent: dict[str, Any] = {}
        for part, attribute in _ATTRIBUTES.items():
            if part in plain.keys:
                names = known.get(part)
                kind: Any = Any if part == "time" else Literal[tuple(sorted(names))] if names else str
                members.append((attribute, kind if part == "time" else kind | None, None))
                rename[attribute] = plain.keys[part]
            else:
                absent[attribute] = None
        for number, (field, key) in enumerate(plain.fields.items()):
            attribute = self.attributes[field] = f"f{number}"
            members.append((attribute, Any, None))
            rename[attribute] = key
        row = msgspec.defstruct("Row", members, namespace=absent, rename=rename, gc=False)
        self.row = msgspec.json.Decoder(row, float_hook=_exact).decode
        self.parts = frozenset(attribute for attribute in _ATTRIBUTES.values() if attribute in rename)
        self._tag = plain.keys.get("event")
        self._rename = {attribute: key for attribute, key in rename.items() if attribute != "event"}
        self._absent = absent
        peeked = [(attribute, str | None, None) for attribute in ("event", "machine", "target") if attribute in rename]
        first = msgspec.defstruct("Peek", peeked, namespace=absent, rename=rename, gc=False)
        self.peek = msgspec.json.Decoder(first).decode

    def expecting(self, shapes: Sequence[Expected]) -> Callable[[bytes], Any] | None:
        """A decoder of rows that are just as expected, each with its shape as `shape`; None where names of events are
        not read. It raises one of NOT_DECODED for a line that is anything else, whatever `row` makes of it."""
        if self._tag is None or not shapes:
            return None
        # Of one struct alone the tag may be absent, so there is another, which nothing fits.
        kinds = (*(self._struct(shape, self._tag) for shape in shapes), _nothing(self._tag))
        return msgspec.json.Decoder(Union[kinds], float_hook=_exact).decode  # noqa: UP007  # of many

    def _struct(self, shape: Expected, tag: str) -> type[msgspec.Struct]:
        members: list[Any] = []
        for attribute in self._rename:
            kind, is_optional = shape.types.get(attribute, (Any, True))
            members.append((attribute, kind, None) if is_optional else (attribute, kind))
        return msgspec.defstruct(
            "Row",
            members,
            namespace=self._absent | {"event": shape.name, "shape": shape},
            rename=self._rename,
            tag_field=tag,
            tag=shape.name,
            kw_only=True,
            gc=False,
        )


# --- lines -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Block:
    """Some whole lines, together and each without its end, and how many bytes of the log they are. `is_ended` is false
    when the last one has no end. Of a line that is too long to be kept there is nothing (`lines` is None)."""

    data: bytes
    lines: list[bytes] | None
    length: int
    is_ended: bool = True


def blocks_of(stream: BinaryIO, size: int = BLOCK) -> Iterator[Block]:
    """The lines of a stream in blocks of about `size` bytes."""
    rest = bytearray()  # the begin of a line of which the end has not been read
    cut = 0  # bytes of a line that is too long to be kept
    while data := stream.read(size):
        if cut:
            first = data.find(b"\n") + 1
            cut += first or len(data)
            if not first:
                continue
            yield Block(b"", None, cut)
            cut = 0
            data = data[first:]
        end = data.rfind(b"\n") + 1
        if end:
            whole = bytes(rest) + data[:end]
            rest[:] = data[end:]
            lines = whole.split(b"\n")
            lines.pop()
            yield Block(whole, lines, len(whole))
        else:
            rest += data
        if len(rest) > LONGEST + 2:
            cut = len(rest)
            rest.clear()
    if cut:
        yield Block(b"", None, cut, is_ended=False)
    if rest:
        yield Block(bytes(rest), [bytes(rest)], len(rest), is_ended=False)


def is_text(data: bytes) -> bool:
    """Whether the bytes are UTF-8."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
