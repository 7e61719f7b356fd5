"""`lifespec infer`: what it writes where, and what it says when it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_lifespec import run

LINES = (
    '{"at": "2026-01-01T00:00:00Z", "call": "c1", "what": {"name": "dial"}}\n'
    '{"at": "2026-01-01T00:00:02Z", "call": "c1", "what": {"name": "answered"}}\n'
    '{"at": "2026-01-01T00:00:09Z", "call": "c1", "what": {"name": "ended"}}\n'
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "call.jsonl"
    path.write_text(LINES, "utf-8")
    return path


def test_the_draft_goes_to_standard_output(log: Path) -> None:
    ran = run("infer", str(log))
    assert ran.status == 0
    assert ran.out.startswith("// A draft by `lifespec infer`.")
    assert "\nlifecycle draft " in ran.out
    assert "event = what.name\n" in ran.out


def test_a_draft_in_a_file_is_named_after_it_and_can_be_used_at_once(log: Path, tmp_path: Path) -> None:
    draft = tmp_path / "my call.lifespec"
    ran = run("infer", str(log), "-o", str(draft))
    assert ran.status == 0
    assert f"lifespec check {draft}" in ran.out.replace("'", "")
    text = draft.read_text("utf-8")
    assert "\nlifecycle my-call " in text
    assert "binding my-call-log for my-call" in text
    assert run("lint", str(draft)).status == 0
    assert run("check", str(draft), str(log)).status == 0


def test_a_name_can_be_given(log: Path) -> None:
    ran = run("infer", str(log), "--name", "phone")
    assert "binding phone-log for phone" in ran.out
    assert run("infer", str(log), "--name", "it's").status == 2


def test_standard_input_is_read(log: Path) -> None:
    ran = run("infer", "-", stdin=LINES.encode())
    assert ran.status == 0
    assert "1 log: <stdin>" in ran.out


def test_several_logs_are_one_draft(log: Path, tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text(LINES.replace("c1", "c2"), "utf-8")
    ran = run("infer", str(tmp_path))
    assert "// Seen:\n//   - 2 logs" in ran.out
    assert '"2 sessions' in ran.out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is empty"),
        ("just words\nand more\n", "it is neither JSON nor a table"),
        ('{"a": 1.5}\n{"a": 2.5}\n', "no field looks like an event or a state; the records have `a`"),
    ],
)
def test_when_nothing_is_found_it_says_what_was_looked_at(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(text, "utf-8")
    ran = run("infer", str(path))
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err


def test_a_field_that_does_not_exist_is_told_with_the_nearest(log: Path) -> None:
    ran = run("infer", str(log), "--event", "what.nam")
    assert ran.status == 2
    assert "no record has a field `what.nam`; did you mean `what.name`?" in ran.err


def test_a_time_that_is_none_is_told(log: Path) -> None:
    ran = run("infer", str(log), "--time", "call")
    assert ran.status == 2
    assert "the field `call` holds no times" in ran.err


def test_a_log_is_not_written_over(log: Path) -> None:
    assert run("infer", str(log), "-o", str(log)).status == 2
    assert log.read_text("utf-8") == LINES


def test_a_missing_log_is_told(tmp_path: Path) -> None:
    ran = run("infer", str(tmp_path / "nothing.jsonl"))
    assert ran.status == 2
    assert "nothing.jsonl" in ran.err


ODD = (
    '{"n": 1, "zeit": 5, "wer": "a1", "sache": "auf", "wo": "x"}\n'
    '{"n": 1, "zeit": 6, "wer": "a1", "sache": "zu", "wo": "y"}\n'
    '{"n": 2, "zeit": 9, "wer": "b2", "sache": "auf", "wo": "x"}\n'
)


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    path = tmp_path / "odd.jsonl"
    path.write_text(ODD, "utf-8")
    return path


def test_each_part_can_be_said(odd: Path) -> None:
    ran = run(
        "infer", str(odd), "--session", "wer", "--time", "zeit", "--event", "sache", "--state", "wo", "--key", "n"
    )
    assert ran.status == 0
    for line in ("session = wer", "time = zeit as s since start", "event = sache", "to = wo"):
        assert f"\n  {line}\n" in ran.out
    assert "session per n " in ran.out


def test_a_machine_an_owner_and_the_state_before_can_be_said(odd: Path) -> None:
    ran = run("infer", str(odd), "--event", "sache", "--machine", "wo", "--owner", "wer")
    assert "\n  machine = wo\n" in ran.out
    assert "\n  owner = wer\n" in ran.out
    ran = run("infer", str(odd), "--event", "none", "--state", "sache", "--from", "wo")
    assert "\n  from = wo\n" in ran.out


def test_a_key_that_no_machine_has_in_all_of_its_records_is_told(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"event": "a", "part": 1}\n{"event": "b"}\n{"event": "a"}\n{"event": "b"}\n', "utf-8")
    ran = run("infer", str(log), "--key", "part")
    assert ran.status == 0
    assert "no machine is keyed by `part`, as was asked" in ran.out


def test_none_is_no_field(log: Path) -> None:
    ran = run("infer", str(log), "--session", "none", "--time", "none")
    assert "\n  session = file.name\n  time = none\n" in ran.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--time", "call"), "the field `call` holds no times"),
        (("--state", "flag"), "the field `flag` holds no names: neither text nor whole numbers"),
        (("--machine", "at"), "the field `at` has 50 values, and at most 40 are drafted"),
        (("--state", "word"), "the field `word` has names that cannot be written, such as `it's`"),
        (("--key", "cal"), "no record has a field `cal`; did you mean `call`?"),
        (("--binding", "qlogg"), "no ready-made binding is called `qlogg`; did you mean `qlog"),
        (("--binding", "qlog", "--event", "call"), "`--binding` says which field is what, and so does `--event`"),
        (("--binding", "qlog", "--key", "call"), "`--binding` says which field is what, and so does `--key`"),
        (("--binding", "qlog", "--name", "mine"), "is for the lifecycle `quic-connection`"),
    ],
)
def test_what_cannot_be_is_told(options: tuple[str, ...], said: str, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    lines = [f'{{"at": {at}, "call": "c", "event": "e", "flag": true, "word": "it\'s"}}\n' for at in range(50)]
    log.write_text("".join(lines), "utf-8")
    ran = run("infer", str(log), *options)
    assert (ran.status, ran.out) == (2, "")
    assert said in " ".join(ran.err.split())


def test_a_log_that_only_a_ready_made_binding_reads_names_it_and_is_drafted_with_it(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    told = '{"key": "session.id", "value": {"stringValue": "s1"}}'
    records = ", ".join(
        f'{{"timeUnixNano": "176760000{at}000000000", "eventName": "{name}", "attributes": [{told}]}}'
        for at, name in enumerate(("opened", "lost", "opened", "lost"))
    )
    log.write_text(f'{{"resourceLogs": [{{"scopeLogs": [{{"logRecords": [{records}]}}]}}]}}\n', "utf-8")
    ran = run("infer", str(log))
    assert ran.status == 2
    assert "The ready-made binding `otlp` reads it: `--binding otlp`" in " ".join(ran.err.split())
    draft = tmp_path / "draft.lifespec"
    assert run("infer", str(log), "--binding", "otlp", "-o", str(draft)).status == 0
    assert "binding draft-log for draft extends otlp " in draft.read_text("utf-8")
    assert run("lint", str(draft)).status == 0
    assert run("check", str(draft), str(log)).status == 0


COMMAS = "Time;Who;Event;Ping\n0,016;p1;join;48,25\n2;p1;leave;51\n0,5;p2;join;33\n7,25;p2;leave;30,0\n"


def test_numbers_with_a_decimal_comma_are_told(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text(COMMAS, "utf-8")
    ran = run("infer", str(log), "--time", "Time")
    assert ran.status == 2
    assert "the field `Time` holds numbers with a decimal comma, such as `0,016`" in ran.err
    assert "docs/how-to/bind-odd-logs.md" in ran.err
    ran = run("infer", str(log), "--time", "none", "--session", "Who")
    assert ran.status == 0
    assert "numbers with a decimal comma, which are not read as such: `Time`, `Ping`" in ran.out.replace(
        "\n//     ", " "
    )
    log.write_text(COMMAS.replace(",", "."), "utf-8")
    assert "decimal comma" not in run("infer", str(log)).out


NESTED = """{"call": "c", "hosts":
 [{"id": "b", "role": "client", "events": [{"at": 1, "name": "ask"}, {"at": 2, "name": "stop"}]},
  {"id": "g", "role": "server", "events": [{"at": 3, "name": "ask"}]}]
}
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            NESTED,
            "the list `events` of a record; a binding by hand does: `read json  each item in hosts  each record in ",
        ),
        (NESTED[NESTED.index("[") : -3], "`read json  each item in record  each record in item.events`"),
        ('{"b": {"my items": [{"e": 1}]}}\n{"b": {"my items": []}}\n', "`read json-lines  each item in b.'my items'`"),
    ],
)
def test_a_list_that_was_not_looked_into_is_told(text: str, said: str, tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text(text, "utf-8")
    ran = run("infer", str(log))
    assert ran.status == 2
    assert said in ran.err


def test_a_draft_says_which_list_it_did_not_look_into(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(LINES.replace("}\n", ', "parts": [{"x": 1}], "tags": ["a", "b"]}\n'), "utf-8")
    ran = run("infer", str(log))
    assert ran.status == 0
    said = ran.out.replace("\n//     ", " ")
    assert "nothing looked inside the list `parts` of a record" in said
    assert "`tags`" not in said
