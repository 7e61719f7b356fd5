"""The documents are true: every example runs as printed, every list is complete, every link leads somewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import lifespec
from document_examples import ROOT, Fence, check_document, documents, fences, matches
from lifespec.analysis.lint import lint
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


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


# --- examples ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_command_prints_what_the_page_says_and_draws_what_it_shows(path: Path) -> None:
    before, now, stale_pictures = check_document(path)
    assert before == now, "python checker/tools/document_examples.py writes what the commands print"
    assert not stale_pictures, "python checker/tools/document_examples.py draws them anew"


def examples(language: str) -> Iterator[tuple[Path, Fence]]:
    for path in PAGES:
        for fence in fences(text_of(path)):
            if fence.language == language:
                yield path, fence


@pytest.mark.parametrize(
    ("path", "fence"), [pytest.param(p, f, id=f"{name_of(p)}:{f.line}") for p, f in examples("lifespec")]
)
def test_a_lifecycle_on_a_page_has_an_error_only_where_it_is_marked(path: Path, fence: Fence, tmp_path: Path) -> None:
    """A block without a lifecycle of its own, such as a binding, belongs to the first one of its page."""
    lifecycles = [each for each in fences(text_of(path)) if each.language == "lifespec"]
    for each in lifecycles:
        if each.file:
            (tmp_path / each.file).write_text(each.body, encoding="utf-8")
    own = fence.body if has_lifecycle(fence) else next(filter(has_lifecycle, lifecycles)).body + fence.body
    example = tmp_path / "example.lifespec"
    example.write_text(own, encoding="utf-8")
    errors = [each.message for each in load(example).diagnostics if severity_shown(each) is Severity.ERROR]
    assert bool(errors) == fence.is_faulty, errors


def has_lifecycle(fence: Fence) -> bool:
    return re.search(r"^lifecycle ", fence.body, re.MULTILINE) is not None


def test_every_record_on_a_page_is_json() -> None:
    for _, fence in [*examples("jsonl"), *examples("json")]:
        for text in fence.body.splitlines() if fence.language == "jsonl" else [fence.body]:
            json.loads(text)


def test_three_points_stand_for_any_lines() -> None:
    assert matches(["a", "...", "d"], ["a", "b", "c", "d"])
    assert matches(["a", "...", "d"], ["a", "d"])
    assert not matches(["a", "...", "d"], ["a", "b", "c"])


# --- links ---------------------------------------------------------------------------------------------


def links(path: Path) -> list[str]:
    return LINK.findall(re.sub(r"^```.*?^```$", "", text_of(path), flags=re.DOTALL | re.MULTILINE))


def anchors(path: Path) -> set[str]:
    """The anchors of a page, made from its headings as Markdown renderers do."""
    titles = [re.sub(r"[^\w\- ]", "", title.lower()) for title in HEADING.findall(text_of(path))]
    return {title.strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", MARKDOWN, ids=name_of)
def test_every_link_leads_somewhere(path: Path) -> None:
    for target in links(path):
        if target.startswith(("https://", "http://")):
            continue
        file, _, anchor = target.partition("#")
        linked = (path.parent / file).resolve() if file else path
        assert linked.exists(), target
        if anchor:
            assert anchor in anchors(linked), target


def test_every_page_is_listed() -> None:
    """In the README of its folder, or in that of the documentation."""
    indexes = [path for path in PAGES if path.name == "README.md"]
    linked = {(index.parent / target.partition("#")[0]).resolve() for index in indexes for target in links(index)}
    assert [name_of(path) for path in PAGES if path not in linked and path.name != "README.md"] == []


# --- findings ------------------------------------------------------------------------------------------


def test_every_finding_has_a_page_and_every_page_a_finding() -> None:
    pages = {path.stem for path in FINDINGS.glob("*.md")}
    assert pages == {*NAMES, "README"}


def test_the_index_of_the_findings_has_each_by_its_stage() -> None:
    found: dict[str, list[str]] = {}
    for stage, name, severity, summary in re.findall(
        r"^## (.+)$|^\| \[(\S+)\]\(\2\.md\) \| (\w+) \| (.+) \|$", text_of(FINDINGS / "README.md"), re.MULTILINE
    ):
        if stage:
            found[stage] = []
        else:
            found[list(found)[-1]].append(f"{name}, {severity}: {summary}")
    assert found == {
        stage.value: [
            f"{name}, {entry.severity.value}: {entry.summary}" for name, entry in NAMES.items() if entry.stage is stage
        ]
        for stage in Stage
    }


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
    if name == "text-too-large" and not written:  # no page is a million characters long
        return
    assert found_in_spec(written[0]) == {name}
    for mended in written[1:]:
        assert found_in_spec(mended) == set()


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
