"""Feeds parse, resolve and lint with what atheris invents (`pip install atheris`; not needed for anything else).

    python checker/tools/fuzz_resolve.py [libFuzzer options] FOLDER...
    python checker/tools/fuzz_resolve.py --unpack /tmp/corpus                  # the committed corpus as files
    python checker/tools/fuzz_resolve.py -max_total_time=1800 /tmp/corpus
    python checker/tools/fuzz_resolve.py --pack /tmp/corpus                    # short ones into the committed corpus

Texts are changed word by word, so that most of them still parse. What must hold for every text is in
`checker/tests/model/resolve_laws.py`; a test replays the corpus that is kept there.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

SHORT = 600  # characters of a text that is kept

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


def pack(folder: Path) -> None:
    """Writes the short texts of a folder into the committed corpus, each once, in order."""
    from resolve_laws import CORPUS

    texts = sorted({path.read_bytes().decode(errors="replace") for path in folder.iterdir() if path.is_file()})
    texts = [text for text in texts if len(text) <= SHORT]
    CORPUS.write_text("".join(f"{json.dumps(text)}\n" for text in texts), "utf-8")
    print(f"{CORPUS}: {len(texts)} texts")


def unpack(folder: Path) -> None:
    """Writes the texts of the committed corpus into a folder, a file each."""
    from resolve_laws import kept_texts

    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(kept_texts()):
        (folder / f"{number:04}").write_text(text, "utf-8")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--pack", folder]:
            pack(Path(folder))
        case ["--unpack", folder]:
            unpack(Path(folder))
        case _:
            fuzz()
