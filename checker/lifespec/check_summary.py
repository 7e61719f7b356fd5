"""Verdicts of several logs -> one summary: outcomes, what was never exercised, how good the logs are to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from lifespec.explain import Explainer
from lifespec.explain_route import trigger_words
from lifespec.explain_words import duration
from lifespec.model.model import Machine, Model, Transition
from lifespec.reports.report import Allowed, NeverExercised, Perhaps, PropertySummary, Quality
from lifespec.source import Span
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.count import Counts, NameCounts, renamed_names
from lifespec.trace.vocabulary import known_events
from lifespec.verdict import Coverage, Property, Tally, Verdict

_K = TypeVar("_K", bound=Hashable)

_NAMES = 100  # of passed-over and unknown names in a report


@dataclass(frozen=True, slots=True)
class Summary:
    properties: tuple[PropertySummary, ...]
    never_exercised: NeverExercised
    perhaps: tuple[Perhaps, ...]
    quality: Quality


@dataclass(frozen=True, slots=True)
class Sum:
    """What all verdicts together say."""

    tallies: Mapping[Property, Tally]
    coverage: Coverage


def add_verdicts(*verdicts: Sum | Verdict) -> Sum:
    """The tallies and coverages of verdicts, added up."""
    tallies: dict[Property, Tally] = {}
    coverages = []
    for verdict in verdicts:
        coverages.append(verdict.coverage)
        for prop, tally in verdict.tallies.items():
            tallies[prop] = tallies[prop].plus(tally) if prop in tallies else tally
    return Sum(
        tallies,
        Coverage(
            _total(each.states for each in coverages),
            _total(each.transitions for each in coverages),
            _total(each.owners for each in coverages),
            _total(each.reasons for each in coverages),
            _total(each.events for each in coverages),
            _total(each.perhaps for each in coverages),
        ),
    )


def _total(counts: Iterable[Mapping[_K, int]]) -> dict[_K, int]:
    total: Counter[_K] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)


def summarize(
    model: Model,
    binding: CompiledBinding,
    total: Sum,
    counts: Sequence[Counts],
    unknown: NameCounts,
    explainer: Explainer,
) -> Summary:
    """Everything of a report but its findings."""
    properties = tuple(
        PropertySummary(prop, _title(model, prop), _where(model, _span_of(model, prop)), tally)
        for prop, tally in total.tallies.items()
    )
    return Summary(
        properties, _never(model, binding, total), _perhaps(model, total.coverage), _quality(counts, unknown, explainer)
    )


# --- never exercised ---------------------------------------------------------------------------------


def _never(model: Model, binding: CompiledBinding, total: Sum) -> NeverExercised:
    coverage, client = total.coverage, binding.client
    if not total.tallies:
        return NeverExercised()
    machines = [machine for machine in model.machines.values() if machine.name not in client.lacking_machines]
    # What may have happened is neither exercised nor never exercised.
    reached = {at for at, times in coverage.states.items() if times}
    reached |= {(machine, target) for machine, _, _, target in coverage.perhaps}
    states = {m.name: tuple(s for s in m.states if (m.name, s) not in reached) for m in machines}
    transitions = {m.name: _unused(m, coverage) for m in machines}
    reason = model.fields.get("reason")
    reasons = reason.values if reason is not None and "reason" not in client.lacking_fields else ()
    named = binding.event is not None or bool(coverage.events)
    return NeverExercised(
        states={name: unused for name, unused in states.items() if unused},
        transitions={name: unused for name, unused in transitions.items() if unused},
        owners=tuple(o for o in model.owners if not coverage.owners.get(o)) if client.has_owner else (),
        reasons=tuple(each for each in reasons if not coverage.reasons.get(each)),
        rules=tuple(
            p.name for p, t in total.tallies.items() if p.kind == "rule" and not t.armed and not t.not_applicable
        ),
        events=tuple(
            e for e in sorted(known_events(model)) if e not in client.lacking_events and not coverage.events.get(e)
        )
        if named
        else (),
    )


def _unused(machine: Machine, coverage: Coverage) -> tuple[str, ...]:
    """The transitions of a machine that were certainly never taken: as a whole, or out of some of their states."""
    taken = (*coverage.transitions, *coverage.perhaps)
    used = {(index, source) for name, index, source, _ in taken if name == machine.name}
    unused = []
    for transition in machine.transitions:
        missing = [source for source in transition.sources if (transition.index, source) not in used]
        if len(missing) == len(transition.sources):
            unused.append(_words(transition, ["any"] if transition.from_any else missing))
        elif missing and not transition.from_any:
            unused.append(_words(transition, missing))
    return tuple(unused)


def _perhaps(model: Model, coverage: Coverage) -> tuple[Perhaps, ...]:
    """The transitions that were perhaps taken, in the order of the lifecycle."""
    found = []
    for machine in model.machines.values():
        transitions = {transition.index: transition for transition in machine.transitions}
        taken = sorted((key[1:], count) for key, count in coverage.perhaps.items() if key[0] == machine.name)
        found += [
            Perhaps(machine.name, _words(transitions[index], [source]), source, target, count)
            for (index, source, target), count in taken
        ]
    return tuple(found)


def _words(transition: Transition, sources: Sequence[str]) -> str:
    arrow = f" -> {', '.join(transition.targets)}" if transition.targets else ""
    trigger = trigger_words(transition)
    return f"{', '.join(sources)}{arrow}{f' {trigger}' if trigger else ''}"


# --- the quality of the logs -------------------------------------------------------------------------


def _quality(counts: Sequence[Counts], unknown: NameCounts, explainer: Explainer) -> Quality:
    passed_over: Counter[str] = Counter()
    allowed: dict[str, Allowed] = {}
    others = 0
    renamed = renamed_names(counts, explainer.mask)
    for each in counts:
        for name, number in each.passed_over.names.items():
            shown = explainer.mask(name)
            passed_over[" or ".join(renamed.get(shown, ())) or shown or "(without a name)"] += number
        others += each.passed_over.others
        for name, item in each.allowed.items():
            before = allowed[name].count if name in allowed else 0
            allowed[name] = Allowed(name, before + item.count, item.why)
    if others:
        passed_over["(other names)"] += others
    return Quality(
        passed_over=_most_frequent(passed_over),
        unknown=_most_frequent(Counter(unknown.names) + Counter({"(other names)": unknown.others})),
        allowed=tuple(item for item in allowed.values() if item.count),
        malformed=sum(each.malformed for each in counts),
        blank_lines=sum(each.blank for each in counts),
        skimmed=any(each.skimmed and each.records for each in counts),
    )


def _most_frequent(names: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(names.items(), key=lambda pair: (-pair[1], pair[0]))[:_NAMES])


# --- places in the spec ------------------------------------------------------------------------------


def _title(model: Model, prop: Property) -> str:
    if prop.kind != "bound":
        return prop.name
    within = model.machines[prop.name].states[prop.state].within_ns
    return prop.state if within is None else f"{prop.state} within {duration(within)}"


def _span_of(model: Model, prop: Property) -> Span | None:
    match prop.kind:
        case "transitions":
            return model.machines[prop.name].span
        case "bound":
            state = model.machines[prop.name].states[prop.state]
            return state.within_span or state.span
        case "rule":
            return next((rule.span for rule in model.rules if rule.name == prop.name), None)
        case "field":
            return model.fields[prop.name].span
        case "event":
            return model.events[prop.name].span
        case "forbid":
            return next((forbid.span for forbid in model.forbids if forbid.name == prop.name), None)
    return None


def _where(model: Model, span: Span | None) -> str:
    source = model.sources.get(span.file) if span is not None else None
    return f"{span.file}:{source.place(span.start)[0]}" if span is not None and source is not None else ""
