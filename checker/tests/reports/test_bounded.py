"""However much is found: all is counted, little is kept, and what is kept depends on nothing but the logs."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lifespec import check_jobs
from lifespec.check import Options, check
from lifespec.check_findings import MOST_KINDS
from lifespec.explain import Explained
from lifespec.held import IN_MEMORY, Held
from lifespec.load import load_text
from lifespec.model.model import Model
from lifespec.reports.fingerprint import fingerprint
from lifespec.reports.formats import FORMATS
from lifespec.reports.report import Report
from lifespec.reports.setting import DEFAULT
from lifespec.verdict import Place, Property, Violation, Witness

SPEC = """lifecycle x
machine m { initial a state b within 5s final c  a -> b on go  b -> a on back  b -> c on end }
"""


@pytest.fixture(scope="module")
def model() -> Model:
    found = load_text(SPEC, "x.lifespec").model
    assert found is not None
    return found


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_jobs, "SMALLEST", 1 << 16)


def _wrong_steps(number: int) -> str:
    """Two findings of one kind in each pair of lines, in few sessions."""
    return "".join(
        f'{{"time": {at}, "session": "s{at % 7}", "event": "{"end" if at % 2 else "back"}"}}\n' for at in range(number)
    )


def _unfinished(number: int) -> str:
    """One finding in each session, found when the log is over."""
    return "".join(f'{{"time": {at}, "session": "s{at}", "event": "go"}}\n' for at in range(number))


def _alive(kind: type) -> int:
    return sum(type(each) is kind for each in gc.get_objects())


def _most_alive(model: Model, log: Path, options: Options) -> tuple[int, Report]:
    """How many violations there are at most at a time, looked at now and then; and the report."""
    most = seen = 0

    def each(finding: Explained) -> None:
        nonlocal most, seen
        seen += 1
        if seen % 499 == 0:
            most = max(most, _alive(Violation))

    report = check(model, log, options=options, each=each)
    assert seen == sum(group.count for group in report.groups)
    return max(most, _alive(Violation)), report


@pytest.mark.parametrize("log", [_wrong_steps, _unfinished], ids=["while reading", "at the end"])
@pytest.mark.parametrize("more", [{}, {"engine": "reference"}, {"strict_json": True}, {"jobs": 2}], ids=str)
def test_what_is_kept_does_not_grow(
    log: Callable[[int], str], more: dict[str, Any], model: Model, tmp_path: Path
) -> None:
    alive, sizes, counts = [], [], []
    for number in (1500, 6000):
        path = tmp_path / "log.jsonl"
        path.write_text(log(number))
        before = _alive(Violation)
        most, report = _most_alive(model, path, Options(examples=5, complete=True, **more))
        alive.append(most - before)
        sizes.append(len(FORMATS["json"].render(report, DEFAULT)))
        counts.append(sum(group.count for group in report.groups))
    assert counts[1] > 3 * counts[0] > 3000
    assert alive[1] < alive[0] + 1500  # those of one block of lines, or of a batch that a worker hands over
    assert sizes[1] < sizes[0] * 1.1


def test_every_kind_is_counted_and_the_same_ones_are_kept_whatever_the_order(model: Model, tmp_path: Path) -> None:
    names = [f"name-{number}" for number in range(4 * MOST_KINDS)] * 3
    kept = []
    for number, order in enumerate((names, names[::-1])):
        path = tmp_path / f"{number}.jsonl"
        path.write_text(
            "".join(f'{{"time": {at}, "session": "s", "event": "{name}"}}\n' for at, name in enumerate(order))
        )
        (group,) = check(model, path, options=Options(examples=5)).groups
        assert group.count == len(names)
        assert (group.kinds_found.number, group.kinds_found.is_exact) == (4 * MOST_KINDS, True)
        assert {kind.count for kind in group.kinds} == {3}
        assert [kind.first.place.line for kind in group.kinds] == sorted(kind.first.place.line for kind in group.kinds)
        kept.append({kind.fingerprint for kind in group.kinds})
    assert len(kept[0]) == MOST_KINDS
    assert kept[0] == kept[1]


@pytest.mark.parametrize("examples", [0, 1, 3, 5000])
def test_the_first_ones_by_place_are_kept(examples: int, model: Model, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(_wrong_steps(400) + _unfinished(40))
    every = check(model, path, options=Options(complete=True, examples=10_000))
    few = check(model, path, options=Options(complete=True, examples=examples))
    wanted, more = every.examples(examples)
    assert few.findings == wanted
    assert few.examples(examples)[1] == more
    assert [(group.name, group.count, group.kinds) for group in few.groups] == [
        (group.name, group.count, group.kinds) for group in every.groups
    ]
    assert every.sessions_with_findings.number == 40
    for group in every.groups:
        sessions = {finding.violation.session for finding in group.examples}
        assert (group.count, group.sessions.number) == (len(group.examples), len(sessions))
        assert sum(kind.count for kind in group.kinds) == group.count
        assert {kind.fingerprint for kind in group.kinds} == set(map(fingerprint, group.examples))


def test_each_is_told_all_in_the_order_of_detection(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(_wrong_steps(50) + _unfinished(20))
    told: list[Explained] = []
    report = check(model, path, options=Options(complete=True), each=told.append)
    assert [finding.number for finding in told] == list(range(1, len(told) + 1))
    assert sorted(finding.number for finding in report.findings) == [finding.number for finding in told]


def test_equal_sessions_of_logs_are_one_only_when_the_logs_are_joined(model: Model, tmp_path: Path) -> None:
    logs = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for number, log in enumerate(logs):
        log.write_text(f'{{"time": {number}, "session": "s", "event": "back"}}\n')
    for join_files, number in ((False, 2), (True, 1)):
        report = check(model, logs, options=Options(join_files=join_files))
        assert report.sessions_with_findings.number == number
        assert [sum(group.count for group in log.groups) for log in report.logs] == ([1, 1], [2])[join_files]


def test_held_violations_come_back_as_they_were() -> None:
    violations = [
        Violation(
            "overdue",
            Property("bound", "m", "b"),
            f"s{number}",
            Place("a", number, 7, 1),
            key=("k", "\u00e9"),
            witnesses=(Witness(Place("b", 1), "remembered", None, "m.x", value),),
            elapsed_ns=10**18,
        )
        for number in range(IN_MEMORY + 10)
        for value in (1, 1.5, "x", True, None)
    ]
    held = Held(violations[:3])
    held.add(violations[3:])
    assert len(held) == len(violations)
    assert len(held._last) < IN_MEMORY
    assert list(held) == violations
