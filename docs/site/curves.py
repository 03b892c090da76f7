"""Line charts as inline SVG, in the colours of the page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np

WIDTH, HEIGHT = 300, 170
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 12, 44


class Curve(NamedTuple):
    """Points of a line, and the name of what changes."""

    along: str
    x: Sequence[float] | np.ndarray | range
    y: Sequence[float] | np.ndarray
    logarithmic: bool = False


def figure(title: str, curves: Sequence[Curve]) -> str:
    """Charts side by side on one line of HTML."""
    return f'<figure class="curves">{"".join(_chart(title, curve) for curve in curves)}</figure>\n'


def _chart(title: str, curve: Curve) -> str:
    x, y = np.asarray(curve.x, dtype=float), np.asarray(curve.y, dtype=float)
    finite = np.isfinite(y)
    x_of = np.log(x) if curve.logarithmic else x
    low, high = (float(y[finite].min()), float(y[finite].max())) if finite.any() else (0.0, 1.0)
    if 0 <= low <= high <= 1 and high > 0.1:
        low, high = 0.0, 1.0
    low = min(low, 0.0) if low < high / 2 else low
    if low == high:
        low, high = low - 0.5, high + 0.5
    across = (WIDTH - LEFT - RIGHT) / ((x_of[-1] - x_of[0]) or 1)
    up = (HEIGHT - TOP - BOTTOM) / (high - low)
    points = " ".join(
        f"{LEFT + (a - x_of[0]) * across:.1f},{TOP + (high - b) * up:.1f}"
        for a, b in zip(x_of[finite], y[finite], strict=True)
    )
    base, end = HEIGHT - BOTTOM, WIDTH - RIGHT
    label = f"{title} against {curve.along}: from {_number(y[0])} at {x[0]:g} to {_number(y[-1])} at {x[-1]:g}"
    texts = [
        (LEFT - 6, TOP + 4, "end", _number(high)),
        (LEFT - 6, base, "end", _number(low)),
        (LEFT, base + 16, "middle", f"{x[0]:g}"),
        (end, base + 16, "end", f"{x[-1]:g}"),
        ((LEFT + end) / 2, HEIGHT - 6, "middle", curve.along + (" (log)" if curve.logarithmic else "")),
    ]
    labels = "".join(
        f'<text x="{a:g}" y="{b:g}" text-anchor="{how}">{escape(text)}</text>' for a, b, how, text in texts
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">'
        f'<path class="axis" d="M{LEFT} {TOP}V{base}H{end}"/><polyline points="{points}"/>{labels}</svg>'
    )


def _number(value: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else "∞"
