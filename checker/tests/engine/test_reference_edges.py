"""Edges of the reference engine that a reader found: each says one fact."""

from __future__ import annotations

from lifespec.engine.monitor import Monitor as Fast
from lifespec.engine.reference import Monitor
from lifespec.load import load_text
from lifespec.trace.binding import compile_binding
from lifespec.trace.choose import choose_binding
from lifespec.trace.event import Client, Event, Record
from lifespec.trace.reader import records_from
from lifespec.verdict import Outcome, Place, Property, Verdict


def judge(text: str, *records: dict[str, object], complete: bool = False) -> Verdict:
    loaded = load_text(text)
    assert loaded.model is not None, loaded.diagnostics
    binding, _ = choose_binding(loaded.model)
    assert binding is not None
    compiled, findings = compile_binding(loaded.model, binding)
    assert compiled is not None, findings
    monitor = Monitor(loaded.model, compiled.client)
    for record in records_from(records, compiled):
        assert isinstance(record, Record), record
        monitor.feed(record)
    return monitor.finish(complete=complete)


def found(verdict: Verdict) -> list[tuple[int, str]]:
    return [(v.place.line, v.name) for v in verdict.violations]


STATES_ONLY = """
lifecycle radio
machine link { initial off  state pairing, ready  off, ready -> pairing on pair  pairing -> ready on paired }
rule no-begging { on pair at most 1 per 60s }
rule answered   { on pair expect paired within 5s }
rule shy        { when link enters pairing expect paired within 5s }
binding own { read json-lines  session = s  time = t as s since epoch  event = e  on 'state' emit link to now }
"""


def test_a_rule_about_an_event_is_not_judged_by_steps_without_names() -> None:
    verdict = judge(
        STATES_ONLY,
        {"s": "a", "t": 1, "e": "state", "now": "pairing"},
        {"s": "a", "t": 2, "e": "state", "now": "ready"},
        {"s": "a", "t": 3, "e": "state", "now": "pairing"},
        {"s": "a", "t": 20, "e": "state", "now": "ready"},
    )
    assert verdict.tallies[Property("rule", "no-begging")].outcome is Outcome.INCONCLUSIVE
    assert verdict.tallies[Property("rule", "answered")].not_judged == 2


def test_a_step_without_a_name_may_be_the_answer() -> None:
    verdict = judge(
        STATES_ONLY,
        {"s": "a", "t": 1, "e": "state", "now": "pairing"},
        {"s": "a", "t": 2, "e": "state", "now": "ready"},
        {"s": "a", "t": 30, "e": "state", "now": "pairing"},
        {"s": "a", "t": 90, "e": "state", "now": "ready"},
    )
    assert found(verdict) == [(3, "unanswered")]


def test_a_silence_is_not_judged_when_its_condition_may_have_ended_unseen() -> None:
    verdict = judge(
        """
        lifecycle x
        machine m { initial a  state b  a -> b on go  b -> a on next  a on ok  b on stay }
        rule s { while m in b expect stay every 2s }
        binding q extends default { lacks events next }
        """,
        {"time": 2, "session": "a", "event": "go"},
        {"time": 20, "session": "a", "event": "ok"},
    )
    assert found(verdict) == []


def test_a_field_that_is_required_twice_is_missing_once() -> None:
    text = "lifecycle x  event go requires n  machine m { initial a  state b  a -> b on go requires n }"
    assert found(judge(text, {"time": 1, "session": "a", "event": "go"})) == [(1, "missing-field")]


def test_a_missing_key_names_the_part_that_is_missing() -> None:
    text = "lifecycle x  machine k per id, part { initial a  state b  a -> b on go }"
    (violation,) = judge(text, {"time": 1, "session": "a", "event": "go", "id": 9}).violations
    assert (violation.name, violation.field) == ("missing-key", "part")


def test_no_finding_is_its_own_witness() -> None:
    text = "lifecycle x  machine m { initial a  state b  final c  a -> b on go  b -> c on end }"
    (violation,) = judge(text, {"time": 1, "session": "a", "event": "go"}, complete=True).violations
    assert violation.name == "unfinished"
    assert violation.witnesses == ()


def test_many_instances_are_judged_in_little_time_for_each() -> None:
    """Not a measurement: with a loop over all instances for each instance this would not end."""
    text = """
    lifecycle x
    machine m per k { initial a  state b  a -> b on go  b -> a on back }
    rule few { on stop require count(m in b) == 1500 }
    event stop
    """
    records = [{"time": n, "session": "a", "event": "go", "k": n} for n in range(1500)]
    assert found(judge(text, *records, {"time": 9999, "session": "a", "event": "stop"})) == []


def test_never_is_an_instant_that_can_be_reckoned_with() -> None:
    text = "lifecycle x  field u : instant  event go  rule r { on go require u - 10s > time }"
    never = {"time": "2026-07-01T00:00:00Z", "session": "a", "event": "go", "u": "9999-12-31T23:59:59Z"}
    past = {"time": "2026-07-01T00:00:01Z", "session": "a", "event": "go", "u": "2026-07-01T00:00:05Z"}
    assert found(judge(text, never, past)) == [(2, "rule-broken")]


def test_without_a_time_a_bound_of_a_log_with_times_is_open() -> None:
    model = load_text("lifecycle x\nmachine m { initial a  state b within 5s  a -> b on go  b -> a on back }").model
    assert model is not None
    for make in (Monitor, Fast):
        monitor = make(model, Client())
        monitor.feed(Record(Place("x", 1), "s", None, (Event("go"),)))
        monitor.feed(Record(Place("x", 2), "s", None, (Event("back"),)))
        tally = monitor.finish(complete=True).tallies[Property("bound", "m", "b")]
        assert tally.outcome is Outcome.INCONCLUSIVE
