"""How a measure changes with the parameters that `tune` has tried: a line, a plane of colours, or points."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.errors import DataError
from toysearch.evaluation.measures.measure import Measure
from toysearch.laboratory.experiments.grids import Setting, setting_text
from toysearch.laboratory.experiments.ledger import read_ledger
from toysearch.laboratory.experiments.tuning import Objective
from toysearch.laboratory.reports.charts import COLOURS, DIGITS, WIDTH, Chart, finished
from toysearch.optional_packages import of_charts

_MOST_LABELS = 30  # values of an axis that can be read below each other


class Surface(NamedTuple):
    """Settings with their values."""

    # title, measure: what was tuned, on what; by what
    title: str
    measure: str
    axes: tuple[str, ...]  # the one or two that are drawn: those with most values
    others: tuple[str, ...]  # what was varied besides
    # for each place on these axes the best setting there, whatever the others, and its value
    points: tuple[tuple[Setting, float], ...]
    best: tuple[Setting, float]  # the best of all


def read_surface(path: str | Path) -> Surface:
    """The settings of a file of results of `tune`, with their values."""
    header, found = read_ledger(path)
    try:
        objective = Objective.of(Measure.parse(header["measure"]))
        title = f"{objective.measure} of {header['model']} on {header['collection']}"
        grid = {name: len(values) for name, values in header["grid"].items()}
    except (KeyError, AttributeError, TypeError) as error:
        raise DataError(f"{path}:1: the header of the results is damaged; tune again, into another file") from error
    valued = [(setting, objective.value(row)) for setting, row in found if set(grid) <= set(setting)]
    valued = [(setting, value) for setting, value in valued if math.isfinite(value)]
    if not valued:
        raise DataError(f"{path} holds no setting with a value yet; let `toysearch tune` go on with it")
    varied = {name: len({setting[name] for setting, _ in valued}) for name in grid}
    axes = sorted(varied, key=lambda name: -varied[name])  # as given, where they have as many values
    drawn = axes[: 2 if len(axes) > 1 and varied[axes[1]] > 1 else 1]
    best: dict[tuple[Any, ...], tuple[Setting, float]] = {}
    for setting, value in valued:
        place = tuple(setting[name] for name in drawn)
        if place not in best or objective.sign * (value - best[place][1]) > 0:
            best[place] = (setting, value)
    points = tuple(best.values())
    top = max(points, key=lambda point: objective.sign * point[1])
    return Surface(title, str(objective.measure), tuple(drawn), tuple(axes[len(drawn) :]), points, top)


def surface(found: Surface) -> Chart:
    """The values on two axes as a plane of colours; on one as a line."""
    drawn = _line(found) if len(found.axes) == 1 else _plane(found)
    rest = f"; of {', '.join(found.others)} the best value at each place" if found.others else ""
    best = f"best {found.best[1]:.4f} at {setting_text(found.best[0])}"
    return finished(drawn, f"{found.title} by {' and '.join(found.axes)}: {best}{rest}.")


def _line(found: Surface) -> Any:
    """One axis: a line where its values are numbers, points where they are names."""
    alt = of_charts("altair")

    numbers = _are_numbers(found, found.axes[0])
    axis = {"scale": alt.Scale(zero=False)} if numbers else {"axis": alt.Axis(labelAngle=0)}
    x = alt.X("x:Q" if numbers else "x:N", title=found.axes[0], **axis)
    y = alt.Y("value:Q", title=found.measure, scale=alt.Scale(zero=False))
    base, best = (each.encode(x=x, y=y) for each in _settings(found))
    points = alt.OverlayMarkDef(color=COLOURS[0])
    marks = base.mark_line(point=points, color=COLOURS[0]) if numbers else base.mark_point(size=60, color=COLOURS[0])
    return alt.layer(marks, best).properties(width=WIDTH - 120, height=320)


def _plane(found: Surface) -> Any:
    """Two axes: cells where all their values were tried together, points where they were drawn at random."""
    alt = of_charts("altair")

    across, down = ({setting[name] for setting, _ in found.points} for name in found.axes)
    cells = len(across) * len(down) <= 2 * len(found.points)
    x, y = (
        _axis(channel, field, name, "O" if cells else "Q" if _are_numbers(found, name) else "N", len(values))
        for channel, field, name, values in zip((alt.X, alt.Y), "xy", found.axes, (across, down), strict=True)
    )
    colour = alt.Color("value:Q", title=found.measure, scale=alt.Scale(scheme="viridis", zero=False))
    base, best = (each.encode(x=x, y=y) for each in _settings(found))
    marks = base.mark_rect() if cells else base.mark_circle(size=90, opacity=1)
    return alt.layer(marks.encode(color=colour), best).properties(width=WIDTH - 180, height=380)


def _axis(channel: Any, field: str, name: str, kind: str, n_values: int) -> Any:
    """An axis of the plane; of many values not all are labelled, and upwards they rise."""
    alt = of_charts("altair")

    more = {"scale": alt.Scale(zero=False)} if kind == "Q" else {"sort": "descending" if field == "y" else "ascending"}
    labels = alt.Axis(labelOverlap=n_values > _MOST_LABELS, labelAngle=0)
    return channel(f"{field}:{kind}", title=name, axis=labels, **more)


def _settings(found: Surface) -> tuple[Any, Any]:
    """The chart of all settings, without marks, and the ring around the best."""
    alt = of_charts("altair")

    def data(points: Iterable[tuple[Setting, float]]) -> Any:
        names = dict(zip("xy", found.axes, strict=False))
        return alt.InlineData(
            values=[
                {field: setting[name] for field, name in names.items()}
                | {"value": round(value, DIGITS), "setting": setting_text(setting)}
                for setting, value in points
            ]
        )

    tooltip = [alt.Tooltip("setting:N"), alt.Tooltip("value:Q", title=found.measure, format=".4f")]
    ring = alt.Chart(data([found.best])).mark_point(size=170, strokeWidth=2.5, opacity=1, color=COLOURS[1])
    return alt.Chart(data(found.points)).encode(tooltip=tooltip), ring.encode(tooltip=tooltip)


def _are_numbers(found: Surface, name: str) -> bool:
    return all(isinstance(setting[name], int | float) for setting, _ in found.points)
