"""Specifications and logs at the edges of values, counts and times. Owns these texts and records only."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from typing import Any

from lifespec.model.value import Duration, Instant, LogValue
from lifespec.trace.event import Event

SECOND = 1_000_000_000
BIG = 2**63 - 1
Edge = tuple[str, str, list[Any]]  # a name, a specification, and for each record its time and its events


def edge_logs() -> Iterator[Edge]:
    """All of them."""
    yield "arithmetic", ARITHMETIC, list(_arithmetic())
    yield "times", TIMES, list(_times())
    yield "comparisons", COMPARISONS, list(_comparisons())
    yield "aggregates", AGGREGATES, list(_aggregates())
    yield "clock", CLOCK, _clock()
    yield "reactions", REACTIONS, _reactions()
    yield "others", OTHERS, _others()
    yield "lost", LOST, _lost()
    yield "witnesses", WITNESSES, _witnesses()


def _event(name: str, **fields: LogValue) -> Event:
    return Event(name, fields=fields)


# What is remembered is shown by the witnesses of a rule that never holds, which stands on another record.
ARITHMETIC = """
lifecycle arithmetic
field a, b : int
field f, g : number
event show
machine m {
  initial s
  s on ask remember plus = a + b, minus = a - b, times = a * b, over = a / b, mix = a * f, by = f / g, sub = f - g,
                    add = f + g, neg = -a, negf = -f
}
rule shown { on show require m.plus == 1 and m.minus == 1 and m.times == 1 and m.over == 1 and m.mix == 1 and m.by == 1
                        and m.sub == 1 and m.add == 1 and m.neg == 1 and m.negf == 1 and false }
rule known { on ask require has m.plus require has m.minus require has m.times require has m.over require has m.mix
                    require has m.by require has m.neg }
"""


def _arithmetic() -> Iterator[Any]:
    whole: tuple[LogValue, ...] = (0, 1, 2, 3, -1, BIG, -(2**63), 2**62, 2**62 + 1, -(2**62), None)
    real: tuple[LogValue, ...] = (0, 1, Decimal("0.1"), Decimal("1e308"), Decimal("-1e308"), Decimal("1e-308"), None)
    for number, (a, b) in enumerate(product(whole, whole)):
        f, g = real[number % 7], real[number // 7 % 7]
        yield (number * SECOND, _event("ask", a=a, b=b, f=f, g=g))
        yield (number * SECOND, _event("show"))


TIMES = """
lifecycle times
field d, e : duration
field u, v : instant
field a : int
field f : number
event show
machine m {
  initial s
  s on ask remember plus = d + e, minus = d - e, times = a * d, part = f * d, over = d / a, share = d / f,
                    ratio = d / e,
                    later = u + d, sooner = u - d, apart = u - v, neg = -d
}
rule shown { on show require m.plus == 1s and m.minus == 1s and m.times == 1s and m.part == 1s and m.over == 1s
                        and m.share == 1s and m.ratio == 1 and m.later == time and m.sooner == time
                        and m.apart == 1s and m.neg == 1s and false }
rule known { on ask require has m.plus require has m.times require has m.part require has m.over require has m.share
                    require has m.later require has m.sooner require has m.apart require has m.ratio }
rule order { on ask require d < e require u <= v require time - u > 1ns require u >= v require d != e
                    require 2 * d >= e }
"""


def _times() -> Iterator[Any]:
    lengths: tuple[LogValue, ...] = tuple(Duration(ns) for ns in (0, 1, 3, 5, 7, -3, SECOND, BIG, -(2**63), 2**62))
    first, last = -62_135_596_800 * SECOND, 253_402_300_800 * SECOND - 1
    points: tuple[LogValue, ...] = (
        *(Instant(ns) for ns in (0, 5, first, first + 1, last, last - 1)),
        None,
    )
    numbers: tuple[LogValue, ...] = (0, 1, 2, 3, -2, 2**40)
    factors: tuple[LogValue, ...] = (
        Decimal("0.5"),
        Decimal("1.5"),
        Decimal("-2.5"),
        0,
        Decimal("1e300"),
        Decimal("0.1"),
        2,
    )
    for number, (d, e) in enumerate(product(lengths, lengths)):
        u, v = points[number % 7], points[number // 7 % 7]
        yield (number, _event("ask", d=d, e=e, u=u, v=v, a=numbers[number % 6], f=factors[number // 3 % 7]))
        yield (number, _event("show"))


COMPARISONS = """
lifecycle comparisons
field ok, no : bool
field t : text
machine m per k { initial s  final z  s on ask remember x = a, y = b, q = t  s -> z on end }
rule same   { on ask require a == b }
rule other  { on ask require a != b }
rule less   { on ask require a < b }
rule most   { on ask require a <= b }
rule more   { on ask require a > b }
rule least  { on ask require a >= b }
rule truth  { on ask where ok require no or t == "z" }
rule one    { on ask require a in 1, "1", 2.5, x }
rule none   { on ask require a not in 1, "1", 2.5, x }
rule likes  { on ask require a like "[a-z]*" require t like "." }
rule key    { on ask require m[k].x == m[k].y require m[k].k == k require m[a].k == a require has m[b].k }
rule unset  { on ask require not ok require not (no and ok) require has a and not has b }
rule asked  { on ask expect told same a, b within 1s }
event told
"""
_LISTED: LogValue = [1]
_VALUES: tuple[LogValue, ...] = (
    *(1, 2, Decimal("1.0"), Decimal("2.5"), "1", "x", "", " ", True, False, None),
    *(Duration(1), Instant(1), Duration(2), Instant(2), _LISTED, {"x": _LISTED}),
)


def _comparisons() -> Iterator[Any]:
    for number, (a, b) in enumerate(product(_VALUES, _VALUES)):
        ok = (True, False, None, True, 1)[number % 5]
        text = ("a", "z", "m", None, "zz")[number // 5 % 5]
        fields: dict[str, LogValue] = {
            "a": a,
            "b": b,
            "k": _VALUES[number // 3 % 17],
            "ok": ok,
            "no": not ok,
            "t": text,
        }
        yield (number * SECOND // 4, _event("ask", **fields))
        if number % 3:
            yield (number * SECOND // 4, _event("told", **{**fields, "a": _VALUES[(number + number % 2) // 17 % 17]}))


AGGREGATES = """
lifecycle aggregates
field a : int
machine m per k { initial s  state t, u  s -> t on ask remember x = a, y = b  t -> u on go  u -> t on ask remember x = a
                  t on add remember x = m.x + a  any -> u on lose }
machine p { initial low  state high  low -> high on up  high -> low on down  low, high on ask remember z = a }
rule sums  { on show require sum(m.x in t) == 7 require min(m.x in t) == 7 require max(m.x in t) == 7
                     require count(m in t) == 7 }
rule some  { on show require sum(m.x in t, u where m.x > 1) < 0 require max(m.x in t where m.y == 1) < 0
                     require min(m.x in t where has m.y) > 9 require count(m in s, t where m.k == 1) > 9 }
machine q { initial s  s on tell remember c = count(m in t), v = count(m in t where m.x > 1), w = sum(m.x in t) }
rule few   { always count(m in t where p in high) <= 1 }
rule two   { always p in low or count(m in t) <= 1 }
rule three { always count(m in t) <= 2 and (p in high or m[1] in s) }
rule told  { on show require has q.c require has q.v require has q.w require q.c + q.v + q.w == 0 }
rule calm  { always sum(m.x in t where m.x < p.z) < 4 }
rule often { on ask at most 1 while count(m in t where p in low) > 1 }
rule sign  { while count(m in t where p in high) > 0 expect go every 2s }
rule each  { while m in t and p in high and m.x > 0 expect ask where k == m.k every 3s }
rule enter { when m enters t require m.x != 2 expect go where k == m.k or p in high within 2s }
event show
"""


def _aggregates() -> list[Any]:
    found: list[Any] = []
    clock = 0
    for number in range(120):
        clock += (0, 1, 1, 3)[number % 4] * SECOND // 2
        name = ("ask", "show", "go", "up", "tell", "add", "show", "down", "ask", "lose")[
            (number * 7 + number // 10) % 10
        ]
        a: LogValue = (0, 1, 2, 3, None, BIG, "x")[(number * 3) % (4 if number < 60 else 7)]
        found.append(
            (clock, _event(name, a=a, b=(1, Decimal("0.5"), None)[number % 3], k=(1, 2, 3, "1")[number // 2 % 4]))
        )
    return found


CLOCK = """
lifecycle clock
field u : instant
machine tick { initial a  state b  a -> b after 1ms  b -> a after 1ms  a, b on poke }
machine slow { initial a within 5s  state b within 5s  a -> b after 2s  b -> a on back  a -> a on again
               b -> b after 4s }
machine till per k { initial a  state b within 1s  a on set remember until = u  a -> b at till.until
                     b -> a on set remember until = u }
rule in-b { on poke require tick in b require slow in a require till[1] in b }
rule calm { always not (slow in b and tick in b) }
pause between hide and show
"""


def _clock() -> list[Any]:
    at = SECOND
    return [
        (0, _event("poke")),
        (at, _event("set", k=1, u=Instant(at + 5)), _event("set", k=2, u=Instant(at - 5))),
        (at + 4, _event("poke")),
        (at + 5, _event("poke")),
        (at + 6, _event("hide")),
        (4 * at, _event("back")),
        (5 * at, _event("show"), _event("set", k=1, u=Instant(20 * at))),
        (6 * at, _event("again")),
        (6 * at, _event("poke")),
        (6 * at + 998_000_000, _event("poke")),
        (8 * at, _event("poke")),
        (8 * at + 1, _event("again"), _event("back")),
        (13 * at, _event("poke")),
        (13 * at, _event("back")),
        (13 * at + 5, _event("poke")),
        (60 * at, _event("poke")),
        (60 * at, _event("set", k=1, u=Instant(61 * at))),
        (61 * at, _event("poke")),
    ]


REACTIONS = """
lifecycle reactions
field n : int
field u : instant
machine lamp { initial off  group lit { state low  state high }
               off, low, high -> low on dim  off, low, high -> high on lift  low, high -> off on douse }
machine gate { initial shut  state ajar, wide  shut -> ajar after 3s where lamp in high remember t = time, x = 5
               ajar -> wide after 2s where gate.x > 4 and lamp in lit remember x = n  wide -> shut on close
               shut -> wide at gate.u where lamp in low remember t = time  shut on set remember u = u, x = n }
machine cat  { initial in-side  state out  in-side -> out when gate enters wide remember x = n, t = time
               out -> in-side when lamp enters lit where cat.x != 2 remember x = cat.x + 1
               out when gate enters shut remember y = n }
machine kit per k { initial a  state b, c  a -> b on born remember x = n
               b -> c when another kit enters b remember x = kit.x + 1
               c -> b when kit[kit.x] enters c where lamp in lit remember y = event  c -> a when gate enters ajar
               b -> a when cat enters out }
rule cat { on look require cat.x == 9 and cat.t == time require has cat.y require cat in in-side require gate.x == 1 }
rule kit { on look require kit[1].x == 9 require kit[2].x == 9 require kit[2] in c require has kit[2].y
                     require kit[1] in b }
rule each { when kit enters c require kit.x == 0  when lamp enters lit require cat in in-side
            when kit[k] enters b, c require gate in shut expect kit[k] in c within 2s }
event look
"""


def _reactions() -> list[Any]:
    found: list[Any] = []
    names = ("look", "lift", "born", "set", "look", "born", "douse", "dim", "close", "look", "lift")
    clock = 0
    for number in range(110):
        clock += (0, 1, 2, 3, 0)[number % 5] * SECOND
        name = names[(number * 7 + number // 11) % 11]
        point = Instant(clock + (number % 3 - 1) * SECOND)
        fields: dict[str, LogValue] = {"n": number % 4, "k": number % 3, "u": point if number % 5 else None}
        found.append((clock, _event(name, **fields)))
    return found


OTHERS = """
lifecycle others
machine lead { initial a  state b, c  failure bad  final z  a -> b on go  b -> c on go  c -> a on go
               any -> z on end  a, b -> a, c  b -> bad on fail  a, b, c on see }
machine tail per k, h { initial a  state b, c  a -> b on go of lead  b -> c on own  c -> b on go of lead
                        b on see of lead  a on own }
machine echo { initial quiet  state loud  ignore hum, see  quiet -> loud when lead enters b, c
               loud -> quiet when tail[1, "x"] enters b
               loud -> quiet on hush }
machine post { initial x  state y  x -> y on go of lead  y -> x on see of lead }
machine flag { initial down  state up  final gone  down -> up  up -> down, gone }
rule both { on go of lead require tail[k, h] in b  on own require echo in loud }
rule into { when tail[1, "x"] enters b, c require echo in quiet  when lead enters b require tail[1, "x"] in b }
"""


def _others() -> list[Any]:
    one: dict[str, LogValue] = {"k": 1, "h": "x"}
    found: list[Any] = [
        (0, Event("go", fields=one)),
        (1, Event("go", "lead", fields={"k": 1})),
        (2, Event("go", "tail", fields=one)),
        (3, Event("own", fields=one), Event("own", fields={"k": 1})),
        (4, Event("see", fields=one)),
        (5, Event("hum"), Event("hum", "echo"), Event("hum", "lead")),
        (6, Event(None, "flag", None, "up")),
        (7, Event(None, None, None, "gone")),
        (8, Event("lift", None, None, "down"), Event("lift", "flag", None, "down")),
        (9, Event("go", None, None, "c", fields=one), Event("go", None, "c", "a", fields=one)),
        (9, Event("go", None, None, "y"), Event("see", None, "y", "x"), Event("see", None, None, "y")),
        (10, Event(None, "lead", None, "b", status=True), Event(None, "lead", None, "c", status=True)),
        (
            11,
            Event("strange"),
            Event("strange", "led"),
            Event("strange", "xyzzyq"),
            Event("strange", "lead", None, "b"),
        ),
        (12, Event("strange", "tail", None, "c", fields=one), Event("strange", "tail", None, "c")),
        (13, Event("go", None, None, "nowhere", fields=one), Event("go", None, "nowhere", None, fields=one)),
        (14, Event("fail", fields={"reason": " "}), Event("go", fields=one)),
        (15, Event("end", fields=one), Event("end", fields=one), Event("go", fields=one)),
        (16, Event(), Event(None, "lead"), Event(None, "nobody", None, "b"), Event(None, None, None, "nowhere")),
    ]
    return [*found, *((20 + time, *events) for time, *events in found), (99, Event("end"))]


LOST = """
lifecycle lost
machine m {
  initial a
  state b within 5s
  state c within 5s
  failure bad
  a -> b on go
  b -> c on go
  a, b, c on tick remember x = n
  c -> a on back
  a, b -> bad on fail
  c -> c after 9s
  a, b, c -> b on jump requires n remember x = n
}
machine w { initial p  state q, r  p -> q when m enters b where w in p  p -> r when m enters b, c  q, r -> p on look }
rule into { on look require w in p  on tick require w in p, q }
rule seen { on look require m in a require m.x == 1 require m not in b, c }
rule stay { while m in b, c expect tick every 4s }
event look
"""


def _lost() -> list[Any]:
    found: list[Any] = []
    clock = 0
    for number in range(90):
        clock += (0, 1, 3, 0, 6)[number % 5] * SECOND
        name = ("tick", "go", "look", "tick", "jump", "back", "look", "fail")[(number * 5 + number // 8) % 8]
        source = (None, "a", "b", "c", None, "bad")[number * 7 % 6]
        target = ("a", "b", "c", None, None, None, None)[number % 7]
        found.append(
            (clock, Event(name, None, source, target, fields={"n": number % 3, "reason": "x" if number % 2 else None}))
        )
    return found


WITNESSES = """
lifecycle witnesses
field u : instant
field n : int
event look
field d : duration
machine m per k { initial s  state t  s -> t on go remember x = n, w = u, e = d, o = owner, v = event  t -> s on stop }
machine p { initial s  state t  s -> t on go remember x = n, o = owner
            t -> s on stop require p.x == n and m[k].x == n and (p.x == 1 or not (p in s)) }
rule all  { on look require count(m in t where m.x > 0) + sum(m.x in t) == 0 }
rule some { on look require not (m[k].x == p.x and m[k].w <= time and m[k].e < 9s and m[k].o == p.o) and p.x in 7, 8 }
rule keys { on look require m[m[k].x].k == m[p.x].k and has m[m[k].x].w and -p.x == 1 and m[k].v like "x" }
rule goes { when m enters t require p in s or m.x - p.x == 9 }
"""


def _witnesses() -> list[Any]:
    found: list[Any] = []
    for number in range(60):
        name = ("go", "look", "go", "go", "look", "stop", "look")[number % 7]
        fields: dict[str, LogValue] = {"k": number % 11, "n": number % 4, "u": Instant(number), "d": Duration(number)}
        found.append((number, Event(name, fields=fields, owner=("x", "", None)[number % 3])))
    return found
