"""Models for hypothesis: any graph that a lifecycle can have, with names that hold anything.

A model is made from a seed and a size, which is a hundred times faster than drawing its parts one by one; when a
test fails, hypothesis still finds the smallest size.
"""

from __future__ import annotations

from random import Random

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
NASTY += ["default", "[*]", "-->", "--", "&amp;", "1. one", "*x*", "_x_", "`x`", "é", "名", "\u202e", "\x00", "\ud800"]
NASTY += [" ", "]]>", "%5", "idle, up", "any"]
_PLAIN = ["idle", "connecting", "open", "failed", "closed", "recovering", "sub-state", "a_b", "v1.2"]


def any_model() -> st.SearchStrategy[Model]:
    """Each declared transition has an event of its own: `eMxTx`, of the T-th transition of the M-th machine."""
    return st.builds(random_model, st.integers(0, 2**32), st.integers(1, 7))


def random_model(seed: int, size: int) -> Model:
    random = Random(seed)
    owners = tuple(_names(random, random.randint(1, 3)))
    machines = [
        _machine(random, name, number, owners, size) for number, name in enumerate(_names(random, random.randint(1, 3)))
    ]
    return models.model(
        *machines, name=_name(random), owners=[(owner, _text(random)) for owner in owners], doc=_text(random)
    )


def _name(random: Random) -> str:
    kind = random.randrange(3)
    if kind == 2:
        return "".join(chr(random.choice([random.randrange(1, 0x250), random.randrange(0x110000)])) for _ in range(4))
    return random.choice(NASTY if kind else _PLAIN)


def _names(random: Random, count: int) -> list[str]:
    """Up to `count` different names."""
    return list(dict.fromkeys(_name(random) for _ in range(count)))


def _text(random: Random) -> str | None:
    return random.choice([None, _name(random), f"{_name(random)} is {_name(random)}"])


def _machine(random: Random, name: str, number: int, owners: tuple[str, ...], size: int) -> Machine:
    groups = _names(random, random.randint(0, 3))
    parents = {group: random.choice([None, *groups[:place]]) for place, group in enumerate(groups)}
    states = [_state(random, state, place == 0, parents) for place, state in enumerate(_names(random, size))]
    leaving = [state.name for state in states if state.kind.value != "final"]
    names = [state.name for state in states]
    transitions = [
        _transition(random, leaving, names, f"e{number}x{place}x", owners)
        for place in range(random.randint(0, 2 * size))
    ]
    return models.machine(
        name,
        states,
        transitions,
        keys=_names(random, random.randint(0, 2)),
        owners=owners[: random.randint(0, 1)],
        groups=parents.items(),
        doc=_text(random),
    )


def _state(random: Random, name: str, first: bool, parents: dict[str, str | None]) -> State:
    around: list[str] = []
    group = random.choice([None, *parents])
    while group is not None:
        around.insert(0, group)
        group = parents[group]
    return models.state(
        name,
        "initial" if first else random.choice(["state", "state", "failure", "final"]),
        within=random.choice([None, models.seconds(3), ("limit", 5 * 10**9)]),
        requires=_names(random, random.randint(0, 2)),
        waived=random.choice([None, None, "", _name(random)]),
        groups=around,
        doc=_text(random),
    )


def _transition(
    random: Random, leaving: list[str], states: list[str], event: str, owners: tuple[str, ...]
) -> Transition:
    targets = random.choice([(), (random.choice(states),), (random.choice(states),)])
    from_any = random.random() < 0.3
    sources = [name for name in leaving if name not in targets]
    if not from_any:
        chosen = {random.choice(leaving) for _ in range(random.randint(1, len(leaving)))}
        sources = [name for name in leaving if name in chosen]
    return models.transition(
        sources,
        targets,
        On((event,), random.choice([None, None, _name(random)])),
        from_any=from_any,
        owners=random.choice([(), owners, owners[:1]]),
        requires=_names(random, random.randint(0, 2)),
        require=[("x > 1", _text(random))] if random.random() < 0.3 else [],
        doc=_text(random),
        text=_name(random),
    )
