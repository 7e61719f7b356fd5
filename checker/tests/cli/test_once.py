"""What names one thing is given once: the first of two is never passed over without a word."""

from __future__ import annotations

import click
import pytest

from lifespec.cli import cli
from lifespec.cli.once import Once
from tests.cli.run_lifespec import run

pytestmark = pytest.mark.usefixtures("folder")

# Of these the last one counts, as is usual: they are settings, and say nothing of what is read, written or looked for.
LAST_COUNTS = {
    *("color", "engine", "examples", "fail-on", "format", "jobs", "lateness", "level", "max-malformed"),
    *("max-segments", "min-matched", "min-sessions", "order", "sarif-primary", "to"),
}


@pytest.mark.parametrize("name", cli.list_commands(click.Context(cli)))
def test_an_option_is_taken_once_or_several_times_or_is_a_setting(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    options = [each for each in command.params if isinstance(each, click.Option)]
    last = {max(each.opts, key=len).lstrip("-") for each in options if not (each.multiple or each.is_flag)}
    once = {max(each.opts, key=len).lstrip("-") for each in options if isinstance(each, Once)}
    assert last - once <= LAST_COUNTS
    assert not once & LAST_COUNTS


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("timeline", "socket.lifespec", "bad.jsonl", "--session", "s1", "--session", "s2"), "given s1 and s2"),
        (("lint", "socket.lifespec", "--binding", "qlog", "--binding", "otlp"), "given qlog and otlp"),
        (("draw", "socket.lifespec", "-o", "a.dot", "--output", "b.dot"), "`--output` takes one value"),
        (("check", "socket.lifespec", "bad.jsonl", "--where", "a", "--where", "b"), "`--where` takes one value"),
        (("check", "socket.lifespec", "bad.jsonl", "--config", "a", "--config", "b"), "`--config` takes one value"),
        (("check", "socket.lifespec", "bad.jsonl", "--baseline", "a", "--baseline", "b"), "`--baseline` takes one"),
        (("stats", "socket.lifespec", "bad.jsonl", "--by", "a", "--by", "b"), "takes several: --by a,b"),
        (
            ("check", "socket.lifespec", "bad.jsonl", "--severity", "silent=info", "--severity", "silent=error"),
            "`--severity` gives `silent` two severities: info and error",
        ),
    ],
    ids=lambda each: each[0] if isinstance(each, tuple) else "",
)
def test_two_values_are_refused(arguments: tuple[str, ...], said: str) -> None:
    ran = run(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert said in " ".join(ran.err.split())


def test_the_same_value_twice_is_one_value_and_of_settings_the_last_counts() -> None:
    assert run("timeline", "socket.lifespec", "bad.jsonl", "--session", "s1", "--session", "s1").status == 0
    ran = run("check", "socket.lifespec", "bad.jsonl", "--format", "json", "--format", "concise", "--profile", "x")
    assert ran.out.count("\n") == 1
    both = ("check", "socket.lifespec", "bad.jsonl", "-q", "--severity", "silent=info", "--severity", "silent=info")
    assert run(*both).status == 1
