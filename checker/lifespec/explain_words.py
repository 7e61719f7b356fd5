"""Small pieces of sentences: names in backticks, lists, lengths of time. Owns nothing that decides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from lifespec.explain_line import Interest
from lifespec.syntax.words import quoted as as_written
from lifespec.trace.instant import has_decimal_comma

_UNITS = (("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000))
_SMALL = (("ms", 1_000_000), ("us", 1_000), ("ns", 1))
_LONGEST = 60
_BLANK = re.compile(r"\s")
_TICKS = re.compile("`+")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_FIRST_DATE, _LAST_DATE = 10**17, 9 * 10**18  # 1973 to 2255: what lies before counts from the start of the log


def quoted(name: str) -> str:
    """A name in backticks, cut when it is very long."""
    return as_code(shortened(name))


def as_code(text: str) -> str:
    """Text between backticks: one on each side, or more than stand together in it, as CommonMark has it."""
    if "`" not in text:
        return f"`{text}`"
    fence = "`" * (max(map(len, _TICKS.findall(text))) + 1)
    blank = " " if "`" in (text[0], text[-1]) or text[0] == text[-1] == " " else ""
    return f"{fence}{blank}{text}{blank}{fence}"


def code_parts(text: str) -> list[str]:
    """A sentence in parts: prose, and at the odd places what `as_code` has put between backticks."""
    parts, at = [], 0
    for found in _CODE.finditer(text):
        inside = found[2]
        if "`" in inside and inside[0] == inside[-1] == " ":
            inside = inside[1:-1]
        parts += [text[at : found.start()], inside]
        at = found.end()
    return [*parts, text[at:]]


def in_text(name: str) -> str:
    """A name as a spec or a binding has to write it, cut when it is very long."""
    shown = shortened(name)
    return f'"{shown}"' if "'" in shown and not set('"{}') & set(shown) else as_written(shown)


def shortened(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else text[: longest - 3] + "..."


def shortened_sentence(text: str, longest: int) -> str:
    """The whole words of a sentence that there is room for; what stands between backticks is one word."""
    if len(text) <= longest:
        return text
    room = longest - 3
    words = _CODE.sub(lambda found: "`" * len(found[0]), text)
    ends = [found.start() for found in _BLANK.finditer(words, 0, room + 1)]
    kept = text[: ends[-1]].rstrip(" ,;:") if ends else ""
    if not kept:
        first = _CODE.match(text)
        kept = as_code(code_parts(text)[1][: max(room - 2 * len(first[1]) - 2, 1)]) if first else text[:room]
    return f"{kept}..."


def lowered(text: str) -> str:
    """A sentence of others as a part of one of ours; a word that is all capitals, such as JSON, stays so."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def listed(names: Iterable[str], last: str = "and", most: int = 8) -> str:
    """`a`, `b` and `c`; of more than `most` the first ones and how many more there are."""
    return joined([quoted(name) for name in names], last, most)


def joined(parts: Sequence[str], last: str = "and", most: int = 8) -> str:
    """Parts in a row, the last after a word."""
    shown = list(parts)
    if len(shown) > most:
        shown = [*shown[: most - 1], f"{len(shown) - most + 1} more"]
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def instance(machine: str, key: Sequence[str]) -> str:
    """A machine, or an instance of one that has keys: `clip[c1]`."""
    return as_code(f"{machine}[{', '.join(shortened(part, 30) for part in key)}]" if key else machine)


def duration(ns: int) -> str:
    """A length of time as people write it: `10s`, `1m30s`, `2.5s`, `500ms`."""
    if ns < 0:
        return f"-{duration(-ns)}"
    if ns < 1_000_000_000:
        for unit, size in _SMALL:
            if ns >= size:
                return f"{_decimal(ns, size)}{unit}"
        return "0s"
    parts = []
    for unit, size in _UNITS:
        if unit == "s":
            parts.append(f"{_decimal(ns, size)}s" if ns else "")
        elif ns >= size:
            parts.append(f"{ns // size}{unit}")
            ns %= size
    return "".join(parts)


def instant(ns: int) -> str:
    """A point in time: ISO 8601 in UTC, or the time since the start for a log that counts from there."""
    if not _FIRST_DATE <= ns < _LAST_DATE:
        return duration(ns)
    whole, rest = divmod(ns, 1_000_000_000)
    date = datetime.fromtimestamp(whole, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    part = f"{rest:09d}".rstrip("0")
    return f"{date}{'.' if part else ''}{part}Z"


def _decimal(ns: int, size: int) -> str:
    """ns / size, exact."""
    whole, rest = divmod(ns, size)
    if not rest:
        return str(whole)
    digits = f"{rest:0{len(str(size)) - 1}d}".rstrip("0")
    return f"{whole}.{digits}"


def times(count: int, what: str, plural: str = "") -> str:
    """`1 finding`, `2 findings`."""
    return f"{count:,} {what if count == 1 else plural or what + 's'}"


def comma_help(found: str | None, part: str, conversion: str) -> tuple[str, ...]:
    """What to do about a number with a decimal comma; nothing for any other text."""
    if found is None or not has_decimal_comma(found):
        return ()
    return (
        f'a number has a dot: `match KEY "{{a}},{{b}}"` takes it apart, and '
        f'`{part} = "{{a}}.{{b}}" {conversion} else KEY {conversion}` reads it, whole numbers too',
    )


class Said(Struct, frozen=True):
    """What a finding says: the message, the label under the marks and what to mark, further facts
    (their kind and text) and things to do. `column` (in bytes, from 1) is marked where nothing else is."""

    message: str
    label: str = ""
    interests: tuple[Interest, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    help: tuple[str, ...] = ()
    column: int | None = None
