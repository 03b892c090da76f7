"""A model of vectors over an index: every document has a score, whether or not it shares a word with the query.

The vectors are those of latent topics, or those that the user brings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from toysearch.base import (
    EQUAL,
    IN_FILE,
    PRODUCT,
    SUM,
    ArgumentError,
    DataError,
    Explanation,
    count_each,
    counted,
    functions_of,
    line_in,
    module_of,
    note,
    unknown,
)
from toysearch.corpus.catalog import bundled, is_name
from toysearch.formats.vector_files import read_vectors
from toysearch.index import NOISE, Index, LatentTopics, idf
from toysearch.models import DIMENSIONS, Array, DenseVectors, ImpactVectors, LatentModel
from toysearch.search.nearest_vectors import Points, nearest
from toysearch.search.scoring import QueryTerms, Ranked, Scorer, highest

_AT_ONCE = 64  # queries that one pass over the vectors serves
_NAMED = 10  # topics with the largest shares, which are described by terms
_TERMS = 4  # that describe a topic


class Vectors(Protocol):
    """The vectors of the documents of an index, and of queries."""

    points: Points

    def of_query(self, query: QueryTerms) -> Array | None:
        """The vector of a query; None if it has none, and so no document is ranked."""


class LatentVectors:
    """Documents and queries in the space of latent topics."""

    def __init__(self, index: Index, model: LatentModel) -> None:
        self.index = index
        self.topics = topics_of(index, model)
        self.points = Points(self.topics.documents, cosine=True)

    def of_query(self, query: QueryTerms) -> Array | None:
        """The sum of the entries of the query terms, each times its count and its idf; None if no topic has any."""
        if query.document >= 0:
            row = self.topics.documents[query.document].astype(np.float64)
            return row if row.any() else None
        numbers, weights = self.weights(query)
        vector: Array = (self.topics.terms[numbers] * weights[:, None]).sum(axis=0)
        has_direction = np.sqrt(np.square(vector).sum()) > NOISE * np.sqrt(np.square(weights).sum())
        return vector if has_direction else None

    def weights(self, query: QueryTerms) -> tuple[np.ndarray, Array]:
        """The terms of the index in a query, by rising number, and their weights: count times idf.

        Those of a document are the weights of its row of the matrix.
        """
        terms, weights = word_counts(self.index, query)
        idf_of_terms = idf(self.index.df_by_term[terms], self.index.stats.N)
        if query.document < 0:
            return terms, weights * idf_of_terms
        weights = np.log1p(weights) * idf_of_terms
        return terms, weights / (np.sqrt(np.square(weights).sum()) or 1.0)


def word_counts(index: Index, query: QueryTerms) -> tuple[np.ndarray, Array]:
    """The terms of a query by rising number, and their counts; words of phrases and patterns count too."""
    n_terms = index.stats.n_terms
    of_index = query.numbers < n_terms
    numbers, counts = [query.numbers[of_index]], [query.qtf[of_index]]
    for number, qtf in zip(query.numbers[~of_index].tolist(), query.qtf[~of_index].tolist(), strict=True):
        term = query.derived[number - n_terms]
        words = np.concatenate([term.terms, *(np.array(phrase.terms, dtype=np.int64) for phrase in term.phrases)])
        numbers.append(words)
        counts.append(np.full(len(words), qtf))
    terms, places = np.unique(np.concatenate(numbers), return_inverse=True)
    return terms, count_each(places, np.concatenate(counts), len(terms))


def topics_of(index: Index, model: LatentModel) -> LatentTopics:
    """The topics of an index for a model; one without a number takes those that are stored."""
    stored = index.latent_topics
    return index.topics(model.dimensions or (stored.dimensions if stored else DIMENSIONS))


class VectorScorer:
    """A model of vectors over an index."""

    def __init__(self, index: Index, vectors: Vectors, model: LatentModel | DenseVectors) -> None:
        self.index = index
        self.vectors = vectors
        self.model = model

    def prepare(self, terms: Iterable[int]) -> None:
        """Terms need no weights."""

    def score(self, query: QueryTerms) -> Ranked:
        """All documents, or those that the structure of the query matches, by ascending number, and their scores."""
        vector = self.vectors.of_query(query)
        if vector is None:
            docs = np.zeros(0, np.int64) if query.matched is None else query.matched
            return docs, np.zeros(len(docs))
        scores = self.vectors.points.all_scores(vector)
        if query.matched is not None:
            return query.matched, scores[query.matched]
        return np.arange(len(scores)), scores

    def best(self, queries: Sequence[QueryTerms], k: int | None, threads: int | None = None) -> Sequence[Ranked]:
        """The k best documents of each query, best first, ties by number; all documents if k is None."""
        ranked: list[Ranked] = []
        for start in range(0, len(queries), _AT_ONCE):
            ranked += self._best(queries[start : start + _AT_ONCE], k)
        return ranked

    def explained(self, query: QueryTerms, doc_id: str) -> Explanation:
        """Why a document has its score under a model of vectors; 0 for a document that only the structure matches.

        The shares of the query terms add up to the score, and so do those of the topics, or of the dimensions of
        vectors of the user, which have no terms. The largest shares come first.
        """
        vectors, number, model = self.vectors, self.index.doc_number(doc_id), str(self.model)
        point, vector = vectors.points.row(number), vectors.of_query(query)
        if vector is None:
            return Explanation(model, 0.0, EQUAL, {}, (Explanation(model, 0.0, kind="product"),), "vectors")
        score = float(vectors.points.all_scores(vector)[number])
        scale, lengths = 1.0, [1.0, 1.0]
        if vectors.points.cosine:
            product = float(np.sqrt(np.square(point).sum()) * np.sqrt(np.square(vector).sum()))
            scale = 1 / product if product else 0.0
            lengths = [float(np.sqrt(np.square(entries).sum())) or 1.0 for entries in (vector, point)]
        topics = vectors if isinstance(vectors, LatentVectors) else None
        shares, axes = point * vector * scale, []
        for place, axis in enumerate(np.argsort(-np.abs(shares), kind="stable").tolist()):
            # The entries of both vectors, divided by their lengths if the score is a cosine.
            entries = zip(("query", "document"), (vector, point), lengths, strict=True)
            factors = tuple(Explanation(name, float(values[axis] / length)) for name, values, length in entries)
            words = {}
            if topics is not None and place < _NAMED:
                of_terms = topics.topics.terms[:, axis]
                strongest = np.argsort(-np.abs(of_terms), kind="stable")[:_TERMS].tolist()
                pairs = ((topics.index.term(term), of_terms[term]) for term in strongest)
                words["terms"] = tuple(f"−{term}" if entry < 0 else term for term, entry in pairs)
            kind = "dimension" if topics is None else "topic"
            axes.append(Explanation(str(axis + 1), float(shares[axis]), PRODUCT, words, factors, kind))
        terms = [] if topics is None else _dimension_terms(topics, query, number, point * scale)
        by_terms = (
            Explanation("terms", score, SUM, {}, tuple(terms)) if terms else Explanation(model, score, kind="product")
        )
        by_axes = Explanation("axes", score, SUM, {}, tuple(axes))
        return Explanation(model, score, EQUAL, {}, (by_terms, by_axes), "vectors")

    def _best(self, queries: Sequence[QueryTerms], k: int | None) -> list[Ranked]:
        if k is None or k >= len(self.vectors.points.matrix) or any(query.matched is not None for query in queries):
            return [highest(self.score(query), k) for query in queries]
        vectors = [self.vectors.of_query(query) for query in queries]
        nearest_of_each = iter(nearest(self.vectors.points, [vector for vector in vectors if vector is not None], k))
        return [(np.zeros(0, np.int64), np.zeros(0)) if vector is None else next(nearest_of_each) for vector in vectors]


def _dimension_terms(vectors: LatentVectors, query: QueryTerms, number: int, point: np.ndarray) -> list[Explanation]:
    """The shares of the query terms, which the document need not contain."""
    # The vector of a query is the weighted sum of those of its terms.
    index = vectors.index
    numbers, weights = vectors.weights(query)
    shares = weights * (vectors.topics.terms[numbers].astype(np.float64) @ point)
    counts = dict(zip(*(column.tolist() for column in index.blocks.of_document(number)), strict=True))
    terms = [
        Explanation(index.term(term), share, "", {"weight": weight, "tf": counts.get(term, 0)}, kind="term")
        for term, weight, share in zip(numbers.tolist(), weights.tolist(), shares.tolist(), strict=True)
    ]
    return sorted(terms, key=lambda term: (-term.value, term.label))


def vector_scorer(model: LatentModel | DenseVectors, index: Index) -> Scorer:
    """The scorer of a model of vectors over an index."""
    if isinstance(model, LatentModel):
        return VectorScorer(index, LatentVectors(index, model), model)
    if isinstance(model, ImpactVectors):
        from toysearch.search.impact_scorer import ImpactScorer  # most vectors are not of terms

        return ImpactScorer(index, model)
    return VectorScorer(index, user_vectors(index, _with_files(model)), model)


def _with_files(model: DenseVectors) -> DenseVectors:
    """A model that names a collection that comes with toysearch, dense:companions, with the vectors in its folder."""
    if not is_name(model.source) or not (folder := bundled(model.source)).is_dir():
        return model  # the code beside the vectors of a stranger is not run
    files = sorted(folder.rglob("vectors.npy"))
    if not files:
        raise ArgumentError(f"collection '{model.source}' comes without vectors; name a file: dense:vectors.npy")
    return replace(model, source=str(files[0]), queries=model.queries or f"{files[0].with_name('embed.py')}:embed")


_TEXTS = 1 << 12  # whose vectors a function makes once


class UserVectors:
    """The vectors of a file for the documents of an index, and those of queries."""

    def __init__(self, index: Index, model: DenseVectors) -> None:
        self.model = model
        ids, matrix = read_vectors(model.source, model.ids)
        rows, docs = in_index(index, model.source, ids)
        if docs is not None and len(rows) < len(ids):
            matrix, ids = matrix[rows], [ids[row] for row in rows.tolist()]
        self.points = Points(matrix, model.similarity == "cosine", docs)
        _refuse_wrong(model.source, self.points.lengths, ids)
        self._of_words = query_vectors(model, _vectors_by_id, lambda vector: np.asarray(vector, dtype=np.float64))

    def of_query(self, query: QueryTerms) -> Array | None:
        """The vector of a query, by its id or made from its text; None for zeros, which have no direction."""
        vector = self.points.row(query.document) if query.document >= 0 else self._of_words(query)
        d = self.points.matrix.shape[1]
        if vector.shape != (d,) or not np.isfinite(vector).all():
            wrong = "numbers that are not finite" if vector.shape == (d,) else f"an array of the shape {vector.shape}"
            raise DataError(f"{self.model.queries} gives {wrong} for a query; expected {counted(d, 'number')}")
        return vector if vector.any() or not self.points.cosine else None


def in_index(index: Index, source: str, ids: Sequence[str]) -> tuple[np.ndarray, np.ndarray | None]:
    """The rows of vectors whose documents an index has, and the numbers of these; None if both have one order."""
    doc_ids = list(index.doc_ids)
    if list(ids) == doc_ids:
        return np.arange(len(doc_ids)), None
    numbers = {doc_id: number for number, doc_id in enumerate(doc_ids)}
    docs = np.array([numbers.get(doc_id, -1) for doc_id in ids], dtype=np.int64)
    rows = np.flatnonzero(docs >= 0)
    if len(rows) < len(doc_ids):
        missing = np.setdiff1d(np.arange(len(doc_ids)), docs)
        others = f" and {counted(len(missing) - 1, 'other')}" if len(missing) > 1 else ""
        raise DataError(
            f"{source} has no vector of document '{doc_ids[int(missing[0])]}'{others}; each document needs one"
        )
    if len(rows) < len(docs):
        note(f"{source}: {counted(len(docs) - len(rows), 'vector')} of documents that the index does not have")
    return rows, docs[rows]


def _vectors_by_id(source: str) -> dict[str, Array]:
    """The vectors of queries in a file."""
    queries = read_vectors(source)
    _refuse_wrong(source, Points(queries.matrix, cosine=False).lengths, queries.ids)
    return {query_id: np.asarray(row, np.float64) for query_id, row in zip(*queries, strict=True)}


def query_vectors(
    model: DenseVectors, read: Callable[[str], Mapping[str, Any]], convert: Callable[[Any], Any]
) -> Callable[[QueryTerms], Any]:
    """What gives a query its vector: a function of the user, or a file that is read, by the id of the query."""
    if IN_FILE.fullmatch(model.queries):
        of_text = lru_cache(_TEXTS)(_function(model.queries, convert))
        return lambda query: of_text(query.text)
    by_id = read(model.queries) if model.queries else None

    def of_id(query: QueryTerms) -> Any:
        if by_id is None:
            raise ArgumentError(f"'{model}' has no vectors of queries; add queries=FILE or queries=mine.py:embed")
        if not query.query_id:
            raise ArgumentError(
                f"{model.queries} has vectors of queries by their ids; give the id of a query, or a function "
                "that makes vectors of texts, queries=mine.py:embed"
            )
        if query.query_id not in by_id:
            raise DataError(f"{model.queries} has no vector of query '{query.query_id}'")
        return by_id[query.query_id]

    return of_id


def _refuse_wrong(source: str, lengths: np.ndarray, ids: Any) -> None:
    """Refuse vectors with NaN or an infinity."""
    wrong = np.flatnonzero(~np.isfinite(lengths))
    if len(wrong):
        raise DataError(
            f"{source}: the vector of '{ids[int(wrong[0])]}' has a number that is not finite, or is too long"
        )


def _function(name: str, convert: Callable[[Any], Any]) -> Callable[[str], Any]:
    """The function of the user that makes the vector of a text."""
    match = IN_FILE.fullmatch(name)
    assert match is not None
    path = Path(match["file"])
    if match["parameters"]:
        raise ArgumentError(f"'{name}': expected a file and the name of a function in it, as in mine.py:embed")
    try:
        module = module_of(path, path.read_bytes(), ArgumentError)
    except OSError as error:
        raise ArgumentError(
            f"{path}: {error.strerror}; a function that makes vectors is given as FILE.py:NAME"
        ) from None
    function = getattr(module, match["name"], None)
    if not callable(function):
        raise unknown(f"function in {path}", match["name"], functions_of(module), f"functions of {path}")

    def vector(text: str) -> Any:
        try:
            return convert(function(text))
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
            raise ArgumentError(
                f"{path}:{line_in(error, str(path))}: {name} raised {problem}, for {text!r:.60}"
            ) from error

    return vector


def user_vectors(index: Index, model: DenseVectors, read: Callable[[Index, Any], Any] = UserVectors) -> Any:
    """The vectors of a model, read once for an index as long as their files do not change."""
    stamps = [(path.stat().st_mtime_ns, path.stat().st_size) for path in map(Path, model.files) if path.exists()]
    if model not in index.memo or index.memo[model][0] != stamps:
        index.memo.pop(model, None)  # first, so that both versions are never in memory
        index.memo[model] = stamps, read(index, model)
    return index.memo[model][1]
