"""The charts of a property card: the numbers of the systems, and the gain and the cost of each cure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from toysearch.base.optional_packages import of_charts
from toysearch.laboratory.experiments.robustness.property_card import CuredSystem, PropertyCard, PropertyValue
from toysearch.laboratory.experiments.robustness.property_inputs import ALL
from toysearch.laboratory.experiments.robustness.scorecard import PROPERTIES
from toysearch.laboratory.results.charts import (
    COLOURS,
    DIGITS,
    GREY,
    LABELS,
    WIDTH,
    Chart,
    finished,
    legend_above,
    scale_of,
    ticks,
)

_SIDES = {"unaltered": "before", "value": "after"}
_SHAPES = ("diamond", "circle")


def property_numbers(found: PropertyCard) -> Chart:
    """The number of each property before and after the change of the input, for each system without cures."""
    alt = of_charts("altair")

    systems = list(found.systems)
    names = [each.property for each in found.properties]
    data = [
        {"property": PROPERTIES[name], "system": system, "side": side, "value": _rounded(getattr(effect, field))}
        for name in names
        for system in systems
        for effect in [found.of(system)[0].effects[name]]
        for field, side in _SIDES.items()
    ]
    base = alt.Chart(alt.InlineData(values=data)).encode(
        y=alt.Y("property:N", sort=None, title=None, axis=alt.Axis(labelLimit=alt.ExprRef(LABELS), grid=True)),
        yOffset=alt.YOffset("system:N", sort=systems),
        x=alt.X("value:Q", title="value", axis=ticks()),
    )
    colour = alt.Color("system:N", scale=scale_of(systems, COLOURS), legend=legend_above(systems))
    sides = list(_SIDES.values())
    shape = alt.Shape("side:N", scale=scale_of(sides, _SHAPES), legend=None)
    lines = base.mark_line(strokeWidth=2, aria=False).encode(color=colour, detail=["property:N", "system:N"])
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        color=colour,
        shape=shape,
        tooltip=["property:N", "system:N", "side:N", alt.Tooltip("value:Q", format=".4f")],
    )
    return finished(
        alt.layer(lines, points).properties(width=WIDTH - 200, height=len(names) * (16 + 14 * len(systems))),
        f"For each of {len(names)} properties, the number before and after the change of the input: "
        f"{', '.join(systems)}.",
    )


def cure_effects(found: PropertyCard, system: str, name: str) -> Chart:
    """The change by each cure of a property: of its own number, and of the measure over all queries."""
    alt = of_charts("altair")

    kinds = {f"for {PROPERTIES[name]}": name, f"{found.measure} over all queries as they are": ALL}
    cures = [row for row in found.of(system) if row.property == name]
    data = list(_changes(cures, kinds))
    axis = alt.Axis(labelLimit=alt.ExprRef(LABELS), grid=True)
    base = alt.Chart(alt.InlineData(values=data)).encode(
        y=alt.Y("cure:N", sort=None, title=None, axis=axis),
        yOffset=alt.YOffset("kind:N", sort=list(kinds)),
        color=alt.Color("kind:N", scale=scale_of(list(kinds), COLOURS), legend=legend_above(kinds)),
        tooltip=["cure:N", "kind:N", *(alt.Tooltip(f"{each}:Q", format="+.4f") for each in ("change", "low", "high"))],
    )
    intervals = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title="change", axis=ticks()), x2="high:Q")
    shape = alt.Shape("kind:N", scale=scale_of(list(kinds), tuple(reversed(_SHAPES))), legend=legend_above(kinds))
    points = base.mark_point(filled=True, size=60, opacity=1).encode(x="change:Q", shape=shape)
    zero = alt.Chart(alt.InlineData(values=[{"x": 0}])).mark_rule(color=GREY, aria=False).encode(x="x:Q")
    return finished(
        alt.layer(zero, intervals, points).properties(width=WIDTH - 200, height=36 * len(cures)),
        f"Points with intervals: the change by each of {len(cures)} cures of {system} for {PROPERTIES[name]}, of the "
        f"number of this property and of {found.measure} over all queries.",
    )


def _changes(cures: list[CuredSystem], kinds: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for row in cures:
        for kind, number in kinds.items():
            yield {"cure": row.cure, "kind": kind, **_limits(row.effects[number])}


def _limits(effect: PropertyValue) -> dict[str, float]:
    """A change and its interval; the interval is empty if a single query allows none."""
    limits = effect.low, effect.high
    low, high = limits if np.isfinite(limits).all() else (effect.difference, effect.difference)
    return {"change": _rounded(effect.difference), "low": _rounded(low), "high": _rounded(high)}


def _rounded(value: float) -> float:
    return round(value, DIGITS) + 0.0
