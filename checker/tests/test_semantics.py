"""Every rule of spec/semantics.md is whole, is followed by the reference engine, and has its trace; all traces run."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import pytest

from lifespec.conformance import Finding, answer_of, read_cases
from lifespec.engine.reference import Monitor
from lifespec.load import load_text
from lifespec.trace.binding import compile_binding
from lifespec.trace.choose import choose_binding
from lifespec.trace.reader import Reader
from lifespec.verdict import Violation

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "checker" / "lifespec"
CASES = read_cases(ROOT / "conformance" / "cases")
LAST_RULE = 59

BINDINGS = ROOT / "spec" / "bindings.md"
FOLLOWS = [
    *sorted((PACKAGE / "engine").glob("reference*.py")),
    PACKAGE / "trace" / "applicability.py",
    PACKAGE / "model" / "forbidden.py",
]
NAMED_IN_REFERENCE = [
    *(f"lifespec.engine.{path.stem}" for path in sorted((PACKAGE / "engine").glob("reference*.py"))),
    "lifespec.trace.applicability",
    "lifespec.model.convert",
    "lifespec.model.forbidden",
    "lifespec.verdict",
]


@dataclass
class Trace:
    """A log of the page and what it should say."""

    rule: str
    spec: str
    log: str
    verdict: str
    complete: bool


@dataclass
class Rule:
    number: int
    name: str
    body: str
    traces: list[Trace] = field(default_factory=list)

    @property
    def sentence(self) -> str:
        """The prose before the first block or the formal line."""
        return re.split(r"^```|^\*Exactly:\*|^\*Reference:\*", self.body, maxsplit=1, flags=re.M)[0].strip()


_FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)


def _read_page() -> list[Rule]:
    text = (ROOT / "spec" / "semantics.md").read_text("utf-8")
    rules: list[Rule] = []
    spec = ""
    for piece in re.split(r"^(?=### |## )", text, flags=re.M):
        heading = re.match(r"### S(\d+) (.+)\n", piece)
        if heading:
            rules.append(Rule(int(heading[1]), heading[2].strip(), piece[heading.end() :]))
        log = ""
        for kind, words, body in _FENCE.findall(piece):
            if kind == "lifespec":
                spec = body
            elif kind == "jsonl":
                log = body
            elif kind == "verdict" and heading:
                rule = rules[-1]
                rule.traces.append(Trace(f"S{rule.number}", spec, log, body, words.strip() == "complete"))
    return rules


RULES = _read_page()
TRACES = [trace for rule in RULES for trace in rule.traces]


def _said(trace: Trace) -> tuple[list[str], dict[str, str]]:
    loaded = load_text(trace.spec, "spec.lifespec")
    assert loaded.model is not None, [f"{each.name}: {each.message}" for each in loaded.diagnostics]
    binding, problems = choose_binding(loaded.model)
    assert binding is not None, problems
    compiled, problems = compile_binding(loaded.model, binding)
    assert compiled is not None, problems
    monitor = Monitor(loaded.model, compiled.client)
    of_reader = []
    for item in Reader(compiled, "log.jsonl").read(BytesIO(trace.log.encode())):
        if isinstance(item, Violation):
            of_reader.append(item)
        else:
            monitor.feed(item)
    answer = answer_of(monitor.finish(complete=trace.complete), of_reader)
    return [str(Finding(each.line, each.name, each.property)) for each in answer.findings], dict(answer.outcomes)


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: trace.rule)
def test_a_trace_says_what_the_page_says(trace: Trace) -> None:
    lines = [line for line in trace.verdict.splitlines() if line != "none"]
    findings, outcomes = _said(trace)
    assert findings == [line for line in lines if not line.startswith("= ")]
    for line in lines:
        said = re.match(r"= (satisfied|violated|inconclusive|not applicable) (.+)", line)
        if said:
            assert (said[2], outcomes.get(said[2])) == (said[2], said[1])


def test_the_rules_are_numbered_without_a_gap() -> None:
    assert [rule.number for rule in RULES] == list(range(1, LAST_RULE + 1))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"S{rule.number}")
def test_a_rule_is_whole(rule: Rule) -> None:
    assert rule.name
    assert rule.sentence
    assert "\n" not in rule.sentence, "one paragraph"
    assert rule.sentence.endswith(".")
    assert re.search(r"^\*Exactly:\* .+ \*Reference:\* `.+`\.$", rule.body, re.M)


def test_every_rule_has_a_trace() -> None:
    """Two of them need a binding: their trace stands with that of S51, and says so."""
    elsewhere = {f"S{rule.number}" for rule in RULES if "The trace is in section 8" in rule.body}
    assert {f"S{rule.number}" for rule in RULES if not rule.traces} == elsewhere
    assert all(f"({number})" in _rule(51).body for number in elsewhere)


def _rule(number: int) -> Rule:
    return next(rule for rule in RULES if rule.number == number)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"S{rule.number}")
def test_what_a_rule_names_as_its_reference_exists(rule: Rule) -> None:
    named = re.findall(r"`([A-Za-z_.]+)`", rule.body.rpartition("*Reference:*")[2])
    assert named
    assert [name for name in named if not _exists(name)] == []


def _exists(name: str) -> bool:
    first, *rest = name.split(".")
    for module in NAMED_IN_REFERENCE:
        found = getattr(importlib.import_module(module), first, None)
        for each in rest:
            found = getattr(found, each, None)
        if found is not None:
            return True
    return False


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"S{rule.number}")
def test_the_reference_cites_a_rule(rule: Rule) -> None:
    cited = re.compile(rf"\bS{rule.number}\b")
    assert any(cited.search(path.read_text("utf-8")) for path in FOLLOWS)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"S{rule.number}")
def test_a_rule_has_a_case_that_keeps_it_and_one_that_does_not(rule: Rule) -> None:
    answers = [answer for case in CASES if f"S{rule.number}" in case.rules for answer in case.traces.values()]
    assert [answer for answer in answers if answer.is_clean], "no trace keeps it"
    assert [answer for answer in answers if not answer.is_clean], "no trace breaks it"


def test_the_reference_and_the_cases_cite_no_other_rules() -> None:
    known = {f"S{rule.number}" for rule in RULES}
    for path in FOLLOWS:
        assert set(re.findall(r"\bS\d+\b", path.read_text("utf-8"))) <= known, path.name
    of_reading = {f"B{number}" for number in re.findall(r"^### B(\d+) ", BINDINGS.read_text("utf-8"), re.MULTILINE)}
    for case in CASES:
        assert set(case.rules) <= known | of_reading, case.id


def test_findings_are_no_moves_of_the_clock() -> None:
    """S35: more answers are owed at once than the clock may make moves."""
    spec = "lifecycle many machine m { initial a  a on ping, pong } rule r { on ping expect pong same n within 1s }"
    asked = 1200
    log = "".join(f'{{"time": 0, "session": "a", "event": "ping", "n": {n}}}\n' for n in range(asked))
    log += '{"time": 9, "session": "a", "event": "pong", "n": 0}\n'
    findings, _ = _said(Trace("S35", spec, log, "", complete=False))
    assert findings == [f"{line}: unanswered rule r" for line in range(1, asked + 1)]


def test_a_clock_that_never_rests_comes_to_an_end() -> None:
    """S35: after so many moves nobody knows where the instance is, and nothing is found."""
    spec = """
        lifecycle flip
        machine m { initial a  state b  a -> b after 1ns  b -> a after 1ns  b on beat }
        machine n { initial x within 1s  x -> x on knock }
        rule in-b { on beat require m in b }
    """
    log = "".join(f'{{"time": {time}, "session": "a", "event": "beat"}}\n' for time in (0, 1000000, 1000001))
    findings, _ = _said(Trace("S35", spec, log, "", complete=False))
    assert findings == ["1: invalid-transition transitions m", "1: overdue bound n.x", "1: rule-broken rule in-b"]
