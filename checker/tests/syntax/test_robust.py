"""Whatever the text: the parser returns, in linear time, with a bounded number of findings."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from lifespec.source import Source
from lifespec.syntax import ast
from lifespec.syntax.build import DEEPEST
from lifespec.syntax.parser import parse
from lifespec.syntax.run import LARGEST, MOST_FINDINGS

MANY = 5_000
NESTED = {
    "parentheses": ("rule r { always " + "(" * MANY + "a" + ")" * MANY + " }", "nested-too-deeply"),
    "open parentheses": ("rule r { always " + "(" * MANY, "nested-too-deeply"),
    "not": ("rule r { always " + "not " * MANY + "a }", "nested-too-deeply"),
    "minus": ("rule r { always a > " + "- " * MANY + "b }", "nested-too-deeply"),
    "and": ("rule r { always " + "a and " * MANY + "b }", "nested-too-deeply"),
    "plus": ("rule r { always a > " + "b + " * MANY + "c }", "nested-too-deeply"),
    "since": ("binding b { c = " + "d as s since " * MANY + "e }", "nested-too-deeply"),
    "groups": ("machine m { " + "group g { " * MANY + "}" * MANY + " }", "nested-too-deeply"),
    "open groups": ("machine m { " + "group g { " * MANY, "nested-too-deeply"),
    "indexes": ("rule r { always " + "a[" * MANY + "1" + "]" * MANY + " in b }", "nested-too-deeply"),
    "braces": ("{" * MANY + "}" * MANY, "syntax-error"),
    "closing braces": ("}" * MANY, "syntax-error"),
}
LONG = {
    "digits": "param a = " + "1" * LARGEST,
    "digits and a letter": "1" * (LARGEST - 1) + "x",
    "a word": "owner " + "a-" * 400_000,
    "blanks": " " * LARGEST,
    "quotes": '"' * (LARGEST - 1),
    "single quotes": "'" * LARGEST,
    "open texts": '"\n' * 30_000,
    "open names": "'a " * 30_000,
    "slashes": "/" * LARGEST,
    "comments": "//\n" * 30_000,
    "zeros": "\0" * 30_000,
    "half characters": "\ud800" * 30_000,
    "owners": "owner a\n" * MANY,
    "a list": "owner " + "a, " * MANY + "b",
    "transitions on one line": "machine m { initial a " + "a -> b on c " * MANY + "}",
    "errors on one line": "machine m { " + "-> } { ( " * MANY,
    "errors": "machine m {\n" + "a -> b c d\n" * MANY + "}\n",
    "errors in groups": "machine m {\n" + "group g {\n" * 90 + "a b\n" * MANY,
    "machines without an end": "machine m {\n initial a\n" * MANY,
    "missing values": "binding b {\n" + "a =\n" * MANY + "}",
    "an else chain": "binding b { c = " + "a else " * MANY + "b }",
    "gaps": ("a" + " " * 2_000) * 400,
}


@pytest.mark.parametrize(("text", "name"), NESTED.values(), ids=NESTED)
def test_deep_nesting_is_one_finding(text: str, name: str) -> None:
    tree, findings = parse(Source("text", text))
    assert tree.declarations == ()
    assert [finding.name for finding in findings if finding.name != "unclosed-brace"] == [name]


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_long_texts_are_read_in_linear_time(text: str) -> None:
    begun = time.process_time()
    _, findings = parse(Source("text", text))
    assert time.process_time() - begun < 60
    assert len(findings) <= MOST_FINDINGS


def test_a_text_that_is_too_large_is_not_read() -> None:
    for size in (LARGEST + 1, 10 * LARGEST):
        (finding,) = parse(Source("text", "a" * size))[1]
        assert finding.name == "text-too-large"
    assert parse(Source("text", "//" + "a" * (LARGEST - 2)))[1] == ()


@pytest.mark.parametrize("levels", [DEEPEST - 1, DEEPEST, DEEPEST + 1])
def test_a_hundred_levels_are_allowed(levels: int) -> None:
    chain = "rule r { always " + "not " * levels + "a }"
    groups = "machine m { initial a " + "group g { state b " * (levels - 1) + "}" * levels
    for text in (chain, groups):
        findings = parse(Source("text", text))[1]
        assert [finding.name for finding in findings] == (["nested-too-deeply"] if levels > DEEPEST else []), text


def test_a_tree_is_never_deeper_than_python_can_walk() -> None:
    tree = parse(Source("text", "rule r { always " + "(a or " * 49 + "b" + ")" * 49 + " }"))[0]
    assert hash(tree) == hash(tree)
    assert "Binary" in repr(tree)
    assert isinstance(tree.declarations[0], ast.RuleDecl)


def test_parsing_needs_no_lark() -> None:
    """Lark makes the table; the table is kept, so that no command waits for Lark."""
    code = "import sys; from lifespec.source import Source; from lifespec.syntax.parser import parse; "
    code += "parse(Source('a', 'owner b')); sys.exit('lark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
