"""A declared field, for the tables: whether a value is of its type. Remembers values that are; finds nothing."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from lifespec.engine.table_value import Unknown, reader_of
from lifespec.model.model import FieldSpec
from lifespec.model.pattern import compile_whole
from lifespec.model.value import Type

_MOST_VALUES = 4096  # that are remembered to be valid
_SENSIBLE = 10**9  # beyond this a number is looked at closely
_LOOSE = frozenset({Type.NUMBER, Type.DURATION, Type.INSTANT})


class FieldTable:
    """A declared field and the number of its property."""

    __slots__ = ("is_loose", "matches", "name", "prop", "read", "spec", "valid")

    def __init__(self, name: str, spec: FieldSpec, prop: int) -> None:
        self.name = name
        self.spec = spec
        self.prop = prop
        self.read = reader_of(spec)
        is_text = spec.type is Type.TEXT and spec.like is not None
        self.matches = compile_whole(spec.like) if is_text and spec.like is not None else None
        self.is_loose = spec.type in _LOOSE and not spec.bounds  # any number of a sensible size will do
        self.valid: set[object] = set()  # texts, and whole numbers in pairs of one, lest 1 be true

    def is_valid(self, value: Any) -> bool:
        """Whether a value that is there (not None) is of the declared type."""
        kind = type(value)
        if self.matches is not None:
            return kind is str and self.matches(value)
        if kind is Decimal and self.is_loose and -_SENSIBLE < value < _SENSIBLE:
            return True
        key: object = value if kind is str else (value,) if kind is int else None
        if key is not None and key in self.valid:
            return True
        if type(self.read(value)) is Unknown:
            return False
        if key is not None:
            if len(self.valid) >= _MOST_VALUES:
                self.valid.clear()
            self.valid.add(key)
        return True
