"""What would have been allowed, in words: the events that leave a state and the shortest legal way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from lifespec.explain_words import joined, quoted
from lifespec.model.model import After, At, On, Transition, When

_MOST = 8
_WHERE = re.compile(r"\bwhere\s+(.+?)(?=\s+(?:by|requires?|remember|forget)\b|\s*\"|$)")
_LONGEST_WAY = 6


def allowed_words(transitions: Iterable[Transition]) -> tuple[str, ...]:
    """`opened` -> connected, `heartbeat` (stays): one for each event, the clock and reactions left out."""
    words: dict[str, None] = {}
    for transition in transitions:
        targets = "/".join(transition.targets)
        if transition.trigger is None:
            words.update((f"-> {target}", None) for target in transition.targets)
        elif isinstance(transition.trigger, On):
            for event in transition.trigger.events:
                where = where_words(transition)
                lead = f"{quoted(event)} where {where}" if where else quoted(event)
                words[f"{lead} -> {targets}" if targets else f"{lead} (stays)"] = None
    return tuple(words)


def allowed_line(words: Sequence[str]) -> str:
    """The allowed steps in one line; of many the first ones."""
    if not words:
        return "nothing: no event leaves this state"
    if len(words) > _MOST:
        words = [*words[: _MOST - 1], f"{len(words) - _MOST + 1} more"]
    return ", ".join(words)


def where_words(transition: Transition) -> str:
    """The condition under which the transition counts, as it was written; "" for none."""
    found = _WHERE.search(transition.text) if transition.where is not None else None
    return found.group(1).strip() if found else ""


def way_words(way: Sequence[Transition]) -> str:
    """`connect`, then `opened`: what has to happen along a way."""
    steps = [_step_words(transition) for transition in way]
    if len(steps) > _LONGEST_WAY:
        steps = [*steps[: _LONGEST_WAY - 1], f"{len(steps) - _LONGEST_WAY + 1} more steps"]
    return joined([", then ".join(steps)])


def _step_words(transition: Transition) -> str:
    match transition.trigger:
        case On(events=events):
            return quoted(events[0])
        case After(written=written):
            return f"{written} of waiting"
        case At():
            return f"the moment `{transition.text.split(' at ', 1)[-1]}`"
        case When(machine=machine, enters=enters):
            return f"`{machine}` entering {quoted(enters[0].name)}"
        case None:
            return f"a step to {quoted('/'.join(transition.targets))}"


def trigger_words(transition: Transition) -> str:
    """`on connect`, `after 10s`, `when turn enters superseded`: what takes the transition, as it was written."""
    match transition.trigger:
        case On(events=events, of=of):
            return f"on {', '.join(events)}{f' of {of}' if of else ''}"
        case After(written=written):
            return f"after {written}"
        case At():
            return f"at {transition.text.split(' at ', 1)[-1].split(' ', 1)[0]}"
        case When(machine=machine, another=another, enters=enters):
            names = ", ".join(each.name for each in enters)
            return f"when {'another ' if another else ''}{machine} enters {names}"
    return ""
