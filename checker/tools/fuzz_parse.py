"""Feeds the parser with what atheris invents (`pip install atheris`; not needed for anything else).

    python checker/tools/fuzz_parse.py [libFuzzer options] [corpus folder]
    python checker/tools/fuzz_parse.py -max_total_time=600 /tmp/corpus checker/tests/fuzz/corpus/parse
    python checker/tools/fuzz_parse.py -merge=1 /tmp/small /tmp/corpus       # keep what adds coverage
    python checker/tools/fuzz_parse.py --pack /tmp/small                     # into the committed corpus

What must hold for every text is in `checker/tests/fuzz/parse_laws.py`; the test replays the corpus.
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests" / "fuzz"
sys.path.insert(0, str(TESTS))


def fuzz() -> None:
    """Runs until libFuzzer stops: at a text that breaks a law, or at a limit of its options."""
    import atheris

    with atheris.instrument_imports(include=["lifespec.syntax"]):
        import parse_laws

    def one(data: bytes) -> None:
        parse_laws.check(data.decode("utf-8", "surrogateescape"))

    dictionary = TESTS / "parse.dict"
    atheris.Setup([*sys.argv, f"-dict={dictionary}"], one)
    atheris.Fuzz()


def pack(folder: Path) -> None:
    """Writes the texts of a folder into the committed corpus: one file, each text once, in order."""
    import parse_laws

    texts = {path.read_bytes().decode("utf-8", "surrogateescape") for path in folder.iterdir() if path.is_file()}
    parse_laws.write_corpus(texts)
    print(f"{parse_laws.CORPUS}: {len(texts)} texts")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--pack"]:
        pack(Path(sys.argv[2]))
    else:
        fuzz()
