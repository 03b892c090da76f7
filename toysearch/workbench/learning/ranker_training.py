"""Learning to rank: learners, a ranker from judged queries, and its value on queries that it was not learned from."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import toysearch
from toysearch.analysis.analyzer import Analyzer
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
from toysearch.evaluation import Measure, with_size
from toysearch.evaluation.evaluate import evaluate
from toysearch.evaluation.intervals import interval_name
from toysearch.index import Index
from toysearch.models import Array, Ranker
from toysearch.models.registry import model as find_model
from toysearch.retrieval import Searcher, duplicate_groups, near_duplicates
from toysearch.retrieval.rerank_pool import with_rest
from toysearch.retrieval.scoring import top
from toysearch.retrieval.similar_documents import SimilarPair
from toysearch.study.compare.significance import TestResult, paired_test
from toysearch.study.compare.tested_differences import difference_cells, difference_columns, difference_data
from toysearch.workbench.effects import HeldOutResult
from toysearch.workbench.learning.feature_table import FeatureTable, without_extremes
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
        way = "take fewer folds" if n_groups > 1 else "judge queries with other words"
        raise ArgumentError(f"{n} folds need as many groups of similar queries, not {n_groups}; {way}")
    group_of = {query_id: group for group in groups for query_id in group}
    folds, sizes = dict[str, int](), [0] * n
    for place in np.random.default_rng(seed).permutation(len(query_ids)).tolist():
        if query_ids[place] not in folds:
            members, smallest = group_of.get(query_ids[place], [query_ids[place]]), sizes.index(min(sizes))
            folds |= dict.fromkeys(members, smallest)
            sizes[smallest] += len(members)
    return np.array([folds[query_id] for query_id in query_ids])


_MOST_USED = 8  # features in the table
_ALIKE = "The ranker gives every document the same score: none of its trees has a branch, or all features are constant."
_LARGEST_SEED = 2**31 - 1
_DEPTH = 1000  # documents of a ranking


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


@dataclass(frozen=True, eq=False, repr=False)
class Learning(HeldOutResult):
    """Ranker learned from judged queries, and its value on queries that it was not learned from.

    Attributes
    ----------
    table : FeatureTable
        The features, with collection, analyzer, pool and judgments.
    learner, measure : str
        The learner with its settings, and the measure.
    query_ids : tuple of str
        The judged queries, or the needs that they are texts of.
    needs : TextNeeds
        Query → its need; empty if no need has several texts.
    groups : tuple of tuple of str
        Near-duplicate queries and texts of one need, each group in one fold.
    folds : tuple of LearnedFold
        The folds.
    held_out, fitted, baseline : Scored
        The unbiased values, the optimistic ones of the final ranker on its own queries, and those of the first model
        of the pool.
    gain : TestResult or None
        The paired test of `held_out` minus `baseline`.
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
    """

    table: FeatureTable
    learner: str
    measure: str
    query_ids: tuple[str, ...]
    needs: TextNeeds
    groups: tuple[tuple[str, ...], ...]
    folds: tuple[LearnedFold, ...]
    held_out: Scored
    fitted: Scored
    baseline: Scored
    gain: TestResult | None
    run: Run
    ranker: LearnedRanker
    seed: int
    alpha: float
    sign: int

    @property
    def pool(self) -> tuple[PoolPart, ...]:
        """Return the documents that are re-ranked."""
        return self.table.pool

    @property
    def model(self) -> Ranker:
        """Return the final ranker as a model, accepted wherever the name of a model is."""
        return as_model(self.ranker, self.learner, find_model)

    @property
    def uses(self) -> list[FeatureUse]:
        """Return the features, most used first."""
        shares = np.abs(self.ranker.function.shares(self.table.values)).mean(0).tolist()
        return sorted(map(FeatureUse, self.table.names, shares), key=lambda use: -use.share)

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write the final ranker to a folder; ``learned:FOLDER`` is then the name of a model."""
        return save_ranker(self.ranker, folder)

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return the held-out and optimistic values, those of the first model, and the features used most."""
        columns = table_columns("system", number_columns(".4f", value=self.measure))
        rows: list[list[Any]] = [
            [f"learned, held out ({len(self.folds)} folds)", self.held_out.value],
            ["learned, on the same queries", self.fitted.value],
            [self.pool[0].model, self.baseline.value],
        ]
        if self.gain is not None:
            columns += difference_columns(interval_name(self.alpha), form)
            rows[0] += difference_cells(self.gain, self.gain.p, form)
            rows[1] += difference_cells(self.fitted.value - self.baseline.value, 1.0, form)
            rows[2] += difference_cells(None, 1.0, form)
        used, uses = self.uses, list[list[Any]]()
        total = sum(use.share for use in used) or 1.0
        others = sum(use.share for use in used[_MOST_USED:])
        for feature, share in [*used[:_MOST_USED], (f"… {len(used) - _MOST_USED} more features", others)]:
            uses.append([feature, share, share / total])
        shares = table_columns(number_columns(".4f", share="mean share"), number_columns(".0%", part="of all"))
        shown = uses if len(used) > _MOST_USED else uses[:-1]
        return [ResultTable(columns, rows), ResultTable(table_columns("feature", shares), shown)]

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
        for name in ("held_out", "fitted", "baseline"):
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
    features: FeatureTable,
    learner: str = "logistic",
    measure: str | Measure = "AP",
    *,
    folds: int | None = None,
    seed: int = 0,
    alpha: float = 0.05,
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
    features : FeatureTable
        The features of the pooled documents of judged queries, as `toysearch.features` computes them.
    learner : str, default "logistic"
        One of logistic and boosting, with settings such as logistic:C=0.1 or
        boosting:trees=200,leaves=15,rate=0.05,rows=20.
    measure : str or Measure, default "AP"
        Measure to report; no learner optimises it directly.
    folds : int, optional
        The number of folds; by default 5, or the number of groups of near-duplicate queries if smaller.
    seed : int, default 0
        The seed of folds and learners.
    alpha : float, default 0.05
        The level of the test and of its interval.
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
    >>> from toysearch import features
    >>> found = learn(features("companions", ["bm25", "coverage"]), "logistic", "RR")
    >>> found.query_ids[:3], len(found.folds)
    (('1', '2', '3'), 5)
    """
    if not isinstance(features, FeatureTable):
        raise ArgumentError("learn takes features, as in learn(features(collection), 'logistic')")
    expect_seed(seed)
    if seed > _LARGEST_SEED:
        raise ArgumentError(f"seed must be from 0 to {_LARGEST_SEED:,}, not {seed}")
    bound, objective, table = learner_of(learner), Objective.of(measure), without_extremes(features)
    paired_test([0.0], alpha=alpha)  # refuses an invalid alpha before the work
    bench = _Bench(table, Objective(with_size([objective.measure], len(table.index))[0]))
    baseline = bench.scored(Searcher(table.index, find_model(table.pool[0].model)).run(table.topics, _DEPTH))
    objective.check(baseline.per_query)
    groups = query_groups(table.queries, table.index.analyzer, needs=table.qrels.needs)
    fold_of = grouped_folds([*table.queries], groups, folds, seed)
    n, scores, tell = int(fold_of.max()) + 1, np.zeros(len(table)), progress or (lambda *_: None)
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
    training = {
        **{"toysearch": toysearch.__version__, "collection": table.collection, "analyzer": table.analyzer},
        **{"query_ids": [*table.queries], "measure": reported, "held_out": held_out.value},
        **{"baseline": baseline.value, "seed": seed},
        **{package: version_of(package) for package in ("numpy", "scikit-learn")},
    }
    return Learning(
        table=table,
        learner=str(bound),
        measure=reported,
        query_ids=bench.query_ids,
        needs=table.qrels.needs.among(table.queries),
        groups=tuple(map(tuple, groups)),
        folds=tuple(bench.fold(fold_of == fold, held_out) for fold in range(n)),
        held_out=held_out,
        fitted=bench.scored(bench.run(learned_scores(final, table.values, str(bound)), "fitted")),
        baseline=baseline,
        gain=objective.gain(held_out.per_query, baseline.per_query, alpha),
        run=run,
        ranker=LearnedRanker(str(bound), table.names, table.pool, final, training),
        seed=seed,
        alpha=alpha,
        sign=objective.measure.sign,
    )


class _Bench:
    def __init__(self, table: FeatureTable, objective: Objective) -> None:
        self.table, self.objective = table, objective
        self.query_ids = tuple(table.qrels.need_ids)

    def rows_of(self, chosen: np.ndarray) -> np.ndarray:
        return repeat_each(chosen, np.diff(self.table.starts))

    def training(self, chosen: np.ndarray) -> TrainingRows:
        rows = self.rows_of(chosen)
        lowest = max(self.table.threshold, np.nextafter(0, 1))
        return TrainingRows(self.table.values[rows], self.table.grades[rows] >= lowest)

    def run(self, scores: Array, name: str) -> Run:
        """Rank the rows by scores, with the documents outside the pool below."""
        rankings, doc_ids = [], self.table.index.doc_ids
        for query_id, pooled, start in zip(self.table.queries, self.table.pooled, self.table.starts, strict=False):
            docs, values = with_rest(pooled, scores[start : start + len(pooled.docs)])
            best = top(values, _DEPTH)
            rankings.append(Ranking(query_id, [doc_ids[doc] for doc in docs[best].tolist()], values[best]))
        return Run.from_rankings(rankings, name=name)

    def scored(self, run: Run) -> Scored:
        measure = self.objective.measure
        by_need = evaluate(run, self.table.qrels, [measure], threshold=self.table.threshold).by_need
        rows = np.array([by_need[query_id][str(measure)] for query_id in self.query_ids])
        return Scored(self.objective.value(rows), rows)

    def fold(self, chosen: np.ndarray, held_out: Scored) -> LearnedFold:
        names = tuple(compress(self.table.queries, chosen.tolist()))
        places = [self.query_ids.index(need) for need in self.table.qrels.needs.texts(names)]
        return LearnedFold(names, self.objective.value(held_out.per_query[places]))
