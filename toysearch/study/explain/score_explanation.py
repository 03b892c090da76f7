"""Explanation of the score of a document: by terms for a model, by models for a mixture, by features for a ranker."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from toysearch.base import SUM, Explanation, Part, Result, aligned, totals
from toysearch.base.explanation import PartName
from toysearch.retrieval import Asked, QueryTerms, SearcherLike, searcher_of, term_text
from toysearch.retrieval.expanded_queries import Expansion, expanded, wrapped
from toysearch.retrieval.relevance_feedback import expect_relevant, known_feedback
from toysearch.study.explain.score_explanation_text import explanation_text
from toysearch.study.explain.term_shares import TermShare, term_shares

__all__ = ["ScoreExplanation", "explain", "explain_again", "explain_expansion"]


@dataclass(frozen=True, repr=False)
class ScoreExplanation(Result):
    """Score of a document, and the numbers that make it.

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

    @property
    def score(self) -> float | None:
        """Score; None if the document is not ranked."""
        return None if math.isnan(self.tree.value) else self.tree.value

    @property
    def model(self) -> str:
        """Model that ranked the document."""
        return self.tree.label

    @property
    def terms(self) -> list[TermShare]:
        """Query terms in the document, in the order in which they are added; empty unless a single model ranks."""
        return term_shares(self.tree)

    @property
    def absent(self) -> list[str]:
        """Query terms that only other documents contain."""
        return [part.label for part in self.tree.of_kind("absent")]

    @property
    def unknown(self) -> list[str]:
        """Query terms that no document contains."""
        return [part.label for part in self.tree.of_kind("unknown")]

    @property
    def collection(self) -> dict[str, float]:
        """Statistics of the collection that the model uses, and its collection constants."""
        return {**self.tree.quantities}

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """Show one row per term of a model, per factor of a mixture, or per feature."""
        return [explanation_text(None, self)]

    def _repr_html_(self) -> str:
        from toysearch.study.explain.score_explanation_html import score_html  # notebooks alone need it

        return score_html(None, self) or super()._repr_html_()

    def data(self) -> dict[str, Any]:
        """Return the document and the tree as plain values, for JSON."""
        return {"doc_id": self.doc_id, **self.tree.data()}


def explain(searcher: SearcherLike, text: Asked, doc_id: str, *, query_mode: str | None = None) -> ScoreExplanation:
    """Explain why a document has its score for a text.

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
    return ScoreExplanation(doc_id, searcher.scorer.explained(searcher.terms(text, query_mode), doc_id))


class PartDifference(NamedTuple):
    """Part of two scores, and the second minus the first."""

    kind: str
    name: str
    first: float
    second: float
    difference: float


def part_differences(first: Mapping[PartName, float], second: Mapping[PartName, float]) -> list[PartDifference]:
    """Subtract each part of two scores, largest difference first; they add up to the difference of the scores."""
    rows = [
        PartDifference(*part, before, after, after - before)
        for part, (before, after) in aligned([first, second], 0.0).items()
    ]
    return sorted(rows, key=lambda row: (-abs(row.difference), row.kind, row.name))


def explain_expansion(
    searcher: SearcherLike,
    text: Asked,
    relevant: Iterable[str] = (),
    not_relevant: Iterable[str] = (),
    *,
    query_mode: str | None = None,
) -> list[Explanation]:
    """Explain the terms that a model with feedback, such as ``rm3(bm25)``, adds to a query.

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
    >>> searcher = toysearch.Searcher(index, "rocchio(bm25, docs=2, terms=3, df=0.5)")
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
    terms = searcher.terms(text, query_mode)
    expansions = {}
    for factor in searcher.scorer.factors:
        name = str(factor.inside)
        place = next((n for n, wrapper in enumerate(factor.wrappers) if wrapper.expands), None)
        if place is not None and name not in expansions:
            scorer = searcher.scorer.scorers[factor.scorer]
            [before] = wrapped(scorer, [terms], factor.wrappers[place + 1 :])
            [expansion] = expanded(scorer, [before], factor.wrappers[place])
            expansions[name] = _expansion_of(name, before, expansion)
    return [*expansions.values()]


def explain_again(
    searcher: SearcherLike,
    text: Asked,
    doc_id: str,
    relevant: Iterable[str],
    not_relevant: Iterable[str] = (),
    *,
    query_mode: str | None = None,
) -> ScoreExplanation:
    """Explain the score of a document in `search_again`, term by term of the expanded query.

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
    >>> searcher = toysearch.Searcher(index, "rocchio(bm25, df=0.5)")
    >>> [share.term for share in explain_again(searcher, "cat", "5", ["1"]).terms]
    ['purrs']
    """
    expect_relevant(relevant)
    again = known_feedback(searcher, text, relevant, not_relevant, query_mode=query_mode)
    return ScoreExplanation(doc_id, again.scorer.explained(again.after, doc_id))


def _expansion_of(name: str, before: QueryTerms, expansion: Expansion) -> Explanation:
    feedback, index = expansion.feedback, expansion.feedback.index
    doc_ids = index.doc_ids.take(feedback.docs)
    counts = dict(zip(before.numbers.tolist(), before.qtf.tolist(), strict=True))
    added = totals(zip(expansion.added.terms.tolist(), expansion.added.weights.tolist(), strict=True))
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
