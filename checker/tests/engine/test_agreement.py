"""The monitor gives the answer of the reference engine: findings of each record and of the end, witnesses, tallies,
coverage, counts and outcomes by session. On everything that is kept, on fixed seeds, and on seeds nobody has seen.

`tools/mutate.py` asks how much these checks would notice.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lifespec.engine import monitor
from lifespec.trace.event import Record
from lifespec.verdict import Violation
from tests.engine.agreement import SEEDS, Case, Check, Trial, check_of, edges, finished, generated, kept, tried
from tests.engine.agreement_lane import lane_check_of, lane_checks
from tests.engine.generate_log import KINDS

_NUMBERS = st.integers(0, 2**32)
_KEPT = list(kept())
_EDGES = list(edges())
_FINISHED = list(finished())


@pytest.mark.parametrize("case", _KEPT, ids=lambda case: case.name)
def test_on_what_is_kept(case: Case) -> None:
    assert Trial(case).run(monitor) is None


@pytest.mark.parametrize("check", _EDGES, ids=lambda check: check.name)
def test_at_the_edges(check: Check) -> None:
    assert check.run(monitor) is None


@pytest.mark.parametrize("check", _FINISHED, ids=lambda check: check.name)
def test_where_sessions_go_on_behind_their_ends(check: Check) -> None:
    assert check.run(monitor) is None


@pytest.mark.parametrize("seed", SEEDS)
def test_on_a_seed(seed: int) -> None:
    assert check_of(seed).run(monitor) is None


@pytest.mark.parametrize("check", list(lane_checks()), ids=lambda check: check.name)
def test_of_lines_by_the_lane(check: Check) -> None:
    assert check.run(monitor) is None


@settings(max_examples=10, deadline=None)
@given(_NUMBERS)
def test_of_lines_nobody_has_seen(seed: int) -> None:
    assert lane_check_of(seed).run(monitor) is None


@settings(max_examples=20, deadline=None)
@given(_NUMBERS, _NUMBERS)
def test_on_seeds_nobody_has_seen(seed: int, log_seed: int) -> None:
    for trial in tried(seed, log_seed):
        assert trial.run(monitor) is None


@settings(max_examples=10, deadline=None)
@given(_NUMBERS, st.sampled_from(KINDS))
def test_a_session_is_judged_alike_alone_and_among_others(seed: int, kind: str) -> None:
    case = generated(seed, seed + 1, kind)
    if case is None or not case.records:
        return
    ends: dict[str, int | None] = {"": None}
    for record in case.records:
        if record.time_ns is not None and not record.time_taken:
            ends[record.clock] = max(record.time_ns, ends.get(record.clock) or record.time_ns)
    together = _found(case, case.records, ends)
    for session in {record.session for record in case.records}:
        alone = _found(case, [r for r in case.records if r.session == session], ends)
        assert [v for v in alone if v.session == session] == [v for v in together if v.session == session]


def _found(case: Case, records: list[Record], ends: dict[str, int | None]) -> list[Violation]:
    """All findings; last records, of a session for each clock, take every clock to the same end."""
    place = replace(records[-1].place, line=10_000)
    last = [Record(place, f"the end of {clock}", end, (), clock=clock) for clock, end in ends.items()]
    engine = monitor.Monitor(case.model, case.client)
    for record in (*records, *last):
        engine.feed(record)
    return list(engine.finish(complete=case.complete).violations)


def test_the_generated_logs_are_of_use() -> None:
    """Some of them are legal for long, and all kinds of findings are found."""
    names: set[str] = set()
    legal = 0
    for seed in list(SEEDS)[:30]:
        case = generated(seed, seed, "complete")
        assert case is not None
        found = Trial(case).expected().fed
        legal += sum(not any(violations) for violations in found)
        names |= {violation.name for violations in found for violation in violations}
    assert legal >= 30 * 8
    assert len(names) >= 17, names
