"""Shares of query terms in the score of a document under one model.

It is computed from the same arrays and by the same functions as in a search.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toysearch.base import EQUAL, PRODUCT, SUM, Explanation
from toysearch.index import Index, contained
from toysearch.models import SIMILARITIES, Array, call, names_of
from toysearch.models.model import COLLECTION
from toysearch.retrieval.query_terms import QueryTerms, derived_term, in_blocks, term_counts, term_text
from toysearch.retrieval.scoring import Plan, Weights, document_part, finish, in_turn, plan, postings_in, score

if TYPE_CHECKING:
    from toysearch.retrieval.derived_terms import DerivedTerm


def score_shares(weights: Weights, query: QueryTerms, doc_id: str) -> Explanation:
    """Take a document's score apart into the shares of the terms of a text, or of another document."""
    planned = plan(weights, query)
    model, similarity = weights.model, weights.model.similarity
    number = weights.index.doc_number(doc_id)
    rows, places = [], []
    for row, term in enumerate(planned.terms):
        place = int(np.searchsorted(term.docs, number))
        if place < len(term.docs) and term.docs[place] == number:
            rows.append(row)
            places.append(place)
    weight_of = np.array([planned.terms[row].weights[place] for row, place in zip(rows, places, strict=True)])
    products = planned.query_weights[rows] * weight_of.astype(np.float64)
    names, norms = names_of(similarity.function), planned.norms
    if "dd" in names:
        norms["dd"] = float(weights.squared_norms[number])
    norms = {name: norms[name] for name in ("dd", "qq") if name in names}
    total = _total(weights, planned, number, products, norms)
    terms = _terms(
        weights, planned, number, rows, weight_of.tolist(), products.tolist(), (products * total.scale).tolist()
    )
    others = {"per_matched_document": total.every * total.scale, "document": total.document * total.scale + total.apart}
    texts = [term_text(weights.index, planned.query, number) for number in planned.query.numbers.tolist()]
    explained = terms + [Explanation("", value, kind=kind) for kind, value in others.items() if value]
    explained += [Explanation(text, 0.0, kind="absent") for row, text in enumerate(texts) if row not in rows]
    parts = (*explained, *(Explanation(text, 0.0, kind="unknown") for text in planned.query.unknown))
    collection = {
        name: value for name, value in weights.constants.items() if (name in model.statistics or name not in COLLECTION)
    }
    formula = similarity.formula or f"{similarity.name}({', '.join(names_of(similarity.function))})"
    if total.score is None or formula == "s":
        score = math.nan if total.score is None else total.score
        return Explanation(str(model), score, SUM, collection, parts, "model")
    s = Explanation("s", total.s or 0.0, "Σ weight · q")
    ways = (
        Explanation("sum", total.score, SUM, parts=parts),
        Explanation("similarity", total.score, formula, norms, (s,), "similarity"),
    )
    return Explanation(str(model), total.score, EQUAL, collection, ways, "model")


class _Total(NamedTuple):
    """Score as ``scale`` · s + ``apart``, where s is the sum of its parts; None if not ranked."""

    score: float | None
    s: float | None
    every: float
    document: float
    scale: float
    apart: float


def _total(weights: Weights, planned: Plan, number: int, products: Array, norms: dict[str, float]) -> _Total:
    """Score a document whose terms add these products, computed as in a search."""
    docs, shared, matched = np.array([number]), in_turn(products), planned.query.matched
    if not len(products) and (matched is None or not contained(docs, matched)[0]):  # the structure does not match it
        return _Total(None, None, 0.0, 0.0, 0.0, 0.0)
    every, document = in_turn(planned.every), float(document_part(weights, planned, docs)[0])
    if not len(products):
        _, scores = score(weights, planned.query._replace(matched=docs))
        return _Total(float(scores[0]), every + document, every, document, 1.0, 0.0)
    s = (shared + every) + document
    finished = float(finish(weights, planned, docs, np.array([shared]))[0])
    model = weights.model
    # The similarity of a document and a query that share nothing: 0 except for distances.
    with np.errstate(all="ignore"):
        apart = float(np.ravel(call(model.similarity.function, {"s": np.zeros(1), **norms}, model.parameters))[0])
    apart = apart if np.isfinite(apart) else 0.0
    # If the score is the sum itself, it is not scaled, even if its parts cancel out.
    unscaled = model.similarity is SIMILARITIES["dot"]
    scale = 1.0 if unscaled else (finished - apart) / s if s else 0.0
    return _Total(finished, s, every, document, scale, apart)


def _terms(
    weights: Weights,
    planned: Plan,
    number: int,
    rows: list[int],
    term_weights: list[float],
    products: list[float],
    shares: list[float],
) -> list[Explanation]:
    if not rows:
        return []
    index, query, numbers = weights.index, planned.query, planned.query.numbers[rows].tolist()
    postings = _postings(index, query, numbers, number)
    tf = np.concatenate([posting.tf for posting in postings])
    counts = {name: column[rows] for name, column in term_counts(index, query).items()}

    def field_tf(field: str) -> np.ndarray:
        return np.concatenate([posting.field_tf[index.fields.name(field)] for posting in postings])

    inputs = weights.statistics(np.full(len(rows), number), tf, counts, field_tf)
    statistics = {name: inputs[name] for name in weights.model.statistics if isinstance(inputs[name], np.ndarray)}
    values = {
        name: np.broadcast_to(np.asarray(value, np.float64), (len(rows),))
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
    docs, postings = np.array([doc]), {}
    if index.fields.names:  # whose counts are found among those of all postings: of many terms at once
        from toysearch.retrieval.derived_terms import DerivedTerm  # an index without fields does not need it

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
    # A function without local variables (a formula) has a method that returns its parts.
    function = weights.model.function
    if hasattr(function, "parts"):
        arguments = {**inputs, **weights.model.parameters}
        with np.errstate(all="ignore"):
            values: dict[str, Any] = function.parts(**{name: arguments[name] for name in names_of(function)})
        return values
    code = getattr(function, "__code__", None)
    variables = {}

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
