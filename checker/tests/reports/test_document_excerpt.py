"""A finding in a pretty-printed document shows its record, not the bracket that opens it."""

from __future__ import annotations

import json
from pathlib import Path

from lifespec.check import check_files
from lifespec.log_file import Log

SPEC = """lifecycle socket
machine m { initial a  state b  a -> b on opened }
forbid email
binding b { read json  each record in items  session = s  time = none  event = e }
"""
RECORDS = [{"s": "x", "e": "opened", "n": [1, {"q": 'a  "b'}]}, {"s": "x", "e": "opened", "who": "me@example.org"}]


def shown(folder: Path, indent: int | None) -> list[tuple[str, str | None]]:
    (folder / "s.lifespec").write_text(SPEC)
    (folder / "a.json").write_text(json.dumps({"items": RECORDS}, indent=indent))
    report = check_files(str(folder / "s.lifespec"), [Log(str(folder / "a.json"))])
    return [
        (each.name, each.line and each.line[slice(*each.mark)] if each.mark else each.line) for each in report.findings
    ]


def test_a_record_over_several_lines_is_shown_as_one(tmp_path: Path) -> None:
    (tmp_path / "s.lifespec").write_text(SPEC)
    (tmp_path / "a.json").write_text(json.dumps({"items": RECORDS[::-1] + RECORDS[:1]}, indent=2))
    report = check_files(str(tmp_path / "s.lifespec"), [Log(str(tmp_path / "a.json"))])
    lines = {each.name: each.line for each in report.findings}
    assert lines["forbidden-value"] == '{ "s": "x", "e": "opened", "who": "[redacted]" }'
    assert lines["invalid-transition"] == '{ "s": "x", "e": "opened", "n": [ 1, { "q": "a  \\"b" } ] }'


def test_what_is_marked_does_not_depend_on_how_the_document_is_broken_over_lines(tmp_path: Path) -> None:
    assert shown(tmp_path, 2) == shown(tmp_path, None)


def test_a_record_is_found_behind_characters_of_several_bytes(tmp_path: Path) -> None:
    (tmp_path / "s.lifespec").write_text(SPEC)
    filler = [{"s": f"é{number}", "e": "opened", "n": "ü€😀" * 500} for number in range(20)]
    text = json.dumps({"items": [*filler, *RECORDS[:1] * 2]}, indent=1, ensure_ascii=False)
    for mark in ("", "\ufeff"):
        (tmp_path / "a.json").write_text(mark + text, encoding="utf-8")
        (found,) = check_files(str(tmp_path / "s.lifespec"), [Log(str(tmp_path / "a.json"))]).findings
        assert found.line == '{ "s": "x", "e": "opened", "n": [ 1, { "q": "a  \\"b" } ] }'
