"""What may have been exercised is called neither exercised nor never exercised (S49, S50)."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from lifespec.check import Options, check_files
from lifespec.log_file import Log
from lifespec.reports.json import render

SCHEMA = Path(__file__).parents[3] / "spec" / "schemas" / "report.schema.json"

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


def test_the_json_report_has_what_was_perhaps_taken(tmp_path: Path) -> None:
    (tmp_path / "l.lifespec").write_text(SPEC)
    (tmp_path / "a.jsonl").write_text(LOG)
    report = check_files(str(tmp_path / "l.lifespec"), [Log(str(tmp_path / "a.jsonl"))])
    value = json.loads(render(report))
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.validate(value, schema, cls=jsonschema.Draft202012Validator)
    assert [(each["transition"], each["source"], each["target"], each["count"]) for each in value["perhaps"]] == [
        (f"{source} -> {target} on next", source, target, 1) for source, target in ("bc", "cd", "de")
    ]
    assert {each["machine"] for each in value["perhaps"]} == {"m"}
    assert set(value["perhaps"][0]) == set(schema["properties"]["perhaps"]["items"]["required"])
