"""The WebRTC lifecycle finds in real recordings exactly what is wrong with them."""

from __future__ import annotations

from functools import cache

import pytest
from exact_findings import ROOT, expected, found, load_clean, report_of

from lifespec.model.model import Model

FOLDER = ROOT / "spec/lifecycles/webrtc"
EXPECTED = expected(FOLDER / "expected.json")


@cache
def webrtc() -> Model:
    return load_clean(FOLDER / "webrtc.lifespec")


@pytest.mark.parametrize("name", EXPECTED)
def test_exactly_what_is_expected_is_found(name: str) -> None:
    assert found(webrtc(), FOLDER / "samples" / name) == EXPECTED[name]


def test_a_recording_that_ends_without_close_is_not_complete() -> None:
    (log,) = report_of(webrtc(), FOLDER / "samples/safari-relay").logs
    assert log.complete_sessions == 0


def test_the_ready_made_binding_is_the_one_beside_the_lifecycle() -> None:
    ready_made = (ROOT / "checker/lifespec/trace/bindings/rtcstats.lifespec").read_text("utf-8")
    own = (FOLDER / "rtcstats.lifespec").read_text("utf-8")
    assert own[own.index("binding rtcstats ") :] in ready_made
