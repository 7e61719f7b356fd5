"""The words of what the reader found in the bytes of a log: one function a finding name."""

from __future__ import annotations

from collections.abc import Callable

from lifespec.explain_line import Interest
from lifespec.explain_words import (
    Said,
    comma_help,
    duration,
    in_text,
    instance,
    joined,
    quoted,
    shortened_sentence,
    times,
)
from lifespec.model.model import Model
from lifespec.verdict import Violation

_READS = {
    "CSV": "say so in a binding, `read {form}`, or choose one with `--binding`",
    "XML": "XML is not read: have it written as JSON, one record a line, or as a table, which `read csv` reads",
    "YAML": "YAML is not read: have it written as JSON, one record a line",
}
"""What to do about a log of another form."""
_PATTERNS = 3  # shown of those that do not fit


def wrong_container(violation: Violation, model: Model) -> Said:
    return Said(
        f"the log is not what the binding reads: {_why(violation, 'another container')}",
        help=("look at the `read` of the binding, or choose another one with `--binding`",),
    )


def malformed_record(violation: Violation, model: Model) -> Said:
    if violation.expected:
        return _unfit_line(violation)
    if violation.found is not None:
        return Said(
            f"the log looks like {violation.found}, and the binding reads JSON, one record a line",
            "no JSON",
            help=(
                _READS.get(violation.found.partition(" ")[0], "").format(form=violation.found.replace("CSV", "csv")),
            ),
            column=violation.count,
        )
    return Said(
        f"the record cannot be read: {_why(violation, 'it is not JSON')}",
        "up to here" if violation.count else "",
        help=("where the log cannot be mended, `--max-malformed N` lets N of them pass as warnings",),
        column=violation.count,
    )


def _unfit_line(violation: Violation) -> Said:
    """A line of text that no `match record` takes apart."""
    nearest, *others = violation.expected
    facts = [("nearest", f'match record "{nearest}"')]
    facts += [("pattern", f'match record "{each}"') for each in others[:_PATTERNS]]
    if len(others) > _PATTERNS:
        facts.append(("pattern", f"and {len(others) - _PATTERNS} more"))
    return Said(
        f"the record cannot be read: {_why(violation, 'no `match` of the binding fits the line')}",
        violation.found or "up to here",
        facts=tuple(facts),
        help=(
            "a hole with a name takes at least one character, `{}` may take none; "
            "add a `match record` for such lines, or pass over what none fits with `ignore any`",
        ),
        column=violation.count,
    )


def _unfit_part(violation: Violation, part: str) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Where a part is read from the holes of a `match` that does not fit: the fact, and what to do."""
    if violation.found is None or not violation.expected:
        return (), ()
    patterns = joined([f'"{each}"' for each in violation.expected], "or", most=_PATTERNS)
    fact = (
        "note",
        f"the binding reads the {part} from a `match`, and {patterns} does not fit {quoted(violation.found)}",
    )
    return (fact,), (
        f"say behind `else` how such a text is read: `{part} = ... else ...`, from another `match` or as it is; "
        "a hole with a name takes at least one character",
    )


def duplicate_key(violation: Violation, model: Model) -> Said:
    name = violation.field or violation.found or "?"
    return Said(
        f"key {quoted(name)} stands twice in one object: the last one counts", "", (Interest(None, (_last(name),)),)
    )


def not_utf_8(violation: Violation, model: Model) -> Said:
    return Said(
        "the line is not UTF-8",
        "the first byte that is not" if violation.count else "",
        help=("write the log as UTF-8: other bytes cannot be told apart",),
        column=violation.count,
    )


def missing_session(violation: Violation, model: Model) -> Said:
    facts, help_ = _unfit_part(violation, "session")
    return Said(
        f"{_event(violation)} does not say its session",
        "no session here",
        _event_interest(violation),
        facts,
        help_ or ("log the session with every event, or say in the binding where it stands: `session = ...`",),
    )


def missing_key(violation: Violation, model: Model) -> Said:
    machine = violation.machine or "?"
    declared = model.machines.get(machine)
    missing = violation.field or joined(declared.keys if declared else (), "and") or "key"
    return Said(
        f"{_event(violation)} is for {instance(machine, ())} but lacks its key {quoted(missing)}",
        f"no {quoted(missing)} here",
        _event_interest(violation),
        help=(f"log {quoted(missing)} with every event of `{machine}`",),
    )


def missing_time(violation: Violation, model: Model) -> Said:
    facts, help_ = _unfit_part(violation, "time")
    return Said(
        f"{_event(violation)} has no time: it takes the one of the record before",
        "no time here",
        _event_interest(violation),
        facts,
        help_ or ("log a time with every event, or say `else previous` in the binding",),
    )


def unreadable_time(violation: Violation, model: Model) -> Said:
    usual = "say in the binding how it is written: `time = ... as iso8601`, `time = ... as ms since epoch`"
    return Said(
        f"the time {_found(violation)} cannot be read{_expected(violation)}",
        "not a time",
        (Interest(violation.found, ("time", "ts", "timestamp")), Interest(violation.found)),
        help=comma_help(violation.found, "time", "as s since start") or (usual,),
    )


def unreadable_value(violation: Violation, model: Model) -> Said:
    name = violation.field or "?"
    return Said(
        f"the value {_found(violation)} of {quoted(name)} cannot be converted{_expected(violation)}",
        "not readable",
        (Interest(None, (_last(name),)), Interest(violation.found)),
        help=comma_help(violation.found, in_text(_last(name)), "as number"),
    )


def time_reversed(violation: Violation, model: Model) -> Said:
    jump = f" by {duration(abs(violation.elapsed_ns))}" if violation.elapsed_ns else ""
    return Said(
        f"the time goes back{jump} against an earlier event",
        "earlier than before",
        (Interest(violation.found, ("time", "ts", "timestamp")), Interest(None, ("time", "ts", "timestamp"))),
        help=(
            "records out of order: `order by time within 5s` in the binding puts them right",
            "hosts with clocks of their own: `clock per HOST`; what one begins and another ends is then not measured",
        ),
    )


def late_record(violation: Violation, model: Model) -> Said:
    late = f" by {duration(abs(violation.elapsed_ns))}" if violation.elapsed_ns else ""
    return Said(
        f"the record comes too late{late}: a later one has been judged already",
        "too late to be put in its place",
        (Interest(None, ("time", "ts", "timestamp")),),
        help=("let `order by time within` hold records back for longer (`--lateness`)",),
    )


def sequence_gap(violation: Violation, model: Model) -> Said:
    number, due = violation.found or "?", violation.expected[0] if violation.expected else "?"
    is_ahead = number.isdigit() and due.isdigit() and int(number) > int(due)
    lost = f": {times(int(number) - int(due), 'record')} missing" if is_ahead else ": repeated, or out of order"
    return Said(
        f"number {quoted(number)} comes where {quoted(due)} is due{lost}",
        "not the next one",
        (Interest(number),),
        help=("where numbers begin again, `order by n from 0` says with which one",),
    )


def duplicate_record(violation: Violation, model: Model) -> Said:
    return Said(
        f"the record comes again: {violation.text or 'an earlier one'} has the same key; it is not judged twice",
        "again",
        _event_interest(violation),
        help=('where a log is delivered more than once, `allow duplicate-record "why"` makes it a count',),
    )


def late_join(violation: Violation, model: Model) -> Said:
    other = quoted(violation.found or "?")
    return Said(
        f"this session is said to be {other} as well, but both have records already: they are judged apart",
        "too late to join them",
        (Interest(violation.found),),
        help=("the record that joins two ids must be the first one of the new id",),
    )


def lacking_event_seen(violation: Violation, model: Model) -> Said:
    name = violation.event or violation.found or "?"
    return Said(
        f"{quoted(name)} occurs, though the binding says that this client lacks it",
        "it is here",
        (Interest(name, ("event", "name", "type")), Interest(name)),
        help=(f"take {quoted(name)} out of `lacks events`: rules that need it can then be judged",),
    )


def near_name(violation: Violation, model: Model) -> Said:
    name = violation.found or violation.event or "?"
    known = joined([quoted(each) for each in violation.expected], "or")
    written = in_text(name)
    return Said(
        f"{quoted(name)} is passed over{f', but is nearly {known}' if known else ''}",
        "passed over",
        (Interest(name, ("event", "name", "type")), Interest(name)),
        help=(f"if it is the same, write `rename event {written} -> ...`; if not, `ignore {written}` by name",),
    )


READING: dict[str, Callable[[Violation, Model], Said]] = {
    "wrong-container": wrong_container,
    "malformed-record": malformed_record,
    "duplicate-key": duplicate_key,
    "not-utf-8": not_utf_8,
    "missing-session": missing_session,
    "missing-key": missing_key,
    "missing-time": missing_time,
    "unreadable-time": unreadable_time,
    "unreadable-value": unreadable_value,
    "time-reversed": time_reversed,
    "late-record": late_record,
    "sequence-gap": sequence_gap,
    "duplicate-record": duplicate_record,
    "late-join": late_join,
    "lacking-event-seen": lacking_event_seen,
    "near-name": near_name,
}


def _event(violation: Violation) -> str:
    return quoted(violation.event) if violation.event else "an event"


def _event_interest(violation: Violation) -> tuple[Interest, ...]:
    name = violation.event
    return (Interest(name, ("event", "name", "type")), Interest(name)) if name else ()


def _why(violation: Violation, otherwise: str) -> str:
    return shortened_sentence(violation.text or otherwise, 120).replace(": ", ", ")


def _found(violation: Violation) -> str:
    return quoted(violation.found) if violation.found is not None else "in this record"


def _expected(violation: Violation) -> str:
    return f" as {joined(violation.expected, 'or')}" if violation.expected else ""


def _last(path: str) -> str:
    return path.rsplit(".", 1)[-1].split("[", 1)[0].strip("'")
