"""The ready-made bindings. Owns their texts and that they are parsed once; chooses none."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path

from lifespec.source import Source
from lifespec.syntax.ast import Ast, BindingDecl
from lifespec.syntax.parser import parse

_FOLDER = Path(__file__).parent / "bindings"
_PREFIX = "lifespec/bindings/"
_HEAD = re.compile(r"^binding +[^ ]+(?: +for +([^ ]+))?", re.MULTILINE)  # as the ready-made ones are written


@cache
def library_units() -> tuple[tuple[Source, Ast], ...]:
    """The texts of the ready-made bindings, parsed, in the order of their names."""
    return tuple((source, _parsed(source.name)) for source in _sources().values())


def library_units_for(lifecycles: Collection[str]) -> tuple[tuple[Source, Ast], ...]:
    """Those of them that have a binding for one of these lifecycles or for any. Others are not parsed."""
    return tuple(
        (source, _parsed(source.name))
        for source in _sources().values()
        if any(not found[1] or found[1] in lifecycles for found in _HEAD.finditer(source.text))
    )


@cache
def _sources() -> Mapping[str, Source]:
    files = sorted(_FOLDER.glob("*.lifespec"))
    return {_PREFIX + file.name: Source(_PREFIX + file.name, file.read_text(encoding="utf-8")) for file in files}


@cache
def _parsed(name: str) -> Ast:
    return parse(_sources()[name])[0]


@cache
def library_bindings() -> Mapping[str, BindingDecl]:
    """The ready-made bindings by name. The Source of one is the unit that its `span.file` names."""
    declared = (each for _, unit in library_units() for each in unit.declarations)
    return {each.name.text: each for each in declared if isinstance(each, BindingDecl)}


def is_library(file: str) -> bool:
    """Whether the Source called `file` is one of the ready-made texts."""
    return file in _sources()
