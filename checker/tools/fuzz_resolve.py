"""Feeds parse, resolve and lint with what atheris invents (`pip install atheris`; not needed for anything else).

    python checker/tools/fuzz_resolve.py [libFuzzer options] FOLDER...
    python checker/tools/fuzz_resolve.py -max_total_time=1800 /tmp/corpus checker/tests/model/corpus
    python checker/tools/fuzz_resolve.py -merge=1 /tmp/small /tmp/corpus       # keep what adds coverage

Texts are changed word by word, so that most of them still parse. What must hold for every text is in
`checker/tests/model/resolve_laws.py`; a test replays the corpus that is kept there.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "model"))


def fuzz() -> None:
    """Runs until libFuzzer stops: at a text that breaks a law, or at a limit of its options."""
    import atheris

    with atheris.instrument_imports(include=["lifespec"]):
        import resolve_laws

    def one(data: bytes) -> None:
        resolve_laws.resolve_one(data.decode(errors="replace"))

    def change(data: bytes, limit: int, seed: int) -> bytes:
        text = resolve_laws.mutate(data.decode(errors="replace"), random.Random(seed))
        return text.encode(errors="replace")[:limit]

    atheris.Setup(sys.argv, one, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    fuzz()
