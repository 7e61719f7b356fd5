"""The words of each violation: one function a finding name. Decides nothing; reads only typed fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from lifespec.diagnostics import find_nearest
from lifespec.explain_line import Interest
from lifespec.explain_words import (
    Said,
    comma_help,
    duration,
    in_text,
    instance,
    joined,
    listed,
    quoted,
    shortened_sentence,
)
from lifespec.model.model import FieldSpec, Machine, Model, On
from lifespec.model.value import Type
from lifespec.trace.vocabulary import known_events
from lifespec.verdict import Violation

_EVENT_KEYS = ("event", "name", "type")
_STATE_KEYS = ("to", "state", "value")
_LONGEST_CONDITION = 60  # characters of a condition that a message may hold; the facts below have it anyway
_LONGEST_MEANING = 140  # of what the spec says of a rule in words
_WORD = re.compile(r"[^\W\d][\w-]*")
_IN = re.compile(r"([^\W\d][\w-]*)(?:\[[^]]*\])?\s+(?:not\s+)?in\s+([^\W\d][\w-]*)")  # a machine, a state or a group


def invalid_transition(violation: Violation, model: Model) -> Said:
    where = f"in state {listed(violation.states, 'or')} of {_subject(violation)}"
    message = f"{_step(violation)} is not allowed {where}"
    return Said(message, "not allowed here", _step_interest(violation), _claimed(violation))


def after_final(violation: Violation, model: Model) -> Said:
    ended = f"after {_subject(violation)} ended in {listed(violation.states, 'or')}"
    help_: tuple[str, ...] = ()
    machine = model.machines.get(violation.machine or "")
    if machine is not None and machine.keys:
        help_ = (f"a new run of `{machine.name}` needs a new {listed(machine.keys)}",)
    return Said(
        f"{_step(violation)} came {ended}", "after the end", _step_interest(violation), _claimed(violation), help_
    )


def lost_record(violation: Violation, model: Model) -> Said:
    said = quoted(violation.source or "?")
    message = f"the record says that {_subject(violation)} left {said}, but it was in {listed(violation.states, 'or')}"
    return Said(
        message,
        "not the state before",
        (Interest(violation.source, ("from",)), Interest(violation.source), *_step_interest(violation)),
        help=(f"what led to {said} is missing from the log, or `from` is wrong",),
    )


def unknown_event(violation: Violation, model: Model) -> Said:
    if violation.event is None:
        name = violation.found or violation.target or "?"
        message = f"a step to {quoted(name)} is for no machine of the lifecycle"
        return Said(message, "for no machine", (Interest(name, _STATE_KEYS), Interest(name)))
    name = violation.event
    nearest = find_nearest(name, known_events(model))
    help_ = (
        f"did you mean `{nearest}`?"
        if nearest
        else f"declare {quoted(name)}, map it with `rename event`, or pass it over with `ignore` in the binding"
    )
    message = f"event {quoted(name)} is known to neither the lifecycle nor the binding"
    return Said(message, "not known", (Interest(name, _EVENT_KEYS), Interest(name)), help=(help_,))


def unknown_machine(violation: Violation, model: Model) -> Said:
    name = violation.machine or violation.found or "?"
    nearest = find_nearest(name, model.machines)
    help_ = (
        f"did you mean `{nearest}`?"
        if nearest
        else f"if the lifecycle has nothing to say of it, write `ignore machines {in_text(name)}` in the binding"
    )
    message = f"the lifecycle has no machine {quoted(name)}"
    return Said(
        message,
        "not a machine",
        (Interest(name, ("machine",)), Interest(name)),
        (("machines", listed(model.machines)),),
        (help_,),
    )


def unknown_state(violation: Violation, model: Model) -> Said:
    machine = model.machines.get(violation.machine or "")
    states: Iterable[str] = machine.states if machine else ()
    name = violation.found or next(
        (state for state in (violation.target, violation.source) if state and state not in states), "?"
    )
    nearest = find_nearest(name, states)
    help_ = (
        f"did you mean `{nearest}`?"
        if nearest
        else f"declare it, or map it with `rename state {in_text(name)} -> ...` in the binding"
    )
    message = f"{_machine(violation)} has no state {quoted(name)}"
    keys = (*_STATE_KEYS, "from") if name != violation.source else ("from",)
    facts = (("states", listed(states, most=12)),) if machine else ()
    return Said(message, "not one of its states", (Interest(name, keys), Interest(name)), facts, (help_,))


def missing_field(violation: Violation, model: Model) -> Said:
    name = quoted(violation.field or "?")
    message = f"{_owing(violation, model)} without the required field {name}"
    help_ = f"log {name} with this record: present, not null and not blank"
    return Said(message, f"no {name} here", _step_interest(violation), _field_facts(violation, model), (help_,))


def missing_reason(violation: Violation, model: Model) -> Said:
    message = f"{_owing(violation, model)} without saying a `reason`"
    declared = model.fields.get("reason")
    facts = (("reasons", listed(declared.values, most=12)),) if declared and declared.values else ()
    help_ = "log `reason` with this record"
    return Said(message, "no `reason` here", _step_interest(violation), facts, (help_,))


def invalid_field(violation: Violation, model: Model) -> Said:
    name = violation.field or "?"
    spec = model.fields.get(name)
    expected = type_words(spec) if spec else joined(violation.expected, "or")
    found = f" is {quoted(violation.found)}" if violation.found is not None else " has another value"
    if spec is not None and spec.like is not None:  # free text, where personal data appears: never repeated
        found = " has another form"
    help_: tuple[str, ...] = ()
    nearest = find_nearest(violation.found or "", spec.values) if spec else None
    if nearest:
        help_ = (f"did you mean `{nearest}`?",)
    elif spec and spec.type in (Type.INT, Type.NUMBER):
        help_ = comma_help((violation.found or "").strip('"'), in_text(name), "as number")
    elif spec and spec.type in (Type.DURATION, Type.INSTANT):
        help_ = (f"say the unit in the binding: `{name} = {name} as ms{_since(spec)}`",)
    message = f"field {quoted(name)}{found}, declared as {expected}"
    return Said(message, f"not {expected}", (Interest(None, (_last(name),)), Interest(violation.found)), help=help_)


def forbidden_value(violation: Violation, model: Model) -> Said:
    kind = violation.property.name if violation.property else "value"
    where = f" under {quoted(violation.field)}" if violation.field else ""
    message = f"the record holds {_article(kind)} {quoted(kind)}{where}, which the lifecycle forbids"
    help_ = "leave the value out where it is logged, or write a mark such as `[redacted]` in its place"
    label = "masked here, not in the log"
    return Said(
        message, label, (Interest(None, (_last(violation.field or ""),)), Interest("[redacted]")), help=(help_,)
    )


def wrong_owner(violation: Violation, model: Model) -> Said:
    found = violation.owner or violation.found or "?"
    expected = violation.expected
    only = f"but belongs to {listed(expected, 'or')}" if expected else "but has another owner"
    message = f"{_step(violation)} of {_subject(violation)} came from {quoted(found)}, {only}"
    nearest = find_nearest(found, expected) if found not in model.owners else None
    help_ = (f"did you mean `{nearest}`?",) if nearest else ()
    if found not in model.owners and not nearest:
        help_ = (f"{quoted(found)} is no declared owner: map it with `rename owner` in the binding",)
    return Said(message, "not its owner", (Interest(found, ("owner",)), Interest(found)), help=help_)


def requirement_failed(violation: Violation, model: Model) -> Said:
    what = violation.doc or violation.text or "a requirement"
    message = f"{_step(violation)} of {_subject(violation)} fails its requirement: {what}"
    facts = (*_required(violation), *_parameters(violation, model))
    return Said(message, "required here", _step_interest(violation), facts)


def overdue(violation: Violation, model: Model) -> Said:
    state = listed(violation.states[:1] or ((violation.target,) if violation.target else ()))
    message = f"{_subject(violation)} stayed in {state} longer than {_bound(violation)}"
    return Said(
        message,
        f"enters {state}",
        _step_interest(violation),
        (*_elapsed(violation), *_parameters(violation, model)),
        _ways_out(violation, model),
    )


def silent(violation: Violation, model: Model) -> Said:
    message = f"no sign of life for more than {_bound(violation)}, against rule {_rule(violation)}"
    facts = (*_elapsed(violation), *_rule_facts(violation, model))
    is_after = any(each.role == "last sign of life" and each.place < violation.place for each in violation.witnesses)
    return Said(message, "the silence ends here" if is_after else "", _step_interest(violation), facts)


def unanswered(violation: Violation, model: Model) -> Said:
    asked = quoted(violation.event) if violation.event else _entering(violation)
    ended = any(each.role == "end of the log" for each in violation.witnesses)
    ended = ended or (violation.deadline_ns is not None and not violation.witnesses)  # it was the last record itself
    is_due = violation.deadline_ns is not None and not ended
    over = "before the log was over" if ended else "before the session was over"  # a deadline may have passed or not
    within = f"within {_bound(violation)}" if is_due else over
    message = f"{asked} was not followed {within} by what rule {_rule(violation)} expects"
    facts = (*_elapsed(violation), *_rule_facts(violation, model))
    return Said(message, "asked here", _step_interest(violation), facts)


def rule_broken(violation: Violation, model: Model) -> Said:
    meaning = violation.doc or _rule_doc(violation, model)
    what = meaning or violation.text or ""
    message = f"rule {_rule(violation)} does not hold"
    facts = _rule_facts(violation, model)
    longest = _LONGEST_MEANING if meaning else _LONGEST_CONDITION
    if len(what) > longest:  # the facts below have all of it
        message += f": {shortened_sentence(what, longest)}"
    elif what:
        message += f": {what}"
        facts = tuple(fact for fact in facts if fact[1] != what)
    return Said(message, "does not hold here", _step_interest(violation), facts)


def too_many(violation: Violation, model: Model) -> Said:
    what = quoted(violation.event or "?")
    count = f"{what} is number {violation.count}" if violation.count else f"{what} is one too many"
    message = f"{count}, more than rule {_rule(violation)} allows"
    return Said(message, "one too many", _step_interest(violation), _rule_facts(violation, model))


def unfinished(violation: Violation, model: Model) -> Said:
    if violation.machine:
        left = f"{_subject(violation)} is left in {listed(violation.states, 'or')}"
    else:
        left = f"rule {_rule(violation)} still waits for an answer"
    label = f"enters {listed(violation.states, 'or')}" if violation.machine and violation.event else ""
    return Said(f"the session is complete, but {left}", label, _step_interest(violation), _rule_facts(violation, model))


VIOLATIONS: dict[str, Callable[[Violation, Model], Said]] = {
    "invalid-transition": invalid_transition,
    "after-final": after_final,
    "lost-record": lost_record,
    "unknown-event": unknown_event,
    "unknown-machine": unknown_machine,
    "unknown-state": unknown_state,
    "missing-field": missing_field,
    "missing-reason": missing_reason,
    "invalid-field": invalid_field,
    "forbidden-value": forbidden_value,
    "wrong-owner": wrong_owner,
    "requirement-failed": requirement_failed,
    "overdue": overdue,
    "silent": silent,
    "unanswered": unanswered,
    "rule-broken": rule_broken,
    "too-many": too_many,
    "unfinished": unfinished,
}


def type_words(spec: FieldSpec) -> str:
    """A declared type as the language writes it: `int >= 1`, `one of a, b`."""
    if spec.type is Type.ONE_OF:
        return f"one of {listed(spec.values, 'or', most=12)}"
    words = spec.type.value
    if spec.bounds:
        written = (f"{sign} {_number(spec, value)}" for sign, value in spec.bounds)
        words += f" {' and '.join(written)}"
    if spec.like is not None:
        words += f' like "{spec.like}"'
    return quoted(words)


def _number(spec: FieldSpec, value: int | float) -> str:
    return duration(int(value)) if spec.type is Type.DURATION else str(value)


def _since(spec: FieldSpec) -> str:
    return " since epoch" if spec.type is Type.INSTANT else ""


def _machine(violation: Violation) -> str:
    return quoted(violation.machine or "?")


def _subject(violation: Violation) -> str:
    return instance(violation.machine or "?", violation.key)


def _rule(violation: Violation) -> str:
    return quoted(violation.property.name) if violation.property else "?"


def _step(violation: Violation) -> str:
    """What the record says has happened: an event, a step into a state, or both."""
    if violation.event and violation.target:
        return f"{quoted(violation.event)} to {quoted(violation.target)}"
    if violation.event:
        return quoted(violation.event)
    if violation.target:
        return f"a step to {quoted(violation.target)}"
    return "this step"


def _entering(violation: Violation) -> str:
    return f"{_subject(violation)} entering {listed(violation.states or ((violation.target or '?'),), 'or')}"


def _step_interest(violation: Violation) -> tuple[Interest, ...]:
    event, target = violation.event, violation.target
    found: list[Interest] = []
    if event:
        found += [Interest(event, _EVENT_KEYS), Interest(event)]
    if target:
        found += [Interest(target, _STATE_KEYS), Interest(target)]
    for state in () if found else violation.states:
        found += [Interest(state, _STATE_KEYS), Interest(state)]
    return (*found, Interest(None, _EVENT_KEYS[:1]))


def _owing(violation: Violation, model: Model) -> str:
    """Who owes the field: an event, or the record that enters a state."""
    if not violation.machine:
        return f"{_step(violation)} comes"
    if violation.target and not violation.event:
        return f"{_subject(violation)} enters {quoted(violation.target)}"
    state = model.machines[violation.machine].states.get(violation.target or "") if violation.target else None
    if state is not None and violation.field in state.requires and violation.event:
        return f"{quoted(violation.event)} takes {_subject(violation)} to {quoted(state.name)}"
    return f"{quoted(violation.event or '?')} of {_subject(violation)} comes"


def _field_facts(violation: Violation, model: Model) -> tuple[tuple[str, str], ...]:
    if violation.field == "owner" and violation.expected:
        return (("expected", listed(violation.expected, "or")),)
    spec = model.fields.get(violation.field or "")
    if spec is None:
        return ()
    return (("field", f"{quoted(spec.name)} is {type_words(spec)}{f', {spec.doc}' if spec.doc else ''}"),)


def _claimed(violation: Violation) -> tuple[tuple[str, str], ...]:
    if violation.source and violation.source not in violation.states:
        return (("note", f"the record says that it leaves {quoted(violation.source)}"),)
    return ()


def _required(violation: Violation) -> tuple[tuple[str, str], ...]:
    """The condition as written, when the message has given its documentation instead."""
    return (("require", violation.text),) if violation.doc and violation.text else ()


def _rule_facts(violation: Violation, model: Model) -> tuple[tuple[str, str], ...]:
    """What the rule is for, what it says, and what its parameters are set to."""
    meaning = violation.doc or _rule_doc(violation, model)
    facts = [("meaning", meaning)] if meaning else []
    if violation.text:
        facts.append(("says", violation.text))
    return (*facts, *_groups(violation, model), *_parameters(violation, model))


def _groups(violation: Violation, model: Model) -> Iterator[tuple[str, str]]:
    """The groups of states that the rule names: their names could be those of states."""
    for name, state in dict.fromkeys(_IN.findall(violation.text or "")):
        machine = model.machines.get(name)
        group = machine.groups.get(state) if machine is not None else None
        if machine is not None and group is not None:
            states = listed(each for each in machine.states if each in group.states)
            yield "group", f"{quoted(state)} of {quoted(name)} is any of its states {states}"


def _rule_doc(violation: Violation, model: Model) -> str | None:
    name = violation.property.name if violation.property else ""
    return next((rule.doc for rule in model.rules if rule.name == name), None)


def _parameters(violation: Violation, model: Model) -> tuple[tuple[str, str], ...]:
    """The parameters that stand in the text of what was broken, and where their values were tested."""
    words = dict.fromkeys(_WORD.findall(violation.text or ""))
    facts = []
    for word in words:
        param = model.params.get(word)
        if param is not None:
            tested = f" (tested: {param.tested})" if param.tested else ""
            facts.append(("param", f"`{param.name}` is {param.written}{tested}"))
    return tuple(facts)


def _bound(violation: Violation) -> str:
    return duration(violation.deadline_ns) if violation.deadline_ns is not None else violation.text or "its bound"


def _elapsed(violation: Violation) -> tuple[tuple[str, str], ...]:
    if violation.elapsed_ns is None:
        return ()
    return (("elapsed", f"{duration(violation.elapsed_ns)} so far, allowed are {_bound(violation)}"),)


def _ways_out(violation: Violation, model: Model) -> tuple[str, ...]:
    machine: Machine | None = model.machines.get(violation.machine or "")
    if machine is None or not violation.states:
        return ()
    ways = [
        transition.trigger.events[0]
        for transition in machine.transitions
        if violation.states[0] in transition.sources and not transition.stays and isinstance(transition.trigger, On)
    ]
    return (f"it is left by {listed(dict.fromkeys(ways), 'or', most=6)}",) if ways else ()


def _last(path: str) -> str:
    """The last key of a path: `data.users[2].mail` is found under `mail`."""
    return path.rsplit(".", 1)[-1].split("[", 1)[0].strip("'")


def _article(word: str) -> str:
    return "an" if word[:1].lower() in "aeiou" else "a"
