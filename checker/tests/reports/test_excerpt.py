"""Lines are cut around their marks, and never reach the terminal as control characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifespec.diagnostics.excerpt import cut, plain, visible, width_of


def test_a_short_line_stands_as_it_is() -> None:
    excerpt = cut("idle -> open on opened", 8, 12, "here", 40)
    assert (excerpt.text, excerpt.indent, excerpt.marks, excerpt.after) == (
        "idle -> open on opened",
        " " * 8,
        "^^^^",
        " here",
    )


def test_a_long_line_is_cut_on_both_sides_of_the_marks() -> None:
    line = "a" * 200 + "MARK" + "b" * 200
    excerpt = cut(line, 200, 204, "here", 60)
    assert excerpt.text.startswith("...")
    assert excerpt.text.endswith("...")
    assert len(excerpt.text) <= 60
    assert excerpt.text[len(excerpt.indent) : len(excerpt.indent) + 4] == "MARK"


def test_a_label_without_room_on_the_right_stands_on_the_left() -> None:
    excerpt = cut("x" * 50 + "END", 50, 53, "not allowed here", 60)
    assert excerpt.before == "not allowed here "
    assert len(excerpt.indent) + len(excerpt.before) == 50


def test_marks_stand_under_wide_characters() -> None:
    excerpt = cut("状態 open", 3, 7, "", 40)
    assert excerpt.indent == " " * 5
    assert excerpt.marks == "^^^^"


@pytest.mark.parametrize("text", ["\x1b[31mred", "a\x00b", "a\rb", "\u202eevil", "\ud800", "a\x9bb"])
def test_control_characters_are_shown_as_pictures(text: str) -> None:
    shown = visible(text)
    assert all(character.isprintable() for character in shown)


@given(
    st.text(max_size=300),
    st.integers(-5, 310),
    st.integers(-5, 310),
    st.text(alphabet="label ", max_size=30),
    st.integers(1, 120),
)
def test_an_excerpt_never_fails_and_keeps_to_its_columns(
    line: str, start: int, end: int, label: str, columns: int
) -> None:
    excerpt = cut(line, start, end, label, columns)
    assert width_of(excerpt.text) <= max(columns, 20)
    assert width_of(plain(line, columns).text) <= max(columns, 20)
    assert excerpt.marks


def test_a_label_without_room_on_either_side_stands_below() -> None:
    excerpt = cut("x" * 20 + "MARK" * 8 + "x" * 20, 20, 52, "not one of these words of a label", 72)
    assert (excerpt.before, excerpt.after) == ("", "")
    assert excerpt.below.strip() == "not one of these words of a label"
    assert len(excerpt.below) <= 72
