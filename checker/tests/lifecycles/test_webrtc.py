"""The WebRTC lifecycle on real recordings. What is found in them: test_shipped_lifecycles."""

from __future__ import annotations

from functools import cache

from exact_findings import ROOT, load_clean, report_of

from lifespec.model.model import Model

FOLDER = ROOT / "spec/lifecycles/webrtc"


@cache
def webrtc() -> Model:
    return load_clean(FOLDER / "webrtc.lifespec")


def test_a_recording_that_ends_without_close_is_not_complete() -> None:
    (log,) = report_of(webrtc(), FOLDER / "samples/safari-relay").logs
    assert log.complete_sessions == 0
