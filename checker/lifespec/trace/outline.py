"""Where the parts of a JSON document stand in its text. Owns places only: the values are decoded elsewhere.

The standard library's own scanner walks the text; nothing here reads JSON by hand. A list or an object is walked once
for each time it is asked about, and only what is asked for is walked through.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import accumulate
from json.decoder import JSONArray, JSONObject  # type: ignore[attr-defined]  # not in the stubs
from typing import Any

_STRETCH = 4096  # characters

_Scan = Callable[[str, int], tuple[Any, int]]


class Outline:
    """The text of one document that is known to be JSON. Places are characters from 0."""

    def __init__(self, text: str, first_line: int, offset: int) -> None:
        self._text = text
        self._first_line = first_line
        self._offset = offset
        decoder: Any = json.JSONDecoder(parse_float=_nothing, parse_int=_nothing, strict=False)
        self._scan: _Scan = decoder.scan_once  # the scanner of `raw_decode`, which tells where a value ends
        self._line_starts: list[int] | None = None
        self._is_ascii = text.isascii()
        self._bytes_before: list[int] | None = None  # how many each stretch of the text has before it
        self.root = len(text) - len(text.lstrip(" \t\r\n"))

    def places(self, at: int | None) -> Mapping[str | int, int]:
        """The places of the elements of the list, or the values of the object, that stands at `at`; of anything
        else, and of nothing, none."""
        if at is None or self._text[at : at + 1] not in ("[", "{"):
            return {}
        found: list[int] = []

        def scan(text: str, place: int) -> tuple[Any, int]:
            found.append(place)
            return self._scan(text, place)

        try:
            if self._text[at] == "[":
                JSONArray((self._text, at + 1), scan)
                return dict(enumerate(found))
            pairs, _ = JSONObject((self._text, at + 1), False, scan, None, list)
            return {key: place for (key, _), place in zip(pairs, found, strict=True)}
        except (ValueError, RecursionError):  # what the strict decoder took and this scanner does not: no places
            return {}

    def repeated(self, at: int) -> Counter[str]:
        """The keys that stand twice in one object of the value at `at`, each with the number of such objects."""
        found: Counter[str] = Counter()

        def look(pairs: list[tuple[str, object]]) -> None:
            if len(pairs) > 1:
                found.update(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)

        decoder = json.JSONDecoder(object_pairs_hook=look, parse_float=_nothing, parse_int=_nothing, strict=False)
        try:
            decoder.raw_decode(self._text, at)
        except (ValueError, RecursionError):  # as above
            return Counter()
        return found

    def line_of(self, at: int) -> int:
        """The line on which a place stands, from 1 in the log."""
        if self._line_starts is None:
            starts = [0]
            place = self._text.find("\n")
            while place >= 0:
                starts.append(place + 1)
                place = self._text.find("\n", place + 1)
            self._line_starts = starts
        return self._first_line + bisect_right(self._line_starts, at) - 1

    def offset_of(self, at: int) -> int:
        """The byte of a place in the log, -1 when it has none: the log is packed."""
        if self._offset < 0 or self._is_ascii:
            return self._offset + at if self._offset >= 0 else -1
        if self._bytes_before is None:
            parts = (self._text[start : start + _STRETCH] for start in range(0, len(self._text), _STRETCH))
            self._bytes_before = list(accumulate((len(part.encode()) for part in parts), initial=0))
        stretch = at // _STRETCH
        return self._offset + self._bytes_before[stretch] + len(self._text[stretch * _STRETCH : at].encode())


def _nothing(text: str) -> None:
    return None
