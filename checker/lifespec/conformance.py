"""Conformance cases: logs and the verdicts that any engine must give. Owns the form of a case, how an engine or a
command is asked, and what counts as the same answer; decides no verdict itself.

The form is described in `conformance/README.md` and in `spec/schemas/`.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from lifespec.engine.reference import Monitor
from lifespec.load import load
from lifespec.model.model import Model
from lifespec.trace.binding import compile_binding
from lifespec.trace.choose import choose_binding
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.event import Client, Record
from lifespec.trace.reader import Reader
from lifespec.verdict import Verdict, Violation, sort_violations

_TIMEOUT_S = 60.0
_MOST_SHOWN = 400  # characters of what a command said

_Json = dict[str, Any]


class BadCase(Exception):
    """A case, or an answer to one, that is not of the form it should have. The text says why."""


class Engine(Protocol):
    """What judges the records of one log, as `Monitor` of the reference interpreter does."""

    def feed(self, record: Record) -> tuple[Violation, ...]: ...

    def finish(self, *, complete: bool = False) -> Verdict: ...


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding, as far as it is compared. What is None is not said, and then not compared.

    `line` counts from 1. `property` is None where the finding belongs to none, as an unknown event does. `key`
    has the parts of the instance's key as text, `witness_lines` the lines of the witnesses, each once, in their order.
    """

    line: int
    name: str
    property: str | None
    key: tuple[str, ...] | None = None
    field: str | None = None
    witness_lines: tuple[int, ...] | None = None

    def fits(self, found: Finding) -> bool:
        """Whether `found` is what this one asks for."""
        return (
            (self.line, self.name, self.property) == (found.line, found.name, found.property)
            and self.key in (None, found.key)
            and self.field in (None, found.field)
            and self.witness_lines in (None, found.witness_lines)
        )

    def __str__(self) -> str:
        said = [f"{self.line}: {self.name}"]
        if self.property is not None:
            said.append(self.property)
        if self.key:
            said.append(f"key {', '.join(self.key)}")
        if self.field is not None:
            said.append(f"field {self.field}")
        if self.witness_lines is not None:
            said.append(f"witnesses {list(self.witness_lines)}")
        return " ".join(said)


@dataclass(frozen=True, slots=True)
class Answer:
    """The findings of a log in the order of reports, and how properties came out over all its sessions."""

    findings: tuple[Finding, ...]
    outcomes: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_clean(self) -> bool:
        """Nothing is found, and whatever is said of the properties is that they are satisfied."""
        return not self.findings and all(outcome == "satisfied" for outcome in self.outcomes.values())


@dataclass(frozen=True, slots=True)
class Case:
    """One folder. `traces` has the expected answer for each log, by the log's name without its ending."""

    id: str
    rules: tuple[str, ...]
    description: str
    folder: Path
    traces: Mapping[str, Answer]
    binding: str | None = None
    complete: bool = False

    @property
    def spec(self) -> Path:
        return self.folder / "spec.lifespec"

    def log(self, trace: str) -> Path:
        return self.folder / f"{trace}.jsonl"


@dataclass(frozen=True, slots=True)
class Result:
    """How one trace of a case went. It passed when there are no `differences`."""

    case: Case
    trace: str
    differences: tuple[str, ...]


MakeEngine = Callable[[Model, Client], Engine]
Ask = Callable[[Case, str], Answer]  # a case and one of its traces


def run(cases: Iterable[Case], ask: Ask) -> Iterator[Result]:
    """Every trace of every case, asked and compared. What cannot be answered is a difference."""
    for case in cases:
        for trace, expected in case.traces.items():
            try:
                yield Result(case, trace, differences(expected, ask(case, trace)))
            except BadCase as error:
                yield Result(case, trace, (str(error),))


def differences(expected: Answer, found: Answer) -> tuple[str, ...]:
    """In what the two differ, in words. Findings must be all, and in their order (S58); of the outcomes those
    that are expected must be there."""
    said = []
    lines = [str(finding) for finding in found.findings]
    fits = [one.fits(other) for one, other in zip(expected.findings, found.findings, strict=False)]
    if len(lines) != len(expected.findings) or not all(fits):
        wanted = [str(finding) for finding in expected.findings]
        said.append(f"expected {_listed(wanted)}; found {_listed(lines)}")
    for prop, outcome in expected.outcomes.items():
        came = found.outcomes.get(prop)
        if came != outcome:
            said.append(f"{prop}: expected {outcome}, came out {came}")
    return tuple(said)


def _listed(findings: Sequence[str]) -> str:
    return " | ".join(findings) or "nothing"


# --- reading cases -----------------------------------------------------------------------------------


def read_cases(root: Path) -> tuple[Case, ...]:
    """All cases below `root`, in the order of their paths. Raises BadCase."""
    return tuple(read_case(path.parent, root) for path in sorted(root.rglob("case.json")))


def read_case(folder: Path, root: Path) -> Case:
    """The case in `folder`; its id must be its path below `root`. Raises BadCase."""
    path = folder / "case.json"
    about = _read_object(path)
    try:
        case = Case(
            id=about["id"],
            rules=tuple(about["rules"]),
            description=about["description"],
            folder=folder,
            traces={name: _read_answer(folder / f"{name}.verdict.json") for name in about["traces"]},
            binding=about.get("binding"),
            complete=about.get("complete", False),
        )
    except (KeyError, TypeError) as error:
        raise BadCase(f"{path}: {error!r}") from error
    if case.id != folder.relative_to(root).as_posix():
        raise BadCase(f"{path}: the id is not the path of the case")
    return case


def _read_object(path: Path) -> _Json:
    try:
        return _parse_object(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadCase(f"{path}: {error}") from error


def _read_answer(path: Path) -> Answer:
    return parse_answer(_read_object(path), str(path))


def _parse_object(text: str) -> _Json:
    """Raises ValueError for what is not a JSON object."""
    try:
        found = json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found


def parse_answer(found: _Json, origin: str) -> Answer:
    """An answer from its JSON form (`spec/schemas/verdict.schema.json`). Raises BadCase; `origin` is named then."""
    try:
        findings = tuple(_parse_finding(each) for each in found["findings"])
        outcomes = {str(prop): str(outcome) for prop, outcome in found.get("outcomes", {}).items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadCase(f"{origin}: not a verdict: {error!r}") from error
    return Answer(findings, outcomes)


def _parse_finding(each: _Json) -> Finding:
    key, lines = each.get("key"), each.get("witness_lines")
    return Finding(
        line=int(each["line"]),
        name=each["name"],
        property=each["property"],
        key=None if key is None else tuple(key),
        field=each.get("field"),
        witness_lines=None if lines is None else tuple(lines),
    )


# --- asking an engine --------------------------------------------------------------------------------


def ask_engine(case: Case, trace: str, make: MakeEngine = Monitor) -> Answer:
    """What an engine of this package says. Raises BadCase when the specification is not one."""
    model, compiled = _compiled(case)
    reader = Reader(compiled, str(case.log(trace)))
    engine = make(model, compiled.client)
    found: list[Violation] = []
    try:
        with case.log(trace).open("rb") as stream:
            for item in reader.read(stream):
                if isinstance(item, Violation):
                    found.append(item)
                else:
                    engine.feed(item)
    except OSError as error:
        raise BadCase(f"{case.log(trace)}: {error}") from error
    return answer_of(engine.finish(complete=case.complete), found)


def _compiled(case: Case) -> tuple[Model, CompiledBinding]:
    loaded = load(case.spec)
    if loaded.model is None:
        raise BadCase("; ".join(f"{each.name}: {each.message}" for each in loaded.diagnostics))
    binding, findings = choose_binding(loaded.model, case.binding)
    compiled = None
    if binding is not None:
        compiled, findings = compile_binding(loaded.model, binding)
    if compiled is None:
        raise BadCase("; ".join(f"{each.name}: {each.message}" for each in findings))
    return loaded.model, compiled


def answer_of(verdict: Verdict, of_reader: Iterable[Violation] = ()) -> Answer:
    """A verdict, and what the reader found, in the form of answers."""
    violations = sort_violations([*verdict.violations, *of_reader])
    return Answer(
        tuple(_finding(violation) for violation in violations),
        {str(prop): str(tally.outcome) for prop, tally in verdict.tallies.items()},
    )


def _finding(violation: Violation) -> Finding:
    return Finding(
        violation.place.line,
        violation.name,
        None if violation.property is None else str(violation.property),
        violation.key,
        violation.field,
        tuple(dict.fromkeys(witness.place.line for witness in violation.witnesses)),
    )


# --- asking a command --------------------------------------------------------------------------------


def command_line(case: Case, trace: str, command: Sequence[str]) -> list[str]:
    """How a command is called: SPEC LOG [--binding NAME] [--complete] behind its own words."""
    said = [*command, str(case.spec), str(case.log(trace))]
    if case.binding is not None:
        said += ["--binding", case.binding]
    if case.complete:
        said.append("--complete")
    return said


def ask_command(case: Case, trace: str, command: Sequence[str], timeout_s: float = _TIMEOUT_S) -> Answer:
    """What a command says: it writes its verdict as JSON on its standard output and ends with status 0 or 1.

    Raises BadCase when it cannot be run, takes longer than `timeout_s` seconds, or says something else.
    """
    try:
        done = subprocess.run(
            command_line(case, trace, command), capture_output=True, timeout=timeout_s, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise BadCase(f"{' '.join(command)}: {error}") from error
    if done.returncode not in (0, 1):
        why = done.stderr.decode("utf-8", "replace").strip()[:_MOST_SHOWN]
        raise BadCase(f"{' '.join(command)}: status {done.returncode}: {why}")
    try:
        found = _parse_object(done.stdout.decode("utf-8"))
    except ValueError as error:
        raise BadCase(f"{' '.join(command)}: no verdict on standard output: {error}") from error
    return parse_answer(found, " ".join(command))
