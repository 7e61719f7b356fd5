"""lifespec: the lifecycle of a runtime connection, written once and checked in every log.

    import lifespec

    loaded = lifespec.load("avatar.lifespec")
    if loaded.model is None:
        print(loaded.diagnostics)
    else:
        report = lifespec.check(loaded.model, ["session.jsonl"])
        print(report.status(), len(report.findings))

In a running client, feed a `Monitor` records as they happen and ask it for violations. Every name here is
imported when it is first used, so that `import lifespec` costs nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from lifespec.version import __version__

if TYPE_CHECKING:
    from lifespec.check import check
    from lifespec.diagnostics import Diagnostic
    from lifespec.engine.monitor import Monitor
    from lifespec.explain import explain
    from lifespec.graph.build import build_graph
    from lifespec.load import Loaded, load, load_text
    from lifespec.model.model import Model
    from lifespec.reports.report import Report
    from lifespec.trace.event import Client, Event, Record
    from lifespec.verdict import Outcome, Place, Verdict, Violation

__all__ = [
    "Client",
    "Diagnostic",
    "Event",
    "Loaded",
    "Model",
    "Monitor",
    "Outcome",
    "Place",
    "Record",
    "Report",
    "Verdict",
    "Violation",
    "__version__",
    "build_graph",
    "check",
    "explain",
    "load",
    "load_text",
]

_HOME = {
    "check": "check",
    "Diagnostic": "diagnostics",
    "Monitor": "engine.monitor",
    "explain": "explain",
    "build_graph": "graph.build",
    "Loaded": "load",
    "load": "load",
    "load_text": "load",
    "Model": "model.model",
    "Report": "reports.report",
    "Client": "trace.event",
    "Event": "trace.event",
    "Record": "trace.event",
    "Outcome": "verdict",
    "Place": "verdict",
    "Verdict": "verdict",
    "Violation": "verdict",
}


class _Package(ModuleType):
    """This package. `load`, `check` and `explain` are functions here and modules below: whoever imports such
    a module must not change what the name means, which Python otherwise does."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> object:
        home = _HOME.get(name)
        if home is None:
            raise AttributeError(f"module 'lifespec' has no attribute {name!r}")
        value: object = getattr(import_module(f"lifespec.{home}"), name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return __all__


sys.modules[__name__].__class__ = _Package
