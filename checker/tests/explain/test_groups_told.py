"""Where a rule names a group of states, the finding says that it is one, and of which states."""

from __future__ import annotations

from io import BytesIO

import pytest

from lifespec.check import Log, check
from lifespec.load import load_text

SPEC = """lifecycle l
field id : text
machine door per id {
  initial shut
  group open { state ajar  state wide }
  shut -> ajar on push  ajar -> wide on push  open -> shut on pull
}
machine lamp { initial open  state lit  open -> open on flash  open -> lit on light }
rule r { on ask require CONDITION }
"""


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("door[id] in open", True),
        ("door[id] in wide or door[id] in open", True),
        ("door[id] in wide", False),
        ("lamp not in open", False),
    ],
)
def test_a_group_of_a_rule_is_told(condition: str, told: bool) -> None:
    loaded = load_text(SPEC.replace("CONDITION", condition), "l.lifespec")
    assert loaded.model is not None, loaded.diagnostics
    log = b"".join(
        b'{"time": %d, "session": "s", "event": "%b", "id": "1"}\n' % each for each in enumerate((b"flash", b"ask"))
    )
    report = check(loaded.model, [Log("a.jsonl", BytesIO(log))])
    (finding,) = (each for each in report.findings if each.name == "rule-broken")
    groups = [text for kind, text in finding.facts if kind == "group"]
    assert groups == (["`open` of `door` is any of its states `ajar` and `wide`"] if told else [])
