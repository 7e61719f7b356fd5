"""Writes logs of one shape each, to see what a session, an instance or an event costs in memory.

    python checker/bench/generate_memory.py open-sessions 20000 -o open.jsonl

| shape | what the log holds N times |
|---|---|
| open-sessions | a connected session with one live credential, which is never ended |
| finished-sessions | a complete session of ten events, one after the other |
| live-keys | a clip in the queue, in a hundred sessions |
| finished-keys | a clip that was played to its end, in a hundred sessions |
| fixed-keys | a heartbeat, in a hundred sessions |
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from avatar_session import OWNERS, SECOND, SHORTEST_STAY, plan_stay
from generate_avatar import EPOCH

FEW = 100  # sessions, where instances or events are counted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape", choices=list(SHAPES))
    parser.add_argument("number", type=int, metavar="N")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args()
    with open(arguments.output, "w", encoding="ascii", newline="\n") as stream:
        stream.writelines(SHAPES[arguments.shape](arguments.number))


def open_sessions(number: int) -> Iterator[str]:
    for index in range(number):
        yield from _begin(f"s-{index:08x}", index * 1000)


def finished_sessions(number: int) -> Iterator[str]:
    random = Random(1)
    start = 0
    for index in range(number):
        plan = plan_stay(random, start, index, SHORTEST_STAY)
        for time, rest in plan.records:
            rest = rest.replace("\0", _time(time + 7200 * SECOND))
            yield f'{{"time":"{_time(time)}","session":"{plan.name}",{rest}'
        start = plan.records[-1][0] + SECOND


def live_keys(number: int) -> Iterator[str]:
    yield from _speaking()
    for index in range(number):
        yield _line(SECOND + index, _few(index), "clip", "enqueued", f'"clip":"c{index:x}","turn":"t1"')


def finished_keys(number: int) -> Iterator[str]:
    yield from _speaking()
    for index in range(number):
        clip, time = f'"clip":"c{index:x}","turn":"t1"', SECOND + index * 10
        yield _line(time, _few(index), "clip", "enqueued", clip)
        yield _line(time + 2, _few(index), "clip", "started", clip)
        yield _line(time + 4, _few(index), "clip", "played", clip)


def fixed_keys(number: int) -> Iterator[str]:
    yield from _connected()
    for index in range(number):
        yield _line(SECOND + index * 1000, _few(index), "connection", "heartbeat", '"result":"ok","rtt":0.042')


SHAPES: dict[str, Callable[[int], Iterator[str]]] = {
    "open-sessions": open_sessions,
    "finished-sessions": finished_sessions,
    "live-keys": live_keys,
    "finished-keys": finished_keys,
    "fixed-keys": fixed_keys,
}


def _few(index: int) -> str:
    return f"s-{index % FEW:08x}"


def _connected() -> Iterator[str]:
    for index in range(FEW):
        yield from _begin(_few(index), index * 100)


def _speaking() -> Iterator[str]:
    yield from _connected()
    for index in range(FEW):
        yield _line(SECOND // 2 + index * 100, _few(index), "turn", "heard", '"turn":"t1"')
        yield _line(SECOND // 2 + index * 100 + 50, _few(index), "turn", "answer-started", '"turn":"t1"')


def _begin(session: str, start: int) -> Iterator[str]:
    cred = f'"cred":"cr-{session[2:]}"'
    until = _time(start + 300 * 24 * 3600 * SECOND)
    client = f'"client":"web","region":"eu-central","corr":"web-{session[2:]}"'
    yield _line(start, session, "session", "session-started", client)
    yield _line(start + 10, session, "credential", "issued", f'{cred},"expires_at":"{until}"')
    yield _line(start + 20, session, "rendering", "mount", "")
    yield _line(start + 30, session, "connection", "connect", f'{cred},"network":"wifi"', owner="session")
    yield _line(start + 40, session, "connection", "opened", "")


def _line(time: int, session: str, machine: str, event: str, fields: str, owner: str = "") -> str:
    own = f",{fields}" if fields else ""
    return (
        f'{{"time":"{_time(time)}","session":"{session}","machine":"{machine}","event":"{event}",'
        f'"owner":"{owner or OWNERS[machine]}"{own}}}\n'
    )


def _time(microseconds: int) -> str:
    second, rest = divmod(microseconds, SECOND)
    return f"{datetime.fromtimestamp(EPOCH + second, UTC):%Y-%m-%dT%H:%M:%S}.{rest:06d}Z"


if __name__ == "__main__":
    main()
