"""What ships keeps its word: each lifecycle finds in its samples what it expects, is documented, cited and drawn."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
from exact_findings import ROOT, expected, found, load_clean

import lifecycle_pages
from lifespec.check import check, check_files
from lifespec.model.model import Model
from lifespec.shipped import shipped_lifecycles
from lifespec.trace.binding import compile_binding
from lifespec.trace.library import is_library

FOLDER = ROOT / "spec/lifecycles"
NAMES = shipped_lifecycles()
RECORDED = {"webrtc"}  # their samples are recordings of other people: with as many faults as there were
INVENTED = [name for name in NAMES if name not in RECORDED]
OWN = {"avatar"}  # published here first: there is nothing to cite
UNBROKEN = {"avatar": {"first-event", "issued-credential", "one-answer"}}  # rules that no sample breaks yet
EXPECTED = {name: expected(FOLDER / name / "expected.json") for name in NAMES}
SAMPLES = [(name, sample) for name in NAMES for sample in EXPECTED[name]]


@cache
def model_of(name: str) -> Model:
    return load_clean(FOLDER / name / f"{name}.lifespec")


def page_of(name: str) -> str:
    return (FOLDER / name / "README.md").read_text("utf-8")


@pytest.mark.parametrize(("name", "sample"), SAMPLES)
def test_exactly_what_is_expected_is_found(name: str, sample: str) -> None:
    assert (
        found(model_of(name), FOLDER / name / "samples" / sample) == expected(FOLDER / name / "expected.json")[sample]
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_sample_is_expected_and_on_the_page_with_what_is_found_in_it(name: str) -> None:
    wanted = EXPECTED[name]
    assert {each.name for each in (FOLDER / name / "samples").iterdir()} - {"LICENSE"} == set(wanted)
    rows = dict(re.findall(r"^\| `(?:samples/)?([^`]+)` (\|.*)$", page_of(name), re.MULTILINE))
    assert set(rows) >= set(wanted)
    if name in INVENTED:
        assert set(rows) == set(wanted)
        for sample, findings in wanted.items():
            for each in findings:
                rule = str(each["property"]).removeprefix("rule ")
                assert f"`{each['name']}`" in rows[sample] or f"rule `{rule}`" in rows[sample], sample


@pytest.mark.parametrize("name", INVENTED)
def test_some_logs_are_clean_and_each_other_one_breaks_one_thing(name: str) -> None:
    """One fault is one finding; at most it is found by two who look at the same thing."""
    counts = [len(findings) for findings in EXPECTED[name].values()]
    assert counts.count(0) >= 1
    assert counts.count(1) >= 5
    assert max(counts) <= 2


@pytest.mark.parametrize("name", INVENTED)
def test_the_samples_enter_every_state_and_name_every_owner(name: str) -> None:
    report = check(model_of(name), [str(FOLDER / name / "samples" / sample) for sample in EXPECTED[name]])
    assert {machine: states for machine, states in report.never_exercised.states.items() if states} == {}
    assert report.never_exercised.owners == ()


@pytest.mark.parametrize("name", INVENTED)
def test_every_rule_is_broken_by_some_sample(name: str) -> None:
    broken = {each["property"] for findings in EXPECTED[name].values() for each in findings}
    assert {rule.name for rule in model_of(name).rules if f"rule {rule.name}" not in broken} == UNBROKEN.get(
        name, set()
    )


@pytest.mark.parametrize("name", NAMES)
def test_everything_is_documented(name: str) -> None:
    model = model_of(name)
    machines = model.machines.values()
    assert model.doc
    assert [o.name for o in model.owners.values() if not o.doc] == []
    assert [f.name for f in model.fields.values() if not f.doc] == []
    assert [p.name for p in model.params.values() if not p.tested] == []
    assert [r.name for r in model.rules if not r.doc] == []
    assert [m.name for m in machines if not m.doc] == []
    assert [(m.name, s.name) for m in machines for s in m.states.values() if not s.doc] == []


@pytest.mark.parametrize("name", [name for name in NAMES if name not in OWN])
def test_the_text_says_where_its_facts_come_from_and_of_which_day_they_are(name: str) -> None:
    source = lifecycle_pages.source_of(name)
    assert re.search(r"\b(19|20)\d\d\b|commit [0-9a-f]{7}", source), source


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_found_in_the_bindings_that_belong_to_it(name: str) -> None:
    model = model_of(name)
    for binding in model.bindings.values():
        if not is_library(binding.span.file):
            assert compile_binding(model, binding)[1] == ()


@pytest.mark.parametrize("name", NAMES)
def test_the_picture_shows_the_text_and_the_page_shows_the_picture(name: str) -> None:
    assert lifecycle_pages.is_fresh(name), "python checker/tools/lifecycle_pages.py draws it anew"
    assert f"]({name}.svg)" in page_of(name)


def test_the_index_is_the_one_of_the_texts() -> None:
    assert lifecycle_pages.INDEX.read_text("utf-8") == lifecycle_pages.index()


def test_the_wheel_has_the_lifecycles_where_they_are_looked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included["spec/lifecycles"] == "lifespec/lifecycles"


# --- what the pages tell a client to do where it differs ---------------------------------------------------


@pytest.mark.parametrize(
    ("name", "sample", "profile", "statements"),
    [
        ("grpc-channel", "failure-to-idle.jsonl", "pick-first", ""),
        ("grpc-channel", "failure-to-ready.jsonl", "pick-first", ""),
        ("signalr-hub", "a-fifth-retry.jsonl", "patient", ""),
        ("kubernetes-pod", "runs-without-a-node.jsonl", None, "lacks machines placement"),
        ("websocket", "lost-without-reason.jsonl", None, "lacks fields reason"),
        ("grpc-channel", "failure-without-reason.jsonl", None, "lacks fields reason"),
    ],
)
def test_what_a_page_says_to_clients_that_differ_makes_the_finding_go_away(
    name: str, sample: str, profile: str | None, statements: str, tmp_path: Path
) -> None:
    binding = tmp_path / "own.lifespec"
    binding.write_text(f"binding own extends default {{ {statements} }}\n", "utf-8")
    log = FOLDER / name / "samples" / sample
    assert EXPECTED[name][sample] != []
    report = check_files(f"lib:{name}", log, binding=str(binding), profile=profile)
    assert (report.problems, report.findings) == ((), ())


def test_a_page_that_sees_no_close_frames_may_end_with_any_code(tmp_path: Path) -> None:
    """What the page of `websocket` tells to browsers."""
    binding, log = tmp_path / "page.lifespec", tmp_path / "page.jsonl"
    log.write_text(
        '{"time": 0, "session": "a", "event": "opened", "owner": "client"}\n'
        '{"time": 9, "session": "a", "event": "closed", "owner": "server", "code": 1000, "was_clean": true}\n',
        "utf-8",
    )
    for lacks, names in (("", ["missing-reason", "requirement-failed"]), ("lacks events close, ping, pong", [])):
        binding.write_text(f"binding page for websocket extends default {{ {lacks} }}\n", "utf-8")
        report = check_files("lib:websocket", log, binding=str(binding))
        assert sorted({each.violation.name for each in report.findings}) == names


def test_a_state_of_ones_own_in_qlog_is_renamed(tmp_path: Path) -> None:
    """What the page of `quic-connection` tells to implementations with more states."""
    binding, log = tmp_path / "own.lifespec", tmp_path / "own.jsonl"
    sample = FOLDER / "quic-connection/samples/client-closes.jsonl"
    log.write_text(sample.read_text("utf-8").replace("handshake_started", "my_state"), "utf-8")
    renamed = "rename state of connection my_state -> handshake_started"
    binding.write_text(f"binding own for quic-connection extends qlog-lines {{ {renamed} }}\n", "utf-8")
    assert check_files("lib:quic-connection", log, binding=str(binding)).findings == ()
    names = {each.violation.name for each in check_files("lib:quic-connection", log).findings}
    assert names == {"unknown-state"}


# --- the tool that writes pictures and index ---------------------------------------------------------------


def test_the_tool_says_what_is_stale(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert lifecycle_pages.main(["--check"]) == 0
    monkeypatch.setattr(lifecycle_pages, "picture_of", lambda name: ROOT / "spec/lifecycles" / name / "nowhere.svg")
    assert lifecycle_pages.main(["--check"]) == 1
    assert capsys.readouterr().out.count("stale") == len(NAMES)
    assert lifecycle_pages.main(["--chekc"]) == 2
