"""Pieces of sentences, and what every sentence keeps to."""

from __future__ import annotations

import re
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifespec.check import Log, Options, check
from lifespec.diagnostics import NAMES, Stage
from lifespec.explain import Explained
from lifespec.explain_line import Interest, find_mark, masked_line
from lifespec.explain_reading import READING
from lifespec.explain_violation import VIOLATIONS
from lifespec.explain_words import duration, instance, joined, listed, shortened, times
from lifespec.load import load_text
from lifespec.pages import find_page

_SPOKEN = [name for name, entry in NAMES.items() if entry.stage in (Stage.LOG, Stage.VIOLATION)]


@pytest.mark.parametrize(
    ("ns", "words"),
    [
        (0, "0s"),
        (1, "1ns"),
        (1_500, "1.5us"),
        (500_000_000, "500ms"),
        (10_000_000_000, "10s"),
        (1_001_000_000, "1.001s"),
        (90_000_000_000, "1m30s"),
        (3_600_000_000_000, "1h"),
        (90_061_000_000_000, "1d1h1m1s"),
        (-2_000_000_000, "-2s"),
    ],
)
def test_a_length_of_time_reads_as_people_write_it(ns: int, words: str) -> None:
    assert duration(ns) == words


def test_lists_are_short_sentences() -> None:
    assert listed([]) == ""
    assert listed(["a"]) == "`a`"
    assert listed(["a", "b", "c"], "or") == "`a`, `b` or `c`"
    assert joined(list("abcdefghij"), most=4) == "a, b, c and 7 more"
    assert times(1, "session") == "1 session"
    assert times(1200, "session") == "1,200 sessions"
    assert instance("clip", ("c1", "2")) == "`clip[c1, 2]`"
    assert len(shortened("x" * 500)) == 60


def test_every_finding_in_a_log_has_words() -> None:
    assert set(_SPOKEN) == set(VIOLATIONS) | set(READING)


def _explained(name: str) -> list[Explained]:
    page = find_page(name)
    assert page is not None
    spec = "".join(re.findall(r"```lifespec\n(.*?)```", page, re.DOTALL))
    log = re.findall(r"```jsonl\n(.*?)```", page, re.DOTALL)[0]
    loaded = load_text(spec, "page.lifespec")
    assert loaded.model is not None
    content = log.encode().replace("\ufffd".encode(), b"\xff")
    report = check(
        loaded.model,
        [Log("page.jsonl", BytesIO(content))],
        options=Options(strict_json=name == "duplicate-key"),
    )
    return list(report.findings)


@pytest.mark.parametrize("name", _SPOKEN)
def test_a_message_is_one_lower_case_fragment(name: str) -> None:
    for finding in _explained(name):
        assert not finding.message.endswith(".")
        assert "\n" not in finding.message
        assert len(finding.message) <= 140
        assert finding.message[0].islower() or finding.message[0] == "`"
        assert "None" not in finding.message
        assert "?" not in finding.message


@pytest.mark.parametrize("name", sorted(set(_SPOKEN) - {"not-utf-8", "wrong-container", "silent", "unfinished"}))
def test_a_finding_points_at_a_part_of_its_line(name: str) -> None:
    (finding, *_) = (each for each in _explained(name) if each.name == name)
    assert finding.line is not None
    assert finding.mark is not None
    assert finding.line[slice(*finding.mark)]


@given(st.text(), st.text(max_size=5), st.text(max_size=5))
def test_a_mark_is_always_inside_of_the_line(line: str, value: str, key: str) -> None:
    mark = find_mark(line, (Interest(value, (key,)), Interest(None, (key,)), Interest(value)))
    assert mark is None or 0 <= mark[0] <= mark[1] <= len(line)


@given(st.text(alphabet='ab"\\:,{}[] x@', max_size=60))
def test_a_masked_line_never_holds_what_is_hidden(line: str) -> None:
    masked = masked_line(line, lambda path, text: "x@" in text)
    assert masked is None or "x@" not in masked or '"' in line


def test_a_line_that_never_closes_a_text_takes_no_time() -> None:
    line = '{"a": "' + '\\"' * 200_000
    assert find_mark(line, (Interest("b"),)) is None
    masked_line(line, lambda path, text: False)
