"""How a log calls what a binding renamed: the way back, for the eyes of people.

Owns guesses alone: none of them changes what is read, and a name may have several, or none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lifespec.syntax import ast
from lifespec.trace.instant import number_of
from lifespec.trace.template import TemplateError, parse_pattern, parse_template

_MOST = 20  # names that are tried


class RawNames:
    """The way back through the statements of one binding."""

    def __init__(self, statements: Sequence[ast.Statement]) -> None:
        self._pairs = [pair for each in statements if isinstance(each, ast.Rename) for pair in each.pairs]
        self._old: dict[str, list[ast.Name | ast.Text | ast.NumberLit]] = {}  # by part
        for each in statements:
            if isinstance(each, ast.Rename):
                self._old.setdefault(each.part.text, []).extend(pair.old for pair in each.pairs)
        self._clauses = [each for each in statements if isinstance(each, ast.OnClause)]
        self._keys: dict[str, list[str]] = {}
        for each in statements:
            if isinstance(each, ast.Assign) and each.value is not None:
                self._keys.setdefault(each.name.text, []).extend(_last_keys(each.value))

    def names(self, name: str) -> tuple[str, ...]:
        """What a log may have where the lifecycle reads `name`, `name` itself left out."""
        emitted = [name, *self._emitting(name)]
        found = dict.fromkeys([*emitted, *(raw for each in emitted for raw in self._renamed_to(each))])
        return tuple(each for each in found if each != name)[:_MOST]

    def keys(self, part: str) -> tuple[str, ...]:
        """The keys that a part or field of an event is read from."""
        return tuple(self._keys.get(part, ()))

    def renamed_otherwise(self, field: str, found: str) -> bool:
        """Whether a `rename` of a field speaks of what was found (texts in double quotes), but of the number where
        the log has a text, or of the text where it has a number (spec/bindings.md B13)."""
        is_text, written = found.startswith('"'), found.strip('"')
        return number_of(written) is not None and any(
            _text(old) == written and isinstance(old, ast.NumberLit) is is_text for old in self._old.get(field, ())
        )

    def _emitting(self, name: str) -> Iterator[str]:
        for clause in self._clauses:
            if any(
                isinstance(action, ast.Emit) and isinstance(action.name, ast.Name) and action.name.text == name
                for action in clause.actions
            ):
                yield from (_text(each) for each in clause.names or () if "{" not in _text(each))

    def _renamed_to(self, name: str) -> Iterator[str]:
        for pair in self._pairs:
            if pair.new is None:
                continue
            old, new = _text(pair.old), _text(pair.new)
            if "{" not in new:
                if new == name and "{" not in old:
                    yield old
                continue
            try:
                taken = parse_pattern(new).take(name)
                if taken is not None:
                    yield parse_template(old).fill({**dict.fromkeys(parse_template(old).holes, ""), **taken})
            except TemplateError:
                continue


def _text(name: ast.Name | ast.Text | ast.NumberLit) -> str:
    return name.value if isinstance(name, ast.Text) else name.text


def _last_keys(value: ast.Expr) -> Iterator[str]:
    match value:
        case ast.Else(choices=choices):
            for each in choices:
                yield from _last_keys(each)
        case ast.Convert(value=inner):
            yield from _last_keys(inner)
        case ast.Path(head=ast.Name(text=head), steps=steps):
            names = [step.name.text for step in steps if step.name is not None]
            yield names[-1] if names else head
        case _:
            pass
