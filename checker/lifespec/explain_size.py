"""How much of a log a finding may repeat. Owns the cutting of its texts.

A log may hold values of any length. A finding says enough to find one, and a report stays small whatever the log holds.
"""

from __future__ import annotations

from dataclasses import replace

from lifespec.verdict import Violation, Witness

LONGEST = 1000
"""Characters of a text that a finding repeats."""

_TEXTS = ("session", "machine", "event", "source", "target", "owner", "field", "found", "text")


def shortened_texts(violation: Violation) -> Violation:
    """The violation with each longer text cut, and a mark where it was."""
    changes: dict[str, object] = {}
    for name in _TEXTS:
        value = getattr(violation, name)
        if value is not None and len(value) > LONGEST:
            changes[name] = _cut(value)
    if any(len(part) > LONGEST for part in violation.key):
        changes["key"] = tuple(map(_cut, violation.key))
    if any(map(_is_long, violation.witnesses)):
        changes["witnesses"] = tuple(map(_witness, violation.witnesses))
    if any(map(_is_long, violation.wrote)):
        changes["wrote"] = tuple(map(_witness, violation.wrote))
    return replace(violation, **changes) if changes else violation  # type: ignore[arg-type]  # fields by name


def _is_long(witness: Witness) -> bool:
    return any(isinstance(each, str) and len(each) > LONGEST for each in (witness.event, witness.value))


def _witness(witness: Witness) -> Witness:
    event = _cut(witness.event) if witness.event is not None else None
    value = _cut(witness.value) if isinstance(witness.value, str) else witness.value
    return replace(witness, event=event, value=value)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text):,} characters)"
