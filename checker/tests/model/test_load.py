"""Files, imports and folders: whatever lies there, loading says what is wrong and raises nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lifespec.load import MAX_BYTES, Loaded, load, load_text

GOOD = "lifecycle test\nmachine m { initial a  a on e }\n"


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        path = folder / f"{name.replace('__', '/')}.lifespec"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder / "main.lifespec"


def names(loaded: Loaded) -> list[str]:
    return [found.name for found in loaded.diagnostics]


def test_imports_are_merged_in_the_order_of_the_texts(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main=f'{GOOD}import "parts/owners.lifespec"\nimport "rules.lifespec"\n',
        parts__owners='lifecycle title "only a title here"\nimport "deep/more.lifespec"\nowner b\n',
        parts__deep__more="owner a\n",
        rules='import "parts/owners.lifespec"\nrule r { on e require has x }\n',
    )
    loaded = load(main)
    assert loaded.diagnostics == ()
    assert loaded.model is not None
    assert loaded.model.name == "test"
    assert set(loaded.model.owners) == {"a", "b"}
    assert [Path(name).name for name in loaded.sources][:4] == [
        "main.lifespec", "owners.lifespec", "more.lifespec", "rules.lifespec",
    ]  # fmt: skip


def test_the_same_name_in_two_texts_is_declared_twice(tmp_path: Path) -> None:
    main = write(tmp_path, main=f'{GOOD}import "more.lifespec"\n', more="machine m { initial b  b on e }\n")
    loaded = load(main)
    assert names(loaded) == ["duplicate-name"]
    assert loaded.diagnostics[0].label is not None
    assert loaded.diagnostics[0].label.span.file == str(tmp_path / "more.lifespec")
    assert loaded.model is None


def test_a_circle_of_imports_is_one_finding(tmp_path: Path) -> None:
    main = write(
        tmp_path, main=f'{GOOD}import "a.lifespec"\n', a='import "b.lifespec"\n', b='import "a.lifespec"\nowner o\n'
    )
    loaded = load(main)
    assert names(loaded) == ["import-cycle"]
    assert "a.lifespec" in loaded.diagnostics[0].notes[0]


@pytest.mark.parametrize(
    "path", ["/etc/hostname", "../outside.lifespec", "sub/../../outside.lifespec", "link.lifespec"]
)
def test_an_import_stays_below_its_folder(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "inside"
    folder.mkdir()
    (tmp_path / "outside.lifespec").write_text("owner o\n")
    (folder / "link.lifespec").symlink_to(tmp_path / "outside.lifespec")
    main = write(folder, main=f'{GOOD}import "{path}"\n')
    loaded = load(main)
    assert names(loaded) == ["import-outside"]
    assert "owner" not in str(loaded.sources)


def test_a_link_within_the_folder_is_followed_once(tmp_path: Path) -> None:
    main = write(tmp_path, main=f'{GOOD}import "a.lifespec"\nimport "b.lifespec"\n', a="owner o\n")
    (tmp_path / "b.lifespec").symlink_to("a.lifespec")
    assert load(main).diagnostics == ()


def test_an_imported_text_may_import_only_below_itself(tmp_path: Path) -> None:
    main = write(tmp_path, main=f'{GOOD}import "sub/a.lifespec"\n', sub__a='import "../b.lifespec"\n', b="owner o\n")
    assert names(load(main)) == ["import-outside"]


def test_what_is_no_text_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\0\xff")
    (tmp_path / "latin").write_bytes(b"lifecycle test\nowner \xe9t\xe9\n")
    (tmp_path / "large").write_bytes(b" " * (MAX_BYTES + 1))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to("circle")
    said = {path: load(tmp_path / path) for path in ("binary", "latin", "large", "pipe", "circle", "none", ".", "a\0b")}
    assert {path: names(loaded) for path, loaded in said.items()} == {path: ["unreadable-file"] for path in said}
    assert "binary" in said["binary"].diagnostics[0].message
    assert "line 2 is not UTF-8" in said["latin"].diagnostics[0].message
    assert all(loaded.model is None for loaded in said.values())
    imported = write(tmp_path, main=GOOD + "".join(f'import "{name}"\n' for name in said if "\0" not in name))
    assert set(names(load(imported))) == {"import-failed"}


def test_imports_have_an_end(tmp_path: Path) -> None:
    main = write(tmp_path, main=GOOD + 'import "gone.lifespec"\n' * 1500)
    assert len(load(main).diagnostics) == 2
    main = write(tmp_path, main=GOOD + "".join(f'import "gone{i}.lifespec"\n' for i in range(1500)))
    assert len(load(main).diagnostics) == 1001
    chain = {f"a{i}": f'import "a{i + 1}.lifespec"\nowner o{i}\n' for i in range(300)}
    loaded = load(write(tmp_path, main=GOOD + 'import "a0.lifespec"\n', **chain))
    assert names(loaded) == ["import-failed"]
    assert "at most 200 texts" in loaded.diagnostics[0].message


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "main.lifespec").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert load(tmp_path / "main.lifespec").diagnostics == ()
    assert load_text("\ufeff" + GOOD).diagnostics == ()


def test_what_a_missing_import_may_declare_is_not_missed(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main='lifecycle test\nimport "gone.lifespec"\nmachine m owned by o { initial a within p }\n'
        "rule r { when n enters s require n.x == 1 }\nbinding b extends c { }\n",
    )
    assert names(load(main)) == ["import-failed"]


def test_a_binding_beside_is_read_with_the_lifecycle(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main=GOOD,
        binding="binding mine for test extends default { time = ts as ms since epoch }\n",
        imports=f'{GOOD}import "binding.lifespec"\n',
    )
    loaded = load(main, None, [str(tmp_path / "binding.lifespec")])
    assert loaded.model is not None
    assert "mine" in loaded.model.bindings
    both = load(tmp_path / "imports.lifespec", None, [str(tmp_path / "binding.lifespec")])
    assert both.diagnostics == ()
    assert names(load(main, None, [tmp_path / "gone.lifespec"])) == ["unreadable-file"]


def test_the_profile_chooses_the_values() -> None:
    text = GOOD.replace("initial a", "initial a within p") + (
        'param q = 2s "here"\nparam p = 2 * q "here"\nprofile slow { q = 5s }\n'
    )
    plain, slow, none = load_text(text), load_text(text, profile="slow"), load_text(text, profile="slwo")
    assert plain.model is not None
    assert slow.model is not None
    assert plain.model.machines["m"].states["a"].within_ns == 4_000_000_000
    assert slow.model.machines["m"].states["a"].within_ns == 10_000_000_000
    assert (slow.model.profile, slow.model.params["q"].written) == ("slow", "5s")
    assert names(none) == ["unknown-profile"]
    assert none.diagnostics[0].help == ("did you mean `slow`?",)


def test_a_binding_of_the_text_wins_over_the_ready_made_one_of_its_name() -> None:
    own = load_text(GOOD + "binding default extends default { time = ts as ms since epoch }\n").model
    ready = load_text(GOOD).model
    assert own is not None
    assert ready is not None
    assert len(own.bindings["default"].statements) == len(ready.bindings["default"].statements)
    assert own.bindings["default"] != ready.bindings["default"]
