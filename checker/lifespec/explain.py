"""Violation -> words. The only place that speaks about what went wrong in a log.

A violation comes in and is masked before anything is said of it: no forbidden value reaches a message, a
note or a line. The words of each finding are in `explain_violation` and `explain_reading`; what is allowed
and the shortest legal way come from `analysis.route`. Reads no file: `line_of` hands it the line of a place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from lifespec.analysis.route import allowed, shortest_way
from lifespec.diagnostics import Severity, severity_of
from lifespec.explain_line import REDACTED, Interest, find_mark, masked_line
from lifespec.explain_reading import READING
from lifespec.explain_route import allowed_words, way_words
from lifespec.explain_size import shortened_texts
from lifespec.explain_violation import VIOLATIONS
from lifespec.explain_words import Said, duration, instant, listed, quoted, shortened
from lifespec.model.forbidden import find_forbidden, find_suspects
from lifespec.model.model import Machine, Model, On
from lifespec.model.value import Type
from lifespec.source import Span
from lifespec.trace.raw_name import RawNames
from lifespec.trace.vocabulary import known_events
from lifespec.verdict import Place, Violation, Witness

LineOf = Callable[[Place], str | None]

_WITNESSES = 4
_ABOUT_FIELDS = frozenset({"rule-broken", "requirement-failed"})
_WORD = re.compile(r"(?<![\w.\"-])[a-z][\w-]*(?![\w.(\"\[-])")
_WITH_ALLOWED = frozenset({"invalid-transition", "after-final"})
_WITH_RAW_NAME = frozenset({"unknown-event", "near-name", "lacking-event-seen"})
_ROLES = {
    "after the deadline": "the first record after the deadline",
    "end of the log": "the last record of the log",
    "last sign of life": "the last sign of life",
    "previous": "the event before",
}
_SINGLE = ("session", "event", "source", "target", "owner", "found", "text")
_PART = re.compile(r"'(?:[^'\\]|\\.)*'|[^.\[\]]+")  # of a path: a quoted key, or what stands between dots


@dataclass(frozen=True, slots=True)
class Explained:
    """A finding in a log, with words. `violation` is what it was made of, masked.

    `line` is the (masked) line of the log, None where it is not shown; `mark` are the characters of it (from,
    to) that `label` is about. `facts` are pairs of a kind and a text. `rule` says what was broken and where
    that is written. Everything but `message` may be empty. `number` is its place in the order of detection.
    """

    violation: Violation
    severity: Severity
    message: str
    line: str | None = None
    mark: tuple[int, int] | None = None
    label: str = ""
    witnesses: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    help: tuple[str, ...] = ()
    rule: str = ""
    number: int = 0

    @property
    def name(self) -> str:
        return self.violation.name

    @property
    def place(self) -> Place:
        return self.violation.place


def explain(violation: Violation, model: Model, line_of: LineOf) -> Explained:
    """The words of one violation; `line_of` gives the line of a log, or None when it cannot be read again."""
    return Explainer(model, line_of).explain(violation)


class Explainer:
    """Explains the violations of logs of one lifecycle."""

    def __init__(self, model: Model, line_of: LineOf, raw: RawNames | None = None) -> None:
        self._model = model
        self._raw = raw or RawNames(())  # how the log calls what a binding renamed
        self._line_of = line_of
        self._declared = declared_names(model)
        self._suspects = find_suspects(model.forbids)

    def mask(self, text: str, path: str = "") -> str:
        """The text, or a mark in its place when it holds a forbidden value."""
        return REDACTED if self._holds(path, text) else text

    def shown_name(self, text: str) -> str:
        """The same, but a name of the lifecycle is always shown."""
        return text if text in self._declared else self.mask(text)

    def masked_line(self, line: str) -> str | None:
        """A line of a log without forbidden values; None where one stands that cannot be taken out."""
        if self._suspects is None or not self._suspects(line.encode("utf-8", "replace")):
            return line
        return masked_line(line, self._holds)

    def shown(self, violation: Violation) -> Violation:
        """The violation as it may be shown: without forbidden values, and with long texts cut."""
        return shortened_texts(self._masked(violation))

    def explain(self, violation: Violation, *, with_line: bool = True, number: int = 0) -> Explained:
        """The words of one violation. Without its line where it is only one of many."""
        shown = self.shown(violation)
        said = self._say(shown)
        line, mark = self._line(shown, said) if with_line else (None, None)
        ways = self._allowed(shown) if shown.name in _WITH_ALLOWED else ()
        return Explained(
            violation=shown,
            severity=violation_severity(shown),
            message=said.message,
            line=line,
            mark=mark,
            label=said.label,
            witnesses=self._witnesses(shown),
            allowed=ways,
            facts=(
                *self._key(shown),
                *self._own_fields(shown, line),
                *self._wrote(shown),
                *self._called(shown, line),
                *self._where_note(shown),
                *said.facts,
            ),
            help=(*said.help, *self._renamed_otherwise(shown), *self._shortest(shown)),
            rule=self._rule(shown),
            number=number,
        )

    def _say(self, violation: Violation) -> Said:
        words = VIOLATIONS.get(violation.name) or READING.get(violation.name)
        return words(violation, self._model) if words else Said(violation.text or violation.name)

    def _renamed_otherwise(self, shown: Violation) -> tuple[str, ...]:
        """Where the binding renames a number and the log has a text that looks like it, or the other way round."""
        found = shown.found or ""
        if shown.name != "invalid-field" or not self._raw.renamed_otherwise(shown.field or "", found):
            return ()
        number = found.strip('"')
        if found.startswith('"'):
            return (f'the binding renames the number {number}, and the log has a text: write `"{number}"`',)
        return (f'the binding renames the text "{number}", and the log has a number: write `{number}`',)

    # --- masking -------------------------------------------------------------------------------------

    def _holds(self, path: str, text: str) -> bool:
        return any(find_forbidden(forbid, path, text) for forbid in self._model.forbids)

    def _masked(self, violation: Violation) -> Violation:
        """The violation without forbidden values in what it took from the log."""
        spec = self._model.fields.get(violation.field or "")
        if violation.name == "invalid-field" and spec is not None and spec.like is not None:
            violation = replace(violation, found=None)
        if not self._model.forbids:
            return violation
        changes: dict[str, object] = {}
        for name in _SINGLE:
            value = getattr(violation, name)
            if isinstance(value, str) and self._holds("", value) and not self._is_declared(value):
                changes[name] = REDACTED
        if violation.field is not None and not self._is_declared(violation.field):
            changes["field"] = self._masked_path(violation.field)
        key = tuple(self.mask(part) for part in violation.key)
        if key != violation.key:
            changes["key"] = key
        witnesses = tuple(self._masked_witness(witness) for witness in violation.witnesses)
        if witnesses != violation.witnesses:
            changes["witnesses"] = witnesses
        wrote = tuple(self._masked_witness(witness) for witness in violation.wrote)
        if wrote != violation.wrote:
            changes["wrote"] = wrote
        return replace(violation, **changes) if changes else violation  # type: ignore[arg-type]  # fields by name

    def _masked_witness(self, witness: Witness) -> Witness:
        """The witness without forbidden values in its event and in what was remembered."""
        event = self.mask(witness.event) if witness.event is not None else None
        value = self.mask(witness.value) if isinstance(witness.value, str) else witness.value
        return replace(witness, event=event, value=value)

    def _masked_path(self, path: str) -> str:
        """The path of a value without the keys in it that hold a forbidden value; as a whole where such a key
        is more than one part of it."""
        masked = _PART.sub(lambda part: self.mask(part.group()), path)
        return self.mask(masked)

    def _is_declared(self, text: str) -> bool:
        return text in self._declared

    # --- the line ------------------------------------------------------------------------------------

    def _line(self, violation: Violation, said: Said) -> tuple[str | None, tuple[int, int] | None]:
        line = self._line_of(violation.place)
        if line is None:
            return None, None
        spec = self._model.fields.get(violation.field or "")
        if violation.name == "invalid-field" and spec is not None and spec.like is not None:
            return None, None  # what has not its form may be anything: it is never repeated
        masked = masked_line(line, self._holds) if self._model.forbids else line
        if masked is None or (violation.name == "forbidden-value" and masked == line):
            return None, None  # the value stands where it cannot be masked
        mark = find_mark(masked, said.interests) or find_mark(masked, self._as_logged(said.interests))
        if mark is None and said.column is not None and masked == line:
            at = len(line.encode("utf-8", "replace")[: said.column - 1].decode("utf-8", "ignore"))
            mark = (at, at + 1)
        return masked, mark

    def _as_logged(self, interests: tuple[Interest, ...]) -> tuple[Interest, ...]:
        """What to look for where the binding reads another key, or made another name of a value."""
        found: list[Interest] = []
        for interest in interests:
            keys = tuple(key for each in interest.keys for key in self._raw.keys(each))
            if keys:
                found.append(Interest(interest.value, keys))
            for name in self._raw.names(interest.value) if interest.value else ():
                found += [Interest(name, keys)] if keys else []
                found.append(Interest(name))
        return tuple(found)

    # --- where, and what else ------------------------------------------------------------------------

    def _witnesses(self, violation: Violation) -> tuple[str, ...]:
        shown = [self._witness(witness, violation) for witness in violation.witnesses[:_WITNESSES]]
        if len(violation.witnesses) > _WITNESSES:
            shown.append(f"{len(violation.witnesses) - _WITNESSES} more")
        return tuple(shown)

    def _witness(self, witness: Witness, violation: Violation) -> str:
        place = witness.place
        where = f"line {place.line}" if place.log == violation.place.log else f"{place.log}:{place.line}"
        where += f", item {place.item}" if place.item else ""
        event = quoted(witness.event) if witness.event else ""
        state = quoted(witness.state) if witness.state else ""
        if state and witness.machine is not None and witness.machine != violation.machine:  # not that of the finding
            state = f"{state} of {quoted(witness.machine)}"
        match witness.role:
            case "entered" if state:
                return f"{where}, {f'{event} ' if event else ''}entered {state}"
            case "began" if state:
                return f"{where}, began in {state}"
            case "entered by the clock" if state:
                return f"behind {where}, the clock entered {state}"
            case "counted" if state:
                return f"{where}, counted: {f'{event} entered ' if event else 'in '}{state}"
            case "remembered" if state:
                value = self._remembered(witness)
                return f"{where}, remembered {state}{f' = {value}' if value else ''}"
            case "asked" if event:
                return f"{where}, asked by {event}"
        return f"{where}, {_ROLES.get(witness.role, witness.role)}{f' {event}' if event else ''}"

    def _remembered(self, witness: Witness) -> str:
        """What was remembered, in words of people."""
        machine, _, name = (witness.state or "").partition(".")
        value = witness.value
        if value is None or machine not in self._model.machines:
            return ""
        if isinstance(value, int) and not isinstance(value, bool):
            match self._model.machines[machine].memories.get(name):
                case Type.DURATION:
                    return duration(value)
                case Type.INSTANT:
                    return instant(value)
        return str(value).lower() if isinstance(value, bool) else shortened(str(value))

    def _key(self, violation: Violation) -> tuple[tuple[str, str], ...]:
        """Which instance of a keyed machine, part by part."""
        machine = self._model.machines.get(violation.machine or "")
        if machine is None or len(machine.keys) != len(violation.key):
            return ()
        parts = [f"{name} = {shortened(part)}" for name, part in zip(machine.keys, violation.key, strict=True)]
        return (("key", ", ".join(parts)),) if parts else ()

    def _own_fields(self, violation: Violation, line: str | None) -> tuple[tuple[str, str], ...]:
        """The fields of the event itself that a condition reads, as they stand in the (masked) line."""
        if violation.name not in _ABOUT_FIELDS or line is None:
            return ()
        found: dict[str, str] = {}
        for name in dict.fromkeys(_WORD.findall(violation.text or "")):
            if name in self._model.machines or not self._is_field(name):
                continue
            mark = find_mark(line, (Interest(None, self._raw.keys(name) or (name,)),))
            if mark is not None and line[mark[0]] not in "[{":
                found[name] = shortened(line[mark[0] : mark[1]])
        return (("fields", ", ".join(f"{name} = {value}" for name, value in found.items())),) if found else ()

    def _wrote(self, violation: Violation) -> tuple[tuple[str, str], ...]:
        """What a condition read, and this very record had remembered before it was judged."""
        said = ", ".join(f"{each.state} = {self._remembered(each) or '?'}" for each in violation.wrote)
        return (("remembered by this record", said),) if said else ()

    def _called(self, violation: Violation, line: str | None) -> tuple[tuple[str, str], ...]:
        """What the log calls the name that is not known, where the binding has made another one of it."""
        name = violation.found or violation.event
        if violation.name not in _WITH_RAW_NAME or name is None or line is None or _stands_in(line, name):
            return ()
        raw = [each for each in self._raw.names(name) if _stands_in(line, each)]
        return (("in the log", listed(raw, "or")),) if raw else ()

    def _is_field(self, name: str) -> bool:
        """Whether a bare name in a condition may be a field: it is none of a parameter, a key or a state."""
        states = (machine.states for machine in self._model.machines.values())
        spec = self._model.fields.get(name)
        if spec is not None:
            return spec.like is None  # what has not its form is never repeated
        return not (name in self._model.params or any(name in some for some in states))

    def _allowed(self, violation: Violation) -> tuple[str, ...]:
        machine = self._model.machines.get(violation.machine or "")
        if machine is None or not violation.states:
            return ()
        return allowed_words(allowed(self._model, machine, violation.states))

    def _has_failed_where(self, violation: Violation) -> bool:
        """Whether the event is in the table for the state, but only under a condition."""
        machine = self._model.machines.get(violation.machine or "")
        if machine is None or violation.name != "invalid-transition":
            return False
        return any(
            isinstance(each.trigger, On)
            and violation.event in each.trigger.events
            and each.where is not None
            and (violation.target is None or not each.targets or violation.target in each.targets)
            for each in allowed(self._model, machine, violation.states)
        )

    def _where_note(self, violation: Violation) -> tuple[tuple[str, str], ...]:
        return (("note", "its `where` does not hold here"),) if self._has_failed_where(violation) else ()

    def _shortest(self, violation: Violation) -> tuple[str, ...]:
        """The shortest legal way from the states before to the one the record wanted."""
        machine = self._model.machines.get(violation.machine or "")
        if machine is None or violation.name not in ("invalid-transition", "lost-record") or not violation.states:
            return ()
        if violation.name == "lost-record":  # what is missing from the log
            target = violation.source
        else:
            target = violation.target or _only_target(machine, violation.event)
        if target is None or target not in machine.states or target in violation.states:
            return ()
        if violation.name == "invalid-transition" and self._has_failed_where(violation):
            return ()  # the event itself leads there, where its condition holds
        way = shortest_way(self._model, machine, violation.states, target)
        if way is None:
            return (f"no way leads from {quoted(violation.states[0])} to {quoted(target)}",)
        return (f"the shortest legal way to {quoted(target)} is {way_words(way)}",) if way else ()

    def _rule(self, violation: Violation) -> str:
        prop = violation.property
        where = self._where(violation.span)
        if prop is None:
            return where and f"written at {where}"
        match prop.kind:
            case "transitions":
                what = f"the transitions of `{prop.name}`"
            case "bound":
                what = f"the bound of `{prop.state}` of `{prop.name}`"
            case "rule":
                what = f"`{prop.name}`"
            case "forbid":
                what = f"`forbid {prop.name}`"
            case _:
                what = f"{prop.kind} `{prop.name}`"
        return f"{what}, {where}" if where else what

    def _where(self, span: Span | None) -> str:
        source = self._model.sources.get(span.file) if span else None
        if span is None or source is None:
            return ""
        return f"{span.file}:{source.place(span.start)[0]}"


def _stands_in(line: str, text: str) -> bool:
    return find_mark(line, (Interest(text),)) is not None


def violation_severity(violation: Violation) -> Severity:
    """How bad it is: as bad as it says, else as the table of names has it."""
    return Severity(violation.severity) if violation.severity else severity_of(violation.name)


def declared_names(model: Model) -> frozenset[str]:
    """What a lifecycle calls things by. These names are shown even where a `forbid` of it would find them."""
    names = {*model.owners, *model.machines, *model.fields, *known_events(model)}
    for machine in model.machines.values():
        names.update(machine.states)
    for spec in model.fields.values():
        names.update(spec.values)
    return frozenset(names)


def _only_target(machine: Machine, event: str | None) -> str | None:
    """The state that the event leads to, when it leads to one only."""
    targets = {
        target
        for transition in machine.transitions
        if isinstance(transition.trigger, On) and event in transition.trigger.events
        for target in transition.targets
    }
    return targets.pop() if len(targets) == 1 else None
