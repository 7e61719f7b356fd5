"""How a page is filled in: by Jinja, which escapes all it is given. Owns the environment and the security policy.

Looks and script are inlined and named by their hashes in the policy of the page, so nothing that came from a log can
ever be run. Knows no report.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any

from lifespec.diagnostics.excerpt import visible
from lifespec.explain_words import code_parts, times
from lifespec.version import __version__

BASE_STYLE = "base.css"


def render_page(package: str, name: str, style: str, script: str, context: Mapping[str, object]) -> str:
    """The page `name` of a package, with all of `context` in it. Styles and scripts are texts of ours."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FunctionLoader(lambda wanted: text_of(package, wanted)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )
    environment.filters["times"] = times
    environment.filters["words"] = _words
    environment.filters["number"] = lambda value: f"{value:,}"
    environment.filters["file_name"] = lambda path: path.replace("\\", "/").rsplit("/", 1)[-1]
    page: str = environment.get_template(name).render(
        **context,
        tool_version=__version__,
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
    )
    return page


def text_of(package: str, name: str) -> str:
    """A text in the folder `page` of a package."""
    return (files(package) / "page" / name).read_text("utf-8")


def _words(text: str) -> Any:
    """A sentence with the names in it, which stand in backticks, as code."""
    from markupsafe import Markup, escape

    parts = code_parts(visible(text))
    return Markup("").join(Markup("<code>{}</code>").format(p) if n % 2 else escape(p) for n, p in enumerate(parts))


def _policy(style: str, script: str) -> str:
    """Nothing is loaded, nothing is sent, and only this style and this script count."""
    scripts = f"script-src {_digest(script)}; " if script else ""
    return f"default-src 'none'; style-src {_digest(style)}; {scripts}base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
