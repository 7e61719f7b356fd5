"""Laws of the reference engine over generated specifications and logs."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from lifespec.engine.reference import Monitor
from lifespec.load import load_text
from lifespec.model.model import Model
from lifespec.trace.binding import compile_binding
from lifespec.trace.choose import choose_binding
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.event import Client, Record
from lifespec.trace.reader import records_from
from lifespec.verdict import Verdict, Violation
from tests.engine.generate import make_log, make_spec

_SEEDS = st.integers(0, 2**32)
_EXAMPLES = settings(max_examples=60, deadline=None)


def model_of(seed: int) -> tuple[Model, CompiledBinding] | None:
    """A generated model with its binding; now and then a made specification does not resolve."""
    model = load_text(make_spec(seed).text).model
    if model is None:
        return None
    binding, _ = choose_binding(model)
    assert binding is not None
    compiled, findings = compile_binding(model, binding)
    assert compiled is not None, findings
    return model, compiled


def records_of(seed: int, compiled: CompiledBinding, log_seed: int) -> list[Record]:
    found = records_from(make_log(make_spec(seed), log_seed), compiled)
    return [record for record in found if isinstance(record, Record)]


def judge(model: Model, client: Client, records: list[Record]) -> Verdict:
    monitor = Monitor(model, client)
    for record in records:
        monitor.feed(record)
    return monitor.finish()


def test_most_generated_specifications_resolve() -> None:
    resolved = [model_of(seed) is not None for seed in range(60)]
    assert sum(resolved) >= 50


@_EXAMPLES
@given(_SEEDS, _SEEDS)
def test_every_session_has_one_outcome_for_each_property(seed: int, log_seed: int) -> None:
    made = model_of(seed)
    if made is None:
        return
    model, compiled = made
    verdict = judge(model, compiled.client, records_of(seed, compiled, log_seed))
    for prop, tally in verdict.tallies.items():
        sessions = tally.satisfied + tally.violated + tally.inconclusive + tally.not_applicable
        assert sessions == verdict.sessions, prop
        violated = {v.session for v in verdict.violations if v.property == prop and v.session}
        assert tally.violated == len(violated), prop


@_EXAMPLES
@given(_SEEDS, _SEEDS)
def test_a_session_is_judged_alike_alone_and_among_others(seed: int, log_seed: int) -> None:
    made = model_of(seed)
    if made is None:
        return
    model, compiled = made
    records = records_of(seed, compiled, log_seed)
    if not records:
        return
    latest = max(r.time_ns for r in records if r.time_ns is not None)
    last = Record(records[-1].place, "the end", latest, ())
    together = judge(model, compiled.client, [*records, last])
    for session in {r.session for r in records}:
        alone = judge(model, compiled.client, [*(r for r in records if r.session == session), last])
        assert _of(alone, session) == _of(together, session)


@_EXAMPLES
@given(_SEEDS, _SEEDS)
def test_what_feed_and_finish_report_is_the_verdict(seed: int, log_seed: int) -> None:
    made = model_of(seed)
    if made is None:
        return
    model, compiled = made
    monitor = Monitor(model, compiled.client)
    told: list[Violation] = []
    for record in records_of(seed, compiled, log_seed):
        told.extend(monitor.feed(record))
    verdict = monitor.finish()
    told.extend(monitor.drain())
    assert sorted(map(repr, told)) == sorted(map(repr, verdict.violations))


@_EXAMPLES
@given(_SEEDS, _SEEDS, st.sampled_from(["cut", "sampled", "lacks", "untimed"]))
def test_knowing_less_of_a_recording_never_adds_a_finding_about_a_table(seed: int, log_seed: int, less: str) -> None:
    """What is inconclusive may hide a fault, but a client that shows less must not be blamed for more."""
    made = model_of(seed)
    if made is None:
        return
    model, compiled = made
    records = records_of(seed, compiled, log_seed)
    client = {
        "cut": Client(cut_start=True),
        "sampled": Client(sampled=True),
        "lacks": Client(lacking_events=frozenset(random.Random(log_seed).sample(["ping", "open", "shut", "lost"], 2))),
        "untimed": Client(has_time=False),
    }[less]
    if less == "untimed":
        records = [Record(r.place, r.session, None, r.events, r.body) for r in records]
    fully = judge(model, compiled.client, records)
    partly = judge(model, client, records)
    known = {v.session: v.place.line for v in reversed(fully.violations) if v.name in _FAULTS}
    for violation in partly.violations:
        if violation.name in _FAULTS:
            assert known.get(violation.session, violation.place.line + 1) <= violation.place.line, violation


_FAULTS = {"invalid-transition", "after-final", "lost-record", "unknown-state", "unknown-event", "missing-key"}


def _of(verdict: Verdict, session: str | None) -> list[Violation]:
    return [v for v in verdict.violations if v.session == session]
