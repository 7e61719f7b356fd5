"""Which sessions of a log are judged. Owns the look ahead over its records, and what is said when none is left.

No session knows of another, so one that is left out changes nothing of what is found in the others. What belongs to no
session is judged in any case: it may be of any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from lifespec.diagnostics import Diagnostic, find_nearest
from lifespec.explain_words import joined, listed, quoted
from lifespec.filter.where import Where
from lifespec.model.value import LogValue
from lifespec.reports.filtered import SessionChoice
from lifespec.trace.event import Client, Record
from lifespec.verdict import Violation

_MOST_NAMES = 1000  # of fields, and of sessions, to suggest from


class SessionFilter:
    """Chooses among the sessions of one log after the other (of all, when they are joined). With `where`, whoever asks
    shows it the records of a log before it asks for the first of them. `mask` hides what is forbidden in a name."""

    def __init__(
        self, ids: Iterable[str], where: Where | None, client: Client, mask: Callable[[str], str] = str
    ) -> None:
        self.where = where
        self._ids = tuple(dict.fromkeys(ids))
        self._client = client
        self._mask = mask
        self._values: dict[str, list[LogValue]] = {}  # of the sessions of this log, by the fields of `where`
        self._admitted: dict[str, bool] = {}
        self._chosen = self._left_out = self._without_value = 0
        self._ever_chosen: set[str] = set()  # of `ids`
        self._near_ids: dict[str, None] = {}
        self._fields: dict[str, None] = {}  # that occurred

    def begin(self) -> None:
        """Another log begins, whose sessions are others."""
        self._count()
        self._values.clear()
        self._admitted.clear()

    def look_at(self, record: Record) -> None:
        """Notes the first value of each field that `where` asks for."""
        if self.where is None or record.session is None:
            return
        values = self._values.get(record.session)
        if values is None:
            values = self._values[record.session] = [None] * len(self.where.fields)
        for event in record.events:
            if len(self._fields) < _MOST_NAMES:
                self._fields.update(dict.fromkeys(event.fields))
            for place, name in enumerate(self.where.fields):
                if values[place] is None and name in event.fields:
                    values[place] = self.where.value_of(event, name)

    def admits(self, item: Record | Violation) -> bool:
        """Whether a record is judged, or a finding of the reader reported."""
        session = item.session
        if not session:
            return True
        admitted = self._admitted.get(session)
        if admitted is None:
            admitted = self._admitted[session] = self._is_meant(session)
        return admitted

    def account(self) -> SessionChoice:
        """How many sessions were judged, and how many not."""
        self.begin()
        where = self.where.text if self.where is not None else None
        return SessionChoice(self._ids, where, self._chosen, self._left_out, self._without_value)

    def problems(self) -> tuple[Diagnostic, ...]:
        """No false green: what is asked for has to be there."""
        self.begin()
        missing = [each for each in self._ids if each not in self._ever_chosen]
        if self._ids and self.where is None:
            return tuple(self._no_such(each) for each in missing)
        if self.where is None or self._chosen:
            return ()
        unset = self._unset()
        found = Diagnostic(
            "no-such-session",
            f"there is no session for which {quoted(self.where.text)}"
            + (" among those asked for" if self._ids else ""),
            notes=(f"no event has {listed([*unset])}",) if unset else (),
            help=tuple(f"did you mean `{near}`?" for near in unset.values() if near)
            or tuple(
                f'`{name}` is a field here; a text stands in quotes: `"{name}"`'
                for name in unset
                if name not in self.where.declared
            )[:1]
            or ("a field is one that the binding gives to an event of the session",),
        )
        return (found,)

    def remarks(self) -> Iterator[str]:
        """What may be a slip, where some sessions are chosen nevertheless."""
        if self.where is not None and self._chosen:
            for name, near in self._unset().items():
                if near:
                    yield f"--where: no event has `{name}`; did you mean `{near}`?"

    def _unset(self) -> dict[str, str | None]:
        """The fields that are asked for and no event has, each with one that it may stand for."""
        if self.where is None:
            return {}
        known = [*self._showable(self._fields), *self.where.declared]
        unset = (name for name in self.where.fields if name not in self._fields)
        return {name: None if name in self.where.declared else find_nearest(name, known) for name in unset}

    def _no_such(self, session: str) -> Diagnostic:
        ids = self._showable(self._near_ids)
        near = find_nearest(session, ids)
        few = joined([quoted(each) for each in ids], most=6) if ids else ""
        return Diagnostic(
            "no-such-session",
            f"the logs have no session {quoted(session)}",
            notes=(f"they have {few}",) if few and len(self._near_ids) < _MOST_NAMES else (),
            help=(f"did you mean {quoted(near)}?",) if near else (),
        )

    def _showable(self, names: Iterable[str]) -> list[str]:
        """Those of the names that hold nothing forbidden."""
        return [name for name in names if self._mask(name) == name]

    def _is_meant(self, session: str) -> bool:
        if len(self._near_ids) < _MOST_NAMES:
            self._near_ids.setdefault(session)
        if self._ids and session not in self._ids:
            return False
        if self._ids:
            self._ever_chosen.add(session)
        if self.where is None:
            return True
        values = self._values.get(session)
        if values is None:
            return False
        named = {name: value for name, value in zip(self.where.fields, values, strict=True) if value is not None}
        return self.where.holds_for(named, self._client)

    def _count(self) -> None:
        for session, admitted in self._admitted.items():
            self._chosen += admitted
            self._left_out += not admitted
            self._without_value += not admitted and None in self._values.get(session, ())
