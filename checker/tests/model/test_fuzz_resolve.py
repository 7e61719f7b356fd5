"""Whatever a text holds, it is resolved or reported: nothing raises, and nothing takes for ever."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from resolve_laws import kept_texts, mutate, resolve_one

KEPT = kept_texts()
SPECS = [path.read_text("utf-8") for path in sorted((Path(__file__).parents[1] / "specs").glob("*.lifespec"))]
CHUNKS = [chunk for spec in SPECS for chunk in spec.split("---\n")] + KEPT


def test_a_kept_text_is_resolved_or_reported() -> None:
    for text in KEPT:
        resolve_one(text)


@given(st.sampled_from(CHUNKS), st.integers(0, 2**32), st.integers(1, 3))
@settings(max_examples=300, deadline=None)
def test_a_changed_text_is_resolved_or_reported(chunk: str, seed: int, times: int) -> None:
    chance = random.Random(seed)
    text = chunk if "lifecycle" in chunk else f"lifecycle test {chunk}"
    for _ in range(times):
        text = mutate(text, chance)
    resolve_one(text)


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_text_is_resolved_or_reported(text: str) -> None:
    resolve_one(text)
    resolve_one(f"lifecycle test machine m {{ initial a  a on e require {text} }}")


def many(count: int, line: str) -> str:
    return "lifecycle test\n" + "\n".join(line.format(i=i, j=i + 1) for i in range(count)) + "\n"


def machine(lines: str) -> str:
    return "lifecycle test\nmachine m {\n  initial s0\n" + lines + "}\n"


LARGE = {
    "parameters that use the next one": many(3000, "param p{i} = p{j}"),
    "parameters that use all": "lifecycle t param a = 1\nparam b = " + " + ".join(["a"] * 90),
    "memories that read the next one": machine(
        "".join(f"  s0 on e{i} remember x{i} = m.x{i + 1}\n" for i in range(2000))
    ),
    "unknown names": many(3000, "rule r{i} {{ when machine-{i} enters s require owner-{i}.x == 1 }}"),
    "unknown states": machine("".join(f"  s0 -> t{i} on e{i}\n" for i in range(2000))),
    "any from many states": machine(
        "  state "
        + ", ".join(f"s{i}" for i in range(1, 1100))
        + "\n"
        + "".join(f"  any -> s1 on e{i}\n" for i in range(1100))
    ),
    "many events from any": machine(
        "  state "
        + ", ".join(f"s{i}" for i in range(1, 1100))
        + "\n  any -> s1 on "
        + ", ".join(f"e{i}" for i in range(1100))
        + "\n"
    ),
    "a chain of states": machine(
        "  state "
        + ", ".join(f"s{i}" for i in range(1, 2000))
        + "\n  final z\n"
        + "".join(f"  s{i} -> s{i + 1} on e\n" for i in range(1998))
    ),
    "a group in conditions": machine(
        "  group g { state " + ", ".join(f"s{i}" for i in range(1, 2000)) + " }\n  s0 -> s1 on e\n"
    )
    + "".join(f"rule r{i} {{ always m in g }}\n" for i in range(1000)),
    "bindings that extend the next one": many(1500, "binding b{i} extends b{j} {{ }}"),
    "a long list of fields": "lifecycle t field " + ", ".join(f"f{i}" for i in range(8_000)) + " : int",
    "a long condition": "lifecycle test rule r { always " + " and ".join(["has x"] * 3000) + " }",
    "a deep condition": "lifecycle test rule r { always " + "not (" * 3000 + "has x" + ")" * 3000 + " }",
    "a long number": "lifecycle test param p = " + "9" * 100_000,
    "a long pattern": 'lifecycle test field f : text like "' + "(a|b)*" * 20_000 + '"',
    "a pattern that repeats": 'lifecycle test field f : text like "((a{100}){100}){100}"',
}


@pytest.mark.parametrize("name", LARGE)
def test_a_large_text_takes_seconds(name: str) -> None:
    started = time.process_time()
    resolve_one(LARGE[name])
    assert time.process_time() - started < 20
