"""`each`: a piece, or a record, as its items (spec/bindings.md B28, B32). Owns the walk and where an item stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lifespec.model.value import LogValue
from lifespec.trace.compiled import Unfolding
from lifespec.trace.outline import Outline
from lifespec.trace.scope import Read, Scope, Unreadable

_NO_PLACES: Mapping[str | int, int] = {}


@dataclass(frozen=True, slots=True)
class Item:
    """One record of a piece. `names` are bound by the `each`; `line` and `offset` are -1 where only those of the
    piece are known; `spot` is its place in the outline, if there is one. `series` counts the lists that the last `each`
    walks; `around` is what stands around the records of the element that this item is the first of."""

    record: LogValue
    names: Mapping[str, Read]
    line: int
    offset: int
    series: int
    around: Mapping[str, LogValue]
    spot: int | None


def items_of(
    scope: Scope, levels: Sequence[Unfolding], outline: Outline | None, look: Callable[[int, Scope], None]
) -> Iterator[Item]:
    """The items of the piece that `scope` is about, in their order. `look` is told where each level looks."""
    return _Walk(scope, levels, outline, look).level(0, {}, {} if outline is None else {"": outline.root}, {})


class _Walk:
    def __init__(
        self, scope: Scope, levels: Sequence[Unfolding], outline: Outline | None, look: Callable[[int, Scope], None]
    ) -> None:
        self._scope = scope
        self._levels = levels
        self._outline = outline
        self._look = look
        self._series = 0

    def level(
        self, depth: int, names: Mapping[str, Read], places: Mapping[str, int], around: Mapping[str, LogValue]
    ) -> Iterator[Item]:
        level = self._levels[depth]
        is_last = depth == len(self._levels) - 1
        scope = replace(self._scope, names=names)
        self._look(depth, scope)
        value = level.get(scope)
        around = {**around, **self._around(level, names)}
        spots = self._spots(level, places)
        if is_last:
            self._series += 1
        for key, each in pairs_of(value):
            bound = {**names, level.name: each} if level.key is None else {**names, level.name: each, level.key: key}
            spot = spots.get(key)
            if not is_last:
                inner = places if spot is None else {**places, level.name: spot}
                yield from self.level(depth + 1, bound, inner, around)
            else:
                outline = self._outline
                yield Item(
                    _plain(bound.get("record", self._scope.record)),
                    bound,
                    -1 if outline is None or spot is None else outline.line_of(spot),
                    -1 if outline is None or spot is None else outline.offset_of(spot),
                    self._series,
                    around,
                    spot,
                )
            around = {}

    def _spots(self, level: Unfolding, places: Mapping[str, int]) -> Mapping[str | int, int]:
        if self._outline is None or level.steps is None:
            return _NO_PLACES
        at = places.get(level.head)
        for step in level.steps:
            at = self._outline.places(at).get(step)
        return self._outline.places(at)

    def _around(self, level: Unfolding, names: Mapping[str, Read]) -> Mapping[str, LogValue]:
        """What `level` is taken out of, without what it walks: there is only one of it for all its records."""
        whole = self._scope.record if level.head == "" else names.get(level.head)
        if level.steps is None or type(whole) is not dict:
            return {}
        return {level.head or "record": _without(whole, level.steps)}


def _plain(value: Read) -> LogValue:
    return None if isinstance(value, Unreadable) else value


def _without(whole: dict[str, LogValue], steps: Sequence[str | int]) -> LogValue:
    if not steps or steps[0] not in whole:
        return {} if not steps else whole
    kept = dict(whole)
    key = str(steps[0])
    inner = kept.pop(key)
    if len(steps) > 1 and type(inner) is dict:
        kept[key] = _without(inner, steps[1:])
    return kept


def pairs_of(value: Read) -> Iterator[tuple[str | int, LogValue]]:
    """The elements of a list with their places from 0, the values of an object with their keys; else nothing."""
    if type(value) is list:
        yield from enumerate(value)
    elif type(value) is dict:
        yield from value.items()
