"""Checks one log through the public API and times that alone, without start-up and without reading the lifecycle.

    python checker/bench/timed_check.py SPEC LOG [BINDING]

Prints {"lines", "events", "sessions", "findings", "seconds", "cpu_seconds", "status"} as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter

import lifespec


def main() -> None:
    spec, log, *binding = sys.argv[1:]
    model = lifespec.load(spec).model
    if model is None:
        sys.exit(f"{spec} has errors")
    from lifespec.check import Options  # imported here, rather than while the time is taken

    check = lifespec.check
    began, began_cpu = time.perf_counter(), time.process_time()
    report = check(model, [log], binding=binding[0] if binding else None, options=Options(examples=5))
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - began_cpu
    found: Counter[str] = Counter()
    for group in report.groups:
        found[group.name] += group.count
    print(
        json.dumps(
            {
                "lines": sum(summary.records for summary in report.logs),
                "events": sum(summary.events for summary in report.logs),
                "sessions": sum(summary.sessions for summary in report.logs),
                "findings": dict(found),
                "seconds": seconds,
                "cpu_seconds": cpu_seconds,
                "status": report.status(),
            }
        )
    )


if __name__ == "__main__":
    main()
