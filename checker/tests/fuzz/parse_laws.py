"""What holds for every text whatever, and the texts on which it is tried again and again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from lifespec.diagnostics import NAMES
from lifespec.source import Source, Span
from lifespec.syntax.ast import Ast
from lifespec.syntax.parser import parse
from lifespec.syntax.printer import to_text
from lifespec.syntax.run import MOST_FINDINGS

CORPUS = Path(__file__).parent / "corpus" / "parse" / "texts.jsonl"


def check(text: str) -> None:
    """Raises AssertionError when a law of the parser does not hold for `text`."""
    tree, findings = parse(Source("fuzz", text))
    assert len(findings) <= MOST_FINDINGS
    starts = [finding.label.span.start for finding in findings if finding.label]
    assert len(starts) == len(findings), "a syntax finding has a place"
    assert starts == sorted(starts), "findings are in source order"
    for finding in findings:
        assert finding.name in NAMES
        assert len(finding.message) < 400, "a message never repeats a long text"
        for label in filter(None, (finding.label, *finding.labels)):
            assert 0 <= label.span.start <= label.span.end <= len(text)
    for span, outer in spans(tree):
        assert outer.start <= span.start <= span.end <= outer.end, "a node lies within its parent"
    assert len({finding.label.span.start for finding in findings if finding.label}) == len(findings), "one a place"
    if findings:
        return
    printed = to_text(tree)
    again, none = parse(Source("fuzz", printed))
    assert not none, f"what is printed parses: {none[0].message}"
    assert without_spans(again) == without_spans(tree), "what is printed means the same"
    assert to_text(again) == printed, "printing is idempotent"


def spans(tree: Ast) -> Iterator[tuple[Span, Span]]:
    """The span of each node with that of its parent."""
    todo: list[tuple[object, Span]] = [(node, Span("fuzz", 0, 1 << 40)) for node in tree.declarations]
    while todo:
        node, outer = todo.pop()
        if isinstance(node, tuple):
            todo.extend((item, outer) for item in node)
        elif isinstance(node, Struct) and not isinstance(node, Span):
            span: Span = node.span  # type: ignore[attr-defined]
            yield span, outer
            todo.extend((getattr(node, name), span) for name in node.__struct_fields__)


def without_spans(node: object) -> object:
    """A tree as nested tuples without its places."""
    if isinstance(node, tuple):
        return tuple(without_spans(item) for item in node)
    if isinstance(node, Span):
        return None
    if isinstance(node, Struct):
        return (type(node).__name__, *(without_spans(getattr(node, name)) for name in node.__struct_fields__))
    return node


def corpus() -> list[str]:
    """The committed texts."""
    return [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


def write_corpus(texts: Iterable[str]) -> None:
    """Replaces the committed texts: one JSON string a line, so that any character survives."""
    lines = [json.dumps(text) for text in sorted(set(texts), key=lambda text: (len(text), text))]
    CORPUS.write_text("\n".join(lines) + "\n", encoding="utf-8")
