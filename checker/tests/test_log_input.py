"""What is given as logs, and the order in which they are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifespec.log_input import NoSuchLogs, find_logs, order_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in (
        "app.log",
        "app.log.1",
        "app.log.2.gz",
        "app.log.10.gz",
        "b/part10.jsonl",
        "b/part2.jsonl",
        "b/.hidden",
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}")
    return tmp_path


ROTATED = ["app.log.10.gz", "app.log.2.gz", "app.log.1", "app.log"]


@pytest.mark.usefixtures("folder")
def test_a_pattern_is_all_files_that_fit_the_oldest_first() -> None:
    assert find_logs(["app*"]) == ROTATED
    assert find_logs(["**/*.jsonl"]) == ["b/part2.jsonl", "b/part10.jsonl"]


@pytest.mark.usefixtures("folder")
def test_a_folder_is_all_files_in_it_and_below_but_hidden_ones() -> None:
    assert find_logs(["b"]) == ["b/part2.jsonl", "b/part10.jsonl"]
    assert find_logs(["."]) == [f"./{name}" for name in ROTATED] + ["./b/part2.jsonl", "./b/part10.jsonl"]


def test_a_list_names_logs_folders_and_patterns(folder: Path) -> None:
    (folder / "list").write_text("# of today\n\napp.log\nb\n@list\n")
    assert find_logs(["@list", "-"]) == ["app.log", "b/part2.jsonl", "b/part10.jsonl", "@list", "-"]


def test_what_exists_is_a_file_whatever_is_in_its_name(folder: Path) -> None:
    for name in ("@odd", "a[1].jsonl"):
        (folder / name).write_text("{}")
        assert find_logs([name]) == [name]


@pytest.mark.usefixtures("folder")
def test_as_given_unless_they_are_joined() -> None:
    given = ["app.log", "b/part2.jsonl", "app.log.1", "-", "app.log.2.gz"]
    assert find_logs(given) == given
    assert find_logs(given, joined=True) == ["app.log.2.gz", "b/part2.jsonl", "app.log.1", "-", "app.log"]


def test_dates_go_up() -> None:
    names = ["x.log", "x.log-20260302", "x.log-20260301.gz", "x.2026-02-28"]
    assert sorted(names[:3], key=order_of) == ["x.log-20260301.gz", "x.log-20260302", "x.log"]


@pytest.mark.parametrize("given", ["no*", "@missing", "empty", "@void", "@input"])
def test_what_stands_for_no_log_is_said(folder: Path, given: str) -> None:
    (folder / "empty").mkdir()
    (folder / "void").write_text("# nothing\n")
    (folder / "input").write_text("-\n")
    with pytest.raises(NoSuchLogs):
        find_logs([given])


def test_a_file_that_is_missing_is_left_to_whoever_opens_it() -> None:
    assert find_logs(["missing.jsonl"]) == ["missing.jsonl"]
