"""The laws of the parser, on the texts that fuzzing found worth keeping and on new ones."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
import parse_laws

DICTIONARY = [
    line[1:-1].encode().decode("unicode_escape")
    for line in (Path(__file__).parent / "parse.dict").read_text(encoding="utf-8").splitlines()
    if line.startswith('"')
]
PIECES = st.one_of(st.sampled_from(DICTIONARY), st.sampled_from([" ", "\n  ", "\n"]), st.text(max_size=3))


def test_the_laws_hold_for_every_text_of_the_corpus() -> None:
    texts = parse_laws.corpus()
    assert texts
    for text in texts:
        try:
            parse_laws.check(text)
        except AssertionError as error:
            raise AssertionError(f"{text!r}: {error}") from error


@given(st.text(max_size=200))
@example("\0")
@example("\ud800'\"")
@settings(max_examples=200, deadline=None)
def test_the_laws_hold_for_any_characters(text: str) -> None:
    parse_laws.check(text)


@given(st.lists(PIECES, max_size=40))
@settings(max_examples=300, deadline=None)
def test_the_laws_hold_for_any_words(pieces: list[str]) -> None:
    parse_laws.check(" ".join(pieces))


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_the_laws_hold_for_a_good_text_with_a_piece_cut_out_and_another_put_in(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(GOOD))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 30)))
    piece = data.draw(st.one_of(PIECES, st.sampled_from(GOOD).map(lambda other: other[start : start + 30])))
    parse_laws.check(text[:start] + piece + text[end:])


def _parts() -> list[str]:
    folder = Path(__file__).parents[1] / "syntax" / "data"
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.lifespec"))]
    return [part for text in texts for part in text.replace("\nbinding", "\n\nbinding").split("\n\n") if part.strip()]


GOOD = _parts()
