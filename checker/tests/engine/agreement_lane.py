"""Whether the fast lane over rows gives the answer of reader and reference engine. Owns logs as text and comparing.

A log is written as JSON lines in the words of a plain binding, is damaged as text too, and is read in small blocks.
"""

from __future__ import annotations

import importlib
import io
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from types import ModuleType
from typing import Any

from lifespec.engine import reference
from lifespec.load import load_text
from lifespec.model.model import Binding, Model
from lifespec.model.value import Duration, Instant, LogValue
from lifespec.trace.binding import compile_binding
from lifespec.trace.choose import choose_binding
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.event import Record
from lifespec.trace.reader import Reader
from lifespec.verdict import Place, Verdict, Violation
from tests.engine.agreement import ROOT, Check, loaded, said
from tests.engine.generate import make_spec
from tests.engine.generate_log import make_records

SECOND = 1_000_000_000
START = 1_767_225_600 * SECOND
BINDINGS = (
    "",
    "",
    "binding own extends default { ignore tick, nap }",
    "binding own extends default { ignore any }",
    "binding own extends default { ignore any except nonsense }",
    "binding own extends default { lacks fields n, ok }",
    "binding own extends default { lacks owners owner = none }",
    "binding own extends default { lacks events part }",
    "binding own { read json-lines session = s time = t as ms since epoch event = e machine = machine"
    " owner = who from = a to = z n = n d = d k = key h = h reason = why label = label }",
)


LANE_SEEDS = range(36)

# With no declared field, with one, and with keys.
SMALL = (
    "lifecycle x machine m { initial a state b final c a -> b on go b -> a on back b on tick b -> c on end }",
    "lifecycle x field n : int >= 0 machine m per k { initial a state b a -> b on go requires n remember x = n"
    " b -> a on back b on tick require m.x > 0 } rule few { always count(m in b) <= 2 }",
    "lifecycle x field reason : one of gone, late machine m per k { initial a failure b a -> b on fail b -> a on back"
    " a -> a on tick } machine p { initial s state t s -> t when m enters b t -> s on calm } rule r { on calm"
    " require p in t expect tick or m[k] in b within 3s }",
    "lifecycle x machine a per k { initial s state t within 3s s -> t on go t -> s on back }"
    " machine b per k { initial s state t s -> t on up t -> s on down t on beat }"
    " rule alive { while b in t expect beat every 4s }"
    " rule both { always count(a in t where b[a.k] in t) <= 1 }",
    "lifecycle x field n : int machine m per k { initial s state t s -> t on go remember x = n t on tick remember x = n"
    " t -> s on back } rule few { always sum(m.x in t) <= 3 }"
    " rule alive { while sum(m.x in t) > 1 expect go every 6s }",
    "lifecycle x machine m per k { initial a state b within 3s final c a -> b on go b -> a on back b -> c on end }"
    " rule r { on go expect pong or m[k] in c within 4s } event pong",
    "lifecycle x field n : int machine p { initial s state t final z s -> t on start t -> z on stop z on tick }"
    " machine m per k { initial a state b final c a -> b on go remember x = n b -> c on end c on tick }"
    " rule late { on tick require count(m in c) <= 2 and m[k].x > 0 }",
)


class Short(io.BytesIO):
    """A stream that gives few bytes at once."""

    most = 700

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self.most if size is None or size < 0 else min(size, self.most))


@dataclass
class LaneTrial:
    """A log as text."""

    name: str
    model: Model
    data: bytes
    complete: bool = False
    most: int = 700
    cut: int = 0  # lines behind which a second log begins
    _expected: dict[str, Any] | None = None

    def _binding(self) -> tuple[Binding, CompiledBinding]:
        binding, findings = choose_binding(self.model)
        assert binding is not None, findings
        compiled, findings = compile_binding(self.model, binding)
        assert compiled is not None, findings
        return binding, compiled

    def _logs(self) -> list[tuple[str, bytes]]:
        if not self.cut:
            return [("log", self.data)]
        lines = self.data.split(b"\n")
        return [("log", b"\n".join(lines[: self.cut])), ("more", b"\n".join(lines[self.cut :]))]

    def expected(self) -> dict[str, Any]:
        """What reader and reference engine say; worked out once."""
        if self._expected is None:
            _, compiled = self._binding()
            engine = reference.Monitor(self.model, compiled.client)
            found: list[Violation] = []
            readers = []
            for name, data in self._logs():
                readers.append(Reader(compiled, name))
                for item in readers[-1].read(io.BytesIO(data)):
                    found += (item,) if isinstance(item, Violation) else engine.feed(item)
            verdict = engine.finish(complete=self.complete)
            self._expected = _all(found, engine.drain(), verdict, readers)
        return self._expected

    def run(self, engine: ModuleType) -> str | None:
        """How the lane differs, None when it agrees, also when this is no log for the lane."""
        driver = importlib.import_module("lifespec.check_lane")
        binding, compiled = self._binding()
        monitor = engine.Monitor(self.model, compiled.client)
        fast = driver.find_fast(self.model, binding, compiled, monitor)
        if isinstance(fast, str):
            return None
        lane = driver.lane_of(fast, monitor, compiled, driver.Lane)
        lane.patience = 1  # so that it learns early what to expect
        found: list[Violation] = []
        readers = []
        for name, data in self._logs():
            readers.append(Reader(compiled, name))
            one_log = driver.LaneReader(fast, lane, readers[-1], name)
            stream = Short(data)
            stream.most = self.most
            for block in one_log.read(stream):
                found += block
            one_log.end()
        verdict = monitor.finish(complete=self.complete)
        answer = _all(found, monitor.drain(), verdict, readers)
        for part, one in self.expected().items():
            other = answer[part]
            if one == other:
                continue
            if isinstance(one, list | tuple):
                pairs = [(a, b) for a, b in zip([*one, None], [*other, None], strict=False) if a != b]
                one, other = pairs[0] if pairs else (len(one), len(other))
            elif isinstance(one, dict):
                keys = [key for key in {**one, **other} if one.get(key) != other.get(key)]
                one, other = {key: one.get(key) for key in keys}, {key: other.get(key) for key in keys}
            return f"{self.name}: {part}: expected {one}, found {other}"
        return None

    def is_fast(self, engine: ModuleType) -> bool:
        """Whether the lane reads it."""
        driver = importlib.import_module("lifespec.check_lane")
        binding, compiled = self._binding()
        monitor = engine.Monitor(self.model, compiled.client)
        return not isinstance(driver.find_fast(self.model, binding, compiled, monitor), str)


def _all(
    found: list[Violation], drained: tuple[Violation, ...], verdict: Verdict, readers: list[Reader]
) -> dict[str, Any]:
    everything = said(verdict)
    everything["violations"] = [_bare(each) for each in verdict.violations]
    counted = []
    for reader in readers:
        counts = {name: getattr(reader.counts, name) for name in _COUNTS}
        counts["findings"] = {name: times for name, times in counts["findings"].items() if name != _UNSEEN}
        counted.append(counts)
    return {
        "found": [_bare(each) for each in found if each.name != _UNSEEN],
        "at the end": [_bare(each) for each in drained],
        **everything,
        "counts": counted,
    }


_UNSEEN = "duplicate-key"  # the lane does not look for them, and says so
_COUNTS = (
    *("lines", "blank", "malformed", "records", "events", "findings", "occurred", "passed_over"),
    "greatest_reversal_ns",
)


def _bare(violation: Violation) -> Violation:
    """Lines only: the lane does not say at which byte they begin."""
    witnesses = tuple(replace(each, place=_line(each.place)) for each in violation.witnesses)
    wrote = tuple(replace(each, place=_line(each.place)) for each in violation.wrote)
    return replace(violation, place=_line(violation.place), witnesses=witnesses, wrote=wrote)


def _line(place: Place) -> Place:
    return Place(place.log, place.line)


# --- logs as text ------------------------------------------------------------------------------------------


def lane_trials(seed: int) -> Iterator[LaneTrial]:
    """The trials that a seed stands for."""
    dice = random.Random(seed)
    for number in range(2):
        binding = dice.choice(BINDINGS)
        model = load_text(make_spec(seed, is_plain=number == 0 or seed % 4 > 0).text + binding + "\n").model
        if model is None:
            continue
        records = make_records(model, seed + number, 130, is_plain=True)
        most = dice.choice((150, 700, 5000))
        text = written(records, dice, is_own="read json-lines" in binding)
        complete, cut = bool(dice.randrange(2)), dice.choice((0, 0, 60))
        yield LaneTrial(f"lane {seed} {number}", model, text, complete, most, cut)


def written(records: list[Record], dice: random.Random, *, is_own: bool) -> bytes:
    """The records as JSON lines, of which some are damaged."""
    style = dice.randrange(4)
    damage = dice.choice((0, 0, 1, 8))
    lines = []
    for record in records:
        for event in record.events[:1]:
            parts: dict[str, object] = {
                "time": _time(record.time_ns, style, is_own=is_own),
                "session": record.session,
                "event": event.name,
                "machine": event.machine,
                "from": event.source,
                "to": event.target,
                "owner": event.owner,
            }
            parts |= {name: _plain(value) for name, value in event.fields.items()}
            if is_own:
                names = {"time": "t", "session": "s", "event": "e", "owner": "who", "from": "a", "to": "z"}
                names |= {"k": "key", "reason": "why"}
                parts = {names.get(name, name): value for name, value in parts.items()}
            if dice.randrange(25) == 0:
                parts["why" if is_own else "reason"] = dice.choice((" ", "", None))
            if dice.randrange(60) == 0:
                parts["t" if is_own else "time"] = None
            chosen = {name: value for name, value in parts.items() if value is not None or dice.randrange(20) == 0}
            lines.append(_damaged(chosen, dice, damage))
    return "\n".join(lines).encode() + b"\n" * dice.randrange(2)


def _time(ns: int | None, style: int, *, is_own: bool) -> object:
    if ns is None:
        return None
    ns += START
    if is_own:
        return ns // 1_000_000 if ns % 1_000_000 == 0 else _Number(f"{ns // 1_000_000}.{ns % 1_000_000:06}")
    if style == 0:
        return _Number(f"{ns // SECOND}.{ns % SECOND:09}")
    whole = datetime.fromtimestamp(ns // SECOND, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    digits = 3 if ns % 1_000_000 == 0 else 6 if ns % 1000 == 0 else 9
    if style == 1 and ns % SECOND == 0:
        return f"{whole}Z"
    return f"{whole}.{ns % SECOND:09}"[: len(whole) + 1 + (9 if style == 3 else digits)] + "Z"


class _Number(str):
    """A number as it is to be written."""


def _plain(value: LogValue) -> object:
    if isinstance(value, Decimal):
        return _Number(value)
    if isinstance(value, Duration):
        return _Number(f"{Decimal(value.ns) / SECOND:f}")
    if isinstance(value, Instant):
        return _Number(f"{Decimal(value.ns + START) / SECOND:f}") if abs(value.ns) < 10**18 else value.ns // SECOND
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return {name: _plain(each) for name, each in value.items()} if isinstance(value, dict) else value


def _json(value: object) -> str:
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {_json(each)}" for name, each in value.items()) + "}"
    return "[" + ", ".join(map(_json, value)) + "]" if isinstance(value, list) else json.dumps(value)


def _damaged(parts: dict[str, object], dice: random.Random, damage: int) -> str:
    if dice.randrange(100) < damage:
        name = dice.choice([*parts, "time", "session", "event"])
        parts[name] = dice.choice(
            (None, "", " ", 7, True, ["x"], {"x": 1}, "2026-01-01T00:00:00Z", "nonsense", _Number("1e3"))
        )
    text = _json(parts)
    if dice.randrange(100) < damage:
        text = dice.choice(
            (text[:-1], "", "  ", f" {text}", f"{text} ", f"[{text}]", text + text, "nonsense", f"{text}\r")
        )
    if dice.randrange(100) < damage:
        name = dice.choice(list(parts) or ["x"])
        text = text.replace("{", f"{{{json.dumps(name)}: {_json(parts.get(name, 1))}, ", 1)
    return text


def lane_checks() -> Iterator[Check]:
    """The checks of the lane: the samples of the avatar lifecycle, and what seeds stand for."""
    folder = ROOT / "spec" / "lifecycles" / "avatar"
    avatar = loaded(folder / "avatar.lifespec")
    for log in sorted((folder / "samples").glob("*.jsonl")):
        yield Check(f"lane {log.name}", [LaneTrial(f"lane {log.name}", avatar, log.read_bytes())])
    for number, text in enumerate(SMALL):
        model = load_text(text).model
        assert model is not None, load_text(text).diagnostics
        data = written(make_records(model, number, 100, is_plain=True), random.Random(number), is_own=False)
        yield Check(f"lane small {number}", [LaneTrial(f"lane small {number}", model, data, most=400)])
    for seed in LANE_SEEDS:
        yield lane_check_of(seed)


def lane_check_of(seed: int) -> Check:
    """The check of the lane that a seed stands for."""
    return Check(f"lane {seed}", list(lane_trials(seed)))


__all__ = ["LaneTrial", "lane_check_of", "lane_checks", "lane_trials", "written"]
