"""The documents are true: every example runs as printed, every list is complete, every link leads somewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lifespec.analysis.lint import lint

import lifespec
from document_examples import ROOT, Fence, check_document, documents, fences, matches
from lifespec.check import check
from lifespec.cli import cli
from lifespec.diagnostics import NAMES, Severity, Stage
from lifespec.diagnostics.render import severity_shown
from lifespec.load import load, load_text

FINDINGS = ROOT / "docs" / "reference" / "findings"
PAGES = [path for path in documents() if path.parent != FINDINGS]
MARKDOWN = [*documents(), *sorted((ROOT / "spec").rglob("*.md")), *sorted((ROOT / "conformance").rglob("*.md"))]

LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
SPEC_STAGES = (Stage.SYNTAX, Stage.NAMES, Stage.ANALYSIS)
LOG_STAGES = (Stage.LOG, Stage.VIOLATION)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


# --- examples ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_command_prints_what_the_page_says(path: Path) -> None:
    before, now = check_document(path)
    assert before == now, "python checker/tools/document_examples.py writes what the commands print"


def examples(language: str) -> Iterator[tuple[Path, Fence]]:
    for path in PAGES:
        for fence in fences(text_of(path)):
            if fence.language == language:
                yield path, fence


@pytest.mark.parametrize(
    ("path", "fence"), [pytest.param(p, f, id=f"{name_of(p)}:{f.line}") for p, f in examples("lifespec")]
)
def test_every_lifecycle_on_a_page_has_no_error(path: Path, fence: Fence, tmp_path: Path) -> None:
    """One that imports or is imported stands with the files of its page; `faulty` marks one that has an error."""
    for each in fences(text_of(path)):
        if each.word and each.word.endswith(".lifespec"):
            (tmp_path / each.word).write_text(each.body, encoding="utf-8")
    example = tmp_path / (fence.word if fence.word and fence.word.endswith(".lifespec") else "example.lifespec")
    example.write_text(fence.body, encoding="utf-8")
    if "lifecycle " not in fence.body:  # a declaration for a lifecycle that stands above it, such as a binding
        main = next(f.body for f in fences(text_of(path)) if f.language == "lifespec" and "lifecycle " in f.body)
        example.write_text(main + fence.body, encoding="utf-8")
    errors = [each.message for each in load(example).diagnostics if severity_shown(each) is Severity.ERROR]
    assert bool(errors) == (fence.word == "faulty"), errors


def test_every_record_on_a_page_is_json() -> None:
    for _, fence in [*examples("jsonl"), *examples("json")]:
        for text in fence.body.splitlines() if fence.language == "jsonl" else [fence.body]:
            json.loads(text)


def test_three_points_stand_for_any_lines() -> None:
    assert matches(["a", "...", "d"], ["a", "b", "c", "d"])
    assert matches(["a", "...", "d"], ["a", "d"])
    assert not matches(["a", "...", "d"], ["a", "b", "c"])


# --- links ---------------------------------------------------------------------------------------------


def anchors(path: Path) -> set[str]:
    """The anchors of a page, made from its headings as Markdown renderers do."""
    titles = [re.sub(r"[^\w\- ]", "", title.lower()) for title in HEADING.findall(text_of(path))]
    return {title.strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", MARKDOWN, ids=name_of)
def test_every_link_leads_somewhere(path: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", text_of(path), flags=re.DOTALL | re.MULTILINE)
    for target in LINK.findall(text):
        if target.startswith(("https://", "http://")):
            continue
        file, _, anchor = target.partition("#")
        linked = (path.parent / file).resolve() if file else path
        assert linked.exists(), target
        if anchor:
            assert anchor in anchors(linked), target


def test_the_list_of_pages_is_complete() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / target.partition("#")[0]).resolve() for target in LINK.findall(text_of(index))}
    missing = [name_of(path) for path in PAGES if path.parent != index.parent and path != ROOT / "README.md"]
    assert [name for name in missing if ROOT / name not in linked] == []


# --- findings ------------------------------------------------------------------------------------------


def test_every_finding_has_a_page_and_every_page_a_finding() -> None:
    pages = {path.stem for path in FINDINGS.glob("*.md")}
    assert pages == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_headed_by_the_name_of_its_finding(name: str) -> None:
    assert text_of(FINDINGS / f"{name}.md").startswith(f"# {name}\n")


def blocks(name: str, language: str) -> list[str]:
    return [fence.body for fence in fences(text_of(FINDINGS / f"{name}.md")) if fence.language == language]


def found_in_spec(text: str) -> set[str]:
    loaded = load_text(text)
    return {each.name for each in (*loaded.diagnostics, *(lint(loaded.model) if loaded.model else ()))}


@pytest.mark.parametrize("name", [name for name, entry in NAMES.items() if entry.stage in SPEC_STAGES])
def test_the_first_example_of_a_page_has_that_finding_alone_and_the_second_has_none(name: str) -> None:
    written = blocks(name, "lifespec")
    if not written:  # a finding that one short text cannot show
        pytest.fail(f"{name} has no example")
    assert found_in_spec(written[0]) == {name}
    for mended in written[1:]:
        assert found_in_spec(mended) == set()


@pytest.mark.parametrize("name", [name for name, entry in NAMES.items() if entry.stage in LOG_STAGES])
def test_the_first_log_of_a_page_has_that_finding_alone_and_the_second_has_none(name: str, tmp_path: Path) -> None:
    specs, logs = blocks(name, "lifespec"), blocks(name, "jsonl")
    assert specs, "a page shows the lifecycle"
    assert len(logs) >= 2, "a page shows a log with the finding and one without"
    found = []
    for index, log in enumerate(logs):
        file = tmp_path / f"{index}.jsonl"
        file.write_text(log, encoding="utf-8")
        loaded = load_text(specs[min(index, len(specs) - 1)])
        assert loaded.model is not None, loaded.diagnostics
        found.append({finding.name for finding in check(loaded.model, [file]).findings})
    assert found == [{name}] + [set()] * (len(logs) - 1)


# --- lists ---------------------------------------------------------------------------------------------


def test_the_reference_of_the_commands_shows_the_help_of_each() -> None:
    page = text_of(ROOT / "docs" / "reference" / "cli.md")
    for command in ("", *(f"{name} " for name in cli.list_commands(None))):  # type: ignore[arg-type]
        assert f"\n$ lifespec {command}--help\n" in page


def test_the_reference_of_the_api_has_every_public_name_and_no_other() -> None:
    page = text_of(ROOT / "docs" / "reference" / "api.md")
    described = set(re.findall(r"^### `(\w+)", page, re.MULTILINE))
    assert described == set(lifespec.__all__)


def test_the_readme_has_its_two_commands() -> None:
    text = text_of(ROOT / "README.md")
    for name in ("run", "test"):
        assert re.search(rf"^<!-- {name} -->\n```sh\n.+\n```\n<!-- /{name} -->$", text, re.MULTILINE)
