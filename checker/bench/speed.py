"""The figures of speed: ratios of what two processes took, which ran in turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from figure import Figure, not_available
from process import alternate, best_inside, best_outside
from setting import Setting, has_option, sound

_SHARES = (
    ("machines", "machines-only", 0.60, "all machines, required fields and owners, against only decoding the lines"),
    ("without-forbid", "without-forbid", 0.40, "the whole avatar but `forbid`, against only decoding the lines"),
    ("whole", "whole", 0.25, "the whole avatar, against only decoding the lines"),
)
_JOBS = (
    ("jobs", "two workers against one, the whole avatar"),
    ("jobs-same-bytes", "1: one worker and two write the same report, byte by byte"),
    ("jobs-same-bytes-with-faults", "1: the same for a log with illegal events"),
)


def against_bare_loop(setting: Setting) -> list[Figure]:
    """Events per second of three lifecycles against those of the loop that only decodes."""
    log = setting.log()
    commands = {"bare": setting.bare_loop(log)}
    commands |= {name: setting.timed_check(setting.spec(spec), log) for name, spec, _, _ in _SHARES}
    best = {name: _fault_free(best_inside(runs, setting.clock)) for name, runs in _alternated(setting, commands)}
    bare = _rate(best["bare"])
    return [
        Figure(f"speed-{name}", what, _rate(best[name]) / bare, limit, parts=_rates(best[name], bare=round(bare)))
        for name, _, limit, what in _SHARES
    ]


def workers(setting: Setting) -> list[Figure]:
    """Two workers against one, by the command line; and whether their reports are the same bytes."""
    limits = (1.7, 1, 1)
    if not has_option("--jobs"):
        return [
            not_available(name, what, limit, "this `lifespec check` has no --jobs")
            for (name, what), limit in zip(_JOBS, limits, strict=True)
        ]
    spec, log, faulty = setting.spec("whole"), setting.log(), setting.log(faults=0.001)
    one, two = setting.folder / "report-1.json", setting.folder / "report-2.json"

    def both(of: Path) -> dict[str, list[str | Path]]:
        return {
            "one": setting.check(spec, of, "--jobs", "1", "-o", one),
            "two": setting.check(spec, of, "--jobs", "2", "-o", two),
        }

    took = alternate(both(log), setting.rounds)
    seconds = {name: best_outside(runs, "wall") for name, runs in took.items()}
    same = one.read_bytes() == two.read_bytes()
    alternate(both(faulty), 1, good=(1,))
    same_with_faults = one.read_bytes() == two.read_bytes()
    parts = {f"seconds with {name}": round(each, 3) for name, each in seconds.items()}
    (jobs, first), (same_bytes, second), (with_faults, third) = _JOBS
    return [
        Figure(jobs, first, seconds["one"] / seconds["two"], limits[0], parts=parts),
        Figure(same_bytes, second, float(same), limits[1]),
        Figure(with_faults, third, float(same_with_faults), limits[2]),
    ]


def sparse(setting: Setting) -> list[Figure]:
    """Lines per second where one line in a hundred concerns the lifecycle, against a log where all do."""
    spec, dense, thin = setting.spec("sparse"), setting.log(), setting.log(share=0.01)
    commands = {"dense": setting.timed_check(spec, dense, "default")}
    commands |= {name: setting.timed_check(spec, thin, name) for name in ("by-name", "any-other")}
    best = {name: _fault_free(best_inside(runs, setting.clock)) for name, runs in _alternated(setting, commands)}
    base = _rate(best["dense"])
    whats = {
        "by-name": "a log of which 1 % concerns the lifecycle, the rest ignored by name, against a dense one",
        "any-other": "the same under `ignore any`",
    }
    return [
        Figure(f"sparse-{name}", what, _rate(best[name]) / base, 3, parts=_rates(best[name], dense=round(base)))
        for name, what in whats.items()
    ]


def bindings(setting: Setting) -> list[Figure]:
    """A binding that a reader has to work through, against a plain one; there is no limit."""
    spec, log = setting.spec("clauses"), setting.log()
    commands = {name: setting.timed_check(spec, log, name) for name in ("default", "clauses")}
    best = {name: _fault_free(best_inside(runs, setting.clock)) for name, runs in _alternated(setting, commands)}
    what = "a binding with a clause, for which all of each record is looked at, against a plain one"
    value = _rate(best["clauses"]) / _rate(best["default"])
    return [
        Figure(
            "binding-with-clauses",
            what,
            value,
            None,
            parts=_rates(best["clauses"], plain=round(_rate(best["default"]))),
        )
    ]


def linear(setting: Setting) -> list[Figure]:
    """Events per second in a log that is many times longer."""
    sizes = setting.sizes
    most_open = min(sizes.most_open, round(sizes.events * sizes.sessions_per_event))
    spec, short = setting.spec("machines-only"), setting.log()
    long = setting.log(sizes.events * sizes.growth, most_open=most_open)
    commands = {"short": setting.timed_check(spec, short), "long": setting.timed_check(spec, long)}
    return _ratio(
        setting,
        "linear",
        f"{sizes.growth} times the events with as many sessions open at once, against the shorter log",
        commands,
        limit=0.85,
    )


def states(setting: Setting) -> list[Figure]:
    """A machine of 600 states against one of six."""
    log = setting.ring_log(setting.sizes.events)
    commands = {
        "6 states": setting.timed_check(setting.spec("ring-6"), log),
        "600 states": setting.timed_check(setting.spec("ring-600"), log),
    }
    return _ratio(setting, "states", "600 states against 6 (a tenth is noise)", commands, limit=0.9)


def idle_rules(setting: Setting) -> list[Figure]:
    """A hundred rules that concern no event of the log against none."""
    log = setting.log()
    commands = {
        "0 rules": setting.timed_check(setting.spec("machines-only"), log),
        "100 rules": setting.timed_check(setting.spec("idle-rules"), log),
    }
    return _ratio(
        setting, "idle-rules", "100 rules that no event concerns against none (a tenth is noise)", commands, limit=0.9
    )


def against_reference(setting: Setting) -> list[Figure]:
    """The fast engine against the reference engine, by the command line; there is no limit."""
    name, what = "against-reference", "events per second of the engine of `check` against the reference engine"
    if not has_option("--engine"):
        return [not_available(name, what, None, "this `lifespec check` has no --engine")]
    spec, log = setting.spec("whole"), setting.log(setting.sizes.for_reference)
    commands = {
        "usual": setting.check(spec, log),
        "reference": setting.check(spec, log, "--engine", "reference"),
    }
    took = alternate(commands, setting.rounds)
    for runs in took.values():
        sound(runs[0])
    seconds = {engine: best_outside(runs, setting.clock) for engine, runs in took.items()}
    parts = {f"seconds with {engine}": round(each, 3) for engine, each in seconds.items()}
    return [Figure(name, what, seconds["reference"] / seconds["usual"], None, parts=parts)]


def _alternated(setting: Setting, commands: dict[str, list[str | Path]]) -> list[tuple[str, Any]]:
    return list(alternate(commands, setting.rounds).items())


def _ratio(setting: Setting, name: str, what: str, commands: dict[str, list[str | Path]], limit: float) -> list[Figure]:
    """The second command's rate against the first one's."""
    best = {each: _fault_free(best_inside(runs, setting.clock)) for each, runs in _alternated(setting, commands)}
    base, candidate = (_rate(answer) for answer in best.values())
    parts = {f"lines/s, {each}": round(_rate(answer)) for each, answer in best.items()}
    return [Figure(name, what, candidate / base, limit, parts=parts)]


def _rate(answer: dict[str, Any]) -> float:
    return float(answer["lines"]) / float(answer["took"])


def _rates(answer: dict[str, Any], **base: int) -> dict[str, float | int | str]:
    parts: dict[str, float | int | str] = {"lines": int(answer["lines"]), "lines/s": round(_rate(answer))}
    return parts | {f"lines/s, {name}": rate for name, rate in base.items()}


def _fault_free(answer: dict[str, Any]) -> dict[str, Any]:
    """The logs of these figures are legal: what finds something in them did not judge them right."""
    if answer.get("findings") or answer.get("status"):
        raise ValueError(f"a legal log was found faulty: {answer}")
    return answer
