"""Logs made at random that are mostly legal under their model, then damaged; and clients that show more or less.

Owns the making of records and clients. What is legal is asked of the reference engine, record by record.
"""

from __future__ import annotations

import random
from dataclasses import replace
from decimal import Decimal

from lifespec.engine.reference import Monitor
from lifespec.engine.reference_state import Instance
from lifespec.model.model import After, At, Model, On, OnPart, Transition
from lifespec.model.value import Duration, Instant, LogValue
from lifespec.trace.event import Client, Event, Record
from lifespec.verdict import Place

SECOND = 1_000_000_000
STEPS_NS = (*(int(s * SECOND) for s in (0, 0, 0.5, 1, 1, 2, 3, 3, 4, 5, 6, 9, 12)), 3 * SECOND + 1, 1)
KEY_VALUES: tuple[LogValue, ...] = (1, 1, 1, 2, 2, "1", True, Decimal("2.0"), Decimal("0.5"))
PLAIN_KEYS: tuple[LogValue, ...] = ("1", "1", "1", "2", "2", "x", "x", "y", 1)
STRANGE_KEYS: tuple[LogValue, ...] = (None, " ", "", [1], Duration(SECOND), 3)
OWNERS = ("app", "net")


def make_records(model: Model, seed: int, length: int = 30, *, is_plain: bool = False) -> list[Record]:
    """A log of some sessions, the same for the same model and seed. A plain one has few fields and little damage."""
    return _Log(model, random.Random(seed), is_plain=is_plain).make(length)


class _Log:
    def __init__(self, model: Model, dice: random.Random, *, is_plain: bool) -> None:
        self.model = model
        self.is_plain = is_plain
        self.dice = dice
        self.guide = Monitor(model, Client())
        self.clocks: dict[str, int] = {}
        self.host = ""  # whose clock the last record has
        self.names = self._names()
        # How far the log strays from what is legal, in percent of the parts of its records.
        self.damage = dice.choice((0, 0, 1, 3) if is_plain else (0, 1, 3, 8, 20))
        self.hosts: dict[str, int] = {}  # where several clocks speak (S59), how far each is ahead
        if not is_plain and self.chance(25):
            self.hosts = {"": 0, "x": dice.choice((1, -700 * SECOND, 2 * SECOND)), "y": dice.choice((SECOND, 10**15))}

    def chance(self, percent: int) -> bool:
        return self.dice.randrange(100) < percent

    def _names(self) -> list[str]:
        names = {*self.model.events}
        for machine in self.model.machines.values():
            names |= machine.ignored
        for pause in self.model.pauses:
            names |= {*pause.begins, *pause.ends}
        for rule in self.model.rules:
            for part in rule.parts:
                if isinstance(part, OnPart):
                    names.update(part.events)
        return sorted(names) or ["nonsense"]

    def make(self, length: int) -> list[Record]:
        sessions = "abc"[: self.dice.randint(1, 3)]
        records: list[Record] = []
        for line in range(1, length + 1):
            session = self.dice.choice(sessions)
            clock = self.clocks.get(session, 0) + self.dice.choice(STEPS_NS)
            self.clocks[session] = clock
            if self.chance(self.damage):
                clock -= self.dice.choice((1, 3 * SECOND, 50 * SECOND))
            events = tuple(self.event(session) for _ in range(self.dice.choice((1,) * 12 + (2, 2, 3, 0))))
            host = self.dice.choice(tuple(self.hosts)) if self.hosts and self.chance(40) else self.host
            self.host = host
            record = Record(
                Place("log", line),
                None if self.chance(2) else session,
                clock + self.hosts.get(host, 0),
                events,
                self.body(events),
                ends_session=line > length - 6 and self.chance(6),
                time_taken=bool(self.hosts) and self.chance(self.damage),
                clock=host,
            )
            records.append(record)
            self.guide.feed(record)
        return records

    def body(self, events: tuple[Event, ...]) -> LogValue:
        return {f"e{number}": dict(event.fields) for number, event in enumerate(events)}

    # --- events --------------------------------------------------------------------------------------

    def event(self, session: str) -> Event:
        event = self.legal(session) if self.chance(93 if self.is_plain else 80) else None
        if event is None:
            event = Event(self.dice.choice(self.names), owner=self.dice.choice(OWNERS), fields=self.fields(()))
        return self.damaged(event)

    def legal(self, session: str) -> Event | None:
        """A transition out of a state that some instance is in now."""
        found = self.guide.sessions.get(session)
        instances = list(found.instances.values()) if found is not None else []
        names = list(self.model.machines)
        machine = self.model.machines[self.dice.choice(names)]
        own = [instance for instance in instances if instance.machine is machine]
        instance: Instance | None = self.dice.choice(own) if own and (not machine.keys or self.chance(70)) else None
        state = self.dice.choice(instance.in_order()) if instance is not None else machine.initial
        ways = [t for t in machine.transitions if state in t.sources and self._has_record(t)]
        if not ways:
            return None
        way = self.dice.choice(ways)
        goes = self.dice.choice(way.targets) if way.targets else state
        owed = set(way.requires) | (set(machine.states[goes].requires) if way.targets else set())
        fields = self.fields(sorted(owed))
        for position, key in enumerate(machine.keys):
            new = PLAIN_KEYS if self.is_plain else KEY_VALUES
            fields[key] = instance.key[position][1] if instance is not None else self.dice.choice(new)  # type: ignore[assignment]  # a float is not made
            if isinstance(fields[key], float):
                fields[key] = Decimal(str(fields[key]))
        owner = self.dice.choice(way.owners) if way.owners else self.dice.choice((*OWNERS, None))
        return self._told(way, machine.name, state, goes, owner, fields)

    @staticmethod
    def _has_record(way: Transition) -> bool:
        return way.trigger is None or isinstance(way.trigger, On | After | At)

    def _told(
        self, way: Transition, machine: str, state: str, goes: str, owner: str | None, fields: dict[str, LogValue]
    ) -> Event:
        trigger = way.trigger
        name: str | None = None
        if isinstance(trigger, On):
            name = self.dice.choice(trigger.events)
        elif trigger is None and self.chance(30):
            name = "whatever"
        if trigger is not None and not isinstance(trigger, On):
            target: str | None = goes  # confirms what the clock has done, or will do
        else:
            target = goes if trigger is None or self.chance(20) else None
        if name is not None and trigger is not None and target is not None and way.targets and self.chance(15):
            name = None
        source = self.dice.choice((state, state, self.dice.choice(way.sources))) if self.chance(15) else None
        status = name is None and target is not None and self.chance(40)
        named = machine if self.chance(15) or name is None else None
        if isinstance(trigger, On) and trigger.of is not None:
            named = trigger.of if self.chance(20) else None
        return Event(name, named, source, target, status, owner, fields)

    def fields(self, owed: object) -> dict[str, LogValue]:
        """Good values for what is owed, and for most others."""
        dice = self.dice
        wanted = {*owed}  # type: ignore[misc]  # names
        clock = max(self.clocks.values(), default=0)
        values: dict[str, tuple[LogValue, ...]] = {
            "n": (0, 1, 2, 3, Decimal("2.0")),
            "f": (Decimal("0.5"), 1, Decimal("1e30")),
            "d": (1, 2, Decimal("0.5"), "3s", Duration(2 * SECOND)),
            "u": tuple(Instant(clock + s * SECOND) for s in (-1, 0, 2, 5)),
            "ok": (True, False),
            "label": ("abc", "gone"),
            "reason": ("gone", "late"),
            "free": ("abc", "ABC", 7, Decimal("7.5"), True, Duration(SECOND), ["x", {"y": "z"}]),
            "k": PLAIN_KEYS if self.is_plain else KEY_VALUES,
            "h": PLAIN_KEYS if self.is_plain else KEY_VALUES,
        }
        made: dict[str, LogValue] = {}
        for name, options in values.items():
            often = (40, 5) if self.is_plain else (90, 55)
            if name in wanted or self.chance(often[0] if name in ("k", "h") else often[1]):
                made[name] = dice.choice(options)
        return made

    # --- damage --------------------------------------------------------------------------------------

    def damaged(self, event: Event) -> Event:
        dice, damage = self.dice, self.damage
        states = [state for machine in self.model.machines.values() for state in machine.states]
        fields = dict(event.fields)
        if self.chance(damage):
            event = replace(event, name=dice.choice((*self.names, "nonsense", None)))
        if self.chance(damage):
            event = replace(event, machine=dice.choice((*self.model.machines, "nonsense", "m00", None)))
        if self.chance(damage):
            event = replace(event, target=dice.choice((*states, "nonsense", None)))
        if self.chance(damage):
            event = replace(event, source=dice.choice((*states, "nonsense")))
        if self.chance(damage):
            event = replace(event, owner=dice.choice(("app", "net", "other", "", None)))
        if self.chance(damage):
            event = replace(event, status=event.target is not None)
        for name in list(fields):
            if self.chance(damage // 2):
                del fields[name]
        if self.chance(damage):
            fields[dice.choice(("k", "h"))] = dice.choice(STRANGE_KEYS)
        if self.chance(damage):
            strange: dict[str, tuple[LogValue, ...]] = {
                "n": (-1, Decimal("2.5"), "x", None),
                "f": ("x", None, -(2**63)),
                "d": ("soon", None, -1, Duration(2**62)),
                "u": ("never", None, Instant(253_402_300_799 * SECOND)),
                "ok": (1, "true", None),
                "label": ("ABC", 7, ""),
                "reason": ("other", " ", 7, None),
                "free": ("a@b.example", "s3cr3t", "", None, ["x", {"y": "s3cr3t"}], Instant(0)),
            }
            name = dice.choice(list(strange))
            fields[name] = dice.choice(strange[name])
        return replace(event, fields=fields)


# --- clients -------------------------------------------------------------------------------------------

KINDS = ("complete", "cut", "sampled", "events", "fields", "machines", "owners", "untimed", "whole", "mixed")


def make_client(model: Model, kind: str, seed: int) -> Client:
    """A client of this kind, the same for the same model and seed."""
    dice = random.Random(seed)
    if kind == "mixed":
        made = Client()
        for each in dice.sample(KINDS[1:-1], 2):
            made = _with(made, model, each, dice)
        return made
    return _with(Client(), model, kind, dice)


def _with(client: Client, model: Model, kind: str, dice: random.Random) -> Client:
    if kind == "cut":
        return replace(client, cut_start=True)
    if kind == "sampled":
        return replace(client, sampled=True)
    if kind == "events":
        names = sorted(
            {
                e
                for m in model.machines.values()
                for t in m.transitions
                if isinstance(t.trigger, On)
                for e in t.trigger.events
            }
        )
        return replace(client, lacking_events=frozenset(dice.sample(names, min(len(names), dice.randint(1, 3)))))
    if kind == "fields":
        return replace(client, lacking_fields=frozenset(dice.sample(("n", "d", "u", "ok", "reason", "free", "f"), 2)))
    if kind == "machines":
        return replace(
            client,
            lacking_machines=frozenset((dice.choice(list(model.machines)),)),
            ignored_machines=frozenset(("nonsense",)),
        )
    if kind == "owners":
        return replace(client, has_owner=False)
    if kind == "untimed":
        return replace(client, has_time=False)
    return replace(client, whole=True) if kind == "whole" else client


def told_by(client: Client, records: list[Record], seed: int) -> list[Record]:
    """The records as this client tells them; now and then it says more than it should."""
    dice = random.Random(seed)
    if client.sampled:
        records = [record for record in records if dice.random() < 0.8]
    if client.cut_start:
        records = records[dice.randint(0, len(records) // 2) :]
    if not client.has_time:
        records = [replace(record, time_ns=None) for record in records]
    if not client.has_owner:
        records = [_changed(record, owner=None) for record in records]
    if client.lacking_events and dice.random() < 0.8:
        records = [r for r in records if all(e.name not in client.lacking_events for e in r.events)]
    if client.lacking_fields and dice.random() < 0.8:
        records = [_without(record, client.lacking_fields) for record in records]
    return records


def _changed(record: Record, **parts: None) -> Record:
    return replace(record, events=tuple(replace(event, **parts) for event in record.events))  # type: ignore[arg-type]  # may be None


def _without(record: Record, names: frozenset[str]) -> Record:
    events = tuple(
        replace(event, fields={name: value for name, value in event.fields.items() if name not in names})
        for event in record.events
    )
    return replace(record, events=events)
