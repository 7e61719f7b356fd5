"""Of the ready-made bindings only those are parsed that a lifecycle can be read by, and nothing changes by that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lifespec import load
from lifespec.syntax import ast
from lifespec.trace.library import library_bindings, library_units, library_units_for

ROOT = Path(__file__).parents[3]
LIFECYCLES = sorted((ROOT / "spec" / "lifecycles").glob("*/*.lifespec"))


def test_the_texts_say_for_whom_they_are_where_it_is_looked_for() -> None:
    for name, declared in library_bindings().items():
        wanted = {declared.lifecycle.text} if declared.lifecycle is not None else {"of-nobody-else"}
        found = {
            each.name.text
            for _, unit in library_units_for(wanted)
            for each in unit.declarations
            if isinstance(each, ast.BindingDecl)
        }
        assert name in found


def test_others_are_left_out() -> None:
    assert 0 < len(library_units_for({"avatar-session"})) < len(library_units_for({"webrtc"})) < len(library_units())


@pytest.mark.parametrize("path", LIFECYCLES, ids=lambda path: path.stem)
def test_a_lifecycle_has_the_bindings_that_the_whole_library_gives_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = load(str(path))
    monkeypatch.setattr(sys.modules["lifespec.load"], "_library_for", lambda units: library_units())
    whole = load(str(path))
    assert (found.model is None) is (whole.model is None)
    if found.model is not None and whole.model is not None:
        assert found.model.bindings == whole.model.bindings
    assert (found.diagnostics, found.sources) == (whole.diagnostics, whole.sources)


def test_a_lint_imports_neither_the_reader_of_logs_nor_an_engine() -> None:
    code = (
        "import sys; from lifespec.cli import main; "
        "sys.argv = ['lifespec', 'lint', 'lib:avatar']\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code\n"
        "print(*sorted(each for each in sys.modules if each.startswith('lifespec.')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = ran.stdout.splitlines()[-1].split()
    assert "lifespec.analysis.lint" in loaded
    assert not [each for each in loaded if each.startswith(("lifespec.engine", "lifespec.verdict", "lifespec.trace.c"))]
