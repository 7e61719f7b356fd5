"""The ready-made bindings. Owns their texts and that they are parsed once; chooses none."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from lifespec.source import Source
from lifespec.syntax.ast import Ast, BindingDecl
from lifespec.syntax.parser import parse

_FOLDER = Path(__file__).parent / "bindings"
_PREFIX = "lifespec/bindings/"


@cache
def library_units() -> tuple[tuple[Source, Ast], ...]:
    """The texts of the ready-made bindings, parsed, in the order of their names."""
    files = sorted(_FOLDER.glob("*.lifespec"))
    sources = [Source(_PREFIX + file.name, file.read_text(encoding="utf-8")) for file in files]
    return tuple((source, parse(source)[0]) for source in sources)


@cache
def library_bindings() -> Mapping[str, BindingDecl]:
    """The ready-made bindings by name. The Source of one is the unit that its `span.file` names."""
    declared = (each for _, unit in library_units() for each in unit.declarations)
    return {each.name.text: each for each in declared if isinstance(each, BindingDecl)}


def is_library(file: str) -> bool:
    """Whether the Source called `file` is one of the ready-made texts."""
    return any(source.name == file for source, _ in library_units())
