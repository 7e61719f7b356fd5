"""Names in sentences are read back as they are, whatever is in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from lifespec.explain_words import as_code, code_parts, shortened_sentence

NAMES = ("open", "a`b", "`", "``", "`a", "a`", " a ", "a``b`c", "a `b` c", "```", "` `")


@pytest.mark.parametrize("name", NAMES)
def test_a_name_with_a_backtick_reads_back(name: str) -> None:
    sentence = f"{as_code(name)} is not allowed in {as_code('open')}"
    assert code_parts(sentence) == ["", name, " is not allowed in ", "open", ""]


@pytest.mark.parametrize("name", [name for name in NAMES if name == name.strip(" ")])
def test_a_name_with_a_backtick_is_code_in_markdown(name: str) -> None:
    (line,) = MarkdownIt("commonmark").parse(f"x {as_code(name)} y")[1:2]
    assert [(each.type, each.content) for each in line.children or []] == [
        ("text", "x "),
        ("code_inline", name),
        ("text", " y"),
    ]


@given(st.text(alphabet="ab` ", min_size=1, max_size=12))
def test_any_name_reads_back(name: str) -> None:
    assert code_parts(f"x{as_code(name)}y") == ["x", name, "y"]


def test_what_is_not_closed_is_prose() -> None:
    assert code_parts("a ` b `` c") == ["a ` b `` c"]


# --- sentences that are cut ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "longest", "shown"),
    [
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one two..."),
        ("one two, three", 12, "one two..."),
        ("one `two three` four", 19, "one `two three`..."),
        ("one `two three` four", 17, "one..."),
        ("one ``two ` three`` four", 20, "one..."),
        ("abcdefghijkl", 10, "abcdefg..."),
        ("`abcdefghijkl`", 10, "`abc`..."),
    ],
)
def test_a_sentence_is_cut_between_words_and_never_in_code(text: str, longest: int, shown: str) -> None:
    assert shortened_sentence(text, longest) == shown


@given(st.text(alphabet="abc` ,", max_size=60), st.integers(min_value=12, max_value=40))
def test_a_cut_sentence_fits_and_has_whole_words_and_whole_code(text: str, longest: int) -> None:
    shown = shortened_sentence(text, longest)
    assert len(shown) <= longest
    kept = shown.removesuffix("...")
    if shown != text and text.startswith(kept) and " " in text[: longest - 3].strip():
        assert all(part in code_parts(text)[1::2] for part in code_parts(kept)[1::2])
