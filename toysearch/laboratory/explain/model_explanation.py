"""The score of a document under one model, as numbers that add up."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toysearch.base import display
from toysearch.index.inverted_index import Index
from toysearch.index.postings import contained
from toysearch.models.model import COLLECTION, Array, Model, call, names_of
from toysearch.models.similarity import COMBINE, SIMILARITIES
from toysearch.search.scoring import (
    Plan,
    QueryTerms,
    derived_term,
    document_part,
    finish,
    in_turn,
    plan,
    postings_in,
    score,
    term_counts,
    term_text,
)
from toysearch.search.term_weights import Weights, in_blocks

if TYPE_CHECKING:
    from toysearch.search.derived_terms import DerivedTerm

__all__ = ["ScoreExplanation", "TermShare"]


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


class ScoreExplanation(NamedTuple):
    """The parts of a score. ``sum of shares + per_matched_document + document == score`` (to rounding).

    Attributes
    ----------
    doc_id, model : str
        The document and the model.
    score : float or None
        None if the document holds no query term and so is not ranked.
    terms : list of TermShare
        The query terms in the document, in the order in which they are added.
    absent : list of str
        Query terms that only other documents hold.
    unknown : list of str
        Query terms that no document holds.
    per_matched_document, document : float
        The share of the part added to each ranked document, and the share of the document's own part. The latter
        includes the similarity of two disjoint vectors, which is not 0 for a distance.
    collection : dict of str to float
        The collection statistics that the model uses, and its collection constants.
    similarity : str
        The formula that turns the sum s into the score; "s" if the sum is the score.
    s : float or None
        The sum.
    norms : dict of str to float
        The norms that the similarity uses: dd = Σ d², qq = Σ q², d1 = Σ |d|, q1 = Σ |q|.
    combine : {'product', 'min'}
        The term's summand of s: weight · query weight, or the smaller of the two.
    positions : dict of str to list of int
        Where each phrase, group of terms or term of one field occurs in the document, if the index can tell.
    """

    doc_id: str
    model: str
    score: float | None
    terms: list[TermShare]
    absent: list[str]
    unknown: list[str]
    per_matched_document: float
    document: float
    collection: dict[str, float]
    similarity: str
    s: float | None
    norms: dict[str, float]
    combine: str
    positions: dict[str, list[int]]

    def __str__(self) -> str:
        return display.text(self)

    def __repr__(self) -> str:
        return display.summary(self)

    def _repr_html_(self) -> str:
        return display.html(self)


def explain_plan(weights: Weights, planned: Plan, doc_id: str) -> ScoreExplanation:
    """The parts of a document's score for the terms of a text, or of another document."""
    similarity = weights.model.similarity
    number = weights.index.doc_number(doc_id)
    rows, places = _held(planned, number)
    own = np.array([planned.terms[row].weights[place] for row, place in zip(rows, places, strict=True)])
    products = COMBINE[similarity.combine](planned.query_weights[rows], own.astype(np.float64))
    norms = _norms(weights, planned, number)
    total = _total(weights, planned, number, products, norms)
    terms = [term_text(weights.index, planned.query, number) for number in planned.query.numbers.tolist()]
    return ScoreExplanation(
        doc_id,
        str(weights.model),
        total.score,
        _shares(weights, planned, number, rows, own.tolist(), (products * total.scale).tolist()),
        absent=[term for row, term in enumerate(terms) if row not in rows],
        unknown=list(planned.query.unknown),
        per_matched_document=total.every * total.scale,
        document=total.document * total.scale + total.apart,
        collection={name: value for name, value in weights.constants.items() if _is_named(weights.model, name)},
        similarity=similarity.formula or f"{similarity.name}({', '.join(names_of(similarity.function))})",
        s=total.s,
        norms=norms,
        combine=similarity.combine,
        positions=_positions(weights, planned, number, rows),
    )


def _positions(weights: Weights, planned: Plan, number: int, rows: list[int]) -> dict[str, list[int]]:
    """Where the derived terms of a query occur in a document."""
    found = (derived_term(weights.index, planned.query, term) for term in planned.query.numbers[rows].tolist())
    return {term.text: term.positions(weights.index, number) for term in found if term is not None}


def _held(planned: Plan, number: int) -> tuple[list[int], list[int]]:
    """The rows of the plan's terms that a document holds, and its position in the postings of each."""
    rows, places = [], []
    for row, term in enumerate(planned.terms):
        place = int(np.searchsorted(term.docs, number))
        if place < len(term.docs) and term.docs[place] == number:
            rows.append(row)
            places.append(place)
    return rows, places


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
    apart = _apart(weights.model, norms)
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


def _norms(weights: Weights, planned: Plan, number: int) -> dict[str, float]:
    """The norms that the similarity uses."""
    names = names_of(weights.model.similarity.function)
    norms = planned.norms
    if "dd" in names:
        norms["dd"] = float(weights.squared_norms[number])
    if "d1" in names:
        norms["d1"] = float(weights.absolute_norms[number])
    return {name: norms[name] for name in ("dd", "qq", "d1", "q1") if name in names}


def _apart(model: Model, norms: dict[str, float]) -> float:
    """The similarity of a document and a query that share nothing: 0 except for distances."""
    with np.errstate(all="ignore"):
        apart = float(np.ravel(call(model.similarity.function, {"s": np.zeros(1), **norms}, model.parameters))[0])
    return apart if np.isfinite(apart) else 0.0


def _is_named(model: Model, name: str) -> bool:
    """Whether a number of the collection is shown: the model uses it as a statistic or has computed it."""
    return name in model.statistics or name not in COLLECTION


def _shares(
    weights: Weights, planned: Plan, number: int, rows: list[int], own: list[float], shares: list[float]
) -> list[TermShare]:
    """The share of each term that the document holds."""
    if not rows:
        return []
    index, query, numbers = weights.index, planned.query, planned.query.numbers[rows].tolist()
    postings = _postings(index, query, numbers, number)
    named = weights.statistics(
        np.full(len(rows), number),
        np.concatenate([posting.tf for posting in postings]),
        {name: column[rows] for name, column in term_counts(index, query).items()},
        lambda field: np.concatenate([posting.field_tf[index.fields.name(field)] for posting in postings]),
    )
    statistics = {name: named[name] for name in weights.model.statistics if isinstance(named[name], np.ndarray)}
    parts = {
        name: np.broadcast_to(np.asarray(value, dtype=np.float64), (len(rows),))
        for name, value in _locals_of(weights, named).items()
        if name not in named and name not in weights.model.parameters and _is_numeric(value, len(rows))
    }
    return [
        TermShare(
            term_text(index, query, numbers[i]),
            float(planned.query.qtf[row]),
            float(planned.query_weights[row]),
            {name: float(column[i]) for name, column in statistics.items()},
            {name: float(column[i]) for name, column in parts.items()},
            own[i],
            shares[i],
        )
        for i, row in enumerate(rows)
    ]


def _postings(index: Index, query: QueryTerms, numbers: list[int], doc: int) -> list[DerivedTerm]:
    """The posting of each of some terms in a document that holds them all."""
    docs, found = np.array([doc]), {}
    if index.fields.names:  # whose counts are found among those of all postings: of many terms at once
        from toysearch.search.derived_terms import DerivedTerm  # an index without fields does not need it

        known = [number for number in numbers if number < index.stats.n_terms]
        for some in in_blocks(index, known):
            held, tf = index.blocks.of_terms(some)
            own = np.flatnonzero(held == doc)
            of_fields = {name: index.field_tf(name, some)[own] for name in index.fields.names}
            for at, number in enumerate(some.tolist()):
                field_tf = {name: counts[at : at + 1] for name, counts in of_fields.items()}
                found[number] = DerivedTerm("", docs, tf[own[at : at + 1]], field_tf)
    return [found.get(number) or postings_in(index, query, number, docs) for number in numbers]


def _is_numeric(value: Any, n: int) -> bool:
    return isinstance(value, (int, float, np.ndarray, np.generic)) and np.shape(value) in ((), (n,))


def _locals_of(weights: Weights, named: dict[str, Any]) -> dict[str, Any]:
    """The local variables of the model's function when it returns."""
    # A function without local variables (a formula) has a method that returns its parts.
    function = weights.model.function
    if hasattr(function, "parts"):
        given = {**named, **weights.model.parameters}
        with np.errstate(all="ignore"):
            told: dict[str, Any] = function.parts(**{name: given[name] for name in names_of(function)})
        return told
    code = getattr(function, "__code__", None)
    seen: dict[str, Any] = {}

    def watch(frame: Any, event: str, _: Any) -> None:
        if event == "return" and frame.f_code is code:
            seen.update(frame.f_locals)

    before: Any = sys.getprofile()
    sys.setprofile(watch)
    try:
        with np.errstate(all="ignore"):
            call(function, named, weights.model.parameters)
    finally:
        sys.setprofile(before if callable(before) else None)
        if before is not None and not callable(before):  # the profiler of cProfile, which has to be enabled again
            before.enable()
    return seen
