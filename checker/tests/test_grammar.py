"""The grammar has no conflict, is quoted whole in `spec/language.md`, and is what the parser runs."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Lark
from lark.common import ParserConf
from lark.exceptions import GrammarError, UnexpectedInput
from lark.parsers.lalr_analysis import LALR_Analyzer

from lifespec.model import forbidden
from lifespec.source import Source
from lifespec.syntax import words
from lifespec.syntax.parser import make_lark, make_table, parse, table
from lifespec.syntax.table import grammar_text, read_table

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "spec" / "language.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
TEXTS = [path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "syntax" / "data").glob("*"))]

LARK, WRITTEN = make_lark(grammar_text())


def blocks(info: str) -> list[str]:
    return [found["body"].removesuffix("\n") for found in FENCE.finditer(PAGE) if found["info"] == info]


# --- no conflict ---------------------------------------------------------------------------------------


def analyzed(lark: Lark) -> None:
    """Builds the table as Lark does, but raises where Lark would settle a shift/reduce conflict silently."""
    LALR_Analyzer(ParserConf(lark.rules, {}, ["start"]), strict=True).compute_lalr()  # type: ignore[no-untyped-call]


def test_the_grammar_has_no_conflict() -> None:
    analyzed(LARK)


def test_a_conflict_would_be_noticed() -> None:
    with pytest.raises(GrammarError, match="Shift/Reduce"):
        analyzed(Lark('start: a\na: a "+" a | "x"', parser="lalr"))


@pytest.mark.skipif(importlib.util.find_spec("interregular") is None, reason="interregular is not installed")
def test_the_grammar_has_no_conflict_as_lark_itself_sees_it() -> None:
    """Lark's own strict mode also looks for two regular expressions that match one token."""
    make_lark(grammar_text(), strict=True)


def test_no_state_takes_a_word_in_two_ways() -> None:
    """Of the terminals of one state, at most one of each shape is not settled by priority."""
    for row in table().states:
        assert len(row.keys() & {"NAME", "WORD"}) <= 1


def test_terminals_of_equal_priority_share_no_token() -> None:
    """Tried on every keyword, sign and typical token: the lexer of a state never has to guess."""
    terminals = {WRITTEN.get(t.name, t.name): t for t in LARK.terminals}
    tokens = [
        *(name[1:-1] for name in terminals if name[0] == '"'),
        *words.RESERVED,
        "at-home",
        "max-delay",
        "a",
        "_",
        "é",
    ]
    tokens += ["'a b'", '"a"', '""', "1", "1.5", "5s", "1.5ms", "5m", "a =", "'a b' =", "// a", " ", "\n", "==", "<="]
    for token in tokens:
        fitting = {name: t for name, t in terminals.items() if re.fullmatch(t.pattern.to_regexp(), token)}
        for row in table().states:
            here = [t for name, t in fitting.items() if name in row]
            best = max((t.priority for t in here), default=0)
            assert len([t for t in here if t.priority == best]) <= 1, (token, [t.name for t in here])


# --- one grammar, one table ----------------------------------------------------------------------------


def test_the_table_beside_the_grammar_is_made_from_it() -> None:
    assert read_table() == make_table(), "python checker/tools/parser_table.py"


def test_the_reserved_words_are_those_of_the_grammar() -> None:
    found = re.findall(r"^NO_[A-Z_]+: /\(\?!\(\?:([a-z|]+)\)", grammar_text(), re.MULTILINE)
    assert {word for alternatives in found for word in alternatives.split("|")} == words.RESERVED


def lark_accepts(text: str) -> bool:
    try:
        LARK.parse(text)
    except UnexpectedInput:
        return False
    return True


def test_lark_itself_accepts_what_the_parser_accepts() -> None:
    for text in TEXTS:
        assert lark_accepts(text)
        assert parse(Source("text", text))[1] == ()


WORDS = sorted({name[1:-1] for row in table().states for name in row if name[0] == '"'})
TOKENS = [
    *WORDS,
    "a",
    "b",
    "a =",
    "'a b'",
    "'a b' =",
    '"text"',
    "1",
    "1.5",
    "10s",
    "==",
    "<=",
    "at-home",
    "\n",
    "// end\n",
]
STARTS = [
    "machine a { initial b b -> c on d ",
    "rule a { on b require c ",
    "binding a { b = c on d emit e ",
    "rule a { always a ",
    "field a : ",
    "",
]


@given(st.sampled_from(STARTS), st.lists(st.sampled_from(TOKENS), max_size=6), st.sampled_from(["", "}", " 1 }"]))
@settings(max_examples=600, deadline=None)
def test_lark_and_the_parser_agree_on_any_tokens(start: str, tokens: list[str], end: str) -> None:
    text = start + " ".join(tokens) + " " + end
    findings = [each for each in parse(Source("text", text))[1] if "is said twice" not in each.message]
    assert lark_accepts(text) == (findings == []), findings


# --- the page ------------------------------------------------------------------------------------------


def test_the_page_quotes_the_whole_grammar() -> None:
    assert "\n\n".join(blocks("lark")) + "\n" == grammar_text()


@pytest.mark.parametrize("block", blocks("lifespec"), ids=lambda block: block.split("\n")[0])
def test_an_example_of_the_page_parses(block: str) -> None:
    assert parse(Source("language.md", block))[1] == ()


@pytest.mark.parametrize(
    ("info", "pattern"),
    [(f"re2 {kind}", pattern) for kind, pattern in forbidden.BUILTIN.items()]
    + [("re2 ip on its own", forbidden.BARE_ADDRESS), ("re2 redaction mark", forbidden.REDACTION_MARK)],
)
def test_a_pattern_is_printed_as_it_is_used(info: str, pattern: str) -> None:
    assert [block.replace("\n", "") for block in blocks(info)] == [pattern]


def test_the_table_is_data() -> None:
    assert json.loads(table().to_json(grammar_text()))["states"]
