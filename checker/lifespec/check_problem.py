"""Why a log could not be checked, in words. Owns the sentences; decides nothing."""

from __future__ import annotations

from collections.abc import Sequence

from lifespec.diagnostics import Diagnostic, find_nearest
from lifespec.explain_words import joined, listed, quoted, times
from lifespec.model.model import Model
from lifespec.system_error import os_error_words
from lifespec.trace.vocabulary import known_events

_NEAR = 3


def unreadable_file(name: str, error: OSError) -> Diagnostic:
    return Diagnostic("unreadable-file", f"cannot read {os_error_words(error, name)}")


def binary_log(name: str) -> Diagnostic:
    return Diagnostic(
        "not-a-log",
        f"{name} is a binary file, not a log",
        help=("a log is text: JSON lines, one record a line",),
    )


def empty_log(name: str, blank: int) -> Diagnostic:
    what = f"holds {times(blank, 'blank line')} and nothing else" if blank else "is empty"
    return Diagnostic(
        "empty-log",
        f"{name} {what}",
        help=("nothing was checked in it; where that is to be expected, say `--allow-empty`",),
    )


def interrupted(log: str, lines: int, unread: Sequence[str]) -> Diagnostic:
    """Somebody ended the check while `log` was read; the logs `unread` were still to come."""
    where = f"after line {lines:,} of {log}" if lines else f"before the first line of {log}"
    return Diagnostic(
        "interrupted",
        f"the check was ended {where}",
        notes=(f"not read at all: {joined(unread)}",) if unread else (),
        help=("the report says what was found so far, and is no verdict on the logs",),
    )


def interrupted_parts(log: str, unread: Sequence[str]) -> Diagnostic:
    """Somebody ended the check while several processes judged `log`: nothing is known of it before its end."""
    return Diagnostic(
        "interrupted",
        f"the check was ended while several processes judged {log}",
        notes=(f"not read at all: {joined(unread)}",) if unread else (),
        help=("nothing is said of this log; with `--jobs 1` the report says what was found so far",),
    )


def lost_worker(log: str, unread: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        "lost-worker",
        f"a process that judged a part of {log} is gone",
        notes=(f"not read at all: {joined(unread)}",) if unread else (),
        help=("it was killed, or had not enough memory: `--jobs 1` needs the least",),
    )


def not_one_binding(file: str, inside: Sequence[str]) -> Diagnostic:
    """The file given with `--binding` has none, or several."""
    if inside:
        return Diagnostic(
            "several-bindings",
            f"{file} declares several bindings",
            notes=(f"they are {listed(inside)}",),
            help=("import the file in the lifecycle, then choose one by its name with `--binding`",),
        )
    return Diagnostic("no-such-binding", f"{file} declares no binding", help=("write `binding NAME { ... }` in it",))


def nothing_readable(log: str, malformed: int) -> Diagnostic:
    return Diagnostic(
        "nothing-readable",
        f"not one record of {log} could be read: {times(malformed, 'line')} malformed",
        help=("the log may be of another form than the binding reads; choose one with `--binding`",),
    )


def no_time_to_order_by(binding: str) -> Diagnostic:
    return Diagnostic(
        "wrong-part",
        f"the logs cannot be put in order by time: binding `{binding}` reads none",
        help=("leave `--order` out, or say in the binding where a record keeps its time: `time = ...`",),
    )


def nothing_matched(
    model: Model, binding: str, occurred: Sequence[tuple[str, int]], share: tuple[int, int] | None = None
) -> Diagnostic:
    """No record became an event that the lifecycle knows, or (`share`: events, of how many records) hardly one: say
    what occurred and what is near."""
    known = sorted(known_events(model))
    notes = []
    if occurred:
        shown = [f"{quoted(name) if name else 'without a name'} ({count:,})" for name, count in occurred[:8]]
        notes.append(f"the log has {joined(shown, most=8)}")
    notes.append(f"the lifecycle knows {listed(known)}")
    near = [(name, find_nearest(name, known)) for name, _ in occurred]
    pairs = [f"{name} -> {nearest}" for name, nearest in near if nearest and nearest != name][:_NEAR]
    help_ = [f"some names are near; map them in a binding: `rename event {', '.join(pairs)}`"] if pairs else []
    if not any(name for name, _ in occurred):
        help_.append("say in a binding where a record keeps its event: `event = ...`")
    else:
        help_.append("the log may need another binding: choose one with `--binding`")
    if share is not None:
        help_.append(
            "names that do not matter can be passed over by name, `ignore NAME`; less will do with `--min-matched`"
        )
        return Diagnostic(
            "few-matched",
            f"of {times(share[1], 'record')} only {share[0]:,} became events of lifecycle `{model.name}`, read with "
            f"binding `{binding}`",
            notes=tuple(notes),
            help=tuple(help_),
        )
    return Diagnostic(
        "nothing-matched",
        f"no record of the log is an event of lifecycle `{model.name}`, read with binding `{binding}`",
        notes=tuple(notes),
        help=tuple(help_),
    )
