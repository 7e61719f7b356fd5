"""What was left out of a report, and why. Owns the shape and the one sentence of it; leaves nothing out itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lifespec.explain_words import times

Kind = tuple[str, str]  # the name of a finding, and its property or ""
LeftOut = tuple[str, str]  # a property or "", and why its findings are left out: one of WHY
WHY = KNOWN, IGNORED, NOT_SELECTED = "known", "ignored", "not selected"


@dataclass(frozen=True, slots=True)
class KnownKind:
    """An entry of a baseline and what became of it: `known` findings are written there, `found` were found."""

    fingerprint: str
    name: str
    property: str
    known: int
    found: int
    states: tuple[str, ...] = ()
    event: str = ""
    field: str = ""
    owner: str = ""
    reason: str = ""
    expires: str = ""  # ISO 8601, the last day on which it counts


@dataclass(frozen=True, slots=True)
class BaselineUse:
    """What a baseline did. `known` are the findings that it left out, of so many `kinds`; `more` are kinds that were
    found more often than it knows, `expired` those whose day is past, which are reported as if they were not known,
    `unused` those that were found less often, or not at all. `today` is the day that counted (ISO 8601), "" where no
    entry has a last day; `is_today_given`: somebody said so, rather than the clock."""

    file: str
    known: int
    kinds: int
    more: tuple[KnownKind, ...] = ()
    expired: tuple[KnownKind, ...] = ()
    unused: tuple[KnownKind, ...] = ()
    today: str = ""
    is_today_given: bool = False


@dataclass(frozen=True, slots=True)
class SessionChoice:
    """Which sessions were judged: those with one of the `ids` (none: any) for which `where` holds (None: any).
    `without_value` of those left out have no value of a field that `where` asks for."""

    ids: tuple[str, ...]
    where: str | None
    chosen: int
    left_out: int
    without_value: int = 0


@dataclass(frozen=True, slots=True)
class Filtered:
    """What findings were not reported, or with another severity than usual, counted by kind.

    `ignored` by the names `ignore`, `not_selected` because they have none of the names `select`. `severities` is by
    name of the finding, property and the severity it was given."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    not_selected: Mapping[Kind, int] = field(default_factory=dict)
    ignored: Mapping[Kind, int] = field(default_factory=dict)
    severities: Mapping[tuple[str, str, str], int] = field(default_factory=dict)
    baseline: BaselineUse | None = None
    sessions: SessionChoice | None = None

    @property
    def left_out(self) -> int:
        """How many findings were found and are not reported."""
        known = self.baseline.known if self.baseline is not None else 0
        return known + sum(self.ignored.values()) + sum(self.not_selected.values())

    @property
    def is_in_force(self) -> bool:
        """Whether anything could have been left out, or could have had another severity."""
        return any((self.select, self.ignore, self.severities, self.baseline, self.sessions))

    def __bool__(self) -> bool:
        """Whether the report would be another one without what is told here."""
        said = (self.left_out, self.severities, self.sessions)
        return any(said) or (self.baseline is not None and bool(self.baseline.unused or self.baseline.expired))

    @property
    def words(self) -> str:
        """What was left out, as a fragment: `12 known, 3 ignored, 98 sessions`; "" for nothing."""
        known = self.baseline.known if self.baseline is not None else 0
        counts = {KNOWN: known, IGNORED: sum(self.ignored.values()), NOT_SELECTED: sum(self.not_selected.values())}
        said = [left_out_words(counts)] if any(counts.values()) else []
        if self.sessions is not None and self.sessions.left_out:
            said.append(times(self.sessions.left_out, "session"))
        return ", ".join(said)


def left_out_words(counts: Mapping[str, int]) -> str:
    """How many findings were left out for what reason, as a fragment: `12 known, 3 ignored`; "" for none."""
    return ", ".join(f"{counts[why]:,} {why}" for why in WHY if counts.get(why))
