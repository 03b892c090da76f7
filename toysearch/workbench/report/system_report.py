"""Report on one system or several, and its page: figures, charts, and how to repeat the experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toysearch.base import (
    counted,
    expect,
    listed,
    of_charts,
)
from toysearch.base.rendering import html_of
from toysearch.collection.catalog import collection_of
from toysearch.collection.collection import Collection, Source
from toysearch.index.inverted_index import Index
from toysearch.retrieval import IndexLike, index_of
from toysearch.study.compare.comparison import Caveat, Comparison, caveats
from toysearch.study.compare.comparison_tables import compared_data, comparison_parts
from toysearch.study.provenance import Facts, provenance
from toysearch.workbench.report.chart_files import Figure, page_of, true_minus, write_whole
from toysearch.workbench.report.charts import (
    curves_of,
    judged_by_rank,
    precision_recall,
    query_differences,
    ranks_of,
    texts_of,
)
from toysearch.workbench.report.documents_by_rank import ByRank
from toysearch.workbench.report.measure_curve import Curve

__all__ = ["Report", "report"]


@dataclass(frozen=True, repr=False)
class Report:
    """Result of `report`.

    Attributes
    ----------
    title : str
        The systems and the collection.
    comparison : Comparison
        The values, tests and runs of the systems.
    caveats : tuple of Caveat
        What the conclusions depend on.
    curves : dict of str to Curve
        System → interpolated precision at 11 levels of recall, per query and averaged.
    by_rank : dict of str to ByRank
        System → relevant, judged and unjudged documents at the first 20 ranks.
    texts : dict of str to str
        Query_id → text. Empty if unknown.
    left_out : tuple of str
        Sentences on missing parts, with the reason.
    provenance : dict of str to dict of str to str
        How to repeat the experiment.
    """

    title: str
    comparison: Comparison
    caveats: tuple[Caveat, ...]
    curves: dict[str, Curve]
    by_rank: dict[str, ByRank]
    texts: dict[str, str]
    left_out: tuple[str, ...]
    provenance: dict[str, dict[str, str]]

    def __repr__(self) -> str:
        return f"<Report: {self.title}>"

    def data(self) -> dict[str, Any]:
        """Return everything that the page shows, as plain values for JSON."""
        comparison = self.comparison
        per_query = [
            {"measure": measure, "query_id": query_id, "values": dict(zip(comparison.systems, row, strict=True))}
            for measure, values in comparison.values.items()
            for query_id, row in zip(comparison.query_ids[measure], values.tolist(), strict=True)
        ]
        curves = {
            name: {
                "recall": curve.at.tolist(),
                "mean": curve.mean.tolist(),
                "per_query": {query_id: values.tolist() for query_id, values in curve.per_query.items()},
            }
            for name, curve in self.curves.items()
        }
        by_rank = {
            name: {kind: counts.tolist() for kind, counts in by_kind._asdict().items()}
            for name, by_kind in self.by_rank.items()
        }
        return {
            "title": self.title,
            "systems": list(comparison.systems),
            **compared_data(comparison, self.caveats),
            "per_query": per_query,
            "precision_recall": curves,
            "by_rank": by_rank,
            "queries": self.texts,
            "left_out": list(self.left_out),
            "repeat": self.provenance,
        }

    def html(self) -> str:
        """Return the page as one self-contained HTML text."""
        return report_page(self)

    def save(self, path: str | Path) -> None:
        """Write the page to a file, completely or not at all.

        Parameters
        ----------
        path : str or Path
            The file; its name ends in ``.html``.

        Raises
        ------
        ArgumentError
            If the name does not end in ``.html``, or its folder is missing.
        StorageError
            If the file cannot be written.
        """
        write_whole(path, {".html": self.html})


def report(
    comparison: Comparison,
    *,
    collection: Source | None = None,
    index: IndexLike | Mapping[str, IndexLike] | None = None,
    k: int | None = None,
    command: str = "",
    left_out: Sequence[str] = (),
) -> Report:
    """Report on one or several systems over the same queries, to save as a page or use as data.

    Parameters
    ----------
    comparison : Comparison
        The comparison of the systems by `compare`; one system is enough.
    collection : Collection, name or path, optional
        The collection with the query texts.
    index : Index or what stands for one, or a mapping of str to these, optional
        The index that was searched, or that of each system by its name.
    k : int, optional
        The number of documents that each system ranked per query.
    command : str, optional
        The command line that made it, for the section on how to repeat it.
    left_out : sequence of str, optional
        Further sentences on missing parts, besides those on arguments that are not given.

    Returns
    -------
    Report
        `Report.save` writes the page; `toysearch.plot` draws one chart.

    Examples
    --------
    >>> from toysearch import Index, Searcher, compare, load
    >>> collection = load("cat-dog-parrot")
    >>> index = Index.build(collection)
    >>> runs = [Searcher(index, name).run(collection.judged_queries) for name in ("bm25", "jaccard")]
    >>> found = report(compare(runs, collection.qrels, "AP", threshold=0.5), collection=collection, index=index)
    >>> found
    <Report: bm25 and jaccard on cat-dog-parrot>
    >>> found.curves["bm25"].mean.tolist()[:2], found.provenance["models"]["bm25"]
    ([1.0, 1.0], 'bm25:k1=1.2,b=0.75,k3=none')
    """
    expect(Comparison, comparison=comparison)
    collection = None if collection is None else collection_of(collection)
    names = listed(comparison.systems)
    missing = {
        "The texts of the queries: the judgments are a file, not a collection.": collection is None,
        "Models and index: the systems are run files.": index is None,
    }
    given = index if isinstance(index, Mapping) else {"": index} if index is not None else {}
    indexes = {name: index_of(one) for name, one in given.items()}
    repeated = _provenance(comparison, collection, indexes, k, command)
    return Report(
        title=f"{names} on {collection.name}" if collection is not None else names,
        comparison=comparison,
        caveats=tuple(caveats(comparison)),
        curves=curves_of(comparison),
        by_rank=ranks_of(comparison),
        texts=texts_of(comparison, collection),
        left_out=(*filter(missing.get, missing), *left_out),
        provenance=repeated,
    )


def _provenance(
    comparison: Comparison,
    collection: Collection | None,
    indexes: Mapping[str, Index],
    k: int | None,
    command: str,
) -> Facts:
    """Return everything that the numbers of a comparison depend on."""
    first, how = comparison.first, comparison.how
    choices = {
        "measures": ", ".join(map(str, comparison.measures)),
        "baseline": comparison.baseline,
        "test": how.test,
        "correction": how.correction,
        "corrected together": "all tests" if how.family == "all" else "the tests by one measure",
        "alpha": how.alpha,
        "seed": how.seed,
        "relevant from grade": f"{first.threshold:g}",
        "order of ties": first.ties,
        "queries without relevant documents": first.undefined,
        "only retrieved": "yes" if first.only_retrieved else "no",
        "convention": first.convention.name,
        "k": k,
    }
    models = comparison.systems if indexes else ()
    return provenance(collection, comparison.qrels, indexes, models, comparison.runs, choices, command)


_PAIRS = 6  # pairs whose differences are drawn


def report_page(report: Report) -> str:
    """Render the page of a report: the comparison as `compare` has it, charts, the provenance."""
    comparison = report.comparison
    facts, first = report.provenance, report.comparison.first
    collection = facts.get("collection", {})
    of_indexes = [of_index for heading, of_index in facts.items() if heading.startswith("index")]
    lead = [
        collection.get("title", collection.get("name", "")),
        f"{of_indexes[0]['documents']} documents" if of_indexes else "",
        first.size,
        f"relevant from grade {first.threshold:g}",
        *dict.fromkeys(of_index["analyzer"] for of_index in of_indexes),
        f"toysearch {facts['versions']['toysearch']}",
    ]
    compared = html_of(comparison_parts(comparison, report.caveats, terminal=True))
    return page_of(
        "report.html",
        title=report.title,
        figures=_figures(report),
        lead=" · ".join(filter(None, lead)),
        compared=of_charts("markupsafe").Markup(true_minus(compared)),
        left_out=report.left_out,
        provenance=facts,
    )


def _figures(report: Report) -> list[Figure]:
    comparison, measure = report.comparison, str(report.comparison.measures[0])
    levels = len(next(iter(report.curves.values())).at)
    levelled = f"Interpolated precision at {levels} levels of recall. Choose a query in the list below the chart."
    if comparison.options.get("ties") == "average":
        levelled += " Tied documents keep the order of the rankings: a curve cannot average over all orders."
    figures = [Figure("pr", precision_recall(report.curves, report.texts, choose=True), levelled)]
    pairs = [pair for pair in comparison.pairs if pair.measure == measure]
    for place, pair in enumerate(pairs[:_PAIRS], 1):
        caption = f"{measure} of {pair.system} minus {measure} of {pair.other}: point at a bar to read its query."
        if place == _PAIRS < len(pairs):
            caption += f" {counted(len(pairs) - _PAIRS, 'more pair')} left out here; the report as JSON has all."
        figures.append(Figure(f"queries-{place}", query_differences(comparison, pair, report.texts), caption))
    ranks = (
        "Judgments at each rank. Where many documents are unjudged, measures that count them as not relevant mislead."
    )
    return [*figures, Figure("depth", judged_by_rank(report.by_rank), ranks)]
