"""The SVG of Graphviz, made fit to be embedded. Owns what is changed in it: no comment, no document type, words
for readers who do not see it, and fonts that every browser has something for."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from lifespec.graph.text import html

_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_OPENING = re.compile(r"<svg\b")


def finish(content: bytes, title: str, description: str) -> bytes | None:
    """The SVG with title and description, and an empty `<metadata/>` for the mark. None when it is not SVG."""
    text = content.decode("utf-8", "replace")
    start = _OPENING.search(text)
    if start is None:
        return None
    # Text of the picture cannot hold "<!--": Graphviz escapes it.
    body = _COMMENT.sub("", text[start.end() :]).replace(
        'font-family="Arial"', 'font-family="Arial,Helvetica,sans-serif"'
    )
    attributes, _, rest = body.partition(">")
    finished = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<svg role="img" aria-label="{html(title)}"{attributes}>\n'
        f"<title>{html(title)}</title>\n<desc>{html(description)}</desc>\n<metadata/>{rest}"
    )
    try:
        ElementTree.fromstring(finished)
    except ElementTree.ParseError:
        return None
    return finished.encode("utf-8")
