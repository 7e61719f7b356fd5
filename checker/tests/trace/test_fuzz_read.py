"""What fuzzing found, and what it starts from, is read again on every run."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CORPUS = HERE.parent / "fuzz" / "corpus" / "read"
SPEC = importlib.util.spec_from_file_location("fuzz_read", HERE.parents[1] / "tools" / "fuzz_read.py")
assert SPEC is not None
assert SPEC.loader is not None
fuzz_read = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(fuzz_read)


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_the_corpus_is_read(path: Path) -> None:
    fuzz_read.read_one(path.read_bytes())


def test_nothing_is_read_too() -> None:
    fuzz_read.read_one(b"")
