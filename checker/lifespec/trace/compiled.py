"""A binding, compiled: what the reader runs. Owns shapes and small choices among names; reads no bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from lifespec.source import Span
from lifespec.syntax.words import quoted_key
from lifespec.trace.container import JSON_LINES, Container
from lifespec.trace.event import Client
from lifespec.trace.rename import Renames
from lifespec.trace.rows import Columns
from lifespec.trace.scope import Getter, Scope
from lifespec.trace.template import Template

# Parts of an event that are no fields.
PARTS = frozenset({"session", "time", "event", "machine", "from", "to", "owner"})
NAME_PARTS = PARTS | {"state"}

Condition = Callable[[Scope], bool]


class Matching(Struct, frozen=True):
    """One `match PATH "template"`."""

    get: Getter
    template: Template


class Part(Struct, frozen=True):
    """Where a record keeps a part of its event. `repeats` is `else previous`, `matches` are those whose holes it is
    read from."""

    name: str
    get: Getter
    repeats: bool = False
    matches: tuple[Matching, ...] = ()


class Emission(Struct, frozen=True):
    """One event that a clause makes. `event` is None for a step of `machine` without an event name.

    `own_name` stands for `with` alone: the event keeps the name of the record. `target` with `status` is
    `in`. The `renames_*`, and the last member of a field, are False for a constant: it is written as the
    lifecycle calls it.
    """

    event: Getter | None
    own_name: bool
    machine: str | None
    source: Getter | None
    target: Getter | None
    status: bool
    owner: Getter | None
    fields: tuple[tuple[str, Getter, bool], ...]
    renames_source: bool
    renames_target: bool
    renames_owner: bool


class Unfolding(Struct, frozen=True):
    """One `each [key:] name in PATH`. `head` and `steps` say where PATH begins ("": at the piece) and where it goes,
    when that is written in the binding (else None). `text` is the `each` as people read it, `span` is that of PATH."""

    key: str | None
    name: str
    get: Getter
    head: str
    steps: tuple[str | int, ...] | None
    text: str
    span: Span


class Clause(Struct, frozen=True):
    """One `on`. `exact` and `patterns` are the names it looks at; neither is `any`. `joins` are the ids of
    `same session as`."""

    exact: frozenset[str]
    patterns: tuple[Template, ...]
    every: bool
    where: Condition | None
    emissions: tuple[Emission, ...]
    ends_session: bool
    begins_session: bool = False
    joins: tuple[Getter, ...] = ()
    unfolds: tuple[Unfolding, ...] = ()
    match: Matching | None = None


class Sequence(Struct, frozen=True):
    """`order by n [from start]`: numbers that go up by one."""

    get: Getter
    start: int | None


class Ignoring(Struct, frozen=True):
    """One `ignore` that is not `any`. `names` None looks at every record."""

    exact: frozenset[str] | None
    patterns: tuple[Template, ...]
    machines: frozenset[str]
    where: Condition | None


class IgnoringRest(Struct, frozen=True):
    """One `ignore any [except ...] [where ...]`."""

    excepted: frozenset[str]
    excepted_patterns: tuple[Template, ...]
    where: Condition | None


class Watched(Struct, frozen=True):
    """What one statement reads: a value that is there when one of `choices` is. Each of these is the names of a path,
    behind what `each` bound ("" for the record). `is_part`: it is hardly ever meant to be absent.
    `walked_by` is the name that an `each` gives to what it finds there ("" for all other statements)."""

    choices: tuple[tuple[str, tuple[str, ...]], ...]
    span: Span
    is_part: bool
    walked_by: str = ""

    @property
    def is_walked_to_read(self) -> bool:
        """An `each` of `read` walks it: without it there are no records."""
        return self.is_part and bool(self.walked_by)

    @property
    def path(self) -> str:
        """The first path, as a binding writes it."""
        base, names = self.choices[0]
        return ".".join(map(quoted_key, [base, *names] if base else names))


class CompiledBinding(Struct, frozen=True, eq=False):
    """All that is needed to read logs of one client. `allowed` is the why of each allowed finding.

    `needs_object` says that a record which is no object cannot be read. `known_events` are the names that
    the lifecycle knows, `near_to` those, with the names that
    `on` and `rename` look for, that a name passed over is compared with.
    """

    name: str
    client: Client
    header_first: bool
    columns: Columns | None
    needs_object: bool
    session: Part
    time: Part | None
    counts_from_previous: bool  # a time is `since previous`
    event: Part | None
    machine: Part | None
    source: Part | None
    target: Part | None
    owner: Part | None
    fields: tuple[Part, ...]
    fields_from: tuple[Getter, ...]
    renames: Mapping[str, Renames]  # of parts that are names
    field_renames: Mapping[str, Renames]
    state_renames: Mapping[str, Renames]  # of one machine
    clauses: tuple[Clause, ...]
    ignoring: tuple[Ignoring, ...]
    ignoring_rest: tuple[IgnoringRest, ...]
    allowed: Mapping[str, str]
    known_events: frozenset[str]
    near_to: frozenset[str]
    container: Container = JSON_LINES
    unfolds: tuple[Unfolding, ...] = ()  # of `read`
    piece_needs_object: bool = False  # the first of them looks for a key
    named_by: Getter | None = None  # `rows named by`
    needs_match: tuple[Getter, ...] = ()  # in a text, what each `match record` took: one of them is due
    line_patterns: tuple[Template, ...] = ()  # of these
    taken: tuple[tuple[str, Getter], ...] = ()  # in a text, by each `match` of the whole binding
    sequence: Sequence | None = None
    lateness_ns: int | None = None  # `order by time within`
    clock: Part | None = None
    unique: Getter | None = None
    watched: tuple[Watched, ...] = ()

    @property
    def after(self) -> str | None:
        """The magic word of the first line."""
        return self.container.after
