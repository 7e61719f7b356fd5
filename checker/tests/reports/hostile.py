"""A log that tries to speak to whoever reads its report, and the report of it."""

from __future__ import annotations

import json
from io import BytesIO

from lifespec.check import Log, Options, check
from lifespec.load import load_text
from lifespec.model.model import Model
from lifespec.reports.report import Report

SPEC = """lifecycle socket
owner client, server
field code : int
machine connection {
  initial idle
  state   open within 10s
  final   closed
  idle -> open    on opened by server
  open -> closed  on close
}
rule greeted "says [hello](http://x.example)" { on close require connection in closed }
"""

NASTY = (
    "\x1b[31mred\x1b[0m",
    "a\n::error file=x.lifespec,line=1::forged",
    "::stop-commands::x",
    "##[add-mask]secret",
    "%0A::error::x",
    "]]><failure/>",
    "<script>alert(1)</script>",
    "a | b | `c` **d** @everyone #1 ![x](http://evil.example/x.png)",
    "[link](http://evil.example)",
    "```\n# heading\n```",
    "\x00\x08\ufffe\uffff\ud800",
    "\u202egnp.exe\u2028\x9b31m",
    "{0} {1}",
    "a,b:c%d\r\ne",
    "x" * 1_000_000,
)


def records() -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for number, text in enumerate(NASTY):
        found += [
            {"time": number, "session": text, "event": text},
            {"time": number, "session": text, "event": "opened", "owner": text, "code": text},
            {"time": number, "session": text, "machine": "connection", "to": text},
            {"time": number, "session": text, "machine": text, "event": "nobody"},
        ]
    return found


def model() -> Model:
    found = load_text(SPEC, "socket.lifespec").model
    assert found is not None
    return found


def written(values: list[dict[str, object]]) -> bytes:
    return "".join(f"{json.dumps(value)}\n" for value in values).encode()


def hostile_report(examples: int | None = 5) -> Report:
    data = written(records()) + b'{"time": \x1b[31m "\x00"}\n'
    report = check(model(), [Log("night [1].jsonl", BytesIO(data))], options=Options(examples=examples))
    assert len(report.groups) > 4
    return report
