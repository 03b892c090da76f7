"""The features that a learned ranker can take: models, priors, and counts of a query in a document."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from toysearch.base.errors import ArgumentError, ToysearchError
from toysearch.models.mixture import LEARNED, NORMALISATIONS, PREFIX, Mixture, Prior
from toysearch.models.model import Array, Model
from toysearch.models.ranker import PoolPart
from toysearch.models.registry import model as find_model

DEFAULT_POOL = (PoolPart("bm25", 200),)
"""The documents that are re-ranked by default."""

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
"""The features of a ranker for which none are named."""

_NORMALISED = re.compile(rf"({'|'.join(map(re.escape, NORMALISATIONS))})\((.*)\)\Z", re.DOTALL)
_IN_FILE = re.compile(r"\.py\s*:", re.IGNORECASE)
_RANKER = re.compile(rf"(?<![\w:./-]){LEARNED}")
_PART = re.compile(r"(?P<model>.+)@(?P<k>[1-9][0-9]{0,8})\Z", re.DOTALL)


class QueryCounts(NamedTuple):
    """The counts of a query in some documents."""

    idf: Array  # (n_terms,) of the distinct terms of the query, unknown ones included
    contained: np.ndarray  # (n_docs, n_terms) bool
    tf: Array  # (n_docs,) the occurrences of query terms
    length: Array  # (n_docs,) tokens of the document


def coverage(counts: QueryCounts) -> Array:
    """The share of the distinct query terms that the document contains."""
    return np.asarray(counts.contained.sum(1) / max(len(counts.idf), 1))


def idf_sum(counts: QueryCounts) -> Array:
    """The sum of the idf of the query terms that the document contains; idf = ln(1 + (N − df + 0.5) / (df + 0.5))."""
    total = np.zeros(len(counts.contained))
    for idf, contained in zip(counts.idf.tolist(), counts.contained.T, strict=True):
        total = total + idf * contained
    return total


def idf_coverage(counts: QueryCounts) -> Array:
    """The idf-sum as a share of that of all query terms."""
    return idf_sum(counts) / (float(sum(counts.idf.tolist())) or 1.0)


def tf_sum(counts: QueryCounts) -> Array:
    """The number of occurrences of query terms in the document."""
    return counts.tf


def length(counts: QueryCounts) -> Array:
    """The length of the document in tokens."""
    return counts.length


def query_length(counts: QueryCounts) -> Array:
    """The number of distinct terms of the query, the same for each document."""
    return np.full(len(counts.tf), float(len(counts.idf)))


def query_idf(counts: QueryCounts) -> Array:
    """The mean idf of the query terms, the same for each document."""
    return np.full(len(counts.tf), float(sum(counts.idf.tolist())) / max(len(counts.idf), 1))


COUNTED: Mapping[str, Callable[[QueryCounts], Array]] = {
    function.__name__.replace("_", "-"): function
    for function in (coverage, idf_coverage, idf_sum, tf_sum, length, query_length, query_idf)
}
"""The features that are not models, by name."""


class Feature(NamedTuple):
    """A feature: a model, a prior or one of `COUNTED`, and its normalisation over the documents of a query."""

    text: str
    source: Model | Mixture | Prior | str
    normalisation: str = ""

    @property
    def models(self) -> tuple[Model | Mixture, ...]:
        """The model, if it is one."""
        return () if isinstance(self.source, str | Prior) else (self.source,)


def feature_of(text: str) -> Feature:
    """The feature of a text.

    >>> feature_of("min-max(coverage)")
    Feature(text='min-max(coverage)', source='coverage', normalisation='min-max')
    """
    text = text.strip()
    match = _NORMALISED.match(text)
    normalisation, inside = match.groups() if match and _is_whole(match[2]) else ("", text)
    if inside in COUNTED:
        return Feature(text, inside, normalisation)
    if inside.startswith(PREFIX) and not set(inside) & set("+*"):
        return Feature(text, Prior(inside.removeprefix(PREFIX)), normalisation)
    others = f" Features that are not models: {', '.join(COUNTED)}"
    return Feature(text, ranked_by(inside, f"feature '{text}'", others), normalisation)


def feature_meaning(text: str) -> str:
    """What a feature is, in a few words.

    >>> feature_meaning("coverage"), feature_meaning("min-max(bm25)")
    ('share of the distinct query terms that the document contains', 'score of bm25, min-max over the pool')
    """
    feature = feature_of(text)
    if isinstance(feature.source, str):
        told = (COUNTED[feature.source].__doc__ or "").removeprefix("The ").partition(";")[0].removesuffix(".")
    elif isinstance(feature.source, Prior):
        told = f"number in {feature.source.source}"
    else:
        told = f"score of {feature.source}"
    return f"{told}, {feature.normalisation} over the pool" if feature.normalisation else told


def ranked_by(text: str, where: str, others: str = "") -> Model | Mixture:
    """The model of a text, if it can be a part of a ranker; otherwise an error, with the others that could be meant."""
    if _IN_FILE.search(text):  # also one in a mixture, a wrapper or an option
        raise ArgumentError(f"{where}: a ranker names no Python file, because opening the ranker would run it")
    if _RANKER.search(text):  # also one in a mixture: it could name itself
        raise ArgumentError(f"{where}: a ranker cannot be a part of another one")
    try:
        return find_model(text)
    except ToysearchError as error:
        end = "." if others and not str(error).endswith((".", "?")) else ""
        raise ArgumentError(f"{where}: {error}{end}{others}") from None


def _is_whole(inside: str) -> bool:
    """Whether the brackets around a text belong together."""
    depth = 0
    for sign in inside:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return False
    return depth == 0


def pool_part(text: str) -> PoolPart:
    """A part of the pool.

    >>> pool_part("bm25:b=0.4@100")
    PoolPart(model='bm25:b=0.4', k=100)
    """
    match = _PART.match(text.strip())
    if match is None:
        raise ArgumentError(f"'{text}' is not a part of a pool; expected MODEL@NUMBER, as in bm25@200")
    return PoolPart(str(ranked_by(match["model"], f"'{text}'")), int(match["k"]))
