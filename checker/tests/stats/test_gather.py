"""What is measured is what docs/explanation/statistics.md says: every number here was worked out by hand."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from lifespec.check import Options, check_files
from lifespec.stats.json import render
from lifespec.stats.read import NotOne, Statistics, read_statistics
from lifespec.stats.record import Summary

ROOT = Path(__file__).parents[3]
LIFECYCLES = ROOT / "spec" / "lifecycles"
CASES = ROOT / "conformance" / "cases"
RELEASE = LIFECYCLES / "avatar" / "releases" / "1.1.jsonl.gz"

SPEC = """lifecycle line
field ends : instant
field reason : text
forbid token
machine link {
  initial idle
  state   asking within 10s
  state   open
  failure broken
  final   shut
  idle   -> asking on ask
  asking -> open   on answer
  asking -> broken on refuse
  open   -> broken on drop
  open             on beat
  broken -> asking on ask
  any    -> shut   on hang-up
}
machine view {
  initial hidden
  state   shown
  final   gone
  hidden -> shown  on show
  shown  -> hidden on hide
  any    -> gone   on remove
}
machine pass per id {
  initial none
  state   good
  final   over
  none -> good on grant requires ends remember until = ends
  good -> over at pass.until
}
rule alive { while link in open expect beat every 5s }
rule few   { on ask at most 2 while link not in open }
rule fresh { on ask require pass[id] not in over }
"""

# One session: asked at 2 s, refused at 4 s, asked again at 7 s, open from 8 s to 18 s, gone at 20 s.
CALL = (
    (0, "grant", {"id": "p", "ends": 100, "platform": "web"}),
    (1, "show", {}),
    (2, "ask", {"id": "p"}),
    (4, "refuse", {"reason": "busy"}),
    (7, "ask", {"id": "p", "platform": "ios"}),
    (8, "answer", {}),
    (11, "beat", {}),
    (15, "beat", {}),
    (18, "hang-up", {}),
    (20, "remove", {}),
)
SECOND = 1_000_000_000

Records = Iterable[tuple[float, str, dict[str, Any]]]


def lines(session: str, records: Records) -> str:
    return "".join(
        json.dumps({"time": time, "session": session, "event": event, **fields}) + "\n"
        for time, event, fields in records
    )


# The same, over at its end: the pass has run out, and nothing waits for anything.
OVER = ((0, "grant", {"id": "p", "ends": 19}), *CALL[1:])


@pytest.fixture
def ending(spec: Path) -> Path:
    """The lifecycle without the rule that always counts: a session of it can be over before the log is."""
    spec.write_text(
        "".join(line for line in SPEC.splitlines(keepends=True) if not line.startswith("rule few")), "utf-8"
    )
    return spec


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "line.lifespec"
    path.write_text(SPEC, "utf-8")
    return path


def read(spec: Path, text: str, **more: Any) -> Statistics:
    log = spec.parent / "log.jsonl"
    log.write_text(text, "utf-8")
    statistics = read_statistics(spec, log, **more)
    assert not statistics.problems
    return statistics


def seconds(summary: Summary, measure: str) -> list[float]:
    """The values of a measure, to one per cent, in order."""
    found = summary.measures.get(measure)
    return [] if found is None else [
        round(value / SECOND, 1) for value, number in found.values.buckets() for _ in range(number)
    ]  # fmt: skip


def near(*values: float) -> list[Any]:
    return [pytest.approx(value, rel=0.011, abs=0.051) for value in values]


def test_every_measure_of_a_session_is_as_worked_out_by_hand(spec: Path) -> None:
    summary = read(spec, lines("a", CALL)).tally.overall
    assert seconds(summary, "time in state: link.idle") == near(2)
    assert seconds(summary, "time in state: link.asking") == near(1, 2)
    assert seconds(summary, "time in state: link.broken") == near(3)
    assert seconds(summary, "time in state: link.open") == near(10)
    assert seconds(summary, "time in state: view.shown") == near(19)
    assert seconds(summary, "time to reach: link.open") == near(6)
    assert seconds(summary, "time to recover: link.broken") == near(3)
    assert seconds(summary, "gap between signs: alive") == near(3, 4)
    assert seconds(summary, "life left at use: pass") == near(93, 98)
    assert seconds(summary, "time to clean up: session") == near(2)
    assert summary.measures["attempts: few"].values.maximum == 2
    assert summary.reasons == {("link", "broken", "busy"): 1}
    assert [*summary.findings] == [("unfinished", "transitions pass")]  # the pass is good when the session is complete
    assert (summary.sessions, summary.affected) == (1, 1)
    assert [bucket.count for bucket in summary.durations] == [0, 0, 1, 0, 0, 0, 0]


def test_a_stay_that_had_not_ended_is_open_and_not_a_length(spec: Path) -> None:
    summary = read(spec, lines("a", CALL[:6])).tally.overall
    assert seconds(summary, "time in state: link.open") == []
    assert summary.measures["time in state: link.open"].open == 1


def test_only_the_first_time_is_a_time_to_reach(spec: Path) -> None:
    again = (*CALL[:6], (9, "drop", {"reason": "gone"}), (12, "ask", {"id": "p"}), (19, "answer", {}))
    summary = read(spec, lines("a", again)).tally.overall
    assert seconds(summary, "time to reach: link.open") == near(6)
    assert seconds(summary, "time to recover: link.broken") == near(3, 3)


def test_a_failure_that_ends_is_no_recovery(spec: Path) -> None:
    summary = read(spec, lines("a", (*CALL[:4], (5, "hang-up", {})))).tally.overall
    assert "time to recover: link.broken" not in summary.measures
    assert seconds(summary, "time in state: link.broken") == near(1)


def test_what_is_not_known_for_certain_is_not_measured(spec: Path) -> None:
    """After an illegal event without a target the state is not known, nor when it is left."""
    doubtful = ((0, "show", {}), (1, "ask", {"id": "p"}), (3, "drop", {"reason": "gone"}), (6, "hang-up", {}))
    summary = read(spec, lines("a", doubtful)).tally.overall
    assert seconds(summary, "time in state: link.asking") == []
    assert ("invalid-transition", "transitions link") in summary.findings


def test_a_session_that_ends_twice_is_one_session(ending: Path) -> None:
    """What comes after the end is added to what the session was counted for."""
    late = ((25, "beat", {}), (26, "show", {}), (27, "show", {}))
    other = lines("b", ((0, "show", {}), (30, "remove", {})))
    summary = read(ending, lines("a", OVER) + lines("a", late) + other).tally.overall
    assert summary.sessions == 2
    assert summary.affected == 1
    found = summary.findings["after-final", "transitions view"]
    assert (found.count, found.sessions) == (2, 1)


def test_what_comes_late_goes_where_the_session_was_counted(ending: Path) -> None:
    """A value that is first set after the end is too late, and no segment has more sessions with findings than
    sessions."""
    done = [(time, event, {k: v for k, v in fields.items() if k != "platform"}) for time, event, fields in OVER]
    late = ((25, "show", {"platform": "web"}), (26, "show", {}))
    text = lines("a", (*done, *late))
    for by, name in (({"by": ["platform"]}, "(not set)"), ({"by_current": ["view"]}, "gone")):
        segments = read(ending, text, **by).tally.segments
        assert all(each.affected <= each.sessions for each in segments.values())
        assert segments[name,].findings["after-final", "transitions view"].count == 2


def test_the_first_value_says_the_segment(spec: Path) -> None:
    text = lines("a", CALL) + lines("b", ((0, "show", {}), (1, "hide", {"platform": "ios"}))) + lines("c", CALL[1:3])
    tally = read(spec, text, by=["platform"]).tally
    assert {name: summary.sessions for name, summary in tally.segments.items()} == {
        ("web",): 1,
        ("ios",): 1,
        ("(not set)",): 1,
    }


def test_the_value_in_force_says_the_part_of_a_session(spec: Path) -> None:
    """The second `ask` is at the first value still, all that comes after it at the second."""
    tally = read(spec, lines("a", (*CALL[:8], (16, "show", {}))), by_current=["platform"]).tally
    web, ios = tally.segments["web",], tally.segments["ios",]
    assert seconds(web, "time in state: link.asking") == near(2)
    assert seconds(ios, "time in state: link.asking") == near(1)
    assert (web.affected, ios.affected) == (0, 1)
    assert tally.overall.sessions == 1


@pytest.mark.parametrize(("name", "values"), [("view", {"hidden", "shown", "gone"}), ("shown", {"shown", "not shown"})])
def test_a_machine_or_a_state_says_the_part_of_a_session(spec: Path, name: str, values: set[str]) -> None:
    tally = read(spec, lines("a", CALL), by_current=[name]).tally
    assert {value for (value,) in tally.segments} == values
    (after,) = (name for name in tally.segments if name[0] == "shown")
    assert seconds(tally.segments[after], "time in state: link.open") == near(10)


def test_a_machine_has_no_first_value(spec: Path) -> None:
    with pytest.raises(NotOne, match="by-current"):
        read(spec, lines("a", CALL), by=["view"])


def test_further_segments_are_summed(spec: Path) -> None:
    text = "".join(lines(f"s{n}", ((n, "show", {"platform": f"p{n}"}),)) for n in range(10))
    tally = read(spec, text, by=["platform"], most_segments=3).tally
    assert {name[0]: summary.sessions for name, summary in tally.segments.items()} == {
        "p0": 1,
        "p1": 1,
        "p2": 1,
        "(other)": 7,
    }
    assert tally.crowded_out == 7


def test_one_session_with_many_values_takes_no_more_segments(spec: Path) -> None:
    records = [(n, "show" if n % 2 else "hide", {"platform": f"p{n}", "reason": f"r{n}"}) for n in range(1, 400)]
    records += [(n, event, {"reason": f"r{n}", "id": "p"}) for n in range(400, 1200) for event in ("ask", "refuse")]
    tally = read(spec, lines("a", records), by_current=["platform"], most_segments=5).tally
    assert len(tally.segments) == 6
    assert tally.overall.sessions == 1
    assert len(tally.overall.reasons) == 201
    assert tally.overall.reasons["link", "broken", "(other)"] == 600


def test_a_forbidden_value_names_no_segment_and_no_reason(spec: Path) -> None:
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
    records = ((0, "ask", {"id": "p", "platform": token}), (1, "refuse", {"reason": token}))
    tally = read(spec, lines("a", records), by=["platform"]).tally
    shown = f"{tally.segments} {tally.overall.reasons}"
    assert token[:20] not in shown
    assert "[redacted]" in shown


def test_a_value_that_has_not_its_form_is_not_shown(spec: Path) -> None:
    spec.write_text(SPEC.replace("forbid token", 'field platform : text like "[a-z]+"'), "utf-8")
    tally = read(spec, lines("a", ((0, "show", {"platform": "Jane Doe"}),)), by=["platform"]).tally
    assert [*tally.segments] == [("(not of its form)",)]


def test_equal_ids_in_two_files_are_two_sessions_unless_joined(spec: Path) -> None:
    logs = []
    for number in range(2):
        logs.append(spec.parent / f"{number}.jsonl")
        logs[-1].write_text(lines("a", CALL[number * 5 : number * 5 + 5]), "utf-8")
    assert read_statistics(spec, logs).tally.overall.sessions == 2
    joined = read_statistics(spec, logs, options=Options(join_files=True)).tally.overall
    assert joined.sessions == 1
    assert seconds(joined, "time to reach: link.open") == near(6)


# --- against what others say of the same logs ------------------------------------------------------------


@pytest.mark.parametrize(
    "folder", sorted(path for path in LIFECYCLES.iterdir() if (path / "expected.json").is_file()), ids=lambda p: p.name
)
def test_the_findings_are_those_of_a_check(folder: Path) -> None:
    spec = f"lib:{folder.name}"
    bindings = json.loads((folder / "expected.json").read_text("utf-8"))
    for sample in sorted(bindings)[:6]:
        log = folder / "samples" / sample
        report = check_files(spec, log)
        if report.problems:
            continue
        wanted = Counter((f.name, str(f.violation.property or "")) for f in report.findings)
        tally = read_statistics(spec, log).tally
        found = Counter({group: each.count for group, each in tally.overall.findings.items()})
        assert found + Counter(tally.strays) == wanted
        assert tally.overall.sessions == sum(each.sessions for each in report.logs)
        assert tally.overall.affected == report.sessions_with_findings.number


@pytest.mark.parametrize("case", sorted(path.parent for path in CASES.rglob("case.json")), ids=lambda p: p.name)
def test_the_findings_of_a_conformance_case_are_those_of_a_check(case: Path) -> None:
    for trace in sorted(case.glob("*.jsonl")):
        options = Options(strict_json=True)
        report = check_files(case / "spec.lifespec", trace, options=options)
        statistics = read_statistics(case / "spec.lifespec", trace, options=options)
        assert bool(report.problems) == bool(statistics.problems)
        wanted = Counter((f.name, str(f.violation.property or "")) for f in report.findings)
        found = Counter({group: each.count for group, each in statistics.tally.overall.findings.items()})
        assert report.problems or found + Counter(statistics.tally.strays) == wanted


def test_three_numbers_of_a_shipped_log_are_those_counted_by_other_means() -> None:
    """Straight from the records, without any of our code: connecting, recovering, and who closes."""
    connecting: dict[str, float] = {}
    recovering: list[float] = []
    reached: dict[str, float] = {}
    lost: dict[str, float] = {}
    wrong = 0
    for line in gzip.decompress(RELEASE.read_bytes()).decode().splitlines():
        record = json.loads(line)
        time, session = datetime.fromisoformat(record["time"]).timestamp(), record["session"]
        match record["event"]:
            case "connect":
                connecting.setdefault(session, time)
            case "opened":
                reached.setdefault(session, time - connecting[session])
            case "lost":
                lost[session] = time
            case "resumed":
                recovering.append(time - lost[session])
            case "close":
                wrong += record["owner"] != "session"
    summary = read_statistics("lib:avatar", RELEASE).tally.overall
    for measure, values in (
        ("time to reach: connection.connected", [*reached.values()]),
        ("time in state: connection.recovering", recovering),
    ):
        sketch = summary.measures[measure].values
        assert sketch.count == len(values)
        assert (sketch.quantile(0.5) or 0) / SECOND == pytest.approx(sorted(values)[(len(values) - 1) // 2], rel=0.02)
        assert (sketch.maximum or 0) / SECOND == pytest.approx(max(values), rel=1e-6)
    assert summary.findings["wrong-owner", "transitions connection"].sessions == wrong


@pytest.mark.parametrize("case", sorted(path.parent for path in CASES.rglob("case.json")), ids=lambda p: p.name)
def test_by_the_lane_and_without_it_the_numbers_of_a_case_are_the_same(case: Path) -> None:
    for trace in sorted(case.glob("*.jsonl")):
        assert_the_lane_changes_nothing(case / "spec.lifespec", trace)


def test_by_the_lane_and_without_it_the_numbers_of_many_sessions_are_the_same(tmp_path: Path) -> None:
    """Sessions that come in turns, one of which goes on after its end, and lines that only a reader can read."""
    rows = gzip.decompress(RELEASE.read_bytes()).decode().splitlines()
    log = tmp_path / "many.jsonl"
    rows += ["no json", *rows[:40], rows[7].replace('"event"', '"evnt"')]
    log.write_text("\n".join(rows), "utf-8")
    assert_the_lane_changes_nothing("lib:avatar", log, by=("client", "region"))


def assert_the_lane_changes_nothing(spec: str | Path, log: Path, by: tuple[str, ...] = ()) -> None:
    """`strict_json` is what keeps a log from the lane; what it finds besides is left out."""
    fast, slow = (
        json.loads(render(read_statistics(spec, log, by=by, options=options), status=0, tool_version=""))
        for options in (Options(), Options(strict_json=True))
    )
    assert fast == slow
