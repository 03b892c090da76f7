"""Charts of the laboratory, as Vega-Lite specifications made by Altair."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from toysearch.base import ArgumentError, cut, expect, expect_name
from toysearch.collection.catalog import collection_of
from toysearch.collection.collection import Collection, Source
from toysearch.evaluation import Measure
from toysearch.files.writing import SVG_MARK
from toysearch.study.compare.comparison import Comparison
from toysearch.study.compare.significance import Pair
from toysearch.workbench.report.chart_files import (
    ENDINGS,
    Chart,
    Figure,
    alt,
    page_of,
    pdf,
    png,
    signed_png,
    svg,
    write_whole,
)
from toysearch.workbench.report.documents_by_rank import ByRank, by_rank
from toysearch.workbench.report.measure_curve import Curve, curve

__all__ = ["PLOTS", "Plot", "plot"]


COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777")
"""Colours of systems, in order: Okabe and Ito's colour-blind palette, with grey instead of black."""

GREY = "#888888"
"""Colour of lines that are not data, visible on white and on black."""

DIGITS = 6
"""Number of decimals in the data of a chart."""

WIDTH = 780
"""Width of a wide chart in pixels."""

DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [10, 4], [4, 2], [1, 3])
"""Dashes of the lines of systems, in order."""

_KINDS = {
    "relevant": "#0072B2",
    "judged, not relevant": "#E69F00",
    "unjudged": "#BBBBBB",
    "nothing retrieved": "transparent",
}
_NAMED_BARS = 40  # the most queries whose ids fit below the bars


_OPTION = 70  # characters of a query in the drop-down list
MEAN = "mean of all queries"


def precision_recall(curves: Mapping[str, Curve], texts: Mapping[str, str], *, choose: bool = False) -> Chart:
    """Draw the interpolated precision at levels of recall, one line per system."""
    first = next(iter(curves.values()))
    mean_of_all = MEAN.replace("queries", first.kind)
    choices = [mean_of_all, *first.per_query] if choose else [mean_of_all]
    data = []
    for name, (system, levels) in product(choices, curves.items()):
        values = levels.mean if name == mean_of_all else levels.per_query[name]
        precision = [round(value, DIGITS) if value == value else None for value in values.tolist()]
        data.append({"query": name, "system": system, "precision": precision})
    legend = legend_above(curves, symbolType="stroke", symbolSize=400, symbolStrokeWidth=2)
    shares = alt.Scale(domain=[0, 1])
    lines = (
        chart_of(data)
        .transform_flatten(["precision"])
        .transform_window([alt.WindowFieldDef(op="row_number", **{"as": "place"})], groupby=["system"])
        .transform_calculate(recall=f"(datum.place - 1) / {len(first.at) - 1}")
        .mark_line(point=alt.OverlayMarkDef(size=45), strokeWidth=2)
        .encode(
            x=alt.X("recall:Q", title="recall", scale=shares, axis=ticks()),
            y=alt.Y("precision:Q", title="interpolated precision", scale=shares, axis=alt.Axis(tickCount=10)),
            color=alt.Color("system:N", scale=scale_of(list(curves), COLOURS), legend=legend),
            strokeDash=alt.StrokeDash("system:N", scale=scale_of(list(curves), DASHES), legend=legend),
            tooltip=["system:N", "query:N", "recall:Q", alt.Tooltip("precision:Q", format=".4f")],
        )
    )
    if choose:
        labels = [mean_of_all]
        for name in first.per_query:
            label = f"{name}: {texts[name]}" if texts.get(name) else name
            labels.append(cut(label, _OPTION))
        listed = alt.binding_select(options=choices, labels=labels, name="Query: ")
        chosen = alt.param(name="chosen", value=mean_of_all, bind=listed)
        filtered = [alt.FilterTransform(filter="datum.query === chosen")]
        lines = lines.properties(transform=[*filtered, *lines.transform]).add_params(chosen)
    return finished(
        lines.properties(width=WIDTH - 160, height=380),
        f"Lines of interpolated precision at {len(first.at)} levels of recall, for the {mean_of_all}: "
        f"{', '.join(curves)}.",
    )


def query_differences(comparison: Comparison, pair: Pair, texts: Mapping[str, str]) -> Chart:
    """Draw the difference between two systems for each query, as bars from the largest gain to the largest loss."""
    values = comparison.values[pair.measure]
    first, second = (values[:, comparison.systems.index(name)] for name in (pair.system, pair.other))
    differences = comparison.differences(pair)
    ids = comparison.query_ids[pair.measure]
    of_needs = comparison.first.texts
    data = [
        {
            "query": ids[row],
            "text": texts.get(of_needs[ids[row]][0], ""),
            "difference": round(float(differences[row]), DIGITS),
            "system": round(float(first[row]), DIGITS),
            "other": round(float(second[row]), DIGITS),
            "higher": pair.system if differences[row] > 0 else pair.other,
        }
        for row in np.argsort(-differences, kind="stable").tolist()
    ]
    few = len(data) <= _NAMED_BARS
    base = chart_of(data).encode(
        x=alt.X(
            "query:N",
            sort=None,
            title=comparison.kind[0] if few else f"{len(data)} {comparison.kind[1]}",
            axis=alt.Axis(labels=few, ticks=False, labelAngle=-60),
        ),
        tooltip=[
            alt.Tooltip("query:N"),
            alt.Tooltip("text:N"),
            alt.Tooltip("difference:Q", format="+.4f"),
            alt.Tooltip("system:Q", title=pair.system, format=".4f"),
            alt.Tooltip("other:Q", title=pair.other, format=".4f"),
        ],
    )
    names = sorted((pair.system, pair.other), key=comparison.systems.index)
    colours = [COLOURS[comparison.systems.index(name) % len(COLOURS)] for name in names]
    bars = base.mark_bar().encode(
        y=alt.Y("difference:Q", title=f"{pair.measure}, {pair.system} minus {pair.other}"),
        color=alt.Color("higher:N", scale=scale_of(names, colours), legend=legend_above(names, "higher value")),
    )
    whole = base.mark_bar(opacity=0, aria=False).encode(y=alt.value(0), y2=alt.value("height"))
    zero = chart_of([{"y": 0}]).mark_rule(color=GREY, aria=False).encode(y="y:Q")
    better, worse = Measure.parse(pair.measure).verbs
    return finished(
        alt.layer(bars, zero, whole).properties(width=WIDTH, height=280),
        f"One bar for each of {len(data)} {comparison.kind[1]}, sorted: {pair.measure} of {pair.system} minus "
        f"{pair.measure} of {pair.other}; {pair.wins} {comparison.kind[1]} {better}, {pair.ties} stay, "
        f"{pair.losses} {worse}.",
    )


def judged_by_rank(found: Mapping[str, ByRank]) -> Chart:
    """Draw the share of relevant, other judged, unjudged and missing documents at each rank."""
    data = [
        {"system": system, "rank": rank, "kind": kind, "place": place, "queries": count}
        for system, counts in found.items()
        for place, (kind, column) in enumerate(zip(_KINDS, counts, strict=True))
        for rank, count in enumerate(column.tolist(), 1)
        if count
    ]
    header = alt.Header(
        labelOrient="top", labelAnchor="start", labelFontSize=13, labelFontWeight="bold", labelLimit=600
    )
    bars = (
        alt.Chart()
        .mark_bar(stroke=GREY, strokeWidth=0.4)
        .encode(
            x=alt.X("rank:O", title="rank", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=alt.Y("queries:Q", title="share of the queries", stack="normalize", axis=alt.Axis(format="%")),
            color=alt.Color(
                "kind:N",
                scale=scale_of(list(_KINDS), [*_KINDS.values()]),
                legend=legend_above(_KINDS, of="child_width"),
            ),
            order="place:Q",
            tooltip=["system:N", "rank:O", "kind:N", "queries:Q"],
        )
        .properties(width=WIDTH - 40, height=140)
        .facet(row=alt.Row("system:N", sort=list(found), title=None, header=header), data=alt.InlineData(values=data))
    )
    return finished(
        bars,
        f"Stacked bars: for ranks 1 to {len(next(iter(found.values())).relevant)}, the share of queries whose "
        f"document at that rank is relevant, judged and not relevant, unjudged, or missing: {', '.join(found)}.",
    )


def titled(chart: Chart, title: str) -> Chart:
    """Add a title above a single chart."""
    return chart | {"title": {"text": title, "anchor": "start", "fontSize": 15, "offset": 12}}


def finished(chart: Any, description: str) -> Chart:
    """Return the specification of a chart, with a description in words and the style of all charts."""
    # Vega turns titles and names into expressions, and its parser treats U+2028 and U+2029 as line ends.
    text = json.dumps(chart.to_dict(validate=False), ensure_ascii=False).replace("\u2028", " ").replace("\u2029", " ")
    return {
        **json.loads(text),
        "description": description,
        "background": "white",  # a page sets its own background
        "config": {
            "font": "system-ui, 'DejaVu Sans', sans-serif",
            "axis": {
                "labelFontSize": 12,
                "titleFontSize": 12,
                "titleFontWeight": "normal",
                "gridColor": GREY,
                "gridOpacity": 0.25,
                "domainColor": GREY,
                "tickColor": GREY,
            },
            "legend": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"},
            "view": {"stroke": GREY, "strokeOpacity": 0.5},
        },
    }


def chart_of(rows: list[dict[str, Any]]) -> Any:
    """Begin a chart of some rows."""
    return alt.Chart(alt.InlineData(values=rows))


def scale_of(names: Sequence[str], values: Sequence[Any]) -> Any:
    """Return a scale that gives each name a value, in order; the values repeat."""
    return alt.Scale(domain=list(names), range=[values[place % len(values)] for place in range(len(names))])


def ticks(of: str = "width", **more: Any) -> Any:
    """Return a horizontal axis with few enough ticks that each keeps its label."""
    return alt.Axis(tickCount=alt.ExprRef(f"max(2, ceil({of} / 80))"), **more)


def legend_above(names: Iterable[str], title: str | None = None, of: str = "width", **more: Any) -> Any:
    """Return a legend above the chart, in as many columns as fit."""
    longest = 40 + 7 * max(map(len, names))  # pixels, with the symbol
    return alt.Legend(
        orient="top",
        labelLimit=alt.ExprRef(f"max(160, {of})"),
        symbolLimit=0,
        columns=alt.ExprRef(f"max(1, floor({of} / {longest}))"),
        title=title,
        **more,
    )


PLOTS = {
    "pr": "precision against recall at 11 levels, for all queries or for one",
    "queries": "the difference between two systems, query by query",
    "depth": "relevant, other judged and unjudged documents, rank by rank",
}
"""Charts that `plot` draws, by name."""


class Plot(dict[str, Any]):
    """Chart: its Vega-Lite specification, which a notebook draws.

    Parameters
    ----------
    chart : dict
        The specification.
    title : str
        The title above the chart in a file.
    """

    def __init__(self, chart: Chart, title: str) -> None:
        expect(Mapping, chart=chart)
        super().__init__(chart)
        self.title = title

    def __repr__(self) -> str:
        return f"<Plot: {self.title}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        kinds = (f"application/vnd.vegalite.v{version}+json" for version in (5, 6))  # that a notebook draws
        return {"text/plain": repr(self)} | {kind: dict(self) for kind in kinds}

    def save(self, path: str | Path) -> None:
        """Write the chart to a file.

        Parameters
        ----------
        path : str or Path
            A file that ends in ``.svg``, ``.png``, ``.html`` or ``.pdf``; it is written completely or not at all.
        """
        alone = titled(dict(self), self.title)
        makers = (
            lambda: f"{svg(alone)}\n{SVG_MARK}\n",
            lambda: signed_png(png(alone)),
            self._page,
            partial(pdf, alone),
        )
        write_whole(path, dict(zip(ENDINGS, makers, strict=True)))

    def _page(self) -> str:
        return page_of("chart.html", title=self.title, figures=[Figure("chart", dict(self), self["description"])])


def plot(
    name: str,
    source: Comparison,
    path: str | Path | None = None,
    *,
    collection: Source | None = None,
) -> Plot:
    """Draw one chart, and optionally save it in the format of a file extension.

    Parameters
    ----------
    name : {"pr", "queries", "depth"}
        One of `PLOTS`.
    source : Comparison
        The systems, as `compare` compares them.
    path : str or Path, optional
        A file that ends in ``.svg``, ``.png``, ``.html`` or ``.pdf``; it is written completely or not at all.
    collection : Collection, name or path, optional
        The collection with the query texts that a page shows.

    Returns
    -------
    Plot
        The chart: a notebook draws it, `Plot.save` writes it, and as a dict it is its Vega-Lite specification.

    Raises
    ------
    ArgumentError
        If there is no such chart, or the file extension is unknown.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> from toysearch import compare
    >>> judged = {str(n): {"a": 1} for n in range(8)}
    >>> found = compare({"old": {n: ["b", "a"] for n in judged}, "new": {n: ["a"] for n in judged}}, judged, "RR")
    >>> plot("queries", found)["description"]
    'One bar for each of 8 queries, sorted: RR of new minus RR of old; 8 queries gain, 0 stay, 0 lose.'
    """
    expect(str, name=name)
    expect_name("plot", name, PLOTS)
    known = None if collection is None else collection_of(collection)
    given: Any = source
    if not isinstance(given, Comparison):
        other = f"'{given}'" if isinstance(given, str | Path) else f"a {type(given).__name__.lower()}"
        raise ArgumentError(f"{name} is drawn from a comparison, not from {other}")
    texts = texts_of(source, known)
    if name == "pr":
        in_page = path is not None and Path(path).suffix.lower() == ".html"
        chart, title = precision_recall(curves_of(source), texts, choose=in_page), "Precision and recall"
    elif name == "queries":
        measure = str(source.measures[0])
        pair = next((pair for pair in source.pairs if pair.measure == measure), None)
        if pair is None:
            raise ArgumentError("queries draws the difference between two systems; give two systems")
        chart, title = (
            query_differences(source, pair, texts),
            f"{measure} of {pair.system} minus {measure} of {pair.other}",
        )
    else:
        chart, title = judged_by_rank(ranks_of(source)), "Judged and unjudged documents"
    drawn = Plot(chart, title if known is None else f"{title} on {known.name}")
    if path is not None:
        drawn.save(path)
    return drawn


RANKS = 20
"""Number of ranks that are shown individually."""

_RULES = ("threshold", "ties", "only_retrieved", "undefined", "convention")  # the options that curves accept


def curves_of(comparison: Comparison) -> dict[str, Curve]:
    """Return system → interpolated precision at 11 levels of recall."""
    # A curve cannot average over all orders of tied documents: with that option, the order of the rankings counts.
    rules = {name: value for name, value in comparison.options.items() if name in _RULES and value != "average"}
    return {name: curve(run, comparison.qrels, **rules) for name, run in comparison.runs.items()}


def ranks_of(comparison: Comparison) -> dict[str, ByRank]:
    """Return system → relevant, judged and unjudged documents at the first ranks, over all judged queries."""
    threshold = comparison.first.threshold
    ties = comparison.options.get("ties")
    return {name: by_rank(run, comparison.qrels, threshold, RANKS, ties) for name, run in comparison.runs.items()}


def texts_of(comparison: Comparison, collection: Collection | None) -> dict[str, str]:
    """Return query_id → text of the queries that were evaluated; empty without a collection."""
    if collection is None:
        return {}
    texts = {query.query_id: query.text for query in collection.judged_queries}
    evaluated = comparison.first.per_query
    return {query_id: texts[query_id] for query_id in evaluated if query_id in texts}
