"""Numbers of records that go up, and records that come again (spec/bindings.md B36, B38). Owns the memory."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from decimal import Decimal

import msgspec

from lifespec.trace.event import Place
from lifespec.trace.instant import number_of
from lifespec.trace.scope import Read, Unreadable

MOST_REMEMBERED = 1_000_000  # keys of `unique by`; of more, the oldest are forgotten
_WHOLE = Unreadable(None, ("a whole number",))


@dataclass(frozen=True, slots=True)
class Gap:
    """`number` came where `expected` was due; `is_first`: at the first record of its session."""

    number: int
    expected: int
    is_first: bool


class Numbers:
    """The sequence numbers of all sessions. `start` is the number that begins a new count."""

    def __init__(self, start: int | None) -> None:
        self._start = start
        self._last: dict[str, int] = {}

    def find_gap(self, session: str, value: Read) -> Gap | Unreadable | None:
        """Takes the number of the next record of a session; None when it is the one that is due, or absent."""
        if value is None or isinstance(value, Unreadable):
            return value
        number = number_of(value)
        if isinstance(number, Decimal) and number == number.to_integral_value():
            number = int(number)
        if not isinstance(number, int):
            return _WHOLE
        last = self._last.get(session)
        self._last[session] = number
        if number == self._start:
            return None
        if last is not None:
            return None if number == last + 1 else Gap(number, last + 1, False)
        return None if self._start is None else Gap(number, self._start, True)


class Seen:
    """The keys of records, as short digests, and where each was first."""

    def __init__(self) -> None:
        from hashlib import blake2b  # few bindings ask for it

        self._digest = blake2b
        self._places: OrderedDict[bytes, Place] = OrderedDict()

    def place_of(self, key: Read, place: Place) -> Place | None:
        """Where a record with this key stood before; None when there was none, or the record has no key."""
        if key is None or isinstance(key, Unreadable):
            return None
        written = msgspec.json.encode(key, order="deterministic", enc_hook=repr)
        digest = self._digest(written, digest_size=16).digest()
        first = self._places.get(digest)
        if first is None:
            self._places[digest] = place
            if len(self._places) > MOST_REMEMBERED:
                self._places.popitem(last=False)
        return first
