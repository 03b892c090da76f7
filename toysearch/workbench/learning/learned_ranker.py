"""Learned ranker: features of a document → a score, by weights or by trees; its folder, and the model that it is."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from toysearch.base import ArgumentError, DataError, ToysearchError, expect, repeat_each
from toysearch.files.source import AnyPath
from toysearch.files.writing import new_folder, replacing_bytes
from toysearch.models.calls import LEARNED
from toysearch.models.grammar import read
from toysearch.models.model import Array, Model
from toysearch.models.normalisations import NORMALISATIONS
from toysearch.models.prior import Prior
from toysearch.models.rankers import Ranker, parts_of

__all__ = ["LearnedRanker", "Linear", "Trees", "open_ranker", "save_ranker"]


NODE = np.dtype([("feature", "<i4"), ("left", "<i4"), ("right", "<i4"), ("threshold", "<f8"), ("value", "<f8")])
"""Node of a tree: a value ≤ threshold goes left. A leaf has −1 as feature, left and right."""


@dataclass(frozen=True, eq=False)
class Linear:
    """Weighted sum of standardised features: intercept + Σ weight · (x − mean) / scale.

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
        """Return the intercept, and each feature's share of each score: weight · (x − mean) / scale."""
        with np.errstate(all="ignore"):  # what is not finite is refused where it would be ranked
            return self.intercept, self.weights * ((features - self.means) / self.scales)

    def scores(self, features: Array) -> Array:
        """Score documents: the intercept plus the shares, in the order of the features."""
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
        """Score documents: the base plus one leaf of each tree, in the order of the trees."""
        total = np.full(len(features), self.base)
        with np.errstate(all="ignore"):
            for root in self.starts.tolist():
                total = total + self.nodes["value"][self._paths(features, root)[-1]]
        return total

    def shares(self, features: Array) -> tuple[float, Array]:
        """Return the mean score, and the share of each feature in the score of each document.

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
        """Return the node of each document at each depth of a tree; documents that have reached a leaf stay there."""
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

Find: TypeAlias = Callable[[str], Model | Ranker]
"""Finds a model by its text, as `toysearch.models.registry.model` does."""


class PoolPart(NamedTuple):
    """Model whose best documents are re-ranked, and their number."""

    model: str
    k: int

    def __str__(self) -> str:
        return f"{self.model}@{self.k}"


@dataclass(frozen=True, eq=False)
class LearnedRanker:
    """Learned function of features, with all that is needed to compute them.

    Parameters
    ----------
    learner : str
        The learner with its settings, such as ``lambdamart:trees=100``.
    features : tuple of str
        The features, as `toysearch.workbench.learning.learned_scorer` reads them.
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
        return f"<LearnedRanker by {self.learner} from {len(self.features)} features>"


DEFAULT_POOL = (PoolPart("bm25", 200),)
"""Documents that are re-ranked by default."""

MODEL_FEATURES = (
    "bm25",
    "bm25:b=0.4,k1=0.9",
    "lm-dirichlet:mu=200",
    "lm-jm:lambda=0.7",
    "dph",
    "cosine:idf=smooth,tf=log",
)
COUNT_FEATURES = ("coverage", "idf-coverage", "idf-sum", "tf-sum", "length", "query-length", "query-idf")
DEFAULT_FEATURES = (*(f"{form}" for name in MODEL_FEATURES for form in (name, f"min-max({name})")), *COUNT_FEATURES)
"""Features of a ranker for which none are named."""

_IN_FILE = re.compile(r"\.py\s*:", re.IGNORECASE)
_RANKER = re.compile(rf"(?<![\w:./-]){LEARNED}:")
_PART = re.compile(r"(?P<model>.+)@(?P<k>[1-9][0-9]{0,8})\Z", re.DOTALL)


class QueryCounts(NamedTuple):
    """Counts of a query in some documents."""

    idf: Array  # (n_terms,) of the distinct terms of the query, unknown ones included
    contained: np.ndarray  # (n_docs, n_terms) bool
    tf: Array  # (n_docs,) the occurrences of query terms
    length: Array  # (n_docs,) tokens of the document


def coverage(counts: QueryCounts) -> Array:
    """Return the share of the distinct query terms that the document contains."""
    return np.asarray(counts.contained.sum(1) / max(len(counts.idf), 1))


def idf_sum(counts: QueryCounts) -> Array:
    """Return the sum of the idf of the query terms in the document; idf = ln(1 + (N − df + 0.5) / (df + 0.5))."""
    total = np.zeros(len(counts.contained))
    for idf, contained in zip(counts.idf.tolist(), counts.contained.T, strict=True):
        total = total + idf * contained
    return total


def idf_coverage(counts: QueryCounts) -> Array:
    """Return the idf-sum as a share of that of all query terms."""
    return idf_sum(counts) / (float(sum(counts.idf.tolist())) or 1.0)


def tf_sum(counts: QueryCounts) -> Array:
    """Return the number of occurrences of query terms in the document."""
    return counts.tf


def length(counts: QueryCounts) -> Array:
    """Return the length of the document in tokens."""
    return counts.length


def query_length(counts: QueryCounts) -> Array:
    """Return the number of distinct terms of the query, the same for each document."""
    return np.full(len(counts.tf), float(len(counts.idf)))


def query_idf(counts: QueryCounts) -> Array:
    """Return the mean idf of the query terms, the same for each document."""
    return np.full(len(counts.tf), float(sum(counts.idf.tolist())) / max(len(counts.idf), 1))


COUNTED: Mapping[str, Callable[[QueryCounts], Array]] = {
    function.__name__.replace("_", "-"): function
    for function in (coverage, idf_coverage, idf_sum, tf_sum, length, query_length, query_idf)
}
"""Features that are not models, by name."""


class Counted(NamedTuple):
    """Feature of `COUNTED` as a part of a ranker."""

    name: str
    call: str = "counted"
    inside: tuple[()] = ()

    def __str__(self) -> str:
        return self.name


class Feature(NamedTuple):
    """Feature: what gives its values, and their normalisation over the documents of a query."""

    text: str
    source: Model | Ranker | Prior | Counted
    normalisation: str


def feature_of(text: str, model: Find) -> Feature:
    """Parse a feature; `model` finds a model by its name.

    >>> from toysearch.models.registry import model
    >>> feature_of("min-max(coverage)", model).source
    Counted(name='coverage', call='counted', inside=())
    """

    def leaf(name: str) -> Any:
        return Counted(name) if name in COUNTED else model(name)

    others = f" Features that are not models: {', '.join(COUNTED)}"
    text = text.strip()
    part: Any = ranked_by(text, f"feature '{text}'", lambda text: read(text, leaf, prior=True), others)
    normalisation, source = (part.call, part.inside[0]) if part.call in NORMALISATIONS else ("", part)
    if any(isinstance(inside, Counted) for inside in parts_of(source) if inside is not source):
        raise ArgumentError(
            f"feature '{text}': this feature is not a model and stands alone, or in a normalisation.{others}"
        )
    return Feature(text, source, normalisation)


def feature_meaning(text: str, model: Find) -> str:
    """Describe a feature in a few words.

    >>> from toysearch.models.registry import model
    >>> feature_meaning("coverage", model), feature_meaning("min-max(bm25)", model)
    ('share of the distinct query terms that the document contains', 'score of bm25, min-max over the pool')
    """
    _, source, normalisation = feature_of(text, model)
    if isinstance(source, Counted):
        meaning = str(COUNTED[source.name].__doc__).removeprefix("Return the ").partition(";")[0].removesuffix(".")
    elif isinstance(source, Prior):
        meaning = str(source) if source.formula else f"number in {source.source}"
    else:
        meaning = f"score of {source}"
    return f"{meaning}, {normalisation} over the pool" if normalisation else meaning


def ranked_by(text: str, where: str, model: Find, others: str = "") -> Model | Ranker:
    """Find the model of a text, if it can be a part of a ranker; an error names the others that could be meant."""
    if _IN_FILE.search(text):  # also one in a mixture, a wrapper or an option
        raise ArgumentError(f"{where}: a ranker names no Python file, because opening the ranker would run it")
    if _RANKER.search(text):  # also one in a mixture: it could name itself
        raise ArgumentError(f"{where}: a ranker cannot be a part of another one")
    try:
        return model(text)
    except ToysearchError as error:
        end = "." if others and not str(error).endswith((".", "?")) else ""
        raise ArgumentError(f"{where}: {error}{end}{others}") from None


def pool_part(text: str, model: Find) -> PoolPart:
    """Parse a part of the pool.

    >>> from toysearch.models.registry import model
    >>> pool_part("bm25:b=0.4@100", model)
    PoolPart(model='bm25:b=0.4', k=100)
    """
    match = _PART.match(text.strip())
    if match is None:
        raise ArgumentError(f"'{text}' is not a part of a pool; expected MODEL@NUMBER, as in bm25@200")
    return PoolPart(str(ranked_by(match["model"], f"'{text}'", model)), int(match["k"]))


KIND, VERSION = "toysearch-ranker", 1
DESCRIPTION, NODES = "ranker.json", "trees.npy"
DEEPEST = 100  # levels of a tree
_LARGEST = 1 << 28  # bytes of a file


def save_ranker(learned: LearnedRanker, folder: AnyPath) -> Path:
    """Write a ranker to a folder, which is made if it is missing; the description is written last.

    Parameters
    ----------
    learned : LearnedRanker
        The ranker.
    folder : str or path
        The folder.

    Raises
    ------
    ArgumentError
        If the folder holds anything else.
    """
    expect(LearnedRanker, learned=learned)
    path = Path(folder)
    refuse_foreign(path)
    described = {
        "kind": KIND,
        "version": VERSION,
        "learner": learned.learner,
        "features": list(learned.features),
        "pool": [list(part) for part in learned.pool],
        "training": dict(learned.training),
    }
    function, nodes = learned.function, None
    if isinstance(function, Linear):
        arrays = {name: getattr(function, name).tolist() for name in ("weights", "means", "scales")}
        described["linear"] = {"intercept": function.intercept, **arrays}
    else:
        content = io.BytesIO()
        np.lib.format.write_array(content, function.nodes, allow_pickle=False)
        nodes = content.getvalue()
        checksum = hashlib.sha256(nodes).hexdigest()
        described["trees"] = {"base": function.base, "starts": function.starts.tolist(), "sha256": checksum}
    description = json.dumps(described, indent=1, allow_nan=False) + "\n"
    with new_folder(path):
        if nodes is None:
            (path / NODES).unlink(missing_ok=True)  # of an earlier ranker
        else:
            _write(path / NODES, nodes)
        _write(path / DESCRIPTION, description.encode())
    return path


def refuse_foreign(folder: AnyPath) -> None:
    """Refuse a folder for a ranker that is a file or inside one, or that holds anything else."""
    path = Path(folder)
    for folder_or_parent in (path, *path.parents):
        if folder_or_parent.exists() and not folder_or_parent.is_dir():
            raise ArgumentError(f"{folder_or_parent} is a file; name a folder for the ranker")
    others = set(os.listdir(path)) - {DESCRIPTION, NODES} if path.is_dir() else set()
    if others:
        raise ArgumentError(f"{path} holds {min(others)}, which is not a part of a ranker; name another folder")


def open_ranker(folder: AnyPath) -> LearnedRanker:
    """Read the ranker in a folder and check every number before it is used.

    Parameters
    ----------
    folder : str or path
        A folder that `save_ranker` wrote.

    Raises
    ------
    DataError
        If it is not such a folder, or a file in it is damaged.
    """
    path = Path(folder)
    if not os.path.exists(path):
        raise DataError(
            f"{path}: there is no such folder; expected that of a ranker, which `toysearch learn -o` writes"
        )
    if not (path / DESCRIPTION).is_file():
        raise DataError(
            f"{path}: expected the folder of a ranker with {DESCRIPTION}, written by `toysearch learn`; other forms, "
            "such as pickles, are not read, because reading them can run any program"
        )
    try:
        described = json.loads(_read(path / DESCRIPTION))
    except (ValueError, RecursionError) as error:
        raise damaged(path / DESCRIPTION, f"it is not JSON: {error}") from None
    if not isinstance(described, dict) or described.get("kind") != KIND:
        raise damaged(path / DESCRIPTION, f'its kind is not "{KIND}"')
    if described.get("version") != VERSION:
        raise damaged(path / DESCRIPTION, f"its version is {described.get('version')!r}, not {VERSION}")
    try:
        features = tuple(_text(feature) for feature in _sequence(described["features"], "features"))
        if not features or len(set(features)) < len(features):
            raise ValueError("its features are missing, or one of them is given twice")
        pool = []
        for part in _sequence(described["pool"], "pool"):
            model, k = _sequence(part, "part of the pool")
            pool.append(PoolPart(_text(model), _whole(k)))
            if pool[-1].k < 1:
                raise ValueError(f"the pool has {k} documents of {model}")
        if not pool:
            raise ValueError("its pool is empty")
        learner, training = _text(described["learner"]), described["training"]
        if not isinstance(training, dict):
            raise ValueError("'training' is not an object")
        return LearnedRanker(learner, features, tuple(pool), _function(path, described, len(features)), training)
    except DataError:
        raise
    except KeyError as error:
        raise damaged(path / DESCRIPTION, f"{error.args[0]!r} is missing") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise damaged(path / DESCRIPTION, str(error)) from None


def damaged(path: Path, why: str) -> DataError:
    """Return the error of a file that differs from what was written."""
    return DataError(f"{path} is not a ranker that can be used: {why}; learn it again with `toysearch learn`")


def _function(path: Path, described: Mapping[str, Any], n_features: int) -> Function:
    if "linear" in described:
        linear, columns = described["linear"], list[np.ndarray]()
        for name in ("weights", "means", "scales"):
            columns.append(np.array([_number(value, name) for value in _sequence(linear[name], name)], np.float64))
            if len(columns[-1]) != n_features:
                raise ValueError(f"its {name} are {len(columns[-1])} numbers, not {n_features}")
        weights, means, scales = columns
        if not (scales > 0).all():
            raise ValueError("a scale is not above 0")
        return Linear(_number(linear["intercept"], "intercept"), weights, means, scales)
    trees = described["trees"]
    content = _read(path / NODES)
    if hashlib.sha256(content).hexdigest() != trees["sha256"]:
        raise damaged(path / NODES, f"its checksum is not the one in {DESCRIPTION}")
    start = 10 + int.from_bytes(content[8:10], "little")
    n, rest = divmod(max(len(content) - start, 0), NODE.itemsize)
    header = io.BytesIO()
    fields = {"descr": np.lib.format.dtype_to_descr(NODE), "fortran_order": False, "shape": (n,)}
    np.lib.format.write_array_header_1_0(header, fields)
    if rest or content[:start] != header.getvalue():  # it must be the one that numpy writes
        raise damaged(path / NODES, "it is not an array of nodes")
    nodes = np.frombuffer(content, NODE, offset=start)
    starts = np.array([_whole(start) for start in trees["starts"]], np.int64)
    if problem := tree_problem(nodes, starts, n_features):
        raise damaged(path / NODES, problem)
    return Trees(_number(trees["base"], "base"), nodes, starts)


def tree_problem(nodes: np.ndarray, starts: np.ndarray, n_features: int) -> str:
    """Say why nodes are not trees that can be walked from every root to a leaf; "" if they are.

    >>> leaf = np.array([(-1, -1, -1, 0.0, 1.5)], NODE)
    >>> tree_problem(leaf, np.array([0]), 3), tree_problem(leaf, np.array([1]), 3)
    ('', 'its roots are not in rising order from 0')
    """
    ends = np.append(starts[1:], len(nodes))
    if not len(starts) or starts[0] != 0 or (ends <= starts).any():
        return "its roots are not in rising order from 0"
    ends_of_nodes = repeat_each(ends, ends - starts)  # the end of the tree of each node
    inner, places = nodes["feature"] >= 0, np.arange(len(nodes))
    children = np.stack([nodes["left"], nodes["right"]]).astype(np.int64)
    if (children[:, ~inner] != -1).any() or (nodes["feature"] < -1).any():
        return "a leaf has children"
    if (nodes["feature"] >= n_features).any():
        return f"a node branches on a feature beyond the {n_features} of the ranker"
    if (children[:, inner] <= places[inner]).any() or (children[:, inner] >= ends_of_nodes[inner]).any():
        return "a child is not behind its parent in the same tree"
    if not (np.isfinite(nodes["threshold"]).all() and np.isfinite(nodes["value"]).all()):
        return "a number is not finite"
    depth = np.zeros(len(nodes), np.int64)
    for place in np.flatnonzero(inner).tolist():  # parents come first
        below = children[:, place]
        depth[below] = np.maximum(depth[below], depth[place] + 1)
    return f"a tree is deeper than {DEEPEST} levels" if depth.max() > DEEPEST else ""


def _sequence(value: Any, name: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise ValueError(f"its {name} is not a list")
    return value


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r:.40} in {name} is not a finite number")
    return float(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 31:
        raise ValueError(f"{value!r:.40} is not a whole number")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r:.40} is not a text")
    return value


def _read(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():  # such as a link to a device, which may never end
            raise damaged(path, "it is not a file")
        if path.stat().st_size > _LARGEST:
            raise damaged(path, f"it is larger than {_LARGEST >> 20} MB")
        return path.read_bytes()
    except OSError as error:
        raise damaged(path, error.strerror or "it cannot be read") from None


def _write(path: Path, content: bytes) -> None:
    with replacing_bytes(path) as file:
        file.write(content)


def learned_model(text: str, model: Find) -> Ranker:
    """Return the learned ranker of a text ``learned:FOLDER``."""
    folder = text.strip().removeprefix(f"{LEARNED}:")
    if not folder:
        raise ArgumentError(
            f"'{text}' names no folder; expected {LEARNED}:FOLDER, as `toysearch learn -o FOLDER` makes"
        )
    ranker = open_ranker(folder)
    try:
        return as_model(ranker, folder, model)
    except ArgumentError as error:  # such as a feature that this version lacks
        raise damaged(Path(folder) / DESCRIPTION, str(error)) from None


def as_model(learned: LearnedRanker, name: str, model: Find) -> Ranker:
    """Return a learned ranker with a name, and the models and priors that it combines."""
    sources = [feature_of(text, model).source for text in learned.features]
    inside: list[Any] = [ranked_by(part.model, "pool", model) for part in learned.pool]
    inside += [source for source in sources if not isinstance(source, Counted)]
    return Ranker(LEARNED, tuple(dict.fromkeys(inside)), (name, learned))
