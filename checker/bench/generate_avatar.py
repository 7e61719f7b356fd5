"""Writes a log of many interleaved avatar sessions, in the words of the binding `default`.

    python checker/bench/generate_avatar.py --events 2000000 --open 2000 --sessions 120000 --seed 7 -o avatar.jsonl
    python checker/bench/generate_avatar.py --sparse 0.01 ...    99 of 100 lines are of kinds that are no lifecycle's
    python checker/bench/generate_avatar.py --faults 0.001 ...   one event in a thousand is illegal in its state

About 220 bytes and twelve fields a line. Half of the sessions are left at once; the others have a size from a
log-normal distribution. The lines are in the order of time, and as many sessions are open at once as `--open` says,
or fewer where there are fewer. The same arguments give the same bytes. What was written goes to standard output as
one JSON object; without `--faults`, `lifespec check` finds nothing in it.
"""

from __future__ import annotations

import argparse
import heapq
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import TextIO

from avatar_session import BOUNCE, SECOND, SHORTEST_STAY, Plan, plan_bounce, plan_stay

EPOCH = int(datetime(2026, 7, 14, 9, tzinfo=UTC).timestamp())
NOISE = ("ui.frame", "ui.pointer", "net.stats", "net.candidate", "audio.level", "gc.pause", "cache.hit", "asset.load")
_LIFETIME = 2 * 3600  # of a credential, in seconds; longer than any session
_LONGEST_STAY = 600
_BLOCK = 20_000  # lines written at once
_NOISES = 4096  # different lines of other kinds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=2_000_000, metavar="N", help="lines, of all kinds")
    parser.add_argument("--open", type=int, default=2_000, metavar="N", help="sessions open at once, at most")
    parser.add_argument("--sessions", type=int, default=120_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--sparse", type=float, default=1.0, metavar="SHARE", help="of lines that are the lifecycle's")
    parser.add_argument("--faults", type=float, default=0.0, metavar="SHARE", help="of events that are illegal")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args()
    with open(arguments.output, "w", encoding="ascii", newline="\n") as stream:
        written = generate(
            stream,
            events=arguments.events,
            sessions=arguments.sessions,
            most_open=arguments.open,
            seed=arguments.seed,
            share=arguments.sparse,
            faults=arguments.faults,
        )
    print(json.dumps({"bytes": arguments.output.stat().st_size, **written}))


def generate(
    stream: TextIO, *, events: int, sessions: int, most_open: int, seed: int, share: float = 1.0, faults: float = 0.0
) -> dict[str, int]:
    """Writes the log and says how many lines, events, sessions and faults it has.

    With a `share` below 1 there are so many fewer events and sessions, among lines of other kinds. Raises ValueError
    where the sessions are too many for the events.
    """
    random = Random(seed)
    own_events, own_sessions = round(events * share), max(round(sessions * share), 1)
    sizes = session_sizes(random, own_events, own_sessions)
    of_fault = min(faults * own_events / own_sessions * 2, 1.0)  # half of the sessions are left at once
    counted = {"lines": 0, "events": 0, "sessions": own_sessions, "faults": 0}
    noise = _noise_lines(random) if share < 1 else []
    clock = _Clock()
    block: list[str] = []
    before = 0
    for time, plan, line in interleaved(random, sizes, min(most_open, own_sessions), of_fault, counted):
        counted["events"] += 1
        if noise:
            due = min(round(counted["events"] / share) - 1, events - (own_events - counted["events"]) - 1)
            missing = due - counted["lines"]
            for index in range(missing):
                between = before + (time - before) * (index + 1) // (missing + 1)
                block.append(f'{{"time":"{clock.text(between, False)}",{random.choice(noise)}')
            counted["lines"] += max(missing, 0)
            before = time
        if "\0" in line:
            line = line.replace("\0", clock.text(time + _LIFETIME * SECOND, plan.has_milliseconds))
        block.append(f'{{"time":"{clock.text(time, plan.has_milliseconds)}","session":"{plan.name}",{line}')
        counted["lines"] += 1
        if len(block) >= _BLOCK:
            stream.write("".join(block))
            block.clear()
    stream.write("".join(block))
    return counted


def session_sizes(random: Random, events: int, sessions: int) -> list[int]:
    """How many records each session has; together exactly `events`."""
    bounces = sessions // 2
    stays = sessions - bounces
    extra = events - bounces * BOUNCE - stays * SHORTEST_STAY
    if extra < 0 or extra > stays * (_LONGEST_STAY - SHORTEST_STAY):
        raise ValueError(f"{events} events are too few or too many for {sessions} sessions")
    weights = [random.lognormvariate(0, 1) for _ in range(stays)]
    scale = extra / sum(weights)
    sizes = [SHORTEST_STAY + min(int(weight * scale), _LONGEST_STAY - SHORTEST_STAY) for weight in weights]
    missing = events - bounces * BOUNCE - sum(sizes)
    while missing:  # what rounding and the longest stay left over
        for index in range(stays):
            if missing and sizes[index] < _LONGEST_STAY:
                sizes[index] += 1
                missing -= 1
    sizes += [BOUNCE] * bounces
    random.shuffle(sizes)
    return sizes


def interleaved(
    random: Random, sizes: list[int], most_open: int, of_fault: float, counted: dict[str, int]
) -> Iterator[tuple[int, Plan, str]]:
    """The records of all sessions in the order of time: `most_open` places, each with one session after the other."""
    waiting = enumerate(sizes)

    def seat(start: int) -> tuple[int, int, Plan, Iterator[tuple[int, str]]] | None:
        """The next session, as an entry of the heap; its number decides among equal times."""
        found = next(waiting, None)
        if found is None:
            return None
        number, size = found
        if size == BOUNCE:
            plan = plan_bounce(random, start, number)
        else:
            plan = plan_stay(random, start, number, size, is_faulty=random.random() < of_fault)
            counted["faults"] += plan.faults
        return plan.records[0][0], number, plan, iter(plan.records)

    places = [place for _ in range(most_open) if (place := seat(random.randrange(60 * SECOND)))]
    heapq.heapify(places)
    while places:
        _, number, plan, records = places[0]
        time, line = next(records)
        yield time, plan, line
        following = records.__length_hint__()  # type: ignore[attr-defined]  # of a list: exact
        if following:
            ahead = plan.records[len(plan.records) - following][0]
            heapq.heapreplace(places, (ahead, number, plan, records))
        elif (place := seat(time + random.randrange(SECOND // 10, 3 * SECOND))) is not None:
            heapq.heapreplace(places, place)
        else:
            heapq.heappop(places)


class _Clock:
    """Instants as ISO 8601; the text of a second is kept, because most lines share it with the one before."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}

    def text(self, microseconds: int, has_milliseconds: bool) -> str:
        second, rest = divmod(microseconds, SECOND)
        text = self._texts.get(second)
        if text is None:
            if len(self._texts) > 100_000:
                self._texts.clear()
            text = self._texts[second] = datetime.fromtimestamp(EPOCH + second, UTC).strftime("%Y-%m-%dT%H:%M:%S.")
        return f"{text}{rest // 1000:03d}Z" if has_milliseconds else f"{text}{rest:06d}Z"


def _noise_lines(random: Random) -> list[str]:
    """Lines of other kinds, without their time; as long and with as many fields as the others."""
    return [
        f'"session":"s-{random.getrandbits(32):08x}f{index:x}","event":"{random.choice(NOISE)}","owner":"app",'
        f'"seq":{random.randrange(1, 400)},"platform":"web","region":"eu-central","app":"4.12.1",'
        f'"build":{random.randrange(1000, 9999)},"value":{random.randrange(10_000) / 100},'
        f'"unit":"ms","thread":"main"}}\n'
        for index in range(_NOISES)
    ]


if __name__ == "__main__":
    main()
