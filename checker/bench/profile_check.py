"""Where the time of a check goes: the functions with the largest shares, their own time and with what they call.

    python checker/bench/profile_check.py SPEC LOG [NUMBER]

Functions that are called often look slower than they are: the profiler costs as much as a short call.
"""

from __future__ import annotations

import cProfile
import pstats
import sys

import lifespec


def main() -> None:
    spec, log, *number = sys.argv[1:]
    model = lifespec.load(spec).model
    if model is None:
        sys.exit(f"{spec} has errors")
    check = lifespec.check
    profile = cProfile.Profile()
    profile.enable()
    check(model, [log])
    profile.disable()
    stats = pstats.Stats(profile)
    rows = []
    total = stats.total_tt  # type: ignore[attr-defined]  # not in the types
    for (file, line, name), (_, calls, own, together, _) in stats.stats.items():  # type: ignore[attr-defined]  # as above
        rows.append((own / total, together / total, calls, f"{file.rsplit('/', 1)[-1]}:{line} {name}"))
    print("| own | with calls | calls | function |\n|---|---|---|---|")
    for own, together, calls, name in sorted(rows, reverse=True)[: int(number[0]) if number else 15]:
        print(f"| {own:.1%} | {together:.1%} | {calls:,} | `{name}` |")


if __name__ == "__main__":
    main()
