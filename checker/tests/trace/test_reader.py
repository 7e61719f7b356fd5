"""What becomes of each line of a log, and every finding that reading can have."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import SOCKET, binding_of, compiled, events_of, findings_of, read, records_of

from lifespec.diagnostics import NAMES, Stage
from lifespec.model.value import Duration, Instant, Unread
from lifespec.trace.event import Event, Record
from lifespec.trace.reader import file_name_of, log_value, records_from
from lifespec.verdict import Place, Violation

DEFAULT = compiled(SOCKET)
ROWS = binding_of("read json-lines rows [name, id?, at]  session = id  time = at as ms since epoch  event = name")


def line(**parts: object) -> str:
    return json.dumps({"time": 0, "session": "s", "event": "opened"} | parts) + "\n"


# --- the default binding -----------------------------------------------------------------------------


def test_a_record_in_lifespecs_own_words_is_one_event() -> None:
    log = line(time="1970-01-01T00:00:01.5Z", **{"from": "idle", "to": "open"}, owner="app", ms=1.5, x=None)
    (record,) = records_of(DEFAULT, log)
    assert record.place == Place("a.jsonl", 1, 0)
    assert (record.session, record.time_ns, record.ends_session) == ("s", 1_500_000_000, False)
    assert record.events == (Event("opened", None, "idle", "open", False, "app", {"ms": Decimal("1.5")}),)
    assert record.body == json.loads(log, parse_float=Decimal)


def test_time_may_be_seconds_since_the_epoch() -> None:
    assert [record.time_ns for record in records_of(DEFAULT, line(time=1.25) + line(time="2.5"))] == [
        1_250_000_000,
        2_500_000_000,
    ]


def test_a_record_with_neither_event_nor_state_only_moves_the_clock() -> None:
    (record,) = records_of(DEFAULT, '{"time": 3, "session": "s", "load": 0.5}\n')
    assert (record.events, record.time_ns) == ((), 3_000_000_000)


def test_a_name_that_nobody_knows_is_left_to_the_engine() -> None:
    assert [event.name for event in events_of(DEFAULT, line(event="other"))] == ["other"]


def test_blank_lines_and_line_ends_of_any_kind_are_no_records() -> None:
    _, counts = read(DEFAULT, b"\xef\xbb\xbf" + line().encode() + b"\r\n  \n\n" + line().strip().encode() + b"\r\n")
    assert (counts.records, counts.blank, counts.lines, counts.findings) == (2, 3, 5, {})


def test_a_last_line_without_a_line_end_is_a_record() -> None:
    assert len(records_of(DEFAULT, line().rstrip())) == 1


def test_names_are_counted() -> None:
    _, counts = read(DEFAULT, line() + line(event="x") + line(event="x") + line(session="t"))
    assert counts.occurred.most_frequent(1) == (("opened", 2),)
    assert (counts.sessions, counts.events) == (2, 4)


# --- findings ----------------------------------------------------------------------------------------


def only(found: list[Violation]) -> Violation:
    (violation,) = found
    assert violation.property is None
    return violation


CASES = {
    "wrong-container": (DEFAULT, b"\x28\xb5\x2f\xfd" + b"\0" * 20),
    "malformed-record": (DEFAULT, b'{"time": 1,\n'),
    "duplicate-key": (DEFAULT, b'{"time": 1, "session": "s", "event": "opened", "event": "closed"}\n'),
    "not-utf-8": (DEFAULT, b'{"a": "\xff"}\n'),
    "missing-session": (DEFAULT, b'{"time": 1, "event": "opened"}\n'),
    "missing-time": (DEFAULT, b'{"session": "s", "event": "opened"}\n'),
    "unreadable-time": (DEFAULT, b'{"time": "noon", "session": "s", "event": "opened"}\n'),
    "unreadable-value": (DEFAULT, b'{"time": 1, "session": "s", "event": "opened", "owner": ["a"]}\n'),
    "time-reversed": (DEFAULT, (line(time=2) + line(time=1)).encode()),
    "lacking-event-seen": (binding_of("lacks events opened"), line().encode()),
    "near-name": (binding_of("ignore any"), line(event="Opened").encode()),
    "late-record": (
        binding_of("order by time within 1s"),
        "".join(line(time=time) for time in (1, 3, 9, 2)).encode(),
    ),
    "sequence-gap": (binding_of("order by n"), (line(n=1) + line(n=3)).encode()),
    "duplicate-record": (binding_of("unique by record"), (line(n=1) + line(n=1)).encode()),
    "late-join": (
        binding_of("on opened same session as other"),
        (line(session="a") + line(session="b") + line(session="b", other="a")).encode(),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_finding_of_reading_fires(name: str) -> None:
    binding, log = CASES[name]
    assert only(findings_of(binding, log)).name == name


def test_these_are_all_findings_of_reading() -> None:
    of_the_engine = {"missing-key"}
    assert set(CASES) | of_the_engine == {name for name, entry in NAMES.items() if entry.stage is Stage.LOG}


@pytest.mark.parametrize(
    ("record", "part"), [("[1]", "a list"), ('"x"', "a text"), ("null", "null"), ("1", "a number")]
)
def test_a_record_that_is_no_object_has_no_parts(record: str, part: str) -> None:
    violation = only(findings_of(DEFAULT, record + "\n"))
    assert violation.name == "malformed-record"
    assert violation.text == f"it is {part}, not an object"


def test_the_column_of_a_syntax_error_is_given() -> None:
    violation = only(findings_of(DEFAULT, '{"time": NaN}\n'))
    assert (violation.count, violation.text) == (10, "`NaN` is not JSON: numbers are finite")


def test_a_cut_last_line_is_called_so() -> None:
    violation = only(findings_of(DEFAULT, line() + '{"time": 1, "ses'))
    assert violation.place == Place("a.jsonl", 2, len(line()))
    assert violation.text == "the last line is cut: it is not JSON: it ends in the middle of a value"


def test_a_record_with_a_key_twice_is_still_read() -> None:
    items, _ = read(DEFAULT, CASES["duplicate-key"][1])
    assert isinstance(items[0], Violation)
    assert items[0].field == "event"
    assert isinstance(items[1], Record)
    assert items[1].events[0].name == "closed"


def test_an_event_without_a_time_takes_the_one_before() -> None:
    items, _ = read(DEFAULT, line(time=4) + '{"session": "s", "event": "closed"}\n')
    assert [item.time_ns for item in items if isinstance(item, Record)] == [4_000_000_000, 4_000_000_000]


def test_an_event_without_a_session_is_still_searched() -> None:
    items, _ = read(DEFAULT, '{"time": 1, "event": "opened", "mail": "a@b.c"}\n')
    (record,) = (item for item in items if isinstance(item, Record))
    assert record.session is None
    assert record.body == {"time": 1, "event": "opened", "mail": "a@b.c"}


def test_a_blank_session_is_none() -> None:
    assert only(findings_of(DEFAULT, line(session=" "))).name == "missing-session"


def test_what_could_be_a_secret_is_not_repeated() -> None:
    assert only(findings_of(DEFAULT, line(time="2025-02-30T00:00:00Z"))).found == "2025-02-30T00:00:00Z"
    assert only(findings_of(DEFAULT, line(time="someone@example.com"))).found is None
    assert only(findings_of(DEFAULT, line(time="10.0.0.1"))).found is None


def test_each_session_has_its_own_clock_and_the_greatest_jump_is_kept() -> None:
    log = line(time=5) + line(time=1, session="t") + line(time=4) + line(time=2) + line(time=6)
    items, counts = read(DEFAULT, log)
    jumps = [item.elapsed_ns for item in items if isinstance(item, Violation)]
    assert jumps == [1_000_000_000, 3_000_000_000]
    assert counts.greatest_reversal_ns == 3_000_000_000
    assert counts.findings == {"time-reversed": 2}


def test_an_allowed_finding_is_a_count_with_its_why() -> None:
    binding = binding_of('allow time-reversed, malformed-record "two threads write it"')
    items, counts = read(binding, line(time=2) + line(time=1) + "{\n")
    assert not [item for item in items if isinstance(item, Violation)]
    assert counts.allowed["time-reversed"].count == 1
    assert counts.allowed["malformed-record"].count == 1
    assert counts.allowed["time-reversed"].why == "two threads write it"
    assert counts.malformed == 1


# --- rows, magic lines, headers ----------------------------------------------------------------------


def test_rows_name_the_elements_of_an_array() -> None:
    items, _ = read(ROWS, '["opened", "s", 1500]\n["closed", 2000]\n')
    records = [item for item in items if isinstance(item, Record)]
    assert records[0].body == {"name": "opened", "id": "s", "at": 1500}
    assert (records[0].session, records[0].time_ns) == ("s", 1_500_000_000)
    assert (records[1].session, records[1].time_ns) == (None, 2_000_000_000)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ('["opened"]', "it has 1 elements where a list of 2 to 3 is due"),
        ('["opened", 1, 2, 3]', "it has 4 elements where a list of 2 to 3 is due"),
        ('{"name": "opened"}', "it has an object where a list of 2 to 3 is due"),
    ],
)
def test_rows_of_another_length_are_malformed(row: str, why: str) -> None:
    assert only(findings_of(ROWS, row + "\n")).text == why


def test_what_has_no_name_in_a_row_is_still_searched() -> None:
    binding = binding_of("read json-lines rows [name, _, ..., at]  session = file.name  time = none  event = name")
    (record,) = records_of(binding, '["opened", "a", "b", "c", 7]\n')
    assert record.body == {"name": "opened", "[1]": "a", "[2]": "b", "[3]": "c", "at": 7}


def test_a_magic_line_and_a_header_are_no_records() -> None:
    binding = binding_of(
        'read json-lines after "MAGIC" header first  session = header.id  event = e'
        "  time = t as (header.unit) since start"
    )
    items, counts = read(binding, 'MAGIC\n{"id": "h", "unit": "us"}\n{"t": 3, "e": "opened"}\n')
    (record,) = items
    assert isinstance(record, Record)
    assert (record.session, record.time_ns, counts.headers, counts.records) == ("h", 3_000, 2, 1)


def test_another_magic_line_is_another_container() -> None:
    binding = binding_of('read json-lines after "MAGIC"  session = id  time = none  event = e')
    items, counts = read(binding, '{"e": "opened"}\n{"e": "opened"}\n')
    assert [item.name for item in items if isinstance(item, Violation)] == ["wrong-container"]
    assert len(items) == counts.lines == 1


# --- programs ----------------------------------------------------------------------------------------


def test_a_program_may_read_what_it_has_in_hand() -> None:
    items = list(records_from([{"time": 0.1, "session": "s", "event": "opened"}, {1: 2}, {"x": float("nan")}], DEFAULT))
    assert isinstance(items[0], Record)
    assert items[0].time_ns == 100_000_000
    assert items[0].place == Place("<records>", 1)
    assert [item.text for item in items[1:] if isinstance(item, Violation)] == [
        "a key is no text",
        "a number is not finite",
    ]


@pytest.mark.parametrize(
    "value", [10**500, Decimal("1e500"), Decimal("NaN"), b"bytes", {1}, object(), "\ud800", {"\ud800": 1}]
)
def test_what_no_log_could_hold_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        log_value(value)


def test_endless_values_are_refused() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="deep"):
        log_value(endless)


def test_values_that_have_a_unit_stay_what_they_are() -> None:
    assert log_value([Duration(1), Instant(2), True]) == [Duration(1), Instant(2), True]


@pytest.mark.parametrize(
    ("path", "name"),
    [("a/b.jsonl.gz", "b.jsonl"), ("C:\\logs\\b.jsonl", "b.jsonl"), ("b.zst", "b"), ("-", "-"), ("", "")],
)
def test_the_name_of_a_log_has_no_folder_and_no_packing(path: str, name: str) -> None:
    assert file_name_of(path) == name


# --- any bytes ---------------------------------------------------------------------------------------

BINDINGS = (
    DEFAULT,
    ROWS,
    binding_of(
        'read json-lines after "M" header first  session = header.a[0] else previous  time = t as ms since previous'
    ),
    binding_of('ignore any  ignore where event like ".*x"  on "{a}.{b}" where n / d > 2 emit opened with c = "{a}{b}"'),
)
PIECES = st.sampled_from(
    [b"{", b"}", b"[", b"]", b'"', b":", b",", b"\n", b"\r", b" ", b"null", b"true", b"-1e5", b"0", b"M\n", b"\xff",
     b'"time"', b'"session":"s"', b'"event":"a.b"', b'"event":"opened"', b"\\ud800", b"\\u0061", b"\x00",
     b"\xef\xbb\xbf"]
)  # fmt: skip


@given(st.lists(PIECES | st.binary(max_size=4), max_size=40).map(b"".join), st.sampled_from(BINDINGS))
def test_any_bytes_are_read_and_every_line_is_accounted_for(log: bytes, binding: object) -> None:
    read(binding, log)  # type: ignore[arg-type]


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["time", "session", "event", "machine", "from", "to", "owner", "n", "d", "reason"]),
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
            | st.sampled_from(["opened", "a.b", "x", "1.5"]) | st.lists(st.integers(), max_size=2),
        ),
        max_size=8,
    ),
    st.sampled_from(BINDINGS),
)  # fmt: skip
def test_any_objects_are_read(objects: list[dict[str, object]], binding: object) -> None:
    log = "".join(json.dumps(each) + "\n" for each in objects)
    items, counts = read(binding, log.encode())  # type: ignore[arg-type]
    assert counts.events == sum(len(item.events) for item in items if isinstance(item, Record))


def test_a_document_over_several_lines_is_another_container() -> None:
    items, counts = read(DEFAULT, json.dumps([{"session": "s"}], indent=2))
    assert [(item.name, item.place.line) for item in items if isinstance(item, Violation)] == [("wrong-container", 1)]
    assert (len(items), counts.lines) == (1, 1)


def test_a_session_that_cannot_be_read_is_one_finding() -> None:
    violation = only(findings_of(DEFAULT, line(session={"id": 1})))
    assert (violation.name, violation.field) == ("unreadable-value", "session")


def test_sessions_are_counted_without_a_clock_too() -> None:
    _, counts = read(binding_of("time = none"), line() + line(session="t") + line())
    assert counts.sessions == 2


def test_an_unreadable_field_is_there_and_found_once() -> None:
    binding = binding_of("n = n as number")
    items, _ = read(binding, '{"time": 1, "session": "s", "event": "opened", "n": "seven"}\n')
    (found,) = [item for item in items if isinstance(item, Violation)]
    (record,) = [item for item in items if isinstance(item, Record)]
    assert (found.name, found.field) == ("unreadable-value", "n")
    assert isinstance(record.events[0].fields["n"], Unread)


@pytest.mark.parametrize(
    ("statements", "passed_over"),
    [
        ("ignore any  on gone emit gone with code = 1  ends session", {"gone": 1}),
        ("ignore any  on gone emit gone with code = 1  emit opened", {"gone": 1}),
        ("ignore any  on any ends session", {"gone": 1}),
        ("ignore any  on gone ends session", {}),
        ("ignore any  on gone emit gone", {"gone": 1}),
        ("on gone emit gone  ends session", {}),
    ],
)
def test_an_emitted_event_that_ignore_any_takes_is_counted(statements: str, passed_over: dict[str, int]) -> None:
    binding = binding_of(statements.replace("  ", "\n"))
    _, counts = read(binding, '{"time": 1, "session": "s", "event": "gone"}\n')
    assert counts.passed_over.names == passed_over


def test_time_goes_back_also_from_a_record_that_is_passed_over() -> None:
    binding = binding_of("time = t as ms since previous\nignore noise")
    log = "".join(
        f'{{"t": {delta}, "session": "s", "event": "{name}"}}\n'
        for delta, name in ((5, "opened"), (100, "noise"), (-50, "opened"), (1, "closed"))
    )
    (found,) = findings_of(binding, log)
    assert (found.name, found.place.line, found.elapsed_ns) == ("time-reversed", 3, 50_000_000)
