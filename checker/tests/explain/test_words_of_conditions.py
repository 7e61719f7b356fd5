"""What is said where a condition did not hold, or a text has not its form."""

from __future__ import annotations

import time
from io import BytesIO

import pytest

from lifespec.check import Log, check
from lifespec.explain_line import Interest, find_mark
from lifespec.load import load_text
from lifespec.reports import github, text
from lifespec.reports.json import finding_value, render
from lifespec.reports.report import Report

SPEC = """lifecycle s
field n : int
field id : text like "u-[0-9]+"
machine m {
  initial a
  state   b
  a -> b  on go where n == 1
}
"""


def _report(log: str) -> Report:
    loaded = load_text(SPEC, "s.lifespec")
    assert loaded.model is not None, loaded.diagnostics
    return check(loaded.model, [Log("a.jsonl", BytesIO(log.encode()))])


def test_an_event_whose_where_does_not_hold() -> None:
    (finding,) = _report('{"time": 1, "session": "s", "event": "go", "n": 2}').findings
    assert finding.name == "invalid-transition"
    assert finding.allowed == ("`go` where n == 1 -> b",)
    assert ("note", "its `where` does not hold here") in finding.facts
    assert not finding.help


def test_a_value_that_has_not_its_form_is_never_repeated() -> None:
    report = _report('{"time": 1, "session": "s", "event": "go", "n": 1, "id": "Ann Smith"}')
    assert [each.name for each in report.findings] == ["invalid-field"]
    for whole in (text.render(report), render(report)):
        assert "Ann" not in whole


def test_a_deep_line_is_searched_in_linear_time() -> None:
    line = '{"a":' * 100_000
    begin = time.process_time()
    assert find_mark(line, (Interest("x", ("event",)), Interest("x"))) is None
    assert time.process_time() - begin < 20  # it was minutes


def test_a_broken_rule_shows_the_fields_of_the_event_that_it_reads() -> None:
    loaded = load_text(SPEC + "rule small { on go require n < limit or id == other }\n", "s.lifespec")
    assert loaded.model is not None, loaded.diagnostics
    log = b'{"time": 1, "session": "s", "event": "go", "n": 1, "limit": 0, "id": "u-1", "other": "x", "more": 2}'
    (finding,) = check(loaded.model, [Log("a.jsonl", BytesIO(log))]).findings
    assert ("fields", "n = 1, limit = 0, other = x") in finding.facts  # `id` has a form, and is never repeated


def test_a_memory_that_the_record_itself_wrote_is_shown_and_is_no_witness() -> None:
    spec = """lifecycle up
field seq : int
forbid email
machine up per id {
  initial none
  state sending
  none -> sending on begin remember last = 0
  sending on chunk remember last = seq  remember by-whom = who
}
rule r { on chunk require seq == up[id].last + 1 and up[id].by-whom == "x" }
"""
    log = """{"time": 0, "session": "s", "id": 1, "event": "begin"}
{"time": 1, "session": "s", "id": 1, "event": "chunk", "seq": 5, "who": "someone@example.org"}
"""
    loaded = load_text(spec, "up.lifespec")
    assert loaded.model is not None, loaded.diagnostics
    report = check(loaded.model, [Log("a.jsonl", BytesIO(log.encode()))])
    (each,) = (each for each in report.findings if each.name == "rule-broken")
    assert ("remembered by this record", "up.last = 5, up.by-whom = [redacted]") in each.facts
    assert each.violation.witnesses == ()
    assert [(one["state"], one["value"]) for one in finding_value(each)["wrote"]] == [
        ("up.last", 5),
        ("up.by-whom", "[redacted]"),
    ]


def _broken(meaning: str) -> Report:
    spec = f"""lifecycle one
machine m {{ initial a  final b  a -> b on go }}
rule r{f' "{meaning}"' if meaning else ""} {{ on go require count(m in a) <= 0 and m in b and not (m in a)
  and seq == 12345678901 }}
field seq : int
"""
    loaded = load_text(spec, "one.lifespec")
    assert loaded.model is not None, loaded.diagnostics
    return check(loaded.model, [Log("a.jsonl", BytesIO(b'{"time": 0, "session": "s", "event": "go", "seq": 1}\n'))])


MEANING = "an open connection does not outlive its credential, unless it was renewed before the old one expired"


@pytest.mark.parametrize("times", [1, 2])
def test_what_a_rule_is_for_is_said_in_whole_words(times: int) -> None:
    meaning = "; ".join([MEANING] * times)
    (each,) = _broken(meaning).findings
    if times == 1:
        assert each.message == f"rule `r` does not hold: {MEANING}"
    else:
        assert each.message == f"rule `r` does not hold: {MEANING}; an open connection does not outlive..."
    assert (("meaning", meaning) in each.facts) is (times == 2)
    assert meaning in github.render(_broken(meaning))


def test_a_long_condition_is_cut_between_its_words() -> None:
    (each,) = _broken("").findings
    assert each.message == "rule `r` does not hold: count(m in a) <= 0 and m in b and not (m in a) and seq ==..."
    assert "says" in dict(each.facts)
