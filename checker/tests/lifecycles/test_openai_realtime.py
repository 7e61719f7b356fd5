"""The lifecycle of the Realtime API reads real logs, and logs that begin in the middle of a call."""

from __future__ import annotations

from pathlib import Path

import pytest
from exact_findings import ROOT

from lifespec.check import check_files
from lifespec.reports.report import Report

FOLDER = ROOT / "spec/lifecycles/openai-realtime"
SPEC = FOLDER / "openai-realtime.lifespec"
SIDEBAND = "realtime-sideband"


def report(log: Path, binding: str | None = None) -> Report:
    made = check_files(SPEC, [str(log)], binding=binding)
    assert made.problems == ()
    return made


def names(made: Report) -> set[str]:
    return {finding.violation.name for finding in made.findings}


@pytest.fixture
def joined_midway(tmp_path: Path) -> Path:
    """The recording of OpenAI from the middle of its answer on."""
    lines = (FOLDER / "samples/openai-audio-turn.jsonl").read_text("utf-8").splitlines(keepends=True)
    log = tmp_path / "sideband.jsonl"
    log.write_text("".join(lines[70:]), "utf-8")
    return log


def test_a_socket_that_joins_midway_is_read_as_a_sideband(joined_midway: Path) -> None:
    assert names(report(joined_midway, SIDEBAND)) == set()


def test_the_same_log_without_its_beginning_is_not_legal(joined_midway: Path) -> None:
    assert "invalid-transition" in names(report(joined_midway))


def test_what_is_late_is_found_midway_too(joined_midway: Path) -> None:
    lines = joined_midway.read_text("utf-8").splitlines(keepends=True)
    late = next(line for line in lines if "response.output_audio.delta" in line)
    joined_midway.write_text("".join([*lines, late]), "utf-8")
    assert names(report(joined_midway, SIDEBAND)) == {"after-final"}


def test_the_binding_is_found_by_the_name_of_the_ready_made_one() -> None:
    made = report(FOLDER / "samples/openai-audio-turn.jsonl", "realtime")
    (log,) = made.logs
    assert (log.records, made.findings) == (124, ())
