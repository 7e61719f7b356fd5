"""What was kept of a session -> its Timeline. Owns the axis, the choice of lanes and the masking; reads no records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lifespec.engine.monitor_follow import Cause, InstanceName, Taken
from lifespec.explain import Explained, Explainer, LineOf
from lifespec.model.model import Model
from lifespec.timeline.kept import Found, KeptRecord, KeptSession, Stay
from lifespec.timeline.timeline import Cut, Flag, Lane, Mark, StateSpan, Timeline, title_of
from lifespec.verdict import Place

_LONGEST_TEXT = 2000  # characters of a record


def compose(model: Model, name: str, session: KeptSession, explainer: Explainer, line_of: LineOf) -> Timeline:
    """The timeline of one session, masked. `line_of` reads a line of a log again."""
    return _Composer(model, name, session, explainer, line_of).timeline()


@dataclass(frozen=True, slots=True)
class _Axis:
    """Where things stand: at their instants, or at the numbers of their records when there are no instants, or such of
    several clocks, of which nobody knows how far they are apart (S59)."""

    has_time: bool
    begin: int
    end: int

    def at(self, number: int, time_ns: int | None) -> int:
        wanted = number if not self.has_time else self.begin if time_ns is None else time_ns
        return max(self.begin, min(wanted, self.end))


class _Composer:
    def __init__(self, model: Model, name: str, session: KeptSession, explainer: Explainer, line_of: LineOf) -> None:
        self._model = model
        self._name = name
        self._session = session
        self._explainer = explainer
        self._line_of = line_of
        self._shown_as: dict[InstanceName, InstanceName] = {}
        self._kept = session.kept()
        self._numbers = [each.number for each in self._kept]
        self._found = session.found[: session.limits.flags]
        self._axis = self._whole_axis()
        self._lanes = self._chosen_lanes()

    def timeline(self) -> Timeline:
        named = [(each.finding.name, _line_of(each.finding.place)) for each in self._found]
        withheld = {place for name, place in named if name == "invalid-field"}  # it may be anything
        forbidden = {place for name, place in named if name == "forbidden-value"}
        marks: list[Mark] = []
        first: dict[Place, int] = {}
        for each in self._kept:
            place = _line_of(each.place)
            first[place] = len(marks)
            text = None if place in withheld else self._text(each, holds_forbidden=place in forbidden)
            marks += self._marks(each, text)
        lanes = tuple(self._lane(lane) for lane in self._lanes)
        numbers = {(lane.machine, lane.key): number for number, lane in enumerate(lanes)}
        return Timeline(
            log=self._session.log,
            session=self._explainer.shown_name(self._name),
            has_time=self._axis.has_time,
            begin=self._axis.begin,
            end=self._axis.end,
            lanes=lanes,
            marks=tuple(marks),
            flags=tuple(self._flag(each, numbers, marks, first) for each in self._found),
            cuts=tuple(self._cuts()),
            records=self._session.records,
            hidden_lanes=len(self._session.stays) - len(lanes),
            has_several_clocks=self._session.has_several_clocks,
        )

    # --- the axis ------------------------------------------------------------------------------------

    def _whole_axis(self) -> _Axis:
        """From the first record to the last one, or to the last finding where that is later."""
        session = self._session
        if session.begin is None or session.end is None or session.has_several_clocks:
            return _Axis(False, 0, max(0, session.records - 1))
        instants = [each.time_ns for each in self._found if each.time_ns is not None]
        return _Axis(True, session.begin, max([session.end, *instants]))

    def _cuts(self) -> list[Cut]:
        """The runs of records that are not shown."""
        edges = [
            (-1, self._axis.begin),
            *((each.number, self._axis.at(each.number, each.time_ns)) for each in self._kept),
            (self._session.records, self._axis.at(self._session.records, self._session.end)),
        ]
        return [
            Cut(begin, end, number - before - 1)
            for (before, begin), (number, end) in pairwise(edges)
            if number - before > 1
        ]

    # --- lanes ---------------------------------------------------------------------------------------

    def _chosen_lanes(self) -> list[InstanceName]:
        """All, or of too many those with a finding, then those without a key, then those that took part nearest to a
        finding; machines as declared, older instances first."""
        wanted = {(each.finding.violation.machine, each.finding.violation.key) for each in self._found}
        found = sorted({each.number for each in self._found})
        near: dict[InstanceName, int] = {}
        for record in self._kept:
            distance = min((abs(record.number - number) for number in found), default=record.number)
            for name in (name for event in record.events for name in event.instances):
                near[name] = min(distance, near.get(name, distance))

        def rank(name: InstanceName) -> tuple[bool, bool, int]:
            return self._masked(name) not in wanted, bool(name[1]), near.get(name, self._session.records)

        order = {machine: number for number, machine in enumerate(self._model.machines)}
        chosen = sorted(self._session.stays, key=rank)[: self._session.limits.lanes]
        ages = {name: age for age, name in enumerate(self._session.stays)}
        return sorted(chosen, key=lambda name: (order[name[0]], ages[name]))

    def _masked(self, name: InstanceName) -> InstanceName:
        shown = self._shown_as.get(name)
        if shown is None:
            shown = self._shown_as[name] = name[0], tuple(self._explainer.mask(part) for part in name[1])
        return shown

    def _lane(self, name: InstanceName) -> Lane:
        machine, key = self._masked(name)
        stays = [each for each in self._session.stays[name] if each.is_near(self._numbers)]
        spans = tuple(self._span(each) for each in stays if self._is_seen(each))
        return Lane(machine, key, self._model.machines[machine].owners, spans)

    def _is_seen(self, stay: Stay) -> bool:
        """Not what lies behind the end of the axis, nor the begin of an instance that the same record moved on."""
        began = stay.began
        if began.cause is Cause.BEGAN and stay.last == stay.first:
            return False
        return not self._axis.has_time or began.time_ns is None or began.time_ns <= self._axis.end

    def _span(self, stay: Stay) -> StateSpan:
        began, is_open = stay.began, stay.last is None
        states = self._model.machines[began.instance[0]].states
        begin = self._axis.at(stay.first, began.time_ns)
        end = self._axis.end if stay.last is None else self._axis.at(stay.last, stay.end)
        return StateSpan(
            states=began.states,
            begin=begin,
            end=max(begin, end),
            kind=states[began.states[0]].kind.value if len(began.states) == 1 else "several",
            index=list(states).index(began.states[0]),
            cause=began.cause.value,
            event=self._shown(began.event),
            line=stay.line,
            is_open=is_open,
        )

    # --- marks and flags -----------------------------------------------------------------------------

    def _marks(self, record: KeptRecord, text: str | None) -> list[Mark]:
        numbers = {name: number for number, name in enumerate(self._lanes)}
        return [
            Mark(
                at=self._axis.at(record.number, record.time_ns),
                number=record.number,
                place=record.place,
                event=self._shown(event.name),
                source=self._shown(event.source),
                target=self._shown(event.target),
                owner=self._shown(event.owner),
                taken_by=tuple(title_of(*self._masked(name)) for name in event.instances),
                lanes=tuple(numbers[name] for name in event.instances if name in numbers),
                text=text,
            )
            for event in record.events or (Taken(None, None, None, None, None, ()),)
        ]

    def _text(self, record: KeptRecord, *, holds_forbidden: bool) -> str | None:
        """The record without forbidden values; None where one stands in it that was not taken out."""
        line = record.text if record.text is not None else self._line_of(record.place)
        masked = None if line is None else self._explainer.masked_line(line)
        if holds_forbidden and masked == line:
            return None
        if masked is not None and len(masked) > _LONGEST_TEXT:
            return masked[:_LONGEST_TEXT] + " ..."
        return masked

    def _flag(
        self, found: Found, lanes: Mapping[InstanceName, int], marks: Sequence[Mark], first: Mapping[Place, int]
    ) -> Flag:
        finding = found.finding
        mark = first.get(_line_of(finding.place))
        time_ns = found.time_ns if found.time_ns is not None or mark is None else marks[mark].at
        return Flag(self._axis.at(found.number, time_ns), finding, _lane_of(finding, lanes, marks, mark), mark)

    def _shown(self, text: str | None) -> str | None:
        return None if text is None else self._explainer.shown_name(text)


def _lane_of(
    finding: Explained, lanes: Mapping[InstanceName, int], marks: Sequence[Mark], mark: int | None
) -> int | None:
    """The lane that a finding is about: of its instance, of the event or of the record that it is about."""
    violation = finding.violation
    if violation.machine is not None:
        return lanes.get((violation.machine, violation.key))
    is_of_record = violation.property is not None and violation.property.kind in ("event", "field", "forbid")
    if mark is None or (violation.event is None and not is_of_record):
        return None
    same = [each for each in marks[mark:] if each.place == marks[mark].place]
    if violation.event is not None:
        same = [each for each in same if each.event == violation.event]
    return next((lane for each in same for lane in each.lanes), None)


def _line_of(place: Place) -> Place:
    """A place without the offset, which not every reader knows."""
    return Place(place.log, place.line, item=place.item)
