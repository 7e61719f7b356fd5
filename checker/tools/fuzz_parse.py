"""Feeds the parser with what atheris invents (`pip install atheris`; not needed for anything else).

    python checker/tools/fuzz_parse.py [libFuzzer options] [corpus folder]
    python checker/tools/fuzz_parse.py -max_total_time=600 /tmp/corpus checker/tests/fuzz/corpus/parse
    python checker/tools/fuzz_parse.py --pack /tmp/corpus     # what adds something, into the committed corpus

What must hold for every text is in `checker/tests/fuzz/parse_laws.py`; the test replays the corpus.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

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
    """Adds to the committed corpus, smallest first, the texts of a folder that take the parser a way not taken yet."""
    import parse_laws

    found = {path.read_bytes().decode("utf-8", "surrogateescape") for path in folder.iterdir() if path.is_file()}
    seen: set[Step] = set()
    kept = []
    for text in sorted(found | set(parse_laws.corpus()), key=lambda text: (len(text), text)):
        steps = steps_of(lambda text=text: parse_laws.check(text))  # type: ignore[misc]
        if steps - seen:
            seen |= steps
            kept.append(text)
    parse_laws.write_corpus(kept)
    print(f"{parse_laws.CORPUS}: {len(kept)} of {len(found)} texts, {len(seen)} steps")


Step = tuple[str, int, int]
"""From a line to the next one in a file of the parser."""


def steps_of(run: Callable[[], None]) -> set[Step]:
    """The steps that `run` takes through the files of `lifespec.syntax`."""
    steps: set[Step] = set()
    last: dict[FrameType, int] = {}

    def trace(frame: FrameType, event: str, _: object) -> object:
        name = frame.f_code.co_filename
        if "/lifespec/syntax/" not in name:
            return None
        if event == "line":
            steps.add((name, last.get(frame, 0), frame.f_lineno))
            last[frame] = frame.f_lineno
        elif event == "return":
            last.pop(frame, None)
        return trace

    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        run()
    finally:
        sys.settrace(None)
    return steps


if __name__ == "__main__":
    if sys.argv[1:2] == ["--pack"]:
        pack(Path(sys.argv[2]))
    else:
        fuzz()
