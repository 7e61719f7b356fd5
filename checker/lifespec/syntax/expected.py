"""What may stand at a place, in words of the language. Owns the phrases for terminals and rules."""

from __future__ import annotations

from collections.abc import Iterable, Set

from lifespec.syntax.automaton import Automaton
from lifespec.syntax.table import END
from lifespec.syntax.words import DECLARATIONS, OPERANDS, STATEMENTS

_MOST = 6

# The rules that a name stands for, by where the name would be taken.
_NAMES = {
    "event": "an event name",
    "state": "a state name",
    "field": "a field name",
    "owner": "an owner name",
    "machine": "a machine name",
    "lifecycle_name": "the name of a lifecycle",
    "profile": "a name for the profile",
    "rule": "a name for the rule",
    "binding": "the name of a binding",
    "pattern_name": "`email`, `token`, `ip` or a name with `like`",
    "finding": "the name of a finding",
    "logged": "an event name of the log",
    "target": "a name",
    "literal": "a value",
    "constant": "a value",
    "step": "a name",
}
_TEXTS = {"doc": "a text", "why": "a text that says why", "logged": "a pattern in double quotes", "target": "a text"}
_TYPES = ('"text"', '"int"', '"number"', '"bool"', '"duration"', '"instant"', '"one"')
_STATES = ('"initial"', '"state"', '"failure"', '"final"')
_UNITS = ('"ns"', '"us"', '"ms"', '"s"', '"m"', '"h"', '"d"')
_OPERATORS = frozenset(("COMPARE", '"+"', '"*"', '"/"', '"-"', '"and"', '"or"', '"in"', '"like"', '"contains"', '"as"'))


def keywords(terminals: Iterable[str]) -> list[str]:
    """The keywords among some terminals."""
    return [terminal[1:-1] for terminal in terminals if terminal[0] == '"' and terminal[1].isalpha()]


def expected_words(automaton: Automaton, terminals: Set[str]) -> str:
    """What could have stood at the place of an error: a short list, the likeliest first."""
    direct = {terminal for terminal in terminals if automaton.row[terminal] >= 0}
    phrases = _phrases(automaton, direct) + _phrases(automaton, terminals - direct)
    phrases = list(dict.fromkeys(phrases))
    if not phrases:
        steps = [f"`{terminal[1:-1]}`" for terminal in ('"."', '"["') if terminal in terminals]
        phrases = ["an operator"] if terminals & _OPERATORS else steps or ["something else"]
    phrases = phrases[:_MOST]
    return phrases[0] if len(phrases) == 1 else ", ".join(phrases[:-1]) + " or " + phrases[-1]


def _phrases(automaton: Automaton, terminals: Set[str]) -> list[str]:
    """Phrases for some terminals: names and values, then groups of keywords, then single ones."""
    left = set(terminals)
    phrases: list[str] = []
    state = automaton.state_for("NAME") if "NAME" in left else None
    if state is not None and "head" in automaton.table.states[state]:  # an operand: what may begin one is not listed
        phrases.append("a condition" if '"not"' in left else "a value")
        left -= {"NAME", "QUOTED", "TEXT", "NUMBER", "DURATION", '"("', '"-"', '"not"', '"has"', '"true"', '"false"'}
        left -= {f'"{word}"' for word in OPERANDS} | {'"count"', '"sum"', '"min"', '"max"'}
    elif "WORD" in left and {"TEXT", '"("'} <= left:
        phrases.append("a path, a number or a text in double quotes")
        left -= {"WORD", "QUOTED", "TEXT", "NUMBER", "DURATION", '"("', '"-"', '"true"', '"false"'}
    elif "WORD" in left and '"("' in left:
        phrases.append("a path")
        left -= {"WORD", "QUOTED", '"("'}
    else:
        left.discard('"not"')  # of `not in`
    phrases += _groups(left)
    phrases += _names(automaton, left)
    left -= {"NAME", "QUOTED", "WORD", "TEXT", "NUMBER", "DURATION", "PART", END} | _OPERATORS
    signs = sorted(terminal for terminal in left if not terminal[1].isalpha())
    words = sorted(terminal for terminal in left if terminal[1].isalpha())
    return phrases + [f"`{terminal[1:-1]}`" for terminal in (*signs, *words) if terminal not in ('"."', '"["')]


def _groups(left: set[str]) -> list[str]:
    """Takes groups of keywords out of `left` and says what they are together."""
    phrases: list[str] = []

    def group(phrase: str, members: Iterable[str], enough: int) -> None:
        found = left.intersection(members)
        if len(found) >= enough:
            left.difference_update(found)
            phrases.append(phrase)

    group("a declaration", (f'"{word}"' for word in DECLARATIONS), 6)
    if '"any"' in left:
        group("a state or a transition", (*_STATES, '"any"', '"group"', '"ignore"', "NAME", "QUOTED"), 7)
    group("a state", (*_STATES, '"group"'), 4)
    group("a statement", (*(f'"{word}"' for word in STATEMENTS), "PART"), 10)
    group("a type (`text`, `int`, `number`, `bool`, `duration`, `instant` or `one of`)", _TYPES, 7)
    group("`json`, `number`, `iso8601` or a unit of time", (*_UNITS, '"json"', '"number"', '"iso8601"', '"("'), 10)
    return phrases


def _names(automaton: Automaton, left: set[str]) -> list[str]:
    phrases: list[str] = []
    for terminal in ("NAME", "QUOTED", "WORD"):
        state = automaton.state_for(terminal) if terminal in left else None
        if state is not None:
            row = automaton.table.states[state]
            found = [phrase for rule, phrase in _NAMES.items() if rule in row]
            phrases += found[:2] or ["a name"]
            break
    if "PART" in left:
        phrases.append("a name with `=`")
    if "TEXT" in left:
        state = automaton.state_for("TEXT")
        row = automaton.table.states[state] if state is not None else {}
        phrases.append(next((phrase for rule, phrase in _TEXTS.items() if rule in row), "a text in double quotes"))
    if "NUMBER" in left:
        phrases.append("a number")
    if "COMPARE" in left and len(left) == 1:
        phrases.append("a comparison")
    return phrases
