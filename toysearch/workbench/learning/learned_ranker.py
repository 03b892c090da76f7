"""Learned ranker: features of a document → a score, by a learned function; its folder, and the model that it is."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import index
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from toysearch.base import ArgumentError, DataError, ToysearchError, expect
from toysearch.files.source import AnyPath
from toysearch.files.writing import new_folder, replacing_bytes
from toysearch.models.calls import LEARNED
from toysearch.models.grammar import read
from toysearch.models.model import Array, Model
from toysearch.models.normalisations import NORMALISATIONS
from toysearch.models.prior import Prior
from toysearch.models.rankers import Ranker, parts_of
from toysearch.workbench.learning.learners import Boosted, Function, Linear, TrainingRows, learner_of

__all__ = ["LearnedRanker", "open_ranker", "save_ranker"]


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
        The learner with its settings, such as ``boosting:trees=50``.
    features : tuple of str
        The features, as `toysearch.workbench.learning.learned_scorer` reads them.
    pool : tuple of PoolPart
        The documents to re-rank: the best of each model.
    function : Linear or Boosted
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
DESCRIPTION, ROWS = "ranker.json", "rows.f64"
_ARRAYS = ("weights", "means", "scales")  # of a linear function
_LARGEST = 1 << 28  # bytes of a file


def save_ranker(learned: LearnedRanker, folder: AnyPath) -> Path:
    """Write a ranker to a folder, which is made if it is missing; the description is written last.

    Raises
    ------
    ArgumentError
        If the folder holds anything else.
    """
    expect(LearnedRanker, learned=learned)
    path, function = Path(folder), learned.function
    refuse_foreign(path)
    described: dict[str, Any] = {"kind": KIND, "version": VERSION}
    described |= {name: getattr(learned, name) for name in ("learner", "features", "pool", "training")}
    with new_folder(path):
        (path / ROWS).unlink(missing_ok=True)  # of an earlier ranker
        if isinstance(function, Linear):
            arrays = {name: getattr(function, name).tolist() for name in _ARRAYS}
            described["linear"] = {"intercept": function.intercept, **arrays}
        else:
            rows = np.column_stack([function.features, function.relevant]).astype("<f8").tobytes()
            checksums = {"sha256": _checksum(rows), "scores": _checksum_of(function)}
            described["boosted"] = {"seed": function.seed, **checksums}
            _write(path / ROWS, rows)
        _write(path / DESCRIPTION, (json.dumps(described, indent=1, allow_nan=False) + "\n").encode())
    return path


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _checksum_of(function: Boosted) -> str:
    """Return the checksum of the scores of the training rows, which another version of scikit-learn would change."""
    return _checksum(function.scores(function.features).astype("<f8").tobytes())


def refuse_foreign(folder: AnyPath) -> None:
    """Refuse a folder for a ranker that is a file or inside one, or that holds anything else."""
    path = Path(folder)
    for folder_or_parent in (path, *path.parents):
        if folder_or_parent.exists() and not folder_or_parent.is_dir():
            raise ArgumentError(f"{folder_or_parent} is a file; name a folder for the ranker")
    others = set(os.listdir(path)) - {DESCRIPTION, ROWS} if path.is_dir() else set()
    if others:
        raise ArgumentError(f"{path} holds {min(others)}, which is not a part of a ranker; name another folder")


def open_ranker(folder: AnyPath) -> LearnedRanker:
    """Read the ranker in a folder that `save_ranker` wrote; its numbers are checked before they are used.

    Raises
    ------
    DataError
        If it is not such a folder, or a file in it is damaged.
    """
    path = Path(folder) / DESCRIPTION
    if not os.path.exists(folder):
        raise DataError(
            f"{folder}: there is no such folder; expected that of a ranker, which `toysearch learn -o` writes"
        )
    if not path.is_file():
        raise DataError(
            f"{folder}: expected the folder of a ranker with {DESCRIPTION}, written by `toysearch learn`; other forms, "
            "such as pickles, are not read, because reading them can run any program"
        )
    try:
        described = json.loads(_read(path))
        if (described["kind"], described["version"]) != (KIND, VERSION):
            raise ValueError(f"it is not a {KIND} of version {VERSION}")
        features = tuple(map(str, described["features"]))
        pool = tuple(PoolPart(str(model), index(k)) for model, k in described["pool"])
        if not (features and pool and all(0 < part.k < 1 << 31 for part in pool)):
            raise ValueError("it has no features, or no documents to re-rank")
        function = (
            _linear(described["linear"], len(features)) if "linear" in described else _boosted(path.parent, described)
        )
        return LearnedRanker(str(described["learner"]), features, pool, function, dict(described["training"]))
    except DataError:
        raise
    except KeyError as error:
        raise damaged(path, f"{error.args[0]!r} is missing") from None
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise damaged(path, str(error)) from None


def damaged(path: Path, why: str) -> DataError:
    """Return the error of a file that differs from what was written."""
    return DataError(f"{path} is not a ranker that can be used: {why}; learn it again with `toysearch learn`")


def _linear(described: Mapping[str, Any], n_features: int) -> Linear:
    numbers = np.array([described[name] for name in _ARRAYS], np.float64)
    intercept = float(described["intercept"])
    if numbers.shape != (3, n_features):
        raise ValueError(f"its weights, means and scales are not {n_features} numbers each")
    if not np.isfinite([intercept, *numbers.ravel()]).all() or not (numbers[2] > 0).all():
        raise ValueError("expected finite weights and means, and scales above 0")
    return Linear(intercept, *numbers)


def _boosted(folder: Path, described: Mapping[str, Any]) -> Boosted:
    """Fit the trees again to the rows that were kept."""
    boosted, content = described["boosted"], _read(folder / ROWS)
    if _checksum(content) != boosted["sha256"]:
        raise damaged(folder / ROWS, f"its checksum is not the one in {DESCRIPTION}")
    rows = np.frombuffer(content, "<f8").reshape(-1, len(described["features"]) + 1).astype(np.float64)
    if not np.isfinite(rows).all():
        raise damaged(folder / ROWS, "a number is not finite")
    training = TrainingRows(rows[:, :-1].copy(), rows[:, -1] > 0)
    function = learner_of(described["learner"]).learn(training, index(boosted["seed"]))
    if not isinstance(function, Boosted) or _checksum_of(function) != boosted["scores"]:
        raise damaged(folder / ROWS, "this version of scikit-learn learns other trees from it")
    return function


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
