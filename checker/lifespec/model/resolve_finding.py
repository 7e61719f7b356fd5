"""Collecting what is wrong with a text. Owns the order of the findings, the nearest name and its budget.

Knows the sources only to say in which line something is declared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from msgspec.structs import replace

from lifespec.diagnostics import Diagnostic, Fix, Label, Severity, find_nearest, severity_of
from lifespec.source import Source, Span

_LISTED = 12  # names in one note
_CANDIDATES = 400  # names looked at for one suggestion
_BUDGET = 40_000  # names looked at for all suggestions together: a text full of errors stays cheap
_LONG_SENTENCE = 160
_LONGEST_SENTENCE = 400
_LONG_NAME = re.compile(r"`([^`]{48})[^`]{3,}`")
_MOST_PLACES = 6
_MOST_KEPT = 20_000
_MOST_SHOWN = 1_000


def quoted(names: Iterable[str]) -> str:
    """The names in backticks, separated by commas; a long list is cut."""
    listed = list(islice(names, _LISTED + 1))
    more = ", ..." if len(listed) > _LISTED else ""
    return ", ".join(f"`{name}`" for name in listed[:_LISTED]) + more


def _shortened(text: str) -> str:
    """A sentence for people: names that are very long are cut, and so is what is long all the same."""
    if len(text) > _LONG_SENTENCE:
        text = _LONG_NAME.sub(r"`\1...`", text)
    return text if len(text) <= _LONGEST_SENTENCE else f"{text[: _LONGEST_SENTENCE - 3]}..."


class Findings:
    """What is wrong, collected in any order and handed out in the order of the text."""

    def __init__(
        self, sources: Mapping[str, Source], doubtful: frozenset[str] = frozenset(), misses_texts: bool = False
    ) -> None:
        self._sources = sources
        self._doubtful = doubtful
        self._misses_texts = misses_texts
        self._found: list[tuple[Diagnostic, tuple[str, ...] | None]] = []
        self._budget = _BUDGET
        self._dropped = 0
        self._has_errors = False

    def add(
        self,
        name: str,
        message: str,
        span: Span | None,
        seen: str = "",
        *,
        labels: Sequence[Label] = (),
        notes: Sequence[str] = (),
        help: Sequence[str] = (),
        fix: Fix | None = None,
        severity: Severity | None = None,
        cause: tuple[str, ...] | None = None,
    ) -> None:
        """Reports the finding `name`; `seen` is what is to be seen at `span`. Empty notes and help fall away.

        Findings of one `cause` become one, at the first of their places; the others are told with it.
        """
        self._has_errors = self._has_errors or (severity or severity_of(name)) is Severity.ERROR
        if len(self._found) >= _MOST_KEPT:
            self._dropped += 1
            return
        label = None if span is None else Label(span, _shortened(seen))
        kept_notes = tuple(_shortened(note) for note in notes if note)
        kept_help = tuple(_shortened(action) for action in help if action)
        message = _shortened(message)
        found = Diagnostic(name, message, label, tuple(labels), kept_notes, kept_help, fix, severity)
        self._found.append((found, cause))

    @property
    def is_partial(self) -> bool:
        """Whether a text was not read, or a part of one did not parse."""
        return self._misses_texts or bool(self._doubtful)

    def may_be_declared(self, name: str) -> bool:
        """Whether what was not read, or did not parse, may declare `name`: its absence is no second finding."""
        return self._misses_texts or name in self._doubtful

    def nearest(self, name: str, known: Iterable[str]) -> str | None:
        """The known name most like `name`; None when none is near or the budget is spent."""
        candidates = list(islice(known, min(_CANDIDATES, max(self._budget, 0))))
        self._budget -= len(candidates)
        return find_nearest(name, candidates)

    def did_you_mean(self, name: str, known: Iterable[str]) -> str:
        """The help that offers the nearest name, or "" when none is near."""
        near = self.nearest(name, known)
        return f"did you mean `{near}`?" if near is not None else ""

    def line(self, span: Span) -> str:
        """`line 4`, with the file where it is another one than the first text's."""
        source = self._sources.get(span.file)
        number = source.place(span.start)[0] if source is not None else 1
        first = next(iter(self._sources), span.file)
        return f"line {number}" if span.file == first else f"{span.file}:{number}"

    def text(self, span: Span) -> str:
        """What is written there, white space folded."""
        source = self._sources.get(span.file)
        return source.slice(span) if source is not None else ""

    @property
    def has_errors(self) -> bool:
        return self._has_errors

    def in_order(self) -> tuple[Diagnostic, ...]:
        """All findings: texts in the order in which they were read, then by place, severity and name.

        Of very many the first are shown, and the last of these says how many there are besides.
        """
        order = {name: index for index, name in enumerate(self._sources)}
        worst = list(Severity)

        def key(found: Diagnostic) -> tuple[int, int, int, str]:
            severity = worst.index(found.severity or severity_of(found.name))
            if found.label is None:
                return (-1, 0, severity, found.name)
            span = found.label.span
            return (order.get(span.file, len(order)), span.start, severity, found.name)

        found = self._merged(sorted(self._found, key=lambda each: key(each[0])))
        more = self._dropped + len(found) - _MOST_SHOWN
        if more <= 0:
            return tuple(found)
        last = found[_MOST_SHOWN - 1]
        note = f"{more} more findings are not listed"
        return (*found[: _MOST_SHOWN - 1], replace(last, notes=(*last.notes, note)))

    def _merged(self, found: Sequence[tuple[Diagnostic, tuple[str, ...] | None]]) -> list[Diagnostic]:
        """One finding for each cause, which tells the first few of its further places."""
        first: dict[tuple[str, ...], int] = {}
        further: dict[int, list[Span]] = {}
        merged: list[Diagnostic] = []
        for diagnostic, cause in found:
            if cause is not None and cause in first and diagnostic.label is not None:
                further.setdefault(first[cause], []).append(diagnostic.label.span)
                continue
            if cause is not None:
                first[cause] = len(merged)
            merged.append(diagnostic)
        for index, spans in further.items():
            one = merged[index]
            places = list(dict.fromkeys(self.line(span) for span in spans))
            more = "" if len(places) <= _MOST_PLACES else f", and {len(places) - _MOST_PLACES} more"
            words = ", ".join(places[:_MOST_PLACES]).replace(", line ", ", ")
            merged[index] = replace(one, notes=(*one.notes, f"the same in {words}{more}"))
        return merged
