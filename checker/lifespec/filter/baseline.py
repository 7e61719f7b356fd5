"""The file of known findings: read, made anew after a check, written. Owns its shape; leaves nothing out itself.

It holds what was masked only (spec/formats.md, section 5).
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from lifespec.explain_words import lowered
from lifespec.reports.fingerprint import VERSION as FINGERPRINTS
from lifespec.verdict import Violation

SCHEMA_VERSION = 1
MOST_ENTRIES = 10_000  # a file that knows more is no list that anybody works off
MAX_BYTES = 32 * 1024 * 1024


class WrongBaseline(ValueError):
    """A text is no baseline, or one of another version. The text says why."""


class Entry(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Findings that are known: those with this fingerprint, and so many of them.

    `name`, `property`, `states`, `event` and `field` say for people what they are. `owner` is who sees to them,
    `reason` why they may stay, `expires` the last day on which they may.
    """

    fingerprint: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
    count: Annotated[int, Meta(ge=1)]
    name: str
    property: str = ""
    states: tuple[str, ...] = ()
    event: str = ""
    field: str = ""
    owner: str = ""
    reason: str = ""
    expires: datetime.date | None = None


class Baseline(Struct, frozen=True, forbid_unknown_fields=True):
    """Known findings of one lifecycle, in the order of name, property and fingerprint."""

    schema_version: int
    fingerprints: int
    lifecycle: str
    known: tuple[Entry, ...]

    @property
    def has_dates(self) -> bool:
        return any(entry.expires is not None for entry in self.known)


def read_baseline(content: bytes) -> Baseline:
    """The baseline in a text. Raises WrongBaseline."""
    if len(content) > MAX_BYTES:
        raise WrongBaseline(f"it is larger than {MAX_BYTES >> 20} MiB")
    try:
        baseline = msgspec.json.decode(content, type=Baseline)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WrongBaseline(lowered(str(error))) from None
    if baseline.schema_version != SCHEMA_VERSION:
        raise WrongBaseline(
            f"its schema_version is {baseline.schema_version}, and this lifespec reads {SCHEMA_VERSION}"
        )
    if baseline.fingerprints != FINGERPRINTS:
        raise WrongBaseline(
            f"its fingerprints are of version {baseline.fingerprints}, and this lifespec makes {FINGERPRINTS}"
        )
    seen: set[str] = set()
    for entry in baseline.known:
        if entry.fingerprint in seen:
            raise WrongBaseline(f"fingerprint {entry.fingerprint} stands in it twice")
        seen.add(entry.fingerprint)
    return baseline


def made_anew(lifecycle: str, found: Mapping[str, tuple[Violation, int]], before: Baseline | None) -> Baseline:
    """The baseline of what was found: (masked) findings and counts by fingerprint. What is known already keeps its
    owner, its reason and its last day; what was not found goes. Raises WrongBaseline when it would be too long."""
    if len(found) > MOST_ENTRIES:
        raise WrongBaseline(
            f"there are more than {MOST_ENTRIES:,} kinds of findings, which is more than a list to work off"
        )
    kept = {entry.fingerprint: entry for entry in (before.known if before is not None else ())}
    entries = (_entry(print_, one, count, kept.get(print_)) for print_, (one, count) in found.items())
    return Baseline(SCHEMA_VERSION, FINGERPRINTS, lifecycle, _in_order(entries))


def written(baseline: Baseline) -> str:
    """The baseline as indented JSON, ended by a line end; what is empty is left out of an entry."""
    value: dict[str, Any] = msgspec.to_builtins(baseline)
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _entry(fingerprint: str, one: Violation, count: int, before: Entry | None) -> Entry:
    return Entry(
        fingerprint,
        count,
        one.name,
        str(one.property) if one.property is not None else "",
        tuple(map(_whole, one.states)),
        _whole(one.event or ""),
        _whole(one.field or ""),
        before.owner if before is not None else "",
        before.reason if before is not None else "",
        before.expires if before is not None else None,
    )


def _whole(text: str) -> str:
    """A text for people; half characters, which JSON readers refuse, are replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda entry: (entry.name, entry.property, entry.fingerprint)))
