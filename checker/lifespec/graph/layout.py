"""DOT -> bytes of a picture, by whatever lays it out on this machine. Owns the search for an engine.

In this order: `dot` on the PATH; pygraphviz, if it is installed (`pip install lifespec[svg]`, no other program
needed); graphviz-pure, if it is installed. Each runs as a process of its own, with a limit of time.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product

TIMEOUT_S = 120.0
_PNG_DPI = 144

_PYGRAPHVIZ = (
    "import sys, pygraphviz; "
    "graph = pygraphviz.AGraph(string=sys.stdin.buffer.read().decode('utf-8')); "
    "sys.stdout.buffer.write(graph.draw(format=sys.argv[1], prog='dot'))"
)


class CannotDraw(Exception):
    """The picture could not be laid out. `str()` says why; `help` says what to do, a line each."""

    def __init__(self, why: str, *help: str) -> None:
        super().__init__(why)
        self.help = help


@dataclass(frozen=True, slots=True)
class _Engine:
    name: str
    command: tuple[str, ...]


def lay_out(sources: Sequence[str], form: str, timeout_s: float = TIMEOUT_S) -> bytes:
    """The picture in the format `form` ("svg", "png" or "pdf"). `sources` is DOT: the first that an engine can lay
    out is drawn. Raises CannotDraw."""
    failures: dict[str, str] = {}
    for engine, source in product(_engines(form), sources):
        if form == "png":
            source = source.replace("{\n", f"{{\n  dpi={_PNG_DPI};\n", 1)
        try:
            return _run(engine, source.encode("utf-8"), timeout_s)
        except subprocess.TimeoutExpired:
            raise CannotDraw(
                f"{engine.name} did not finish the layout within {timeout_s:g}s",
                "draw one machine at a time with --machine",
                ".dot and .mmd need no layout and can always be written",
            ) from None
        except (OSError, subprocess.CalledProcessError) as error:
            failures[engine.name] = _why(error)
    why = f"a .{form} needs Graphviz, and there is none on this machine"
    if failures:
        told = "; ".join(f"{name}: {reason}" for name, reason in failures.items())
        why = f"no Graphviz of this machine could draw the .{form}: {told}"
    raise CannotDraw(
        why,
        "pip install 'lifespec[svg]' brings a Graphviz that needs no other program",
        "or install Graphviz with the packages of your system, so that `dot` is on the PATH",
        ".dot and .mmd need no Graphviz and can always be written",
    )


def _engines(form: str) -> Iterator[_Engine]:
    dot = shutil.which("dot")
    if dot is not None:
        from graphviz.backend.dot_command import command

        yield _Engine("dot", (dot, *(str(part) for part in command("dot", form)[1:])))
    if sys.executable and find_spec("pygraphviz") is not None:
        yield _Engine("pygraphviz", (sys.executable, "-P", "-c", _PYGRAPHVIZ, form))
    pure = shutil.which("graphviz-pure") or shutil.which("graphviz-pure", path=sysconfig.get_path("scripts"))
    if pure is not None:
        yield _Engine("graphviz-pure", (pure, "-Kdot", f"-T{form}"))


def _run(engine: _Engine, dot: bytes, timeout_s: float) -> bytes:
    done = subprocess.run(engine.command, input=dot, capture_output=True, timeout=timeout_s, check=True)
    if not done.stdout:
        raise subprocess.CalledProcessError(done.returncode, engine.command, stderr=done.stderr)
    return done.stdout


def _why(error: OSError | subprocess.CalledProcessError) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        words = (error.stderr or b"").decode("utf-8", "replace").split("\n")
        said = next((line.strip() for line in reversed(words) if line.strip()), "")
        return said[:200] or f"ended with status {error.returncode}"
    return error.strerror or str(error)
