"""What valid texts become."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifespec.source import Source
from lifespec.syntax import ast
from lifespec.syntax.parser import parse

DATA = Path(__file__).parent / "data"
TEXTS = sorted(DATA.glob("*.lifespec"))


def tree_of(text: str) -> ast.Ast:
    tree, findings = parse(Source("text", text))
    assert findings == ()
    return tree


def one(text: str) -> ast.Declaration:
    (declaration,) = tree_of(text).declarations
    return declaration


def condition(text: str) -> ast.Expr:
    rule = one(f"rule r {{ always {text} }}")
    assert isinstance(rule, ast.RuleDecl)
    (part,) = rule.parts
    assert isinstance(part, ast.AlwaysPart)
    return part.condition


def value(text: str) -> ast.Expr | None:
    binding = one(f"binding b {{ c = {text} }}")
    assert isinstance(binding, ast.BindingDecl)
    (statement,) = binding.statements
    assert isinstance(statement, ast.Assign)
    return statement.value


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_the_published_texts_parse(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\nmachine ") + text.count("\nbinding ") <= len(tree_of(text).declarations)


def test_every_node_has_the_span_of_its_text() -> None:
    text = "machine m per k, 'odd key' {\n  a, b -> c on e of f\n      require x  \"why\"\n}"
    machine = one(text)
    assert isinstance(machine, ast.MachineDecl)
    assert text[machine.span.start : machine.span.end] == text
    assert [(key.text, text[key.span.start : key.span.end]) for key in machine.keys] == [
        ("k", "k"),
        ("odd key", "'odd key'"),
    ]
    (transition,) = machine.members
    assert isinstance(transition, ast.TransitionDecl)
    assert isinstance(transition.trigger, ast.OnTrigger)
    assert text[transition.trigger.span.start : transition.trigger.span.end] == "on e of f"
    assert text[transition.require[0].span.start : transition.require[0].span.end] == 'require x  "why"'


def test_a_name_with_an_equals_sign_has_the_span_of_the_name() -> None:
    text = "param 'a b'   = 5"
    param = one(text)
    assert isinstance(param, ast.ParamDecl)
    assert (param.name.text, text[param.name.span.start : param.name.span.end]) == ("a b", "'a b'")


@pytest.mark.parametrize("name", ["max-delay", "at-home", "not-x", "état", "_", "a1", "日本", "start", "count", "text"])
def test_words_that_only_look_like_keywords_are_names(name: str) -> None:
    owner = one(f"owner {name}")
    assert isinstance(owner, ast.OwnerDecl)
    assert owner.names[0].text == name


def test_reserved_words_stand_bare_where_nothing_else_could() -> None:
    path = value("from.state")
    assert isinstance(path, ast.Path)
    assert isinstance(path.head, ast.Name)
    assert (path.head.text, path.steps[0].name and path.steps[0].name.text) == ("from", "state")
    binding = one("binding b { from = from  to = to  event = event  on = on  state = state  machine = machine }")
    assert isinstance(binding, ast.BindingDecl)
    assert [s.name.text for s in binding.statements if isinstance(s, ast.Assign)] == [
        "from",
        "to",
        "event",
        "on",
        "state",
        "machine",
    ]
    machine = one("machine m { a on b where owner == c.owner remember event = event, owner = owner }")
    assert isinstance(machine, ast.MachineDecl)
    assert isinstance(condition('state == "x" and event in a'), ast.Binary)


def test_operators_bind_as_the_page_says() -> None:
    read = condition("not a or b and c == d + e * -f")
    assert isinstance(read, ast.Binary)
    assert read.op == "or"
    assert isinstance(read.left, ast.Unary)
    assert isinstance(read.right, ast.Binary)
    assert read.right.op == "and"
    comparison = read.right.right
    assert isinstance(comparison, ast.Binary)
    assert comparison.op == "=="
    assert isinstance(comparison.right, ast.Binary)
    assert comparison.right.op == "+"
    minus = condition("a - b - c > 0")
    assert isinstance(minus, ast.Binary)
    assert isinstance(minus.left, ast.Binary)
    assert isinstance(minus.left.left, ast.Binary)


def test_memberships_and_choices() -> None:
    read = condition('a[b, 1].c not in d, "e", -5, 1.5s')
    assert isinstance(read, ast.In)
    assert read.negated
    assert isinstance(read.left, ast.Path)
    assert [step.name.text if step.name else len(step.index or ()) for step in read.left.steps] == [2, "c"]
    assert [type(member).__name__ for member in read.members] == ["Name", "Text", "NumberLit", "DurationLit"]
    assert isinstance(read.members[2], ast.NumberLit)
    assert read.members[2].text == "-5"


def test_an_alternative_with_a_machine_is_a_membership() -> None:
    rule = one("rule r { on ping expect pong, pang same n where a in b, c or m[k] not in s, t or x within 12s }")
    assert isinstance(rule, ast.RuleDecl)
    (part,) = rule.parts
    assert isinstance(part, ast.OnPart)
    (expect,) = part.actions
    assert isinstance(expect, ast.Expect)
    first, second, third = expect.alternatives
    assert isinstance(first, ast.EventAlternative)
    assert [name.text for name in first.events] == ["pong", "pang"]
    assert isinstance(first.where, ast.In)
    assert isinstance(second, ast.StateAlternative)
    assert second.condition.negated
    assert isinstance(third, ast.EventAlternative)


def test_a_text_documents_what_it_stands_behind() -> None:
    machine = one(
        'machine m "m" { a -> b on c "the step" require d "the condition" failure e without reason "why" "doc" }'
    )
    assert isinstance(machine, ast.MachineDecl)
    transition, state = machine.members
    assert isinstance(transition, ast.TransitionDecl)
    assert transition.doc
    assert transition.doc.value == "the step"
    assert transition.require[0].doc
    assert transition.require[0].doc.value == "the condition"
    assert isinstance(state, ast.StateDecl)
    assert state.without_reason
    assert state.doc
    assert (state.without_reason.value, state.doc.value) == ("why", "doc")


def test_a_transition_stays_or_has_a_target_and_its_clauses_come_in_any_order() -> None:
    machine = one(
        "machine m { a on b remember c require d by e requires f remember g = 1, h by i any except j -> k, l ignore n }"
    )
    assert isinstance(machine, ast.MachineDecl)
    stays, moves, _ = machine.members
    assert isinstance(stays, ast.TransitionDecl)
    assert isinstance(moves, ast.TransitionDecl)
    assert stays.targets == ()
    assert [item.name.text for item in stays.remember] == ["c", "g", "h"]
    assert [name.text for name in stays.by] == ["e", "i"]
    assert (moves.sources, [name.text for name in moves.excluded]) == (None, ["j"])
    assert [name.text for name in moves.targets] == ["k", "l"]


def test_values_of_bindings() -> None:
    read = value('a.b as ms since c as s since epoch else "d" else previous')
    assert isinstance(read, ast.Else)
    convert, constant, previous = read.choices
    assert isinstance(convert, ast.Convert)
    assert isinstance(convert.since, ast.Convert)
    assert convert.since.since == "epoch"
    assert isinstance(constant, ast.TextLit)
    assert isinstance(previous, ast.Path)
    assert value("none") is None
    computed = value("a as (b.c else 1) since start")
    assert isinstance(computed, ast.Convert)
    assert isinstance(computed.unit, ast.Else)


def test_columns() -> None:
    binding = one("binding b { read json rows [a, b?, _, '_', ..., on] each k: v in c[].d each w in record }")
    assert isinstance(binding, ast.BindingDecl)
    (read,) = binding.statements
    assert isinstance(read, ast.Read)
    assert read.rows
    assert [column.kind for column in read.rows.columns] == ["name", "optional", "skip", "name", "rest", "name"]
    assert [(each.key.text if each.key else None, each.name.text) for each in read.each] == [("k", "v"), (None, "w")]


def test_blanks_line_ends_and_a_byte_order_mark_mean_nothing() -> None:
    for text in ("\ufeffowner a", "owner\r\na", "owner\ta\f", "// first\rowner a // last", "owner a//"):
        assert isinstance(one(text), ast.OwnerDecl)
    assert tree_of("").declarations == ()
    assert tree_of("// nothing").declarations == ()
