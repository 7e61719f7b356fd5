"""The command that reproduces a run, as it is published: without the folders and files of who ran it."""

from __future__ import annotations

import sys

_OF_ONE_MACHINE = ("--folder", "--json")


def shown_command(script: str) -> str:
    given = iter(sys.argv[1:])
    words: list[str] = []
    for word in given:
        option = word.partition("=")[0]
        if option not in _OF_ONE_MACHINE:
            words.append(word)
        elif option == word:
            next(given, None)  # its value
    return " ".join(["python", f"checker/bench/{script}", *words])
