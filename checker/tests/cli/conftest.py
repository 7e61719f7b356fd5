"""A lifecycle, a log that keeps to it and one that does not, in a folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

SPEC = """lifecycle socket

field reason : one of refused, lost

machine connection {
  initial idle
  state   connecting  within 10s
  state   open
  failure failed
  final   closed

  idle       -> connecting  on connect
  connecting -> open        on opened
  connecting -> failed      on refused
  any        -> closed      on close
}
"""

GOOD = """{"time": 0, "session": "s1", "event": "connect"}
{"time": 1, "session": "s1", "event": "opened"}
{"time": 2, "session": "s1", "event": "close"}
"""

BAD = """{"time": 0, "session": "s1", "event": "connect"}
{"time": 1, "session": "s1", "event": "refused"}
{"time": 2, "session": "s1", "event": "opened"}
{"time": 3, "session": "s1", "event": "close"}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, which is also the current one; no colour is asked for by the environment."""
    (tmp_path / "socket.lifespec").write_text(SPEC)
    (tmp_path / "good.jsonl").write_text(GOOD)
    (tmp_path / "bad.jsonl").write_text(BAD)
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path
