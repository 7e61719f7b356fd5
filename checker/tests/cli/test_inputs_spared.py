"""No command writes its answer over a file that it reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_lifespec import run

_CHECK = ["check", "main.lifespec", "good.jsonl", "--binding", "phone.lifespec"]
_COMMANDS = [
    (_CHECK, ["main.lifespec", "socket.lifespec", "phone.lifespec", "good.jsonl"]),
    (["lint", "main.lifespec"], ["main.lifespec", "socket.lifespec"]),
    (["export", "main.lifespec", "--to", "node-link"], ["main.lifespec", "socket.lifespec"]),
    (["draw", "main.lifespec", "--format", "dot"], ["main.lifespec", "socket.lifespec"]),
]


@pytest.fixture
def _more(folder: Path) -> None:
    text = (folder / "socket.lifespec").read_text()
    main = text.replace("lifecycle socket", 'lifecycle socket\nimport "socket.lifespec"')
    (folder / "main.lifespec").write_text(main)
    (folder / "socket.lifespec").write_text("// imported\n")
    (folder / "phone.lifespec").write_text("binding phone for socket extends default { }\n")


@pytest.mark.usefixtures("_more")
@pytest.mark.parametrize(("arguments", "inputs"), _COMMANDS, ids=lambda each: each[0])
def test_an_input_is_never_overwritten(folder: Path, arguments: list[str], inputs: list[str]) -> None:
    for name in inputs:
        before = (folder / name).read_bytes()
        link = folder / f"link-{name}"
        link.symlink_to(folder / name)
        for way in (name, f"./{name}", link.name):
            ran = run(*arguments, "-o", way)
            assert (ran.status, ran.out) == (2, ""), way
            assert "would overwrite what is read" in ran.err
            assert (folder / name).read_bytes() == before
            assert link.is_symlink()


@pytest.mark.usefixtures("_more")
@pytest.mark.parametrize("arguments", [each for each, _ in _COMMANDS], ids=lambda each: each[0])
def test_another_file_is_replaced(folder: Path, arguments: list[str]) -> None:
    (folder / "answer").write_text("old")
    assert run(*arguments, "-o", "answer").status in (0, 1)
    assert (folder / "answer").read_text() != "old"


def test_a_list_of_logs_is_spared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log.jsonl").write_text('{"time": 1, "session": "a", "event": "session-started"}\n', encoding="utf-8")
    Path("list.txt").write_text("log.jsonl\n", encoding="utf-8")
    for command in ("check", "timeline", "stats"):
        ran = run(command, "lib:avatar", "@list.txt", "-o", "list.txt")
        assert (ran.status, "list.txt would overwrite what is read" in ran.err) == (2, True)
        assert Path("list.txt").read_text(encoding="utf-8") == "log.jsonl\n"


@pytest.mark.parametrize("given", ["logs", "logs/*.jsonl", "logs/**/*.jsonl"])
def test_nothing_is_written_among_the_logs_that_are_read(folder: Path, given: str) -> None:
    """The next time it would be one of them."""
    (folder / "logs").mkdir()
    (folder / "good.jsonl").rename(folder / "logs" / "good.jsonl")
    for arguments in (
        ("check", "socket.lifespec", given, "--report", "json=logs/out.jsonl"),
        ("check", "socket.lifespec", given, "-o", "./logs/out.jsonl"),
        ("check", "socket.lifespec", given, "-q", "--write-baseline", "logs/out.jsonl"),
        ("stats", "socket.lifespec", given, "-o", "logs/out.jsonl"),
        ("timeline", "socket.lifespec", given, "-o", "logs/out.jsonl"),
        ("compare", "socket.lifespec", "--base", given, "--head", given, "-o", "logs/out.jsonl"),
        ("infer", given, "-o", "logs/out.jsonl"),
    ):
        ran = run(*arguments)
        assert (ran.status, ran.out) == (2, ""), arguments
        assert f"would be read as a log of {given} the next time" in ran.err
        assert [path.name for path in (folder / "logs").iterdir()] == ["good.jsonl"]
    assert run("check", "socket.lifespec", given, "-q", "--report", "json=logs/.out.jsonl").status == 0
    assert run("check", "socket.lifespec", "logs/*.jsonl", "-q", "--report", "json=logs/out.json").status == 0
