"""The paths that a binding reads its parts from, and whether any record has them (spec/bindings.md B42).

Owns what is looked for and what stands in its place; makes no findings. A path is looked for until it is found once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence

from lifespec.model.value import LogValue
from lifespec.source import Span
from lifespec.syntax import ast
from lifespec.trace.compiled import PARTS, Watched
from lifespec.trace.expression import path_words
from lifespec.trace.lookup import member
from lifespec.trace.scope import Scope

_SAMPLES = 20  # records of which the keys are told
_MOST_KEYS = 40
_ESCAPED_KEY = re.compile(rb'\\[u/][^"\\]*"\s*:')
_SPECIAL = frozenset({"header", "file", "previous"})


class Watching:
    """Looks for paths in the records of one log."""

    def __init__(self, watched: Sequence[Watched]) -> None:
        self._left = {number: each for number, each in enumerate(watched) if not each.walked_by}
        self._walks = {each.span: (number, each) for number, each in enumerate(watched) if each.walked_by}
        self._beside: dict[int, dict[str, None]] = {number: {} for number in range(len(watched))}
        self._samples = 0
        self._walk_samples: dict[int, int] = {}  # by the number of what an `each` walks

    def look(self, scope: Scope) -> None:
        """Looks at one record."""
        if not self._left:
            return
        is_sample = self._samples < _SAMPLES
        self._samples += is_sample
        for number, watched in tuple(self._left.items()):
            for base, names in watched.choices:
                value: LogValue = scope.record if not base else _named(scope, base)
                keys = _keys_without(value, names)
                if keys is None:
                    del self._left[number]
                    break
                if is_sample and (base, names) == watched.choices[0]:
                    self._beside[number].update(dict.fromkeys(keys))

    def look_for_walk(self, path: Span, scope: Scope) -> None:
        """Looks for what the `each` with this path walks."""
        if path not in self._walks:
            return
        number, watched = self._walks[path]
        base, names = watched.choices[0]
        keys = _keys_without(scope.record if not base else _named(scope, base), names)
        if keys is None:
            del self._walks[path]
            return
        samples = self._walk_samples[number] = self._walk_samples.get(number, 0) + 1
        if samples <= _SAMPLES:
            self._beside[number].update(dict.fromkeys(keys))

    def look_in(self, text: bytes, lines: Sequence[bytes]) -> None:
        """Looks at lines that are flat JSON objects, together and each. A key written with escapes may be any."""
        if not self._left:
            return
        if b"\\" in text and _ESCAPED_KEY.search(text) is not None:
            self._left.clear()
        for number, watched in tuple(self._left.items()):
            if any(json.dumps(names[0], ensure_ascii=False).encode() in text for _, names in watched.choices):
                del self._left[number]
        if self._left and self._samples < _SAMPLES:
            for line in lines[: _SAMPLES - self._samples]:
                self._samples += 1
                for number in self._left:
                    self._beside[number].update(dict.fromkeys(_keys_of_line(line)))

    def absent(self) -> dict[int, tuple[str, ...] | None]:
        """The numbers of what was not found, with the keys that stand in its place; None for what was not looked for,
        since nothing was read that might have had it."""
        looked = dict.fromkeys(self._left, self._samples > 0)
        looked |= {number: number in self._walk_samples for number, _ in self._walks.values()}
        return {number: tuple(self._beside[number])[:_MOST_KEYS] if looked[number] else None for number in looked}


def _named(scope: Scope, base: str) -> LogValue:
    value = scope.holes.get(base, scope.names.get(base))
    return value if isinstance(value, dict | list) else None


def _keys_without(value: LogValue, names: Sequence[str]) -> Collection[str] | None:
    """None when the path is there; else the keys that stand where it ends."""
    for name in names:
        inner = member(value, name)
        if inner is None:
            is_there = isinstance(value, dict) and name in value and name == names[-1]
            return None if is_there else _keys_of(value)
        value = inner
    return None


def _keys_of(value: LogValue) -> list[str]:
    if isinstance(value, dict):
        return list(value)[:_MOST_KEYS]
    if isinstance(value, list):  # of pairs
        keys = [pair.get("key") for pair in value if isinstance(pair, dict)]
        return [key for key in keys if isinstance(key, str)][:_MOST_KEYS]
    return []


def _keys_of_line(line: bytes) -> list[str]:
    try:
        return _keys_of(json.loads(line))
    except (ValueError, RecursionError):
        return []


# --- what is watched ---------------------------------------------------------------------------------


def watched_paths(
    own: Sequence[ast.Statement], bound: Collection[str], each_names: Collection[str]
) -> tuple[Watched, ...]:
    """What the statements read by paths from the record, or from what an `each` of `read` named. What is made of a
    `let` or a `match` (`bound`) is not watched, nor what has a constant or the header to fall back on."""
    found = (
        (_choices_of(each, bound, each_names), span, is_part)
        for statement in own
        for value, span, is_part in _read_by(statement)
        for each in _all_due(value)
    )
    read = tuple(Watched(tuple(choices), span, is_part) for choices, span, is_part in found if choices)
    return (*read, *_walked(own, bound, each_names))


def _walked(own: Sequence[ast.Statement], bound: Collection[str], each_names: Collection[str]) -> Iterator[Watched]:
    """What an `each` walks: of `read`, where a `let` or `match` is not known yet, and of `on`."""
    for statement in own:
        if not isinstance(statement, ast.Read | ast.OnClause):
            continue
        of_read = isinstance(statement, ast.Read)
        before = set() if of_read else set(each_names)
        hidden = () if of_read else bound
        for each in statement.each:
            choices = _choices_of(each.path, hidden, before)
            if choices:
                yield Watched(tuple(choices), each.path.span, is_part=of_read, walked_by=each.name.text)
            before |= {each.name.text} | ({each.key.text} if each.key is not None else set())


def _place(value: ast.Expr) -> Span:
    """Where the first path of a value is written."""
    match value:
        case ast.Convert(value=inner):
            return _place(inner)
        case ast.Else(choices=(first, *_)):
            return _place(first)
        case _:
            return value.span


def _read_by(statement: ast.Statement) -> Iterator[tuple[ast.Expr, Span, bool]]:
    match statement:
        case ast.Assign(name=name, value=value) if value is not None:
            yield value, _place(value), name.text in PARTS
        case ast.Let(value=value):
            yield value, _place(value), False
        case ast.Match(path=path):
            yield path, path.span, False
        case ast.ClockPer(value=value) | ast.UniqueBy(value=value):
            yield value, _place(value), True
        case ast.Order(by=path, within=None) if not _is_time(path):
            yield path, path.span, True
        case ast.FieldsFrom(paths=paths):
            for path in paths:
                yield path, path.span, False
        case _:
            pass


def _all_due(value: ast.Expr) -> Iterator[ast.Expr]:
    """The values of which each has to be there: the holes of a template, one by one."""
    match value:
        case ast.Convert(value=inner):
            yield from _all_due(inner)
        case ast.TextLit(value=text, span=span) if text.count("{") > 1:
            yield from (ast.TextLit("{" + hole.partition("}")[0] + "}", span) for hole in text.split("{")[1:])
        case _:
            yield value


def _is_time(path: ast.Path) -> bool:
    return isinstance(path.head, ast.Name) and path.head.text == "time" and not path.steps


def _choices_of(
    value: ast.Expr, bound: Collection[str], each_names: Collection[str]
) -> list[tuple[str, tuple[str, ...]]]:
    """The paths of which one has to be there; none when that cannot be said."""
    match value:
        case ast.Else(choices=choices):
            found = [_choices_of(each, bound, each_names) for each in choices if not _is_previous(each)]
            return [path for each in found for path in each] if all(found) else []
        case ast.Convert(value=inner):
            return _choices_of(inner, bound, each_names)
        case ast.TextLit(value=text) if text.count("{") == 1:
            words = path_words(text.partition("{")[2].partition("}")[0].strip())
            return _path_of(words, bound, each_names)
        case ast.Path(head=ast.Name(text=head), steps=steps):
            words = [head]
            for step in steps:
                if step.name is None:
                    break
                words.append(step.name.text)
            return _path_of(words, bound, each_names)
        case _:
            return []


def _path_of(
    words: Sequence[str], bound: Collection[str], each_names: Collection[str]
) -> list[tuple[str, tuple[str, ...]]]:
    if not words or words[0] in _SPECIAL or words[0] in bound:
        return []
    if words[0] in each_names and words[0] != "record":
        return [(words[0], tuple(words[1:]))] if len(words) > 1 else []
    names = tuple(words[1:] if words[0] == "record" else words)
    return [("", names)] if names else []


def _is_previous(value: ast.Expr) -> bool:
    return isinstance(value, ast.Path) and isinstance(value.head, ast.Name) and value.head.text == "previous"
