"""Every chunk of the `.lifespec` files beside this one gives exactly the findings written in it.

Chunks are parted by lines of `---`. `//! NAME "words"` on a line says that a finding NAME stands on that line and
that its message holds the words; a finding without a place stands on line 0, written in the first line as `//!0`.
A chunk that declares no lifecycle gets one; one that begins with `// as it is` is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from lifespec.analysis.lint import lint
from lifespec.diagnostics import NAMES, Diagnostic, Stage
from lifespec.load import load_text

FOLDER = Path(__file__).parent
EXPECTED = re.compile(r"//!(0?) ([a-z0-9-]+)((?: \"[^\"\n]*\")*)")


@dataclass(frozen=True)
class Chunk:
    file: str
    line: int  # of its first line in the file, from 1
    text: str

    @property
    def expected(self) -> list[tuple[int, str, tuple[str, ...]]]:
        return [
            (0 if found[1] else number, found[2], tuple(re.findall(r'"([^"\n]*)"', found[3])))
            for number, line in enumerate(self.text.split("\n"), 1)
            for found in EXPECTED.finditer(line)
        ]


def chunks() -> Iterator[Chunk]:
    for path in sorted(FOLDER.glob("*.lifespec")):
        line = 1
        for text in re.split(r"^---\n", path.read_text("utf-8"), flags=re.MULTILINE):
            yield Chunk(path.stem, line, text)
            line += text.count("\n") + 1


def found_in(chunk: Chunk) -> list[tuple[int, Diagnostic]]:
    text = chunk.text
    if not text.startswith("// as it is") and not re.search(r"^lifecycle ", text, re.MULTILINE):
        text = "lifecycle test " + text
    loaded = load_text(text, "spec.lifespec")
    found = [*loaded.diagnostics, *(lint(loaded.model) if loaded.model is not None else ())]
    source = loaded.sources["spec.lifespec"]
    return [(source.place(each.label.span.start)[0] if each.label else 0, each) for each in found]


CHUNKS = list(chunks())


@pytest.mark.parametrize("chunk", CHUNKS, ids=lambda chunk: f"{chunk.file}:{chunk.line}")
def test_a_chunk_has_the_findings_written_in_it_and_no_other(chunk: Chunk) -> None:
    found = found_in(chunk)
    told = [f"{line}: {each.name} {each.message}" for line, each in found]
    assert sorted((line, each.name) for line, each in found) == sorted(e[:2] for e in chunk.expected), told
    for line, name, words in chunk.expected:
        messages = [each.message for at, each in found if (at, each.name) == (line, name)]
        for word in words:
            assert any(word in message for message in messages), (word, messages)


def test_findings_come_in_the_order_of_the_text() -> None:
    for chunk in CHUNKS:
        told = [line for line, each in found_in(chunk) if NAMES[each.name].stage is not Stage.ANALYSIS]
        assert told == sorted(told), (chunk.file, chunk.line)
