"""Single charts by name, as a specification or in a file: SVG, PNG, or a page of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from toysearch.arguments import checked
from toysearch.corpus.collection import Collection
from toysearch.errors import ArgumentError, unknown
from toysearch.formats.overwriting import SVG_MARK
from toysearch.laboratory.experiments.comparison import Comparison
from toysearch.laboratory.experiments.grids import setting_text
from toysearch.laboratory.reports.chart_files import png, signed_png, svg, write_whole
from toysearch.laboratory.reports.charts import (
    Chart,
    judged_by_rank,
    precision_recall,
    query_differences,
    titled,
    value_boxes,
)
from toysearch.laboratory.reports.page import chart_page
from toysearch.laboratory.reports.report_data import curves_of, ranks_of, texts_of
from toysearch.laboratory.reports.tuning_surface import read_surface, surface

PLOTS = {
    "pr": "precision against recall, at 11 levels; of all queries or of one",
    "queries": "the difference of two systems, query by query",
    "box": "how the values of the queries are spread",
    "unjudged": "relevant, other judged and unjudged documents, rank by rank",
    "surface": "the values of a file of results of `tune`",
}
"""The charts that `plot` draws, by name."""

_VEGA_LITE = ("application/vnd.vegalite.v5+json", "application/vnd.vegalite.v6+json")  # which a notebook draws
ENDINGS = {".svg": "an SVG picture", ".png": "a PNG picture", ".html": "a page that needs nothing from anywhere"}
"""What a file's name asks for."""


class Plot(dict[str, Any]):
    """A chart: its Vega-Lite specification, which a notebook draws.

    Parameters
    ----------
    chart : dict
        The specification.
    title : str
        What stands above it in a file.
    """

    @checked
    def __init__(self, chart: Chart, title: str) -> None:
        super().__init__(chart)
        self.title = title

    def __repr__(self) -> str:
        return f"<Plot: {self.title}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/plain": repr(self)} | {kind: dict(self) for kind in _VEGA_LITE}

    def save(self, path: str | Path) -> None:
        """Write the chart to a file.

        Parameters
        ----------
        path : str or Path
            A file that ends in ``.svg``, ``.png`` or ``.html``; it appears whole or not at all.
        """
        alone = titled(dict(self), self.title)
        makers = (
            lambda: f"{svg(alone)}\n{SVG_MARK}\n",
            lambda: signed_png(png(alone)),
            lambda: chart_page(dict(self), self.title),
        )
        write_whole(path, dict(zip(ENDINGS, makers, strict=True)))


def plot(
    name: str,
    source: Comparison | str | Path,
    path: str | Path | None = None,
    *,
    collection: Collection | None = None,
    query_id: str | None = None,
    system: str | None = None,
) -> Plot:
    """One chart, in a file whose ending says in which form.

    Parameters
    ----------
    name : {"pr", "queries", "box", "unjudged", "surface"}
        One of `PLOTS`.
    source : Comparison, str or Path
        What was compared; for "surface" the file of results that `tune` kept.
    path : str or Path, optional
        A file that ends in ``.svg``, ``.png`` or ``.html``; it appears whole or not at all.
    collection : Collection, optional
        Where the texts of the queries are from, which a page shows.
    query_id : str, optional
        For "pr": this query, in place of the mean of all.
    system : str, optional
        For "queries": which system is drawn minus the baseline, by default the first that is compared with it.

    Returns
    -------
    Plot
        The chart: a notebook draws it, `Plot.save` writes it, and as a dict it is its Vega-Lite specification.

    Raises
    ------
    ArgumentError
        If there is no such chart, query or system, or the file's name asks for no form.
    StorageError
        If the file cannot be written.

    Examples
    --------
    >>> from toysearch import compare
    >>> judged = {str(n): {"a": 1} for n in range(8)}
    >>> found = compare({"old": {n: ["b", "a"] for n in judged}, "new": {n: ["a"] for n in judged}}, judged, "RR")
    >>> plot("queries", found)["description"]
    'A bar for each of 8 queries, sorted: the RR of new minus that of old; 8 queries gain, 0 stay, 0 lose.'
    """
    if name not in PLOTS:
        raise unknown("plot", name, PLOTS)
    if query_id is not None and name != "pr":
        raise ArgumentError(f"one query ({query_id}) can be drawn by pr, not by {name}")
    if system is not None and name != "queries":
        raise ArgumentError(f"one system ({system}) can be drawn by queries, not by {name}")
    in_page = path is not None and Path(path).suffix.lower() == ".html"
    title, chart = _drawn(name, source, collection, query_id, system, in_page)
    drawn = Plot(chart, title)
    if path is not None:
        drawn.save(path)
    return drawn


def _drawn(
    name: str,
    source: Comparison | str | Path,
    collection: Collection | None,
    query_id: str | None,
    system: str | None,
    in_page: bool,
) -> tuple[str, Chart]:
    """A title, and the chart."""
    if name == "surface":
        if isinstance(source, Comparison):
            raise ArgumentError("a surface is drawn from a file of results of `tune`, not from a comparison")
        found = read_surface(source)
        setting, value = found.best
        return f"{found.title}: best {value:.4f} at {setting_text(setting)}", surface(found)
    if not isinstance(source, Comparison):
        raise ArgumentError(f"{name} is drawn from a comparison, not from '{source}'")
    where = f" on {collection.name}" if collection is not None else ""
    texts = texts_of(source, collection)
    if name == "pr":
        of_query = f", query {query_id}" if query_id is not None else ""
        chart = precision_recall(curves_of(source), texts, query_id=query_id, choose=in_page)
        return f"Precision and recall{where}{of_query}", chart
    if name == "queries":
        measure = str(source.measures[0])
        pairs = [pair for pair in source.pairs if pair.measure == measure]
        if not pairs:
            raise ArgumentError("queries draws the difference of two systems; give two, or draw box")
        pair = next((pair for pair in pairs if system in (None, pair.system)), None)
        if pair is None:
            raise unknown("system", str(system), [pair.system for pair in pairs])
        return f"{measure} of {pair.system} minus that of {pair.other}{where}", query_differences(source, pair, texts)
    if name == "box":
        return f"Values of the queries{where}", value_boxes(source)
    return f"Judged and unjudged documents{where}", judged_by_rank(ranks_of(source))
