"""The options of `check` about what is reported: names, severities, sessions, the baseline. Owns their words."""

from __future__ import annotations

import contextlib
import datetime
import functools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lifespec.cli.descriptor import find_descriptor
from lifespec.cli.once import Once
from lifespec.cli.output import STANDARD, Failure, read_file, write_file
from lifespec.diagnostics.excerpt import visible
from lifespec.explain_words import times

if TYPE_CHECKING:
    from lifespec.filter.baseline import Baseline, Entry
    from lifespec.filter.sieve import Filters, Known
    from lifespec.reports.report import Report

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
SEVERITIES = ("error", "warning", "info")
_LISTED = 10  # entries of a baseline, of each that became of them


class NameList(click.ParamType):  # type: ignore[type-arg]  # older ones take none
    """Names with commas between; also of several from a configuration file."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = tuple(name.strip() for name in str(value).split(","))
        if not all(names):
            self.fail(f"{value!r} has an empty name", param, ctx)
        return names

    def split_envvar_value(self, rv: str) -> list[str]:
        return [rv]


class SeverityOf(click.ParamType):  # type: ignore[type-arg]  # older ones take none
    """NAME=SEVERITY."""

    name = "severity"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        name, _, severity = str(value).rpartition("=")
        if not name or severity not in SEVERITIES:
            self.fail(f"{value!r} is not NAME=SEVERITY with one of {', '.join(SEVERITIES)}", param, ctx)
        return name.strip(), severity

    def split_envvar_value(self, rv: str) -> list[str]:
        return [each for each in rv.split(",") if each]


def find_day(text: str) -> datetime.date | None:
    """The day that a text is as YYYY-MM-DD; ISO 8601 has other forms as well, and they are none here."""
    with contextlib.suppress(ValueError):
        if _DAY.fullmatch(text):
            return datetime.date.fromisoformat(text)
    return None


class Day(click.ParamType):  # type: ignore[type-arg]  # older ones take none
    """YYYY-MM-DD."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime.date:
        if isinstance(value, datetime.date):
            return value
        day = find_day(str(value))
        if day is None:
            self.fail(f"{value!r} is not a date such as 2026-03-31 (YYYY-MM-DD)", param, ctx)
        return day


def _severities(given: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The severity of each name. Raises UsageError when one has two."""
    found: dict[str, str] = {}
    for name, severity in given:
        if found.setdefault(name, severity) != severity:
            raise click.UsageError(f"`--severity` gives `{name}` two severities: {found[name]} and {severity}")
    return found


def _file_only(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """A baseline is a file that is read and written again: neither `-` nor, to be written, an open stream."""
    if value == STANDARD:
        raise click.UsageError(f"`{param.opts[0]}` names a file, and - is none; a file of this name is ./-", ctx)
    if value is not None and param.opts[0] == "--write-baseline" and find_descriptor(value) is not None:
        raise click.UsageError(
            f"`--write-baseline` names a file, to be read again by `--baseline`; {value} is none", ctx
        )
    return value


_OPTIONS = (
    click.option("--select", type=NameList(), multiple=True, metavar="NAME,...",
                 help="Report only findings with one of these names: of findings, rules, machines, fields."),
    click.option("--ignore", type=NameList(), multiple=True, metavar="NAME,...",
                 help="Do not report findings with one of these names; they are counted."),
    click.option("--severity", type=SeverityOf(), multiple=True, metavar="NAME=SEVERITY",
                 help="Report what has this name as error, warning or info; may be given again."),
    click.option("--session", "sessions", multiple=True, metavar="ID",
                 help="Judge only the session ID; may be given again."),
    click.option("--where", cls=Once, metavar="CONDITION",
                 help="Judge only sessions for whose fields this holds: 'platform == \"ios\"'."),
    click.option("--baseline", cls=Once, metavar="FILE", callback=_file_only,
                 help="Do not report the findings that FILE knows, as many as it knows of each."),
    click.option("--write-baseline", cls=Once, metavar="FILE", callback=_file_only,
                 help="Write what is found to FILE, to be known from now on; owners, reasons and dates in it stay."),
    click.option("--today", cls=Once, type=Day(), metavar="DATE",
                 help="The day by which entries of a baseline expire; that of the clock, in UTC, unless given."),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """What was given."""

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    severities: Mapping[str, str]
    sessions: tuple[str, ...]
    where: str | None
    baseline: str | None
    write_baseline: str | None
    today: datetime.date | None

    def spare(self, output: str) -> None:
        """Raises UsageError when the report would be written over the baseline."""
        if self.write_baseline is not None and os.path.realpath(self.write_baseline) == os.path.realpath(output):
            raise click.UsageError(f"{output} cannot be both the report and the baseline")

    @property
    def filters(self) -> Filters:
        """What of the check is reported. Raises Failure when the baseline cannot be read."""
        from lifespec.filter.sieve import Filters

        if self.write_baseline is not None and (self.sessions or self.where is not None):
            raise click.UsageError(
                "`--write-baseline` is about all sessions: it goes with neither --session nor --where"
            )
        known = self._known(self.baseline) if self.baseline is not None and self.write_baseline is None else None
        return Filters(
            select=self.select,
            ignore=self.ignore,
            severities=self.severities,
            known=known,
            records=self.write_baseline is not None,
            sessions=self.sessions,
            where=self.where,
        )

    def _known(self, file: str) -> Known:
        from lifespec.filter.sieve import Known

        if not os.path.lexists(file):
            raise Failure(f"cannot read {file}: there is no such file yet; `--write-baseline {file}` writes it")
        baseline = _read(file)
        today = self.today or (datetime.datetime.now(datetime.UTC).date() if baseline.has_dates else None)
        return Known(file, baseline, today, is_today_given=self.today is not None)


def filter_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options; the function gets them as one, `filters`."""

    @functools.wraps(function)
    def with_filters(
        *arguments: Any,
        select: tuple[tuple[str, ...], ...],
        ignore: tuple[tuple[str, ...], ...],
        severity: tuple[tuple[str, str], ...],
        sessions: tuple[str, ...],
        where: str | None,
        baseline: str | None,
        write_baseline: str | None,
        today: datetime.date | None,
        **others: Any,
    ) -> Any:
        given = FilterOptions(
            tuple(dict.fromkeys(name for names in select for name in names)),
            tuple(dict.fromkeys(name for names in ignore for name in names)),
            _severities(severity),
            sessions,
            where,
            baseline,
            write_baseline,
            today,
        )
        return function(*arguments, filters=given, **others)

    for option in reversed(_OPTIONS):
        with_filters = option(with_filters)
    return with_filters


def baseline_before(file: str) -> Baseline | None:
    """The baseline that is to be written anew, None when there is none. Raises Failure for any other file."""
    return _read(file) if os.path.lexists(file) else None


def write_baseline(file: str, report: Report, before: Baseline | None, today: datetime.date | None) -> None:
    """Write what a check has found to a file, and say so. Raises Failure; then the file is as it was."""
    from lifespec.filter.baseline import WrongBaseline, made_anew, written

    if before is not None and before.lifecycle != report.lifecycle:
        raise Failure(f"{file} is left as it was: it knows lifecycle `{before.lifecycle}`, not `{report.lifecycle}`")
    try:
        baseline = made_anew(report.lifecycle, report.recorded, before)
    except WrongBaseline as error:
        raise Failure(f"{file} is not written: {error}") from None
    write_file(Path(file), written(baseline).encode())
    day = today or datetime.datetime.now(datetime.UTC).date()
    for line in _what_became(file, baseline, before, day):
        click.echo(f"lifespec: {visible(line)}", err=True)


def _what_became(file: str, baseline: Baseline, before: Baseline | None, today: datetime.date) -> Iterator[str]:
    """What a baseline made anew knows, and what it dropped, kept and changed of the one before, in sentences."""
    from lifespec.filter.sieve import known_kind
    from lifespec.reports.text_filtered import kind_words

    now = {entry.fingerprint: entry for entry in baseline.known}
    said = f"{file} knows {times(sum(entry.count for entry in baseline.known), 'finding')} of {times(len(now), 'kind')}"
    if before is None:
        yield said
        return
    earlier = {entry.fingerprint: entry for entry in before.known}
    pairs = [(entry, now[print_]) for print_, entry in earlier.items() if print_ in now]
    gone = [entry for print_, entry in earlier.items() if print_ not in now]
    changed = [(old, new) for old, new in pairs if old.count != new.count]
    expired = [new for _, new in pairs if new.expires is not None and new.expires < today]
    counts = (
        (len(now) - len(pairs), "new"),
        (len(pairs) - len(changed), "kept as it was"),
        (len(changed), "with another count"),
        (len(gone), "gone"),
    )
    yield f"{said}: {', '.join(f'{count:,} {what}' for count, what in counts)}"

    def words(entry: Entry) -> str:
        return kind_words(known_kind(entry, 0))

    yield from _few(f"gone: {words(entry)}, of which {entry.count:,} were known" for entry in gone)
    yield from _few(f"another count: {words(new)}: {old.count:,} before, {new.count:,} now" for old, new in changed)
    yield from _few(
        f"expired on {entry.expires}: {words(entry)}; it stays in {file} with its day, and its findings fail "
        "all the same: mend them, or set another day"
        for entry in expired
    )


def _few(lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(listed := list(lines)):
        if number == _LISTED:
            yield f"... and {len(listed) - _LISTED:,} more {line.partition(':')[0].partition(' on ')[0]}"
            return
        yield line


def _read(file: str) -> Baseline:
    from lifespec.filter.baseline import MAX_BYTES, WrongBaseline, read_baseline

    try:
        return read_baseline(read_file(file, MAX_BYTES + 1))
    except WrongBaseline as error:
        raise Failure(visible(f"{file} is no baseline: {error}")) from None
