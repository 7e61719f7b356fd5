"""Pictures as files: every format, found stale when the lifecycle changes, and clear words without Graphviz."""

from __future__ import annotations

import os
import re
import shutil
import stat
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from lifespec.graph import CannotDraw, Format, Freshness, check_picture, draw, format_of, layout
from lifespec.graph.mark import find_mark
from lifespec.load import load_text
from lifespec.model.model import Model
from tests.graph import models
from tests.graph.strategies import NASTY, any_model

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
ALL = [
    pytest.param(form, marks=[needs_dot] if form in (Format.SVG, Format.PNG, Format.PDF) else [], id=form.value)
    for form in Format
]

SPEC = """
lifecycle demo "what it is for"
param patience = 10s "here"
profile slow { patience = 20s }
machine first { initial idle  state up within patience  final gone  idle -> up on opened  up -> gone on closed }
machine second { initial a  final b  a -> b on e }
"""


def model(text: str = SPEC, profile: str | None = None) -> Model:
    loaded = load_text(text, profile=profile)
    assert loaded.model is not None, loaded.diagnostics
    return loaded.model


@pytest.mark.parametrize("form", ALL)
def test_a_picture_is_fresh_until_the_lifecycle_changes(form: Format) -> None:
    content = draw(model(), form)
    assert check_picture(content, form, model()).freshness is Freshness.FRESH
    changed = check_picture(content, form, model(SPEC.replace("on opened", "on connected")))
    assert changed.freshness is Freshness.STALE
    assert changed.why == "the lifecycle has changed since"


@pytest.mark.parametrize("form", ALL)
def test_what_is_not_shown_may_change(form: Format) -> None:
    assert check_picture(draw(model(), form), form, model(SPEC + "rule r { always true }")).freshness is Freshness.FRESH


@pytest.mark.parametrize("form", ALL)
def test_a_picture_knows_which_machine_it_shows(form: Format) -> None:
    content = draw(model(), form, "first")
    assert check_picture(content, form, model()).freshness is Freshness.FRESH
    assert check_picture(content, form, model(SPEC.replace("on e ", "on f "))).freshness is Freshness.FRESH
    assert check_picture(content, form, model(), "second").why == "it shows machine `first`, not machine `second`"
    gone = check_picture(content, form, model(SPEC.replace("machine first", "machine third")))
    assert gone.why == "it shows machine `first`, which is no longer declared"
    assert (
        check_picture(draw(model(), form), form, model(), "first").why == "it shows all machines, not machine `first`"
    )


@pytest.mark.parametrize("form", ALL)
def test_a_picture_knows_its_profile(form: Format) -> None:
    content = draw(model(profile="slow"), form)
    assert check_picture(content, form, model(profile="slow")).freshness is Freshness.FRESH
    other = check_picture(content, form, model())
    assert other.why == "it was drawn with profile `slow`, and the model is read with no profile"


@pytest.mark.parametrize("form", ALL)
def test_drawing_twice_gives_the_same_bytes(form: Format) -> None:
    assert draw(model(), form) == draw(model(), form)


@pytest.mark.parametrize("form", list(Format))
@pytest.mark.parametrize(
    "content", [b"", b"\0", b"<svg></svg>", b"\x89PNG\r\n\x1a\n", b"\x89PNG\r\n\x1a\n\xff\xff\xff\xff"]
)
def test_a_file_without_a_mark_is_unmarked(form: Format, content: bytes) -> None:
    assert check_picture(content, form, model()).freshness is Freshness.UNMARKED


@pytest.mark.parametrize("form", [Format.DOT, Format.MERMAID])
def test_text_is_compared_as_a_whole_whatever_its_line_ends(form: Format) -> None:
    content = draw(model(), form)
    assert check_picture(content.replace(b"\n", b"\r\n"), form, model()).freshness is Freshness.FRESH
    assert check_picture(content.replace(b"idle", b"Idle"), form, model()).freshness is Freshness.STALE


def test_a_name_cannot_pass_for_a_mark() -> None:
    """Names that hold the words of a mark do not hide the real one."""
    name = "lifespec-picture: sha256=" + "0" * 64
    states = [models.state(name, "initial", doc=f"</desc><metadata>{name}</metadata>")]
    forged = models.model(models.machine(name, states, []), name=name, doc=f"\n// {name}\n")
    for form in Format:
        if form in (Format.DOT, Format.MERMAID) or shutil.which("dot"):
            assert check_picture(draw(forged, form), form, forged).freshness is Freshness.FRESH


@needs_dot
def test_an_svg_speaks_to_those_who_do_not_see_it() -> None:
    root = ElementTree.fromstring(draw(model(), Format.SVG, "first"))
    space = "{http://www.w3.org/2000/svg}"
    assert root.get("role") == "img"
    assert root.findtext(f"{space}title") == "State machine first of demo"
    description = root.findtext(f"{space}desc") or ""
    assert "idle (initial), up, gone (final)" in description
    assert "idle to up on opened" in description


@needs_dot
@settings(max_examples=25, deadline=None)
@given(any_model())
def test_an_svg_is_well_formed_and_runs_nothing(drawn: Model) -> None:
    content = draw(drawn, Format.SVG)
    root = ElementTree.fromstring(content)
    for element in root.iter():
        assert isinstance(element.tag, str)  # no comment
        assert element.tag.rpartition("}")[2] not in ("script", "foreignObject", "image", "use", "style")
        for name in element.attrib:
            assert not name.rpartition("}")[2].startswith("on")
            assert name.rpartition("}")[2] != "href"
    assert b"<!DOCTYPE" not in content


@needs_dot
def test_a_png_can_still_be_read() -> None:
    content = draw(model(), Format.PNG)
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", content[16:24]) > (100, 100)
    assert find_mark(content, Format.PNG) is not None
    assert b"IEND" in content[-12:]


@pytest.mark.parametrize("name", NASTY)
def test_a_mark_holds_any_machine(name: str) -> None:
    strange = models.model(models.machine(name, [models.state("s", "initial")], []))
    for form in (Format.DOT, Format.MERMAID):
        mark = find_mark(draw(strange, form, name), form)
        assert mark is not None
        assert mark.machine == name or "\ud800" in name


def test_a_machine_that_is_not_declared_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        draw(model(), Format.DOT, "nope")


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("a.svg", Format.SVG),
        ("b/c.PNG", Format.PNG),
        ("x.mmd", Format.MERMAID),
        ("a.jpg", None),
        ("svg", None),
        ("-", None),
    ],
)
def test_the_ending_says_the_format(path: str, form: Format | None) -> None:
    assert format_of(path) is form


# --- Graphviz missing, slow, broken ------------------------------------------------------------------


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without any Graphviz; programs put into the folder are found."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(layout, "find_spec", lambda name: None)
    monkeypatch.setattr(layout.sysconfig, "get_path", lambda name: str(tmp_path))
    return tmp_path


def program(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_without_graphviz_it_is_said_what_to_install(bare: Path) -> None:
    with pytest.raises(CannotDraw) as caught:
        draw(model(), Format.SVG)
    assert str(caught.value) == "a .svg needs Graphviz, and there is none on this machine"
    assert any("pip install 'lifespec[svg]'" in line for line in caught.value.help)
    assert any(".dot and .mmd" in line for line in caught.value.help)


def test_without_graphviz_text_is_still_written(bare: Path) -> None:
    assert draw(model(), Format.DOT).startswith(b"digraph")
    assert b"stateDiagram-v2" in draw(model(), Format.MERMAID)


@pytest.mark.skipif(os.name != "posix", reason="the stand-in is a shell script")
def test_a_layout_that_takes_too_long_is_given_up(bare: Path) -> None:
    program(bare, "dot", "exec /bin/sleep 60")
    with pytest.raises(CannotDraw, match=r"dot did not finish the layout within 0\.2s"):
        draw(model(), Format.SVG, timeout_s=0.2)


@pytest.mark.skipif(os.name != "posix", reason="the stand-in is a shell script")
def test_the_next_engine_is_asked_when_one_fails(bare: Path) -> None:
    program(bare, "dot", "echo 'Format: \"svg\" not recognized' >&2; exit 1")
    with pytest.raises(CannotDraw, match=r'could draw the \.svg: dot: Format: "svg" not recognized'):
        draw(model(), Format.SVG)
    program(bare, "graphviz-pure", 'echo "<svg xmlns=\\"http://www.w3.org/2000/svg\\"><g/></svg>"')
    assert b"<g/>" in draw(model(), Format.SVG)


@pytest.mark.skipif(os.name != "posix", reason="the stand-in is a shell script")
def test_what_cannot_be_packed_is_drawn_side_by_side(bare: Path) -> None:
    body = 'case "$(/bin/cat)" in *pack=*) exit 1;; esac; echo "<svg xmlns=\\"http://www.w3.org/2000/svg\\"><g/></svg>"'
    program(bare, "dot", body)
    content = draw(model(), Format.SVG)
    assert b"<g/>" in content
    assert check_picture(content, Format.SVG, model()).freshness is Freshness.FRESH


@pytest.mark.skipif(os.name != "posix", reason="the stand-in is a shell script")
@pytest.mark.parametrize("answer", ["", "<svg", "no picture", "<svg><g></svg>"])
def test_half_a_picture_is_no_picture(bare: Path, answer: str) -> None:
    program(bare, "dot", f"printf '%s' '{answer}'")
    with pytest.raises(CannotDraw):
        draw(model(), Format.SVG)


@needs_dot
def test_a_pdf_does_not_tell_when_it_was_drawn() -> None:
    dates = re.findall(rb"/CreationDate \(D:(\d*)", draw(model(), Format.PDF))
    assert all(date == b"19700101000000" for date in dates)
