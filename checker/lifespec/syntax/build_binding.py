"""Productions of the grammar -> nodes of the syntax tree: what stands inside a `binding`.

Also owns what both builders need: names, texts and lists of literals.
"""

from __future__ import annotations

from typing import Any

from lifespec.diagnostics import Diagnostic, Label
from lifespec.source import Span
from lifespec.syntax import ast
from lifespec.syntax.piece import Piece, Pieces


class BindingBuilder:
    """Builds the nodes of bindings. `problems` are the findings made on the way."""

    file: str
    problems: list[Diagnostic]

    # --- for both builders -----------------------------------------------------------------------------

    def name_node(self, token: Piece) -> ast.Name:
        """The name that a token writes; a `NAME=` token's span leaves the blanks and the `=` out."""
        text: str = token.value
        if token.kind == "PART":
            text = text[:-1].rstrip(" \t")
        span = Span(self.file, token.start, token.start + len(text))
        return ast.Name(text[1:-1] if text[0] == "'" else text, span)

    def text_node(self, token: Piece) -> ast.Text:
        return ast.Text(token.value[1:-1], Span(self.file, token.start, token.end))

    def literals(self, p: Pieces) -> tuple[Any, ...]:
        return p.all("name_literal", "text_literal", "number", "duration")

    def say_twice(self, what: str, second: Piece) -> None:
        """Reports a part that may be said once only."""
        span = Span(self.file, second.start, second.end)
        message = f"`{what}` is said twice"
        self.problems.append(Diagnostic("syntax-error", message, Label(span, "said already"), help=("keep one",)))

    # --- statements ------------------------------------------------------------------------------------

    def binding_decl(self, p: Pieces) -> ast.BindingDecl:
        brace = next(position for position, piece in enumerate(p.items) if piece.kind == '"{"')
        statements = tuple(piece.value for piece in p.items[brace + 1 : -1])
        name, lifecycle, extends = p.one("binding"), p.one("for_lifecycle"), p.one("extends")
        return ast.BindingDecl(name, lifecycle, extends, p.one("doc"), statements, p.span)

    def for_lifecycle(self, p: Pieces) -> ast.Name:
        return p.items[1].value  # type: ignore[no-any-return]

    extends = for_lifecycle

    def read(self, p: Pieces) -> ast.Read:
        for kind, what in _ONCE.items():
            found = [piece for piece in p.items if piece.kind == kind]
            if len(found) > 1:
                self.say_twice(what, found[1])
        first, separated = p.has("header_first"), p.one("separated")
        return ast.Read(
            p.one("container"), p.one("after_magic"), first, p.one("rows"), separated, p.all("each"), p.span
        )

    def container(self, p: Pieces) -> str:
        return p.items[0].value  # type: ignore[no-any-return]

    def after_magic(self, p: Pieces) -> ast.Text:
        return self.text_node(p.items[-1])

    separated = after_magic

    def header_first(self, p: Pieces) -> bool:
        return True

    any = none = header_first

    def rows(self, p: Pieces) -> ast.Rows:
        return ast.Rows(p.all("column"), p.one("log_path"), p.span)

    def column(self, p: Pieces) -> ast.Column:
        first = p.items[0]
        if first.kind == '"..."':
            return ast.Column("rest", None, p.span)
        name: ast.Name = first.value
        if len(p.items) > 1:
            return ast.Column("optional", name, p.span)
        if name.text == "_" and name.span.end - name.span.start == 1:
            return ast.Column("skip", None, p.span)
        return ast.Column("name", name, p.span)

    def each(self, p: Pieces) -> ast.Each:
        names = p.all("word")
        return ast.Each(names[0] if len(names) > 1 else None, names[-1], p.one("log_path"), p.span)

    def assign(self, p: Pieces) -> ast.Assign:
        return ast.Assign(self.name_node(p.items[0]), p.one("value"), p.span)

    def let(self, p: Pieces) -> ast.Let:
        return ast.Let(self.name_node(p.items[1]), p.one("value"), p.span)

    def match(self, p: Pieces) -> ast.Match:
        return ast.Match(p.one("log_path"), self.text_node(p.items[2]), p.span)

    def fields_from(self, p: Pieces) -> ast.FieldsFrom:
        return ast.FieldsFrom(p.all("log_path"), p.span)

    def rename(self, p: Pieces) -> ast.Rename:
        return ast.Rename(p.one("word"), p.one("of_machines") or (), p.all("pair"), p.span)

    def of_machines(self, p: Pieces) -> tuple[ast.Name, ...]:
        return p.all("machine")

    machines = of_machines

    def pair(self, p: Pieces) -> ast.RenamePair:
        return ast.RenamePair(p.items[0].value, p.one("target"), p.span)

    def target(self, p: Pieces) -> ast.Name | ast.Text:
        token = p.items[0]
        return self.text_node(token) if token.kind == "TEXT" else self.name_node(token)

    logged = target

    def on_clause(self, p: Pieces) -> ast.OnClause:
        names = None if p.has("any") else p.all("logged")
        actions = p.all("emit", "same_session", "mark_session")
        fields = p.one("with_fields") or ()
        return ast.OnClause(names, p.all("each"), p.one("match"), p.one("where"), fields, actions, p.span)

    def emit(self, p: Pieces) -> ast.Emit:
        return ast.Emit(
            name=p.one("logged"),
            machine=p.one("machine"),
            source=p.one("from_value"),
            target=p.one("to_value", "in_value"),
            status=p.has("in_value"),
            owner=p.one("by_value"),
            fields=p.one("with_fields") or (),
            span=p.span,
        )

    def with_fields(self, p: Pieces) -> tuple[ast.With, ...]:
        return p.all("with_item")

    def with_item(self, p: Pieces) -> ast.With:
        return ast.With(self.name_node(p.items[0]), p.items[1].value, p.span)

    def same_session(self, p: Pieces) -> ast.SameSession:
        return ast.SameSession(p.one("value"), p.span)

    def mark_session(self, p: Pieces) -> ast.MarkSession:
        return ast.MarkSession(p.items[0].value, p.span)

    def ignore(self, p: Pieces) -> ast.Ignore:
        if p.has("any"):
            return ast.Ignore("any", p.all("logged"), p.one("where"), p.span)
        if p.has("machines"):
            return ast.Ignore("machines", p.one("machines"), p.one("where"), p.span)
        names = p.all("logged")
        return ast.Ignore("names" if names else "where", names, p.one("where"), p.span)

    def lacks(self, p: Pieces) -> ast.Lacks:
        kind = p.items[1].value
        return ast.Lacks(kind, p.has("any"), p.has('"except"'), p.all("event", "field", "machine"), p.span)

    def order(self, p: Pieces) -> ast.Order:
        return ast.Order(p.one("log_path"), p.one("from_number"), p.one("within"), p.span)

    def from_number(self, p: Pieces) -> ast.NumberLit:
        return ast.NumberLit(p.items[1].value, Span(self.file, p.items[1].start, p.items[1].end))

    def clock(self, p: Pieces) -> ast.ClockPer:
        return ast.ClockPer(p.one("value"), p.span)

    def unique(self, p: Pieces) -> ast.UniqueBy:
        return ast.UniqueBy(p.one("value"), p.span)

    def recording(self, p: Pieces) -> ast.Recording:
        return ast.Recording(p.items[1].value, p.all("cut_end"), p.span)

    def allow(self, p: Pieces) -> ast.Allow:
        return ast.Allow(p.all("finding"), self.text_node(p.items[-1]), p.span)

    # --- values ----------------------------------------------------------------------------------------

    def value(self, p: Pieces) -> ast.Expr:
        choices = p.exprs()
        return choices[0] if len(choices) == 1 else ast.Else(choices, p.span)

    def convert(self, p: Pieces) -> ast.Convert:
        to, zone, unit, since = p.items[2].value
        return ast.Convert(p.items[0].value, to, zone, unit, since, p.span)

    def to_json(self, p: Pieces) -> tuple[str, None, None, None]:
        return p.items[0].value, None, None, None

    to_number = to_json

    def to_iso8601(self, p: Pieces) -> tuple[str, ast.Text | None, None, None]:
        return "iso8601", self.text_node(p.items[2]) if len(p.items) > 1 else None, None, None

    def to_unit(self, p: Pieces) -> tuple[str, None, ast.Name | ast.Expr, ast.Expr | str | None]:
        return "unit", None, p.items[0].value, p.items[2].value if len(p.items) > 1 else None

    def unit(self, p: Pieces) -> ast.Name | ast.Expr:
        first = p.items[0]
        return first.value if first.kind == "parenthesis" else self.name_node(first)

    def known_origin(self, p: Pieces) -> str:
        return p.items[0].value  # type: ignore[no-any-return]


_ONCE = {"after_magic": "after", "header_first": "header first", "rows": "rows", "separated": "separated by"}
