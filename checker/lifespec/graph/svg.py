"""The SVG of Graphviz, made fit to be embedded. Owns what is changed in it: no comment, no document type, words
for readers who do not see it, and fonts that every browser has something for."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from lifespec.graph.text import html

_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_OPENING = re.compile(r"<svg\b")


_ID = re.compile(r' id="[^"]*"')
_TITLE = re.compile(r"<title>[^<]*</title>")
_LINK = re.compile(r'<a xlink:title="([^"]*)">')


def embedded(content: bytes) -> str:
    """A finished SVG as a part of a page that may hold others: without what can be there once only, and with words
    for whoever points at a part of it in place of links that lead nowhere."""
    text = content.decode("utf-8")
    start = _OPENING.search(text)
    head, rest = text[start.start() if start else 0 :].split("<g ", 1)
    body = _TITLE.sub("", _ID.sub("", f"<g {rest}"))
    return head + _LINK.sub(r"<g><title>\1</title>", body).replace("</a>", "</g>")


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
