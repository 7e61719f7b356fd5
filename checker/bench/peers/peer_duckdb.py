"""A window query of DuckDB, on one thread: the state before an event is where the last event that moves has led.

That works because each event of these tables leads to one state wherever it comes from; an event for which that is not
so must be legal in every state that is not final, and is then not asked after.
"""

from __future__ import annotations

from typing import Any

import duckdb
from peer_log import Tables, answer

_QUERY = """
with step as (
  select session, machine, event, seq,
         case machine when 'credential' then cred when 'turn' then turn when 'clip' then clip else '' end as key
  from read_json(?, format = 'newline_delimited', columns = {
    session: 'VARCHAR', machine: 'VARCHAR', event: 'VARCHAR', seq: 'INTEGER',
    cred: 'VARCHAR', turn: 'VARCHAR', clip: 'VARCHAR'})
  where machine is not null
), stood as (
  select step.*, coalesce(
      last_value(moves.target ignore nulls) over (
        partition by step.session, step.machine, step.key order by step.seq
        rows between unbounded preceding and 1 preceding),
      initial.state) as state
  from step
  join initial on initial.machine = step.machine
  left join moves on moves.machine = step.machine and moves.event = step.event
)
select count(distinct (stood.session, stood.machine, stood.key))
from stood
left join legal on legal.machine = stood.machine and legal.state = stood.state and legal.event = stood.event
where legal.event is null
"""


def count_illegal(tables: Tables, log: str) -> int:
    connection = duckdb.connect()
    connection.execute("set threads = 1")
    connection.execute("create table initial (machine varchar, state varchar)")
    connection.execute("create table moves (machine varchar, event varchar, target varchar)")
    connection.execute("create table legal (machine varchar, state varchar, event varchar)")
    for machine, table in tables.items():
        connection.execute("insert into initial values (?, ?)", [machine, table["initial"]])
        for event, target in _targets(machine, table).items():
            connection.execute("insert into moves values (?, ?, ?)", [machine, event, target])
        for source, event, _ in table["moves"]:
            connection.execute("insert into legal values (?, ?, ?)", [machine, source, event])
    row = connection.execute(_QUERY, [log]).fetchone()
    assert row is not None
    return int(row[0])


def _targets(machine: str, table: dict[str, Any]) -> dict[str, str]:
    """Where each event that moves leads. Raises ValueError for tables that a window query cannot follow."""
    found: dict[str, set[str]] = {}
    for source, event, target in table["moves"]:
        if source != target:
            found.setdefault(event, set()).add(target)
    for event, targets in found.items():
        legal_in = {source for source, each, _ in table["moves"] if each == event}
        if len(targets) > 1 and legal_in != set(table["states"]) - set(table["finals"]):
            raise ValueError(f"`{event}` of `{machine}` leads to {sorted(targets)}: not a question for a window")
    return {event: min(targets) for event, targets in found.items()}


if __name__ == "__main__":
    answer(count_illegal)
