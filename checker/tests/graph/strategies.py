"""Models for hypothesis: any graph that a lifecycle can have, with names that hold anything."""

from __future__ import annotations

from hypothesis import strategies as st

from lifespec.model.model import Machine, Model, On, State, Transition
from tests.graph import models

NASTY = [
    'a"b',
    "back\\slash",
    "\\N",
    "<b>x</b>",
    "two\nlines",
    "a:b",
    "a;b",
    "{}",
    "#35;",
    "%%",
    "end",
    "state",
    "note",
]
NASTY += [
    "default",
    "[*]",
    "-->",
    "--",
    "&amp;",
    "1. one",
    "*x*",
    "_x_",
    "`x`",
    "é",
    "名",
    "\u202e",
    "\x00",
    "\ud800",
    " ",
    "]]>",
]

names = st.one_of(
    st.sampled_from(NASTY), st.text(min_size=1, max_size=12), st.from_regex(r"[a-z][a-z-]{0,8}", fullmatch=True)
)
texts = st.one_of(st.none(), names)


@st.composite
def any_machine(draw: st.DrawFn, name: str, number: int, owners: tuple[str, ...]) -> Machine:
    groups = draw(st.lists(names, unique=True, max_size=3))
    parents = {group: draw(st.sampled_from([None, *groups[:place]])) for place, group in enumerate(groups)}
    state_names = draw(st.lists(names, unique=True, min_size=1, max_size=7))
    states: list[State] = []
    for place, state_name in enumerate(state_names):
        around: list[str] = []
        group = draw(st.sampled_from([None, *groups]))
        while group is not None:
            around.insert(0, group)
            group = parents[group]
        states.append(
            models.state(
                state_name,
                "initial" if place == 0 else draw(st.sampled_from(["state", "failure", "final"])),
                within=draw(st.sampled_from([None, models.seconds(3), ("limit", 5 * 10**9)])),
                requires=draw(st.lists(names, max_size=2)),
                waived=draw(texts),
                groups=around,
                doc=draw(texts),
            )
        )
    leaving = [s.name for s in states if s.kind.value != "final"]
    transitions = [
        draw(_transition(leaving, state_names, f"e{number}x{i}x", owners)) for i in range(draw(st.integers(0, 7)))
    ]
    return models.machine(
        name,
        states,
        transitions,
        keys=draw(st.lists(names, unique=True, max_size=2)),
        owners=owners[:1],
        groups=parents.items(),
        doc=draw(texts),
    )


@st.composite
def _transition(
    draw: st.DrawFn, leaving: list[str], states: list[str], event: str, owners: tuple[str, ...]
) -> Transition:
    targets = draw(st.sampled_from([(), *((name,) for name in states)]))
    from_any = draw(st.booleans())
    if from_any:
        sources = [name for name in leaving if name not in targets]
    else:
        sources = draw(st.lists(st.sampled_from(leaving), unique=True, min_size=1))
    return models.transition(
        sources,
        targets,
        On((event,), draw(st.none() | names)),
        from_any=from_any,
        where=None,
        owners=draw(st.sampled_from([(), owners, owners[:1]])),
        requires=draw(st.lists(names, max_size=2)),
        require=[("x > 1", draw(texts))] if draw(st.booleans()) else [],
        doc=draw(texts),
        text=draw(names),
    )


@st.composite
def any_model(draw: st.DrawFn) -> Model:
    """Each declared transition has an event of its own: `eMxTx`, of the T-th transition of the M-th machine."""
    owners = tuple(draw(st.lists(names, unique=True, min_size=1, max_size=3)))
    machine_names = draw(st.lists(names, unique=True, min_size=1, max_size=3))
    machines = [draw(any_machine(name, number, owners)) for number, name in enumerate(machine_names)]
    return models.model(*machines, name=draw(names), owners=[(owner, draw(texts)) for owner in owners], doc=draw(texts))
