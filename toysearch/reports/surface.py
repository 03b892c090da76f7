"""How a measure changes with the parameters that `tune` has tried: a line, a plane of colours, or points."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

from toysearch.errors import DataError
from toysearch.evaluation.measure import Measure
from toysearch.experiments.grids import Setting, setting_text
from toysearch.experiments.ledger import read_ledger
from toysearch.experiments.objectives import Objective
from toysearch.reports.charts import COLOURS, WIDTH, Chart, finished

_MOST_LABELS = 30  # values of an axis that can be read below each other


class Surface(NamedTuple):
    """Settings with their values.

    Attributes
    ----------
    title, measure : str
        What was tuned, on what; by what.
    axes : tuple of str
        The one or two that are drawn: those with most values.
    others : tuple of str
        What was varied besides.
    points : tuple of (dict, float)
        For each place on these axes the best setting there, whatever the others, and its value.
    best : tuple of (dict, float)
        The best of all.
    """

    title: str
    measure: str
    axes: tuple[str, ...]
    others: tuple[str, ...]
    points: tuple[tuple[Setting, float], ...]
    best: tuple[Setting, float]


def read_surface(path: str | Path) -> Surface:
    """The settings of a file of results of `tune`, with their values.

    Parameters
    ----------
    path : str or Path
        The file.

    Raises
    ------
    DataError
        If it is no such file, a line of it is damaged, or it holds no value.
    """
    header, found = read_ledger(path)
    try:
        objective = Objective.of(Measure.parse(header["measure"]))
        title = f"{header['model']} on {header['collection']}"
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
    """The values on two axes as a plane of colours; on one as a line.

    Parameters
    ----------
    found : Surface
        What was tried.
    """
    import altair as alt

    names = found.axes
    data = [
        {"x": setting[names[0]], "y": setting[names[-1]], "value": round(value, 6), "setting": setting_text(setting)}
        for setting, value in found.points
    ]
    tooltip = ["setting:N", alt.Tooltip("value:Q", title=found.measure, format=".4f")]
    best = alt.Chart(alt.InlineData(values=[each for each in data if each["setting"] == setting_text(found.best[0])]))
    base = alt.Chart(alt.InlineData(values=data)).encode(tooltip=tooltip)
    numbers = {
        name: all(isinstance(each[key], int | float) for each in data) for name, key in zip(names, "xy", strict=False)
    }
    if len(names) == 1:
        kind = "Q" if numbers[names[0]] else "N"
        x = alt.X(f"x:{kind}", title=names[0], scale=alt.Scale(zero=False) if kind == "Q" else alt.Undefined)
        y = alt.Y("value:Q", title=found.measure, scale=alt.Scale(zero=False))
        mark = base.mark_line(point=True, color=COLOURS[0]) if kind == "Q" else base.mark_point(filled=True, size=60)
        star = best.mark_point(size=180, strokeWidth=2, color=COLOURS[1]).encode(x=x, y=y, tooltip=tooltip)
        chart = alt.layer(mark.encode(x=x, y=y), star).properties(width=WIDTH - 120, height=320)
    else:
        chart = _plane(base, best, data, names, numbers, found.measure, tooltip)
    where = f"best {found.best[1]:.4f} at {setting_text(found.best[0])}"
    rest = f"; of {', '.join(found.others)} the best value at each place" if found.others else ""
    text = f"{found.measure} of {found.title} by {' and '.join(names)}: {where}{rest}."
    return finished(chart, "surface", text)


def _plane(
    base: Any,
    best: Any,
    data: list[dict[str, Any]],
    names: Any,
    numbers: dict[str, bool],
    measure: str,
    tooltip: list[Any],
) -> Any:
    """Two axes: cells where all their values were tried together, points where they were drawn at random."""
    import altair as alt

    across, down = ({each[key] for each in data} for key in "xy")
    gridded = len(across) * len(down) <= 2 * len(data)
    kinds = ["O" if gridded else "Q" if numbers[name] else "N" for name in names]
    few = [len(values) <= _MOST_LABELS for values in (across, down)]
    labels = [alt.Axis(labelOverlap=not each, labelAngle=0) for each in few]
    scales = [alt.Scale(zero=False) if kind == "Q" else alt.Undefined for kind in kinds]
    x = alt.X(f"x:{kinds[0]}", title=names[0], axis=labels[0], scale=scales[0])
    y = alt.Y(f"y:{kinds[1]}", title=names[1], axis=labels[1], scale=scales[1], sort="descending" if gridded else None)
    colour = alt.Color("value:Q", title=measure, scale=alt.Scale(scheme="viridis", zero=False))
    mark = base.mark_rect() if gridded else base.mark_circle(size=90, opacity=1)
    star = best.mark_point(size=160, strokeWidth=2.5, color=COLOURS[1], shape="circle").encode(
        x=x, y=y, tooltip=tooltip
    )
    return alt.layer(mark.encode(x=x, y=y, color=colour), star).properties(width=WIDTH - 180, height=380)
