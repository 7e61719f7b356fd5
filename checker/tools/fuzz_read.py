"""Fuzzes reading: any bytes under several bindings, with atheris.

    python checker/tools/fuzz_read.py [options of libFuzzer] FOLDER...

The first byte chooses the binding, the rest is the log. Reading must never raise, and every line must be
accounted for. `checker/tests/trace/test_fuzz_read.py` runs `read_one` on the small corpus that is kept.
"""

from __future__ import annotations

import io
import sys
from functools import cache

from lifespec.model.resolve import resolve
from lifespec.source import Source
from lifespec.syntax.parser import parse
from lifespec.trace.binding import compile_binding
from lifespec.trace.compiled import CompiledBinding
from lifespec.trace.event import Record
from lifespec.trace.library import library_units
from lifespec.trace.reader import Reader

SPEC = """lifecycle webrtc

owner client
field reason : one of network-lost, user-left
field delay  : duration

machine connection owned by client {
  initial new
  state   connected
  failure failed
  final   closed
  new       -> connected  on opened
  connected -> failed     on failed
  any       -> closed     on closed
}

machine object per pc {
  initial none
  final   done
  none -> done  on close, create
}

binding rows {
  read json-lines  after "M"  header first  rows [code, id, value?, ..., delta]
  session = "{file.name}/{header.id}" else id else previous
  time    = delta as ms since previous else value as iso8601 zone "Europe/Berlin" else previous
  event   = code
  pc      = id
  reason  = value else previous
  rename event 39 -> opened, "{a}.{b}" -> "{b}", closed -> none
  rename reason 1006 -> network-lost, unknown -> none
  on opened  emit connection to value as json else value  ends session
}

binding paths {
  read json-lines
  let span = attributes.'span.id' else record.spans[0].id
  session = span else data.id else id
  time    = ts as (unit) since origin.at as s since epoch else at as iso8601 else ts as us since start
  event   = data.type else kind
  machine = attributes.machine
  from    = from
  to      = to
  owner   = owner
  count   = items[].n
  delay   = wait as ms
  fields from attributes, record
  rename owner sent -> client, received -> server
  rename state of connection UP -> connected, "{x}:{y}" -> "{y}"
  on "{what}.{rest}"  where rest like "[a-z]+" and (n > 2 or not items[].n contains 3)  emit "{what}" with why = rest
  on failed, 'x.y'    where n * 2 / d - 1 >= 0.5
                      emit failed of connection from from to "failed" by "client" with reason = why
  on any              where has last and kind in closed, "done", 3  emit connection in kind  ends session
  ignore "ui.{x}"  ignore machines audio  ignore where level == "debug"
  ignore any except opened where n != 7
  allow duplicate-key "it is so"
}

binding document {
  read json  each side: trace in traces  each record in trace.events  rows named by trace.fields
  let from-trace = trace.id else header.id
  session = "{from-trace}/{side}" else previous
  time    = time as (trace.unit else "ms") since previous else previous
  event   = name
  on packet  each at: frame in data.frames  each x in frame  match x.text "{what}:{rest}"  where what != "no"
             emit "{what}" with pc = rest, at = at
  on opened  same session as data.other  begins session
  ignore any
  unique by record
}

binding sequence {
  read json-seq header first
  session = header.id else s
  time    = t as ms since start
  event   = e
  order by n from 0
  clock per host else previous
  on failed  begins session  ends session
}

binding table {
  read csv separated by ";" rows [s, t, e, _, who?]
  session = s
  time    = t as s since epoch else t
  event   = e
  owner   = who
  order by time within 2s
  unique by "{s}/{t}"
}

binding named-table { read csv  session = s  time = none  event = e  fields from record }

binding words {
  read text after "M" header first
  match record "{s} {rest}"  match rest "{e}={pc}"  match rest "{e}"
  session = s  time = none  event = e  pc = pc
  on any  match rest "{} to {state}"  emit connection to state
}

binding batches {
  read json-lines  each a in as  each name: record in a.list
  session = a.id else name  time = none  event = event else name
}
"""
NAMES = (
    *("default", "rtcstats", "rtcstats-v3", "rows", "paths", "document", "sequence", "table", "named-table", "words"),
    *("batches", "otlp", "cloudevents"),
)


@cache
def bindings() -> tuple[CompiledBinding, ...]:
    """The bindings that the first byte chooses among."""
    source = Source("fuzz.lifespec", SPEC)
    ast, syntax = parse(source)
    model, findings = resolve([(source, ast)], None, library_units())
    assert model is not None, (syntax, findings)
    made = [compile_binding(model, model.bindings[name]) for name in NAMES]
    assert all(compiled is not None for compiled, _ in made), made
    return tuple(compiled for compiled, _ in made if compiled is not None)


def read_one(data: bytes) -> None:
    """Reads `data[1:]` by the binding that `data[0]` chooses; raises AssertionError when a line is lost."""
    every = bindings()
    reader = Reader(every[data[0] % len(every)] if data else every[0], "fuzz.jsonl.gz")
    events = 0
    for item in reader.read(io.BytesIO(data[1:])):
        if isinstance(item, Record):
            events += len(item.events)
            for event in item.events:
                assert event.name is None or event.name
    counts = reader.counts
    accounted = counts.records + counts.blank + counts.malformed + counts.headers
    assert counts.lines - counts.unfolded + counts.items == accounted
    assert counts.events == events


def main() -> None:
    import atheris  # only where fuzzing is done

    bindings()
    atheris.instrument_all()
    atheris.Setup(sys.argv, read_one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
