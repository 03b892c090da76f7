"""Algorithms of textbooks worked out with all their numbers: link analysis and relevance weights."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from toysearch import Index
from toysearch.base import (
    ArgumentError,
    Result,
    ResultTable,
    expect,
    expect_name,
    number_columns,
    table_columns,
)

__all__ = [
    "Worked",
    "hubs_and_authorities",
    "page_rank",
    "relevance_weights",
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
    expect(Mapping, links=links)
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
    of_pages = number_columns(".4f", *pages)
    rows = [[page, *row] for page, row in zip(pages, P.tolist(), strict=True)]
    places.append(["limit", *x.tolist()])
    chances = ResultTable(table_columns("from", of_pages), rows, "P: the chance of each next page")
    return Worked(
        [chances, ResultTable(table_columns("step", of_pages), places, "where the surfer is")],
        [f"The surfer is most often on {pages[int(x.argmax())]}."],
        dict(zip(pages, x.tolist(), strict=True)),
    )


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
    expect(Mapping, links=links)
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
        [ResultTable(table_columns(["value", "step"], number_columns(".4f", *pages)), rows)],
        [f"The best hub is {pages[int(h.argmax())]}, the best authority {pages[int(a.argmax())]}."],
        {page: {"hub": float(h[place]), "authority": float(a[place])} for place, page in enumerate(pages)},
    )


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
    >>> from toysearch import Searcher
    >>> found = relevance_weights(Searcher("cat-dog-parrot").index, "train dog", ["2"])
    >>> {term: round(weight, 4) for term, weight in found.outcome["weights"].items()}  # ln 21 for dog
    {'train': -0.8473, 'dog': 3.0445}
    >>> found.outcome["query"]
    'dog^3.044522'
    """
    expect(Index, index=index)
    expect(str, text=text)
    places = {doc_id: number for number, doc_id in enumerate(index.doc_ids)}
    for doc_id in relevant:
        expect_name("document", doc_id, places)
    N, chosen = len(places), {*relevant}
    rows: list[Any] = []
    for term in dict.fromkeys(index.analyzer(text)):
        holding = {index.doc_ids[doc] for doc in index.postings(term).docs.tolist()}
        n, r, R = len(holding), len(holding & chosen), len(chosen)
        odds = (r + 0.5) * (N - n - R + r + 0.5) / ((n - r + 0.5) * (R - r + 0.5))
        rows.append([term, n, N, r, R, odds, math.log(odds)])
    columns = table_columns("term", number_columns(",", "n", "N", "r", "R"), number_columns(".4f", "odds", "w"))
    weights = {row[0]: row[-1] for row in rows}
    query = " ".join(f"{term}^{weight:.6f}" for term, weight in weights.items() if weight >= 1e-6)
    lacking = [term for term, weight in weights.items() if weight <= 0]
    return Worked(
        [ResultTable(columns, rows)],
        [f"A document with {term} is less likely to be relevant than one without it." for term in lacking],
        {"weights": weights, "query": query},
    )
