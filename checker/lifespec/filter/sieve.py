"""Findings on their way from the check to the report: which are left out, by what, and how many. Judges nothing.

A finding meets the baseline first, then `select` and `ignore`, then the severities. So a baseline is about all that a
check finds, whatever is shown of it (docs/decisions/0013-a-filter-changes-no-verdict.md).
"""

from __future__ import annotations

import datetime
from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import itemgetter

from lifespec.diagnostics import Diagnostic
from lifespec.filter.baseline import MOST_ENTRIES, Baseline, Entry
from lifespec.filter.selection import NEVER_LEFT_OUT, names_of, unknown_names
from lifespec.model.model import Model
from lifespec.reports.filtered import (
    IGNORED,
    KNOWN,
    NOT_SELECTED,
    BaselineUse,
    Filtered,
    Kind,
    KnownKind,
    LeftOut,
)
from lifespec.reports.fingerprint import fingerprint_of
from lifespec.verdict import Violation

_MOST_HELD = 10_000  # known findings of one kind

_Order = tuple[int, int, int, int, str]


@dataclass(frozen=True, slots=True)
class Known:
    """A baseline, the name of its file, and the day on which it is read; that may be None when no entry has a last
    day. `is_today_given`: somebody said which day it is, rather than the clock. Raises ValueError without a day."""

    file: str
    baseline: Baseline
    today: datetime.date | None = None
    is_today_given: bool = False

    def __post_init__(self) -> None:
        if self.today is None and self.baseline.has_dates:
            raise ValueError(f"{self.file} has entries with a last day: which day is it?")


@dataclass(frozen=True, slots=True)
class Filters:
    """What of a check is reported. `select`: only findings with one of these names (none: all). `ignore`: but none
    with one of these. `severities`: names and "error", "warning" or "info"; that of a property beats that of a finding.
    `known`: a baseline, whose findings are left out, as many as it knows of each. `records`: gather what a new baseline
    would hold. `sessions` and `where`: judge these sessions only, and those for which the expression holds."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severities: Mapping[str, str] = field(default_factory=dict)
    known: Known | None = None
    records: bool = False
    sessions: tuple[str, ...] = ()
    where: str | None = None

    @property
    def chooses_sessions(self) -> bool:
        return bool(self.sessions) or self.where is not None


def find_wrong(filters: Filters, model: Model) -> tuple[Diagnostic, ...]:
    """What is wrong with the names in filters for a lifecycle, and with the baseline; `where` is not looked at."""
    given = (("--select", filters.select), ("--ignore", filters.ignore), ("--severity", tuple(filters.severities)))
    found = unknown_names(given, model)
    known = filters.known
    if known is not None and known.baseline.lifecycle != model.name:
        wrong = Diagnostic(
            "wrong-baseline",
            f"{known.file} knows findings of lifecycle `{known.baseline.lifecycle}`, not of `{model.name}`",
            help=("write one for this lifecycle: `--write-baseline FILE`",),
        )
        found = (*found, wrong)
    return found


class _Allowance:
    """The known findings of one entry: the first ones by place, whatever the order in which they come.

    A finding that comes later in the log than all that are known passes; one that comes earlier takes the place of the
    last known one, which passes instead. Of many known ones only so many are held; the others are known as they come.
    """

    def __init__(self, entry: Entry) -> None:
        self.seen = 0
        self._room = entry.count
        self._held: list[tuple[_Order, Violation]] = []  # in order, the last ones of those that are known

    def admit(self, order: _Order, violation: Violation) -> Violation | None:
        """The finding that passes now that this one has come; None while there is room."""
        self.seen += 1
        if self.seen <= self._room - _MOST_HELD:
            return None
        insort(self._held, (order, violation), key=itemgetter(0))
        return self._held.pop()[1] if len(self._held) > min(self._room, _MOST_HELD) else None


class Sieve:
    """Lets findings pass, and counts those that do not. `shown` hides what is forbidden in a finding."""

    def __init__(self, filters: Filters, shown: Callable[[Violation], Violation]) -> None:
        self.found: dict[str, tuple[Violation, int]] = {}
        """What a new baseline would hold: (masked) findings by fingerprint, and how many there are of each. Of more
        kinds than a baseline may have, one more."""
        self._filters = filters
        self._shown = shown
        self._select, self._ignore = frozenset(filters.select), frozenset(filters.ignore)
        self._not_selected: Counter[Kind] = Counter()
        self._ignored: Counter[Kind] = Counter()
        self._severities: Counter[tuple[str, str, str]] = Counter()
        self._here: Counter[LeftOut] = Counter()  # in the logs that are read now
        known = filters.known
        entries = known.baseline.known if known is not None else ()
        self._entries = {entry.fingerprint: (entry, _Allowance(entry)) for entry in entries}
        self._logs: dict[str, int] = {}  # in the order in which findings in them come

    def pass_through(self, found: Iterable[Violation]) -> Iterator[Violation]:
        """Those of the findings that are reported, and in place of one that proves to be known another one of its
        kind."""
        for violation in found:
            if violation.name in NEVER_LEFT_OUT:
                yield violation
                continue
            unknown = self._less_known(violation)
            why = KNOWN if unknown is None else self._why_not_chosen(unknown)
            if why:
                self._here[_kind_of(violation)[1], why] += 1
            elif unknown is not None:
                yield self._with_severity(unknown)

    def begin(self) -> None:
        """What comes now is of another log, or of several that are joined."""
        self._here = Counter()

    def in_logs(self) -> dict[LeftOut, int]:
        """How many findings since `begin` did not pass, by property and by why."""
        return dict(sorted(self._here.items()))

    def account(self, *, is_whole: bool) -> Filtered:
        """What was done. Of a check that did not see all (`is_whole`) nothing is said to be unused."""
        filters = self._filters
        return Filtered(
            select=filters.select,
            ignore=filters.ignore,
            not_selected=dict(sorted(self._not_selected.items())),
            ignored=dict(sorted(self._ignored.items())),
            severities=dict(sorted(self._severities.items())),
            baseline=self._baseline_use(filters.known, is_whole) if filters.known is not None else None,
        )

    # --- the baseline --------------------------------------------------------------------------------

    def _less_known(self, violation: Violation) -> Violation | None:
        """The finding itself, or another one of its kind that has to pass for it; None when all are known."""
        if not self._entries and not self._filters.records:
            return violation
        shown = self._shown(violation)
        fingerprint = fingerprint_of(shown)
        if self._filters.records and (fingerprint in self.found or len(self.found) <= MOST_ENTRIES):
            first, count = self.found.get(fingerprint, (shown, 0))
            self.found[fingerprint] = first, count + 1
        if fingerprint not in self._entries:
            return violation
        entry, allowance = self._entries[fingerprint]
        place = violation.place
        log = self._logs.setdefault(place.log, len(self._logs))
        admitted = allowance.admit((log, place.line, place.offset, place.item, violation.session), violation)
        return violation if self._is_expired(entry) else admitted

    def _is_expired(self, entry: Entry) -> bool:
        """The last day itself still counts."""
        known = self._filters.known
        return (
            entry.expires is not None and known is not None and known.today is not None and known.today > entry.expires
        )

    def _baseline_use(self, known: Known, is_whole: bool) -> BaselineUse:
        kinds = [(entry, known_kind(entry, allowance.seen)) for entry, allowance in self._entries.values()]
        valid = [kind for entry, kind in kinds if not self._is_expired(entry)]
        return BaselineUse(
            file=known.file,
            known=sum(min(kind.found, kind.known) for kind in valid),
            kinds=sum(1 for kind in valid if kind.found),
            more=tuple(kind for kind in valid if kind.found > kind.known),
            expired=tuple(kind for entry, kind in kinds if self._is_expired(entry) and kind.found),
            unused=tuple(kind for entry, kind in kinds if self._is_unused(entry, kind.found)) if is_whole else (),
            today=known.today.isoformat() if known.today is not None and known.baseline.has_dates else "",
            is_today_given=known.is_today_given,
        )

    def _is_unused(self, entry: Entry, found: int) -> bool:
        return not found if self._is_expired(entry) else found < entry.count

    # --- names ---------------------------------------------------------------------------------------

    def _why_not_chosen(self, violation: Violation) -> str:
        """Why its name leaves it out, "" when it is chosen."""
        names = names_of(violation.name, violation.property)
        if self._select and self._select.isdisjoint(names):
            self._not_selected[_kind_of(violation)] += 1
            return NOT_SELECTED
        if not self._ignore.isdisjoint(names):
            self._ignored[_kind_of(violation)] += 1
            return IGNORED
        return ""

    def _with_severity(self, violation: Violation) -> Violation:
        severities = self._filters.severities
        if not severities:
            return violation
        names = [name for name in severities if name in names_of(violation.name, violation.property)]
        if not names:
            return violation
        severity = severities[next((name for name in names if name != violation.name), violation.name)]
        self._severities[*_kind_of(violation), severity] += 1
        return replace(violation, severity=severity)


def _kind_of(violation: Violation) -> Kind:
    return violation.name, str(violation.property) if violation.property is not None else ""


def known_kind(entry: Entry, found: int) -> KnownKind:
    """An entry, and that so many findings of it were found."""
    return KnownKind(
        entry.fingerprint,
        entry.name,
        entry.property,
        entry.count,
        found,
        entry.states,
        entry.event,
        entry.field,
        entry.owner,
        entry.reason,
        entry.expires.isoformat() if entry.expires is not None else "",
    )
