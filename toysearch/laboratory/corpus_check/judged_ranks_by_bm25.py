"""Where plain BM25 ranks what was judged: the evidence that does not depend on what anybody says about codes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from toysearch.evaluation.evaluate import evaluate
from toysearch.index.index import Index
from toysearch.records import Qrels, Run
from toysearch.search.searcher import Searcher

DEPTH = 1000
"""So many documents are ranked for a query."""

MOST_QUERIES = 1000
"""So many queries are ranked; of more, as many as this, evenly spread."""

_FIRST = 10
_FEWEST = 5  # queries below which no test can tell a direction


class CodeRanks(NamedTuple):
    """Where the documents stand that were judged with one code."""

    code: float  # the code
    # judgments, queries: how many documents have it, for how many queries
    judgments: int
    queries: int
    in_first_10: float  # the share of them among the first 10
    mean_reciprocal_rank: float  # over all of them; 0 for one that is not retrieved
    median_rank: float  # infinite if most are not among the first `DEPTH`


def rank(index: Index, texts: Sequence[str], places: Sequence[int]) -> Run:
    """BM25's ranking of some queries; their query_ids are their places."""
    if len(places) > MOST_QUERIES:
        places = [places[number * len(places) // MOST_QUERIES] for number in range(MOST_QUERIES)]
    return Searcher(index, "bm25").run([(str(place), texts[place - 1]) for place in places], k=DEPTH)


def joined(qrels: Qrels, query_ids: Sequence[str], run: Run) -> Qrels:
    """Judgments under the places of their queries, of those that a run has.

    >>> joined(Qrels.from_dict({"b": {"x": 1}}), ["a", "b"], Run.from_dict({"2": {"x": 1.0}}))["2"]
    {'x': 1.0}
    """
    places = {query_id: str(place) for place, query_id in enumerate(query_ids, 1)}
    return Qrels.from_dict(
        {
            places[query_id]: qrels[query_id]
            for query_id in qrels.query_ids
            if query_id in places and places[query_id] in run
        }
    )


def ranks_by_code(run: Run, codes: Qrels) -> list[CodeRanks]:
    """Where the documents of each code stand, by rising code.

    >>> run = Run.from_dict({"1": {"a": 3.0, "b": 2.0}})
    >>> run.ranked = True
    >>> ranks_by_code(run, Qrels.from_dict({"1": {"b": 2, "c": 1}}))[1]
    CodeRanks(code=2.0, judgments=1, queries=1, in_first_10=1.0, mean_reciprocal_rank=0.5, median_rank=2.0)
    """
    ranks: dict[float, list[float]] = {}
    queries: dict[float, set[str]] = {}
    for query_id in codes.query_ids:
        places = run.places(query_id)
        for doc_id, code in codes[query_id].items():
            ranks.setdefault(code, []).append(places[doc_id] + 1 if doc_id in places else math.inf)
            queries.setdefault(code, set()).add(query_id)
    return [_of_code(code, np.array(ranks[code]), len(queries[code])) for code in sorted(ranks)]


def _of_code(code: float, ranks: np.ndarray, queries: int) -> CodeRanks:
    reciprocal = 1 / ranks
    return CodeRanks(
        code,
        ranks.size,
        queries,
        float(np.mean(ranks <= _FIRST)),
        float(np.mean(reciprocal)),
        float(np.sort(ranks)[(ranks.size - 1) // 2 : ranks.size // 2 + 1].mean()),
    )


def agreement(run: Run, codes: Qrels, of: Sequence[float]) -> np.ndarray:
    """For each query, how far the scores follow the codes: 1 all pairs of documents do, -1 none.

    Pairs are those of documents with different codes; one with equal scores, or of which neither document is
    retrieved, counts 0.

    >>> run = Run.from_dict({"1": {"a": 3.0, "b": 2.0, "c": 1.0}})
    >>> agreement(run, Qrels.from_dict({"1": {"a": 1, "b": 2, "c": 2}}), [1, 2]).tolist()
    [-1.0]
    """
    values = []
    for query_id in codes.query_ids:
        scores = run[query_id]
        pairs = [(code, scores.get(doc_id, -math.inf)) for doc_id, code in codes[query_id].items() if code in of]
        if len({code for code, _ in pairs}) < 2:
            continue
        code, score = np.array(pairs).T
        order = np.sign(code[:, None] - code)
        with np.errstate(invalid="ignore"):
            follows = np.where(score[:, None] == score, 0.0, np.sign(score[:, None] - score))
        values.append(float((order * follows).sum() / np.count_nonzero(order)))
    return np.array(values)


def chance(values: np.ndarray) -> float:
    """How likely values as far below 0, or farther, are if they were as likely above: Wilcoxon's signed-rank test.

    >>> chance(np.array([-1.0, -0.5, -0.2, -0.9, -0.4, -0.7])), chance(np.array([-1.0, -1.0]))
    (0.015625, 1.0)
    """
    different = values[values != 0]
    if different.size < _FEWEST:
        return 1.0
    from scipy.stats import wilcoxon

    return float(wilcoxon(different, alternative="less").pvalue)


def average_precision(run: Run, gains: Qrels, threshold: float) -> float:
    """The mean average precision of a run, over all queries with judgments."""
    return evaluate(run, gains, "AP", threshold=threshold)["AP"]
