"""The scale of relevance codes: odd codes and its direction, judged by the ranks of documents under BM25."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from toysearch.base import Qrels, Run
from toysearch.evaluation.evaluate import evaluate
from toysearch.index.inverted_index import Index
from toysearch.search import Searcher

DEPTH = 1000
"""The number of documents ranked per query."""

MOST_QUERIES = 1000
"""The maximum number of queries ranked, evenly spread."""

_FIRST = 10
_FEWEST = 5  # with fewer queries no test can show a direction


class CodeRanks(NamedTuple):
    """The ranks of the documents judged with one code."""

    code: float  # the code
    # judgments, queries: the number of documents with the code, and of queries with such documents
    judgments: int
    queries: int
    in_first_10: float  # the share of them among the first 10
    mean_reciprocal_rank: float  # the mean over all of them; 0 for one that is not retrieved
    median_rank: float  # infinite if most are not among the first `DEPTH`


def bm25_run(index: Index, texts: Sequence[str], places: Sequence[int]) -> Run:
    """The BM25 ranking of some queries; their query_ids are their positions."""
    if len(places) > MOST_QUERIES:
        places = [places[number * len(places) // MOST_QUERIES] for number in range(MOST_QUERIES)]
    return Searcher(index, "bm25").run([(str(place), texts[place - 1]) for place in places], k=DEPTH)


def judged_by_place(qrels: Qrels, query_ids: Sequence[str], run: Run) -> Qrels:
    """Judgments by the positions of their queries, for the queries in a run.

    >>> judged_by_place(Qrels.from_dict({"b": {"x": 1}}), ["a", "b"], Run.from_dict({"2": {"x": 1.0}}))["2"]
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
    """The ranks of the documents of each code, by ascending code.

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
    return [_code_ranks(code, np.array(ranks[code]), len(queries[code])) for code in sorted(ranks)]


def _code_ranks(code: float, ranks: np.ndarray, queries: int) -> CodeRanks:
    reciprocal = 1 / ranks
    return CodeRanks(
        code,
        ranks.size,
        queries,
        float(np.mean(ranks <= _FIRST)),
        float(np.mean(reciprocal)),
        float(np.sort(ranks)[(ranks.size - 1) // 2 : ranks.size // 2 + 1].mean()),
    )


def code_agreement(run: Run, codes: Qrels, of: Sequence[float]) -> np.ndarray:
    """For each query, the agreement of scores with codes: 1 if all pairs of documents agree, -1 if none does.

    >>> run = Run.from_dict({"1": {"a": 3.0, "b": 2.0, "c": 1.0}})
    >>> code_agreement(run, Qrels.from_dict({"1": {"a": 1, "b": 2, "c": 2}}), [1, 2]).tolist()
    [-1.0]
    """
    # Pairs are those of documents with different codes; one with equal scores, or of which neither document is
    # retrieved, counts 0.
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
    """The probability of values at least this far below 0 under symmetry: Wilcoxon's signed-rank test.

    >>> chance(np.array([-1.0, -0.5, -0.2, -0.9, -0.4, -0.7])), chance(np.array([-1.0, -1.0]))
    (0.015625, 1.0)
    """
    different = values[values != 0]
    if different.size < _FEWEST:
        return 1.0
    from scipy.stats import wilcoxon

    return float(wilcoxon(different, alternative="less").pvalue)


def mean_average_precision(run: Run, gains: Qrels, threshold: float) -> float:
    """The mean average precision of a run, over all queries with judgments."""
    return evaluate(run, gains, "AP", threshold=threshold)["AP"]


SURE, LIKELY = 0.001, 0.05
"""The probabilities of chance below which a scale is reported, or suspected, to run backwards."""

_FEWEST_QUERIES = 5
_NEARLY_ALL = 0.9


class Scale(NamedTuple):
    """The apparent meaning of the codes."""

    codes: list[float]  # all codes, ascending
    ranks: list[CodeRanks]  # the ranks of the documents of each code, for the queries that were ranked
    odd: list[float]  # codes that each query has once and that are not on the scale
    grades: list[float]  # the codes of the scale: 0 and above, except the odd ones
    # the probability that rankings contradict the codes this much by chance; 1 if they do not
    chance: float
    # the codes tested: those above 0, and 0 if it is ranked best of all or only one other is left
    backwards: list[float]

    def gains(self, *, reverse: bool = False, shift: float = 0.0) -> dict[float, float]:
        """A gain for each code: 0 for odd or negative ones."""
        top = max(self.backwards, default=0.0) + min(self.backwards, default=0.0)
        return {
            code: (top - code if reverse and code in self.backwards else code) - shift if code in self.grades else 0.0
            for code in sorted(self.codes, key=lambda code: code not in self.grades)
        }


def scale_of(run: Run, judged: Qrels, codes: Qrels) -> Scale:
    """The apparent meaning of the codes of judgments."""
    ranks = ranks_by_code(run, judged)
    counts: dict[float, dict[str, int]] = {}
    for query_id, _, code in codes:
        of_code = counts.setdefault(code, {})
        of_code[query_id] = of_code.get(query_id, 0) + 1
    n_queries = len(codes.query_ids)
    once = [
        code
        for code, of_code in counts.items()
        if max(of_code.values()) == 1 and len(of_code) >= max(_FEWEST_QUERIES, _NEARLY_ALL * n_queries)
    ]
    odd = sorted(code for code in once if _apart(code, sorted(set(counts) - {code}), ranks))
    all_codes = np.unique(codes.relevance).tolist()
    grades = [code for code in all_codes if code >= 0 and code not in odd]
    positive = [code for code in grades if code > 0]
    best = max((row for row in ranks if row.code in grades), key=lambda row: row.mean_reciprocal_rank, default=None)
    scale = grades if len(positive) < 2 or (best and best.code == 0) else positive
    return Scale(all_codes, ranks, odd, grades, _against(run, judged, ranks, scale), scale)


def _against(run: Run, judged: Qrels, ranks: Sequence[CodeRanks], codes: Sequence[float]) -> float:
    """The probability that scores contradict the codes by chance; 1 if the lowest is not ranked above the highest."""
    rows = [row for row in ranks if row.code in codes]
    if len(rows) < 2 or rows[0].mean_reciprocal_rank <= rows[-1].mean_reciprocal_rank:
        return 1.0
    return chance(code_agreement(run, judged, codes))


def _apart(code: float, others: Sequence[float], ranks: Sequence[CodeRanks]) -> bool:
    """Whether a code is not a step of the scale of the others: below 0, or 0 and ranked above all of them."""
    if code != 0:
        return bool(others) and code < 0 <= others[-1]
    # Only if the grades above 0 follow the ranks; otherwise 0 may be the best grade of a reversed scale.
    ranks_of_codes = {row.code: row.mean_reciprocal_rank for row in ranks}
    above = [ranks_of_codes.get(other, 0.0) for other in others if other > 0]
    return len(above) > 1 and above[0] < above[-1] and ranks_of_codes.get(code, 0.0) > max(above)
