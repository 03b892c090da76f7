"""Retrievability: how often a model finds each document, over many queries, and how unequally."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from toysearch.base import (
    ArgumentError,
    Column,
    Part,
    Result,
    ResultTable,
    Sentences,
    TextNeeds,
    checked,
    count_each,
    counted,
    expect_name,
    number_columns,
    repeat_each,
    without_notes,
)
from toysearch.corpus.catalog import without_texts
from toysearch.corpus.collection import Queries
from toysearch.index.inverted_index import Index
from toysearch.models import ModelLike
from toysearch.models.registry import model as find_model
from toysearch.search import IndexLike, Searcher, index_of
from toysearch.search.terms import query_terms
from toysearch.study.study import refuse_joined_fields

__all__ = ["Retrievability", "SystemRetrievability", "gini", "retrievability"]

KINDS = {"bigrams": 2, "terms": 1}
"""Kinds of generated queries, with their lengths in terms."""

_LEAST = 2  # occurrences of a generated query in the documents: a single one is often an error or a number
_LISTED = 10  # documents that are never found
_POINTS = 11  # of the Lorenz curve
_WHOLE = 9  # digits to which sums of parts of needs are exact


class SystemRetrievability(NamedTuple):
    """Retrievability of the documents under one system.

    Attributes
    ----------
    system : str
        The model.
    gini : float
        0 if every document is found as often, near 1 if one document is always found alone; NaN if none is ever found.
    never : tuple of str
        The documents that no query finds, in the order of the collection.
    lorenz : tuple of float
        The share of all retrievals that goes to the least retrievable 0 %, 10 %, …, 100 % of the documents.
    counts : ndarray
        (N,) int64; r(d), the number of queries that find each document, in the order of the collection. Of needs with
        several texts float64: the share of the texts of each need that find it, summed over the needs.
    """

    system: str
    gini: float
    never: tuple[str, ...]
    lorenz: tuple[float, ...]
    counts: np.ndarray


@dataclass(frozen=True, repr=False)
class Retrievability(Result):
    """Result of `retrievability`.

    Attributes
    ----------
    collection, analyzer : str
        The collection ("" if unknown) and the analysis.
    kind : str
        The queries: "bigrams", "terms" or "queries"; "needs" if some have several texts, of which each then counts as a
        part of its need.
    n, documents : int
        The number of queries and of documents.
    k : int
        A document is found if it is among the best k.
    seed : int
        The seed of generated queries.
    systems : tuple of SystemRetrievability
        The systems.
    """

    collection: str
    analyzer: str
    kind: str
    n: int
    documents: int
    k: int
    seed: int
    systems: tuple[SystemRetrievability, ...]

    def __repr__(self) -> str:
        systems = ", ".join(f"{system.system} Gini {system.gini:.4f}" for system in self.systems)
        return f"<Retrievability over {self.n} {self.kind}: {systems}>"

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return one row per system."""
        columns = [
            Column("system"),
            *number_columns(".4f", gini="Gini"),
            *number_columns(",", never="never found"),
            *number_columns(".1%", share="of all"),
            *number_columns(",", lowest="fewest", highest="most"),
        ]
        rows = [
            [
                *(system.system, system.gini, len(system.never), len(system.never) / self.documents),
                *(round(end.item(), 2) for end in (system.counts.min(), system.counts.max())),
            ]
            for system in self.systems
        ]
        return [ResultTable(columns, rows)]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """Return the Gini coefficients, the Lorenz curves, and the documents that are never found."""
        points = [f"{share}%" for share in range(10, 100, 10)]
        curves = [[system.system, *system.lorenz[1:-1]] for system in self.systems]
        title = "Lorenz curve: the share of all retrievals that goes to the least retrievable documents"
        lines = []
        for system in self.systems:
            more = f" and {len(system.never) - _LISTED:,} more" if len(system.never) > _LISTED else ""
            lines.append(f"never found by {system.system}: {', '.join(system.never[:_LISTED]) or 'no document'}{more}")
        lorenz = ResultTable([Column("system"), *number_columns(".1%", *points)], curves)
        return [*self.tables(), Sentences([title], "", ""), lorenz, Sentences(lines, "")]

    def about(self) -> list[str]:
        """Describe the setup in one line."""
        generated = "" if self.kind in ("queries", "needs") else f"seed {self.seed}"
        parts = [self.collection, self.analyzer, counted(self.documents, "document"), f"{self.n:,} {self.kind}"]
        return [" · ".join(filter(None, [*parts, f"found: among the best {self.k}", generated]))]


@checked
def gini(values: Iterable[float]) -> float:
    """Gini coefficient of values of at least 0: Σ (2i − N − 1) · v_i / (N · Σ v), i from 1 in rising order.

    Parameters
    ----------
    values : iterable of float
        Such as the number of times that each document is found.

    Returns
    -------
    float
        From 0 (all equal) to 1 − 1/N; NaN if all values are 0.

    Raises
    ------
    ArgumentError
        If a value is not a number of at least 0.

    Examples
    --------
    >>> gini([1, 1, 1, 1]), gini([0, 0, 0, 4])
    (0.0, 0.75)
    """
    try:
        ordered = np.sort(np.fromiter(values, np.float64))
    except (TypeError, ValueError):
        raise ArgumentError("gini takes numbers of at least 0") from None
    if len(ordered) and not 0 <= ordered[0] <= ordered[-1] < math.inf:
        raise ArgumentError("gini takes numbers of at least 0")
    n, total = len(ordered), float(ordered.sum())
    return float(((2 * np.arange(1, n + 1) - n - 1) * ordered).sum() / (n * total)) if total else math.nan


@checked
def retrievability(
    index: IndexLike,
    models: ModelLike | Iterable[ModelLike] = "bm25",
    *,
    queries: Iterable[tuple[str, str]] | None = None,
    kind: str = "bigrams",
    n: int = 2000,
    k: int = 100,
    seed: int = 0,
) -> Retrievability:
    """Measure how unequally a model finds the documents.

    Many queries are asked, and for each document the queries are counted that find it among the best k. The Gini
    coefficient of these counts is 0 if all documents are found equally often, and near 1 if few documents take all
    places. The Lorenz curve shows the share of all places that goes to the least retrievable documents. Generated
    queries are distinct pairs of neighbouring terms, or single terms, drawn at random from those that occur at least
    twice in the documents. No judgments are needed.

    Parameters
    ----------
    index : Index, Collection, name or path
        The documents.
    models : str, function, Model or Ranker, or several
        The systems.
    queries : iterable of Query, optional
        Queries to use instead of generated ones.
    kind : {"bigrams", "terms"}
        What is generated.
    n : int, default 2000
        The number of generated queries.
    k : int, default 100
        The rank up to which a document counts as found.
    seed : int, default 0
        The seed of the draw.

    Raises
    ------
    ArgumentError
        If a name is unknown, a number is not positive, or the index stores no texts to generate queries from.

    References
    ----------
    Azzopardi & Vinay, "Retrievability: an evaluation measure for higher order information access tasks", CIKM 2008.

    Examples
    --------
    >>> found = retrievability("companions", ["bm25:b=0", "bm25"], k=10)
    >>> found
    <Retrievability over 1458 bigrams: bm25:b=0 Gini 0.5020, bm25 Gini 0.2354>
    """
    expect_name("kind", kind, KINDS)
    if n < 1 or k < 1:
        raise ArgumentError(f"n and k must be whole numbers of at least 1, not {n} and {k}")
    listed = [models] if isinstance(models, str) or not isinstance(models, Iterable) else list(models)
    chosen = [find_model(model) for model in listed]
    opened = index_of(index, *chosen)
    refuse_joined_fields(opened, chosen)
    needs = TextNeeds.several(queries.needs) if isinstance(queries, Queries) else TextNeeds()
    if queries is None:
        terms_of_queries = [query_terms(opened, terms) for terms in generated_queries(opened, kind, n, seed)]
    else:
        reader = Searcher(opened)
        terms_of_queries = [reader.terms(text, query_id=query_id) for query_id, text in queries]
    if not terms_of_queries:
        raise ArgumentError(
            f"there are no queries: no {kind} occur twice in the documents"
            if queries is None
            else "there are no queries"
        )
    systems = []
    for model in chosen:
        with without_notes():
            searcher = Searcher(opened, model)
            ranked = searcher.scorer.best(terms_of_queries, k)
        docs_of_queries = np.concatenate([docs for docs, _ in ranked]).astype(np.int64)
        counts = count_each(docs_of_queries, minlength=opened.stats.N)
        if needs:
            weights = [*needs.weights(terms.query_id for terms in terms_of_queries).values()]
            of_each = repeat_each(weights, [len(docs) for docs, _ in ranked])
            counts = count_each(docs_of_queries, of_each, opened.stats.N).round(_WHOLE)
        never = tuple(opened.doc_ids[doc] for doc in np.flatnonzero(counts == 0).tolist())
        lorenz = tuple(lorenz_curve(counts, _POINTS).tolist())
        systems.append(SystemRetrievability(str(searcher.model), gini(counts), never, lorenz, counts))
    return Retrievability(
        collection=opened.collection or "",
        analyzer=str(opened.analyzer),
        kind=kind if queries is None else needs.kind[1],
        n=len(needs.texts(terms.query_id for terms in terms_of_queries)) if needs else len(terms_of_queries),
        documents=opened.stats.N,
        k=k,
        seed=seed,
        systems=tuple(systems),
    )


def generated_queries(index: Index, kind: str, n: int, seed: int) -> list[tuple[str, ...]]:
    """Draw distinct terms, or pairs of neighbouring terms, at random from those that occur at least twice.

    >>> index = Index.build(["a cat sat", "a cat ran"])
    >>> generated_queries(index, "bigrams", 10, seed=0), generated_queries(index, "terms", 10, seed=0)
    ([], [('cat',)])
    """
    counts: Counter[tuple[str, ...]] = Counter()
    if KINDS[kind] == 1:
        counts.update({(term,): cf for term, cf in zip(index.terms, index.cf.tolist(), strict=True)})
    elif index.word_counts:
        raise without_texts("bigrams, unlike terms, need the order of words", index.collection)
    elif index.texts is None:
        raise ArgumentError("the index stores no texts to generate queries from; give queries, or name the collection")
    else:
        for text in index.texts:
            counts.update(pairwise(index.analyzer(text)))
    frequent = sorted(terms for terms, count in counts.items() if count >= _LEAST)
    if len(frequent) <= n:
        return frequent
    chosen = np.random.default_rng(seed).choice(len(frequent), n, replace=False)
    return [frequent[place] for place in sorted(chosen.tolist())]


def lorenz_curve(counts: np.ndarray, points: int) -> np.ndarray:
    """Share of a total that goes to the lowest of its parts, at equidistant shares of the parts; NaN if it is 0.

    >>> lorenz_curve(np.array([2, 0, 2, 4]), 5).tolist()
    [0.0, 0.0, 0.25, 0.5, 1.0]
    """
    share = np.concatenate([[0], np.cumsum(np.sort(counts))]) / (counts.sum() or math.nan)
    return np.interp(np.linspace(0, counts.size, points), np.arange(counts.size + 1), share)
