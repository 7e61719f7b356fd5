"""Draws the lifecycles that ship and writes their index; with `--check` says what is stale.

    python checker/tools/lifecycle_pages.py             write docs/reference/lifecycles.md and the pictures
    python checker/tools/lifecycle_pages.py --check     exit 1 when one of them shows something else than the texts

The picture of a lifecycle lies beside its text, as `spec/lifecycles/NAME/NAME.svg`. To write one needs Graphviz, to
check one does not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from lifespec.graph import Format, Freshness, check_picture, draw
from lifespec.load import load
from lifespec.model.model import Machine, Model
from lifespec.shipped import PREFIX, find_shipped, shipped_lifecycles

ROOT = Path(__file__).resolve().parents[2]
INDEX = ROOT / "docs" / "reference" / "lifecycles.md"
FOLDER = ROOT / "spec" / "lifecycles"
_UP = "../../spec/lifecycles"  # from the index

_INTRODUCTION = """# Lifecycles that ship

Written by `checker/tools/lifecycle_pages.py` from the texts; do not edit it here.

A lifecycle that ships is called by its name wherever a file with a lifecycle may stand: `lifespec check lib:NAME`,
`lifespec lint lib:NAME`, `lifespec draw lib:NAME`, and `import "lib:NAME"` in a text of your own. `lifespec explain`
lists them, `lifespec explain lib:NAME` prints the page of one. Each page says where the facts come from, what its
sample logs show, and where real clients are known to differ.
"""


def model_of(name: str) -> Model:
    """The Model of a shipped lifecycle. Raises ValueError when its text has an error."""
    loaded = load(f"{PREFIX}{name}")
    if loaded.model is None:
        raise ValueError(f"{name}: {loaded.diagnostics[0].message}")
    return loaded.model


def picture_of(name: str) -> Path:
    return FOLDER / name / f"{name}.svg"


def index() -> str:
    """The text of the index."""
    models = {name: model_of(name) for name in shipped_lifecycles()}
    lines = [_INTRODUCTION, "| lifecycle | what it describes | machines |", "|---|---|---|"]
    for name, model in models.items():
        machines = ", ".join(f"`{machine}`" for machine in model.machines)
        lines.append(f"| [`{PREFIX}{name}`](#lib{name}) | {model.doc or ''} | {machines} |")
    for name, model in models.items():
        lines += ["", *_section(name, model)]
    return "\n".join(lines) + "\n"


def _section(name: str, model: Model) -> Iterator[str]:
    yield f"## {PREFIX}{name}"
    yield ""
    yield f"{model.doc or ''} ([text]({_UP}/{name}/{name}.lifespec), [page and samples]({_UP}/{name}/README.md))"
    source = source_of(name)
    if source:
        yield ""
        yield source
    yield ""
    yield "| machine | owned by | states |"
    yield "|---|---|---|"
    for machine in model.machines.values():
        yield f"| {_title(machine)} | {', '.join(machine.owners)} | {', '.join(machine.states)} |"
    if model.params:
        yield ""
        yield "| parameter | value | from |"
        yield "|---|---|---|"
        for param in model.params.values():
            yield f"| `{param.name}` | {param.written} | {param.tested or ''} |"
    if model.rules:
        yield ""
        yield "| rule | says |"
        yield "|---|---|"
        for rule in model.rules:
            yield f"| `{rule.name}` | {rule.doc or ''} |"
    yield ""
    yield f"![The machines of {name}]({_UP}/{name}/{name}.svg)"


def _title(machine: Machine) -> str:
    return f"`{machine.name}`" + (f" per {', '.join(machine.keys)}" if machine.keys else "")


def source_of(name: str) -> str:
    """Where the facts of a lifecycle come from: the paragraph of its leading comment that begins with `Source`."""
    shipped = find_shipped(f"{PREFIX}{name}")
    assert shipped is not None
    paragraph: list[str] = []
    for line in shipped.path.read_text(encoding="utf-8").splitlines():
        said = line.removeprefix("//").strip()
        if not line.startswith("//") or (paragraph and not said):
            break
        if paragraph or said.startswith("Source"):
            paragraph.append(said)
    return " ".join(paragraph)


def is_fresh(name: str) -> bool:
    """Whether the picture of a lifecycle shows its text."""
    picture = picture_of(name)
    if not picture.is_file():
        return False
    return check_picture(picture.read_bytes(), Format.SVG, model_of(name), None).freshness is Freshness.FRESH


def main(arguments: Sequence[str]) -> int:
    """0 when all is up to date or has been written, 1 when `--check` finds something stale, 2 for anything else."""
    if list(arguments) not in ([], ["--check"]):
        print(__doc__)
        return 2
    stale = [picture_of(name) for name in shipped_lifecycles() if not is_fresh(name)]
    if not INDEX.is_file() or INDEX.read_text(encoding="utf-8") != index():
        stale.append(INDEX)
    for path in stale:
        if arguments:
            print(f"{path.relative_to(ROOT)}: stale: run checker/tools/lifecycle_pages.py")
            continue
        if path == INDEX:
            path.write_text(index(), encoding="utf-8")
        else:
            path.write_bytes(draw(model_of(path.stem), Format.SVG, None))
        print(f"{path.relative_to(ROOT)}: written")
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
