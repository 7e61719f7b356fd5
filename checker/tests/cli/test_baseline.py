"""`check --baseline` and `--write-baseline`: what is known does not fail, what is more does, and the file shrinks."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from run_lifespec import Ran, run

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "spec" / "schemas" / "baseline.schema.json").read_text(encoding="utf-8"))
SESSION = """{"time": 0, "session": "NAME", "event": "connect"}
{"time": 1, "session": "NAME", "event": "refused"}
"""
REVERSED = '{"time": 0, "session": "NAME", "event": "close"}\n'


def write_log(folder: Path, *sessions: str, reversed_: bool = False) -> None:
    """Each session has a `missing-reason`, and with `reversed_` a `time-reversed`."""
    text = SESSION + REVERSED if reversed_ else SESSION
    (folder / "log.jsonl").write_text("".join(text.replace("NAME", name) for name in sessions))


def checked(*options: str) -> Ran:
    return run("check", "socket.lifespec", "log.jsonl", *options)


def report(*options: str) -> Any:
    return json.loads(checked("--format", "json", *options).out)


def known(folder: Path) -> list[dict[str, Any]]:
    value = json.loads((folder / "known.json").read_text(encoding="utf-8"))
    jsonschema.validate(value, SCHEMA, cls=jsonschema.Draft202012Validator)
    entries = value["known"]
    assert isinstance(entries, list)
    return entries


def edit(folder: Path, **values: str) -> None:
    """Write something into every entry."""
    value = json.loads((folder / "known.json").read_text(encoding="utf-8"))
    for entry in value["known"]:
        entry.update(values)
    (folder / "known.json").write_text(json.dumps(value), encoding="utf-8")


@pytest.fixture
def two(folder: Path) -> Path:
    """The log has two findings, and known.json knows them."""
    write_log(folder, "a", "b")
    ran = checked("--write-baseline", "known.json", "--format", "concise")
    assert ran.status == 0
    assert ran.out.count("missing-reason") == 2
    assert ran.err == "lifespec: known.json knows 2 findings of 1 kind\n"
    return folder


def test_what_is_known_does_not_fail_and_is_counted(two: Path) -> None:
    ran = checked("--baseline", "known.json")
    assert ran.status == 0
    assert "error[" not in ran.out
    assert "  known        2 of 1 kind, by known.json\n" in ran.out
    assert ran.out.endswith("nothing more found in 2 sessions; left out: 2 known\n")
    assert report("--baseline", "known.json")["filtered"]["baseline"] == {
        "file": "known.json",
        "known": 2,
        "more": [],
        "expired": [],
        "unused": [],
    }


def test_other_sessions_and_other_lines_are_known_too(two: Path) -> None:
    (two / "log.jsonl").write_text("\n" + SESSION.replace("NAME", "x") + "\n" + SESSION.replace("NAME", "y"))
    assert checked("--baseline", "known.json").status == 0


def test_more_than_are_known_fail(two: Path) -> None:
    write_log(two, "a", "b", "c", "d", "e")
    ran = checked("--baseline", "known.json")
    assert ran.status == 1
    assert "  more         3 missing-reason of transitions connection" in ran.out
    assert ran.out.endswith("3 errors in 3 of 5 sessions; left out: 2 known\n")
    value = report("--baseline", "known.json")
    assert [finding["session"] for finding in value["findings"]] == ["c", "d", "e"]
    (more,) = value["filtered"]["baseline"]["more"]
    assert (more["name"], more["known"], more["found"]) == ("missing-reason", 2, 5)


def test_another_finding_fails(two: Path) -> None:
    write_log(two, "a", reversed_=True)
    assert checked("--baseline", "known.json", "--fail-on", "warning").status == 1


def test_what_is_known_changes_no_outcome(two: Path) -> None:
    assert report("--baseline", "known.json")["properties"] == report()["properties"]


def test_what_is_not_found_any_more_is_told(two: Path) -> None:
    write_log(two, "a")
    ran = checked("--baseline", "known.json")
    assert ran.status == 0
    assert "  unused       1 missing-reason of transitions connection" in ran.out
    assert "write known.json anew: --write-baseline known.json\n" in ran.out


def test_of_a_check_that_saw_a_part_nothing_is_said_to_be_unused(two: Path) -> None:
    assert report("--baseline", "known.json", "--session", "a")["filtered"]["baseline"]["unused"] == []
    (two / "empty.jsonl").write_text("")
    ran = run("check", "socket.lifespec", "empty.jsonl", "--baseline", "known.json", "--format", "json")
    assert ran.status == 2
    assert json.loads(ran.out)["filtered"]["baseline"]["unused"] == []


def test_writing_anew_keeps_owner_reason_and_day_and_drops_what_is_gone(two: Path) -> None:
    write_log(two, "a", "b", "c", reversed_=True)
    checked("--write-baseline", "known.json")
    assert [entry["name"] for entry in known(two)] == ["missing-reason", "time-reversed"]
    edit(two, owner="web team", reason="old client", expires="2999-12-31")
    write_log(two, "a")
    ran = checked("--write-baseline", "known.json", "--format", "concise")
    assert "of 1 kind: 0 new, 0 kept as it was, 1 with another count, 1 gone" in ran.err
    (entry,) = known(two)
    assert (entry["count"], entry["owner"], entry["reason"]) == (1, "web team", "old client")
    assert entry["expires"] == "2999-12-31"


def test_the_same_findings_are_written_as_the_same_bytes(two: Path) -> None:
    before = (two / "known.json").read_bytes()
    write_log(two, "y", "x")
    checked("--write-baseline", "known.json")
    assert (two / "known.json").read_bytes() == before


@pytest.mark.parametrize(("day", "status"), [("2026-03-31", 0), ("2026-04-01", 1)])
def test_what_has_expired_fails_again(two: Path, day: str, status: int) -> None:
    edit(two, expires="2026-03-31", owner="web team")
    ran = checked("--baseline", "known.json", "--today", day)
    assert ran.status == status
    if status:
        said = " ".join(ran.out.split())
        assert "expired 2 missing-reason" in said
        assert "known up to 2026-03-31, web team today is 2026-04-01, as was said with --today" in said


def test_the_clock_counts_where_no_day_is_given(two: Path) -> None:
    edit(two, expires="2001-01-01")
    value = report("--baseline", "known.json")
    assert value["status"] == 1
    use = value["filtered"]["baseline"]
    assert use["today_from"] == "clock"
    assert abs(datetime.date.fromisoformat(use["today"]) - datetime.datetime.now(datetime.UTC).date()).days <= 1


def test_no_day_is_in_a_report_that_does_not_depend_on_it(two: Path) -> None:
    assert "today" not in report("--baseline", "known.json")["filtered"]["baseline"]


def test_forbidden_values_are_not_in_the_file(folder: Path) -> None:
    with (folder / "socket.lifespec").open("a") as spec:
        spec.write("forbid email\n")
    write_log(folder, "a")
    with (folder / "log.jsonl").open("a") as log:
        log.write('{"time": 9, "session": "a", "event": "me@example.com"}\n')
    assert checked("--write-baseline", "known.json").status == 0
    assert "unknown-event" in {entry["name"] for entry in known(folder)}
    assert "example.com" not in (folder / "known.json").read_text()


def test_half_characters_do_no_harm(folder: Path) -> None:
    write_log(folder, "a")
    with (folder / "log.jsonl").open("a") as log:
        log.write('{"time": 9, "session": "a", "event": "\\ud800"}\n')
    assert checked("--write-baseline", "known.json").status == 0
    assert known(folder)
    assert checked("--baseline", "known.json").status == 0


# --- what goes wrong -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "input data was truncated"),
        ("[]", "expected `object`, got `array`"),
        ('{"schema_version": 1}', "missing required field `fingerprints`"),
        ('{"schema_version": 2, "fingerprints": 1, "lifecycle": "x", "known": []}', "its schema_version is 2"),
        (
            '{"schema_version": 1, "fingerprints": 9, "lifecycle": "x", "known": []}',
            "its fingerprints are of version 9",
        ),
        ("[" * 100_000, "got `array`"),
    ],
)
def test_a_file_that_is_no_baseline_is_2_and_left_as_it_is(folder: Path, content: str, why: str) -> None:
    write_log(folder, "a")
    (folder / "known.json").write_text(content)
    for option in ("--baseline", "--write-baseline"):
        ran = checked(option, "known.json")
        assert ran.status == 2
        assert "known.json is no baseline: " in ran.err
        assert why in ran.err
    assert (folder / "known.json").read_text() == content


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"count": 0}, "$.known[0].count"),
        ({"ownr": "x"}, "ownr"),
        ({"expires": "soon"}, "$.known[0].expires"),
        ({"fingerprint": "x"}, "$.known[0].fingerprint"),
    ],
)
def test_an_entry_that_is_wrong_is_2(two: Path, entry: dict[str, Any], why: str) -> None:
    edit(two, **entry)
    ran = checked("--baseline", "known.json")
    assert ran.status == 2
    assert why in ran.err


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ('"count": 2', '"count": 2, "count": 3', "`count` stands twice in one object - at `$.known[0]`"),
        ('"known": [', '"known": [], "known": [', "`known` stands twice in one object - at `$`"),
        (
            '"name": "m',
            '"owner": "\\ud83d", "name": "m',
            "holds half a character (a lone surrogate) - at `$.known[0].owner`",
        ),
        (
            '"name": "m',
            '"owner": "x\\udc00", "name": "m',
            "half a character (a lone surrogate) - at `$.known[0].owner`",
        ),
        ('"name": "m', '"ownr": "x", "name": "m', "there is no key `ownr` - at `$.known[0]`; did you mean `owner`?"),
        ('"lifecycle"', '"lifecycles": 1, "lifecycle"', "there is no key `lifecycles`; did you mean `lifecycle`?"),
        ('"name": "m', '"own\\u001b": "x", "name": "m', "there is no key `own\u241b`"),
        (
            '"name": "m',
            '"expires": "20261201", "name": "m',
            "a date is YYYY-MM-DD, such as 2026-03-31 - at `$.known[0]",
        ),
        ('"name": "m', '"owner": "x', "no baseline: "),
    ],
)
def test_what_is_wrong_is_named_with_its_place(two: Path, before: str, after: str, why: str) -> None:
    path = two / "known.json"
    wrong = path.read_text().replace(before, after, 1)
    assert wrong != path.read_text()
    path.write_text(wrong)
    for option in ("--baseline", "--write-baseline"):
        ran = checked(option, "known.json")
        assert ran.status == 2
        assert why in ran.err
    assert path.read_text() == wrong


def test_characters_in_two_halves_and_backslashes_are_read(two: Path) -> None:
    path = two / "known.json"
    path.write_text(path.read_text().replace('"count"', '"owner": "\\ud83d\\ude00 \\\\ud83d", "count"', 1))
    assert checked("--baseline", "known.json").status == 0
    deep = '{"schema_version": ' + "[" * 900 + "]" * 900 + "}"
    path.write_text(deep)
    assert checked("--baseline", "known.json").status == 2


def test_an_entry_that_stands_twice_is_2(two: Path) -> None:
    value = json.loads((two / "known.json").read_text())
    value["known"] *= 2
    (two / "known.json").write_text(json.dumps(value))
    assert "stands in it twice" in checked("--baseline", "known.json").err


def test_a_baseline_of_another_lifecycle_is_2(two: Path) -> None:
    spec = (two / "socket.lifespec").read_text()
    (two / "socket.lifespec").write_text(spec.replace("lifecycle socket", "lifecycle plug"))
    ran = checked("--baseline", "known.json")
    assert ran.status == 2
    assert "error[wrong-baseline]: known.json knows findings of lifecycle `socket`, not of" in ran.out
    ran = checked("--write-baseline", "known.json")
    assert ran.status == 2
    assert "known.json is left as it was: it knows lifecycle `socket`, not `plug`" in ran.err


def test_nothing_is_written_when_not_all_could_be_checked(two: Path) -> None:
    before = (two / "known.json").read_bytes()
    ran = run("check", "socket.lifespec", "log.jsonl", "nowhere.jsonl", "--write-baseline", "known.json")
    assert ran.status == 2
    assert "known.json is not written: not all could be checked" in ran.err
    assert (two / "known.json").read_bytes() == before


@pytest.mark.parametrize("options", [["--session", "a"], ["--where", "has x"]])
def test_a_baseline_is_about_all_sessions(two: Path, options: list[str]) -> None:
    ran = checked("--write-baseline", "known.json", *options)
    assert ran.status == 2
    assert "is about all sessions" in ran.err


@pytest.mark.parametrize("name", ["nowhere.json", ".", "/dev/null"])
def test_what_cannot_be_read_is_2(two: Path, name: str) -> None:
    ran = checked("--baseline", name)
    assert ran.status == 2
    assert f"cannot read {name}" in ran.err


def test_a_baseline_that_is_not_there_yet_says_how_it_is_written(two: Path) -> None:
    ran = checked("--baseline", "nowhere.json")
    assert "there is no such file yet; `--write-baseline nowhere.json` writes it" in ran.err


def test_neither_the_report_nor_an_input_is_overwritten(two: Path) -> None:
    before = (two / "log.jsonl").read_bytes()
    assert checked("--write-baseline", "log.jsonl").status == 2
    assert checked("--baseline", "known.json", "-o", "known.json").status == 2
    assert checked("--write-baseline", "new.json", "-o", "new.json").status == 2
    assert (two / "log.jsonl").read_bytes() == before
    assert known(two)


def test_a_day_that_is_none_is_wrong_usage(two: Path) -> None:
    assert "is not a date such as" in checked("--today", "soon").err
    for other in ("20261201", "2026-W49-2", "2026-12-1", "2026-13-01", " 2026-12-01", "٢٠٢٦-12-01"):
        assert f"'{other}' is not a date such as 2026-03-31 (YYYY-MM-DD)" in checked("--today", other).err


def test_several_processes_know_the_same_ones(two: Path) -> None:
    """The findings of a large log come in another order from several processes; the deadlines last of all."""
    quiet = '{"time": 0, "session": "NAME", "event": "connect"}\n{"time": 1, "session": "NAME", "event": "close"}\n'
    texts = (SESSION if number % 5000 == 0 else quiet for number in range(90_000))
    (two / "log.jsonl").write_text("".join(text.replace("NAME", f"s{n}") for n, text in enumerate(texts)))
    one = checked("--baseline", "known.json", "--examples", "3", "--jobs", "1")
    several = checked("--baseline", "known.json", "--examples", "3", "--jobs", "2")
    assert (two / "log.jsonl").stat().st_size > 8 << 20
    assert several.err == ""
    assert one.out == several.out


def test_a_word_of_capitals_stays_so_in_a_message(folder: Path) -> None:
    write_log(folder, "a")
    (folder / "known.json").write_text("no json")
    assert "known.json is no baseline: JSON is malformed" in checked("--baseline", "known.json").err


def test_written_anew_it_says_what_became_of_each_entry(two: Path) -> None:
    edit(two, expires="2026-01-31")
    write_log(two, "a", reversed_=True)
    said = checked("-q", "--write-baseline", "known.json", "--today", "2026-02-01").err.splitlines()
    assert "1 new, 0 kept as it was, 1 with another count, 0 gone" in said[0]
    assert "another count: missing-reason" in said[1]
    assert "2 before, 1 now" in said[1]
    assert "expired on 2026-01-31: missing-reason" in said[2]
    assert len(said) == 3
    (two / "log.jsonl").write_text('{"time": 0, "session": "a", "event": "connect"}\n')
    said = checked("-q", "--write-baseline", "known.json", "--today", "2026-01-31").err.splitlines()
    assert "0 new, 0 kept as it was, 0 with another count, 2 gone" in said[0]
    assert [line.partition(", of which")[2] for line in said[1:]] == [" 1 were known"] * 2
