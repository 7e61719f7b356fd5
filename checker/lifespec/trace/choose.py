"""Which binding reads the logs (spec/bindings.md B26). Owns the rule; compiles nothing."""

from __future__ import annotations

from lifespec.diagnostics import Diagnostic, find_nearest
from lifespec.model.model import Binding, Model
from lifespec.trace.library import is_library, library_bindings

_DEFAULT = "default"


def choose_binding(model: Model, requested: str | None = None) -> tuple[Binding | None, tuple[Diagnostic, ...]]:
    """The binding that is asked for by name; else the only one that the lifecycle's texts declare; else
    `default`. None with a Diagnostic when there is no such binding, or when several could be meant."""
    if requested is not None:
        binding = model.bindings.get(requested)
        return (binding, ()) if binding is not None else (None, (_unknown(model, requested),))
    own = [binding for binding in model.bindings.values() if not is_library(binding.span.file)]
    if len(own) > 1:
        return None, (_several([binding.name for binding in own]),)
    if own:
        return own[0], ()
    default = model.bindings.get(_DEFAULT)
    return (default, ()) if default is not None else (None, (_unknown(model, _DEFAULT),))


def _unknown(model: Model, requested: str) -> Diagnostic:
    near = find_nearest(requested, model.bindings)
    ready_made = library_bindings().get(requested)
    notes = [f"its bindings are {_listed(list(model.bindings))}"]
    if ready_made is not None and ready_made.lifecycle is not None:
        notes.insert(0, f"the ready-made binding `{requested}` is for lifecycle `{ready_made.lifecycle.text}`")
    return Diagnostic(
        "no-such-binding",
        f"there is no binding `{requested}` for this lifecycle",
        notes=tuple(notes),
        help=(f"did you mean `{near}`?",) if near else (),
    )


def _several(names: list[str]) -> Diagnostic:
    return Diagnostic(
        "several-bindings",
        f"the lifecycle has {len(names)} bindings, and nothing says which one reads these logs",
        notes=(f"they are {_listed(names)}",),
        help=(f"name one: `--binding {names[0]}`",),
    )


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"
