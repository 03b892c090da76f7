"""Learners: logistic regression and boosting of scikit-learn, and the functions of features that they learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from toysearch.base import ArgumentError, Spec, expect
from toysearch.base.elsewhere import phrases
from toysearch.models import Array, value_text
from toysearch.models.calls import Setting, chosen


@dataclass(frozen=True, eq=False)
class Linear:
    """Weighted sum of standardised features: intercept + Σ weight · (x − mean) / scale."""

    intercept: float  # the score of a document with the mean of every feature
    weights: Array  # (n_features,) float64, as the others
    means: Array
    scales: Array  # above 0

    def shares(self, features: Array) -> Array:
        """Return each feature's share of each score: weight · (x − mean) / scale."""
        with np.errstate(all="ignore"):  # what is not finite is refused where it would be ranked
            return self.weights * ((features - self.means) / self.scales)

    def scores(self, features: Array) -> Array:
        """Score documents: the intercept plus the shares, in the order of the features."""
        total, shares = np.full(len(features), self.intercept), self.shares(features)
        with np.errstate(all="ignore"):
            for column in shares.T:
                total = total + column
        return total


@dataclass(frozen=True, eq=False)
class Boosted:
    """Boosted trees of scikit-learn, with what they were fitted to, so that they can be fitted again."""

    fitted: Any  # HistGradientBoostingClassifier
    features: Array  # (n_rows, n_features) float64: the training documents
    relevant: np.ndarray  # (n_rows,) bool
    seed: int

    def scores(self, features: Array) -> Array:
        """Score documents: the log-odds of relevance."""
        return np.asarray(self.fitted.decision_function(features) if len(features) else np.zeros(0))

    def shares(self, features: Array) -> Array:
        """Return how much lower each score is with the training mean of each feature in its place."""
        scores, shares = self.scores(features), np.zeros(features.shape)
        for column, mean in enumerate(self.features.mean(0).tolist()):
            usual = features.copy()
            usual[:, column] = mean
            shares[:, column] = scores - self.scores(usual)
        return shares


Function: TypeAlias = Linear | Boosted


class TrainingRows(NamedTuple):
    """Rows of training queries."""

    features: Array  # (n_rows, n_features) float64
    relevant: np.ndarray  # (n_rows,) bool; False for unjudged


def _logistic(rows: TrainingRows, settings: Mapping[str, float], seed: int) -> Linear:
    """Logistic regression of relevance on standardised features (scikit-learn, L2 penalty, lbfgs)."""
    from sklearn.linear_model import LogisticRegression

    means, scales = rows.features.mean(0), rows.features.std(0)
    scales[scales < 1e-12 * np.maximum(np.abs(means), 1)] = 1.0  # a constant, but for rounding
    fitted = LogisticRegression(C=settings["C"], max_iter=1000, tol=1e-6)
    fitted.fit((rows.features - means) / scales, rows.relevant)
    return Linear(float(fitted.intercept_[0]), fitted.coef_[0].astype(np.float64), means, scales)


def _boosting(rows: TrainingRows, settings: Mapping[str, float], seed: int) -> Boosted:
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
    return Boosted(fitted.fit(rows.features, rows.relevant), *rows, seed)


_LEAST = 1e-9  # of a number that must be above 0
_TREES = {
    "trees": Setting(100.0, 1, 10_000, whole=True),
    "leaves": Setting(7.0, 2, 1000, whole=True),
    "rate": Setting(0.05, _LEAST),
    "rows": Setting(200.0, 1, 1_000_000, whole=True),
    "columns": Setting(0.3, _LEAST, 1),
}
LEARNERS: Mapping[str, Mapping[str, Setting]] = {"logistic": {"C": Setting(1.0, _LEAST)}, "boosting": _TREES}
"""Settings of each learner."""


class BoundLearner(NamedTuple):
    """Learner with its settings."""

    name: str
    settings: Mapping[str, float]

    def __str__(self) -> str:
        usual = LEARNERS[self.name]
        changed = {key: value_text(value) for key, value in self.settings.items() if value != usual[key].default}
        return str(Spec(self.name, changed))

    def learn(self, rows: TrainingRows, seed: int = 0) -> Function:
        """Learn a function from rows, on one thread, so that it is the same each time."""
        from threadpoolctl import threadpool_limits

        if not rows.relevant.any() or rows.relevant.all():
            only = "only relevant documents" if rows.relevant.any() else "no relevant document"
            raise ArgumentError(f"there is nothing to learn: the pool of the training queries has {only}")
        n, needed = len(rows.relevant), 2 * int(self.settings.get("rows", 0))
        if n < needed:
            raise ArgumentError(
                f"a branch needs {needed:,} documents, because a leaf has at least {needed // 2:,}, but the pools of "
                f"the training queries have {n:,}; set fewer rows, such as {self.name}:rows={max(n // 20, 1)}"
            )
        with threadpool_limits(limits=1):
            return (_logistic if self.name == "logistic" else _boosting)(rows, self.settings, seed)


def learner_of(text: str) -> BoundLearner:
    """Parse a learner.

    >>> learner_of("logistic:C=0.1")
    BoundLearner(name='logistic', settings={'C': 0.1})
    """
    expect(str, learner=text)
    for row in phrases("learner"):
        if row.theirs == text.partition(":")[0]:
            raise ArgumentError(f"'{row.theirs}' is not a learner: {row.advice}. Learners: {', '.join(LEARNERS)}")
    name, settings = chosen("learner", text, LEARNERS)
    usual: dict[str, Any] = {key: each.default for key, each in LEARNERS[name].items()}
    return BoundLearner(name, usual | settings)
