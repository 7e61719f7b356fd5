"""Decodes every line of a log and does nothing with it: what reading costs at the least.

    python checker/bench/bare_loop.py avatar.jsonl

The struct has the fields of the generated log, the time as text. Prints {"lines", "seconds", "cpu_seconds"} as JSON.
"""

from __future__ import annotations

import json
import sys
import time

import msgspec


class Line(msgspec.Struct):
    """The fields of a generated line; those that not every line has are absent where they are None."""

    time: str
    session: str
    event: str
    owner: str
    seq: int
    platform: str
    region: str
    app: str
    build: int
    os: int | None = None
    machine: str | None = None
    client: str | None = None
    corr: str | None = None
    cred: str | None = None
    expires_at: str | None = None
    network: str | None = None
    result: str | None = None
    rtt: float | None = None
    reason: str | None = None
    attempt: int | None = None
    delay: float | None = None
    turn: str | None = None
    clip: str | None = None
    position: float | None = None
    route: str | None = None
    value: float | None = None
    unit: str | None = None
    thread: str | None = None


def main() -> None:
    decode = msgspec.json.Decoder(type=Line).decode
    lines = 0
    began, began_cpu = time.perf_counter(), time.process_time()
    with open(sys.argv[1], "rb") as stream:
        for line in stream:
            decode(line)
            lines += 1
    took = {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - began_cpu}
    print(json.dumps({"lines": lines, **took}))


if __name__ == "__main__":
    main()
