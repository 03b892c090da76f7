"""Learners: features and grades of documents, by query → a function that scores documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from toysearch.base.errors import ArgumentError, DataError, has_no, note, unknown
from toysearch.base.optional_packages import of_lightgbm, present
from toysearch.base.spec import Spec, parse_spec
from toysearch.base.wide_counts import repeat_each
from toysearch.formats.text_files import finite_number
from toysearch.models.model import Array
from toysearch.models.ranker import NODE, Function, Linear, Trees

_MOST_GRADES = 30  # LightGBM has a gain of 2^grade − 1
_LIGHTGBM_MOST = 10_000  # documents of a query


class TrainingRows(NamedTuple):
    """The rows of training queries, query by query."""

    features: Array  # (n_rows, n_features) float64
    labels: np.ndarray  # (n_rows,) int64: 0 for not relevant and unjudged, 1 for the lowest relevant grade, 2 …
    sizes: np.ndarray  # (n_queries,) int64: the number of rows of each query


def labels_of(grades: Array, threshold: float) -> np.ndarray:
    """The grades as whole numbers: 0 below the threshold, then 1, 2, … for the relevant grades that occur.

    >>> labels_of(np.array([0.0, 0.5, 3.0, 1.0]), 0.5)
    array([0, 1, 3, 2])
    """
    low = max(threshold, np.nextafter(0, 1))
    labels: np.ndarray = np.searchsorted(np.unique(grades[grades >= low]), grades, side="right") * (grades >= low)
    return labels


def logistic(rows: TrainingRows, settings: Mapping[str, float], seed: int) -> Function:
    """Logistic regression of relevance on standardised features (scikit-learn, L2 penalty, lbfgs)."""
    from sklearn.linear_model import LogisticRegression

    means, scales = rows.features.mean(0), rows.features.std(0)
    scales[scales < 1e-12 * np.maximum(np.abs(means), 1)] = 1.0  # a constant, but for rounding
    fitted = LogisticRegression(C=settings["C"], max_iter=1000, tol=1e-6)
    fitted.fit((rows.features - means) / scales, rows.labels > 0)
    return Linear(float(fitted.intercept_[0]), fitted.coef_[0].astype(np.float64), means, scales)


def boosting(rows: TrainingRows, settings: Mapping[str, float], seed: int) -> Function:
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
    grown = [_column_function(tree.nodes) for [tree] in fitted._predictors]
    learner = _joined(float(fitted._baseline_prediction.ravel()[0]), grown)
    if not np.array_equal(learner.scores(rows.features), fitted.decision_function(rows.features)):
        raise DataError("this version of scikit-learn keeps its trees in another form; take another learner")
    return learner


def lambdamart(rows: TrainingRows, settings: Mapping[str, float], seed: int) -> Function:
    """LambdaMART: gradient-boosted trees for the order of the documents of a query (LightGBM, lambdarank)."""
    lightgbm = of_lightgbm()
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
    grown = [_object_function(tree["tree_structure"]) for tree in fitted.dump_model()["tree_info"]]
    return _joined(0.0, grown)


class Learner(NamedTuple):
    """A learner and the defaults of its settings."""

    function: Callable[[TrainingRows, Mapping[str, float], int], Function]
    settings: Mapping[str, float]


_TREES = {"trees": 100.0, "leaves": 7.0, "rate": 0.05, "rows": 200.0, "columns": 0.3}
LEARNERS: Mapping[str, Learner] = {
    "lambdamart": Learner(lambdamart, _TREES),
    "logistic": Learner(logistic, {"C": 1.0}),
    "boosting": Learner(boosting, _TREES),
}
"""The learners by name."""

_WHOLE = {"trees": (1, 10_000), "leaves": (2, 1000), "rows": (1, 1_000_000)}
"""The settings that are whole numbers, with their bounds; the others are above 0, and `columns` is at most 1."""


class BoundLearner(NamedTuple):
    """A learner with its settings."""

    name: str
    settings: Mapping[str, float]

    def __str__(self) -> str:
        usual = LEARNERS[self.name].settings
        changed = {key: repr(value).removesuffix(".0") for key, value in self.settings.items() if value != usual[key]}
        return str(Spec(self.name, changed))

    def learn(self, rows: TrainingRows, seed: int = 0) -> Function:
        """The function that is learned from rows, on one thread, so that it is the same each time."""
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
    """The learner of which none was named: logistic, with a note, where the package of lambdamart is missing."""
    if present("lightgbm"):
        return "lambdamart"
    note("the learner is logistic, because lambdamart needs LightGBM, an extra: pip install 'toysearch[lightgbm]'")
    return "logistic"


def learner_of(text: str) -> BoundLearner:
    """The learner of a text.

    >>> learner_of("logistic:C=0.1")
    BoundLearner(name='logistic', settings={'C': 0.1})
    """
    spec = parse_spec(text)
    if spec.name not in LEARNERS:
        raise unknown("learner", spec.name, LEARNERS)
    settings = dict(LEARNERS[spec.name].settings)
    for name, value in [*((value, "") for value in spec.values), *spec.parameters.items()]:
        if name not in settings:
            raise has_no(spec.name, "setting", name, settings)
        label = f"{name} of {spec.name}"
        number = finite_number(value)
        if name in _WHOLE:
            low, high = _WHOLE[name]
            fits, expected = number is not None and low <= number <= high and number == int(number), "a whole number "
            expected += f"from {low:,} to {high:,}"
        else:
            share = name == "columns"
            fits, expected = number is not None and number > 0 and not (share and number > 1), "a number above 0"
            expected += " and at most 1" if share else ""
        if number is None or not fits:
            raise ArgumentError(f"{label} must be {expected}, not '{value}'")
        settings[name] = number
    return BoundLearner(spec.name, settings)


def _column_function(nodes: np.ndarray) -> np.ndarray:
    """The nodes of a tree of scikit-learn, which has the same order: parents before their children."""
    columns, leaf = np.zeros(len(nodes), NODE), nodes["is_leaf"].astype(bool)
    columns["value"] = nodes["value"]
    for column, name in (("feature", "feature_idx"), ("left", "left"), ("right", "right")):
        columns[column] = np.where(leaf, -1, nodes[name].astype(np.int64))
    columns["threshold"] = np.where(leaf, 0.0, nodes["num_threshold"])
    return _with_means(columns, nodes["count"].astype(np.float64))


def _object_function(root: Mapping[str, Any]) -> np.ndarray:
    """The nodes of a tree of LightGBM, from its nested description."""
    rows: list[tuple[int, int, int, float, float]] = []
    counts: list[float] = []
    waiting = [(root, -1, "left")]
    while waiting:
        node, parent, side = waiting.pop()
        place = len(rows)
        if parent >= 0:
            feature, rest, right, threshold, value = rows[parent]
            rows[parent] = (feature, *((place, right) if side == "left" else (rest, place)), threshold, value)
        if "split_feature" in node:
            if node["decision_type"] != "<=" or node["missing_type"] != "None":
                raise DataError("this version of LightGBM makes trees of another form; take another learner")
            rows.append((node["split_feature"], -1, -1, node["threshold"], 0.0))
            waiting += [(node["right_child"], place, "right"), (node["left_child"], place, "left")]
        else:
            rows.append((-1, -1, -1, 0.0, node["leaf_value"]))
        counts.append(float(node.get("internal_count", node.get("leaf_count", 1))))
    return _with_means(np.array(rows, NODE), np.array(counts))


def _with_means(nodes: np.ndarray, counts: Array) -> np.ndarray:
    """The nodes, where each inner one has the mean of its children, weighted by their training rows."""
    for place in np.flatnonzero(nodes["feature"] >= 0)[::-1].tolist():  # children come last
        below = [nodes["left"][place], nodes["right"][place]]
        nodes["value"][place] = float(counts[below] @ nodes["value"][below]) / float(counts[below].sum())
    return nodes


def _joined(base: float, grown: list[np.ndarray]) -> Trees:
    """Trees one after the other, with children counted from the first node of all."""
    starts = np.cumsum([0, *map(len, grown)])[:-1]
    nodes = np.concatenate(grown)
    for name in ("left", "right"):
        nodes[name] += np.where(nodes["feature"] >= 0, repeat_each(starts, [*map(len, grown)]), 0).astype(np.int32)
    return Trees(base, nodes, starts)
