"""The examples of spec/bindings.md are what reading gives."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
from reading import compiled, read

from lifespec.model.value import Duration, Instant, Unread
from lifespec.trace.event import Event, Record
from lifespec.verdict import Violation

PAGE = (Path(__file__).parents[3] / "spec" / "bindings.md").read_text("utf-8")
BLOCK = re.compile(r"^### (B\d+)|^```([\w-]+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def examples() -> list[tuple[str, str, str, str]]:
    """Rule, binding with its lifecycle, log and what is to come of it."""
    lifecycle, *rest = [(found[1], found[2], found[3]) for found in BLOCK.finditer(PAGE)]
    found: list[tuple[str, str, str, str]] = []
    rule = binding = log = ""
    for heading, kind, text in rest:
        if heading is not None:
            rule = heading
        elif kind == "lifespec":
            binding = lifecycle[2] + "\n" + text
        elif kind in ("jsonl", "json", "json-seq", "csv", "text"):
            log = text.replace("␞", "\x1e") if kind == "json-seq" else text
        else:
            assert kind == "events"
            found.append((rule, binding, log, text))
    return found


def said(value: object) -> object:
    if isinstance(value, Decimal):
        return f"@{value}@"
    if isinstance(value, Duration | Instant):
        return f"{value.ns}ns"
    if isinstance(value, dict):  # what is unreadable is written as its finding, not as a value
        return {key: said(inner) for key, inner in value.items() if not isinstance(inner, Unread)}
    return [said(inner) for inner in value] if isinstance(value, list) else value


def written(event: Event) -> str:
    words = [event.name or ("status" if event.status else "step")]
    words += [f"of {event.machine}"] if event.machine else []
    words += [f"from {event.source}"] if event.source else []
    words += [f"{'in' if event.status else 'to'} {event.target}"] if event.target else []
    words += [f"by {event.owner}"] if event.owner else []
    fields = said(dict(event.fields))
    words += [f"with {json.dumps(fields)}"] if fields else []
    return re.sub('"@([^@]*)@"', r"\1", " ".join(words))


def shown(item: Record | Violation) -> str:
    if isinstance(item, Violation):
        return f"{item.place.line}: ! {item.name}"
    events = "; ".join(written(event) for event in item.events) or "clock"
    time = "-" if item.time_ns is None else item.time_ns
    ends = ", and the session ends" if item.ends_session else ""
    return f"{item.place.line}: {item.session or '-'} {time} {events}{ends}"


EXAMPLES = examples()


@pytest.mark.parametrize(("rule", "binding", "log", "events"), EXAMPLES, ids=[each[0] for each in EXAMPLES])
def test_the_examples_are_what_reading_gives(rule: str, binding: str, log: str, events: str) -> None:
    items, _ = read(compiled(binding), log.removesuffix("\n"))
    assert [shown(item) for item in items] == events.splitlines()


def test_the_rules_are_numbered_without_a_gap() -> None:
    numbers = [int(each) for each in re.findall(r"^### B(\d+) ", PAGE, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
