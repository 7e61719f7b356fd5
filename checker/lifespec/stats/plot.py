"""Small pictures as inline SVG: an interval on a scale, a histogram. Owns shapes; the text that comes in is escaped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

_WIDTH, _ROW, _HEIGHT = 220, 16, 64

Bin = tuple[float, float, int]


def interval(low: float, high: float, value: float | None, scale: float, title: str) -> str:
    """A line from `low` to `high` of `scale`, with a dot at `value` where there is one."""
    left, right = (round(each / scale * (_WIDTH - 8) + 4, 1) for each in (low, high))
    middle = _ROW // 2
    parts = [
        f'<line class="base" x1="4" y1="{middle}" x2="{_WIDTH - 4}" y2="{middle}"/>',
        f'<line class="limits" x1="{left}" y1="{middle}" x2="{right}" y2="{middle}"/>',
    ]
    if value is not None:
        parts.append(f'<circle class="value" cx="{round(value / scale * (_WIDTH - 8) + 4, 1)}" cy="{middle}" r="3.5"/>')
    return _svg(_WIDTH, _ROW, title, parts)


def histogram(bins: Sequence[Bin], bound: float | None, title: str, labels: tuple[str, str]) -> str:
    """Bars of equal width, one for each bin, with a line at the bound; `labels` stand at both ends of the axis."""
    most = max((count for _, _, count in bins), default=0) or 1
    step = _WIDTH / max(len(bins), 1)
    parts = []
    for place, (_, _, count) in enumerate(bins):
        if count:
            height = max(1.5, count / most * _HEIGHT)
            parts.append(
                f'<rect class="bar" x="{place * step + 0.5:.1f}" y="{_HEIGHT - height:.1f}" '
                f'width="{max(step - 1, 1):.1f}" height="{height:.1f}"/>'
            )
    parts.append(f'<line class="base" x1="0" y1="{_HEIGHT}" x2="{_WIDTH}" y2="{_HEIGHT}"/>')
    at = None if bound is None else _position(bins, bound)
    if at is not None:
        x = round(at * _WIDTH, 1)
        parts.append(f'<line class="bound" x1="{x}" y1="0" x2="{x}" y2="{_HEIGHT}"/>')
    parts.append(f'<text x="0" y="{_HEIGHT + 13}">{escape(labels[0])}</text>')
    parts.append(f'<text x="{_WIDTH}" y="{_HEIGHT + 13}" text-anchor="end">{escape(labels[1])}</text>')
    return _svg(_WIDTH, _HEIGHT + 18, title, parts)


def _position(bins: Sequence[Bin], value: float) -> float | None:
    """Where on the axis, from 0 to 1, a value lies; None beyond it."""
    for place, (low, high, _) in enumerate(bins):
        if low <= value <= high:
            if low == high:
                return None
            is_wide = low > 0 and len(bins) > 1 and not math.isclose(bins[1][1] - bins[1][0], bins[0][1] - bins[0][0])
            inside = math.log(value / low) / math.log(high / low) if is_wide else (value - low) / (high - low)
            return (place + inside) / len(bins)
    return None


def _svg(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )
