"""The beginning of a draft, for people: what was seen, decided, and left open. Owns its words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from lifespec.infer.flat import MOST_RECORDS, Path, Seen
from lifespec.infer.length import counted, times
from lifespec.infer.mined import Mined
from lifespec.infer.name import plain
from lifespec.infer.role import Role, written
from lifespec.syntax.words import quoted_key

_WIDTH = 110
_OPTIONS = "--session, --time, --event, --state, --from, --machine, --owner, --key"


class Notes:
    """The beginning of the draft: what was seen, decided, and left open."""

    def __init__(self, mined: Mined) -> None:
        self._mined = mined
        self._seen = mined.seen
        self._roles = mined.roles
        self._read = mined.read
        self._machines = mined.machines

    def text(self, name: str) -> str:
        lines = [
            "A draft by `lifespec infer`. It says what was seen, not what is meant: read it as a list of questions."
        ]
        decided = "Decided" if self._mined.ready_made is not None else f"Decided (to say otherwise: {_OPTIONS})"
        for title, items in (("Seen", self._seen_lines()), (decided, self._decided()), ("Left open", self._open())):
            if items:
                lines += ["", f"{title}:"]
            for item in items:
                lines += wrap(
                    item,
                    _WIDTH,
                    initial_indent="  - ",
                    subsequent_indent="    ",
                    break_on_hyphens=False,
                    break_long_words=False,
                )
        lines += [
            "",
            "Next: give states and machines their real names, take out what must not be legal, keep the bounds you can",
            "answer for, and write down what never happened in these logs and is legal all the same.",
        ]
        return "".join(f"// {line}".rstrip() + "\n" for line in lines)

    def _seen_lines(self) -> list[str]:
        seen, read = self._seen, self._read
        logs = f"{counted(len(seen.names), 'log')}: {', '.join(plain(name, 60) for name in seen.file_names[:4])}"
        lines = [
            logs + (", ..." if len(seen.names) > 4 else ""),
            f"{counted(len(self._roles.records), 'record')} of {counted(read.sessions, 'session')}",
        ]
        if seen.malformed:
            lines.append(f"{counted(seen.malformed.total(), 'record')} cannot be read: allowed, for now")
        if seen.truncated:
            lines.append(f"only the first {len(seen.records)} records were looked at (at most {MOST_RECORDS})")
        if seen.paths_left_out:
            lines.append("some fields were left out: there are too many, or their names cannot be written")
        lines += [f"{plain(name, 60)} was passed over: {plain(why, 120)}" for name, why in seen.unread[:5]]
        return lines

    def _decided(self) -> list[str]:
        ready = self._mined.ready_made
        lines = (
            self._parts() if ready is None else [f"all fields: as the ready-made binding `{ready.binding}` reads them"]
        )
        for machine in self._machines:
            key = machine.group.key
            keyed = f", one for each `{plain(key.name, 40)}`" if key is not None else ""
            lines.append(f"machine `{plain(machine.name, 40)}`: {machine.group.why}{keyed}")
        if self._mined.clauses.reason is not None and self._mined.clauses.reason.name != "reason":
            lines.append(f"reason: `{plain(written(self._mined.clauses.reason.paths[0]))}`, by its name")
        return lines

    def _parts(self) -> list[str]:
        roles = self._roles
        lines = []
        if roles.session is None:
            lines.append("session: the name of the file; no field has ids that repeat (--session)")
        else:
            without = self._read.without_session
            lines.append(
                _said("session", roles.session)
                + (f"; {without} records have none, the file stands for it" if without else "")
            )
        if roles.time is None:
            lines.append("time: none; no field looks like one, so nothing is said about durations (--time)")
        else:
            why = f" ({roles.time.why})" if roles.time.why else ""
            without = self._read.without_time
            missing = f"; {without} records have none that can be read, the one before stands for it" if without else ""
            lines.append(f"time: `{plain(written(roles.time.path))}`{why}{missing}")
        if roles.event is not None:
            lines.append(_said("event", roles.event))
        parts = (
            ("state entered", roles.to),
            ("state left", roles.source),
            ("machine", roles.machine),
            ("owner", roles.owner),
        )
        lines += [_said(what, role) for what, role in parts if role is not None]
        said = "another state" if not self._read_events() else "not taken up, and perhaps states as well"
        lines += [_said(said, role) for role in roles.others]
        if roles.header_first:
            lines.append("the first record of each log is a header")
        return lines

    def _read_events(self) -> bool:
        return self._roles.event is not None or self._roles.machine is not None

    def _unread(self) -> list[str]:
        """What stands in the records and is not read, for its form."""
        lines = []
        commas = [written(column.path) for column in self._roles.columns.values() if column.comma_number is not None]
        if commas and self._mined.ready_made is None:
            lines.append(
                f"numbers with a decimal comma, which are not read as such: {_names(commas)} "
                "(docs/how-to/bind-odd-logs.md)"
            )
        inside = unseen_list(self._mined.seen)
        return [*lines, inside] if inside and self._mined.ready_made is None else lines

    def _open(self) -> list[str]:
        lines = []
        read, roles = self._read, self._roles
        if roles.source is not None and not self._mined.binds_sources and not self._mined.assigned.as_status:
            lines.append(
                f"`{plain(written(roles.source.path))}` is often not what the record before entered; it is not bound"
            )
        reader = self._mined.other_reader
        if reader is not None:
            lines.append(
                f"whether a ready-made binding reads these logs better: `{reader.binding}` makes events of "
                f"{reader.made} of {counted(reader.records, 'record')} of the first log; `--binding {reader.binding}`"
            )
        lines += self._unseen()
        lines += self._unread()
        if any(not machine.says_states for machine in self._machines):
            lines.append("where the log says no states, they are named after the event that leads to them")
        unnamed = [m.name for m in self._machines if m.says_states and m.initial.startswith(("start", "before-first"))]
        if unnamed:
            lines.append(f"what the first state of {_names(unnamed)} is called")
        for machine in self._machines:
            alike = _alike(machine.states)
            if alike:
                lines.append(f"whether {_names(alike)} of `{machine.name}` are one state: they differ in case only")
            if machine.ends_are_open:
                never = _names(sorted(machine.named_like_ends()))
                lines.append(f"whether {never} of `{machine.name}` is final: never left, but {machine.ends_are_open}")
        used = {path for machine in self._machines if machine.group.key for path in machine.group.key.paths}
        lines += [
            f"no machine is keyed by `{plain(written(path))}`, as was asked: none has it in all of its records"
            for path in roles.keys
            if path not in used
        ]
        loose = len(self._mined.loose)
        if loose:
            lines.append(f"{counted(loose, 'event')} in no order that a machine could be made from: legal everywhere")
        if read.passed_over:
            lines.append(
                f"{counted(read.passed_over, 'record')} with names of events that cannot be written, or too many"
            )
        if self._seen.has_repeated_keys:
            lines.append("a key stands twice in one object, of which the last one counts: allowed, for now")
        if read.reversed:
            lines.append(f"{counted(read.reversed, 'record')} with an earlier time than one before: allowed, for now")
        if roles.owner is None:
            lines.append("who causes what: no field names an owner")
        once = sum(len(steps) == 1 for machine in self._machines for steps in machine.moves.values())
        if once:
            lines.append(f"{counted(once, 'transition')} seen only once: look at these first")
        return lines

    def _unseen(self) -> Iterator[str]:
        """Steps that no record tells of: into states that none enters, and others."""
        never: Counter[str] = Counter()
        lost = 0
        for machine in self._machines:
            for (_, target), steps in machine.unseen.items():
                if machine.states[target].entered or target == machine.initial:
                    lost += len(steps)
                else:
                    never[target] += len(steps)
        if never:
            yield (
                f"how {_names(sorted(never))} is entered: left {times(never.total())}, and no record enters it. Where "
                "the clock or another machine does it, write `after`, `at` or `when` in place of the event in `lacks`"
            )
        if lost:
            yield (
                f"{times(lost)} a record leaves another state than the one entered last: a record is lost, or wrong. "
                "Take the steps out that are on an event in `lacks` and that you do not believe"
            )


def _alike(states: Iterable[str]) -> list[str]:
    """The first two names that differ in the case of letters only."""
    seen: dict[str, str] = {}
    for state in states:
        other = seen.setdefault(state.lower(), state)
        if other != state:
            return [other, state]
    return []


def _said(what: str, role: Role) -> str:
    return f"{what}: `{plain(written(role.path))}`" + (f" ({plain(role.why)})" if role.why else "")


def unseen_list(seen: Seen) -> str:
    """What to do about lists of objects in the records, into which nothing looked; "" where there are none."""
    if not seen.lists:
        return ""
    path = min(seen.lists, key=lambda each: (len(each), each))
    said, shape = f"nothing looked inside the list `{plain(written(path), 60)}` of a record", seen.shape
    if shape.columns:
        return said
    each = f"each item in {_keys(path)}"
    if shape.each is not None:
        each = f"each item in {_keys(shape.each) or 'record'}  each record in item.{_keys(path)}"
    return f"{said}; a binding by hand does: `read {shape.container.kind}  {each}`"


def _keys(path: Path) -> str:
    return ".".join(plain(quoted_key(key), 60) for key in path)


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{plain(name, 40)}`" for name in names[:5])
    return shown + (", ..." if len(names) > 5 else "")
