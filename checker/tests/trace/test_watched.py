"""B42: what a binding looks for and no record has is told once, whoever reads the log."""

from __future__ import annotations

from io import BytesIO

import pytest

from lifespec.check import Log, Options, check
from lifespec.diagnostics import Diagnostic, Severity
from lifespec.load import load_text

SOCKET = """lifecycle socket
owner client
machine m owned by client { initial a  state b  a -> b on opened  b -> a on closed }
"""
LINE = b'{"session": "s", "time": 1, "event": "opened", "actor": "client", "data": {"code": 5}}\n'


def told(binding: str, log: bytes, name: str = "a.jsonl", **options: object) -> tuple[Diagnostic, ...]:
    loaded = load_text(SOCKET + binding)
    assert loaded.model is not None, loaded.diagnostics
    report = check(loaded.model, [Log(name, BytesIO(log))], options=Options(**options))  # type: ignore[arg-type]
    return tuple(each for each in report.binding_findings if each.name == "absent-path")


@pytest.mark.parametrize("statement", ["owner = acter", "owner = acter  clock per data.code"])
def test_a_part_is_told_with_the_keys_there_are_and_the_nearest(statement: str) -> None:
    """The first binding is read the fast way, the second record by record."""
    (found,) = told(f"binding b extends default {{ {statement} }}", LINE)
    assert found.message == "`acter` occurs in no record of the logs"
    assert "`actor`" in found.notes[0]
    assert found.help == ("did you mean `actor`?",)


def test_a_path_is_told_where_it_ends() -> None:
    (found,) = told("binding b extends default { owner = data.cod }", LINE)
    assert found.notes == ("`data` has `code`",)
    assert found.help == ("did you mean `data.code`?",)


@pytest.mark.parametrize(
    "statement",
    [
        "owner = actor",
        "owner = acter else actor",
        'owner = acter else "client"',
        "owner = file.name",
        "reason = why",  # a field may be rare
        "let x = data  owner = x.code",
    ],
)
def test_what_is_there_or_may_be_rare_is_not_told(statement: str) -> None:
    assert told(f"binding b extends default {{ {statement} }}", LINE) == ()


def test_a_field_that_is_nearly_a_key_is_told() -> None:
    (found,) = told("binding b extends default { code = data.coed }", LINE)
    assert found.help == ("did you mean `data.code`?",)


def test_one_record_with_the_key_is_enough_even_the_last_one() -> None:
    without = LINE.replace(b"actor", b"other")
    assert told("binding b extends default { owner = actor }", without * 5000 + LINE) == ()
    assert len(told("binding b extends default { owner = actor }", without * 5000)) == 1


def test_a_key_that_is_null_or_written_with_escapes_is_there() -> None:
    assert told("binding b extends default { owner = actor }", LINE.replace(b'"client"', b"null")) == ()
    assert told("binding b extends default { owner = actor }", LINE.replace(b"actor", rb"\u0061ctor")) == ()


def test_columns_of_a_table_are_told() -> None:
    binding = "binding b { read csv  session = sesion  time = none  event = e  lacks fields reason }"
    (found,) = told(binding, b"session,e\ns,opened\n", "a.csv")
    assert found.help == ("did you mean `session`?",)
    assert found.notes == ("a record has `session` and `e`",)


def test_no_key_that_is_forbidden_is_shown() -> None:
    binding = "forbid email\nbinding b extends default { owner = acter }"
    (found,) = told(binding, LINE.replace(b'"data"', b'"x@example.org"'))
    assert "example.org" not in str(found)


# --- what `each` walks -------------------------------------------------------------------------------

LINES = b'{"host": "h", "conn": "s", "items": [{"name": "opened"}]}\n'
DOCUMENT = b'{"batches": [{"id": "s", "entries": [{"name": "opened"}]}]}'
OF_LINES = "binding b { read json-lines  each item in PATH  session = conn  time = none  event = item.name }"
OF_DOCUMENT = """binding b { read json  each batch in batches  each item in batch.PATH
  session = batch.id  time = none  event = item.name }"""


def problems(binding: str, log: bytes, **options: object) -> tuple[Diagnostic, ...]:
    loaded = load_text(SOCKET + binding)
    assert loaded.model is not None, loaded.diagnostics
    report = check(loaded.model, [Log("a.json", BytesIO(log))], options=Options(**options))  # type: ignore[arg-type]
    return (*report.problems, *report.binding_findings)


@pytest.mark.parametrize(
    ("binding", "log", "path", "keys", "near"),
    [
        (OF_LINES.replace("PATH", "itms"), LINES, "itms", "there is `host`, `conn` and `items`", "items"),
        (
            OF_DOCUMENT.replace("PATH", "entrys"),
            DOCUMENT,
            "batch.entrys",
            "`batch` has `id` and `entries`",
            "batch.entries",
        ),
    ],
)
@pytest.mark.parametrize("allow_empty", [False, True])
def test_what_each_walks_and_is_nowhere_is_the_one_problem(
    binding: str, log: bytes, path: str, keys: str, near: str, allow_empty: bool
) -> None:
    """No path below it is told, the log is not called empty, and it may not be allowed to be."""
    (found,) = problems(binding, log, allow_empty=allow_empty)
    assert (found.name, found.severity) == ("absent-path", Severity.ERROR)
    assert found.message == f"`{path}` occurs nowhere in the logs: `each item` finds nothing"
    assert found.notes == (keys,)
    assert found.help == (f"did you mean `{near}`?",)


@pytest.mark.parametrize("log", [b'{"batches": [{"entries": []}]}', b'{"batches": [{"id": "s", "entries": null}]}'])
def test_a_document_in_which_each_finds_nothing_is_not_called_empty(log: bytes) -> None:
    (found,) = problems(OF_DOCUMENT.replace("PATH", "entries"), log)
    assert found.name == "empty-log"
    assert found.message == "a.json holds no record: `each item in batch.entries` finds nothing in it"
    assert problems(OF_DOCUMENT.replace("PATH", "entries"), log, allow_empty=True) == ()


def test_a_document_that_is_refused_says_which_each_found_nothing() -> None:
    loaded = load_text(SOCKET + OF_DOCUMENT.replace("batches", "batchs").replace("PATH", "entries"))
    assert loaded.model is not None
    report = check(loaded.model, [Log("a.json", BytesIO(DOCUMENT))])
    (kind,) = report.groups[0].kinds
    assert kind.first.name == "wrong-container"
    assert "`each batch in batchs` finds no list or object in it" in kind.first.message
    assert report.problems == report.binding_findings == ()


def test_what_each_of_on_walks_is_told_when_a_key_is_near() -> None:
    binding = "binding b extends default { on packet each x in PATH  emit opened }"
    log = LINE + b'{"session": "s", "time": 2, "event": "packet", "items": [1]}\n'
    (found,) = told(binding.replace("PATH", "itms"), log)
    assert found.help == ("did you mean `items`?",)
    assert "`items`" in found.notes[0]
    assert told(binding.replace("PATH", "items"), log) == ()
    assert told(binding.replace("PATH", "frames"), log) == ()  # may be rare
    assert told(binding.replace("PATH", "itms"), LINE) == ()  # no packet was there to look in
