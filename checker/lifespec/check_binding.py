"""Which binding reads the logs. Owns the choice and what is said when there is none."""

from __future__ import annotations

import os
from collections.abc import Sequence

from lifespec.diagnostics import Diagnostic, Label, find_nearest
from lifespec.explain_words import listed, quoted
from lifespec.model.model import Binding, Model

_DEFAULT = "default"
_SUFFIX = ".lifespec"


def is_binding_file(binding: str) -> bool:
    """Whether `--binding` names a file, rather than a binding by its name."""
    return binding.endswith(_SUFFIX) or os.sep in binding or "/" in binding


def choose_binding(model: Model, name: str | None) -> tuple[Binding | None, tuple[Diagnostic, ...]]:
    """The binding called `name`; without a name the only one of the lifecycle, else `default`."""
    if name is not None:
        found = model.bindings.get(name)
        return (found, ()) if found is not None else (None, (_unknown(model, name),))
    own = [binding for binding in model.bindings.values() if not binding.is_library]
    if len(own) > 1:
        return None, (_several(own),)
    chosen = own[0] if own else model.bindings.get(_DEFAULT)
    return (chosen, ()) if chosen is not None else (None, (_unknown(model, _DEFAULT),))


def not_one_binding(file: str, inside: Sequence[str]) -> Diagnostic:
    """The file given with `--binding` has none, or several."""
    if inside:
        return Diagnostic(
            "several-bindings",
            f"{file} declares several bindings",
            notes=(f"they are {listed(inside)}",),
            help=("import the file in the lifecycle, then choose one by its name with `--binding`",),
        )
    return Diagnostic("unknown-binding", f"{file} declares no binding", help=("write `binding NAME { ... }` in it",))


def _unknown(model: Model, name: str) -> Diagnostic:
    nearest = find_nearest(name, model.bindings)
    return Diagnostic(
        "unknown-binding",
        f"there is no binding {quoted(name)}",
        notes=(f"the bindings are {listed(model.bindings)}",),
        help=(f"did you mean `{nearest}`?" if nearest else "a file is given with its ending: `--binding ios.lifespec`",),
    )


def _several(own: Sequence[Binding]) -> Diagnostic:
    return Diagnostic(
        "several-bindings",
        f"the lifecycle has the bindings {listed(binding.name for binding in own)}",
        Label(own[0].span),
        tuple(Label(binding.span) for binding in own[1:]),
        help=("choose the one of the client that wrote the log with `--binding NAME`",),
    )
