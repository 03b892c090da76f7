"""The expansion of a query explained: which terms came in, from which documents, and with which weights."""

from __future__ import annotations

import math
from collections.abc import Iterable

from toysearch.base import Query, checked
from toysearch.base.explanation import SUM, Explanation
from toysearch.laboratory.explain.score_explanation import ScoreExplanation, explain_terms
from toysearch.query.syntax import Node
from toysearch.search.expansions import EXPANSIONS
from toysearch.search.mixture_scorer import MixtureScorer
from toysearch.search.relevance_feedback import Expansion, expanded, known_feedback, wrapped
from toysearch.search.scoring import QueryTerms, term_text
from toysearch.search.searcher import SearcherLike, searcher_of

__all__ = ["explain_again", "explain_expansion"]


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
