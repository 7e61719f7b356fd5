"""A finding in a packed log shows its line, as that of a plain log does."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from lifespec.check import Options, check_files
from lifespec.log_file import Log, kept
from lifespec.log_lines import Lines
from lifespec.verdict import Place

SPEC = "lifecycle door machine door { initial shut state ajar shut -> ajar on open ajar -> shut on close }"
LINES = [f'{{"time": {n}, "session": "s{n}", "event": "close", "note": "Tür {n}"}}\n' for n in range(40)]


@pytest.fixture
def spec(tmp_path: Path) -> str:
    path = tmp_path / "door.lifespec"
    path.write_text(SPEC, encoding="utf-8")
    return str(path)


def test_findings_in_a_packed_log_show_the_lines_of_the_plain_one(spec: str, tmp_path: Path) -> None:
    text = "".join(LINES).encode()
    plain, packed = tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"
    plain.write_bytes(text)
    packed.write_bytes(gzip.compress(text))
    shown = [
        [finding.line for finding in check_files(spec, [str(log)], options=Options(examples=7)).findings]
        for log in (plain, packed)
    ]
    assert shown[0] == shown[1] == [line.rstrip() for line in LINES[:7]]


def test_a_packed_pipe_is_read_again_too(spec: str) -> None:
    log = kept("<stdin>", io.BytesIO(gzip.compress("".join(LINES).encode())))
    (finding,) = check_files(spec, [log], options=Options(examples=1)).findings
    assert finding.line == LINES[0].rstrip()


def test_a_packed_log_is_read_again_once_and_no_farther_than_needed(tmp_path: Path) -> None:
    whole = gzip.compress("".join(LINES * 2000).encode())
    log = tmp_path / "cut.jsonl.gz"
    log.write_bytes(whole[:-20])  # its end is gone: what was unpacked before is there all the same
    places = [Place(str(log), number) for number in (3, 1, 3)]
    with Lines([Log(str(log))]) as lines:
        assert lines.find(places[0]) is None
        lines.gather(places)
        log.write_bytes(b"")
        assert [lines.find(place) for place in places] == [LINES[n].rstrip() for n in (2, 0, 2)]
        assert lines.find(Place(str(log), 2)) is None


def test_a_plain_log_without_places_is_not_searched(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    log.write_text("".join(LINES), encoding="utf-8")
    place = Place(str(log), 1)
    with Lines([Log(str(log))]) as lines:
        lines.gather([place])
        assert lines.find(place) is None
