"""The score of a document under one model, as numbers that add up."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from toysearch.base import counted
from toysearch.base.explanation import LOWEST, PRODUCT, SUM, Explanation, Expression, bracketed, sum_of_texts
from toysearch.base.result_tables import Part, Result, plain, summary
from toysearch.index.inverted_index import Index
from toysearch.index.postings import contained
from toysearch.laboratory.results.tables import Column, render, rounded_together
from toysearch.models.model import COLLECTION, Array, Model, call, is_of_document, names_of, public_name
from toysearch.models.similarity import COMBINE, SIMILARITIES
from toysearch.models.vector_models import APPROXIMATE
from toysearch.search.scoring import (
    Plan,
    QueryTerms,
    Weights,
    derived_term,
    document_part,
    finish,
    in_blocks,
    in_turn,
    plan,
    postings_in,
    score,
    term_counts,
    term_text,
)

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

    def tree(self, combine: str) -> Explanation:
        """The share as a product of the weight and the query weight, or of the smaller of the two."""
        weight = Explanation("weight", self.weight, "", self.parts, kind="weight")
        factors: tuple[Explanation, ...] = (weight, Explanation("q", self.query_weight))
        product = float(COMBINE[combine](self.query_weight, self.weight))
        if combine == "min":
            factors = (Explanation("min", product, LOWEST, parts=factors),)
        if product != self.share and product:
            factors = (*factors, Explanation("scale", self.share / product))
        return Explanation(self.term, self.share, PRODUCT, self.statistics, factors, "term")


def explanation_data(explanation: Any) -> dict[str, Any]:
    """The explanation as a dict of plain values, for JSON; positions only if the index can tell them."""

    def without_positions(value: Any) -> Any:
        if isinstance(value, list):
            return [without_positions(part) for part in value]
        if not isinstance(value, dict):
            return value
        return {name: without_positions(part) for name, part in value.items() if name != "positions" or part}

    data: dict[str, Any] = without_positions(plain(explanation))
    return data


def explanation_text(rank: int | None, why: Any, most: int | None = None) -> str:
    """The score of a document explained: one row per term of a model, per factor of a mixture, or per feature."""
    if why.score is None:
        return f"document {why.doc_id} is not ranked under {why.model}: {unranked(why.model)}"
    place = "" if rank is None else f"{rank}. "
    head = f"{place}document {why.doc_id}: score {why.score:.6f} under {why.model}"
    return "\n".join([head, *why.lines(most)])


def unranked(model: str) -> str:
    """Why a model does not rank a document, in the words after a colon."""
    missed = f",{APPROXIMATE}=" in model
    return "it is not among the candidates of the approximate search" if missed else "it contains no query term"


class ExplainedScore(Result):
    """The explanation of a score: its text and its data."""

    __repr__ = summary

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """One row per term of a model, per factor of a mixture, or per feature."""
        return [explanation_text(None, self)]

    def data(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return explanation_data(self)


@dataclass(frozen=True, repr=False)
class ScoreExplanation(ExplainedScore):
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

    @property
    def others(self) -> dict[str, float]:
        """The parts of the score that belong to no term, by their kinds; without those that are 0."""
        parts = {"per_matched_document": self.per_matched_document, "document": self.document}
        return {kind: value for kind, value in parts.items() if value}

    @property
    def tree(self) -> Explanation:
        """The score as the sum of the shares of its terms and of the other parts."""
        terms = [share.tree(self.combine) for share in self.terms]
        others = [Explanation("", value, kind=kind) for kind, value in self.others.items()]
        score = math.nan if self.score is None else self.score
        return Explanation(self.model, score, SUM, self.norms, (*terms, *others), "model")

    def lines(self, most: int | None) -> list[str]:
        """The score for people: a table of its terms, and what is added to their sum."""
        shares = [*(share.share for share in self.terms), *self.others.values()]
        rounded = rounded_together(shares, self.score or 0.0)
        terms = [share._replace(share=part) for share, part in zip(self.terms, rounded, strict=False)]
        expanded = any(term.qtf % 1 for term in terms)  # a typed word counts once, or twice
        if expanded or most is not None:
            terms = sorted(terms, key=lambda term: -term.share)
        limit = most or (_FEW if expanded and len(terms) > _FEW + 1 else len(terms))
        lines = _terms_lines(terms[:limit], self.combine, terms[limit:]) if terms else [_NO_TERM]
        for term, places in self.positions.items():
            lines += [f"{term} at position {', '.join(map(str, places))}"] if places else []
        if self.collection:
            lines.append(f"collection: {_listed(self.collection)}")
        for kind, share in zip(self.others, rounded[len(terms) :], strict=True):
            lines.append(f"{_OF_ALL[kind]}: {share:.6f}")
        if self.combine == "min":
            lines.append("a term adds the smaller of weight and q to s")
        if self.similarity != "s":
            lines.append(f"score = {self.similarity} with {_listed({'s': self.s or 0.0, **self.norms})}")
        if self.absent and most is None:
            many = expanded and len(self.absent) > _FEW
            absent = counted(len(self.absent), "term") if many else ", ".join(self.absent)
            lines.append(f"not in this document: {absent}")
        if self.unknown:
            lines.append(f"in no document: {', '.join(self.unknown)}")
        return lines

    def expressions(self, model: Model | None) -> list[Expression]:
        """The sum s over the terms, and the score made from it."""
        if self.score is None or self.s is None:
            return []
        texts = [_summand(share.weight, share.query_weight, self.combine) for share in self.terms]
        terms = sum(float(COMBINE[self.combine](share.query_weight, share.weight)) for share in self.terms)
        others = self.others
        if self.similarity != "s":
            rest = self.s - terms
            is_rounding = abs(rest) <= _NEGLIGIBLE * max(abs(terms), 1.0)
            others = {} if is_rounding else {"per_matched_document + document": rest}
        formula = " + ".join(["Σ weight · q" if self.combine == "product" else "Σ min(weight, q)", *others])
        numbers = sum_of_texts([*texts, *(f"{value:.6g}" for value in others.values())])
        if self.similarity == "s":
            return [Expression("score", formula, numbers, self.score)]
        values = {"s": self.s, **self.norms}
        if model is not None:
            values |= {public_name(name): v for name, v in model.parameters.items() if isinstance(v, float)}
        put_in = _put_in(self.similarity, values)
        return [Expression("s", formula, numbers, self.s), Expression("score", self.similarity, put_in, self.score)]


WIDE = 80
"""Characters per line of a table."""

_FEW = 5  # terms of an expanded query that are shown
_SHORT = 6  # the longest heading that is never folded: numbers are as wide
_LONG = 16  # the longest heading that never moves below a table that is too wide
_NEGLIGIBLE = 1e-9  # of a sum: at most the rounding error
_NO_TERM = "it matches, and contains no term of the query that is scored"
_OF_ALL = {"per_matched_document": "added to every ranked document", "document": "the document's own part"}


def _listed(values: dict[str, float]) -> str:
    return ", ".join(f"{name} = {value:.7g}" for name, value in values.items())


def _terms_lines(terms: list[TermShare], combine: str, rest: list[TermShare]) -> list[str]:
    """One row per term, and the notes below the table."""
    # A table that is too wide for a terminal is narrowed step by step: the statistics of the document move below it,
    # since they are the same for each term; then long headings do; then headings of several words are folded.
    statistics = list(terms[0].statistics)
    headings = {part: part.replace("_", " ") if part.isidentifier() else part for part in terms[0].parts}
    below = [f"… {counted(len(rest), 'more term')}: {sum(term.share for term in rest):.6f}"] if rest else []
    table = _terms_table(terms, statistics, headings, combine)
    if not _fits(table):
        of_document = {name: value for name, value in terms[0].statistics.items() if is_of_document(name)}
        statistics = [name for name in statistics if name not in of_document]
        below += [f"document: {_listed(of_document)}"] if of_document else []
        table = _terms_table(terms, statistics, headings, combine)
    if not _fits(table):
        long = [part for part, heading in headings.items() if len(heading) > _LONG]
        headings |= {part: f"({number})" for number, part in enumerate(long, 1)}
        below += [f"{headings[part]} = {part}" for part in long]
        table = _terms_table(terms, statistics, headings, combine)
    if not _fits(table):
        table = _terms_table(terms, statistics, headings, combine, folded=True)
    return [table, *below]


def _fits(table: str) -> bool:
    return max(map(len, table.splitlines())) <= WIDE


def _terms_table(
    terms: list[TermShare], statistics: list[str], headings: dict[str, str], combine: str, folded: bool = False
) -> str:
    """One row per term: its statistics, the intermediate values of the model, its weights and its share."""
    columns = [
        Column("term"),
        Column("qtf", "", "right", ".4g"),
        *(Column(name, "", "right", "g") for name in statistics),
        *(Column(name, heading, "right", ".4f") for name, heading in headings.items()),
        Column("weight", "", "right", ".4f"),
        Column("query_weight", "q" if combine == "min" else "× q", "right", ".4g"),
        Column("share", "", "right", ".6f"),
    ]
    rows: list[list[Any]] = []
    for term in terms:
        values = [*map(term.statistics.get, statistics), *map(term.parts.get, headings)]
        rows.append([term.term, term.qtf, *values, term.weight, term.query_weight, term.share])
    if folded:
        pairs = [_folded(column.header or column.name) for column in columns]
        rows = [*map(list, zip(*pairs, strict=True)), *rows]
        columns = [column._replace(header=" ") for column in columns]
    return render(columns, rows)


def _folded(heading: str) -> tuple[str, str]:
    """A heading in two lines, the second of one word: weighted / tf, tf_ / title; a short one stays on one line."""
    for mark in (" ", "_") if len(heading) > _SHORT else ():
        first, joint, second = heading.rpartition(mark)
        if first:
            return f"{first}{joint}".rstrip(), second
    return "", heading


def _summand(weight: float, q: float, combine: str) -> str:
    """The contribution of a term to the sum s, with its numbers."""
    if combine == "min":
        return f"min({weight:.6g}, {q:.6g})"
    return f"{weight:.6g}" if q == 1 else f"{weight:.6g} · {bracketed(q)}"


def _put_in(formula: str, values: dict[str, float]) -> str:
    """The formula of a similarity with numbers instead of names: 2s becomes 2 · 0.5."""

    def number(match: re.Match[str]) -> str:
        if match[2] not in values:
            return match[0]
        return f"{match[1]} · {bracketed(values[match[2]])}" if match[1] else bracketed(values[match[2]])

    return re.sub(r"(?<![A-Za-z])(\d*)([A-Za-z][A-Za-z0-9]*)", number, formula)


def explain_plan(weights: Weights, planned: Plan, doc_id: str) -> ScoreExplanation:
    """The parts of a document's score for the terms of a text, or of another document."""
    similarity = weights.model.similarity
    number = weights.index.doc_number(doc_id)
    rows, places = _held(planned, number)
    weight_of = np.array([planned.terms[row].weights[place] for row, place in zip(rows, places, strict=True)])
    products = COMBINE[similarity.combine](planned.query_weights[rows], weight_of.astype(np.float64))
    norms = _norms(weights, planned, number)
    total = _total(weights, planned, number, products, norms)
    terms = [term_text(weights.index, planned.query, number) for number in planned.query.numbers.tolist()]
    derived = (derived_term(weights.index, planned.query, term) for term in planned.query.numbers[rows].tolist())
    positions = {term.text: term.positions(weights.index, number) for term in derived if term is not None}
    return ScoreExplanation(
        doc_id,
        str(weights.model),
        total.score,
        _shares(weights, planned, number, rows, weight_of.tolist(), (products * total.scale).tolist()),
        absent=[term for row, term in enumerate(terms) if row not in rows],
        unknown=list(planned.query.unknown),
        per_matched_document=total.every * total.scale,
        document=total.document * total.scale + total.apart,
        collection={
            name: value
            for name, value in weights.constants.items()
            if (name in weights.model.statistics or name not in COLLECTION)
        },
        similarity=similarity.formula or f"{similarity.name}({', '.join(names_of(similarity.function))})",
        s=total.s,
        norms=norms,
        combine=similarity.combine,
        positions=positions,
    )


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


def _shares(
    weights: Weights, planned: Plan, number: int, rows: list[int], term_weights: list[float], shares: list[float]
) -> list[TermShare]:
    """The share of each term that the document holds."""
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
    parts = {
        name: np.broadcast_to(np.asarray(value, dtype=np.float64), (len(rows),))
        for name, value in _locals_of(weights, inputs).items()
        if name not in inputs
        and name not in weights.model.parameters
        and (isinstance(value, (int, float, np.ndarray, np.generic)) and np.shape(value) in ((), (len(rows),)))
    }
    return [
        TermShare(
            term_text(index, query, numbers[i]),
            float(planned.query.qtf[row]),
            float(planned.query_weights[row]),
            {name: float(column[i]) for name, column in statistics.items()},
            {name: float(column[i]) for name, column in parts.items()},
            term_weights[i],
            shares[i],
        )
        for i, row in enumerate(rows)
    ]


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
