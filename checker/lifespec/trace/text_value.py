"""Which values of a binding are texts, whatever the log holds: cells of a table, what a `match` takes, templates.

Owns this question alone, which the text of the binding decides; sees no record. Text and number are never the same
(spec/bindings.md B13), so a number that such a value is compared with is written in vain. One flaw: a table in Parquet
(B40) may have numbers in its cells, and `read csv` reads it, too; `read json-lines` does as well, and is not asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lifespec.syntax import ast
from lifespec.trace.template import TemplateError, parse_pattern

_NO_NAMES: Mapping[str, bool] = {}
_COMPARING = frozenset({"==", "!=", "<", "<=", ">", ">="})


class TextValues:
    """What the expressions of one binding can be."""

    def __init__(self, statements: Sequence[ast.Statement]) -> None:
        reads = [each for each in statements if isinstance(each, ast.Read)]
        self._statements = statements
        self._has_cells = bool(reads) and reads[-1].container == "csv" and not reads[-1].each
        self._walked = {name for each in reads[-1:] for walk in each.each for name in _walk_names(walk)}
        self._lets = {each.name.text: each.value for each in statements if isinstance(each, ast.Let)}
        self._taken = {hole for each in statements if isinstance(each, ast.Match) for hole in _holes(each.template)}

    def always_text(self, part: str) -> bool:
        """Whether a field is read somewhere, and everywhere from what is a text."""
        sources = list(self._sources(part))
        return bool(sources) and all(sources)

    def vain_comparisons(self, statement: ast.Statement) -> Iterator[tuple[ast.Expr, ast.NumberLit]]:
        """The texts in the condition of a statement that are compared with a number, and that number."""
        if isinstance(statement, ast.OnClause | ast.Ignore) and statement.where is not None:
            local = _names_of(statement) if isinstance(statement, ast.OnClause) else _NO_NAMES
            yield from self._compared(statement.where, local)

    def _sources(self, part: str) -> Iterator[bool]:
        """Of each place that a field is read from, whether it gives texts alone."""
        assigned = [each for each in self._statements if isinstance(each, ast.Assign) and each.name.text == part]
        if assigned and (value := assigned[-1].value) is not None:
            yield self._is_text(value, _NO_NAMES)
        elif not assigned:
            for each in [each for each in self._statements if isinstance(each, ast.FieldsFrom)][-1:]:
                yield from (self._is_record(path) for path in each.paths)
        for clause in self._statements:
            if isinstance(clause, ast.OnClause):
                emits = [action.fields for action in clause.actions if isinstance(action, ast.Emit)]
                for given in (clause.fields, *emits):
                    yield from (
                        self._is_text(each.value, _names_of(clause)) for each in given if each.name.text == part
                    )

    def _is_record(self, path: ast.Path) -> bool:
        """Whether the path is a row of a table."""
        return self._has_cells and isinstance(path.head, ast.Name) and path.head.text == "record" and not path.steps

    def _is_text(self, expr: ast.Expr, local: Mapping[str, bool], within: frozenset[str] = frozenset()) -> bool:
        """Whether what is there is never a number. `local` are the names of an `on`; `within` the `let` it is in."""
        match expr:
            case ast.TextLit():
                return True
            case ast.Else(choices=choices):
                return all(self._is_text(each, local, within) for each in choices)
            case ast.Path(head=ast.Name(text=word), steps=steps):
                if word == "record" and word not in self._walked and len(steps) == 1 and steps[0].name is not None:
                    return self._has_cells
                if steps:
                    return word == "file"
                if word in local or word in self._walked:
                    return local.get(word, False)
                if word in self._lets:
                    return word not in within and self._is_text(self._lets[word], _NO_NAMES, within | {word})
                return (
                    word == "previous" or word in self._taken or (self._has_cells and word not in ("record", "header"))
                )
            case _:
                return False

    def _compared(self, expr: ast.Expr, local: Mapping[str, bool]) -> Iterator[tuple[ast.Expr, ast.NumberLit]]:
        match expr:
            case ast.Unary(operand=inner):
                yield from self._compared(inner, local)
            case ast.Binary(op=op, left=left, right=right) if op in _COMPARING:
                for one, other in ((left, right), (right, left)):
                    if isinstance(other, ast.NumberLit) and self._is_text(one, local):
                        yield one, other
            case ast.Binary(left=left, right=right):
                yield from self._compared(left, local)
                yield from self._compared(right, local)
            case ast.In(left=left, members=members) if self._is_text(left, local):
                yield from ((left, each) for each in members if isinstance(each, ast.NumberLit))
            case _:
                pass


def _names_of(clause: ast.OnClause) -> Mapping[str, bool]:
    """The names that an `on` binds, and whether they are texts."""
    patterns = [name for name in clause.names or () if isinstance(name, ast.Text)]
    patterns += [clause.match.template] if clause.match is not None else []
    taken = {hole: True for pattern in patterns for hole in _holes(pattern)}
    return {**taken, **{name: False for each in clause.each for name in _walk_names(each)}}


def _walk_names(each: ast.Each) -> tuple[str, ...]:
    return (each.name.text,) if each.key is None else (each.name.text, each.key.text)


def _holes(pattern: ast.Text) -> tuple[str, ...]:
    try:
        return tuple(hole for hole in parse_pattern(pattern.value).holes if hole)
    except TemplateError:  # told where it is compiled
        return ()
