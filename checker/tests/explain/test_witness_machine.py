"""A witness names the machine of its state where that is not the machine of the finding."""

from __future__ import annotations

from pathlib import Path

from lifespec.check import Options, check_files
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


def test_what_the_clock_entered_is_said_to_be_behind_the_record(tmp_path: Path) -> None:
    """The record only began what the clock ended: nothing of `expired` stands on its line."""
    spec = tmp_path / "pass.lifespec"
    spec.write_text(
        "lifecycle pass machine card { initial none state good, expired "
        "none -> good on issue good -> expired after 5s expired -> none on drop }",
        encoding="utf-8",
    )
    log = tmp_path / "pass.jsonl"
    log.write_text(
        "".join(f'{{"time": {time}, "session": "a", "event": "issue"}}\n' for time in (0, 9)), encoding="utf-8"
    )
    for engine in ("usual", "reference"):
        (finding,) = check_files(str(spec), [str(log)], options=Options(engine=engine)).findings
        assert finding.witnesses == ("behind line 1, the clock entered `expired`",)


def test_what_the_last_record_asked_was_not_left_for_long(tmp_path: Path) -> None:
    spec = tmp_path / "ask.lifespec"
    spec.write_text(
        "lifecycle ask machine m { initial a final z a -> z on end } "
        "event ask, reply rule r { on ask expect reply within 5s }",
        encoding="utf-8",
    )
    log = tmp_path / "ask.jsonl"
    log.write_text(
        "".join(f'{{"time": 0, "session": "a", "event": "{name}"}}\n' for name in ("end", "ask")), encoding="utf-8"
    )
    (finding,) = check_files(str(spec), [str(log)]).findings
    assert finding.message == "`ask` was not followed before the log was over by what rule `r` expects"
