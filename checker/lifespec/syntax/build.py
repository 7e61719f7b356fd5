"""Productions of the grammar -> nodes of the syntax tree: one method for each production that makes a node.

Declarations, machines, rules and expressions are here, bindings in `build_binding.py`. Never recurses:
the parser calls from the leaves to the root. Knows nothing of tables, tokens to come or recovery.
"""

from __future__ import annotations

from lifespec.diagnostics import Diagnostic, Label
from lifespec.source import Span
from lifespec.syntax import ast
from lifespec.syntax.build_binding import BindingBuilder
from lifespec.syntax.piece import Piece, Pieces

DEEPEST = 100
"""How many levels of parentheses, operators, indexes or groups may stand within each other."""

NESTING = frozenset({"binary", "unary", "parenthesis", "index", "aggregate", "convert", "group_decl"})
"""The productions that add a level."""


class Builder(BindingBuilder):
    """Builds the nodes of one text. `problems` are the findings made on the way."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Diagnostic] = []
        self._too_deep = False

    def build(self, rule: str, items: list[Piece]) -> Piece:
        """The piece that the production `rule` makes of its right-hand side."""
        pieces = Pieces(self.file, items)
        depth = max((piece.depth for piece in items), default=0)
        if rule in NESTING:
            depth += 1
            if depth > DEEPEST:
                return self._cut(rule, pieces)
        value = getattr(self, rule)(pieces)
        if rule.endswith("_decl") and rule not in ("state_decl", "group_decl"):
            self._too_deep = False
        return Piece(rule, value, items[0].start if items else 0, items[-1].end if items else 0, depth)

    def _cut(self, rule: str, pieces: Pieces) -> Piece:
        """A harmless leaf in place of what is nested too deeply; said once in a declaration."""
        span = pieces.span
        if not self._too_deep:
            self._too_deep = True
            what = "groups" if rule == "group_decl" else "expressions"
            self.problems.append(
                Diagnostic(
                    "nested-too-deeply",
                    f"{what} are nested more than {DEEPEST} levels deep",
                    Label(Span(span.file, span.start, min(span.end, span.start + 1)), "too many levels begin here"),
                    help=("say it in several rules, or list values with `in`",) if what == "expressions" else (),
                )
            )
        if rule == "group_decl":
            name = pieces.one("state")
            return Piece(rule, ast.GroupDecl(name, None, (), span), span.start, span.end)
        if rule == "index":
            return Piece(rule, ast.Step(None, (), span), span.start, span.end)
        return Piece(rule, ast.BoolLit(False, span), span.start, span.end)

    # --- the whole, and declarations -------------------------------------------------------------------

    def start(self, p: Pieces) -> tuple[ast.Declaration, ...]:
        return tuple(piece.value for piece in p.items)

    def lifecycle(self, p: Pieces) -> ast.Lifecycle:
        return ast.Lifecycle(p.one("lifecycle_name"), p.one("version"), p.one("doc"), p.span)

    def version(self, p: Pieces) -> ast.Text:
        return self.text_node(p.items[0])

    doc = why = version

    def import_decl(self, p: Pieces) -> ast.Import:
        return ast.Import(self.text_node(p.items[1]), p.span)

    def owner_decl(self, p: Pieces) -> ast.OwnerDecl:
        return ast.OwnerDecl(p.all("owner"), p.one("doc"), p.span)

    def field_decl(self, p: Pieces) -> ast.FieldDecl:
        return ast.FieldDecl(p.all("field"), p.one("field_type"), p.one("doc"), p.span)

    def field_type(self, p: Pieces) -> ast.FieldType:
        kind = p.items[0].value
        if kind == "one":
            return ast.FieldType("one of", self.literals(p.after('"of"')), (), None, p.span)
        like = self.text_node(p.items[2]) if p.has('"like"') else None
        return ast.FieldType(kind, (), p.all("bound"), like, p.span)

    def bound(self, p: Pieces) -> ast.Bound:
        return ast.Bound(p.items[0].value, p.items[1].value, p.span)

    def name_literal(self, p: Pieces) -> ast.Name:
        return self.name_node(p.items[0])

    def text_literal(self, p: Pieces) -> ast.Text:
        return self.text_node(p.items[0])

    def forbid_decl(self, p: Pieces) -> ast.ForbidDecl:
        return ast.ForbidDecl(p.all("forbid_item"), p.one("doc"), p.span)

    def forbid_item(self, p: Pieces) -> ast.ForbidItem:
        pattern = self.text_node(p.items[2]) if p.has('"like"') else None
        return ast.ForbidItem(p.one("pattern_name"), pattern, p.span)

    def param_decl(self, p: Pieces) -> ast.ParamDecl:
        return ast.ParamDecl(self.name_node(p.items[1]), p.items[2].value, p.one("doc"), p.span)

    def profile_decl(self, p: Pieces) -> ast.ProfileDecl:
        return ast.ProfileDecl(p.one("profile"), p.one("doc"), p.all("setting"), p.span)

    def setting(self, p: Pieces) -> ast.Setting:
        return ast.Setting(self.name_node(p.items[0]), p.items[1].value, p.span)

    def pause_decl(self, p: Pieces) -> ast.PauseDecl:
        begins, ends = p.all("events")
        return ast.PauseDecl(begins, ends, p.one("doc"), p.span)

    def event_decl(self, p: Pieces) -> ast.EventDecl:
        return ast.EventDecl(p.one("events"), p.one("requires") or (), p.one("doc"), p.span)

    def events(self, p: Pieces) -> tuple[ast.Name, ...]:
        return p.all("event")

    # --- machines --------------------------------------------------------------------------------------

    def machine_decl(self, p: Pieces) -> ast.MachineDecl:
        members = p.all("state_decl", "group_decl", "transition", "ignore_events")
        keys, owners = p.one("keys") or (), p.one("owned") or ()
        return ast.MachineDecl(p.one("machine"), keys, owners, p.one("doc"), members, p.span)

    def keys(self, p: Pieces) -> tuple[ast.Name, ...]:
        return p.all("field")

    requires = same = keys

    def owned(self, p: Pieces) -> tuple[ast.Name, ...]:
        return p.all("owner")

    by = owned

    def state_decl(self, p: Pieces) -> ast.StateDecl:
        within = p.all("within")
        if len(within) > 1:
            self.say_twice("within", [piece for piece in p.items if piece.kind == "within"][1])
        requires = tuple(name for names in p.all("requires") for name in names)
        why, doc, waived = p.one("waiver") or (None, p.one("doc"), None)
        kind = p.items[0].value
        return ast.StateDecl(kind, p.all("state"), within[0] if within else None, requires, why, waived, doc, p.span)

    def within(self, p: Pieces) -> ast.Expr:
        return p.items[1].value  # type: ignore[no-any-return]

    every = where = per = during = where_any = from_value = to_value = in_value = by_value = within

    def waiver(self, p: Pieces) -> tuple[ast.Text | None, ast.Text | None, Span]:
        return p.one("why"), p.one("doc"), Pieces(self.file, p.items[:2]).span

    def group_decl(self, p: Pieces) -> ast.GroupDecl:
        return ast.GroupDecl(p.one("state"), p.one("doc"), p.all("state_decl", "group_decl"), p.span)

    def ignore_events(self, p: Pieces) -> ast.IgnoreDecl:
        return ast.IgnoreDecl(p.all("event"), p.span)

    def transition(self, p: Pieces) -> ast.TransitionDecl:
        sources, excluded = p.one("sources")
        return ast.TransitionDecl(
            sources=sources,
            excluded=excluded,
            targets=p.one("targets") or (),
            trigger=p.one("on", "when", "after", "at"),
            where=p.one("where"),
            by=tuple(name for names in p.all("by") for name in names),
            requires=tuple(name for names in p.all("requires") for name in names),
            require=p.all("require"),
            remember=tuple(item for items in p.all("remember") for item in items),
            doc=p.one("doc"),
            span=p.span,
        )

    def sources(self, p: Pieces) -> tuple[tuple[ast.Name, ...] | None, tuple[ast.Name, ...]]:
        names = p.all("state")
        return (None, names) if p.items[0].kind == '"any"' else (names, ())

    def targets(self, p: Pieces) -> tuple[ast.Name, ...]:
        return p.all("state")

    def on(self, p: Pieces) -> ast.OnTrigger:
        return ast.OnTrigger(p.all("event"), p.one("machine"), p.span)

    def when(self, p: Pieces) -> ast.WhenTrigger:
        return ast.WhenTrigger(p.one("subject"), p.all("state"), p.span)

    def after(self, p: Pieces) -> ast.AfterTrigger:
        return ast.AfterTrigger(p.items[1].value, p.span)

    def at(self, p: Pieces) -> ast.AtTrigger:
        return ast.AtTrigger(p.items[1].value, p.span)

    def subject(self, p: Pieces) -> ast.Subject:
        index = p.one("index")
        return ast.Subject(p.one("machine"), index.index if index else None, p.has("another"), p.span)

    def another(self, p: Pieces) -> bool:
        return True

    def require(self, p: Pieces) -> ast.Require:
        return ast.Require(p.items[1].value, p.one("doc"), p.span)

    def remember(self, p: Pieces) -> tuple[ast.Remember, ...]:
        return p.all("memory")

    def memory(self, p: Pieces) -> ast.Remember:
        first = p.items[0]
        if first.kind == "field":
            return ast.Remember(first.value, ast.Path(first.value, (), p.span), p.span)
        return ast.Remember(self.name_node(first), p.items[1].value, p.span)

    # --- rules -----------------------------------------------------------------------------------------

    def rule_decl(self, p: Pieces) -> ast.RuleDecl:
        parts = p.all("always_part", "on_part", "when_part", "while_part")
        return ast.RuleDecl(p.one("rule"), p.one("doc"), parts, p.span)

    def always_part(self, p: Pieces) -> ast.AlwaysPart:
        return ast.AlwaysPart(p.items[1].value, p.span)

    def on_part(self, p: Pieces) -> ast.OnPart:
        actions = p.all("require", "expect", "at_most")
        return ast.OnPart(p.all("event"), p.one("machine"), p.one("where"), actions, p.span)

    def when_part(self, p: Pieces) -> ast.WhenPart:
        actions = p.all("require", "expect")
        return ast.WhenPart(p.one("subject"), p.all("state"), p.one("where"), actions, p.span)

    def while_part(self, p: Pieces) -> ast.WhilePart:
        return ast.WhilePart(p.items[1].value, p.all("expect_every"), p.span)

    def expect(self, p: Pieces) -> ast.Expect:
        return ast.Expect(p.one("alternatives"), p.one("within"), p.one("every"), p.one("doc"), p.span)

    expect_every = expect

    def alternatives(self, p: Pieces) -> tuple[ast.EventAlternative | ast.StateAlternative, ...]:
        return p.all("event_alternative", "state_alternative")

    def event_alternative(self, p: Pieces) -> ast.EventAlternative:
        return ast.EventAlternative(p.all("event"), p.one("same") or (), p.one("where"), p.span)

    def state_alternative(self, p: Pieces) -> ast.StateAlternative:
        machine: ast.Name = p.one("machine")
        index: ast.Step | None = p.one("index")
        steps = (index,) if index else ()
        left = ast.Path(machine, steps, machine.span.to(index.span) if index else machine.span)
        condition = ast.In(left, p.all("state"), p.has('"not"'), p.span)
        return ast.StateAlternative(condition, p.span)

    def at_most(self, p: Pieces) -> ast.AtMost:
        return ast.AtMost(p.items[2].value, p.one("per"), p.one("during"), p.one("doc"), p.span)

    # --- expressions -----------------------------------------------------------------------------------

    def binary(self, p: Pieces) -> ast.Binary:
        left, operator, right = p.items
        return ast.Binary(operator.value, left.value, right.value, p.span)

    def unary(self, p: Pieces) -> ast.Unary:
        return ast.Unary(p.items[0].value, p.items[1].value, p.span)

    def membership(self, p: Pieces) -> ast.In:
        members = self.literals(p.after('"in"'))
        return ast.In(p.items[0].value, members, p.has('"not"'), p.span)

    def like(self, p: Pieces) -> ast.Like:
        return ast.Like(p.items[0].value, self.text_node(p.items[2]), p.span)

    def has(self, p: Pieces) -> ast.Has:
        return ast.Has(p.items[1].value, p.span)

    def number(self, p: Pieces) -> ast.NumberLit:
        return ast.NumberLit("".join(piece.value for piece in p.items), p.span)

    def duration(self, p: Pieces) -> ast.DurationLit:
        return ast.DurationLit("".join(piece.value for piece in p.items), p.span)

    def text(self, p: Pieces) -> ast.TextLit:
        return ast.TextLit(p.items[0].value[1:-1], p.span)

    def boolean(self, p: Pieces) -> ast.BoolLit:
        return ast.BoolLit(p.items[0].value == "true", p.span)

    def parenthesis(self, p: Pieces) -> ast.Expr:
        choices = p.exprs()
        return choices[0] if len(choices) == 1 else ast.Else(choices, p.span)

    def path(self, p: Pieces) -> ast.Path:
        return ast.Path(p.items[0].value, p.all("step"), p.span)

    log_path = collected = path

    def head(self, p: Pieces) -> ast.Name:
        return self.name_node(p.items[0])

    lifecycle_name = owner = field = pattern_name = profile = event = machine = state = rule = head
    binding = finding = word = cut_end = head

    def step(self, p: Pieces) -> ast.Step:
        first = p.items[0]
        if first.kind == "index":
            return first.value  # type: ignore[no-any-return]
        if first.kind == '"."':
            return ast.Step(p.items[1].value, None, p.span)
        return ast.Step(None, (), p.span)

    def index(self, p: Pieces) -> ast.Step:
        return ast.Step(None, p.exprs(), p.span)

    def aggregate(self, p: Pieces) -> ast.Aggregate:
        return ast.Aggregate(p.items[0].value, p.one("collected"), p.all("state"), p.one("where_any"), p.span)
