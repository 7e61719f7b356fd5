"""The table of finding names. Owns name, stage, usual severity and one sentence of each; nothing else.

A name is the only identity of a finding and is never reused for another meaning. Each has a page in
`docs/reference/findings/`; a test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lifespec.diagnostics.diagnostic import Severity


class Stage(StrEnum):
    """How far the input got when the finding was made."""

    SYNTAX = "syntax"
    NAMES = "names"
    ANALYSIS = "analysis"
    BINDING = "binding"
    LOG = "log input"
    VIOLATION = "violations"
    USAGE = "usage"


@dataclass(frozen=True, slots=True)
class FindingName:
    name: str
    stage: Stage
    severity: Severity
    summary: str


_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO

_TABLE = (
    # --- syntax ---
    FindingName("syntax-error", Stage.SYNTAX, _E, "something stands where it cannot stand"),
    FindingName("reserved-name", Stage.SYNTAX, _E, "a keyword is used as a name without single quotes"),
    FindingName("unclosed-text", Stage.SYNTAX, _E, "a text or a quoted name is not closed on its line"),
    FindingName("unclosed-brace", Stage.SYNTAX, _E, "a brace is opened and never closed"),
    FindingName("nested-too-deeply", Stage.SYNTAX, _E, "parentheses, operators or groups are nested too deeply"),
    FindingName("text-too-large", Stage.SYNTAX, _E, "a text is too large to be read"),
    # --- names ---
    # --- analysis ---
    # --- binding ---
    # --- log input ---
    FindingName("wrong-container", Stage.LOG, _E, "the log is not in the container that the binding reads"),
    FindingName("malformed-record", Stage.LOG, _E, "a record cannot be read"),
    FindingName("duplicate-key", Stage.LOG, _W, "an object of the log has a key twice"),
    FindingName("not-utf-8", Stage.LOG, _E, "a line is not UTF-8"),
    FindingName("missing-session", Stage.LOG, _E, "an event does not say its session"),
    FindingName("missing-key", Stage.LOG, _E, "an event of a keyed machine does not carry its key"),
    FindingName("missing-time", Stage.LOG, _E, "an event has no time"),
    FindingName("unreadable-time", Stage.LOG, _E, "a time cannot be read"),
    FindingName("unreadable-value", Stage.LOG, _E, "a value cannot be converted"),
    FindingName("time-reversed", Stage.LOG, _W, "the time of a record is before that of an earlier one"),
    FindingName("lacking-event-seen", Stage.LOG, _W, "an event occurs that the binding says the client lacks"),
    FindingName("near-name", Stage.LOG, _W, "a name that is passed over is nearly one that the lifecycle knows"),
    # --- violations ---
    FindingName("invalid-transition", Stage.VIOLATION, _E, "an event is not allowed in the state before it"),
    FindingName("after-final", Stage.VIOLATION, _E, "an event is not allowed in a final state"),
    FindingName(
        "lost-record", Stage.VIOLATION, _E, "a record says it leaves another state than the log led to"
    ),
    FindingName("unknown-event", Stage.VIOLATION, _E, "an event that neither lifecycle nor binding knows"),
    FindingName("unknown-machine", Stage.VIOLATION, _E, "a record names a machine that is not declared"),
    FindingName("unknown-state", Stage.VIOLATION, _E, "a record names a state that the machine does not have"),
    FindingName("missing-field", Stage.VIOLATION, _E, "a required field is missing or blank"),
    FindingName("missing-reason", Stage.VIOLATION, _E, "a required reason is missing or blank"),
    FindingName("invalid-field", Stage.VIOLATION, _E, "a field is not of its declared type"),
    FindingName("forbidden-value", Stage.VIOLATION, _E, "a value holds what `forbid` rules out"),
    FindingName("wrong-owner", Stage.VIOLATION, _E, "an event was caused by another party than its owner"),
    FindingName("requirement-failed", Stage.VIOLATION, _E, "a `require` of a transition does not hold"),
    FindingName("overdue", Stage.VIOLATION, _E, "a state was not left in time"),
    FindingName("silent", Stage.VIOLATION, _E, "a sign of life did not come in time"),
    FindingName("unanswered", Stage.VIOLATION, _E, "what a rule expects did not come in time"),
    FindingName("rule-broken", Stage.VIOLATION, _E, "a rule does not hold"),
    FindingName("too-many", Stage.VIOLATION, _E, "an event came more often than a rule allows"),
    FindingName("unfinished", Stage.VIOLATION, _E, "a complete session leaves something open"),
    # --- usage ---
)

NAMES: dict[str, FindingName] = {entry.name: entry for entry in _TABLE}


def severity_of(name: str) -> Severity:
    """The usual severity of the finding called `name`. Raises KeyError for a name not in the table."""
    return NAMES[name].severity
