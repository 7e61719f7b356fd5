"""Why a log could not be checked, in words. Owns the sentences; decides nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lifespec.diagnostics import Diagnostic, Label, Severity, find_nearest
from lifespec.explain_words import in_text, joined, listed, quoted, shortened, times
from lifespec.model.model import Model
from lifespec.syntax.words import quoted_key
from lifespec.system_error import os_error_words
from lifespec.trace.compiled import CompiledBinding, Watched
from lifespec.trace.vocabulary import known_events

_NEAR = 3
_MOST_TAKEN = 12  # names
_LONGEST_TAKEN = 40  # characters


def unreadable_file(name: str, error: OSError) -> Diagnostic:
    return Diagnostic("unreadable-file", f"cannot read {os_error_words(error, name)}")


_PACKED = (".zip", ".tar", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".lz4", ".br")


def binary_log(name: str) -> Diagnostic:
    return Diagnostic(
        "not-a-log",
        f"{name} is a binary file, not a log",
        help=(
            "unpack it first; of what is packed only gzip and zstd are read"
            if name.lower().endswith(_PACKED)
            else "a log is text: JSON lines, one record a line",
        ),
    )


def empty_log(name: str, blank: int) -> Diagnostic:
    what = f"holds {times(blank, 'blank line')} and nothing else" if blank else "is empty"
    return Diagnostic(
        "empty-log",
        f"{name} {what}",
        help=("nothing was checked in it; where that is to be expected, `lifespec check` takes `--allow-empty`",),
    )


def nothing_to_walk(name: str, each: str) -> Diagnostic:
    """The log is not empty, but its `each` finds no record in it."""
    return Diagnostic(
        "empty-log",
        f"{name} holds no record: {quoted(each)} finds nothing in it",
        help=("nothing was checked in it; where that is to be expected, `lifespec check` takes `--allow-empty`",),
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


def nothing_to_judge(model: Model) -> Diagnostic:
    return Diagnostic(
        "no-machine",
        f"lifecycle `{model.name}` says nothing that a log could break: it has no machine, rule or field",
        help=("`lifespec infer LOG` drafts one; `lifespec init` writes one to start from",),
        severity=Severity.ERROR,
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


def nothing_readable(log: str, malformed: int, binding: CompiledBinding) -> Diagnostic:
    return Diagnostic(
        "nothing-readable",
        f"not one record of {log} could be read: {times(malformed, 'line')} malformed",
        notes=(f"binding `{binding.name}` reads `{binding.container.kind}`",),
        help=("the log may be of another form than the binding reads; choose one with `--binding`",),
    )


def no_time_to_order_by(binding: str) -> Diagnostic:
    return Diagnostic(
        "wrong-part",
        f"the logs cannot be put in order by time: binding `{binding}` reads none",
        help=("leave `--order` out, or say in the binding where a record keeps its time: `time = ...`",),
    )


def absent_path(watched: Watched, keys: Sequence[str]) -> Diagnostic | None:
    """The binding looks for what no record has; None for a field that is nearly nothing that records have: it may
    be rare."""
    last = watched.choices[0][1][-1]
    near = find_nearest(last, keys)
    is_fatal = watched.is_walked_to_read
    if near is None and not watched.is_part:
        return None
    *names, _ = watched.choices[0][1]
    base = ".".join([quoted_key(name) for name in (watched.choices[0][0], *names) if name])
    what = f"{quoted(base)} has" if base else "there is" if is_fatal else "a record has"
    where = f"nowhere in the logs: `each {watched.walked_by}` finds nothing" if is_fatal else "in no record of the logs"
    return Diagnostic(
        "absent-path",
        f"{quoted(watched.path)} occurs {where}",
        Label(watched.span, "nowhere"),
        notes=(f"{what} {joined([quoted(key) for key in keys], most=12)}",) if keys else (),
        help=(f"did you mean {quoted(f'{base}.{quoted_key(near)}' if base else quoted_key(near))}?",) if near else (),
        severity=Severity.ERROR if is_fatal else None,
    )


@dataclass(frozen=True, slots=True)
class Unmatched:
    """What became of records of which none, or hardly one, was an event that the lifecycle knows. `occurred` are the
    most frequent names with their counts, `ignored` the records that an `ignore` took by name, machine or condition,
    `lost` the events without a session and without a key, by the name of the finding."""

    records: int
    matched: int
    ignored: int
    occurred: Sequence[tuple[str, int]]
    lost: Mapping[str, int]
    renamed: Mapping[str, Sequence[str]] = field(default_factory=dict)  # what the log calls what occurred, if otherwise
    taken: Mapping[str, str] = field(default_factory=dict)  # what each name of a `match` took of one record


def nothing_matched(model: Model, binding: CompiledBinding, unmatched: Unmatched, log: str = "the log") -> Diagnostic:
    """No record became an event that the lifecycle knows, or hardly one: say what occurred and what is near."""
    known = sorted(known_events(model))
    asked = unmatched.records - unmatched.ignored
    notes, help_ = _why_unmatched(binding, unmatched, known)
    read = f"read with binding `{binding.name}`"
    if unmatched.matched:
        help_.append(
            "names that do not matter can be passed over by name, `ignore NAME`; less will do with `--min-matched`"
        )
        message = (
            f"of {times(asked, 'record')} only {unmatched.matched:,} became events of lifecycle `{model.name}`, {read}"
        )
        return Diagnostic("few-matched", message, notes=tuple(notes), help=tuple(help_))
    message = f"no record of {log} is an event of lifecycle `{model.name}`, {read}"
    return Diagnostic("nothing-matched", message, notes=tuple(notes), help=tuple(help_))


def _why_unmatched(binding: CompiledBinding, unmatched: Unmatched, known: Sequence[str]) -> tuple[list[str], list[str]]:
    """Facts, and what to do, of the one thing that is most likely amiss."""
    occurred = unmatched.occurred
    names = [f"{_as_logged(name, unmatched.renamed.get(name, ()))} ({count:,})" for name, count in occurred]
    all_named = f"the records are {joined(names, most=8)}"
    if unmatched.ignored == unmatched.records:
        return [all_named], ["the binding ignores all of them: look at its `ignore`"]
    for finding, what, help_ in (
        ("missing-session", "session", "say in a binding where a record keeps its session: `session = ...`"),
        ("missing-key", "key", "say in a binding where a record keeps the key, as a field of its name"),
    ):
        lost = unmatched.lost.get(finding, 0)
        if lost:
            return [all_named, f"{times(lost, 'event')} without a {what}: no machine takes those"], [help_]
    if not any(name for name, _ in occurred):
        return [*_why_nameless(binding), *_taken(unmatched)], [*_padded(unmatched), *_help_nameless(binding)]
    unknown = [name for name, _ in occurred if name and name not in known]
    notes = [all_named, f"the lifecycle knows {listed(known)}" if known else "the lifecycle knows no event"]
    if not unknown:
        passed = "names that the lifecycle knows are passed over: look at `on` and `ignore` of the binding"
        return [*notes, *_taken(unmatched)], [*_padded(unmatched), passed]
    near_ones = [(name, near) for name in unknown if (near := find_nearest(name, known))]
    pairs = [
        f"{in_text(written)} -> {in_text(near)}"
        for name, near in near_ones
        for written in unmatched.renamed.get(name, (name,))
    ][:_NEAR]
    if pairs:
        return notes, [f"some names are near; map them in a binding: `rename event {', '.join(pairs)}`"]
    return notes, [
        "the log may need another binding, chosen with `--binding`, or the names other words: `rename event A -> B`"
    ]


def _taken(unmatched: Unmatched) -> list[str]:
    """What the names took of a record, in double quotes, so that blanks are seen."""
    shown = [f"{quoted(name)} {_in_quotes(text)}" for name, text in unmatched.taken.items()]
    return [f"of one record the binding takes {joined(shown, most=_MOST_TAKEN)}"] if shown else []


def _padded(unmatched: Unmatched) -> list[str]:
    """What to do about a name that took the blanks of an aligned column as well (of a number they hardly matter)."""
    for name, text in unmatched.taken.items():
        bare = text.strip(" ")
        if bare in ("", text) or bare.isdigit() or '"' in bare or len(bare) > _LONGEST_TAKEN:
            continue
        before, after = (" *" if text.startswith(" ") else ""), (" *" if text.endswith(" ") else "")
        condition = f'{name} like "{before}{re.escape(bare)}{after}"'
        return [f"{quoted(name)} has the blanks of its column: {quoted(condition)} passes over them, `==` does not"]
    return []


def _in_quotes(text: str) -> str:
    return f'"{shortened(text, _LONGEST_TAKEN)}"'


def _as_logged(name: str, written: Sequence[str]) -> str:
    """A name as the log has it, with what a `rename` makes of it."""
    if not written:
        return quoted(name) if name else "without a name"
    return f"{listed(written, 'or')} renamed to {quoted(name) if name else 'nothing'}"


def _why_nameless(binding: CompiledBinding) -> list[str]:
    if binding.event is not None:
        return ["no record has a name where the binding looks for one (`event = ...`)"]
    if binding.clauses:
        return ["the binding reads no names, and none of its `on` made an event of a record"]
    return ["the binding reads no names"]


def _help_nameless(binding: CompiledBinding) -> list[str]:
    if binding.event is None and binding.clauses:
        return ["look at the conditions and patterns of its `on`; a log of another client needs another `--binding`"]
    if binding.event is not None:
        return ["look at the path behind `event =` in the binding; another binding is chosen with `--binding`"]
    return ["say in the binding where a record keeps its event: `event = ...`; another one is chosen with `--binding`"]
