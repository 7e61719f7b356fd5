"""What may have been exercised is called neither exercised nor never exercised (S49, S50)."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifespec.check import Options, check_files
from lifespec.log_file import Log

SPEC = """lifecycle l
machine m { initial a  state b, c, d, e  a -> b on go  b -> c on next  c -> d on next  d -> e on next }
"""
LOG = """{"time": 1, "session": "s", "event": "go"}
{"time": 2, "session": "s", "machine": "m", "event": "next", "to": "odd"}
{"time": 3, "session": "s", "event": "next"}
"""


@pytest.mark.parametrize("engine", ["monitor", "reference"])
def test_of_several_possible_moves_none_is_exercised_or_never_exercised(tmp_path: Path, engine: str) -> None:
    (tmp_path / "l.lifespec").write_text(SPEC)
    (tmp_path / "a.jsonl").write_text(LOG)
    log = Log(str(tmp_path / "a.jsonl"))
    report = check_files(str(tmp_path / "l.lifespec"), [log], options=Options(engine=engine))
    assert report.never_exercised.transitions == {}
    assert report.never_exercised.states == {}
    assert set(report.coverage.transitions) == {("m", 0, "a", "b")}
