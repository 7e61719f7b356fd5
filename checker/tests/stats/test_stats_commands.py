"""`lifespec stats` and `lifespec compare` as people run them: what is said, in what form, with what exit status."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import release_samples

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))

from run_lifespec import Ran, run  # a helper of the tests of the command line

ROOT = Path(__file__).parents[3]
RELEASES = ROOT / "spec" / "lifecycles" / "avatar" / "releases"
BASE, HEAD = str(RELEASES / "1.0.jsonl.gz"), str(RELEASES / "1.1.jsonl.gz")

SPEC = """lifecycle call
field reason : text
machine call {
  initial idle
  state   talking within 20s
  failure broken
  final   over
  idle    -> talking on dial
  talking -> broken  on drop
  any     -> over    on hang-up
}
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "call.lifespec"
    path.write_text(SPEC, "utf-8")
    return path


def log(path: Path, sessions: int, faulty: int = 0, length: int = 5, **fields: Any) -> str:
    """Sessions of one call each; the first `faulty` of them drop without a reason."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(sessions):
            events = [(0, "dial"), *([(1, "drop")] if number < faulty else []), (length + number % 5, "hang-up")]
            for time, event in events:
                file.write(json.dumps({"time": time, "session": f"s{number}", "event": event, **fields}) + "\n")
    return str(path)


def valid(ran: Ran, name: str) -> dict[str, Any]:
    """The answer as a value that keeps to its schema, and has no key that the schema does not describe."""
    value: dict[str, Any] = json.loads(ran.out)
    schema = json.loads((ROOT / "spec" / "schemas" / f"{name}.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(value, _strict(schema), cls=jsonschema.Draft202012Validator)
    return value


def _strict(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {key: _strict(value) for key, value in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        strict.setdefault("additionalProperties", False)
    return strict


# --- stats -------------------------------------------------------------------------------------------------


def test_the_text_fits_eighty_columns() -> None:
    ran = run("stats", "lib:avatar", HEAD, "--by", "client,region")
    assert ran.status == 0
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "reverse-cleanup: rule-broken              38" in ran.out


def test_no_share_is_said_to_be_nothing_or_all(spec: Path, tmp_path: Path) -> None:
    for faulty in (0, 3):
        ran = run("stats", str(spec), log(tmp_path / "log.jsonl", 3, faulty))
        assert "fewer than" not in ran.out  # said of segments only
        assert not re.search(r"\b(0|100)(\.0)? %", ran.out)
        assert "below 56.1 %" in ran.out or "above 43.9 %" in ran.out


def test_a_small_segment_is_called_small(spec: Path, tmp_path: Path) -> None:
    ran = run("stats", str(spec), log(tmp_path / "log.jsonl", 3, platform="web"), "--by", "platform")
    assert "platform = web: 3 sessions, fewer than 30: hardly anything can be told" in ran.out


def test_the_json_keeps_to_its_schema(spec: Path, tmp_path: Path) -> None:
    path = log(tmp_path / "log.jsonl", 40, 4, platform="web")
    value = valid(run("stats", str(spec), path, "--by", "platform", "--format", "json"), "stats")
    overall = value["overall"]
    assert overall["sessions"] == 40
    assert overall["findings"][0]["name"] == "missing-reason"
    assert overall["findings"][0]["sessions"]["found"] == 4
    assert [segment["values"] for segment in value["segments"]] == [["web"]]
    assert valid(run("stats", str(spec), path, "--by-current", "call", "--format", "json"), "stats")


def test_the_csv_has_a_row_for_each_number(spec: Path, tmp_path: Path) -> None:
    path = log(tmp_path / "log.jsonl", 40, 4, platform="=HYPERLINK(1)")
    ran = run("stats", str(spec), path, "--by", "platform", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert {row["platform"] for row in rows} == {"(all)", "'=HYPERLINK(1)"}
    (found,) = (row for row in rows if row["name"] == "missing-reason" and row["platform"] == "(all)")
    assert (found["sessions"], found["of_sessions"], found["property"]) == ("4", "40", "transitions call")


def test_the_page_needs_nothing_and_runs_nothing(spec: Path, tmp_path: Path) -> None:
    path = log(tmp_path / "log.jsonl", 40, 4, platform="<script>alert(1)</script>")
    page = tmp_path / "stats.html"
    assert run("stats", str(spec), path, "--by", "platform", "--format", "html", "-o", str(page)).status == 0
    text = page.read_text("utf-8")
    assert "<svg" in text
    assert "&lt;script&gt;" in text
    for forbidden in ("<script", "http:", "https:", "@import", "url(", "<link", "<img"):
        assert forbidden not in text


def test_what_a_histogram_would_show_as_one_block_is_said_in_words(spec: Path, tmp_path: Path) -> None:
    alike = tmp_path / "alike.jsonl"
    rows = [
        f'{{"time": {second}, "session": "s{n}", "event": "{event}"}}\n'
        for n in range(3)
        for second, event in ((100 * n, "dial"), (100 * n + 60, "hang-up"))
    ]
    alike.write_text("".join(rows), "utf-8")
    page = run("stats", str(spec), str(alike), "--format", "html").out
    assert "all 3 values are 1m" in page
    assert 'class="bar"' not in page


@pytest.mark.parametrize("form", ["text", "json", "csv", "html"])
def test_the_same_input_gives_the_same_bytes(form: str, spec: Path, tmp_path: Path) -> None:
    path = log(tmp_path / "log.jsonl", 40, 4, platform="web")
    arguments = ("stats", str(spec), path, "--by", "platform", "--format", form)
    assert run(*arguments).out == run(*arguments).out


def test_what_cannot_be_read_is_status_two(spec: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("", "utf-8")
    other = tmp_path / "other.jsonl"
    other.write_text('{"time": 1, "session": "s", "event": "nothing-of-it"}\n', "utf-8")
    for arguments, words in (
        ((str(spec), str(empty)), "is empty"),
        ((str(spec), str(other)), "no record of the log is an event"),
        ((str(spec), str(tmp_path / "missing.jsonl")), "missing.jsonl"),
        (("lib:no-such", str(other)), "no lifecycle of this name"),
        ((str(spec), str(other), "--by", "call"), "--by-current"),
    ):
        ran = run("stats", *arguments)
        assert ran.status == 2
        assert words in ran.out + ran.err


def test_a_log_that_is_read_is_not_written_over(spec: Path, tmp_path: Path) -> None:
    path = log(tmp_path / "log.jsonl", 3)
    before = Path(path).read_bytes()
    assert run("stats", str(spec), path, "-o", path).status == 2
    assert Path(path).read_bytes() == before


def test_a_log_comes_from_standard_input(spec: Path, tmp_path: Path) -> None:
    text = Path(log(tmp_path / "log.jsonl", 12)).read_bytes()
    ran = run("stats", str(spec), "-", stdin=text)
    assert ran.status == 0
    assert re.search(r"logs +<stdin>\n  records +24\n  sessions +12\n", ran.out)


# --- compare -------------------------------------------------------------------------------------------------


def test_the_shipped_releases_are_what_the_generator_writes() -> None:
    assert not list(release_samples.stale())


def test_the_planted_regression_is_named_and_nothing_else() -> None:
    ran = run("compare", "lib:avatar", "--base", BASE, "--head", HEAD, "--format", "json", "--fail-on", "regression")
    assert ran.status == 1
    value = valid(ran, "compare")
    named = [row for row in value["comparisons"] if row["change"] in ("worse", "better", "changed")]
    assert [(row["name"], row["property"], row["change"]) for row in named] == [
        ("rule-broken", "rule reverse-cleanup", "worse")
    ]
    assert value["base"]["digest"] == value["head"]["digest"]


def test_the_planted_regression_is_named_over_all_segments_and_nothing_else() -> None:
    arguments = ("compare", "lib:avatar", "--base", BASE, "--head", HEAD, "--by", "client", "--fail-on", "regression")
    ran = run(*arguments, "--format", "json")
    assert ran.status == 1
    named = [row for row in valid(ran, "compare")["comparisons"] if row["change"] in ("worse", "better", "changed")]
    assert {row["property"] for row in named} == {"rule reverse-cleanup"}
    assert (named[0]["segment"], named[0]["stratified"]) == (["(all, by segment)"], True)
    assert (named[0]["base"]["found"], named[0]["head"]["found"]) == (8, 38)
    text = run(*arguments).out
    assert "what would be named in 80 of 100 such comparisons, (all, by client)" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("option", ["--by", "--by-current"])
def test_a_name_that_is_of_nothing_is_refused(option: str, spec: Path, tmp_path: Path) -> None:
    path = log(tmp_path / "log.jsonl", 40, 4, platform="web")
    for name, near in (("reasno", "reason"), ("platfrom", "platform")):
        ran = run("stats", str(spec), path, option, name)
        assert ran.status == 2
        assert f"did you mean `{near}`?" in " ".join(ran.err.split())
    assert run("stats", str(spec), path, option, "platform").status == 0
    far = " ".join(run("stats", str(spec), path, option, "version").err.split())
    assert (
        "`version` is nothing that the lifecycle declares, nor a field that an event of the logs has; there are" in far
    )
    assert all(f"`{name}`" in far for name in ("platform", "reason"))
    compared = run("compare", str(spec), "--base", path, "--head", path, option, "platfrm")
    assert (compared.status, "did you mean `platform`?" in " ".join(compared.err.split())) == (2, True)
    closed = tmp_path / "closed.lifespec"
    closed.write_text(
        "binding closed for call { read json lines event = event  time = time in s  session = session }\n"
    )
    assert run("stats", str(spec), path, option, "platform", "--binding", str(closed)).status == 2
    if option == "--by-current":
        assert "did you mean `talking`?" in run("stats", str(spec), path, option, "talkng").err


def test_the_other_way_round_it_is_better() -> None:
    ran = run("compare", "lib:avatar", "--base", HEAD, "--head", BASE, "--fail-on", "regression")
    assert ran.status == 0
    assert "1 better" in ran.out
    assert "\nWorse" not in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_a_release_is_not_worse_than_itself(spec: Path, tmp_path: Path) -> None:
    base, head = (log(tmp_path / f"{name}.jsonl", 60, 12, platform="web") for name in ("base", "head"))
    ran = run("compare", str(spec), "--base", base, "--head", head, "--by", "platform", "--fail-on", "regression")
    assert ran.status == 0
    assert "nothing named" in ran.out


def test_what_appears_is_said_to_be_new(spec: Path, tmp_path: Path) -> None:
    base, head = log(tmp_path / "base.jsonl", 100), log(tmp_path / "head.jsonl", 100, 20)
    ran = run("compare", str(spec), "--base", base, "--head", head, "--fail-on", "regression")
    assert ran.status == 1
    assert "it was not there before" in ran.out
    assert "no session of the base has `drop`" in ran.out
    rare = run("compare", str(spec), "--base", base, "--head", log(tmp_path / "rare.jsonl", 100, 2))
    assert rare.status == 0
    assert "in the head only: call: missing-reason 2 of 100" in rare.out


def test_what_takes_longer_is_worse_only_where_it_is_bounded(spec: Path, tmp_path: Path) -> None:
    base, head = log(tmp_path / "base.jsonl", 60), log(tmp_path / "head.jsonl", 60, length=12)
    value = valid(run("compare", str(spec), "--base", base, "--head", head, "--format", "json"), "compare")
    changes = {(row["kind"], row["name"], row["change"]) for row in value["comparisons"]}
    assert ("time in state", "call.talking", "worse") in changes
    loose = spec.with_name("loose.lifespec")
    loose.write_text(SPEC.replace(" within 20s", ""), "utf-8")
    value = valid(run("compare", str(loose), "--base", base, "--head", head, "--format", "json"), "compare")
    changes = {(row["kind"], row["name"], row["change"]) for row in value["comparisons"]}
    assert ("time in state", "call.talking", "changed") in changes


def test_what_is_of_no_session_is_said(spec: Path, tmp_path: Path) -> None:
    base, head = log(tmp_path / "base.jsonl", 40), log(tmp_path / "head.jsonl", 40)
    with open(head, "a", encoding="utf-8") as file:
        file.write("no json\n")
    ran = run("compare", str(spec), "--base", base, "--head", head)
    assert "in the head outside of any session, so not compared: 1 malformed-record" in ran.out
    value = valid(run("compare", str(spec), "--base", base, "--head", head, "--format", "json"), "compare")
    assert value["head"]["without_session"] == [{"name": "malformed-record", "count": 1}]


def test_too_few_sessions_are_no_verdict(spec: Path, tmp_path: Path) -> None:
    base, head = log(tmp_path / "base.jsonl", 10), log(tmp_path / "head.jsonl", 200, 100)
    ran = run("compare", str(spec), "--base", base, "--head", head)
    assert ran.status == 2
    assert "could not compare: nowhere have both sides 30 sessions" in ran.out


@pytest.mark.parametrize("options", [(), ("--fail-on", "regression")], ids=["never", "regression"])
def test_a_comparison_that_tested_nothing_is_no_verdict(options: tuple[str, ...], spec: Path, tmp_path: Path) -> None:
    base, head = log(tmp_path / "base.jsonl", 3), log(tmp_path / "head.jsonl", 2, 2)
    arguments = ("compare", str(spec), "--base", base, "--head", head, "--min-sessions", "1", *options)
    ran = run(*arguments)
    assert (ran.status, ran.err) == (2, "")
    said = " ".join(ran.out.split())
    assert "could not compare: nothing was tested, for 3 and 2 sessions are too few to name anything worse" in said
    assert "no difference seen" not in said
    assert "not tested, for too few sessions have it: " in said
    ran = run(*arguments, "--format", "json")
    value = valid(ran, "compare")
    assert (value["status"], value["tested"]) == (2, 0)
    assert "too few to name anything worse" in value["nothing_compared"]
    assert value["nothing_compared"] in ran.err
    assert {row["change"] for row in value["comparisons"]} == {"too few"}
    ran = run(*arguments, "-o", str(tmp_path / "answer"))
    assert (ran.status, ran.out) == (2, "")
    assert "too few to name anything worse" in ran.err


def test_what_is_the_same_everywhere_is_said_to_be_untested(spec: Path, tmp_path: Path) -> None:
    """Two clean releases are no regression, and the answer says what that rests on."""
    spec.write_text(SPEC.replace("  state   talking within 20s", "  state   talking"), "utf-8")
    for name in ("base", "head"):
        text = Path(log(tmp_path / f"{name}.jsonl", 60)).read_text()
        (tmp_path / f"{name}.jsonl").write_text(re.sub(r'"time": [5-9]', '"time": 5', text))
    sides = ("--base", str(tmp_path / "base.jsonl"), "--head", str(tmp_path / "head.jsonl"))
    ran = run("compare", str(spec), *sides, "--fail-on", "regression")
    assert ran.status == 0
    said = " ".join(ran.out.split())
    assert "no difference seen" not in said
    assert re.search(
        "not tested, for nearly all sessions of both sides are the same in it: [^;]*state call.talking", said
    )
    assert "0 comparisons tested for being worse" in said
    assert "judged on both sides, and without a finding on either" in said
    assert "a finding that goes from 0 % to" in said
    value = valid(run("compare", str(spec), *sides, "--format", "json"), "compare")
    assert {row["change"] for row in value["comparisons"]} == {"alike"}
    assert value["clean"] > 0
    assert "nothing_compared" not in value


def test_a_machine_that_begins_otherwise_is_not_compared(spec: Path, tmp_path: Path) -> None:
    before = spec.with_name("before.lifespec")
    before.write_text(SPEC.replace("on dial", "on dial, redial"), "utf-8")
    base, head = log(tmp_path / "base.jsonl", 60), log(tmp_path / "head.jsonl", 60, length=12)
    ran = run("compare", str(spec), "--base-spec", str(before), "--base", base, "--head", head)
    assert ran.status == 0
    assert "not compared: call, for `redial` leads out of the initial state in the base" in ran.out
    assert "the two texts are not the same" in ran.out
    assert "\nWorse" not in ran.out


def test_a_property_that_one_client_cannot_show_is_not_compared(spec: Path, tmp_path: Path) -> None:
    """That the findings are gone with the events they come from is not better, and nothing is called clean for it."""
    spec.write_text(SPEC + "rule asks { on dial expect answer within 1s }\n", "utf-8")
    mute = tmp_path / "mute.lifespec"
    mute.write_text("binding mute for call extends default { lacks events answer }\n", "utf-8")
    base = log(tmp_path / "base.jsonl", 60)
    loud = valid(run("stats", str(spec), base, "--format", "json"), "stats")
    assert loud["overall"]["findings"][0]["name"] == "unanswered"
    quiet = valid(run("stats", str(spec), base, "--binding", str(mute), "--format", "json"), "stats")
    assert quiet["not_applicable"] == ["rule asks"]
    assert "rule asks" not in quiet["nothing_found"]
    head = log(tmp_path / "head.jsonl", 60)
    arguments = ("compare", str(spec), "--base", base, "--head", head, "--binding", str(mute), "--base-binding")
    ran = run(*arguments, "default")
    assert "not compared: rule asks, for the client of the head cannot log what it needs" in ran.out
    assert "Better" not in ran.out
    assert loud["never_judged"] == quiet["never_judged"] == ["field reason"]


def test_two_environments_of_one_release_are_compared_by_their_profiles(spec: Path, tmp_path: Path) -> None:
    """At the edge twice as much is allowed, so what is slower there breaks no bound."""
    spec.write_text(
        SPEC.replace("within 20s", "within most").replace(
            "machine call", 'param most = 10s "here"\nprofile edge { most = 40s }\nmachine call'
        ),
        "utf-8",
    )
    base, head = log(tmp_path / "base.jsonl", 60), log(tmp_path / "head.jsonl", 60, length=12)
    arguments = ("compare", str(spec), "--base", base, "--head", head, "--format", "json")
    for profile, overdue in (((), 60), (("--head-profile", "edge"), None)):
        value = valid(run(*arguments, *profile), "compare")
        found = [row["head"]["found"] for row in value["comparisons"] if row["name"] == "overdue"]
        assert (found or [None]) == [overdue]
    assert value["head"]["lifecycle"]["profile"] == "edge"
    assert run(*arguments, "--head-profile", "no-such").status == 2


def test_each_side_takes_several_logs(spec: Path, tmp_path: Path) -> None:
    logs = [log(tmp_path / f"{number}.jsonl", 20) for number in range(4)]
    ran = run("compare", str(spec), "--base", *logs[:2], "--head", *logs[2:])
    assert ran.status == 0
    assert re.search(r"sessions +40 +40", ran.out)


@pytest.mark.parametrize(
    "arguments", [("--base", BASE), ("--head", HEAD), ("--base", "-", "--head", "-"), ("--base", BASE, "--head", "no")]
)
def test_a_side_that_is_missing_is_wrong_usage(arguments: tuple[str, ...]) -> None:
    assert run("compare", "lib:avatar", *arguments).status == 2


def test_the_csv_has_what_was_found_outside_of_sessions(spec: Path, tmp_path: Path) -> None:
    path = Path(log(tmp_path / "log.jsonl", 40))
    path.write_text(path.read_text("utf-8") + "no\nlog\n", "utf-8")
    ran = run("stats", str(spec), str(path), "--format", "csv")
    rows = [row for row in csv.DictReader(io.StringIO(ran.out)) if row["what"] == "finding without session"]
    assert [(row["name"], row["count"], row["sessions"]) for row in rows] == [("malformed-record", "2", "")]


@pytest.mark.parametrize("form", ["text", "csv", "html", "json"])
def test_no_character_of_a_log_moves_a_cursor_or_is_unseen(form: str, spec: Path, tmp_path: Path) -> None:
    unseen = "\u202e\x1b\x00\x85\u2028\ud800"
    path = log(tmp_path / "log.jsonl", 40, 4, platform=f"p{unseen}")
    ran = run("stats", str(spec), path, "--by", "platform", "--format", form)
    assert not set(unseen) & set(ran.out)


@pytest.mark.parametrize("name", ["+1", "@x", "-1", "\t=1", " =1", "\uff1d1"])
def test_no_cell_of_the_csv_is_a_formula(name: str, spec: Path, tmp_path: Path) -> None:
    path = log(tmp_path / "log.jsonl", 3, platform=name)
    ran = run("stats", str(spec), path, "--by", "platform", "--format", "csv")
    (shown,) = {row["platform"] for row in csv.DictReader(io.StringIO(ran.out))} - {"(all)"}
    assert shown.startswith("'")
