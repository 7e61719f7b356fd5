"""Names and values of a log as the lifecycle calls them (spec/bindings.md B13).

Owns the pairs of one part and their lookup, which applies once, where a value is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from msgspec import Struct

from lifespec.diagnostics import Diagnostic
from lifespec.model.value import LogValue
from lifespec.syntax import ast
from lifespec.trace import binding_finding as finding
from lifespec.trace.instant import number_of
from lifespec.trace.template import Template, TemplateError, parse_pattern, parse_template


class Renames(Struct, frozen=True):
    """The pairs of one part. A value None means: as if it were not there.

    An exact pair comes before patterns, of those the first that fits counts.
    """

    texts: Mapping[str, str | None]
    numbers: Mapping[int | Decimal, str | None]
    patterns: tuple[tuple[Template, Template | None], ...]

    def of_name(self, name: str) -> str | None:
        """A name (numbers are names as written)."""
        if name in self.texts:
            return self.texts[name]
        for old, new in self.patterns:
            taken = old.take(name)
            if taken is not None:
                return None if new is None else new.fill(taken)
        return name

    def has(self, name: str) -> bool:
        """Whether a pair speaks of this name."""
        return name in self.texts or any(old.take(name) is not None for old, _ in self.patterns)

    def of_value(self, value: LogValue) -> LogValue:
        """Any value of a field: text and number are never the same."""
        if type(value) is str:
            return self.of_name(value)
        if (type(value) is int or type(value) is Decimal) and value in self.numbers:
            return self.numbers[value]
        return value


def compile_pairs(pairs: Iterable[ast.RenamePair], findings: list[Diagnostic], *, of_names: bool) -> Renames:
    """The lookup of the pairs as written. `of_names`: what is renamed is a name, for which numbers are texts."""
    texts: dict[str, str | None] = {}
    numbers: dict[int | Decimal, str | None] = {}
    patterns: list[tuple[Template, Template | None]] = []
    for pair in pairs:
        try:
            old = parse_pattern(pair.old.value) if isinstance(pair.old, ast.Text) else _plain(pair.old.text)
            new = _new(pair, old)
        except TemplateError as error:
            findings.append(finding.wrong_template(pair.span, str(error)))
            continue
        name = None if new is None else new.text
        number = number_of(old.text) if isinstance(pair.old, ast.NumberLit) else None
        if not old.is_constant:
            patterns.append((old, new))
        elif number is None or of_names:
            texts[old.text] = name
        else:
            numbers[number] = name
    return Renames(texts, numbers, tuple(patterns))


def _new(pair: ast.RenamePair, old: Template) -> Template | None:
    """What a pair makes of the old name. Raises TemplateError."""
    if pair.new is None:
        return None
    new = parse_template(pair.new.value) if isinstance(pair.new, ast.Text) else _plain(pair.new.text)
    if any(not hole or hole not in old.holes for hole in new.holes):
        raise TemplateError("the new name has a hole that the old one does not fill")
    return new


def _plain(name: str) -> Template:
    return Template(name, (name,), ())
