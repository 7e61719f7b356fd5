"""The LR automaton: stacks, what may come next, shifting and reducing. Knows nothing of errors' words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lifespec.syntax.build import Builder
from lifespec.syntax.piece import Piece
from lifespec.syntax.scan import Lexeme, assigned
from lifespec.syntax.table import END, Table
from lifespec.syntax.words import RESERVED

_COMPARISONS = frozenset(("==", "!=", "<=", ">=", "<", ">"))
_LITERALS = {"text": "TEXT", "number": "NUMBER", "duration": "DURATION"}

Value = Piece | list[Piece]


class Automaton:
    """A parse under way. `states` and `values` are the two stacks; `states` is longer by one."""

    def __init__(self, table: Table, builder: Builder) -> None:
        self.table = table
        self.builder = builder
        self.states: list[int] = [0]
        self.values: list[Value] = []

    @property
    def row(self) -> Mapping[str, int]:
        """What may come next, by terminal and rule; some of it only in other surroundings."""
        return self.table.states[self.states[-1]]

    def accepts(self, terminal: str) -> bool:
        """Whether the terminal may come next. Touches nothing."""
        return self.state_for(terminal) is not None

    def accepts_behind(self, height: int, terminal: str) -> bool:
        """Whether the terminal could have come next when the stack had only so many states. Touches nothing."""
        shorter = Automaton(self.table, self.builder)
        shorter.states = self.states[:height]
        return shorter.accepts(terminal)

    def terminals(self) -> frozenset[str]:
        """All terminals that may come next."""
        return frozenset(name for name in self.row if (name[0] == '"' or name.isupper()) and self.accepts(name))

    def state_for(self, terminal: str) -> int | None:
        """The state in which the terminal would be taken; None when it may not come next."""
        states, rows, productions = self.states, self.table.states, self.table.productions
        state = states[-1]
        action = rows[state].get(terminal)
        if action is not None and action < 0 and len(states) > 1:
            state = self._passed_on(states[-2], state, terminal)
            action = rows[state].get(terminal)
        below, above = len(states), list[int]()
        while action is None or action < 0:
            if action is None:
                return None
            production = productions[-1 - action]
            if production.rule == "start":
                return state
            if production.size < len(above):
                del above[len(above) - production.size :]
            else:
                below -= production.size - len(above)
                above.clear()
            under = above[-1] if above else states[below - 1]
            state = self._passed_on(under, rows[under][production.rule], terminal)
            action = rows[state].get(terminal)
            above.append(state)
        return state

    def shift(self, terminal: str, piece: Piece) -> None:
        """Takes a terminal that `accepts` allows: reduces as needed, then shifts."""
        states = self.states
        while (action := self.row[terminal]) < 0:
            passed_on = self._passed_on(states[-2], states[-1], terminal) if len(states) > 1 else states[-1]
            if passed_on != states[-1]:
                states[-1] = passed_on
            else:
                self._reduce(-1 - action)
        states.append(action)
        self.values.append(piece)

    def finish(self) -> Piece:
        """The piece of the whole text. Only when `accepts(END)`."""
        while True:
            production = self.table.productions[-1 - self.row[END]]
            if production.rule == "start":
                return self.builder.build("start", list(_flat(self.values)))
            self._reduce(-1 - self.row[END])

    def cut(self, height: int) -> None:
        """Drops what lies above: `states` keeps `height` entries."""
        del self.states[height:]
        del self.values[height - 1 :]

    def _passed_on(self, under: int, state: int, terminal: str) -> int:
        """The state in place of `state`, on top of `under`, behind all productions that only pass one piece on:
        an operand is an atom, a factor, a product, ... They are gone through once, and then looked up."""
        key = (under, state, terminal)
        found = self.table.passed_on.get(key)
        if found is None:
            rows, productions = self.table.states, self.table.productions
            found = state
            while (action := rows[found].get(terminal, 0)) < 0:
                production = productions[-1 - action]
                if production.size != 1 or not production.transparent:
                    break
                found = rows[under][production.rule]
            self.table.passed_on[key] = found
        return found

    def _reduce(self, number: int) -> None:
        production = self.table.productions[number]
        size = production.size
        values = self.values[len(self.values) - size :]
        if size:
            del self.values[-size:]
            del self.states[-size:]
        self.values.append(self._value(production.name, production.transparent, values))
        self.states.append(self.row[production.rule])

    def _value(self, name: str, transparent: bool, values: list[Value]) -> Value:
        first = values[0] if values else []
        if isinstance(first, list):  # grows in place: a long list is built in linear time
            items = first
            items.extend(_flat(values[1:]))
        else:
            items = list(_flat(values))
        if name[0] == "_":
            return items
        if transparent and len(items) == 1:
            return items[0]
        return self.builder.build(name, items)


def _flat(values: list[Value]) -> Iterator[Piece]:
    for value in values:
        if isinstance(value, list):
            yield from value
        else:
            yield value


def terminal_of(text: str, lexeme: Lexeme, row: Mapping[str, int]) -> tuple[str, int] | None:
    """Which terminal of `row` the lexeme is, and where it ends; None when it is none of them.

    As the grammar has it: `NAME=` before keywords, keywords before names.
    """
    if lexeme.shape in ("word", "quoted"):
        if "PART" in row:
            end = assigned(text, lexeme)
            if end is not None:
                return "PART", end
        if lexeme.shape == "quoted":
            return ("QUOTED", lexeme.end) if "QUOTED" in row else None
        word = lexeme.text
        if f'"{word}"' in row:
            return f'"{word}"', lexeme.end
        if "NAME" in row and word not in RESERVED:
            return "NAME", lexeme.end
        return ("WORD", lexeme.end) if "WORD" in row else None
    terminal = _LITERALS.get(lexeme.shape)
    if lexeme.shape == "sign":
        terminal = "COMPARE" if lexeme.text in _COMPARISONS else f'"{lexeme.text}"'
    return (terminal, lexeme.end) if terminal is not None and terminal in row else None
