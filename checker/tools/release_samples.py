"""Invents the logs of two releases of an avatar client; with `--check` says whether they are what it would write.

    python checker/tools/release_samples.py             write spec/lifecycles/avatar/releases/*.jsonl.gz
    python checker/tools/release_samples.py --check     exit 1 when one of them is something else

Both releases make the same mistakes equally often, but for one: in 1.1 the view is more often taken down only after the
session has ended. `lifespec compare` has to name that, and nothing else. The numbers come from a seed: every run
writes the same records.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "spec" / "lifecycles" / "avatar" / "releases"

SESSIONS = 240
VIEW_LEFT = {"1.0": 0.025, "1.1": 0.14}  # the share of sessions that take the view down too late: what was planted
_LOST, _REFUSED, _NO_REASON, _WRONG_OWNER, _BARGE_IN = 0.25, 0.05, 0.3, 0.03, 0.15
_CLIENTS = {"web": ("wifi", "wired"), "ios": ("wifi", "cellular"), "android": ("cellular", "wifi")}
_REGIONS = ("eu-central", "us-east")


class _Session:
    """The records of one session, one after the other."""

    def __init__(self, chance: random.Random, name: str, begin: datetime) -> None:
        self.chance = chance
        self.name = name
        self.now = begin
        self.records: list[tuple[datetime, dict[str, Any]]] = []

    def say(self, wait: float, machine: str, event: str, owner: str, **fields: Any) -> None:
        """One record, `wait` seconds after the one before, give or take half of that."""
        self.pass_by(wait * self.chance.uniform(0.5, 1.5))
        time = self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        record = {"time": time, "session": self.name, "machine": machine, "event": event, "owner": owner, **fields}
        self.records.append((self.now, record))

    def pass_by(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(milliseconds=round(seconds * 1000))

    def run(self, view_left: float) -> None:
        """The whole session."""
        chance = self.chance
        client = chance.choice(list(_CLIENTS))
        network = chance.choice(_CLIENTS[client])
        cred = f"cr-{chance.randrange(1 << 32):08x}"
        corr = f"{client}-{chance.randrange(1 << 32):08x}"
        self.say(0.0, "session", "session-started", "session", client=client, region=chance.choice(_REGIONS), corr=corr)
        expires = (self.now + timedelta(minutes=10)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.say(0.1, "credential", "issued", "backend", cred=cred, expires_at=expires)
        self.say(0.2, "rendering", "mount", "renderer")
        self._connect(cred, network)
        for turn in range(1, chance.randint(1, 2) + 1):
            self._talk(f"t{turn}")
        if chance.random() < _LOST:
            self._lose(cred)
            self._talk("t9")
        self._leave(view_left)

    def _connect(self, cred: str, network: str) -> None:
        self.say(0.15, "connection", "connect", "session", cred=cred, network=network)
        if self.chance.random() < _REFUSED:
            reason = {} if self.chance.random() < _NO_REASON else {"reason": "token-refused"}
            self.say(0.4, "connection", "refused", "transport", **reason)
            self.say(1.0, "connection", "connect", "session", cred=cred, network=network)
        self.say(0.25 * self.chance.lognormvariate(0.5, 0.5), "connection", "opened", "transport")
        self._beat()

    def _beat(self) -> None:
        rtt = round(self.chance.uniform(0.03, 0.2), 3)
        self.say(0.5, "connection", "heartbeat", "transport", result="ok", rtt=rtt)

    def _talk(self, turn: str) -> None:
        clip = turn.replace("t", "c")
        self.say(1.5, "turn", "heard", "turns", turn=turn)
        self.say(0.9 * self.chance.lognormvariate(0.0, 0.4), "turn", "answer-started", "turns", turn=turn)
        self.say(0.1, "clip", "enqueued", "playback", clip=clip, turn=turn)
        self.say(0.06, "clip", "started", "playback", clip=clip)
        if self.chance.random() < _BARGE_IN:
            self.say(0.8, "turn", "interrupted", "turns", turn=turn, reason="barge-in")
            self.say(0.1, "clip", "flushed", "playback", clip=clip)
        else:
            self.say(1.4, "clip", "played", "playback", clip=clip)
            self.say(0.1, "turn", "answer-ended", "turns", turn=turn)

    def _lose(self, cred: str) -> None:
        delay = 0.25
        self.say(2.0, "connection", "lost", "transport", reason="network-lost", attempt=1, delay=delay)
        for attempt in range(1, self.chance.choice((1, 1, 2, 2, 3, 4)) + 1):
            self.pass_by(delay)
            delay = min(8.0, delay * 2)
            self.say(0.05, "connection", "retry", "transport", attempt=attempt, delay=delay, cred=cred)
        self.say(0.2, "connection", "resumed", "transport")
        self._beat()

    def _leave(self, view_left: float) -> None:
        owner = "transport" if self.chance.random() < _WRONG_OWNER else "session"
        self.say(1.0, "session", "session-ending", "session", reason="user-left")
        self.say(0.1, "connection", "close", owner, reason="user-left")
        last = [("rendering", "destroy", "renderer"), ("session", "session-ended", "session")]
        for machine, event, by in reversed(last) if self.chance.random() < view_left else last:
            self.say(0.1, machine, event, by)


def release(version: str) -> str:
    """The log of a release, the records of all sessions by time."""
    chance = random.Random(f"avatar {version}")
    begin = datetime(2026, 9, 1, 9, tzinfo=UTC)
    records: list[tuple[datetime, dict[str, Any]]] = []
    for _ in range(SESSIONS):
        begin += timedelta(seconds=round(chance.uniform(0.5, 8), 3))
        session = _Session(chance, f"s-{chance.randrange(1 << 32):08x}", begin)
        session.run(VIEW_LEFT[version])
        records += session.records
    records.sort(key=lambda pair: pair[0])
    return "".join(json.dumps(record) + "\n" for _, record in records)


def stale() -> Iterator[tuple[Path, str]]:
    """The files that are something else than would be written, and what would be."""
    for version in VIEW_LEFT:
        path, text = FOLDER / f"{version}.jsonl.gz", release(version)
        if not path.is_file() or gzip.decompress(path.read_bytes()).decode("utf-8") != text:
            yield path, text


def main(arguments: Sequence[str]) -> int:
    """Write or check; the exit status."""
    found = list(stale())
    for path, text in found:
        if "--check" not in arguments:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
        print(f"{'stale' if '--check' in arguments else 'wrote'}: {path.relative_to(ROOT)}")
    return int(bool(found) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
