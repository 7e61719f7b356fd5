"""Every chunk of `errors/` has exactly the findings written in it; what it says first holds for all of them.

Chunks are parted by `---`. `//! NAME "words"` says that a finding NAME stands on that line and holds the words in its
message or its help; `/` parts several on a line, `@n` puts one on line n of its chunk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from lifespec.source import Source
from lifespec.syntax import ast
from lifespec.syntax.parser import parse
from lifespec.syntax.run import MOST_FINDINGS

FOLDER = Path(__file__).parent / "errors"
MARK = re.compile(r" *//! (.*)$")
ENTRY = re.compile(r"^(?P<name>[a-z-]+)(?P<words>.*?)(?:@(?P<line>\d+))?$")


@dataclass(frozen=True)
class Expected:
    line: int
    name: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Chunk:
    place: str
    text: str
    expected: tuple[Expected, ...]


def read(text: str) -> tuple[str, tuple[Expected, ...]]:
    """A chunk without its marks, and what they say."""
    lines, expected = [], []
    for number, line in enumerate(text.split("\n"), 1):
        mark = MARK.search(line)
        for entry in mark[1].split(" / ") if mark else ():
            found = ENTRY.match(entry.strip())
            assert found, entry
            words = tuple(re.findall(r'"(.+?)"(?= "|$)', found["words"].strip()))
            expected.append(Expected(int(found["line"] or number), found["name"], words))
        lines.append(MARK.sub("", line))
    return "\n".join(lines), tuple(expected)


def chunks() -> Iterator[Chunk]:
    for path in sorted(FOLDER.glob("*.lifespec")):
        start = 1
        for text in path.read_text(encoding="utf-8").split("---\n"):
            yield Chunk(f"{path.stem}:{start}", *read(text))
            start += text.count("\n") + 1


@pytest.mark.parametrize("chunk", list(chunks()), ids=lambda chunk: chunk.place)
def test_a_chunk_has_the_findings_written_in_it_and_no_other(chunk: Chunk) -> None:
    source = Source("chunk", chunk.text)
    found = parse(source)[1]
    told = [f"{source.place(f.label.span.start)[0] if f.label else 0}: {f.name}: {f.message} {f.help}" for f in found]
    lines = [(source.place(f.label.span.start)[0], f.name) for f in found if f.label]
    assert lines == sorted((each.line, each.name) for each in chunk.expected), told
    for each in chunk.expected:
        text = [line for line in told if line.startswith(f"{each.line}: {each.name}")]
        for word in each.words:
            assert any(word in line for line in text), (word, told)


def names(text: str) -> list[str]:
    tree = parse(Source("text", text))[0]
    return [d.names[0].text if isinstance(d, ast.OwnerDecl) else d.name.text for d in tree.declarations]  # type: ignore[union-attr]


def test_declarations_with_an_error_are_left_out_and_the_others_kept() -> None:
    text = "owner a\nmachine b {\n  initial i\n  i -> -> j\n  state k\n}\nmachine c { initial i }\nrule d { }\nowner e"
    assert names(text) == ["a", "c", "e"]


def test_what_follows_a_whole_declaration_does_not_break_it() -> None:
    assert names("machine a { initial b } }\nowner c") == ["a", "c"]


def test_a_missing_brace_points_at_the_open_one_and_at_what_shows_it() -> None:
    text = "machine a {\n  initial b\nmachine c { initial d }"
    (finding,) = parse(Source("text", text))[1]
    assert finding.label
    assert text[finding.label.span.start] == "{"
    assert text[finding.labels[0].span.start :].startswith("machine c")
    assert names(text) == ["c"]


def test_a_brace_in_the_wrong_place_does_not_hide_the_next_declaration() -> None:
    assert names("machine a per {\n  initial b\n}\nowner c\nmachine d\n{ initial e } owner f") == ["c", "d", "f"]


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("event state", "event 'state'"),
        ("owner a 'x y'", 'owner a "x y"'),
        ("rule a { always b = c }", "rule a { always b == c }"),
        ("machin a { }", "machine a { }"),
    ],
)
def test_a_fix_mends_the_text(text: str, mended: str) -> None:
    (finding,) = parse(Source("text", text))[1]
    assert finding.fix
    span = finding.fix.span
    assert text[: span.start] + finding.fix.text + text[span.end :] == mended
    assert parse(Source("text", mended))[1] == ()


def test_findings_are_bounded_and_the_rest_is_counted() -> None:
    found = parse(Source("text", "owner a b\n" * 250))[1]
    assert len(found) == MOST_FINDINGS
    assert found[-1].notes == ("150 more syntax errors are not listed",)


def test_a_message_never_repeats_a_long_text() -> None:
    for text in (
        "owner " + "a" * 10_000 + " b",
        "x" * 10_000,
        "owner a 'b" + " c" * 10_000 + "'",
        '"' + "a" * 10_000 + '"',
    ):
        for finding in parse(Source("text", text))[1]:
            assert len(finding.message) < 300
            assert all(len(line) < 300 for line in (*finding.help, *finding.notes))


def test_odd_characters_are_named() -> None:
    for text, shown in (("\0", "U+0000"), ("\ud800", "U+D800"), ("\u200b", "U+200B"), ("§", "`§`")):
        assert any(shown in finding.message for finding in parse(Source("text", text))[1]), text
