"""The reference engine gives the verdict of every conformance case, and the cases are what they should be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from lifespec.conformance import (
    Answer,
    BadCase,
    Case,
    Finding,
    ask_command,
    ask_engine,
    command_line,
    differences,
    parse_answer,
    read_case,
    read_cases,
    run,
)
from lifespec.load import load

ROOT = Path(__file__).resolve().parents[2]
CASES_ROOT = ROOT / "conformance" / "cases"
CASES = read_cases(CASES_ROOT)
SCHEMAS = ROOT / "spec" / "schemas"
FEWEST_CASES = 70

TRACES = [(case, trace) for case in CASES for trace in case.traces]


@pytest.mark.parametrize(("case", "trace"), TRACES, ids=[f"{case.id}:{trace}" for case, trace in TRACES])
def test_the_reference_gives_the_verdict(case: Case, trace: str) -> None:
    (result,) = (result for result in run([case], ask_engine) if result.trace == trace)
    assert result.differences == ()


# --- the cases ---------------------------------------------------------------------------------------


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= FEWEST_CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_case_has_a_satisfied_and_a_violated_trace(case: Case) -> None:
    clean = [answer.is_clean for answer in case.traces.values()]
    assert True in clean
    assert False in clean


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_folder_of_a_case_holds_its_files_and_no_others(case: Case) -> None:
    files = {"case.json", "spec.lifespec"}
    for trace in case.traces:
        files |= {f"{trace}.jsonl", f"{trace}.verdict.json"}
    assert {path.name for path in case.folder.iterdir()} == files


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_verdicts_speak_of_properties_that_the_specification_has(case: Case) -> None:
    model = load(case.spec).model
    assert model is not None
    properties = {str(prop) for prop in model.properties()}
    for answer in case.traces.values():
        assert set(answer.outcomes) <= properties
        assert {finding.property for finding in answer.findings} <= properties | {None}
        assert answer.outcomes, "says nothing of any property"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_files_are_as_the_schemas_say(case: Case) -> None:
    check(case.folder / "case.json", "case.schema.json")
    for trace in case.traces:
        check(case.folder / f"{trace}.verdict.json", "verdict.schema.json")


def check(path: Path, schema: str) -> None:
    validator = Draft202012Validator(json.loads((SCHEMAS / schema).read_text("utf-8")))
    errors = [error.message for error in validator.iter_errors(json.loads(path.read_text("utf-8")))]
    assert errors == []


def test_the_schemas_are_schemas() -> None:
    for path in SCHEMAS.glob("*.json"):
        Draft202012Validator.check_schema(json.loads(path.read_text("utf-8")))


# --- determinism -------------------------------------------------------------------------------------

_PRINT_ALL = """
import sys
from pathlib import Path
from lifespec.conformance import ask_engine, read_cases
for case in read_cases(Path(sys.argv[1])):
    for trace in case.traces:
        answer = ask_engine(case, trace)
        print(case.id, trace, *answer.findings, sorted(answer.outcomes.items()), sep="|")
"""


def test_the_answers_do_not_depend_on_the_hash_seed() -> None:
    """S58."""
    said = {
        subprocess.run(
            [sys.executable, "-c", _PRINT_ALL, str(CASES_ROOT)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(said) == 1


# --- the comparison ----------------------------------------------------------------------------------

LATE = Finding(4, "overdue", "bound m.b", ("x",), None, (7,))


def test_what_is_not_said_is_not_compared() -> None:
    assert differences(Answer((Finding(4, "overdue", "bound m.b"),)), Answer((LATE,))) == ()


@pytest.mark.parametrize(
    "expected",
    [
        Finding(5, "overdue", "bound m.b"),
        Finding(4, "silent", "bound m.b"),
        Finding(4, "overdue", "bound m.c"),
        Finding(4, "overdue", "bound m.b", key=("y",)),
        Finding(4, "overdue", "bound m.b", field="f"),
        Finding(4, "overdue", "bound m.b", witness_lines=(7, 8)),
    ],
)
def test_what_is_said_is_compared(expected: Finding) -> None:
    assert differences(Answer((expected,)), Answer((LATE,))) != ()


def test_a_finding_too_many_or_too_few_is_a_difference() -> None:
    assert differences(Answer((LATE, LATE)), Answer((LATE,))) != ()
    assert differences(Answer(()), Answer((LATE,))) != ()


def test_the_order_of_findings_counts() -> None:
    other = Finding(4, "invalid-transition", "transitions m")
    assert differences(Answer((other, LATE)), Answer((LATE, other))) != ()


def test_expected_outcomes_must_come_out() -> None:
    assert differences(Answer((), {"rule r": "satisfied"}), Answer((), {"rule r": "inconclusive"})) == (
        "rule r: expected satisfied, came out inconclusive",
    )
    assert differences(Answer((), {}), Answer((), {"rule r": "inconclusive"})) == ()


# --- the forms ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"findings": 3}', '{"findings": [{"line": 1}]}', "[" * 99999])
def test_what_is_no_verdict_is_said_to_be_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "case.json").write_text('{"id": ".", "rules": [], "description": "", "traces": ["t"]}')
    (tmp_path / "t.verdict.json").write_text(text)
    with pytest.raises(BadCase):
        read_case(tmp_path, tmp_path)


def test_the_id_of_a_case_is_its_path(tmp_path: Path) -> None:
    (tmp_path / "case.json").write_text('{"id": "elsewhere", "rules": [], "description": "", "traces": []}')
    with pytest.raises(BadCase, match="the id is not the path"):
        read_case(tmp_path, tmp_path)


def test_a_case_whose_specification_is_wrong_is_a_difference(tmp_path: Path) -> None:
    (tmp_path / "spec.lifespec").write_text("lifecycle")
    (tmp_path / "t.jsonl").write_text("")
    case = Case("c", (), "", tmp_path, {"t": Answer(())})
    (result,) = run([case], ask_engine)
    assert "syntax-error" in result.differences[0]


# --- asking a command --------------------------------------------------------------------------------


def _command(tmp_path: Path, body: str) -> list[str]:
    script = tmp_path / "checker.py"
    script.write_text(body)
    return [sys.executable, str(script)]


CASE = Case("c", (), "", Path("folder"), {"t": Answer(())}, binding="own", complete=True)


def test_a_command_is_given_spec_log_and_what_the_case_says() -> None:
    assert command_line(CASE, "t", ["checker", "judge"]) == [
        *("checker", "judge", str(Path("folder", "spec.lifespec")), str(Path("folder", "t.jsonl"))),
        *("--binding", "own", "--complete"),
    ]


def test_a_command_answers_on_its_standard_output(tmp_path: Path) -> None:
    body = 'print(\'{"findings": [{"line": 1, "name": "n", "property": null}], "outcomes": {"rule r": "violated"}}\')'
    answer = ask_command(CASE, "t", _command(tmp_path, body))
    assert answer == parse_answer(
        {"findings": [{"line": 1, "name": "n", "property": None}], "outcomes": {"rule r": "violated"}}, "here"
    )


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("raise SystemExit(2)", "status 2"),
        ("print('hello')", "no verdict"),
        ("import time; time.sleep(60)", "timed out"),
    ],
)
def test_a_command_that_does_not_answer_is_said_to_fail(tmp_path: Path, body: str, why: str) -> None:
    with pytest.raises(BadCase, match=why):
        ask_command(CASE, "t", _command(tmp_path, body), timeout_s=2)


def test_a_command_that_does_not_exist_is_said_to_fail() -> None:
    with pytest.raises(BadCase):
        ask_command(CASE, "t", ["./no-such-checker"])
