"""From a path or a text to a Model. The edge that reads specifications and follows their imports.

A path that begins with `lib:` names a lifecycle that ships. An import is read only below the folder of the text that
imports it, whatever links lie there, or from what ships. Whatever a file is or holds, the answer is a finding: nothing
is raised, and no file is waited for.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lifespec.diagnostics import Diagnostic, Label, Severity, find_nearest, severity_of
from lifespec.model.model import Model
from lifespec.model.resolve import Unit, resolve_texts
from lifespec.shipped import PREFIX, find_shipped, is_shipped_name, shipped_lifecycles
from lifespec.source import Source
from lifespec.syntax import ast
from lifespec.syntax.parser import parse
from lifespec.system_error import os_error_words
from lifespec.trace.library import is_library, library_units, library_units_for

MAX_BYTES = 4 * 1024 * 1024  # of one text
MAX_TEXTS = 200  # of a lifecycle and its imports
MAX_IMPORTS = 1000
MAX_TOTAL_BYTES = 16 * 1024 * 1024  # of all of them together


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came of loading: the Model (None exactly when a finding is an error), all findings in the order of
    the texts, and the texts that were read, by name, the main one first."""

    model: Model | None
    diagnostics: tuple[Diagnostic, ...]
    sources: Mapping[str, Source]


def load(path: str | Path, profile: str | None = None, beside: Sequence[str | Path] = ()) -> Loaded:
    """The lifecycle in the file `path`, with its imports; `profile` chooses the values of its parameters.

    `path` may also be `lib:NAME`, a lifecycle that ships. The files `beside` are read as if imported, from wherever
    they lie: bindings that stand in files of their own. Raises nothing for what a file is or holds.
    """
    loader = _Loader({_real(_located(each)[0]): _located(each)[1] for each in beside})
    if loader.add_given(path):
        for each in beside:
            loader.add_given(each)
    return loader.finish(profile)


def load_text(text: str, name: str = "<text>", profile: str | None = None) -> Loaded:
    """The lifecycle in `text`, called `name`. It has no folder, so its imports fail."""
    loader = _Loader({})
    loader.add(Source(name, text.removeprefix("\ufeff")), None)
    return loader.finish(profile)


def is_file(binding: str) -> bool:
    """Whether what people gave as a binding is a file, rather than the name of one."""
    return binding.endswith(".lifespec") or "/" in binding or os.sep in binding


def _located(given: str | Path) -> tuple[Path, str]:
    """Where a text lies that was asked for by path or as `lib:NAME`, and what people are shown."""
    shipped = find_shipped(str(given))
    return (shipped.path, shipped.name) if shipped is not None else (Path(given), _shown(str(given)))


def _why_not_shipped(name: str) -> tuple[str, str]:
    """Why a name that begins with `lib:` stands for no text, and what to do, as fragments for people."""
    lifecycle, _, file = name.removeprefix(PREFIX).partition("/")
    if lifecycle in shipped_lifecycles():
        return f"no text `{file}` ships with this lifecycle", f"`{PREFIX}{lifecycle}` is the lifecycle itself"
    nearest = find_nearest(lifecycle, shipped_lifecycles())
    help_ = f"did you mean `{PREFIX}{nearest}`?" if nearest else "`lifespec explain` lists those that ship"
    return "no lifecycle of this name ships with lifespec", help_


def _real(path: Path) -> Path | None:
    """The path with all links followed; None for a name that no file can have."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return None


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
    """Reads texts and what they import, each file once, and keeps what it finds.

    `_called` are names that people gave to files on the command line; an import of such a file has that name.
    """

    _called: Mapping[Path | None, str]
    _units: list[tuple[Source, ast.Ast]] = field(default_factory=list)
    _found: list[Diagnostic] = field(default_factory=list)
    _names: dict[Path, str] = field(default_factory=dict)  # of the files read, by their real paths
    _misses_texts: bool = False
    _followed: int = 0  # imports
    _total: int = 0

    def add_given(self, given: str | Path) -> bool:
        """A text that was asked for, and all that it imports; whether it could be read."""
        path, name = _located(given)
        if is_shipped_name(name) and find_shipped(name) is None:
            why, help_ = _why_not_shipped(name)
            self._found.append(Diagnostic("unreadable-file", f"{name}: {why}", help=(help_,)))
            return False
        real = _real(path)
        if real is not None and real in self._names:
            return True
        text, why = _read_text(path, MAX_BYTES)
        if text is None:
            shipped = PREFIX + name
            help_ = f"did you mean `{shipped}`?" if find_shipped(shipped) else "name a file with the ending `.lifespec`"
            self._found.append(Diagnostic("unreadable-file", f"{name}: {why}", help=(help_,)))
            return False
        self.add(Source(name, text), real)
        return True

    def add(self, source: Source, real: Path | None) -> None:
        """A text and, depth first, all that it imports. `real` is None for a text without a file."""
        self._parse(source)
        if real is not None:
            self._names[real] = source.name
        # Each open text: its real path, its folder as people see it, and the imports still to follow.
        open_texts = [(real, os.path.dirname(source.name), self._imports())]
        while open_texts:
            importer, folder, imports = open_texts[-1]
            wanted = next(imports, None)
            if wanted is None:
                open_texts.pop()
                continue
            self._followed += 1
            if self._followed > MAX_IMPORTS:
                self._fail(wanted, f"no more than {MAX_IMPORTS} imports are followed")
                return
            target = self._target(wanted, importer)
            if target is None:
                continue
            shipped = find_shipped(wanted.path.value)
            if any(target == opened for opened, _, _ in open_texts):
                self._cycle(wanted, [self._names[opened] for opened, _, _ in open_texts if opened], self._names[target])
            elif target not in self._names:  # imported twice, its declarations count once
                below = shipped.name if shipped else os.path.normpath(os.path.join(folder, wanted.path.value))
                name = self._names[target] = self._called.get(target, below)
                imported = self._read(wanted, target, name)
                if imported is not None:
                    self._parse(imported)
                    open_texts.append((target, os.path.dirname(name), self._imports()))

    def finish(self, profile: str | None) -> Loaded:
        """All texts resolved. What was not read keeps the Model from being whole."""
        sources = {source.name: source for source, _ in self._units}
        if not self._units:
            return Loaded(None, tuple(self._found), sources)
        resolution = resolve_texts(self._units, profile, _library_for(self._units), self._misses_texts)
        found = [*self._found, *resolution.diagnostics]
        if resolution.lifecycle is not None and not any(map(_is_error, self._found)):
            found += _binding_findings(resolution.lifecycle)
            sources = dict(resolution.lifecycle.sources)
        order = {name: index for index, name in enumerate(sources)}
        found.sort(key=lambda each: _place(each, order))
        return Loaded(None if any(map(_is_error, found)) else resolution.model, tuple(found), sources)

    def _parse(self, source: Source) -> None:
        tree, found = parse(source)
        self._units.append((source, tree))
        self._found += found

    def _imports(self) -> Iterator[ast.Import]:
        """The imports of the text parsed last."""
        return iter([each for each in self._units[-1][1].declarations if isinstance(each, ast.Import)])

    def _target(self, wanted: ast.Import, importer: Path | None) -> Path | None:
        """The real path of an import, below the folder of the importing text or shipped; None after a finding."""
        written = wanted.path.value
        if is_shipped_name(written):
            shipped = find_shipped(written)
            if shipped is None:
                self._fail(wanted, *_why_not_shipped(written))
            return _real(shipped.path) if shipped is not None else None
        if os.path.isabs(written) or os.path.normpath(written).split(os.sep)[0] == os.pardir:
            self._outside(wanted)
            return None
        if importer is None:
            if written == wanted.span.file:
                self._cycle(wanted, [written], written)
            else:
                self._fail(wanted, "a text that is no file has no folder to import from")
            return None
        target = _real(importer.parent / written) if written.strip() else None
        if target is None:
            self._fail(wanted, "this names no file")
        elif not target.is_relative_to(importer.parent):
            self._outside(wanted)
        else:
            return target
        return None

    def _outside(self, wanted: ast.Import) -> None:
        self._misses_texts = True
        self._found.append(
            Diagnostic(
                "import-outside",
                f'import "{wanted.path.value}" leaves the folder of the text that imports it',
                Label(wanted.path.span, "outside of the folder"),
                notes=("a text imports only what lies in its own folder or below, links followed",),
                help=("put the file below, and write its path from here",),
            )
        )

    def _read(self, wanted: ast.Import, target: Path, name: str) -> Source | None:
        if len(self._units) >= MAX_TEXTS:
            self._fail(wanted, f"a lifecycle has at most {MAX_TEXTS} texts")
            return None
        text, why = _read_text(target, min(MAX_BYTES, MAX_TOTAL_BYTES - self._total))
        if text is None:
            self._fail(wanted, why)
            return None
        self._total += len(text)
        return Source(name, text)

    def _fail(self, wanted: ast.Import, why: str, help_: str = "write the path from the folder of this text") -> None:
        self._misses_texts = True
        self._found.append(
            Diagnostic(
                "import-failed",
                f'"{wanted.path.value}" cannot be imported: {why}',
                Label(wanted.path.span, "not read"),
                help=(help_,),
            )
        )

    def _cycle(self, wanted: ast.Import, way: list[str], target: str) -> None:
        circle = [*way[way.index(target) :], target]
        self._found.append(
            Diagnostic(
                "import-cycle",
                f'"{wanted.path.value}" imports itself' if len(circle) == 2 else "the imports come back to this text",
                Label(wanted.path.span, "closes the circle"),
                notes=(" imports ".join(f"`{name}`" for name in circle),),
                help=("put what both need into a third text that imports neither",),
            )
        )


def _is_error(found: Diagnostic) -> bool:
    return (found.severity or severity_of(found.name)) is Severity.ERROR


def _library_for(units: Sequence[Unit]) -> Sequence[Unit]:
    """The ready-made bindings that these texts can be about: all, where one of them is extended or there is no name."""
    declared = [each for _, unit in units for each in unit.declarations]
    titles = {each.name.text for each in declared if isinstance(each, ast.Lifecycle)}
    if not titles or any(isinstance(each, ast.BindingDecl) and each.extends is not None for each in declared):
        return library_units()
    return library_units_for(titles)


def _binding_findings(model: Model) -> list[Diagnostic]:
    """What is wrong with the bindings that the texts declare."""
    own = [binding for binding in model.bindings.values() if not is_library(binding.span.file)]
    if not own:
        return []
    from lifespec.trace.binding import compile_binding

    found: dict[Diagnostic, None] = {}
    for binding in own:
        found.update(dict.fromkeys(compile_binding(model, binding)[1]))
    return list(found)


def _place(found: Diagnostic, order: Mapping[str, int]) -> tuple[int, int]:
    if found.label is None:
        return (-1, 0)
    return (order.get(found.label.span.file, len(order)), found.label.span.start)
