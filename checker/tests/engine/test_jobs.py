"""A log that several workers share gives, byte for byte, the report of one that is judged by one, and finds in its
order."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lifespec import check_jobs
from lifespec.check import Options, check
from lifespec.check_jobs import Processes, Setting, Share, Told
from lifespec.load import load, load_text
from lifespec.model.model import Model
from lifespec.reports.json import render
from lifespec.reports.report import Report
from lifespec.reports.setting import DEFAULT
from lifespec.reports.text import render as render_text
from lifespec.trace.choose import choose_binding
from lifespec.trace.event import Client
from lifespec.watch import Interrupted, Progress, Unwatched
from tests.engine.agreement import ROOT, loaded
from tests.engine.agreement_lane import LANE_SEEDS, SMALL, lane_trials, written
from tests.engine.generate_log import make_records

SPEC = "lifecycle x machine m { initial a state b within 5s final c a -> b on go b -> a on back b -> c on end }"
AVATAR = ROOT / "spec" / "lifecycles" / "avatar"


class Inside:
    """Workers that are no processes."""

    judged: ClassVar[int] = 0
    tell: Callable[[Told], None]

    def __init__(self, setting: Setting, number: int, waiting: Callable[[], AbstractContextManager[None]]) -> None:
        self._shares = [Share(setting) for _ in range(number)]

    def ask(self, step: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        Inside.judged += step == "finish"
        return [getattr(share, step)(*given) for share, given in zip(self._shares, arguments, strict=False)]

    def ask_one(self, number: int, step: str, arguments: tuple[Any, ...]) -> Any:
        return getattr(self._shares[number], step)(*arguments)

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_jobs, "SMALLEST", 40)


@pytest.fixture(scope="module")
def log_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jobs") / "log.jsonl"


@contextlib.contextmanager
def _inside() -> Iterator[None]:
    before, check_jobs.start = check_jobs.start, Inside  # type: ignore[assignment]
    try:
        yield
    finally:
        check_jobs.start = before


def _said(report: Report) -> tuple[str, str]:
    status = report.status()
    return render(report, replace(DEFAULT, status=status)), render_text(report)


def _into(told: list[str]) -> Callable[[object], None]:
    return lambda each: told.append(str(each))


def _agrees(model: Model, path: Path, *, jobs: Sequence[int] = (2, 3), **more: Any) -> int:
    """Whether reports are the same; in how many parts the log was judged."""
    parts = 0
    alone: list[str] = []
    expected = _said(check(model, path, options=Options(**more), each=_into(alone)))
    for number in jobs:
        together: list[str] = []
        with _inside():
            before = Inside.judged
            options = Options(jobs=number, **more)
            found = check(model, path, options=options, each=_into(together))
            parts += Inside.judged - before
        assert _said(found) == expected, (number, path.read_bytes())
        assert together == alone, (number, path.read_bytes())
    return parts


def _tried(seed: int, path: Path) -> None:
    for trial in lane_trials(seed):
        path.write_bytes(trial.data)
        _agrees(trial.model, path, complete=trial.complete, max_malformed=seed % 3)


@pytest.mark.parametrize("seed", LANE_SEEDS)
def test_on_a_seed(seed: int, log_path: Path) -> None:
    _tried(seed, log_path)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_on_seeds_nobody_has_seen(seed: int, log_path: Path) -> None:
    _tried(seed, log_path)


@pytest.mark.parametrize("number", range(len(SMALL)))
def test_small_lifecycles_in_many_parts(number: int, log_path: Path) -> None:
    model = load_text(SMALL[number]).model
    assert model is not None
    log_path.write_bytes(written(make_records(model, number, 100, is_plain=True), random.Random(number), is_own=False))
    _agrees(model, log_path, jobs=(2, 3, 7, 40))


@pytest.mark.parametrize("log", sorted((AVATAR / "samples").glob("*.jsonl")), ids=lambda path: path.name)
def test_samples(log: Path) -> None:
    _agrees(loaded(AVATAR / "avatar.lifespec"), log, jobs=(2, 3, 5))


@pytest.mark.parametrize("case", sorted((ROOT / "conformance" / "cases").rglob("spec.lifespec")), ids=str)
def test_conformance_cases(case: Path) -> None:
    model = load(case).model
    assert model is not None
    if len(model.bindings) < 2:
        for log in sorted(case.parent.glob("*.jsonl")):
            _agrees(model, log)


def _events(*events: tuple[float, str, str]) -> str:
    return "".join(f'{{"time": {at}, "session": "{session}", "event": "{event}"}}\n' for at, session, event in events)


@pytest.fixture
def model() -> Model:
    found = load_text(SPEC + " forbid email").model
    assert found is not None
    return found


@pytest.mark.parametrize(
    "text",
    [
        _events((1, "s", "go"), (2, "t", "go"), (3, "s", "back"), (9, "t", "end"), (8, "s", "go")),
        _events((1, "s", "go"), (2, "s", "gone"), (3, "t", "go"), (1, "s", "back"), (4, "t", "goo"), (0, "u", "x")),
        "\ufeff" + _events((1, "s", "go"), (2, "s", "back"), (7, "s", "go")) + "nonsense\n\n" + _events((9, "s", "go")),
        _events((1, "s", "go"), (2, "s", "back")) + '{"time": 3, "event": "go", "x": "a@b.example"}\n' * 4,
        _events((1, "s", "go")) + '{"session": "s", "event": "back"}\n' * 3 + _events((3, "s", "go"), (4, "t", "go")),
        '{"time": 1, "session": 7, "event": "go"}\n' * 6 + _events((2, "7", "back"), (3, "7", "go")),
        _events((1, "s", "go")) + '{"time": 1, "session": "s", "event": "back", "event": "go"}\n' * 4,
        _events((1, "s", "go")) + '{"time": 1, "session": "s", "event": "other", "x": "\\ud800"}\n' * 4,
    ],
)
@pytest.mark.parametrize("complete", [False, True])
def test_what_crosses_a_cut(text: str, complete: bool, model: Model, log_path: Path) -> None:
    log_path.write_text(text, encoding="utf-8")
    _agrees(model, log_path, jobs=(2, 3, 4, 8), complete=complete)


def test_many_generated_logs_are_judged_in_parts(log_path: Path) -> None:
    parts = 0
    for seed in range(8):
        for trial in lane_trials(seed):
            log_path.write_bytes(trial.data)
            parts += _agrees(trial.model, log_path)
    assert parts > 5


def test_allowed_findings_are_counted_once(log_path: Path) -> None:
    text = SPEC + ' binding own extends default { allow time-reversed "clocks" ignore any }'
    model = load_text(text).model
    assert model is not None
    log_path.write_text(
        _events(*((9 - at % 3, f"s{at % 2}", ("go", "tick", "og", "back")[at % 4]) for at in range(30)))
    )
    assert _agrees(model, log_path, jobs=(2, 3, 5)) == 3


def test_many_names_are_for_one_process(model: Model, log_path: Path) -> None:
    log_path.write_text(_events(*((at, "s", f"n{at}") for at in range(1200))))
    _agrees(model, log_path)
    with _inside():
        (remark,) = check(model, log_path, options=Options(jobs=2)).remarks
    assert "too many names" in remark


# --- processes -------------------------------------------------------------------------------------------


def _large(path: Path) -> None:
    events = [(at / 10, f"s{at % 7}", ("go", "back")[at // 7 % 2]) for at in range(3000)]
    path.write_text(_events(*events), encoding="utf-8")


def test_processes_give_the_same(model: Model, tmp_path: Path) -> None:
    logs = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for log in logs:
        _large(log)
    expected = _said(check(model, logs))
    found = check(model, logs, options=Options(jobs=2))
    assert found.remarks == ()
    assert _said(found) == expected


def _left(pids: Sequence[int]) -> list[int]:
    found = []
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 0)
            found.append(pid)
    return found


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Processes]:
    found: list[Processes] = []

    def start(*given: Any) -> Processes:
        found.append(Processes(*given))
        return found[-1]

    monkeypatch.setattr(check_jobs, "start", start)
    return found


def test_a_killed_worker_is_said_and_leaves_nobody(
    model: Model, tmp_path: Path, started: list[Processes], monkeypatch: pytest.MonkeyPatch
) -> None:
    _large(log := tmp_path / "log.jsonl")
    pids: list[int] = []
    ask = Processes.ask

    def killing(self: Processes, step: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        if step == "finish":
            pids.extend(self.pids)
            os.kill(pids[0], signal.SIGKILL)
        return ask(self, step, arguments)

    monkeypatch.setattr(Processes, "ask", killing)
    report = check(model, log, options=Options(jobs=2))
    assert [problem.name for problem in report.problems] == ["lost-worker"]
    assert report.status() == 2
    assert len(pids) == 2
    assert _left(pids) == []


class Ending(Unwatched):
    """Ends the check when the log has begun to be read."""

    def __init__(self, started: list[Processes]) -> None:
        self._started = started
        self.pids: list[int] = []

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        if self._started:
            self.pids = self._started[0].pids
            for pid in self.pids:
                os.kill(pid, signal.SIGINT)  # as a terminal does to the whole group
            raise Interrupted
        yield

    def watch(self, progress: Progress) -> None:
        pass


def test_an_interrupted_check_says_so_and_leaves_nobody(model: Model, tmp_path: Path, started: list[Processes]) -> None:
    _large(log := tmp_path / "log.jsonl")
    watcher = Ending(started)
    report = check(model, log, options=Options(jobs=2), watcher=watcher)
    assert [problem.name for problem in report.problems] == ["interrupted"]
    assert report.partial
    assert report.status() == 2
    assert watcher.pids
    assert _left(watcher.pids) == []


def test_a_worker_ends_when_the_parent_is_gone(model: Model) -> None:
    binding, _ = choose_binding(model)
    assert binding is not None
    workers = Processes(Setting(model, binding, Client()), 1, contextlib.nullcontext)
    pids = workers.pids
    for pipe in workers._pipes:
        pipe.close()
    workers._workers[0].join()
    assert _left(pids) == []


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the signals of a process")
def test_a_worker_does_not_see_ctrl_c_even_while_it_starts(model: Model) -> None:
    binding, _ = choose_binding(model)
    assert binding is not None
    with Processes(Setting(model, binding, Client()), 2, contextlib.nullcontext) as workers:
        for pid in workers.pids:
            status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
            masks = [int(value, 16) for value in re.findall(r"^Sig(?:Blk|Ign):\s*([0-9a-f]+)$", status, re.MULTILINE)]
            assert any(mask >> signal.SIGINT - 1 & 1 for mask in masks), status
