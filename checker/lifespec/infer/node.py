"""Names, texts and paths as nodes of the syntax tree, at no place. Owns nothing but their making."""

from __future__ import annotations

from lifespec.infer.flat import Path
from lifespec.infer.name import is_writable, plain
from lifespec.source import Span
from lifespec.syntax import ast

NOWHERE = Span("", 0, 0)
_HEADS = {"record", "header", "file", "previous", "none", "true", "false"}


def name_node(name: str) -> ast.Name:
    assert is_writable(name)
    return ast.Name(name, NOWHERE)


def text_node(text: str) -> ast.Text:
    return ast.Text(plain(text, 200), NOWHERE)


def path_node(path: Path) -> ast.Path:
    """A path into the record; `record` goes before what would be read as another word."""
    if path[0] in _HEADS:
        path = ("record", *path)
    return ast.Path(name_node(path[0]), tuple(map(step_node, path[1:])), NOWHERE)


def step_node(name: str) -> ast.Step:
    return ast.Step(name_node(name), None, NOWHERE)


def assign_node(name: str, value: ast.Expr | None) -> ast.Assign:
    return ast.Assign(name_node(name), value, NOWHERE)
