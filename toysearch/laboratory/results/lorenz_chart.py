"""The Lorenz curves of retrievability as a chart."""

from __future__ import annotations

import math

from toysearch.base.optional_packages import of_charts
from toysearch.laboratory.experiments.retrieval_bias import Retrievability, lorenz_curve
from toysearch.laboratory.results.charts import (
    COLOURS,
    DASHES,
    DIGITS,
    GREY,
    WIDTH,
    Chart,
    finished,
    legend_above,
    scale_of,
    ticks,
)

_DOCUMENTS = "share of the documents, the least retrievable first"
_POINTS = 101  # one per per cent of the documents


def lorenz(found: Retrievability) -> Chart:
    """The share of all retrievals that goes to the least retrievable documents, one line per system."""
    alt = of_charts("altair")

    drawn = {each.system: f"{each.system} (Gini {each.gini:.4f})" for each in found.systems if math.isfinite(each.gini)}
    data = [
        {"system": drawn[each.system], "documents": place / (_POINTS - 1), "retrievals": round(share, DIGITS)}
        for each in found.systems
        if each.system in drawn
        for place, share in enumerate(lorenz_curve(each.counts, _POINTS).tolist())
    ]
    names = list(drawn.values())
    legend = legend_above(names or [""], symbolType="stroke", symbolSize=400, symbolStrokeWidth=2)
    axis = ticks()
    axis["format"] = "%"
    shares = alt.Scale(domain=[0, 1])
    tooltip = ["system:N", *(alt.Tooltip(f"{name}:Q", format=".1%") for name in ("documents", "retrievals"))]
    lines = (
        alt.Chart(alt.InlineData(values=data))
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X("documents:Q", title=_DOCUMENTS, scale=shares, axis=axis),
            y=alt.Y("retrievals:Q", title="share of all retrievals", scale=shares, axis=alt.Axis(format="%")),
            color=alt.Color("system:N", scale=scale_of(names, COLOURS), legend=legend),
            strokeDash=alt.StrokeDash("system:N", scale=scale_of(names, DASHES), legend=legend),
            tooltip=tooltip,
        )
    )
    ends = alt.InlineData(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}])
    equal = alt.Chart(ends).mark_line(color=GREY, strokeWidth=1, aria=False).encode(x="x:Q", y="y:Q")
    return finished(
        alt.layer(equal, lines).properties(width=WIDTH - 160, height=380),
        "Lorenz curves: the share of all retrievals that goes to the least retrievable documents; on the grey diagonal "
        f"all documents are found equally often: {', '.join(names)}.",
    )
