"""Timelines say where instances were, as the reference engine does, and keep to their limits."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lifespec.check import Log, Options, check
from lifespec.check_timelines import Timelines, example_sessions, first_session, read_timelines
from lifespec.conformance import Case, read_cases
from lifespec.diagnostics.excerpt import visible
from lifespec.engine import monitor_follow
from lifespec.engine.monitor_follow import Follower, InstanceName
from lifespec.engine.reference import Monitor as Reference
from lifespec.load import load, load_text
from lifespec.log_file import kept
from lifespec.model import forbidden
from lifespec.model.model import Forbid, Model
from lifespec.timeline import svg
from lifespec.timeline.kept import Limits
from lifespec.timeline.timeline import Lane, Timeline
from lifespec.trace.binding import compile_binding
from lifespec.trace.choose import choose_binding
from lifespec.trace.event import Record
from lifespec.trace.reader import Reader

ROOT = Path(__file__).parents[3]
AVATAR = ROOT / "spec" / "lifecycles" / "avatar"
CASES = ROOT / "conformance" / "cases"
SAMPLES = sorted((AVATAR / "samples").glob("*.jsonl"))

LAMP = """lifecycle lamp
forbid email
field note : text like "[a-z]+"
machine lamp per id {
  initial out
  state   lit  within 5s
  final   gone
  out -> lit   on up
  lit -> out   on down
  lit -> gone  after 60s
}
machine room {
  initial dark
  state   bright
  dark   -> bright  when lamp enters lit
  bright -> dark    on night
}
"""


@pytest.fixture(scope="module")
def avatar() -> Model:
    model = load(AVATAR / "avatar.lifespec").model
    assert model is not None
    return model


@pytest.fixture(scope="module")
def lamp() -> Model:
    model = load_text(LAMP).model
    assert model is not None
    return model


def timelines_of(model: Model, log: Path | Log, options: Options | None = None, **limits: int) -> Timelines:
    named = log if isinstance(log, Log) else Log(str(log))
    report = check(model, [named], options=options)
    sessions = example_sessions(report) or [(named.name, first_session(model, [named]) or "")]
    return read_timelines(model, report, [named], sessions, options=options, limits=Limits(**limits))


def write(folder: Path, *records: tuple[float | None, str, str] | dict[str, object]) -> Path:
    lines = []
    for record in records:
        if not isinstance(record, dict):
            time, event, key = record
            record = {"session": "s", "event": event, "id": key} | ({"time": time} if time is not None else {})
        lines.append(json.dumps(record))
    path = folder / "log.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def spans(lane: Lane, timeline: Timeline) -> list[tuple[str, float, float, str]]:
    return [
        ("/".join(each.states), (each.begin - timeline.begin) / 1e9, (each.end - timeline.begin) / 1e9, each.cause)
        for each in lane.spans
    ]


# --- what is told --------------------------------------------------------------------------------------


def test_a_stay_ends_when_the_clock_a_reaction_or_an_event_ends_it(lamp: Model, tmp_path: Path) -> None:
    log = write(tmp_path, (0, "up", "a"), (3, "down", "a"), (4, "up", "a"), (100, "night", ""))
    (timeline,) = timelines_of(lamp, log).timelines
    assert {lane.title: spans(lane, timeline) for lane in timeline.lanes} == {
        "lamp[a]": [
            ("lit", 0, 3, "event"),
            ("out", 3, 4, "event"),
            ("lit", 4, 64, "event"),
            ("gone", 64, 100, "clock"),
        ],
        "room": [("bright", 0, 100, "reaction"), ("dark", 100, 100, "event")],
    }


def test_a_finding_stands_at_the_instant_at_which_it_became_one(lamp: Model, tmp_path: Path) -> None:
    log = write(tmp_path, (0, "up", "a"), (30, "down", "a"))
    (timeline,) = timelines_of(lamp, log).timelines
    (flag,) = timeline.flags
    assert flag.finding.name == "overdue"
    assert (flag.at - timeline.begin) / 1e9 == 5
    assert timeline.lanes[flag.lane or 0].title == "lamp[a]"
    assert flag.mark == 0


def test_a_finding_of_the_end_of_the_log_is_on_the_timeline(lamp: Model, tmp_path: Path) -> None:
    others = [{"session": "t", "event": name, "id": "b", "time": time} for time, name in ((48, "up"), (50, "down"))]
    log = write(tmp_path, (0, "up", "a"), *others)
    (timeline,) = timelines_of(lamp, log).timelines
    assert [(flag.finding.name, (flag.at - timeline.begin) / 1e9) for flag in timeline.flags] == [("overdue", 5)]
    assert (timeline.end - timeline.begin) / 1e9 == 5


def test_without_times_records_are_counted(lamp: Model, tmp_path: Path) -> None:
    log = write(tmp_path, (None, "up", "a"), (None, "up", "a"), (None, "down", "a"))
    (timeline,) = timelines_of(lamp, log).timelines
    assert not timeline.has_time
    assert [mark.at for mark in timeline.marks] == [0, 1, 2]
    assert [(each.states, each.begin, each.end) for each in timeline.lanes[0].spans][-1] == (("out",), 2, 2)


def whereabouts(reference: Reference, session: str) -> dict[InstanceName, tuple[str, ...]]:
    """Where every instance is, by the reference engine."""
    instances = reference.sessions[session].instances.values()
    return {(each.machine.name, each.key_text): each.in_order() for each in instances}


def disagreements(model: Model, name: str | None, log: Path) -> list[str]:
    """The lines after which what was told of the instances is not where the reference engine has them."""
    binding, _ = choose_binding(model, name)
    assert binding is not None
    compiled, _ = compile_binding(model, binding)
    assert compiled is not None
    follower, reference = Follower(model, compiled.client), Reference(model, compiled.client)
    told: dict[str, dict[InstanceName, tuple[str, ...]]] = {}
    found = []
    with log.open("rb") as stream:
        for item in Reader(compiled, log.name).read(stream):
            if not isinstance(item, Record):
                continue
            followed, violations = follower.follow(item), reference.feed(item)
            for change in followed.changes:
                told.setdefault(change.session, {})[change.instance] = change.states
            if item.session is not None and told.get(item.session, {}) != whereabouts(reference, item.session):
                found.append(f"{log}:{item.place.line}")
            if [violation.name for _, violation in followed.found] != [each.name for each in violations]:
                found.append(f"{log}:{item.place.line}: other findings")
    return found


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_changes_of_a_sample_lead_where_the_reference_engine_is(avatar: Model, sample: Path) -> None:
    assert disagreements(avatar, None, sample) == []


@pytest.mark.parametrize("case", read_cases(CASES), ids=lambda case: case.id)
def test_changes_of_a_case_lead_where_the_reference_engine_is(case: Case) -> None:
    model = load(case.spec).model
    assert model is not None
    assert [each for trace in case.traces for each in disagreements(model, case.binding, case.log(trace))] == []


# --- what is left out ----------------------------------------------------------------------------------


def test_of_a_long_session_the_records_near_a_finding_are_kept(lamp: Model, tmp_path: Path) -> None:
    events = [(float(n), "up" if n % 2 == 0 else "down", "a") for n in range(3000)]
    log = write(tmp_path, *events[:2001], (2000.5, "up", "a"), *events[2001:])
    (timeline,) = timelines_of(lamp, log, records=20).timelines
    assert timeline.records == 3001
    assert len(timeline.marks) == 20
    assert {mark.place.line for mark in timeline.marks} == set(range(1992, 2012))
    assert sum(cut.records for cut in timeline.cuts) == 3001 - 20
    assert len(timeline.lanes[0].spans) <= 22
    assert timeline.flags[0].finding.name == "invalid-transition"


def test_of_many_instances_those_with_findings_are_kept(lamp: Model, tmp_path: Path) -> None:
    ups = [(n / 100, "up", f"k{n}") for n in range(100)]
    log = write(tmp_path, *ups, (1.5, "up", "k77"), *((2.0, "down", f"k{n}") for n in range(100)))
    (timeline,) = timelines_of(lamp, log, lanes=5).timelines
    assert len(timeline.lanes) == 5
    assert timeline.hidden_lanes == 96
    assert "lamp[k77]" in [lane.title for lane in timeline.lanes]
    assert "room" in [lane.title for lane in timeline.lanes]


# --- what must not be shown ----------------------------------------------------------------------------


def test_nothing_forbidden_is_shown(lamp: Model, tmp_path: Path) -> None:
    bad = {"time": 1, "session": "s", "event": "up", "id": "me@example.org", "owner": "you@example.org"}
    log = write(tmp_path, (0, "up", "a"), bad, (2, "up", "a"))
    (timeline,) = timelines_of(lamp, log).timelines
    assert "example.org" not in str(timeline)
    assert "lamp[[redacted]]" in [lane.title for lane in timeline.lanes]


def test_a_record_is_shown_without_what_is_forbidden(lamp: Model, tmp_path: Path) -> None:
    log = write(tmp_path, {"time": 1, "session": "s", "event": "up", "id": "a", "by": "me@example.org"})
    (timeline,) = timelines_of(lamp, log).timelines
    assert '"by": "[redacted]"' in (timeline.marks[0].text or "")
    assert [flag.lane for flag in timeline.flags] == [0]


def test_a_record_whose_field_has_not_its_form_is_not_repeated(lamp: Model, tmp_path: Path) -> None:
    log = write(tmp_path, {"time": 1, "session": "s", "event": "up", "id": "a", "note": "SECRET"})
    (timeline,) = timelines_of(lamp, log).timelines
    assert [flag.finding.name for flag in timeline.flags] == ["invalid-field"]
    assert timeline.marks[0].text is None
    assert "SECRET" not in str(timeline)


def test_a_session_whose_id_is_forbidden_has_no_timeline(lamp: Model, tmp_path: Path) -> None:
    log = write(tmp_path, *({"time": n, "session": "me@example.org", "event": "up", "id": "a"} for n in range(2)))
    found = timelines_of(lamp, log)
    assert not found.timelines
    assert [each.why for each in found.missing] == ["its id holds a forbidden value"]


# --- logs that are read once more ----------------------------------------------------------------------


def test_a_log_that_has_changed_has_no_timeline(lamp: Model, tmp_path: Path) -> None:
    log = write(tmp_path, (0, "up", "a"), (1, "up", "a"))
    report = check(lamp, log)
    write(tmp_path, (0, "up", "a"), (1, "down", "a"))
    found = read_timelines(lamp, report, [Log(str(log))], example_sessions(report))
    assert not found.timelines
    assert "has changed" in found.missing[0].why


def test_a_log_that_is_gone_has_no_timeline(lamp: Model, tmp_path: Path) -> None:
    log = write(tmp_path, (0, "up", "a"), (1, "up", "a"))
    report = check(lamp, log)
    log.unlink()
    found = read_timelines(lamp, report, [Log(str(log))], example_sessions(report))
    assert [each.why for each in found.missing] == ["the log could not be read again"]


def test_a_stream_that_was_kept_is_read_once_more(lamp: Model, tmp_path: Path) -> None:
    log = write(tmp_path, (0, "up", "a"), (1, "up", "a"))
    with log.open("rb", buffering=0) as stream:
        (timeline,) = timelines_of(lamp, kept("<stdin>", stream)).timelines
    assert [mark.text is not None for mark in timeline.marks] == [True, True]


def test_joined_logs_give_one_timeline(lamp: Model, tmp_path: Path) -> None:
    first = write(tmp_path, (0, "up", "a")).rename(tmp_path / "first.jsonl")
    second = write(tmp_path, (1, "up", "a"))
    logs, options = [Log(str(first)), Log(str(second))], Options(join_files=True)
    report = check(lamp, logs, options=options)
    sessions = example_sessions(report, joined=True)
    assert sessions == (("", "s"),)
    (timeline,) = read_timelines(lamp, report, logs, sessions, options=options).timelines
    assert [Path(mark.place.log).name for mark in timeline.marks] == ["first.jsonl", "log.jsonl"]


def test_a_packed_record_with_a_fraction_is_kept_as_text(tmp_path: Path) -> None:
    """Of a packed log no line is read again, so the record itself is kept."""
    log = tmp_path / "lamp.jsonl.gz"
    rows = ('{"time": 1.25, "session": "a", "event": "up", "id": "l", "load": 0.5}', '{"time": 9, "session": "a"}')
    log.write_bytes(gzip.compress("\n".join(rows).encode()))
    model = load_text(LAMP).model
    assert model is not None
    report = check(model, [Log(str(log))])
    (timeline,) = read_timelines(model, report, [Log(str(log))], [(str(log), "a")]).timelines
    assert '"load": 0.5' in (timeline.marks[0].text or "")


def test_a_text_that_was_searched_is_not_searched_again(lamp: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forbidden values are looked for in a text once at its path; one that is found is found each time."""
    searched: list[tuple[str, str]] = []
    find = forbidden.find_forbidden

    def find_and_note(forbid: Forbid, path: str, text: str) -> bool:
        searched.append((path, text))
        return find(forbid, path, text)

    monkeypatch.setattr(monitor_follow, "find_forbidden", find_and_note)
    binding, _ = choose_binding(lamp, None)
    assert binding is not None
    compiled, _ = compile_binding(lamp, binding)
    assert compiled is not None
    follower, found = Follower(lamp, compiled.client), []
    notes = ["plain", "a@example.org", "plain", "a@example.org"]
    body = {"time": 0, "session": "s", "event": "up", "id": "a"}
    lines = "".join(json.dumps(body | {"memo": note}) + "\n" for note in notes)
    for item in Reader(compiled, "log").read(io.BytesIO(lines.encode())):
        assert isinstance(item, Record)
        found += [item.place.line for _, each in follower.follow(item).found if each.name == "forbidden-value"]
    assert found == [2, 4]
    assert [text for path, text in searched if path != "memo"] == ["s", "up", "a"]
    assert searched.count(("memo", "plain")) == 1


def test_a_session_with_several_clocks_counts_records() -> None:
    """S59: nobody knows how far the clocks are apart, so that none of them is an axis for all."""
    case = CASES / "clock" / "several-clocks"
    model = load(case / "spec.lifespec").model
    assert model is not None
    (timeline,) = timelines_of(model, case / "overdue-by-its-own.jsonl").timelines
    assert timeline.has_several_clocks
    assert not timeline.has_time
    assert (timeline.begin, timeline.end) == (0, 5)
    (call,) = (lane for lane in timeline.lanes if lane.machine == "call")
    assert [(span.states, span.begin, span.end) for span in call.spans] == [
        (("idle",), 0, 1),
        (("ringing",), 1, 4),
        (("over",), 4, 5),
    ]


def test_what_nobody_would_see_shows_in_an_svg(lamp: Model, tmp_path: Path) -> None:
    unseen = "\u202e\x1b\x00\x85\u200b"
    record = {"time": 1, "session": f"s{unseen}", "event": f"e{unseen}"}
    (timeline,) = timelines_of(lamp, write(tmp_path, record)).timelines
    text = svg.render(timeline)
    assert not set(unseen) & set(text)
    ElementTree.fromstring(text)
    assert f"session s{visible(unseen)} in" in text
