"""`lifespec check`: what is given as logs, how they were recorded, in which order, how much of them matched."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from run_lifespec import run


def record(time: int, event: str, session: str = "s1") -> str:
    return json.dumps({"time": time, "session": session, "event": event}) + "\n"


CONNECT, OPENED, CLOSE = record(0, "connect"), record(1, "opened"), record(2, "close")


def test_one_session_over_rotated_files(folder: Path) -> None:
    (folder / "app.log").write_text(CLOSE)
    (folder / "app.log.1").write_text(OPENED)
    (folder / "app.log.2.gz").write_bytes(gzip.compress(CONNECT.encode()))
    for given in ("app.log*", "@list"):
        (folder / "list").write_text("app.log\napp.log.1\napp.log.2.gz\n")
        ran = run("check", "socket.lifespec", given, "--join-files", "--complete")
        assert ran.status == 0, ran.out
        assert "3 logs, joined" in ran.out
    assert run("check", "socket.lifespec", "app.log*").status == 1


def test_time_that_goes_back_from_one_joined_log_to_the_next_is_said(folder: Path) -> None:
    (folder / "a.jsonl").write_text(record(5, "connect"))
    (folder / "b.jsonl").write_text(record(1, "opened"))
    assert (
        "b.jsonl:1: time-reversed"
        in run("check", "socket.lifespec", "a.jsonl", "b.jsonl", "--join-files", "--format", "concise").out
    )


def test_a_folder_is_all_its_logs(folder: Path) -> None:
    (folder / "logs" / "deep").mkdir(parents=True)
    (folder / "logs" / "a.jsonl").write_text(CONNECT)
    (folder / "logs" / "deep" / "b.jsonl").write_text(CONNECT)
    assert "(all 2 logs)" in run("check", "socket.lifespec", "logs").out


@pytest.mark.parametrize("given", ["no/*.jsonl", "@nowhere"])
def test_what_stands_for_no_log_is_2(folder: Path, given: str) -> None:
    ran = run("check", "socket.lifespec", given)
    assert ran.status == 2
    assert given.lstrip("@") in ran.err


def test_records_may_be_sorted_by_time(folder: Path) -> None:
    (folder / "mixed.jsonl").write_text(OPENED + CONNECT)
    assert run("check", "socket.lifespec", "mixed.jsonl").status == 1
    assert run("check", "socket.lifespec", "mixed.jsonl", "--order", "time").status == 0
    late = run("check", "socket.lifespec", "mixed.jsonl", "--order", "time", "--lateness", "0s", "--format", "concise")
    assert "late-record" in late.out
    assert run("check", "socket.lifespec", "mixed.jsonl", "--lateness", "5s").status == 2
    assert run("check", "socket.lifespec", "mixed.jsonl", "--order", "time", "--lateness", "soon").status == 2


def test_a_log_without_times_cannot_be_sorted(folder: Path) -> None:
    (folder / "none.lifespec").write_text("binding none extends default { time = none }")
    ran = run("check", "socket.lifespec", "good.jsonl", "--binding", "none.lifespec", "--order", "time")
    assert (ran.status, "cannot be put in order by time" in ran.out) == (2, True)


def test_a_recording_that_begins_midway_is_no_violation(folder: Path) -> None:
    (folder / "midway.jsonl").write_text(OPENED)
    assert run("check", "socket.lifespec", "midway.jsonl").status == 1
    assert run("check", "socket.lifespec", "midway.jsonl", "--recording", "cut-start").status == 0
    assert run("check", "socket.lifespec", "midway.jsonl", "--recording", "sampled").status == 0


def test_so_few_that_match_are_no_verdict(folder: Path) -> None:
    (folder / "many.lifespec").write_text("binding many extends default { ignore any }")
    (folder / "many.jsonl").write_text(CONNECT + "".join(record(1, f"noise.{number % 3}") for number in range(200)))
    told = ["check", "socket.lifespec", "many.jsonl", "--binding", "many.lifespec"]
    ran = run(*told)
    assert ran.status == 2
    assert "of 201 records only 1 became events" in ran.out
    assert "`noise.0` (67)" in ran.out
    assert run(*told, "--min-matched", "0.4").status == 0
    (folder / "many.lifespec").write_text('binding many extends default { ignore "noise.{n}" }')
    assert run(*told).status == 0


@pytest.mark.parametrize("within", ["", "below"])
def test_a_binding_of_a_file_that_is_asked_for_by_its_name_alone_is_proposed(folder: Path, within: str) -> None:
    spec = folder / within / "socket.lifespec"
    spec.parent.mkdir(exist_ok=True)
    spec.write_text((folder / "socket.lifespec").read_text())
    (spec.parent / "phone.lifespec").write_text("binding phone extends default {}\n")
    path = os.path.join(within, "phone.lifespec")
    ran = run("check", os.path.join(within, "socket.lifespec"), "good.jsonl", "--binding", "phone")
    assert ran.status == 2
    assert f"`--binding {path}` takes the one in that file" in " ".join((ran.out + ran.err).split())
    ran = run("check", os.path.join(within, "socket.lifespec"), "good.jsonl", "--binding", path)
    assert ran.status == 0


def test_a_ready_made_binding_of_another_lifecycle_says_whose_it_is(folder: Path) -> None:
    ran = run("check", "socket.lifespec", "good.jsonl", "--binding", "rtcstats")
    assert ran.status == 2
    assert "the ready-made binding `rtcstats` is for lifecycle `webrtc`" in ran.out + ran.err


def test_the_end_of_a_day_has_no_fraction_even_where_its_times_are_known_by_their_second(folder: Path) -> None:
    """24:00 is a time and half a second later is none, also in a log so long that its seconds are remembered."""
    spec = "lifecycle ring\nmachine m {\n  initial a\n  a on step\n}\n"
    (folder / "ring.lifespec").write_text(spec)
    record = '{{"time": "2026-01-01T24:00:00.{}Z", "session": "s{}", "event": "step"}}\n'
    (folder / "ring.jsonl").write_text(
        "".join(record.format("000", n % 50) for n in range(9_000)) + record.format(500, 1)
    )
    ran = run("check", "ring.lifespec", "ring.jsonl", "--format", "concise")
    assert [line.split(" ")[:2] for line in ran.out.splitlines()] == [["ring.jsonl:9001:", "unreadable-time"]]
    assert run("check", "ring.lifespec", "ring.jsonl", "--format", "concise", "--engine", "reference").out == ran.out
