"""What a syntax error is told as: what was found, what could have stood there, and what to do.

Owns the words. Looks at the automaton and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from msgspec import Struct

from lifespec.diagnostics import Diagnostic, Fix, Label, find_nearest
from lifespec.source import Span
from lifespec.syntax.automaton import Automaton
from lifespec.syntax.expected import expected_words, keywords
from lifespec.syntax.piece import Piece
from lifespec.syntax.recovery import Level, levels
from lifespec.syntax.scan import Lexeme, scan
from lifespec.syntax.words import CLAUSES, DECLARATIONS, MEMBERS, RESERVED, RULES

_LONGEST = 40
_STRANGE = {
    "\N{LEFT DOUBLE QUOTATION MARK}": "a text stands between straight double quotes",
    "\N{RIGHT DOUBLE QUOTATION MARK}": "a text stands between straight double quotes",
    "\N{DOUBLE LOW-9 QUOTATION MARK}": "a text stands between straight double quotes",
    "\N{LEFT SINGLE QUOTATION MARK}": "a quoted name stands between straight single quotes",
    "\N{RIGHT SINGLE QUOTATION MARK}": "a quoted name stands between straight single quotes",
    "`": "a quoted name stands between straight single quotes",
    "\N{RIGHTWARDS ARROW}": "write `->`",
    "\N{EN DASH}": "write `-` or `->`",
    "\N{EM DASH}": "write `-` or `->`",
    "\N{MINUS SIGN}": "write `-`",
    "\N{LESS-THAN OR EQUAL TO}": "write `<=`",
    "\N{GREATER-THAN OR EQUAL TO}": "write `>=`",
    "\N{NOT EQUAL TO}": "write `!=`",
    "\N{NO-BREAK SPACE}": "this is a no-break space: write a blank",
    "\N{ZERO WIDTH SPACE}": "this is a space without width: take it out",
    "#": "a comment begins with `//`",
    ";": "nothing stands between statements: leave it out, or begin a new line",
    "!": "write `not` or `!=`",
    "&": "write `and`",
    "|": "write `or`",
    "&&": "write `and`",
    "||": "write `or`",
    "=>": "write `->`",
    "-->": "write `->`",
    ":=": "write `=`",
    "<>": "write `!=`",
}
"""What is meant by characters and signs that the language does not know."""

_WORDS_ELSEWHERE = {
    "if": "`where` chooses between transitions, `require` says what must hold",
    "unless": "`where not` chooses between transitions, `require not` says what must not hold",
    "then": "leave it out",
    "else": "say the other case in a transition or part of its own",
    "is": "values are compared with `==`",
    "equals": "values are compared with `==`",
    "timeout": "`within` bounds the stay in a state; `after` moves on by itself",
    "goto": "write `->`",
    "to": "write `->`",
    "times": "leave it out",
    "because": "leave it out: the text alone says why",
    "end": "a body ends with `}`",
}
"""What is meant by words that other languages know."""

_UNITS = "ns us ms s m h d sec secs second seconds min mins minute minutes msec hour hours day days"
_UNITS_ELSEWHERE = frozenset(_UNITS.split())


class Before(Struct, frozen=True):
    """The token before the place of an error; `fresh` when it is the first of its line."""

    piece: Piece
    fresh: bool


class Place(Struct, frozen=True):
    """Where an error is: the lexeme found, whether it is the first of its line, the terminals that could
    have stood there, the level of braces, and the token before (None behind another error)."""

    span: Span
    lexeme: Lexeme
    fresh: bool
    terminals: frozenset[str]
    level: Level
    before: Before | None


def place_of(file: str, automaton: Automaton, lexeme: Lexeme, fresh: bool, before: Before | None) -> Place:
    """The place of an error at `lexeme`."""
    span = Span(file, lexeme.start, lexeme.end)
    if lexeme.shape == "end" and before is not None:  # shown behind the last word, not behind blank lines
        span = Span(file, before.piece.end, before.piece.end)
    return Place(span, lexeme, fresh, automaton.terminals(), levels(automaton)[-1], before)


def unexpected(automaton: Automaton, place: Place, text: str) -> Diagnostic:
    """The finding about a lexeme of the text that cannot stand where it stands."""
    if place.lexeme.shape in ("odd", "foreign"):
        return _odd(place.span, place.lexeme)
    for special in (_doubled, _misquoted, _reserved, _undeclared):
        found = special(place)
        if found is not None:
            return found
    expected = expected_words(automaton, place.terminals)
    last = place.before.piece if place.before and place.fresh else None
    late = _late(automaton, place, text)
    labels = [Label(Span(place.span.file, last.start, last.end), "after this")] if last else []
    if late is not None:
        labels = [Label(late[0], f"`{shorten(place.lexeme.text)}` belongs before this")]
    return Diagnostic(
        "syntax-error",
        f"expected {expected}, found {describe(place.lexeme)}",
        Label(place.span, f"expected {expected}"),
        labels=tuple(labels),
        help=(late[1],) if late is not None else tuple(_helps(place)) or _help_on_keywords(place),
    )


def _late(automaton: Automaton, place: Place, text: str) -> tuple[Span, str] | None:
    """For a clause that comes too late in its declaration: what it belongs before, and what to do."""
    word = place.lexeme.text
    if place.lexeme.shape != "word" or word in _NO_CLAUSES:
        return None
    states, values = automaton.states, automaton.values
    for height in range(len(states) - 1, place.level.height, -1):
        value = values[height - 1]
        piece = value if isinstance(value, Piece) else next(iter(value), None)
        if piece is None or not automaton.accepts_behind(height, f'"{word}"'):
            continue
        begin = scan(text, piece.start)
        if begin.text == word or begin.shape not in ("word", "text"):  # it stands twice, or what it needs is missing
            return None
        is_two = begin.text in _TWO_WORDS
        second = scan(text, begin.end)
        end = second.end if is_two else begin.end
        what = "the text" if begin.shape == "text" else f"`{text[begin.start : end]}`"
        return Span(place.span.file, begin.start, end), f"`{word}` stands before {what}"
    return None


def describe(lexeme: Lexeme) -> str:
    """A lexeme as a message names it."""
    if lexeme.shape == "end":
        return "the end of the text"
    shown = shorten(lexeme.text)
    if lexeme.shape == "text":
        return f"the text {shown}"
    if lexeme.shape == "word" and lexeme.text in RESERVED:
        return f"the keyword `{shown}`"
    return f"`{shown}`"


def shorten(text: str) -> str:
    """At most 40 characters, and only such as can be shown."""
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text[: _LONGEST + 1])
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def unclosed_text(file: str, lexeme: Lexeme) -> Diagnostic:
    """The finding about a quote that is not closed on its line."""
    span = Span(file, lexeme.start, lexeme.start + 1)
    if lexeme.text[0] == '"':
        return Diagnostic(
            "unclosed-text",
            "a text is not closed on its line",
            Label(span, "opened here"),
            notes=("a text ends on the line where it begins",),
            help=('close it with `"`',),
        )
    return Diagnostic(
        "unclosed-text",
        "a name in single quotes is not closed on its line" if lexeme.text[1:2] != "'" else "a name is empty",
        Label(span, "opened here"),
        help=("close it with `'`; a text of documentation stands in double quotes",),
    )


def unclosed_brace(file: str, level: Level, end: int, lexeme: Lexeme) -> Diagnostic:
    """The finding about a `{` that is not closed before `lexeme`, which follows what ends at `end`."""
    brace = level.brace
    start, end = (brace.start, brace.end) if brace else (0, 0)
    if lexeme.shape == "end":
        shown = Label(Span(file, end, end), "the text ends")
    else:
        what = "does not stand in a group" if level.body == "group_member" else "begins another declaration"
        shown = Label(Span(file, lexeme.start, lexeme.end), f"`{shorten(lexeme.text)}` {what}")
    return Diagnostic(
        "unclosed-brace",
        "a brace is opened and never closed",
        Label(Span(file, start, end), "opened here"),
        labels=(shown,),
        help=("add the missing `}`",),
    )


def too_many_brackets(file: str, lexeme: Lexeme, limit: int) -> Diagnostic:
    """The finding about more open brackets than are allowed."""
    return Diagnostic(
        "nested-too-deeply",
        f"more than {limit} brackets are open at once",
        Label(Span(file, lexeme.start, lexeme.end), "one too many"),
    )


def _odd(span: Span, lexeme: Lexeme) -> Diagnostic:
    if lexeme.text[0].isdigit():
        return Diagnostic(
            "syntax-error",
            f"`{shorten(lexeme.text)}` is neither a number nor a duration",
            Label(span, "expected digits, then perhaps a unit"),
            notes=("the units are `ns`, `us`, `ms`, `s`, `m`, `h` and `d`; a name does not begin with a digit",),
            help=(f"if it is meant as a name, write '{shorten(lexeme.text)}'",),
        )
    text = lexeme.text
    shown = f"`{text}`" if text.isprintable() and text != " " else f"U+{ord(text[0]):04X}"
    what = "character" if len(text) == 1 else "sign"
    help_text = _STRANGE.get(text)
    return Diagnostic(
        "syntax-error",
        f"the {what} {shown} has no meaning here",
        Label(span, f"unknown {what}"),
        help=(help_text,) if help_text else (),
    )


# Each of these looks for one thing that typically goes wrong, and makes a finding or None.


def _doubled(place: Place) -> Diagnostic | None:
    """`=` for `==`."""
    if place.lexeme.text != "=" or "COMPARE" not in place.terminals:
        return None
    return Diagnostic(
        "syntax-error",
        "`=` compares nothing",
        Label(place.span, "two values are compared with `==`"),
        help=("write `==`",),
        fix=Fix(place.span, "=="),
    )


def _misquoted(place: Place) -> Diagnostic | None:
    """A text in single quotes; where a name may stand, one with a blank in it that nothing follows."""
    text, span, before = place.lexeme.text, place.span, place.before
    if place.lexeme.shape != "quoted" or "TEXT" not in place.terminals:
        if before is None or before.piece.kind != "QUOTED" or " " not in before.piece.value:
            return None
        if '"->"' not in place.terminals:
            return None
        text, span = before.piece.value, Span(span.file, before.piece.start, before.piece.end)
    return Diagnostic(
        "syntax-error",
        f"the text {shorten(text)} stands in single quotes",
        Label(span, "single quotes are for names"),
        help=("a text stands in double quotes",),
        fix=Fix(span, f'"{text[1:-1]}"') if '"' not in text else None,
    )


def _reserved(place: Place) -> Diagnostic | None:
    """A keyword used as a name."""
    if not is_reserved_name(place.lexeme, place.fresh, place.terminals):
        return None
    word = place.lexeme.text
    return Diagnostic(
        "reserved-name",
        f"`{word}` is a keyword, used here as a name",
        Label(place.span, "a keyword"),
        help=(f"write '{word}', in single quotes",),
        fix=Fix(place.span, f"'{word}'"),
    )


def is_reserved_name(lexeme: Lexeme, fresh: bool, terminals: Set[str]) -> bool:
    """Whether a keyword stands where only a name can, and is not likely meant as the keyword."""
    word = lexeme.text
    if lexeme.shape != "word" or word not in RESERVED or "QUOTED" not in terminals:
        return False
    if word in CLAUSES | RULES | {"any", "and", "or", "not", "in", "like"} or (
        fresh and word in DECLARATIONS | MEMBERS
    ):
        return False
    return "NAME" in terminals


def _undeclared(place: Place) -> Diagnostic | None:
    """Something at the top of the text that begins no declaration."""
    lexeme = place.lexeme
    if place.level.body != "declaration" or '"rule"' not in place.terminals or lexeme.shape == "end":
        return None
    if lexeme.text == "}":
        label = Label(place.span, "no brace is open")
        return Diagnostic("syntax-error", "`}` closes nothing", label, help=("take it out",))
    if not place.fresh and place.before is not None and place.before.piece.kind != '"}"':
        return None
    nearest = find_nearest(lexeme.text, DECLARATIONS) if lexeme.shape == "word" else None
    known = ", ".join(f"`{word}`" for word in sorted(DECLARATIONS))
    return Diagnostic(
        "syntax-error",
        f"expected a declaration, found {describe(lexeme)}",
        Label(place.span, "begins no declaration"),
        notes=(f"declarations begin with {known}",),
        help=(f"did you mean `{nearest}`?",) if nearest else (),
        fix=Fix(place.span, nearest) if nearest else None,
    )


def _helps(place: Place) -> Iterator[str]:
    """What to do about an error of no special kind."""
    lexeme, terminals = place.lexeme, place.terminals
    previous = place.before.piece if place.before else None
    yield from _help_on_words(place, previous)
    if previous and previous.kind == '"->"' and lexeme.text in CLAUSES:
        yield "name the state that is entered; a transition without `->` stays where it is"
    if terminals <= {"TEXT", '","'} and lexeme.shape in ("word", "quoted", "number") and not place.fresh:
        yield f'write it in double quotes: "{shorten(lexeme.text).strip(chr(39))}"'
    if lexeme.shape == "text" and place.level.body == "member":
        yield "the text of a transition stands right behind its trigger, before `where`, `by` and the like"
    if lexeme.text == "and" and '","' in terminals:
        yield "names are parted by `,`"
    elif _breaks_off_a_condition(place):
        yield "a whole condition stands in parentheses here"
    if '"{"' in terminals and place.fresh:
        yield "a body begins with `{`"
    if previous and previous.kind == '")"' and terminals == {'"."', '"["'}:
        yield "a field that is asked for stands without parentheses, as in `has reason`"
    if lexeme.shape == "end" and place.level.brace is not None:
        yield "a brace is open, too: its `}` is missing"


def _breaks_off_a_condition(place: Place) -> bool:
    """Whether an operator stands behind an operand, where only a part of a condition may stand."""
    if place.before is None or place.before.piece.kind not in _OPERAND_ENDS or '"enters"' in place.terminals:
        return False
    return place.lexeme.text == "or" or (place.level.body == "member" and place.lexeme.text in _CONDITION)


def _help_on_keywords(place: Place) -> tuple[str, ...]:
    word = place.lexeme.text
    is_name = place.lexeme.shape == "word" and word in RESERVED and place.terminals >= {"QUOTED", "NAME"}
    return (f"if it is meant as a name, write '{word}'",) if is_name else ()


def _help_on_words(place: Place, previous: Piece | None) -> Iterator[str]:
    """What was meant by a word that is here, or by the one before it."""
    lexeme, terminals = place.lexeme, place.terminals
    if lexeme.shape == "word":
        if '"duration"' in terminals and lexeme.text in _TYPES_ELSEWHERE:
            yield f"write `{_TYPES_ELSEWHERE[lexeme.text]}`"
            return
        if previous and previous.kind == "NUMBER" and lexeme.text in _UNITS_ELSEWHERE:
            yield "a unit stands right behind its number, as in `5s`"
            return
        near = find_nearest(lexeme.text, keywords(terminals))
        if near and near != lexeme.text:
            yield f"did you mean `{near}`?"
            return
        if lexeme.text in _WORDS_ELSEWHERE:
            yield _WORDS_ELSEWHERE[lexeme.text]
            return
        if terminals <= {"PART", '"}"'}:
            yield f"write `{shorten(lexeme.text)} = ...`"
            return
    if previous and previous.kind == "NAME" and '"->"' in terminals and place.level.body == "member":
        word: str = previous.value
        near = find_nearest(word, MEMBERS | CLAUSES)
        if word in _WORDS_ELSEWHERE:
            yield f"`{word}`: {_WORDS_ELSEWHERE[word]}"
        elif near:
            yield f"did you mean `{near}` where `{shorten(word)}` stands?"
        elif place.before and not place.before.fresh:
            if word in _UNITS_ELSEWHERE:
                yield "a unit stands right behind its number, as in `5s`"
            yield f"`{shorten(word)}` begins a transition here: perhaps a comma is missing before it"


_TYPES_ELSEWHERE = {
    **dict.fromkeys(("string", "str", "String", "varchar"), "text"),
    **dict.fromkeys(("integer", "long", "Int", "int64"), "int"),
    **dict.fromkeys(("float", "double", "decimal", "Number"), "number"),
    **dict.fromkeys(("boolean", "Bool", "Boolean"), "bool"),
    **dict.fromkeys(("time", "timestamp", "datetime", "date"), "instant"),
    "enum": "one of",
}
_NO_CLAUSES = frozenset(
    ("and", "or", "not", "in", "like", "has", "true", "false", "any", "else", "as", "since", "contains")
)
"""Words within values and conditions, which have no place in a declaration."""
_TWO_WORDS = frozenset(("owned", "separated", "header", "fields", "same", "at"))
_CONDITION = frozenset(("==", "!=", "<", "<=", ">", ">=", "in", "and", "or", "like"))
_OPERAND_ENDS = frozenset(("NAME", "WORD", "QUOTED", "NUMBER", "DURATION", "TEXT", '")"', '"]"', '"true"', '"false"'))
