"""What `lifespec explain` says of a ready-made binding. Owns its page; the text in it is shown as it is written."""

from __future__ import annotations

from collections.abc import Iterator

from lifespec.shipped import PREFIX, shipped_lifecycles
from lifespec.syntax.ast import BindingDecl
from lifespec.trace.library import library_bindings, library_units


def binding_title(name: str) -> str:
    """What the ready-made binding `name` reads, and for which lifecycle, in one line."""
    lifecycle = _lifecycle_of(name)
    return _reads(library_bindings()[name]) + (f" ({lifecycle})" if lifecycle else "")


def binding_page(name: str) -> str:
    """The page of the ready-made binding `name`: what it reads, how it is taken, its text and those it extends."""
    bindings = library_bindings()
    chain = [bindings[name]]
    while (extended := chain[-1].extends) is not None:
        chain.append(bindings[extended.text])
    extending = [other for other, each in bindings.items() if each.extends is not None and each.extends.text == name]
    lines = [f"# {name}", "", f"{_reads(chain[0])}.", "", *_use(name)]
    if len(chain) > 1:
        lines += ["", f"What it does not say itself it takes from {_listed([each.name.text for each in chain[1:]])}."]
    if extending:
        lines += ["", f"Extended by {_listed(extending)}."]
    for each in chain:
        lines += ["", "```lifespec", *_text(each).splitlines(), "```"]
    return "\n".join(lines) + "\n"


def _use(name: str) -> Iterator[str]:
    lifecycle = _lifecycle_of(name)
    if lifecycle is not None:
        yield f"A ready-made binding for `{lifecycle}`, or for a lifecycle of your own that imports it:"
    else:
        yield "A ready-made binding for any lifecycle:"
    yield ""
    yield "```"
    yield f"lifespec check {lifecycle or 'SPEC'} LOG --binding {name}"
    yield "```"
    yield ""
    yield f"Build on it with `binding mine extends {name} {{ ... }}`."


def _lifecycle_of(name: str) -> str | None:
    """What stands for the lifecycle that a binding is for, on a command line; None when it is for any."""
    lifecycle = library_bindings()[name].lifecycle
    if lifecycle is None:
        return None
    return f"{PREFIX}{lifecycle.text}" if lifecycle.text in shipped_lifecycles() else lifecycle.text


def _reads(binding: BindingDecl) -> str:
    return binding.doc.value if binding.doc is not None else "a log"


def _text(binding: BindingDecl) -> str:
    (written,) = (source.text for source, _ in library_units() if source.name == binding.span.file)
    return written[binding.span.start : binding.span.end]


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
