"""What the commands say of a binding, and of a run in which it matched nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from run_lifespec import run

SPEC = """lifecycle socket
owner client
machine m owned by client { initial a  state b  a -> b on opened  b -> a on closed }
"""
LOG = """{"id": "s", "time": 1, "event": "opened", "owner": "client"}
{"id": "s", "time": 2, "event": "closed", "owner": "client"}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.lifespec").write_text(SPEC)
    (tmp_path / "a.jsonl").write_text(LOG)
    return tmp_path


def bind(folder: Path, statements: str) -> None:
    (folder / "b.lifespec").write_text(f"binding b for socket extends default {{ {statements} }}\n")


def test_lint_looks_at_a_binding_file_with_the_names_of_the_lifecycle(folder: Path) -> None:
    bind(folder, "session = id  on x emit openned")
    ran = run("lint", "s.lifespec", "--binding", "b.lifespec")
    assert ran.status == 1
    assert "did you mean `opened`?" in ran.out


def test_what_is_renamed_is_shown_as_the_log_has_it(folder: Path) -> None:
    bind(folder, "session = id  rename event 'open{x}' -> 'opn{x}', closed -> none".replace("'", chr(34)))
    ran = run("check", "s.lifespec", "a.jsonl", "--binding", "b.lifespec")
    said = " ".join(ran.out.split())
    assert "the records are `closed` renamed to nothing (1) and `opened` renamed to `opned` (1)" in said
    assert "rename event opened -> opened" in said


def test_a_key_with_blanks_is_suggested_in_quotes(folder: Path) -> None:
    (folder / "odd.jsonl").write_text('{"id": "s", "time": 1, "event": "opened", "who did it": "client"}\n')
    bind(folder, "session = id  owner = 'who did_it'")
    said = " ".join(run("check", "s.lifespec", "odd.jsonl", "--binding", "b.lifespec").out.split())
    assert "`'who did_it'` occurs in no record" in said
    assert "did you mean `'who did it'`?" in said


def test_lint_takes_the_name_of_a_binding_and_knows_when_there_is_none(folder: Path) -> None:
    assert run("lint", "s.lifespec", "--binding", "otlp").status == 0
    ran = run("lint", "s.lifespec", "--binding", "oltp")
    assert ran.status == 2
    assert "did you mean `otlp`?" in ran.out


def test_check_warns_of_the_binding_that_reads_and_counts_it(folder: Path) -> None:
    bind(folder, "session = id  rename event up -> opened  on up emit opened")
    ran = run("check", "s.lifespec", "a.jsonl", "--binding", "b.lifespec")
    assert ran.status == 0
    assert "warning[unreachable-clause]" in ran.out
    assert "1 warning in 1 session" in ran.out
    assert run("check", "s.lifespec", "a.jsonl", "--binding", "b.lifespec", "--fail-on", "warning").status == 1
    report = json.loads(run("check", "s.lifespec", "a.jsonl", "--binding", "b.lifespec", "--format", "json").out)
    assert [each["name"] for each in report["binding_findings"]] == ["unreachable-clause"]


@pytest.mark.parametrize(
    ("statements", "says", "never_says"),
    [
        ("", "2 events without a session", "another binding"),
        ("session = id  ignore opened, closed", "ignores all of them", "rename event"),
        (
            "session = id  event = nope",
            "no record has a name where the binding looks",
            "where a record keeps its event",
        ),
        ("session = id  event = none", "the binding reads no names", "no record has a name"),
        ("session = id  rename event opened -> none, closed -> none", "the path behind `event =`", "ignores all"),
        ("session = id  rename event opened -> fine, closed -> fine2", "the lifecycle knows", "without a session"),
    ],
)
def test_a_run_that_matched_nothing_says_the_one_thing_that_is_amiss(
    folder: Path, statements: str, says: str, never_says: str
) -> None:
    bind(folder, statements)
    ran = run("check", "s.lifespec", "a.jsonl", "--binding", "b.lifespec", "--examples", "0")
    said = " ".join(ran.out.split())
    said = said[said.index("error[nothing-matched]") :] if "error[nothing-matched]" in said else said
    assert ran.status == 2
    assert says in said
    assert never_says not in said


def test_a_mark_stands_at_the_value_that_the_log_has(folder: Path) -> None:
    (folder / "a.jsonl").write_text('{"id": "s", "time": 1, "event": "ws.closed", "who": "app"}\n')
    bind(folder, 'session = id  owner = who  rename event "ws.{e}" -> "{e}"  rename owner app -> client')
    lines = run("check", "s.lifespec", "a.jsonl", "--binding", "b.lifespec").out.splitlines()
    at = next(number for number, line in enumerate(lines) if "ws.closed" in line)
    assert lines[at].index("ws.closed") == lines[at + 1].index("^")


def test_joined_logs_say_which_sessions_stand_in_several(folder: Path) -> None:
    first, second = LOG.splitlines(keepends=True)
    (folder / "1.jsonl").write_text(first)
    (folder / "2.jsonl").write_text(second + second.replace('"s"', '"t"'))
    bind(folder, "session = id")
    given = ("check", "s.lifespec", "1.jsonl", "2.jsonl", "--binding", "b.lifespec", "--join-files")
    assert "in several   s" in run(*given).out
    assert json.loads(run(*given, "--format", "json").out)["logs"][0]["across"] == {"sessions": 1, "first": ["s"]}


def test_names_are_shown_as_the_log_has_them(folder: Path) -> None:
    names = ("Ws::opened", "Ws::other", "Ws::odd", "plain")
    (folder / "n.jsonl").write_text("".join(f'{{"id": "s", "time": 1, "event": "{name}"}}\n' for name in names))
    bind(folder, 'session = id  rename event "Ws::{x}" -> "{x}"  ignore odd')
    ran = run("check", "s.lifespec", "n.jsonl", "--binding", "b.lifespec", "--format", "json", "--min-matched", "0")
    assert json.loads(ran.out)["log_quality"]["passed_over"] == {"Ws::odd": 1}
    ran = run("check", "s.lifespec", "n.jsonl", "--binding", "b.lifespec", "--min-matched", "0")
    assert "event `other` is known to neither" in " ".join(ran.out.split())
    assert ran.out.count("= in the log: `Ws::") == 1
    assert "passed over  Ws::odd (1)" in ran.out
    (folder / "n.jsonl").write_text('{"id": "s", "time": 1, "event": "Ws::other"}\n')
    for command in ("check", "stats"):
        ran = run(command, "s.lifespec", "n.jsonl", "--binding", "b.lifespec")
        assert "`Ws::other` renamed to `other` (1)" in " ".join(f"{ran.out} {ran.err}".split())


@pytest.mark.parametrize(
    ("logged", "renamed", "says"),
    [
        ('"3"', "3", 'renames the number 3, and the log has a text: write `"3"`'),
        ("3", '"3"', 'renames the text "3", and the log has a number: write `3`'),
        ('"4"', "3", None),
        ('"b"', '"3" -> gone, 4', None),
    ],
)
def test_a_number_that_is_renamed_and_a_text_that_looks_like_it_are_told_apart(
    folder: Path, logged: str, renamed: str, says: str | None
) -> None:
    (folder / "s.lifespec").write_text(SPEC + "field reason : one of gone, lost\n")
    (folder / "a.jsonl").write_text(LOG.replace('"owner"', f'"reason": {logged}, "owner"'))
    bind(folder, f"session = id  rename reason {renamed} -> gone")
    said = " ".join(run("check", "s.lifespec", "a.jsonl", "--binding", "b.lifespec").out.split())
    assert "error[invalid-field]" in said
    assert (says in said) if says else "the binding renames" not in said


PADDED = """09:00 I Net  : s opened
09:01 I Net  : s closed
nothing of the kind
"""
BY_TAG = """binding b for socket {
  read text
  match record "{clock} {level} {tag}: {message}"
  match message "{id} {what}"
  session = id  time = none
  on any where tag CONDITION emit "{what}" by "client"
  ignore any
}
"""


def test_a_run_that_matched_nothing_shows_what_the_names_of_a_text_took(folder: Path) -> None:
    (folder / "a.log").write_text(PADDED)
    (folder / "b.lifespec").write_text(BY_TAG.replace("CONDITION", '== "Net"'))
    ran = run("check", "s.lifespec", "a.log", "--binding", "b.lifespec")
    said = ran.out.replace("\n           ", " ")
    assert ran.status == 2
    assert (
        'of one record the binding takes `clock` "09:00", `level` "I", `tag` "Net  ", `message` "s opened", `id` "s" '
        'and `what` "opened"' in said
    )
    assert '`tag` has the blanks of its column: `tag like "Net *"` passes over them, `==` does not' in said
    (folder / "b.lifespec").write_text(BY_TAG.replace("CONDITION", 'like "Net *"'))
    assert run("check", "s.lifespec", "a.log", "--binding", "b.lifespec").status == 0


def test_what_the_names_took_of_a_forbidden_value_is_not_shown(folder: Path) -> None:
    (folder / "s.lifespec").write_text(SPEC + 'forbid words like "s (opened|closed)"\n')
    (folder / "a.log").write_text(PADDED)
    (folder / "b.lifespec").write_text(BY_TAG.replace("CONDITION", '== "Net"'))
    said = " ".join(run("check", "s.lifespec", "a.log", "--binding", "b.lifespec").out.split())
    assert "nothing-matched" in said
    assert "opened" not in said
