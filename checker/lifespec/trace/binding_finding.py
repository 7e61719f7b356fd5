"""What can be wrong with a binding, in words. Owns the sentences; decides nothing."""

from __future__ import annotations

from collections.abc import Iterable

from lifespec.diagnostics import Diagnostic, Label, Severity, find_nearest
from lifespec.source import Span
from lifespec.syntax import ast
from lifespec.syntax.words import quoted


def not_in_binding(what: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "not-in-binding",
        f"{what} has no meaning in a binding",
        Label(span),
        notes=("a binding sees one record of the log: its paths, texts, numbers and comparisons",),
    )


def unread(binding: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "unassigned-part",
        f"binding `{binding}` does not say what it reads",
        Label(span),
        help=("one JSON object a line is `read json-lines`; most bindings build on one: `extends default`",),
    )


def unassigned_part(part: str, span: Span) -> Diagnostic:
    ways = {
        "session": "say where a record keeps it, `session = ...`; a log of one session may say `session = file.name`",
        "time": "say where a record keeps it, `time = ts as iso8601`; without times `time = none`",
    }
    return Diagnostic("unassigned-part", f"the binding does not say the {part}", Label(span), help=(ways[part],))


def never_given(field: str, why: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "unassigned-part",
        f"the binding gives no event a field `{field}`, which is {why}",
        Label(span),
        help=(f"write `{field} = ...`, or say that this client cannot log it: `lacks fields {field}`",),
        severity=Severity.WARNING,
    )


def constant_part(part: str, span: Span) -> Diagnostic:
    ways = {"time": "time = ts as iso8601", "clock": "clock per host", "key": "unique by id"}
    help_ = f"a path stands without double quotes: `{ways.get(part, 'session = id')}`"
    return Diagnostic(
        "wrong-part", f"the {part} is the same for every record", Label(span, "a constant"), help=(help_,)
    )


def time_without_origin(span: Span) -> Diagnostic:
    return Diagnostic(
        "wrong-part",
        "a time has a unit, but not what it is counted from",
        Label(span, "a length of time"),
        help=("write `since epoch`, `since start` or `since previous` behind the unit",),
    )


def session_none(span: Span) -> Diagnostic:
    return Diagnostic(
        "wrong-part",
        "a session cannot be `none`",
        Label(span),
        help=("a log of one session is read with `session = file.name`",),
    )


def bad_separator(separator: ast.Text, container: str) -> Diagnostic:
    why = (
        "a separator is one character" if container == "csv" else f"`{container}` has no cells that something separates"
    )
    return Diagnostic("wrong-rows", why, Label(separator.span), help=('write `separated by ";"`, or "tab"',))


def second_header(span: Span) -> Diagnostic:
    return Diagnostic(
        "wrong-rows",
        "`header first` takes the second row away: the first row of a table names its columns without it",
        Label(span),
        help=("leave out `header first`; the columns are there by their names",),
        severity=Severity.WARNING,
    )


def unclear_order(span: Span) -> Diagnostic:
    return Diagnostic(
        "wrong-part",
        "the order is neither that of a sequence number nor that of the time",
        Label(span),
        help=("write `order by n`, `order by n from 0` or `order by time within 5s`",),
    )


def order_without_time(span: Span) -> Diagnostic:
    return Diagnostic("wrong-part", "the log has no times that it could be ordered by", Label(span))


def lateness_not_known(span: Span) -> Diagnostic:
    return Diagnostic(
        "wrong-part",
        "how late a record may come is not written as a length of time",
        Label(span),
        help=("`5s`, `500ms`",),
    )


def state_part(span: Span) -> Diagnostic:
    return Diagnostic(
        "wrong-part",
        "`state` is not a part of an event",
        Label(span),
        help=("the state that a record claims to enter is `to = ...`, the one it leaves `from = ...`",),
    )


def part_as_field(name: ast.Name) -> Diagnostic:
    words = {"owner": "by", "from": "from", "to": "to", "machine": "of"}
    word = words.get(name.text)
    return Diagnostic(
        "wrong-part",
        f"`with` gives fields, and `{name.text}` is a part of the event",
        Label(name.span),
        help=(f"write `emit ... {word} VALUE`",) if word else ("give the field another name",),
    )


def wrong_template(span: Span, why: str) -> Diagnostic:
    return Diagnostic("wrong-template", f"the template cannot be read: {why}", Label(span))


def bad_pattern(pattern: ast.Text, why: str) -> Diagnostic:
    return Diagnostic(
        "wrong-template",
        f"the pattern behind `like` cannot be read: {why}",
        Label(pattern.span),
        notes=("patterns are RE2: no back references, no look-around",),
    )


def unknown_zone(zone: ast.Text) -> Diagnostic:
    return Diagnostic(
        "unknown-zone",
        f"there is no time zone `{zone.value}`",
        Label(zone.span),
        help=('write an offset, `zone "+02:00"`, or a name such as `zone "Europe/Berlin"`',),
    )


def unknown_column(name: ast.Name, columns: Iterable[str]) -> Diagnostic:
    known = sorted(columns)
    near = find_nearest(name.text, known)
    return Diagnostic(
        "unknown-column",
        f"the rows have no column `{name.text}`",
        Label(name.span),
        notes=(f"their columns are {_listed(known)}",),
        help=(f"did you mean `{near}`?",) if near else (),
    )


def unknown_hole(name: ast.Name, taken: Iterable[str]) -> Diagnostic:
    """A line of text has no keys: it has what a `match` takes out of it."""
    known = list(dict.fromkeys(taken))
    near = find_nearest(name.text, known)
    return Diagnostic(
        "unknown-column",
        f"a line of text has no key `{name.text}`",
        Label(name.span),
        notes=(f"what `match` and `let` give is {_listed(known)}" if known else "no `match` takes anything out of it",),
        help=(f"did you mean `{near}`?" if near else 'take the line apart: `match record "{date} {message}"`',),
    )


def circular_let(name: str, span: Span) -> Diagnostic:
    return Diagnostic("circular-let", f"`{name}` is made of itself", Label(span))


def unknown_in_binding(kind: str, name: str, span: Span, known: Iterable[str]) -> Diagnostic:
    """A near name makes it an error; with none near the client may know more than the lifecycle."""
    near = find_nearest(name, known)
    return Diagnostic(
        "unknown-in-binding",
        f"the lifecycle has no {kind} `{name}`",
        Label(span),
        help=(f"did you mean `{near}`?",) if near else (),
        severity=Severity.ERROR if near else Severity.WARNING,
    )


def nearly_in_binding(kind: str, name: str, near: str, span: Span) -> Diagnostic:
    """A name of the log, which may be any, is nearly one of the lifecycle."""
    return Diagnostic(
        "unknown-in-binding",
        f"the lifecycle has no {kind} `{name}`, but nearly",
        Label(span),
        help=(f"did you mean `{near}`?",),
        severity=Severity.WARNING,
    )


def unknown_part(name: ast.Name, near: str, *, is_error: bool) -> Diagnostic:
    return Diagnostic(
        "unknown-in-binding",
        f"an event has no part `{name.text}`: this makes a field of it",
        Label(name.span, "a field, not a part"),
        notes=("the parts are `session`, `time`, `event`, `machine`, `from`, `to` and `owner`",),
        help=(f"did you mean `{near}`?",),
        severity=Severity.ERROR if is_error else Severity.WARNING,
    )


def nothing_to_rename(part: str, what: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "unreachable-clause",
        f"nothing is {what} here: the binding reads no `{part}`",
        Label(span),
        help=(f"say where a record keeps it, `{part} = ...`",),
    )


def no_names_read(name: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "unreachable-clause",
        f"no record is called `{name}`: the binding reads no names",
        Label(span),
        help=("say where a record keeps its name, `event = ...`; `on any` looks at all records",),
    )


def renamed_away(name: str, new: str | None, span: Span) -> Diagnostic:
    if new == name:
        why, help_ = "`event` is a constant", "take the clause away, or read the name from the record"
    elif new is None:
        why, help_ = "`rename` takes the name away", "take the name out of `rename event`"
    else:
        why, help_ = f"`rename` has made `{new}` of it", f"`on` and `ignore` see the new name: write `{new}`"
    return Diagnostic("unreachable-clause", f"no record is called `{name}` here: {why}", Label(span), help=(help_,))


def ignored_before(name: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "unreachable-clause",
        f"`{name}` is ignored, which comes before any `on`",
        Label(span),
        help=("take the name out of `ignore`, or give that a `where`",),
    )


def shadowed_pattern(pattern: str, first: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "unreachable-clause",
        f'"{first}" stands before "{pattern}", and takes all that it fits',
        Label(span, "never asked"),
        help=("put the narrower pattern first",),
    )


def number_for_text(field: str, number: ast.NumberLit) -> Diagnostic:
    return Diagnostic(
        "unreachable-clause",
        f"the binding renames the number {number.text}, and `{field}` is read from a text, which is never a number",
        Label(number.span, "a number"),
        help=(f'what stands in a cell, or in a hole of a `match`, is a text: write `"{number.text}"`',),
    )


def number_beside_text(text: str, number: ast.NumberLit) -> Diagnostic:
    return Diagnostic(
        "unreachable-clause",
        f"`{text}` is a text, which is never the number {number.text}",
        Label(number.span, "a number"),
        help=(f'compare it with a text, `"{number.text}"`, or make a number of it: `{text} as number`',),
    )


def never_made(machine: str, events: list[str], span: Span) -> Diagnostic:
    return Diagnostic(
        "never-emitted",
        f"no record becomes {_first(events)}, which {'move' if len(events) > 1 else 'moves'} `{machine}`",
        Label(span),
        help=(f"`emit` what this client can show, or say what it cannot log: `lacks events {', '.join(events[:8])}`",),
    )


def never_made_for(event: str, by: str, span: Span, *, is_translated: bool) -> Diagnostic:
    why = " (an `on` makes something else of it)" if is_translated else ""
    return Diagnostic(
        "never-emitted",
        f"no record becomes `{event}`, {by}{why}",
        Label(span),
        help=(
            f"`emit {quoted(event)}` where this client shows it, or say that it cannot: `lacks events {quoted(event)}`",
        ),
    )


def unknown_finding(name: ast.Name, known: Iterable[str]) -> Diagnostic:
    known = sorted(known)
    near = find_nearest(name.text, known)
    return Diagnostic(
        "unknown-finding",
        f"`{name.text}` is no finding of reading that can be allowed",
        Label(name.span),
        notes=(f"those that can are {_listed(known)}",),
        help=(f"did you mean `{near}`?",) if near else (),
    )


def several_rests(span: Span) -> Diagnostic:
    return Diagnostic("wrong-rows", "`...` stands twice: nothing says where the columns between begin", Label(span))


def repeated_column(name: ast.Name) -> Diagnostic:
    return Diagnostic("wrong-rows", f"column `{name.text}` stands twice", Label(name.span))


def _first(names: list[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{_listed(names[:most])}{more}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"
