"""A learned ranker: features of a document → a score, by weights or by trees, with the share of each feature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from toysearch.models.model import Array

__all__ = ["Linear", "Ranker", "Trees"]

NODE = np.dtype([("feature", "<i4"), ("left", "<i4"), ("right", "<i4"), ("threshold", "<f8"), ("value", "<f8")])
"""A node of a tree: a value ≤ threshold goes left. A leaf has −1 as feature, left and right."""


@dataclass(frozen=True, eq=False)
class Linear:
    """A weighted sum of standardised features: intercept + Σ weight · (x − mean) / scale.

    Parameters
    ----------
    intercept : float
        The score of a document with the mean of every feature.
    weights, means, scales : ndarray
        (n_features,) float64; scales are above 0.
    """

    intercept: float
    weights: Array
    means: Array
    scales: Array

    def shares(self, features: Array) -> tuple[float, Array]:
        """The intercept, and the share of each feature in the score of each document: weight · (x − mean) / scale."""
        with np.errstate(all="ignore"):  # what is not finite is refused where it would be ranked
            return self.intercept, self.weights * ((features - self.means) / self.scales)

    def scores(self, features: Array) -> Array:
        """The scores of documents: the intercept plus the shares, in the order of the features."""
        total, shares = np.full(len(features), self.intercept), self.shares(features)[1]
        with np.errstate(all="ignore"):
            for column in shares.T:
                total = total + column
        return total


@dataclass(frozen=True, eq=False)
class Trees:
    """Regression trees whose leaf values are added.

    Parameters
    ----------
    base : float
        The score before the first tree.
    nodes : ndarray
        (n_nodes,) of `NODE`: the nodes of all trees, parents before their children. The value of an inner node is the
        mean of its leaves over the training documents.
    starts : ndarray
        (n_trees,) int64: the root of each tree; `left` and `right` count from the first node of all.
    """

    base: float
    nodes: np.ndarray
    starts: np.ndarray

    def scores(self, features: Array) -> Array:
        """The scores of documents: the base plus one leaf of each tree, in the order of the trees."""
        total = np.full(len(features), self.base)
        with np.errstate(all="ignore"):
            for root in self.starts.tolist():
                total = total + self.nodes["value"][self._paths(features, root)[-1]]
        return total

    def shares(self, features: Array) -> tuple[float, Array]:
        """The mean score, and the share of each feature in the score of each document.

        On the way from the root to a leaf, the change of the value at each branch is the share of its feature.
        """
        value, shares = self.nodes["value"], np.zeros(features.shape)
        rows = np.arange(len(features))
        for root in self.starts.tolist():
            paths = self._paths(features, root)
            for parent, child in pairwise(paths):
                inner = child != parent
                feature = self.nodes["feature"][parent[inner]]
                shares[rows[inner], feature] += value[child[inner]] - value[parent[inner]]
        return self.base + float(sum(value[self.starts].tolist())), shares

    def _paths(self, features: Array, root: int) -> list[np.ndarray]:
        """The node of each document at each depth of a tree; documents that have reached a leaf stay there."""
        nodes, rows = self.nodes, np.arange(len(features))
        paths = [np.full(len(features), root)]
        while True:
            here = paths[-1]
            feature = nodes["feature"][here]
            low = features[rows, feature] <= nodes["threshold"][here]
            below = np.where(feature < 0, here, np.where(low, nodes["left"][here], nodes["right"][here]))
            if (below == here).all():
                return paths
            paths.append(below)


Function: TypeAlias = Linear | Trees


class PoolPart(NamedTuple):
    """A model whose best documents are re-ranked, and their number."""

    model: str
    k: int

    def __str__(self) -> str:
        return f"{self.model}@{self.k}"


@dataclass(frozen=True, eq=False)
class Ranker:
    """A learned function of features, with all that is needed to compute them.

    Parameters
    ----------
    learner : str
        The learner with its settings, such as ``lambdamart:trees=100``.
    features : tuple of str
        The features, as `toysearch.search.query_features` reads them.
    pool : tuple of PoolPart
        The documents to re-rank: the best of each model.
    function : Linear or Trees
        Features → score.
    training : mapping
        What is recorded of the training: collection, analyzer, measure, held-out value, versions.
    """

    learner: str
    features: tuple[str, ...]
    pool: tuple[PoolPart, ...]
    function: Function
    training: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Ranker by {self.learner} from {len(self.features)} features>"
