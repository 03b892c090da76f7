"""The score of a document explained: by terms for a model, by models for a mixture, by features for a ranker."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toysearch.base import (
    DIFFERENCE,
    EQUAL,
    LOWEST,
    PRODUCT,
    SUM,
    Explanation,
    Part,
    PartName,
    Query,
    Result,
    checked,
    summary,
)
from toysearch.index.inverted_index import Index
from toysearch.index.postings import contained
from toysearch.models import COLLECTION, COMBINE, SIMILARITIES, Array, call, names_of
from toysearch.models.ranker import Linear
from toysearch.query.syntax import Node
from toysearch.search import QueryTerms, SearcherLike, Weights, in_turn, plan, searcher_of, term_counts, term_text
from toysearch.search.expansions import EXPANSIONS
from toysearch.search.learned_scorer import LearnedScorer, learned_scores, with_rest
from toysearch.search.mixture_scorer import FactorScores, MixtureScorer
from toysearch.search.relevance_feedback import Expansion, expanded, known_feedback, wrapped
from toysearch.search.scoring import (
    ModelScorer,
    Plan,
    Scorer,
    derived_term,
    document_part,
    finish,
    in_blocks,
    postings_in,
    score,
)
from toysearch.search.vector_scorer import LatentVectors, VectorScorer

if TYPE_CHECKING:
    from toysearch.search.derived_terms import DerivedTerm

__all__ = ["ScoreExplanation", "TermShare", "explain", "explain_again", "explain_expansion"]


class TermShare(NamedTuple):
    """The share of one query term in a document's score.

    Attributes
    ----------
    term : str
        The term.
    qtf : float
        Its count in the query.
    query_weight : float
        q, its weight in the query.
    statistics : dict of str to float
        The statistics of the posting that the model uses: tf, df, dl, …
    parts : dict of str to float
        The named intermediate values of the model's code: idf, length, …
    weight : float
        d, the term's weight in the document.
    share : float
        Its share of the score.
    """

    term: str
    qtf: float
    query_weight: float
    statistics: dict[str, float]
    parts: dict[str, float]
    weight: float
    share: float


def term_shares(score: Explanation) -> list[TermShare]:
    """The query terms in a document, in the order in which they are added: a row for each term of a score.

    >>> import toysearch
    >>> why = toysearch.explain(toysearch.Searcher(["the cat sat", "a cat", "the dog"], "overlap"), "cat dog", "1")
    >>> term_shares(why.tree)[0]
    TermShare(term='cat', qtf=1.0, query_weight=1.0, statistics={'tf': 1.0}, parts={}, weight=1.0, share=1.0)
    """
    shares = []
    for term in score.of_kind("term"):
        weight, query_weight = (term.parts[0].parts or term.parts)[:2]
        statistics = {name: value for name, value in term.quantities.items() if name != "positions"}
        qtf = query_weight.quantities["qtf"]
        row = TermShare(
            term.label, qtf, query_weight.value, statistics, {**weight.quantities}, weight.value, term.value
        )
        shares.append(row)
    return shares


def explain_plan(weights: Weights, planned: Plan, doc_id: str) -> Explanation:
    """The parts of a document's score for the terms of a text, or of another document."""
    model, similarity = weights.model, weights.model.similarity
    number = weights.index.doc_number(doc_id)
    rows, places = [], []
    for row, term in enumerate(planned.terms):
        place = int(np.searchsorted(term.docs, number))
        if place < len(term.docs) and term.docs[place] == number:
            rows.append(row)
            places.append(place)
    weight_of = np.array([planned.terms[row].weights[place] for row, place in zip(rows, places, strict=True)])
    products = COMBINE[similarity.combine](planned.query_weights[rows], weight_of.astype(np.float64))
    names, norms = names_of(similarity.function), planned.norms
    if "dd" in names:
        norms["dd"] = float(weights.squared_norms[number])
    if "d1" in names:
        norms["d1"] = float(weights.absolute_norms[number])
    norms = {name: norms[name] for name in ("dd", "qq", "d1", "q1") if name in names}
    total = _total(weights, planned, number, products, norms)
    terms = _terms(
        weights, planned, number, rows, weight_of.tolist(), products.tolist(), (products * total.scale).tolist()
    )
    others = {"per_matched_document": total.every * total.scale, "document": total.document * total.scale + total.apart}
    texts = [term_text(weights.index, planned.query, number) for number in planned.query.numbers.tolist()]
    parts = (
        *terms,
        *(Explanation("", value, kind=kind) for kind, value in others.items() if value),
        *(Explanation(text, 0.0, kind="absent") for row, text in enumerate(texts) if row not in rows),
        *(Explanation(text, 0.0, kind="unknown") for text in planned.query.unknown),
    )
    collection = {
        name: value for name, value in weights.constants.items() if (name in model.statistics or name not in COLLECTION)
    }
    formula = similarity.formula or f"{similarity.name}({', '.join(names_of(similarity.function))})"
    if total.score is None or formula == "s":
        score = math.nan if total.score is None else total.score
        return Explanation(str(model), score, SUM, collection, parts, "model")
    s = Explanation("s", total.s or 0.0, "Σ min(weight, q)" if similarity.combine == "min" else "Σ weight · q")
    ways = (
        Explanation("sum", total.score, SUM, parts=parts),
        Explanation("similarity", total.score, formula, norms, (s,), "similarity"),
    )
    return Explanation(str(model), total.score, EQUAL, collection, ways, "model")


class _Total(NamedTuple):
    """A score as ``scale`` · s + ``apart``, where s is the sum of its parts; None if not ranked."""

    score: float | None
    s: float | None
    every: float
    document: float
    scale: float
    apart: float


def _total(weights: Weights, planned: Plan, number: int, products: Array, norms: dict[str, float]) -> _Total:
    """The score of a document whose terms add these products, computed as in a search."""
    if not len(products):
        return _without_terms(weights, planned, number)
    docs, shared = np.array([number]), in_turn(products)
    every, document = in_turn(planned.every), float(document_part(weights, planned, docs)[0])
    s = (shared + every) + document
    score = float(finish(weights, planned, docs, np.array([shared]))[0])
    model = weights.model
    # The similarity of a document and a query that share nothing: 0 except for distances.
    with np.errstate(all="ignore"):
        apart = float(np.ravel(call(model.similarity.function, {"s": np.zeros(1), **norms}, model.parameters))[0])
    apart = apart if np.isfinite(apart) else 0.0
    # If the score is the sum itself, it is not scaled, even if its parts cancel out.
    unscaled = weights.model.similarity is SIMILARITIES["dot"]
    scale = 1.0 if unscaled else (score - apart) / s if s else 0.0
    return _Total(score, s, every, document, scale, apart)


def _without_terms(weights: Weights, planned: Plan, number: int) -> _Total:
    """The score of a document without a query term: None unless the structure of the query matches it."""
    matched, docs = planned.query.matched, np.array([number])
    if matched is None or not contained(docs, matched)[0]:
        return _Total(None, None, 0.0, 0.0, 0.0, 0.0)
    _, scores = score(weights, plan(weights, planned.query._replace(matched=docs)))
    every, document = in_turn(planned.every), float(document_part(weights, planned, docs)[0])
    return _Total(float(scores[0]), every + document, every, document, 1.0, 0.0)


def _terms(
    weights: Weights,
    planned: Plan,
    number: int,
    rows: list[int],
    term_weights: list[float],
    products: list[float],
    shares: list[float],
) -> list[Explanation]:
    """The share of each term that the document holds: its weight times its query weight, or the smaller of the two."""
    if not rows:
        return []
    index, query, numbers = weights.index, planned.query, planned.query.numbers[rows].tolist()
    postings = _postings(index, query, numbers, number)
    inputs = weights.statistics(
        np.full(len(rows), number),
        np.concatenate([posting.tf for posting in postings]),
        {name: column[rows] for name, column in term_counts(index, query).items()},
        lambda field: np.concatenate([posting.field_tf[index.fields.name(field)] for posting in postings]),
    )
    statistics = {name: inputs[name] for name in weights.model.statistics if isinstance(inputs[name], np.ndarray)}
    values = {
        name: np.broadcast_to(np.asarray(value, dtype=np.float64), (len(rows),))
        for name, value in _locals_of(weights, inputs).items()
        if name not in inputs
        and name not in weights.model.parameters
        and (isinstance(value, (int, float, np.ndarray, np.generic)) and np.shape(value) in ((), (len(rows),)))
    }
    terms = []
    for i, row in enumerate(rows):
        of_code = {name: float(column[i]) for name, column in values.items()}
        weight = Explanation("weight", term_weights[i], "", of_code, kind="weight")
        query_weight = Explanation("q", float(planned.query_weights[row]), "", {"qtf": float(query.qtf[row])})
        factors: tuple[Explanation, ...] = (weight, query_weight)
        if weights.model.similarity.combine == "min":
            factors = (Explanation("min", products[i], LOWEST, parts=factors),)
        if products[i] != shares[i] and products[i]:
            factors = (*factors, Explanation("scale", shares[i] / products[i]))
        quantities: dict[str, Any] = {name: float(column[i]) for name, column in statistics.items()}
        derived = derived_term(index, query, numbers[i])
        if derived is not None and (positions := derived.positions(index, number)):
            quantities["positions"] = positions
        text = term_text(index, query, numbers[i])
        terms.append(Explanation(text, shares[i], PRODUCT, quantities, factors, "term"))
    return terms


def _postings(index: Index, query: QueryTerms, numbers: list[int], doc: int) -> list[DerivedTerm]:
    """The posting of each of some terms in a document that holds them all."""
    docs, postings = np.array([doc]), {}
    if index.fields.names:  # whose counts are found among those of all postings: of many terms at once
        from toysearch.search.derived_terms import DerivedTerm  # an index without fields does not need it

        of_index = [number for number in numbers if number < index.stats.n_terms]
        for some in in_blocks(index, of_index):
            holders, tf = index.blocks.of_terms(some)
            rows = np.flatnonzero(holders == doc)
            of_fields = {name: index.field_tf(name, some)[rows] for name in index.fields.names}
            for at, number in enumerate(some.tolist()):
                field_tf = {name: counts[at : at + 1] for name, counts in of_fields.items()}
                postings[number] = DerivedTerm("", docs, tf[rows[at : at + 1]], field_tf)
    return [postings.get(number) or postings_in(index, query, number, docs) for number in numbers]


def _locals_of(weights: Weights, inputs: dict[str, Any]) -> dict[str, Any]:
    """The local variables of the model's function when it returns."""
    # A function without local variables (a formula) has a method that returns its parts.
    function = weights.model.function
    if hasattr(function, "parts"):
        arguments = {**inputs, **weights.model.parameters}
        with np.errstate(all="ignore"):
            values: dict[str, Any] = function.parts(**{name: arguments[name] for name in names_of(function)})
        return values
    code = getattr(function, "__code__", None)
    variables: dict[str, Any] = {}

    def watch(frame: Any, event: str, _: Any) -> None:
        if event == "return" and frame.f_code is code:
            variables.update(frame.f_locals)

    before: Any = sys.getprofile()
    sys.setprofile(watch)
    try:
        with np.errstate(all="ignore"):
            call(function, inputs, weights.model.parameters)
    finally:
        sys.setprofile(before if callable(before) else None)
        if before is not None and not callable(before):  # the profiler of cProfile, which has to be enabled again
            before.enable()
    return variables


_NAMED = 10  # topics with the largest shares, which are described by terms
_TERMS = 4  # that describe a topic


def explain_vectors(scorer: VectorScorer, query: QueryTerms, doc_id: str, model: str) -> Explanation:
    """Why a document has its score under a model of vectors; 0 for a document that only the structure matches.

    The shares of the query terms add up to the score, and so do those of the topics, or of the dimensions of vectors
    of the user, which have no terms. The largest shares come first.
    """
    vectors, number = scorer.vectors, scorer.index.doc_number(doc_id)
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
        words = {"terms": _topic(topics, axis)} if topics is not None and place < _NAMED else {}
        kind = "dimension" if topics is None else "topic"
        axes.append(Explanation(str(axis + 1), float(shares[axis]), PRODUCT, words, factors, kind))
    terms = [] if topics is None else _dimension_terms(topics, query, number, point * scale)
    by_terms = (
        Explanation("terms", score, SUM, {}, tuple(terms)) if terms else Explanation(model, score, kind="product")
    )
    by_axes = Explanation("axes", score, SUM, {}, tuple(axes))
    return Explanation(model, score, EQUAL, {}, (by_terms, by_axes), "vectors")


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


def _topic(vectors: LatentVectors, axis: int) -> tuple[str, ...]:
    """The terms that describe a topic."""
    entries = vectors.topics.terms[:, axis]
    strongest = np.argsort(-np.abs(entries), kind="stable")[:_TERMS].tolist()
    return tuple(f"{'−' if entries[term] < 0 else ''}{vectors.index.term(term)}" for term in strongest)


@dataclass(frozen=True, repr=False)
class ScoreExplanation(Result):
    """The score of a document, and the numbers that make it.

    Attributes
    ----------
    doc_id : str
        The document.
    tree : Explanation
        The score as the sum of the shares of query terms (one model), of products of models (a mixture), or of
        features (a learned ranker). Its value is NaN if the document is not ranked.
    """

    doc_id: str
    tree: Explanation

    __repr__ = summary

    @property
    def score(self) -> float | None:
        """The score; None if the document is not ranked."""
        return None if math.isnan(self.tree.value) else self.tree.value

    @property
    def model(self) -> str:
        """The model."""
        return self.tree.label

    @property
    def terms(self) -> list[TermShare]:
        """The query terms in the document, in the order in which they are added; empty unless a single model ranks."""
        return term_shares(self.tree)

    @property
    def absent(self) -> list[str]:
        """Query terms that only other documents hold."""
        return [part.label for part in self.tree.of_kind("absent")]

    @property
    def unknown(self) -> list[str]:
        """Query terms that no document holds."""
        return [part.label for part in self.tree.of_kind("unknown")]

    @property
    def collection(self) -> dict[str, float]:
        """The statistics of the collection that the model uses, and its collection constants."""
        return {**self.tree.quantities}

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """One row per term of a model, per factor of a mixture, or per feature."""
        from toysearch.laboratory.results.explanation_text import explanation_text

        return [explanation_text(None, self)]

    def data(self) -> dict[str, Any]:
        """The document and the tree as plain values, for JSON."""
        return {"doc_id": self.doc_id, **self.tree.data()}


@checked
def explain(
    searcher: SearcherLike, text: str | Node | Query | QueryTerms, doc_id: str, *, query_mode: str | None = None
) -> ScoreExplanation:
    """Why a document has its score for a text.

    Parameters
    ----------
    searcher : Searcher
        The index and the model, which may be a mixture or a learned ranker; or anything that `Searcher` accepts, then
        ranked by BM25.
    text : str, Node, Query or QueryTerms
        The query; with its id for a model that has vectors of queries by their ids. To explain several documents, the
        result of ``searcher.terms(text)``, in which the query is matched once.
    doc_id : str
        The document.
    query_mode : {'lenient', 'strict', 'plain'}, optional
        How a text is read, as in `Searcher.search`.

    Returns
    -------
    ScoreExplanation
        Computed from the same arrays and functions as the score.

    Raises
    ------
    ArgumentError
        If the index has no such document.

    Examples
    --------
    >>> import toysearch
    >>> index = toysearch.Index.build(["the cat sat", "a cat and another cat", "the dog"])
    >>> why = explain(toysearch.Searcher(index, "bm25"), "black cat", "2")
    >>> [(share.term, share.statistics["tf"], round(share.parts["idf"], 4)) for share in why.terms]
    [('cat', 2.0, 0.47)]
    >>> why.unknown
    ['black']
    >>> [(part.kind, part.label, round(part.value, 4)) for part in why.tree.parts]
    [('term', 'cat', 0.2686), ('unknown', 'black', 0.0)]
    """
    searcher = searcher_of(searcher)
    return explain_terms(searcher.scorer, searcher.terms(text, query_mode), doc_id)


def explain_terms(scorer: Scorer, terms: QueryTerms, doc_id: str) -> ScoreExplanation:
    """Why a document has its score for the terms of a text, or of another document."""
    tree = next(tree for kind, tree in _TREES.items() if isinstance(scorer, kind))
    return ScoreExplanation(doc_id, tree(scorer, terms, doc_id))


def _model_tree(scorer: ModelScorer, terms: QueryTerms, doc_id: str) -> Explanation:
    """The score of a model as the sum of the shares of its terms."""
    return explain_plan(scorer.weights, plan(scorer.weights, terms), doc_id)


def _mixture_tree(scorer: MixtureScorer, terms: QueryTerms, doc_id: str) -> Explanation:
    """The score of a mixture as the sum of its products, each the product of a weight and of factors."""
    number, name = scorer.index.doc_number(doc_id), str(scorer.mixture)
    docs, scores = scorer.products(terms)
    place = int(np.searchsorted(docs, number))
    if place == len(docs) or docs[place] != number:
        return Explanation(name, math.nan, SUM, kind="mixture")
    products = []
    for product, factors in zip(scorer.mixture.products, scores, strict=True):
        share = product.weight
        for factor in factors:
            share = share * float(factor.counted[place])
        label = "*".join(str(factor.factor) for factor in factors)
        parts = (_factor_tree(scorer, factor, place, terms, doc_id) for factor in factors)
        products.append(
            Explanation(label, share, PRODUCT, {}, (Explanation("weight", product.weight), *parts), "product")
        )
    return Explanation(name, float(scorer.total(docs, scores)[place]), SUM, {}, tuple(products), "mixture")


def _factor_tree(
    scorer: MixtureScorer, factor: FactorScores, place: int, terms: QueryTerms, doc_id: str
) -> Explanation:
    """The score under one factor: its model times the scale of the normalisation, and what this adds apart from it."""
    key, label = factor.factor.scorer, str(factor.factor)
    raw, counted = float(factor.raw[place]), float(factor.counted[place])
    # A prior is a number, and the features of a ranker are explained only by itself.
    if not factor.ranked[place] or key not in scorer.scorers or key in scorer.mixture.rankers:
        return Explanation(label, counted, "", {"raw": raw}, kind="factor")
    if key in scorer.mixture.vectors:
        tree = explain_vectors(scorer.scorers[key], terms, doc_id, str(key))
    else:
        tree = _model_tree(scorer.scorers[key], scorer.wrapped(factor.factor, terms), doc_id)
    scale = _scale(factor)
    if scale != 1:
        tree = Explanation(tree.label, scale * raw, PRODUCT, {}, (Explanation("scale", scale), tree))
    shift = counted - scale * raw
    shifts = [Explanation(label, shift, kind="normalisation")] if shift else []
    return Explanation(label, counted, SUM, {"raw": raw}, (tree, *shifts), "factor")


def _scale(factor: FactorScores) -> float:
    """The factor by which a normalisation scales all scores, derived from the lowest and the highest."""
    if not factor.factor.normalisation:
        return 1.0
    if factor.factor.normalisation == "rrf" or not factor.ranked.any():  # rrf keeps only the ranks
        return 0.0
    raw, normalised = factor.raw[factor.ranked], factor.counted[factor.ranked]
    low, high = int(raw.argmin()), int(raw.argmax())
    span = raw[high] - raw[low]
    return float((normalised[high] - normalised[low]) / span) if span else 0.0


def _ranker_tree(scorer: LearnedScorer, terms: QueryTerms, doc_id: str) -> Explanation:
    """The score of a learned ranker as the sum of its base and the shares of its features, the largest first."""
    ranker, number, name = scorer.model.ranker, scorer.index.doc_number(doc_id), str(scorer.model)
    kind = "linear" if isinstance(ranker.function, Linear) else "trees"
    pooled, features = scorer.features.of(terms)
    scores = learned_scores(ranker.function, features, name)
    docs, values = with_rest(pooled, scores)
    place = int(np.searchsorted(docs, number))
    if place == len(docs) or docs[place] != number:
        return Explanation(name, math.nan, SUM, kind=kind)
    score, row = float(values[place]), int(np.searchsorted(pooled.docs, number))
    if row == len(pooled.docs) or pooled.docs[row] != number:
        # A document outside the pool is ranked below the lowest document of the pool.
        below = int(np.flatnonzero(pooled.rest == number)[0]) + 1
        ends = Explanation("lowest of the pool", float(scores.min())), Explanation("places below it", below)
        return Explanation(name, score, SUM, {}, (Explanation("", score, DIFFERENCE, {}, ends, "base"),), kind)
    base, shares = ranker.function.shares(features[row : row + 1])
    parts = zip(ranker.features, features[row].tolist(), shares[0].tolist(), strict=True)
    every = [Explanation(feature, share, "", {"value": value}, kind="feature") for feature, value, share in parts]
    every.sort(key=lambda feature: -abs(feature.value))
    return Explanation(name, score, SUM, {}, (Explanation("", base, kind="base"), *every), kind)


_TREES: Mapping[type, Callable[..., Explanation]] = {
    ModelScorer: _model_tree,
    MixtureScorer: _mixture_tree,
    LearnedScorer: _ranker_tree,
}


class PartDifference(NamedTuple):
    """A part in two scores, and the second minus the first."""

    kind: str
    name: str
    first: float
    second: float
    difference: float


def parts(why: ScoreExplanation) -> dict[PartName, float]:
    """The parts of a score, which add up to it (to rounding); empty if the document is not ranked."""
    # Under a similarity that divides by lengths (cosine, Dice …) the part of a term is its part of the sum s, times
    # score / s: a longer document changes the part of every term. A product of one model and any priors is spread over
    # the parts of the model; a normalisation scales them all alike, and the constant that it adds is a separate part.
    return why.tree.shares()


def part_differences(first: Mapping[PartName, float], second: Mapping[PartName, float]) -> list[PartDifference]:
    """The difference of each part of two scores, largest first; they add up to the difference of the scores."""
    rows = []
    for part in dict.fromkeys([*first, *second]):
        before, after = first.get(part, 0.0), second.get(part, 0.0)
        rows.append(PartDifference(*part, before, after, after - before))
    return sorted(rows, key=lambda row: (-abs(row.difference), row.kind, row.name))


@checked
def explain_expansion(
    searcher: SearcherLike,
    text: str | Node | Query | QueryTerms,
    relevant: Iterable[str] = (),
    not_relevant: Iterable[str] = (),
    *,
    query_mode: str | None = None,
) -> list[Explanation]:
    """The terms that a model with feedback, such as ``rm3(bm25)``, adds to a query.

    Parameters
    ----------
    searcher : Searcher
        The index and the model, which may be a mixture with several such models.
    text : str or Node
        The query.
    relevant, not_relevant : iterable of str
        Documents known to be relevant, or not, as for `search_again`. Default: the first documents are taken.
    query_mode : {'lenient', 'strict', 'plain'}, optional
        How a text is read, as in `Searcher.search`.

    Returns
    -------
    list of Explanation
        One for each model with feedback; empty for any other model. The quantities of an expansion are the feedback
        documents, best first, with their scores by the model inside. Its parts are the terms, highest weight first: a
        weight is what is left of the term in the query (with its count there, ``qtf``), and what the expansion adds,
        which is below 0 if documents that are not relevant lower it; beside it stands the frequency of the term in each
        feedback document.

    Examples
    --------
    >>> import toysearch
    >>> index = toysearch.Index.build(["my dog has ticks", "a tick bites a dog", "ticks bite", "my cat sleeps", "tea"])
    >>> searcher = toysearch.Searcher(index, "rocchio(bm25:docs=2,terms=3,df=0.5)")
    >>> [expansion] = explain_expansion(searcher, "ticks")
    >>> {doc_id: round(score, 2) for doc_id, score in expansion.quantities.items()}
    {'3': 0.44, '1': 0.33}
    >>> [(term.label, round(term.value, 3), term.parts[1].quantities) for term in expansion.parts]
    [('ticks', 1.609, {'3': 1, '1': 1}), ('bite', 0.357, {'3': 1}), ('dog', 0.252, {'1': 1})]
    """
    searcher, judged = searcher_of(searcher), ([*relevant], [*not_relevant])
    if any(judged):
        again = known_feedback(searcher, text, *judged, query_mode=query_mode)
        return [_expansion_of(again.model, again.before, again.expansion)]
    if not isinstance(searcher.scorer, MixtureScorer):
        return []
    terms = searcher.terms(text, query_mode)
    expansions: dict[str, Explanation] = {}
    for product in searcher.scorer.mixture.products:
        for factor in product.factors:
            name = str(factor._replace(normalisation=""))
            place = next((n for n, wrapper in enumerate(factor.wrappers) if wrapper.name in EXPANSIONS), None)
            if place is not None and name not in expansions:
                scorer = searcher.scorer.scorers[factor.scorer]
                [before] = wrapped(scorer, [terms], factor.wrappers[place + 1 :])
                [expansion] = expanded(scorer, [before], factor.wrappers[place])
                expansions[name] = _expansion_of(name, before, expansion)
    return [*expansions.values()]


@checked
def explain_again(
    searcher: SearcherLike,
    text: str | Node | Query | QueryTerms,
    doc_id: str,
    relevant: Iterable[str],
    not_relevant: Iterable[str] = (),
    *,
    query_mode: str | None = None,
) -> ScoreExplanation:
    """Why a document has its score in `search_again`, term by term of the expanded query.

    Parameters
    ----------
    searcher : Searcher
        The index and the model.
    text : str or Node
        The query.
    doc_id : str
        The document.
    relevant, not_relevant : iterable of str
        Documents known to be relevant, or not.
    query_mode : {'lenient', 'strict', 'plain'}, optional
        How a text is read, as in `Searcher.search`.

    Examples
    --------
    >>> import toysearch
    >>> index = toysearch.Index.build(["a cat purrs", "purring sounds", "a cat and a dog", "dogs bark", "purrs"])
    >>> searcher = toysearch.Searcher(index, "rocchio(bm25:df=0.5)")
    >>> [share.term for share in explain_again(searcher, "cat", "5", ["1"]).terms]
    ['purrs']
    """
    again = known_feedback(searcher_of(searcher), text, relevant, not_relevant, query_mode=query_mode)
    return explain_terms(again.scorer, again.after, doc_id)


def _expansion_of(name: str, before: QueryTerms, expansion: Expansion) -> Explanation:
    """An expansion by the names of its documents and terms."""
    feedback, index = expansion.feedback, expansion.feedback.index
    doc_ids = index.doc_ids.take(feedback.docs)
    counts = dict(zip(before.numbers.tolist(), before.qtf.tolist(), strict=True))
    weights = zip(expansion.added.terms.tolist(), expansion.added.weights.tolist(), strict=True)
    added: dict[int, float] = {}
    for term, weight in weights:
        added[term] = added.get(term, 0.0) + weight
    columns = {term: column for column, term in enumerate(feedback.terms.tolist())}
    terms = []
    for term, weight in zip(expansion.query.numbers.tolist(), expansion.query.qtf.tolist(), strict=True):
        tf = feedback.vectors.tf[:, columns[term]].tolist() if term in columns else [0.0] * len(doc_ids)
        frequencies = {doc_id: int(n) for doc_id, n in zip(doc_ids, tf, strict=True) if n}
        gain = added.get(term, 0.0)
        query = Explanation("query", weight - gain, "", {"qtf": counts.get(term, 0.0)})
        parts = query, Explanation("added", gain, "", frequencies)
        terms.append(Explanation(term_text(index, expansion.query, term), weight, SUM, {}, parts, "term"))
    terms.sort(key=lambda term: -term.value)
    documents = dict(zip(doc_ids, feedback.scores.tolist(), strict=True))
    return Explanation(name, math.fsum(term.value for term in terms), SUM, documents, tuple(terms), "expansion")
