"""Runs the console examples of the documents, and writes what they print, or checks that it is what stands there.

    python checker/tools/document_examples.py           write today's output into the documents
    python checker/tools/document_examples.py --check   exit 1 when a document says something else

In README.md and under docs/, a fence with a language and a file name (`jsonl calls.jsonl`) is written to that file; a
fence `console` holds commands behind `$ `, each followed by what it prints, standard error included. The examples of
one document run in their order in one folder of their own, which has the repository's `spec` and `conformance`.
A line `...` stands for any lines; a block with one is compared, never rewritten. A command that writes a picture needs
Graphviz: without it, it is left out. A picture that a page shows is replaced by the one of the same name that its
commands draw, when that shows something else. `test_docs.py` runs the same check.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lifespec.graph.mark import Format, find_mark

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = "..."
_LINKED = ("spec", "conformance")
_SECONDS = 60
_FENCE = re.compile(
    r"^```(?P<language>\S+)(?: (?P<file>\S+\.\S+))?(?P<faulty> faulty)?\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE
)
_SHOWN = re.compile(r"!\[[^\]]*\]\(([^)]+\.svg)\)")
_PICTURE = re.compile(r"\.(svg|png|pdf)\b")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: its language, the file it is written to, whether it is marked `faulty`, and where its body is."""

    language: str
    file: str | None
    is_faulty: bool
    body: str
    start: int
    line: int


def documents() -> list[Path]:
    """Every page of the documentation, README first."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def fences(text: str) -> Iterator[Fence]:
    """The fenced blocks of a Markdown text that name their language, in order."""
    for match in _FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Fence(
            match["language"], match["file"], match["faulty"] is not None, match["body"], match.start("body"), line
        )


def rerun(text: str, folder: Path) -> str:
    """The text with the output of its console examples as it is now; runs them in `folder`."""
    pieces: list[str] = []
    copied = 0
    status = 0
    for fence in fences(text):
        if fence.language == "console":
            body, status = _run_block(fence.body, folder, status)
            pieces += (text[copied : fence.start], body)
            copied = fence.start + len(fence.body)
        elif fence.file:
            (folder / fence.file).write_text(fence.body, encoding="utf-8")
    return "".join([*pieces, text[copied:]])


def _run_block(body: str, folder: Path, status: int) -> tuple[str, int]:
    lines: list[str] = []
    for command, said in _commands(body):
        lines.append(f"$ {command}")
        if _PICTURE.search(command) and shutil.which("dot") is None:
            lines += said
            continue
        printed, status = _run(command, folder, status)
        lines += said if ELSEWHERE in said and matches(said, printed) else printed
    return "".join(f"{line}\n" for line in lines), status


def _commands(body: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a block, with the lines that stand below it. A `\\` at the end continues a command."""
    lines = iter(body.splitlines())
    command: str | None = None
    said: list[str] = []
    for line in lines:
        if not line.startswith("$ "):
            said.append(line)
            continue
        if command is not None:
            yield command, said
        command, said = line[2:], []
        while command.endswith("\\"):
            command += "\n" + next(lines)
    if command is not None:
        yield command, said


def _run(command: str, folder: Path, status: int) -> tuple[list[str], int]:
    here = str(Path(sys.executable).parent)
    environment = {"PATH": os.pathsep.join([here, os.environ["PATH"]]), "LC_ALL": "C.UTF-8", "HOME": str(folder)}
    done = subprocess.run(
        ["bash", "-c", f"(exit {status})\n{command}"],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_SECONDS,
        check=False,
    )
    return done.stdout.decode("utf-8").rstrip("\n").split("\n") if done.stdout else [], done.returncode


def matches(said: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether lines are as a document has them, where `...` stands for any lines."""
    pattern = "".join(r"(?:.*\n)*?" if line == ELSEWHERE else re.escape(line) + "\n" for line in said)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def stale_pictures(text: str, path: Path, folder: Path) -> Iterator[tuple[Path, bytes]]:
    """The pictures that the document at `path` shows, and that its commands draw differently now."""
    for target in _SHOWN.findall(text):
        shown, drawn = path.parent / target, folder / Path(target).name
        if drawn.is_file():
            content = drawn.read_bytes()
            if not shown.is_file() or _says(shown.read_bytes()) != _says(content):
                yield shown, content


def _says(picture: bytes) -> object:
    """What a picture shows: its mark, for Graphviz differs; one without a mark is drawn here, and always the same."""
    return find_mark(picture, Format.SVG) or picture


def check_document(path: Path) -> tuple[str, str, dict[Path, bytes]]:
    """A document as it is, as it is with today's output, and today's pictures in place of stale ones."""
    text = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for linked in _LINKED:
            (folder / linked).symlink_to(ROOT / linked)
        now = rerun(text, folder)
        return text, now, dict(stale_pictures(text, path, folder))


def main(arguments: Sequence[str]) -> int:
    if list(arguments) not in ([], ["--check"]):
        print(__doc__)
        return 2
    stale = 0
    for path in documents():
        before, now, pictures = check_document(path)
        if before == now and not pictures:
            continue
        stale += 1
        if arguments:
            print(f"{path.relative_to(ROOT)} does not say or show what its commands do")
            continue
        path.write_text(now, encoding="utf-8")
        for picture, content in pictures.items():
            picture.write_bytes(content)
        print(f"{path.relative_to(ROOT)} written")
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
