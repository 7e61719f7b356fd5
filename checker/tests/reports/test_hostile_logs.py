"""What a log holds is never taken for a part of the report, whatever the format."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from io import BytesIO
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from lifespec.check import Log, check
from lifespec.reports import markdown
from lifespec.reports.formats import FORMATS
from lifespec.reports.report import Report
from lifespec.reports.setting import DEFAULT
from tests.reports.hostile import NASTY, hostile_report, model

CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\ud800-\udfff\ufffe\uffff]")


@pytest.fixture(scope="module")
def report() -> Report:
    return hostile_report()


@pytest.fixture(scope="module", params=list(FORMATS))
def written(request: pytest.FixtureRequest, report: Report) -> str:
    return FORMATS[request.param].render(report, replace(DEFAULT, status=1))


def test_no_character_moves_a_cursor_or_cannot_be_written(written: str) -> None:
    assert CONTROLS.findall(written) == []
    written.encode("utf-8")


def test_a_text_of_a_megabyte_is_not_repeated(written: str) -> None:
    assert len(written) < 500_000
    assert "x" * 1100 not in written


@pytest.mark.parametrize("name", ["json", "jsonl", "sarif", "gitlab"])
def test_it_stays_json(name: str, report: Report) -> None:
    text = FORMATS[name].render(report, DEFAULT)
    for line in text.splitlines() if name == "jsonl" else [text]:
        json.loads(line)


def test_no_line_is_a_command_of_the_runner_that_we_did_not_write(report: Report) -> None:
    lines = FORMATS["github"].render(report, DEFAULT).splitlines()
    commands = [line for line in lines if line.lstrip().startswith("::")]
    assert 0 < len(commands) <= 20
    for line in commands:
        assert re.fullmatch(r"::(error|warning|notice) (file|title)=[^:]*::.*", line)
        properties = line.split("::")[1].split(" ", 1)[1].split(",")
        assert [each.split("=")[0] for each in properties][-1] == "title"
        assert {each.split("=")[0] for each in properties} <= {"file", "line", "endLine", "col", "endColumn", "title"}
        said = line.split("::", 2)[2].split("%0A")
        assert all(part.startswith(("first at ", "allowed: ", "help: ")) for part in said[1:])
    assert not any("##[" in line for line in lines if line not in commands)


@pytest.mark.parametrize("width", range(50, 120, 7))
@pytest.mark.parametrize("name", ["text", "markdown", "junit", "concise"])
def test_no_line_of_another_format_is_a_command_of_the_runner(name: str, width: int) -> None:
    words = " ".join(["word", "::error::forged", "##[error]forged"] * 20)
    log = json.dumps({"time": 1, "session": "s", "event": words, "note": words})
    log += json.dumps({"time": 1, "session": "s", "machine": words, "event": "opened", "owner": words})
    report = check(model(), [Log("a.jsonl", BytesIO(log.replace("}{", "}\n{").encode()))])
    text = FORMATS[name].render(report, replace(DEFAULT, width=width))
    assert not re.search(r"^\s*::", text, re.MULTILINE)
    assert "##[" not in text or name in ("concise", "junit")  # which do not stand in the log of a job


def test_xml_has_no_element_that_we_did_not_write(report: Report) -> None:
    root = ElementTree.fromstring(FORMATS["junit"].render(report, DEFAULT))
    assert {each.tag for each in root.iter()} <= {"testsuites", "testsuite", "testcase", "failure", "skipped"}


def test_markdown_has_no_mark_that_we_did_not_write(report: Report) -> None:
    text = FORMATS["markdown"].render(report, DEFAULT)
    fence = re.compile(r"^(`{3,})text\n.*?^\1$", re.MULTILINE | re.DOTALL)
    prose = fence.sub("", text)
    assert set(re.findall(r"</?(\w+)", prose)) == {"code", "details", "summary"}
    assert not re.search(r"[`*\[\]@\\]|https?://|www\.\w", prose)
    rows = [line for line in prose.splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} <= {6, 5}  # two tables


def test_a_reader_of_markdown_sees_only_our_marks() -> None:
    text = markdown.render(hostile_report(examples=None), replace(DEFAULT, examples=None), 1_000_000)
    page = MarkdownIt("commonmark").enable("table").render(text)
    tags = {"h3", "table", "thead", "tbody", "tr", "th", "td", "code", "details", "summary", "pre", "p"}
    assert set(re.findall(r"</?([a-z]\w*)", page)) <= tags
    assert page.count("<table>") == 2
    assert page.count("<details>") > 50
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("text", NASTY)
def test_a_fence_is_longer_than_what_is_in_it(text: str) -> None:
    from lifespec.reports.markdown import fenced

    first, *inside, last = fenced(text).split("\n")
    assert first == f"{last}text"
    assert not any(line.strip().startswith(last) for line in inside)


def test_sarif_has_no_link_and_no_argument_that_we_did_not_write(report: Report) -> None:
    text = FORMATS["sarif"].render(report, DEFAULT)
    (run,) = json.loads(text)["runs"]
    messages = [result["message"]["text"] for result in run["results"]]
    messages += [place["message"]["text"] for result in run["results"] for place in result["relatedLocations"]]
    assert any("{{0}}" in message for message in messages)
    for message in messages:
        assert not re.search(r"\]\(|(?<!\{)\{\d+\}", message)
