"""User text made safe for the formats that are written. Owns cleaning, wrapping and escaping."""

from __future__ import annotations

import re
import textwrap

from lifespec.diagnostics.excerpt import visible

# What neither XML 1.0 nor UTF-8 can carry: control characters, lone surrogates, two non-characters.
UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


_ENTITIES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("\\", "&#92;"))


def clean(text: str) -> str:
    """`text` without what no format can carry; each such character becomes U+FFFD."""
    return UNFIT.sub("\ufffd", text)


def shown(text: str) -> str:
    """`text` for people: all that cannot be carried or is not seen, but line ends, is replaced by what shows."""
    return "\n".join(map(visible, text.split("\n")))


def folded(text: str) -> str:
    """`text` as it is shown, in one line, runs of white space folded to one blank."""
    return visible(" ".join(text.split()))


def wrapped(text: str, width: int) -> list[str]:
    """`text` in lines of about `width` characters. Words are never broken and nothing is left out."""
    return textwrap.wrap(folded(text), width, break_long_words=False, break_on_hyphens=False) or [""]


def html(text: str) -> str:
    """`text` for XML and for an HTML-like label of Graphviz, never empty. A backslash is written as an entity,
    since Graphviz reads some pairs with one as commands."""
    escaped = shown(text)
    for char, entity in _ENTITIES:
        escaped = escaped.replace(char, entity)
    return escaped or "&#160;"


def quoted(text: str) -> str:
    """`text` as a quoted string of DOT that is shown as it is (labels, tooltips)."""
    escaped = shown(text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def part(text: str) -> str:
    """`text` as a part of an identifier: all but ASCII letters, digits, `-`, `_` and `.` is written
    as ~XX (Graphviz takes %XX for a number of its own), so that parts joined by `:` are never mistaken for others."""
    return "".join(
        char
        if char.isascii() and (char.isalnum() or char in "-_.")
        else "".join(f"~{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))
        for char in text
    )
