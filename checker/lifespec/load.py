"""From a path or a text to a Model. The edge that reads specifications and follows their imports.

An import is read only below the folder of the text that imports it, whatever links lie there. Whatever a
file is or holds, the answer is a finding: nothing is raised, and no file is waited for.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lifespec.diagnostics import Diagnostic, Label
from lifespec.model.model import Model
from lifespec.model.resolve import resolve
from lifespec.source import Source, Span
from lifespec.syntax import ast
from lifespec.syntax.parser import parse
from lifespec.system_error import os_error_words
from lifespec.trace.library import library_units

MAX_BYTES = 4 * 1024 * 1024  # of one text
MAX_TEXTS = 200  # of a lifecycle and its imports
MAX_TOTAL_BYTES = 16 * 1024 * 1024  # of all of them together


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came of loading: the Model (None exactly when a finding is an error), all findings in the order of
    the texts, and the texts that were read, by name, the main one first."""

    model: Model | None
    diagnostics: tuple[Diagnostic, ...]
    sources: Mapping[str, Source]


def load(path: str | Path, profile: str | None = None, also: Sequence[str | Path] = ()) -> Loaded:
    """The lifecycle in the file `path`, with its imports; `profile` chooses the values of its parameters.

    `also` are further texts, of bindings mostly, that are added as if they were imported, wherever they lie.
    Raises nothing for what the files are or hold.
    """
    loader = _Loader()
    for each in (path, *also):
        text, why = _read_text(Path(each), MAX_BYTES)
        if text is None:
            finding = Diagnostic("unreadable-file", f"{_shown(str(each))}: {why}", help=("name a `.lifespec` file",))
            return Loaded(None, (finding,), {})
        loader.add(Source(_shown(str(each)), text), Path(each))
    return loader.finish(profile)


def load_text(text: str, name: str = "<text>", profile: str | None = None) -> Loaded:
    """The lifecycle in `text`, called `name`. It has no folder, so its imports fail."""
    loader = _Loader()
    loader.add(Source(name, text.removeprefix("\ufeff")), None)
    return loader.finish(profile)


def _shown(path: str) -> str:
    """A path for people: bytes that are no text are replaced."""
    return path.encode(errors="replace").decode()


class _Unreadable(Exception):
    """Why a file was not read, as a fragment for people."""


def _read_text(path: Path, limit: int) -> tuple[str | None, str]:
    """The text of a file, or None and why there is none."""
    try:
        content = _read_bytes(path, limit)
        return content.decode("utf-8-sig"), ""
    except _Unreadable as error:
        return None, str(error)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return None, "it is a binary file, not text" if b"\0" in content else f"line {line} is not UTF-8"
    except OSError as error:
        return None, os_error_words(error, "").removeprefix(": ")
    except ValueError:
        return None, "no file can have this name"


def _read_bytes(path: Path, limit: int) -> bytes:
    """The bytes of a regular file. Raises _Unreadable or OSError; ValueError for a name with a NUL."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    with os.fdopen(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise _Unreadable("it is a folder, not a file")
        if not stat.S_ISREG(mode):
            raise _Unreadable("it is not a regular file")
        content = file.read(limit + 1)
    if len(content) > limit:
        raise _Unreadable(f"it is larger than {limit // 1024} KiB")
    return content


@dataclass(slots=True)
class _Loader:
    """Reads a text and what it imports, each file once, and keeps what it finds."""

    units: list[tuple[Source, ast.Ast]] = field(default_factory=list)
    found: list[Diagnostic] = field(default_factory=list)
    _total: int = 0
    _names: dict[Path, str] = field(default_factory=dict)  # by the real path of a file

    def add(self, main: Source, path: Path | None) -> None:
        """A text and, depth first, all that it imports. `path` is None for a text without a file."""
        real = None if path is None else Path(os.path.realpath(path))
        names = self._names
        if real is not None:
            if real in names:
                return  # imported already
            names[real] = main.name
        self._parse(main)
        # Each open text: its real path, the folder as people see it, and the imports still to follow.
        folder = os.path.dirname(main.name)
        open_texts = [(real, folder, self._imports(len(self.units) - 1))]
        while open_texts:
            real, folder, imports = open_texts[-1]
            if not imports:
                open_texts.pop()
                continue
            wanted = imports.pop(0)
            target = self._target(wanted, real)
            if target is None:
                continue
            if any(target == opened for opened, _, _ in open_texts):
                self._cycle(wanted, [names[opened] for opened, _, _ in open_texts if opened is not None], names[target])
                continue
            if target in names:
                continue  # imported by another way: its declarations count once
            name = os.path.normpath(os.path.join(folder, wanted.path.value))
            names[target] = name
            source = self._read(wanted, target, name)
            if source is not None:
                self._parse(source)
                open_texts.append((target, os.path.dirname(name), self._imports(len(self.units) - 1)))

    def finish(self, profile: str | None) -> Loaded:
        sources = {source.name: source for source, _ in self.units}
        model, resolved = resolve(self.units, profile, library_units())
        order = {name: index for index, name in enumerate(sources)}
        both = sorted([*self.found, *resolved], key=lambda found: _place(found, order))
        if model is not None and self.found:
            model = None
        return Loaded(model, tuple(both), sources)

    def _parse(self, source: Source) -> None:
        tree, found = parse(source)
        self.units.append((source, tree))
        self.found += found

    def _imports(self, index: int) -> list[ast.Import]:
        return [each for each in self.units[index][1].declarations if isinstance(each, ast.Import)]

    def _target(self, wanted: ast.Import, importer: Path | None) -> Path | None:
        """The real path of an import below the folder of the importing text; None after a finding."""
        written = wanted.path.value
        if importer is None:
            self._fail(wanted, "a text that is no file has no folder to import from")
            return None
        if not written.strip() or "\0" in written:
            self._fail(wanted, "this names no file")
            return None
        folder = importer.parent
        try:
            target = Path(os.path.realpath(folder / written))
        except (OSError, ValueError):
            self._fail(wanted, "this names no file")
            return None
        if os.path.isabs(written) or not target.is_relative_to(folder):
            self.found.append(
                Diagnostic(
                    "import-outside",
                    f'import "{written}" leaves the folder of the text that imports it',
                    Label(wanted.path.span, "outside of the folder"),
                    notes=("a text imports only what lies in its own folder or below, links followed",),
                    help=("put the file below, and write its path from here",),
                )
            )
            return None
        return target

    def _read(self, wanted: ast.Import, target: Path, name: str) -> Source | None:
        if len(self.units) >= MAX_TEXTS:
            self._fail(wanted, f"a lifecycle has at most {MAX_TEXTS} texts")
            return None
        text, why = _read_text(target, min(MAX_BYTES, MAX_TOTAL_BYTES - self._total))
        if text is None:
            self._fail(wanted, why)
            return None
        self._total += len(text)
        return Source(name, text)

    def _fail(self, wanted: ast.Import, why: str) -> None:
        self.found.append(
            Diagnostic(
                "import-failed",
                f'"{wanted.path.value}" cannot be imported: {why}',
                Label(wanted.path.span, "not read"),
                help=("write the path from the folder of this text",),
            )
        )

    def _cycle(self, wanted: ast.Import, way: list[str], target: str) -> None:
        circle = [*way[way.index(target) :], target]
        self.found.append(
            Diagnostic(
                "import-cycle",
                f'"{wanted.path.value}" imports itself' if len(circle) == 2 else "the imports come back to this text",
                Label(wanted.path.span, "closes the circle"),
                notes=(" imports ".join(f"`{name}`" for name in circle),),
                help=("put what both need into a third text that imports neither",),
            )
        )


def _place(found: Diagnostic, order: Mapping[str, int]) -> tuple[int, int]:
    if found.label is None:
        return (-1, 0)
    return (order.get(found.label.span.file, len(order)), found.label.span.start)


def span_of_start(source: Source) -> Span:
    """The first line of a text: the place for what is said of all of it."""
    return Span(source.name, 0, len(source.line(1)))
