"""One session of the avatar lifecycle, as the records that its client would log: a plan, made from chance alone.

A plan has exactly as many records as it is asked for, keeps to every transition, bound and rule of avatar.lifespec,
and ends complete. It knows no other session and writes nothing. Times are whole microseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

SHORTEST_STAY = 10  # session, credential, view and connection, each begun and ended
BOUNCE = 5  # a page that is opened and left before anything is built

OWNERS = {
    "session": "session",
    "credential": "backend",
    "connection": "transport",
    "turn": "turns",
    "clip": "playback",
    "output": "playback",
    "rendering": "renderer",
}
PLATFORMS = ("web", "web", "web", "ios", "ios", "android", "android", "unity")
REGIONS = ("eu-central", "eu-west-1", "us-east-1", "us-west-2", "ap-south-1", "sa-east-1")
NETWORKS = ("wifi", "wifi", "cellular", "wired")
VERSIONS = ("4.12.0", "4.12.1", "4.13.0", "5.0.2")
LEAVING = ("user-left", "user-left", "app-closed")
MS = 1_000
SECOND = 1_000_000
_LONGEST_SILENCE = 11 * SECOND  # an action takes three seconds at most, and a sign of life is owed every fifteen


@dataclass(frozen=True, slots=True)
class Plan:
    """The records of a session in order: when, and what follows the time and the session in the line."""

    name: str
    has_milliseconds: bool  # as browsers log; others log microseconds
    records: list[tuple[int, str]]
    faults: int


def plan_bounce(random: Random, start: int, salt: int) -> Plan:
    """A session of `BOUNCE` records: the user comes and goes."""
    writer = _Writer(random, start, salt)
    writer.begin()
    writer.leave(connected=False)
    return writer.plan()


def plan_stay(random: Random, start: int, salt: int, length: int, *, is_faulty: bool = False) -> Plan:
    """A session of `length` records, at least `SHORTEST_STAY`; a faulty one has one more, illegal in its state."""
    writer = _Writer(random, start, salt, fault=random.choice(_FAULT_SITES) if is_faulty else None)
    writer.begin()
    writer.build(length - SHORTEST_STAY)
    writer.leave(connected=True)
    return writer.plan()


# Behind which event an illegal one is put, and which: the machine is the same.
_FAULTS = {
    ("credential", "issued"): "issued",
    ("connection", "opened"): "resumed",
    ("rendering", "mount"): "remount",
    ("turn", "heard"): "answer-ended",
    ("clip", "enqueued"): "played",
}
_FAULT_SITES = tuple(_FAULTS)


class _Writer:
    """Writes a session record by record, and remembers where its machines stand."""

    def __init__(self, random: Random, start: int, salt: int, fault: tuple[str, str] | None = None) -> None:
        self._random = random
        self._now = start
        self._name = f"s-{random.getrandbits(32):08x}{salt:x}"
        self._platform = random.choice(PLATFORMS)
        self._region = random.choice(REGIONS)
        self._context = (
            f'"platform":"{self._platform}","region":"{self._region}",'
            f'"app":"{random.choice(VERSIONS)}","build":{random.randrange(1000, 9999)},"os":{random.randrange(12, 27)}'
        )
        self._records: list[tuple[int, str]] = []
        self._left = 0  # how many records may still be written before the session ends
        self._heard_of = start  # the last answered heartbeat, or when the connection was opened
        self._credential = ""
        self._turns = 0
        self._clips = 0
        self._fault = fault
        self._faults = 0

    def plan(self) -> Plan:
        return Plan(self._name, self._platform == "web", self._records, self._faults)

    # --- the skeleton -----------------------------------------------------------------------------------

    def begin(self) -> None:
        corr = f'"client":"{self._platform}","corr":"{self._platform}-{self._random.getrandbits(32):08x}"'
        self._event("session", "session-started", corr, 0)

    def build(self, length: int) -> None:
        """From the first credential to the end of the stay, with `length` records besides the skeleton's."""
        self._left = length
        self._issue()
        self._event("rendering", "mount", "", 120 * MS)
        self._connect()
        if self._left >= 2 and self._random.random() < 0.03:
            self._left -= 2
            self._event("connection", "refused", '"reason":"server-closed"', 400 * MS)
            self._connect()
        self._event("connection", "opened", "", 350 * MS)
        self._heard_of = self._now
        while self._left:
            self._act()

    def leave(self, connected: bool) -> None:
        """Cleanup in reverse order."""
        reason = f'"reason":"{self._random.choice(LEAVING)}"'
        self._event("session", "session-ending", reason, self._between(100, 600))
        self._event("connection", "close", reason, self._between(20, 120), owner="session")
        self._event("rendering", "destroy", "", self._between(20, 80))
        if connected:
            self._event("credential", "revoked", f'"cred":"{self._credential}",{reason}', self._between(10, 90))
        self._event("session", "session-ended", "", self._between(10, 90))

    # --- what may happen in between ---------------------------------------------------------------------

    def _act(self) -> None:
        if self._now - self._heard_of > _LONGEST_SILENCE or self._left < 2:
            self._heartbeat()
            return
        cost, action = self._random.choices(_ACTIONS, cum_weights=_WEIGHTS)[0]
        if cost > self._left:
            self._heartbeat()
            return
        self._left -= cost - (cost == 1)  # a heartbeat counts itself
        action(self)

    def _heartbeat(self) -> None:
        """Answered, so late that another is asked for at once, or only a measurement."""
        self._left -= 1
        since = self._now - self._heard_of
        rtt = f'"rtt":0.{self._random.randrange(18, 320):03d}'
        kind = self._random.random()
        if since < _LONGEST_SILENCE - 3 * SECOND and kind < 0.1:
            if kind < 0.06:
                self._event("", "measured", rtt, self._between(500, 2500), owner="transport")
            else:
                self._event("connection", "heartbeat", '"result":"late","rtt":1.203', self._between(1200, 2500))
            return
        wait = min(self._between(3500, 9000), max(14 * SECOND - since, 200 * MS))
        self._event("connection", "heartbeat", f'"result":"ok",{rtt}', wait)
        self._heard_of = self._now

    def _speak_once(self) -> None:
        turn = self._ask()
        self._event("turn", "answer-started", turn, self._between(200, 700))
        self._play(turn, self._enqueue(turn), with_progress=False)
        self._event("turn", "answer-ended", turn, 60 * MS)

    def _speak_twice(self) -> None:
        turn = self._ask()
        self._event("turn", "answer-started", turn, self._between(200, 700))
        first, second = self._enqueue(turn), self._enqueue(turn)
        self._play(turn, first, with_progress=True)
        self._play(turn, second, with_progress=True)
        self._event("turn", "answer-ended", turn, 60 * MS)

    def _interrupted(self) -> None:
        turn = self._ask()
        self._event("turn", "answer-started", turn, self._between(200, 700))
        first, second = self._enqueue(turn), self._enqueue(turn)
        self._event("clip", "started", f"{first},{turn}", 30 * MS)
        self._event("turn", "interrupted", f'{turn},"reason":"barge-in"', self._between(300, 900))
        self._event("clip", "flushed", f"{second},{turn}", 40 * MS)
        self._event("clip", "flushed", f"{first},{turn}", 40 * MS)

    def _refused_answer(self) -> None:
        turn = self._ask()
        self._event("turn", "answer-failed", f'{turn},"reason":"answer-refused"', self._between(200, 900))

    def _handover(self) -> None:
        network = f'"network":"{self._random.choice(NETWORKS)}"'
        self._event("connection", "handover-begun", network, self._between(100, 500))
        self._event("connection", "handover-done", network, self._between(300, 1500))

    def _lost_once(self) -> None:
        self._lose()
        self._retry(1, 550 * MS, "1.0")
        self._event("connection", "resumed", "", self._between(100, 500))

    def _lost_longer(self) -> None:
        self._lose()
        self._retry(1, 550 * MS, "1.0")
        self._retry(2, 1050 * MS, "2.0")
        self._event("connection", "resumed", "", self._between(100, 500))

    def _renew(self) -> None:
        old = self._credential
        self._issue()
        self._event("connection", "renewed", f'"cred":"{self._credential}"', 80 * MS, owner="session")
        self._event("credential", "revoked", f'"cred":"{old}","reason":"token-revoked"', 150 * MS)

    def _hide(self) -> None:
        self._event("session", "app-hidden", "", self._between(50, 300))
        self._event("session", "app-shown", "", self._between(400, 2000))

    def _stall(self) -> None:
        self._event("rendering", "stalled", '"reason":"render-stalled"', self._between(50, 300))
        self._event("output", "route-changed", '"route":"direct","reason":"render-stalled"', 300 * MS)
        self._event("rendering", "remount", "", self._between(300, 1200))
        self._event("output", "route-changed", '"route":"avatar"', 150 * MS)

    def _remount(self) -> None:
        self._event("rendering", "unmount", "", self._between(50, 300))
        self._event("rendering", "mount", "", self._between(100, 900))

    # --- pieces -----------------------------------------------------------------------------------------

    def _issue(self) -> None:
        self._credential = f"cr-{self._random.getrandbits(48):012x}"
        # The place of the instant is filled in by who knows the calendar.
        self._event("credential", "issued", f'"cred":"{self._credential}","expires_at":"\0"', 80 * MS)

    def _connect(self) -> None:
        network = self._random.choice(NETWORKS)
        self._event(
            "connection", "connect", f'"cred":"{self._credential}","network":"{network}"', 100 * MS, owner="session"
        )

    def _ask(self) -> str:
        self._turns += 1
        turn = f'"turn":"t{self._turns}"'
        self._event("turn", "heard", turn, self._between(50, 300))
        return turn

    def _enqueue(self, turn: str) -> str:
        self._clips += 1
        clip = f'"clip":"c{self._clips}"'
        self._event("clip", "enqueued", f"{clip},{turn}", 25 * MS)
        return clip

    def _play(self, turn: str, clip: str, with_progress: bool) -> None:
        self._event("clip", "started", f"{clip},{turn}", 25 * MS)
        if with_progress:
            played = self._random.randrange(100, 400)
            self._event("clip", "progress", f'{clip},{turn},"position":0.{played}', played * MS)
        self._event("clip", "played", f"{clip},{turn}", self._between(80, 300))

    def _lose(self) -> None:
        lost = '"reason":"network-lost","attempt":1,"delay":0.5'
        self._event("connection", "lost", lost, self._between(50, 300))

    def _retry(self, attempt: int, wait: int, delay: str) -> None:
        fields = f'"attempt":{attempt},"delay":{delay},"cred":"{self._credential}"'
        self._event("connection", "retry", fields, wait)

    def _between(self, least: int, most: int) -> int:
        """So many milliseconds, to the microsecond."""
        return int((least + (most - least) * self._random.random()) * MS)

    def _event(self, machine: str, event: str, fields: str, wait: int, owner: str = "") -> None:
        self._now += wait
        self._write(machine, event, fields, owner or OWNERS[machine])
        if self._fault == (machine, event) or (self._fault and event == "session-ending"):
            self._damage(fields)

    def _damage(self, fields: str) -> None:
        """One illegal record behind the first site of its kind; a session without a site has it at its credential."""
        assert self._fault is not None
        machine, event = self._fault
        self._fault = None
        if fields.startswith('"reason"'):  # no such site came: the credential is still valid, so it is not issued again
            machine, event, fields = "credential", "issued", f'"cred":"{self._credential}","expires_at":"\0"'
        self._now += 5 * MS
        self._write(machine, _FAULTS[machine, event], fields, OWNERS[machine])
        self._faults += 1

    def _write(self, machine: str, event: str, fields: str, owner: str) -> None:
        of = f'"machine":"{machine}",' if machine else ""
        own = f",{fields}" if fields else ""
        seq = len(self._records) + 1
        self._records.append(
            (self._now, f'{of}"event":"{event}","owner":"{owner}","seq":{seq},{self._context}{own}}}\n')
        )


_SHARES: tuple[tuple[float, int, Callable[[_Writer], None]], ...] = (
    # how often, how many records, what
    (45, 1, _Writer._heartbeat),
    (9, 6, _Writer._speak_once),
    (10, 11, _Writer._speak_twice),
    (2.5, 8, _Writer._interrupted),
    (0.5, 2, _Writer._refused_answer),
    (1.5, 2, _Writer._handover),
    (1, 3, _Writer._lost_once),
    (0.4, 4, _Writer._lost_longer),
    (1, 3, _Writer._renew),
    (1.5, 2, _Writer._hide),
    (0.4, 4, _Writer._stall),
    (0.5, 2, _Writer._remount),
)
_ACTIONS = tuple((cost, action) for _, cost, action in _SHARES)
_WEIGHTS = tuple(sum(share for share, _, _ in _SHARES[: index + 1]) for index in range(len(_SHARES)))
