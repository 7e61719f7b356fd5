"""Records of a log -> the timelines of some of its sessions. Owns who is followed; keeps nothing itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from lifespec.engine.monitor_follow import Change, Follower
from lifespec.explain import Explainer, LineOf
from lifespec.model.model import Model
from lifespec.timeline.compose import compose
from lifespec.timeline.kept import Found, KeptRecord, KeptSession, Limits
from lifespec.timeline.timeline import Timeline
from lifespec.trace.event import Client, Record
from lifespec.verdict import Violation


class Gatherer:
    """Takes the records of a log and keeps what the timelines of some sessions need.

    `wanted` has the sessions by their ids, and of each the lines that matter, in order, by log. `explainer` masks.
    """

    def __init__(
        self,
        model: Model,
        client: Client,
        explainer: Explainer,
        wanted: Mapping[str, Mapping[str, Sequence[int]]],
        limits: Limits | None = None,
    ) -> None:
        self._model = model
        self._explainer = explainer
        self._wanted = wanted
        self._limits = limits or Limits()
        self._follower = Follower(model, client)
        self._sessions: dict[str, KeptSession] = {}

    def take(self, item: Record | Violation) -> None:
        """The next record, or what the reader found."""
        if item.session is None or item.session not in self._wanted:
            if isinstance(item, Record):
                self._follower.pass_over(item)
            return
        session = self._sessions.get(item.session)
        if session is None:
            session = KeptSession(item.place.log, self._wanted[item.session], self._limits)
            self._sessions[item.session] = session
        if isinstance(item, Violation):
            self._find(None, item)
            return
        followed = self._follower.follow(item)
        for change in followed.changes:
            session.change(change, item.place.line)
        for time_ns, violation in followed.found:
            self._find(time_ns, violation)
        can_be_read_again = item.place.offset >= 0 and not item.place.item
        # Numbers with a fraction are Decimal; as text to look at, a float is near enough.
        text = None if can_be_read_again else json.dumps(item.body, ensure_ascii=False, default=float)
        session.keep(KeptRecord(session.records, item.place, followed.time_ns, followed.events, text), item.clock)

    def end(self, line_of: LineOf, *, complete: bool = False) -> list[Timeline]:
        """The log is over: the timelines of those sessions that are in it, in the order in which they began. `line_of`
        reads a line again by its place."""
        if self._follower.sessions:
            _, followed = self._follower.conclude(complete=complete)
            for change in followed.changes:
                self._change_at_end(change)
            for time_ns, violation in followed.found:
                self._find(time_ns, violation)
        return [
            compose(self._model, name, session, self._explainer, line_of) for name, session in self._sessions.items()
        ]

    def _change_at_end(self, change: Change) -> None:
        session = self._sessions[change.session]
        last = session.kept()[-1].place.line if session.records else 0
        session.change(change, last)

    def _find(self, time_ns: int | None, violation: Violation) -> None:
        session = self._sessions.get(violation.session)
        if session is not None:
            explained = self._explainer.explain(violation, with_line=False)
            session.found.append(Found(session.records, time_ns, explained))
