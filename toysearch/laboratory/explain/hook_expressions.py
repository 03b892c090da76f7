"""The hooks of a model as lines of its code: query weights, and parts of a score that belong to no term."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from toysearch.laboratory.explain.expressions import Expression, code_expressions
from toysearch.search.scoring import document_part, in_turn
from toysearch.search.searcher import SearcherLike, searcher_of


class HookExpressions(NamedTuple):
    """What the hooks of a model compute for a query and a document.

    Attributes
    ----------
    query : dict of str to list of Expression
        Term → its query weight ``q``, where it differs from the count of the term.
    per_matched_document : list of Expression
        What each ranked document gets: one line, with one summand per query term.
    document : list of Expression
        The document's own part.
    """

    query: dict[str, list[Expression]]
    per_matched_document: list[Expression]
    document: list[Expression]


def hook_expressions(searcher: SearcherLike, text: str, doc_id: str) -> HookExpressions:
    """What the hooks of a model compute for a query and a document, with numbers in place of names.

    A hook that the model lacks, or that is more than arithmetic, is left empty.

    Parameters
    ----------
    searcher : Searcher
        The index and a single model.
    text : str
        The query.
    doc_id : str
        The document.

    Raises
    ------
    ArgumentError
        If the model is a mixture, or the index has no such document.

    Examples
    --------
    >>> from toysearch import Index, Searcher
    >>> from toysearch.index.index import Index
    >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog"])
    >>> found = hook_expressions(Searcher(index, "lm-dirichlet:10"), "cat dog", "2")
    >>> found.document[0].numbers, found.per_matched_document[0].numbers
    ('-2 · ln(1 + 4 / 10)', '1 · ln(1 / 9) + 1 · ln(3 / 9)')
    """
    searcher = searcher_of(searcher)
    weights, planned = searcher.weights, searcher.plan(text)
    model, number = weights.model, searcher.index.doc_number(doc_id)
    constants = {**model.parameters, **weights.constants}
    of_query = {**planned.query.statistics, **weights.term_statistics(planned.query.numbers)}
    query, summands = {}, []
    for place, term in enumerate(planned.query.numbers.tolist()):
        given = {**constants, **{name: _one(value, place) for name, value in of_query.items()}}
        if "query" in model.hooks and planned.query_weights[place] != planned.query.qtf[place]:
            lines = code_expressions(model.hooks["query"], given, float(planned.query_weights[place]), "q")
            query[searcher.index.term(term)] = [line for line in lines if line.numbers]
        if "per_matched_document" in model.hooks:
            summands += code_expressions(
                model.hooks["per_matched_document"], given, float(planned.every[place]), "per_matched_document"
            )[-1:]
    every = [_added(summands, in_turn(planned.every))] if summands and all(line.numbers for line in summands) else []
    document: list[Expression] = []
    if "document" in model.hooks and len(planned.terms):
        docs = np.array([number])
        statistics = weights.document_statistics(docs, ("dl", "distinct", "max_tf", "bytes"))
        given = {**constants, **planned.query.statistics, **statistics}
        part = float(document_part(weights, planned, docs)[0])
        document = [line for line in code_expressions(model.hooks["document"], given, part, "document") if line.numbers]
    return HookExpressions({term: lines for term, lines in query.items() if lines}, every, document)


def _one(value: Any, place: int) -> Any:
    return value[place : place + 1] if isinstance(value, np.ndarray) else value


def _added(summands: list[Expression], total: float) -> Expression:
    """One line of the lines of several terms."""
    numbers = " + ".join(line.numbers for line in summands).replace("+ -", "− ")
    return Expression("per_matched_document", f"Σ {summands[0].formula}", numbers, total)
