"""What is said of a text that the binding cannot take apart or convert."""

from __future__ import annotations

from io import BytesIO

import pytest

from lifespec.check import Log, check
from lifespec.explain import Explained
from lifespec.load import load_text

MACHINE = "lifecycle e  field n : number  machine m { initial a  final b  a -> b on go }\n"


def found(binding: str, log: str) -> list[Explained]:
    loaded = load_text(f"{MACHINE}binding x for e {{ {binding} }}", "e.lifespec")
    assert loaded.model is not None, loaded.diagnostics
    report = check(loaded.model, [Log("a.log", BytesIO(log.encode()))], binding="x")
    return list(report.findings)


LINES = (
    'read text  match record "{day}|{clock}|{s}"  match record "[{at}] {id}: event={e} {}"  '
    "session = id  time = at as iso8601  event = e"
)


@pytest.mark.parametrize(
    ("line", "label", "at"),
    [
        ("[2026-01-01T00:00:00Z] é1: evnt=go x", "no `: event=` from here on", "é1"),
        ("[] c1: event=go x", "nothing here for `{at}`, which takes at least one character", "] c1"),
        ("[2026-01-01T00:00:00Z] c1: event=go", "no ` ` from here on", "go"),
    ],
)
def test_a_line_that_no_pattern_fits_shows_the_nearest_one_and_where_it_parts(line: str, label: str, at: str) -> None:
    (each,) = found(LINES, line + "\n")
    assert each.name == "malformed-record"
    assert "no `match` of the binding fits the line" in each.message
    assert each.label == label
    assert each.line is not None
    assert each.mark is not None
    assert each.line[each.mark[0] :].startswith(at)
    assert each.facts[0] == ("nearest", 'match record "[{at}] {id}: event={e} {}"')
    assert each.facts[1] == ("pattern", 'match record "{day}|{clock}|{s}"')
    assert "`{}` may take none" in each.help[0]


@pytest.mark.parametrize("part", ["session", "time"])
def test_a_part_that_is_read_from_a_match_says_what_does_not_fit(part: str) -> None:
    binding = (
        'read csv  match t "{a},{b}"  let whole = "{a}.{b}"  event = e  '
        f"{'session = id  time = whole as s since start' if part == 'time' else 'session = whole  time = none'}"
    )
    fits, unfit = 't,id,e\n"1,5",s,go\n', "t,id,e\n3,s,go\n"
    assert not found(binding, fits)
    (each,) = found(binding, unfit)
    assert each.name == f"missing-{part}"
    assert ("note", f'the binding reads the {part} from a `match`, and "{{a}},{{b}}" does not fit `3`') in each.facts
    assert f"`{part} = ... else ...`" in each.help[0]


@pytest.mark.parametrize(
    ("reading", "name"),
    [("n = v as number", "unreadable-value"), ("n = v", "invalid-field"), ("n = v as ms", "unreadable-value")],
)
def test_a_decimal_comma_is_told_with_what_reads_it(reading: str, name: str) -> None:
    head = "read csv separated by ';'  session = id  time = none  event = e  ".replace("'", '"')
    (each,) = found(head + reading, "id;e;v\ns;go;48,5\n")
    assert each.name == name
    assert 'n = "{a}.{b}" as number else KEY as number' in each.help[0]
    told = 'match v "{a},{b}"  n = "{a}.{b}" as number else v as number'
    assert not found(head + told, "id;e;v\ns;go;48,5\nt;go;48\nu;go;-0,5\n")


def test_a_time_with_a_decimal_comma_is_told_with_what_reads_it() -> None:
    binding = "read csv separated by ';'  session = id  time = t as s since start  event = e".replace("'", '"')
    (each,) = found(binding, "id;e;t\ns;go;0,5\n")
    assert each.name == "unreadable-time"
    assert 'time = "{a}.{b}" as s since start else KEY as s since start' in each.help[0]


@pytest.mark.parametrize(
    ("log", "form", "help_"),
    [
        ("time,session,event\n1,a,go\n", "CSV", "`read csv`"),
        (
            'Zeit [s];"Gerät";Raum\n1;a;go\n',
            'CSV separated by ";"',
            '`read csv separated by ";"`',
        ),
        ("\n<?xml version='1.0'?>\n<log/>\n", "XML", "XML is not read"),
        ("<log>\n</log>\n", "XML", "XML is not read"),
        ("---\na: 1\n", "YAML", "YAML is not read"),
    ],
)
def test_a_log_of_another_form_is_told_so_at_its_first_line(log: str, form: str, help_: str) -> None:
    first, *others = found("read json-lines  session = s  time = none  event = e", log)
    assert first.name == "malformed-record"
    assert first.message == f"the log looks like {form}, and the binding reads JSON, one record a line"
    assert help_ in first.help[0]
    assert all(each.violation.found is None for each in others)


@pytest.mark.parametrize("first", ["starting, please wait", '{"s": "a", "e": "go', "a: b, c, d", "[1, 2"])
def test_a_first_line_that_is_merely_broken_says_nothing_of_the_log(first: str) -> None:
    (each,) = found("read json-lines  session = s  time = none  event = e", first + '\n{"s": "a", "e": "go"}\n')
    assert each.violation.found is None
    assert "not JSON" in each.message


def test_a_log_of_which_nothing_could_be_read_says_what_the_binding_reads() -> None:
    loaded = load_text(
        f"{MACHINE}binding x for e {{ read json-lines  session = s  time = none  event = e }}", "e.lifespec"
    )
    assert loaded.model is not None
    report = check(loaded.model, [Log("a.log", BytesIO(b"one two\n"))], binding="x")
    (problem,) = (each for each in report.problems if each.name == "nothing-readable")
    assert problem.notes == ("binding `x` reads `json-lines`",)
