"""The JSON report keeps to its published schema, whatever was checked."""

from __future__ import annotations

import datetime
import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lifespec.check import Log, Options, check, check_files
from lifespec.diagnostics import NAMES, Stage
from lifespec.filter.baseline import read_baseline
from lifespec.filter.sieve import Filters, Known
from lifespec.load import load_text
from lifespec.pages import find_page
from lifespec.reports import jsonl
from lifespec.reports.json import render
from lifespec.reports.report import Report
from lifespec.reports.setting import Setting

ROOT = Path(__file__).parents[3]
FORMATS = (ROOT / "spec" / "formats.md").read_text(encoding="utf-8")

SOCKET = """lifecycle socket
machine connection {
  initial idle
  state   open
  idle -> open  on opened
}
"""


def _schema(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((ROOT / "spec" / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return schema


def _strict(schema: Any) -> Any:
    """The schema without room for keys that it does not describe."""
    if isinstance(schema, list):
        return [_strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {key: _strict(value) for key, value in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        strict.setdefault("additionalProperties", False)
    return strict


def _validate(report: Report) -> dict[str, Any]:
    status = report.status()
    value: dict[str, Any] = json.loads(render(report, Setting(status=status)))
    jsonschema.validate(value, _strict(_schema("report")), cls=jsonschema.Draft202012Validator)
    _validate_lines(report)
    return value


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", FORMATS, re.DOTALL)


def test_the_example_of_the_report_is_valid() -> None:
    (example,) = _blocks("json report")
    jsonschema.validate(json.loads(example), _strict(_schema("report")), cls=jsonschema.Draft202012Validator)


def test_the_example_of_the_baseline_is_valid_and_readable() -> None:
    (example,) = _blocks("json baseline")
    jsonschema.validate(json.loads(example), _schema("baseline"), cls=jsonschema.Draft202012Validator)
    (entry,) = read_baseline(example.encode()).known
    assert (entry.count, entry.owner) == (2, "web team")


@pytest.mark.parametrize(
    "filters",
    [
        Filters(select=("overdue",), severities={"connection": "info"}),
        Filters(ignore=("connection",), sessions=("s1",)),
        Filters(where="has code"),
        Filters(known=Known("k", read_baseline(_blocks("json baseline")[0].encode()), datetime.date(2027, 1, 1))),
    ],
)
def test_a_report_with_filters_is_valid(filters: Filters) -> None:
    loaded = load_text(SOCKET)
    assert loaded.model is not None
    log = b'{"time": 0, "session": "s1", "event": "opened", "code": 1}\n' * 2
    value = _validate(check(loaded.model, [Log("log", BytesIO(log))], options=Options(filters=filters)))
    assert "filtered" in value


def test_the_example_of_the_last_line_is_valid() -> None:
    (example,) = _blocks("jsonl line")
    jsonschema.validate(json.loads(example), _strict(_schema("report-line")), cls=jsonschema.Draft202012Validator)


def _validate_lines(report: Report) -> None:
    validator = jsonschema.Draft202012Validator(_strict(_schema("report-line")))
    *lines, last = [json.loads(line) for line in jsonl.render(report).splitlines()]
    for line in (*lines, last):
        validator.validate(line)
    assert last["type"] == "end"
    assert len(lines) == last["findings"] + len(report.problems)


def test_the_examples_of_the_log_are_valid_and_readable() -> None:
    (example,) = _blocks("jsonl event")
    for line in example.splitlines():
        jsonschema.validate(json.loads(line), _schema("event"), cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize("record", [{}, {"session": "s"}, {"time": 1}, {"session": "s", "time": "noon"}])
def test_the_schema_of_the_log_refuses_what_is_no_record(record: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(record, _schema("event"), cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize("name", [name for name, entry in NAMES.items() if entry.stage in (Stage.LOG, Stage.VIOLATION)])
def test_the_report_of_every_finding_is_valid(name: str) -> None:
    page = find_page(name)
    assert page is not None
    spec = "".join(re.findall(r"```lifespec\n(.*?)```", page, re.DOTALL))
    log = re.findall(r"```jsonl\n(.*?)```", page, re.DOTALL)[0]
    loaded = load_text(spec, "page.lifespec")
    assert loaded.model is not None
    content = log.encode().replace("\ufffd".encode(), b"\xff")
    options = Options(strict_json=name == "duplicate-key")
    value = _validate(check(loaded.model, [Log("page.jsonl", BytesIO(content))], options=options))
    assert value["findings"]


def test_the_report_of_a_spec_with_errors_is_valid_and_says_where(tmp_path: Path) -> None:
    spec = tmp_path / "broken.lifespec"
    spec.write_text("lifecycle a\nmachine m { initial x  x -> y on go }\n")
    value = _validate(check_files(str(spec), [], options=Options()))
    assert value["status"] == 2
    assert value["lifecycle"] == {}
    assert [problem["at"]["line"] for problem in value["problems"]] == [2]


def test_a_report_is_the_same_twice(tmp_path: Path) -> None:
    samples = ROOT / "spec" / "lifecycles" / "avatar"
    logs = sorted(str(path) for path in (samples / "samples").glob("*.jsonl"))
    first, second = (render(check_files(str(samples / "avatar.lifespec"), logs)) for _ in range(2))
    assert first == second
