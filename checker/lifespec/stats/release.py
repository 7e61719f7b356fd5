"""Two releases: what of their statistics means the same on both sides, and the comparison of that.

Owns what may be compared; the tests are in `compare`.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from lifespec.stats.compare import LEVEL, MIN_SESSIONS, Comparison, compare
from lifespec.stats.measure import Measure
from lifespec.stats.read import Statistics

BASE, HEAD = "base", "head"


class NotLogged(Struct, frozen=True):
    """An event that begins or ends what a machine does, and that no session of `side` has, while the other has it."""

    machine: str
    event: str
    side: str


class Compared(Struct, frozen=True):
    """Two releases and their comparison. `measures` are those that were compared; `unlike` are what was not: machines
    with their measures, single measures and properties, with the reason; `not_logged` is worth a look before a
    difference is believed."""

    base: Statistics
    head: Statistics
    comparison: Comparison
    measures: tuple[Measure, ...]
    unlike: tuple[tuple[str, str], ...]
    not_logged: tuple[NotLogged, ...]
    level: float


def compare_releases(
    base: Statistics, head: Statistics, *, level: float = LEVEL, min_sessions: int = MIN_SESSIONS
) -> Compared:
    """Compare two releases: what both lifecycles declare, and define alike."""
    unlike = list(_unlike(base, head))
    left_out = {machine for machine, _ in unlike}
    theirs = {measure.id: measure for measure in head.measures}
    measures = []
    for measure in base.measures:
        other = theirs.get(measure.id)
        if measure.machine in left_out or other is None:
            continue
        if (measure.unit, measure.worse, measure.events) == (other.unit, other.worse, other.events):
            measures.append(measure)
        else:
            unlike.append((measure.id, "other events begin or end it, or another end of it is worse"))
    without = {*base.not_applicable} ^ {*head.not_applicable}
    for prop in sorted(without):
        side = BASE if prop in base.not_applicable else HEAD
        unlike.append((prop, f"the client of the {side} cannot log what it needs"))
    comparison = compare(
        base.tally,
        head.tally,
        measures,
        without=frozenset(without),
        judged=frozenset({*base.properties} & {*head.properties}),
        level=level,
        min_sessions=min_sessions,
    )
    return Compared(base, head, comparison, tuple(measures), tuple(unlike), tuple(_not_logged(base, head)), level)


def _unlike(base: Statistics, head: Statistics) -> Iterator[tuple[str, str]]:
    """The machines of which a side has other events that begin or end, or which it does not have."""
    for machine in dict.fromkeys((*base.starts, *head.starts)):
        if machine not in base.starts or machine not in head.starts:
            yield machine, f"only the {BASE if machine in base.starts else HEAD} has this machine"
            continue
        for what, ours, theirs in (
            ("leads out of the initial state", base.starts[machine], head.starts[machine]),
            ("leads into a failure or a final state", base.ends[machine], head.ends[machine]),
        ):
            differing = sorted(ours ^ theirs)
            if differing:
                side = BASE if differing[0] in ours else HEAD
                yield machine, f"`{differing[0]}` {what} in the {side} only"
                break


def _not_logged(base: Statistics, head: Statistics) -> Iterator[NotLogged]:
    """What one side has in a good part of its sessions, and the other in none."""
    seen = base.tally.overall.events, head.tally.overall.events
    for machine in base.starts:
        if machine not in head.starts:
            continue
        events = (base.starts[machine] | base.ends[machine]) & (head.starts[machine] | head.ends[machine])
        for event in sorted(events):
            ours, theirs = (each.get(event, 0) for each in seen)
            if ours and not theirs and ours * 10 >= base.tally.overall.sessions:
                yield NotLogged(machine, event, HEAD)
            elif theirs and not ours and theirs * 10 >= head.tally.overall.sessions:
                yield NotLogged(machine, event, BASE)
