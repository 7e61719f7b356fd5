"""How many different texts there were, in bounded memory. Owns the estimate where there are very many; knows no log.

Of all hashes the least ones are kept. While all are kept the number is exact; when they are not, how close together
the kept ones lie says how many there are.
"""

from __future__ import annotations

from dataclasses import dataclass

_RANGE = 1 << 64


@dataclass(frozen=True, slots=True)
class Distinct:
    """A number of different things; not `is_exact` where it is estimated."""

    number: int
    is_exact: bool = True


NONE = Distinct(0)


class DistinctCount:
    """Counts different texts: exactly up to twice `most`, above that with an error of about 1 / sqrt(`most`). In which
    order they come does not matter."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: set[int] = set()
        self._limit = _RANGE  # what is not below it is not kept

    def add(self, text: str) -> None:
        from hashlib import blake2b  # not needed where nothing is found

        hashed = int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())
        if hashed < self._limit:
            self._kept.add(hashed)
            if len(self._kept) > 2 * self._most:
                self._shrink()

    def _shrink(self) -> None:
        least = sorted(self._kept)
        self._limit = least[self._most]
        self._kept = set(least[: self._most])

    @property
    def distinct(self) -> Distinct:
        if self._limit == _RANGE:
            return Distinct(len(self._kept))
        least = sorted(self._kept)[: self._most]  # so that when it was last shrunk does not matter
        return Distinct((self._most - 1) * _RANGE // max(least[-1], 1), is_exact=False)
