"""What was mined -> a text of the language, by its own printer. Owns which declaration says what, and its words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lifespec.infer.clause import Type, type_of
from lifespec.infer.draft_binding import BindingDrafter
from lifespec.infer.fields import Field
from lifespec.infer.length import counted, percentile, rounded_up, shown, times
from lifespec.infer.machine import Machine, Move, Stays
from lifespec.infer.mined import Mined
from lifespec.infer.name import plain, words_of
from lifespec.infer.node import NOWHERE, name_node, text_node
from lifespec.infer.step import Step
from lifespec.syntax import ast

_FEWEST_STAYS = 3
_LONGEST_BOUND_NS = 10 * 60 * 10**9  # what lasts longer than five minutes is hardly meant to be left in time


class Drafter:
    """Makes the declarations of one draft."""

    def __init__(self, name: str, binding: str, mined: Mined) -> None:
        self._name = name
        self._binding = binding
        self._mined = mined
        self._fields = {field.name: field for field in mined.fields}
        self._clauses = mined.clauses
        self._used: dict[str, None] = {}  # fields that the lifecycle asks for
        self._owners: set[str] = set()

    def tree(self) -> ast.Ast:
        machines = [self._machine(machine) for machine in self._mined.machines]
        events = [self._event(event, steps) for event, steps in self._mined.loose.items()]
        if any(not waived for waived in self._clauses.failures.values()):
            self._used.setdefault("reason")
        head: list[ast.Declaration] = [
            ast.Lifecycle(name_node(self._name), None, text_node("a draft from logs: seen, not meant"), NOWHERE)
        ]
        head += [
            ast.OwnerDecl((name_node(owner),), text_node(f"in {counted(self._records_of(owner), 'record')}"), NOWHERE)
            for owner in sorted(self._owners)
        ]
        head += [found for name in sorted(self._used) if (found := self._field(name)) is not None]
        bound = {name: field for name in self._used if (field := self._bound_field(name)) is not None}
        drafter = BindingDrafter(self._mined, bound)
        return ast.Ast("draft", (*head, *events, *machines, drafter.declaration(self._binding, self._name)))

    def _records_of(self, owner: str) -> int:
        return len({id(step.record) for step in self._mined.read.steps if step.owner == owner})

    # --- machines ---

    def _machine(self, machine: Machine) -> ast.MachineDecl:
        owner = self._clauses.of_machine.get(machine.name)
        if owner is not None:
            self._owners.add(owner)
        finals = machine.finals()
        order = [machine.initial, *(state for state in machine.states if state != machine.initial)]
        states = [self._state(machine, state, finals) for state in order if state not in finals]
        states += [self._state(machine, state, finals) for state in order if state in finals]
        place = {state: number for number, state in enumerate(order)}
        moves = sorted(
            machine.moves,
            key=lambda move: (
                place[move[0]],
                move[2] == move[0],  # behind those that stay: the first that fits is taken
                move[2] is None,
                place.get(move[2] or "", 0),
                move[1] or "",
            ),
        )
        key = machine.group.key
        if key is not None:
            self._used.setdefault(key.name)
        doc = counted(len(machine.ends), "instance" if key else "session")
        if (told := _told_by(machine)) is not None:
            doc += f"; {plain(told, 60)} tells of the steps without an event"
        if not machine.says_states:
            doc += "; its states are guesses, made from which event follows which"
        return ast.MachineDecl(
            name_node(machine.name),
            (name_node(key.name),) if key else (),
            (name_node(owner),) if owner is not None else (),
            text_node(doc),
            (
                *states,
                *(self._transition(machine, move) for move in moves),
                *(self._unseen(machine, source, target, steps) for (source, target), steps in machine.unseen.items()),
            ),
            NOWHERE,
        )

    def _state(self, machine: Machine, state: str, finals: set[str]) -> ast.StateDecl:
        stays = machine.states[state]
        failure = self._clauses.failures.get((machine.name, state))
        kind = (
            "initial"
            if state == machine.initial
            else "failure"
            if failure is not None
            else "final"
            if state in finals
            else "state"
        )
        doc = self._state_doc(machine, state, stays, kind)
        within = _bound(stays, state, kind)
        if within is not None:
            doc += "; the bound is a guess: twice the longest"
        return ast.StateDecl(
            kind,
            (name_node(state),),
            within,
            (),
            text_node(failure) if failure else None,
            NOWHERE if failure else None,
            text_node(doc),
            NOWHERE,
        )

    def _state_doc(self, machine: Machine, state: str, stays: Stays, kind: str) -> str:
        if kind == "initial":
            said = "before the first record"
            behind = machine.behind.get(state, ())
            if behind:
                said += f", and behind {', '.join(plain(event, 40) for event in behind[:5])}"
            if stays.entered:
                said += f"; entered {times(len(stays.entered))}"
            if stays.unseen:
                said += f"; entered {times(stays.unseen)} without a record"
            unnamed = machine.says_states and not stays.entered and not self._says_source(machine, state)
            return said + ("; the log has no name for it" if unnamed else "")
        doc = f"entered {times(len(stays.entered))}" if stays.entered else ""
        if stays.unseen:
            doc += f"{', and ' if doc else 'entered '}{times(stays.unseen)} without a record"
        behind = machine.behind.get(state, ())
        if len(behind) > 1:
            more = " ..." if len(behind) > 5 else ""
            doc = f"behind {', '.join(plain(event, 40) for event in behind[:5])}{more}; {doc}"
        if stays.ended:
            doc += f", the last state of {stays.ended}"
        if kind == "state" and state in machine.never_left():
            doc += "; never left"
        if kind == "final":
            doc += "; final is a guess: never left"
        elif kind == "failure":
            doc += "; a failure by its name"
        if stays.left_ns and any(stays.left_ns):
            most, longest = shown(percentile(stays.left_ns, 99)), shown(max(stays.left_ns))
            doc += f"; longest stay {longest}" + (f", p99 {most}" if most != longest else "")
        return doc

    def _keys(self) -> set[str]:
        return {machine.group.key.name for machine in self._mined.machines if machine.group.key is not None}

    def _says_source(self, machine: Machine, state: str) -> bool:
        return any(step.source == state for taken in machine.moves.values() for step in taken)

    def _transition(self, machine: Machine, move: Move) -> ast.TransitionDecl:
        source, event, target = move
        taken = machine.moves[move]
        doc = f"seen {times(len(taken))}"
        if event is None and target is not None and _told_by(machine) is None:
            behind = machine.events.get((source, target), {})
            names = sorted(behind, key=lambda name: (-behind[name], name))[:3]
            if names:
                doc += ", on " + ", ".join(plain(name, 40) for name in names) + (" ..." if len(behind) > 3 else "")
        owner = self._clauses.owners.get(id(taken)) if machine.name not in self._clauses.of_machine else None
        if owner is not None:
            self._owners.add(owner)
        elif machine.name not in self._clauses.of_machine:
            doc += _owners_told(taken)
        requires = self._clauses.requires.get(id(taken), ())
        self._used.update(dict.fromkeys(requires))
        return ast.TransitionDecl(
            (name_node(source),),
            (),
            (name_node(target),) if target is not None else (),
            ast.OnTrigger((name_node(event),), None, NOWHERE) if event is not None else None,
            None,
            (name_node(owner),) if owner is not None else (),
            tuple(map(name_node, requires)),
            (),
            (),
            text_node(doc),
            NOWHERE,
        )

    def _unseen(self, machine: Machine, source: str, target: str, steps: Sequence[Step]) -> ast.TransitionDecl:
        """A step that no record tells of, on an event that the binding says this client cannot log."""
        event = self._mined.unseen[machine.name, target]
        is_entered = machine.states[target].entered or target == machine.initial
        why = "a record may be lost" if is_entered else "a clock or another machine may do it"
        return ast.TransitionDecl(
            (name_node(source),),
            (),
            (name_node(target),),
            ast.OnTrigger((name_node(event),), None, NOWHERE),
            None,
            (),
            (),
            (),
            (),
            text_node(f"seen {times(len(steps))}, and no record tells of it: {why}"),
            NOWHERE,
        )

    def _event(self, event: str, steps: Sequence[Step]) -> ast.EventDecl:
        requires = self._clauses.events.get(event, ())
        self._used.update(dict.fromkeys(requires))
        doc = text_node(f"seen {times(len(steps))}, in no order that a machine could be made from")
        return ast.EventDecl((name_node(event),), tuple(map(name_node, requires)), doc, NOWHERE)

    # --- fields ---

    def _field(self, name: str) -> ast.FieldDecl | None:
        bound = self._bound_field(name)
        if bound is None:
            return None
        found: Type | None = type_of(bound, self._mined.read.steps, self._mined.seen.objects)
        if found is None or (found.kind == "one of" and name in self._keys()):
            return None
        values = tuple(name_node(value) for value in found.values)
        doc = text_node("all values that were seen") if values else None
        return ast.FieldDecl((name_node(name),), ast.FieldType(found.kind, values, (), None, NOWHERE), doc, NOWHERE)

    def _bound_field(self, name: str) -> Field | None:
        if name == "reason" and self._clauses.reason is not None:
            return self._clauses.reason
        return self._fields.get(name)


def _told_by(machine: Machine) -> str | None:
    """The one event that tells of all steps between states, where there is only one."""
    told = {event for events in machine.events.values() for event in events}
    nameless = any(move[1] is None and step.event is None for move, steps in machine.moves.items() for step in steps)
    return told.pop() if len(told) == 1 and not nameless else None


def _owners_told(taken: Sequence[Step]) -> str:
    """Who caused a step, where that is not enough for a `by`."""
    owners = Counter(step.owner for step in taken if step.owner is not None)
    if not owners:
        return ""
    shown = sorted(owners.items(), key=lambda item: (-item[1], item[0]))[:3]
    if len(owners) == 1 and shown[0][1] == len(taken):
        return f", by {plain(shown[0][0], 40)}"
    return ": " + ", ".join(f"{count} by {plain(owner, 40)}" for owner, count in shown)


def _bound(stays: Stays, state: str, kind: str) -> ast.Expr | None:
    """Twice the longest stay, for a state that sounds as if it were to be left, and always was."""
    words = words_of(state)
    passing = bool(words) and (words[-1].endswith("ing") or words[-1] == "pending")
    if kind != "state" or not passing or stays.open_ns or len(stays.left_ns) < _FEWEST_STAYS:
        return None
    longest = max(stays.left_ns)
    if not 0 < longest * 2 <= _LONGEST_BOUND_NS:
        return None
    return ast.DurationLit(rounded_up(longest * 2), NOWHERE)
