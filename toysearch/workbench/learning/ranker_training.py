"""Learning to rank: learners, a ranker from judged queries, and its value on queries that it was not learned from."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import toysearch
from toysearch.analysis.analyzer import Analyzer, AnalyzerLike
from toysearch.base import (
    ArgumentError,
    Ranking,
    ResultTable,
    Run,
    TextNeeds,
    counted,
    expect_seed,
    number_columns,
    plain,
    repeat_each,
    table_columns,
    version_of,
    without_notes,
)
from toysearch.collection.queries import QueriesLike
from toysearch.evaluation import Measure, with_size
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.intervals import interval_name
from toysearch.files import QrelsLike
from toysearch.index import Index
from toysearch.models import Array, Ranker
from toysearch.models.registry import model as find_model
from toysearch.retrieval import Searcher, duplicate_groups, near_duplicates
from toysearch.retrieval.rerank_pool import with_rest
from toysearch.retrieval.scoring import top
from toysearch.retrieval.searcher import check_request
from toysearch.retrieval.similar_documents import SimilarPair
from toysearch.study.compare.significance import TestResult, paired_test
from toysearch.study.compare.tested_differences import difference_cells, difference_columns, difference_data
from toysearch.study.study import JudgedLike
from toysearch.workbench.effects import HeldOutResult
from toysearch.workbench.learning.feature_table import FeatureTable, features, without_extremes
from toysearch.workbench.learning.learned_ranker import LearnedRanker, PoolPart, as_model, save_ranker
from toysearch.workbench.learning.learned_scorer import learned_scores
from toysearch.workbench.learning.learners import TrainingRows, learner_of
from toysearch.workbench.tune.tuning import USUAL, Objective, fold_numbers

__all__ = ["FeatureUse", "LearnedFold", "Learning", "Scored", "learn"]


SIMILARITY = 0.5
"""Least Jaccard similarity of the analysed terms of two queries in one group."""


def query_groups(
    queries: Mapping[str, str],
    analyzer: Analyzer,
    similarity: float = SIMILARITY,
    needs: Mapping[str, str] | None = None,
) -> list[list[str]]:
    """Group near-duplicate queries and the texts of one need, directly or by a chain; all others are left out.

    >>> query_groups({"1": "cats eat fish", "2": "cats eat meat", "3": "dogs"}, Analyzer.for_language("none"))
    [['1', '2']]
    """
    if not queries:
        return []
    with without_notes():
        index = Index.build(dict(queries), analyzer, store_text=False)
    texts = TextNeeds(needs or {}).texts(queries)
    same = (SimilarPair(first, other, 1.0) for first, *others in texts.values() for other in others)
    return duplicate_groups([*near_duplicates(index, similarity), *same])


def grouped_folds(
    query_ids: Sequence[str], groups: Sequence[Sequence[str]], n_folds: int | None = None, seed: int = 0
) -> np.ndarray:
    """Return the fold of each query, with every group in one fold; without groups, the folds of `tune`.

    By default there are 5 folds, or as many as groups, a query without a near duplicate being one.

    The queries are taken in random order, each with its group, into the fold that is then the smallest.

    >>> grouped_folds(["1", "2", "3", "4"], [["1", "3"]], 2).tolist()
    [0, 1, 0, 1]
    """
    n_groups = len(query_ids) - sum(len(group) - 1 for group in groups)
    target = max(min(USUAL, n_groups), 2) if n_folds is None and groups else n_folds
    n = int(fold_numbers(len(query_ids), target, seed).max()) + 1  # refuses a wrong number of folds
    if n_groups < n:
        way = "take fewer folds" if n_groups > 1 else "set a higher similarity, as learn(similarity=0.9)"
        raise ArgumentError(f"{n} folds need as many groups of similar queries, not {n_groups}; {way}")
    places = {query_id: place for place, query_id in enumerate(query_ids)}
    group_of = {places[query_id]: [places[member] for member in group] for group in groups for query_id in group}
    folds_by_query, sizes = np.full(len(query_ids), -1), [0] * n
    for place in np.random.default_rng(seed).permutation(len(query_ids)).tolist():
        if folds_by_query[place] < 0:
            members, smallest = group_of.get(place, [place]), sizes.index(min(sizes))
            folds_by_query[members] = smallest
            sizes[smallest] += len(members)
    return folds_by_query


_MOST_USED = 8  # features in the table
_ALIKE = "The ranker gives every document the same score: none of its trees has a branch, or all features are constant."
_LARGEST_SEED = 2**31 - 1


class Scored(NamedTuple):
    """Value over all queries, and for each query, or need, in the order of the judgments."""

    value: float
    per_query: np.ndarray


class LearnedFold(NamedTuple):
    """Fold: its queries, and the value on them of the ranker that was learned from all others."""

    query_ids: tuple[str, ...]
    held_out: float


class FeatureUse(NamedTuple):
    """Feature, and its mean absolute share in the scores of the pooled documents under the final ranker."""

    feature: str
    share: float


@dataclass(frozen=True, repr=False)
class Learning(HeldOutResult):
    """Result of `learn`.

    Attributes
    ----------
    table : FeatureTable
        The features, of which it has collection, analyzer, pool, and needs.
    learner, measure : str
        The learner with its settings, and the measure reported.
    query_ids : tuple of str
        The judged queries; the needs, if some have several texts.
    groups : tuple of tuple of str
        Near-duplicate queries and texts of one need, which are in one fold.
    folds : tuple of LearnedFold
        The folds.
    held_out : Scored
        The honest values: the ranker of each query was learned from the other folds.
    fitted : Scored
        The optimistic values: the final ranker on the queries that it was learned from.
    baseline : Scored
        The first model of the pool.
    cut : Scored
        The same ranking without what is outside its part of the pool.
    gain : TestResult or None
        The paired test of `held_out` minus `baseline`.
    uses : tuple of FeatureUse
        The features, most used first.
    run : Run
        The held-out rankings.
    ranker : LearnedRanker
        The final ranker, learned from all queries.
    seed : int
        The seed of folds and learners.
    alpha : float
        The level of the test and its interval.
    sign : int
        1 if higher values are better, −1 if lower ones are.
    needs : TextNeeds
        Query → its need; empty if no need has several texts.
    """

    table: FeatureTable
    learner: str
    measure: str
    query_ids: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    folds: tuple[LearnedFold, ...]
    held_out: Scored
    fitted: Scored
    baseline: Scored
    cut: Scored
    gain: TestResult | None
    uses: tuple[FeatureUse, ...]
    run: Run
    ranker: LearnedRanker
    seed: int
    alpha: float
    sign: int
    needs: TextNeeds = field(default_factory=TextNeeds)

    @property
    def pool(self) -> tuple[PoolPart, ...]:
        """Return the documents that are re-ranked."""
        return self.table.pool

    @property
    def model(self) -> Ranker:
        """Return the final ranker as a model, accepted wherever the name of a model is."""
        return as_model(self.ranker, self.learner, find_model)

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write the final ranker to a folder; ``learned:FOLDER`` is then the name of a model."""
        return save_ranker(self.ranker, folder)

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return the held-out and optimistic values, those of the first model, and the features used most."""
        model = self.pool[0].model
        columns = table_columns("system", number_columns(".4f", value=self.measure))
        rows = [
            [f"learned, held out ({len(self.folds)} folds)", self.held_out.value],
            ["learned, on the same queries", self.fitted.value],
            [model, self.baseline.value],
            [f"{model}, only the best {self.pool[0].k}", self.cut.value],
        ]
        if self.gain is not None:
            columns += difference_columns(interval_name(self.alpha), form)
            rows[0] += difference_cells(self.gain, self.gain.p, form)
            gains = self.fitted.value - self.baseline.value, None, self.cut.value - self.baseline.value
            for row, gain in zip(rows[1:], gains, strict=True):
                row += difference_cells(gain, 1.0, form)
        total = sum(use.share for use in self.uses) or 1.0
        uses = [[use.feature, use.share, use.share / total] for use in self.uses[:_MOST_USED]]
        if rest := self.uses[_MOST_USED:]:
            others = sum(use.share for use in rest)
            uses.append([f"… {counted(len(rest), 'more feature')}", others, others / total])
        shares = table_columns(number_columns(".4f", share="mean share"), number_columns(".0%", part="of all"))
        return [ResultTable(columns, rows), ResultTable(table_columns("feature", shares), uses)]

    def sentences(self) -> list[str]:
        """State the conclusions, one sentence each."""
        model, gap = self.pool[0].model, self.sign * (self.fitted.value - self.held_out.value)
        end = (
            f", {gap:.4f} too {'high' if self.sign > 0 else 'low'}."
            if gap > 0
            else ", no better than the held-out value."
        )
        n, groups = sum(map(len, self.groups)), counted(len(self.groups), "group")
        several = "near-duplicate queries or texts of one need" if self.needs else "near-duplicate queries"
        duplicates = f"{n} {several} form {groups}, each of them in one fold."
        sentences = self._held_out_sentence("the learned ranking", model)
        sentences.append(f"On its training queries the ranker scores {self.fitted.value:.4f}{end}")
        if not any(use.share for use in self.uses):
            sentences.append(_ALIKE)
        return [*sentences, duplicates if self.groups else "No two queries are near duplicates."]

    def about(self) -> list[str]:
        """Describe the setup in two lines."""
        pool = ", ".join(f"the best {part.k} of {part.model}" for part in self.pool)
        return [
            " · ".join([self.table.collection, self.table.analyzer, self.size, self.learner, f"seed {self.seed}"]),
            f"pool: {pool}, {counted(len(self.table), 'document')} in all; what else {self.pool[0].model} ranks "
            "follows in its order",
        ]

    def data(self) -> dict[str, Any]:
        """Return everything but the rankings and the ranker as plain values, for JSON."""
        data: dict[str, Any] = {"collection": self.table.collection, "analyzer": self.table.analyzer}
        data |= self._setup("learner", "measure")
        data |= {"pooled": len(self.table), "pool": self.pool, "seed": self.seed, "alpha": self.alpha}
        for name in ("held_out", "fitted", "baseline", "cut"):
            scored: Scored = getattr(self, name)
            data[name] = {"value": scored.value, "per_query": self._by_query(scored.per_query)}
        data["held_out_difference"] = self.gain and difference_data(self.gain)
        data |= {"verdict": self.verdict, "groups": self.groups, "folds": self.folds, "features": self.uses}
        return plain(data | {"remarks": self.sentences()})  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return (
            f"<Learning by {self.learner} on {len(self.query_ids)} {self.needs.kind[1]}: "
            f"{self.measure} {self.held_out.value:.4f} held out, {self.fitted.value:.4f} on its own queries, "
            f"{self.baseline.value:.4f} by {self.pool[0].model}>"
        )


def learn(
    collection: JudgedLike | FeatureTable,
    learner: str = "logistic",
    names: Iterable[str] | None = None,
    measure: str | Measure = "AP",
    *,
    pool: Iterable[str] | None = None,
    folds: int | None = None,
    similarity: float = SIMILARITY,
    seed: int = 0,
    k: int | None = 1000,
    threshold: float | None = None,
    analyzer: AnalyzerLike | None = None,
    index: Index | None = None,
    alpha: float = 0.05,
    queries: QueriesLike | None = None,
    qrels: QrelsLike | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Learning:
    """Learn a ranker from judged queries, with its held-out value.

    The best documents of each query are re-ranked by a learner from their features, and the other documents of the
    first model of the pool follow in their old order. The queries are split into folds, near-duplicate queries and
    texts of one need in the same one; each fold is ranked by a ranker that was learned from the others. These held-out
    values are unbiased, whereas those of the ranker on its own queries are optimistic. Settings of the learner are not
    tuned. An unjudged document counts as not relevant.

    The ranker learned from all queries can be saved to a folder, which is then a model: learned:FOLDER. The held-out
    rankings can be compared with other systems on the same queries; the saved ranker cannot, since it was learned from
    them.

    Parameters
    ----------
    collection : Collection, Index, Searcher, name, path or FeatureTable
        Documents with judged queries; or their features, as `features` computes them, and then no other argument
        of `features`.
    learner : str, default "logistic"
        One of logistic and boosting, with settings such as logistic:C=0.1 or
        boosting:trees=200,leaves=15,rate=0.05,rows=20.
    names : iterable of str, optional
        The features; see `features`.
    measure : str or Measure, default "AP"
        Measure to report; no learner optimises it directly.
    pool : iterable of str, optional
        The documents to re-rank. Default ``["bm25@200"]``.
    folds : int, optional
        The number of folds; by default 5, or the number of groups of near-duplicate queries if smaller.
    similarity : float, default 0.5
        The least Jaccard similarity of the terms of two queries that must be in one fold.
    seed : int, default 0
        The seed of folds and learners.
    k : int or None, default 1000
        The maximum number of documents per query.
    threshold : float, optional
        The lowest grade of a relevant document; by default that of the collection.
    analyzer : Analyzer, str or function, optional
        By default that of the collection's language.
    index : Index, optional
        An index of the collection to use instead of building one.
    alpha : float, default 0.05
        The level of the test and of its interval.
    queries, qrels : optional
        Other queries and judgments.
    progress : callable, optional
        Called with the number of rankers learned and their total.

    Returns
    -------
    Learning

    Raises
    ------
    ArgumentError
        If a name is unknown, a number is out of range, or there is nothing to learn.

    References
    ----------
    Liu, "Learning to Rank for Information Retrieval", 2009.

    Examples
    --------
    >>> found = learn("companions", "logistic", ["bm25", "coverage"], "RR")
    >>> found.query_ids[:3], len(found.folds)
    (('1', '2', '3'), 5)
    """
    expect_seed(seed)
    bound, objective = learner_of(learner), Objective.of(measure)
    check_request(k)
    if seed > _LARGEST_SEED:
        raise ArgumentError(f"seed must be from 0 to {_LARGEST_SEED:,}, not {seed}")
    paired_test([0.0], alpha=alpha)  # refuses an invalid alpha before the work
    given: dict[str, Any] = {"names": names, "pool": pool, "threshold": threshold, "analyzer": analyzer}
    given |= {"index": index, "queries": queries, "qrels": qrels}
    superfluous = [name for name, value in given.items() if value is not None]
    if isinstance(collection, FeatureTable):
        if superfluous:
            raise ArgumentError(f"features are computed already; give {', '.join(superfluous)} to `features`")
        table = without_extremes(collection)
    else:
        table = features(collection, **given)
    bench = _Bench(table, Objective(with_size([objective.measure], len(table.index))[0]), k)
    baseline = bench.best_of_pool(k)
    objective.check(baseline.per_query)
    query_ids = tuple(table.queries)
    groups = query_groups(table.queries, table.index.analyzer, similarity, table.qrels.needs)
    fold_of = grouped_folds(query_ids, groups, folds, seed)
    n = int(fold_of.max()) + 1
    scores, tell = np.zeros(len(table)), progress or (lambda *_: None)
    for fold in range(n):
        tell(fold, n + 1)
        function = bound.learn(bench.training(fold_of != fold), seed)
        rows = bench.rows_of(fold_of == fold)
        scores[rows] = learned_scores(function, table.values[rows], str(bound))
    tell(n, n + 1)
    final = bound.learn(bench.training(fold_of >= 0), seed)
    tell(n + 1, n + 1)
    run = bench.run(scores, "held out")
    held_out = bench.scored(run)
    objective.check(held_out.per_query)
    reported = str(bench.objective.measure)
    training: dict[str, Any] = {"toysearch": toysearch.__version__, "collection": table.collection}
    training |= {"analyzer": table.analyzer, "query_ids": [*query_ids], "measure": reported}
    training |= {"held_out": held_out.value, "baseline": baseline.value, "seed": seed}
    training |= {package: version_of(package) for package in ("numpy", "scikit-learn")}
    uses = map(FeatureUse, table.names, np.abs(final.shares(table.values)).mean(0).tolist())
    fitted = bench.run(learned_scores(final, table.values, str(bound)), "fitted")
    return Learning(
        table=table,
        learner=str(bound),
        measure=reported,
        query_ids=bench.query_ids,
        needs=table.qrels.needs.among(query_ids),
        groups=tuple(map(tuple, groups)),
        folds=tuple(bench.fold(fold_of == fold, held_out) for fold in range(n)),
        held_out=held_out,
        fitted=bench.scored(fitted),
        baseline=baseline,
        cut=bench.best_of_pool(table.pool[0].k if k is None else min(table.pool[0].k, k)),
        gain=objective.gain(held_out.per_query, baseline.per_query, alpha),
        uses=tuple(sorted(uses, key=lambda use: -use.share)),
        run=run,
        ranker=LearnedRanker(str(bound), table.names, table.pool, final, training),
        seed=seed,
        alpha=alpha,
        sign=objective.measure.sign,
    )


class _Bench:
    def __init__(self, table: FeatureTable, objective: Objective, k: int | None) -> None:
        self.table, self.objective, self.k = table, objective, k
        self.query_ids = tuple(table.qrels.need_ids)
        self._sizes = np.diff(table.starts)

    def rows_of(self, chosen: np.ndarray) -> np.ndarray:
        return repeat_each(chosen, self._sizes)

    def training(self, chosen: np.ndarray) -> TrainingRows:
        rows = self.rows_of(chosen)
        lowest = max(self.table.threshold, np.nextafter(0, 1))
        return TrainingRows(self.table.values[rows], self.table.grades[rows] >= lowest)

    def run(self, scores: Array, name: str) -> Run:
        """Rank the rows by scores, with the documents outside the pool below."""
        rankings, doc_ids = [], self.table.index.doc_ids
        for query_id, pooled, start in zip(self.table.queries, self.table.pooled, self.table.starts, strict=False):
            docs, values = with_rest(pooled, scores[start : start + len(pooled.docs)])
            best = top(values, self.k)
            rankings.append(Ranking(query_id, [doc_ids[doc] for doc in docs[best].tolist()], values[best]))
        return Run.from_rankings(rankings, name=name)

    def best_of_pool(self, depth: int | None) -> Scored:
        """Return the values of the first model of the pool."""
        model = find_model(self.table.pool[0].model)
        return self.scored(Searcher(self.table.index, model).run(self.table.topics, depth))

    def scored(self, run: Run) -> Scored:
        measure = self.objective.measure
        evaluation = evaluate(run, self.table.qrels, [measure], threshold=self.table.threshold)
        by_need = evaluation.by_need
        rows = np.array([by_need[query_id][str(measure)] for query_id in self.query_ids])
        return Scored(self.objective.value(rows), rows)

    def fold(self, chosen: np.ndarray, held_out: Scored) -> LearnedFold:
        names = tuple(compress(self.table.queries, chosen.tolist()))
        places = [self.query_ids.index(need) for need in self.table.qrels.needs.texts(names)]
        return LearnedFold(names, self.objective.value(held_out.per_query[places]))
