"""What every peer in Python shares: the tables, the steps of a log, and the form of the answer.

The property is the same for all: every event is legal in the state in which its instance is, an instance being what a
machine is per session and key. After an illegal event the instance stays where it was. What is told is the number of
instances with an illegal event, which does not depend on that.

Imports nothing of lifespec: a peer runs in an environment of its own. Reading is as cheap as it can be made, so that a
tool is measured and not the way to it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

Tables = dict[str, dict[str, Any]]
Instance = tuple[str, str, str | None]  # session, machine, key
Steps = Iterator[tuple[Instance, str]]  # whose, and the event


class _Line(msgspec.Struct):
    session: str
    event: str
    machine: str | None = None
    cred: str | None = None
    turn: str | None = None
    clip: str | None = None


def steps(log: str) -> Steps:
    """The steps of all instances, in the order of the log; lines without a machine are no step."""
    decode = msgspec.json.Decoder(type=_Line).decode
    with open(log, "rb") as stream:
        for text in stream:
            line = decode(text)
            machine = line.machine
            if machine is None:
                continue
            if machine == "clip":
                key = line.clip
            elif machine == "turn":
                key = line.turn
            elif machine == "credential":
                key = line.cred
            else:
                key = None
            yield (line.session, machine, key), line.event


def answer(count_illegal: Callable[[Tables, str], int]) -> None:
    """Runs a peer on the tables and the log of the command line; imports are made before, and do not count."""
    tables: Tables = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    began, began_cpu = time.perf_counter(), time.process_time()
    illegal = count_illegal(tables, sys.argv[2])
    took = {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - began_cpu}
    print(json.dumps({"illegal": illegal, **took}))
