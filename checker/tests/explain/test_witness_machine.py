"""A witness names the machine of its state where that is not the machine of the finding."""

from __future__ import annotations

from pathlib import Path

from lifespec.check import check_files
from lifespec.log_file import Log

SPEC = """lifecycle two
machine door { initial shut  state open  shut -> open on opened }
machine lamp { initial dark  state lit  dark -> lit on lit  require door in shut }
rule dark-inside { on ask  require lamp in dark and count(door in open) == 0 }
"""


def test_a_witness_names_another_machine_than_that_of_the_finding(tmp_path: Path) -> None:
    (tmp_path / "s.lifespec").write_text(SPEC)
    events = enumerate(("opened", "lit", "ask"))
    lines = [f'{{"time": {time}, "session": "a", "event": "{name}"}}\n' for time, name in events]
    (tmp_path / "a.jsonl").write_text("".join(lines))
    report = check_files(str(tmp_path / "s.lifespec"), [Log(str(tmp_path / "a.jsonl"))])
    assert {finding.name: finding.witnesses for finding in report.findings} == {
        "requirement-failed": ("line 1, `opened` entered `open` of `door`",),
        "rule-broken": (
            "line 2, `lit` entered `lit` of `lamp`",
            "line 1, counted: `opened` entered `open` of `door`",
        ),
    }
