"""Models built by hand, for tests that are about pictures and not about the language."""

from __future__ import annotations

from collections.abc import Iterable

from lifespec.model.model import (
    After,
    Assignment,
    Expr,
    FieldRef,
    Group,
    Machine,
    Model,
    On,
    Owner,
    Requirement,
    State,
    StateKind,
    Transition,
    Trigger,
)
from lifespec.model.value import Type
from lifespec.source import Source, Span

NOWHERE = Span("built", 0, 0)
_UNITS = {"ms": 1_000_000, "s": 1_000_000_000}


class Texts:
    """Collects the texts of expressions, so that each has a span of its own in one source."""

    def __init__(self) -> None:
        self.text = ""

    def expr(self, text: str) -> Expr:
        start = len(self.text)
        self.text += text + "\n"
        return FieldRef(text, Type.ANY, Span("built", start, start + len(text)))


def state(
    name: str,
    kind: str = "state",
    *,
    within: tuple[str, int] | None = None,
    requires: Iterable[str] = (),
    waived: str | None = None,
    groups: Iterable[str] = (),
    doc: str | None = None,
) -> State:
    written, ns = within or (None, None)
    return State(
        name=name,
        kind=StateKind(kind),
        within_ns=ns,
        within_written=written,
        within_span=NOWHERE if within else None,
        requires=tuple(requires),
        waived_why=waived,
        groups=tuple(groups),
        doc=doc,
        span=NOWHERE,
    )


def transition(
    sources: Iterable[str],
    targets: Iterable[str] = (),
    trigger: Trigger | str | None = None,
    *,
    texts: Texts | None = None,
    from_any: bool = False,
    where: str | None = None,
    owners: Iterable[str] = (),
    requires: Iterable[str] = (),
    require: Iterable[tuple[str, str | None]] = (),
    remember: Iterable[tuple[str, str]] = (),
    doc: str | None = None,
    text: str = "",
) -> Transition:
    """A transition with index 0; `machine` numbers them."""
    texts = texts or Texts()
    if isinstance(trigger, str):
        trigger = On((trigger,), None)
    return Transition(
        index=0,
        machine="",
        sources=tuple(sources),
        from_any=from_any,
        targets=tuple(targets),
        trigger=trigger,
        where=texts.expr(where) if where else None,
        owners=tuple(owners),
        requires=tuple(requires),
        require=tuple(Requirement(texts.expr(said), said, words, NOWHERE) for said, words in require),
        remember=tuple(Assignment(name, texts.expr(value), NOWHERE) for name, value in remember),
        doc=doc,
        text=text,
        span=NOWHERE,
    )


def machine(
    name: str,
    states: Iterable[State],
    transitions: Iterable[Transition],
    *,
    keys: Iterable[str] = (),
    owners: Iterable[str] = (),
    groups: Iterable[tuple[str, str | None]] = (),
    doc: str | None = None,
) -> Machine:
    """A machine. `groups` are names with their parents; who is in them is said by the states."""
    from msgspec.structs import replace

    states = tuple(states)
    return Machine(
        name=name,
        keys=tuple(keys),
        owners=tuple(owners),
        initial=next(s.name for s in states if s.kind is StateKind.INITIAL),
        states={s.name: s for s in states},
        groups={
            group: Group(group, parent, frozenset(s.name for s in states if group in s.groups), None, NOWHERE)
            for group, parent in groups
        },
        transitions=tuple(replace(t, index=i, machine=name) for i, t in enumerate(transitions)),
        ignored=frozenset(),
        memories={},
        doc=doc,
        span=NOWHERE,
    )


def model(
    *machines: Machine,
    name: str = "built",
    owners: Iterable[tuple[str, str | None]] = (),
    texts: Texts | None = None,
    doc: str | None = None,
) -> Model:
    return Model(
        name=name,
        version=None,
        doc=doc,
        owners={owner: Owner(owner, words, NOWHERE) for owner, words in owners},
        fields={},
        forbids=(),
        params={},
        profiles={},
        profile=None,
        pauses=(),
        events={},
        machines={m.name: m for m in machines},
        rules=(),
        bindings={},
        sources={"built": Source("built", texts.text if texts else "")},
        span=NOWHERE,
    )


def seconds(number: int) -> tuple[str, int]:
    return f"{number}s", number * 1_000_000_000


def after(number: int) -> After:
    return After(number * 1_000_000_000, f"{number}s")
