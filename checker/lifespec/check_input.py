"""What a check is asked: lifecycle, binding, logs and options -> what is to be judged, or the report that says why it
cannot be. Reads lifecycles and bindings, and no log.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from msgspec import structs

from lifespec.check_problem import no_time_to_order_by, not_one_binding
from lifespec.diagnostics import Diagnostic, Severity
from lifespec.diagnostics.render import severity_shown
from lifespec.filter.sieve import Filters, find_wrong
from lifespec.filter.where import NAME as WHERE
from lifespec.filter.where import Where, resolve_where
from lifespec.load import is_file, load
from lifespec.log_file import Log, find_repeated
from lifespec.model.model import Binding, Model
from lifespec.reports.report import Report
from lifespec.source import Source
from lifespec.trace.binding import compile_binding
from lifespec.trace.choose import choose_binding
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.library import is_library


@dataclass(frozen=True, slots=True)
class Options:
    """How to check. `complete`: every session is over. `max_malformed`: so many malformed records are only
    warnings. `min_matched`: so many percent of the records, without those that the binding ignores by name, must be
    events that the lifecycle knows. `allow_empty`: a log without a record is no problem. `join_files`: equal
    session ids in several logs are one session. `recording` says more than the binding of how the logs were
    recorded: "whole", "sampled", "cut-start", "cut-end". `lateness_ns`: records are sorted by time, so late ones
    too. `examples`: how many findings of one name and property are kept (None: all, as many as there may be, and
    only the first five have their line); all are counted. `engine`: "monitor", or "reference" for the slow one that
    says what is right. `strict_json`: look at all of each record, so that a key that stands twice is found, and a
    value that nobody reads may not be malformed. `jobs`: how many processes may judge, 0 for one on each core; the
    report is the same for any number. `filters`: what of all that is found is reported, and of which sessions; no
    verdict depends on the findings that are left out."""

    complete: bool = False
    max_malformed: int = 0
    allow_empty: bool = False
    join_files: bool = False
    min_matched: float = 1.0
    recording: frozenset[str] = frozenset()
    lateness_ns: int | None = None
    examples: int | None = None
    engine: Literal["monitor", "reference"] = "monitor"
    strict_json: bool = False
    jobs: int = 1
    filters: Filters = field(default_factory=Filters)


def load_to_check(
    spec: str | Path, binding: str | None, profile: str | None
) -> tuple[Model, str | None, tuple[Diagnostic, ...]] | Report:
    """The lifecycle in a file, the name of the binding, which may be in a file too, and what was found in both; where
    they have errors the Report that says so."""
    extra = [binding] if binding is not None and is_file(binding) else []
    loaded = load(spec, profile, extra)
    if loaded.model is None:
        errors = tuple(each for each in loaded.diagnostics if severity_shown(each) is Severity.ERROR)
        return Report("", None, profile, (str(spec),), binding or "", problems=errors, sources=loaded.sources)
    if extra:
        inside = [name for name, each in loaded.model.bindings.items() if each.span.file == binding]
        if len(inside) != 1:
            return replace(report_of(loaded.model, extra[0]), problems=(not_one_binding(extra[0], inside),))
        binding = inside[0]
    meant = None if binding is None or binding in loaded.model.bindings else _file_called(binding, spec)
    if meant is not None:
        _, (problem,) = choose_binding(loaded.model, binding)
        problem = structs.replace(problem, help=(f"`--binding {meant}` takes the one in that file",))
        return replace(report_of(loaded.model, binding or ""), problems=(problem,))
    return loaded.model, binding, tuple(loaded.diagnostics)


def logs_of(logs: str | Path | Sequence[str | Path | Log]) -> list[Log]:
    """The logs as they were given. Raises ValueError for none at all, and for one that is given twice."""
    given = [logs] if isinstance(logs, str | Path) else list(logs)
    named = [log if isinstance(log, Log) else Log(str(log)) for log in given]
    if not named:
        raise ValueError("no log is given: nothing would be checked")
    repeated = find_repeated(named)
    if repeated is not None:
        raise ValueError(f"{repeated} is given twice")
    return named


def _file_called(binding: str, spec: str | Path) -> str | None:
    """The file whose name without its ending is `binding`, here or beside the lifecycle; None where there is none."""
    places = (os.path.join(folder, f"{binding}.lifespec") for folder in ("", os.path.dirname(spec)))
    return next((place for place in places if os.path.isfile(place)), None)


def binding_to_check(
    model: Model, name: str | None, options: Options
) -> tuple[tuple[Binding, CompiledBinding] | None, tuple[Diagnostic, ...]]:
    """The binding of this name (None: the only one, else `default`), declared and compiled, with what `options` say of
    these logs in particular, and warnings about it; None with the problems with it."""
    binding, problems = choose_binding(model, name)
    if binding is None:
        return None, problems
    compiled, found = compile_binding(model, binding)
    errors = tuple(each for each in found if severity_shown(each) is Severity.ERROR)
    if errors or compiled is None:
        return None, errors
    if options.lateness_ns is not None and compiled.time is None:
        return None, (no_time_to_order_by(compiled.name),)
    return (binding, _as_recorded(compiled, options)), found


def said_of(binding: Binding, loaded: Iterable[Diagnostic], report: Report) -> tuple[Diagnostic, ...]:
    """The warnings about a binding and those that it extends: of loading, and those that the report has already."""
    spans = [binding.span, *(each.span for each in binding.statements)]
    found = [
        each
        for each in loaded
        if each.label is not None
        and severity_shown(each) is not Severity.ERROR
        and any(span.file == each.label.span.file and span.start <= each.label.span.start < span.end for span in spans)
    ]
    return tuple(sorted(dict.fromkeys([*found, *report.binding_findings]), key=lambda each: each.sort_key))


def _as_recorded(binding: CompiledBinding, options: Options) -> CompiledBinding:
    """The binding with what is said of these logs in particular."""
    client = binding.client
    if options.recording:
        client = replace(
            client,
            whole="whole" in options.recording,
            sampled="sampled" in options.recording,
            cut_start="cut-start" in options.recording,
            cut_end="cut-end" in options.recording,
        )
    lateness_ns = binding.lateness_ns if options.lateness_ns is None else options.lateness_ns
    return structs.replace(binding, client=client, lateness_ns=lateness_ns)


def filters_of(model: Model, options: Options) -> tuple[Where | None, tuple[Diagnostic, ...]]:
    """The condition on sessions, and what is wrong with the filters."""
    filters = options.filters
    wrong = find_wrong(filters, model)
    if filters.where is None:
        return None, wrong
    where, found = resolve_where(filters.where, model)
    return where, (*wrong, *found)


def with_where(report: Report, text: str) -> Report:
    """The report with the text of the condition among its sources, for findings about it."""
    return replace(report, sources={**report.sources, WHERE: Source(WHERE, text)})


def report_of(model: Model, binding: str) -> Report:
    return Report(
        lifecycle=model.name,
        version=model.version,
        profile=model.profile,
        specs=tuple(name for name in model.sources if not is_library(name)),
        binding=binding,
        sources=model.sources,
    )
