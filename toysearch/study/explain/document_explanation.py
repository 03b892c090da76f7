"""The scores of one or two documents explained, with what ranks one above the other and what would swap them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toysearch.base import ArgumentError, Part, Result, ResultTable, expect, expect_list, table_columns
from toysearch.base.rendering import flowed
from toysearch.retrieval.searcher import Searcher
from toysearch.retrieval.snippets import title_of
from toysearch.study.explain.order_explanation import (
    OrderExplanation,
    explained_rank,
    not_ranked,
    order_of,
    order_text,
    rival,
    turns_text,
    weights_text,
)
from toysearch.study.explain.rank_flip import Turn, turning_points
from toysearch.study.explain.score_explanation import ScoreExplanation, explain_expansion
from toysearch.study.explain.score_explanation_formulas import expressed_data, expressed_text
from toysearch.study.explain.score_explanation_text import expansion_text

__all__ = ["ExplainedDocuments", "explain_documents"]


@dataclass(frozen=True, repr=False)
class ExplainedDocuments(Result):
    """Documents and their ranks, two of them side by side, and the changes that swap them.

    Attributes
    ----------
    query : dict
        The text of the query, and its id or None.
    searcher : Searcher
        The index and the model.
    terms : QueryTerms
        The query after analysis.
    grades : dict of str to float
        The grades of judged documents.
    whys : list of ScoreExplanation
        The score of each document.
    ranks : list of int or None
        The rank of each; None if not ranked.
    order : OrderExplanation or None
        The two documents side by side.
    reason : str
        Why one document is compared with the other.
    turns : list of Turn
        The smallest changes that swap the two.
    """

    query: dict[str, str | None]
    searcher: Searcher
    terms: Any
    grades: Mapping[str, float]
    whys: list[ScoreExplanation]
    ranks: list[int | None]
    order: OrderExplanation | None
    reason: str
    turns: list[Turn]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """Return the documents, then two of them side by side, and the changes that swap them."""
        order, searcher, terms = self.order, self.searcher, self.terms

        def wrapped(line: str) -> str:
            blanks = " " * (len(line) - len(line.lstrip()))
            return line if wrap is None else textwrap.fill(line, wrap, subsequent_indent=f"{blanks}    ")

        ordered = [] if order is None else [order.above.doc_id, order.below.doc_id]
        lines = [flowed(f"query {self.query['query_id'] or ''}".rstrip() + f": {self.query['query']}", wrap)]
        for doc_id in dict.fromkeys([*(why.doc_id for why in self.whys), *ordered]):
            grade = f" (grade {self.grades[doc_id]:g})" if doc_id in self.grades else ""
            lines.append(f"document {doc_id}{grade}: {title_of(searcher.index, doc_id) or 'no text'}")
        parts: list[Part] = ["\n".join(lines)]
        for why, rank in zip(self.whys, self.ranks, strict=True):
            if rank is None:
                parts.append(flowed(not_ranked(searcher, terms, why.doc_id), wrap))
            elif len(self.whys) == 1 or order is None:
                table, *lines = expressed_text(rank, why, searcher, terms)
                parts.append("\n".join([table, *map(wrapped, lines)]))
        parts += map(expansion_text, explain_expansion(searcher, terms))
        if order is None:
            return parts
        weights = weights_text(order, searcher.model) if len(self.whys) == 2 else []
        changes = [line if "\n" in line else wrapped(line) for line in turns_text(self.turns, *ordered)]
        return [
            *parts,
            self.reason,
            "\n".join([order_text(order, width), *map(wrapped, weights)]),
            "The smallest change of one parameter that swaps them",
            "\n".join(changes),
        ]

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Return what sets the two documents apart."""
        columns = table_columns("kind", "name", "above", "below", "ahead")
        return [ResultTable(columns, self.order.tables()[0].rows if self.order else [])]

    def data(self) -> dict[str, Any]:
        """All results, for JSON."""
        documents = [
            {"doc_id": why.doc_id, "rank": rank, "explanation": expressed_data(why, self.searcher, self.terms)}
            for why, rank in zip(self.whys, self.ranks, strict=True)
        ]
        order = self.order.data() if self.order else None
        if self.order is not None and order is not None and len(self.whys) == 1:
            against = next(why for why in (self.order.above, self.order.below) if why.doc_id != self.whys[0].doc_id)
            order["against"] = expressed_data(against, self.searcher, self.terms)
        expansions = [expansion.data() for expansion in explain_expansion(self.searcher, self.terms)]
        more = {"expansions": expansions} if expansions else {}
        about = {**self.query, "model": str(self.searcher.model), "documents": documents}
        return {**about, "order": order, "turns": [turn._asdict() for turn in self.turns], **more}


def explain_documents(
    searcher: Searcher,
    query: str,
    doc_ids: Sequence[str],
    *,
    query_id: str | None = None,
    query_mode: str | None = None,
    grades: Mapping[str, float] | None = None,
    k: int = 10,
    progress: Callable[[int], object] | None = None,
) -> ExplainedDocuments:
    """Explain the score of a document, or why one ranks above another.

    For one document: its score as an expression with all numbers, from the code of the model; then why it is not
    higher, compared with the last of the first k ranks or the document above it. For two: both side by side. For each
    parameter of the model: the smallest change within its range that swaps the two documents, found by ranking.

    Parameters
    ----------
    searcher : Searcher
        The index and the model.
    query : str
        The text of the query.
    doc_ids : sequence of str
        One document, or two to compare.
    query_id : str, optional
        Id of a query of the collection.
    query_mode : str, optional
        How the text is read, as in `Searcher.search`.
    grades : dict of str to float, optional
        The grades of judged documents.
    k : int, default 10
        Number of ranks that count as the first.
    progress : callable, optional
        Called with the number of rankings so far.

    Examples
    --------
    >>> from toysearch import Index
    >>> found = explain_documents(Searcher(Index.build(["cat sat", "cat", "dog"]), "bm25"), "cat", ["1", "2"])
    >>> found.ranks, found.order.above.doc_id
    ([2, 1], '2')
    """
    expect(Searcher, searcher=searcher)
    expect_list(str, doc_ids=doc_ids)
    expect(int, k=k)
    if len(set(doc_ids)) < len(doc_ids):
        raise ArgumentError(f"'{doc_ids[0]}' is given twice; name two documents, or one")
    terms = searcher.terms(query, query_mode, query_id or "")
    explained = [explained_rank(searcher, terms, doc_id) for doc_id in doc_ids]
    ranks, whys = map(list, zip(*explained, strict=True))
    other, reason = (doc_ids[1], "") if len(doc_ids) == 2 else rival(searcher, terms, doc_ids[0], ranks[0], k)
    order, turns = None, []
    if other is not None and None not in ranks:
        order = order_of(explained[0], explained[1] if len(doc_ids) == 2 else explained_rank(searcher, terms, other))
        turns = turning_points(searcher, terms, order.above.doc_id, order.below.doc_id, progress=progress)
    query_of = {"query": query, "query_id": query_id}
    return ExplainedDocuments(query_of, searcher, terms, grades or {}, whys, ranks, order, reason, turns)
