"""One record of a log -> the events that the binding makes of it. Owns the order of work; reads no bytes.

The order is (spec/bindings.md B15): event name and its `rename`; session; time and clock; `ignore` with names or a
condition; `order` and `unique`; the `on` clauses; the record's own name; `ignore any`. A record passed over moves no
clock and has no findings, but the one that a time `since previous` cannot be counted on, and those of its number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from lifespec.model.value import LogValue, Unread
from lifespec.trace.compiled import Clause, CompiledBinding, Emission, Ignoring, Part
from lifespec.trace.count import Allowed, Counts, Taken
from lifespec.trace.event import Event, Place, Record
from lifespec.trace.lookup import as_name
from lifespec.trace.near import find_near
from lifespec.trace.parts import Parts, Work
from lifespec.trace.recurrence import Numbers, Seen
from lifespec.trace.reorder import Reorder
from lifespec.trace.scope import Read, Scope, Unreadable
from lifespec.trace.sessions import Sessions
from lifespec.trace.template import Template
from lifespec.trace.unfold import pairs_of
from lifespec.trace.watched import Watching
from lifespec.verdict import Violation, Witness

MOST_SLIPS = 100
_MOST_CHOSEN = 1000
_LAST_SHOWN = 200  # the line up to which a record may be shown with what its names took

# The clauses that look at a name, with what a pattern took out of it; and whether one names it.
_Chosen = tuple[tuple[tuple[Clause, Mapping[str, str]], ...], bool]


class Clocks(Protocol):
    """The latest time of each session that had a record; None when it had no time yet."""

    def __contains__(self, session: str, /) -> bool: ...
    def __getitem__(self, session: str, /) -> int | None: ...
    def __setitem__(self, session: str, ns: int | None, /) -> None: ...


class Places(Protocol):
    """Where the last record of each session stands."""

    def get(self, session: str, /) -> Place | None: ...
    def __setitem__(self, session: str, place: Place, /) -> None: ...


@dataclass(frozen=True, slots=True)
class _Decided:
    """What comes of a record that is not passed over: its events, and what they say of its session."""

    events: tuple[Event, ...]
    ends: bool = False
    begins: bool = False
    joins: tuple[str, ...] = ()


class Translator:
    """Translates the records of one log in their order. Findings and records gather in `out`.

    `before` translated the log that this one goes on from.
    """

    def __init__(
        self,
        compiled: CompiledBinding,
        file_name: str,
        file_path: str,
        counts: Counts,
        before: Translator | None = None,
    ) -> None:
        self.out: list[Record | Violation] = []
        self._compiled = compiled
        self._file_name = file_name
        self._file_path = file_path
        self._counts = counts
        self._parts = Parts(compiled)
        self.slips: list[Violation] = []  # names that are slips if those that they are near to never come
        self.leans = False  # a session began without a time, and took that of a record of another
        self._chosen: dict[str | None, _Chosen] = {}
        self.places: Places = {}  # the last record of each of these clocks
        self.clocks: Clocks = {}  # the latest time of each session, or of each of its clocks
        self._passed_ns: dict[str, int] = {}  # the latest that later differences of time count on, passed over
        self.last_ns: int | None = None  # of the last record not passed over
        self._sessions = Sessions()
        self._counted: set[str] = set()  # sessions, where each has several clocks
        self._seen = Seen() if compiled.unique is not None else None
        self._numbers = Numbers(compiled.sequence.start) if compiled.sequence is not None else None
        self._held: Reorder[Work] | None = None if compiled.lateness_ns is None else Reorder(compiled.lateness_ns)
        self.watching = Watching(compiled.watched)
        self._around: dict[str, LogValue] = {}  # what stands around records, until one of them is searched
        if before is not None:
            self._parts = before._parts
            self._counted = before._counted
            self.clocks, self._passed_ns, self.last_ns = before.clocks, before._passed_ns, before.last_ns
            self.places = before.places
            self._sessions, self._seen, self._numbers = before._sessions, before._seen, before._numbers
        for name, why in compiled.allowed.items():
            counts.allowed[name] = Allowed(why)

    def take(self) -> list[Record | Violation]:
        """What has gathered since it was last asked for."""
        out, self.out = self.out, []
        return out

    def add(self, violation: Violation) -> None:
        """A finding, counted; it stays a count when the binding allows it."""
        allowed = self._counts.allowed.get(violation.name)
        if allowed is not None:
            allowed.count += 1
            return
        self._counts.findings[violation.name] = self._counts.findings.get(violation.name, 0) + 1
        self.out.append(violation)

    def flush(self) -> None:
        """Translates the records that `order by time` holds back: the log is at its end."""
        if self._held is not None:
            for work in self._held.ready(all_of_them=True):
                self._judge(work)

    def finish(self) -> None:
        """B19: findings that only the end of the log allows: a name is a slip if the one it is near never came."""
        renames = self._compiled.renames.get("event")
        for slip in self.slips:
            near = slip.expected[0]
            came = near if renames is None else renames.of_name(near)
            if near not in self._counts.occurred.names and came not in self._counts.occurred.names:
                self.add(slip)
        self.slips.clear()

    # --- around the records ----------------------------------------------------------------------

    def begin_piece(self) -> None:
        """The records that follow stand in another piece."""
        self._around = {}

    def begin_series(self) -> None:
        """The records that follow stand in another list of the same document."""
        self._parts.restart()

    def add_around(self, around: Mapping[str, LogValue]) -> None:
        """What stands around the next record and those behind it; `forbid` searches it with the first of them."""
        if around:
            self._around = {**self._around, **around}

    # --- one record ------------------------------------------------------------------------------

    def translate(self, value: LogValue, header: LogValue, place: Place, names: Mapping[str, Read]) -> None:
        """Adds the findings of one record and then the Record, if it is not passed over."""
        compiled, counts, parts = self._compiled, self._counts, self._parts
        scope = Scope(value, header, self._file_name, self._file_path, parts.previous_ns, names=names)
        work = Work(scope, place)
        work.name = parts.event_name(work)
        work.session = parts.name(compiled.session, work)
        work.unreadable_time = parts.time(work)
        work.machine = parts.name(compiled.machine, work)
        work.clock = parts.name(compiled.clock, work) or ""
        counts.occurred.add(work.name or "")
        if parts.written is not None and parts.written != work.name:
            counts.add_renamed(work.name, parts.written)
        self.watching.look(scope)
        if self._is_ignored(work):
            counts.ignored += 1
            self._pass_over(work)
            return
        if compiled.needs_match and all(get(scope) is None for get in compiled.needs_match):
            self._pass_unfit(work)
            return
        if compiled.taken and place.line <= _LAST_SHOWN:
            self._show_taken(value, work)
        work.body = self._body(value, names)
        work.around, self._around = self._around, {}
        if self._held is None:
            self._judge(work)
            return
        parts.read_repeating(work)
        work.late_ns = self._held.push(work, work.clock, work.time_ns)
        for each in self._held.ready():
            self._judge(each)

    def _show_taken(self, value: LogValue, work: Work) -> None:
        names = {name: taken for name, get in self._compiled.taken if type(taken := get(work.scope)) is str}
        if type(value) is str:
            self._counts.add_taken(Taken(work.place.line, value, names))

    def _body(self, value: LogValue, names: Mapping[str, Read]) -> LogValue:
        """The record as `forbid` searches it."""
        body = value
        if self._compiled.unfolds and "record" not in names:
            innermost = names.get(self._compiled.unfolds[-1].name)
            body = None if isinstance(innermost, Unreadable) else {self._compiled.unfolds[-1].name: innermost}
        return body if isinstance(body, dict | list) else {"record": body}

    @staticmethod
    def _searched(work: Work) -> LogValue:
        """What `forbid` searches: the record, and with the first one what stands around it."""
        if not work.around:
            return work.body
        outside: dict[str, LogValue] = {f"around {name}": each for name, each in work.around.items()}
        return {**work.body, **outside} if isinstance(work.body, dict) else {"record": work.body, **outside}

    def _pass_unfit(self, work: Work) -> None:
        """B31: a line of text that no `match` takes apart: it is passed over only when the binding says so."""
        if self._is_rest(None, work):
            self._pass_over(work)
            return
        self._counts.records -= 1
        self._counts.malformed += 1
        line = work.scope.record
        assert isinstance(line, str)
        partings = [(each.parting(line), each.text) for each in self._compiled.line_patterns]
        unfit = sorted(((parting, text) for parting, text in partings if parting), key=lambda each: -each[0].length)
        parting = unfit[0][0]
        self.add(
            Violation(
                "malformed-record",
                None,
                "",
                work.place,
                text="no `match` of the binding fits the line",
                count=len(line[: parting.at].encode("utf-8", "replace")) + 1,
                found=parting.words,
                expected=tuple(text for _, text in unfit),
            )
        )

    def _pass_over(self, work: Work) -> None:
        """Counts a record that is passed over, and reads of it what later ones need."""
        self.add_around(work.around)
        self._counts.passed_over.add(work.name or "")
        self._parts.read_repeating(work)
        if self._compiled.counts_from_previous:
            if work.unreadable_time is not None:
                self._unreadable("unreadable-time", "time", work.unreadable_time, work)
            elif work.session is not None and work.time_ns is not None:
                clock = self._clock_of(self._sessions.name_of(work.session), work)
                passed = self._passed_ns.get(clock, work.time_ns)
                self._passed_ns[clock] = max(passed, work.time_ns)

    def _judge(self, work: Work) -> None:
        """Everything from `order` and `unique` on."""
        compiled, counts = self._compiled, self._counts
        raw = work.session
        if raw is not None:
            work.session = self._sessions.name_of(raw)
        if self._recurs(work):
            return
        decided = self._decide(work)
        if decided is None:
            work.session = raw
            self._pass_over(work)
            return
        events = decided.events
        if raw is not None:
            self._name_session(raw, decided, work)
        for part, unreadable in work.problems.items():
            self._unreadable("unreadable-value", part, unreadable, work)
        if work.session is None and events and "session" not in work.problems:
            self._add("missing-session", work, events, compiled.session)
        if compiled.time is not None:
            if work.unreadable_time is not None:
                self._unreadable("unreadable-time", "time", work.unreadable_time, work)
            elif work.time_ns is None and events:
                self._add("missing-time", work, events, compiled.time)
        time_taken = compiled.time is not None and work.time_ns is None and bool(events)
        self._move_clock(work)
        for event in events:
            if event.name is not None and event.name in compiled.client.lacking_events:
                self._add("lacking-event-seen", work, (event,))
        counts.events += len(events)
        body = self._searched(work)
        self.out.append(
            Record(work.place, work.session, work.time_ns, events, body, decided.ends, time_taken, work.clock)
        )

    def _recurs(self, work: Work) -> bool:
        """B36, B38: looks at the number of a record; whether it was there before, and is not judged again."""
        if self._seen is not None:
            assert self._compiled.unique is not None
            first = self._seen.place_of(self._compiled.unique(work.scope), work.place)
            if first is not None:
                self.add_around(work.around)
                where, session = _where(first, work), work.session or ""
                self.add(Violation("duplicate-record", None, session, work.place, event=work.name, text=where))
                return True
        if self._numbers is not None and work.session is not None:
            assert self._compiled.sequence is not None
            number = self._compiled.sequence.get(work.scope)
            found = self._numbers.find_gap(work.session, number)
            if isinstance(found, Unreadable):
                self._unreadable("unreadable-value", "order", found, work)
            elif found is not None and not (found.is_first and self._compiled.client.cut_start):
                self.add(
                    Violation(
                        "sequence-gap",
                        None,
                        work.session,
                        work.place,
                        event=work.name,
                        found=str(found.number),
                        expected=(str(found.expected),),
                    )
                )
        return False

    def _name_session(self, raw: str, decided: _Decided, work: Work) -> None:
        """B35: what a record says of its session holds from this record on."""
        sessions = self._sessions
        for other in decided.joins:
            if not sessions.join(raw, other):
                self.add(Violation("late-join", None, work.session or "", work.place, event=work.name, found=other))
        if decided.begins:
            sessions.begin(raw)
        work.session = sessions.name_of(raw)
        sessions.use(raw)

    def _add(self, name: str, work: Work, events: tuple[Event, ...], part: Part | None = None) -> None:
        event = next((each.name for each in events if each.name is not None), work.name)
        found, patterns = (None, ()) if part is None else _unfit(part, work.scope)
        self.add(
            Violation(
                name,
                None,
                work.session or "",
                work.place,
                event=event,
                machine=work.machine,
                found=found,
                expected=patterns,
            )
        )

    def _unreadable(self, name: str, part: str, what: Unreadable, work: Work) -> None:
        self.add(
            Violation(
                name,
                None,
                work.session or "",
                work.place,
                event=work.name,
                field=part,
                found=what.found,
                expected=what.expected,
            )
        )

    def _clock_of(self, session: str, work: Work) -> str:
        """B23: a session has a clock of its own, or one for each value of `clock per`."""
        return session if self._compiled.clock is None else f"{work.clock}\0{session}"

    def _count_session(self, session: str) -> None:
        if self._compiled.clock is not None:
            if session in self._counted:
                return
            self._counted.add(session)
        self._counts.sessions += 1

    def _move_clock(self, work: Work) -> None:
        """B22, B23: counts the session, gives a record without a time the one before, finds time that goes back."""
        session, now = work.session, work.time_ns
        before = None
        clock = ""
        if session is not None:
            clock = self._clock_of(session, work)
            if clock not in self.clocks:
                self._count_session(session)
                self.clocks[clock] = before = now
            else:
                before = self.clocks[clock]
        if now is None:
            self.leans = self.leans or (session is not None and before is None)
            work.time_ns = before if before is not None else self.last_ns
            self.last_ns = work.time_ns
            if session is not None:
                self.places[clock] = work.place
            return
        passed = None if session is None else self._passed_ns.pop(clock, None)
        latest = before if passed is None or before is None else max(passed, before)
        if work.late_ns is not None:
            late = work.late_ns
            self.add(Violation("late-record", None, session or "", work.place, event=work.name, elapsed_ns=late))
        elif before is not None and latest is not None and now < latest:
            jump = latest - now
            self._counts.greatest_reversal_ns = max(self._counts.greatest_reversal_ns, jump)
            last = self.places.get(clock)
            shown = () if last is None else (Witness(last, "previous"),)
            self.add(
                Violation(
                    "time-reversed",
                    None,
                    session or "",
                    work.place,
                    event=work.name,
                    elapsed_ns=jump,
                    witnesses=shown,
                )
            )
        if session is not None:
            self.places[clock] = work.place
            if before is None or now >= before:
                self.clocks[clock] = now
        self.last_ns = now

    # --- deciding --------------------------------------------------------------------------------

    def _is_ignored(self, work: Work) -> bool:
        """B15, B20: whether an `ignore` with names, machines or a condition alone passes over the record."""
        return any(
            _looks_at(ignoring, work) and (ignoring.where is None or ignoring.where(work.scope))
            for ignoring in self._compiled.ignoring
        )

    def _decide(self, work: Work) -> _Decided | None:
        """B16 to B19: what comes of a record; None when it is passed over."""
        clauses, is_named = self._choose(work.name)
        made: list[Event] = []
        joins: list[str] = []
        ends = begins = is_translated = False
        for clause, taken in clauses:
            for holes in _bindings_of(clause, taken, work.scope, self.watching):
                work.scope.holes = holes
                if clause.where is not None and not clause.where(work.scope):
                    continue
                ends = ends or clause.ends_session
                begins = begins or clause.begins_session
                for join in clause.joins:
                    other = as_name(join(work.scope))
                    if isinstance(other, Unreadable):
                        work.problems.setdefault("session", other)
                    elif other is not None:
                        joins.append(other)
                for emission in clause.emissions:
                    is_translated = True
                    event = self._emit(emission, work)
                    if event is not None:
                        made.append(event)
        work.scope.holes = {}
        says = _Decided((), ends, begins, tuple(joins))
        says_something = ends or begins or bool(joins)
        if is_translated:
            kept = tuple(event for event in made if self._is_known(event) or not self._is_rest(event.name, work))
            if made and not kept and not says_something:
                return None
            if made and not kept:  # it says something of its session, and nothing else that is known
                self._counts.passed_over.add(work.name or "")
            elif len(kept) < len(made):
                self._count_dropped(made, kept)
            return replace(says, events=kept)
        own = self._own(work)
        if own is None:
            if says_something:
                return says
            if self._is_rest(None, work):
                return None
            self._counts.passed_over.add(work.name or "")  # it is read, and says nothing
            return says
        if self._is_known(own):
            return replace(says, events=(own,))
        is_rest = not is_named and self._is_rest(own.name, work)
        if is_rest and says_something:
            self._counts.passed_over.add(work.name or "")
        if is_named or is_rest:
            return says if says_something else None
        return replace(says, events=(own,))

    def _count_dropped(self, made: list[Event], kept: tuple[Event, ...]) -> None:
        """Of a record that is not passed over, the events that `ignore any` takes: counted by their own names."""
        kept_ids = {id(event) for event in kept}
        for event in made:
            if id(event) not in kept_ids:
                self._counts.passed_over.add(event.name or "")

    def _is_known(self, event: Event) -> bool:
        """Whether the event says something that the lifecycle can judge: its name, or a state."""
        return event.name in self._compiled.known_events or event.target is not None

    def _choose(self, name: str | None) -> _Chosen:
        chosen = self._chosen.get(name)
        if chosen is None:
            chosen = _clauses_for(name, self._compiled.clauses)
            if len(self._chosen) < _MOST_CHOSEN:
                self._chosen[name] = chosen
        return chosen

    def _is_rest(self, name: str | None, work: Work) -> bool:
        """B19: whether an `ignore any` passes over what is called `name`."""
        for rest in self._compiled.ignoring_rest:
            is_excepted = name is not None and (name in rest.excepted or _fits(name, rest.excepted_patterns))
            if not is_excepted and (rest.where is None or rest.where(work.scope)):
                self._look_for_slip(name, work)
                return True
        return False

    def _look_for_slip(self, name: str | None, work: Work) -> None:
        """Keeps the first record of each name that `ignore any` passes over and that is nearly a known one."""
        passed_over = self._counts.passed_over
        if name is None or name in self._compiled.near_to or name in passed_over.names or passed_over.is_full:
            return
        near = find_near(name, self._compiled.near_to)
        if near is not None and len(self.slips) < MOST_SLIPS:
            self.slips.append(
                Violation("near-name", None, work.session or "", work.place, event=name, found=name, expected=(near,))
            )

    # --- events ----------------------------------------------------------------------------------

    def _own(self, work: Work) -> Event | None:
        """B18: the record as an event under its own name; None when it has neither a name nor a state to enter."""
        source, target = self._parts.states(work)
        if work.name is None and target is None:
            return None
        owner = self._parts.name(self._compiled.owner, work)
        fields = _with_owner(self._parts.fields(work), owner, work)
        return Event(work.name, work.machine, source, target, False, owner, fields)

    def _emit(self, emission: Emission, work: Work) -> Event | None:
        """B17: one event; None when what it should be called, or the state it should enter, is not there.

        What the clause does not say is the record's; but its states are those of its own machine.
        """
        parts = self._parts
        name = work.name if emission.own_name else None
        if emission.event is not None:
            name = parts.event(emission.event, work)
            if name is None:
                return None
        machine = work.machine if emission.machine is None else emission.machine
        source, target = parts.states(work) if work.machine in (None, machine) else (None, None)
        if emission.source is not None:
            renames = emission.renames_source
            source = parts.state("from", emission.source, machine, work, renames=renames, owed=False)
        if emission.target is not None:
            renames = emission.renames_target
            target = parts.state("to", emission.target, machine, work, renames=renames, owed=name is None)
        if name is None and target is None:
            return None
        if emission.owner is None:
            owner = parts.name(self._compiled.owner, work)
        else:
            owner = parts.owner(emission.owner, emission.renames_owner, work)
        fields = _with_owner(parts.fields(work), owner, work)
        if emission.fields:
            fields = dict(fields)
            for field, get, renames in emission.fields:
                parts.set_field(fields, field, get(work.scope), work, renames=renames)
        return Event(name, machine, source, target, emission.status, owner, fields)


def _bindings_of(
    clause: Clause, taken: Mapping[str, str], scope: Scope, watching: Watching
) -> Iterator[Mapping[str, Read]]:
    """B33: what the names of a clause are, once for each element that its `each` walks, if its `match` fits."""
    for holes in _unfolded(clause, 0, taken, scope, watching) if clause.unfolds else (taken,):
        if clause.match is None:
            yield holes
            continue
        scope.holes = holes
        text = clause.match.get(scope)
        found = clause.match.template.take(text) if type(text) is str else None
        if found is not None:
            yield {**holes, **found}


def _unfolded(
    clause: Clause, depth: int, holes: Mapping[str, Read], scope: Scope, watching: Watching
) -> Iterator[Mapping[str, Read]]:
    level = clause.unfolds[depth]
    scope.holes = holes
    watching.look_for_walk(level.span, scope)
    for key, each in pairs_of(level.get(scope)):
        bound = {**holes, level.name: each} if level.key is None else {**holes, level.name: each, level.key: key}
        if depth + 1 < len(clause.unfolds):
            yield from _unfolded(clause, depth + 1, bound, scope, watching)
        else:
            yield bound


def _unfit(part: Part, scope: Scope) -> tuple[str | None, tuple[str, ...]]:
    """The text that no `match` fits of those which the part is read from, and their patterns."""
    found: str | None = None
    patterns: list[str] = []
    for each in part.matches:
        text = each.get(scope)
        if type(text) is not str or (found is not None and text != found):
            continue
        if each.template.take(text) is None:
            found = text
            patterns.append(each.template.text)
    return found, tuple(patterns)


def _with_owner(fields: dict[str, LogValue], owner: str | None, work: Work) -> dict[str, LogValue]:
    """S24: an owner that cannot be read is there, and not missed; no field has this name."""
    return {**fields, "owner": Unread()} if owner is None and "owner" in work.problems else fields


def _where(first: Place, work: Work) -> str:
    """Where the first of two equal records stands, as seen from the second."""
    line = f"line {first.line}" + (f", item {first.item}" if first.item else "")
    return line if first.log == work.place.log else f"{line} of {first.log}"


def _looks_at(ignoring: Ignoring, work: Work) -> bool:
    if ignoring.exact is not None:
        return work.name is not None and (work.name in ignoring.exact or _fits(work.name, ignoring.patterns))
    return not ignoring.machines or work.machine in ignoring.machines


def _clauses_for(name: str | None, clauses: tuple[Clause, ...]) -> _Chosen:
    """B16: the clauses that look at a name: an exact name shuts out patterns, the first fitting pattern others."""
    is_exact = name is not None and any(name in clause.exact for clause in clauses)
    chosen: str | None = None
    found: list[tuple[Clause, Mapping[str, str]]] = []
    for clause in clauses:
        if clause.every or (is_exact and name in clause.exact):
            found.append((clause, {}))
        elif name is not None and not is_exact:
            for pattern in clause.patterns:
                taken = pattern.take(name) if chosen in (None, pattern.text) else None
                if taken is not None:
                    chosen = pattern.text
                    found.append((clause, taken))
                    break
    return tuple(found), is_exact or chosen is not None


def _fits(name: str, patterns: tuple[Template, ...]) -> bool:
    return any(pattern.take(name) is not None for pattern in patterns)
