"""The names in the parts of a text that did not parse. They may be declared there, whatever else is wrong.

Owns the one thing that resolving asks of the plain text: what stands between the declarations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lifespec.source import Source
from lifespec.syntax import ast

_PART = re.compile(r"""//[^\r\n]*|"[^"\r\n]*"?|'([^'\r\n]+)'|([^\W\d]\w*(?:-\w+)*)""")


def find_unparsed_names(source: Source, unit: ast.Ast) -> Iterator[str]:
    """Every name and keyword outside of the declarations; none at all for a text without syntax errors."""
    at = 0
    spans = sorted((declaration.span.start, declaration.span.end) for declaration in unit.declarations)
    for start, end in [*spans, (len(source.text), len(source.text))]:
        for found in _PART.finditer(source.text, at, max(at, start)):
            name = found[1] or found[2]
            if name is not None:
                yield name
        at = max(at, end)
