"""The table of finding names. Owns name, stage, usual severity and one sentence of each; nothing else.

A name is the only identity of a finding and is never reused for another meaning. Each has a page in
`docs/reference/findings/`; a test compares the two.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

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


class FindingName(Struct, frozen=True):
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
    FindingName("out-of-range", Stage.NAMES, _E, "a number does not fit 64 bits"),
    FindingName("wrong-type", Stage.NAMES, _E, "a value is of another type than is needed"),
    FindingName("not-constant", Stage.NAMES, _E, "a constant is needed, and the value depends on an event"),
    FindingName("not-positive", Stage.NAMES, _E, "a duration is not longer than nothing, or a count is negative"),
    FindingName("unknown-parameter", Stage.NAMES, _E, "a parameter is not declared"),
    FindingName("unknown-profile", Stage.USAGE, _E, "a profile is not declared"),
    FindingName("cyclic-parameter", Stage.NAMES, _E, "a parameter is computed from itself"),
    FindingName("hidden-field", Stage.NAMES, _E, "a parameter hides a declared field of the same name"),
    FindingName("duplicate-name", Stage.NAMES, _E, "a name is declared twice"),
    FindingName("part-as-field", Stage.NAMES, _E, "a part of every event is declared or used as a field"),
    FindingName("bad-bound", Stage.NAMES, _E, "a bound does not go with the type, or no value keeps it"),
    FindingName("bad-pattern", Stage.NAMES, _E, "a pattern is not RE2"),
    FindingName("unknown-pattern", Stage.NAMES, _E, "`forbid` names a pattern that is not built in"),
    FindingName("unknown-value", Stage.NAMES, _E, "a field is compared with a word that is not one of its values"),
    FindingName("unknown-owner", Stage.NAMES, _E, "an owner is not declared"),
    FindingName("no-lifecycle", Stage.NAMES, _E, "a text declares no lifecycle"),
    FindingName("several-lifecycles", Stage.NAMES, _E, "a text declares more than one lifecycle"),
    FindingName("no-states", Stage.NAMES, _E, "a machine has no states"),
    FindingName("no-initial", Stage.NAMES, _E, "a machine has no initial state"),
    FindingName("several-initials", Stage.NAMES, _E, "a machine has more than one initial state"),
    FindingName("empty-group", Stage.NAMES, _E, "a group holds no state"),
    FindingName("leaves-final", Stage.NAMES, _E, "a transition leaves a final state"),
    FindingName("group-target", Stage.NAMES, _E, "a transition leads to a group instead of one of its states"),
    FindingName("several-targets", Stage.NAMES, _E, "a transition with a trigger has more than one target"),
    FindingName("no-source", Stage.NAMES, _E, "`any` stands for no state"),
    FindingName("ambiguous-transition", Stage.NAMES, _E, "a transition is never taken, since an earlier one always is"),
    FindingName("misplaced-clause", Stage.NAMES, _E, "a clause stands where it means nothing"),
    FindingName("never-remembered", Stage.NAMES, _E, "a value is read that no transition remembers"),
    FindingName("wrong-index", Stage.NAMES, _E, "an index does not have the parts of the key"),
    FindingName("missing-index", Stage.NAMES, _E, "nothing says which instance of a keyed machine is meant"),
    FindingName("foreign-index", Stage.NAMES, _E, "the index of a reaction names nothing of its own instance"),
    FindingName("not-an-instant", Stage.NAMES, _E, "`at` has no instant that the machine itself remembers"),
    FindingName("not-a-condition", Stage.NAMES, _E, "a condition is needed, and this neither holds nor fails to hold"),
    FindingName("bare-word", Stage.NAMES, _E, "a bare word is a field where a value is meant"),
    FindingName("machine-as-value", Stage.NAMES, _E, "a machine is used like a value"),
    FindingName(
        "undeclared-field", Stage.NAMES, _E, "a field without a declared type meets a time, a duration or arithmetic"
    ),
    FindingName("only-in-bindings", Stage.NAMES, _E, "something that reads records stands outside of a binding"),
    FindingName("unhandled-event", Stage.NAMES, _E, "an event is named that no machine handles"),
    FindingName("import-failed", Stage.NAMES, _E, "an imported text cannot be read"),
    FindingName("import-cycle", Stage.NAMES, _E, "a text imports itself"),
    FindingName("import-outside", Stage.NAMES, _E, "an import leaves the folder of the importing text"),
    FindingName("unreadable-file", Stage.USAGE, _E, "a text cannot be read"),
    FindingName("unknown-binding", Stage.NAMES, _E, "a binding extends one that is not declared"),
    FindingName("cyclic-binding", Stage.NAMES, _E, "a binding extends itself"),
    FindingName("wrong-lifecycle", Stage.NAMES, _E, "a binding is for another lifecycle"),
    # --- analysis ---
    FindingName("no-machine", Stage.ANALYSIS, _W, "a lifecycle has no machine"),
    FindingName("unreachable-state", Stage.ANALYSIS, _W, "no way leads from the initial state to a state"),
    FindingName("trap-state", Stage.ANALYSIS, _W, "no way leads from a state to a final state"),
    FindingName(
        "unowned-transition", Stage.ANALYSIS, _W, "a lifecycle with owners has a transition that anyone may cause"
    ),
    FindingName("unused-owner", Stage.ANALYSIS, _W, "an owner owns nothing"),
    FindingName("unused-field", Stage.ANALYSIS, _W, "a declared field is neither required nor read"),
    FindingName("unused-reason", Stage.ANALYSIS, _W, "reasons are declared, and nothing owes one"),
    FindingName("unused-parameter", Stage.ANALYSIS, _W, "a parameter is never read"),
    FindingName("untested-parameter", Stage.ANALYSIS, _W, "a parameter does not say where its value was tested"),
    FindingName("unused-event", Stage.ANALYSIS, _W, "an event is only declared"),
    FindingName("waived-without-why", Stage.ANALYSIS, _W, "a failure state waives its reason and does not say why"),
    FindingName("near-field", Stage.ANALYSIS, _W, "an undeclared field is nearly a declared one"),
    FindingName("near-event", Stage.ANALYSIS, _W, "an event that only a rule expects is nearly one of a machine"),
    FindingName("shared-event", Stage.ANALYSIS, _W, "an event moves machines of different owners"),
    FindingName(
        "remembered-already",
        Stage.ANALYSIS,
        _W,
        "a rule compares a field with what its event has just remembered of it",
    ),
    # --- binding ---
    FindingName("not-in-binding", Stage.BINDING, _E, "a binding asks for what one record cannot answer"),
    FindingName("unassigned-part", Stage.BINDING, _E, "a binding does not say what it reads, the session or the time"),
    FindingName("wrong-part", Stage.BINDING, _E, "a part of an event is given what it cannot be"),
    FindingName("wrong-template", Stage.BINDING, _E, "a template or a pattern cannot be read"),
    FindingName("wrong-rows", Stage.BINDING, _E, "the columns of `rows` cannot be told apart"),
    FindingName("unknown-column", Stage.BINDING, _E, "a path begins with no column of the rows"),
    FindingName("unknown-zone", Stage.BINDING, _E, "a time zone does not exist"),
    FindingName("unknown-in-binding", Stage.BINDING, _E, "a binding names what the lifecycle does not have"),
    FindingName("unknown-finding", Stage.BINDING, _E, "`allow` names what is no finding of reading"),
    FindingName("unreachable-clause", Stage.BINDING, _W, "a clause of a binding looks for what no record has there"),
    FindingName("never-emitted", Stage.BINDING, _W, "a binding makes an event of the lifecycle of no record"),
    FindingName("circular-let", Stage.BINDING, _E, "a `let` is made of itself"),
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
    FindingName("late-record", Stage.LOG, _W, "a record comes later than the log is said to be out of order"),
    FindingName("sequence-gap", Stage.LOG, _W, "the number of a record is not the next one"),
    FindingName("duplicate-record", Stage.LOG, _W, "a record comes a second time"),
    FindingName("late-join", Stage.LOG, _W, "two ids are said to be one session, and both had records before"),
    FindingName("lacking-event-seen", Stage.LOG, _W, "an event occurs that the binding says the client lacks"),
    FindingName("near-name", Stage.LOG, _W, "a name that is passed over is nearly one that the lifecycle knows"),
    # --- violations ---
    FindingName("invalid-transition", Stage.VIOLATION, _E, "an event is not allowed in the state before it"),
    FindingName("after-final", Stage.VIOLATION, _E, "an event is not allowed in a final state"),
    FindingName("lost-record", Stage.VIOLATION, _E, "a record says it leaves another state than the log led to"),
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
    FindingName("not-a-log", Stage.USAGE, _E, "a file given as a log is no text"),
    FindingName("interrupted", Stage.USAGE, _E, "the check was ended before its logs were"),
    FindingName("lost-worker", Stage.USAGE, _E, "a process that judged a part of a log is gone"),
    FindingName("empty-log", Stage.USAGE, _E, "a log holds no record"),
    FindingName("nothing-readable", Stage.USAGE, _E, "not one record of the logs could be read"),
    FindingName("nothing-matched", Stage.USAGE, _E, "no record of the logs is an event of the lifecycle"),
    FindingName("few-matched", Stage.USAGE, _E, "hardly a record of the logs is an event of the lifecycle"),
    FindingName("no-such-session", Stage.USAGE, _E, "the logs have no session that is asked for"),
    FindingName("unknown-selection", Stage.USAGE, _E, "findings are chosen by a name that there is not"),
    FindingName("wrong-baseline", Stage.USAGE, _E, "a baseline is of another lifecycle"),
    FindingName("no-such-binding", Stage.USAGE, _E, "a binding is asked for that does not exist"),
    FindingName("several-bindings", Stage.USAGE, _E, "several bindings could read the logs"),
    FindingName("absent-path", Stage.USAGE, _W, "a binding reads a part from a path that no record has"),
)

NAMES: dict[str, FindingName] = {entry.name: entry for entry in _TABLE}


def severity_of(name: str) -> Severity:
    """The usual severity of the finding called `name`. Raises KeyError for a name not in the table."""
    return NAMES[name].severity
