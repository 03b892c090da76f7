"""Algorithms of textbooks worked out with all their numbers: link analysis, building, champions, WAND, relevance."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

import numpy as np

from toysearch import Index, Searcher, evaluate
from toysearch.base import (
    ArgumentError,
    Column,
    Ranking,
    Result,
    ResultTable,
    checked,
    counted,
    expect_name,
    number_columns,
    records,
    without_notes,
)
from toysearch.models import ModelLike
from toysearch.study import Study
from toysearch.study.study import JudgedLike

__all__ = [
    "Worked",
    "blocks_merged",
    "champion_lists",
    "hubs_and_authorities",
    "page_rank",
    "relevance_weights",
    "wand",
]

Links = Mapping[str, Sequence[str]]

_SLACK = 1e-9  # a sum of floats may be this much below another one of the same numbers


@dataclass(frozen=True, repr=False)
class Worked(Result):
    """Algorithm worked out: its tables, what follows, and its outcome.

    Attributes
    ----------
    steps : list of ResultTable
        The numbers, in the order in which they arise.
    conclusions : list of str
        What to see in them.
    outcome : dict
        The result of the algorithm.
    """

    steps: list[ResultTable]
    conclusions: list[str]
    outcome: dict[str, Any]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return all tables; as CSV the last one, which has the outcome."""
        return self.steps if form == "table" else self.steps[-1:]

    def sentences(self) -> list[str]:
        """Say what to see."""
        return self.conclusions

    def data(self) -> dict[str, Any]:
        """Return the tables, whose first row has the names, and the outcome, as plain values for JSON."""
        steps = [
            {"title": table.title, "rows": [[column.name for column in table.columns], *map(list, table.rows)]}
            for table in self.steps
        ]
        return {"steps": steps, "outcome": self.outcome}


def _link_matrix(links: Links) -> tuple[list[str], np.ndarray]:
    """Return the pages, and how many links lead from each (row) to each (column)."""
    pages = list(dict.fromkeys([*links, *itertools.chain.from_iterable(links.values())]))
    if not pages:
        raise ArgumentError("links must have at least one page, such as {'a': ['b'], 'b': []}")
    return pages, np.array([[list(links.get(page, ())).count(other) for other in pages] for page in pages], float)


@checked
def page_rank(links: Links, *, teleport: float = 0.15, steps: int = 5) -> Worked:
    """PageRank: how often a surfer who clicks at random is on each page.

    With probability `teleport` the surfer jumps to any of the N pages, else follows one of the links of the page; a
    page without links is left by a jump. The row of a page in P has the chances of the next page, and x · P is where
    the surfer is one step later. From the first page on, x approaches the PageRank, for which x · P = x.

    Parameters
    ----------
    links : dict of str to sequence of str
        Page → the pages that it links to; several links to one page count once.
    teleport : float, default 0.15
        The probability of a jump, above 0, at most 1.
    steps : int, default 5
        The number of steps that are shown.

    Returns
    -------
    Worked
        With P, the first steps, and ``outcome``: page → PageRank. They add up to 1.

    Raises
    ------
    ArgumentError
        If there is no page, or `teleport` is out of range.

    References
    ----------
    Manning, Raghavan & Schütze 2008, 21.2; Page, Brin, Motwani & Winograd 1999.

    Examples
    --------
    The three pages of their section 21.2.2:

    >>> found = page_rank({"1": ["2"], "2": ["1", "3"], "3": ["2"]}, teleport=0.5)
    >>> {page: round(rank, 4) for page, rank in found.outcome.items()}  # 5/18, 4/9, 5/18
    {'1': 0.2778, '2': 0.4444, '3': 0.2778}
    """
    if not 0 < teleport <= 1:
        raise ArgumentError(f"teleport must be above 0, at most 1, not {teleport}")
    pages, counts = _link_matrix(links)
    follow = (counts > 0).astype(float)
    degree = follow.sum(1, keepdims=True)
    P = np.where(degree > 0, teleport / len(pages) + (1 - teleport) * follow / np.fmax(degree, 1), 1 / len(pages))
    places = [[str(step), *np.linalg.matrix_power(P, step)[0].tolist()] for step in range(steps + 1)]
    # x · P = x, of which one equation follows from the others; instead of it, x adds up to 1.
    equations = np.vstack([(P.T - np.eye(len(pages)))[:-1], np.ones(len(pages))])
    x = np.linalg.solve(equations, np.eye(len(pages))[-1])
    columns = number_columns(".4f", *pages)
    rows = [[page, *row] for page, row in zip(pages, P.tolist(), strict=True)]
    return Worked(
        [
            ResultTable([Column("from"), *columns], rows, "P: the chance of each next page"),
            ResultTable([Column("step"), *columns], [*places, ["limit", *x.tolist()]], "where the surfer is"),
        ],
        [f"The surfer is most often on {pages[int(x.argmax())]}."],
        dict(zip(pages, x.tolist(), strict=True)),
    )


@checked
def hubs_and_authorities(links: Links, *, steps: int = 5) -> Worked:
    """HITS: good hubs link to good authorities, and good authorities are linked to by good hubs.

    With A(i, j) the number of links from i to j: h = A · a and a = Aᵀ · h, in turns, from h = 1, each divided by its
    sum.

    Parameters
    ----------
    links : dict of str to sequence of str
        Page → the pages that it links to; several links count several times.
    steps : int, default 5
        The number of steps that are shown.

    Returns
    -------
    Worked
        With the first steps, and ``outcome``: page → hub and authority. Each adds up to 1.

    Raises
    ------
    ArgumentError
        If there is no page, or no link.

    References
    ----------
    Manning, Raghavan & Schütze 2008, 21.3; Kleinberg, "Authoritative sources in a hyperlinked environment", JACM 46(5),
    1999.

    Examples
    --------
    >>> found = hubs_and_authorities({"a": ["c", "d"], "b": ["c"]})
    >>> {page: (round(row["hub"], 3), round(row["authority"], 3)) for page, row in found.outcome.items()}
    {'a': (0.618, 0.0), 'b': (0.382, 0.0), 'c': (0.0, 0.618), 'd': (0.0, 0.382)}
    """
    pages, A = _link_matrix(links)
    if not A.any():
        raise ArgumentError("links must have at least one link, such as {'a': ['b']}")
    h, rows = np.full(len(pages), 1 / len(pages)), []
    for step in range(1, steps + 1):
        a = A.T @ h / (A.T @ h).sum()
        h = A @ a / (A @ a).sum()
        rows += [["hub", str(step), *h.tolist()], ["authority", str(step), *a.tolist()]]
    # The limit is the part of the first h in the eigenvectors of A · Aᵀ with the largest eigenvalue.
    eigenvalues, vectors = np.linalg.eigh(A @ A.T)
    largest = vectors[:, eigenvalues > eigenvalues[-1] * (1 - _SLACK)]
    h = largest @ largest.sum(0)
    h[h < _SLACK * h.max()] = 0
    h /= h.sum()
    a = A.T @ h / (A.T @ h).sum()
    rows = sorted(rows, key=lambda row: row[0], reverse=True)
    rows += [["hub", "limit", *h.tolist()], ["authority", "limit", *a.tolist()]]
    return Worked(
        [ResultTable([Column("value"), Column("step"), *number_columns(".4f", *pages)], rows)],
        [f"The best hub is {pages[int(h.argmax())]}, the best authority {pages[int(a.argmax())]}."],
        {page: {"hub": float(h[place]), "authority": float(a[place])} for place, page in enumerate(pages)},
    )


@checked
def blocks_merged(
    documents: Sequence[str], capacity: int, *, method: Literal["spimi", "bsbi"] = "spimi", analyzer: Any = str.split
) -> Worked:
    """Build an index in blocks that fit into memory, and merge them.

    By SPIMI, the tokens of a block go straight into a dictionary of postings lists, which is sorted when the block is
    full. By BSBI, a block collects pairs of a term number and a document, and sorts them; the numbers of the terms are
    kept for all blocks. Both then merge the blocks, term by term, reading each from its beginning to its end.

    Parameters
    ----------
    documents : sequence of str
        The texts; they are numbered from 1.
    capacity : int
        The number of tokens that fit into a block.
    method : {"spimi", "bsbi"}
        Single-pass in-memory indexing, or blocked sort-based indexing.
    analyzer : callable, default str.split
        Text → tokens, such as an `Analyzer`.

    Returns
    -------
    Worked
        With the blocks, the merge, and ``outcome``: term → documents.

    Raises
    ------
    ArgumentError
        If no token fits into a block, or the method is unknown.

    References
    ----------
    Manning, Raghavan & Schütze 2008, figs. 4.2 to 4.4.

    Examples
    --------
    >>> found = blocks_merged(["cat dog", "dog", "cat cat hay"], capacity=3)
    >>> found.outcome
    {'cat': [1, 3], 'dog': [1, 2], 'hay': [3]}
    """
    if capacity < 1:
        raise ArgumentError(f"capacity must be at least 1, not {capacity}")
    expect_name("method", method, ("spimi", "bsbi"))
    tokens = [(term, number) for number, text in enumerate(documents, 1) for term in analyzer(text)]
    numbers: dict[str, int] = {}
    blocks, rows = [], []
    for block, start in enumerate(range(0, len(tokens), capacity), 1):
        lists: dict[str, list[int]] = {}
        for term, number in tokens[start : start + capacity]:
            numbers.setdefault(term, len(numbers) + 1)
            if number not in lists.setdefault(term, [])[-1:]:
                lists[term].append(number)
        pairs = [f"({numbers[term]}, {number})" for term, number in tokens[start : start + capacity]]
        arrived = [block, "pairs", " ".join(pairs)] if method == "bsbi" else [block, "arrived", _postings_text(lists)]
        order = sorted(lists, key=numbers.__getitem__ if method == "bsbi" else None)
        rows += [arrived, [block, "sorted", _postings_text({term: lists[term] for term in order})]]
        blocks.append(lists)
    merge = {
        term: [block.get(term, []) for block in blocks] for term in (numbers if method == "bsbi" else sorted(numbers))
    }
    outcome = {term: list(dict.fromkeys(itertools.chain.from_iterable(parts))) for term, parts in merge.items()}
    columns = [Column("term"), *(Column(f"block {place}") for place in range(1, len(blocks) + 1)), Column("merged")]
    merged = [[term, *(" ".join(map(str, part)) for part in (*parts, outcome[term]))] for term, parts in merge.items()]
    terms = [[number, term] for term, number in numbers.items()] if method == "bsbi" else []
    return Worked(
        [
            *([ResultTable([*number_columns("", "number"), Column("term")], terms, "term numbers")] if terms else []),
            ResultTable([*number_columns("", "block"), Column("state"), Column("postings", wrap=True)], rows, "blocks"),
            ResultTable(columns, merged, "the merge"),
        ],
        [f"{counted(len(tokens), 'token')} in {counted(len(blocks), 'block')}, {counted(len(outcome), 'term')}."],
        outcome,
    )


def _postings_text(lists: Mapping[str, Sequence[int]]) -> str:
    return " · ".join(f"{term} → {' '.join(map(str, documents))}" for term, documents in lists.items())


def _one_term_scores(searcher: Searcher, text: str) -> dict[str, dict[str, float]]:
    """Return term of a text → document → score of a query of this term alone; terms without a document are left out."""
    terms = dict.fromkeys(searcher.index.analyzer(text))
    rankings = {term: searcher.search_terms([term], k=None) for term in terms}
    return {term: _scores(of) for term, of in rankings.items() if len(of)}


def _scores(ranking: Ranking) -> dict[str, float]:
    return dict(zip(ranking.doc_ids, map(float, ranking.scores), strict=True))


@checked
def champion_lists(
    collection: JudgedLike,
    model: ModelLike = "bm25",
    *,
    sizes: Sequence[int] = (5, 10, 20, 50, 100),
    k: int = 10,
    measure: str = "nDCG@10",
) -> Worked:
    """Show what champion lists save and lose, compared with the exact best k.

    The champions of a term are the r documents that it alone ranks first. A query scores only the champions of its
    terms, each with its whole score, and the best k of these are the result.

    Parameters
    ----------
    collection : Collection, Study, name or other judged source
        The documents, queries and judgments.
    model : str or Model, default "bm25"
        The ranking model.
    sizes : sequence of int, default (5, 10, 20, 50, 100)
        The numbers of champions per term, r.
    k : int, default 10
        The number of documents that are wanted.
    measure : str, default "nDCG@10"
        The measure of both results.

    Returns
    -------
    Worked
        A row per r; ``outcome`` has the same rows by r.

    Raises
    ------
    ArgumentError
        If r or k is below 1.

    References
    ----------
    Manning, Raghavan & Schütze 2008, 7.1.3.

    Examples
    --------
    >>> found = champion_lists("cat-dog-parrot", sizes=[1, 4], k=2, measure="AP")
    >>> {r: round(row["best found"], 4) for r, row in found.outcome.items()}
    {'1': 0.8333, '4': 1.0}
    """
    if k < 1 or min(sizes, default=0) < 1:
        raise ArgumentError(f"k and all sizes must be at least 1, not k={k} and sizes={list(sizes)}")
    study = Study.of(collection)
    searcher = Searcher(study.engine.index, model)
    names = ("r", "scored", "best found", "queries changed", measure, f"exact {measure}")
    with without_notes():  # words that no document has
        rankings = {
            query.query_id: searcher.search(query.text, k=None, query_id=query.query_id) for query in study.queries
        }
    champions = {
        query.query_id: [[*scores][: max(sizes)] for scores in _one_term_scores(searcher, query.text).values()]
        for query in study.queries
    }
    exact = {query_id: list(ranking.doc_ids[:k]) for query_id, ranking in rankings.items()}
    value = evaluate(exact, study.qrels, measure, threshold=study.threshold)[measure]
    rows = []
    for r in sizes:
        chosen = {query_id: {doc for docs in lists for doc in docs[:r]} for query_id, lists in champions.items()}
        best = {
            query_id: [doc for doc in ranking.doc_ids if doc in chosen[query_id]][:k]
            for query_id, ranking in rankings.items()
        }
        answered = [query_id for query_id in exact if exact[query_id]]
        rows.append(
            (
                r,
                fmean(len(chosen[query_id]) / len(rankings[query_id]) for query_id in answered),
                fmean(len({*best[query_id]} & {*exact[query_id]}) / len(exact[query_id]) for query_id in answered),
                sum(best[query_id] != exact[query_id] for query_id in answered),
                evaluate(best, study.qrels, measure, threshold=study.threshold)[measure],
                value,
            )
        )
    columns = [*number_columns("", "r"), *number_columns(".1%", "scored", "best found")]
    table = ResultTable([*columns, *number_columns("", "queries changed"), *number_columns(".4f", *names[4:])], rows)
    return Worked([table], [], {str(row["r"]): row for row in records(table)})


@checked
def wand(searcher: Searcher, text: str, k: int = 10, *, block: int | None = None) -> Worked:
    """Find the best k documents by WAND, step by step: which documents are skipped, and why.

    Each term has a cursor in its postings, and an upper bound, its highest weight. In each step the cursors are sorted
    by their documents, and the bounds added up until the sum reaches θ, the k-th best score so far. The document of the
    cursor where this happens is the pivot: no document before it can be among the best k. If the first cursor is there
    too, the pivot is scored; else the cursors before it are moved to it. With blocks, a pivot whose sum of bounds of
    *blocks* is below θ is not scored, and the cursors go behind the first of these blocks that ends.

    Parameters
    ----------
    searcher : Searcher
        An index with a model that adds up weights of terms.
    text : str
        The query, as words.
    k : int, default 10
        The number of documents.
    block : int, optional
        The number of postings of a block (block-max WAND); by default there are no blocks.

    Returns
    -------
    Worked
        With the lists, the steps, and ``outcome``: the best documents with their scores, and the numbers of documents
        that were scored and skipped.

    Raises
    ------
    ArgumentError
        If k or `block` is below 1, or the score of the model is not a sum of weights above 0.

    References
    ----------
    Broder, Carmel, Herscovici, Soffer & Zien, "Efficient query evaluation using a two-level retrieval process", CIKM
    2003; Ding & Suel, "Faster top-k document retrieval using block-max indexes", SIGIR 2011.

    Examples
    --------
    >>> found = wand(Searcher("cat-dog-parrot"), "train dog", k=1)
    >>> found.outcome["scored"], found.outcome["skipped"], [*found.outcome["best"]]
    (2, 2, ['2'])
    """
    if k < 1 or (block is not None and block < 1):
        raise ArgumentError(f"k and block must be at least 1, not k={k} and block={block}")
    weights = _one_term_scores(searcher, text)
    order = {doc_id: number for number, doc_id in enumerate(searcher.index.doc_ids)}
    exact = _scores(searcher.search_terms([*dict.fromkeys(searcher.index.analyzer(text))], k=None))
    for doc_id, score in exact.items():
        parts = [of[doc_id] for of in weights.values() if doc_id in of]
        if abs(math.fsum(parts) - score) > _SLACK * max(1.0, abs(score)) or min(parts, default=0) < 0:
            raise ArgumentError(f"WAND needs a score that is a sum of weights above 0, which {searcher.model} is not")
    lists = {term: sorted(of, key=order.__getitem__) for term, of in weights.items()}
    highest = {term: max(of.values()) for term, of in weights.items()}
    cursors, scored, rows = dict.fromkeys(lists, 0), dict[str, float](), []
    size = block or max(map(len, lists.values()), default=1)

    def bound_of_block(term: str, number: int) -> tuple[float, int]:
        """Return the highest weight, and the last document, of the block where a document is or would be."""
        place = next((n for n, other in enumerate(lists[term]) if order[other] >= number), None)
        if place is None:
            return 0.0, len(order)
        documents = lists[term][place // size * size :][:size]
        return max(weights[term][document] for document in documents), order[documents[-1]]

    def move(term: str, least: int) -> int:
        """Move a cursor to the first document with at least this number; return how many it passed over."""
        start = cursors[term]
        while cursors[term] < len(lists[term]) and order[lists[term][cursors[term]]] < least:
            cursors[term] += 1
        return cursors[term] - start

    while True:
        live = sorted((order[lists[t][n]], t) for t, n in cursors.items() if n < len(lists[t]))
        best = sorted(scored.values(), reverse=True)
        theta = best[k - 1] if len(best) >= k else 0.0
        sums = list(itertools.accumulate(highest[term] for _, term in live))
        place = next((n for n, total in enumerate(sums) if total + _SLACK >= theta), None)
        if place is None:
            if live:
                rows.append(["", "", sums[-1], theta, "end: no document left can reach θ"])
            break
        number = live[place][0]
        pivot, upto = searcher.index.doc_ids[number], [term for at, term in live if at <= number]
        blocks = [bound_of_block(term, number) for term in upto]
        limit = sum(bound for bound, _ in blocks) if block else sum(highest[term] for term in upto)
        if limit + _SLACK < theta:
            ends = [last + 1 for _, last in blocks] + [at for at, _ in live if at > number]
            passed = {term: move(term, min(ends)) for term in upto}
            what = "skip: its blocks cannot reach θ, " + _passed_text(passed)
        elif live[0][0] == number:
            scored[pivot] = sum(weights[term].get(pivot, 0.0) for term in upto)
            passed = {term: move(term, number + 1) for term in upto}
            what = f"score: {scored[pivot]:.4f}"
        else:
            passed = {term: move(term, number) for term in upto}
            what = "skip to the pivot: " + _passed_text(passed)
        rows.append([pivot, " ".join(upto), limit, theta, what])
    first = dict(itertools.islice(((doc_id, score) for doc_id, score in exact.items() if doc_id in scored), k))
    of_lists = [[term, len(lists[term]), highest[term]] for term in lists]
    return Worked(
        [
            ResultTable([Column("term"), *number_columns("", "postings"), *number_columns(".4f", "bound")], of_lists),
            ResultTable(
                [Column("pivot"), Column("cursors"), *number_columns(".4f", "bound", theta="θ"), Column("what")],
                rows,
                "the steps",
            ),
        ],
        [f"{len(scored):,} of {counted(len(exact), 'document')} scored, {len(exact) - len(scored):,} skipped."],
        {"best": first, "scored": len(scored), "skipped": len(exact) - len(scored)},
    )


def _passed_text(passed: Mapping[str, int]) -> str:
    return ", ".join(f"{term} passes over {n}" for term, n in passed.items() if n)


@checked
def relevance_weights(index: Index, text: str, relevant: Sequence[str] = ()) -> Worked:
    """Compute the weights of Robertson and Spärck Jones: what a term says of relevance, from known relevant documents.

    w = ln ((r + 0.5) (N − n − R + r + 0.5) / ((n − r + 0.5) (R − r + 0.5))), where n of N documents have the term, and
    r of the R relevant ones. Without a relevant document this is ln ((N − n + 0.5) / (n + 0.5)), the idf of BM25.

    Parameters
    ----------
    index : Index
        The documents.
    text : str
        The query, as words; each counts once.
    relevant : sequence of str
        The ids of the relevant documents.

    Returns
    -------
    Worked
        A row per term; ``outcome`` has the weights, and as ``query`` those above 0 in the language of queries. A model
        that gives 1 to each term ranks by them: ``Searcher(index, lambda tf: 1.0 * (tf > 0)).search(query)``.

    Raises
    ------
    ArgumentError
        If a document is not in the index.

    References
    ----------
    Robertson & Spärck Jones, "Relevance weighting of search terms", JASIS 27(3), 1976, F4 with 0.5; Manning, Raghavan &
    Schütze 2008, 11.3.

    Examples
    --------
    >>> found = relevance_weights(Searcher("cat-dog-parrot").index, "train dog", ["2"])
    >>> {term: round(weight, 4) for term, weight in found.outcome["weights"].items()}  # ln 21 for dog
    {'train': -0.8473, 'dog': 3.0445}
    >>> found.outcome["query"]
    'dog^3.044522'
    """
    places = {doc_id: number for number, doc_id in enumerate(index.doc_ids)}
    for doc_id in relevant:
        expect_name("document", doc_id, places)
    N, chosen = len(places), {*relevant}
    rows: list[Any] = []
    for term in dict.fromkeys(index.analyzer(text)):
        holding = {*Searcher(index, _one_each).search_terms([term], k=None).doc_ids}
        n, r, R = len(holding), len(holding & chosen), len(chosen)
        odds = (r + 0.5) * (N - n - R + r + 0.5) / ((n - r + 0.5) * (R - r + 0.5))
        rows.append([term, n, N, r, R, odds, math.log(odds)])
    columns = [Column("term"), *number_columns(",", "n", "N", "r", "R"), *number_columns(".4f", "odds", "w")]
    weights = {row[0]: row[-1] for row in rows}
    query = " ".join(f"{term}^{weight:.6f}" for term, weight in weights.items() if weight >= 1e-6)
    lacking = [term for term, weight in weights.items() if weight <= 0]
    return Worked(
        [ResultTable(columns, rows)],
        [f"A document with {term} is less likely to be relevant than one without it." for term in lacking],
        {"weights": weights, "query": query},
    )


def _one_each(tf: np.ndarray) -> np.ndarray:
    return (tf > 0) * 1.0
