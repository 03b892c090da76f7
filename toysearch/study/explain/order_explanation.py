"""Comparison of two documents of a ranking: their scores side by side, as numbers and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from toysearch.base import (
    EQUAL,
    ArgumentError,
    Column,
    Part,
    Result,
    ResultTable,
    expect,
    number_columns,
    records,
    table_columns,
)
from toysearch.base.rendering import flowed, render
from toysearch.models import STATISTICS, TEXT, Model, Ranker, field_statistic, is_of_document, range_text, value_text
from toysearch.models.model import prior_statistic
from toysearch.models.rankers import parts_of
from toysearch.retrieval import Asked, QueryTerms, Searcher, SearcherLike, searcher_of
from toysearch.retrieval.score_shares import score_shares
from toysearch.retrieval.similar_documents import document_terms
from toysearch.study.explain.rank_flip import Turn
from toysearch.study.explain.score_explanation import PartDifference, ScoreExplanation, explain, part_differences
from toysearch.study.explain.score_explanation_formulas import expression_line, formulas_of, shown, term_expressions
from toysearch.study.explain.score_explanation_text import fitting, missed_by, part_label, rows_adding_up
from toysearch.study.explain.term_shares import term_shares

__all__ = ["OrderExplanation", "SharedTerm", "explain_order", "explain_similar", "shared_terms", "standing"]


class Standing(NamedTuple):
    """Rank (from 1) and score of a document for a query, both None if it is not ranked."""

    rank: int | None
    score: float | None


@dataclass(frozen=True, repr=False)
class OrderExplanation(Result):
    """Two documents of a ranking side by side.

    Attributes
    ----------
    above, below : ScoreExplanation
        The explanation of each score; ``above`` is the document that is ranked higher.
    ranks : tuple of int or None
        Their ranks, from 1; None for a document that holds no term of the query.
    parts : list of PartDifference
        ``first`` is the part of ``below``, ``second`` the part of ``above``. The differences, largest first, add up to
        the lead of ``above``.
    """

    above: ScoreExplanation
    below: ScoreExplanation
    ranks: tuple[int | None, int | None]
    parts: list[PartDifference]

    @property
    def ahead(self) -> float | None:
        """Lead of the higher document; None if one of the two is not ranked."""
        if self.above.score is None or self.below.score is None:
            return None
        return self.above.score - self.below.score

    def __repr__(self) -> str:
        return f"<OrderExplanation of {self.above.doc_id} above {self.below.doc_id} under {self.above.model}>"

    def tables(self, form: str = "table") -> list[ResultTable]:
        """Show the parts of both scores and their differences."""
        numbers = number_columns(".6g", "above", "below", "ahead")
        rows = [[part.kind, part.name, part.second, part.first, part.difference] for part in self.parts]
        return [ResultTable(table_columns("kind", "name", numbers), rows)]

    def text_parts(self, width: int | None = None, wrap: int | None = None) -> list[Part]:
        """Show both documents side by side, and the largest differences of the parts."""
        return [order_text(self, wrap)]

    def _repr_html_(self) -> str:
        from toysearch.study.explain.score_explanation_html import order_html  # notebooks alone need it

        return order_html(self) or super()._repr_html_()

    def data(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON; the explanations of the two documents are not repeated."""
        names = {"above": self.above.doc_id, "below": self.below.doc_id}
        return {**names, "ranks": self.ranks, "ahead": self.ahead, "parts": records(self.tables()[0])}


def explain_order(searcher: SearcherLike, text: Asked, doc_id: str, other: str) -> OrderExplanation:
    """Explain why one of two documents ranks above the other for a query.

    Parameters
    ----------
    searcher : Searcher
        The index and the model, which may be a mixture.
    text : str, Node, Query or QueryTerms
        The query.
    doc_id, other : str
        The documents, in either order.

    Raises
    ------
    ArgumentError
        If the index lacks one of the documents, or both are the same.

    Examples
    --------
    >>> import toysearch
    >>> index = toysearch.Index.build(["the cat sat", "a cat and another cat", "the dog"])
    >>> why = explain_order(toysearch.Searcher(index, "bm25"), "cat", "1", "2")
    >>> why.above.doc_id, why.ranks, round(why.ahead, 4)
    ('2', (1, 2), 0.0549)
    >>> [(part.name, round(part.difference, 4)) for part in why.parts]
    [('cat', 0.0549)]
    """
    expect(str, doc_id=doc_id, other=other)
    searcher = searcher_of(searcher)
    if doc_id == other:
        raise ArgumentError(f"document '{doc_id}' cannot rank above itself; name two different documents")
    return order_of(*(explained_rank(searcher, text, document) for document in (doc_id, other)))


ExplainedRank: TypeAlias = "tuple[int | None, ScoreExplanation]"


def explained_rank(searcher: Searcher, text: Any, doc_id: str) -> ExplainedRank:
    """Return the rank of a document, None if it is not ranked, and its score explained."""
    return standing(searcher, text, doc_id).rank, explain(searcher, text, doc_id)


def order_of(first: ExplainedRank, second: ExplainedRank) -> OrderExplanation:
    """Explain the order of two documents by their explained scores."""
    (rank, above), (rank_below, below) = sorted((first, second), key=lambda ranked: ranked[0] or np.inf)
    return OrderExplanation(
        above, below, (rank, rank_below), part_differences(below.tree.shares(), above.tree.shares())
    )


def standing(searcher: SearcherLike, text: Asked, doc_id: str) -> Standing:
    """Return the rank of a document for a query, among all ranked documents, and its score.

    Parameters
    ----------
    searcher : Searcher
        The index and the model.
    text : str, Node, Query or QueryTerms
        The query; the result of ``searcher.terms(text)``, to read it once for several documents.
    doc_id : str
        The document.

    Raises
    ------
    ArgumentError
        If the index has no such document.

    Examples
    --------
    >>> import toysearch
    >>> index = toysearch.Index.build(["the cat sat", "a cat and another cat", "the dog"])
    >>> searcher = toysearch.Searcher(index, "overlap")
    >>> standing(searcher, "cat", "2")
    Standing(rank=2, score=1.0)
    >>> standing(searcher, "cat -sat", "2")
    Standing(rank=1, score=1.0)
    """
    searcher = searcher_of(searcher)
    number = searcher.index.doc_number(doc_id)
    terms = searcher.terms(text)
    docs, scores = searcher.scores(terms)
    place = int(np.searchsorted(docs, number))
    if place == len(docs) or docs[place] != number:
        return Standing(None, None)
    keys = searcher.scorer.ranking_keys(terms, scores)
    above = int((keys > keys[place]).sum() + (keys[:place] == keys[place]).sum())
    return Standing(above + 1, float(scores[place]))


class SharedTerm(NamedTuple):
    """Share of one common term in the similarity of two documents.

    Attributes
    ----------
    term : str
        The term.
    df : int
        Its document frequency.
    tf, other_tf : int
        Its term frequency in the document and in the other document.
    share : float
        Its share of the score.
    """

    term: str
    df: int
    tf: int
    other_tf: int
    share: float


def explain_similar(searcher: SearcherLike, doc_id: str, other: str) -> ScoreExplanation:
    """Explain the score of a document in `similar` in full.

    Parameters
    ----------
    searcher : Searcher
        The index and the model, which may be a mixture.
    doc_id : str
        The document whose terms are the query.
    other : str
        The scored document.

    Raises
    ------
    ArgumentError
        If the index lacks one of the documents.

    Examples
    --------
    >>> from toysearch import Index, Searcher
    >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog sat"])
    >>> why = explain_similar(Searcher(index, "0.5*jaccard + 0.5*dice"), "1", "3")
    >>> [round(product.value, 4) for product in why.tree.parts], round(why.score, 4)
    ([0.25, 0.3333], 0.5833)
    """
    searcher = searcher_of(searcher)
    return ScoreExplanation(other, searcher.scorer.explained(document_terms(searcher.index, doc_id), other))


def shared_terms(searcher: SearcherLike, doc_id: str, other: str) -> list[SharedTerm]:
    """Explain why two documents are similar: their common terms with their shares of the score, largest first.

    The shares add up to the score, except for the part that a model adds to a document independently of its terms.

    Parameters
    ----------
    searcher : Searcher
        The index and the model.
    doc_id : str
        The document whose terms are the query.
    other : str
        The scored document.

    Raises
    ------
    ArgumentError
        If the index lacks one of the documents, or the model is a mixture (see `explain_similar`).

    Examples
    --------
    >>> from toysearch import Index, Searcher
    >>> index = Index.build(["the cat sat", "a cat and another cat", "the dog sat"])
    >>> [(shared.term, shared.share) for shared in shared_terms(Searcher(index, "jaccard"), "1", "3")]
    [('sat', 0.25), ('the', 0.25)]
    """
    searcher = searcher_of(searcher)
    index = searcher.index
    why = score_shares(searcher.weights, document_terms(index, doc_id), other)
    counts = index.vector(other)
    rows = []
    for share in term_shares(why):
        df = int(index.df[index.term_number(share.term)])
        rows.append(SharedTerm(share.term, df, int(share.qtf), counts[share.term], share.share))
    return sorted(rows, key=lambda shared: (-shared.share, shared.term))


_LONGEST_ID = 10  # characters of a document's id that can head a column
_OF_TERM = ("df", "cf")
_TEXT = range_text(TEXT, None)


def rival(searcher: Searcher, terms: QueryTerms, doc_id: str, rank: int | None, k: int) -> tuple[str | None, str]:
    """Choose the document to compare a single one with; return it and the reason."""
    if rank is None:
        return None, ""
    ranking = searcher.search(terms, max(k, rank, 2))
    if rank > k:
        return ranking[k - 1].doc_id, f"Why {doc_id} is not in the first {k}: compared with the last of them"
    if rank > 1:
        return ranking[rank - 2].doc_id, f"Why {doc_id} is not higher: compared with the one above it"
    if len(ranking) > 1:
        return ranking[1].doc_id, f"Why {doc_id} is the first: compared with the second"
    return None, ""


def not_ranked(searcher: Searcher, terms: QueryTerms, doc_id: str) -> str:
    """Explain in a sentence why a document is not ranked."""
    if terms.matched is not None and searcher.index.doc_number(doc_id) not in terms.matched:
        return f"document {doc_id} is not ranked: the operators of the query leave it out"
    if not searcher.model.needs_terms:
        return f"document {doc_id} is not ranked: {searcher.model} does not return it"
    words = searcher.index.terms.take(terms.numbers[: len(terms.numbers) - len(terms.derived)])
    words += [term.text for term in terms.derived]
    if not words:
        unknown = f": no document holds {', '.join(terms.unknown)}" if terms.unknown else ", which has no term"
        return f"document {doc_id} is not ranked, and no other is, for this query{unknown}"
    if any(part.changes_query for part in parts_of(searcher.model)):
        return f"document {doc_id} is not ranked: it contains no term of the query as {searcher.model} expands it"
    return (
        f"document {doc_id} is not ranked: it contains no query term ({', '.join(words)}), which no "
        "parameter of a model can change"
    )


def order_text(why: OrderExplanation, wrap: int | None = None) -> str:
    """Show the order of two documents, and the contribution of each part of their scores."""
    if why.ahead is None:
        return f"{why.below.doc_id} is not ranked: {missed_by(why.below)}"
    above, below = why.above.doc_id, why.below.doc_id
    ahead = f"{above} ranks above {below} by {why.ahead:.6g}"
    if why.ahead <= 0:  # below 0 in a run, whose scores are compared as 32-bit floats
        equal = "equal scores as 32-bit floats" if why.ahead else "equal scores"
        where = "run" if why.above.tree.kind == "run" else "collection"
        ahead = f"{above} and {below} have {equal}, and {above} comes first in the {where}"
    return "\n\n".join([flowed(f"{ahead}, under {why.above.model}", wrap), *_order_tables(why)])


Terms: TypeAlias = Mapping[str, Mapping[str, float]]
"""Quantities of each term of a score that is a sum over terms: statistics, and the values that make its weight."""


def _order_tables(why: OrderExplanation) -> tuple[str, str]:
    trees = why.above.tree, why.below.tree
    shares = [term_shares(tree) for tree in trees]
    above, below = ({share.term: share.statistics | share.parts for share in side} for side in shares)
    # A model gets the statistics of postings, its code computes the other values.
    statistics = {name for side in shares for share in side for name in share.statistics}
    of_term, of_posting = _sorted_names(above, below, statistics)
    rows: list[list[Any]] = [["rank", *why.ranks]]
    if above and below:
        numbers, others = (next(iter(side.values())) for side in (above, below))
        of_document = (name for name in numbers if name not in (*of_term, *of_posting))
        rows += [[name.replace("_", " "), numbers[name], others[name]] for name in of_document]
    if trees[0].formula == trees[1].formula == EQUAL:
        norms = [tree.parts[1].quantities for tree in trees]
        rows += [[name, norm, norms[1].get(name)] for name, norm in norms[0].items()]
    ids = why.above.doc_id, why.below.doc_id
    headers = ids if max(map(len, ids)) <= _LONGEST_ID else ("above", "below")
    # A table that is too wide loses columns: first the intermediate values of a posting, then those of a term, then
    # the statistics of a posting, after which the values of a term may return.
    term_statistics = [name for name in of_term if name in statistics]
    posting_statistics = [name for name in of_posting if name in statistics]
    narrower = [
        (of_term, of_posting),
        (of_term, posting_statistics),
        (term_statistics, posting_statistics),
        (of_term, []),
        (term_statistics, []),
    ]
    tables = ([_side_by_side(why, headers, (above, below), *names)] for names in narrower)
    documents = render(table_columns("document", number_columns(".6g", *headers)), rows)
    return documents, fitting(tables)[0]


def _sorted_names(above: Terms, below: Terms, statistics: set[str]) -> tuple[list[str], list[str]]:
    """Name quantities of a term, equal in both documents, and those of a posting; the rest belong to a document."""
    # The name of a quantity does not tell its kind, but its numbers do: one number for all terms of a document, and
    # another one in the other document, belongs to the document; a number that is equal in both documents for each
    # shared term belongs to the term.
    quantities = [*above.values(), *below.values()]
    both = [term for term in above if term in below]
    of_term, of_posting = [], []
    for name in quantities[0] if quantities else ():
        sides = [{numbers[name] for numbers in side.values()} for side in (above, below)]
        if name in _OF_TERM:
            of_term.append(name)
        elif name in statistics:
            if not is_of_document(name):
                of_posting.append(name)
        elif both and all(above[term][name] == below[term][name] for term in both):
            of_term.append(name)
        elif len(quantities) <= 2 or any(len(values) != 1 for values in sides):
            of_posting.append(name)
    return of_term, of_posting


def _side_by_side(
    why: OrderExplanation,
    headers: tuple[str, str],
    sides: tuple[Terms, Terms],
    of_term: Sequence[str],
    of_posting: Sequence[str],
) -> str:
    columns = table_columns("part", [_quantity_column(name, "") for name in of_term])
    for document in headers:
        of_document = [_quantity_column(name, f" {document}") for name in of_posting]
        columns += table_columns(of_document, number_columns(".6f", document))
    rows = []
    pairs = [(part.second, part.first) for part in why.parts]
    first, others = rows_adding_up(pairs, (why.above.tree.value, why.below.tree.value), (6, 6))
    for part, (high, low) in zip(why.parts, first, strict=False):
        pair = [side.get(part.name) if part.kind == "term" else None for side in sides]
        either = next((quantities for quantities in pair if quantities is not None), {})
        cells = [part_label(part.kind, part.name), *map(either.get, of_term)]
        for quantities, value in zip(pair, (high, low), strict=True):
            has_value = quantities is not None or part.kind != "term" or not any(sides)
            cells += [*map((quantities or {}).get, of_posting), value if has_value else None]
        rows.append([*cells, high - low])
    no_term, no_posting = [None] * len(of_term), [None] * len(of_posting)
    for name, (high, low) in others:
        rows.append([name, *no_term, *no_posting, high, *no_posting, low, high - low])
    return render(columns + number_columns("+.6f", ahead="ahead by"), rows)


def _quantity_column(name: str, document: str) -> Column:
    form = "g" if name in STATISTICS or field_statistic(name) or prior_statistic(name) else ".4f"
    return Column(f"{name}{document}", f"{name.replace('_', ' ')}{document}", "right", form)


def weights_text(why: OrderExplanation, model: Model | Ranker) -> list[str]:
    """Write the formulas of the model, and the weight of each term in both documents with its numbers."""
    documents = why.above, why.below
    width = max(len(document.doc_id) for document in documents)
    lines: dict[str, list[str]] = {part.name: [] for part in why.parts if part.kind == "term"}
    formulas: list[str] = []
    for document in documents:
        for share, of_code in term_expressions(document, model):
            if of_term := shown(of_code):
                formulas = formulas or formulas_of(model.single, of_term)
                times = "" if share.query_weight == 1 else f", × q {share.query_weight:.6g}"
                lines[share.term].append(f"  {document.doc_id:<{width}}  {expression_line(of_term[-1])}{times}")
    terms = [line for term, pair in lines.items() if pair for line in (term, *pair)]
    return ["", *formulas, "", *terms] if terms else []


def turns_text(turns: Sequence[Turn], above: str, below: str) -> list[str]:
    """List the parameter values that swap the two documents, and the parameters that cannot."""
    if not turns:
        return ["the model has no parameter that could swap them"]
    turning = [turn for turn in turns if turn.turns]
    columns = table_columns(
        "parameter",
        number_columns("", value="now", turned=f"{below} above {above}", change="of the range"),
        "range",
    )
    rows = [
        [
            turn.parameter,
            value_text(turn.value),
            value_text(turn.turned),
            None if turn.change is None else f"{turn.change:.1%}",
            turn.range,
        ]
        for turn in turning
    ]
    tied, gone = (
        "; ".join(f"{turn.parameter} = {value_text(turn.turned)}" for turn in turning if turn.ahead == ahead)
        for ahead in (0, None)
    )
    others = "; ".join(f"{turn.parameter} ({turn.range})" for turn in turns if not turn.turns and turn.range != _TEXT)
    texts = ", ".join(turn.parameter for turn in turns if turn.range == _TEXT)
    lines = [render(columns, rows)] if turning else []
    if tied:
        lines.append(f"the scores are equal at {tied}, where the order of the collection decides")
    if gone:
        lines.append(f"{above} is no longer ranked at {gone}")
    if others:
        lines.append(f"cannot swap them: {others}")
    if texts:
        lines.append(f"not examined: {texts} ({_TEXT})")
    return lines
