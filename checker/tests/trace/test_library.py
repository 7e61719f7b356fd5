"""The ready-made bindings, and which binding is taken."""

from __future__ import annotations

import pytest
from reading import SOCKET, model_of

from lifespec.syntax.ast import BindingDecl
from lifespec.syntax.parser import parse
from lifespec.trace.binding import compile_binding
from lifespec.trace.choose import choose_binding
from lifespec.trace.library import is_library, library_units

DECLARED = [each for _, unit in library_units() for each in unit.declarations if isinstance(each, BindingDecl)]


def test_the_ready_made_texts_are_good() -> None:
    for source, _ in library_units():
        assert parse(source)[1] == ()
        assert is_library(source.name)
    assert not is_library("default.lifespec")


@pytest.mark.parametrize("binding", DECLARED, ids=lambda binding: binding.name.text)
def test_every_ready_made_binding_is_read(binding: BindingDecl) -> None:
    lifecycle = "socket" if binding.lifecycle is None else binding.lifecycle.text
    model = model_of(SOCKET.replace("lifecycle socket", f"lifecycle {lifecycle}"))
    compiled, findings = compile_binding(model, model.bindings[binding.name.text])
    assert compiled is not None
    assert {each.name for each in findings} <= {"unknown-in-binding"}  # the lifecycle of this test is another
    assert binding.doc is not None


def own(*names: str) -> str:
    return SOCKET + "".join(f"\nbinding {name} extends default {{ owner = who }}" for name in names)


@pytest.mark.parametrize(
    ("text", "requested", "chosen"),
    [
        (own(), None, "default"),
        (own("mine"), None, "mine"),
        (own("mine"), "default", "default"),
        (own("mine", "other"), "other", "other"),
        (own("default"), None, "default"),
    ],
)
def test_the_one_that_is_asked_for_or_the_only_one_or_default(text: str, requested: str | None, chosen: str) -> None:
    binding, problems = choose_binding(model_of(text), requested)
    assert problems == ()
    assert binding is not None
    assert binding.name == chosen


def test_one_of_ones_own_stands_before_the_ready_made_one_of_its_name() -> None:
    binding, _ = choose_binding(model_of(own("default")))
    assert binding is not None
    assert binding.span.file == "test.lifespec"


@pytest.mark.parametrize(
    ("text", "requested", "name"),
    [
        (own("mine", "other"), None, "several-bindings"),
        (own("mine"), "mien", "no-such-binding"),
        (own("mine"), "rtcstats", "no-such-binding"),
    ],
)
def test_nothing_is_taken_when_it_is_not_clear(text: str, requested: str | None, name: str) -> None:
    binding, (problem,) = choose_binding(model_of(text), requested)
    assert (binding, problem.name) == (None, name)


def test_what_a_ready_made_binding_can_tell_beyond_the_lifecycle_is_no_finding() -> None:
    model = model_of(SOCKET.replace("lifecycle socket", "lifecycle webrtc"))
    assert "rtcstats-v3" in model.bindings
    for binding in model.bindings.values():
        assert not compile_binding(model, binding)[1]
