"""What must hold for every text on its way to a Model, and how one text becomes another.

Nothing may raise; a Model is there exactly when no finding is an error; every finding has its name in the table
and its places in the text.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

from lifespec.analysis.lint import lint
from lifespec.analysis.route import shortest_way
from lifespec.diagnostics import NAMES, Diagnostic, Severity, severity_of
from lifespec.load import load_text
from lifespec.model.model import AlwaysPart, Model
from lifespec.source import Source
from lifespec.syntax import ast
from lifespec.syntax.parser import parse

CORPUS = Path(__file__).parent / "corpus" / "texts.jsonl"  # a text a line, as JSON

_WORD = re.compile(r"""//[^\n]*|"[^"\n]*"|'[^'\n]*'|[^\W\d][\w-]*|[0-9.]+[a-z]*|\s+|->|==|!=|<=|>=|.""", re.DOTALL)
_SPARE = """
lifecycle owner field forbid param profile pause between event import machine rule binding initial state failure final
group within requires require remember on when after at any except where by of ignore another enters always while
expect every same at most per has in not and or like count sum min max true false time text int number bool instant
duration one 0 1 5s 1.5 10ms 99999999999999999999 "" "(" "{x}" "{" -> == < >= + - * / ( ) [ ] { } , . = : extends for
read json-lines session rename lacks order by clock unique recording whole allow let match emit to from with else as
previous none ms since epoch
"""


def kept_texts() -> list[str]:
    """The texts of the corpus: what fuzzing found worth keeping."""
    return [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]


def resolve_one(text: str) -> None:
    """One text through all that a command does before it sees a log."""
    loaded = load_text(text)
    source = Source("<text>", text.removeprefix("\ufeff"))
    for found in loaded.diagnostics:
        _check(found, source)
    errors = [found for found in loaded.diagnostics if (found.severity or severity_of(found.name)) is Severity.ERROR]
    assert (loaded.model is None) == bool(errors), errors
    if loaded.model is not None:
        _check_model(loaded.model, source)
        _check_whole(loaded.model, parse(source)[0])


def _check(found: Diagnostic, source: Source) -> None:
    assert found.name in NAMES, found.name
    assert found.message
    assert len(found.message) <= 400, "a message never repeats a long text"
    for label in (found.label, *found.labels):
        if label is not None and label.span.file == source.name:
            assert 0 <= label.span.start <= label.span.end <= len(source.text), found


def _check_model(model: Model, source: Source) -> None:
    for found in lint(model):
        _check(found, source)
    for machine in model.machines.values():
        finals = machine.finals
        assert machine.initial in machine.states
        for index, transition in enumerate(machine.transitions):
            assert transition.index == index
            assert transition.sources
            assert set(transition.sources) | set(transition.targets) <= set(machine.states)
            assert not set(transition.sources) & finals or transition.stays
        for target in list(machine.states)[:3]:
            shortest_way(model, machine, [machine.initial], target)


def _check_whole(model: Model, tree: ast.Ast) -> None:
    """Nothing that was written is left out of a Model without a finding."""
    machines = [each for each in tree.declarations if isinstance(each, ast.MachineDecl)]
    assert [each.name.text for each in machines] == list(model.machines)
    for machine in machines:
        written = [member for member in machine.members if isinstance(member, ast.TransitionDecl)]
        transitions = model.machines[machine.name.text].transitions
        assert [(len(each.require), len(each.remember)) for each in written] == [
            (len(each.require), len(each.remember)) for each in transitions
        ]
        assert [each.where is None for each in written] == [each.where is None for each in transitions]
        assert [each.trigger is None for each in written] == [each.trigger is None for each in transitions]
    rules = [each for each in tree.declarations if isinstance(each, ast.RuleDecl)]
    assert [(each.name.text, len(each.parts)) for each in rules] == [
        (each.name, len(each.parts)) for each in model.rules
    ]
    for rule, resolved in zip(rules, model.rules, strict=True):
        for part, made in zip(rule.parts, resolved.parts, strict=True):
            if not isinstance(part, ast.AlwaysPart):
                assert not isinstance(made, AlwaysPart)
                assert len(part.actions) == len(made.actions)
    for kind, names in ((ast.OwnerDecl, model.owners), (ast.FieldDecl, model.fields), (ast.EventDecl, model.events)):
        assert [name.text for each in tree.declarations if isinstance(each, kind) for name in each.names] == list(names)
    assert sum(len(each.items) for each in tree.declarations if isinstance(each, ast.ForbidDecl)) == len(model.forbids)
    bindings = [each.name.text for each in tree.declarations if isinstance(each, ast.BindingDecl)]
    assert bindings == list(model.bindings)[: len(bindings)]


def mutate(text: str, chance: random.Random) -> str:
    """The text with a few words left out, doubled, exchanged or replaced."""
    words = _WORD.findall(text)
    names = [word for word in words if not word.isspace()] + _SPARE.split()
    for _ in range(chance.randint(1, 4)):
        if not words:
            return chance.choice(names)
        at, other = chance.randrange(len(words)), chance.randrange(len(words))
        match chance.randrange(6):
            case 0:
                del words[at : at + chance.randint(1, 3)]
            case 1:
                words[at:at] = words[other : other + chance.randint(1, 8)]
            case 2:
                words[at], words[other] = words[other], words[at]
            case 3:
                words[at] = chance.choice(names)
            case 4:
                words.insert(at, f" {chance.choice(names)} ")
            case _:
                first, last = sorted((at, other))
                words[at:at] = words[first:last][:60]
    return "".join(words)
