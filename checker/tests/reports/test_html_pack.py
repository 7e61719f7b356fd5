"""What the HTML report packs comes back as it was, and takes few bytes."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lifespec.reports.html_pack import Packer


def mark(at: float, line: int, text: str | None, *, item: str = "", event: str = "opened") -> list[Any]:
    return [at, line, item, None, event, "closed", "open", "door", [0], text, []]


def value_of(marks: list[list[Any]], spans: list[list[Any]] | None = None) -> dict[str, Any]:
    lane = {"title": "door", "machine": "door", "owners": ["hand"], "spans": spans or []}
    return {"session": "s", "lanes": [lane], "marks": marks, "flags": []}


def unpacked(packed: dict[str, Any], shared: dict[str, Any]) -> list[list[Any]]:
    """The marks, as the script of the page has them."""
    known: list[str] = []
    last: dict[str, str] = {}

    def text_of(row: Any) -> Any:
        if not isinstance(row, list):
            return row
        pieces, codes, same = shared["forms"][row[0]], iter(row[1:]), 0
        text = pieces[0]
        for before, after in pairwise(pieces):
            value = last.get(before, "")
            code: Any = -1 if same else next(codes, -1)
            if isinstance(code, str):
                value = value[: int(code[0], 36)] + code[1:]
                known.append(value)
            elif code >= 0:
                value = known[code]
            else:
                same = same - 1 if same else -code - 1
            last[before] = value
            text += value + after
        return text

    marks: list[list[Any]] = []
    at, line, text = 0.0, 0, None
    values = iter(packed["marks"])
    for after, lines, what, who, row in zip(values, values, values, values, values, strict=True):
        at, line = round(at + after, 3), line + lines
        lanes, takers = who if isinstance(who, list) else ([who], [])
        text = text if row == 0 else text_of(row)
        item, other, *names = shared["happenings"][what]
        marks.append([at, line, item, other, *names, lanes, text, takers])
    return marks


def again(*timelines: list[list[Any]]) -> list[list[list[Any]]]:
    packer = Packer()
    packed = [json.loads(json.dumps(packer.pack(value_of(marks)))) for marks in timelines]
    shared = json.loads(json.dumps(packer.shared))
    return [unpacked(each, shared) for each in packed]


RECORDS = st.dictionaries(
    st.sampled_from(["time", "session", "event", "ünit"]),
    st.one_of(st.integers(), st.floats(allow_nan=False), st.text(max_size=5), st.lists(st.integers(0, 3), max_size=3)),
).map(lambda body: json.dumps(body, ensure_ascii=False))


@given(st.lists(st.lists(st.one_of(RECORDS, st.text(max_size=40), st.none()), max_size=8), max_size=3))
def test_each_record_comes_back_as_it_was(sessions: list[list[str | None]]) -> None:
    marks = [[mark(n * 1.5, n + 1, text) for n, text in enumerate(texts)] for texts in sessions]
    assert again(*marks) == marks


def test_an_empty_record_and_one_in_many_forms_come_back() -> None:
    texts = ["", "{}", '{"a": ""}', *(f'{{"k{n}": {n}}}' for n in range(1500))]
    marks = [mark(n, n + 1, text) for n, text in enumerate(texts)]
    assert again(marks) == [marks]
    packer = Packer()
    packer.pack(value_of(marks))
    assert len(packer.shared["forms"]) == 1000  # they are read when the page is opened


def test_a_record_of_several_events_is_written_once() -> None:
    text = '{"time": 1, "event": "opened"}'
    marks = [mark(1, 1, text), mark(1, 1, text, event="closed"), mark(1, 2, text), mark(2, 2, None), mark(2, 2, text)]
    packed = Packer().pack(value_of(marks))
    assert [row == 0 for row in packed["marks"][4::5]] == [False, True, False, False, False]
    assert again(marks) == [marks]


def test_records_that_differ_little_take_few_bytes() -> None:
    """Less than a third of what they are, with all that the chart needs beside."""
    lines = [
        f'{{"time":"2026-07-14T09:00:{n // 10:02}.{n % 10}00Z","session":"s-91c5d0aa","machine":"clip",'
        f'"event":"{event}","owner":"playback","seq":{n},"platform":"web","region":"eu-central","app":"4.12.0","build":9117,"os":24}}'
        for n, event in enumerate(["enqueued", "started", "played", "flushed"] * 50)
    ]
    marks = [mark(n * 100000, n + 1, line) for n, line in enumerate(lines)]
    packed = Packer().pack(value_of(marks))
    assert len(json.dumps(packed, separators=(",", ":"))) < 60 * len(lines)


def test_stays_follow_each_other() -> None:
    packer = Packer()
    stays = [[0, 5, ["a"], "initial", 0, "began", None, 1, 0], [5, 9.25, ["b"], "state", 1, "event", "go", 4, 1]]
    (_, _, packed) = packer.pack(value_of([], stays))["lanes"][0]
    assert packed == [0, 5, 1, 0, 0, 4.25, 3, 1]
