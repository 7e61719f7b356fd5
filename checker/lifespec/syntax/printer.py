"""Ast -> canonical text: one statement a line, names quoted only where they must be.

`parse(to_text(tree))` is `tree` again, up to its places. Comments are not in a tree and are lost.
Bindings' statements are in `printer_binding.py`.
"""

from __future__ import annotations

from collections.abc import Iterable

from lifespec.syntax import ast
from lifespec.syntax.printer_binding import print_statement
from lifespec.syntax.printer_expr import AND, ANY, SUM, name, names, print_expr, print_literals, print_path, text
from lifespec.syntax.words import RESERVED, quoted

_STEP = "  "


def to_text(tree: ast.Ast) -> str:
    """The tree as a text. Declarations of several lines stand apart."""
    lines: list[str] = []
    for declaration in tree.declarations:
        block = _declaration(declaration)
        if lines and (len(block) > 1 or lines[-1] == "}"):
            lines.append("")
        lines += block
    return "".join(line + "\n" for line in lines)


def _declaration(d: ast.Declaration) -> list[str]:
    match d:
        case ast.Lifecycle():
            return [
                _words("lifecycle", name(d.name), *(("version", text(d.version)) if d.version else ()), _doc(d.doc))
            ]
        case ast.Import():
            return [f"import {text(d.path)}"]
        case ast.OwnerDecl():
            return [_words("owner", names(d.names), _doc(d.doc))]
        case ast.FieldDecl():
            return [_words("field", f"{names(d.names)}:", _field_type(d.type), _doc(d.doc))]
        case ast.ForbidDecl():
            items = ", ".join(_words(name(item.name), _like(item.pattern)) for item in d.items)
            return [_words("forbid", items, _doc(d.doc))]
        case ast.ParamDecl():
            return [_words("param", _assigned(d.name, d.value), _doc(d.tested))]
        case ast.ProfileDecl():
            settings = (_assigned(setting.name, setting.value) for setting in d.settings)
            return _block(_words("profile", name(d.name), _doc(d.doc)), settings)
        case ast.PauseDecl():
            return [_words("pause between", names(d.begins), "and", names(d.ends), _doc(d.doc))]
        case ast.EventDecl():
            return [_words("event", names(d.names), _list("requires", d.requires), _doc(d.doc))]
        case ast.MachineDecl():
            head = _words("machine", name(d.name), _list("per", d.keys), _list("owned by", d.owners), _doc(d.doc))
            return _block(head, (line for member in d.members for line in _member(member)))
        case ast.RuleDecl():
            return _block(_words("rule", name(d.name), _doc(d.doc)), (line for part in d.parts for line in _part(part)))
        case ast.BindingDecl():
            lifecycle = f"for {name(d.lifecycle)}" if d.lifecycle else ""
            extends = f"extends {name(d.extends)}" if d.extends else ""
            head = _words("binding", name(d.name), lifecycle, extends, _doc(d.doc))
            return _block(head, (print_statement(statement) for statement in d.statements))


def _field_type(t: ast.FieldType) -> str:
    if t.kind == "one of":
        return f"one of {print_literals(t.values)}"
    bounds = " and ".join(f"{bound.op} {print_expr(bound.value, SUM)}" for bound in t.bounds)
    return _words(t.kind, _like(t.like), bounds)


# --- machines ----------------------------------------------------------------------------------------


def _member(member: ast.StateDecl | ast.GroupDecl | ast.TransitionDecl | ast.IgnoreDecl) -> list[str]:
    match member:
        case ast.StateDecl():
            return [_state(member)]
        case ast.GroupDecl():
            head = _words("group", name(member.name), _doc(member.doc))
            return _block(head, (line for inner in member.members for line in _member(inner)))
        case ast.IgnoreDecl():
            return [f"ignore {names(member.events)}"]
        case ast.TransitionDecl():
            return _transition(member)


def _state(s: ast.StateDecl) -> str:
    within = f"within {print_expr(s.within, SUM)}" if s.within else ""
    waiver = "without reason" if s.without_span else ""
    return _words(
        s.kind, names(s.names), within, _list("requires", s.requires), waiver, _doc(s.without_reason), _doc(s.doc)
    )


def _transition(t: ast.TransitionDecl) -> list[str]:
    sources = names(t.sources) if t.sources is not None else _words("any", _list("except", t.excluded))
    head = _words(
        sources,
        f"-> {names(t.targets)}" if t.targets else "",
        _trigger(t.trigger),
        _doc(t.doc),
        _where(t.where),
        _list("by", t.by),
        _list("requires", t.requires),
    )
    more = [_require(require) for require in t.require]
    if t.remember:
        more.append("remember " + ", ".join(_remember(item) for item in t.remember))
    return [head, *(2 * _STEP + line for line in more)]


def _trigger(trigger: ast.OnTrigger | ast.WhenTrigger | ast.AfterTrigger | ast.AtTrigger | None) -> str:
    match trigger:
        case ast.OnTrigger():
            return _on(trigger.events, trigger.machine)
        case ast.WhenTrigger():
            return _when(trigger.subject, trigger.states)
        case ast.AfterTrigger():
            return f"after {print_expr(trigger.duration, SUM)}"
        case ast.AtTrigger():
            return f"at {print_expr(trigger.instant, SUM)}"
        case None:
            return ""


def _remember(item: ast.Remember) -> str:
    value = item.value
    short = isinstance(value, ast.Path) and not value.steps and isinstance(value.head, ast.Name)
    if short and value.head.text == item.name.text and item.name.text not in RESERVED:  # type: ignore[union-attr]
        return name(item.name)
    return _assigned(item.name, value)


# --- rules -------------------------------------------------------------------------------------------


def _part(part: ast.AlwaysPart | ast.OnPart | ast.WhenPart | ast.WhilePart) -> list[str]:
    match part:
        case ast.AlwaysPart():
            return [f"always {print_expr(part.condition, ANY)}"]
        case ast.OnPart():
            head = _words(_on(part.events, part.machine), _where(part.where))
        case ast.WhenPart():
            head = _words(_when(part.subject, part.states), _where(part.where))
        case ast.WhilePart():
            head = f"while {print_expr(part.condition, ANY)}"
    return [head, *(_STEP + _action(action) for action in part.actions)]


def _action(action: ast.Require | ast.Expect | ast.AtMost) -> str:
    match action:
        case ast.Require():
            return _require(action)
        case ast.Expect():
            alternatives = " or ".join(_alternative(alternative) for alternative in action.alternatives)
            within = f"within {print_expr(action.within, SUM)}" if action.within else ""
            every = f"every {print_expr(action.every, SUM)}" if action.every else ""
            return _words("expect", alternatives, within, every, _doc(action.doc))
        case ast.AtMost():
            per = f"per {print_expr(action.per, SUM)}" if action.per else ""
            during = f"while {print_expr(action.during, ANY)}" if action.during else ""
            return _words("at most", print_expr(action.count, SUM), per, during, _doc(action.doc))


def _alternative(alternative: ast.EventAlternative | ast.StateAlternative) -> str:
    if isinstance(alternative, ast.EventAlternative):
        return _words(names(alternative.events), _list("same", alternative.same), _where(alternative.where))
    condition = alternative.condition
    assert isinstance(condition.left, ast.Path)
    operator = "not in" if condition.negated else "in"
    return _words(print_path(condition.left, quoted), operator, print_literals(condition.members))


# --- words -------------------------------------------------------------------------------------------


def _on(events: tuple[ast.Name, ...], machine: ast.Name | None) -> str:
    return _words("on", names(events), f"of {name(machine)}" if machine else "")


def _when(subject: ast.Subject, states: tuple[ast.Name, ...]) -> str:
    machine = name(subject.machine)
    if machine == "another":
        machine = "'another'"
    if subject.index is not None:
        machine += "[" + ", ".join(print_expr(index, SUM) for index in subject.index) + "]"
    return _words("when", "another" if subject.another else "", machine, "enters", names(states))


def _require(require: ast.Require) -> str:
    return _words("require", print_expr(require.condition, ANY), _doc(require.doc))


def _where(where: ast.Expr | None) -> str:
    return f"where {print_expr(where, AND)}" if where else ""


def _assigned(to: ast.Name, value: ast.Expr) -> str:
    return f"{name(to, reserved=False)} = {print_expr(value, SUM)}"


def _doc(doc: ast.Text | None) -> str:
    return text(doc) if doc else ""


def _like(pattern: ast.Text | None) -> str:
    return f"like {text(pattern)}" if pattern else ""


def _list(word: str, items: tuple[ast.Name, ...]) -> str:
    return f"{word} {names(items)}" if items else ""


def _words(*words: str) -> str:
    return " ".join(word for word in words if word)


def _block(head: str, lines: Iterable[str]) -> list[str]:
    inner = [_STEP + line for line in lines]
    return [f"{head} {{", *inner, "}"] if inner else [f"{head} {{ }}"]
