"""Learning to rank: learners, a ranker from judged queries, and its value on queries that it was not learned from."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import toysearch
from toysearch.analysis.analyzer import Analyzer, AnalyzerLike
from toysearch.base import (
    ArgumentError,
    DataError,
    ResultTable,
    Run,
    Spec,
    TextNeeds,
    counted,
    expect,
    expect_seed,
    loading,
    note,
    number_columns,
    plain,
    present,
    repeat_each,
    table_columns,
    version_of,
    without_notes,
)
from toysearch.collection.queries import QueriesLike
from toysearch.evaluation import Measure, with_size
from toysearch.evaluation.evaluate import evaluate
from toysearch.files import QrelsLike
from toysearch.index import Index, Picked
from toysearch.models import Array, Ranker, value_text
from toysearch.models.calls import Setting, chosen
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
from toysearch.workbench.learning.learned_ranker import (
    NODE,
    Function,
    LearnedRanker,
    Linear,
    PoolPart,
    Trees,
    as_model,
    save_ranker,
)
from toysearch.workbench.learning.learned_scorer import learned_scores
from toysearch.workbench.tune.tuning import USUAL, Objective, fold_numbers

__all__ = ["FeatureUse", "LearnedFold", "Learning", "Scored", "learn"]


_MOST_GRADES = 30  # LightGBM has a gain of 2^grade − 1
_LIGHTGBM_MOST = 10_000  # documents of a query


Settings = Mapping[str, float]
"""Settings of a learner, by name."""


class TrainingRows(NamedTuple):
    """Rows of training queries, query by query."""

    features: Array  # (n_rows, n_features) float64
    labels: np.ndarray  # (n_rows,) int64: 0 for not relevant and unjudged, 1 for the lowest relevant grade, 2 …
    sizes: np.ndarray  # (n_queries,) int64: the number of rows of each query


def labels_of(grades: Array, threshold: float) -> np.ndarray:
    """Turn grades into whole numbers: 0 below the threshold, then 1, 2, … for the relevant grades that occur.

    >>> labels_of(np.array([0.0, 0.5, 3.0, 1.0]), 0.5)
    array([0, 1, 3, 2])
    """
    low = max(threshold, np.nextafter(0, 1))
    steps = np.searchsorted(np.unique(grades[grades >= low]), grades, side="right")
    return np.where(grades >= low, steps, 0)


def logistic(rows: TrainingRows, settings: Settings, seed: int) -> Function:
    """Logistic regression of relevance on standardised features (scikit-learn, L2 penalty, lbfgs)."""
    from sklearn.linear_model import LogisticRegression

    means, scales = rows.features.mean(0), rows.features.std(0)
    scales[scales < 1e-12 * np.maximum(np.abs(means), 1)] = 1.0  # a constant, but for rounding
    fitted = LogisticRegression(C=settings["C"], max_iter=1000, tol=1e-6)
    fitted.fit((rows.features - means) / scales, rows.labels > 0)
    return Linear(float(fitted.intercept_[0]), fitted.coef_[0].astype(np.float64), means, scales)


def boosting(rows: TrainingRows, settings: Settings, seed: int) -> Function:
    """Gradient-boosted trees for the probability of relevance (scikit-learn, HistGradientBoostingClassifier)."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    fitted = HistGradientBoostingClassifier(
        learning_rate=settings["rate"],
        max_iter=int(settings["trees"]),
        max_leaf_nodes=int(settings["leaves"]),
        min_samples_leaf=int(settings["rows"]),
        max_features=settings["columns"],
        early_stopping=False,
        random_state=seed,
    )
    fitted.fit(rows.features, rows.labels > 0)
    # scikit-learn does not publish the nodes of these trees, so they are compared with its own scores below.
    grown = []
    for [tree] in fitted._predictors:  # with the same order: parents before their children
        nodes = tree.nodes
        columns, leaf = np.zeros(len(nodes), NODE), nodes["is_leaf"].astype(bool)
        columns["value"] = nodes["value"]
        for column, name in (("feature", "feature_idx"), ("left", "left"), ("right", "right")):
            columns[column] = np.where(leaf, -1, nodes[name].astype(np.int64))
        columns["threshold"] = np.where(leaf, 0.0, nodes["num_threshold"])
        grown.append(_with_means(columns, nodes["count"].astype(np.float64)))
    learner = _joined(float(fitted._baseline_prediction.ravel()[0]), grown)
    if not np.array_equal(learner.scores(rows.features), fitted.decision_function(rows.features)):
        raise DataError("this version of scikit-learn keeps its trees in another form; take another learner")
    return learner


def lambdamart(rows: TrainingRows, settings: Settings, seed: int) -> Function:
    """LambdaMART: gradient-boosted trees for the order of the documents of a query (LightGBM, lambdarank)."""
    with loading(
        "the learner lambdamart needs the package lightgbm",
        "an extra: pip install 'toysearch[lightgbm]'; logistic and boosting do without",
    ):
        import lightgbm
    if rows.sizes.max() > _LIGHTGBM_MOST:
        raise ArgumentError(
            f"the pool of a query has {rows.sizes.max():,} documents, and LightGBM takes at most {_LIGHTGBM_MOST:,}; "
            "take a smaller pool or another learner"
        )
    if rows.labels.max() > _MOST_GRADES:
        raise ArgumentError(
            f"there are {rows.labels.max()} relevant grades, and LightGBM takes at most {_MOST_GRADES}; take another "
            "learner, or fewer grades"
        )
    parameters = {
        "objective": "lambdarank",
        "learning_rate": settings["rate"],
        "num_leaves": int(settings["leaves"]),
        "min_data_in_leaf": int(settings["rows"]),
        "feature_fraction": settings["columns"],
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "seed": seed,
        "verbosity": -1,
    }
    data = lightgbm.Dataset(rows.features, rows.labels, group=rows.sizes)
    fitted = lightgbm.train(parameters, data, int(settings["trees"]))
    return _joined(0.0, [_object_function(tree["tree_structure"]) for tree in fitted.dump_model()["tree_info"]])


class Learner(NamedTuple):
    """Learner and its settings."""

    function: Callable[[TrainingRows, Settings, int], Function]
    settings: Mapping[str, Setting]


_LEAST = 1e-9  # of a number that must be above 0
_TREES = {
    "trees": Setting(100.0, 1, 10_000, whole=True),
    "leaves": Setting(7.0, 2, 1000, whole=True),
    "rate": Setting(0.05, _LEAST),
    "rows": Setting(200.0, 1, 1_000_000, whole=True),
    "columns": Setting(0.3, _LEAST, 1),
}
LEARNERS: Mapping[str, Learner] = {
    "lambdamart": Learner(lambdamart, _TREES),
    "logistic": Learner(logistic, {"C": Setting(1.0, _LEAST)}),
    "boosting": Learner(boosting, _TREES),
}


class BoundLearner(NamedTuple):
    """Learner with its settings."""

    name: str
    settings: Settings

    def __str__(self) -> str:
        usual = LEARNERS[self.name].settings
        changed = {key: value_text(value) for key, value in self.settings.items() if value != usual[key].default}
        return str(Spec(self.name, changed))

    def learn(self, rows: TrainingRows, seed: int = 0) -> Function:
        """Learn a function from rows, on one thread, so that it is the same each time."""
        from threadpoolctl import threadpool_limits

        if not rows.labels.any() or rows.labels.all():
            raise ArgumentError(
                "there is nothing to learn: the pool of the training queries has "
                + ("only relevant documents" if rows.labels.any() else "no relevant document")
            )
        n, needed = len(rows.labels), 2 * int(self.settings.get("rows", 0))
        if n < needed:
            raise ArgumentError(
                f"a branch needs {needed:,} documents, because a leaf has at least {needed // 2:,}, but the pools of "
                f"the training queries have {n:,}; set fewer rows, such as {self.name}:rows={max(n // 20, 1)}"
            )
        with threadpool_limits(limits=1):
            return LEARNERS[self.name].function(rows, self.settings, seed)


def usual_learner() -> str:
    """Return lambdamart; or logistic, with a note, if the package of lambdamart is missing."""
    if present("lightgbm"):
        return "lambdamart"
    note("the learner is logistic, because lambdamart needs LightGBM, an extra: pip install 'toysearch[lightgbm]'")
    return "logistic"


def learner_of(text: str) -> BoundLearner:
    """Parse a learner.

    >>> learner_of("logistic:C=0.1")
    BoundLearner(name='logistic', settings={'C': 0.1})
    """
    expect(str, learner=text)
    if text == "none":
        raise ArgumentError(f"a ranker needs a learner: {', '.join(LEARNERS)}; features alone are toysearch.features")
    name, settings = chosen("learner", text, {name: learner.settings for name, learner in LEARNERS.items()})
    usual: dict[str, Any] = {key: each.default for key, each in LEARNERS[name].settings.items()}
    return BoundLearner(name, usual | settings)


def _object_function(root: Mapping[str, Any]) -> np.ndarray:
    rows: list[list[float]] = []
    counts: list[float] = []
    waiting = [(root, -1)]  # a node, and the place of the parent whose right child it is
    while waiting:
        node, parent = waiting.pop()
        place = len(rows)
        if parent >= 0:
            rows[parent][2] = place
        if "split_feature" in node:
            if node["decision_type"] != "<=" or node["missing_type"] != "None":
                raise DataError("this version of LightGBM makes trees of another form; take another learner")
            rows.append([node["split_feature"], place + 1, -1, node["threshold"], 0.0])  # the left child comes next
            waiting += [(node["right_child"], place), (node["left_child"], -1)]
        else:
            rows.append([-1, -1, -1, 0.0, node["leaf_value"]])
        counts.append(float(node.get("internal_count", node.get("leaf_count", 1))))
    return _with_means(np.array([*map(tuple, rows)], NODE), np.array(counts))


def _with_means(nodes: np.ndarray, counts: Array) -> np.ndarray:
    """Give each inner node the mean of its children, weighted by their training rows."""
    for place in np.flatnonzero(nodes["feature"] >= 0)[::-1].tolist():  # children come last
        below = [nodes["left"][place], nodes["right"][place]]
        nodes["value"][place] = float(counts[below] @ nodes["value"][below]) / float(counts[below].sum())
    return nodes


def _joined(base: float, grown: list[np.ndarray]) -> Trees:
    """Join trees one after the other, with children counted from the first node of all."""
    starts = np.cumsum([0, *map(len, grown)])[:-1]
    nodes = np.concatenate(grown)
    for name in ("left", "right"):
        nodes[name] += np.where(nodes["feature"] >= 0, repeat_each(starts, [*map(len, grown)]), 0).astype(np.int32)
    return Trees(base, nodes, starts)


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
_LARGEST_SEED = 2**31 - 1  # of LightGBM


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
    collection, analyzer, learner, measure : str
        The collection, the analysis, the learner with its settings, and the measure reported.
    pool : tuple of PoolPart
        The documents that are re-ranked.
    query_ids : tuple of str
        The judged queries; the needs, if some have several texts.
    rows : int
        The number of documents in the pools of all queries.
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

    collection: str
    analyzer: str
    learner: str
    measure: str
    pool: tuple[PoolPart, ...]
    query_ids: tuple[str, ...]
    rows: int
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
            columns += difference_columns(self.alpha, form)
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
            " · ".join([self.collection, self.analyzer, self.size, self.learner, f"seed {self.seed}"]),
            f"pool: {pool}, {counted(self.rows, 'document')} in all; what else {self.pool[0].model} ranks follows in "
            "its order",
        ]

    def data(self) -> dict[str, Any]:
        """Return everything but the rankings and the ranker as plain values, for JSON."""
        values = {
            name: {"value": one.value, "per_query": self._by_query(one.per_query)}
            for name in ("held_out", "fitted", "baseline", "cut")
            for one in [getattr(self, name)]
        }
        data = {
            **self._setup("collection", "analyzer", "learner", "measure"),
            "pooled": self.rows,
            "pool": self.pool,
            "seed": self.seed,
            "alpha": self.alpha,
            **values,
            "held_out_difference": self.gain and difference_data(self.gain),
            "verdict": self.verdict,
            "groups": self.groups,
            "folds": self.folds,
            "features": self.uses,
            "remarks": self.sentences(),
        }
        return plain(data)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return (
            f"<Learning by {self.learner} on {len(self.query_ids)} {self.needs.kind[1]}: "
            f"{self.measure} {self.held_out.value:.4f} held out, {self.fitted.value:.4f} on its own queries, "
            f"{self.baseline.value:.4f} by {self.pool[0].model}>"
        )


def learn(
    collection: JudgedLike | FeatureTable,
    learner: str | None = None,
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
    learner : str, optional
        One of lambdamart (needs toysearch[lightgbm]), logistic and boosting, with settings such as
        lambdamart:trees=200,leaves=15,rate=0.05,rows=20 or logistic:C=0.1; by default lambdamart, or logistic without
        that package.
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
    Liu, "Learning to Rank for Information Retrieval", 2009. Burges, "From RankNet to LambdaRank to LambdaMART: An
    Overview", MSR-TR-2010-82.

    Examples
    --------
    >>> found = learn("companions", "logistic", ["bm25", "coverage"], "RR")
    >>> found.query_ids[:3], len(found.folds)
    (('1', '2', '3'), 5)
    """
    expect_seed(seed)
    bound, objective = learner_of(usual_learner() if learner is None else learner), Objective.of(measure)
    check_request(k)
    if seed > _LARGEST_SEED:
        raise ArgumentError(f"seed must be from 0 to {_LARGEST_SEED:,}, not {seed}")
    paired_test([0.0], alpha=alpha)  # refuses an invalid alpha before the work
    source_settings = {"threshold": threshold, "analyzer": analyzer, "index": index, "queries": queries, "qrels": qrels}
    if isinstance(collection, FeatureTable):
        table = without_extremes(collection)
        superfluous = [
            name for name, value in {"names": names, "pool": pool, **source_settings}.items() if value is not None
        ]
        if superfluous:
            raise ArgumentError(f"features are computed already; give {', '.join(superfluous)} to `features`")
    else:
        table = features(collection, names, pool, **source_settings)  # type: ignore[arg-type]
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
    final = bound.learn(bench.training(np.full(len(query_ids), True)), seed)
    tell(n + 1, n + 1)
    run = bench.run(scores, "held out")
    held_out = bench.scored(run)
    objective.check(held_out.per_query)
    training = {
        "toysearch": toysearch.__version__,
        "collection": table.collection,
        "analyzer": table.analyzer,
        "query_ids": list(query_ids),
        "measure": str(bench.objective.measure),
        "held_out": held_out.value,
        "baseline": baseline.value,
        "seed": seed,
        **{package: version_of(package) for package in ("numpy", "scikit-learn", "lightgbm") if version_of(package)},
    }
    means = np.abs(final.shares(table.values)[1]).mean(0).tolist()
    uses = [FeatureUse(*pair) for pair in zip(table.names, means, strict=True)]
    return Learning(
        collection=table.collection,
        analyzer=table.analyzer,
        learner=str(bound),
        measure=str(bench.objective.measure),
        pool=table.pool,
        query_ids=bench.query_ids,
        needs=table.qrels.needs.among(query_ids),
        rows=len(table),
        groups=tuple(map(tuple, groups)),
        folds=tuple(bench.fold(fold_of == fold, held_out) for fold in range(n)),
        held_out=held_out,
        fitted=bench.scored(bench.run(learned_scores(final, table.values, str(bound)), "fitted")),
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
        labels = labels_of(self.table.grades[rows], self.table.threshold)  # without those of the other queries
        return TrainingRows(self.table.values[rows], labels, self._sizes[chosen])

    def run(self, scores: Array, name: str) -> Run:
        """Rank the rows by scores, with the documents outside the pool below."""
        ranked = []
        for pooled, (start, stop) in zip(self.table.pooled, pairwise(self.table.starts), strict=True):
            docs, values = with_rest(pooled, scores[start:stop])
            best = top(values, self.k)
            ranked.append((docs[best], values[best]))
        docs = np.concatenate([np.zeros(0, np.int64), *(docs for docs, _ in ranked)])
        values = np.concatenate([np.zeros(0), *(values for _, values in ranked)])
        offsets = np.cumsum([0, *(len(docs) for docs, _ in ranked)])
        return Run([*self.table.queries], offsets, Picked(self.table.index.doc_ids, docs), values, name, ranked=True)

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
        names = tuple(
            query_id for query_id, is_inside in zip(self.table.queries, chosen.tolist(), strict=True) if is_inside
        )
        places = [self.query_ids.index(need) for need in self.table.qrels.needs.texts(names)]
        return LearnedFold(names, self.objective.value(held_out.per_query[places]))
