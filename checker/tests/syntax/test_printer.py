"""What the printer writes parses to the tree it was given, and is canonical."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifespec.source import Source, Span
from lifespec.syntax import ast
from lifespec.syntax.parser import parse
from lifespec.syntax.printer import to_text

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
from parse_laws import without_spans

NOWHERE = Span("tree", 0, 0)
TEXTS = sorted((Path(__file__).parent / "data").glob("*.lifespec"))


def again(tree: ast.Ast) -> ast.Ast:
    """The tree of the text that is printed for `tree`."""
    text = to_text(tree)
    read, findings = parse(Source("printed", text))
    assert findings == (), (text, findings[0].message)
    assert to_text(read) == text
    return read


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_a_published_text_is_the_same_when_printed(path: Path) -> None:
    tree = parse(Source("text", path.read_text(encoding="utf-8")))[0]
    assert without_spans(again(tree).declarations) == without_spans(tree.declarations)


CANONICAL = (Path(__file__).parent / "canonical.lifespec").read_text(encoding="utf-8").split("---\n")


@pytest.mark.parametrize("text", CANONICAL, ids=lambda text: text.split("\n")[0])
def test_a_canonical_text_is_printed_as_it_is(text: str) -> None:
    tree, findings = parse(Source("text", text))
    assert findings == ()
    assert to_text(tree) == text


# --- trees that nobody has written ----------------------------------------------------------------------

WORDS = [
    "a",
    "b-c",
    "_",
    "count",
    "none",
    "another",
    "machines",
    "previous",
    "start",
    "true",
    "owner",
    "in",
    "of",
    "x y",
    "é",
]
NAMES = st.builds(ast.Name, st.sampled_from(WORDS), st.just(NOWHERE))
NUMBERS = st.builds(ast.NumberLit, st.sampled_from(["0", "1.5", "007"]), st.just(NOWHERE))
DURATIONS = st.builds(ast.DurationLit, st.sampled_from(["5s", "1.5ms"]), st.just(NOWHERE))
TEXT = st.builds(ast.Text, st.sampled_from(["", "a", "{x}//'"]), st.just(NOWHERE))
CONSTANTS = st.one_of(NUMBERS, DURATIONS, st.builds(ast.TextLit, st.just("t"), st.just(NOWHERE)))
SIMPLE = st.one_of(
    CONSTANTS,
    st.builds(ast.BoolLit, st.booleans(), st.just(NOWHERE)),
    st.builds(ast.Path, NAMES, st.just(()), st.just(NOWHERE)),
)
LITERALS = st.lists(st.one_of(NAMES, TEXT, NUMBERS, DURATIONS), min_size=1, max_size=3).map(tuple)
SOME_NAMES = st.lists(NAMES, min_size=1, max_size=2).map(tuple)


def _larger(inner: st.SearchStrategy[ast.Expr]) -> st.SearchStrategy[ast.Expr]:
    here = st.just(NOWHERE)
    steps = st.one_of(
        st.builds(ast.Step, NAMES, st.none(), here),
        st.builds(ast.Step, st.none(), st.lists(inner, max_size=2).map(tuple), here),
    )
    paths = st.builds(ast.Path, st.one_of(NAMES, inner), st.lists(steps, min_size=1, max_size=2).map(tuple), here)
    members = st.lists(steps, max_size=1).map(tuple)
    origins = st.one_of(st.none(), st.sampled_from(["epoch", "start", "previous"]), inner)
    units = st.one_of(st.builds(ast.Name, st.sampled_from(["s", "ms"]), here), inner)
    operators = ["+", "-", "*", "/", "==", "<=", "and", "or", "contains"]
    return st.one_of(
        paths,
        st.builds(ast.Unary, st.sampled_from(["-", "not"]), inner, here),
        st.builds(ast.Binary, st.sampled_from(operators), inner, inner, here),
        st.builds(ast.In, inner, LITERALS, st.booleans(), here),
        st.builds(ast.Like, inner, TEXT, here),
        st.builds(ast.Has, paths, here),
        st.builds(
            ast.Aggregate,
            st.sampled_from(["count", "sum", "min", "max"]),
            st.builds(ast.Path, NAMES, members, here),
            SOME_NAMES,
            st.one_of(st.none(), inner),
            here,
        ),
        st.builds(ast.Convert, inner, st.sampled_from(["json", "number"]), st.none(), st.none(), st.none(), here),
        st.builds(ast.Convert, inner, st.just("iso8601"), st.one_of(st.none(), TEXT), st.none(), st.none(), here),
        st.builds(ast.Convert, inner, st.just("unit"), st.none(), units, origins, here),
        st.builds(ast.Else, st.lists(inner, min_size=2, max_size=3).map(tuple), here),
    )


EXPRESSIONS = st.recursive(SIMPLE, _larger, max_leaves=8)


def wrapped(*declarations: ast.Declaration) -> ast.Ast:
    return ast.Ast("tree", declarations)


@given(EXPRESSIONS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_expression_parses_back_wherever_it_stands(expr: ast.Expr) -> None:
    name = ast.Name("n", NOWHERE)
    path = ast.Path(name, (ast.Step(None, (expr,), NOWHERE),), NOWHERE)
    emit = ast.Emit(ast.Text("e", NOWHERE), name, expr, expr, False, expr, (ast.With(name, expr, NOWHERE),), NOWHERE)
    statements = (
        ast.Assign(name, expr, NOWHERE),
        ast.Let(name, expr, NOWHERE),
        ast.FieldsFrom((path, path), NOWHERE),
        ast.OnClause((name,), (), None, expr, (), (emit, ast.SameSession(expr, NOWHERE)), NOWHERE),
        ast.Order(path, None, expr, NOWHERE),
        ast.ClockPer(expr, NOWHERE),
    )
    memory = ast.Remember(name, expr, NOWHERE)
    require = ast.Require(expr, ast.Text("doc", NOWHERE), NOWHERE)
    after = ast.AfterTrigger(expr, NOWHERE)
    moves = ast.TransitionDecl((name,), (), (name,), after, expr, (name,), (), (require,), (memory,), None, NOWHERE)
    state = ast.StateDecl("state", (name,), expr, (), None, None, None, NOWHERE)
    event = ast.EventAlternative((name,), (name,), expr, NOWHERE)
    expect = ast.Expect((event, event), expr, None, None, NOWHERE)
    part = ast.OnPart((name,), None, expr, (require, expect, ast.AtMost(expr, None, expr, None, NOWHERE)), NOWHERE)
    tree = wrapped(
        ast.ParamDecl(name, expr, None, NOWHERE),
        ast.MachineDecl(name, (), (), None, (state, moves), NOWHERE),
        ast.RuleDecl(name, None, (ast.AlwaysPart(expr, NOWHERE), part), NOWHERE),
        ast.BindingDecl(name, None, None, None, statements, NOWHERE),
    )
    assert without_spans(again(tree).declarations) == without_spans(tree.declarations)


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_any_name_parses_back_wherever_it_stands(data: st.DataObject) -> None:
    def name() -> ast.Name:
        return data.draw(NAMES)

    def path() -> ast.Path:
        return ast.Path(name(), (ast.Step(name(), None, NOWHERE),), NOWHERE)

    here = NOWHERE
    subject = ast.Subject(name(), None, data.draw(st.booleans()), here)
    when = ast.WhenTrigger(subject, (name(),), here)
    columns = tuple(ast.Column(kind, name(), here) for kind in ("name", "optional"))
    statements = (
        ast.Read(
            "json", None, True, ast.Rows(columns, None, here), None, (ast.Each(name(), name(), path(), here),), here
        ),
        ast.Assign(name(), path(), here),
        ast.Let(name(), ast.Else((path(), path()), here), here),
        ast.Match(path(), ast.Text("{x}", here), here),
        ast.Rename(name(), (name(),), (ast.RenamePair(name(), name(), here), ast.RenamePair(name(), None, here)), here),
        ast.OnClause((name(), name()), (), None, None, (ast.With(name(), path(), here),), (), here),
        ast.Ignore("names", (name(), name()), None, here),
        ast.Ignore("machines", (name(),), None, here),
        ast.Ignore("any", (name(),), None, here),
        ast.Lacks("events", True, True, (name(),), here),
        ast.Lacks("fields", False, False, (name(),), here),
        ast.Recording("cut", (ast.Name("start", here),), here),
        ast.Allow((name(),), ast.Text("why", here), here),
    )
    members: tuple[ast.StateDecl | ast.GroupDecl | ast.TransitionDecl | ast.IgnoreDecl, ...] = (
        ast.StateDecl("failure", (name(), name()), None, (name(),), None, here, None, here),
        ast.GroupDecl(name(), None, (), here),
        ast.TransitionDecl(
            None, (name(),), (), when, None, (), (), (), (ast.Remember(name(), path(), here),), None, here
        ),
        ast.IgnoreDecl((name(),), here),
    )
    alternative = ast.StateAlternative(ast.In(ast.Path(name(), (), here), (name(),), True, here), here)
    expect = ast.Expect((alternative,), ast.DurationLit("5s", here), None, None, here)
    tree = wrapped(
        ast.Lifecycle(name(), None, None, here),
        ast.OwnerDecl((name(), name()), None, here),
        ast.FieldDecl((name(),), ast.FieldType("one of", (name(), ast.Text("t", here)), (), None, here), None, here),
        ast.ForbidDecl((ast.ForbidItem(name(), None, here),), None, here),
        ast.ProfileDecl(name(), None, (ast.Setting(name(), ast.NumberLit("1", here), here),), here),
        ast.PauseDecl((name(),), (name(),), None, here),
        ast.EventDecl((name(),), (name(),), None, here),
        ast.MachineDecl(name(), (name(),), (name(),), None, members, here),
        ast.RuleDecl(name(), None, (ast.OnPart((name(),), name(), None, (expect,), here),), here),
        ast.BindingDecl(name(), name(), name(), None, statements, here),
    )
    assert without_spans(again(tree).declarations) == without_spans(tree.declarations)
