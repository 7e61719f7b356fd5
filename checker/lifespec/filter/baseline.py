"""The file of known findings: read, made anew after a check, written. Owns its shape; leaves nothing out itself.

It holds what was masked only (spec/formats.md, section 5).
"""

from __future__ import annotations

import codecs
import datetime
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from lifespec.diagnostics.nearest import find_nearest
from lifespec.explain_words import lowered
from lifespec.reports.fingerprint import VERSION as FINGERPRINTS
from lifespec.verdict import Violation

SCHEMA_VERSION = 1
MOST_ENTRIES = 10_000  # a file that knows more is no list that anybody works off
MAX_BYTES = 32 * 1024 * 1024
_UNKNOWN = re.compile("Object contains unknown field `(.*?)`(?: - at `(.*)`)?", re.DOTALL)


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
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        baseline = msgspec.json.decode(content, type=Baseline)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WrongBaseline(_why_not(content, str(error))) from None
    twice = next(_keys_twice(_as_written(content)), None)
    if twice is not None:
        raise WrongBaseline(twice)
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


# --- what is wrong with a text ---------------------------------------------------------------------------------


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of an object as they are written, also a key that stands twice."""


def _as_written(content: bytes) -> Any:
    """The JSON of a text with its objects as pairs; None where another reader can make nothing of it."""
    try:
        return json.loads(content, object_pairs_hook=_Pairs, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None


def _why_not(content: bytes, message: str) -> str:
    """What the decoder says of a text, in words for people."""
    unknown = _UNKNOWN.fullmatch(message)
    if unknown is not None:
        name, place = unknown.groups(default="")
        near = find_nearest(name, (Entry if ".known[" in place else Baseline).__struct_fields__)
        return f"there is no key `{name}`{_at(place)}" + (f"; did you mean `{near}`?" if near else "")
    if message.startswith("Invalid RFC3339 encoded date"):
        return f"a date is YYYY-MM-DD, such as 2026-03-31{message.removeprefix('Invalid RFC3339 encoded date')}"
    try:
        half = next(_half_characters(_as_written(content)), None)
    except RecursionError:
        half = None
    return lowered(message) if half is None else f"a text holds half a character (a lone surrogate){_at(half)}"


def _at(place: str) -> str:
    return f" - at `{place}`" if place else ""


def _keys_twice(value: Any, place: str = "$") -> Iterator[str]:
    if isinstance(value, _Pairs):
        keys = [key for key, _ in value]
        yield from (f"`{key}` stands twice in one object{_at(place)}" for key in keys if keys.count(key) > 1)
    for inner, each in _inside(value, place):
        yield from _keys_twice(each, inner)


def _half_characters(value: Any, place: str = "$") -> Iterator[str]:
    """Where a text is that is no text."""
    texts = [key for key, _ in value] if isinstance(value, _Pairs) else [value] if isinstance(value, str) else []
    if any("\ud800" <= character <= "\udfff" for text in texts for character in text):
        yield place
    for inner, each in _inside(value, place):
        yield from _half_characters(each, inner)


def _inside(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    """What stands in an object or a list, each with its place."""
    if isinstance(value, _Pairs):
        yield from ((f"{place}.{key}", each) for key, each in value)
    elif isinstance(value, list):
        yield from ((f"{place}[{number}]", each) for number, each in enumerate(value))


# --- made and written ------------------------------------------------------------------------------------------


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
