"""A forbidden value is never shown, however the log writes it and whichever finding stands on its line."""

from __future__ import annotations

import json
from dataclasses import replace
from io import BytesIO

import pytest

from lifespec.check import Log, Options, check
from lifespec.load import load_text
from lifespec.model.model import Model
from lifespec.reports import concise, text
from lifespec.reports.formats import FORMATS
from lifespec.reports.json import render
from lifespec.reports.setting import DEFAULT

SECRET = "ann.smith@example.org"
ESCAPED = "ann.smith\\u0040example.org"

SPEC = """
lifecycle socket
forbid email
field reason : one of lost, closed
machine connection {
  initial idle
  state   open
  idle -> open  on opened
}
machine memo {
  initial open
  open  on told   remember who = user
  open  on asked
      require user == memo.who
}
machine turn per turn {
  initial listening
  state   done
  listening -> done  on heard
}
"""


def _model() -> Model:
    loaded = load_text(SPEC, "socket.lifespec")
    assert loaded.model is not None
    return loaded.model


def _all_texts(log: str) -> str:
    report = check(_model(), [Log("a.jsonl", BytesIO(log.encode()))], options=Options(strict_json=True))
    assert report.findings
    setting = replace(DEFAULT, examples=None)
    return "\n".join(each.render(report, setting) for each in FORMATS.values())


LINES = {
    "a value": '{"time": 1, "session": "s", "event": "opened", "user": "SECRET"}',
    "a value deep inside": '{"time": 1, "session": "s", "event": "opened", "a": [{"b": {"c": "mail SECRET now"}}]}',
    "an escaped value": '{"time": 1, "session": "s", "event": "opened", "user": "ESCAPED"}',
    "a value under a key that is one too": '{"time": 1, "session": "s", "event": "opened", "SECRET": "SECRET"}',
    "JSON in a text": '{"time": 1, "session": "s", "event": "opened", "body": "{\\"user\\": \\"SECRET\\"}"}',
    "the session": '{"time": 1, "session": "SECRET", "event": "opened"}',
    "a key of an instance": '{"time": 1, "session": "s", "event": "heard", "turn": "SECRET"}\n' * 2,
    "an unknown event": '{"time": 1, "session": "s", "event": "SECRET"}',
    "an unknown machine": '{"time": 1, "session": "s", "machine": "SECRET", "event": "x"}',
    "a state": '{"time": 1, "session": "s", "event": "opened", "to": "SECRET"}',
    "a field of another type": '{"time": 1, "session": "s", "event": "opened", "reason": "SECRET"}',
    "the line of another finding": '{"time": 1, "session": "s", "event": "opened", "user": "SECRET"}\n'
    '{"time": 2, "session": "s", "event": "opened", "user": "SECRET"}',
    "what was remembered": '{"time": 1, "session": "s", "event": "told", "user": "SECRET"}\n'
    '{"time": 2, "session": "s", "event": "asked", "user": "somebody"}',
    "a time": '{"time": "SECRET", "session": "s", "event": "opened"}',
    "a malformed record": '{"time": 1, "session": "s", "user": "SECRET", "event": ',
    "a cut text": '{"time": 1, "session": "s", "event": "opened"}\n{"time": 1, "user": "SECRET and mo',
    "a line that is no JSON": "1.0 opened by SECRET",
    "a key twice": '{"time": 1, "session": "s", "event": "opened", "user": "SECRET", "user": "x"}',
}


@pytest.mark.parametrize("log", LINES.values(), ids=LINES.keys())
def test_it_is_in_no_report(log: str) -> None:
    shown = _all_texts(log.replace("SECRET", SECRET).replace("ESCAPED", ESCAPED))
    assert SECRET not in shown
    assert ESCAPED not in shown
    assert "ann.smith" not in shown


def test_a_remembered_value_is_masked_and_still_witnessed() -> None:
    log = LINES["what was remembered"].replace("SECRET", SECRET)
    report = check(_model(), [Log("a.jsonl", BytesIO(log.encode()))])
    assert "= witness: line 1, remembered `memo.who` = [redacted]" in text.render(report)


def test_the_other_texts_of_the_line_stay() -> None:
    log = json.dumps({"time": 1, "session": "s", "event": "opened", "user": SECRET, "note": "kept"})
    report = check(_model(), [Log("a.jsonl", BytesIO(log.encode()))])
    assert '"user": "[redacted]", "note": "kept"' in text.render(report, replace(DEFAULT, width=200))


def test_the_text_of_a_pattern_is_no_declared_name() -> None:
    loaded = load_text(
        'lifecycle socket\nforbid lit like "pass123"\nmachine m { initial a  a -> a on go }\n', "s.lifespec"
    )
    assert loaded.model is not None
    log = '{"time": 1, "session": "pass123", "event": "pass123"}\n'
    log += '{"time": 2, "session": "s", "pass123": {"x": "pass123"}}'
    report = check(loaded.model, [Log("a.jsonl", BytesIO(log.encode()))])
    assert report.findings
    for whole in (text.render(report), concise.render(report), render(report)):
        assert "pass123" not in whole
        assert "[redacted]" in whole


def test_a_number_that_holds_a_forbidden_value_is_masked_in_the_line() -> None:
    loaded = load_text(
        'lifecycle socket\nforbid card like "[0-9]{16}"\nmachine m { initial a  a -> a on go }\n', "s.lifespec"
    )
    assert loaded.model is not None
    log = '{"time": 1, "session": "s", "event": "no", "card": 4111111111111111, "all": [4111111111111111]}'
    report = check(loaded.model, [Log("a.jsonl", BytesIO(log.encode()))])
    assert report.findings
    assert "41111111" not in text.render(report)
