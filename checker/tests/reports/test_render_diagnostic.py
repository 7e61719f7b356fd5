"""A diagnostic as text: every label is shown once, at its place, in the form of the manual."""

from __future__ import annotations

import re

from lifespec.diagnostics import Diagnostic, Label, Severity
from lifespec.diagnostics.palette import Palette
from lifespec.diagnostics.render import render_concise, render_diagnostic
from lifespec.source import Source, Span

TEXT = """lifecycle socket

machine connection {
  initial idle
  state   open

  idle -> opn  on opened
}
"""
SOURCE = Source("socket.lifespec", TEXT)
SOURCES = {"socket.lifespec": SOURCE, "other.lifespec": Source("other.lifespec", "owner a\nowner b\n")}


def _span(word: str, text: str = TEXT, file: str = "socket.lifespec") -> Span:
    start = text.index(word)
    return Span(file, start, start + len(word))


def _diagnostic(**changes: object) -> Diagnostic:
    values: dict[str, object] = {
        "name": "unknown-state",
        "message": "machine `connection` has no state `opn`",
        "label": Label(_span("opn"), "not one of its states"),
    }
    return Diagnostic(**{**values, **changes})  # type: ignore[arg-type]


def test_it_says_where_why_and_what_next() -> None:
    shown = render_diagnostic(
        _diagnostic(notes=("its states are `idle`, `open` (line 4)",), help=("did you mean `open`?",)), SOURCES
    )
    assert shown == (
        "error[unknown-state]: machine `connection` has no state `opn`\n"
        "  --> socket.lifespec:7:11\n"
        "   |\n"
        " 7 |   idle -> opn  on opened\n"
        "   |           ^^^ not one of its states\n"
        "   = note: its states are `idle`, `open` (line 4)\n"
        "   = help: did you mean `open`?"
    )


def test_labels_come_in_the_order_of_the_text() -> None:
    shown = render_diagnostic(_diagnostic(labels=(Label(_span("open"), "this is near"),)), SOURCES)
    assert shown.splitlines()[1:] == [
        "  --> socket.lifespec:7:11",
        "   |",
        " 5 |   state   open",
        "   |           ---- this is near",
        " ...",
        " 7 |   idle -> opn  on opened",
        "   |           ^^^ not one of its states",
    ]


def test_two_labels_on_a_line_show_it_once() -> None:
    shown = render_diagnostic(_diagnostic(labels=(Label(_span("idle -> "), ""),)), SOURCES)
    assert shown.count("idle -> opn") == 1


def test_a_label_in_another_text_has_its_own_place() -> None:
    other = Label(Span("other.lifespec", 8, 13), "here")
    shown = render_diagnostic(_diagnostic(labels=(other,)), SOURCES).splitlines()
    assert "  --> other.lifespec:2:1" in shown
    assert " 2 | owner b" in shown


def test_a_span_over_several_lines_is_marked_on_its_first() -> None:
    span = Span("socket.lifespec", TEXT.index("machine"), len(TEXT))
    shown = render_diagnostic(_diagnostic(label=Label(span)), SOURCES).splitlines()
    assert shown[3:] == [" 3 | machine connection {", "   | ^^^^^^^^^^^^^^^^^^^^"]


def test_the_end_of_a_text_can_be_pointed_at() -> None:
    shown = render_diagnostic(_diagnostic(label=Label(Span("socket.lifespec", len(TEXT), len(TEXT)))), SOURCES)
    assert shown.splitlines()[1] == "  --> socket.lifespec:9:1"


def test_without_a_text_only_the_words_stay() -> None:
    assert render_diagnostic(_diagnostic(label=None), {}) == (
        "error[unknown-state]: machine `connection` has no state `opn`"
    )
    assert render_diagnostic(_diagnostic(), {}).splitlines()[1] == "  --> socket.lifespec"


def test_a_severity_of_its_own_counts() -> None:
    assert render_diagnostic(_diagnostic(severity=Severity.WARNING), SOURCES).startswith("warning[unknown-state]")


def test_long_words_are_continued_below_their_beginning() -> None:
    shown = render_diagnostic(_diagnostic(help=("word " * 40,)), SOURCES)
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.splitlines()[-1].startswith("           word")


def test_colour_changes_no_character() -> None:
    plain = render_diagnostic(_diagnostic(labels=(Label(_span("open"), "near"),), help=("x",)), SOURCES)
    painted = render_diagnostic(
        _diagnostic(labels=(Label(_span("open"), "near"),), help=("x",)), SOURCES, Palette(True)
    )
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == plain
    assert painted != plain


def test_in_one_line_stands_what_was_perhaps_meant() -> None:
    said = render_concise(_diagnostic(help=("look", "did you mean `open`?")), SOURCES)
    assert said.endswith("has no state `opn`; did you mean `open`?")


def test_in_one_line_the_place_comes_first() -> None:
    assert render_concise(_diagnostic(), SOURCES) == (
        "socket.lifespec:7:11: unknown-state machine `connection` has no state `opn`"
    )
    assert render_concise(_diagnostic(label=None), SOURCES).startswith("lifespec: unknown-state ")
