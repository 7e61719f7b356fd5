"""The figures of memory: the peaks of two processes that differ in one number, so that all else cancels out."""

from __future__ import annotations

from figure import Figure
from process import Took, run
from setting import Setting, sound

_PER_SESSION = 1500
_PER_LIVE_KEY = 300
_PER_FINISHED_KEY = 150
_PER_FINISHED_SESSION = 200
_FLAT = 2 * 1024 * 1024  # two pages of an allocator more or less are no growth


def open_sessions(setting: Setting) -> list[Figure]:
    return _each(
        setting,
        "memory-open-session",
        "open-sessions",
        setting.sizes.open_sessions,
        _PER_SESSION + _PER_LIVE_KEY,
        "for one more open session of the whole avatar with one live credential",
    )


def live_keys(setting: Setting) -> list[Figure]:
    what = "for one more live instance of a keyed machine: a clip in the queue"
    return _each(setting, "memory-live-key", "live-keys", setting.sizes.keys, _PER_LIVE_KEY, what)


def finished_keys(setting: Setting) -> list[Figure]:
    what = "for one more finished instance of a keyed machine: a clip that was played"
    return _each(setting, "memory-finished-key", "finished-keys", setting.sizes.keys, _PER_FINISHED_KEY, what)


def finished_sessions(setting: Setting) -> list[Figure]:
    return _each(
        setting,
        "memory-finished-session",
        "finished-sessions",
        setting.sizes.finished_sessions,
        _PER_FINISHED_SESSION,
        "for one more finished session",
    )


def fixed_keys(setting: Setting) -> list[Figure]:
    """A hundred times the events over the same keys."""
    few, many = setting.sizes.fixed // 100, setting.sizes.fixed
    peaks = {number: _peak(setting, "fixed-keys", number) for number in (few, many)}
    return [
        Figure(
            "memory-flat",
            f"more at the peak for {many:,} events over a fixed number of keys than for {few:,}",
            float(max(peaks[many] - peaks[few], 0)),
            _FLAT,
            is_least=False,
            unit=" B",
            parts={f"peak, {number:,} events": peak for number, peak in peaks.items()},
        )
    ]


def _each(setting: Setting, name: str, shape: str, number: int, limit: int, what: str) -> list[Figure]:
    few = max(number // 10, 1)
    peaks = {each: _peak(setting, shape, each) for each in (few, number)}
    return [
        Figure(
            name,
            what,
            (peaks[number] - peaks[few]) / (number - few),
            limit,
            is_least=False,
            unit=" B",
            parts={f"peak, {each:,}": peak for each, peak in peaks.items()},
        )
    ]


def _peak(setting: Setting, shape: str, number: int) -> int:
    """The least of two peaks; the reports are looked at, so that nothing is measured that was judged wrong."""
    command = setting.check(setting.spec("whole"), setting.shaped_log(shape, number))
    took: list[Took] = [sound(run(command)) for _ in range(2)]
    return min(each.peak_bytes for each in took)
