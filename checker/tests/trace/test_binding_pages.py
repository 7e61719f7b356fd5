"""The page of every finding about bindings: its first example has exactly that finding, its second none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from reading import compiling

from lifespec.diagnostics import NAMES, Stage

PAGES = Path(__file__).parents[3] / "docs" / "reference" / "findings"
BLOCK = re.compile(r"```lifespec\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("name", [name for name, entry in NAMES.items() if entry.stage is Stage.BINDING])
def test_the_first_example_fires_and_the_second_is_mended(name: str) -> None:
    fires, mended = BLOCK.findall((PAGES / f"{name}.md").read_text("utf-8"))
    assert {each.name for each in compiling(fires)[1]} == {name}
    assert compiling(mended)[1] == ()
