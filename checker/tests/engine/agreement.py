"""Whether the monitor gives the answer of the reference engine. Owns the comparison and its cases; judges nothing.

An answer is everything an engine says: what each record found, what the end found, the verdict with its tallies,
coverage, counts and outcomes by session. It can be kept, so that one answer of the reference serves many monitors.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from lifespec.conformance import read_cases
from lifespec.engine import reference
from lifespec.load import load, load_text
from lifespec.model.model import Model
from lifespec.trace.binding import compile_binding
from lifespec.trace.choose import choose_binding
from lifespec.trace.event import Client, Record
from lifespec.trace.reader import Reader
from lifespec.verdict import Place, Verdict
from tests.engine.edge_log import edge_logs
from tests.engine.generate import make_spec
from tests.engine.generate_log import KINDS, make_client, make_records, told_by

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "checker" / "tests" / "data"
VOICE = """lifecycle openai-realtime
owner client, server
machine response per response {
  initial none
  state   in_progress
  final   completed, cancelled, failed, incomplete
  none        -> in_progress  on 'response.created'
  in_progress -> completed, cancelled, failed, incomplete
}
event 'session.created', 'response.output_audio.delta', close
"""


@dataclass(frozen=True)
class Case:
    """A log to be judged."""

    name: str
    model: Model
    client: Client
    records: list[Record]
    complete: bool = False


@dataclass(frozen=True)
class Answer:
    """Everything that an engine says of a case, in the order of saying."""

    fed: list[Any]
    drained: Any
    verdict: dict[str, Any]


def answer(make: Callable[[Model, Client], Any], case: Case) -> Answer:
    """What an engine says, fed record by record."""
    engine = make(case.model, case.client)
    fed = [engine.feed(record) for record in case.records]
    verdict = engine.finish(complete=True) if case.complete else engine.finish()
    return Answer(fed, engine.drain(), said(verdict))


def said(verdict: Verdict) -> dict[str, Any]:
    """A verdict as plain data."""
    coverage = verdict.coverage
    return {
        "violations": verdict.violations,
        "tallies": dict(verdict.tallies),
        "states": dict(coverage.states),
        "transitions": dict(coverage.transitions),
        "owners": dict(coverage.owners),
        "reasons": dict(coverage.reasons),
        "event names": dict(coverage.events),
        "records": verdict.records,
        "events": verdict.events,
        "sessions": verdict.sessions,
        "complete sessions": verdict.complete_sessions,
        "strays": verdict.strays,
        "outcomes": {session: dict(outcomes) for session, outcomes in verdict.sessions_by_outcome.items()},
    }


def answer_in_feeds(make: Callable[[Model, Client], Any], case: Case, cut: int) -> Answer:
    """What the monitor says when it is fed in two parts, records are known by their numbers, and what is finished is
    put away at once, to be unpacked by the next record of its session."""
    engine = make(case.model, case.client)
    engine.book.logs += [(0, "log"), (cut, "more")]
    fed = []
    for part in (range(cut), range(cut, len(case.records))):
        for number in part:
            engine.judge(case.records[number], number + 1)
            for session in list(engine.sessions.values()) if engine.tables.ending else ():
                engine.put_away(session)
        fed.append(engine.drain())
    verdict = engine.finish(complete=True) if case.complete else engine.finish()
    return Answer(fed, engine.drain(), said(verdict))


def in_feeds(expected: Answer, cut: int) -> Answer:
    """The answer about single records, put together for two feeds."""
    return replace(expected, fed=[tuple(chain(*part)) for part in (expected.fed[:cut], expected.fed[cut:])])


@dataclass
class Trial:
    """A case, fed record by record or (with a cut) in two parts."""

    case: Case
    cut: int | None = None
    _expected: Answer | None = None

    def expected(self) -> Answer:
        """The answer of the reference engine; worked out once."""
        if self._expected is None:
            found = answer(reference.Monitor, self.case)
            self._expected = found if self.cut is None else in_feeds(found, self.cut)
        return self._expected

    def run(self, engine: ModuleType) -> str | None:
        """How the monitor of a module differs, None when it agrees."""
        if self.cut is None:
            found = answer(engine.Monitor, self.case)
        else:
            found = answer_in_feeds(engine.Monitor, self.case, self.cut)
        said = difference(self.expected(), found)
        return None if said is None else f"{self.case.name}: {said}"


class Tried(Protocol):
    """What is tried of a monitor; the answer that it should give is worked out once."""

    def expected(self) -> object: ...

    def run(self, engine: ModuleType) -> str | None: ...


@dataclass(frozen=True)
class Check:
    """Some trials that belong together."""

    name: str
    trials: Sequence[Tried]

    def run(self, engine: ModuleType) -> str | None:
        """The first difference of a trial."""
        return next((said for trial in self.trials if (said := trial.run(engine)) is not None), None)


def difference(expected: Answer, found: Answer) -> str | None:
    """The first thing in which two answers differ, in words; None when they agree."""
    for number, (one, other) in enumerate(zip(expected.fed, found.fed, strict=True)):
        if one != other:
            return f"record {number + 1}: expected {one}, found {other}"
    if expected.drained != found.drained:
        return f"at the end: expected {expected.drained}, found {found.drained}"
    for name, one in expected.verdict.items():
        other = found.verdict[name]
        if one == other:
            continue
        if isinstance(one, dict) and isinstance(other, dict):
            keys = [key for key in {**one, **other} if one.get(key) != other.get(key)]
            return f"{name}: " + "; ".join(f"{key}: expected {one.get(key)}, found {other.get(key)}" for key in keys)
        return f"{name}: expected {one}, found {other}"
    return None


# --- generated cases -------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def generated_model(seed: int) -> Model | None:
    """The model of a generated specification; None when it does not resolve."""
    return load_text(make_spec(seed).text, profile="slow" if seed % 5 == 0 else None).model


@lru_cache(maxsize=4)
def _log(seed: int, log_seed: int) -> list[Record]:
    model = generated_model(seed)
    assert model is not None
    return make_records(model, log_seed)


def generated(seed: int, log_seed: int, kind: str) -> Case | None:
    """A case of a generated specification and log, told by a client of some kind."""
    model = generated_model(seed)
    if model is None:
        return None
    client = make_client(model, kind, log_seed)
    records = told_by(client, _log(seed, log_seed), log_seed)
    return Case(f"{seed} {log_seed} {kind}", model, client, records, complete=log_seed % 3 == 0)


def interleaved(case: Case, seed: int) -> Case:
    """The records in another order, in which those of each session stand as they did; lines are counted anew."""
    dice = random.Random(seed)
    waiting = {record.session: [r for r in case.records if r.session == record.session] for record in case.records}
    mixed = []
    while waiting:
        session = dice.choice(list(waiting))
        mixed.append(waiting[session].pop(0))
        if not waiting[session]:
            del waiting[session]
    records = [replace(record, place=replace(record.place, line=line)) for line, record in enumerate(mixed, 1)]
    return replace(case, name=f"{case.name} interleaved", records=records)


def in_two_logs(case: Case, cut: int) -> Case:
    """The same records, of which those behind the cut stand in a second log."""
    records = [
        replace(record, place=Place("log", number) if number <= cut else Place("more", number - cut))
        for number, record in enumerate(case.records, 1)
    ]
    return replace(case, name=f"{case.name} cut at {cut}", records=records)


def tried(seed: int, log_seed: int) -> Iterator[Trial]:
    """What is tried of a pair of seeds: a complete client; another, with sessions interleaved otherwise; and a third,
    in two feeds of two logs."""
    dice = random.Random(log_seed)
    second, third = dice.sample(KINDS[1:], 2)
    case = generated(seed, log_seed, "complete")
    if case is None:
        return
    yield Trial(case)
    case = generated(seed, log_seed, second)
    assert case is not None
    yield Trial(interleaved(case, log_seed))
    case = generated(seed, log_seed, third)
    assert case is not None
    cut = dice.randint(0, len(case.records))
    yield Trial(in_two_logs(case, cut), cut)


# --- cases that are kept -----------------------------------------------------------------------------------


@cache
def loaded(spec: Path) -> Model:
    model = load(spec).model
    assert model is not None, spec
    return model


def read(model: Model, log: Path, binding: str | None = None, *, name: str = "", complete: bool = False) -> Case:
    """The case of a log that is kept, read by a binding of its model."""
    chosen, findings = choose_binding(model, binding)
    assert chosen is not None, findings
    compiled, findings = compile_binding(model, chosen)
    assert compiled is not None, findings
    reader = Reader(compiled, str(log))
    with log.open("rb") as stream:
        records = [item for item in reader.read(stream) if isinstance(item, Record)]
    return Case(name or log.name, model, compiled.client, records, complete=complete)


def kept() -> Iterator[Case]:
    """Every conformance case, every field case, every sample of the published lifecycles, every recording."""
    for case in read_cases(ROOT / "conformance" / "cases"):
        for trace in case.traces:
            name = f"{case.id}:{trace}"
            yield read(loaded(case.spec), case.log(trace), case.binding, name=name, complete=case.complete)
    for spec in sorted((ROOT / "conformance" / "field-cases").glob("*/spec.lifespec")):
        for log in sorted(spec.parent.glob("*.jsonl")):
            yield read(loaded(spec), log, name=f"{spec.parent.name}:{log.name}")
    lifecycles = ROOT / "spec" / "lifecycles"
    avatar = loaded(lifecycles / "avatar" / "avatar.lifespec")
    for log in sorted((lifecycles / "avatar" / "samples").glob("*.jsonl")):
        yield read(avatar, log, name=f"avatar:{log.name}")
    webrtc = loaded(lifecycles / "webrtc" / "webrtc.lifespec")
    for log in sorted((lifecycles / "webrtc" / "samples").iterdir()):
        if log.name != "LICENSE":
            yield read(webrtc, log, name=f"webrtc:{log.name}")
    for log in (*sorted((DATA / "jitsi-rtcstats").iterdir()), DATA / "rtcstats" / "gumonly.jsonl"):
        yield read(webrtc, log, name=f"recording:{log.name}")
    voice = load_text(VOICE).model
    assert voice is not None
    for log in sorted((DATA / "realtime").iterdir()):
        yield read(voice, log, "realtime", name=f"recording:{log.name}")


# --- sessions that go on -----------------------------------------------------------------------------------


def finished() -> Iterator[Check]:
    """Samples of which the sessions go on behind their ends, so that what was put away is taken out again."""
    folder = ROOT / "spec" / "lifecycles" / "avatar"
    for number, log in enumerate(sorted((folder / "samples").glob("*.jsonl"))):
        case = read(loaded(folder / "avatar.lifespec"), log, name=f"avatar goes on:{log.name}")
        dice, cut = random.Random(number), len(case.records)
        latest = max(record.time_ns or 0 for record in case.records)
        more = [dice.choice(case.records) for _ in range(30)]
        later = [replace(each, time_ns=latest + turn * 500_000_000) for turn, each in enumerate(more, 1)]
        yield Check(case.name, [Trial(in_two_logs(replace(case, records=[*case.records, *later]), cut), cut)])


# --- edges -------------------------------------------------------------------------------------------------


def edges() -> Iterator[Check]:
    """Logs at the edges of what values, counts and times may be, which dice seldom find."""
    for name, spec, events in edge_logs():
        model = load_text(spec).model
        assert model is not None, load_text(spec).diagnostics
        records = [
            Record(Place("log", number), "s", time, tuple(each), {"events": [e.name for e in each]})
            for number, (time, *each) in enumerate(events, 1)
        ]
        for kind, client in _EDGE_CLIENTS.items():
            case = Case(f"{name}, {kind}", model, client, records)
            yield Check(case.name, [Trial(case)])


_EDGE_CLIENTS = {
    "complete": Client(),
    "cut": Client(cut_start=True),
    "sampled": Client(sampled=True),
    "fields": Client(lacking_fields=frozenset("ab"), lacking_events=frozenset(("go", "tell"))),
}
SEEDS = range(45)


def check_of(seed: int) -> Check:
    """The check that a seed stands for."""
    return Check(f"seed {seed}", list(tried(seed, seed)))


def checks() -> Iterator[Check]:
    """Every check, with its answers worked out."""
    for case in kept():
        yield Check(case.name, [Trial(case)])
    yield from finished()
    yield from edges()
    for seed in SEEDS:
        yield check_of(seed)


__all__ = ["Check", "Trial", "check_of", "checks", "edges", "finished", "kept", "tried"]
