"""A text without a lifecycle: what it is instead is said."""

from __future__ import annotations

import pytest

from lifespec.load import load_text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("machine m { initial a }", "this text declares no lifecycle"),
        ("binding own for x extends default { owner = actor }", "this file holds a binding and no lifecycle"),
        ('{"time": 1, "session": "a", "event": "go"}', "this looks like a log, not like a lifecycle"),
    ],
)
def test_a_text_without_a_lifecycle_is_told_what_it_is(text: str, said: str) -> None:
    found = [d.message for d in load_text(text).diagnostics if d.name == "no-lifecycle"]
    assert found == [said]
