"""The lifecycles that ship are found by name, wherever a text is asked for, and by nothing that is not theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifespec.load import load, load_text
from lifespec.shipped import find_shipped, find_shipped_page, shipped_lifecycles, shipped_title

FOLDER = Path(__file__).resolve().parents[3] / "spec/lifecycles"


def test_every_folder_ships_and_has_a_page() -> None:
    assert set(shipped_lifecycles()) == {each.name for each in FOLDER.iterdir() if each.is_dir()}
    for name in shipped_lifecycles():
        assert shipped_title(name)
        assert find_shipped_page(name) == (FOLDER / name / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("lib:webrtc", "webrtc/webrtc.lifespec"),
        ("lib:webrtc/webrtc.lifespec", "webrtc/webrtc.lifespec"),
        ("lib:webrtc/rtcstats.lifespec", "webrtc/rtcstats.lifespec"),
    ],
)
def test_a_name_stands_for_a_text(name: str, file: str) -> None:
    found = find_shipped(name)
    assert found is not None
    assert (found.name, found.path) == (f"lib:{file}", FOLDER / file)


@pytest.mark.parametrize(
    "name",
    [
        "webrtc", "LIB:webrtc", "lib:", "lib:/", "lib:.", "lib:..", "lib:web", "lib:\0", "lib:../lifecycles/webrtc",
        "lib:webrtc/README.md", "lib:webrtc/nothing.lifespec", "lib:webrtc//webrtc.lifespec",
        "lib:webrtc/../avatar/avatar.lifespec",
    ],
)  # fmt: skip
def test_nothing_else_does(name: str) -> None:
    assert find_shipped(name) is None


def test_a_shipped_text_is_called_as_it_was_asked_for() -> None:
    loaded = load("lib:webrtc")
    assert loaded.diagnostics == ()
    assert list(loaded.sources)[:2] == ["lib:webrtc/webrtc.lifespec", "lib:webrtc/rtcstats.lifespec"]


@pytest.mark.parametrize(
    ("name", "help_"),
    [
        ("lib:webrct", "did you mean `lib:webrtc`?"),
        ("lib:quite-another", "`lifespec explain` lists those that ship"),
        ("lib:webrtc/other.lifespec", "`lib:webrtc` is the lifecycle itself"),
    ],
)
def test_a_name_that_does_not_ship_is_said_with_the_nearest(name: str, help_: str) -> None:
    (found,) = load(name).diagnostics
    assert (found.name, found.help) == ("unreadable-file", (help_,))
    (found, *_) = load_text(f'import "{name}"\nlifecycle mine\n').diagnostics
    assert (found.name, found.help) == ("import-failed", (help_,))


def test_a_text_without_a_folder_imports_what_ships_with_its_bindings() -> None:
    loaded = load_text('import "lib:webrtc"\nlifecycle mine\nrule r { on create require has pc }\n')
    assert [each for each in loaded.diagnostics if each.name != "unhandled-event"] == []
    assert loaded.model is not None
    assert loaded.model.name == "mine"
    assert {"object", "ice", "connection"} <= set(loaded.model.machines)
    assert {"rtcstats", "rtcstats-v3", "default"} <= set(loaded.model.bindings)


def test_a_binding_that_is_for_neither_is_still_wrong() -> None:
    text = 'import "lib:webrtc"\nlifecycle mine\nbinding b for avatar extends default { owner = who }\n'
    assert [each.name for each in load_text(text).diagnostics] == ["wrong-lifecycle"]


def test_a_text_that_is_shipped_is_read_once(tmp_path: Path) -> None:
    main = tmp_path / "main.lifespec"
    main.write_text('lifecycle mine\nimport "lib:webrtc"\nimport "lib:webrtc/webrtc.lifespec"\n', "utf-8")
    beside = load(main, beside=["lib:webrtc/rtcstats.lifespec"])
    assert beside.diagnostics == ()
