"""The repository is laid out as it says, and nothing in it depends on the machine where it was written."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import lifespec

ROOT = Path(__file__).resolve().parents[2]
TOP = {"pyproject.toml", "spec", "checker", "conformance", "docs", "README.md", "LICENSE"}
MADE_BY_TOOLS = {"dist", "build", "node_modules"}
NOT_OURS = re.compile(
    r"/(\.venv|\.git|__pycache__|node_modules|\.[a-z_]+_cache|\.hypothesis|dist|build)(/|$)|\.egg-info"
)

# A path of one machine: an absolute path to somebody's home or working folder.
FOREIGN_PATH = re.compile(r"(?<![\w./-])/(home|Users|root|workspace|work)/[\w.-]+")


def own_files() -> Iterator[Path]:
    for path in sorted(ROOT.rglob("*")):
        if path.is_file() and not NOT_OURS.search("/" + path.relative_to(ROOT).as_posix()):
            yield path


def test_the_top_level_holds_only_what_it_should() -> None:
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert found - MADE_BY_TOOLS == TOP


def test_no_text_names_a_folder_of_one_machine() -> None:
    named = []
    for path in own_files():
        if (
            path.suffix in {".py", ".md", ".toml", ".lifespec", ".lark", ".mjs", ".yaml", ".yml"}
            or path.parent.name == ".ci"
        ):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if FOREIGN_PATH.search(line):
                    named.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}")
    assert not named, "\n".join(named)


def test_every_python_file_opens_with_its_charter() -> None:
    without = [
        str(path.relative_to(ROOT))
        for path in own_files()
        if path.suffix == ".py" and path.stat().st_size > 1 and not path.read_text(encoding="utf-8").startswith('"""')
    ]
    assert not without


def test_the_version_of_the_package_is_the_version_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert lifespec.__version__ == project["version"]


def test_the_licence_is_the_one_that_the_project_names() -> None:
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in licence
    assert "Version 2.0, January 2004" in licence
