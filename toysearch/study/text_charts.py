"""Text charts for terminals, mail and golden files: scatter plots."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toysearch.base import ArgumentError

MARKS = "•+×o*#"
_MOST_TICKS = 6


class _Axis(NamedTuple):
    """Axis that maps values to cells: 0 for the lowest value, `cells` - 1 for the highest."""

    low: float
    high: float
    cells: int
    log: bool

    def cell(self, value: float) -> int:
        low, high, value = (math.log10(x) if self.log else x for x in (self.low, self.high, value))
        return round((value - low) / (high - low) * (self.cells - 1))


def text_plot(
    series: Mapping[str, tuple[Any, Any]],
    *,
    width: int = 64,
    height: int = 14,
    x_label: str = "",
    y_label: str = "",
    log_x: bool = False,
    log_y: bool = False,
) -> str:
    """Plot the points of one or several series between two axes, as lines of text."""
    # Each series has its mark (• + × o * #, in order); where points coincide, the mark of the last series is seen.
    # Values without a place are left out: NaN, infinity, and values not above 0 on a logarithmic axis.
    if width < 2 or height < 2 or len(series) > len(MARKS):
        raise ArgumentError(
            f"a plot has at least 2 × 2 characters and at most {len(MARKS)} series, "
            f"not {width} × {height} and {len(series)}"
        )
    points = {}
    for name, (xs, ys) in series.items():
        if len(xs) != len(ys):
            raise ArgumentError(
                f"the series '{name}' has {len(xs)} values of x and {len(ys)} of y; expected equally many"
            )
        pairs = zip(map(float, xs), map(float, ys), strict=True)
        points[name] = [(x, y) for x, y in pairs if _has_place(x, log_x) and _has_place(y, log_y)]
    together = [point for places in points.values() for point in places]
    if not together:
        raise ArgumentError(
            "there is no point to draw: all are undefined, infinite, or not above 0 on a logarithmic axis"
        )
    x_axis = _axis([x for x, _ in together], width, log_x)
    y_axis = _axis([y for _, y in together], height, log_y)
    grid = [[" "] * width for _ in range(height)]
    for mark, places in zip(MARKS, points.values(), strict=False):
        for x, y in places:
            grid[height - 1 - y_axis.cell(y)][x_axis.cell(x)] = mark
    legend = [f"{mark} {name}" for mark, name in zip(MARKS, points, strict=False)] if len(points) > 1 else []
    return "\n".join(line.rstrip() for line in _framed(grid, x_axis, y_axis, x_label, y_label, "   ".join(legend)))


def _has_place(value: float, log: bool) -> bool:
    return math.isfinite(value) and (value > 0 or not log)


def _axis(values: Sequence[float], cells: int, log: bool) -> _Axis:
    low, high = min(values), max(values)
    if low == high:
        low, high = (low / 2, high * 2) if log else (low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2)
    return _Axis(low, high, cells, log)


def _framed(grid: list[list[str]], x_axis: _Axis, y_axis: _Axis, x_label: str, y_label: str, named: str) -> list[str]:
    rows = {len(grid) - 1 - y_axis.cell(tick): label for tick, label in _ticks(y_axis).items()}
    margin = max([len(y_label), *map(len, rows.values())]) + 1
    lines = [f"{y_label:>{margin}}   {named}"] if y_label or named else []
    lines += [f"{rows.get(row, ''):>{margin}} │{''.join(cells)}" for row, cells in enumerate(grid)]
    ruler, numbers = ["─"] * x_axis.cells, [" "] * x_axis.cells
    free = 0
    for tick, label in _ticks(x_axis).items():
        cell = x_axis.cell(tick)
        ruler[cell] = "┬"
        start = min(max(0, cell - len(label) // 2), x_axis.cells - len(label))
        if start >= free:
            numbers[start : start + len(label)] = label
            free = start + len(label) + 1
    indent = " " * (margin + 1)
    lines += [f"{indent}└{''.join(ruler)}", f"{indent} {''.join(numbers)}"]
    return [*lines, f"{indent} {x_label:>{x_axis.cells}}"] if x_label else lines


def _ticks(axis: _Axis) -> dict[float, str]:
    """Choose round values of an axis and their labels: powers of ten on a long logarithmic one."""
    if axis.log:
        values = [axis.low, axis.high]
        first, last = math.ceil(math.log10(axis.low) - 1e-9), math.floor(math.log10(axis.high) + 1e-9)
        if last > first:
            step = -(-(last - first) // (_MOST_TICKS - 1))
            values = [10.0**exponent for exponent in range(first, last + 1, step)]
    else:
        rough = (axis.high - axis.low) / (_MOST_TICKS - 1)
        power = 10.0 ** math.floor(math.log10(rough))
        apart = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))
        first, last = math.ceil(axis.low / apart - 1e-9), math.floor(axis.high / apart + 1e-9)
        values = [place * apart for place in range(first, last + 1)]
    return {
        min(max(value, axis.low), axis.high): (f"{value:,.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.4g}")
        for value in values
    }
